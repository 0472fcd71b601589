package io.rpcrdma4j.nfs.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.nfs.wire.FileName;
import io.rpcrdma4j.nfs.wire.NfsStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The small parts of the tree, each on its own. */
class VfsPartsTest {
    @TempDir
    Path scratch;

    @Test
    void sipHashGivesThePublishedVectors() {
        byte[] key = new byte[16];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) i;
        }
        // From the reference implementation: keys 00..0f, messages of 0, 1, 7, 8 and 15 bytes 00, 01, ...
        long[][] vectors = {
            {0, 0x726fdb47dd0e0e31L},
            {1, 0x74f839c593dc67fdL},
            {7, 0xab0200f58b01d137L},
            {8, 0x93f5f5799a932462L},
            {15, 0xa129ca6149be45e5L}
        };
        SipHash hash = new SipHash(key);
        byte[] message = new byte[20];
        for (long[] vector : vectors) {
            for (int i = 0; i < 15; i++) {
                message[3 + i] = (byte) i;
            }
            assertThat(hash.hash(message, 3, (int) vector[0])).isEqualTo(vector[1]);
        }
    }

    @Test
    void theCacheForgetsWhatWasNotUsedForLongest() {
        NodeCache cache = new NodeCache(3);
        NioNode[] nodes = IntStream.range(0, 5)
                .mapToObj(i -> new NioNode(i + 1, 1, 0, new NioNode.NodeLink[0]))
                .toArray(NioNode[]::new);
        cache.put(nodes[0]);
        cache.put(nodes[1]);
        cache.put(nodes[2]);
        assertThat(cache.get(1)).isSameAs(nodes[0]);
        cache.put(nodes[3]);
        assertThat(cache.get(2)).isNull();
        assertThat(cache.get(1)).isSameAs(nodes[0]);
        cache.remove(3);
        cache.put(nodes[4]);
        assertThat(cache.size()).isEqualTo(3);
        assertThat(cache.get(4)).isSameAs(nodes[3]);
        assertThat(cache.get(5)).isSameAs(nodes[4]);
        cache.remove(4);
        cache.remove(5);
        cache.remove(1);
        cache.remove(1);
        assertThat(cache.size()).isZero();
        cache.put(nodes[1]);
        assertThat(cache.get(2)).isSameAs(nodes[1]);
    }

    @Test
    void idleFilesAreClosedWhenThereAreTooMany() throws IOException {
        OpenFiles files = new OpenFiles(2);
        List<FileChannel> channels = new ArrayList<>();
        OpenFiles.Opener opener = (node, forWriting) -> {
            FileChannel channel = FileChannel.open(
                    scratch.resolve("f" + node.fileid()), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            channels.add(channel);
            return channel;
        };
        NioNode[] nodes = IntStream.range(1, 5)
                .mapToObj(i -> new NioNode(i, 1, 0, new NioNode.NodeLink[0]))
                .toArray(NioNode[]::new);
        OpenFiles.OpenFile first = files.acquire(nodes[0], true, opener);
        files.release(files.acquire(nodes[1], true, opener));
        files.release(files.acquire(nodes[2], true, opener));
        files.release(files.acquire(nodes[3], true, opener));
        assertThat(files.count()).isEqualTo(2);
        assertThat(channels.get(0).isOpen()).as("in use, so not closed").isTrue();
        assertThat(channels.get(1).isOpen()).isFalse();
        files.release(first);
        assertThat(channels.get(0).isOpen())
                .as("dropped, so closed when released")
                .isFalse();
        files.release(files.acquire(nodes[3], false, opener));
        assertThat(channels).as("opened once for all uses").hasSize(4);
        channels.get(3).close();
        files.release(files.acquire(nodes[3], false, opener));
        assertThat(channels)
                .as("a channel that an interrupt closed is opened anew")
                .hasSize(5);
        files.forget(nodes[3].fileid());
        assertThat(channels.get(4).isOpen()).isFalse();
        files.close();
        assertThat(files.count()).isZero();
        assertThat(channels).noneMatch(FileChannel::isOpen);
    }

    @Test
    void aFileThatIsOpenForReadingIsOpenedAnewForWriting() throws IOException {
        Path path = Files.createFile(scratch.resolve("f"));
        OpenFiles files = new OpenFiles(2);
        NioNode node = new NioNode(1, 1, 0, new NioNode.NodeLink[0]);
        OpenFiles.Opener opener = (same, forWriting) ->
                FileChannel.open(path, forWriting ? StandardOpenOption.WRITE : StandardOpenOption.READ);
        OpenFiles.OpenFile reading = files.acquire(node, false, opener);
        OpenFiles.OpenFile writing = files.acquire(node, true, opener);
        assertThat(writing.channel()).isNotSameAs(reading.channel());
        assertThat(reading.channel().isOpen()).isTrue();
        files.release(reading);
        assertThat(reading.channel().isOpen()).isFalse();
        files.release(writing);
        files.close();
    }

    @Test
    void aLargeDirectoryIsListedInRangesOfItsNames() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        Path export = Files.createDirectory(scratch.resolve("export"));
        for (int i = 0; i < 500; i++) {
            Files.createFile(export.resolve("n" + i));
            names.add("n" + i);
        }
        names.add(".");
        names.add("..");
        Path store = Files.createDirectory(scratch.resolve("store"));
        try (NioTree tree = NioTree.builder(export, store).listedNamesMax(64).open()) {
            List<String> listed = new ArrayList<>();
            assertThat(tree.list(tree.root(), 0, false, (name, cookie, node, attributes) -> {
                        listed.add(name.toString());
                        return true;
                    }))
                    .isTrue();
            assertThat(new TreeSet<>(listed)).isEqualTo(names);
            assertThat(listed).hasSameSizeAs(names);
            long[] last = {0};
            List<String> inSteps = new ArrayList<>();
            boolean atEnd = false;
            while (!atEnd) {
                int[] taken = {0};
                atEnd = tree.list(tree.root(), last[0], false, (name, cookie, node, attributes) -> {
                    if (taken[0] == 7) {
                        return false;
                    }
                    taken[0]++;
                    last[0] = cookie;
                    inSteps.add(name.toString());
                    return true;
                });
            }
            assertThat(inSteps).isEqualTo(listed);
        }
    }

    @Test
    void namesWithOneHashKeepApart() {
        List<DirectorySnapshot.Entry> entries = List.of(
                new DirectorySnapshot.Entry(10, FileName.of("a")),
                new DirectorySnapshot.Entry(10, FileName.of("b")),
                new DirectorySnapshot.Entry(10, FileName.of("c")),
                new DirectorySnapshot.Entry(11, FileName.of("d")));
        DirectorySnapshot snapshot = new DirectorySnapshot(entries, 2, true);
        long cookie = 0;
        List<String> listed = new ArrayList<>();
        for (int i = snapshot.firstAbove(cookie); i < snapshot.size(); i = snapshot.firstAbove(cookie)) {
            cookie = snapshot.cookieAt(i);
            listed.add(snapshot.nameAt(i).toString());
        }
        assertThat(listed).containsExactly("a", "b", "c", "d");
    }

    @Test
    void whatTheOperatingSystemSaysBecomesAStatus() {
        assertThat(status(new FileSystemException("a", null, "No space left on device")))
                .isEqualTo(NfsStatus.NFS3ERR_NOSPC);
        assertThat(status(new IOException("Disk quota exceeded"))).isEqualTo(NfsStatus.NFS3ERR_DQUOT);
        assertThat(status(new FileSystemException("not a directory", null, "Is a directory")))
                .isEqualTo(NfsStatus.NFS3ERR_ISDIR);
        assertThat(status(new FileSystemException("a", null, "Too many links"))).isEqualTo(NfsStatus.NFS3ERR_MLINK);
        assertThat(status(new FileSystemException("a", null, "Read-only file system")))
                .isEqualTo(NfsStatus.NFS3ERR_ROFS);
        assertThat(status(new FileSystemException("a: Not a directory", "b", "Input/output error")))
                .isEqualTo(NfsStatus.NFS3ERR_IO);
        assertThat(status(new AtomicMoveNotSupportedException("a", "b", "Invalid cross-device link")))
                .isEqualTo(NfsStatus.NFS3ERR_XDEV);
        assertThat(status(new ReadOnlyFileSystemException())).isEqualTo(NfsStatus.NFS3ERR_ROFS);
        assertThat(status(new IllegalStateException("a bug"))).isEqualTo(NfsStatus.NFS3ERR_SERVERFAULT);
    }

    private static NfsStatus status(Exception failure) {
        return NioErrors.translate(failure).status();
    }
}
