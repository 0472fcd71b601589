package io.rpcrdma4j.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Signals of the operating system.
 *
 * <p>The only way to them is {@code sun.misc.Signal} of module {@code jdk.unsupported}, which a compiler that treats
 * warnings as errors refuses to see: so it is called by reflection. Where it is missing, the virtual machine's own
 * behaviour stays: SIGHUP, SIGINT and SIGTERM end the process after its shutdown hooks.
 */
final class Signals {
    private Signals() {}

    /** Ignores a signal, say {@code HUP}. False if that can't be done here. */
    static boolean ignore(String name) {
        return handle(name, () -> {});
    }

    /** Runs a task, on a thread of its own, whenever a signal comes. False if that can't be done here. */
    @SuppressWarnings("ReferenceEquality") // A handler is itself and nothing else.
    static boolean handle(String name, Runnable task) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                        switch (method.getName()) {
                            case "handle" -> task.run();
                            case "equals" -> {
                                return arguments != null && arguments[0] == self;
                            }
                            case "hashCode" -> {
                                return System.identityHashCode(self);
                            }
                            case "toString" -> {
                                return "handler of SIG" + name;
                            }
                            default -> throw new UnsupportedOperationException(method.getName());
                        }
                        return null;
                    });
            Object instance = signal.getConstructor(String.class).newInstance(name);
            signal.getMethod("handle", signal, handler).invoke(null, instance, proxy);
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            // InvocationTargetException: the virtual machine uses the signal itself, or the system has none of that
            // name.
            assert !(e instanceof InvocationTargetException target) || target.getCause() instanceof RuntimeException;
            return false;
        }
    }
}
