package io.rpcrdma4j.verbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection and the owner of its queue pair. Counterpart of {@code struct rdma_cm_id}.
 *
 * <h2>Operation</h2>
 *
 * Active: {@link Device#createConnection}, {@link #createQueuePair}, post Receives, {@link #connect}, then exactly one
 * of {@link ConnectionEvent.Established}, {@link ConnectionEvent.Rejected} or {@link ConnectionEvent.Failed}, in
 * bounded time. Passive: {@link ConnectRequestHandler}, {@link #createQueuePair}, post Receives, {@link #accept} or
 * {@link #reject}. After Established exactly one {@link ConnectionEvent.Disconnected} follows, when either side ends
 * the connection or it breaks; by then the queue pair is in the error state. {@link #close()} ends it in any state, and
 * no event comes after it has returned.
 *
 * <h2>Threading</h2>
 *
 * Any thread may call. Events of one connection come one at a time, in order, on a thread of the device or inside a
 * call of this interface; a Receive may complete before Established is delivered.
 */
public interface Connection extends AutoCloseable {

    /** The local address; on the active end null before the connection is established. */
    @Nullable
    InetSocketAddress localAddress();

    InetSocketAddress remoteAddress();

    /** Passive end: what the peer asked for, seen from our side (its ORD is the inbound reads that it wants). */
    ConnectionParameters requested();

    /**
     * Whether the peer told how many reads it serves. MPA revision 1 and unenhanced requests don't;
     * {@link #requested()} then takes 1.
     */
    boolean isReadLimitKnown();

    /** How often: passive once before accept, active once before connect. */
    QueuePair createQueuePair(QueuePairOptions options) throws IOException;

    /** Sets who hears of this connection's events; passive ends must do it before {@link #accept}. */
    void setListener(ConnectionListener listener);

    /**
     * Starts to connect. The outcome is an event.
     *
     * @throws IllegalStateException if there is no queue pair, or it was called before
     * @throws IllegalArgumentException if the private data is too long
     */
    void connect(ConnectionParameters parameters);

    /**
     * Accepts the peer's request. Reads are limited to what both sides can: inbound at most what we offer here and the
     * peer asked for, outbound at most what we ask for here and the peer serves.
     *
     * @throws IOException if the peer is gone
     * @throws IllegalStateException if there is no queue pair or the request was answered before
     */
    void accept(ConnectionParameters parameters) throws IOException;

    /** Refuses the peer's request and closes; may be called inside the connect-request handler. */
    void reject(byte[] privateData);

    /** What both sides agreed on; null before the connection is established. */
    @Nullable
    ConnectionParameters negotiated();

    /**
     * What the transport below agreed on beyond {@link #negotiated()}, in words for logs and tools: on iWARP the MPA
     * revision, CRC and FPDU size.
     */
    default String detail() {
        return "";
    }

    /**
     * Ends the connection: what is posted completes or is flushed, the peer is told in the transport's orderly way.
     * Idempotent; the outcome is {@link ConnectionEvent.Disconnected}.
     */
    void disconnect();

    /** Disconnects at once if need be and frees the connection and its queue pair. Idempotent. */
    @Override
    void close();
}
