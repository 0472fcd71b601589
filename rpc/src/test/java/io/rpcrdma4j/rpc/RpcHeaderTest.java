package io.rpcrdma4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RpcHeaderTest {
    // NFSv3 GETATTR by uid 1000, gid 100, groups 4 and 24, of machine "client".
    private static final String CALL = "11223344 00000000 00000002 000186a3 00000003 00000001"
            + "00000001 00000024 0000abcd 00000006 636c6965 6e740000 000003e8 00000064 00000002 00000004 00000018"
            + "00000000 00000000";

    private final XdrReader reader = new XdrReader();
    private final RpcCallHeader header = new RpcCallHeader();

    @Test
    void aCallIsParsed() throws XdrException {
        assertThat(parse(Hex.bytes(CALL))).isEqualTo(RpcCallHeader.Result.OK);
        assertThat(header.xid()).isEqualTo(0x11223344);
        assertThat(header.program()).isEqualTo(100003);
        assertThat(header.version()).isEqualTo(3);
        assertThat(header.procedure()).isEqualTo(1);
        assertThat(header.verifierFlavor()).isZero();
        assertThat(header.credential()).isInstanceOfSatisfying(AuthSys.class, sys -> {
            assertThat(sys.stamp()).isEqualTo(0xabcd);
            assertThat(sys.machine()).isEqualTo("client");
            assertThat(sys.uid()).isEqualTo(1000);
            assertThat(sys.gid()).isEqualTo(100);
            assertThat(sys.groupCount()).isEqualTo(2);
            assertThat(sys.group(1)).isEqualTo(24);
            assertThat(sys.isInGroup(4)).isTrue();
            assertThat(sys.isInGroup(100)).isTrue();
            assertThat(sys.isInGroup(5)).isFalse();
        });
        reader.finish();
    }

    @Test
    void aCallIsWrittenAsItWasParsed() throws XdrException {
        parse(Hex.bytes(CALL));
        assertThat(written(w -> RpcCallHeader.write(w, 0x11223344, 100003, 3, 1, header.credential())))
                .isEqualTo(Hex.of(Hex.bytes(CALL)));
        Credential raw = new RawCredential(6, new byte[] {1, 2, 3, 4, 5});
        assertThat(written(w -> RpcCallHeader.write(w, 1, 2, 3, 4, raw)))
                .isEqualTo("00000001 00000000 00000002 00000002 00000003 00000004"
                        + " 00000006 00000005 01020304 05000000 00000000 00000000");
        assertThat(written(w -> RpcCallHeader.write(w, 1, 2, 3, 4, AuthNone.INSTANCE)))
                .endsWith("00000004 00000000 00000000 00000000 00000000");
    }

    @Test
    void theSameCredentialIsTheSameObject() throws XdrException {
        parse(Hex.bytes(CALL));
        Credential first = header.credential();
        parse(Hex.bytes(CALL));
        assertThat(header.credential()).isSameAs(first);
        parse(Hex.bytes(CALL.replace("000003e8", "000003e9")));
        assertThat(header.credential()).isNotEqualTo(first);
        parse(Hex.bytes(CALL));
        assertThat(header.credential()).isEqualTo(first).hasSameHashCodeAs(first);
        // A credential that fails must not be found again, nor one of another flavor with the same bytes.
        String tooManyGroups = CALL.replace("00000002 00000004 00000018", "00000003 00000004 00000018");
        assertThat(parse(Hex.bytes(tooManyGroups))).isEqualTo(RpcCallHeader.Result.BAD_CREDENTIAL);
        assertThat(parse(Hex.bytes(tooManyGroups))).isEqualTo(RpcCallHeader.Result.BAD_CREDENTIAL);
        String otherFlavor = CALL.replace("00000001 00000024", "00000006 00000024");
        parse(Hex.bytes(CALL));
        assertThat(parse(Hex.bytes(otherFlavor))).isEqualTo(RpcCallHeader.Result.OK);
        assertThat(header.credential()).isInstanceOf(RawCredential.class);
        parse(Hex.bytes(CALL));
        assertThat(header.credential()).isEqualTo(first);
    }

    @Test
    void everyTruncationOfACallHasItsResult() {
        byte[] call = Hex.bytes(CALL);
        for (int length = 0; length < call.length; length++) {
            byte[] cut = Arrays.copyOf(call, length);
            if (length < 24) {
                assertThatThrownBy(() -> parse(cut)).isInstanceOf(XdrException.class);
            } else {
                RpcCallHeader.Result expected =
                        length < 24 + 8 + 36 ? RpcCallHeader.Result.BAD_CREDENTIAL : RpcCallHeader.Result.BAD_VERIFIER;
                assertThat(parseQuietly(cut)).as("length " + length).isEqualTo(expected);
            }
        }
    }

    @Test
    void everyByteOfACallMayHaveAnyValue() {
        byte[] call = Hex.bytes(CALL);
        for (int at = 0; at < call.length; at++) {
            for (int value = 0; value < 256; value++) {
                byte[] changed = call.clone();
                changed[at] = (byte) value;
                assertThat(parseQuietly(changed)).isNotNull();
            }
        }
    }

    @Test
    void aMachineNameOfAnyBytesUpTo255IsAccepted() throws XdrException {
        for (int length : new int[] {0, 1, 255, 256}) {
            String name = "ff".repeat(length) + "00".repeat(-length & 3);
            int body = 4 + 4 + name.length() / 2 + 12;
            String call = CALL.substring(0, CALL.indexOf("00000024"))
                    + String.format("%08x 00000000 %08x", body, length) + name
                    + "00000001 00000002 00000000 00000000 00000000";
            assertThat(parse(Hex.bytes(call)))
                    .isEqualTo(length > 255 ? RpcCallHeader.Result.BAD_CREDENTIAL : RpcCallHeader.Result.OK);
        }
    }

    @Test
    void credentialsOutOfRangeCannotBeMade() {
        assertThatThrownBy(() -> new AuthSys("x".repeat(256), 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AuthSys("x", -1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AuthSys("x", 0, 1L << 32)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AuthSys("x", 0, 0, new long[17])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AuthSys("x", 0, 0, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RawCredential(9, new byte[401])).isInstanceOf(IllegalArgumentException.class);
        assertThat(new AuthSys("x", 0xffff_fffeL, 0xffff_ffffL).uid()).isEqualTo(4294967294L);
    }

    @Test
    void everyReplyIsWrittenAndParsed() throws XdrException {
        assertThat(replyTo(w -> RpcReplyHeader.writeAccepted(w, 7, AcceptStatus.SUCCESS)))
                .isNull();
        for (AcceptStatus status : AcceptStatus.values()) {
            if (status != AcceptStatus.SUCCESS && status != AcceptStatus.PROG_MISMATCH) {
                RpcException e = failureOf(w -> RpcReplyHeader.writeAccepted(w, 7, status));
                assertThat(e).hasMessageContaining(status.name());
                assertThat(e.kind()).isEqualTo(RpcException.Kind.NOT_EXECUTED);
                assertThat(e.acceptStatus()).isEqualTo(status);
                assertThat(e.rejectStatus()).isNull();
            }
        }
        RpcException mismatch = failureOf(w -> RpcReplyHeader.writeProgramMismatch(w, 7, 2, 4));
        assertThat(mismatch).hasMessageContaining("2 to 4");
        assertThat(mismatch.acceptStatus()).isEqualTo(AcceptStatus.PROG_MISMATCH);
        RpcException version = failureOf(w -> RpcReplyHeader.writeRpcMismatch(w, 7));
        assertThat(version).hasMessageContaining("2 to 2");
        assertThat(version.kind()).isEqualTo(RpcException.Kind.DENIED);
        assertThat(version.rejectStatus()).isEqualTo(RejectStatus.RPC_MISMATCH);
        for (AuthStatus status : AuthStatus.values()) {
            RpcException e = failureOf(w -> RpcReplyHeader.writeAuthError(w, 7, status));
            assertThat(e).hasMessageContaining(status.name());
            assertThat(e.rejectStatus()).isEqualTo(RejectStatus.AUTH_ERROR);
            assertThat(e.authStatus()).isEqualTo(status);
        }
    }

    @Test
    void theNumbersAreThoseOfTheRfc() {
        assertThat(AcceptStatus.SYSTEM_ERR.number()).isEqualTo(5);
        assertThat(AuthStatus.AUTH_TOOWEAK.number()).isEqualTo(5);
        assertThat(AuthStatus.RPCSEC_GSS_CTXPROBLEM.number()).isEqualTo(14);
        assertThat(RejectStatus.AUTH_ERROR.number()).isEqualTo(1);
        assertThat(AcceptStatus.of(6)).isNull();
        assertThat(AcceptStatus.of(-1)).isNull();
        assertThat(AuthStatus.of(15)).isNull();
        assertThat(RejectStatus.of(2)).isNull();
    }

    @Test
    void aReplyMayHaveAVerifierAndAnUnknownAuthStatus() throws XdrException {
        reader.start(Hex.segment("00000007 00000001 00000000 00000006 00000005 01020304 05000000 00000000"));
        assertThat(RpcReplyHeader.parse(reader, 7)).isNull();
        reader.finish();
        reader.start(Hex.segment("00000007 00000001 00000001 00000001 000000ff"));
        RpcException e = Objects.requireNonNull(RpcReplyHeader.parse(reader, 7));
        assertThat(e).hasMessageContaining("255");
        assertThat(e.authStatus()).isNull();
    }

    @Test
    void everyTruncationOfAReplyAndEveryUnknownWordIsAnError() {
        String mismatch = "00000007 00000001 00000000 00000000 00000004 01020304 00000002 00000002 00000003";
        String denied = "00000007 00000001 00000001 00000000 00000002 00000002";
        for (String reply : new String[] {mismatch, denied}) {
            byte[] bytes = Hex.bytes(reply);
            for (int length = 0; length < bytes.length; length++) {
                reader.start(MemorySegment.ofArray(bytes), 0, length, null);
                assertThatThrownBy(() -> RpcReplyHeader.parse(reader, 7)).isInstanceOf(XdrException.class);
            }
        }
        for (String reply : new String[] {
            "00000008 00000001 00000000 00000000 00000000 00000000", // another xid
            "00000007 00000000 00000000 00000000 00000000 00000000", // a call
            "00000007 00000001 00000002 00000000 00000000 00000000",
            "00000007 00000001 00000000 00000000 00000191 00000000",
            "00000007 00000001 00000000 00000000 00000000 00000006",
            "00000007 00000001 00000001 00000002 00000000 00000000"
        }) {
            reader.start(Hex.segment(reply));
            assertThatThrownBy(() -> RpcReplyHeader.parse(reader, 7)).as(reply).isInstanceOf(XdrException.class);
        }
    }

    private RpcCallHeader.Result parse(byte[] message) throws XdrException {
        reader.start(MemorySegment.ofArray(message));
        return header.parse(reader);
    }

    private RpcCallHeader.Result parseQuietly(byte[] message) {
        try {
            return parse(message);
        } catch (XdrException e) {
            throw new AssertionError(e);
        }
    }

    private RpcException failureOf(Consumer<XdrWriter> reply) throws XdrException {
        return Objects.requireNonNull(replyTo(reply));
    }

    private @Nullable RpcException replyTo(Consumer<XdrWriter> reply) throws XdrException {
        reader.start(Hex.segment(written(reply)));
        RpcException failure = RpcReplyHeader.parse(reader, 7);
        reader.finish();
        return failure;
    }

    private static String written(Consumer<XdrWriter> message) {
        try (NativeAllocator memory = new NativeAllocator()) {
            XdrBuffer buffer = new XdrBuffer();
            XdrWriter writer = new XdrWriter(buffer);
            writer.startOwned(memory, memory.allocate(512), 4096);
            message.accept(writer);
            String hex = Hex.of(writer.finish().toByteArray());
            buffer.releaseAll();
            return hex;
        }
    }
}
