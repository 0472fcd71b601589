package io.rpcrdma4j.verbs.iwarp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.TerminateCode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What we send: framing, order, completion, and what holds us back. */
class SentMessagesTest {

    private static TestDomain.Memory filled(Script script, int bytes, long seed) {
        TestDomain.Memory memory = script.domain.memory(bytes, TestDomain.ALL);
        memory.segment().copyFrom(java.lang.foreign.MemorySegment.ofArray(Script.pattern(bytes, seed)));
        return memory;
    }

    private static SendRequest send(long id) {
        return new SendRequest(4).identity(id, null).signaled(true);
    }

    @Test
    void aSendIsTheBytesOfTheSheet() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(68, 0);
        byte[] call = HexFormat.of()
                .parseHex("11223344000000010000008000000000000000000000000011223344000000000000000200"
                        + "0186a3000000030000000000000000000000000000000000000000");
        memory.segment().asSlice(0, call.length).copyFrom(java.lang.foreign.MemorySegment.ofArray(call));
        script.post(send(1).segment(memory, 0, 68));
        byte[] sent = script.drain();
        assertThat(HexFormat.of().formatHex(sent, 0, 24))
                .isEqualTo("0056414300000000000000000000000100000000" + "11223344");
        assertThat(sent).hasSize(92);
        script.expectCompletion(Opcode.SEND, 1, CompletionStatus.SUCCESS);
        assertThat(memory.retained()).isZero();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void aMessageIsCutIntoFpdusThatFitTheSegment() throws Exception {
        Script script = Script.initiator(1442);
        TestDomain.Memory memory = filled(script, 5000, 1);
        script.post(send(1).send().segment(memory, 0, 3000));
        script.post(send(2).write(77, 0xFFFF_FFFF_FFFF_F000L).segment(memory, 3000, 2000));
        List<Fpdu> fpdus = script.sends();
        assertThat(fpdus)
                .extracting(Fpdu::header)
                .containsExactly(
                        new DdpHeader.Untagged(RdmapOpcode.SEND, false, 0, 0, 1, 0),
                        new DdpHeader.Untagged(RdmapOpcode.SEND, false, 0, 0, 1, 1424),
                        new DdpHeader.Untagged(RdmapOpcode.SEND, true, 0, 0, 1, 2848),
                        new DdpHeader.Tagged(RdmapOpcode.WRITE, false, 77, 0xFFFF_FFFF_FFFF_F000L),
                        new DdpHeader.Tagged(RdmapOpcode.WRITE, true, 77, 0xFFFF_FFFF_FFFF_F000L + 1428));
        assertThat(fpdus).extracting(Fpdu::encodedLength).containsExactly(1448, 1448, 176, 1448, 592);
        ByteBuffer all = ByteBuffer.allocate(5000);
        fpdus.forEach(fpdu -> all.put(fpdu.payload()));
        assertThat(all.array()).isEqualTo(memory.bytes(0, 5000));
        script.expectCompletion(Opcode.SEND, 1, CompletionStatus.SUCCESS);
        script.expectCompletion(Opcode.RDMA_WRITE, 2, CompletionStatus.SUCCESS);
    }

