package io.rpcrdma4j.rpc.tcp;

import io.rpcrdma4j.rpc.Timers;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;

/**
 * Keeps strangers from filling the log: at most {@link #LINES_PER_SECOND} lines about them, then how many there were
 * more. May be used from any thread.
 */
final class LogLimiter {
    static final int LINES_PER_SECOND = 20;

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final Logger log;
    private final Timers timers;
    private final ReentrantLock lock = new ReentrantLock();
    private long second;
    private int lines;
    private long suppressed;

    LogLimiter(Logger log, Timers timers) {
        this.log = log;
        this.timers = timers;
        second = timers.nanoTime();
    }

    void info(String line) {
        long more = 0;
        lock.lock();
        try {
            long now = timers.nanoTime();
            if (now - second >= SECOND_NANOS) {
                more = suppressed;
                second = now;
                lines = 0;
                suppressed = 0;
            }
            if (++lines > LINES_PER_SECOND) {
                suppressed++;
                return;
            }
        } finally {
            lock.unlock();
        }
        if (more > 0) {
            log.info("{} more lines of this kind", more);
        }
        log.info("{}", line);
    }
}
