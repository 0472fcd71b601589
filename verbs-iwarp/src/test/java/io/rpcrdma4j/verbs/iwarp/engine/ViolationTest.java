package io.rpcrdma4j.verbs.iwarp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.iwarp.wire.DdpHeader;
import io.rpcrdma4j.verbs.iwarp.wire.Fpdu;
import io.rpcrdma4j.verbs.iwarp.wire.ReadRequest;
import io.rpcrdma4j.verbs.iwarp.wire.Terminate;
import io.rpcrdma4j.verbs.iwarp.wire.Violation;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each rule that the peer can break in full operation: the Terminate that we send, what we say about it, and that all
 * work is flushed. Rules of the start-up are in {@code MpaStartUpTest}.
 */
class ViolationTest {

    private static final Set<Violation> OF_START_UP = EnumSet.of(
            Violation.MPA_KEY,
            Violation.MPA_REVISION,
            Violation.MPA_PRIVATE_DATA_LENGTH,
            Violation.MPA_ENHANCED_DATA,
            Violation.MPA_MARKERS,
            Violation.MPA_EARLY_DATA,
            Violation.MPA_INSUFFICIENT_IRD);

    /** What the peer does, with a key on 65,536 bytes to write, one to read, and an outstanding Read of ours. */
    record Case(String what, Violation violation, String reason, Crime crime) {
        @Override
        public String toString() {
            return what;
        }
    }

    /** Something that a peer does. */
    interface Crime {
        void commit(Scene scene) throws Exception;
    }

    /** Where it happens. */
    static final class Scene {
        final Script script = Script.initiator();
        final TestDomain.Memory memory = script.domain.memory(200_000, TestDomain.ALL);
        final RemoteKey writable = script.expose(memory, 0, 65_536, Access.REMOTE_WRITE);
        final RemoteKey readable = script.expose(memory, 65_536, 1000, Access.REMOTE_READ);
        final int sinkStag;

        Scene() throws Exception {
            script.receive(1, memory, 100_000, 100);
            script.receive(2, memory, 100_100, 100);
            script.post(new SendRequest(1).identity(3, null).read(77, 0).segment(memory, 1000, 10));
            sinkStag = ReadRequest.sinkStag(script.expectOne().payload(), 0);
        }

        /** An FPDU of {@code ulpdu} bytes with a right CRC. */
        void sendsUlpdu(byte[] ulpdu) {
            ByteBuffer all = ByteBuffer.allocate(Fpdu.totalBytes(ulpdu.length));
            all.putShort((short) ulpdu.length).put(ulpdu);
            int end = all.capacity() - Fpdu.CRC_BYTES;
            all.putInt(
                    end,
                    io.rpcrdma4j.verbs.iwarp.wire.FpduCrc.of(
                            all.duplicate().limit(end).position(0)));
            script.peerSendsRaw(all.array());
        }

        void sendsUlpdu(int ddp, int rdmap, int length) {
            var ulpdu = new byte[length];
            ulpdu[0] = (byte) ddp;
            ulpdu[1] = (byte) rdmap;
            sendsUlpdu(ulpdu);
        }

        void reads(RemoteKey key, long offset, long length) {
            script.peerReads(new ReadRequest(5, 0, length, key.stag(), key.address() + offset));
        }
    }

    private static DdpHeader tagged(int opcode, boolean last, int stag, long offset) {
        return new DdpHeader.Tagged(opcode, last, stag, offset);
    }

    private static DdpHeader untagged(int opcode, int stag, int queue, int sequence, int offset) {
        return new DdpHeader.Untagged(opcode, true, stag, queue, sequence, offset);
    }

    static Stream<Case> cases() {
        return Stream.of(framing(), writes(), sends(), reads(), invalidations()).flatMap(List::stream);
    }

