package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.Fattr3View;
import io.rpcrdma4j.nfs.wire.FileType;
import io.rpcrdma4j.nfs.wire.NfsTime;
import java.util.Objects;

/**
 * Room for the attributes of a file, to be filled again and again by a {@link FileTree}. Used by one thread at a time.
 */
public final class FileAttributes implements Fattr3View {
    private FileType type = FileType.NF3REG;
    private int mode;
    private long links;
    private long uid;
    private long gid;
    private long size;
    private long used;
    private int deviceMajor;
    private int deviceMinor;
    private long fsid;
    private long fileid;
    private long accessSeconds;
    private int accessNanos;
    private long modifySeconds;
    private int modifyNanos;
    private long changeSeconds;
    private int changeNanos;
    private boolean valid;

    /** Makes empty attributes. */
    public FileAttributes() {}

    /** Whether there is something in it. */
    public boolean isValid() {
        return valid;
    }

    /** Empties it. */
    public void clear() {
        valid = false;
    }

    /** Takes over all that {@code other} has. */
    public void set(FileAttributes other) {
        type = other.type;
        mode = other.mode;
        links = other.links;
        uid = other.uid;
        gid = other.gid;
        size = other.size;
        used = other.used;
        deviceMajor = other.deviceMajor;
        deviceMinor = other.deviceMinor;
        fsid = other.fsid;
        fileid = other.fileid;
        accessSeconds = other.accessSeconds;
        accessNanos = other.accessNanos;
        modifySeconds = other.modifySeconds;
        modifyNanos = other.modifyNanos;
        changeSeconds = other.changeSeconds;
        changeNanos = other.changeNanos;
        valid = other.valid;
    }

    /** Sets what kind of object it is, its permission bits (12 bits) and its number of names; it is valid from here. */
    public void setType(FileType newType, int newMode, long newLinks) {
        type = Objects.requireNonNull(newType);
        mode = newMode;
        links = newLinks;
        valid = true;
    }

    /** Sets owner and group: each 0 to 2^32-1. */
    public void setOwner(long newUid, long newGid) {
        uid = newUid;
        gid = newGid;
    }

    /** Sets size and storage in use, in bytes. */
    public void setSize(long newSize, long newUsed) {
        size = newSize;
        used = newUsed;
    }

    /** Sets the numbers of a device. */
    public void setDevice(int major, int minor) {
        deviceMajor = major;
        deviceMinor = minor;
    }

    /** Sets which file it is. */
    public void setIdentity(long newFsid, long newFileid) {
        fsid = newFsid;
        fileid = newFileid;
    }

    /** Sets the time of the last access: seconds since 1970, 0 to 2^32-1, and nanoseconds. */
    public void setAccessTime(long seconds, int nanos) {
        accessSeconds = seconds;
        accessNanos = nanos;
    }

    /** Sets the time of the last change of the content: seconds since 1970, 0 to 2^32-1, and nanoseconds. */
    public void setModifyTime(long seconds, int nanos) {
        modifySeconds = seconds;
        modifyNanos = nanos;
    }

    /** Sets the time of the last change of the attributes: seconds since 1970, 0 to 2^32-1, and nanoseconds. */
    public void setChangeTime(long seconds, int nanos) {
        changeSeconds = seconds;
        changeNanos = nanos;
    }

    /** Whether it is a directory. */
    public boolean isDirectory() {
        return type == FileType.NF3DIR;
    }

    /** Whether it is a regular file. */
    public boolean isRegular() {
        return type == FileType.NF3REG;
    }

    /** Whether the last change of the attributes was at {@code time}. */
    public boolean changedAt(NfsTime time) {
        return changeSeconds == time.seconds() && changeNanos == time.nanos();
    }

    @Override
    public FileType type() {
        return type;
    }

    @Override
    public int mode() {
        return mode;
    }

    @Override
    public long links() {
        return links;
    }

    @Override
    public long uid() {
        return uid;
    }

    @Override
    public long gid() {
        return gid;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long used() {
        return used;
    }

    @Override
    public int deviceMajor() {
        return deviceMajor;
    }

    @Override
    public int deviceMinor() {
        return deviceMinor;
    }

    @Override
    public long fsid() {
        return fsid;
    }

    @Override
    public long fileid() {
        return fileid;
    }

    @Override
    public long accessSeconds() {
        return accessSeconds;
    }

    @Override
    public int accessNanos() {
        return accessNanos;
    }

    @Override
    public long modifySeconds() {
        return modifySeconds;
    }

    @Override
    public int modifyNanos() {
        return modifyNanos;
    }

    @Override
    public long changeSeconds() {
        return changeSeconds;
    }

    @Override
    public int changeNanos() {
        return changeNanos;
    }
}
