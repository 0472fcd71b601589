package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.iwarp.engine.Stream;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Moves bytes between a socket and a stream. <b>Threading:</b> the connection's owner. */
final class StreamPump {

    /** No more than this is read or written at a turn, so that other connections of the thread get theirs. */
    static final long TURN_BYTES = 4L << 20;

    private final ByteBuffer[] buffers = new ByteBuffer[Stream.READ_BUFFERS_MAX];

    /** Reads what has come, straight to where the stream wants it. */
    void read(Stream stream, SocketIo socket, long now) throws IOException {
        long budget = TURN_BYTES;
        while (budget > 0) {
            int count = stream.prepareRead(buffers, now);
            if (count == 0) {
                return;
            }
            long got = 0;
            boolean isDrained = true;
            try {
                got = socket.read(buffers, count);
                // A buffer that is not full means that nothing more has come yet.
                isDrained = buffers[count - 1].hasRemaining();
            } finally {
                stream.finishRead(got, now);
            }
            if (got <= 0 || isDrained) {
                return;
            }
            budget -= got;
        }
    }

    /**
     * Writes what there is to write.
     *
     * @return whether all could be written; else it is to be called again when the socket takes more
     */
    boolean write(Stream stream, SocketIo socket, long now) throws IOException {
        long budget = TURN_BYTES;
        while (stream.prepareWrite(now)) {
            long sent = 0;
            boolean isAll;
            try {
                sent = socket.write(stream.writeBuffers(), stream.writeFirst(), stream.writeCount());
            } finally {
                isAll = stream.finishWrite(sent, now);
            }
            budget -= sent;
            if (!isAll || budget <= 0) {
                return false;
            }
        }
        return true;
    }
}