    private static List<Case> framing() {
        return List.of(
                new Case("a flipped bit", Violation.CRC, "CRC of an FPDU is 0x", s -> {
                    byte[] bytes = s.script.bytes(Script.sendHeader(1, 0, true), new byte[10]);
                    bytes[25] ^= 4;
                    s.script.peerSendsRaw(bytes);
                }),
                new Case("a flipped bit in a long Write", Violation.CRC, "CRC of an FPDU is 0x", s -> {
                    byte[] bytes =
                            s.script.bytes(tagged(0, true, s.writable.stag(), s.writable.address()), new byte[60_000]);
                    bytes[50_000] ^= 4;
                    s.script.cutInto(1000).peerSendsRaw(bytes);
                }),
                new Case("a flipped bit in the STag of a long Write", Violation.CRC, "CRC of an FPDU is 0x", s -> {
                    byte[] bytes =
                            s.script.bytes(tagged(0, true, s.writable.stag(), s.writable.address()), new byte[60_000]);
                    bytes[5] ^= 4;
                    s.script.cutInto(1000).peerSendsRaw(bytes);
                }),
                new Case(
                        "an ULPDU of 0 bytes",
                        Violation.FPDU_TOO_SHORT,
                        "has no header",
                        s -> s.sendsUlpdu(new byte[0])),
                new Case(
                        "an ULPDU of 1 byte",
                        Violation.FPDU_TOO_SHORT,
                        "has no header",
                        s -> s.sendsUlpdu(new byte[1])),
                new Case(
                        "a Write without its offset",
                        Violation.FPDU_TOO_SHORT,
                        "shorter than its header",
                        s -> s.sendsUlpdu(0xC1, 0x40, 13)),
                new Case(
                        "a Send without its offset",
                        Violation.FPDU_TOO_SHORT,
                        "shorter than its header",
                        s -> s.sendsUlpdu(0x41, 0x43, 17)),
                new Case("half an FPDU and then nothing", Violation.FPDU_TIMEOUT, "not complete after 30 s", s -> {
                    s.script.peerSendsRaw(new byte[] {0, 40, 0x41});
                    s.script.passes(Duration.ofSeconds(29));
                    assertThat(s.script.stream.isFailed()).isFalse();
                    s.script.passes(Duration.ofSeconds(2));
                }),
                new Case(
                        "DDP version 2, tagged",
                        Violation.DDP_VERSION_TAGGED,
                        "DDP version 2",
                        s -> s.sendsUlpdu(0xC2, 0x40, 14)),
                new Case(
                        "DDP version 0, untagged",
                        Violation.DDP_VERSION_UNTAGGED,
                        "DDP version 0",
                        s -> s.sendsUlpdu(0x40, 0x43, 18)),
                new Case(
                        "RDMAP version 0",
                        Violation.RDMAP_VERSION,
                        "RDMAP version 0",
                        s -> s.sendsUlpdu(0x41, 0x03, 18)),
                new Case(
                        "opcode 8",
                        Violation.UNEXPECTED_OPCODE,
                        "opcode 8 in an untagged",
                        s -> s.sendsUlpdu(0x41, 0x48, 26)),
                new Case(
                        "opcode 15 first",
                        Violation.UNEXPECTED_OPCODE,
                        "opcode 15 in an untagged",
                        s -> s.sendsUlpdu(0x41, 0x4F, 18)),
                new Case(
                        "a Write with T=0",
                        Violation.UNEXPECTED_OPCODE,
                        "RDMA Write in an untagged",
                        s -> s.sendsUlpdu(0x41, 0x40, 18)),
                new Case(
                        "a Send with T=1",
                        Violation.UNEXPECTED_OPCODE,
                        "Send in a tagged",
                        s -> s.sendsUlpdu(0xC1, 0x43, 18)));
    }

