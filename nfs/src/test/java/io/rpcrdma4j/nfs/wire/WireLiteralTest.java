package io.rpcrdma4j.nfs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.memory.NativeAllocator;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.xdr.ChunkClaims;
import io.rpcrdma4j.rpc.xdr.XdrBuffer;
import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import io.rpcrdma4j.rpc.xdr.XdrWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Against bytes that others wrote: the layouts of RFC 1813, and what Linux 6.1 exchanges. */
class WireLiteralTest {

    /** A line of the resource: what one side sent. */
    record Sent(NfsProcedure procedure, boolean isReply, boolean hasChunk, String hex) {
        @Override
        public String toString() {
            return procedure + (isReply ? " reply" : " call");
        }
    }

    static List<Sent> linux() throws IOException {
        List<Sent> all = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(WireLiteralTest.class.getResourceAsStream("linux-nfs3.txt")),
                StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    String[] parts = line.split(" ", -1);
                    String hex = parts[3].equals("-") ? "" : parts[3];
                    all.add(new Sent(
                            NfsProcedure.valueOf(parts[0]), parts[1].equals("reply"), parts[2].equals("chunk"), hex));
                }
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("linux")
    void whatLinuxSendsIsReadAndWrittenAgainAsItWas(Sent sent) throws XdrException {
        byte[] bytes = Codec.hex(sent.hex());
        if (sent.hasChunk()) {
            return;
        }
        XdrDecoder<XdrEncoder> codec = sent.isReply() ? results(sent.procedure()) : arguments(sent.procedure());
        assertThat(Codec.encode(Codec.decode(bytes, codec))).isEqualTo(bytes);
    }

    @Test
    void theResourceHasEveryKindOfMessageThatTheCaptureHas() throws IOException {
        assertThat(linux()).hasSizeGreaterThan(30);
        assertThat(linux().stream().map(Sent::procedure).distinct()).hasSize(18);
    }

    private static XdrDecoder<XdrEncoder> arguments(NfsProcedure procedure) {
        return reader -> switch (procedure) {
            case NULL -> XdrEncoder.VOID;
            case GETATTR, READLINK, FSSTAT, FSINFO, PATHCONF -> FileHandle.read(reader)::write;
            case SETATTR -> SetattrArgs.read(reader)::write;
            case LOOKUP, REMOVE, RMDIR -> DirOpArgs.read(reader)::write;
            case ACCESS -> AccessArgs.read(reader)::write;
            case READ -> {
                ReadArgs args = new ReadArgs();
                args.read(reader);
                yield args::write;
            }
            case WRITE -> {
                WriteArgs args = new WriteArgs();
                args.read(reader, 1 << 20);
                yield writer -> {
                    args.file().write(writer);
                    writer.writeLong(args.offset());
                    writer.writeUnsignedInt(args.count());
                    args.stable().write(writer);
                    writer.writeOpaque(args.data(), args.dataOffset(), (int) args.dataLength());
                };
            }
            case CREATE -> CreateArgs.read(reader)::write;
            case MKDIR -> MkdirArgs.read(reader)::write;
            case SYMLINK -> SymlinkArgs.read(reader)::write;
            case MKNOD -> MknodArgs.read(reader)::write;
            case RENAME -> RenameArgs.read(reader)::write;
            case LINK -> LinkArgs.read(reader)::write;
            case READDIR -> ReaddirArgs.read(reader)::write;
            case READDIRPLUS -> ReaddirplusArgs.read(reader)::write;
            case COMMIT -> {
                CommitArgs args = new CommitArgs();
                args.read(reader);
                yield args::write;
            }
        };
    }

