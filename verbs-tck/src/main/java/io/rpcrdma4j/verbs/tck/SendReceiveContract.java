package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends and Receives between healthy ends. */
abstract class SendReceiveContract extends VerbsContract {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 127, 4095, 4096, 4097, 65_480, 65_481, 65_536, 200_003})
    void aMessageOfAnySizeArrivesWhole(int bytes) throws IOException {
        int room = Math.max(bytes, 1);
        Link link = connect(new EndSpec(), new EndSpec().receives(1, room + 64));
        End from = link.active();
        Patterns.fill(from.data.segment(), 3, bytes, bytes);
        link.passive().inbox.segment().fill((byte) 0x5a);
        from.post(from.send(7, 3, bytes));
        Done sent = nextSent(from).succeeded(Opcode.SEND);
        assertThat(sent.id()).isEqualTo(7);
        assertThat(sent.queuePair()).isEqualTo(from.queuePair.number());
        Done received = nextReceived(link.passive()).succeeded(Opcode.RECEIVE);
        assertThat(received.bytes()).isEqualTo(bytes);
        assertThat(received.id()).isZero();
        assertThat(received.invalidated()).isFalse();
        assertThat(received.queuePair()).isEqualTo(link.passive().queuePair.number());
        Patterns.check(link.passive().inbox.segment(), 0, bytes, bytes);
        Patterns.checkAll(link.passive().inbox.segment(), bytes, 64, (byte) 0x5a);
    }

    @Test
    void aReceiveOfExactlyTheMessagesSizeIsEnough() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(1, 1000));
        link.active().post(link.active().send(1, 0, 1000));
        assertThat(nextReceived(link.passive()).succeeded(Opcode.RECEIVE).bytes())
                .isEqualTo(1000);
    }

    @Test
    void segmentsAreGatheredAndScatteredByteExact() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(0, 1));
        End from = link.active();
        End to = link.passive();
        Patterns.fill(from.data.segment(), 0, 10_000, 9);
        to.post(new ReceiveRequest(4)
                .identity(1, null)
                .segment(to.inbox, 5000, 1)
                .segment(to.inbox, 100, 333)
                .segment(to.inbox, 9000, 0)
                .segment(to.inbox, 20_000, 5000));
        from.post(new SendRequest(4)
                .identity(2, null)
                .segment(from.data, 0, 17)
                .segment(from.data, 1000, 0)
                .segment(from.data, 4001, 999)
                .segment(from.data, 90, 3)
                .send()
                .signaled(true));
        nextSent(from).succeeded(Opcode.SEND);
        assertThat(nextReceived(to).succeeded(Opcode.RECEIVE).bytes()).isEqualTo(1019);
        byte[] expected = new byte[1019];
        for (int i = 0; i < 1019; i++) {
            expected[i] = Patterns.at(i < 17 ? i : i < 1016 ? 4001 + i - 17 : 90 + i - 1016, 9);
        }
        for (int i = 0; i < 1019; i++) {
            long where = i == 0 ? 5000 : i < 334 ? 100 + i - 1 : 20_000 + i - 334;
            assertThat(to.inbox.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, where))
                    .as("byte %d", i)
                    .isEqualTo(expected[i]);
        }
    }

    @Test
    void messagesArriveInOrderAndTakeReceivesInOrder() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(50, 512));
        End from = link.active();
        for (int i = 0; i < 50; i++) {
            Patterns.fill(from.data.segment(), i * 512L, i * 10L, i);
            from.post(from.send(i, i * 512L, i * 10));
        }
        for (int i = 0; i < 50; i++) {
            assertThat(nextSent(from).succeeded(Opcode.SEND).id()).isEqualTo(i);
            Done received = nextReceived(link.passive()).succeeded(Opcode.RECEIVE);
            assertThat(received.id()).isEqualTo(i);
            assertThat(received.bytes()).isEqualTo(i * 10);
            Patterns.check(link.passive().inbox.segment(), i * 512L, i * 10L, i);
        }
    }

    @Test
    void bothDirectionsWorkAtOnce() throws IOException {
        Link link = connect(new EndSpec().receives(20, 4096), new EndSpec().receives(20, 4096));
        exchange(link);
        for (int i = 0; i < 15; i++) {
            link.active().post(link.active().send(i, 0, 2000));
            link.passive().post(link.passive().send(i, 0, 3000));
        }
        assertThat(nextReceived(link.passive(), 15)).allMatch(done -> done.bytes() == 2000);
        assertThat(nextReceived(link.active(), 15)).allMatch(done -> done.bytes() == 3000);
        nextSent(link.active(), 15).forEach(done -> done.succeeded(Opcode.SEND));
        nextSent(link.passive(), 15).forEach(done -> done.succeeded(Opcode.SEND));
    }

    @Test
    void theMemoryOfAnInlineSendMayBeReusedAtOnce() throws IOException {
        Link link = connect();
        End from = link.active();
        int bytes = Math.min(64, from.device.attributes().inlineBytesMax());
        Assumptions.assumeTrue(bytes > 0, "the device has no inline sends");
        Patterns.fill(from.data.segment(), 0, bytes, 3);
        from.post(from.send(1, 0, bytes).inlined(true));
        from.data.segment().fill((byte) 0xff);
        nextSent(from).succeeded(Opcode.SEND);
        assertThat(nextReceived(link.passive()).succeeded(Opcode.RECEIVE).bytes())
                .isEqualTo(bytes);
        Patterns.check(link.passive().inbox.segment(), 0, bytes, 3);
    }

    @Test
    void solicitedAndUnsolicitedSendsArriveAlike() throws IOException {
        Link link = connect();
        link.active().post(link.active().send(1, 0, 10).solicited(true));
        link.active().post(link.active().send(2, 0, 20));
        assertThat(nextReceived(link.passive()).bytes()).isEqualTo(10);
        assertThat(nextReceived(link.passive()).bytes()).isEqualTo(20);
    }

    @Test
    void oneCompletionQueueServesBothWorkQueues() throws IOException {
        Link link = connect(new EndSpec().oneCompletionQueue(), new EndSpec().oneCompletionQueue());
        exchange(link);
        exchange(link);
    }

    @Test
    void aReceivePostedAfterTheConnectionIsUsed() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(0, 1));
        link.passive().postReceive(77, 0, 100);
        link.active().post(link.active().send(1, 0, 10));
        assertThat(nextReceived(link.passive()).succeeded(Opcode.RECEIVE).id()).isEqualTo(77);
    }

    /** B90: iWARP knows no receiver-not-ready; the message is an error that ends the connection. */
    @Test
    void aSendThatFindsNoReceiveEndsTheConnectionOnBothSides() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(0, 1));
        Assumptions.assumeTrue(
                link.active().device.attributes().transport() == io.rpcrdma4j.verbs.TransportType.IWARP,
                "other transports ask again");
        link.active().post(link.active().send(1, 0, 10));
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        awaitDisconnected(link.active());
        assertThat(nextSent(link.active()).status()).isIn(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED);
        nextReceived(link.active()).flushed(Opcode.RECEIVE);
    }

    @Test
    void aMessageLongerThanTheReceiveFailsItAndEndsTheConnection() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(3, 100));
        link.passive().inbox.segment().fill((byte) 0x5a);
        link.active().post(link.active().send(1, 0, 101));
        nextReceived(link.passive()).is(Opcode.RECEIVE, CompletionStatus.LOCAL_LENGTH_ERROR);
        nextReceived(link.passive()).flushed(Opcode.RECEIVE);
        nextReceived(link.passive()).flushed(Opcode.RECEIVE);
        Patterns.checkAll(link.passive().inbox.segment(), 100, 1000, (byte) 0x5a);
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        awaitDisconnected(link.active());
        assertThat(nextSent(link.active()).status()).isIn(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED);
    }
}
