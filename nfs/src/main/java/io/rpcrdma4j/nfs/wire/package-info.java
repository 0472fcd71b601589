/**
 * What NFS version 3 and MOUNT version 3 put on the wire (RFC 1813): constants, values, and the arguments and results
 * of every procedure, in both directions.
 *
 * <p>Each type that travels has {@code read(XdrReader)} and {@code write(XdrWriter)}. Values are immutable records,
 * except those of READ, WRITE and COMMIT, which are reusable objects so that moving data allocates nothing. The bytes
 * that RFC 8267 §4 allows to be placed directly (data of READ and WRITE, text of READLINK and SYMLINK) go through
 * {@link io.rpcrdma4j.rpc.xdr.XdrReader#readPayload} and {@link io.rpcrdma4j.rpc.xdr.XdrWriter#payload}.
 *
 * <p>Reading a counted list is bounded by the bytes of the message. Names and paths are bytes, not characters.
 */
package io.rpcrdma4j.nfs.wire;
