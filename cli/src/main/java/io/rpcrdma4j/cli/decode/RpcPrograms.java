package io.rpcrdma4j.cli.decode;

import java.util.List;
import java.util.Map;

/** Names of the RPC programs and procedures that travel with NFS (RFC 1094, 1813, 8881; X/Open for NLM and NSM). */
final class RpcPrograms {
    private static final int NFS = 100003;
    private static final int MOUNT = 100005;
    private static final int NLM = 100021;
    private static final int NSM = 100024;
    private static final int NFSACL = 100227;
    private static final int RPCBIND = 100000;

    /** Numbers that a client picks for its NFSv4 callback service (RFC 5531 section 8.2, "transient"). */
    private static final int TRANSIENT_FIRST = 0x4000_0000;

    private static final int TRANSIENT_LAST = 0x5FFF_FFFF;

    private static final List<String> NFS2 = List.of(
            "NULL",
            "GETATTR",
            "SETATTR",
            "ROOT",
            "LOOKUP",
            "READLINK",
            "READ",
            "WRITECACHE",
            "WRITE",
            "CREATE",
            "REMOVE",
            "RENAME",
            "LINK",
            "SYMLINK",
            "MKDIR",
            "RMDIR",
            "READDIR",
            "STATFS");
    private static final List<String> NFS3 = List.of(
            "NULL",
            "GETATTR",
            "SETATTR",
            "LOOKUP",
            "ACCESS",
            "READLINK",
            "READ",
            "WRITE",
            "CREATE",
            "MKDIR",
            "SYMLINK",
            "MKNOD",
            "REMOVE",
            "RMDIR",
            "RENAME",
            "LINK",
            "READDIR",
            "READDIRPLUS",
            "FSSTAT",
            "FSINFO",
            "PATHCONF",
            "COMMIT");
    private static final List<String> NFS4 = List.of("NULL", "COMPOUND");
    private static final List<String> NFS_CALLBACK = List.of("CB_NULL", "CB_COMPOUND");
    private static final List<String> MOUNT_ALL = List.of("NULL", "MNT", "DUMP", "UMNT", "UMNTALL", "EXPORT");
    private static final List<String> NFSACL_ALL = List.of("NULL", "GETACL", "SETACL", "GETATTR", "ACCESS");
    private static final List<String> NLM_ALL = List.of(
            "NULL",
            "TEST",
            "LOCK",
            "CANCEL",
            "UNLOCK",
            "GRANTED",
            "TEST_MSG",
            "LOCK_MSG",
            "CANCEL_MSG",
            "UNLOCK_MSG",
            "GRANTED_MSG",
            "TEST_RES",
            "LOCK_RES",
            "CANCEL_RES",
            "UNLOCK_RES",
            "GRANTED_RES");
    private static final List<String> NSM_ALL =
            List.of("NULL", "STAT", "MON", "UNMON", "UNMON_ALL", "SIMU_CRASH", "NOTIFY");
    private static final List<String> RPCBIND_ALL = List.of("NULL", "SET", "UNSET", "GETPORT", "DUMP", "CALLIT");

    private static final Map<Integer, String> PROGRAMS =
            Map.of(NFS, "NFS", MOUNT, "MOUNT", NLM, "NLM", NSM, "NSM", NFSACL, "NFSACL", RPCBIND, "RPCBIND");

    private RpcPrograms() {}

    /**
     * What a call asks for, as {@code NFSv3 READ}; numbers for what has no name.
     *
     * @param program unsigned 32-bit
     * @param version unsigned 32-bit
     * @param procedure unsigned 32-bit
     */
    static String describe(long program, long version, long procedure) {
        List<String> procedures = procedures(program, version);
        String name = program == (int) program ? PROGRAMS.get((int) program) : null;
        if (name == null) {
            boolean isCallback = procedures.equals(NFS_CALLBACK);
            name = (isCallback ? "NFSv4-callback-" : "program-") + program + "-";
        }
        String procedureName = procedure < procedures.size() ? procedures.get((int) procedure) : "PROC-" + procedure;
        return name + "v" + version + " " + procedureName;
    }

    private static List<String> procedures(long program, long version) {
        if (program >= TRANSIENT_FIRST && program <= TRANSIENT_LAST) {
            return version == 1 ? NFS_CALLBACK : List.of();
        }
        if (program == NFS) {
            if (version == 2) {
                return NFS2;
            }
            if (version == 3) {
                return NFS3;
            }
            return version == 4 ? NFS4 : List.of();
        }
        if (program == MOUNT) {
            return MOUNT_ALL;
        }
        if (program == NFSACL) {
            return NFSACL_ALL;
        }
        if (program == NLM) {
            return NLM_ALL;
        }
        if (program == NSM) {
            return NSM_ALL;
        }
        return program == RPCBIND ? RPCBIND_ALL : List.of();
    }
}
