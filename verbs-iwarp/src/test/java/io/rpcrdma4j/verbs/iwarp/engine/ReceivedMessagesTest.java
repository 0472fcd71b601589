package io.rpcrdma4j.verbs.iwarp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.RdmapOpcode;
import java.io.ByteArrayOutputStream;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the peer may send, and where it lands. */
class ReceivedMessagesTest {

    private static DdpHeader write(int stag, long offset, boolean last) {
        return new DdpHeader.Tagged(RdmapOpcode.WRITE, last, stag, offset);
    }

    @Test
    void aSendFillsAReceiveAndCompletesIt() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        script.receive(7, memory, 10, 90);
        script.peerSends(new byte[] {1, 2, 3});
        assertThat(script.expectCompletion(Opcode.RECEIVE, 7, CompletionStatus.SUCCESS)
                        .bytes())
                .isEqualTo(3);
        assertThat(memory.bytes(9, 5)).containsExactly(0, 1, 2, 3, 0);
        assertThat(memory.retained()).isZero();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void anFpduThatCameWithTheMpaReplyIsNotLost() {
        var script = new Script();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        script.receive(7, memory, 0, 100);
        // Framed as the stream that is not open yet will want it: with a CRC.
        byte[] first = script.bytes(Script.sendHeader(1, 0, true), new byte[] {1, 2, 3});
        script.stream.open(
                new StreamSettings(true, true, 4, 4, 1442),
                java.nio.ByteBuffer.allocate(0),
                java.nio.ByteBuffer.wrap(first),
                0);
        script.expectCompletion(Opcode.RECEIVE, 7, CompletionStatus.SUCCESS);
    }

    @Test
    void aZeroLengthSendTakesAReceive() {
        Script script = Script.responder();
        script.receive(7, script.domain.memory(100, Access.LOCAL_WRITE), 0, 100);
        script.peerSends(new byte[0]);
        assertThat(script.expectCompletion(Opcode.RECEIVE, 7, CompletionStatus.SUCCESS)
                        .bytes())
                .isZero();
    }

