package io.rpcrdma4j.verbs;

import org.jspecify.annotations.Nullable;

/**
 * The report on one finished work request. Made once by the program that polls, filled by {@link CompletionQueue#poll}
 * again and again.
 *
 * <p>Of an unsuccessful completion only {@link #id}, {@link #handler}, {@link #opcode}, {@link #status} and
 * {@link #detail} mean something; the other accessors throw {@link IllegalStateException}.
 *
 * <p><b>Threading:</b> used by the thread that polls with it, and by no other.
 */
public final class WorkCompletion {

    private long id;
    private @Nullable CompletionHandler handler;
    private CompletionStatus status = CompletionStatus.SUCCESS;
    private Opcode opcode = Opcode.SEND;
    private int byteLength;
    private boolean withInvalidate;
    private int invalidatedKey;
    private @Nullable String detail;
    private int queuePairNumber;

    /** An empty report, to be filled. */
    public WorkCompletion() {}

    /** An array of completions to poll into. */
    public static WorkCompletion[] batch(int size) {
        var batch = new WorkCompletion[size];
        for (int i = 0; i < size; i++) {
            batch[i] = new WorkCompletion();
        }
        return batch;
    }

    /** Calls the request's handler, if it has one. */
    public void dispatch(CompletionQueue queue) {
        CompletionHandler h = handler;
        if (h != null) {
            h.onCompletion(queue, this);
        }
    }

    /** The request's {@code id}. */
    public long id() {
        return id;
    }

    /** The request's handler. */
    public @Nullable CompletionHandler handler() {
        return handler;
    }

    public CompletionStatus status() {
        return status;
    }

    public boolean isSuccess() {
        return status == CompletionStatus.SUCCESS;
    }

    /** The request's operation; for a Receive {@link Opcode#RECEIVE}. */
    public Opcode opcode() {
        return opcode;
    }

    /** The number of the queue pair whose request it was. */
    public int queuePairNumber() {
        return queuePairNumber;
    }

    /** Why it failed, in plain words, where the provider knows more than {@link #status()} says. */
    public @Nullable String detail() {
        return detail;
    }

    /** Bytes received or read. */
    public int byteLength() {
        requireSuccess();
        return byteLength;
    }

    /** Whether the peer invalidated one of our keys with this message. */
    public boolean isWithInvalidate() {
        requireSuccess();
        return withInvalidate;
    }

    /** The key that the peer invalidated; meaningful only if {@link #isWithInvalidate()}. */
    public int invalidatedKey() {
        requireSuccess();
        return invalidatedKey;
    }

    private void requireSuccess() {
        if (status != CompletionStatus.SUCCESS) {
            throw new IllegalStateException("a completion with status " + status + " has only id, opcode and detail");
        }
    }

    /** For providers: fills in a success. */
    public void setSuccess(
            int newQueuePairNumber, long newId, @Nullable CompletionHandler newHandler, Opcode newOpcode, int bytes) {
        id = newId;
        handler = newHandler;
        status = CompletionStatus.SUCCESS;
        opcode = newOpcode;
        byteLength = bytes;
        withInvalidate = false;
        invalidatedKey = 0;
        detail = null;
        queuePairNumber = newQueuePairNumber;
    }

    /** For providers: adds the invalidated key to a successful Receive. */
    public void setInvalidatedKey(int key) {
        withInvalidate = true;
        invalidatedKey = key;
    }

    /** For providers: fills in a failure. */
    public void setFailure(
            int newQueuePairNumber,
            long newId,
            @Nullable CompletionHandler newHandler,
            Opcode newOpcode,
            CompletionStatus newStatus,
            @Nullable String newDetail) {
        id = newId;
        handler = newHandler;
        status = newStatus;
        opcode = newOpcode;
        byteLength = 0;
        withInvalidate = false;
        invalidatedKey = 0;
        detail = newDetail;
        queuePairNumber = newQueuePairNumber;
    }

    @Override
    public String toString() {
        return opcode + " id " + id + " " + status + (detail == null ? "" : " (" + detail + ")");
    }
}