    private static List<Case> writes() {
        return List.of(
                new Case(
                        "an unknown STag",
                        Violation.WRITE_STAG,
                        "peer wrote 4 bytes to invalid key 0x12345678",
                        s -> s.script.peerWrites(0x12345678, 0, new byte[4])),
                new Case(
                        "another key byte",
                        Violation.WRITE_STAG,
                        "to invalid key",
                        s -> s.script.peerWrites(s.writable.stag() ^ 1, s.writable.address(), new byte[4])),
                new Case("a revoked STag", Violation.WRITE_STAG, "to invalid key", s -> {
                    s.writable.revoke();
                    s.script.peerWrites(s.writable.stag(), s.writable.address(), new byte[4]);
                }),
                new Case("an STag revoked between segments", Violation.WRITE_STAG, "to invalid key", s -> {
                    long at = s.writable.address();
                    s.script.peerSends(tagged(0, false, s.writable.stag(), at), new byte[4]);
                    assertThat(s.script.stream.isFailed()).isFalse();
                    s.writable.revoke();
                    s.script.peerSends(tagged(0, true, s.writable.stag(), at + 4), new byte[4]);
                }),
                new Case("an STag revoked within a segment", Violation.WRITE_STAG, "was invalidated while", s -> {
                    byte[] bytes =
                            s.script.bytes(tagged(0, true, s.writable.stag(), s.writable.address()), new byte[60_000]);
                    s.script.peerSendsRaw(java.util.Arrays.copyOf(bytes, 30_000));
                    s.writable.revoke();
                    assertThat(s.writable.isQuiet()).isTrue();
                    s.script.peerSendsRaw(new byte[] {1});
                }),
                new Case("another STag within a message", Violation.WRITE_STAG, "within a message", s -> {
                    RemoteKey other = s.script.expose(s.memory, 0, 100, Access.REMOTE_WRITE);
                    s.script.peerSends(tagged(0, false, s.writable.stag(), s.writable.address()), new byte[4]);
                    s.script.peerSends(tagged(0, true, other.stag(), other.address()), new byte[4]);
                }),
                new Case(
                        "the sink of our own Read",
                        Violation.WRITE_STAG,
                        "to invalid key",
                        s -> s.script.peerWrites(s.sinkStag, 1000, new byte[10])),
                new Case(
                        "a key that is only readable",
                        Violation.WRITE_ACCESS,
                        "may not be written",
                        s -> s.script.peerWrites(s.readable.stag(), s.readable.address(), new byte[4])),
                new Case("a key of another domain", Violation.WRITE_STREAM, "another connection", s -> {
                    var key = new RemoteKey(false);
                    var domain = new TestDomain();
                    key.describe(domain.memory(10, TestDomain.ALL), domain, null, 0, 10, Access.REMOTE_WRITE);
                    s.script.keys.insert(key);
                    s.script.peerWrites(key.stag(), key.address(), new byte[4]);
                }),
                new Case("a key of another stream", Violation.WRITE_STREAM, "another connection", s -> {
                    var key = new RemoteKey(true);
                    key.describe(s.memory, s.script.domain, new Script().stream, 0, 10, Access.REMOTE_WRITE);
                    s.script.keys.insert(key);
                    s.script.peerWrites(key.stag(), key.address(), new byte[4]);
                }),
                new Case(
                        "one byte beyond the end",
                        Violation.WRITE_BOUNDS,
                        "peer wrote 4096 bytes beyond key 0x%x (length 65536), at offset 61441",
                        s -> s.script.peerWrites(
                                s.writable.stag(), s.writable.address() + 65_536 - 4095, new byte[4096])),
                new Case(
                        "one byte before the start",
                        Violation.WRITE_BOUNDS,
                        "bytes before key",
                        s -> s.script.peerWrites(s.writable.stag(), s.writable.address() - 1, new byte[4])),
                new Case("two regions side by side", Violation.WRITE_BOUNDS, "8 bytes beyond key", s -> {
                    RemoteKey left = s.script.expose(s.memory, 0, 100, Access.REMOTE_WRITE);
                    s.script.expose(s.memory, 100, 100, Access.REMOTE_WRITE);
                    s.script.peerWrites(left.stag(), left.address() + 96, new byte[8]);
                }),
                new Case(
                        "an end beyond 2^64",
                        Violation.WRITE_WRAP,
                        "past the end of the 64-bit offsets",
                        s -> s.script.peerWrites(s.writable.stag(), -2, new byte[4])));
    }

