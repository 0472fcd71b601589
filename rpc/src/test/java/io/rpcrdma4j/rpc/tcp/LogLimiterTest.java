package io.rpcrdma4j.rpc.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.rpcrdma4j.rpc.ManualTimers;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogLimiterTest {
    private final ManualTimers timers = new ManualTimers();
    private final List<String> lines = new ArrayList<>();
    private final LogLimiter limiter = new LogLimiter(recorder(), timers);

    @Test
    void aFloodIsCutAndCounted() {
        for (int i = 0; i < 100; i++) {
            limiter.info("line " + i);
        }
        assertThat(lines).hasSize(LogLimiter.LINES_PER_SECOND).endsWith("{} line 19");
        timers.advance(1_000_000_000);
        limiter.info("later");
        assertThat(lines.subList(LogLimiter.LINES_PER_SECOND, lines.size()))
                .containsExactly("{} more lines of this kind 80", "{} later");
    }

    private Logger recorder() {
        return (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    lines.add(String.join(
                            " ", Arrays.stream(arguments).map(String::valueOf).toList()));
                    return null;
                });
    }
}
