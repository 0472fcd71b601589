package io.rpcrdma4j.cli.decode;

import io.rpcrdma4j.rpcrdma.wire.ChunkLists;
import io.rpcrdma4j.rpcrdma.wire.MessageType;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the message lines, in the order of the capture, the troubles and the counts.
 *
 * <p>A line may be added before its text is known: it and those behind it are held back until then, at most
 * {@link #HELD_LINES_MAX} of them.
 *
 * <p><b>Threading:</b> confined.
 */
final class Report {
    /** Lines that wait for an earlier one before that goes out as it is. */
    static final int HELD_LINES_MAX = 10_000;

    private static final String[] OPCODE_NAMES = {
        "writes",
        "read-requests",
        "read-responses",
        "sends",
        "sends-invalidate",
        "sends-solicited",
        "sends-solicited-invalidate",
        "terminates"
    };

    private final Consumer<String> lines;
    private final Consumer<String> troubles;
    private final Deque<Line> held = new ArrayDeque<>();

    private long packets;
    private long connections;
    private long fpdus;
    private final long[] rdmapMessages = new long[OPCODE_NAMES.length];
    private long messages;
    private final long[] messageTypes = new long[MessageType.RDMA_ERROR.code() + 1];
    private long calls;
    private long replies;
    private long readChunks;
    private long readSegments;
    private long writeChunks;
    private long replyChunks;
    private long malformed;
    private long troubleCount;
    private long checkedFrames;
    private long checkedFpdus;
    private long checkedHeaders;
    private long differences;

    /** A message line; its text may come later. */
    static final class Line {
        private final String start;
        private final String end;
        private @Nullable String middle;

        private Line(String start, @Nullable String middle, String end) {
            this.start = start;
            this.middle = middle;
            this.end = end;
        }
    }

    /**
     * @param lines takes the message lines
     * @param troubles takes a line for everything in the capture that breaks a rule or could not be decoded
     */
    Report(Consumer<String> lines, Consumer<String> troubles) {
        this.lines = lines;
        this.troubles = troubles;
    }

    void line(String text) {
        add(new Line(text, "", ""));
    }

    /** Adds a line with a gap between two texts; {@link #resolve} fills it. */
    Line openLine(String start, String end) {
        Line line = new Line(start, null, end);
        add(line);
        return line;
    }

    void resolve(Line line, String middle) {
        if (line.middle == null) {
            line.middle = middle;
            flushKnown();
        }
    }

    private void add(Line line) {
        held.add(line);
        flushKnown();
        if (held.size() > HELD_LINES_MAX) {
            resolve(held.element(), "?");
        }
    }

    private void flushKnown() {
        while (!held.isEmpty() && held.element().middle != null) {
            Line line = held.remove();
            lines.accept(line.start + line.middle + line.end);
        }
    }

    /** Something worth knowing that is no fault. */
    void note(String text) {
        troubles.accept(text);
    }

    /** Something that breaks a rule, or could not be decoded. */
    void trouble(String text) {
        troubleCount++;
        troubles.accept(text);
    }

    /** Something that did not come out the same when encoded again. */
    void difference(String text) {
        differences++;
        troubles.accept(text);
    }

    void countPackets(long count) {
        packets = count;
    }

    void countConnection() {
        connections++;
    }

    void countFpdu(int opcode, boolean last) {
        fpdus++;
        if (last) {
            rdmapMessages[opcode]++;
        }
    }

    void countMessage(MessageType type, boolean isCall, ChunkLists chunks) {
        messages++;
        messageTypes[type.code()]++;
        if (isCall) {
            calls++;
        } else {
            replies++;
        }
        readChunks += chunks.readChunkCount() + (chunks.callChunk() == null ? 0 : 1);
        readSegments += chunks.readSegmentCount();
        writeChunks += chunks.writeChunkCount();
        replyChunks += chunks.replyChunk() == null ? 0 : 1;
    }

    void countMalformed() {
        messages++;
        malformed++;
    }

    void countCheckedFrame() {
        checkedFrames++;
    }

    void countCheckedFpdu() {
        checkedFpdus++;
    }

    void countCheckedHeader() {
        checkedHeaders++;
    }

    long connections() {
        return connections;
    }

    /** Whether everything in the capture could be decoded, and what was encoded again came out the same. */
    boolean isClean() {
        return troubleCount == 0 && differences == 0 && malformed == 0;
    }

    /** Lets out the lines still held. */
    void finish() {
        while (!held.isEmpty()) {
            resolve(held.element(), "?");
        }
    }

    /** The last line. */
    String totals(boolean checked) {
        StringBuilder text = new StringBuilder("total");
        append(text, "packets", packets);
        append(text, "connections", connections);
        append(text, "fpdus", fpdus);
        for (int i = 0; i < OPCODE_NAMES.length; i++) {
            append(text, OPCODE_NAMES[i], rdmapMessages[i]);
        }
        append(text, "messages", messages);
        append(text, "rdma-msg", messageTypes[MessageType.RDMA_MSG.code()]);
        append(text, "rdma-nomsg", messageTypes[MessageType.RDMA_NOMSG.code()]);
        append(text, "rdma-error", messageTypes[MessageType.RDMA_ERROR.code()]);
        append(text, "malformed", malformed);
        append(text, "calls", calls);
        append(text, "replies", replies);
        append(text, "read-chunks", readChunks);
        append(text, "read-segments", readSegments);
        append(text, "write-chunks", writeChunks);
        append(text, "reply-chunks", replyChunks);
        append(text, "troubles", troubleCount);
        if (checked) {
            append(text, "checked-mpa-frames", checkedFrames);
            append(text, "checked-fpdus", checkedFpdus);
            append(text, "checked-headers", checkedHeaders);
            append(text, "differences", differences);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, String name, long value) {
        text.append(' ').append(name).append('=').append(value);
    }
}
