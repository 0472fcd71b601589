package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.QueuePairState;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The error state: everything posted, before or after, comes back once, in order. */
abstract class FlushContract extends VerbsContract {

    @Test
    void disconnectFlushesTheReceivesOfBothEndsInOrder() throws IOException {
        Link link = connect();
        exchange(link);
        link.active().connection.disconnect();
        assertFlushedReceives(link.active(), 1, 16);
        assertFlushedReceives(link.passive(), 1, 16);
        assertThat(awaitDisconnected(link.active()).orderly()).isTrue();
        assertThat(awaitDisconnected(link.passive()).orderly()).isTrue();
    }

    private void assertFlushedReceives(End end, int first, int end0) {
        List<Done> flushed = nextReceived(end, end0 - first);
        assertThat(flushed)
                .extracting(Done::id)
                .containsExactlyElementsOf(LongStream.range(first, end0).boxed().toList());
        flushed.forEach(done -> done.flushed(Opcode.RECEIVE));
    }

    @Test
    void toErrorFlushesAndTearsTheConnectionDown() throws IOException {
        Link link = connect();
        link.passive().queuePair.toError();
        link.passive().queuePair.toError();
        assertThat(link.passive().queuePair.state()).isEqualTo(QueuePairState.ERROR);
        assertFlushedReceives(link.passive(), 0, 16);
        assertFlushedReceives(link.active(), 0, 16);
        awaitDisconnected(link.passive());
        awaitDisconnected(link.active());
    }

    @Test
    void receivesPostedBeforeConnectAreFlushedToo() throws IOException {
        var device = openDevice();
        var listener = accept(device, new EndSpec());
        End end = activeEnd(openDevice(), listener.listener().address(), new EndSpec());
        assertThat(end.queuePair.state()).isEqualTo(QueuePairState.INIT);
        end.queuePair.toError();
        assertFlushedReceives(end, 0, 16);
        end.postReceive(99, 0, 10);
        assertThat(nextReceived(end).flushed(Opcode.RECEIVE).id()).isEqualTo(99);
        assertThat(end.events).isEmpty();
    }

    @Test
    void sendsAreRefusedBeforeTheConnectionIsEstablished() throws IOException {
        var listener = accept(openDevice(), new EndSpec());
        End end = activeEnd(openDevice(), listener.listener().address(), new EndSpec());
        SendRequest request = end.send(1, 0, 10);
        assertThat(end.queuePair.postSend(request)).isSameAs(request);
        assertThat(request.postStatus()).isEqualTo(PostStatus.INVALID_STATE);
    }

    /** B86: opcode and id of a flushed request are its own. */
    @Test
    void eachKindPostedInTheErrorStateIsFlushedWithItsOwnOpcodeAndId() throws IOException {
        Link link = connect();
        End end = link.active();
        exchange(link);
        end.connection.disconnect();
        awaitDisconnected(end);
        nextReceived(end, 15);
        end.post(end.send(1, 0, 10));
        end.post(end.send(2, 0, 10).sendWithInvalidate(5));
        end.post(end.write(3, 0, 10, 5, 5));
        end.post(end.read(4, 0, 10, 5, 5));
        end.post(new SendRequest(0).identity(5, null).localInvalidate(5));
        end.post(new ReceiveRequest(1).identity(6, null).segment(end.inbox, 0, 10));
        List<Done> sent = nextSent(end, 5);
        assertAllFlushed(sent);
        assertThat(sent).extracting(Done::id).containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(sent)
                .extracting(Done::opcode)
                .containsExactly(
                        Opcode.SEND,
                        Opcode.SEND_WITH_INVALIDATE,
                        Opcode.RDMA_WRITE,
                        Opcode.RDMA_READ,
                        Opcode.LOCAL_INVALIDATE);
        assertThat(nextReceived(end).flushed(Opcode.RECEIVE).id()).isEqualTo(6);
    }

    @Test
    void unsignalledRequestsAreReportedWhenFlushed() throws IOException {
        Link link = connect();
        End end = link.active();
        end.queuePair.toError();
        for (int i = 0; i < 5; i++) {
            end.post(end.send(i, 0, 10).signaled(false));
        }
        assertThat(nextSent(end, 5)).allSatisfy(done -> done.flushed(Opcode.SEND));
    }

