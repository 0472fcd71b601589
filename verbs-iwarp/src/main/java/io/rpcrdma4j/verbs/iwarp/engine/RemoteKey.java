package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.ProtectionDomain;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What an STag stands for: some bytes of a region, the rights on them, and who may use them.
 *
 * <h2>Operation</h2>
 *
 * {@link #describe} while it is revoked and quiet, {@link KeyTable#insert} makes it valid, {@link #revoke()} ends that.
 * Whoever touches the bytes for a peer does it between {@link #tryEnter} and {@link #exit()}; when {@link #revoke()}
 * has returned and {@link #isQuiet()} says so, no byte is touched through the key any more.
 *
 * <h2>Threading</h2>
 *
 * Any thread. The fields are written only while the key is revoked and quiet, and read only between enter and exit, or
 * by its owner; the state word publishes them.
 */
public final class RemoteKey {

    private static final int VALID = 1 << 30;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(RemoteKey.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final boolean isWindow;
    private int stag;
    private @Nullable RegisteredMemory memory;
    private @Nullable ProtectionDomain domain;
    private @Nullable Stream stream;
    private long address;
    private long offset;
    private long length;
    private int rights;

    /** VALID, and in the low bits how many are inside. */
    private volatile int state;

    /** @param isWindow whether it is a window's key, which peers may invalidate, and not that of a whole region */
    public RemoteKey(boolean isWindow) {
        this.isWindow = isWindow;
    }

    /**
     * Says what the key will stand for.
     *
     * @param newDomain the protection domain
     * @param newStream the only stream that may use it, or null for all of the domain
     * @param newOffset of the first byte, in the region
     */
    public void describe(
            RegisteredMemory newMemory,
            ProtectionDomain newDomain,
            @Nullable Stream newStream,
            long newOffset,
            long newLength,
            int newRights) {
        if (state != 0) {
            throw new IllegalStateException("the key is in use");
        }
        memory = newMemory;
        domain = newDomain;
        stream = newStream;
        offset = newOffset;
        length = newLength;
        rights = newRights;
    }

    /** Makes it valid; only {@link KeyTable} does this. */
    void validate(int newStag, long newAddress) {
        stag = newStag;
        address = newAddress;
        state = VALID;
    }

    /**
     * Keeps the key from becoming quiet, if it is valid and (still) has this STag.
     *
     * @return whether the caller is inside and must {@link #exit()}
     */
    boolean tryEnter(int expectedStag) {
        while (true) {
            int now = state;
            if ((now & VALID) == 0) {
                return false;
            }
            if (STATE.compareAndSet(this, now, now + 1)) {
                break;
            }
        }
        if (stag != expectedStag) {
            exit();
            return false;
        }
        return true;
    }

    /** Leaves what {@link #tryEnter} entered. */
    void exit() {
        STATE.getAndAdd(this, -1);
    }

    /**
     * Ends its validity.
     *
     * @return whether this call did it
     */
    public boolean revoke() {
        return ((int) STATE.getAndBitwiseAnd(this, ~VALID) & VALID) != 0;
    }

    /** Enters it if it is valid and lies in {@code region}. */
    @SuppressWarnings("ReferenceEquality") // identity is what counts
    boolean enterIfIn(RegisteredMemory region) {
        if (!tryEnter(stag)) {
            return false;
        }
        if (memory == region) {
            return true;
        }
        exit();
        return false;
    }

    /** Whether peers can use it. */
    public boolean isValid() {
        return (state & VALID) != 0;
    }

    /** Whether nobody is inside. */
    public boolean isQuiet() {
        return (state & ~VALID) == 0;
    }

    /** The STag, 32 bits. */
    public int stag() {
        return stag;
    }

    /** The tagged offset of the first byte, 64 bits unsigned. */
    public long address() {
        return address;
    }

    boolean isWindow() {
        return isWindow;
    }

    RegisteredMemory memory() {
        RegisteredMemory m = memory;
        if (m == null) {
            throw new IllegalStateException("the key stands for nothing");
        }
        return m;
    }

    /** Whether a stream of this domain may use it. */
    @SuppressWarnings("ReferenceEquality") // identity is what counts
    boolean isFor(Stream user, ProtectionDomain usersDomain) {
        return domain == usersDomain && (stream == null || stream == user);
    }

    @Nullable
    Stream stream() {
        return stream;
    }

    long offset() {
        return offset;
    }

    /** Bytes it stands for. */
    public long length() {
        return length;
    }

    int rights() {
        return rights;
    }
}
