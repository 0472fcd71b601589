package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import org.jspecify.annotations.Nullable;

/** Judges whether a peer may touch the memory that it names. <b>Threading:</b> the stream's owner. */
final class Admission {

    private final KeyTable keys;
    private final Stream stream;
    private final ProtectionDomain domain;

    Admission(KeyTable keys, Stream stream, ProtectionDomain domain) {
        this.keys = keys;
        this.stream = stream;
        this.domain = domain;
    }

    /**
     * Lets the peer write {@code bytes} bytes, 1 or more.
     *
     * @return the key, entered
     */
    RemoteKey admitWrite(int stag, long taggedOffset, int bytes) throws IwarpException {
        RemoteKey key = keys.enter(stag);
        if (key == null) {
            throw new IwarpException(
                    Violation.WRITE_STAG, "peer wrote " + bytes + " bytes to invalid key " + hex(stag));
        }
        @Nullable
        Violation violation = judge(
                key,
                taggedOffset,
                bytes,
                Access.REMOTE_WRITE,
                Violation.WRITE_STREAM,
                Violation.WRITE_ACCESS,
                Violation.WRITE_WRAP,
                Violation.WRITE_BOUNDS);
        if (violation != null) {
            String text = "peer wrote " + bytes + " bytes " + how(violation, key, taggedOffset);
            key.exit();
            throw new IwarpException(violation, text);
        }
        return key;
    }

    /**
     * Lets the peer read {@code bytes} bytes, 1 or more.
     *
     * @return the key, entered
     */
    RemoteKey admitRead(int stag, long taggedOffset, long bytes) throws IwarpException {
        RemoteKey key = keys.enter(stag);
        if (key == null) {
            throw new IwarpException(
                    Violation.READ_STAG, "peer asked to read " + bytes + " bytes from invalid key " + hex(stag));
        }
        @Nullable
        Violation violation = judge(
                key,
                taggedOffset,
                bytes,
                Access.REMOTE_READ,
                Violation.READ_STREAM,
                Violation.READ_ACCESS,
                Violation.READ_WRAP,
                Violation.READ_BOUNDS);
        if (violation != null) {
            String text = "peer asked to read " + bytes + " bytes " + how(violation, key, taggedOffset);
            key.exit();
            throw new IwarpException(violation, text);
        }
        return key;
    }

    private @Nullable Violation judge(
            RemoteKey key,
            long taggedOffset,
            long bytes,
            int right,
            Violation ofOtherStream,
            Violation noRight,
            Violation wraps,
            Violation outside) {
        if (!key.isFor(stream, domain)) {
            return ofOtherStream;
        }
        if ((key.rights() & right) == 0) {
            return noRight;
        }
        long last = taggedOffset + (bytes - 1);
        if (Long.compareUnsigned(last, taggedOffset) < 0) {
            return wraps;
        }
        long start = taggedOffset - key.address();
        if (Long.compareUnsigned(taggedOffset, key.address()) < 0 || start > key.length() - bytes || start < 0) {
            return outside;
        }
        return null;
    }

    private static String how(Violation violation, RemoteKey key, long taggedOffset) {
        String name = "key " + hex(key.stag());
        return switch (violation) {
            case WRITE_STREAM, READ_STREAM -> "through " + name + ", which belongs to another connection";
            case WRITE_ACCESS -> "to " + name + ", which may not be written";
            case READ_ACCESS -> "from " + name + ", which may not be read";
            case WRITE_WRAP, READ_WRAP ->
                "past the end of the 64-bit offsets through " + name + " (offset 0x" + Long.toHexString(taggedOffset)
                        + ")";
            default -> {
                long start = taggedOffset - key.address();
                yield Long.compareUnsigned(taggedOffset, key.address()) < 0
                        ? "before " + name + " (length " + key.length() + ")"
                        : "beyond " + name + " (length " + key.length() + "), at offset "
                                + Long.toUnsignedString(start);
            }
        };
    }

    /** Ends the validity of a key at the peer's wish. */
    void invalidate(int stag, RevokedKeys revoked) throws IwarpException {
        RemoteKey key = keys.enter(stag);
        if (key == null) {
            if (revoked.contains(stag)) {
                // We were faster: a cancelled call, and its late reply. Nothing is wrong with that.
                return;
            }
            throw new IwarpException(
                    Violation.INVALIDATE_STAG, "peer asked to invalidate the unknown key " + hex(stag));
        }
        boolean mayInvalidate = key.isFor(stream, domain) && key.isWindow();
        if (mayInvalidate) {
            key.revoke();
        }
        if (mayInvalidate) {
            // Before the exit: a key that is quiet may be given another STag by its owner.
            keys.remove(key);
            revoked.add(stag);
        }
        key.exit();
        if (!mayInvalidate) {
            throw new IwarpException(
                    Violation.INVALIDATE_STREAM,
                    "peer asked to invalidate key " + hex(stag) + ", which is not one of this connection");
        }
    }

    /** An STag as the log shows it. */
    static String hex(int stag) {
        return "0x" + Integer.toHexString(stag);
    }
}
