package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.RpcProgram;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call that must not be done twice is done once. */
class ReplyCacheTest {
    private static final int PROGRAM = 0x2000_0099;

    private final AtomicLong now = new AtomicLong();
    private final ReplyCache cache = new ReplyCache(4, now::get);
    private final Counter counter = new Counter();
    private final InProcess transport =
            new InProcess(RpcDispatcher.builder().program(counter).build());

    /** Counts how often it was called, in its results. */
    private final class Counter implements RpcProgram {
        private int done;
        private Runnable meanwhile = () -> {};

        @Override
        public int program() {
            return PROGRAM;
        }

        @Override
        public int lowestVersion() {
            return 1;
        }

        @Override
        public int highestVersion() {
            return 1;
        }

        @Override
        public boolean mayBlock(int version, int procedure) {
            return false;
        }

        @Override
        public void call(RpcServerCall call) throws XdrException {
            Integer argument = call.arguments().readInt();
            call.arguments().finish();
            cache.serve(call, NfsProcedure.MKDIR, argument, results -> {
                done++;
                meanwhile.run();
                results.writeInt(done);
            });
        }
    }

    @AfterEach
    void nothingIsLeft() {
        transport.close();
    }

    private byte[] call(int xid, int argument) {
        XdrEncoder arguments = writer -> writer.writeInt(argument);
        return transport.message(xid, PROGRAM, 1, 1, arguments);
    }

    private int send(byte[] message) throws RpcException {
        return transport.send(message, null).decode(XdrReader::readInt);
    }

    @Test
    void aCallThatComesAgainFromAnotherPortGetsTheFirstReply() throws Exception {
        byte[] call = call(1, 5);
        assertThat(send(call)).isEqualTo(1);
        transport.from("127.0.0.1", 999);
        assertThat(send(call)).isEqualTo(1);
        assertThat(counter.done).isEqualTo(1);
    }

    @Test
    void anotherCallIsDone() throws Exception {
        assertThat(send(call(1, 5))).isEqualTo(1);
        assertThat(send(call(2, 5))).as("another transaction").isEqualTo(2);
        assertThat(send(call(1, 6))).as("other arguments").isEqualTo(3);
        transport.from("127.0.0.2", 700);
        assertThat(send(call(2, 5))).as("another client").isEqualTo(4);
    }

    @Test
    void aReplyIsForgottenAfterAWhile() throws Exception {
        byte[] call = call(1, 5);
        assertThat(send(call)).isEqualTo(1);
        now.addAndGet(TimeUnit.SECONDS.toNanos(119));
        assertThat(send(call)).isEqualTo(1);
        now.addAndGet(TimeUnit.SECONDS.toNanos(2));
        assertThat(send(call)).isEqualTo(2);
    }

    @Test
    void itsSizeIsBounded() throws Exception {
        for (int i = 0; i < 100; i++) {
            send(call(i, 5));
            assertThat(cache.size()).isLessThanOrEqualTo(4);
        }
        assertThat(send(call(99, 5))).isEqualTo(100);
        assertThat(send(call(0, 5))).isEqualTo(101);
    }

    @Test
    void aTwinWaitsForTheFirstAndTooManyAreDropped() throws Exception {
        byte[] call = call(1, 5);
        List<InProcess.Reply> twins = new ArrayList<>();
        counter.meanwhile = () -> {
            for (int i = 0; i < 6; i++) {
                InProcess.Reply twin = transport.send(call, null);
                assertThat(twin.isThere()).isFalse();
                twins.add(twin);
            }
        };
        assertThat(send(call)).isEqualTo(1);
        for (int i = 0; i < twins.size(); i++) {
            assertThat(twins.get(i).isDropped()).isEqualTo(i >= 4);
            if (i < 4) {
                assertThat(twins.get(i).decode(XdrReader::readInt)).isEqualTo(1);
            }
        }
        assertThat(counter.done).isEqualTo(1);
    }

    @Test
    void aCallThatFailedInTheServerIsNotRemembered() throws Exception {
        byte[] call = call(1, 5);
        List<InProcess.Reply> twins = new ArrayList<>();
        counter.meanwhile = () -> {
            twins.add(transport.send(call, null));
            throw new IllegalStateException("for the test");
        };
        assertThatThrownBy(() -> send(call)).hasMessageContaining("SYSTEM_ERR");
        assertThatThrownBy(() -> twins.getFirst().decode(XdrReader::readInt)).hasMessageContaining("SYSTEM_ERR");
        assertThat(cache.size()).isZero();
        counter.meanwhile = () -> {};
        assertThat(send(call)).isEqualTo(2);
    }
}
