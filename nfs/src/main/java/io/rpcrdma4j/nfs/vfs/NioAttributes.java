package io.rpcrdma4j.nfs.vfs;

import io.rpcrdma4j.nfs.wire.FileType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the attributes of files, symbolic links themselves included. The file system must have the attribute view
 * {@code unix}, as the default one has on Linux and macOS.
 */
final class NioAttributes {
    private static final Logger LOG = LoggerFactory.getLogger(NioAttributes.class);

    private static final String WANTED =
            "unix:mode,ino,dev,rdev,nlink,uid,gid,size,lastAccessTime,lastModifiedTime,ctime,creationTime";

    private static final int FORMAT_MASK = 0170000;
    private static final long SECONDS_MAX = 0xffff_ffffL;

    private final long fsid;
    private final long rootDevice;
    /**
     * Whether a file was seen whose time of creation is not that of its change: then the file system has that time. A
     * provider that does not get it gives the time of the last change instead, always.
     */
    private volatile boolean seesBirth;
    /** On a union of layers a file gets a new time of creation when it is first written to. */
    private final boolean trustsBirth;

    /**
     * Makes a reader for the tree at {@code root}.
     *
     * @param fsid what files report as their file system
     */
    NioAttributes(Path root, long fsid) throws IOException {
        this.fsid = fsid;
        rootDevice = device(root);
        trustsBirth = !isUnion(root);
        lookForBirth(root);
    }

    /** Looks at the directories above too: the older one is, the surer it shows whether there is a time of creation. */
    private void lookForBirth(Path root) {
        FileAttributes unused = new FileAttributes();
        try {
            for (Path path = root; !seesBirth && path != null && device(path) == rootDevice; path = path.getParent()) {
                read(path, unused);
            }
        } catch (IOException e) {
            LOG.debug("Directories above {}: {}", root, e.toString());
        }
    }

    private static long device(Path path) throws IOException {
        return number(Files.readAttributes(path, "unix:dev", LinkOption.NOFOLLOW_LINKS), "dev");
    }

    /**
     * Whether a file that was made at {@code recorded} can be one that was made at {@code read}, both as {@link #read}
     * gave them.
     */
    boolean isSameBirth(long recorded, long read) {
        return !seesBirth || recorded == 0 || read == 0 || recorded == read;
    }

    /**
     * Reads the attributes of what is at {@code path}.
     *
     * @return when the file was made, in nanoseconds since 1970, for {@link #isSameBirth}; 0 if that is not known
     */
    @SuppressWarnings("JavaInstantGetSecondsGetNano") // The seconds are taken too, cut to what the wire has.
    long read(Path path, FileAttributes into) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, WANTED, LinkOption.NOFOLLOW_LINKS);
        int mode = (int) number(found, "mode");
        FileType type = typeOf(mode);
        into.setType(type, mode & 07777, number(found, "nlink"));
        into.setOwner(number(found, "uid") & 0xffff_ffffL, number(found, "gid") & 0xffff_ffffL);
        long size = number(found, "size");
        // What is really allocated is not to be had here.
        into.setSize(size, (size + 511) & ~511L);
        setDevice(into, type == FileType.NF3BLK || type == FileType.NF3CHR ? number(found, "rdev") : 0);
        into.setIdentity(fsid, fileid(number(found, "dev"), number(found, "ino")));
        Instant access = time(found, "lastAccessTime");
        Instant modify = time(found, "lastModifiedTime");
        Instant change = time(found, "ctime");
        into.setAccessTime(seconds(access), access.getNano());
        into.setModifyTime(seconds(modify), modify.getNano());
        into.setChangeTime(seconds(change), change.getNano());
        return birth(time(found, "creationTime"), modify);
    }

    /**
     * The number of a file. Those of another device (something is mounted in the tree) are mixed so that they do not
     * meet those of the root's device but by a chance of 2^-64.
     */
    private long fileid(long device, long inode) {
        if (device == rootDevice) {
            return inode;
        }
        long mixed = (inode ^ (device * 0x9e3779b97f4a7c15L)) * 0xff51afd7ed558ccdL;
        mixed ^= mixed >>> 33;
        return mixed == 0 ? 1 : mixed;
    }

    private long birth(Instant creation, Instant modify) {
        if (!trustsBirth) {
            return 0;
        }
        if (!seesBirth && !creation.equals(modify)) {
            seesBirth = true;
        }
        return creation.getEpochSecond() * 1_000_000_000L + creation.getNano();
    }

    private static boolean isUnion(Path root) {
        try {
            return Files.getFileStore(root).type().contains("overlay");
        } catch (IOException e) {
            // A mount that cannot be found: better no time than a wrong one.
            return true;
        }
    }

    private static FileType typeOf(int mode) {
        return switch (mode & FORMAT_MASK) {
            case 0040000 -> FileType.NF3DIR;
            case 0060000 -> FileType.NF3BLK;
            case 0020000 -> FileType.NF3CHR;
            case 0120000 -> FileType.NF3LNK;
            case 0140000 -> FileType.NF3SOCK;
            case 0010000 -> FileType.NF3FIFO;
            default -> FileType.NF3REG;
        };
    }

    /** Takes a Linux {@code dev_t} of 64 bits apart. */
    private static void setDevice(FileAttributes into, long device) {
        into.setDevice((int) (((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL)), (int)
                ((device & 0xff) | ((device >>> 12) & ~0xffL)));
    }

    private static long number(Map<String, Object> found, String name) {
        return ((Number) Objects.requireNonNull(found.get(name))).longValue();
    }

    private static Instant time(Map<String, Object> found, String name) {
        return ((FileTime) Objects.requireNonNull(found.get(name))).toInstant();
    }

    private static long seconds(Instant time) {
        return Math.clamp(time.getEpochSecond(), 0, SECONDS_MAX);
    }
}
