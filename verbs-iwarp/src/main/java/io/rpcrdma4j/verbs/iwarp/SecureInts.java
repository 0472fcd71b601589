package io.rpcrdma4j.verbs.iwarp;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.function.IntSupplier;

/** Unpredictable numbers, drawn by the kilobyte. <b>Threading:</b> one caller at a time. */
final class SecureInts implements IntSupplier {

    private final SecureRandom random = new SecureRandom();
    private final byte[] drawn = new byte[4096];
    private final ByteBuffer left = ByteBuffer.wrap(drawn).limit(0);

    @Override
    public int getAsInt() {
        if (!left.hasRemaining()) {
            random.nextBytes(drawn);
            left.clear();
        }
        return left.getInt();
    }
}
