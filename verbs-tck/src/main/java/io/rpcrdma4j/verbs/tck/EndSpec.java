package io.rpcrdma4j.verbs.tck;

import io.rpcrdma4j.verbs.CompletionListener;
import io.rpcrdma4j.verbs.ConnectionParameters;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How one end of a test connection is to be made. */
final class EndSpec {

    int sendDepth = 64;
    int receiveDepth = 64;
    int segmentsMax = 4;
    int completionDepth = 512;
    boolean allSignaled;
    boolean oneCompletionQueue;
    boolean sharedReceives;
    int inboundReads = 4;
    int outboundReads = 4;
    byte[] privateData = {};

    /** Receives posted before connect or accept. */
    int receives = 16;

    int receiveBytes = 4096;

    /** Bytes of each of the two regions. */
    int memoryBytes = End.MEMORY_BYTES;

    /** The listener of the receive completion queue. */
    CompletionListener onReceive = queue -> {};

    /** The end whose domain and shared receive queue this one uses; null for its own. */
    @Nullable
    End sharer;

    /** Done when the queue pair is there, before Receives are posted. */
    Consumer<End> prepare = end -> {};

    EndSpec sendDepth(int depth) {
        sendDepth = depth;
        return this;
    }

    EndSpec receiveDepth(int depth) {
        receiveDepth = depth;
        return this;
    }

    EndSpec receives(int count, int bytes) {
        receives = count;
        receiveBytes = bytes;
        return this;
    }

    /** Few, short Receives and little memory, for tests with many connections. */
    EndSpec small() {
        memoryBytes = 8192;
        return receives(16, 256);
    }

    EndSpec reads(int inbound, int outbound) {
        inboundReads = inbound;
        outboundReads = outbound;
        return this;
    }

    EndSpec privateData(byte[] data) {
        privateData = data;
        return this;
    }

    EndSpec completionDepth(int depth) {
        completionDepth = depth;
        return this;
    }

    EndSpec oneCompletionQueue() {
        oneCompletionQueue = true;
        return this;
    }

    EndSpec sharedReceives() {
        sharedReceives = true;
        return this;
    }

    EndSpec allSignaled() {
        allSignaled = true;
        return this;
    }

    EndSpec onReceive(CompletionListener listener) {
        onReceive = listener;
        return this;
    }

    EndSpec shareWith(End end) {
        sharer = end;
        return this;
    }

    EndSpec prepare(Consumer<End> action) {
        prepare = action;
        return this;
    }

    ConnectionParameters parameters() {
        return new ConnectionParameters(inboundReads, outboundReads, privateData);
    }
}
