package io.rpcrdma4j.verbs.iwarp.wire;

/** The RDMAP opcodes (RFC 5040 section 4.3), the low four bits of the RDMAP control byte. */
public final class RdmapOpcode {

    public static final int WRITE = 0;
    public static final int READ_REQUEST = 1;
    public static final int READ_RESPONSE = 2;
    public static final int SEND = 3;
    public static final int SEND_WITH_INVALIDATE = 4;
    public static final int SEND_WITH_SOLICITED_EVENT = 5;
    public static final int SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE = 6;
    public static final int TERMINATE = 7;

    private static final String[] NAMES = {
        "RDMA Write",
        "RDMA Read Request",
        "RDMA Read Response",
        "Send",
        "Send with Invalidate",
        "Send with Solicited Event",
        "Send with Solicited Event and Invalidate",
        "Terminate"
    };

    private RdmapOpcode() {}

    /** Whether RFC 5040 defines it. */
    public static boolean isKnown(int opcode) {
        return opcode >= WRITE && opcode <= TERMINATE;
    }

    /** Whether the message travels in tagged DDP segments; meaningful for known opcodes. */
    public static boolean isTagged(int opcode) {
        return opcode == WRITE || opcode == READ_RESPONSE;
    }

    /** Whether it is one of the four Sends. */
    public static boolean isSend(int opcode) {
        return opcode >= SEND && opcode <= SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE;
    }

    /** Whether it asks for an invalidation. */
    public static boolean isInvalidating(int opcode) {
        return opcode == SEND_WITH_INVALIDATE || opcode == SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE;
    }

    /** Whether it asks for a solicited event. */
    public static boolean isSolicited(int opcode) {
        return opcode == SEND_WITH_SOLICITED_EVENT || opcode == SEND_WITH_SOLICITED_EVENT_AND_INVALIDATE;
    }

    /** Its name in the RFC's words, or {@code opcode N}. */
    public static String name(int opcode) {
        return isKnown(opcode) ? NAMES[opcode] : "opcode " + opcode;
    }
}
