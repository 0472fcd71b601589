/**
 * The bytes of iWARP: MPA (RFC 5044, RFC 6581), DDP (RFC 5041) and RDMAP (RFC 5040). Pure code: bytes in, values out;
 * no sockets, no threads, no clock.
 *
 * <p>Every header comes in two shapes. The static accessors (the <em>view</em>) read and write fields in place in a
 * {@link java.nio.ByteBuffer} and allocate nothing; they can express anything, legal or not. The records can express
 * only what is legal, and are for tools, tests and the paths where an object more does not matter.
 *
 * <p>Buffers are big-endian, as {@link java.nio.ByteBuffer}s are unless told otherwise. The one exception on the wire,
 * the CRC, is handled by {@link io.rpcrdma4j.verbs.iwarp.wire.FpduCrc}. Offsets of DDP and RDMAP fields count from the
 * FPDU's length field.
 */
package io.rpcrdma4j.verbs.iwarp.wire;
