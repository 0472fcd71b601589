package io.rpcrdma4j.nfs.server;

import io.rpcrdma4j.nfs.vfs.FileTree;
import io.rpcrdma4j.nfs.vfs.NioTree;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A directory served by NFS version 3: the two programs that a dispatcher needs, over one tree, with one key.
 *
 * <h2>Operation</h2>
 *
 * <pre>{@code
 * try (StateDirectory state = StateDirectory.open(stateDirectory);
 *         NfsService service = NfsService.builder(directory, state).readOnly(true).open()) {
 *     RpcDispatcher dispatcher = RpcDispatcher.builder()
 *             .program(service.nfs())
 *             .program(service.mount(AddressFilter.LOOPBACK))
 *             .executor(executor)
 *             .build();
 * }
 * }</pre>
 *
 * <p>The directory is exported as {@code /}. File handles are good for as long as the state directory is kept.
 *
 * <h2>Threading</h2>
 *
 * May be used from any thread. Close it when its programs are not called any more.
 */
public final class NfsService implements AutoCloseable {
    /** Most bytes of a READ or WRITE: 1 MiB, what Linux clients take at most. */
    public static final int TRANSFER_BYTES_MAX = 1 << 20;

    private static final int EXPORT = 1;

    private final FileTree tree;
    private final FileHandles handles;
    private final Nfs3Program program;

    private NfsService(FileTree tree, byte[] key, Builder options) {
        this.tree = tree;
        handles = new FileHandles(EXPORT, tree, key);
        program = new Nfs3Program(options, tree, handles, new SecureRandom().nextLong());
    }

    /**
     * Starts to set up the service of a directory.
     *
     * @param directory what is served
     * @param state where keys are kept and which file is where; not inside {@code directory}; stays the caller's, who
     *     closes it after the service
     */
    public static Builder builder(Path directory, StateDirectory state) {
        return new Builder(directory, state);
    }

    /** The NFS program; the same object on every call. */
    public Nfs3Program nfs() {
        return program;
    }

    /**
     * A MOUNT program, which RFC 8267 §5.1 wants on TCP.
     *
     * @param allowed who may mount
     */
    public Mount3Program mount(AddressFilter allowed) {
        return new Mount3Program(tree, handles, allowed);
    }

    /** The tree that is served. */
    public FileTree tree() {
        return tree;
    }

    @Override
    public void close() throws IOException {
        tree.close();
    }

    /** Sets up a service. */
    public static final class Builder {
        private final Path directory;
        private final StateDirectory state;
        private boolean readOnly;
        private boolean syncNames = true;
        private @Nullable FileTree tree;
        boolean inline;
        int transferBytesMax = TRANSFER_BYTES_MAX;
        int repliesMax = 1_024;

        private Builder(Path directory, StateDirectory state) {
            this.directory = directory;
            this.state = state;
        }

        /** Refuses every change with NFS3ERR_ROFS. */
        public Builder readOnly(boolean isReadOnly) {
            readOnly = isReadOnly;
            return this;
        }

        /** Whether changes of names and attributes are on stable storage when a call returns; on by default. */
        public Builder syncNames(boolean sync) {
            syncNames = sync;
            return this;
        }

        /** Whether calls are served on the thread that received them; off by default, since storage may block. */
        public Builder inline(boolean isInline) {
            inline = isInline;
            return this;
        }

        /**
         * Most bytes of a READ or WRITE.
         *
         * @param bytes 4 KiB to 1 MiB, a multiple of 4 KiB
         */
        public Builder transferBytesMax(int bytes) {
            if (bytes < 4_096 || bytes > TRANSFER_BYTES_MAX || bytes % 4_096 != 0) {
                throw new IllegalArgumentException(
                        "a transfer size of " + bytes + ", not a multiple of 4096 up to " + TRANSFER_BYTES_MAX);
            }
            transferBytesMax = bytes;
            return this;
        }

        /** Most replies that are remembered for clients that ask again. */
        public Builder repliesMax(int count) {
            repliesMax = count;
            return this;
        }

        /** Serves this tree in place of one over the directory. It is closed with the service. */
        public Builder tree(FileTree other) {
            tree = Objects.requireNonNull(other);
            return this;
        }

        /**
         * Opens the service.
         *
         * @throws IOException if the directory cannot be served, or the state directory is inside it
         */
        public NfsService open() throws IOException {
            state.requireOutside(directory);
            FileTree served = tree == null ? openTree() : tree;
            return new NfsService(served, state.key("file handles"), this);
        }

        private FileTree openTree() throws IOException {
            if (!Files.isDirectory(directory)) {
                throw new IOException(directory + " is not a directory");
            }
            byte[] fsid = state.key("fsid " + directory.toRealPath());
            return NioTree.builder(directory, state.path())
                    .readOnly(readOnly)
                    .syncNames(syncNames)
                    .fsid(ByteBuffer.wrap(fsid).getLong())
                    .cookieKey(Arrays.copyOf(state.key("cookies"), 16))
                    .open();
        }
    }
}
