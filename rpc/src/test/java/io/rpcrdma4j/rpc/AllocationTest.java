package io.rpcrdma4j.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** In the long run, serving and making calls allocates nothing. */
class AllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int ROUNDS = 20_000;
    /** What a call may cost: nothing. The rest is for code that is still interpreted when it is measured. */
    private static final double BYTES_PER_CALL_MAX = 8;

    private static final String CALL = "11223344 00000000 00000002 20000001 00000003 %08x"
            + "00000001 00000024 0000abcd 00000006 636c6965 6e740000 000003e8 00000064 00000002 00000004 00000018"
            + "00000000 00000000";

    private final FakeServerCall call = new FakeServerCall();

    @Test
    void aNullCallIsServedWithoutAnAllocation() {
        RpcDispatcher dispatcher =
                RpcDispatcher.builder().program(new Program()).build();
        MemorySegment message = Hex.segment(String.format(CALL, 0));
        call.keepReplies = false;
        assertThat(bytesPerRound(() -> {
                    call.receive(message, null);
                    dispatcher.dispatch(call);
                }))
                .isLessThan(BYTES_PER_CALL_MAX);
        assertThat(call.transmitted).isEqualTo(WARM_UP + ROUNDS);
        call.finishTest();
    }

    @Test
    void aCallWithAPayloadEachWayIsServedWithoutAnAllocation() {
        RpcDispatcher dispatcher =
                RpcDispatcher.builder().program(new Program()).build();
        MemorySegment message = Hex.segment(String.format(CALL, 1) + "00000064" + "ab".repeat(100));
        call.keepReplies = false;
        assertThat(bytesPerRound(() -> {
                    call.receive(message, null);
                    dispatcher.dispatch(call);
                }))
                .isLessThan(BYTES_PER_CALL_MAX);
        assertThat(call.transmitted).isEqualTo(WARM_UP + ROUNDS);
        call.finishTest();
    }

    @Test
    void aCallIsEncodedAndItsReplyDecodedWithoutAnAllocation() {
        MemorySegment reply = Hex.segment("00000007 00000001 00000000 00000000 00000000 00000000 0000002a");
        XdrBuffer buffer = new XdrBuffer();
        XdrWriter writer = new XdrWriter(buffer);
        XdrReader reader = new XdrReader();
        CallTable table = new CallTable();
        Client client = new Client();
        client.credential(new AuthSys("client", 1000, 100, 4, 24));
        PayloadBuffer head = call.memory.allocate(1024);
        PendingCall pending = client.pending();
        PendingCall.Canceller canceller = (any, xid) -> {};
        assertThat(bytesPerRound(() -> {
                    pending.begin(7, 0, canceller);
                    table.add(pending);
                    writer.start(call.memory, head, 0, 1024, 1024);
                    assertNull(pending.encode(writer));
                    buffer.releaseAll();
                    reader.start(reply);
                    table.remove(7);
                    pending.claim();
                    pending.complete(pending.decode(reader));
                }))
                .isLessThan(BYTES_PER_CALL_MAX);
        assertThat(client.sum).isEqualTo(42L * (WARM_UP + ROUNDS));
        head.release();
        call.finishTest();
    }

    private static void assertNull(@Nullable RpcException failure) {
        if (failure != null) {
            throw new AssertionError(failure);
        }
    }

    private static double bytesPerRound(Runnable round) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < WARM_UP; i++) {
            round.run();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            round.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / (double) ROUNDS;
    }

    private static final class Client extends ClientCall {
        private long sum;

        Client() {
            super(1, 1);
        }

        @Override
        protected void encodeArguments(XdrWriter writer) {
            writer.writeInt(1);
        }

        @Override
        protected void decodeResults(XdrReader reader) throws XdrException {
            sum += reader.readInt();
            reader.finish();
        }

        @Override
        protected void onDone(@Nullable RpcException failure) {
            assertNull(failure);
        }
    }

    private static final class Program implements RpcProgram {
        @Override
        public int program() {
            return 0x2000_0001;
        }

        @Override
        public int lowestVersion() {
            return 3;
        }

        @Override
        public int highestVersion() {
            return 3;
        }

        @Override
        public boolean mayBlock(int version, int procedure) {
            return false;
        }

        @Override
        public void call(RpcServerCall c) throws XdrException {
            XdrReader arguments = c.arguments();
            if (c.procedure() == 0) {
                arguments.finish();
                c.success();
            } else {
                int length = (int) arguments.readPayloadRange(1000);
                arguments.finish();
                PayloadBuffer data = c.memory().allocate(length);
                MemorySegment.copy(arguments.payloadSegment(), arguments.payloadOffset(), data.segment(), 0, length);
                c.success().payload(data, 0, length);
            }
            c.reply();
        }
    }
}
