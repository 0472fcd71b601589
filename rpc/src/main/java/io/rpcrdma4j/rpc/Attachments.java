package io.rpcrdma4j.rpc;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What upper layers keep with a connection (sessions, negotiated state), by type.
 *
 * <p>May be used from any thread.
 */
public final class Attachments {
    private final ConcurrentHashMap<Class<?>, Object> values = new ConcurrentHashMap<>();

    /** Makes an empty set. */
    public Attachments() {}

    /** The value of this type, or null. */
    public <T> @Nullable T get(Class<T> type) {
        return type.cast(values.get(type));
    }

    /** The value of this type; made and kept if there is none. */
    public <T> T computeIfAbsent(Class<T> type, Supplier<? extends T> maker) {
        return type.cast(values.computeIfAbsent(type, key -> maker.get()));
    }

    /** Keeps a value, in place of what there was. */
    public <T> void put(Class<T> type, T value) {
        values.put(type, value);
    }

    /** Forgets the value of this type. */
    public void remove(Class<?> type) {
        values.remove(type);
    }
}
