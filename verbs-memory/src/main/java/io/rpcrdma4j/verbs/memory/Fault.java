package io.rpcrdma4j.verbs.memory;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.PostStatus;
import java.time.Duration;

/** What a {@link FaultPlan} makes happen. {@link FaultPoint} says which fault fits where. */
public sealed interface Fault {

    /** The post takes this request not, nor its successors: it is left to the caller with this status. */
    record Refuse(PostStatus status) implements Fault {
        /** Checks that it is a refusal. */
        public Refuse {
            if (status == PostStatus.POSTED) {
                throw new IllegalArgumentException("a refusal needs a status other than POSTED");
            }
        }
    }

    /** The request completes with this status, and its queue pair goes to the error state. */
    record Fail(CompletionStatus status, String detail) implements Fault {
        /** Checks that it is a failure. */
        public Fail {
            if (status == CompletionStatus.SUCCESS) {
                throw new IllegalArgumentException("a failure needs a status other than SUCCESS");
            }
        }
    }

    /** The queue pair goes to the error state at this moment: the request and all others are flushed. */
    record Flush() implements Fault {}

    /** This end disconnects in the orderly way at this moment. */
    record Disconnect() implements Fault {}

    /** The connection breaks at both ends at once; what is on the wire is lost. */
    record Drop(String reason) implements Fault {}

    /** It happens so much later, and with it all that is to happen after it in order. */
    record Delay(Duration time) implements Fault {}

    /** The device can't: an {@link java.io.IOException} with this text. */
    record Unavailable(String reason) implements Fault {}

    /** The device goes away at this moment, with the event and all that comes with it. */
    record RemoveDevice(String reason) implements Fault {}
}
