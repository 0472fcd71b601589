package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.nfs.wire.WriteArgs;
import io.rpcrdma4j.nfs.wire.WriteResult;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A WRITE (RFC 1813 §3.3.7) from memory of the caller, without a copy where the transport fetches data directly. It may
 * be used for one WRITE after the other and allocates nothing.
 *
 * <p>Buffer ownership, threading and errors are those of {@link NfsCall}: the source is lent from start to end, and
 * unchanged meanwhile.
 */
public abstract class WriteCall extends NfsCall {
    private final WriteArgs arguments = new WriteArgs();
    private final WriteResult result = new WriteResult();
    private @Nullable PayloadBuffer source;
    private long sourceOffset;

    /** Makes a call that is not under way. */
    protected WriteCall() {
        super(NfsProcedure.WRITE);
    }

    /**
     * Sets what to write, and where to.
     *
     * @param file the file's handle
     * @param offset where in the file the first byte goes
     * @param data stays the caller's; lent until the call is over
     * @param dataOffset where in the data's segment the bytes are
     * @param length how many, more than 0
     * @param how how safe they must be when the call is over
     */
    public final void prepare(
            FileHandle file, long offset, PayloadBuffer data, long dataOffset, int length, StableHow how) {
        if (isUnderWay()) {
            throw new IllegalStateException("the call is under way");
        }
        Objects.checkFromIndexSize(dataOffset, length, data.segment().byteSize());
        arguments.set(file, offset, length, how);
        source = data;
        sourceOffset = dataOffset;
    }

    /** Number of bytes that were written, 1 to what was asked for. */
    public final int bytesWritten() {
        return (int) result.count();
    }

    /** How safe they are: at least as safe as was asked for. */
    public final StableHow committed() {
        return result.committed();
    }

    /** The write verifier: while it is the same, data written UNSTABLE is not lost. */
    public final long verifier() {
        return result.verifier();
    }

    @Override
    protected final void encodeArguments(XdrWriter writer) {
        PayloadBuffer data = source;
        if (data == null) {
            throw new IllegalStateException("nothing was prepared to be written");
        }
        arguments.writeLent(writer, data, sourceOffset);
    }

    @Override
    protected final NfsStatus decode(XdrReader reader) throws XdrException {
        result.read(reader, false);
        if (result.status().isOk() && (result.count() < 1 || result.count() > arguments.count())) {
            throw new XdrException(
                    XdrException.Reason.BAD_VALUE,
                    "WRITE of " + arguments.count() + " bytes answered with a count of " + result.count());
        }
        return result.status();
    }
}
