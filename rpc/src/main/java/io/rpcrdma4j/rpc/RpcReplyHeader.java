package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import org.jspecify.annotations.Nullable;

/**
 * The header of a reply (RFC 5531 §9).
 *
 * <pre>
 * xid | msg_type = 1 | reply_stat = 0 | verf flavor | verf length | verf body | accept_stat | results, or low and high
 * xid | msg_type = 1 | reply_stat = 1 | reject_stat = 0 | low | high
 * xid | msg_type = 1 | reply_stat = 1 | reject_stat = 1 | auth_stat
 * </pre>
 */
public final class RpcReplyHeader {
    private RpcReplyHeader() {}

    /** Writes the header of a reply to an accepted call, with a verifier of AUTH_NONE. */
    public static void writeAccepted(XdrWriter writer, int xid, AcceptStatus status) {
        writer.writeInt(xid);
        writer.writeInt(RpcConstants.REPLY);
        writer.writeInt(RpcConstants.MSG_ACCEPTED);
        writer.writeInt(RpcConstants.AUTH_NONE);
        writer.writeInt(0);
        writer.writeInt(status.number());
    }

    /** Writes a whole PROG_MISMATCH reply. */
    public static void writeProgramMismatch(XdrWriter writer, int xid, int low, int high) {
        writeAccepted(writer, xid, AcceptStatus.PROG_MISMATCH);
        writer.writeInt(low);
        writer.writeInt(high);
    }

    /** Writes a whole RPC_MISMATCH reply. */
    public static void writeRpcMismatch(XdrWriter writer, int xid) {
        writeDenied(writer, xid, RejectStatus.RPC_MISMATCH);
        writer.writeInt(RpcConstants.RPC_VERSION);
        writer.writeInt(RpcConstants.RPC_VERSION);
    }

    /** Writes a whole AUTH_ERROR reply. */
    public static void writeAuthError(XdrWriter writer, int xid, AuthStatus status) {
        writeDenied(writer, xid, RejectStatus.AUTH_ERROR);
        writer.writeInt(status.number());
    }

    /**
     * Reads the header of a reply. If it returns null, the call succeeded and the reader is at the results.
     *
     * @param reader at the first byte of the message
     * @param xid the transaction id that the reply must have
     * @return what the server said went wrong, or null
     * @throws XdrException if the header is malformed or belongs to another call
     */
    public static @Nullable RpcException parse(XdrReader reader, int xid) throws XdrException {
        int got = reader.readInt();
        if (got != xid) {
            throw XdrException.badValue("the xid of the reply to " + Integer.toUnsignedString(xid), got);
        }
        int type = reader.readInt();
        if (type != RpcConstants.REPLY) {
            throw XdrException.badValue("the message type of a reply", type);
        }
        int status = reader.readInt();
        return switch (status) {
            case RpcConstants.MSG_ACCEPTED -> parseAccepted(reader);
            case RpcConstants.MSG_DENIED -> parseDenied(reader);
            default -> throw XdrException.badValue("the reply status", status);
        };
    }

    private static @Nullable RpcException parseAccepted(XdrReader reader) throws XdrException {
        reader.readInt();
        reader.skipFixed(reader.readCount(RpcConstants.AUTH_BODY_BYTES_MAX, 1));
        int number = reader.readInt();
        AcceptStatus status = AcceptStatus.of(number);
        if (status == null) {
            throw XdrException.badValue("the accept status", number);
        }
        return switch (status) {
            case SUCCESS -> null;
            case PROG_MISMATCH -> RpcException.programMismatch(reader.readUnsignedInt(), reader.readUnsignedInt());
            case PROG_UNAVAIL, PROC_UNAVAIL, GARBAGE_ARGS, SYSTEM_ERR -> RpcException.notExecuted(status);
        };
    }

    private static RpcException parseDenied(XdrReader reader) throws XdrException {
        int number = reader.readInt();
        RejectStatus status = RejectStatus.of(number);
        if (status == null) {
            throw XdrException.badValue("the reject status", number);
        }
        return switch (status) {
            case RPC_MISMATCH -> RpcException.rpcMismatch(reader.readUnsignedInt(), reader.readUnsignedInt());
            case AUTH_ERROR -> RpcException.authError(reader.readInt());
        };
    }

    private static void writeDenied(XdrWriter writer, int xid, RejectStatus status) {
        writer.writeInt(xid);
        writer.writeInt(RpcConstants.REPLY);
        writer.writeInt(RpcConstants.MSG_DENIED);
        writer.writeInt(status.number());
    }
}
