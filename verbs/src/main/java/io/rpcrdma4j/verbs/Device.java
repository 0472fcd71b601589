package io.rpcrdma4j.verbs;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * An open RDMA device: the source of every other object of the verbs.
 *
 * <p><b>Threading:</b> all methods may be called from any thread. <b>Errors:</b> after {@link #close()} or a
 * {@link DeviceEvent.Removed} every method that makes something throws {@link IOException}.
 */
public interface Device extends AutoCloseable {

    DeviceAttributes attributes();

    /** Makes a protection domain: queue pairs and memory work together only within one. */
    ProtectionDomain allocateProtectionDomain() throws IOException;

    /**
     * Makes a completion queue.
     *
     * @param depth how many completions it holds unpolled; the caller sizes it for all work that reports to it, since
     *     an overflow is fatal to the queue pairs behind it
     * @param vector the event thread that calls {@code listener}, 0 to {@link DeviceAttributes#completionVectors} - 1
     * @param listener told once for each {@link CompletionQueue#arm()} that completions are there
     */
    CompletionQueue createCompletionQueue(int depth, int vector, CompletionListener listener) throws IOException;

    /**
     * Listens for connections.
     *
     * @param address the local address; port 0 means any free port, see {@link Listener#address()}
     * @param handler called for each connect request that {@code options} admits
     * @throws IOException if the address can't be bound; the text has the address and the cause
     */
    Listener listen(InetSocketAddress address, ListenOptions options, ConnectRequestHandler handler) throws IOException;

    /**
     * Makes the active end of a connection, not yet connected: next come {@link Connection#createQueuePair}, Receives,
     * {@link Connection#connect}.
     *
     * @param remote a resolved address
     */
    Connection createConnection(InetSocketAddress remote, ConnectionListener listener) throws IOException;

    /** Adds a listener of device-wide events, called on a thread of the device. */
    void addEventListener(DeviceEventListener listener);

    void removeEventListener(DeviceEventListener listener);

    /** Bytes now registered through this device (gauge). */
    long registeredBytes();

    /**
     * Closes the device and everything made from it; connections still open are torn down and their work flushed.
     * Idempotent.
     */
    @Override
    void close();
}
