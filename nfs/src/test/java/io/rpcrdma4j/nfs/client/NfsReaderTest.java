package io.rpcrdma4j.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NfsReaderTest {
    private static final int CHUNK = 4096;
    private static final String WHERE = "nfs://server/file";

    private final FakeFile file = new FakeFile();
    private final NfsClientOptions options =
            NfsClientOptions.defaults().withTransferBytesMax(CHUNK).withTransfersMax(4);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 10 * CHUNK + 3})
    void aFileOfAnyLengthIsReadWhollyAndInOrder(int length) throws IOException {
        file.content = Seeds.bytes(new SplittableRandom(length), length);
        assertThat(readAll(ScriptedTransport.inline(file), length)).isEqualTo(file.content);
        // As many READs as it takes, and none behind the end.
        assertThat(file.reads).isEqualTo(Math.max(1, Math.ceilDiv(length, CHUNK)));
    }

    static LongStream seeds() {
        return Seeds.range(100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shortReadsWrongLengthsAndAnyOrderOfAnswersChangeNothing(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        file.content = Seeds.bytes(random, random.nextInt(10 * CHUNK));
        SplittableRandom shortness = random.split();
        file.mostBytes = () -> shortness.nextInt(4) == 0 ? 1 + shortness.nextInt(CHUNK) : CHUNK;
        file.tellsAttributes = random.nextBoolean();
        file.tellsEnd = random.nextBoolean();
        int believed = random.nextInt(12 * CHUNK);
        ScriptedTransport transport = ScriptedTransport.reordering(file, random.split());
        assertThat(readAll(transport, believed)).as("-Dtest.seed=%d", seed).isEqualTo(file.content);
        assertThat(transport.mostUnderWay()).isLessThanOrEqualTo(4);
    }

    @Test
    void readsRunAheadUpToTheLimit() throws IOException {
        file.content = new byte[100 * CHUNK];
        ScriptedTransport transport = ScriptedTransport.reordering(file, new SplittableRandom(1));
        assertThat(readAll(transport, file.content.length)).hasSize(file.content.length);
        assertThat(transport.mostUnderWay()).isBetween(2, 4);
    }

    @Test
    void aFileThatBecomesShorterEndsWhereItEnds() throws IOException {
        file.content = new byte[8 * CHUNK];
        try (ScriptedTransport transport = ScriptedTransport.inline(file);
                NfsReader reader = reader(transport, file.content.length)) {
            assertThat(reader.next()).isNotNull();
            file.content = Arrays.copyOf(file.content, 0);
            long rest = 0;
            for (MemorySegment bytes = reader.next(); bytes != null; bytes = reader.next()) {
                rest += bytes.byteSize();
            }
            // What was under way had been read before.
            assertThat(rest).isEqualTo(3 * CHUNK);
            assertThat(reader.next()).isNull();
        }
    }

    @Test
    void whatTheServerRefusesIsToldWithTheFile() {
        file.status = () -> NfsStatus.NFS3ERR_ACCES;
        assertThatThrownBy(() -> readAll(ScriptedTransport.inline(file), 100))
                .isInstanceOf(NfsException.class)
                .hasMessage("nfs://server/file: NFS3ERR_ACCES permission denied");
    }

    @Test
    void aCallWithoutAnswerInTheMiddleEndsTheReadAndLeavesNothing() {
        file.content = new byte[50 * CHUNK];
        AtomicInteger calls = new AtomicInteger();
        file.failure = () -> calls.incrementAndGet() < 10
                ? null
                : new RpcException(RpcException.Kind.TIMED_OUT, "no answer within 1 s");
        for (ScriptedTransport transport : new ScriptedTransport[] {
            ScriptedTransport.inline(file), ScriptedTransport.reordering(file, new SplittableRandom(3))
        }) {
            calls.set(0);
            assertThatThrownBy(() -> readAll(transport, file.content.length))
                    .isInstanceOf(RpcException.class)
                    .hasMessage("nfs://server/file: no answer within 1 s")
                    .extracting(e -> ((RpcException) e).kind())
                    .isEqualTo(RpcException.Kind.TIMED_OUT);
        }
    }

    @Test
    void aServerThatReturnsNothingAndNoEndIsNotAskedForEver() {
        file.content = new byte[CHUNK];
        file.isStuck = true;
        assertThatThrownBy(() -> readAll(ScriptedTransport.inline(file), CHUNK))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no bytes at offset 0");
    }

    @Test
    void aReaderMayBeClosedAtAnyMoment() throws IOException {
        file.content = new byte[50 * CHUNK];
        try (ScriptedTransport transport = ScriptedTransport.reordering(file, new SplittableRandom(4))) {
            NfsReader reader = reader(transport, file.content.length);
            assertThat(reader.next()).isNotNull();
            reader.close();
            reader.close();
            assertThatThrownBy(reader::next).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void withLittleMemoryItReadsWithFewerBuffersAndWithNoneItSaysSo() throws IOException {
        file.content = Seeds.bytes(new SplittableRandom(5), 9 * CHUNK);
        assertThat(readAll(ScriptedTransport.inline(file, 3 * CHUNK), file.content.length))
                .isEqualTo(file.content);
        assertThatThrownBy(() -> readAll(ScriptedTransport.inline(file, CHUNK / 2), file.content.length))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("nfs://server/file: ");
    }

    @Test
    void aBusyServerIsAskedAgainLater() throws IOException {
        file.content = new byte[] {1, 2, 3};
        AtomicInteger left = new AtomicInteger(5);
        file.status = () -> left.getAndDecrement() > 0 ? NfsStatus.NFS3ERR_JUKEBOX : NfsStatus.NFS3_OK;
        assertThat(readAll(ScriptedTransport.inline(file), 3, new JumpingTimers()))
                .isEqualTo(file.content);
        assertThat(file.reads).isEqualTo(6);
    }

    @Test
    void aServerThatStaysBusyIsGivenUpWhenTheTimeIsUp() {
        file.status = () -> NfsStatus.NFS3ERR_JUKEBOX;
        assertThatThrownBy(() -> readAll(ScriptedTransport.inline(file), 3, new JumpingTimers()))
                .hasMessage("nfs://server/file: NFS3ERR_JUKEBOX the server is busy and asks to try later");
        // Pauses of 0.1, 0.2, ... 3.2 and then 5 seconds, in a minute.
        assertThat(file.reads).isEqualTo(17);
    }

    @Test
    void anInterruptedReaderStopsAndKeepsTheInterrupt() throws IOException {
        file.content = new byte[10 * CHUNK];
        try (ScriptedTransport transport = ScriptedTransport.reordering(file, new SplittableRandom(6))) {
            try (NfsReader reader = reader(transport, file.content.length)) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> {
                            while (reader.next() != null) {}
                        })
                        .isInstanceOf(InterruptedIOException.class);
            }
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aCallThatCannotBeStartedEndsTheReadAtOnce() {
        file.content = new byte[10 * CHUNK];
        ScriptedTransport transport = ScriptedTransport.inline(file);
        transport.refuses = true;
        assertThatThrownBy(() -> readAll(transport, file.content.length))
                .isInstanceOf(RpcException.class)
                .hasMessage("nfs://server/file: the call cannot be sent: refused by the test");
    }

    @Test
    void aPartMayBeReadToo() throws IOException {
        file.content = Seeds.bytes(new SplittableRandom(7), 3 * CHUNK);
        try (ScriptedTransport transport = ScriptedTransport.inline(file);
                NfsReader reader = new NfsReader(
                        client(transport, Timers.system()), FakeFile.HANDLE, WHERE, 3 * CHUNK - 2, 3 * CHUNK, CHUNK)) {
            MemorySegment bytes = Objects.requireNonNull(reader.next());
            assertThat(bytes.toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(file.content[3 * CHUNK - 2], file.content[3 * CHUNK - 1]);
        }
    }

    private byte[] readAll(ScriptedTransport transport, long believedLength) throws IOException {
        return readAll(transport, believedLength, Timers.system());
    }

    private byte[] readAll(ScriptedTransport transport, long believedLength, Timers timers) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (transport;
                NfsReader reader =
                        new NfsReader(client(transport, timers), FakeFile.HANDLE, WHERE, 0, believedLength, 1 << 20)) {
            Transfers.read(reader, Channels.newChannel(bytes), Transfers.Observer.NONE);
        }
        return bytes.toByteArray();
    }

    private NfsReader reader(ScriptedTransport transport, long believedLength) {
        return new NfsReader(client(transport, Timers.system()), FakeFile.HANDLE, WHERE, 0, believedLength, 1 << 20);
    }

    private Nfs3Client client(ScriptedTransport transport, Timers timers) {
        return new Nfs3Client(transport, options, timers);
    }
}
