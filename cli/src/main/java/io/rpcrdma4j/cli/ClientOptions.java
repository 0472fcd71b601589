package io.rpcrdma4j.cli;

import io.rpcrdma4j.nfs.client.NfsClientOptions;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of every command that talks to a server. */
final class ClientOptions {
    private static final int CONNECTIONS_MAX = 64;
    private static final double SECONDS_MAX = 86_400;
    private static final double NANOS_PER_SECOND = 1e9;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    private boolean crc = true;
    private int connections = 1;
    private Duration timeout = NfsClientOptions.DEFAULT_TIMEOUT;

    @Option(
            names = "--crc",
            paramLabel = "on|off",
            converter = OnOff.Converter.class,
            description = "Ask for a checksum in every frame, or not (default: on). A server that wants it gets it.")
    void crc(OnOff choice) {
        crc = choice == OnOff.ON;
    }

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Spread the calls over N connections, 1 to 64 (default: 1).")
    void connections(int count) {
        if (count < 1 || count > CONNECTIONS_MAX) {
            throw new ParameterException(spec.commandLine(), "--connections is 1 to 64, not " + count);
        }
        connections = count;
    }

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "How long a call may take before it fails, the time to reconnect included (default: 60).")
    void timeout(double seconds) {
        if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
            throw new ParameterException(spec.commandLine(), "--timeout is more than 0 and at most 86400 seconds");
        }
        timeout = Duration.ofNanos(Math.max(1, (long) (seconds * NANOS_PER_SECOND)));
    }

    boolean isVerbose() {
        return verbosity.isVerbose();
    }

    boolean crc() {
        return crc;
    }

    int connections() {
        return connections;
    }

    Duration timeout() {
        return timeout;
    }
}
