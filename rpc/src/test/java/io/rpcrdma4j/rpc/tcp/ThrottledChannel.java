package io.rpcrdma4j.rpc.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.util.SplittableRandom;

/** Gives and takes 0 to 3 bytes at a time, as a socket may. */
final class ThrottledChannel implements ByteChannel {
    private final ByteChannel inner;
    private final SplittableRandom random;
    private final int bytesMax;

    ThrottledChannel(ByteChannel inner, long seed, int bytesMax) {
        this.inner = inner;
        this.bytesMax = bytesMax;
        random = new SplittableRandom(seed);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return transfer(target, true);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return transfer(source, false);
    }

    private int transfer(ByteBuffer buffer, boolean read) throws IOException {
        int limit = buffer.limit();
        // A selector promises progress, not how much: reading nothing is as legal as reading one byte.
        buffer.limit(Math.min(limit, buffer.position() + random.nextInt(bytesMax + 1)));
        try {
            return buffer.hasRemaining() ? (read ? inner.read(buffer) : inner.write(buffer)) : 0;
        } finally {
            buffer.limit(limit);
        }
    }

    @Override
    public boolean isOpen() {
        return inner.isOpen();
    }

    @Override
    public void close() throws IOException {
        inner.close();
    }
}
