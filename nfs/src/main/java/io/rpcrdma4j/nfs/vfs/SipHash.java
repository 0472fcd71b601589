package io.rpcrdma4j.nfs.vfs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4, the keyed 64-bit hash of Aumasson and Bernstein: without the key nobody can choose names that collide.
 * Immutable.
 */
final class SipHash {
    /** Length in bytes of a key. */
    static final int KEY_BYTES = 16;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long k0;
    private final long k1;

    SipHash(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes, not 16");
        }
        k0 = (long) LONG.get(key, 0);
        k1 = (long) LONG.get(key, 8);
    }

    /** The hash of {@code length} bytes from index {@code offset} on. */
    long hash(byte[] data, int offset, int length) {
        long v0 = k0 ^ 0x736f6d6570736575L;
        long v1 = k1 ^ 0x646f72616e646f6dL;
        long v2 = k0 ^ 0x6c7967656e657261L;
        long v3 = k1 ^ 0x7465646279746573L;
        int words = length >>> 3;
        for (int i = 0; i <= words; i++) {
            long m = i < words ? (long) LONG.get(data, offset + 8 * i) : lastWord(data, offset, length);
            v3 ^= m;
            for (int round = 0; round < 2; round++) {
                v0 += v1;
                v2 += v3;
                v1 = Long.rotateLeft(v1, 13) ^ v0;
                v3 = Long.rotateLeft(v3, 16) ^ v2;
                v0 = Long.rotateLeft(v0, 32);
                v2 += v1;
                v0 += v3;
                v1 = Long.rotateLeft(v1, 17) ^ v2;
                v3 = Long.rotateLeft(v3, 21) ^ v0;
                v2 = Long.rotateLeft(v2, 32);
            }
            v0 ^= m;
        }
        v2 ^= 0xff;
        for (int round = 0; round < 4; round++) {
            v0 += v1;
            v2 += v3;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v1;
            v0 += v3;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 = Long.rotateLeft(v2, 32);
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    /** The bytes behind the last whole word, and the length in the top byte. */
    private static long lastWord(byte[] data, int offset, int length) {
        long word = (long) length << 56;
        int from = length & ~7;
        for (int i = from; i < length; i++) {
            word |= (data[offset + i] & 0xffL) << (8 * (i - from));
        }
        return word;
    }
}
