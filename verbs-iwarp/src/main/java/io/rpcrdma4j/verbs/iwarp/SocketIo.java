package io.rpcrdma4j.verbs.iwarp;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and writes of one socket, and its place in a selector. Can be told to move only a few bytes at a time, so that
 * tests meet every way in which a stream can be cut.
 *
 * <p><b>Threading:</b> one owner at a time.
 */
final class SocketIo {

    private static final Logger LOG = LoggerFactory.getLogger(SocketIo.class);

    private final SocketChannel channel;
    private final long moveBytesMax;
    private final @Nullable SplittableRandom random;
    private @Nullable SelectionKey key;
    private boolean isWriteArmed;

    /** @param moveBytesMax most bytes at a time, 0 for no limit; negative for a random limit drawn from this seed */
    SocketIo(SocketChannel channel, long moveBytesMax) {
        this.channel = channel;
        this.moveBytesMax = moveBytesMax;
        this.random = moveBytesMax < 0 ? new SplittableRandom(moveBytesMax) : null;
    }

    /** Lets {@code loop} watch the socket for {@code what}. On the loop's thread. */
    void register(EventLoop loop, int operations, EventLoop.Ready what) throws IOException {
        key = loop.register(channel, operations | (isWriteArmed ? SelectionKey.OP_WRITE : 0), what);
    }

    /** From now on the loop watches for bytes to read. */
    void awaitRead() {
        interest(SelectionKey.OP_READ);
    }

    /** Has the loop watch for room to write, or not. */
    void armWrite(boolean on, EventLoop loop) {
        if (on == isWriteArmed) {
            return;
        }
        isWriteArmed = on;
        interest(SelectionKey.OP_READ | (on ? SelectionKey.OP_WRITE : 0));
        if (on && !loop.isCurrent()) {
            loop.wake();
        }
    }

    private void interest(int operations) {
        SelectionKey k = key;
        try {
            if (k != null) {
                k.interestOps(operations);
            }
        } catch (CancelledKeyException e) {
            // The socket is closed, or on its way to another loop, which looks at isWriteArmed.
            key = null;
        }
    }

    /** Whether the loop watches for room to write. */
    boolean isWriteArmed() {
        return isWriteArmed;
    }

    /**
     * Takes the socket from its loop.
     *
     * @return whether it was with one
     */
    boolean leave(EventLoop loop) {
        SelectionKey k = key;
        if (k == null) {
            return false;
        }
        key = null;
        k.cancel();
        // A cancelled key is dropped, and its descriptor closed, when the selector looks next.
        loop.wake();
        return true;
    }

    void close(EventLoop loop) throws IOException {
        leave(loop);
        channel.close();
        loop.wake();
    }

    /** Has the peer get a reset when the socket is closed. */
    void resetWhenClosed() {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException e) {
            LOG.debug("no reset: {}", e.getMessage());
        }
    }

    SocketChannel channel() {
        return channel;
    }

    /** Reads into {@code count} buffers; -1 at the end of the stream. */
    long read(ByteBuffer[] buffers, int count) throws IOException {
        if (moveBytesMax != 0) {
            return moveFew(buffers, 0, true);
        }
        return count == 1 ? channel.read(buffers[0]) : channel.read(buffers, 0, count);
    }

    /** Writes {@code count} buffers from {@code first}. */
    long write(ByteBuffer[] buffers, int first, int count) throws IOException {
        if (moveBytesMax != 0) {
            return moveFew(buffers, first, false);
        }
        return count == 1 ? channel.write(buffers[first]) : channel.write(buffers, first, count);
    }

    private long moveFew(ByteBuffer[] buffers, int first, boolean isRead) throws IOException {
        int at = first;
        while (!buffers[at].hasRemaining()) {
            at++;
        }
        ByteBuffer buffer = buffers[at];
        long most = random == null ? moveBytesMax : 1 + random.nextInt(1 << random.nextInt(1, 18));
        int limit = buffer.limit();
        buffer.limit((int) Math.min(limit, buffer.position() + most));
        try {
            return isRead ? channel.read(buffer) : channel.write(buffer);
        } finally {
            buffer.limit(limit);
        }
    }
}
