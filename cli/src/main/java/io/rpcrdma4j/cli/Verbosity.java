package io.rpcrdma4j.cli;

import picocli.CommandLine.Option;

/** The option that shows what happens. */
final class Verbosity {
    private boolean isVerbose;

    @Option(
            names = {"-v", "--verbose"},
            description = "Log what happens, on standard error.")
    void verbose(boolean on) {
        isVerbose = on;
        if (on) {
            LogSetup.showDetails();
        }
    }

    boolean isVerbose() {
        return isVerbose;
    }
}
