package io.rpcrdma4j.verbs.iwarp;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.PriorityQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One event thread of a device: waits for its sockets, its timers and tasks from other threads.
 *
 * <p><b>Threading:</b> {@link #execute}, {@link #isCurrent} and {@link #stop} from any thread; what it calls runs on
 * its own.
 */
final class EventLoop implements Runnable {

    /** What a selection key stands for. */
    interface Ready {

        /** The channel is ready for {@code operations}, bits of {@link SelectionKey}. */
        void onReady(int operations);
    }

    /** What a timer is for. */
    interface Timed {

        /** The time is {@code now}, or a bit later. */
        void onTimer(long now);
    }

    private record Timer(long at, Timed what) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return Long.compare(at - other.at, 0);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    private static final long WAIT_SECONDS = 5;

    private final int index;
    private final Selector selector;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Consumer<SelectionKey> dispatcher = this::dispatch;
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private volatile boolean isStopping;

    EventLoop(int index) throws IOException {
        this.index = index;
        this.selector = Selector.open();
        this.thread = Thread.ofPlatform().daemon().name("iwarp-" + index).unstarted(this);
    }

    void start() {
        thread.start();
    }

    int index() {
        return index;
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Runs {@code task} soon on the loop's thread. Tasks given before {@link #stop} are run. */
    void execute(Runnable task) {
        tasks.add(task);
        if (!isCurrent()) {
            wake();
        }
    }

    /** Makes the loop look at its keys' interests again. */
    void wake() {
        if (isWoken.compareAndSet(false, true)) {
            selector.wakeup();
        }
    }

    /**
     * Drops the keys that were cancelled, and waits until that is done: a closed port is free then. On the loop's own
     * thread it is done a bit later.
     */
    void dropCancelled() {
        if (isCurrent()) {
            return;
        }
        var done = new CountDownLatch(1);
        execute(() -> {
            selectNow();
            done.countDown();
        });
        try {
            if (thread.isAlive() && !done.await(WAIT_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("{}: busy for {} seconds", thread.getName(), WAIT_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void selectNow() {
        try {
            selector.selectNow(dispatcher);
        } catch (IOException | ClosedSelectorException e) {
            LOG.debug("{}: select failed: {}", thread.getName(), e.getMessage());
        }
    }

    /** Calls {@code what} when the time has come. On the loop's thread only. */
    void schedule(long at, Timed what) {
        timers.add(new Timer(at, what));
    }

    /** Registers a channel. On the loop's thread only. */
    SelectionKey register(SelectableChannel channel, int operations, Ready what) throws ClosedChannelException {
        return channel.register(selector, operations, what);
    }

    /** Ends the loop when it has run what was given to it, and waits for that, unless called on its thread. */
    void stop(long timeoutMillis) {
        isStopping = true;
        selector.wakeup();
        if (!isCurrent()) {
            try {
                thread.join(timeoutMillis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void run() {
        while (!isStopping || !tasks.isEmpty()) {
            try {
                selector.select(dispatcher, isStopping ? 1 : selectMillis());
            } catch (IOException e) {
                LOG.warn("{}: select failed", thread.getName(), e);
            }
            isWoken.set(false);
            runTasks();
            runTimers();
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.debug("{}: closing the selector failed", thread.getName(), e);
        }
    }

    private long selectMillis() {
        if (!tasks.isEmpty()) {
            return 1;
        }
        Timer first = timers.peek();
        if (first == null) {
            return 0;
        }
        long nanos = first.at - System.nanoTime();
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999));
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private void dispatch(SelectionKey key) {
        try {
            ((Ready) key.attachment()).onReady(key.readyOps());
        } catch (java.nio.channels.CancelledKeyException e) {
            LOG.trace("{}: key cancelled meanwhile", thread.getName());
        } catch (RuntimeException | Error e) {
            LOG.error("{}: internal error", thread.getName(), e);
        }
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("{}: internal error in a task", thread.getName(), e);
            }
        }
    }

    private void runTimers() {
        if (timers.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        for (Timer first = timers.peek(); first != null && first.at - now <= 0; first = timers.peek()) {
            timers.poll();
            try {
                first.what.onTimer(now);
            } catch (RuntimeException | Error e) {
                LOG.error("{}: internal error in a timer", thread.getName(), e);
            }
        }
    }
}
