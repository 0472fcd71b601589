package io.rpcrdma4j.cli;

import io.rpcrdma4j.NfsClient;
import io.rpcrdma4j.nfs.client.NfsClientOptions;
import io.rpcrdma4j.nfs.client.NfsMount;
import io.rpcrdma4j.nfs.client.NfsUrl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The exports that a command works on: each is mounted when it is first needed. Used by one thread. */
final class Servers implements AutoCloseable {
    private final ClientOptions options;
    private final List<NfsClient> clients = new ArrayList<>();

    Servers(ClientOptions options) {
        this.options = options;
    }

    /** The export that a URL's path lies in. */
    NfsMount mount(NfsUrl url) throws IOException {
        for (NfsClient client : clients) {
            if (client.mount().covers(url)) {
                return client.mount();
            }
        }
        NfsClient client = NfsClient.builder(url)
                .options(NfsClientOptions.defaults().withTimeout(options.timeout()))
                .connections(options.connections())
                .crc(options.crc())
                .connect();
        clients.add(client);
        return client.mount();
    }

    @Override
    public void close() {
        clients.forEach(NfsClient::close);
    }
}