    private static List<Case> sends() {
        return List.of(
                new Case(
                        "queue 5",
                        Violation.QUEUE_NUMBER,
                        "Send on queue 5",
                        s -> s.script.peerSends(untagged(3, 0, 5, 1, 0), new byte[1])),
                new Case(
                        "a Send on the queue of Reads",
                        Violation.QUEUE_NUMBER,
                        "Send on queue 1",
                        s -> s.script.peerSends(untagged(3, 0, 1, 1, 0), new byte[1])),
                new Case(
                        "a gap in the numbers",
                        Violation.MESSAGE_SEQUENCE,
                        "number 2 on queue 0, expected 1",
                        s -> s.script.peerSends(untagged(3, 0, 0, 2, 0), new byte[1])),
                new Case("a number twice", Violation.MESSAGE_SEQUENCE, "number 1 on queue 0, expected 2", s -> {
                    s.script.peerSends(untagged(3, 0, 0, 1, 0), new byte[1]);
                    s.script.completions.clear();
                    s.script.peerSends(untagged(3, 0, 0, 1, 0), new byte[1]);
                }),
                new Case("the next message inside a message", Violation.MESSAGE_SEQUENCE, "expected 1", s -> {
                    s.script.peerSends(Script.sendHeader(1, 0, false), new byte[1]);
                    s.script.peerSends(untagged(3, 0, 0, 2, 0), new byte[1]);
                }),
                new Case(
                        "a first segment with an offset",
                        Violation.MESSAGE_OFFSET,
                        "offset 4 after 0",
                        s -> s.script.peerSends(untagged(3, 0, 0, 1, 4), new byte[1])),
                new Case("a gap in a message", Violation.MESSAGE_OFFSET, "offset 5 after 4", s -> {
                    s.script.peerSends(Script.sendHeader(1, 0, false), new byte[4]);
                    s.script.peerSends(untagged(3, 0, 0, 1, 5), new byte[1]);
                }),
                new Case("more messages than Receives", Violation.NO_RECEIVE, "message 3 but no Receive", s -> {
                    for (int i = 0; i < 3; i++) {
                        s.script.completions.clear();
                        s.script.peerSends(new byte[1]);
                    }
                }),
                new Case(
                        "a message longer than its Receive",
                        Violation.RECEIVE_TOO_SHORT,
                        "into a Receive of 100",
                        s -> s.script.peerSends(new byte[101])),
                new Case("a Receive into read-only memory", Violation.RECEIVE_MEMORY, "lacks LOCAL_WRITE", s -> {
                    s.script.receive(9, s.script.domain.memory(10, 0), 0, 10);
                    s.script.peerSends(new byte[1]).peerSends(new byte[1]);
                    s.script.completions.clear();
                    s.script.peerSends(new byte[1]);
                }));
    }

    private static List<Case> reads() {
        return List.of(
                new Case(
                        "a Read Request of 27 bytes",
                        Violation.READ_REQUEST_LENGTH,
                        "27 bytes, not 28",
                        s -> s.script.peerSends(untagged(1, 0, 1, 1, 0), new byte[27])),
                new Case("a Read Request of 60,000 bytes", Violation.READ_REQUEST_LENGTH, "60000 bytes", s -> {
                    byte[] bytes = s.script.bytes(untagged(1, 0, 1, 1, 0), new byte[60_000]);
                    s.script.peerSendsRaw(java.util.Arrays.copyOf(bytes, 100));
                }),
                new Case(
                        "a Read Request in parts",
                        Violation.READ_REQUEST_LENGTH,
                        "more than one segment",
                        s -> s.script.peerSends(new DdpHeader.Untagged(1, false, 0, 1, 1, 0), new byte[28])),
                new Case(
                        "a Read Request with an offset",
                        Violation.MESSAGE_OFFSET,
                        "offset 1 in",
                        s -> s.script.peerSends(untagged(1, 0, 1, 1, 1), new byte[28])),
                new Case(
                        "a Read Request on queue 0",
                        Violation.QUEUE_NUMBER,
                        "Request on queue 0",
                        s -> s.script.peerSends(untagged(1, 0, 0, 1, 0), new byte[28])),
                new Case(
                        "a Read Request out of turn",
                        Violation.MESSAGE_SEQUENCE,
                        "number 2 on queue 1",
                        s -> s.script.peerSends(untagged(1, 0, 1, 2, 0), new byte[28])),
                new Case("one Read more than negotiated", Violation.READ_REQUEST_LIMIT, "more than 4", s -> {
                    for (int i = 0; i < 5; i++) {
                        s.reads(s.readable, 0, 10);
                    }
                }),
                new Case(
                        "a Read from an unknown STag",
                        Violation.READ_STAG,
                        "from invalid key 0x99",
                        s -> s.script.peerReads(new ReadRequest(5, 0, 10, 0x99, 0))),
                new Case(
                        "a Read from a key that is only writable",
                        Violation.READ_ACCESS,
                        "may not be read",
                        s -> s.reads(s.writable, 0, 10)),
                new Case("a Read from a key of another domain", Violation.READ_STREAM, "another connection", s -> {
                    var key = new RemoteKey(false);
                    var domain = new TestDomain();
                    key.describe(domain.memory(10, TestDomain.ALL), domain, null, 0, 10, Access.REMOTE_READ);
                    s.script.keys.insert(key);
                    s.reads(key, 0, 10);
                }),
                new Case(
                        "a Read beyond the end",
                        Violation.READ_BOUNDS,
                        "peer asked to read 10 bytes beyond key 0x%2$x (length 1000), at offset 991",
                        s -> s.reads(s.readable, 991, 10)),
                new Case(
                        "a Read of 2^32 - 1 bytes",
                        Violation.READ_BOUNDS,
                        "4294967295 bytes beyond",
                        s -> s.reads(s.readable, 0, 0xFFFF_FFFFL)),
                new Case(
                        "a Read whose end is beyond 2^64",
                        Violation.READ_WRAP,
                        "past the end",
                        s -> s.script.peerReads(new ReadRequest(5, 0, 10, s.readable.stag(), -3))),
                new Case("a Response to nothing", Violation.READ_RESPONSE_STAG, "none is due", s -> {
                    s.script.peerResponds(s.sinkStag, 1000, new byte[10], true);
                    s.script.completions.clear();
                    s.script.peerResponds(s.sinkStag, 1000, new byte[10], true);
                }),
                new Case(
                        "a Response to another STag",
                        Violation.READ_RESPONSE_STAG,
                        "due is",
                        s -> s.script.peerResponds(s.sinkStag ^ 0x100, 1000, new byte[10], true)),
                new Case(
                        "a Response to another offset",
                        Violation.READ_RESPONSE_STAG,
                        "due is",
                        s -> s.script.peerResponds(s.sinkStag, 1001, new byte[10], true)),
                new Case("the Response to the second Read first", Violation.READ_RESPONSE_STAG, "due is", s -> {
                    s.script.post(
                            new SendRequest(1).identity(4, null).read(78, 0).segment(s.memory, 2000, 10));
                    int second = ReadRequest.sinkStag(s.script.expectOne().payload(), 0);
                    s.script.peerResponds(second, 2000, new byte[10], true);
                }),
                new Case(
                        "a Response that is too short",
                        Violation.READ_RESPONSE_LENGTH,
                        "of 9 bytes, asked for 10",
                        s -> s.script.peerResponds(s.sinkStag, 1000, new byte[9], true)),
                new Case(
                        "a Response that is too long",
                        Violation.READ_RESPONSE_LENGTH,
                        "11 bytes, asked for 10",
                        s -> s.script.peerResponds(s.sinkStag, 1000, new byte[11], true)),
                new Case(
                        "a Response that goes on",
                        Violation.READ_RESPONSE_LENGTH,
                        "10 bytes or more",
                        s -> s.script.peerResponds(s.sinkStag, 1000, new byte[10], false)));
    }