    private static XdrDecoder<XdrEncoder> results(NfsProcedure procedure) {
        return reader -> switch (procedure) {
            case NULL -> XdrEncoder.VOID;
            case GETATTR -> GetattrResult.read(reader)::write;
            case SETATTR, REMOVE, RMDIR -> WccResult.read(reader)::write;
            case LOOKUP -> LookupResult.read(reader)::write;
            case ACCESS -> AccessResult.read(reader)::write;
            case READLINK -> ReadlinkResult.read(reader)::write;
            case WRITE -> {
                WriteResult result = new WriteResult();
                result.read(reader, true);
                yield result::write;
            }
            case CREATE, MKDIR, SYMLINK, MKNOD -> CreateResult.read(reader)::write;
            case RENAME -> RenameResult.read(reader)::write;
            case LINK -> LinkResult.read(reader)::write;
            case READDIR -> ReaddirResult.read(reader)::write;
            case READDIRPLUS -> ReaddirplusResult.read(reader)::write;
            case FSSTAT -> FsstatResult.read(reader)::write;
            case FSINFO -> FsinfoResult.read(reader)::write;
            case PATHCONF -> PathconfResult.read(reader)::write;
            case COMMIT -> CommitResult.read(reader)::write;
            case READ -> throw new AssertionError("READ has its data in a chunk");
        };
    }

    /** A chunk with data at a position, as a transport would offer it. */
    private record Chunk(long position, MemorySegment data) implements ChunkClaims {
        @Override
        public MemorySegment claim(long at, long length) throws XdrException {
            if (at != position || length != data.byteSize()) {
                throw new XdrException(XdrException.Reason.CHUNK_LENGTH, "at " + at + " length " + length);
            }
            return data;
        }

        @Override
        public void finish() {}
    }

