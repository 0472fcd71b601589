package io.rpcrdma4j.nfs.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rpcrdma4j.nfs.vfs.NioNode.NodeLink;
import io.rpcrdma4j.nfs.wire.FileName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the store was told it knows, after a restart too, and after any crash what it was told before. */
class NodeStoreTest {
    private static final long NEVER = Long.MAX_VALUE;

    @TempDir
    Path directory;

    private static NodeLink link(long parent, String name) {
        return new NodeLink(parent, FileName.of(name));
    }

    static LongStream seeds() {
        String wanted = System.getProperty("test.seed");
        return wanted == null ? LongStream.range(0, 20) : LongStream.of(Long.parseLong(wanted));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void itAgreesWithAModelOverRestartsAndCompactions(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Long, List<NodeLink>> model = new HashMap<>();
        Map<Long, Long> generations = new HashMap<>();
        LogNodeStore store = new LogNodeStore(directory, 4_096);
        for (int step = 0; step < 2_000; step++) {
            long fileid = 1 + random.nextInt(50) * 0x1_0000_0001L;
            NodeLink link = link(random.nextInt(3), "name" + random.nextInt(5));
            List<NodeLink> links = model.getOrDefault(fileid, new ArrayList<>());
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    generations.put(fileid, random.nextLong());
                    store.add(fileid, generations.getOrDefault(fileid, 0L), 7, link, true);
                    model.put(fileid, new ArrayList<>(List.of(link)));
                }
                case 2, 3 -> {
                    if (!links.isEmpty() && !links.contains(link)) {
                        store.add(fileid, generations.getOrDefault(fileid, 0L), 7, link, false);
                        links.addFirst(link);
                    }
                }
                case 4, 5 -> {
                    store.remove(fileid, link);
                    links.remove(link);
                    if (links.isEmpty()) {
                        model.remove(fileid);
                    }
                }
                case 6 -> {
                    store.forget(fileid);
                    model.remove(fileid);
                }
                default -> {
                    store.flush();
                    if (random.nextInt(20) == 0) {
                        store.close();
                        store = new LogNodeStore(directory, 4_096);
                    }
                }
            }
            check(store, model, generations, fileid, "seed " + seed + " step " + step);
        }
        for (long fileid : new ArrayList<>(model.keySet())) {
            check(store, model, generations, fileid, "seed " + seed + " at the end");
        }
        assertThat(store.size()).isEqualTo(model.size());
        assertThat(store.logBytes()).as("seed %d", seed).isLessThan(40_000);
        store.close();
    }

    private static void check(
            LogNodeStore store, Map<Long, List<NodeLink>> model, Map<Long, Long> generations, long fileid, String what)
            throws IOException {
        NodeStore.Entry entry = store.find(fileid);
        List<NodeLink> links = model.get(fileid);
        if (links == null) {
            assertThat(entry).as(what).isNull();
        } else {
            assertThat(entry).as(what).isEqualTo(new NodeStore.Entry(generations.getOrDefault(fileid, 0L), 7, links));
        }
    }

    @Test
    void aTornEndIsCutOffAtEveryLength() throws IOException {
        try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
            store.add(1, 11, 0, link(5, "first"), true);
            store.add(2, 12, 0, link(5, "second"), true);
        }
        Path log = directory.resolve(LogNodeStore.FILE_NAME);
        byte[] whole = Files.readAllBytes(log);
        int firstEnd = 8 + 48 + 5;
        for (int length = 0; length < whole.length; length++) {
            Files.write(log, Arrays.copyOf(whole, length));
            try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
                assertThat(store.find(1) != null).as("%d bytes", length).isEqualTo(length >= firstEnd);
                assertThat(store.find(2)).as("%d bytes", length).isNull();
                store.add(3, 13, 0, link(5, "third"), true);
            }
            try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
                assertThat(store.find(3)).as("%d bytes", length).isNotNull();
            }
        }
    }

    @Test
    void aCorruptByteNeverGivesAWrongAnswer() throws IOException {
        NodeLink link = link(5, "first");
        try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
            store.add(1, 11, 3, link, true);
        }
        Path log = directory.resolve(LogNodeStore.FILE_NAME);
        byte[] whole = Files.readAllBytes(log);
        for (int i = 8; i < whole.length; i++) {
            byte[] corrupt = whole.clone();
            corrupt[i] ^= 0x41;
            Files.write(log, corrupt);
            try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
                assertThat(store.find(1)).as("byte %d", i).isNull();
            }
        }
        Files.write(log, whole);
        try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
            assertThat(store.find(1)).isEqualTo(new NodeStore.Entry(11, 3, List.of(link)));
        }
    }

    @Test
    void anotherFileIsNotTakenForALog() throws IOException {
        Files.writeString(directory.resolve(LogNodeStore.FILE_NAME), "something else entirely");
        assertThatThrownBy(() -> new LogNodeStore(directory, NEVER)).hasMessageContaining("no list of files");
    }

    @Test
    void whatWasFlushedSurvivesTheEndOfTheProcess() throws IOException {
        Path copy = Files.createDirectory(directory.resolve("copy"));
        try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
            store.add(1, 11, 0, link(5, "first"), true);
            store.flush();
            store.add(2, 12, 0, link(5, "second"), true);
            // What a process that is killed here leaves behind.
            Files.copy(directory.resolve(LogNodeStore.FILE_NAME), copy.resolve(LogNodeStore.FILE_NAME));
            assertThat(store.find(2)).isNotNull();
        }
        try (LogNodeStore store = new LogNodeStore(copy, NEVER)) {
            assertThat(store.find(1)).isNotNull();
            assertThat(store.find(2)).isNull();
        }
    }

    @Test
    void aCompactionThatWasCutShortLeavesTheOldLog() throws IOException {
        try (LogNodeStore store = new LogNodeStore(directory, NEVER)) {
            store.add(1, 11, 0, link(5, "first"), true);
        }
        Files.writeString(directory.resolve("files.log.new"), "half", StandardOpenOption.CREATE);
        try (LogNodeStore store = new LogNodeStore(directory, 0)) {
            for (int i = 0; i < 100; i++) {
                store.add(1, 11, 0, link(5, "moved" + i), true);
                store.flush();
            }
            assertThat(store.find(1)).isEqualTo(new NodeStore.Entry(11, 0, List.of(link(5, "moved99"))));
            assertThat(store.logBytes()).isLessThan(500);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theIndexAgreesWithAMap(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Map<Long, Long> model = new HashMap<>();
        try (NodeIndex index = new NodeIndex(directory.resolve("index"))) {
            for (int step = 0; step < 20_000; step++) {
                long key = 1 + random.nextInt(random.nextBoolean() ? 100 : 10_000) * 4_096L;
                long value = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(1_000);
                index.put(key, value);
                if (value == 0) {
                    model.remove(key);
                } else {
                    model.put(key, value);
                }
            }
            assertThat(index.size()).as("seed %d", seed).isEqualTo(model.size());
            for (long key = 1; key < 10_000 * 4_096L; key += 4_096) {
                assertThat(index.get(key)).as("seed %d key %d", seed, key).isEqualTo(model.getOrDefault(key, 0L));
            }
            assertThat(LongStream.range(0, index.capacity())
                            .map(index::fileidAt)
                            .filter(key -> key != 0)
                            .boxed())
                    .containsExactlyInAnyOrderElementsOf(model.keySet());
        }
    }
}