    /** What a program does to get its buffers back: a marker in each queue, and wait for it. */
    @Test
    void aMarkerPostedInTheErrorStateComesLast() throws IOException {
        for (int round = 0; round < 5; round++) {
            Link link = connect(new EndSpec().receives(30, 512).receiveDepth(31), new EndSpec().receives(30, 512));
            End end = link.active();
            MemoryWindow window = link.passive().expose(0, 400_000, Access.REMOTE_READ | Access.REMOTE_WRITE);
            for (int i = 0; i < 10; i++) {
                end.post(end.send(3L * i, 0, 100));
                end.post(end.write(3L * i + 1, 0, 100_000, window.key(), window.address()));
                end.post(end.read(3L * i + 2, 500_000, 100_000, window.key(), window.address()));
            }
            if (round % 2 == 0) {
                link.passive().connection.disconnect();
            } else {
                end.queuePair.toError();
            }
            awaitDisconnected(end);
            end.post(end.send(1000, 0, 1));
            end.postReceive(1000, 0, 1);
            List<Done> sent = nextSent(end, 31);
            assertThat(sent)
                    .extracting(Done::id)
                    .containsExactlyElementsOf(LongStream.concat(LongStream.range(0, 30), LongStream.of(1000))
                            .boxed()
                            .toList());
            assertThat(nextReceived(end, 31)).last().extracting(Done::id).isEqualTo(1000L);
            assertSuccessesThenFlushes(sent, true);
            end.poll();
            assertThat(end.sent).isEmpty();
            assertThat(end.received).isEmpty();
        }
    }

    /** After the first flush or failure nothing succeeds, and only the first failure has a status of its own. */
    private static void assertSuccessesThenFlushes(List<Done> sent, boolean mustFail) {
        boolean failed = false;
        for (Done done : sent) {
            if (failed) {
                assertThat(done.status()).as("after a failure: %s", sent).isEqualTo(CompletionStatus.FLUSHED);
            }
            failed |= done.status() != CompletionStatus.SUCCESS;
        }
        assertThat(failed || !mustFail)
                .as("some request was not done: %s", sent)
                .isTrue();
    }

    @Test
    void messagesWhoseSendsSucceededArriveBeforeAnOrderlyEnd() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(10, 100_000));
        End end = link.active();
        for (int i = 0; i < 10; i++) {
            end.post(end.send(i, 0, 90_000));
        }
        nextSent(end, 10).forEach(done -> done.succeeded(Opcode.SEND));
        end.connection.disconnect();
        nextReceived(link.passive(), 10).forEach(done -> done.succeeded(Opcode.RECEIVE));
        assertThat(awaitDisconnected(link.passive()).orderly()).isTrue();
    }

    /** Also an abrupt end leaves no holes: what arrived is the beginning of what was sent. */
    @Test
    void whatArrivesBeforeAnAbruptEndIsTheBeginningOfWhatWasSent() throws IOException {
        for (int round = 0; round < 10; round++) {
            Link link = connect(new EndSpec().small(), new EndSpec().small().receives(30, 64));
            End from = link.active();
            for (int i = 0; i < 30; i++) {
                from.post(from.send(i, 0, i + 1));
            }
            int seen = round;
            await("some arrived", () -> {
                link.passive().poll();
                return link.passive().received.size() >= seen;
            });
            from.queuePair.toError();
            awaitDisconnected(link.passive());
            int arrived = 0;
            for (Done done : nextReceived(link.passive(), 30)) {
                if (done.status() == CompletionStatus.SUCCESS) {
                    assertThat(done.bytes()).as("bytes of message %d", arrived).isEqualTo(arrived + 1);
                    arrived++;
                }
            }
            List<Done> sent = nextSent(from, 30);
            assertSuccessesThenFlushes(sent, false);
        }
    }

    /** B36. */
    @Test
    void closingWithAFullReceiveQueueRightAfterAcceptEnds() throws IOException {
        Link link = connect(
                new EndSpec().receiveDepth(64).receives(64, 100),
                new EndSpec().receiveDepth(64).receives(64, 100));
        link.passive().closeConnection();
        awaitDisconnected(link.active());
        assertFlushedReceives(link.active(), 0, 64);
    }

    @Test
    void windowsAreUnboundWhenTheConnectionIsOver() throws IOException {
        Link link = connect();
        MemoryWindow window = link.passive().expose(0, 100, Access.REMOTE_READ);
        link.active().connection.disconnect();
        awaitDisconnected(link.passive());
        assertThat(window.isBound()).isFalse();
        window.invalidate();
    }

    @Test
    void aClosedQueuePairReportsNothingMore() throws IOException {
        Link link = connect();
        End end = link.active();
        end.queuePair.close();
        end.queuePair.close();
        awaitDisconnected(link.passive());
        end.poll();
        assertThat(end.received).isEmpty();
        SendRequest request = end.send(1, 0, 1);
        assertThat(end.queuePair.postSend(request)).isSameAs(request);
    }
}
