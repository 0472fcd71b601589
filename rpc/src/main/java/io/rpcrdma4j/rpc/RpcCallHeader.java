package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The header of a call (RFC 5531 §9). Reused from call to call.
 *
 * <pre>
 * xid | msg_type = 0 | rpcvers = 2 | prog | vers | proc | cred flavor | cred length | cred body
 *     | verf flavor | verf length | verf body | arguments
 * </pre>
 *
 * <p>The credential is decoded once and kept: as long as the following calls carry the same bytes, they get the same
 * {@link Credential}, and nothing is allocated.
 *
 * <p>Used by one thread at a time.
 */
public final class RpcCallHeader {

    /** What {@link #parse} found. */
    public enum Result {
        /** A call that can be dispatched. */
        OK,
        /** A message of another type; only {@link #xid()} is valid. */
        NOT_A_CALL,
        /** RPC version other than 2: answer RPC_MISMATCH. */
        RPC_MISMATCH,
        /** The credential is malformed or too long: answer AUTH_BADCRED. */
        BAD_CREDENTIAL,
        /** The verifier is malformed, too long, or not the one that the flavor demands: answer AUTH_BADVERF. */
        BAD_VERIFIER
    }

    private int xid;
    private int rpcVersion;
    private int program;
    private int version;
    private int procedure;
    private Credential credential = AuthNone.INSTANCE;
    private int verifierFlavor;

    /** The body that {@link #cached} was decoded from. */
    private final byte[] cachedBody = new byte[RpcConstants.AUTH_BODY_BYTES_MAX];

    private final MemorySegment cachedBodySegment = MemorySegment.ofArray(cachedBody);
    private int cachedLength = -1;
    private Credential cached = AuthNone.INSTANCE;
    private final XdrReader bodyReader = new XdrReader();

    /** Makes an empty header. */
    public RpcCallHeader() {}

    /**
     * Reads a header. If the result is {@link Result#OK}, the reader is at the arguments.
     *
     * @param reader at the first byte of a message
     * @throws XdrException if the message ends before the credential; there is nothing to answer then
     */
    public Result parse(XdrReader reader) throws XdrException {
        xid = reader.readInt();
        if (reader.readInt() != RpcConstants.CALL) {
            return Result.NOT_A_CALL;
        }
        rpcVersion = reader.readInt();
        if (rpcVersion != RpcConstants.RPC_VERSION) {
            return Result.RPC_MISMATCH;
        }
        program = reader.readInt();
        version = reader.readInt();
        procedure = reader.readInt();
        try {
            parseCredential(reader);
        } catch (XdrException e) {
            return Result.BAD_CREDENTIAL;
        }
        try {
            verifierFlavor = reader.readInt();
            int length = reader.readCount(RpcConstants.AUTH_BODY_BYTES_MAX, 1);
            reader.skipFixed(length);
            // RFC 5531 §10.1, appendix A: AUTH_NONE and AUTH_SYS go with a verifier of AUTH_NONE, which is empty.
            boolean mustBeEmpty = !(credential instanceof RawCredential);
            if (mustBeEmpty && (verifierFlavor != RpcConstants.AUTH_NONE || length != 0)) {
                return Result.BAD_VERIFIER;
            }
        } catch (XdrException e) {
            return Result.BAD_VERIFIER;
        }
        return Result.OK;
    }

    /** The transaction id, as on the wire. */
    public int xid() {
        return xid;
    }

    /** The RPC version that the call has; valid for {@link Result#RPC_MISMATCH} too. */
    public int rpcVersion() {
        return rpcVersion;
    }

    /** The program's number, an unsigned 32-bit value. */
    public int program() {
        return program;
    }

    /** The program's version, an unsigned 32-bit value. */
    public int version() {
        return version;
    }

    /** The procedure's number, an unsigned 32-bit value. */
    public int procedure() {
        return procedure;
    }

    /** Who calls. */
    public Credential credential() {
        return credential;
    }

    /** The verifier's auth flavor. */
    public int verifierFlavor() {
        return verifierFlavor;
    }

    /**
     * Writes the header of a call with a verifier of AUTH_NONE.
     *
     * @param writer at the start of a message
     */
    public static void write(
            XdrWriter writer, int xid, int program, int version, int procedure, Credential credential) {
        writer.writeInt(xid);
        writer.writeInt(RpcConstants.CALL);
        writer.writeInt(RpcConstants.RPC_VERSION);
        writer.writeInt(program);
        writer.writeInt(version);
        writer.writeInt(procedure);
        credential.writeTo(writer);
        writer.writeInt(RpcConstants.AUTH_NONE);
        writer.writeInt(0);
    }

    private void parseCredential(XdrReader reader) throws XdrException {
        int flavor = reader.readInt();
        int length = reader.readCount(RpcConstants.AUTH_BODY_BYTES_MAX, 1);
        if (flavor == RpcConstants.AUTH_NONE) {
            if (length != 0) {
                throw XdrException.tooLong("the body of AUTH_NONE", length, 0);
            }
            credential = AuthNone.INSTANCE;
            return;
        }
        if (reader.sameFixed(cachedBodySegment, length) && length == cachedLength && flavor == cached.flavor()) {
            reader.skipFixed(length);
            credential = cached;
            return;
        }
        cachedLength = -1;
        reader.readFixed(cachedBody, 0, length);
        if (flavor == RpcConstants.AUTH_SYS) {
            bodyReader.start(cachedBodySegment, 0, length, null);
            cached = AuthSys.parse(bodyReader);
        } else {
            cached = new RawCredential(flavor, Arrays.copyOf(cachedBody, length));
        }
        cachedLength = length;
        credential = cached;
    }
}
