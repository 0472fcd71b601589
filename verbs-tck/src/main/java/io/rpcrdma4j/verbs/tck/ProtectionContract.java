package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.ReceiveRequest;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.TransportType;
import java.io.IOException;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Access that must not succeed, and what it does to both ends. */
abstract class ProtectionContract extends VerbsContract {

    private static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

    /** What is wrong with an access of 10 bytes. */
    enum Wrong {
        KEY_THAT_NEVER_WAS,
        KEY_WITH_ONE_BIT_CHANGED,
        KEY_OF_A_CLOSED_REGION,
        KEY_OF_AN_INVALIDATED_WINDOW,
        KEY_OF_AN_EARLIER_BINDING,
        KEY_OF_ANOTHER_DOMAIN,
        KEY_OF_ANOTHER_CONNECTION,
        KEY_OF_ANOTHER_CONNECTION_OF_THE_DOMAIN,
        NO_SUCH_RIGHT_ON_THE_WINDOW,
        NO_SUCH_RIGHT_ON_THE_REGION,
        ONE_BYTE_BEFORE_THE_WINDOW,
        ONE_BYTE_BEYOND_THE_WINDOW,
        FAR_BEYOND_THE_WINDOW,
        ONE_BYTE_BEYOND_THE_REGION,
        ADDRESS_THAT_WRAPS
    }

    private record Target(int key, long address) {}

