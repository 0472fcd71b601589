package io.rpcrdma4j.rpcrdma;

import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.CompletionQueue;
import io.rpcrdma4j.verbs.Connection;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceAttributes;
import io.rpcrdma4j.verbs.QueuePair;
import io.rpcrdma4j.verbs.QueuePairOptions;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue pair of one connection and the completion queues behind it, as deep as configured or, if the device can't
 * do that, as deep as it can.
 *
 * <p>Never more is asked for than the device reports. A device may have a limit that it does not report: then half as
 * much is asked for, and so on down to {@value #SEND_DEPTH_FLOOR} send-queue entries and one credit.
 *
 * <p><b>Threading:</b> immutable.
 */
final class Queues {

    /** With fewer entries, replies with chunks of more than a few segments could not be sent. */
    static final int SEND_DEPTH_FLOOR = 16;

    private static final Logger LOG = LoggerFactory.getLogger(Queues.class);

    private final int credits;
    private final int sendDepth;
    private final CompletionQueue sendCompletions;
    private final CompletionQueue receiveCompletions;
    private final QueuePair pair;

    private Queues(
            Connection connection,
            RegisteredPool pool,
            int credits,
            int sendDepth,
            int vector,
            CompletionListener listener)
            throws IOException {
        this.credits = credits;
        this.sendDepth = sendDepth;
        int receiveDepth = receiveDepth(credits);
        Device device = pool.domain().device();
        CompletionQueue sends = null;
        CompletionQueue arrivals = null;
        QueuePair made = null;
        try {
            sends = device.createCompletionQueue(sendDepth + 1, vector, listener);
            arrivals = device.createCompletionQueue(receiveDepth + 1, vector, listener);
            made = connection.createQueuePair(new QueuePairOptions(
                    pool.domain(),
                    sends,
                    arrivals,
                    null,
                    sendDepth,
                    receiveDepth,
                    Math.min(PeerParameters.SEND_SEGMENTS, device.attributes().segmentsPerRequestMax()),
                    1,
                    false));
        } finally {
            if (made == null) {
                closeQuietly(sends);
                closeQuietly(arrivals);
            }
        }
        this.sendCompletions = sends;
        this.receiveCompletions = arrivals;
        this.pair = made;
    }

    /**
     * Makes the queues of a connection.
     *
     * @param vector the event thread of the device that serves them
     * @param listener told of completions on either queue
     * @throws IOException if the device can't even make the smallest; nothing is left of the attempts
     */
    static Queues create(
            Connection connection,
            RegisteredPool pool,
            TransportOptions options,
            int vector,
            CompletionListener listener)
            throws IOException {
        DeviceAttributes device = pool.domain().device().attributes();
        int receiveDepthMax = Math.min(device.receiveQueueDepthMax(), device.completionQueueDepthMax() - 1);
        int sendDepthMax = Math.min(device.sendQueueDepthMax(), device.completionQueueDepthMax() - 1);
        int credits = Math.max(1, Math.min(options.credits(), receiveDepthMax - receiveDepth(0)));
        int sendDepth = Math.max(1, Math.min(options.sendQueueDepth(), sendDepthMax));
        boolean smaller = credits < options.credits() || sendDepth < options.sendQueueDepth();
        while (true) {
            try {
                Queues queues = new Queues(connection, pool, credits, sendDepth, vector, listener);
                if (smaller) {
                    LOG.info(
                            "{}: {} credits of {} and {} send-queue entries of {}: {} can't do more",
                            connection.remoteAddress(),
                            credits,
                            options.credits(),
                            sendDepth,
                            options.sendQueueDepth(),
                            device.name());
                }
                return queues;
            } catch (IOException e) {
                if (sendDepth <= SEND_DEPTH_FLOOR && credits == 1) {
                    throw e;
                }
                sendDepth = Math.min(sendDepth, Math.max(SEND_DEPTH_FLOOR, sendDepth / 2));
                credits = Math.max(1, credits / 2);
                smaller = true;
            }
        }
    }

    private static int receiveDepth(int credits) {
        return Receives.depth(credits, PeerParameters.REVERSE_CREDITS);
    }

    /** The most credits that can be granted to the peer. */
    int credits() {
        return credits;
    }

    /** Entries of the send queue. */
    int sendDepth() {
        return sendDepth;
    }

    CompletionQueue sendCompletions() {
        return sendCompletions;
    }

    CompletionQueue receiveCompletions() {
        return receiveCompletions;
    }

    QueuePair pair() {
        return pair;
    }

    private static void closeQuietly(@Nullable CompletionQueue queue) {
        if (queue != null) {
            queue.close();
        }
    }
}
