package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.Opcode;
import java.io.IOException;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

/** Memory windows as objects: binding, rights, keys. What a peer can do through them is in other contracts. */
abstract class WindowContract extends VerbsContract {

    private static final int BOTH = Access.REMOTE_READ | Access.REMOTE_WRITE;

    @Test
    void aFreshWindowIsNotBoundAndInvalidatingItDoesNothing() throws IOException {
        Link link = connect();
        MemoryWindow window = link.active().domain.allocateWindow();
        assertThat(window.isBound()).isFalse();
        window.invalidate();
        window.close();
        window.close();
        exchange(link);
    }

    @Test
    void eachBindingHasAKeyOfItsOwn() throws IOException {
        Link link = connect();
        var keys = new HashSet<Integer>();
        for (int i = 0; i < 200; i++) {
            MemoryWindow window = link.active().expose(i, 100, BOTH);
            assertThat(keys.add(window.key())).as("key %d is new", i).isTrue();
            if (i % 2 == 0) {
                window.invalidate();
                window.bind(link.active().queuePair, link.active().data, 0, 1, BOTH);
                assertThat(keys.add(window.key())).as("key %d is new", i).isTrue();
            }
        }
        assertThat(keys.stream().map(key -> key >>> 8).distinct().count())
                .as("keys differ in more than a counter")
                .isGreaterThan(100);
    }

    @Test
    void aBoundWindowIsNotBoundAgain() throws IOException {
        Link link = connect();
        End end = link.active();
        MemoryWindow window = end.expose(0, 100, BOTH);
        int key = window.key();
        assertThatIllegalStateException().isThrownBy(() -> window.bind(end.queuePair, end.data, 0, 100, BOTH));
        assertThat(window.key()).isEqualTo(key);
        assertThat(window.isBound()).isTrue();
    }

    @Test
    void aRangeOutsideOfTheRegionIsRefused() throws IOException {
        Link link = connect();
        End end = link.active();
        MemoryWindow window = end.domain.allocateWindow();
        long[][] ranges = {
            {-1, 10},
            {0, -1},
            {0, End.MEMORY_BYTES + 1L},
            {End.MEMORY_BYTES, 1},
            {1, End.MEMORY_BYTES},
            {Long.MAX_VALUE, 2},
            {2, Long.MAX_VALUE}
        };
        for (long[] range : ranges) {
            assertThatIllegalArgumentException()
                    .as("%d bytes from %d", range[1], range[0])
                    .isThrownBy(() -> window.bind(end.queuePair, end.data, range[0], range[1], BOTH));
        }
        assertThat(window.isBound()).isFalse();
        window.close();
    }

    @Test
    void rightsThatAWindowCannotGiveAreRefused() throws IOException {
        Link link = connect();
        End end = link.active();
        MemoryRegion readOnly = end.domain.allocate(100, 0);
        end.closeLater(readOnly);
        MemoryWindow window = end.domain.allocateWindow();
        assertThatIllegalArgumentException().isThrownBy(() -> window.bind(end.queuePair, end.data, 0, 10, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> window.bind(end.queuePair, end.data, 0, 10, BOTH | Access.LOCAL_WRITE));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> window.bind(end.queuePair, readOnly, 0, 10, Access.REMOTE_WRITE));
        window.bind(end.queuePair, readOnly, 0, 10, Access.REMOTE_READ);
        window.close();
    }

    @Test
    void aWindowGivesRightsThatItsRegionLacks() throws IOException {
        Link link = connect();
        End owner = link.passive();
        End user = link.active();
        MemoryRegion local = owner.domain.allocate(100, Access.LOCAL_WRITE);
        owner.closeLater(local);
        MemoryWindow window = owner.domain.allocateWindow();
        window.bind(owner.queuePair, local, 10, 50, BOTH);
        Patterns.fill(user.data.segment(), 0, 50, 1);
        user.post(user.write(1, 0, 50, window.key(), window.address()));
        user.post(user.read(2, 1000, 50, window.key(), window.address()).fenced(true));
        nextSent(user).succeeded(Opcode.RDMA_WRITE);
        nextSent(user).succeeded(Opcode.RDMA_READ);
        Patterns.check(local.segment(), 10, 50, 1);
        Patterns.check(user.data.segment(), 1000, 50, 1);
        window.close();
    }

    @Test
    void windowRegionAndQueuePairMustBeOfOneDomain() throws IOException {
        Link link = connect();
        End end = link.active();
        var other = end.device.allocateProtectionDomain();
        MemoryRegion foreign = other.allocate(100, Access.LOCAL_WRITE);
        MemoryWindow window = end.domain.allocateWindow();
        MemoryWindow foreignWindow = other.allocateWindow();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> window.bind(end.queuePair, foreign, 0, 10, Access.REMOTE_READ));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> foreignWindow.bind(end.queuePair, foreign, 0, 10, Access.REMOTE_READ));
        window.close();
        foreignWindow.close();
        foreign.close();
        other.close();
    }

    @Test
    void nothingIsBoundToAConnectionThatIsOver() throws IOException {
        Link link = connect();
        End end = link.active();
        end.connection.disconnect();
        awaitDisconnected(end);
        MemoryWindow window = end.domain.allocateWindow();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> window.bind(end.queuePair, end.data, 0, 10, Access.REMOTE_READ));
        window.close();
    }

    @Test
    void manyWindowsAreUsedAtOnce() throws IOException {
        Link link = connect(new EndSpec().sendDepth(300).completionDepth(600), new EndSpec());
        End user = link.active();
        End owner = link.passive();
        Patterns.fill(user.data.segment(), 0, 250, 1);
        for (int i = 0; i < 250; i++) {
            MemoryWindow window = owner.expose(i * 100L, 100, Access.REMOTE_WRITE);
            user.post(user.write(i, i, 1, window.key(), window.address() + i % 100));
        }
        nextSent(user, 250).forEach(done -> done.succeeded(Opcode.RDMA_WRITE));
        user.post(user.send(300, 0, 0));
        nextReceived(owner).succeeded(Opcode.RECEIVE);
        for (int i = 0; i < 250; i++) {
            Patterns.checkPart(owner.data.segment(), i * 100L + i % 100, 1, 1, i);
        }
    }

    @Test
    void aClosedWindowCannotBeUsed() throws IOException {
        Link link = connect();
        MemoryWindow window = link.passive().expose(0, 100, Access.REMOTE_WRITE);
        link.passive().data.segment().fill((byte) 0x5a);
        window.close();
        link.active().post(link.active().write(1, 0, 10, window.key(), window.address()));
        assertThat(awaitDisconnected(link.passive()).orderly()).isFalse();
        Patterns.checkAll(link.passive().data.segment(), 0, 100, (byte) 0x5a);
    }
}
