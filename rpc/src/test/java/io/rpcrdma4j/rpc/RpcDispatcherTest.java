package io.rpcrdma4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RpcDispatcherTest {
    private static final String NULL_CALL =
            "11223344 00000000 00000002 20000001 00000003 00000000" + "00000000 00000000 00000000 00000000";

    private final FakeServerCall call = new FakeServerCall();

    @AfterEach
    void everythingIsReleased() {
        call.finishTest();
    }

    @Test
    void aCallIsAnsweredByItsProgram() {
        assertThat(serve(program(3, c -> c.success().writeInt(0xabcd)), NULL_CALL))
                .isEqualTo("11223344 00000001 00000000 00000000 00000000 00000000 0000abcd");
    }

    @Test
    void anUnknownProgramIsUnavailable() {
        assertThat(serve(program(3, c -> {}), NULL_CALL.replace("20000001", "000f423f")))
                .isEqualTo("11223344 00000001 00000000 00000000 00000000 00000001");
    }

    @Test
    void anUnknownVersionIsAnsweredWithTheRangeOfAllThatServeTheProgram() {
        RpcDispatcher dispatcher = RpcDispatcher.builder()
                .program(program(3, c -> {}))
                .program(program(5, c -> {}))
                .build();
        assertThat(serve(dispatcher, NULL_CALL.replace("00000003", "00000009")))
                .isEqualTo("11223344 00000001 00000000 00000000 00000000 00000002 00000003 00000005");
        assertThat(serve(dispatcher, NULL_CALL.replace("00000003", "00000004")))
                .isEqualTo("11223344 00000001 00000000 00000000 00000000 00000002 00000003 00000005");
    }

    @Test
    void anotherRpcVersionIsDenied() {
        assertThat(serve(program(3, c -> {}), NULL_CALL.replace("00000002", "00000003")))
                .isEqualTo("11223344 00000001 00000001 00000000 00000002 00000002");
    }

    @Test
    void aCredentialLongerThanTheMessageIsABadCredential() {
        String header = "11223344 00000000 00000002 20000001 00000003 00000000";
        for (String credential : new String[] {
            "00000001 00000100 00000000", // length past the end
            "00000001 00000191" + "00".repeat(404) + "00000000 00000000", // 401 bytes
            "00000001 00000004 00000000 00000000 00000000", // too short for its flavor
            "00000001 00000018 00000000 00000000 00000001 00000001 00000000 00000000 00000000 00000000", // too long
            "00000001 00000014 00000000 00000000 00000001 00000001 00000011 00000000 00000000", // 17 groups
            "00000000 00000004 00000000 00000000 00000000", // AUTH_NONE with a body
            "00000006 00000000 00000000 00000000", // a flavor the program does not take
            ""
        }) {
            assertThat(serve(program(3, c -> {}), header + credential))
                    .as(credential)
                    .isEqualTo("11223344 00000001 00000001 00000001 00000001");
        }
    }

    @Test
    void aBadVerifierIsDenied() {
        String start = NULL_CALL.substring(0, NULL_CALL.length() - 17);
        for (String verifier : new String[] {"00000001 00000000", "00000000 00000004 00000000", "00000000", ""}) {
            assertThat(serve(program(3, c -> {}), start + verifier))
                    .as(verifier)
                    .isEqualTo("11223344 00000001 00000001 00000001 00000003");
        }
    }

    @Test
    void aTruncatedHeaderAndAReplyAreMalformed() {
        for (int length = 0; length < 24; length += 4) {
            call.malformed = null;
            assertThat(serve(program(3, c -> {}), NULL_CALL.replace(" ", "").substring(0, length * 2)))
                    .isEmpty();
            assertThat(call.malformed).isNotNull();
        }
        call.malformed = null;
        assertThat(serve(program(3, c -> {}), "11223344 00000001 00000000 00000000 00000000 00000000"))
                .isEmpty();
        assertThat(call.malformed).isNotNull();
    }

    @Test
    void whatAProgramThrowsBecomesAnAnswer() {
        assertThat(serve(program(3, c -> c.arguments().readInt()), NULL_CALL)).endsWith(" 00000004");
        assertThat(serve(program(3, c -> c.success().writeFixed(new byte[1 << 21])), NULL_CALL))
                .endsWith(" 00000005");
        assertThat(serve(
                        program(3, c -> {
                            throw new RpcResourceException("for the test");
                        }),
                        NULL_CALL))
                .endsWith(" 00000005");
        assertThat(serve(
                        program(3, c -> {
                            c.success().writeInt(1);
                            throw new IllegalStateException("for the test");
                        }),
                        NULL_CALL))
                .endsWith("00000000 00000000 00000005");
    }

    @Test
    void aThrowAfterTheAnswerAnswersNothing() {
        serve(
                program(3, c -> {
                    c.fail(AcceptStatus.PROC_UNAVAIL);
                    throw new IllegalStateException("for the test");
                }),
                NULL_CALL);
        assertThat(call.transmitted).isEqualTo(1);
    }

    @Test
    void aCallIsAnsweredOnlyOnce() {
        call.receive(Hex.segment(NULL_CALL), null);
        call.drop();
        assertThat(call.discarded).isEqualTo(1);
        assertThatThrownBy(call::drop).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(call::success).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(call::reply).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> call.fail(AcceptStatus.SYSTEM_ERR)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> call.rejectAuth(AuthStatus.AUTH_FAILED)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFailureReleasesThePayloadOfTheResultsThatWereBegun() {
        serve(
                program(3, c -> {
                    PayloadBuffer data = c.memory().allocate(100);
                    c.success().payload(data, 0, 100);
                    c.fail(AcceptStatus.SYSTEM_ERR);
                }),
                NULL_CALL);
        assertThat(call.memory.outstanding()).isEqualTo(1);
    }

    @Test
    void onlyProceduresThatMayBlockGoToTheExecutor() {
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        RpcDispatcher dispatcher = RpcDispatcher.builder()
                .program(program(3, c -> c.success().writeInt(7)))
                .executor(tasks::add)
                .build();
        assertThat(serve(dispatcher, NULL_CALL)).endsWith("00000007");
        assertThat(tasks).isEmpty();
        String blocking = NULL_CALL.replace("00000003 00000000", "00000003 00000001");
        assertThat(serve(dispatcher, blocking)).isEmpty();
        tasks.remove().run();
        assertThat(Hex.of(call.reply)).endsWith("00000007");
    }

    @Test
    void anExecutorThatRefusesEndsTheConnection() {
        RpcDispatcher dispatcher = RpcDispatcher.builder()
                .program(program(3, c -> c.success().writeInt(7)))
                .executor(task -> {
                    throw new RejectedExecutionException("for the test");
                })
                .build();
        assertThat(serve(dispatcher, NULL_CALL.replace("00000003 00000000", "00000003 00000001")))
                .isEmpty();
        assertThat(call.discarded).isEqualTo(1);
        assertThat(call.connection.open).isFalse();
    }

    @Test
    void overlappingVersionsAreRefused() {
        RpcDispatcher.Builder builder = RpcDispatcher.builder().program(program(3, c -> {}));
        assertThatThrownBy(() -> builder.program(program(3, c -> {}))).isInstanceOf(IllegalArgumentException.class);
    }

    private String serve(RpcProgram program, String message) {
        return serve(RpcDispatcher.builder().program(program).build(), message);
    }

    private String serve(RpcDispatcher dispatcher, String message) {
        return Hex.of(call.serve(dispatcher, Hex.bytes(message)));
    }

    private interface Body {
        void call(RpcServerCall call) throws XdrException;
    }

    /** A program of one version that replies after {@code body}, unless that answered. */
    private static RpcProgram program(int version, Body body) {
        return new RpcProgram() {
            @Override
            public int program() {
                return 0x2000_0001;
            }

            @Override
            public int lowestVersion() {
                return version;
            }

            @Override
            public int highestVersion() {
                return version;
            }

            @Override
            public void call(RpcServerCall c) throws XdrException {
                body.call(c);
                if (c.isUnanswered()) {
                    c.reply();
                }
            }
        };
    }

    @Test
    void resultsStartedTwiceAreTheSecond() {
        String reply = serve(
                program(3, c -> {
                    XdrWriter first = c.success();
                    first.writeInt(1);
                    c.success().writeInt(2);
                }),
                NULL_CALL);
        assertThat(reply).endsWith("00000000 00000002");
    }
}
