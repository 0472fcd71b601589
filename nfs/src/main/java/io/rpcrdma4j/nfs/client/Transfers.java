package io.rpcrdma4j.nfs.client;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/** Moves whole files between a server and channels of this machine. */
public final class Transfers {
    private Transfers() {}

    /** Sees the bytes of a transfer as they pass, in order. */
    @FunctionalInterface
    public interface Observer {
        /** Sees nothing. */
        Observer NONE = bytes -> {};

        /**
         * Some bytes passed.
         *
         * @param bytes lent until return; its position and limit are the observer's to change
         */
        void onBytes(ByteBuffer bytes);
    }

    /**
     * Reads a file of a server to its end.
     *
     * @param from stays the caller's
     * @param to stays the caller's; blocking
     * @return how many bytes there were
     */
    public static long read(NfsReader from, WritableByteChannel to, Observer observer) throws IOException {
        long total = 0;
        for (MemorySegment bytes = from.next(); bytes != null; bytes = from.next()) {
            ByteBuffer view = bytes.asByteBuffer();
            observer.onBytes(view.duplicate());
            while (view.hasRemaining()) {
                to.write(view);
            }
            total += bytes.byteSize();
        }
        return total;
    }

    /**
     * Writes a file of a server from the bytes of a channel, to the channel's end, and brings it to stable storage.
     *
     * @param from stays the caller's; blocking
     * @param to stays the caller's
     * @return how many bytes there were
     */
    public static long write(ReadableByteChannel from, NfsWriter to, Observer observer) throws IOException {
        long total = 0;
        boolean atEnd = false;
        while (!atEnd) {
            ByteBuffer view = to.buffer().asByteBuffer();
            while (!atEnd && view.hasRemaining()) {
                atEnd = from.read(view) < 0;
            }
            int length = view.flip().remaining();
            observer.onBytes(view);
            to.write(length);
            total += length;
        }
        to.finish();
        return total;
    }

    /**
     * A channel whose bytes can be had again: null if it is not a regular file's.
     *
     * @param channel stays the caller's, and open
     */
    public static NfsWriter.@Nullable Source source(ReadableByteChannel channel) {
        return channel instanceof FileChannel file && isSeekable(file)
                ? (offset, target) -> fill(file, offset, target)
                : null;
    }

    private static boolean isSeekable(FileChannel file) {
        try {
            return file.size() > 0 && file.position() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static void fill(FileChannel file, long offset, MemorySegment target) throws IOException {
        ByteBuffer view = target.asByteBuffer();
        long at = offset;
        while (view.hasRemaining()) {
            int n = file.read(view, at);
            if (n < 0) {
                throw new EOFException("the file that is copied became shorter meanwhile");
            }
            at += n;
        }
    }
}
