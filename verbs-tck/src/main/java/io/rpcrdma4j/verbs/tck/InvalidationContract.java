package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.SendRequest;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Ending an exposure: by the owner, by a request of the send queue, by the peer's Send with Invalidate. */
abstract class InvalidationContract extends VerbsContract {

    private static final int BOTH = Access.REMOTE_READ | Access.REMOTE_WRITE;

    @Test
    void sendWithInvalidateEndsTheExposureBeforeTheReceiveCompletes() throws IOException {
        Link link = connect();
        MemoryWindow window = link.passive().expose(0, 1000, BOTH);
        int key = window.key();
        End from = link.active();
        from.post(from.send(1, 0, 10).sendWithInvalidate(key));
        Done done = nextReceived(link.passive()).succeeded(Opcode.RECEIVE);
        assertThat(done.invalidated()).isTrue();
        assertThat(done.invalidatedKey()).isEqualTo(key);
        assertThat(window.isBound()).isFalse();
        nextSent(from).succeeded(Opcode.SEND_WITH_INVALIDATE);
        window.invalidate();
        exchange(link);
    }

    @Test
    void aWindowThatThePeerInvalidatedIsBoundAgainUnderAnotherKey() throws IOException {
        Link link = connect();
        MemoryWindow window = link.passive().expose(0, 1000, BOTH);
        End from = link.active();
        for (int i = 0; i < 10; i++) {
            int key = window.key();
            from.post(from.send(1, 0, 10).sendWithInvalidate(key));
            assertThat(nextReceived(link.passive()).succeeded(Opcode.RECEIVE).invalidatedKey())
                    .isEqualTo(key);
            window.bind(link.passive().queuePair, link.passive().data, i, 10, BOTH);
            assertThat(window.key()).isNotEqualTo(key);
        }
        nextSent(from, 10).forEach(done -> done.succeeded(Opcode.SEND_WITH_INVALIDATE));
    }

    /** A peer's late Send with Invalidate may cross the owner's own invalidation. */
    @Test
    void invalidatingAKeyThatItsOwnerHasJustInvalidatedIsNoError() throws IOException {
        Link link = connect();
        MemoryWindow window = link.passive().expose(0, 1000, BOTH);
        window.invalidate();
        End from = link.active();
        from.post(from.send(1, 0, 10).sendWithInvalidate(window.key()));
        nextReceived(link.passive()).succeeded(Opcode.RECEIVE);
        nextSent(from).succeeded(Opcode.SEND_WITH_INVALIDATE);
        exchange(link);
    }

    @Test
    void invalidatingAKeyThatNeverWasEndsTheConnection() throws IOException {
        Link link = connect();
        End from = link.active();
        from.post(from.send(1, 0, 10).sendWithInvalidate(0x13572468));
        assertThat(nextReceived(link.passive()).status()).isNotEqualTo(CompletionStatus.SUCCESS);
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        awaitDisconnected(from);
    }

    @Test
    void aKeyOfAnotherConnectionIsNotInvalidated() throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec());
        Link one = connect(openDevice(), acceptor, new EndSpec());
        Link other = connect(openDevice(), acceptor, new EndSpec());
        MemoryWindow window = other.passive().expose(0, 1000, BOTH);
        one.active().post(one.active().send(1, 0, 10).sendWithInvalidate(window.key()));
        awaitDisconnected(one.passive());
        awaitDisconnected(one.active());
        assertThat(window.isBound()).isTrue();
        other.active().post(other.active().write(1, 0, 10, window.key(), window.address()));
        exchangeAfterWrite(other);
    }

    private void exchangeAfterWrite(Link link) {
        nextSent(link.active()).succeeded(Opcode.RDMA_WRITE);
        exchange(link);
    }

    @Test
    void afterInvalidateReturnsThePeerCannotWrite() throws IOException {
        Link link = connect();
        MemoryWindow window = link.passive().expose(0, 1000, BOTH);
        link.passive().data.segment().fill((byte) 0x5a);
        window.invalidate();
        assertThat(window.isBound()).isFalse();
        link.active().post(link.active().write(1, 0, 10, window.key(), window.address()));
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        awaitDisconnected(link.active());
        Patterns.checkAll(link.passive().data.segment(), 0, 1000, (byte) 0x5a);
    }

    @Test
    void localInvalidateEndsTheExposureInSendQueueOrder() throws IOException {
        Link link = connect();
        exchange(link);
        End owner = link.passive();
        MemoryWindow window = owner.expose(0, 1000, BOTH);
        owner.post(new SendRequest(0)
                .identity(5, null)
                .localInvalidate(window.key())
                .signaled(true));
        assertThat(nextSent(owner).succeeded(Opcode.LOCAL_INVALIDATE).id()).isEqualTo(5);
        assertThat(window.isBound()).isFalse();
        link.active().post(link.active().write(1, 0, 10, window.key(), window.address()));
        awaitDisconnected(owner);
    }

    @Test
    void localInvalidateOfAKeyThatNeverWasFails() throws IOException {
        Link link = connect();
        link.active()
                .post(new SendRequest(0)
                        .identity(5, null)
                        .localInvalidate(0x13572468)
                        .signaled(true));
        Done done = nextSent(link.active());
        assertThat(done.opcode()).isEqualTo(Opcode.LOCAL_INVALIDATE);
        assertThat(done.status())
                .isIn(CompletionStatus.LOCAL_QP_OPERATION_ERROR, CompletionStatus.LOCAL_PROTECTION_ERROR);
        awaitDisconnected(link.active());
        awaitDisconnected(link.passive());
    }
}
