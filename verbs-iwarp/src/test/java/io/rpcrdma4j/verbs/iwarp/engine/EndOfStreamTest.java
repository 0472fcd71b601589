package io.rpcrdma4j.verbs.iwarp.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.TerminateCode;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a stream ends, and that everything is given back. */
class EndOfStreamTest {

    private static SendRequest send(long id) {
        return new SendRequest(1).identity(id, null);
    }

    @Test
    void aDisconnectFlushesInPostingOrderAndCloses() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.receive(1, memory, 0, 10);
        script.receive(2, memory, 0, 10);
        script.post(send(3).read(5, 6).segment(memory, 0, 10));
        script.post(send(4).segment(memory, 0, 10).fenced(true));
        script.drain();
        script.stream.disconnect(0);
        script.expectCompletion(Opcode.RDMA_READ, 3, CompletionStatus.FLUSHED);
        script.expectCompletion(Opcode.SEND, 4, CompletionStatus.FLUSHED);
        script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.FLUSHED);
        script.expectCompletion(Opcode.RECEIVE, 2, CompletionStatus.FLUSHED);
        assertThat(script.stream.wantsShutdown()).isTrue();
        assertThat(script.drain()).isEmpty();
        script.stream.shutdownDone();
        assertThat(script.stream.wantsShutdown()).isFalse();
        assertThat(script.stream.isFinished()).isFalse();
        script.peerCloses();
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(script.stream.isOrderly()).isTrue();
        assertThat(script.buffersOut()).isZero();
        assertThat(memory.retained()).isZero();
    }

    @Test
    void aResetAfterADisconnectIsAnOrderlyEnd() {
        Script script = Script.initiator();
        script.stream.disconnect(0);
        script.stream.lose("connection reset by peer");
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(script.stream.isOrderly()).isTrue();
        assertThat(script.reason()).isEqualTo("we disconnected");
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 60_000})
    @SuppressWarnings("MustBeClosed") // closed in the midst, that is the point
    void memoryThatIsFreedUnderAWriteOfThePeerLeavesNoKeyBusy(int payload) {
        Script script = Script.initiator();
        Arena arena = Arena.ofShared();
        var memory = new TestDomain.Memory(script.domain, arena.allocate(100_000), TestDomain.ALL);
        RemoteKey key = script.expose(memory, 0, 100_000, Access.REMOTE_WRITE);
        byte[] bytes = script.bytes(
                new io.rpcrdma4j.verbs.iwarp.wire.DdpHeader.Tagged(0, true, key.stag(), key.address()),
                new byte[payload]);
        int half = payload / 2;
        script.peerSendsRaw(java.util.Arrays.copyOf(bytes, half));
        arena.close();
        assertThatThrownBy(() -> script.peerSendsRaw(java.util.Arrays.copyOfRange(bytes, half, bytes.length)))
                .isInstanceOf(IllegalStateException.class);
        script.stream.lose("memory is gone");
        assertThat(key.isQuiet()).isTrue();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    @SuppressWarnings("MustBeClosed") // closed in the midst, that is the point
    void memoryThatIsFreedUnderAReadOfThePeerLeavesNoKeyBusy() {
        Script script = Script.initiator();
        Arena arena = Arena.ofShared();
        var memory = new TestDomain.Memory(script.domain, arena.allocate(100_000), TestDomain.ALL);
        RemoteKey key = script.expose(memory, 0, 100_000, Access.REMOTE_READ);
        script.peerReads(new ReadRequest(1, 0, 50_000, key.stag(), key.address()));
        arena.close();
        assertThatThrownBy(script::drain).isInstanceOf(IllegalStateException.class);
        script.stream.lose("memory is gone");
        assertThat(key.isQuiet()).isTrue();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void aPeerThatDoesNotCloseIsNotWaitedForForEver() {
        Script script = Script.initiator();
        script.stream.disconnect(1_000_000_000L);
        script.stream.shutdownDone();
        script.passes(Duration.ofMillis(1999));
        assertThat(script.stream.isFinished()).isFalse();
        script.passes(Duration.ofMillis(1));
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(script.stream.nextDeadline()).isEqualTo(Stream.NEVER);
    }

    @Test
    void anFpduThatIsHalfSentIsFinishedAndNoMoreOfTheMemoryIsRead() throws Exception {
        Script script = Script.initiator().takes(1000);
        TestDomain.Memory memory = script.domain.memory(50_000, TestDomain.ALL);
        memory.segment().fill((byte) 7);
        script.post(send(1).write(5, 0).segment(memory, 0, 50_000));
        script.writeOnce();
        script.stream.disconnect(0);
        script.expectCompletion(Opcode.RDMA_WRITE, 1, CompletionStatus.FLUSHED);
        assertThat(memory.retained()).isZero();
        memory.segment().fill((byte) 9);
        List<Fpdu> all = script.sends();
        assertThat(all).hasSize(1);
        assertThat(Script.payload(all.getFirst())).hasSize(1428).containsOnly(7);
        assertThat(script.stream.wantsShutdown()).isTrue();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void aTerminateFollowsAnFpduThatIsHalfSent() throws Exception {
        Script script = Script.initiator(65_474).takes(30_000);
        TestDomain.Memory memory = script.domain.memory(500_000, TestDomain.ALL);
        script.post(send(1).write(5, 0).segment(memory, 0, 500_000));
        script.writeOnce();
        script.writeOnce();
        script.writeOnce();
        script.peerWrites(0x666, 0, new byte[1]);
        List<Fpdu> all = script.sends();
        assertThat(all).extracting(fpdu -> fpdu.header().opcode()).containsExactly(0, 0, RdmapOpcode.TERMINATE);
    }

    @Test
    void aFinBetweenFpdusIsAnOrderlyEnd() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.receive(1, memory, 0, 10);
        script.peerSends(new byte[1]);
        script.peerCloses();
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(script.stream.isOrderly()).isTrue();
        assertThat(script.reason()).isEqualTo("the peer disconnected");
        script.expectNothingSent();
    }

    @Test
    void aFinInTheMiddleOfAnFpduIsALostConnection() {
        for (int cut = 1; cut < 40; cut++) {
            Script script = Script.initiator();
            TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
            script.receive(1, memory, 0, 100);
            byte[] bytes = script.bytes(Script.sendHeader(1, 0, true), new byte[16]);
            script.peerSendsRaw(java.util.Arrays.copyOf(bytes, cut));
            script.peerCloses();
            assertThat(script.stream.isOrderly()).isFalse();
            assertThat(script.reason()).isEqualTo("connection lost in the middle of an FPDU");
            script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.FLUSHED);
            script.expectNoCompletion();
            assertThat(script.buffersOut()).isZero();
        }
    }

    @Test
    void aLostConnectionFlushesAReceiveThatWasBeingFilled() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.receive(1, memory, 0, 50);
        script.receive(2, memory, 50, 50);
        script.peerSends(Script.sendHeader(1, 0, false), new byte[10]);
        script.stream.lose("connection reset");
        assertThat(script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.FLUSHED)
                        .detail())
                .isEqualTo("connection reset");
        script.expectCompletion(Opcode.RECEIVE, 2, CompletionStatus.FLUSHED);
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(memory.retained()).isZero();
    }

    @Test
    void whatIsPostedBeforeTheConnectionIsUpIsFlushedToo() {
        var script = new Script();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.receive(1, memory, 0, 50);
        script.stream.lose("refused");
        script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.FLUSHED);
        script.post(send(2).segment(memory, 0, 1));
        script.expectCompletion(Opcode.SEND, 2, CompletionStatus.FLUSHED);
        script.open(new StreamSettings(true, true, 4, 4, 1442));
        assertThat(script.stream.isOpen()).isFalse();
    }

    /** B86: after the error, each kind of request is flushed with its own operation and number. */
    @Test
    void requestsPostedAfterTheErrorAreFlushedWithTheirOwnOperation() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.stream.lose("gone");
        script.post(send(1).segment(memory, 0, 1)
                .next(send(2).sendWithInvalidate(5)
                        .next(send(3).write(1, 2).next(send(4).read(3, 4).next(send(5).localInvalidate(6))))));
        script.expectCompletion(Opcode.SEND, 1, CompletionStatus.FLUSHED);
        script.expectCompletion(Opcode.SEND_WITH_INVALIDATE, 2, CompletionStatus.FLUSHED);
        script.expectCompletion(Opcode.RDMA_WRITE, 3, CompletionStatus.FLUSHED);
        script.expectCompletion(Opcode.RDMA_READ, 4, CompletionStatus.FLUSHED);
        script.expectCompletion(Opcode.LOCAL_INVALIDATE, 5, CompletionStatus.FLUSHED);
    }

    // ---- Terminates of the peer

    @ParameterizedTest
    @CsvSource({
        "20020000, the peer terminated the connection: MPA: CRC error",
        "02020000, the peer terminated the connection: MPA: CRC error",
        "1202c000 0076 4143 00000000 00000000 00000009 00000000, "
                + "the peer terminated the connection: DDP: no buffer for this message",
        "21020300 0064 4143 00000000 00000000 00000009 00000000, "
                + "the peer terminated the connection: DDP: no buffer for this message",
        "ff, the peer terminated the connection: RDMAP: unspecified operation error",
        "3f770000, 'the peer terminated the connection: unknown error, layer 3 type 15 code 77'"
    })
    void aTerminateOfThePeerIsTheReasonAndIsNotAnswered(String body, String reason) throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.receive(1, memory, 0, 50);
        script.peerTerminates(body);
        assertThat(script.reason()).isEqualTo(reason);
        assertThat(script.stream.isOrderly()).isFalse();
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.FLUSHED)
                        .detail())
                .isEqualTo(reason);
        script.expectNothingSent();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void dataAndASecondTerminateAfterTheFirstAreIgnored() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.receive(1, memory, 0, 50);
        ByteBuffer all = ByteBuffer.allocate(1000);
        all.put(script.bytes(
                new io.rpcrdma4j.verbs.iwarp.wire.DdpHeader.Untagged(7, true, 0, 2, 1, 0),
                HexFormat.of().parseHex("20020000")));
        all.put(script.bytes(Script.sendHeader(1, 0, true), new byte[3]));
        all.put(script.bytes(
                new io.rpcrdma4j.verbs.iwarp.wire.DdpHeader.Untagged(7, true, 0, 2, 2, 0),
                HexFormat.of().parseHex("12020000")));
        script.peerSendsRaw(java.util.Arrays.copyOf(all.array(), all.position()));
        script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.FLUSHED);
        assertThat(script.reason()).contains("CRC error");
    }

    @Test
    void aRefusedReadFailsWithAnAccessErrorAndTheOthersAreFlushed() throws Exception {
        for (String control : new String[] {"0102e000", "10020700"}) {
            Script script = Script.initiator();
            TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
            for (int i = 1; i <= 3; i++) {
                script.post(send(i).read(5, 6).segment(memory, i, 1));
            }
            ReadRequest second = ReadRequest.parse(script.sends().get(1).payload());
            ByteBuffer request = ByteBuffer.allocate(ReadRequest.BYTES);
            second.writeTo(request);
            script.peerTerminates(control + "002e 4141 00000000 00000001 00000002 00000000"
                    + HexFormat.of().formatHex(request.array()));
            script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.FLUSHED);
            script.expectCompletion(Opcode.RDMA_READ, 2, CompletionStatus.REMOTE_ACCESS_ERROR);
            script.expectCompletion(Opcode.RDMA_READ, 3, CompletionStatus.FLUSHED);
        }
    }

    @Test
    void aRefusalThatDoesNotSayWhichReadConcernsTheOldest() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.post(send(1).read(5, 6).segment(memory, 0, 1));
        script.post(send(2).read(5, 6).segment(memory, 1, 1));
        script.sends();
        script.peerTerminates("01000000");
        script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.REMOTE_ACCESS_ERROR);
        script.expectCompletion(Opcode.RDMA_READ, 2, CompletionStatus.FLUSHED);
    }

    @Test
    void aRefusedWriteIsOnlyHeardOfAsTheEnd() throws IwarpException {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.post(send(1).write(5, 6).segment(memory, 0, 1).signaled(true));
        script.sends();
        script.expectCompletion(Opcode.RDMA_WRITE, 1, CompletionStatus.SUCCESS);
        script.post(send(2).read(5, 6).segment(memory, 0, 1));
        script.sends();
        script.peerTerminates("1101c000 0013 c140 00000005 0000000000000006");
        script.expectCompletion(Opcode.RDMA_READ, 2, CompletionStatus.FLUSHED);
        assertThat(script.reason()).contains(TerminateCode.DDP_TAGGED_BOUNDS.text());
    }

    @Test
    void memoryIsNotTouchedAfterItsKeyIsRevokedAndQuiet() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100_000, TestDomain.ALL);
        RemoteKey key = script.expose(memory, 0, 100_000, Access.REMOTE_WRITE);
        byte[] bytes = script.bytes(
                new io.rpcrdma4j.verbs.iwarp.wire.DdpHeader.Tagged(0, true, key.stag(), key.address()),
                Script.pattern(60_000, 1));
        script.peerSendsRaw(java.util.Arrays.copyOf(bytes, 20_000));
        key.revoke();
        assertThat(key.isQuiet()).isTrue();
        memory.segment().fill((byte) 0);
        script.peerSendsRaw(java.util.Arrays.copyOfRange(bytes, 20_000, bytes.length));
        assertThat(memory.bytes(0, 100_000)).containsOnly(0);
        assertThat(script.stream.isFailed()).isTrue();
    }
}
