package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;

/** Results of WRITE (RFC 1813 §3.3.7), to be filled again and again. Used by one thread at a time. */
public final class WriteResult {
    private NfsStatus status = NfsStatus.NFS3ERR_SERVERFAULT;
    private long count;
    private StableHow committed = StableHow.UNSTABLE;
    private long verifier;
    private WccData wcc = WccData.NONE;

    /** Makes empty results. */
    public WriteResult() {}

    /**
     * Reads the results.
     *
     * @param withAttributes whether to make objects of the attributes, else they are skipped
     */
    public void read(XdrReader reader, boolean withAttributes) throws XdrException {
        status = NfsStatus.read(reader);
        wcc = WccData.NONE;
        if (withAttributes) {
            wcc = WccData.read(reader);
        } else {
            WccData.skip(reader);
        }
        count = 0;
        committed = StableHow.UNSTABLE;
        verifier = 0;
        if (status.isOk()) {
            count = reader.readUnsignedInt();
            committed = StableHow.read(reader);
            verifier = reader.readLong();
        }
    }

    /** Sets results that failed, to be written. */
    public void fail(NfsStatus failure, WccData about) {
        status = failure;
        wcc = about;
    }

    /**
     * Sets results that succeeded, to be written.
     *
     * @param about attributes before and after
     * @param bytes how many were written
     * @param how how safe they are
     * @param writeVerifier changes when the server may have lost unstable data
     */
    public void succeed(WccData about, long bytes, StableHow how, long writeVerifier) {
        status = NfsStatus.NFS3_OK;
        wcc = about;
        count = bytes;
        committed = how;
        verifier = writeVerifier;
    }

    /** Writes the results. */
    public void write(XdrWriter writer) {
        status.write(writer);
        wcc.write(writer);
        if (status.isOk()) {
            writeArm(writer, count, committed, verifier);
        }
    }

    /**
     * Writes what follows status and attributes when it succeeded.
     *
     * @param writer where to
     * @param count how many bytes were written
     * @param committed how safe they are
     * @param verifier changes when the server may have lost unstable data
     */
    public static void writeArm(XdrWriter writer, long count, StableHow committed, long verifier) {
        writer.writeUnsignedInt(count);
        committed.write(writer);
        writer.writeLong(verifier);
    }

    /** How it ended. */
    public NfsStatus status() {
        return status;
    }

    /** Attributes before and after; {@link WccData#NONE} if they were skipped. */
    public WccData wcc() {
        return wcc;
    }

    /** Number of bytes that were written. */
    public long count() {
        return count;
    }

    /** How safe they are. */
    public StableHow committed() {
        return committed;
    }

    /** Changes when the server may have lost unstable data. */
    public long verifier() {
        return verifier;
    }
}
