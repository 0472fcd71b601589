package io.rpcrdma4j.verbs;

import java.io.IOException;
import java.util.ServiceLoader;

/**
 * The way in: a software or hardware implementation of the verbs, found with {@link ServiceLoader}.
 *
 * <p>Implementations have a public no-argument constructor that does nothing that can fail.
 */
public interface VerbsProvider {

    /** The provider's short name, as a user types it: {@code iwarp}, {@code memory}, {@code rdmacore}. */
    String name();

    /**
     * Opens a device. Opening the same device twice gives two independent devices.
     *
     * @throws IOException if there is no such device or it can't be used; the text says which and why
     * @throws IllegalArgumentException if an option is unknown or out of range
     */
    Device open(DeviceOptions options) throws IOException;

    /**
     * Finds a provider by its name among the installed ones.
     *
     * @throws IllegalArgumentException if none has this name; the text lists those there are
     */
    static VerbsProvider named(String name) {
        var known = new StringBuilder();
        for (VerbsProvider provider : ServiceLoader.load(VerbsProvider.class)) {
            if (provider.name().equals(name)) {
                return provider;
            }
            known.append(known.isEmpty() ? "" : ", ").append(provider.name());
        }
        throw new IllegalArgumentException(
                "no verbs provider named '" + name + "'; installed: " + (known.isEmpty() ? "none" : known.toString()));
    }
}
