package io.rpcrdma4j.rpc.tcp;

import static java.util.Objects.requireNonNull;

import io.rpcrdma4j.rpc.AddressText;
import io.rpcrdma4j.rpc.CallTable;
import io.rpcrdma4j.rpc.PendingCall;
import io.rpcrdma4j.rpc.RpcConstants;
import io.rpcrdma4j.rpc.RpcException;
import io.rpcrdma4j.rpc.Timers;
import io.rpcrdma4j.rpc.memory.PayloadBuffer;
import io.rpcrdma4j.rpc.memory.RpcResourceException;
import io.rpcrdma4j.rpc.xdr.XdrException;
import io.rpcrdma4j.rpc.xdr.XdrReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The calls of a {@link TcpClient}: which wait, which are sent, and how each ends.
 *
 * <h2>Operation</h2>
 *
 * Started calls join the line. {@link #pump} encodes and queues them while there is a connection and room. Replies,
 * deadlines, cancellation and the loss of the connection all end in {@link #finish}.
 *
 * <h2>Buffer ownership</h2>
 *
 * See {@link OutgoingCall}. {@link #finish} releases a message before it tells the caller; if part of it is on the
 * wire, a copy takes its place in the queue.
 *
 * <h2>Threading</h2>
 *
 * Confined to the client's event loop, except where said.
 */
final class TcpClientEngine {
    private static final Logger LOG = TcpClient.LOG;
    private static final int IDLE_CALLS = 64;

    private final TcpClient client;
    private final TcpClient.Settings settings;
    private final Timers timers;
    private final TcpClientConnector connector;

    /** All calls that are under way. */
    private final CallTable calls = new CallTable();
    /** Those that wait to be encoded, in the order in which they go. */
    private final ArrayDeque<OutgoingCall> line = new ArrayDeque<>();

    private final ArrayDeque<OutgoingCall> idle = new ArrayDeque<>();
    private final XdrReader replyReader = new XdrReader();
    /** Calls queued or sent. */
    private int outstanding;

    private @Nullable TcpClientConnection connection;
    private volatile boolean connected;
    private boolean closed;
    /** When the next look for overdue calls is due, if {@link #sweep} is set. */
    private long sweepNanos;

    private Timers.@Nullable Cancellable sweep;

    TcpClientEngine(TcpClient client) {
        this.client = client;
        settings = client.settings;
        timers = client.timers;
        connector = new TcpClientConnector(client, this);
    }

    /** Any thread. */
    boolean isConnected() {
        return connected;
    }

    /** Any thread. */
    void cancel(PendingCall call, int xid) {
        client.loop.execute(() -> {
            acceptStarted();
            if (isSame(calls.get(xid), call)) {
                finish(call, new RpcException(RpcException.Kind.CANCELLED, "the call was cancelled"));
                pump();
            }
        });
    }

    /** Takes what was started since the last time. */
    void acceptStarted() {
        client.acceptScheduled.set(false);
        for (PendingCall call = client.started.poll(); call != null; call = client.started.poll()) {
            if (calls.get(call.xid()) != null) {
                failTwin(call);
                continue;
            }
            OutgoingCall outgoing = idle.poll();
            if (outgoing == null) {
                outgoing = new OutgoingCall(this);
            }
            outgoing.call = call;
            outgoing.state = OutgoingCall.State.WAITING;
            call.context(outgoing);
            calls.add(call);
            line.add(outgoing);
            if (closed) {
                finish(call, closedFailure());
            } else {
                scheduleSweep(call);
            }
        }
        pump();
    }

    /** XIDs have come round and met a call that has been under way for four thousand million calls. */
    private static void failTwin(PendingCall call) {
        if (call.claim()) {
            call.complete(new RpcException(RpcException.Kind.NOT_SENT, "a call with this XID is under way"));
        }
    }

    /** Queues what waits, or sees to it that there will be a connection to queue it on. */
    void pump() {
        TcpClientConnection current = connection;
        if (current == null) {
            if (!closed && !line.isEmpty()) {
                connector.want();
            }
            return;
        }
        while (outstanding < settings.callsMax() && !line.isEmpty()) {
            OutgoingCall outgoing = line.remove();
            outgoing.state = OutgoingCall.State.ENCODING;
            PendingCall call = requireNonNull(outgoing.call);
            RpcException failure = encode(outgoing, call);
            if (failure == null) {
                outgoing.state = OutgoingCall.State.QUEUED;
                outstanding++;
                current.writer.add(outgoing);
            } else {
                finish(call, failure);
            }
        }
        current.settle();
    }

    // ---- what the connection and the connector tell

    void onConnected(TcpClientConnection established) {
        connection = established;
        connected = true;
        pump();
    }

    /** No connection could be made. Calls that are not to be sent again fail; the others wait for the next attempt. */
    void onConnectFailed(String reason, @Nullable Exception cause) {
        for (OutgoingCall outgoing : new ArrayList<>(line)) {
            PendingCall call = outgoing.call;
            if (outgoing.state == OutgoingCall.State.WAITING
                    && call != null
                    && !call.call().resend()) {
                finish(call, new RpcException(RpcException.Kind.CONNECT_FAILED, reason, cause));
            }
        }
        pump();
    }

    void onFirstInput() {
        connector.onUseful();
    }

    /** The connection is gone. */
    void onLost(TcpClientConnection lost, String reason, @Nullable Exception cause) {
        connection = null;
        connected = false;
        List<OutgoingCall> again = new ArrayList<>();
        List<PendingCall> failed = new ArrayList<>();
        for (PendingCall call : calls.toList()) {
            OutgoingCall outgoing = outgoing(call);
            if (outgoing.state == OutgoingCall.State.WAITING) {
                continue;
            }
            boolean untouched = outgoing.state == OutgoingCall.State.QUEUED && lost.writer.writtenOf(outgoing) == 0;
            if (untouched || call.call().resend()) {
                again.add(outgoing);
            } else {
                failed.add(call);
            }
        }
        lost.writer.dropAll();
        again.sort(
                (a, b) -> requireNonNull(a.call).xid() - requireNonNull(b.call).xid());
        for (OutgoingCall outgoing : again.reversed()) {
            outgoing.state = OutgoingCall.State.WAITING;
            outstanding--;
            line.addFirst(outgoing);
        }
        for (PendingCall call : failed) {
            String text = "the connection to " + AddressText.of(settings.remote()) + " was lost: " + reason;
            finish(call, new RpcException(RpcException.Kind.TRANSPORT_LOST, text, cause));
        }
        if (!lost.hadInput()) {
            // The server accepted and then did not want it, or is no RPC server: as good as no connection.
            connector.onUseless(reason, cause);
        }
        pump();
    }

    void onWritten(OutgoingCall outgoing) {
        outgoing.state = OutgoingCall.State.SENT;
    }

    /** A record came. Takes ownership of it. */
    void onRecord(PayloadBuffer record, int length) {
        try {
            replyReader.start(record.segment(), 0, length, null);
            int xid = replyReader.readInt();
            int type = replyReader.readInt();
            PendingCall call = type == RpcConstants.REPLY ? calls.get(xid) : null;
            if (call == null || outgoing(call).state == OutgoingCall.State.WAITING || !call.claim()) {
                LOG.debug("Dropped a message of type {} with xid 0x{} that is no call's reply", type, xid);
                return;
            }
            replyReader.start(record.segment(), 0, length, null);
            finishClaimed(call, call.decode(replyReader));
        } catch (XdrException e) {
            LOG.debug("Dropped a message of {} bytes: {}", length, e.getMessage());
        } finally {
            replyReader.clear();
            record.release();
        }
    }

    /** Ends everything, for good. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        connector.close();
        TcpClientConnection current = connection;
        connection = null;
        connected = false;
        if (current != null) {
            current.closeQuietly();
            current.writer.dropAll();
        }
        acceptStarted();
        for (PendingCall call : calls.toList()) {
            finish(call, closedFailure());
        }
        cancelSweep();
        for (OutgoingCall outgoing = idle.poll(); outgoing != null; outgoing = idle.poll()) {
            outgoing.free();
        }
        client.closeMemory();
    }

    // ---- the end of a call

    private void finish(PendingCall call, RpcException failure) {
        if (call.claim()) {
            finishClaimed(call, failure);
        }
    }

    private void finishClaimed(PendingCall call, @Nullable RpcException failure) {
        OutgoingCall outgoing = outgoing(call);
        calls.remove(call.xid());
        switch (outgoing.state) {
            case WAITING -> line.remove(outgoing);
            case ENCODING -> {}
            case QUEUED -> {
                outstanding--;
                leaveQueue(outgoing);
            }
            case SENT -> outstanding--;
            case OVER -> throw new AssertionError("a call ended twice");
        }
        outgoing.state = OutgoingCall.State.OVER;
        outgoing.call = null;
        outgoing.release();
        recycle(outgoing);
        call.complete(failure);
    }

    /** Takes a message that is over out of the writer's queue, or puts a copy in its place if a part was written. */
    private void leaveQueue(OutgoingCall outgoing) {
        TcpClientConnection current = connection;
        if (current == null || current.writer.remove(outgoing)) {
            return;
        }
        try {
            current.writer.replaceFirst(new CopiedRecord(outgoing.message(), client.memory));
        } catch (RpcResourceException e) {
            // The stream cannot be completed: it is of no use any more.
            current.writer.forgetFirst();
            current.loseLater("no memory to complete a record: " + e.getMessage());
        }
    }

    private void recycle(OutgoingCall outgoing) {
        if (!closed && idle.size() < IDLE_CALLS) {
            idle.push(outgoing);
        } else {
            outgoing.free();
        }
    }

    private @Nullable RpcException encode(OutgoingCall outgoing, PendingCall call) {
        try {
            return outgoing.encode(client.memory, call, settings.recordBytes());
        } catch (RpcResourceException e) {
            return new RpcException(RpcException.Kind.NOT_SENT, "the call cannot be encoded: " + e.getMessage(), e);
        }
    }

    // ---- deadlines

    /** One alarm for all calls, at the first deadline: in the usual case calls end long before theirs. */
    private void scheduleSweep(PendingCall call) {
        if (!call.hasDeadline()) {
            return;
        }
        if (sweep == null || call.deadlineNanos() - sweepNanos < 0) {
            cancelSweep();
            sweepNanos = call.deadlineNanos();
            sweep = timers.schedule(sweepNanos - timers.nanoTime(), () -> client.loop.execute(this::sweepOverdue));
        }
    }

    private void cancelSweep() {
        if (sweep != null) {
            sweep.cancel();
            sweep = null;
        }
    }

    private void sweepOverdue() {
        sweep = null;
        if (closed) {
            return;
        }
        long now = timers.nanoTime();
        for (PendingCall call = calls.overdue(now); call != null; call = calls.overdue(now)) {
            String text = "no reply from " + AddressText.of(settings.remote()) + " in "
                    + call.call().timeoutNanos() / 1_000_000 + " ms (program "
                    + call.call().program() + " procedure "
                    + call.call().procedure() + ")";
            finish(call, new RpcException(RpcException.Kind.TIMED_OUT, text));
            TcpClientConnection current = connection;
            if (current != null && now - current.lastInputNanos() >= settings.stallNanos()) {
                current.loseLater("the server was silent for too long");
            }
        }
        long left = calls.untilDeadline(now);
        if (left != Long.MAX_VALUE && sweep == null) {
            sweepNanos = now + left;
            sweep = timers.schedule(left, () -> client.loop.execute(this::sweepOverdue));
        }
        pump();
    }

    private static OutgoingCall outgoing(PendingCall call) {
        return (OutgoingCall) requireNonNull(call.context());
    }

    private static RpcException closedFailure() {
        return new RpcException(RpcException.Kind.CLOSED, "the client was closed");
    }

    @SuppressWarnings("ReferenceEquality") // The object is the call.
    private static boolean isSame(@Nullable PendingCall a, PendingCall b) {
        return a == b;
    }
}
