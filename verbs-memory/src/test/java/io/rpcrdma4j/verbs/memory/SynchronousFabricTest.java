package io.rpcrdma4j.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.ConnectionEvent;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything happens inside the call: what nothing above the verbs may be surprised by (B25). */
class SynchronousFabricTest {

    private static MemoryFabric synchronous(SendCompletion when) {
        return MemoryFabric.builder()
                .mode(ExecutionMode.SYNCHRONOUS)
                .sendCompletion(when)
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void aPostReturnsAfterItsCompletionsAndListeners(SendCompletion when) throws IOException {
        var inPost = new AtomicInteger();
        CompletionListener listener = queue -> inPost.incrementAndGet();
        try (var pair = new Pair(synchronous(when), listener, listener)) {
            assertThat(pair.client.has(ConnectionEvent.Established.class)).isTrue();
            assertThat(pair.client.sendQueue.arm()).isFalse();
            assertThat(pair.server().receiveQueue.arm()).isFalse();
            pair.client.post(pair.client.send(1));
            assertThat(inPost).hasValue(2);
            pair.client.poll();
            pair.server().poll();
            assertThat(pair.client.sent).hasSize(1);
            assertThat(pair.server().received).hasSize(1);
        }
    }

    /** A listener that posts sees its own post complete, and the other end answer, before that post returns. */
    @ParameterizedTest
    @EnumSource
    void postsNestInListeners(SendCompletion when) throws IOException {
        var pairReference = new AtomicReference<Pair>();
        var answered = new AtomicInteger();
        CompletionListener echo = queue -> {
            Pair pair = pairReference.get();
            pair.server().poll();
            pair.server().post(pair.server().send(2));
            pair.client.poll();
            answered.set(pair.client.received.size());
        };
        try (var pair = new Pair(synchronous(when), queue -> {}, echo)) {
            pairReference.set(pair);
            assertThat(pair.server().receiveQueue.arm()).isFalse();
            pair.client.post(pair.client.send(1));
            assertThat(answered)
                    .as("replies that the client had when the server's post returned")
                    .hasValue(1);
        }
    }
}
