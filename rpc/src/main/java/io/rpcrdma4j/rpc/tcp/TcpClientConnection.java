package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.memory.RpcResourceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a client: bytes in, records to the engine; records out.
 *
 * <p>Owns the record under way. Confined to the client's event loop. It ends once, in {@link #lose} or
 * {@link #closeQuietly}.
 */
final class TcpClientConnection implements EventLoop.Handler {
    private static final int READS_PER_TURN = 16;
    private static final int DIRECT_BYTES = 32 * 1024;

    final RecordWriter writer = new RecordWriter();

    private final TcpClient client;
    private final TcpClientEngine engine;
    private final SocketChannel socket;
    private final TcpIo io;
    private final RecordReader reader;
    private @Nullable SelectionKey key;
    private boolean open = true;
    private boolean inTurn;
    private boolean hadInput;
    private long lastInput;

    TcpClientConnection(TcpClient client, TcpClientEngine engine, SocketChannel socket) {
        this.client = client;
        this.engine = engine;
        this.socket = socket;
        io = new TcpIo(socket, client.settings.channelFilter().apply(socket));
        reader = new RecordReader(client.memory, client.settings.recordBytes());
        lastInput = client.timers.nanoTime();
    }

    /** Takes over the key that the channel has if it was registered for connecting. */
    void register(@Nullable SelectionKey existing) throws IOException {
        if (existing == null) {
            key = client.loop.register(socket, SelectionKey.OP_READ, this);
        } else {
            existing.attach(this);
            existing.interestOps(SelectionKey.OP_READ);
            key = existing;
        }
        TcpClient.LOG.debug("Connected to {}", client.settings.remote());
    }

    /** When the last byte came, or the connection was made. */
    long lastInputNanos() {
        return lastInput;
    }

    /** Whether the server ever said anything. */
    boolean hadInput() {
        return hadInput;
    }

    @Override
    public void onReady(int readyOps) {
        inTurn = true;
        String end = null;
        Exception cause = null;
        try {
            if ((readyOps & SelectionKey.OP_READ) != 0 && !readTurn()) {
                end = reader.isMidRecord() ? "the server left in the middle of a record" : "the server closed it";
            }
        } catch (IOException | RecordException | RpcResourceException e) {
            end = e.getMessage();
            cause = e;
        } finally {
            inTurn = false;
        }
        if (end == null) {
            engine.pump();
        } else {
            lose(end, cause);
        }
    }

    @Override
    public void onLoopEnd(String reason) {
        lose(reason, null);
    }

    @Override
    public String toString() {
        return "the tcp connection to " + client.settings.remote();
    }

    /** Writes what can be written and says what is waited for. */
    void settle() {
        if (inTurn || !open) {
            return;
        }
        inTurn = true;
        IOException failure = null;
        try {
            writer.flush(io, client.loop.output);
        } catch (IOException e) {
            failure = e;
        } finally {
            inTurn = false;
        }
        if (failure != null) {
            lose(failure.getMessage(), failure);
            return;
        }
        SelectionKey registered = key;
        if (registered != null && registered.isValid()) {
            int ops = SelectionKey.OP_READ | (writer.isEmpty() ? 0 : SelectionKey.OP_WRITE);
            if (registered.interestOps() != ops) {
                registered.interestOps(ops);
            }
        }
    }

    /** Ends the connection, when the current task is done. */
    void loseLater(String reason) {
        client.loop.execute(() -> lose(reason, null));
    }

    /** Ends the connection without telling the engine. */
    void closeQuietly() {
        if (!open) {
            return;
        }
        open = false;
        try {
            socket.close();
        } catch (IOException e) {
            TcpClient.LOG.debug("Closing {}", this, e);
        }
        reader.close();
    }

    private void lose(@Nullable String reason, @Nullable Exception cause) {
        if (open) {
            closeQuietly();
            engine.onLost(this, String.valueOf(reason), cause);
        }
    }

    /** Reads for a turn. False if the server has sent its last byte. */
    private boolean readTurn() throws IOException, RecordException {
        for (int i = 0; i < READS_PER_TURN && open; i++) {
            int wanted;
            int n;
            int direct = reader.directRoom();
            if (direct >= DIRECT_BYTES) {
                wanted = direct;
                n = io.read(reader.directTarget()
                        .asSlice(reader.directOffset(), direct)
                        .asByteBuffer());
                if (n > 0) {
                    reader.directAdded(n);
                    deliverComplete();
                }
            } else {
                ByteBuffer input = client.loop.input.clear();
                wanted = input.capacity();
                n = io.read(input);
                long done = 0;
                while (done < n && open) {
                    done += reader.consume(client.loop.inputMemory, done, n - done);
                    deliverComplete();
                }
            }
            if (n < 0) {
                return false;
            }
            if (n > 0) {
                lastInput = client.timers.nanoTime();
                if (!hadInput) {
                    hadInput = true;
                    engine.onFirstInput();
                }
            }
            if (n < wanted) {
                return true;
            }
        }
        return true;
    }

    private void deliverComplete() {
        if (reader.isComplete()) {
            int length = reader.recordLength();
            engine.onRecord(reader.take(), length);
        }
    }
}
