package io.rpcrdma4j.rpc;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A Unix user, as the client's machine asserts it (RFC 5531, appendix A). Ids are unsigned 32-bit values. */
public final class AuthSys implements Credential {
    /** Most bytes of the machine's name. */
    public static final int MACHINE_BYTES_MAX = 255;

    /** Most supplementary groups. */
    public static final int GROUPS_MAX = 16;

    private static final long[] NO_GROUPS = {};

    private final int stamp;
    /** As on the wire: what came in goes out again. */
    private final byte[] machine;

    private final long uid;
    private final long gid;
    private final long[] groups;

    /**
     * Makes a credential.
     *
     * @param machine name of the caller's machine, at most {@link #MACHINE_BYTES_MAX} bytes in UTF-8
     * @param uid 0 to 2^32-1
     * @param gid 0 to 2^32-1
     * @param groups at most {@link #GROUPS_MAX} supplementary groups, each 0 to 2^32-1; copied
     * @throws IllegalArgumentException if a value is out of range
     */
    public AuthSys(String machine, long uid, long gid, long... groups) {
        this(0, machine.getBytes(StandardCharsets.UTF_8), requireId(uid), requireId(gid), groups.clone());
        if (this.machine.length > MACHINE_BYTES_MAX) {
            throw new IllegalArgumentException("a machine name of more than 255 bytes");
        }
        if (groups.length > GROUPS_MAX) {
            throw new IllegalArgumentException(groups.length + " groups, more than 16");
        }
        for (long group : groups) {
            requireId(group);
        }
    }

    private AuthSys(int stamp, byte[] machine, long uid, long gid, long[] groups) {
        this.stamp = stamp;
        this.machine = machine;
        this.uid = uid;
        this.gid = gid;
        this.groups = groups;
    }

    /**
     * Reads the body of a credential, all of it.
     *
     * @param reader at the body's first byte, and ending with the body
     * @throws XdrException if it is malformed, too long, or goes on behind the groups
     */
    static AuthSys parse(XdrReader reader) throws XdrException {
        int stamp = reader.readInt();
        byte[] machine = reader.readOpaque(MACHINE_BYTES_MAX);
        long uid = reader.readUnsignedInt();
        long gid = reader.readUnsignedInt();
        int count = reader.readCount(GROUPS_MAX, 4);
        long[] groups = count == 0 ? NO_GROUPS : new long[count];
        for (int i = 0; i < count; i++) {
            groups[i] = reader.readUnsignedInt();
        }
        reader.finish();
        return new AuthSys(stamp, machine, uid, gid, groups);
    }

    @Override
    public int flavor() {
        return RpcConstants.AUTH_SYS;
    }

    /** An arbitrary word of the caller's machine. */
    public int stamp() {
        return stamp;
    }

    /** Name of the caller's machine, for logs; bytes that are not UTF-8 are replaced. */
    public String machine() {
        return new String(machine, StandardCharsets.UTF_8);
    }

    /** The user: 0 to 2^32-1. */
    public long uid() {
        return uid;
    }

    /** The primary group: 0 to 2^32-1. */
    public long gid() {
        return gid;
    }

    /** Number of supplementary groups: 0 to 16. */
    public int groupCount() {
        return groups.length;
    }

    /** Supplementary group {@code index}: 0 to 2^32-1. */
    public long group(int index) {
        return groups[index];
    }

    /** Whether {@code group} is the primary or a supplementary group. */
    public boolean isInGroup(long group) {
        if (group == gid) {
            return true;
        }
        for (long g : groups) {
            if (g == group) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void writeTo(XdrWriter writer) {
        writer.writeInt(RpcConstants.AUTH_SYS);
        long lengthWord = writer.reserveInt();
        long start = writer.position();
        writer.writeInt(stamp);
        writer.writeOpaque(machine);
        writer.writeInt((int) uid);
        writer.writeInt((int) gid);
        writer.writeInt(groups.length);
        for (long group : groups) {
            writer.writeInt((int) group);
        }
        writer.patchInt(lengthWord, (int) (writer.position() - start));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AuthSys that
                && stamp == that.stamp
                && uid == that.uid
                && gid == that.gid
                && Arrays.equals(machine, that.machine)
                && Arrays.equals(groups, that.groups);
    }

    @Override
    public int hashCode() {
        return (int) (31 * (31 * uid + gid)) + Arrays.hashCode(groups);
    }

    @Override
    public String toString() {
        return "uid " + uid + " gid " + gid + " groups " + Arrays.toString(groups) + " at " + machine();
    }

    private static long requireId(long id) {
        if (id >>> 32 != 0) {
            throw new IllegalArgumentException("not an unsigned 32-bit id: " + id);
        }
        return id;
    }
}
