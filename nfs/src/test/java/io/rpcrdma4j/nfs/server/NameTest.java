package io.rpcrdma4j.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rpcrdma4j.nfs.wire.CreateHow;
import io.rpcrdma4j.nfs.wire.CreateResult;
import io.rpcrdma4j.nfs.wire.DirOpArgs;
import io.rpcrdma4j.nfs.wire.Fattr3;
import io.rpcrdma4j.nfs.wire.FileHandle;
import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.LinkResult;
import io.rpcrdma4j.nfs.wire.LookupResult;
import io.rpcrdma4j.nfs.wire.Nfs3;
import io.rpcrdma4j.nfs.wire.NfsProcedure;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import io.rpcrdma4j.nfs.wire.NfsTime;
import io.rpcrdma4j.nfs.wire.RenameResult;
import io.rpcrdma4j.nfs.wire.Sattr3;
import io.rpcrdma4j.nfs.wire.SetattrArgs;
import io.rpcrdma4j.nfs.wire.StableHow;
import io.rpcrdma4j.nfs.wire.TimeChange;
import io.rpcrdma4j.nfs.wire.WccResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The procedures that look up, make, change, rename and remove: what they do, and what they refuse. */
class NameTest {
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

    @Test
    void lookupTellsTheAttributesOfFileAndDirectory() throws Exception {
        Files.writeString(export.resolve("f"), "12345");
        LookupResult found = server.lookup(root, "f");
        assertThat(found.attributes()).contains(server.attributes(found.object()));
        assertThat(found.directoryAttributes()).contains(server.attributes(root));
        LookupResult missing = server.lookup(root, "missing");
        assertThat(missing.status()).isEqualTo(NfsStatus.NFS3ERR_NOENT);
        assertThat(missing.directoryAttributes()).isPresent();
        assertThat(server.lookup(found.object(), "x").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.lookup(root, "n".repeat(256)).status()).isEqualTo(NfsStatus.NFS3ERR_NAMETOOLONG);
    }

    @Test
    void attributesAreThoseOfTheFile() throws Exception {
        Path path = export.resolve("f");
        Files.writeString(path, "12345");
        Files.createLink(export.resolve("g"), path);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-x--x"));
        Fattr3 attributes = server.attributes(server.find("f"));
        assertThat(attributes.size()).isEqualTo(5);
        assertThat(attributes.links()).isEqualTo(2);
        assertThat(attributes.mode()).isEqualTo(0751);
        assertThat(attributes.fileid()).isEqualTo(Files.getAttribute(path, "unix:ino"));
        assertThat(attributes.uid()).isEqualTo(((Number) Files.getAttribute(path, "unix:uid")).longValue());
        assertThat(attributes.gid()).isEqualTo(((Number) Files.getAttribute(path, "unix:gid")).longValue());
        assertThat(attributes.modifyTime().seconds())
                .isEqualTo(Files.getLastModifiedTime(path).toInstant().getEpochSecond());
        assertThat(attributes.fsid()).isEqualTo(server.attributes(root).fsid());
    }