    private static List<Case> invalidations() {
        return List.of(
                new Case(
                        "the invalidation of an unknown STag",
                        Violation.INVALIDATE_STAG,
                        "unknown key 0x4711",
                        s -> s.script.peerInvalidates(0x4711, new byte[1])),
                new Case(
                        "the invalidation of a key of another stream", Violation.INVALIDATE_STREAM, "not one of", s -> {
                            var key = new RemoteKey(true);
                            key.describe(s.memory, s.script.domain, new Script().stream, 0, 10, Access.REMOTE_WRITE);
                            s.script.keys.insert(key);
                            s.script.peerInvalidates(key.stag(), new byte[1]);
                            assertThat(key.isValid()).isTrue();
                        }),
                new Case("the invalidation of a whole region's key", Violation.INVALIDATE_STREAM, "not one of", s -> {
                    var key = new RemoteKey(false);
                    key.describe(s.memory, s.script.domain, null, 0, 10, Access.REMOTE_WRITE);
                    s.script.keys.insert(key);
                    s.script.peerInvalidates(key.stag(), new byte[1]);
                    assertThat(key.isValid()).isTrue();
                }));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void whatThePeerDoesWrongEndsTheStreamWithTheRightTerminate(Case each) throws Exception {
        var scene = new Scene();
        each.crime().commit(scene);
        Script script = scene.script;
        Terminate terminate = script.expectTerminate(each.violation().terminateCode());
        String reason = String.format(each.reason(), scene.writable.stag(), scene.readable.stag());
        assertThat(script.reason()).contains(reason);
        if (terminate.layer() == 2) {
            assertThat(terminate.encodedLength()).isEqualTo(Terminate.CONTROL_BYTES);
        }
        assertThat(script.completions).as("the Read and the Receives at hand").isNotEmpty();
        assertThat(script.completions).allSatisfy(done -> {
            assertThat(done.status()).isNotEqualTo(CompletionStatus.SUCCESS);
            assertThat(done.detail()).contains(reason);
        });
        assertThat(scene.memory.retained()).isZero();
        assertThat(script.buffersOut()).isZero();
        assertFlushedAndDeaf(scene);
    }

    private static void assertFlushedAndDeaf(Scene scene) throws Exception {
        Script script = scene.script;
        script.completions.clear();
        script.post(new SendRequest(1).identity(8, null).segment(scene.memory, 0, 1));
        script.expectCompletion(Opcode.SEND, 8, CompletionStatus.FLUSHED);
        script.receive(9, scene.memory, 0, 1);
        script.expectCompletion(Opcode.RECEIVE, 9, CompletionStatus.FLUSHED);
        script.peerSends(new byte[] {1});
        script.expectNoCompletion();
        script.expectNothingSent();
        script.stream.shutdownDone();
        assertThat(script.stream.isFinished()).isFalse();
        script.peerCloses();
        assertThat(script.stream.isFinished()).isTrue();
        assertThat(script.stream.nextDeadline()).isEqualTo(io.rpcrdma4j.verbs.iwarp.engine.Stream.NEVER);
        assertThat(script.buffersOut()).isZero();
    }

    @Test
    void everyRuleOfFullOperationHasACase() {
        EnumSet<Violation> seen = EnumSet.copyOf(OF_START_UP);
        cases().forEach(each -> seen.add(each.violation()));
        assertThat(seen).containsExactlyInAnyOrder(Violation.values());
    }

    @Test
    void theTerminatedHeaderIsTold() throws Exception {
        var scene = new Scene();
        scene.script.peerWrites(0x12345678, 0x1122334455667788L, new byte[4]);
        Terminate terminate = scene.script.expectTerminate(Violation.WRITE_STAG.terminateCode());
        assertThat(terminate.segmentLength()).isEqualTo(18);
        assertThat(terminate.ddpHeader()).asHexString().isEqualTo("C140123456781122334455667788");
        assertThat(terminate.readRequest()).isEmpty();
    }

    @Test
    void theTerminatedReadRequestIsTold() throws Exception {
        var scene = new Scene();
        scene.script.peerReads(new ReadRequest(5, 6, 7, 8, 9));
        Terminate terminate = scene.script.expectTerminate(Violation.READ_STAG.terminateCode());
        assertThat(terminate.segmentLength()).isEqualTo(46);
        assertThat(terminate.ddpHeader()).hasSize(18).startsWith(0x41, 0x41);
        assertThat(ReadRequest.parse(ByteBuffer.wrap(terminate.readRequest())))
                .isEqualTo(new ReadRequest(5, 6, 7, 8, 9));
    }

    @Test
    void nothingOfARefusedSegmentIsPlaced() throws Exception {
        var scene = new Scene();
        scene.script.peerSends(tagged(0, false, scene.writable.stag(), scene.writable.address()), new byte[] {1, 2});
        byte[] rest = Script.pattern(65_521, 1);
        scene.script.peerSends(tagged(0, true, scene.writable.stag(), scene.writable.address() + 100), rest);
        scene.script.expectTerminate(Violation.WRITE_BOUNDS.terminateCode());
        assertThat(scene.memory.bytes(0, 3)).containsExactly(1, 2, 0);
        assertThat(scene.memory.bytes(100, 1000)).containsOnly(0);
    }

    @Test
    void aReadThatIsAnsweredWronglyFailsWithBadResponse() throws Exception {
        var scene = new Scene();
        scene.script.peerResponds(scene.sinkStag, 1000, new byte[9], true);
        assertThat(scene.script.completions.stream()
                        .filter(done -> done.opcode() == Opcode.RDMA_READ)
                        .map(Script.Done::status))
                .containsExactly(CompletionStatus.BAD_RESPONSE);
    }

    @Test
    void aReceiveThatIsTooShortFailsWithALengthError() throws Exception {
        var scene = new Scene();
        scene.script.completions.clear();
        scene.script.peerSends(new byte[101]);
        assertThat(scene.script.completions.stream()
                        .filter(done -> done.opcode() == Opcode.RECEIVE)
                        .map(Script.Done::status))
                .containsExactly(CompletionStatus.LOCAL_LENGTH_ERROR, CompletionStatus.FLUSHED);
    }
}
