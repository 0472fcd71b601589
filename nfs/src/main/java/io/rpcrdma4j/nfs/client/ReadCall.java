package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReadArgs;
import io.rpcrdma4j.nfs.wire.ReadResult;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/**
 * A READ (RFC 1813 §3.3.6) into memory of the caller, without a copy where the transport places data directly. It may
 * be used for one READ after the other, and unless attributes are wanted it allocates nothing.
 *
 * <p>Buffer ownership, threading and errors are those of {@link NfsCall}: the target is lent from start to end.
 */
public abstract class ReadCall extends NfsCall {
    private final ReadArgs arguments = new ReadArgs();
    private final ReadResult result = new ReadResult();
    private final boolean withAttributes;

    /**
     * Makes a call that is not under way.
     *
     * @param withAttributes whether the file's attributes are of interest
     */
    protected ReadCall(boolean withAttributes) {
        super(NfsProcedure.READ);
        this.withAttributes = withAttributes;
    }

    /**
     * Sets what to read, and where to.
     *
     * @param file the file's handle
     * @param offset first byte of the file that is wanted
     * @param target stays the caller's; lent until the call is over
     * @param targetOffset where in the target's segment the bytes go
     * @param length how many are wanted, more than 0
     */
    public final void prepare(FileHandle file, long offset, PayloadBuffer target, long targetOffset, int length) {
        sink(target, targetOffset, length);
        arguments.set(file, offset, length);
    }

    /** Number of bytes that were read, at most what was asked for. */
    public final int bytesRead() {
        return (int) result.count();
    }

    /** Whether the last byte that was read is the file's last, or there is none at this offset. */
    public final boolean isAtEnd() {
        return result.atEnd();
    }

    /** The file's attributes after the READ, or null if the server did not tell or they are of no interest. */
    public final @Nullable Fattr3 attributes() {
        return result.attributes();
    }

    @Override
    protected final void encodeArguments(XdrWriter writer) {
        arguments.write(writer);
    }

    @Override
    protected final NfsStatus decode(XdrReader reader) throws XdrException {
        result.read(reader, arguments.count(), withAttributes);
        return result.status();
    }
}
