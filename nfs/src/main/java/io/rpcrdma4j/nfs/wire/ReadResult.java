package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Results of READ (RFC 1813 §3.3.6), to be filled again and again.
 *
 * <p>A client reads them into the object; the data is a part of the message, of a chunk, or of the call's sink, and
 * valid as long as that. A server writes them with {@link #writeOk} and {@link #writeFailure}. Used by one thread at a
 * time.
 */
public final class ReadResult {
    private NfsStatus status = NfsStatus.NFS3ERR_SERVERFAULT;
    private @Nullable Fattr3 attributes;
    private long count;
    private boolean atEnd;
    private MemorySegment data = MemorySegment.NULL;
    private long dataOffset;

    /** Makes empty results. */
    public ReadResult() {}

    /**
     * Reads the results.
     *
     * @param dataMax most bytes of data that are accepted: what was asked for
     * @param withAttributes whether to make an object of the attributes, else they are skipped
     * @throws XdrException also if the count is not the length of the data
     */
    public void read(XdrReader reader, long dataMax, boolean withAttributes) throws XdrException {
        status = NfsStatus.read(reader);
        attributes = null;
        if (withAttributes) {
            attributes = Fattr3.readOptional(reader).orElse(null);
        } else {
            Fattr3.skipOptional(reader);
        }
        count = 0;
        atEnd = false;
        data = MemorySegment.NULL;
        dataOffset = 0;
        if (status.isOk()) {
            count = reader.readUnsignedInt();
            atEnd = reader.readBoolean();
            long length = reader.readPayloadRange(dataMax);
            data = reader.payloadSegment();
            dataOffset = reader.payloadOffset();
            if (length != count) {
                throw new XdrException(
                        XdrException.Reason.BAD_VALUE, "READ of " + count + " bytes with " + length + " bytes of data");
            }
        }
    }

    /**
     * Writes results that succeeded.
     *
     * @param writer where to
     * @param attributes of the file, or null if they are not known
     * @param buffer where the data is, from its start; its ownership moves to the message, also if this throws
     * @param count how many bytes were read
     * @param atEnd whether they reach the end of the file
     */
    public static void writeOk(
            XdrWriter writer, @Nullable Fattr3View attributes, PayloadBuffer buffer, int count, boolean atEnd) {
        try {
            writer.writeInt(NfsStatus.NFS3_OK.number());
            writeAttributes(writer, attributes);
            writer.writeInt(count);
            writer.writeBoolean(atEnd);
        } catch (RuntimeException e) {
            buffer.release();
            throw e;
        }
        writer.payload(buffer, 0, count);
    }

    /** Writes results that failed. */
    public static void writeFailure(XdrWriter writer, NfsStatus status, @Nullable Fattr3View attributes) {
        status.write(writer);
        writeAttributes(writer, attributes);
    }

    private static void writeAttributes(XdrWriter writer, @Nullable Fattr3View attributes) {
        writer.writeBoolean(attributes != null);
        if (attributes != null) {
            attributes.write(writer);
        }
    }

    /** How it ended. */
    public NfsStatus status() {
        return status;
    }

    /** Attributes of the file, or null if the reply has none or they were skipped. */
    public @Nullable Fattr3 attributes() {
        return attributes;
    }

    /** Number of bytes of data. */
    public long count() {
        return count;
    }

    /** Whether the data reaches the end of the file. */
    public boolean atEnd() {
        return atEnd;
    }

    /** The memory that holds the data, from {@link #dataOffset()} on. */
    public MemorySegment data() {
        return data;
    }

    /** Where in {@link #data()} the data begins. */
    public long dataOffset() {
        return dataOffset;
    }
}
