package io.rpcrdma4j.rpc.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One platform thread that waits for channels and runs short tasks.
 *
 * <h2>Operation</h2>
 *
 * {@link #register} a channel from a task; its {@link Handler} is called when the channel is ready. {@link #execute}
 * runs a task on the loop's thread.
 *
 * <h2>Threading</h2>
 *
 * {@link #execute} and {@link #close} from any thread, the rest on the loop's own. When the loop has ended, tasks that
 * come late still run, one at a time, on the thread that brings them: so clean-up needs no second way.
 *
 * <h2>Errors</h2>
 *
 * What a handler throws is logged and its channel closed; what a task throws is logged.
 */
final class EventLoop implements Executor, AutoCloseable {

    /** What stands behind a registered channel. */
    interface Handler {

        /** The channel is ready for some of these operations. */
        void onReady(int readyOps);

        /** The loop ends, or the handler threw: the channel must go, now. */
        void onLoopEnd(String reason);
    }

    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);
    private static final int INPUT_BYTES = 64 * 1024;
    /** Tasks that run between two looks at the channels. */
    private static final int TASKS_PER_TURN = 1024;

    /** What connections read into; empty between two handlers. */
    final ByteBuffer input = ByteBuffer.allocateDirect(INPUT_BYTES);

    final MemorySegment inputMemory = MemorySegment.ofBuffer(input);

    /** What connections write from; empty between two handlers. */
    final RecordWriter.Scratch output = new RecordWriter.Scratch();

    private final Selector selector;
    private final Thread thread;
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    /** The loop sets it before it looks at the tasks and sleeps; whoever adds a task afterwards must wake it. */
    private final AtomicBoolean asleep = new AtomicBoolean();
    /** Held by whoever runs tasks once the loop has ended. */
    private final ReentrantLock afterEnd = new ReentrantLock();

    private volatile boolean closing;
    private volatile boolean ended;

    private EventLoop(String name) throws IOException {
        selector = Selector.open();
        thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    }

    /** Makes a loop and starts its thread. */
    static EventLoop start(String name) throws IOException {
        EventLoop loop = new EventLoop(name);
        loop.thread.start();
        return loop;
    }

    boolean isOnLoop() {
        return Thread.currentThread() == thread || afterEnd.isHeldByCurrentThread();
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (ended) {
            runLateTasks();
        } else if (Thread.currentThread() != thread && asleep.compareAndSet(true, false)) {
            selector.wakeup();
        }
    }

    /** Registers a channel, which is in non-blocking mode. */
    SelectionKey register(SelectableChannel channel, int ops, Handler handler) throws IOException {
        return channel.register(selector, ops, handler);
    }

    /** Ends the loop: every registered channel is told. Does not wait. */
    @Override
    public void close() {
        closing = true;
        selector.wakeup();
    }

    /** Waits for the thread to end. Returns at once on the loop's own thread. */
    boolean join(long timeoutNanos) throws InterruptedException {
        if (Thread.currentThread() != thread) {
            TimeUnit.NANOSECONDS.timedJoin(thread, timeoutNanos);
        }
        return !thread.isAlive();
    }

    private void run() {
        try {
            while (!closing) {
                turn();
            }
        } catch (IOException e) {
            LOG.error("The selector of {} failed: {}", thread.getName(), e.toString());
        } finally {
            end();
        }
    }

    private void turn() throws IOException {
        asleep.set(true);
        if (tasks.isEmpty()) {
            selector.select(this::onKey, 0);
        } else {
            selector.selectNow(this::onKey);
        }
        asleep.set(false);
        for (int i = 0; i < TASKS_PER_TURN; i++) {
            Runnable task = tasks.poll();
            if (task == null) {
                break;
            }
            run(task);
        }
    }

    private void onKey(SelectionKey key) {
        Handler handler = (Handler) key.attachment();
        try {
            handler.onReady(key.readyOps());
        } catch (CancelledKeyException e) {
            LOG.debug("A channel went while it was served", e);
        } catch (RuntimeException | Error e) {
            LOG.error("Serving {} failed: {}", handler, e.toString());
            LOG.debug("Where it failed", e);
            handler.onLoopEnd("an internal error");
        }
    }

    private void end() {
        ended = true;
        afterEnd.lock();
        try {
            // Tasks that were there, or came since, may still register a channel; once the selector is closed none can.
            runTasks();
            List<Handler> handlers = new ArrayList<>();
            for (SelectionKey key : selector.keys()) {
                if (key.isValid() && key.attachment() instanceof Handler handler) {
                    handlers.add(handler);
                }
            }
            for (Handler handler : handlers) {
                handler.onLoopEnd("the transport was closed");
            }
            selector.close();
        } catch (IOException e) {
            LOG.debug("Closing the selector", e);
        } finally {
            afterEnd.unlock();
        }
        runLateTasks();
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            run(task);
        }
    }

    private void runLateTasks() {
        if (afterEnd.isHeldByCurrentThread()) {
            // A task of the turn below brought another; that turn will run it.
            return;
        }
        afterEnd.lock();
        try {
            runTasks();
        } finally {
            afterEnd.unlock();
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A task of an event loop failed: {}", e.toString());
            LOG.debug("Where it failed", e);
        }
    }
}
