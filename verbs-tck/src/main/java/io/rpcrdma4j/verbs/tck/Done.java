package io.rpcrdma4j.verbs.tck;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.WorkCompletion;
import org.assertj.core.api.Assertions;

/**
 * A completion that a test has polled.
 *
 * @param queuePair the number of its queue pair
 * @param bytes of a success, else 0
 * @param invalidated whether a success came with an invalidated key
 * @param invalidatedKey that key, or 0
 */
public record Done(
        int queuePair,
        long id,
        Opcode opcode,
        CompletionStatus status,
        int bytes,
        boolean invalidated,
        int invalidatedKey) {

    static Done of(WorkCompletion completion) {
        boolean success = completion.isSuccess();
        boolean invalidated = success && completion.isWithInvalidate();
        return new Done(
                completion.queuePairNumber(),
                completion.id(),
                completion.opcode(),
                completion.status(),
                success ? completion.byteLength() : 0,
                invalidated,
                invalidated ? completion.invalidatedKey() : 0);
    }

    Done is(Opcode wantedOpcode, CompletionStatus wantedStatus) {
        Assertions.assertThat(status).as("status of %s", this).isEqualTo(wantedStatus);
        Assertions.assertThat(opcode).as("opcode of %s", this).isEqualTo(wantedOpcode);
        return this;
    }

    Done succeeded(Opcode wantedOpcode) {
        return is(wantedOpcode, CompletionStatus.SUCCESS);
    }

    Done flushed(Opcode wantedOpcode) {
        return is(wantedOpcode, CompletionStatus.FLUSHED);
    }
}
