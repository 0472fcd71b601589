package io.rpcrdma4j.verbs.tck;

import io.rpcrdma4j.verbs.ConnectionParameters;
import java.util.function.Consumer;

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

    EndSpec prepare(Consumer<End> action) {
        prepare = action;
        return this;
    }

    ConnectionParameters parameters() {
        return new ConnectionParameters(inboundReads, outboundReads, privateData);
    }
}
