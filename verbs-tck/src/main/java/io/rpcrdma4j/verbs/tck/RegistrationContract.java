package io.rpcrdma4j.verbs.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.DeviceOptions;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.ProtectionDomain;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Memory regions: what may be registered, what is counted, what is freed. */
abstract class RegistrationContract extends VerbsContract {

    private static final int REMOTE = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

    @Test
    void allocatedMemoryIsZeroedPageAlignedAndWritable() throws IOException {
        ProtectionDomain domain = openDevice().allocateProtectionDomain();
        try (MemoryRegion region = domain.allocate(10_000, Access.LOCAL_WRITE)) {
            assertThat(region.length()).isEqualTo(10_000);
            assertThat(region.access()).isEqualTo(Access.LOCAL_WRITE);
            assertThat(region.protectionDomain()).isSameAs(domain);
            assertThat(region.segment().byteSize()).isEqualTo(10_000);
            assertThat(region.segment().address() % 4096).isZero();
            Patterns.checkAll(region.segment(), 0, 10_000, (byte) 0);
            region.segment().fill((byte) 7);
        }
        domain.close();
    }

    @Test
    void registeredMemoryOfTheCallerSurvivesTheRegion() throws IOException {
        ProtectionDomain domain = openDevice().allocateProtectionDomain();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096);
            try (MemoryRegion region = domain.register(memory.asSlice(5, 1001), REMOTE)) {
                assertThat(region.length()).isEqualTo(1001);
                assertThat(region.segment().address()).isEqualTo(memory.address() + 5);
            }
            memory.fill((byte) 1);
        }
        domain.close();
    }

    @Test
    void heapMemoryIsRefused() throws IOException {
        try (ProtectionDomain domain = openDevice().allocateProtectionDomain()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> domain.register(MemorySegment.ofArray(new byte[64]), Access.LOCAL_WRITE));
        }
    }

    /** B88. */
    @Test
    void readOnlyMemoryIsRefusedForWritingAndTakenForReading() throws IOException {
        try (ProtectionDomain domain = openDevice().allocateProtectionDomain();
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4096).asReadOnly();
            assertThatIllegalArgumentException().isThrownBy(() -> domain.register(memory, Access.LOCAL_WRITE));
            assertThatIllegalArgumentException().isThrownBy(() -> domain.register(memory, REMOTE));
            domain.register(memory, Access.REMOTE_READ).close();
        }
    }

    @Test
    void rightsThatMakeNoSenseAreRefused() throws IOException {
        try (ProtectionDomain domain = openDevice().allocateProtectionDomain()) {
            assertThatIllegalArgumentException().isThrownBy(() -> domain.allocate(64, Access.REMOTE_WRITE));
            assertThatIllegalArgumentException().isThrownBy(() -> domain.allocate(64, 1 << 20));
            assertThatIllegalArgumentException().isThrownBy(() -> domain.allocate(0, Access.LOCAL_WRITE));
            assertThat(domain.registeredBytes()).isZero();
        }
    }

    @Test
    void gaugesCountEveryRegisteredByteOnce() throws IOException {
        Device device = openDevice();
        ProtectionDomain one = device.allocateProtectionDomain();
        ProtectionDomain other = device.allocateProtectionDomain();
        MemoryRegion first = one.allocate(1000, Access.LOCAL_WRITE);
        MemoryRegion second = one.allocate(24, Access.LOCAL_WRITE);
        MemoryRegion third = other.register(first.segment(), Access.LOCAL_WRITE);
        assertThat(one.registeredBytes()).isEqualTo(1024);
        assertThat(other.registeredBytes()).isEqualTo(1000);
        assertThat(device.registeredBytes()).isEqualTo(2024);
        third.close();
        second.close();
        second.close();
        assertThat(device.registeredBytes()).isEqualTo(1000);
        first.close();
        assertThat(device.registeredBytes()).isZero();
        one.close();
        other.close();
    }

    @Test
    void theCeilingOnRegisteredMemoryHolds() throws IOException {
        Device device = openDevice(DeviceOptions.defaults().withRegisteredBytesMax(10_000));
        ProtectionDomain domain = device.allocateProtectionDomain();
        MemoryRegion first = domain.allocate(6_000, Access.LOCAL_WRITE);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> domain.allocate(4_001, Access.LOCAL_WRITE))
                .withMessageContaining("10000")
                .withMessageContaining("4001");
        MemoryRegion second = domain.allocate(4_000, Access.LOCAL_WRITE);
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> domain.allocate(1, Access.LOCAL_WRITE));
        first.close();
        domain.allocate(6_000, Access.LOCAL_WRITE).close();
        second.close();
        domain.close();
    }

    @Test
    void aRegionWithoutRemoteRightHasNoRemoteKey() throws IOException {
        ProtectionDomain domain = openDevice().allocateProtectionDomain();
        try (MemoryRegion local = domain.allocate(64, Access.LOCAL_WRITE);
                MemoryRegion one = domain.allocate(64, REMOTE);
                MemoryRegion two = domain.allocate(64, Access.REMOTE_READ)) {
            assertThatIllegalStateException().isThrownBy(local::remoteKey);
            assertThat(one.remoteKey()).isNotEqualTo(two.remoteKey()).isEqualTo(one.remoteKey());
        }
        domain.close();
    }

    @Test
    void aDomainWithOpenObjectsIsNotClosed() throws IOException {
        ProtectionDomain domain = openDevice().allocateProtectionDomain();
        MemoryRegion region = domain.allocate(64, Access.LOCAL_WRITE);
        assertThatIllegalStateException().isThrownBy(domain::close).withMessageContaining("1");
        region.close();
        var window = domain.allocateWindow();
        assertThatIllegalStateException().isThrownBy(domain::close);
        window.close();
        domain.close();
        domain.close();
    }
}