    @Test
    void theDataOfALinuxReadIsInItsChunk() throws Exception {
        Sent sent = linux().stream()
                .filter(line -> line.procedure() == NfsProcedure.READ && line.isReply())
                .findFirst()
                .orElseThrow();
        byte[] bytes = Codec.hex(sent.hex());
        MemorySegment data = MemorySegment.ofArray(new byte[1]);
        XdrReader reader = new XdrReader();
        reader.start(MemorySegment.ofArray(bytes), 0, bytes.length, new Chunk(bytes.length, data));
        ReadResult result = new ReadResult();
        result.read(reader, 4_096, true);
        reader.finish();
        assertThat(result.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(result.count()).isEqualTo(1);
        assertThat(result.atEnd()).isTrue();
        assertThat(result.data()).isSameAs(data);
        assertThat(Objects.requireNonNull(result.attributes()).size()).isEqualTo(1);
    }

    @Test
    void writeArgumentsHaveTheirDataInlineOrInAChunk() throws Exception {
        String head = """
                00000004 aabbccdd # handle
                00000000 00001000 # offset
                00000005 00000001 # count, DATA_SYNC
                00000005          # length of the data
                """;
        WriteArgs args = new WriteArgs();
        XdrReader reader = new XdrReader();
        byte[] inline = Codec.hex(head + "0102030405 000000");
        reader.start(MemorySegment.ofArray(inline));
        args.read(reader, 5);
        reader.finish();
        check(args, 5);
        assertThat(args.data().get(ValueLayout.JAVA_BYTE, args.dataOffset() + 4))
                .isEqualTo((byte) 5);

        byte[] reduced = Codec.hex(head);
        MemorySegment chunk = MemorySegment.ofArray(new byte[] {1, 2, 3, 4, 5});
        reader.start(MemorySegment.ofArray(reduced), 0, reduced.length, new Chunk(reduced.length, chunk));
        args.read(reader, 5);
        reader.finish();
        check(args, 5);
        assertThat(args.data()).isSameAs(chunk);

        reader.start(MemorySegment.ofArray(inline));
        assertThatThrownBy(() -> args.read(reader, 4)).isInstanceOf(XdrException.class);
        args.clear();
        assertThat(args.dataLength()).isZero();
    }

    private static void check(WriteArgs args, int length) {
        assertThat(args.file().toHandle()).hasToString("aabbccdd");
        assertThat(args.offset()).isEqualTo(4_096);
        assertThat(args.count()).isEqualTo(length);
        assertThat(args.stable()).isEqualTo(StableHow.DATA_SYNC);
        assertThat(args.dataLength()).isEqualTo(length);
    }

    @Test
    void payloadsAreMarkedWhereTheirBytesBegin() {
        try (NativeAllocator memory = new NativeAllocator()) {
            XdrBuffer buffer = new XdrBuffer();
            XdrWriter writer = new XdrWriter(buffer);
            WriteArgs args = new WriteArgs();
            args.set(FileHandle.of(new byte[16]), 0, 5, StableHow.UNSTABLE);
            writer.startOwned(memory, memory.allocate(512), 512);
            args.write(writer, memory.allocate(5), 0);
            checkMark(writer.finish(), 20 + 8 + 4 + 4 + 4, 5);
            buffer.releaseAll();

            PayloadBuffer lent = memory.allocate(100);
            writer.startOwned(memory, memory.allocate(512), 512);
            args.writeLent(writer, lent, 64);
            checkMark(writer.finish(), 40, 5);
            buffer.releaseAll();
            lent.release();

            writer.startOwned(memory, memory.allocate(512), 512);
            ReadResult.writeOk(writer, null, memory.allocate(7), 7, true);
            checkMark(writer.finish(), 4 + 4 + 4 + 4 + 4, 7);
            buffer.releaseAll();

            writer.startOwned(memory, memory.allocate(512), 512);
            LinkText text = LinkText.of("target");
            new ReadlinkResult(NfsStatus.NFS3_OK, Optional.empty(), text).writePayload(writer, memory.allocate(6));
            checkMark(writer.finish(), 12, 6);
            buffer.releaseAll();

            writer.startOwned(memory, memory.allocate(512), 512);
            new SymlinkArgs(new DirOpArgs(FileHandle.of(new byte[16]), FileName.of("l")), Sattr3.NOTHING, text)
                    .writePayload(writer, memory.allocate(6));
            checkMark(writer.finish(), 20 + 8 + 24 + 4, 6);
            buffer.releaseAll();
            assertThat(memory.outstanding()).isZero();
        }
    }

    private static void checkMark(XdrBuffer message, long offset, int length) {
        assertThat(message.payloadCount()).isEqualTo(1);
        assertThat(message.payloadOffset(0)).isEqualTo(offset);
        assertThat(message.payloadLength(0)).isEqualTo(length);
        assertThat(message.length()).isEqualTo(offset + length + message.payloadPad(0));
    }

    @Test
    void aReadWhoseCountIsNotTheLengthOfItsDataIsMalformed() {
        byte[] bytes = Codec.hex("00000000 00000000 00000003 00000001 00000002 0102 0000");
        assertThatThrownBy(() -> Codec.decode(bytes, reader -> {
                    ReadResult result = new ReadResult();
                    result.read(reader, 100, false);
                    return result;
                }))
                .isInstanceOf(XdrException.class)
                .hasMessageContaining("READ of 3 bytes");
    }

    @Test
    void attributesToSetAreLaidOutAsInTheRfc() throws XdrException {
        byte[] bytes = Codec.hex("""
                00000001 000001a4          # mode 0644
                00000001 fffffffe          # uid
                00000000                   # gid
                00000001 00000001 00000000 # size
                00000001                   # atime: server's
                00000002 00000005 00000006 # mtime: client's
                """);
        Sattr3 expected = new Sattr3(
                OptionalInt.of(0644),
                OptionalLong.of(0xffff_fffeL),
                OptionalLong.empty(),
                OptionalLong.of(1L << 32),
                TimeChange.Preset.SERVER_TIME,
                new TimeChange.To(new NfsTime(5, 6)));
        assertThat(Codec.decode(bytes, Sattr3::read)).isEqualTo(expected);
        assertThat(Codec.encode(expected::write)).isEqualTo(bytes);
    }

    @Test
    void mountResultsAreLaidOutAsInTheRfc() throws XdrException {
        byte[] bytes = Codec.hex("00000000 00000003 01020300 00000002 00000001 00000000");
        MountResult result = Codec.decode(bytes, MountResult::read);
        assertThat(result.directory()).hasToString("010203");
        assertThat(result.flavors()).containsExactly(1, 0);
        assertThat(Codec.encode(result::write)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @EnumSource
    void everyStatusIsReadAsItIsWritten(NfsStatus status) throws XdrException {
        byte[] bytes = Codec.encode(status::write);
        assertThat(ByteBuffer.wrap(bytes).getInt()).isEqualTo(status.number());
        assertThat(Codec.decode(bytes, NfsStatus::read)).isEqualTo(status);
    }

    @Test
    void valuesThatTheRfcDoesNotDefineAreMalformed() {
        for (int value : new int[] {-1, 3, 4, 67, 72, 10_000, 10_009, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            byte[] bytes = Codec.encode(writer -> writer.writeInt(value));
            assertThatThrownBy(() -> Codec.decode(bytes, NfsStatus::read)).hasMessageContaining("NFS status");
        }
        for (int value : new int[] {-1, 0, 8, Integer.MIN_VALUE}) {
            byte[] bytes = Codec.encode(writer -> writer.writeInt(value));
            assertThatThrownBy(() -> Codec.decode(bytes, FileType::read)).isInstanceOf(XdrException.class);
        }
        for (int value : new int[] {-1, 3, Integer.MIN_VALUE}) {
            byte[] bytes = Codec.encode(writer -> writer.writeInt(value));
            assertThatThrownBy(() -> Codec.decode(bytes, StableHow::read)).isInstanceOf(XdrException.class);
            assertThatThrownBy(() -> Codec.decode(bytes, CreateHow::read)).isInstanceOf(XdrException.class);
            assertThatThrownBy(() -> Codec.decode(bytes, TimeChange::read)).isInstanceOf(XdrException.class);
            assertThatThrownBy(() -> Codec.decode(bytes, MountStatus::read)).isInstanceOf(XdrException.class);
        }
    }

    @Test
    void aHandleHasAtMost64Bytes() throws XdrException {
        byte[] longest = Codec.encode(writer -> writer.writeOpaque(new byte[64]));
        assertThat(Codec.decode(longest, FileHandle::read).length()).isEqualTo(64);
        byte[] tooLong = Codec.encode(writer -> writer.writeOpaque(new byte[65]));
        assertThatThrownBy(() -> Codec.decode(tooLong, FileHandle::read)).isInstanceOf(XdrException.class);
        assertThatThrownBy(() -> FileHandle.of(new byte[65])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void entrySizesAreWhatIsWritten() {
        Fattr3 attributes =
                new Fattr3(FileType.NF3REG, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, NfsTime.EPOCH, NfsTime.EPOCH, NfsTime.EPOCH);
        for (int length = 0; length < 20; length++) {
            FileName name = FileName.of(new byte[length]);
            assertThat(Codec.encode(writer -> ReaddirResult.writeEntry(writer, 1, name, 2)))
                    .hasSize(ReaddirResult.entryBytes(length));
            FileHandle handle = length == 0 ? FileHandle.NONE : FileHandle.of(new byte[length]);
            ReaddirplusResult.Entry entry = new ReaddirplusResult.Entry(1, name, 2, Optional.of(attributes), handle);
            ReaddirplusResult page =
                    new ReaddirplusResult(NfsStatus.NFS3_OK, Optional.of(attributes), 0, List.of(entry), true);
            assertThat(Codec.encode(page::write))
                    .hasSize(ReaddirResult.FRAME_BYTES
                            + Nfs3.FATTR_BYTES
                            + ReaddirplusResult.entryBytes(length, true, length));
        }
    }

    @Test
    void pathsAreTakenApartAtSlashesOnly() {
        assertThat(MountPath.of("/a//b\\c/.../d/").names())
                .extracting(FileName::toString)
                .containsExactly("a", "b\\c", "...", "d");
        assertThat(MountPath.of("/").names()).isEmpty();
        assertThat(MountPath.of("").isAbsolute()).isFalse();
        assertThat(MountPath.ROOT.isAbsolute()).isTrue();
    }
}
