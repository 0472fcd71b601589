/**
 * The software iWARP provider, {@code iwarp}: its sockets, event threads and entry point. The protocol is in
 * {@code engine}, its bytes are in {@code wire}.
 *
 * <h2>Properties</h2>
 *
 * Keys of {@link io.rpcrdma4j.verbs.DeviceOptions#properties()}; an unknown one is refused.
 *
 * <dl>
 *   <dt>{@code crc}, by default {@code on}
 *   <dd>{@code on} asks the peer for CRCs; {@code off} leaves it to the peer, who gets them when it asks.
 *   <dt>{@code fpdu}, by default {@code auto}
 *   <dd>length of our FPDUs: {@code mss}, one TCP segment of the interface; {@code max}, about 64 KiB; a number of
 *       bytes, 136 to 65,544; {@code auto} is {@code max} for a peer on this host, else {@code mss}.
 *   <dt>{@code congestion}, by default {@code auto}
 *   <dd>congestion control: a name; {@code system} for the system's; {@code auto} replaces {@code bbr} by {@code reno}
 *       for a peer on this host, since bbr paces loopback.
 *   <dt>{@code sndbuf, rcvbuf}, by default {@code 0}
 *   <dd>socket buffers in bytes, 0 for the system's choice.
 *   <dt>{@code connectTimeout}, by default {@code 10000}
 *   <dd>milliseconds for TCP to connect, and again for the MPA reply.
 *   <dt>{@code partialFpduTimeout}, by default {@code 30000}
 *   <dd>milliseconds from the first to the last byte of an FPDU.
 *   <dt>{@code peerTimeout}, by default {@code 60000}
 *   <dd>milliseconds until a peer that has vanished is given up.
 *   <dt>{@code moveBytesMax}, by default {@code 0}
 *   <dd>for tests: most bytes that one read or write of a socket moves; 0 for no limit, negative for random limits
 *       drawn from this seed.
 * </dl>
 *
 * <h2>Limits</h2>
 *
 * Reads in flight in each direction of a connection: 128. Private data: 508 bytes. Queue depths: 32,768; completion
 * queues: 1,048,576. Segments of a request: 64, of an RDMA Read: 32. Inline bytes: 256. Registered bytes, half-open
 * handshakes, connections in all and per address, and time of the handshake: as
 * {@link io.rpcrdma4j.verbs.DeviceOptions} and {@link io.rpcrdma4j.verbs.ListenOptions} say. Received bytes that wait
 * for the rest of their FPDU: 128 KiB a connection, none while it is idle.
 *
 * <h2>Choices</h2>
 *
 * The sink of an RDMA Read needs {@link io.rpcrdma4j.verbs.Access#REMOTE_WRITE} on its region, so that programs are
 * portable to adapters; but its STag is made for the one Read, and a peer's Write to it is refused. Markers are never
 * asked for, and a peer that asks for them is rejected.
 */
package io.rpcrdma4j.verbs.iwarp;
