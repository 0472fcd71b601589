package io.rpcrdma4j.examples;

import io.rpcrdma4j.NfsClient;
import java.io.IOException;

/** Reads a file. The README shows the body of main. */
final class ReadFile {
    private ReadFile() {}

    public static void main(String[] arguments) throws IOException {
        String url = arguments[0];
        try (NfsClient client = NfsClient.connect(url)) {
            System.out.println(client.list("/"));
            System.out.println(client.readString("hello.txt"));
        }
    }
}
