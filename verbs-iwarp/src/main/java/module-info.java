import org.jspecify.annotations.NullMarked;

/**
 * A verbs provider in user space: iWARP (RFC 5040, RFC 5041, RFC 5044, RFC 6581) over TCP, compatible on the wire with
 * Linux siw and with iWARP adapters.
 */
@NullMarked
@SuppressWarnings("module") // the command line is compiled later
module io.rpcrdma4j.verbs.iwarp {
    requires static org.jspecify;
    requires transitive io.rpcrdma4j.verbs;
    requires org.slf4j;
    requires jdk.net;

    exports io.rpcrdma4j.verbs.iwarp.wire to
            io.rpcrdma4j.cli;

    provides io.rpcrdma4j.verbs.VerbsProvider with
            io.rpcrdma4j.verbs.iwarp.IwarpProvider;
}
