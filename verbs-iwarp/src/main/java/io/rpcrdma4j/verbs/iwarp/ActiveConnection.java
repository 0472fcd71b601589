package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.ConnectionEvent;
import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.iwarp.engine.MpaInitiator;
import io.rpcrdma4j.verbs.iwarp.engine.StreamSettings;
import io.rpcrdma4j.verbs.iwarp.wire.IwarpException;
import io.rpcrdma4j.verbs.iwarp.wire.MpaFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end that connects: TCP, MPA request, MPA reply. <b>Threading:</b> as its superclass. */
final class ActiveConnection extends IwarpConnection {

    private static final Logger LOG = LoggerFactory.getLogger(ActiveConnection.class);

    private final ByteBuffer in = ByteBuffer.allocate(MpaFrame.BYTES_MAX);
    private final ByteBuffer[] inArray = {in};
    private ByteBuffer out = ByteBuffer.allocate(0);
    private @Nullable MpaInitiator initiator;

    ActiveConnection(IwarpDevice device, EventLoop loop, InetSocketAddress remote) {
        super(device, loop, remote, Phase.NEW);
    }

    @Override
    public void connect(ConnectionParameters parameters) {
        IwarpDevice.checkPrivateData(parameters.privateData());
        owner.lock();
        try {
            if (queuePair() == null) {
                throw new IllegalStateException("connect without a queue pair");
            }
            if (phase() != Phase.NEW || isClosed()) {
                throw new IllegalStateException("connect was called before, or the connection is closed");
            }
            initiator = new MpaInitiator(
                    device.settings().crc(),
                    Math.min(parameters.inboundReads(), IwarpDevice.READS_MAX),
                    Math.min(parameters.outboundReads(), IwarpDevice.READS_MAX),
                    parameters.privateData());
            enter(Phase.CONNECTING, device.settings().connectTimeout().toNanos());
            startConnect();
        } finally {
            owner.unlock();
        }
        settle();
    }

    private void startConnect() {
        try {
            SocketChannel channel = SocketChannel.open();
            setSocket(new SocketIo(channel, device.settings().moveBytesMax()));
            device.add(this);
            TcpTuning.prepare(channel, device.settings());
            if (channel.connect(remote)) {
                register(SelectionKey.OP_READ);
                connected();
            } else {
                register(SelectionKey.OP_CONNECT);
            }
        } catch (IOException e) {
            failStartUp(cannotConnect(e));
        }
    }

    private IOException cannotConnect(IOException e) {
        return new IOException("can't connect to " + address() + ": " + e.getMessage(), e);
    }

    @Override
    void connected() {
        SocketIo s = socket();
        MpaInitiator i = initiator;
        if (phase() != Phase.CONNECTING || s == null || i == null) {
            return;
        }
        try {
            if (!s.channel().isConnected() && !s.channel().finishConnect()) {
                return;
            }
            setLocal((InetSocketAddress) s.channel().getLocalAddress());
            TcpTuning.connected(s.channel(), device.settings(), null);
            enter(Phase.AWAITING_REPLY, device.settings().connectTimeout().toNanos());
            out = i.request();
            s.awaitRead();
        } catch (IOException e) {
            failStartUp(cannotConnect(e));
        }
    }

    @Override
    void startUp(SocketIo s, boolean isReadable, long now) throws IOException, IwarpException {
        if (phase() != Phase.AWAITING_REPLY) {
            return;
        }
        if (out.hasRemaining()) {
            s.channel().write(out);
            s.armWrite(out.hasRemaining(), loop());
        }
        if (!isReadable) {
            return;
        }
        if (s.read(inArray, 1) < 0) {
            throw new IOException("closed by the peer before its MPA reply");
        }
        in.flip();
        MpaInitiator i = initiator;
        if (i != null) {
            try {
                judge(i.onBytes(in), s);
            } catch (IwarpException e) {
                s.channel().write(i.farewell(e));
                throw e;
            }
        }
        in.compact();
    }

    private void judge(MpaInitiator.@Nullable Outcome outcome, SocketIo s) throws IOException {
        IwarpQueuePair pair = queuePair();
        if (pair == null) {
            return;
        }
        switch (outcome) {
            case null -> {}
            case MpaInitiator.Outcome.Rejected rejected -> {
                LOG.debug("{}: rejected by the peer", this);
                events.add(new ConnectionEvent.Rejected(rejected.privateData()));
                reportEnd();
                pair.stream().lose("the peer rejected the connection");
                closeSocket();
            }
            case MpaInitiator.Outcome.Accepted accepted -> {
                setReadLimitKnown(accepted.isReadLimitKnown());
                StreamSettings settings = device.settings()
                        .forStream(
                                s.channel(),
                                true,
                                accepted.crc(),
                                accepted.inboundReads(),
                                accepted.outboundReads(),
                                false);
                var parameters = new ConnectionParameters(
                        accepted.inboundReads(), accepted.outboundReads(), accepted.privateData());
                open(parameters, settings, 2, pair.stream(), ByteBuffer.allocate(0), in);
                readAgain();
            }
        }
    }

    @Override
    String lateness(Phase late) {
        return late == Phase.CONNECTING
                ? "connecting to " + address() + " timed out"
                : "no MPA reply from " + address() + " in time";
    }

    @Override
    void startUpFailed(IOException cause) {
        LOG.debug("{}: {}", this, cause.getMessage());
        events.add(new ConnectionEvent.Failed(cause));
    }

    @Override
    void gone() {}

    @Override
    void closeUnanswered() {}

    @Override
    public ConnectionParameters requested() {
        throw new IllegalStateException("not the passive end of a connection");
    }

    @Override
    public void accept(ConnectionParameters parameters) {
        throw new IllegalStateException("not the passive end of a connection");
    }

    @Override
    public void reject(byte[] privateData) {
        throw new IllegalStateException("not the passive end of a connection");
    }

    @Override
    public String toString() {
        return "to " + address();
    }
}
