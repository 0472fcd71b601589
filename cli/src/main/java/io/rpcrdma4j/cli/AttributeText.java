package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileType;
import io.rpcrdma4j.nfs.wire.NfsTime;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Attributes in the words and letters that Unix tools use. */
final class AttributeText {
    private static final String[] RIGHTS = {"---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"};
    private static final DateTimeFormatter SHORT = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);
    private static final int SET_UID = 04000;
    private static final int SET_GID = 02000;
    private static final int STICKY = 01000;

    private AttributeText() {}

    /** Type and permission bits in ten letters, as {@code ls -l} has them. */
    static String letters(Fattr3 attributes) {
        int mode = attributes.mode();
        return letter(attributes.type())
                + rights(mode >> 6, (mode & SET_UID) != 0, 's')
                + rights(mode >> 3, (mode & SET_GID) != 0, 's')
                + rights(mode, (mode & STICKY) != 0, 't');
    }

    private static String rights(int bits, boolean special, char letter) {
        String plain = RIGHTS[bits & 7];
        if (!special) {
            return plain;
        }
        boolean executable = (bits & 1) != 0;
        return plain.substring(0, 2) + (executable ? letter : Character.toUpperCase(letter));
    }

    private static char letter(FileType type) {
        return switch (type) {
            case NF3REG -> '-';
            case NF3DIR -> 'd';
            case NF3BLK -> 'b';
            case NF3CHR -> 'c';
            case NF3LNK -> 'l';
            case NF3SOCK -> 's';
            case NF3FIFO -> 'p';
        };
    }

    /** What kind of object it is. */
    static String kind(FileType type) {
        return switch (type) {
            case NF3REG -> "regular file";
            case NF3DIR -> "directory";
            case NF3BLK -> "block device";
            case NF3CHR -> "character device";
            case NF3LNK -> "symbolic link";
            case NF3SOCK -> "socket";
            case NF3FIFO -> "named pipe";
        };
    }

    /** A time to the minute, in this machine's time zone. */
    static String minute(NfsTime time) {
        return SHORT.format(Instant.ofEpochSecond(time.seconds()).atZone(ZoneId.systemDefault()));
    }

    /** A time to the nanosecond, in UTC. */
    static String exact(NfsTime time) {
        return Instant.ofEpochSecond(time.seconds(), time.nanos()).toString();
    }
}
