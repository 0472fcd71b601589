package io.rpcrdma4j.verbs.tck;

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
import io.rpcrdma4j.verbs.SharedReceiveQueue;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * One end of a test connection with everything that it needs: domain, completion queues, memory.
 *
 * <p><b>Threading:</b> made by one thread, used by the test's thread; events are collected from any thread.
 */
final class End implements AutoCloseable {

    /** Bytes of each of the two regions, unless the specification says otherwise. */
    static final int MEMORY_BYTES = 1 << 20;

    final Device device;
    final Connection connection;
    final ProtectionDomain domain;
    final CompletionQueue sendQueue;
    final CompletionQueue receiveQueue;
    final @Nullable SharedReceiveQueue sharedReceives;

    /** Where Receives land. */
    final MemoryRegion inbox;

    /** Where Sends, Writes and Reads start and end. */
    final MemoryRegion data;

    final QueuePair queuePair;
    final EndSpec spec;
    final Queue<ConnectionEvent> events = new ConcurrentLinkedQueue<>();

    /** Polled and not yet taken by the test, of the send queue and of the receive queue. */
    final ArrayDeque<Done> sent = new ArrayDeque<>();

    final ArrayDeque<Done> received = new ArrayDeque<>();
    private final WorkCompletion[] batch = WorkCompletion.batch(7);
    private final List<MemoryWindow> windows = new ArrayList<>();
    private final List<MemoryRegion> regions = new ArrayList<>();
    private boolean connectionClosed;

    End(Connection connection, Device device, EndSpec spec) throws IOException {
        this.connection = connection;
        this.device = device;
        this.spec = spec;
        domain = spec.sharer != null ? spec.sharer.domain : device.allocateProtectionDomain();
        sendQueue = device.createCompletionQueue(spec.completionDepth, 0, queue -> {});
        receiveQueue = spec.oneCompletionQueue
                ? sendQueue
                : device.createCompletionQueue(spec.completionDepth, 0, spec.onReceive);
        sharedReceives = spec.sharer != null && spec.sharedReceives
                ? spec.sharer.sharedReceives
                : spec.sharedReceives ? domain.createSharedReceiveQueue(spec.receiveDepth, spec.segmentsMax) : null;
        inbox = domain.allocate(spec.memoryBytes, Access.LOCAL_WRITE);
        data = domain.allocate(spec.memoryBytes, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
        queuePair = connection.createQueuePair(new QueuePairOptions(
                domain,
                sendQueue,
                receiveQueue,
                sharedReceives,
                spec.sendDepth,
                spec.receiveDepth,
                spec.segmentsMax,
                spec.segmentsMax,
                spec.allSignaled));
        spec.prepare.accept(this);
        postReceives(spec.receives, spec.receiveBytes);
    }

    /** Posts Receives with the ids 0 to {@code count} - 1, side by side in the inbox. */
    void postReceives(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            postReceive(i, (long) i * bytes, bytes);
        }
    }

    void postReceive(long id, long offset, int bytes) {
        post(new ReceiveRequest(1).identity(id, null).segment(inbox, offset, bytes));
    }

    void post(ReceiveRequest request) {
        ReceiveRequest refused = (sharedReceives != null ? sharedReceives : queuePair).postReceive(request);
        assertThat(refused).as(() -> "refused Receive: " + request.postStatus()).isNull();
    }

    void post(SendRequest request) {
        SendRequest refused = queuePair.postSend(request);
        assertThat(refused)
                .as(() -> "refused: " + request.opcode() + " " + request.postStatus())
                .isNull();
    }

    SendRequest send(long id, long offset, int bytes) {
        return request(id, offset, bytes).send();
    }

    SendRequest write(long id, long offset, int bytes, int key, long address) {
        return request(id, offset, bytes).write(key, address);
    }

    SendRequest read(long id, long offset, int bytes, int key, long address) {
        return request(id, offset, bytes).read(key, address);
    }

    private SendRequest request(long id, long offset, int bytes) {
        return new SendRequest(4)
                .identity(id, null)
                .segment(data, offset, bytes)
                .signaled(true);
    }

    MemoryWindow expose(long offset, long length, int rights) throws IOException {
        MemoryWindow window = domain.allocateWindow();
        windows.add(window);
        window.bind(queuePair, data, offset, length, rights);
        return window;
    }

    /** Has another region of the domain closed with the end. */
    void closeLater(MemoryRegion region) {
        regions.add(region);
    }

    /** Moves all finished work to {@link #sent} and {@link #received}. */
    void poll() {
        poll(sendQueue);
        poll(receiveQueue);
    }

    private void poll(CompletionQueue queue) {
        int count = queue.poll(batch);
        while (count > 0) {
            for (int i = 0; i < count; i++) {
                Done done = Done.of(batch[i]);
                (done.opcode() == io.rpcrdma4j.verbs.Opcode.RECEIVE ? received : sent).add(done);
            }
            count = queue.poll(batch);
        }
    }

    long disconnectedEvents() {
        return events.stream()
                .filter(ConnectionEvent.Disconnected.class::isInstance)
                .count();
    }

    boolean hasEvent(Class<? extends ConnectionEvent> type) {
        return events.stream().anyMatch(type::isInstance);
    }

    void closeConnection() {
        if (!connectionClosed) {
            connectionClosed = true;
            connection.close();
        }
    }

    /** Frees everything, and in doing so checks that nothing was left. */
    @Override
    public void close() {
        closeConnection();
        windows.forEach(MemoryWindow::close);
        if (sharedReceives != null && spec.sharer == null) {
            sharedReceives.close();
        }
        regions.forEach(MemoryRegion::close);
        inbox.close();
        data.close();
        sendQueue.close();
        if (!spec.oneCompletionQueue) {
            receiveQueue.close();
        }
        if (spec.sharer == null) {
            domain.close();
        }
    }
}
