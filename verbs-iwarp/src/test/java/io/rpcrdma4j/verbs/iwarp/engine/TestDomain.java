package io.rpcrdma4j.verbs.iwarp.engine;

import io.rpcrdma4j.verbs.Access;
import io.rpcrdma4j.verbs.Device;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.MemoryWindow;
import io.rpcrdma4j.verbs.ProtectionDomain;
import io.rpcrdma4j.verbs.SharedReceiveQueue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A protection domain without a device. */
final class TestDomain implements ProtectionDomain {

    static final int ALL = Access.LOCAL_WRITE | Access.REMOTE_READ | Access.REMOTE_WRITE;

    /** Memory of a test. */
    static final class Memory extends RegisteredMemory {
        private final ProtectionDomain domain;

        Memory(ProtectionDomain domain, MemorySegment segment, int access) {
            super(segment, access);
            this.domain = domain;
        }

        @Override
        public ProtectionDomain protectionDomain() {
            return domain;
        }

        @Override
        public int localKey() {
            return 0;
        }

        @Override
        public int remoteKey() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long remoteAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            if (!tryClose()) {
                throw new IllegalStateException("in use");
            }
        }

        /** Bytes of it. */
        byte[] bytes(long offset, int length) {
            return segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    Memory memory(long bytes, int access) {
        return new Memory(this, Arena.ofAuto().allocate(bytes, 8), access);
    }

    @Override
    public Device device() {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion register(MemorySegment memory, int access) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryRegion allocate(long bytes, int access) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MemoryWindow allocateWindow() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int segmentsMax) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long registeredBytes() {
        return 0;
    }

    @Override
    public void close() {}
}
