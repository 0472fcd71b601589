package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection that knows verbs and nothing of RPC: sends any bytes, exposes any memory, keeps what it
 * receives. A peer of it can be shown everything that RFC 8166 forbids.
 *
 * <p>Used by the test's thread; completions are polled while the test waits. Events may come on any thread.
 */
class RawEnd implements AutoCloseable {

    /** A message that arrived. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Received(byte[] bytes, boolean withInvalidate, int invalidatedKey) {

        /** A 32-bit word of the message, by its index. */
        int word(int index) {
            return MemorySegment.ofArray(bytes).get(RawMessage.WORD, 4L * index);
        }

        /** The message from a byte offset on. */
        byte[] from(int offset) {
            return MemorySegment.ofArray(bytes).asSlice(offset).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static final int SEND_SLOTS = 128;
    private static final int SEND_DEPTH = 512;

    final Device device;
    private final Network network;
    private final ProtectionDomain domain;
    private final int receives;
    private final int slotBytes;
    private final MemoryRegion sendRegion;
    private final MemoryRegion receiveRegion;
    private final List<Runnable> exposures = new ArrayList<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final ArrayDeque<Received> inbox = new ArrayDeque<>();
    private final WorkCompletion[] batch = WorkCompletion.batch(16);
    private int received;
    private int failures;
    private @Nullable CompletionQueue completions;
    private @Nullable QueuePair queuePair;
    private @Nullable Connection connection;
    private volatile ConnectionEvent.@Nullable Established established;
    private volatile @Nullable ConnectionEvent end;

    /**
     * Makes an end that is not connected.
     *
     * @param receives Receives that are kept posted
     * @param slotBytes the longest message each way
     */
    RawEnd(Network network, Device device, int receives, int slotBytes) throws IOException {
        this.network = network;
        this.device = device;
        this.receives = receives;
        this.slotBytes = slotBytes;
        domain = device.allocateProtectionDomain();
        sendRegion = domain.allocate((long) SEND_SLOTS * slotBytes, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        receiveRegion = domain.allocate((long) Math.max(1, receives) * slotBytes, Access.LOCAL_WRITE);
        for (int i = 0; i < SEND_SLOTS; i++) {
            freeSlots.add(i);
        }
    }

    /** Makes the queue pair of {@code target} and posts the Receives. */
    void attach(Connection target) throws IOException {
        connection = target;
        CompletionQueue queue = device.createCompletionQueue(SEND_DEPTH + receives + 2, 0, ignored -> {});
        completions = queue;
        QueuePair made = target.createQueuePair(
                new QueuePairOptions(domain, queue, queue, null, SEND_DEPTH, Math.max(1, receives), 1, 1, false));
        queuePair = made;
        for (int i = 0; i < receives; i++) {
            postReceive(i);
        }
    }

    void onEvent(ConnectionEvent event) {
        if (event instanceof ConnectionEvent.Established parameters) {
            established = parameters;
        } else {
            end = event;
        }
    }

    boolean isEstablished() {
        return established != null;
    }

    /** What the two ends agreed on. */
    ConnectionEvent.Established established() {
        ConnectionEvent.Established parameters = established;
        if (parameters == null) {
            throw new AssertionError("not connected: " + end);
        }
        return parameters;
    }

    /** How it ended; null if it did not. */
    @Nullable
    ConnectionEvent end() {
        return end;
    }

    boolean isOver() {
        return end != null;
    }

    // Sending.

    /** Sends a message. */
    void send(byte[] message) {
        post(new SendRequest(1).send(), message);
    }

    /** Sends a message that invalidates one of the peer's keys. */
    void sendWithInvalidate(int key, byte[] message) {
        post(new SendRequest(1).sendWithInvalidate(key), message);
    }

    /** Writes into the peer's memory. */
    void write(byte[] bytes, int key, long address) {
        post(new SendRequest(1).write(key, address), bytes);
    }

    /** Reads the peer's memory. */
    byte[] read(int length, int key, long address) {
        int slot = post(new SendRequest(1).read(key, address), new byte[length]);
        network.await("the Read", () -> {
            poll();
            return freeSlots.contains(slot);
        });
        return sendRegion.segment().asSlice((long) slot * slotBytes, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private int post(SendRequest request, byte[] bytes) {
        network.await("a free slot to send from", () -> {
            poll();
            return !freeSlots.isEmpty();
        });
        int slot = freeSlots.removeFirst();
        long offset = (long) slot * slotBytes;
        MemorySegment.copy(bytes, 0, sendRegion.segment(), ValueLayout.JAVA_BYTE, offset, bytes.length);
        request.segment(sendRegion, offset, bytes.length).signaled(true).identity(slot, (queue, completion) -> {
            freeSlots.addLast(slot);
            if (!completion.isSuccess()) {
                failures++;
            }
        });
        assertThat(pair().postSend(request)).as("refused request").isNull();
        return slot;
    }

    // Receiving.

    private void postReceive(int slot) {
        ReceiveRequest request = new ReceiveRequest(1)
                .segment(receiveRegion, (long) slot * slotBytes, slotBytes)
                .identity(slot, (queue, completion) -> onReceive(slot, completion));
        // Refused only if the connection is over.
        pair().postReceive(request);
    }

    private void onReceive(int slot, WorkCompletion completion) {
        if (!completion.isSuccess()) {
            return;
        }
        byte[] bytes = receiveRegion
                .segment()
                .asSlice((long) slot * slotBytes, completion.byteLength())
                .toArray(ValueLayout.JAVA_BYTE);
        boolean invalidate = completion.isWithInvalidate();
        inbox.addLast(new Received(bytes, invalidate, invalidate ? completion.invalidatedKey() : 0));
        received++;
        postReceive(slot);
    }

    /** Handles what has completed. */
    void poll() {
        CompletionQueue queue = completions;
        if (queue == null) {
            return;
        }
        int count = queue.poll(batch);
        while (count > 0) {
            for (int i = 0; i < count; i++) {
                batch[i].dispatch(queue);
            }
            count = queue.poll(batch);
        }
    }

    /** Waits for the next message. */
    Received take() {
        network.await("a message", () -> {
            poll();
            return !inbox.isEmpty() || isOver();
        });
        Received next = inbox.pollFirst();
        assertThat(next)
                .as("a message before the end of the connection, which was %s", end)
                .isNotNull();
        return next;
    }

    /** Messages that arrived so far. */
    int received() {
        poll();
        return received;
    }

    /** Requests of ours that failed or were flushed so far. */
    int failures() {
        poll();
        return failures;
    }

    // Exposing.

    /** Memory that the peer may use. */
    final class Exposed {

        private final MemoryRegion region;
        private final MemoryWindow window;

        private Exposed(int length, int rights) throws IOException {
            region = domain.allocate(Math.max(1, length), Access.LOCAL_WRITE);
            window = domain.allocateWindow();
            window.bind(pair(), region, 0, Math.max(1, length), rights);
            exposures.add(() -> {
                window.close();
                region.close();
            });
        }

        int key() {
            return window.key();
        }

        /** The address of its first byte. */
        long address() {
            return window.address();
        }

        boolean isBound() {
            return window.isBound();
        }

        /** Its first bytes as they are now. */
        byte[] bytes(int count) {
            return region.segment().asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
        }

        byte[] bytes(int from, int count) {
            return region.segment().asSlice(from, count).toArray(ValueLayout.JAVA_BYTE);
        }

        void invalidate() {
            window.invalidate();
        }
    }

    /** Exposes a copy of some bytes for reading. */
    Exposed exposeForRead(byte[] content) throws IOException {
        Exposed exposed = new Exposed(content.length, Access.REMOTE_READ);
        MemorySegment.copy(content, 0, exposed.region.segment(), ValueLayout.JAVA_BYTE, 0, content.length);
        return exposed;
    }

    /** Exposes bytes of value 0xA5 for writing, so that it shows what was written and what was not. */
    Exposed exposeForWrite(int length) throws IOException {
        Exposed exposed = new Exposed(length, Access.REMOTE_WRITE);
        exposed.region.segment().fill((byte) 0xA5);
        return exposed;
    }

    // The end.

    QueuePair pair() {
        QueuePair made = queuePair;
        if (made == null) {
            throw new AssertionError("no queue pair");
        }
        return made;
    }

    /** Ends the connection in the orderly way. */
    void disconnect() {
        Connection current = connection;
        if (current != null) {
            current.disconnect();
        }
    }

    @Override
    public void close() {
        Connection current = connection;
        if (current != null) {
            current.close();
        }
        CompletionQueue queue = completions;
        if (queue != null) {
            queue.close();
        }
        exposures.forEach(Runnable::run);
        sendRegion.close();
        receiveRegion.close();
        domain.close();
    }
}
