package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SharedReceiveQueue;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Receives shared by several connections. */
abstract class SharedReceiveContract extends VerbsContract {

    @BeforeEach
    void requireSharedReceives() {
        require(Capability.SHARED_RECEIVE_QUEUE);
    }

    private static SharedReceiveQueue sharedReceives(End end) {
        SharedReceiveQueue shared = end.sharedReceives;
        assertThat(shared).isNotNull();
        return java.util.Objects.requireNonNull(shared);
    }

    @Test
    void messagesTakeTheOldestReceiveAndReportItOnTheirOwnQueuePair() throws IOException {
        Link link = connect(
                new EndSpec().small(), new EndSpec().small().sharedReceives().receives(10, 100));
        SharedReceiveQueue shared = sharedReceives(link.passive());
        assertThat(shared.posted()).isEqualTo(10);
        assertThat(shared.depth()).isGreaterThanOrEqualTo(64);
        for (int i = 0; i < 10; i++) {
            Patterns.fill(link.active().data.segment(), 0, 50, i);
            link.active().post(link.active().send(i, 0, 50));
            nextSent(link.active());
            Done done = nextReceived(link.passive()).succeeded(Opcode.RECEIVE);
            assertThat(done.id()).isEqualTo(i);
            assertThat(done.queuePair()).isEqualTo(link.passive().queuePair.number());
            Patterns.check(link.passive().inbox.segment(), i * 100L, 50, i);
        }
        assertThat(shared.posted()).isZero();
    }

    @Test
    void twoConnectionsDrawFromOneQueue() throws IOException {
        Acceptor acceptor =
                accept(openDevice(), new EndSpec().small().sharedReceives().receives(10, 100));
        Link one = connect(openDevice(), acceptor, new EndSpec().small());
        End first = one.passive();
        acceptor.nextSpec(
                new EndSpec().small().sharedReceives().receives(0, 100).shareWith(first));
        Link two = connect(openDevice(), acceptor, new EndSpec().small());
        for (int i = 0; i < 5; i++) {
            one.active().post(one.active().send(i, 0, 10));
            assertThat(nextReceived(one.passive()).succeeded(Opcode.RECEIVE).id())
                    .isEqualTo(2L * i);
            two.active().post(two.active().send(i, 0, 20));
            Done done = nextReceived(two.passive()).succeeded(Opcode.RECEIVE);
            assertThat(done.id()).isEqualTo(2L * i + 1);
            assertThat(done.bytes()).isEqualTo(20);
            assertThat(done.queuePair()).isEqualTo(two.passive().queuePair.number());
        }
        one.active().connection.disconnect();
        awaitDisconnected(one.passive());
        first.postReceive(77, 0, 100);
        two.active().post(two.active().send(9, 0, 30));
        assertThat(nextReceived(two.passive()).succeeded(Opcode.RECEIVE).id()).isEqualTo(77);
    }

    @Test
    void receivesStayPostedWhenAConnectionEnds() throws IOException {
        Link link = connect(
                new EndSpec().small(), new EndSpec().small().sharedReceives().receives(10, 100));
        link.active().connection.disconnect();
        awaitDisconnected(link.passive());
        link.passive().poll();
        assertThat(link.passive().received).isEmpty();
        assertThat(sharedReceives(link.passive()).posted()).isEqualTo(10);
    }

    @Test
    void aMessageThatFindsTheQueueEmptyEndsItsConnection() throws IOException {
        Link link = connect(
                new EndSpec().small(), new EndSpec().small().sharedReceives().receives(1, 100));
        link.active().post(link.active().send(1, 0, 10));
        link.active().post(link.active().send(2, 0, 10));
        nextReceived(link.passive()).succeeded(Opcode.RECEIVE);
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        awaitDisconnected(link.active());
    }

    @Test
    void theLimitIsToldOnceWhenFewerAreLeft() throws IOException {
        Link link = connect(
                new EndSpec().small(), new EndSpec().small().sharedReceives().receives(5, 100));
        var calls = new AtomicInteger();
        sharedReceives(link.passive()).armLimit(4, calls::incrementAndGet);
        link.active().post(link.active().send(1, 0, 10));
        nextReceived(link.passive());
        assertThat(calls).hasValue(0);
        link.active().post(link.active().send(2, 0, 10));
        nextReceived(link.passive());
        await("the limit event", () -> calls.get() == 1);
        link.active().post(link.active().send(3, 0, 10));
        nextReceived(link.passive());
        assertThat(calls).hasValue(1);
        sharedReceives(link.passive()).armLimit(4, calls::incrementAndGet);
        await("the limit event of a queue below it already", () -> calls.get() == 2);
    }

    @Test
    void moreThanItsDepthIsNotPosted() throws IOException {
        Link link = connect(
                new EndSpec().small(),
                new EndSpec().small().sharedReceives().receiveDepth(8).receives(0, 1));
        End end = link.passive();
        SharedReceiveQueue shared = sharedReceives(end);
        var request = new ReceiveRequest(1).identity(0, null).segment(end.inbox, 0, 10);
        int posted = 0;
        while (shared.postReceive(request) == null) {
            posted++;
            assertThat(posted).isLessThanOrEqualTo(shared.depth());
            request = new ReceiveRequest(1).identity(posted, null).segment(end.inbox, 0, 10);
        }
        assertThat(posted).isEqualTo(shared.depth());
        assertThat(request.postStatus()).isEqualTo(PostStatus.QUEUE_FULL);
    }

    @Test
    void aQueuePairWithSharedReceivesTakesNoneOfItsOwn() throws IOException {
        Link link = connect(new EndSpec().small(), new EndSpec().small().sharedReceives());
        var request = new ReceiveRequest(1).segment(link.passive().inbox, 0, 10);
        assertThat(link.passive().queuePair.postReceive(request)).isSameAs(request);
        assertThat(request.postStatus()).isEqualTo(PostStatus.INVALID_REQUEST);
    }

    @Test
    void aQueueInUseIsNotClosed() throws IOException {
        Link link = connect(new EndSpec().small(), new EndSpec().small().sharedReceives());
        assertThatIllegalStateException().isThrownBy(sharedReceives(link.passive())::close);
        exchange(link.active(), link.passive());
    }
}
