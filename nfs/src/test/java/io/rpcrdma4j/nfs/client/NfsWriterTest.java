package io.rpcrdma4j.nfs.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.Channels;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class NfsWriterTest {
    private static final int CHUNK = 4096;
    private static final String WHERE = "nfs://server/file";

    private final FakeFile file = new FakeFile();
    private final NfsClientOptions options = NfsClientOptions.defaults()
            .withTransferBytesMax(CHUNK)
            .withTransfersMax(4)
            .withRetainedBytesMax(6 * CHUNK);

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK, 30 * CHUNK + 3})
    void aFileOfAnyLengthIsWrittenWhollyAndStable(int length) throws IOException {
        byte[] data = Seeds.bytes(new SplittableRandom(length), length);
        write(ScriptedTransport.inline(file), data, true);
        assertThat(file.stable).isEqualTo(data);
        assertThat(file.writes).isEqualTo(Math.ceilDiv(length, CHUNK));
        assertThat(file.commits).isEqualTo(length == 0 ? 0 : 1);
    }

    @Test
    void aSourceThatCannotBeReadAgainIsCommittedWhenEnoughIsRetained() throws IOException {
        byte[] data = Seeds.bytes(new SplittableRandom(1), 30 * CHUNK);
        ScriptedTransport transport = ScriptedTransport.inline(file);
        write(transport, data, false);
        assertThat(file.stable).isEqualTo(data);
        // 4 under way and 6 retained.
        assertThat(file.commits).isEqualTo(3);
    }

    static LongStream seeds() {
        return Seeds.range(200);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatARestartLosesIsWrittenAgain(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] data = Seeds.bytes(random, random.nextInt(40 * CHUNK));
        SplittableRandom faults = random.split();
        file.restarts = () -> file.restarted < 10 && faults.nextInt(8) == 0;
        file.mostBytes = () -> faults.nextInt(4) == 0 ? 1 + faults.nextInt(CHUNK) : CHUNK;
        boolean isInline = random.nextBoolean();
        ScriptedTransport transport =
                isInline ? ScriptedTransport.inline(file) : ScriptedTransport.reordering(file, random.split());
        write(transport, data, random.nextBoolean());
        assertThat(file.stable).as("-Dtest.seed=%d", seed).isEqualTo(data);
        assertThat(transport.mostUnderWay()).isLessThanOrEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aServerThatAlwaysLosesEverythingIsGivenUp(boolean hasSource) {
        file.restarts = () -> true;
        assertThatThrownBy(() -> write(ScriptedTransport.inline(file), new byte[3 * CHUNK], hasSource))
                .isInstanceOf(IOException.class)
                .hasMessage("nfs://server/file: the server lost what was written 16 times in a row");
    }

    @Test
    void dataThatIsStableAtOnceNeedsNoCommit() throws IOException {
        file.committed = StableHow.FILE_SYNC;
        byte[] data = Seeds.bytes(new SplittableRandom(2), 5 * CHUNK);
        write(ScriptedTransport.inline(file), data, false);
        assertThat(file.stable).isEqualTo(data);
        assertThat(file.commits).isZero();
    }

    @Test
    void writesRunBehindUpToTheLimit() throws IOException {
        ScriptedTransport transport = ScriptedTransport.reordering(file, new SplittableRandom(3));
        write(transport, new byte[200 * CHUNK], true);
        assertThat(transport.mostUnderWay()).isBetween(2, 4);
    }

    @Test
    void whatTheServerRefusesIsToldWithTheFileAndEndsTheWriter() throws IOException {
        file.status = () -> file.writes < 3 ? NfsStatus.NFS3_OK : NfsStatus.NFS3ERR_NOSPC;
        try (ScriptedTransport transport = ScriptedTransport.inline(file);
                NfsWriter writer = writer(transport, null)) {
            assertThatThrownBy(() -> Transfers.write(
                            Channels.newChannel(new ByteArrayInputStream(new byte[9 * CHUNK])),
                            writer,
                            Transfers.Observer.NONE))
                    .isInstanceOf(NfsException.class)
                    .hasMessage("nfs://server/file: NFS3ERR_NOSPC no space left on the server");
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aCallWithoutAnswerEndsTheWriterAndLeavesNothing() {
        AtomicInteger calls = new AtomicInteger();
        file.failure = () -> calls.incrementAndGet() < 10
                ? null
                : new RpcException(RpcException.Kind.TRANSPORT_LOST, "the connection was lost");
        for (ScriptedTransport transport : new ScriptedTransport[] {
            ScriptedTransport.inline(file), ScriptedTransport.reordering(file, new SplittableRandom(4))
        }) {
            calls.set(0);
            assertThatThrownBy(() -> write(transport, new byte[50 * CHUNK], true))
                    .isInstanceOf(RpcException.class)
                    .hasMessage("nfs://server/file: the connection was lost");
        }
    }

    @Test
    void aSourceThatLostItsDataIsAnError() {
        file.restarts = () -> file.commits == 1 && file.restarted == 0;
        try (ScriptedTransport transport = ScriptedTransport.inline(file);
                NfsWriter writer = writer(transport, (offset, target) -> {
                    throw new java.io.EOFException("gone");
                })) {
            assertThatThrownBy(() -> {
                        writer.buffer();
                        writer.write(10);
                        writer.finish();
                    })
                    .hasMessage("gone");
        }
    }

    @Test
    void aWriterMayBeClosedAtAnyMoment() throws IOException {
        try (ScriptedTransport transport = ScriptedTransport.reordering(file, new SplittableRandom(5))) {
            NfsWriter writer = writer(transport, null);
            writer.buffer();
            writer.write(CHUNK);
            writer.buffer();
            writer.close();
            writer.close();
            assertThatThrownBy(writer::buffer).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aLengthBeyondTheBufferIsTheCallersMistake() throws IOException {
        try (ScriptedTransport transport = ScriptedTransport.inline(file);
                NfsWriter writer = writer(transport, null)) {
            assertThatThrownBy(() -> writer.write(1)).isInstanceOf(IllegalArgumentException.class);
            writer.buffer();
            assertThatThrownBy(() -> writer.write(CHUNK + 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.write(-1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private void write(ScriptedTransport transport, byte[] data, boolean hasSource) throws IOException {
        NfsWriter.Source source = (offset, target) ->
                MemorySegment.copy(data, (int) offset, target, ValueLayout.JAVA_BYTE, 0, (int) target.byteSize());
        try (transport;
                NfsWriter writer = writer(transport, hasSource ? source : null)) {
            long written = Transfers.write(
                    Channels.newChannel(new ByteArrayInputStream(data)), writer, Transfers.Observer.NONE);
            assertThat(written).isEqualTo(data.length);
            assertThat(writer.position()).isEqualTo(data.length);
        }
    }

    private NfsWriter writer(ScriptedTransport transport, NfsWriter.@Nullable Source source) {
        Nfs3Client client = new Nfs3Client(transport, options, Timers.system());
        return new NfsWriter(client, FakeFile.HANDLE, WHERE, 0, 1 << 20, source);
    }
}
