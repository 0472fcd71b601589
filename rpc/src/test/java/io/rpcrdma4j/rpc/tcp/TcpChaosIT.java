package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.ClientCall;
import io.rpcrdma4j.rpc.RpcDispatcher;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Many callers, a server that is restarted again and again, cancellations and short deadlines, all at once. Each call
 * ends exactly once; one that succeeds has the right bytes; in the end nothing is left.
 */
class TcpChaosIT {
    private static final int CALLERS = 8;
    private static final int CALLS_EACH = 150;
    private static final int BYTES_MAX = 60_000;

    private final NativeAllocator memory = new NativeAllocator();
    private final NativeAllocator serverMemory = new NativeAllocator();
    private final ConcurrentHashMap<RpcException.Kind, Integer> failures = new ConcurrentHashMap<>();
    private final AtomicInteger successes = new AtomicInteger();

    @ParameterizedTest
    @MethodSource("io.rpcrdma4j.rpc.Seeds#few")
    void everyCallEndsOnceAndRightly(long seed) throws Exception {
        ExecutorService workers = Executors.newFixedThreadPool(2);
        RpcDispatcher dispatcher = RpcDispatcher.builder()
                .program(new TestProgram())
                .executor(workers)
                .build();
        TcpServer server = start(dispatcher, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), seed);
        InetSocketAddress address = server.localAddress();
        SplittableRandom random = new SplittableRandom(seed);
        CountDownLatch done = new CountDownLatch(CALLERS);
        try (TcpClient client = TcpClient.builder(address)
                .memory(memory)
                .callsMax(5)
                .backOff(Duration.ofMillis(1), Duration.ofMillis(3))
                .channelFilter(channel -> new ThrottledChannel(channel, seed, 30_000))
                .build()) {
            Caller[] callers = new Caller[CALLERS];
            for (int i = 0; i < CALLERS; i++) {
                callers[i] = new Caller(client, random.split(), done);
                callers[i].next();
            }
            while (!done.await(random.nextInt(1, 15), TimeUnit.MILLISECONDS)) {
                callers[random.nextInt(CALLERS)].cancel();
                if (random.nextInt(4) == 0) {
                    server.close();
                    server = start(dispatcher, address, random.nextLong());
                }
            }
            for (Caller caller : callers) {
                assertThat(caller.error).isNull();
                assertThat(caller.ended).hasValue(CALLS_EACH);
                caller.free();
            }
        }
        server.close();
        workers.shutdown();
        assertThat(workers.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        assertThat(memory.outstanding()).isZero();
        assertThat(serverMemory.outstanding()).isZero();
        assertThat(successes.get()).as("successes beside " + failures).isPositive();
        assertThat(failures)
                .containsKey(RpcException.Kind.TIMED_OUT)
                .doesNotContainKeys(RpcException.Kind.GARBAGE_REPLY, RpcException.Kind.NOT_SENT);
        memory.close();
        serverMemory.close();
    }

    private TcpServer start(RpcDispatcher dispatcher, InetSocketAddress address, long seed) throws IOException {
        return TcpServer.builder(dispatcher)
                .address(address)
                .memory(serverMemory)
                .callsPerConnectionMax(3)
                .drainTime(Duration.ofMillis(1))
                .channelFilter(channel -> new ThrottledChannel(channel, seed, 20_000))
                .start();
    }

    /** Makes one call after the other, each with other bytes. */
    private final class Caller extends ClientCall {
        private final TcpClient client;
        private final SplittableRandom random;
        private final CountDownLatch done;
        private final PayloadBuffer source = memory.allocate(BYTES_MAX);
        private final PayloadBuffer sink = memory.allocate(BYTES_MAX);
        private int length;
        private byte fill;
        private final AtomicInteger ended = new AtomicInteger();
        private volatile @Nullable String error;

        Caller(TcpClient client, SplittableRandom random, CountDownLatch done) {
            super(TestProgram.PROGRAM, TestProgram.VERSION);
            this.client = client;
            this.random = random;
            this.done = done;
        }

        void next() {
            length = random.nextInt(BYTES_MAX);
            fill = (byte) random.nextInt();
            source.segment().asSlice(0, length).fill(fill);
            procedure(random.nextBoolean() ? TestProgram.ECHO : TestProgram.ECHO_PAYLOAD);
            resend(random.nextInt(3) > 0);
            timeoutNanos(random.nextInt(5) == 0 ? random.nextLong(1, 5_000_000) : TimeUnit.SECONDS.toNanos(30));
            if (random.nextBoolean()) {
                sink(sink, 0, BYTES_MAX);
            } else {
                noSink();
            }
            client.start(this);
        }

        void free() {
            source.release();
            sink.release();
        }

        @Override
        protected void encodeArguments(XdrWriter writer) {
            writer.lendPayload(source, 0, length);
        }

        @Override
        protected void decodeResults(XdrReader reader) throws XdrException {
            MemorySegment got = reader.readPayload(BYTES_MAX);
            reader.finish();
            if (got.byteSize() != length) {
                error = "got " + got.byteSize() + " bytes for " + length;
            }
            for (long i = 0; i < got.byteSize(); i++) {
                if (got.get(ValueLayout.JAVA_BYTE, i) != fill) {
                    error = "byte " + i + " of " + length + " is wrong";
                    break;
                }
            }
        }

        @Override
        protected void onDone(@Nullable RpcException failure) {
            if (failure == null) {
                successes.incrementAndGet();
            } else {
                failures.merge(failure.kind(), 1, Integer::sum);
            }
            // Whoever still read from it would send other bytes now.
            source.segment().fill((byte) ~fill);
            if (ended.incrementAndGet() < CALLS_EACH) {
                next();
            } else {
                done.countDown();
            }
        }
    }
}
