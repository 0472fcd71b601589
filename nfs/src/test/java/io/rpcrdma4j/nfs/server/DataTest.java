package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.ReadArgs;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.nfs.wire.WriteResult;
import io.rpcrdma4j.rpc.RpcException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** READ, WRITE and COMMIT at every boundary. */
class DataTest {
    private static final int MIB = 1 << 20;

    @TempDir
    Path scratch;

    private Path export;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void start() throws Exception {
        export = Files.createDirectory(scratch.resolve("export"));
        server = new TestServer(export, scratch.resolve("state"));
        root = server.root();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 4095, 4096, 4097, MIB - 1, MIB})
    void whatIsWrittenIsInTheFileAndIsRead(int size) throws Exception {
        byte[] data = random(size);
        FileHandle file = server.create(root, "f").object();
        WriteResult written = server.write(file, 0, data, StableHow.UNSTABLE);
        assertThat(written.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(written.count()).isEqualTo(size);
        assertThat(written.wcc().after().orElseThrow().size()).isEqualTo(size);
        assertThat(Files.readAllBytes(export.resolve("f"))).isEqualTo(data);
        for (int count : new int[] {size, size + 1, Math.max(0, size - 1)}) {
            TestServer.Data read = server.read(file, 0, count);
            int expected = Math.min(Math.min(size, count), MIB);
            assertThat(read.bytes()).isEqualTo(Arrays.copyOf(data, expected));
            assertThat(read.atEnd()).as("end of %d with count %d", size, count).isEqualTo(expected == size);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 4095, 4096, 4097, MIB - 1, MIB + 3})
    void aFileIsReadInPieces(int size) throws Exception {
        byte[] data = random(size);
        Files.write(export.resolve("f"), data);
        FileHandle file = server.find("f");
        for (int piece : new int[] {size / 3 + 1, 65_536, MIB}) {
            byte[] got = new byte[size];
            int at = 0;
            boolean atEnd = false;
            while (!atEnd) {
                TestServer.Data read = server.read(file, at, piece);
                assertThat(read.status()).isEqualTo(NfsStatus.NFS3_OK);
                System.arraycopy(read.bytes(), 0, got, at, read.bytes().length);
                at += read.bytes().length;
                atEnd = read.atEnd();
                assertThat(atEnd).isEqualTo(at == size);
            }
            assertThat(got).isEqualTo(data);
        }
    }

    @Test
    void aReadAcrossTheEndGivesWhatIsThere() throws Exception {
        byte[] data = random(5_000);
        Files.write(export.resolve("f"), data);
        TestServer.Data read = server.read(server.find("f"), 4_096, 4_096);
        assertThat(read.bytes()).isEqualTo(Arrays.copyOfRange(data, 4_096, 5_000));
        assertThat(read.atEnd()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {5_000, 5_001, 1L << 40, Long.MAX_VALUE - 1, Long.MAX_VALUE, Long.MIN_VALUE, -1})
    void aReadBehindTheEndGivesNothing(long offset) throws Exception {
        Files.write(export.resolve("f"), random(5_000));
        TestServer.Data read = server.read(server.find("f"), offset, 4_096);
        assertThat(read.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(read.bytes()).isEmpty();
        assertThat(read.atEnd()).isTrue();
    }

    @Test
    void aHugeCountIsClamped() throws Exception {
        byte[] data = random(MIB + 3);
        Files.write(export.resolve("f"), data);
        TestServer.Data read = server.read(server.find("f"), 0, 0xffff_ffffL);
        assertThat(read.bytes()).isEqualTo(Arrays.copyOf(data, MIB));
        assertThat(read.atEnd()).isFalse();
    }

    @Test
    void theDataOfAReadIsMarkedForDirectPlacement() throws Exception {
        Files.write(export.resolve("f"), random(10));
        ReadArgs args = new ReadArgs();
        args.set(server.find("f"), 0, 10);
        byte[] call =
                server.transport().message(1, Nfs3.PROGRAM, Nfs3.VERSION, NfsProcedure.READ.number(), args::write);
        assertThat(server.transport().send(call, null).payloads()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aWriteSaysHowSafeItIs(StableHow how) throws Exception {
        FileHandle file = server.create(root, "f").object();
        WriteResult written = server.write(file, 3, random(10), how);
        assertThat(written.committed()).isEqualTo(how);
        assertThat(server.commit(file).verifier()).isEqualTo(written.verifier());
        assertThat(server.attributes(file).size()).isEqualTo(13);
    }

    @Test
    void theVerifierChangesWithARestart() throws Exception {
        FileHandle file = server.create(root, "f").object();
        long before = server.commit(file).verifier();
        server.close();
        server = new TestServer(export, scratch.resolve("state"));
        assertThat(server.commit(file).verifier()).isNotEqualTo(before);
    }

    @Test
    void writesThatNoFileCanHoldAreRefused() throws Exception {
        FileHandle file = server.create(root, "f").object();
        for (long offset : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 9, Long.MIN_VALUE, -1}) {
            assertThat(server.write(file, offset, new byte[10], StableHow.UNSTABLE)
                            .status())
                    .as("offset %d", offset)
                    .isEqualTo(NfsStatus.NFS3ERR_FBIG);
        }
        assertThat(server.attributes(file).size()).isZero();
    }

    @Test
    void aWriteWhoseCountIsNotTheLengthOfItsDataIsRefused() throws Exception {
        FileHandle file = server.create(root, "f").object();
        for (long count : new long[] {0, 9, 11, 0xffff_ffffL}) {
            assertThat(server.write(file, 0, count, new byte[10], StableHow.UNSTABLE)
                            .status())
                    .as("count %d", count)
                    .isEqualTo(NfsStatus.NFS3ERR_INVAL);
        }
        assertThat(server.attributes(file).size()).isZero();
    }

    @Test
    void moreDataThanTheLargestWriteIsGarbage() throws Exception {
        FileHandle file = server.create(root, "f").object();
        assertThatThrownBy(() -> server.write(file, 0, new byte[MIB + 1], StableHow.UNSTABLE))
                .isInstanceOf(RpcException.class)
                .hasMessageContaining("GARBAGE_ARGS");
    }

    @Test
    void onlyRegularFilesHaveData() throws Exception {
        FileHandle directory = server.mkdir(root, "d").object();
        FileHandle link = server.symlink(root, "l", "/etc/passwd").object();
        assertThat(server.read(directory, 0, 1).status()).isEqualTo(NfsStatus.NFS3ERR_ISDIR);
        assertThat(server.read(link, 0, 1).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.write(directory, 0, new byte[1], StableHow.UNSTABLE).status())
                .isEqualTo(NfsStatus.NFS3ERR_ISDIR);
        assertThat(server.write(link, 0, new byte[1], StableHow.UNSTABLE).status())
                .isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.commit(directory).status()).isEqualTo(NfsStatus.NFS3ERR_ISDIR);
        assertThat(server.readlink(directory).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
    }

    @Test
    void theOwnerReadsAndWritesWhateverTheMode() throws Exception {
        FileHandle file = server.create(root, "f", new CreateHow.Guarded(Sattr3.ofMode(0444)))
                .object();
        assertThat(server.write(file, 0, random(10), StableHow.UNSTABLE).status())
                .isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.attributes(file).mode()).isEqualTo(0444);
        server.close();
        for (String mode : new String[] {"---------", "r--------", "-w-------"}) {
            Files.setPosixFilePermissions(export.resolve("f"), PosixFilePermissions.fromString(mode));
            server = new TestServer(export, scratch.resolve("state"));
            assertThat(server.write(file, 10, random(10), StableHow.FILE_SYNC).status())
                    .as(mode)
                    .isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.read(file, 0, 20).bytes()).as(mode).hasSize(20);
            assertThat(Files.getPosixFilePermissions(export.resolve("f")))
                    .isEqualTo(PosixFilePermissions.fromString(mode));
            server.close();
        }
        server = new TestServer(export, scratch.resolve("state"));
    }

    @Test
    void aFileHasHolesWhereNothingWasWritten() throws Exception {
        FileHandle file = server.create(root, "f").object();
        server.write(file, 100_000, random(1), StableHow.UNSTABLE);
        assertThat(server.attributes(file).size()).isEqualTo(100_001);
        assertThat(server.read(file, 0, 100_000).bytes()).isEqualTo(new byte[100_000]);
    }

    @Test
    void randomReadsAndWritesAgreeWithAModel() throws Exception {
        long seed = Long.getLong("test.seed", 42);
        SplittableRandom random = new SplittableRandom(seed);
        FileHandle file = server.create(root, "f").object();
        byte[] model = new byte[200_000];
        int size = 0;
        for (int step = 0; step < 400; step++) {
            int offset = random.nextInt(model.length - 70_000);
            int length = random.nextInt(random.nextBoolean() ? 70_000 : 10);
            if (random.nextInt(10) == 0) {
                server.setattr(file, Sattr3.ofSize(offset));
                Arrays.fill(model, Math.min(offset, size), model.length, (byte) 0);
                size = offset;
            } else if (random.nextBoolean()) {
                byte[] data = new byte[length];
                random.nextBytes(data);
                server.write(file, offset, data, StableHow.UNSTABLE);
                System.arraycopy(data, 0, model, offset, length);
                size = length == 0 ? size : Math.max(size, offset + length);
            } else {
                TestServer.Data read = server.read(file, offset, length);
                int there = Math.clamp(size - offset, 0, length);
                assertThat(read.bytes())
                        .as("seed %d step %d", seed, step)
                        .isEqualTo(Arrays.copyOfRange(model, offset, offset + there));
                assertThat(read.atEnd()).as("seed %d step %d", seed, step).isEqualTo(offset + there >= size);
            }
        }
        assertThat(Files.readAllBytes(export.resolve("f"))).isEqualTo(Arrays.copyOf(model, size));
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new SplittableRandom(size).nextBytes(bytes);
        return bytes;
    }
}
