package io.rpcrdma4j.nfs.wire;

import io.rpcrdma4j.rpc.xdr.XdrWriter;

/**
 * The attributes of a file, wherever they are kept ({@code fattr3}, RFC 1813 §2.5). A server implements it over what
 * its file system gives, so that attributes are written without an object in between.
 *
 * <pre>
 *   type 4 | mode 4 | nlink 4 | uid 4 | gid 4 | size 8 | used 8 | rdev 4+4 | fsid 8 | fileid 8
 *   | atime 4+4 | mtime 4+4 | ctime 4+4
 * </pre>
 */
public interface Fattr3View {
    /** What kind of object it is. */
    FileType type();

    /** Permission bits: the low 12 bits of a Unix mode. */
    int mode();

    /** Number of names: 0 to 2^32-1. */
    long links();

    /** The owner: 0 to 2^32-1. */
    long uid();

    /** The group: 0 to 2^32-1. */
    long gid();

    /** Size in bytes, an unsigned 64-bit value. */
    long size();

    /** Bytes of storage in use, an unsigned 64-bit value. */
    long used();

    /** Major number of a device, else 0; an unsigned 32-bit value. */
    int deviceMajor();

    /** Minor number of a device, else 0; an unsigned 32-bit value. */
    int deviceMinor();

    /** The file system, an unsigned 64-bit value. */
    long fsid();

    /** Number of the file in its file system, an unsigned 64-bit value. */
    long fileid();

    /** Seconds of the last access, since 1970: 0 to 2^32-1. */
    long accessSeconds();

    /** Nanoseconds of the last access: 0 to 999,999,999. */
    int accessNanos();

    /** Seconds of the last change of the content. */
    long modifySeconds();

    /** Nanoseconds of the last change of the content. */
    int modifyNanos();

    /** Seconds of the last change of the attributes. */
    long changeSeconds();

    /** Nanoseconds of the last change of the attributes. */
    int changeNanos();

    /** Writes the attributes. */
    default void write(XdrWriter writer) {
        type().write(writer);
        writer.writeInt(mode());
        writer.writeInt((int) links());
        writer.writeInt((int) uid());
        writer.writeInt((int) gid());
        writer.writeLong(size());
        writer.writeLong(used());
        writer.writeInt(deviceMajor());
        writer.writeInt(deviceMinor());
        writer.writeLong(fsid());
        writer.writeLong(fileid());
        writer.writeInt((int) accessSeconds());
        writer.writeInt(accessNanos());
        writer.writeInt((int) modifySeconds());
        writer.writeInt(modifyNanos());
        writer.writeInt((int) changeSeconds());
        writer.writeInt(changeNanos());
    }
}
