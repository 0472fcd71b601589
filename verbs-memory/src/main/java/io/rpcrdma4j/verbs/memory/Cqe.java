package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.CompletionHandler;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import org.jspecify.annotations.Nullable;

/** A completion on its way to the program. Guarded by the lock; pooled by {@link FabricDevice}. */
final class Cqe {

    @Nullable
    FabricQueuePair queuePair;

    long id;

    @Nullable
    CompletionHandler handler;

    Opcode opcode = Opcode.SEND;
    CompletionStatus status = CompletionStatus.SUCCESS;
    int bytes;
    boolean withInvalidate;
    int invalidatedKey;

    @Nullable
    String detail;

    /** Send-queue entries that are free once this has been polled. */
    int covers;

    /** The Receive that is given back once this has been polled; null for send-queue work. */
    @Nullable
    ReceiveRequest receive;

    void writeTo(WorkCompletion completion, int queuePairNumber) {
        if (status == CompletionStatus.SUCCESS) {
            completion.setSuccess(queuePairNumber, id, handler, opcode, bytes);
            if (withInvalidate) {
                completion.setInvalidatedKey(invalidatedKey);
            }
        } else {
            completion.setFailure(queuePairNumber, id, handler, opcode, status, detail);
        }
    }

    void clear() {
        queuePair = null;
        handler = null;
        detail = null;
        receive = null;
        status = CompletionStatus.SUCCESS;
        bytes = 0;
        withInvalidate = false;
        covers = 0;
    }
}
