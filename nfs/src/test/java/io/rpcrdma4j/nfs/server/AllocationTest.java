package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.ReadArgs;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.rpc.RpcConnection;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcServerCall;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In the long run the service itself, above the file system, allocates nothing to move data. */
class AllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int ROUNDS = 20_000;
    /** What a call may cost: nothing. The rest is for code that is still interpreted when it is measured. */
    private static final double BYTES_PER_CALL_MAX = 8;

    @TempDir
    Path scratch;

    private final NativeAllocator memory = new NativeAllocator();
    private final RepeatedCall call = new RepeatedCall();
    private StateDirectory state;
    private NfsService service;
    private RpcDispatcher dispatcher;
    private FileHandle handle;

    @BeforeEach
    void start() throws Exception {
        state = StateDirectory.open(scratch.resolve("state"));
        FileTree tree = new MemoryFile();
        service = NfsService.builder(Files.createDirectory(scratch.resolve("export")), state)
                .tree(tree)
                .open();
        dispatcher = RpcDispatcher.builder().program(service.nfs()).build();
        handle = new FileHandles(1, tree, state.key("file handles")).of(tree.root());
    }

    @AfterEach
    void stop() throws Exception {
        service.close();
        state.close();
        call.head.release();
        assertThat(memory.outstanding()).isZero();
        memory.close();
    }

    @Test
    void gettingAttributesAllocatesNothing() {
        assertThat(bytesPerCall(NfsProcedure.GETATTR, handle::write)).isLessThan(BYTES_PER_CALL_MAX);
    }

    @Test
    void readingAllocatesNothing() {
        ReadArgs args = new ReadArgs();
        args.set(handle, 100, 5_000);
        assertThat(bytesPerCall(NfsProcedure.READ, args::write)).isLessThan(BYTES_PER_CALL_MAX);
    }

    @Test
    void writingAllocatesNothing() {
        XdrEncoder arguments = writer -> {
            handle.write(writer);
            writer.writeLong(100);
            writer.writeInt(3);
            StableHow.UNSTABLE.write(writer);
            writer.writeOpaque(new byte[] {1, 2, 3});
        };
        assertThat(bytesPerCall(NfsProcedure.WRITE, arguments)).isLessThan(BYTES_PER_CALL_MAX);
    }

    private double bytesPerCall(NfsProcedure procedure, XdrEncoder arguments) {
        byte[] bytes;
        try (InProcess transport = new InProcess(dispatcher)) {
            bytes = transport.message(7, Nfs3.PROGRAM, Nfs3.VERSION, procedure.number(), arguments);
        }
        MemorySegment message = MemorySegment.ofArray(bytes);
        for (int i = 0; i < WARM_UP; i++) {
            call.serve(message);
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            call.serve(message);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(call.answered).isEqualTo(WARM_UP + ROUNDS);
        return allocated / (double) ROUNDS;
    }

    /** One call object, as a transport pools it. */
    private final class RepeatedCall extends RpcServerCall {
        private final PayloadBuffer head = memory.allocate(1_024);
        private int answered;

        void serve(MemorySegment message) {
            begin(message, 0, message.byteSize(), null);
            dispatcher.dispatch(this);
        }

        @Override
        public RpcConnection connection() {
            throw new AssertionError("no call that is idempotent asks for it");
        }

        @Override
        public PayloadAllocator memory() {
            return memory;
        }

        @Override
        public long replyLimit() {
            return 1_024;
        }

        @Override
        protected void startReply(XdrWriter replyWriter) {
            replyWriter.start(memory, head, 0, 1_024, 1_024);
        }

        @Override
        protected void transmit(XdrBuffer message) {
            answered++;
            end();
        }

        @Override
        protected void discard() {
            throw new AssertionError("not answered");
        }
    }
}
