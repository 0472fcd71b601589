package io.rpcrdma4j.rpcrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TransportEventsTest {

    @TempDir
    private Path directory;

    @Test
    void countersCountEachMomentByItself() {
        var counters = new TransportCounters();
        counters.on(TracePoint.WC_SEND, 1, 2, 3, 4);
        counters.on(TracePoint.WC_SEND, 1, 2, 3, 4);
        counters.on(TracePoint.SQ_FULL, 1, 2, 3, 4);
        assertThat(counters.count(TracePoint.WC_SEND)).isEqualTo(2);
        assertThat(counters.count(TracePoint.SQ_FULL)).isEqualTo(1);
        assertThat(counters.count(TracePoint.WC_RECV)).isZero();
    }

    @Test
    void theFlightRecorderGetsTheKernelsNamesWhenItAsks() throws Exception {
        Path file = directory.resolve("recording.jfr");
        var events = new FlightRecorderEvents().andThen(TransportEvents.NONE);
        events.on(TracePoint.WC_RECV, 1, 1, 1, 1);
        try (var recording = new Recording()) {
            recording.enable(FlightRecorderEvents.EVENT_NAME);
            recording.start();
            events.on(TracePoint.POST_WRITE_CHUNK, 7, 42, 3, 1 << 20);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> recorded = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals(FlightRecorderEvents.EVENT_NAME))
                .toList();
        assertThat(recorded).hasSize(1);
        RecordedEvent event = recorded.getFirst();
        assertThat(event.getString("point")).isEqualTo("svcrdma_post_write_chunk");
        assertThat(event.getInt("connection")).isEqualTo(7);
        assertThat(event.getLong("id")).isEqualTo(42);
        assertThat(event.getLong("first")).isEqualTo(3);
        assertThat(event.getLong("second")).isEqualTo(1 << 20);
    }
}
