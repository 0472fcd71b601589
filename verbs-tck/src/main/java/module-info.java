import org.jspecify.annotations.NullMarked;

/** The contract suite of the verbs API: abstract tests that every provider extends and passes. */
@NullMarked
module io.rpcrdma4j.verbs.tck {
    requires static org.jspecify;
    requires transitive io.rpcrdma4j.verbs;
    requires transitive org.junit.jupiter.api;
    requires transitive org.assertj.core;
    requires org.junit.jupiter.params;

    exports io.rpcrdma4j.verbs.tck;

    opens io.rpcrdma4j.verbs.tck;
}
