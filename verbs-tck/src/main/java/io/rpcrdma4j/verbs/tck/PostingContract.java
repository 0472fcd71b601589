package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chains that post wholly, partly or not at all, and the accounting of queue entries. */
abstract class PostingContract extends VerbsContract {

    /** A chain of Sends of one byte with the ids from {@code first}; the last one signalled. */
    private static List<SendRequest> chain(End end, int first, int count) {
        var requests = new ArrayList<SendRequest>();
        for (int i = 0; i < count; i++) {
            requests.add(end.send(first + i, 0, 1).signaled(i == count - 1));
            if (i > 0) {
                requests.get(i - 1).next(requests.get(i));
            }
        }
        return requests;
    }

    private Link connectWithPlentyOfReceives(int sendDepth) throws IOException {
        return connect(
                new EndSpec().sendDepth(sendDepth),
                new EndSpec().receiveDepth(400).receives(400, 8).completionDepth(1000));
    }

    @Test
    void aWholeChainIsPostedAndItsLastCompletionCoversIt() throws IOException {
        Link link = connectWithPlentyOfReceives(64);
        List<SendRequest> chain = chain(link.active(), 0, 20);
        assertThat(link.active().queuePair.postSend(chain.getFirst())).isNull();
        assertThat(chain).allSatisfy(request -> assertThat(request.postStatus()).isEqualTo(PostStatus.POSTED));
        assertThat(nextSent(link.active()).succeeded(Opcode.SEND).id()).isEqualTo(19);
        nextReceived(link.passive(), 20);
        link.active().poll();
        assertThat(link.active().sent).isEmpty();
    }

    @Test
    void whatDoesNotFitStaysTheCallersAndTheRestIsPosted() throws IOException {
        Link link = connectWithPlentyOfReceives(16);
        End end = link.active();
        int depth = end.queuePair.options().sendDepth();
        List<SendRequest> chain = chain(end, 0, depth + 5);
        chain.get(depth - 1).signaled(true);
        SendRequest refused = end.queuePair.postSend(chain.getFirst());
        assertThat(refused).isSameAs(chain.get(depth));
        assertThat(chain.get(depth).postStatus()).isEqualTo(PostStatus.QUEUE_FULL);
        assertThat(chain.subList(0, depth))
                .allSatisfy(request -> assertThat(request.postStatus()).isEqualTo(PostStatus.POSTED));
        assertThat(nextSent(end).succeeded(Opcode.SEND).id()).isEqualTo(depth - 1);
        assertThat(end.queuePair.postSend(chain.get(depth))).isNull();
        assertThat(nextSent(end).succeeded(Opcode.SEND).id()).isEqualTo(depth + 4);
        nextReceived(link.passive(), depth + 5);
    }

    @Test
    void entriesAreFreeOnlyWhenTheirCompletionHasBeenPolled() throws IOException {
        Link link = connectWithPlentyOfReceives(8);
        End end = link.active();
        int depth = end.queuePair.options().sendDepth();
        for (int i = 0; i < depth; i++) {
            end.post(end.send(i, 0, 1).signaled(i == depth / 2));
        }
        nextReceived(link.passive(), depth); // all sent, but nothing polled here
        SendRequest more = end.send(100, 0, 1);
        assertThat(end.queuePair.postSend(more)).isSameAs(more);
        assertThat(more.postStatus()).isEqualTo(PostStatus.QUEUE_FULL);
        assertThat(nextSent(end).id()).isEqualTo(depth / 2);
        for (int i = 0; i <= depth / 2; i++) {
            end.post(end.send(200 + i, 0, 1));
        }
        assertThat(end.queuePair.postSend(more)).isSameAs(more);
        nextSent(end, depth / 2 + 1).forEach(done -> done.succeeded(Opcode.SEND));
        assertThat(end.queuePair.postSend(more)).isNull();
    }

    @Test
    void aRequestWithTooManySegmentsIsRefusedAndWhatIsBeforeItPosted() throws IOException {
        Link link = connectWithPlentyOfReceives(16);
        End end = link.active();
        int segments = end.queuePair.options().sendSegmentsMax() + 1;
        var wide = new SendRequest(segments).identity(2, null).send();
        for (int i = 0; i < segments; i++) {
            wide.segment(end.data, i, 1);
        }
        var after = end.send(3, 0, 1);
        var first = end.send(1, 0, 1).next(wide.next(after));
        assertThat(end.queuePair.postSend(first)).isSameAs(wide);
        assertThat(wide.postStatus()).isEqualTo(PostStatus.INVALID_REQUEST);
        assertThat(nextSent(end).succeeded(Opcode.SEND).id()).isEqualTo(1);
        nextReceived(link.passive()).succeeded(Opcode.RECEIVE);
        exchange(link);
    }

