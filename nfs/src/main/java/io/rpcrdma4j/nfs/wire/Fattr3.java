package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.Optional;

/**
 * The attributes of a file as a value ({@code fattr3}, RFC 1813 §2.5). Units and widths are those of
 * {@link Fattr3View}.
 *
 * @param type what kind of object it is
 * @param mode permission bits
 * @param links number of names
 * @param uid the owner
 * @param gid the group
 * @param size size in bytes
 * @param used bytes of storage in use
 * @param deviceMajor major number of a device
 * @param deviceMinor minor number of a device
 * @param fsid the file system
 * @param fileid number of the file in its file system
 * @param accessTime last access
 * @param modifyTime last change of the content
 * @param changeTime last change of the attributes
 */
public record Fattr3(
        FileType type,
        int mode,
        long links,
        long uid,
        long gid,
        long size,
        long used,
        int deviceMajor,
        int deviceMinor,
        long fsid,
        long fileid,
        NfsTime accessTime,
        NfsTime modifyTime,
        NfsTime changeTime)
        implements Fattr3View {

    /** Reads attributes. */
    public static Fattr3 read(XdrReader reader) throws XdrException {
        return new Fattr3(
                FileType.read(reader),
                reader.readInt(),
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readUnsignedInt(),
                reader.readLong(),
                reader.readLong(),
                reader.readInt(),
                reader.readInt(),
                reader.readLong(),
                reader.readLong(),
                NfsTime.read(reader),
                NfsTime.read(reader),
                NfsTime.read(reader));
    }

    /** Reads a {@code post_op_attr}. */
    public static Optional<Fattr3> readOptional(XdrReader reader) throws XdrException {
        return reader.readBoolean() ? Optional.of(read(reader)) : Optional.empty();
    }

    /** Skips a {@code post_op_attr} without making an object of it. */
    public static void skipOptional(XdrReader reader) throws XdrException {
        if (reader.readBoolean()) {
            reader.skipFixed(Nfs3.FATTR_BYTES);
        }
    }

    /** Writes a {@code post_op_attr}. */
    public static void writeOptional(XdrWriter writer, Optional<? extends Fattr3View> attributes) {
        writer.writeBoolean(attributes.isPresent());
        if (attributes.isPresent()) {
            attributes.get().write(writer);
        }
    }

    @Override
    public long accessSeconds() {
        return accessTime.seconds();
    }

    @Override
    public int accessNanos() {
        return (int) accessTime.nanos();
    }

    @Override
    public long modifySeconds() {
        return modifyTime.seconds();
    }

    @Override
    public int modifyNanos() {
        return (int) modifyTime.nanos();
    }

    @Override
    public long changeSeconds() {
        return changeTime.seconds();
    }

    @Override
    public int changeNanos() {
        return (int) changeTime.nanos();
    }
}
