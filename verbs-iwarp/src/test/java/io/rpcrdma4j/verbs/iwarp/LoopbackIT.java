package io.rpcrdma4j.verbs.iwarp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.verbs.CompletionStatus;
import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.MemoryRegion;
import io.rpcrdma4j.verbs.Opcode;
import io.rpcrdma4j.verbs.SendRequest;
import io.rpcrdma4j.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two of our own ends over real sockets. */
class LoopbackIT {

    private static void fill(MemorySegment segment, long seed) {
        var random = new SplittableRandom(seed);
        for (long i = 0; i + 8 <= segment.byteSize(); i += 8) {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, i, random.nextLong());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"crc=on", "crc=off", "moveBytesMax=1", "moveBytesMax=-42", "moveBytesMax=-7,fpdu=600", "fpdu=mss"
            })
    void sendWriteAndReadMoveTheRightBytes(String properties) throws Exception {
        var map = new java.util.HashMap<String, String>();
        for (String each : properties.split(",", -1)) {
            map.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
        }
        int size = properties.contains("=1") ? 20_003 : 1_000_003;
        try (Pair pair = new Pair(map)) {
            MemoryRegion from = pair.client.region(size);
            MemoryRegion to = pair.server.region(size);
            MemoryRegion back = pair.client.region(size);
            MemoryRegion message = pair.server.region(4096);
            fill(from.segment(), size);
            pair.server.receive(7, message, 0, 4096);
            pair.accept();
            var write =
                    new SendRequest(1).write(to.remoteKey(), to.remoteAddress()).segment(from, 0, size);
            var send =
                    new SendRequest(1).identity(2, null).segment(from, 0, 100).signaled(true);
            var read = new SendRequest(1)
                    .identity(3, null)
                    .read(to.remoteKey(), to.remoteAddress())
                    .segment(back, 0, size)
                    .signaled(true);
            assertThat(pair.client.queuePair.postSend(write.next(send.next(read))))
                    .isNull();
            WorkCompletion received = pair.server.completion();
            assertThat(received.isSuccess()).as(received.toString()).isTrue();
            assertThat(received.byteLength()).isEqualTo(100);
            assertThat(received.id()).isEqualTo(7);
            assertThat(to.segment().mismatch(from.segment())).isEqualTo(-1);
            assertThat(message.segment().asSlice(0, 100).mismatch(from.segment().asSlice(0, 100)))
                    .isEqualTo(-1);
            WorkCompletion sent = pair.client.completion();
            assertThat(sent.id()).isEqualTo(2);
            WorkCompletion readDone = pair.client.completion();
            assertThat(readDone.opcode()).isEqualTo(Opcode.RDMA_READ);
            assertThat(readDone.byteLength()).isEqualTo(size);
            assertThat(back.segment().mismatch(from.segment())).isEqualTo(-1);
            pair.client.connection.disconnect();
            assertThat(pair.client.event(ConnectionEvent.Disconnected.class).orderly())
                    .isTrue();
            assertThat(pair.server.event(ConnectionEvent.Disconnected.class).orderly())
                    .isTrue();
        }
    }

    @Test
    void thePassiveEndMaySendFirst() throws Exception {
        try (Pair pair = new Pair(Map.of())) {
            MemoryRegion in = pair.client.region(4096);
            MemoryRegion out = pair.server.region(4096);
            pair.client.receive(1, in, 0, 4096);
            pair.accept();
            out.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 99);
            assertThat(pair.server.queuePair.postSend(
                            new SendRequest(1).segment(out, 0, 1).signaled(true)))
                    .isNull();
            assertThat(pair.client.completion().byteLength()).isEqualTo(1);
            assertThat(in.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 99);
            assertThat(pair.server.completion().status()).isEqualTo(CompletionStatus.SUCCESS);
        }
    }
}
