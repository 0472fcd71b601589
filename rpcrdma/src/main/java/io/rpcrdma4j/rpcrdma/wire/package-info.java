/**
 * The RPC-over-RDMA version 1 transport header (RFC 8166) and its relatives as pure code: bytes in, values out.
 *
 * <p>Read RFC 8166 sections 3.4 (chunks), 4.2 to 4.5 (header, lists, errors), RFC 8797 (connection private data) and
 * RFC 8167 section 3 (which direction a message belongs to) before changing anything here.
 *
 * <ul>
 *   <li>{@link io.rpcrdma4j.rpcrdma.wire.TransportHeader} parses what arrived, with the rules of a Responder
 *       ({@code parseCall}) or of a Requester ({@code parseReply}), and is refilled without allocating;
 *   <li>{@link io.rpcrdma4j.rpcrdma.wire.ChunkLists} holds the Read list, Write list and Reply chunk: filled by the
 *       parser, or by a Requester that is about to send a call;
 *   <li>{@link io.rpcrdma4j.rpcrdma.wire.HeaderEncoder} writes headers and never writes past its limit;
 *   <li>{@link io.rpcrdma4j.rpcrdma.wire.HeaderFault} has one constant for each rule that a peer can break, with what
 *       each role does about it;
 *   <li>{@link io.rpcrdma4j.rpcrdma.wire.ConnectionParameters} is the RFC 8797 private data.
 * </ul>
 *
 * <p>Nothing here uses sockets, threads, clocks or loggers. Integers on the wire are XDR: 32-bit big-endian words. In
 * this package an XID and a handle (STag, R_key) are opaque bit patterns kept in an {@code int}; lengths, positions and
 * credit values are unsigned 32-bit numbers kept in a {@code long}; segment offsets are unsigned 64-bit numbers kept as
 * the bit pattern of a {@code long}.
 */
package io.rpcrdma4j.rpcrdma.wire;