    @Test
    void namesOfAnyBytesAreKept() throws Exception {
        byte[][] names = {
            "\u00e4\u00f6\u00fc \u20ac \ud83d\ude00".getBytes(StandardCharsets.UTF_8),
            {(byte) 0xff, (byte) 0xfe, 'x'},
            {(byte) 0xe4, ' ', '%', '2', 'f'},
            "a b\\c:*?\"<>|\n".getBytes(StandardCharsets.UTF_8),
            "n".repeat(255).getBytes(StandardCharsets.UTF_8),
        };
        for (byte[] bytes : names) {
            FileName name = FileName.of(bytes);
            DirOpArgs where = new DirOpArgs(root, name);
            CreateResult made = server.nfs(
                    NfsProcedure.CREATE,
                    writer -> {
                        where.write(writer);
                        new CreateHow.Guarded(Sattr3.ofMode(0644)).write(writer);
                    },
                    CreateResult::read);
            assertThat(made.status()).as("%s", name).isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.nfs(NfsProcedure.LOOKUP, where::write, LookupResult::read)
                            .object())
                    .isEqualTo(made.object());
            assertThat(server.readdir(root, 0, 8_192).entries())
                    .anySatisfy(entry -> assertThat(entry.name()).isEqualTo(name));
            assertThat(server.write(made.object(), 0, bytes, StableHow.UNSTABLE).status())
                    .isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.nfs(NfsProcedure.REMOVE, where::write, WccResult::read)
                            .status())
                    .isEqualTo(NfsStatus.NFS3_OK);
        }
    }

    @Test
    void createChoosesByItsMode() throws Exception {
        CreateResult first = server.create(root, "f", new CreateHow.Guarded(Sattr3.NOTHING));
        assertThat(first.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(first.attributes().orElseThrow().mode()).isEqualTo(0644);
        server.write(first.object(), 0, new byte[10], StableHow.UNSTABLE);
        assertThat(server.create(root, "f", new CreateHow.Guarded(Sattr3.NOTHING))
                        .status())
                .isEqualTo(NfsStatus.NFS3ERR_EXIST);
        CreateResult again = server.create(root, "f", new CreateHow.Unchecked(Sattr3.ofMode(0600)));
        assertThat(again.object()).isEqualTo(first.object());
        assertThat(again.attributes().orElseThrow().size()).isEqualTo(10);
        assertThat(again.attributes().orElseThrow().mode()).isEqualTo(0644);
        CreateResult cut = server.create(root, "f", new CreateHow.Unchecked(Sattr3.ofSize(3)));
        assertThat(cut.attributes().orElseThrow().size()).isEqualTo(3);
        server.mkdir(root, "d");
        assertThat(server.create(root, "d", new CreateHow.Unchecked(Sattr3.NOTHING))
                        .status())
                .isEqualTo(NfsStatus.NFS3ERR_ISDIR);
        assertThat(server.create(root, "n".repeat(256)).status()).isEqualTo(NfsStatus.NFS3ERR_NAMETOOLONG);
        assertThat(server.create(first.object(), "x").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
    }

    @Test
    void anExclusiveCreateSucceedsAgainWithItsVerifierOnly() throws Exception {
        for (long verifier : new long[] {0x0123_4567_89ab_cdefL, -1, 0, Long.MIN_VALUE}) {
            CreateResult made = server.create(root, "x", new CreateHow.Exclusive(verifier));
            assertThat(made.status()).isEqualTo(NfsStatus.NFS3_OK);
            assertThat(server.create(root, "x", new CreateHow.Exclusive(verifier))
                            .object())
                    .isEqualTo(made.object());
            assertThat(server.create(root, "x", new CreateHow.Exclusive(verifier ^ 1))
                            .status())
                    .isEqualTo(NfsStatus.NFS3ERR_EXIST);
            server.setattr(
                    made.object(),
                    new Sattr3(
                            OptionalInt.of(0640),
                            OptionalLong.empty(),
                            OptionalLong.empty(),
                            OptionalLong.empty(),
                            TimeChange.Preset.SERVER_TIME,
                            TimeChange.Preset.SERVER_TIME));
            assertThat(server.create(root, "x", new CreateHow.Exclusive(verifier))
                            .status())
                    .isEqualTo(NfsStatus.NFS3ERR_EXIST);
            server.remove(root, "x");
        }
    }

    @Test
    void creationGetsTheModeAsked() throws Exception {
        for (int mode : new int[] {0777, 0666, 0622, 0400, 0, 01777}) {
            assertThat(server.create(root, "f" + mode, new CreateHow.Guarded(Sattr3.ofMode(mode)))
                            .attributes()
                            .orElseThrow()
                            .mode())
                    .isEqualTo(mode);
        }
        server.nfs(
                NfsProcedure.MKDIR,
                writer -> {
                    TestServer.where(root, "d").write(writer);
                    Sattr3.ofMode(01777).write(writer);
                },
                CreateResult::read);
        assertThat(server.attributes(server.find("d")).mode()).isEqualTo(01777);
    }

    @Test
    void setattrSetsWhatIsAskedAndNothingElse() throws Exception {
        FileHandle file = server.create(root, "f").object();
        server.write(file, 0, new byte[100], StableHow.UNSTABLE);
        NfsTime time = new NfsTime(1_000_000_000, 123_456_789);
        Fattr3 before = server.attributes(file);
        WccResult result = server.setattr(
                file,
                new Sattr3(
                        OptionalInt.of(0600),
                        OptionalLong.of(before.uid()),
                        OptionalLong.of(before.gid()),
                        OptionalLong.of(10),
                        new TimeChange.To(time),
                        TimeChange.Preset.KEEP));
        assertThat(result.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(result.wcc().before().orElseThrow().size()).isEqualTo(100);
        Fattr3 after = result.wcc().after().orElseThrow();
        assertThat(after).isEqualTo(server.attributes(file));
        assertThat(after.mode()).isEqualTo(0600);
        assertThat(after.size()).isEqualTo(10);
        assertThat(after.accessTime()).isEqualTo(time);
        server.setattr(file, Sattr3.ofSize(5_000));
        assertThat(server.read(file, 0, 6_000).bytes()).isEqualTo(new byte[5_000]);
        assertThat(server.setattr(file, Sattr3.ofSize(-1)).status()).isEqualTo(NfsStatus.NFS3ERR_FBIG);
        assertThat(server.setattr(server.mkdir(root, "d").object(), Sattr3.ofSize(0))
                        .status())
                .isEqualTo(NfsStatus.NFS3ERR_ISDIR);
    }

    @Test
    void aGuardHoldsChangesOff() throws Exception {
        FileHandle file = server.create(root, "f").object();
        NfsTime now = server.attributes(file).changeTime();
        SetattrArgs wrong =
                new SetattrArgs(file, Sattr3.ofMode(0600), Optional.of(new NfsTime(now.seconds(), now.nanos() ^ 1)));
        assertThat(server.nfs(NfsProcedure.SETATTR, wrong::write, WccResult::read)
                        .status())
                .isEqualTo(NfsStatus.NFS3ERR_NOT_SYNC);
        SetattrArgs right = new SetattrArgs(file, Sattr3.ofMode(0600), Optional.of(now));
        assertThat(server.nfs(NfsProcedure.SETATTR, right::write, WccResult::read)
                        .status())
                .isEqualTo(NfsStatus.NFS3_OK);
    }

    @Test
    void ownersAreNotGivenAway() throws Exception {
        assumeFalse(server.attributes(root).uid() == 0, "root may give files away");
        FileHandle file = server.create(root, "f").object();
        Sattr3 other = new Sattr3(
                OptionalInt.empty(),
                OptionalLong.of(12_345),
                OptionalLong.empty(),
                OptionalLong.empty(),
                TimeChange.Preset.KEEP,
                TimeChange.Preset.KEEP);
        assertThat(server.setattr(file, other).status()).isEqualTo(NfsStatus.NFS3ERR_PERM);
    }

    @Test
    void timesOfAPipeAreNotSetSinceThatWouldWaitForItsOtherEnd() throws Exception {
        Process process = new ProcessBuilder("mkfifo", export.resolve("pipe").toString()).start();
        assertThat(process.waitFor()).isZero();
        FileHandle pipe = server.find("pipe");
        Sattr3 now = new Sattr3(
                OptionalInt.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                TimeChange.Preset.SERVER_TIME,
                TimeChange.Preset.SERVER_TIME);
        assertThat(server.setattr(pipe, now).status()).isEqualTo(NfsStatus.NFS3ERR_NOTSUPP);
        assertThat(server.setattr(pipe, Sattr3.ofMode(0600)).status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.read(pipe, 0, 1).status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.access(pipe, 0x3f).status()).isEqualTo(NfsStatus.NFS3_OK);
    }

    @Test
    void removeAndRmdirDoNotDoEachOthersWork() throws Exception {
        server.mkdir(root, "d");
        server.create(root, "f");
        assertThat(server.remove(root, "d").status()).isEqualTo(NfsStatus.NFS3ERR_ISDIR);
        assertThat(server.rmdir(root, "f").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        WccResult gone = server.remove(root, "missing");
        assertThat(gone.status()).isEqualTo(NfsStatus.NFS3ERR_NOENT);
        assertThat(gone.wcc().before()).isPresent();
        assertThat(gone.wcc().after()).isPresent();
        assertThat(server.remove(root, "f").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.rmdir(root, "d").status()).isEqualTo(NfsStatus.NFS3_OK);
    }

    @Test
    void renameReplacesAndRefusesAsPosixHasIt() throws Exception {
        FileHandle d = server.mkdir(root, "d").object();
        FileHandle e = server.mkdir(root, "e").object();
        server.create(d, "x");
        FileHandle f = server.create(root, "f").object();
        assertThat(server.rename(root, "missing", root, "y").status()).isEqualTo(NfsStatus.NFS3ERR_NOENT);
        assertThat(server.rename(root, "f", root, "d").status()).isEqualTo(NfsStatus.NFS3ERR_ISDIR);
        assertThat(server.rename(root, "d", root, "f").status()).isEqualTo(NfsStatus.NFS3ERR_NOTDIR);
        assertThat(server.rename(root, "e", root, "d").status()).isEqualTo(NfsStatus.NFS3ERR_NOTEMPTY);
        assertThat(server.rename(root, "d", d, "inside").status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        RenameResult replaced = server.rename(root, "d", root, "e");
        assertThat(replaced.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(replaced.fromWcc().before()).isPresent();
        assertThat(replaced.toWcc().after()).isPresent();
        assertThat(server.getattr(e).status()).isEqualTo(NfsStatus.NFS3ERR_STALE);
        assertThat(server.lookup(root, "e").object()).isEqualTo(d);
        assertThat(server.lookup(d, "x").status()).isEqualTo(NfsStatus.NFS3_OK);
        server.link(f, root, "g");
        assertThat(server.rename(root, "f", root, "g").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.rename(root, "f", root, "f").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.attributes(f).links()).isEqualTo(2);
    }

    @Test
    void linkGivesFilesAnotherNameAndDirectoriesNone() throws Exception {
        FileHandle file = server.create(root, "f").object();
        LinkResult linked = server.link(file, root, "g");
        assertThat(linked.status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(linked.attributes().orElseThrow().links()).isEqualTo(2);
        assertThat(linked.directoryWcc().after()).isPresent();
        assertThat(server.link(file, root, "g").status()).isEqualTo(NfsStatus.NFS3ERR_EXIST);
        FileHandle directory = server.mkdir(root, "d").object();
        assertThat(server.link(directory, root, "e").status()).isEqualTo(NfsStatus.NFS3ERR_PERM);
    }

    @Test
    void symbolicLinksKeepTheirText() throws Exception {
        for (String text : new String[] {"x", "../..", "/absolute/path", "\u00e4\u20ac", "t".repeat(2_001)}) {
            FileHandle link = server.symlink(root, "l", text).object();
            assertThat(server.readlink(link).text().toString()).isEqualTo(text);
            assertThat(server.attributes(link).size()).isEqualTo(text.getBytes(StandardCharsets.UTF_8).length);
            server.remove(root, "l");
        }
        assertThat(server.symlink(root, "l", "").status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.symlink(root, "l", "a\u0000b").status()).isEqualTo(NfsStatus.NFS3ERR_INVAL);
        assertThat(server.symlink(root, "l", "t".repeat(5_000)).status()).isEqualTo(NfsStatus.NFS3ERR_NAMETOOLONG);
    }

    @Test
    void accessIsWhatTheServersUserHas() throws Exception {
        assumeFalse(server.attributes(root).uid() == 0, "root has every access");
        FileHandle file = server.create(root, "f", new CreateHow.Guarded(Sattr3.ofMode(0444)))
                .object();
        assertThat(server.access(file, 0x3f).access()).isEqualTo(Nfs3.ACCESS3_READ);
        assertThat(server.access(root, 0x3f).access()).isEqualTo(0x1f);
        assertThat(server.access(root, Nfs3.ACCESS3_LOOKUP).access()).isEqualTo(Nfs3.ACCESS3_LOOKUP);
    }

    @Test
    void nothingChangesOnAReadOnlyExport() throws Exception {
        FileHandle file = server.create(root, "f").object();
        server.mkdir(root, "d");
        server.close();
        server = new TestServer(export, scratch.resolve("state"), options -> options.readOnly(true));
        assertThat(server.lookup(root, "f").object()).isEqualTo(file);
        assertThat(server.read(file, 0, 1).status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.access(file, 0x3f).access() & Nfs3.ACCESS3_MODIFY).isZero();
        NfsStatus[] refused = {
            server.create(root, "g").status(),
            server.create(root, "f", new CreateHow.Unchecked(Sattr3.ofSize(0))).status(),
            server.mkdir(root, "e").status(),
            server.symlink(root, "l", "x").status(),
            server.remove(root, "f").status(),
            server.rmdir(root, "d").status(),
            server.rename(root, "f", root, "h").status(),
            server.link(file, root, "h").status(),
            server.setattr(file, Sattr3.ofMode(0)).status(),
            server.write(file, 0, new byte[1], StableHow.UNSTABLE).status()
        };
        assertThat(refused).containsOnly(NfsStatus.NFS3ERR_ROFS);
    }

    @Test
    void changesOfNamesReachTheDiskWhenThatIsWanted() throws Exception {
        server.close();
        server = new TestServer(export, scratch.resolve("state"), options -> options.syncNames(true));
        FileHandle d = server.mkdir(root, "d").object();
        assertThat(server.create(d, "f").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.rename(d, "f", root, "g").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.remove(root, "g").status()).isEqualTo(NfsStatus.NFS3_OK);
        assertThat(server.rmdir(root, "d").status()).isEqualTo(NfsStatus.NFS3_OK);
    }
}
