package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Attributes to set; what is empty stays as it is ({@code sattr3}, RFC 1813 §2.5).
 *
 * @param mode permission bits, a 32-bit word
 * @param uid the owner: 0 to 2^32-1
 * @param gid the group: 0 to 2^32-1
 * @param size size in bytes, an unsigned 64-bit value
 * @param accessTime last access
 * @param modifyTime last change of the content
 */
public record Sattr3(
        OptionalInt mode,
        OptionalLong uid,
        OptionalLong gid,
        OptionalLong size,
        TimeChange accessTime,
        TimeChange modifyTime) {
    /** Sets nothing. */
    public static final Sattr3 NOTHING = new Sattr3(
            OptionalInt.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            TimeChange.Preset.KEEP,
            TimeChange.Preset.KEEP);

    /** Sets the mode only. */
    public static Sattr3 ofMode(int mode) {
        return new Sattr3(
                OptionalInt.of(mode),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                TimeChange.Preset.KEEP,
                TimeChange.Preset.KEEP);
    }

    /** Sets the size only. */
    public static Sattr3 ofSize(long size) {
        return new Sattr3(
                OptionalInt.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.of(size),
                TimeChange.Preset.KEEP,
                TimeChange.Preset.KEEP);
    }

    /** Reads what to set. */
    public static Sattr3 read(XdrReader reader) throws XdrException {
        return new Sattr3(
                reader.readBoolean() ? OptionalInt.of(reader.readInt()) : OptionalInt.empty(),
                reader.readBoolean() ? OptionalLong.of(reader.readUnsignedInt()) : OptionalLong.empty(),
                reader.readBoolean() ? OptionalLong.of(reader.readUnsignedInt()) : OptionalLong.empty(),
                reader.readBoolean() ? OptionalLong.of(reader.readLong()) : OptionalLong.empty(),
                TimeChange.read(reader),
                TimeChange.read(reader));
    }

    /** Writes what to set. */
    public void write(XdrWriter writer) {
        writer.writeBoolean(mode.isPresent());
        if (mode.isPresent()) {
            writer.writeInt(mode.getAsInt());
        }
        writeId(writer, uid);
        writeId(writer, gid);
        writer.writeBoolean(size.isPresent());
        if (size.isPresent()) {
            writer.writeLong(size.getAsLong());
        }
        accessTime.write(writer);
        modifyTime.write(writer);
    }

    private static void writeId(XdrWriter writer, OptionalLong id) {
        writer.writeBoolean(id.isPresent());
        if (id.isPresent()) {
            writer.writeUnsignedInt(id.getAsLong());
        }
    }
}
