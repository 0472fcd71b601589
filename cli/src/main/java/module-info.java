import org.jspecify.annotations.NullMarked;

/** The {@code rpcrdma4j} command. */
@NullMarked
module io.rpcrdma4j.cli {
    requires static org.jspecify;
    requires ch.qos.logback.classic;
    requires ch.qos.logback.core;
    requires info.picocli;
    requires io.rpcrdma4j;
    requires io.rpcrdma4j.nfs;
    requires io.rpcrdma4j.rpc;
    requires io.rpcrdma4j.rpcrdma;
    requires io.rpcrdma4j.verbs;
    requires io.rpcrdma4j.verbs.iwarp;
    requires jdk.unsupported;
    requires org.slf4j;
    requires org.tukaani.xz;

    opens io.rpcrdma4j.cli to
            info.picocli;
    opens io.rpcrdma4j.cli.decode to
            info.picocli;

    provides ch.qos.logback.classic.spi.Configurator with
            io.rpcrdma4j.cli.LogSetup;
}
