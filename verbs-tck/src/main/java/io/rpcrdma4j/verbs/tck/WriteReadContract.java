package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.PostStatus;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RDMA Writes and Reads between healthy ends. */
abstract class WriteReadContract extends VerbsContract {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4095, 4096, 65_481, 300_001})
    void aWriteChangesTheNamedBytesAndNoOther(int bytes) throws IOException {
        Link link = connect();
        End from = link.active();
        End to = link.passive();
        to.data.segment().fill((byte) 0x5a);
        Patterns.fill(from.data.segment(), 11, bytes, 1);
        MemoryWindow window = to.expose(1000, 400_000, Access.REMOTE_WRITE);
        from.post(from.write(1, 11, bytes, window.key(), window.address() + 77));
        from.post(from.send(2, 0, 4));
        nextReceived(to).succeeded(Opcode.RECEIVE);
        Patterns.checkAll(to.data.segment(), 0, 1077, (byte) 0x5a);
        Patterns.check(to.data.segment(), 1077, bytes, 1);
        Patterns.checkAll(to.data.segment(), 1077 + bytes, 100, (byte) 0x5a);
        nextSent(from).succeeded(Opcode.RDMA_WRITE);
        nextSent(from).succeeded(Opcode.SEND);
    }

    @Test
    void aWriteGathersItsSegments() throws IOException {
        Link link = connect();
        End from = link.active();
        End to = link.passive();
        Patterns.fill(from.data.segment(), 0, 5000, 1);
        MemoryWindow window = to.expose(0, 5000, Access.REMOTE_WRITE);
        from.post(new SendRequest(4)
                .segment(from.data, 0, 1001)
                .segment(from.data, 1001, 0)
                .segment(from.data, 1001, 3)
                .segment(from.data, 1004, 3996)
                .write(window.key(), window.address()));
        from.post(from.send(2, 0, 0));
        nextReceived(to).succeeded(Opcode.RECEIVE);
        Patterns.check(to.data.segment(), 0, 5000, 1);
    }

    @Test
    void aWriteThroughTheKeyOfARegionWorksToo() throws IOException {
        Link link = connect();
        End from = link.active();
        End to = link.passive();
        Patterns.fill(from.data.segment(), 0, 500, 1);
        from.post(from.write(1, 0, 500, to.data.remoteKey(), to.data.remoteAddress() + 50));
        from.post(from.send(2, 0, 0));
        nextReceived(to).succeeded(Opcode.RECEIVE);
        Patterns.check(to.data.segment(), 50, 500, 1);
    }

    @Test
    void whatWasWrittenBeforeASendIsThereWhenItsReceiveCompletes() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(30, 64));
        End from = link.active();
        End to = link.passive();
        MemoryWindow window = to.expose(0, End.MEMORY_BYTES, Access.REMOTE_WRITE);
        Patterns.fill(from.data.segment(), 0, End.MEMORY_BYTES, 1);
        for (int i = 0; i < 30; i++) {
            to.data.segment().fill((byte) 0);
            int bytes = 1 + i * 6_007;
            from.post(from.write(1, 0, bytes, window.key(), window.address()).signaled(false));
            from.post(from.write(1, bytes, 9, window.key(), window.address() + bytes)
                    .signaled(false));
            from.post(from.send(i, 0, 8));
            nextReceived(to).succeeded(Opcode.RECEIVE);
            Patterns.check(to.data.segment(), 0, bytes + 9, 1);
            assertThat(nextSent(from).succeeded(Opcode.SEND).id()).isEqualTo(i);
        }
    }

    /** RFC 5041: the key of an empty tagged message is not checked; iWARP providers use such Writes to start. */
    @Test
    void anEmptyWriteNeedsNoKey() throws IOException {
        Link link = connect();
        link.active().post(link.active().write(1, 0, 0, 0x12345678, 1234));
        nextSent(link.active()).succeeded(Opcode.RDMA_WRITE);
        exchange(link);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4095, 4096, 65_481, 300_001})
    void aReadFetchesExactlyTheNamedBytes(int bytes) throws IOException {
        Link link = connect();
        End reader = link.active();
        End source = link.passive();
        reader.data.segment().fill((byte) 0x5a);
        Patterns.fill(source.data.segment(), 0, End.MEMORY_BYTES, 5);
        MemoryWindow window = source.expose(100, 400_000, Access.REMOTE_READ);
        reader.post(reader.read(9, 33, bytes, window.key(), window.address() + 1));
        Done done = nextSent(reader).succeeded(Opcode.RDMA_READ);
        assertThat(done.id()).isEqualTo(9);
        assertThat(done.bytes()).isEqualTo(bytes);
        Patterns.checkAll(reader.data.segment(), 0, 33, (byte) 0x5a);
        Patterns.checkPart(reader.data.segment(), 33, bytes, 5, 101);
        Patterns.checkAll(reader.data.segment(), 33 + bytes, 100, (byte) 0x5a);
    }

    @Test
    void anEmptyReadNeedsNoKeyAndIsAnswered() throws IOException {
        Link link = connect();
        link.active().post(link.active().read(1, 0, 0, 0x12345678, 1234));
        assertThat(nextSent(link.active()).succeeded(Opcode.RDMA_READ).bytes()).isZero();
        exchange(link);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void readsBeyondTheLimitWaitAndAllComplete(int limit) throws IOException {
        Link link = connect(new EndSpec().reads(4, limit), new EndSpec().reads(limit, 4));
        End reader = link.active();
        End source = link.passive();
        Patterns.fill(source.data.segment(), 0, End.MEMORY_BYTES, 5);
        MemoryWindow window = source.expose(0, End.MEMORY_BYTES, Access.REMOTE_READ);
        for (int i = 0; i < 40; i++) {
            reader.post(reader.read(i, i * 5000L, 4999, window.key(), window.address() + i * 7L));
        }
        for (int i = 0; i < 40; i++) {
            assertThat(nextSent(reader).succeeded(Opcode.RDMA_READ).id()).isEqualTo(i);
            Patterns.checkPart(reader.data.segment(), i * 5000L, 4999, 5, i * 7L);
        }
    }

    @Test
    void bothEndsReadFromEachOtherAtOnce() throws IOException {
        Link link = connect();
        exchange(link);
        MemoryWindow ofActive = link.active().expose(0, 200_000, Access.REMOTE_READ);
        MemoryWindow ofPassive = link.passive().expose(0, 200_000, Access.REMOTE_READ);
        Patterns.fill(link.active().data.segment(), 0, 200_000, 1);
        Patterns.fill(link.passive().data.segment(), 0, 200_000, 2);
        for (int i = 0; i < 10; i++) {
            link.active().post(link.active().read(i, 500_000, 100_000, ofPassive.key(), ofPassive.address() + i));
            link.passive().post(link.passive().read(i, 500_000, 100_000, ofActive.key(), ofActive.address() + i));
        }
        nextSent(link.active(), 10).forEach(done -> done.succeeded(Opcode.RDMA_READ));
        nextSent(link.passive(), 10).forEach(done -> done.succeeded(Opcode.RDMA_READ));
        Patterns.checkPart(link.active().data.segment(), 500_000, 100_000, 2, 9);
        Patterns.checkPart(link.passive().data.segment(), 500_000, 100_000, 1, 9);
    }

    /** B81. */
    @Test
    void aFencedRequestStartsAfterAllEarlierReads() throws IOException {
        Link link = connect(new EndSpec().reads(4, 4), new EndSpec().reads(4, 4).receives(20, 65_536));
        End reader = link.active();
        End source = link.passive();
        MemoryWindow window = source.expose(0, 200_000, Access.REMOTE_READ | Access.REMOTE_WRITE);
        for (int round = 0; round < 10; round++) {
            Patterns.fill(source.data.segment(), 0, 200_000, round);
            reader.post(reader.read(1, 0, 60_000, window.key(), window.address()));
            reader.post(reader.read(2, 60_000, 60_000, window.key(), window.address() + 60_000));
            reader.post(reader.read(3, 120_000, 60_000, window.key(), window.address() + 120_000));
            reader.post(reader.send(4, 115_000, 65_000).fenced(true));
            Done received = nextReceived(source).succeeded(Opcode.RECEIVE);
            Patterns.checkPart(source.inbox.segment(), received.id() * 65_536, 65_000, round, 115_000);
            assertThat(nextSent(reader, 4)).extracting(Done::id).containsExactly(1L, 2L, 3L, 4L);
        }
    }

    @Test
    void completionsOfTheSendQueueComeInPostingOrder() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(20, 64));
        End from = link.active();
        MemoryWindow window = link.passive().expose(0, 500_000, Access.REMOTE_READ | Access.REMOTE_WRITE);
        for (int i = 0; i < 30; i += 3) {
            from.post(from.read(i, 0, 200_000, window.key(), window.address()));
            from.post(from.write(i + 1, 300_000, 10, window.key(), window.address() + 400_000));
            from.post(from.send(i + 2, 0, 10));
        }
        for (int i = 0; i < 30; i++) {
            assertThat(nextSent(from).id()).isEqualTo(i);
        }
    }

    @Test
    void withNoReadsAgreedAReadIsRefusedOrFails() throws IOException {
        Link link = connect(new EndSpec().reads(0, 0), new EndSpec().reads(0, 0));
        End reader = link.active();
        SendRequest request = reader.read(
                1, 0, 10, link.passive().data.remoteKey(), link.passive().data.remoteAddress());
        if (reader.queuePair.postSend(request) == null) {
            assertThat(nextSent(reader).status()).isNotEqualTo(CompletionStatus.SUCCESS);
        } else {
            assertThat(request.postStatus()).isEqualTo(PostStatus.INVALID_REQUEST);
            exchange(link);
        }
    }
}