    @Test
    void messagesAreNumberedFrom1PerQueue() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = filled(script, 100, 1);
        script.post(send(1).segment(memory, 0, 1));
        script.post(send(2).read(7, 8).segment(memory, 0, 1));
        script.post(send(3).sendWithInvalidate(0xABCD).segment(memory, 0, 1));
        script.post(send(4).read(7, 8).segment(memory, 0, 1));
        script.post(send(5).solicited(true));
        script.post(send(6).sendWithInvalidate(0xABCD).solicited(true));
        assertThat(script.sends())
                .extracting(Fpdu::header)
                .containsExactly(
                        new DdpHeader.Untagged(3, true, 0, 0, 1, 0),
                        new DdpHeader.Untagged(1, true, 0, 1, 1, 0),
                        new DdpHeader.Untagged(4, true, 0xABCD, 0, 2, 0),
                        new DdpHeader.Untagged(1, true, 0, 1, 2, 0),
                        new DdpHeader.Untagged(5, true, 0, 0, 3, 0),
                        new DdpHeader.Untagged(6, true, 0xABCD, 0, 4, 0));
    }

    /** B85: payload over many buffers is byte-exact with any socket send size. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 19, 21, 1000, 1447, 10_000, 100_000})
    void theNetworkMayTakeAsLittleAsItLikes(int atATime) throws Exception {
        Script script = Script.initiator(atATime < 100 ? 1442 : 65_474).takes(atATime);
        int size = atATime < 20 ? 20_000 : 400_000;
        TestDomain.Memory memory = filled(script, size, 2);
        int third = size / 3;
        script.post(new SendRequest(6)
                .identity(1, null)
                .signaled(true)
                .write(5, 0)
                .segment(memory, 0, third)
                .segment(memory, third, 0)
                .segment(memory, third, 1)
                .segment(memory, third + 1, third)
                .segment(memory, 2L * third + 1, size - 2 * third - 1));
        script.post(send(2).segment(memory, 0, 5000));
        List<Fpdu> fpdus = script.sends();
        ByteBuffer written = ByteBuffer.allocate(size);
        ByteBuffer sent = ByteBuffer.allocate(5000);
        fpdus.forEach(fpdu -> (fpdu.header() instanceof DdpHeader.Tagged ? written : sent).put(fpdu.payload()));
        assertThat(written.array()).isEqualTo(memory.bytes(0, size));
        assertThat(sent.array()).isEqualTo(memory.bytes(0, 5000));
        script.expectCompletion(Opcode.RDMA_WRITE, 1, CompletionStatus.SUCCESS);
        script.expectCompletion(Opcode.SEND, 2, CompletionStatus.SUCCESS);
        assertThat(memory.retained()).isZero();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void aRequestIsDoneWhenItsLastByteIsAccepted() {
        Script script = Script.initiator().takes(50);
        TestDomain.Memory memory = filled(script, 100, 2);
        script.post(send(1).segment(memory, 0, 10));
        script.post(send(2).segment(memory, 0, 30));
        assertThat(script.writeOnce()).isEqualTo(50);
        script.expectCompletion(Opcode.SEND, 1, CompletionStatus.SUCCESS);
        script.expectNoCompletion();
        script.writeOnce();
        script.expectCompletion(Opcode.SEND, 2, CompletionStatus.SUCCESS);
    }

    @Test
    void unsignalledSuccessIsCoveredByTheNextReport() {
        Script script = Script.initiator();
        TestDomain.Memory memory = filled(script, 100, 2);
        for (int i = 0; i < 3; i++) {
            script.post(new SendRequest(1).segment(memory, 0, 10));
        }
        script.drain();
        script.expectNoCompletion();
        script.post(send(4).segment(memory, 0, 10));
        script.drain();
        assertThat(script.expectCompletion(Opcode.SEND, 4, CompletionStatus.SUCCESS)
                        .entries())
                .isEqualTo(4);
    }

    @Test
    void inlineBytesMayChangeAfterThePost() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = filled(script, 100, 2);
        byte[] before = memory.bytes(0, 64);
        script.post(send(1).segment(memory, 0, 40).segment(memory, 40, 24).inlined(true));
        memory.segment().fill((byte) 0);
        assertThat(memory.retained()).isZero();
        assertThat(Script.payload(script.expectOne())).isEqualTo(before);
    }

    // ---- Reads of ours

    @Test
    void aReadRequestNamesItsSinkAndSource() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(5000, TestDomain.ALL);
        script.post(send(1).read(0x62b03, 0x112233440b000100L).segment(memory, 100, 4000));
        Fpdu fpdu = script.expectOne();
        ReadRequest request = ReadRequest.parse(fpdu.payload());
        assertThat(request.sourceStag()).isEqualTo(0x62b03);
        assertThat(request.sourceOffset()).isEqualTo(0x112233440b000100L);
        assertThat(request.length()).isEqualTo(4000);
        assertThat(request.sinkStag()).isNegative();
        byte[] data = Script.pattern(4000, 3);
        script.expectNoCompletion();
        script.peerResponds(request.sinkStag(), request.sinkOffset(), java.util.Arrays.copyOf(data, 1428), false);
        script.expectNoCompletion();
        script.peerResponds(
                request.sinkStag(), request.sinkOffset() + 1428, java.util.Arrays.copyOfRange(data, 1428, 4000), true);
        assertThat(script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.SUCCESS)
                        .bytes())
                .isEqualTo(4000);
        assertThat(memory.bytes(100, 4000)).isEqualTo(data);
        assertThat(memory.retained()).isZero();
    }

    @Test
    void aReadOfNothingIsSentAndAnswered() throws Exception {
        Script script = Script.initiator();
        script.post(send(1).read(5, 6));
        ReadRequest request = ReadRequest.parse(script.expectOne().payload());
        assertThat(request.length()).isZero();
        script.peerResponds(12345, 99, new byte[0], true);
        script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.SUCCESS);
    }

    @Test
    void aReadMayHaveSeveralSinks() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.post(send(1).read(5, 6).segment(memory, 50, 3).segment(memory, 10, 4));
        ReadRequest request = ReadRequest.parse(script.expectOne().payload());
        script.peerResponds(request.sinkStag(), request.sinkOffset(), new byte[] {1, 2, 3, 4, 5, 6, 7}, true);
        script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.SUCCESS);
        assertThat(memory.bytes(50, 4)).containsExactly(1, 2, 3, 0);
        assertThat(memory.bytes(10, 4)).containsExactly(4, 5, 6, 7);
    }

    /** B81: outstanding Reads never pass the limit, and everything behind a Read that waits, waits. */
    @Test
    void readsBeyondTheLimitWaitInOrder() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        for (int i = 0; i < 6; i++) {
            script.post(send(i).read(5, 6).segment(memory, i, 1));
        }
        script.post(send(6).segment(memory, 0, 1));
        List<Fpdu> first = script.sends();
        assertThat(first).hasSize(4);
        ReadRequest oldest = ReadRequest.parse(first.getFirst().payload());
        script.peerResponds(oldest.sinkStag(), oldest.sinkOffset(), new byte[1], true);
        script.expectCompletion(Opcode.RDMA_READ, 0, CompletionStatus.SUCCESS);
        assertThat(script.sends()).hasSize(1);
        ReadRequest second = ReadRequest.parse(first.get(1).payload());
        script.peerResponds(second.sinkStag(), second.sinkOffset(), new byte[1], true);
        script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.SUCCESS);
        assertThat(script.sends())
                .extracting(fpdu -> fpdu.header().opcode())
                .containsExactly(RdmapOpcode.READ_REQUEST, RdmapOpcode.SEND);
        script.expectNoCompletion();
    }

    /** B81: a fenced request starts only when all earlier Reads are complete. */
    @Test
    void aFencedSendWaitsForAllEarlierReads() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        for (int i = 0; i < 3; i++) {
            script.post(send(i).read(5, 6).segment(memory, i, 1));
        }
        script.post(send(3).fenced(true));
        List<Fpdu> reads = script.sends();
        assertThat(reads).hasSize(3);
        for (int i = 0; i < 3; i++) {
            script.expectNothingSent();
            ReadRequest read = ReadRequest.parse(reads.get(i).payload());
            script.peerResponds(read.sinkStag(), read.sinkOffset(), new byte[1], true);
            script.expectCompletion(Opcode.RDMA_READ, i, CompletionStatus.SUCCESS);
        }
        assertThat(script.expectOne().header().opcode()).isEqualTo(RdmapOpcode.SEND);
        script.expectCompletion(Opcode.SEND, 3, CompletionStatus.SUCCESS);
    }

    @Test
    void aSendBehindAReadIsReportedBehindIt() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.post(send(1).read(5, 6).segment(memory, 0, 1));
        script.post(send(2));
        List<Fpdu> both = script.sends();
        script.expectNoCompletion();
        ReadRequest read = ReadRequest.parse(both.getFirst().payload());
        script.peerResponds(read.sinkStag(), read.sinkOffset(), new byte[1], true);
        script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.SUCCESS);
        script.expectCompletion(Opcode.SEND, 2, CompletionStatus.SUCCESS);
    }

    // ---- Reads of the peer

    @Test
    void thePeersReadIsServedFromMemory() throws Exception {
        Script script = Script.responder();
        TestDomain.Memory memory = filled(script, 5000, 4);
        RemoteKey key = script.expose(memory, 100, 4000, Access.REMOTE_READ);
        script.peerReads(new ReadRequest(0x91e00, 0x7f0000001000L, 3000, key.stag(), key.address() + 10));
        List<Fpdu> response = script.sends();
        assertThat(response)
                .extracting(Fpdu::header)
                .containsExactly(
                        new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, false, 0x91e00, 0x7f0000001000L),
                        new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, false, 0x91e00, 0x7f0000001000L + 1428),
                        new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, true, 0x91e00, 0x7f0000001000L + 2856));
        ByteBuffer all = ByteBuffer.allocate(3000);
        response.forEach(fpdu -> all.put(fpdu.payload()));
        assertThat(all.array()).isEqualTo(memory.bytes(110, 3000));
        assertThat(key.isQuiet()).isTrue();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void aReadOfNothingFromABogusSourceIsAnsweredInItsTurn() throws Exception {
        Script script = Script.responder();
        TestDomain.Memory memory = filled(script, 100, 4);
        RemoteKey key = script.expose(memory, 0, 100, Access.REMOTE_READ);
        script.peerReads(new ReadRequest(1, 2, 5, key.stag(), key.address()));
        script.peerReads(new ReadRequest(3, 4, 0, 0xBAD, -1));
        assertThat(script.sends())
                .extracting(Fpdu::header)
                .containsExactly(
                        new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, true, 1, 2),
                        new DdpHeader.Tagged(RdmapOpcode.READ_RESPONSE, true, 3, 4));
    }

    @Test
    void responsesAndSendsTakeTurnsButNoTaggedMessageIsInsideAnother() throws Exception {
        Script script = Script.responder();
        TestDomain.Memory memory = filled(script, 20_000, 4);
        RemoteKey key = script.expose(memory, 0, 20_000, Access.REMOTE_READ);
        script.post(send(1).segment(memory, 0, 3000));
        script.post(send(2).write(9, 0).segment(memory, 0, 3000));
        script.peerReads(new ReadRequest(1, 0, 10_000, key.stag(), key.address()));
        List<Fpdu> all = script.sends();
        List<Integer> opcodes = all.stream().map(fpdu -> fpdu.header().opcode()).toList();
        assertThat(opcodes.subList(0, 6)).containsExactly(3, 2, 3, 2, 3, 2);
        assertThat(opcodes.subList(6, opcodes.size())).containsExactly(2, 2, 2, 2, 2, 0, 0, 0);
    }

    @Test
    void aResponseWaitsForTheEndOfAWriteThatHasBegun() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = filled(script, 2_000_000, 4);
        RemoteKey key = script.expose(memory, 0, 20_000, Access.REMOTE_READ);
        script.post(send(1).write(9, 0).segment(memory, 0, 2_000_000));
        script.post(send(2).write(9, 0).segment(memory, 0, 3000));
        assertThat(script.writeOnce()).isPositive().isLessThan(2_000_000);
        script.peerReads(new ReadRequest(1, 0, 5000, key.stag(), key.address()));
        List<Fpdu> all = script.sends();
        int begun = 0;
        while (all.get(begun).header().opcode() == RdmapOpcode.WRITE) {
            begun++;
        }
        assertThat(all.get(begun - 1).header().last()).isTrue();
        assertThat(all.subList(begun, all.size()))
                .extracting(fpdu -> fpdu.header().opcode())
                .containsExactly(2, 2, 2, 2, 0, 0, 0);
    }

    @Test
    void aSourceRevokedDuringTheResponseStopsIt() throws Exception {
        Script script = Script.responder();
        TestDomain.Memory memory = filled(script, 2_000_000, 4);
        RemoteKey key = script.expose(memory, 0, 2_000_000, Access.REMOTE_READ);
        script.peerReads(new ReadRequest(1, 100, 2_000_000, key.stag(), key.address()));
        int sent = script.writeOnce();
        assertThat(sent).isPositive().isLessThan(2_000_000);
        key.revoke();
        assertThat(key.isQuiet()).isTrue();
        List<Fpdu> all = new java.util.ArrayList<>(script.sends());
        Fpdu terminate = all.removeLast();
        int payload = all.stream().mapToInt(fpdu -> fpdu.payload().remaining()).sum();
        var parsed = io.rpcrdma4j.verbs.iwarp.wire.Terminate.parse(terminate.payload());
        assertThat(parsed.knownCode()).isEqualTo(TerminateCode.RDMAP_INVALID_STAG);
        ReadRequest rest = ReadRequest.parse(ByteBuffer.wrap(parsed.readRequest()));
        assertThat(rest.sinkOffset()).isEqualTo(100 + payload);
        assertThat(rest.length()).isEqualTo(2_000_000 - payload);
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void aSourceRevokedWithinAnFpduIsNotReadAgain() {
        Script script = Script.responder().takes(100);
        TestDomain.Memory memory = filled(script, 20_000, 4);
        RemoteKey key = script.expose(memory, 0, 20_000, Access.REMOTE_READ);
        script.peerReads(new ReadRequest(1, 100, 20_000, key.stag(), key.address()));
        assertThat(script.writeOnce()).isEqualTo(100);
        assertThat(key.isQuiet()).isTrue();
        key.revoke();
        assertThat(script.writeOnce()).isEqualTo(-1);
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(script.reason()).contains("invalidated while the peer read");
        assertThat(script.buffersOut()).isZero();
    }

    // ---- what we may not send

    @Test
    void aResponderSendsNothingBeforeThePeersFirstFpdu() throws Exception {
        Script script = Script.responder();
        TestDomain.Memory memory = filled(script, 100, 2);
        script.post(send(1).segment(memory, 0, 10));
        script.expectNothingSent();
        script.passes(Duration.ofSeconds(5));
        script.expectNothingSent();
        byte[] first = script.bytes(new DdpHeader.Tagged(RdmapOpcode.WRITE, true, 0, 0), new byte[0]);
        script.peerSendsRaw(java.util.Arrays.copyOf(first, first.length - 1));
        script.expectNothingSent();
        script.peerSendsRaw(new byte[] {first[first.length - 1]});
        assertThat(script.expectOne().header().opcode()).isEqualTo(RdmapOpcode.SEND);
    }

    @Test
    void anInitiatorThatIsNotAnsweredNudgesThePeerThreeTimes() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = filled(script, 100, 2);
        script.post(send(1).segment(memory, 0, 10));
        assertThat(script.sends()).hasSize(1);
        for (int i = 0; i < 3; i++) {
            script.passes(Duration.ofMillis(49));
            script.expectNothingSent();
            script.passes(Duration.ofMillis(1));
            Fpdu nudge = script.expectOne();
            assertThat(nudge.header()).isEqualTo(new DdpHeader.Tagged(RdmapOpcode.WRITE, true, 0, 0));
            assertThat(nudge.payload().hasRemaining()).isFalse();
        }
        assertThat(script.stream.nextDeadline()).isEqualTo(Stream.NEVER);
        script.passes(Duration.ofSeconds(5));
        script.expectNothingSent();
    }

    @Test
    void anInitiatorThatIsAnsweredDoesNotNudge() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = filled(script, 100, 2);
        script.receive(1, memory, 0, 100);
        script.post(send(1).segment(memory, 0, 10));
        script.sends();
        script.passes(Duration.ofMillis(40));
        script.peerSends(new byte[1]);
        assertThat(script.stream.nextDeadline()).isEqualTo(Stream.NEVER);
        script.passes(Duration.ofSeconds(5));
        script.expectNothingSent();
    }

    @Test
    void anInitiatorWithNothingToSendLetsTheResponderStart() throws Exception {
        Script script = Script.initiator();
        script.passes(Duration.ofMillis(50));
        assertThat(script.expectOne().header()).isEqualTo(new DdpHeader.Tagged(RdmapOpcode.WRITE, true, 0, 0));
    }

    @Test
    void aNudgeWaitsForTheEndOfAMessage() throws Exception {
        Script script = Script.initiator().takes(10);
        TestDomain.Memory memory = filled(script, 3000, 2);
        script.post(send(1).write(5, 0).segment(memory, 0, 3000));
        script.writeOnce();
        script.passes(Duration.ofMillis(60));
        List<Fpdu> all = script.sends();
        assertThat(all).hasSize(4);
        assertThat(all.get(3).payload().hasRemaining()).isFalse();
    }

    // ---- requests that can't be done

    @Test
    void aRequestThatCannotBeDoneFailsAfterThoseBeforeIt() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = filled(script, 100, 2);
        script.post(send(1).segment(memory, 0, 10));
        script.post(send(2).segment(memory, 95, 10));
        script.post(send(3).segment(memory, 0, 10));
        List<Fpdu> all = script.sends();
        assertThat(all).hasSize(2);
        assertThat(all.getLast().header().opcode()).isEqualTo(RdmapOpcode.TERMINATE);
        script.expectCompletion(Opcode.SEND, 1, CompletionStatus.SUCCESS);
        assertThat(script.expectCompletion(Opcode.SEND, 2, CompletionStatus.LOCAL_PROTECTION_ERROR)
                        .detail())
                .isEqualTo("segment 0 (offset 95, length 10) lies outside of its region of 100 bytes");
        script.expectCompletion(Opcode.SEND, 3, CompletionStatus.FLUSHED);
        assertThat(memory.retained()).isZero();
    }

    @Test
    void aReadNeedsASinkThatThePeerMayWrite() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        script.post(send(1).read(5, 6).segment(memory, 0, 10));
        script.drain();
        assertThat(script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.LOCAL_PROTECTION_ERROR)
                        .detail())
                .contains("lacks REMOTE_WRITE");
    }

    @Test
    void withoutOutboundReadsAReadFailsAtOnce() {
        var script = new Script();
        script.open(new StreamSettings(true, true, 4, 0, 1442));
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        script.post(send(1).read(5, 6).segment(memory, 0, 10));
        script.drain();
        script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.LOCAL_QP_OPERATION_ERROR);
    }

    @Test
    void aLocalInvalidationHappensInItsTurn() throws Exception {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(100, TestDomain.ALL);
        RemoteKey key = script.expose(memory, 0, 10, Access.REMOTE_WRITE);
        script.post(send(1).read(5, 6).segment(memory, 0, 10));
        script.post(send(2).localInvalidate(key.stag()).fenced(true));
        ReadRequest read = ReadRequest.parse(script.expectOne().payload());
        assertThat(key.isValid()).isTrue();
        script.peerResponds(read.sinkStag(), read.sinkOffset(), new byte[10], true);
        script.drain();
        assertThat(key.isValid()).isFalse();
        script.expectCompletion(Opcode.RDMA_READ, 1, CompletionStatus.SUCCESS);
        script.expectCompletion(Opcode.LOCAL_INVALIDATE, 2, CompletionStatus.SUCCESS);
    }
}
