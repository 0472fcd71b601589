package io.rpcrdma4j.nfs.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.rpc.xdr.XdrDecoder;
import io.rpcrdma4j.rpc.xdr.XdrEncoder;
import io.rpcrdma4j.rpc.xdr.XdrException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written is what is read, for random values of every record; and no prefix of it is accepted. */
class WireRoundTripTest {
    private static final int SEEDS = 40;
    private static final NfsStatus[] STATUSES = NfsStatus.values();
    private static final FileType[] TYPES = FileType.values();

    /** A value with its codec. */
    private record Sample(Object value, XdrEncoder encoder, XdrDecoder<Object> decoder) {}

    static LongStream seeds() {
        String wanted = System.getProperty("test.seed");
        return wanted == null ? LongStream.range(0, SEEDS) : LongStream.of(Long.parseLong(wanted));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatIsWrittenIsRead(long seed) throws XdrException {
        for (Sample sample : samples(new Draw(seed)).toList()) {
            byte[] bytes = Codec.encode(sample.encoder());
            assertThat(bytes.length % 4).as("%s, seed %d", sample.value(), seed).isZero();
            assertThat(Codec.decode(bytes, sample.decoder()))
                    .as("seed %d", seed)
                    .isEqualTo(sample.value());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noPrefixIsAccepted(long seed) {
        for (Sample sample : samples(new Draw(seed)).toList()) {
            byte[] bytes = Codec.encode(sample.encoder());
            for (int length = 0; length < bytes.length; length++) {
                byte[] prefix = Arrays.copyOf(bytes, length);
                assertThatThrownBy(() -> Codec.decode(prefix, sample.decoder()))
                        .as("%d of %d bytes of %s, seed %d", length, bytes.length, sample.value(), seed)
                        .isInstanceOf(XdrException.class);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void corruptBytesAreReadOrRefusedButNeverMore(long seed) {
        Draw draw = new Draw(seed);
        for (Sample sample : samples(draw).toList()) {
            byte[] bytes = Codec.encode(sample.encoder());
            for (int i = 0; i < bytes.length; i++) {
                byte[] corrupt = bytes.clone();
                corrupt[i] ^= (byte) (1 + draw.random.nextInt(255));
                try {
                    Codec.decode(corrupt, sample.decoder());
                } catch (XdrException e) {
                    assertThat(e.reason()).isNotNull();
                }
            }
        }
    }

    private static Stream<Sample> samples(Draw d) {
        return Stream.of(arguments(d), results(d), mount(d)).flatMap(s -> s);
    }

    private static Stream<Sample> arguments(Draw d) {
        SetattrArgs setattr = new SetattrArgs(d.handle(), d.sattr(), d.optional(d.time()));
        AccessArgs access = new AccessArgs(d.handle(), d.word());
        CreateArgs create = new CreateArgs(d.where(), d.how());
        MkdirArgs mkdir = new MkdirArgs(d.where(), d.sattr());
        SymlinkArgs symlink = new SymlinkArgs(d.where(), d.sattr(), LinkText.of(d.bytes(100)));
        MknodArgs mknod = d.mknod();
        RenameArgs rename = new RenameArgs(d.where(), d.where());
        LinkArgs link = new LinkArgs(d.handle(), d.where());
        ReaddirArgs readdir = new ReaddirArgs(d.handle(), d.hyper(), d.hyper(), d.unsigned());
        ReaddirplusArgs plus = new ReaddirplusArgs(d.handle(), d.hyper(), d.hyper(), d.unsigned(), d.unsigned());
        return Stream.of(
                new Sample(setattr, setattr::write, SetattrArgs::read),
                new Sample(access, access::write, AccessArgs::read),
                new Sample(create, create::write, CreateArgs::read),
                new Sample(mkdir, mkdir::write, MkdirArgs::read),
                new Sample(symlink, symlink::write, SymlinkArgs::read),
                new Sample(mknod, mknod::write, MknodArgs::read),
                new Sample(rename, rename::write, RenameArgs::read),
                new Sample(link, link::write, LinkArgs::read),
                new Sample(readdir, readdir::write, ReaddirArgs::read),
                new Sample(plus, plus::write, ReaddirplusArgs::read));
    }

    private static Stream<Sample> results(Draw d) {
        NfsStatus status = d.status();
        boolean ok = status.isOk();
        GetattrResult getattr = new GetattrResult(status, ok ? Optional.of(d.fattr()) : Optional.empty());
        WccResult wcc = new WccResult(status, d.wcc());
        LookupResult lookup = new LookupResult(
                status,
                ok ? d.handle() : FileHandle.NONE,
                ok ? d.optional(d.fattr()) : Optional.empty(),
                d.optional(d.fattr()));
        AccessResult access = new AccessResult(status, d.optional(d.fattr()), ok ? d.word() : 0);
        ReadlinkResult readlink =
                new ReadlinkResult(status, d.optional(d.fattr()), ok ? LinkText.of(d.bytes(70)) : LinkText.EMPTY);
        CreateResult create = new CreateResult(
                status, ok ? d.handle() : FileHandle.NONE, ok ? d.optional(d.fattr()) : Optional.empty(), d.wcc());
        RenameResult rename = new RenameResult(status, d.wcc(), d.wcc());
        LinkResult link = new LinkResult(status, d.optional(d.fattr()), d.wcc());
        CommitResult commit = new CommitResult(status, d.wcc(), ok ? d.hyper() : 0);
        return Stream.concat(
                Stream.of(
                        new Sample(getattr, getattr::write, GetattrResult::read),
                        new Sample(wcc, wcc::write, WccResult::read),
                        new Sample(lookup, lookup::write, LookupResult::read),
                        new Sample(access, access::write, AccessResult::read),
                        new Sample(readlink, readlink::write, ReadlinkResult::read),
                        new Sample(create, create::write, CreateResult::read),
                        new Sample(rename, rename::write, RenameResult::read),
                        new Sample(link, link::write, LinkResult::read),
                        new Sample(commit, commit::write, CommitResult::read)),
                figures(d, status, ok));
    }

    private static Stream<Sample> figures(Draw d, NfsStatus status, boolean ok) {
        FsstatResult fsstat =
                new FsstatResult(status, d.optional(d.fattr()), ok ? d.fsstat() : FsstatResult.Figures.NONE);
        FsinfoResult fsinfo =
                new FsinfoResult(status, d.optional(d.fattr()), ok ? d.fsinfo() : FsinfoResult.Figures.NONE);
        PathconfResult pathconf =
                new PathconfResult(status, d.optional(d.fattr()), ok ? d.pathconf() : PathconfResult.Limits.NONE);
        ReaddirResult readdir = new ReaddirResult(
                status,
                d.optional(d.fattr()),
                ok ? d.hyper() : 0,
                ok ? List.of(d.entry(), d.entry()) : List.of(),
                ok && d.flag());
        ReaddirplusResult plus = new ReaddirplusResult(
                status,
                d.optional(d.fattr()),
                ok ? d.hyper() : 0,
                ok ? List.of(d.entryPlus(), d.entryPlus(), d.entryPlus()) : List.of(),
                ok && d.flag());
        return Stream.of(
                new Sample(fsstat, fsstat::write, FsstatResult::read),
                new Sample(fsinfo, fsinfo::write, FsinfoResult::read),
                new Sample(pathconf, pathconf::write, PathconfResult::read),
                new Sample(readdir, readdir::write, ReaddirResult::read),
                new Sample(plus, plus::write, ReaddirplusResult::read));
    }

    private static Stream<Sample> mount(Draw d) {
        MountResult mount = d.flag()
                ? MountResult.failed(MountStatus.MNT3ERR_ACCES)
                : new MountResult(MountStatus.MNT3_OK, d.handle(), List.of(1, 0, d.word()));
        MountList list = new MountList(List.of(new MountList.Entry(d.name(), MountPath.of("/a/" + d.word()))));
        ExportList exports = new ExportList(List.of(
                new ExportList.Entry(MountPath.ROOT, List.of(d.name(), d.name())),
                new ExportList.Entry(MountPath.of("/b"), List.of())));
        return Stream.of(
                new Sample(mount, mount::write, MountResult::read),
                new Sample(list, list::write, MountList::read),
                new Sample(exports, exports::write, ExportList::read));
    }

    /** Draws random values. */
    private static final class Draw {
        private final SplittableRandom random;

        Draw(long seed) {
            random = new SplittableRandom(seed);
        }

        boolean flag() {
            return random.nextBoolean();
        }

        int word() {
            return random.nextInt();
        }

        long unsigned() {
            return random.nextInt() & 0xffff_ffffL;
        }

        long hyper() {
            return random.nextLong();
        }

        byte[] bytes(int max) {
            byte[] bytes = new byte[random.nextInt(max + 1)];
            random.nextBytes(bytes);
            return bytes;
        }

        FileHandle handle() {
            byte[] bytes = new byte[1 + random.nextInt(Nfs3.HANDLE_BYTES_MAX)];
            random.nextBytes(bytes);
            return FileHandle.of(bytes);
        }

        FileName name() {
            return FileName.of(bytes(40));
        }

        DirOpArgs where() {
            return new DirOpArgs(handle(), name());
        }

        NfsTime time() {
            return new NfsTime(unsigned(), random.nextInt(1_000_000_000));
        }

        <T> Optional<T> optional(T value) {
            return flag() ? Optional.of(value) : Optional.empty();
        }

        NfsStatus status() {
            return flag() ? NfsStatus.NFS3_OK : STATUSES[random.nextInt(STATUSES.length)];
        }

        FileType type() {
            return TYPES[random.nextInt(TYPES.length)];
        }

        Fattr3 fattr() {
            return new Fattr3(
                    type(),
                    word(),
                    unsigned(),
                    unsigned(),
                    unsigned(),
                    hyper(),
                    hyper(),
                    word(),
                    word(),
                    hyper(),
                    hyper(),
                    time(),
                    time(),
                    time());
        }

        WccData wcc() {
            return new WccData(optional(new WccAttr(hyper(), time(), time())), optional(fattr()));
        }

        TimeChange timeChange() {
            return switch (random.nextInt(3)) {
                case 0 -> TimeChange.Preset.KEEP;
                case 1 -> TimeChange.Preset.SERVER_TIME;
                default -> new TimeChange.To(time());
            };
        }

        Sattr3 sattr() {
            return new Sattr3(
                    flag() ? OptionalInt.of(word()) : OptionalInt.empty(),
                    flag() ? OptionalLong.of(unsigned()) : OptionalLong.empty(),
                    flag() ? OptionalLong.of(unsigned()) : OptionalLong.empty(),
                    flag() ? OptionalLong.of(hyper()) : OptionalLong.empty(),
                    timeChange(),
                    timeChange());
        }

        CreateHow how() {
            return switch (random.nextInt(3)) {
                case 0 -> new CreateHow.Unchecked(sattr());
                case 1 -> new CreateHow.Guarded(sattr());
                default -> new CreateHow.Exclusive(hyper());
            };
        }

        MknodArgs mknod() {
            FileType type = type();
            return switch (type) {
                case NF3CHR, NF3BLK -> new MknodArgs(where(), type, sattr(), word(), word());
                case NF3SOCK, NF3FIFO -> new MknodArgs(where(), type, sattr(), 0, 0);
                case NF3REG, NF3DIR, NF3LNK -> new MknodArgs(where(), type, Sattr3.NOTHING, 0, 0);
            };
        }

        FsstatResult.Figures fsstat() {
            return new FsstatResult.Figures(hyper(), hyper(), hyper(), hyper(), hyper(), hyper(), unsigned());
        }

        FsinfoResult.Figures fsinfo() {
            return new FsinfoResult.Figures(
                    unsigned(),
                    unsigned(),
                    unsigned(),
                    unsigned(),
                    unsigned(),
                    unsigned(),
                    unsigned(),
                    hyper(),
                    time(),
                    word());
        }

        PathconfResult.Limits pathconf() {
            return new PathconfResult.Limits(unsigned(), unsigned(), flag(), flag(), flag(), flag());
        }

        ReaddirResult.Entry entry() {
            return new ReaddirResult.Entry(hyper(), name(), hyper());
        }

        ReaddirplusResult.Entry entryPlus() {
            return new ReaddirplusResult.Entry(
                    hyper(), name(), hyper(), optional(fattr()), flag() ? handle() : FileHandle.NONE);
        }
    }
}