    @Test
    void aReadWithMoreSegmentsThanTheDeviceAllowsIsRefused() throws IOException {
        Link link = connectWithPlentyOfReceives(16);
        End end = link.active();
        int segments = end.device.attributes().segmentsPerReadMax() + 1;
        var wide = new SendRequest(segments).identity(2, null).read(1, 1);
        for (int i = 0; i < segments; i++) {
            wide.segment(end.data, i, 1);
        }
        assertThat(end.queuePair.postSend(wide)).isSameAs(wide);
        assertThat(wide.postStatus()).isEqualTo(PostStatus.INVALID_REQUEST);
        exchange(link);
    }

    @Test
    void aChainOfReceivesIsPostedAsFarAsItFits() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receiveDepth(16).receives(0, 1));
        End end = link.passive();
        int depth = end.queuePair.options().receiveDepth();
        var chain = new ArrayList<ReceiveRequest>();
        for (int i = 0; i < depth + 3; i++) {
            chain.add(new ReceiveRequest(1).identity(i, null).segment(end.inbox, i * 8L, 8));
            if (i > 0) {
                chain.get(i - 1).next(chain.get(i));
            }
        }
        assertThat(end.queuePair.postReceive(chain.getFirst())).isSameAs(chain.get(depth));
        assertThat(chain.get(depth).postStatus()).isEqualTo(PostStatus.QUEUE_FULL);
        link.active().post(link.active().send(1, 0, 4));
        link.active().post(link.active().send(1, 0, 4));
        nextReceived(end, 2);
        chain.get(depth + 1).next(null);
        assertThat(end.queuePair.postReceive(chain.get(depth))).isNull();
        for (int i = 0; i < depth; i++) {
            link.active().post(link.active().send(1, 0, 4));
            assertThat(nextReceived(end).succeeded(Opcode.RECEIVE).id()).isEqualTo(i + 2);
            nextSent(link.active());
        }
    }

    @Test
    void aReceiveWithTooManySegmentsIsRefused() throws IOException {
        Link link = connect();
        End end = link.passive();
        int segments = end.queuePair.options().receiveSegmentsMax() + 1;
        var wide = new ReceiveRequest(segments);
        for (int i = 0; i < segments; i++) {
            wide.segment(end.inbox, i, 1);
        }
        assertThat(end.queuePair.postReceive(wide)).isSameAs(wide);
        assertThat(wide.postStatus()).isEqualTo(PostStatus.INVALID_REQUEST);
    }

    @Test
    void aQueuePairMadeToSignalAllReportsEverySend() throws IOException {
        Link link = connect(new EndSpec().allSignaled(), new EndSpec());
        for (int i = 0; i < 5; i++) {
            link.active().post(link.active().send(i, 0, 1).signaled(false));
        }
        assertThat(nextSent(link.active(), 5)).extracting(Done::id).containsExactly(0L, 1L, 2L, 3L, 4L);
    }

    @Test
    void aRequestObjectIsUsedAgainAndAgain() throws IOException {
        Link link = connectWithPlentyOfReceives(8);
        End end = link.active();
        var request = new SendRequest(1);
        for (int i = 0; i < 300; i++) {
            request.reset().identity(i, null).segment(end.data, 0, 4).send().signaled(true);
            end.post(request);
            assertThat(nextSent(end).succeeded(Opcode.SEND).id()).isEqualTo(i);
        }
        nextReceived(link.passive(), 300);
    }

    /** B29: entries neither leak nor multiply, whatever is signalled. */
    @Test
    void theSendQueueHoldsItsDepthAfterAnyMixOfSignalledAndUnsignalledSends() throws IOException {
        Link link = connect(
                new EndSpec().sendDepth(13),
                new EndSpec().receiveDepth(2000).receives(2000, 8).completionDepth(4000));
        End end = link.active();
        int depth = end.queuePair.options().sendDepth();
        var random = Seeds.random(getClass());
        int inQueue = 0;
        int posted = 0;
        var signalled = new java.util.ArrayDeque<Integer>(); // entries that each outstanding completion covers
        int uncovered = 0;
        while (posted < 1900) {
            boolean last = inQueue == depth - 1 && signalled.isEmpty();
            if (inQueue < depth && (last || random.nextInt(3) > 0)) {
                boolean signal = last || random.nextInt(4) == 0;
                end.post(end.send(posted++, 0, 1).signaled(signal));
                inQueue++;
                uncovered++;
                if (signal) {
                    signalled.add(uncovered);
                    uncovered = 0;
                }
            } else if (inQueue == depth) {
                SendRequest more = end.send(0, 0, 1);
                assertThat(end.queuePair.postSend(more))
                        .as("after %d posts", posted)
                        .isSameAs(more);
                inQueue -= takeOne(end, signalled);
            } else if (!signalled.isEmpty()) {
                inQueue -= takeOne(end, signalled);
            }
        }
    }

    private int takeOne(End end, java.util.ArrayDeque<Integer> signalled) {
        // One at a time: poll() would take, and so free, all that is there.
        var one = io.rpcrdma4j.verbs.WorkCompletion.batch(1);
        await("a Send completion", () -> end.sendQueue.poll(one) == 1);
        assertThat(one[0].isSuccess()).isTrue();
        return signalled.remove();
    }
}