    @Test
    void messageSequenceNumbersWrap() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        script.receive(1, memory, 0, 10);
        script.peerSends(new byte[1]);
        script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.SUCCESS);
        script.stream.skipTo(-1);
        for (int sequence : new int[] {-1, 0, 1}) {
            script.receive(sequence, memory, 0, 10);
            script.peerSends(Script.sendHeader(sequence, 0, true), new byte[1]);
            script.expectCompletion(Opcode.RECEIVE, sequence, CompletionStatus.SUCCESS);
        }
    }

    @Test
    void nonZeroPadAndWithoutCrcAnyCrcFieldAreAccepted() {
        Script script = Script.initiatorWithoutCrc();
        script.receive(1, script.domain.memory(100, Access.LOCAL_WRITE), 0, 100);
        byte[] bytes = script.bytes(Script.sendHeader(1, 0, true), new byte[] {9});
        for (int i = 21; i < bytes.length; i++) {
            bytes[i] = (byte) 0xEE;
        }
        script.peerSendsRaw(bytes);
        script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.SUCCESS);
    }

    @Test
    void theLongestFpduIsLegal() {
        Script script = Script.initiator();
        TestDomain.Memory memory = script.domain.memory(70_000, Access.LOCAL_WRITE);
        RemoteKey key = script.expose(memory, 0, 70_000, Access.REMOTE_WRITE);
        byte[] bytes = Script.pattern(65_521, 1);
        script.peerWrites(key.stag(), key.address(), bytes);
        assertThat(memory.bytes(0, bytes.length)).isEqualTo(bytes);
        assertThat(script.stream.isFailed()).isFalse();
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void aZeroLengthWriteIsNotChecked() {
        Script script = Script.responder();
        script.peerWrites(0xDEADBEEF, -1, new byte[0]);
        assertThat(script.stream.isFailed()).isFalse();
    }

    @Test
    void aWriteMayLeaveGapsWithinAMessage() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        RemoteKey key = script.expose(memory, 50, 50, Access.REMOTE_WRITE);
        script.peerSends(write(key.stag(), key.address(), false), new byte[] {1});
        script.peerSends(write(key.stag(), key.address() + 49, true), new byte[] {2});
        assertThat(memory.bytes(50, 1)).containsExactly(1);
        assertThat(memory.bytes(99, 1)).containsExactly(2);
        assertThat(script.stream.isFailed()).isFalse();
    }

    @Test
    void ofOverlappingWritesTheLastWins() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(10, Access.LOCAL_WRITE);
        RemoteKey key = script.expose(memory, 0, 10, Access.REMOTE_WRITE);
        script.peerWrites(key.stag(), key.address(), new byte[] {1, 1, 1});
        script.peerWrites(key.stag(), key.address() + 1, new byte[] {2, 2, 2});
        assertThat(memory.bytes(0, 5)).containsExactly(1, 2, 2, 2, 0);
    }

    @Test
    void aSendBetweenTheSegmentsOfAWriteIsAccepted() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        RemoteKey key = script.expose(memory, 0, 50, Access.REMOTE_WRITE);
        script.receive(3, memory, 50, 50);
        script.peerSends(write(key.stag(), key.address(), false), new byte[] {1});
        script.peerSends(new byte[] {7});
        script.peerSends(write(key.stag(), key.address() + 1, true), new byte[] {2});
        script.expectCompletion(Opcode.RECEIVE, 3, CompletionStatus.SUCCESS);
        assertThat(memory.bytes(0, 2)).containsExactly(1, 2);
        assertThat(memory.bytes(50, 1)).containsExactly(7);
    }

    @Test
    void aSendMayComeInManySegmentsIntoManyPieces() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        var request = new io.rpcrdma4j.verbs.ReceiveRequest(4)
                .identity(5, null)
                .segment(memory, 90, 2)
                .segment(memory, 0, 0)
                .segment(memory, 10, 1)
                .segment(memory, 20, 50);
        assertThat(script.receives.post(request)).isNull();
        byte[] message = Script.pattern(40, 2);
        int at = 0;
        for (int length : new int[] {1, 2, 0, 30, 7}) {
            var part = java.util.Arrays.copyOfRange(message, at, at + length);
            script.peerSends(Script.sendHeader(1, at, at + length == 40), part);
            at += length;
        }
        assertThat(script.expectCompletion(Opcode.RECEIVE, 5, CompletionStatus.SUCCESS)
                        .bytes())
                .isEqualTo(40);
        assertThat(memory.bytes(90, 2)).isEqualTo(java.util.Arrays.copyOfRange(message, 0, 2));
        assertThat(memory.bytes(10, 1)).isEqualTo(java.util.Arrays.copyOfRange(message, 2, 3));
        assertThat(memory.bytes(20, 37)).isEqualTo(java.util.Arrays.copyOfRange(message, 3, 40));
    }

    @Test
    void aSendWithInvalidateEndsTheKeyBeforeTheReceiveIsReported() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        RemoteKey key = script.expose(memory, 0, 50, Access.REMOTE_WRITE);
        script.receive(3, memory, 50, 50);
        script.peerInvalidates(key.stag(), new byte[] {7});
        assertThat(key.isValid()).isFalse();
        assertThat(script.expectCompletion(Opcode.RECEIVE, 3, CompletionStatus.SUCCESS)
                        .key())
                .isEqualTo(key.stag());
        assertThat(script.keys.size()).isZero();
    }

    @Test
    void anInvalidationThatCrossesOursIsNoFault() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        RemoteKey key = script.expose(memory, 0, 50, Access.REMOTE_WRITE);
        int stag = key.stag();
        key.revoke();
        script.keys.remove(key);
        script.stream.revokedKeys().add(stag);
        script.receive(3, memory, 50, 50);
        script.peerInvalidates(stag, new byte[] {7});
        script.expectCompletion(Opcode.RECEIVE, 3, CompletionStatus.SUCCESS);
    }

    @Test
    void solicitedSendsAreSends() {
        Script script = Script.responder();
        TestDomain.Memory memory = script.domain.memory(100, Access.LOCAL_WRITE);
        RemoteKey key = script.expose(memory, 0, 50, Access.REMOTE_WRITE);
        script.receive(3, memory, 50, 10);
        script.receive(4, memory, 60, 10);
        script.peerSends(new DdpHeader.Untagged(5, true, 0, 0, 1, 0), new byte[1]);
        script.peerSends(new DdpHeader.Untagged(6, true, key.stag(), 0, 2, 0), new byte[1]);
        assertThat(script.expectCompletion(Opcode.RECEIVE, 3, CompletionStatus.SUCCESS)
                        .key())
                .isZero();
        assertThat(script.expectCompletion(Opcode.RECEIVE, 4, CompletionStatus.SUCCESS)
                        .key())
                .isEqualTo(key.stag());
    }

    /**
     * Every way to cut the same stream into reads gives the same result: headers split at any byte, many FPDUs in one.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 15, 16, 17, 19, 20, 21, 100, 1448, 8191, 8192, 8193, 50_000, 1_000_000})
    void theNetworkMayCutTheStreamAnywhere(int cut) {
        for (boolean crc : new boolean[] {true, false}) {
            Script script = (crc ? Script.initiator() : Script.initiatorWithoutCrc()).cutInto(cut);
            TestDomain.Memory memory = script.domain.memory(400_000, Access.LOCAL_WRITE);
            RemoteKey key = script.expose(memory, 0, 300_000, Access.REMOTE_WRITE);
            script.receive(1, memory, 300_000, 90_000);
            var all = new ByteArrayOutputStream();
            byte[] data = Script.pattern(300_000, 3);
            byte[] message = Script.pattern(81_000, 4);
            var random = new SplittableRandom(5);
            int written = 0;
            int sent = 0;
            while (written < data.length || sent < message.length) {
                int want = 1 + random.nextInt(1 << random.nextInt(1, 17));
                if (written < data.length && (sent == message.length || random.nextInt(4) > 0)) {
                    int n = Math.min(Math.min(want, 65_521), data.length - written);
                    byte[] part = java.util.Arrays.copyOfRange(data, written, written + n);
                    all.writeBytes(
                            script.bytes(write(key.stag(), key.address() + written, random.nextBoolean()), part));
                    written += n;
                } else if (sent < message.length) {
                    int n = Math.min(Math.min(want, 65_517), message.length - sent);
                    byte[] part = java.util.Arrays.copyOfRange(message, sent, sent + n);
                    all.writeBytes(script.bytes(Script.sendHeader(1, sent, sent + n == message.length), part));
                    sent += n;
                }
            }
            script.peerSendsRaw(all.toByteArray());
            assertThat(script.stream.reason()).isNull();
            assertThat(script.expectCompletion(Opcode.RECEIVE, 1, CompletionStatus.SUCCESS)
                            .bytes())
                    .isEqualTo(message.length);
            assertThat(memory.bytes(0, data.length)).isEqualTo(data);
            assertThat(memory.bytes(300_000, message.length)).isEqualTo(message);
            assertThat(script.buffersOut()).isZero();
            assertThat(key.isQuiet()).isTrue();
        }
    }
}