    @ParameterizedTest
    @EnumSource
    void aBadWriteChangesNothingAndEndsTheConnection(Wrong wrong) throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec());
        Link link = connect(openDevice(), acceptor, new EndSpec());
        End from = link.active();
        End to = link.passive();
        Target target = target(wrong, Access.REMOTE_WRITE, to, acceptor);
        to.data.segment().fill((byte) 0x5a);
        from.data.segment().fill((byte) 0x11);
        from.post(from.write(1, 0, 10, target.key, target.address));
        from.post(from.send(2, 0, 10));
        assertThat(awaitDisconnected(to).orderly()).isFalse();
        awaitDisconnected(from);
        Patterns.checkAll(to.data.segment(), 0, End.MEMORY_BYTES, (byte) 0x5a);
        assertOnlyInitiatorsView(nextSent(from, 2));
        nextReceived(to, 16).forEach(done -> done.flushed(Opcode.RECEIVE));
        nextReceived(from, 16).forEach(done -> done.flushed(Opcode.RECEIVE));
    }

    /** On iWARP the end that wrote hears nothing of the fault in the completion: it has left, or it is flushed. */
    private static void assertOnlyInitiatorsView(java.util.List<Done> sent) {
        boolean flushed = false;
        for (Done done : sent) {
            assertThat(done.status()).isIn(CompletionStatus.SUCCESS, CompletionStatus.FLUSHED);
            assertThat(flushed && done.status() == CompletionStatus.SUCCESS)
                    .as("success after a flush: %s", sent)
                    .isFalse();
            flushed = done.status() == CompletionStatus.FLUSHED;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBadReadFetchesNothingAndEndsTheConnection(Wrong wrong) throws IOException {
        Acceptor acceptor = accept(openDevice(), new EndSpec());
        Link link = connect(openDevice(), acceptor, new EndSpec());
        End reader = link.active();
        End source = link.passive();
        Target target = target(wrong, Access.REMOTE_READ, source, acceptor);
        reader.data.segment().fill((byte) 0x5a);
        reader.post(reader.read(1, 0, 10, target.key, target.address));
        reader.post(reader.send(2, 100, 10).fenced(true));
        Done read = nextSent(reader);
        assertThat(read.opcode()).isEqualTo(Opcode.RDMA_READ);
        if (fixture.reasonToSkip(Capability.READ_REFUSAL_REPORTED).isEmpty()) {
            assertThat(read.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR);
        } else {
            assertThat(read.status()).isIn(CompletionStatus.REMOTE_ACCESS_ERROR, CompletionStatus.FLUSHED);
        }
        nextSent(reader).flushed(Opcode.SEND);
        assertThat(awaitDisconnected(source).orderly()).isFalse();
        awaitDisconnected(reader);
        Patterns.checkAll(reader.data.segment(), 0, 1000, (byte) 0x5a);
    }

    private Target target(Wrong wrong, int right, End at, Acceptor acceptor) throws IOException {
        int otherRight = right ^ (Access.REMOTE_READ | Access.REMOTE_WRITE);
        MemoryWindow window = at.expose(4000, 1000, right);
        return switch (wrong) {
            case KEY_THAT_NEVER_WAS -> new Target(0x13572468, window.address());
            case KEY_WITH_ONE_BIT_CHANGED -> new Target(window.key() ^ 1, window.address());
            case KEY_OF_A_CLOSED_REGION -> {
                MemoryRegion region = at.domain.allocate(4096, ALL);
                var target = new Target(region.remoteKey(), region.remoteAddress());
                region.close();
                yield target;
            }
            case KEY_OF_AN_INVALIDATED_WINDOW -> {
                window.invalidate();
                yield new Target(window.key(), window.address());
            }
            case KEY_OF_AN_EARLIER_BINDING -> {
                int earlier = window.key();
                window.invalidate();
                window.bind(at.queuePair, at.data, 4000, 1000, right);
                yield new Target(earlier, window.address());
            }
            case KEY_OF_ANOTHER_DOMAIN -> {
                End other = connect(openDevice(), acceptor, new EndSpec()).passive();
                yield new Target(other.data.remoteKey(), other.data.remoteAddress());
            }
            case KEY_OF_ANOTHER_CONNECTION -> {
                End other = connect(openDevice(), acceptor, new EndSpec()).passive();
                MemoryWindow foreign = other.expose(0, 1000, right);
                yield new Target(foreign.key(), foreign.address());
            }
            case KEY_OF_ANOTHER_CONNECTION_OF_THE_DOMAIN -> {
                acceptor.nextSpec(new EndSpec().shareWith(at));
                End other = connect(openDevice(), acceptor, new EndSpec()).passive();
                MemoryWindow foreign = other.expose(0, 1000, right);
                yield new Target(foreign.key(), foreign.address());
            }
            case NO_SUCH_RIGHT_ON_THE_WINDOW -> {
                MemoryWindow without = at.expose(0, 1000, otherRight);
                yield new Target(without.key(), without.address());
            }
            case NO_SUCH_RIGHT_ON_THE_REGION -> regionWithout(at, otherRight);
            case ONE_BYTE_BEFORE_THE_WINDOW -> new Target(window.key(), window.address() - 1);
            case ONE_BYTE_BEYOND_THE_WINDOW -> new Target(window.key(), window.address() + 991);
            case FAR_BEYOND_THE_WINDOW -> new Target(window.key(), window.address() + Long.MAX_VALUE);
            case ONE_BYTE_BEYOND_THE_REGION ->
                new Target(at.data.remoteKey(), at.data.remoteAddress() + End.MEMORY_BYTES - 9);
            case ADDRESS_THAT_WRAPS -> new Target(window.key(), -5);
        };
    }

    /** A region of the end's domain that has only the other remote right; freed with the end. */
    private Target regionWithout(End at, int otherRight) throws IOException {
        MemoryRegion region = at.domain.register(at.data.segment(), otherRight | Access.LOCAL_WRITE);
        at.closeLater(region);
        return new Target(region.remoteKey(), region.remoteAddress());
    }

    @Test
    void theWholeWindowMayBeUsedToItsLastByte() throws IOException {
        Link link = connect();
        End from = link.active();
        MemoryWindow window = link.passive().expose(4000, 1000, Access.REMOTE_WRITE | Access.REMOTE_READ);
        Patterns.fill(from.data.segment(), 0, 1000, 1);
        from.post(from.write(1, 0, 1000, window.key(), window.address()));
        from.post(from.write(2, 999, 1, window.key(), window.address() + 999));
        from.post(from.read(3, 5000, 1000, window.key(), window.address()));
        nextSent(from, 3).forEach(done -> assertThat(done.status()).isEqualTo(CompletionStatus.SUCCESS));
        Patterns.check(from.data.segment(), 5000, 1000, 1);
    }

    @Test
    void aSendFromOutsideOfItsRegionFails() throws IOException {
        Link link = connect();
        End from = link.active();
        from.post(from.send(1, End.MEMORY_BYTES - 9, 10));
        from.post(from.send(2, 0, 10));
        nextSent(from).is(Opcode.SEND, CompletionStatus.LOCAL_PROTECTION_ERROR);
        nextSent(from).flushed(Opcode.SEND);
        assertThat(awaitDisconnected(from).orderly()).isFalse();
        awaitDisconnected(link.passive());
        nextReceived(link.passive(), 16).forEach(done -> done.flushed(Opcode.RECEIVE));
    }

    @Test
    void aSendFromARegionOfAnotherDomainFails() throws IOException {
        Link link = connect();
        End from = link.active();
        ProtectionDomain other = from.device.allocateProtectionDomain();
        MemoryRegion foreign = other.allocate(100, Access.LOCAL_WRITE);
        from.post(new SendRequest(1).identity(1, null).segment(foreign, 0, 10).send());
        nextSent(from).is(Opcode.SEND, CompletionStatus.LOCAL_PROTECTION_ERROR);
        awaitDisconnected(from);
        from.closeConnection();
        foreign.close();
        other.close();
    }

    @Test
    void aReceiveIntoMemoryWithoutLocalWriteFails() throws IOException {
        Link link = connect(new EndSpec(), new EndSpec().receives(0, 1));
        End to = link.passive();
        MemoryRegion readOnly = to.domain.allocate(100, Access.REMOTE_READ);
        to.closeLater(readOnly);
        to.post(new ReceiveRequest(1).identity(1, null).segment(readOnly, 0, 100));
        link.active().post(link.active().send(1, 0, 10));
        assertThat(nextReceived(to).status())
                .isIn(CompletionStatus.LOCAL_PROTECTION_ERROR, CompletionStatus.LOCAL_ACCESS_ERROR);
        assertThat(awaitDisconnected(to).orderly()).isFalse();
        awaitDisconnected(link.active());
        Patterns.checkAll(readOnly.segment(), 0, 100, (byte) 0);
    }

    @Test
    void onIwarpTheSinkOfAReadNeedsRemoteWrite() throws IOException {
        Link link = connect();
        End reader = link.active();
        Assumptions.assumeTrue(reader.device.attributes().transport() == TransportType.IWARP, "a rule of iWARP only");
        MemoryWindow window = link.passive().expose(0, 100, Access.REMOTE_READ);
        reader.post(new SendRequest(1)
                .identity(1, null)
                .segment(reader.inbox, 0, 10)
                .read(window.key(), window.address()));
        nextSent(reader).is(Opcode.RDMA_READ, CompletionStatus.LOCAL_PROTECTION_ERROR);
        awaitDisconnected(reader);
    }
}
