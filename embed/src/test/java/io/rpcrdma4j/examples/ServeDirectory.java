package io.rpcrdma4j.examples;

import io.rpcrdma4j.NfsServer;
import java.io.IOException;
import java.nio.file.Path;

/** Serves a directory. The README shows the body of main. */
final class ServeDirectory {
    private ServeDirectory() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Path.of(arguments[0]);
        try (NfsServer server = NfsServer.serve(directory).port(0).mountPort(0).start()) {
            System.out.println("serving " + directory + " at " + server.url());
            Thread.currentThread().join();
        }
    }
}
