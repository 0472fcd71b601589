package io.rpcrdma4j.nfs.client;

import io.rpcrdma4j.rpc.CallOptions;
import io.rpcrdma4j.rpc.RpcClientTransport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Asks a machine at which port a program is served: the port mapper, version 2 (RFC 1833 §3). */
final class PortMapper {
    /** Where every machine that has one serves it. */
    static final int PORT = 111;

    private static final int PROGRAM = 100_000;
    private static final int VERSION = 2;
    private static final int GETPORT = 3;
    private static final int PROTOCOL_TCP = 6;

    private PortMapper() {}

    /**
     * Asks for the TCP port of a program.
     *
     * @param transport leads to the port mapper
     * @return completes with the port, or with 0 if the program is not registered there
     */
    static CompletableFuture<Integer> getPort(
            RpcClientTransport transport, int program, int version, Duration timeout) {
        return transport.call(
                CallOptions.of(PROGRAM, VERSION).withTimeout(timeout),
                GETPORT,
                writer -> {
                    writer.writeInt(program);
                    writer.writeInt(version);
                    writer.writeInt(PROTOCOL_TCP);
                    writer.writeInt(0);
                },
                reader -> {
                    long port = reader.readUnsignedInt();
                    reader.finish();
                    return port > 65_535 ? 0 : (int) port;
                });
    }
}
