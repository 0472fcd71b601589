package io.rpcrdma4j.verbs.iwarp;

import io.rpcrdma4j.verbs.ConnectionParameters;
import io.rpcrdma4j.verbs.iwarp.engine.MpaResponder;
import io.rpcrdma4j.verbs.iwarp.engine.Stream;
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

/** The end that is connected to: MPA request, the application's answer. <b>Threading:</b> as its superclass. */
final class PassiveConnection extends IwarpConnection {

    private static final Logger LOG = LoggerFactory.getLogger(PassiveConnection.class);

    private final IwarpListener listener;
    private final ByteBuffer in = ByteBuffer.allocate(MpaFrame.BYTES_MAX + 1);
    private final ByteBuffer[] inArray = {in};
    private @Nullable MpaResponder request;
    private boolean isAnswered;

    /** @param channel just accepted by {@code listener} */
    PassiveConnection(IwarpDevice device, EventLoop loop, SocketChannel channel, IwarpListener listener)
            throws IOException {
        super(device, loop, (InetSocketAddress) channel.getRemoteAddress(), Phase.AWAITING_REQUEST);
        this.listener = listener;
        setSocket(new SocketIo(channel, device.settings().moveBytesMax()));
        setLocal((InetSocketAddress) channel.getLocalAddress());
    }

    /** Starts to wait for the request. */
    void awaitRequest(long timeoutNanos) throws IOException {
        device.add(this);
        owner.lock();
        try {
            enter(Phase.AWAITING_REQUEST, timeoutNanos);
        } finally {
            owner.unlock();
        }
        register(SelectionKey.OP_READ);
    }

    @Override
    void connected() {}

    @Override
    void startUp(SocketIo s, boolean isReadable, long now) throws IOException, IwarpException {
        if (!isReadable) {
            return;
        }
        if (s.read(inArray, 1) < 0) {
            throw new IOException(
                    phase() == Phase.REQUESTED
                            ? "closed by the peer before our MPA reply"
                            : "closed by the peer before its MPA request");
        }
        in.flip();
        if (phase() == Phase.REQUESTED) {
            if (in.hasRemaining()) {
                throw new IOException(in.remaining() + " bytes before our MPA reply");
            }
        } else {
            take(s, MpaResponder.onBytes(in));
        }
        in.compact();
    }

    private void take(SocketIo s, @Nullable MpaResponder complete) throws IOException {
        if (complete == null) {
            return;
        }
        request = complete;
        if (complete.wantsMarkers()) {
            s.channel().write(complete.reject(new byte[0]));
            throw new IOException("MPA markers are demanded, which are not supported");
        }
        enter(Phase.REQUESTED, Stream.NEVER);
        setReadLimitKnown(complete.isReadLimitKnown());
        loop().execute(() -> listener.requested(this));
    }

    private MpaResponder request() {
        MpaResponder r = request;
        if (r == null) {
            throw new IllegalStateException("there is no request yet");
        }
        return r;
    }

    @Override
    public ConnectionParameters requested() {
        owner.lock();
        try {
            MpaResponder r = request();
            return new ConnectionParameters(
                    Math.min(r.peerOutboundReads(), IwarpDevice.READS_MAX),
                    Math.min(r.peerInboundReads(), IwarpDevice.READS_MAX),
                    r.privateData());
        } finally {
            owner.unlock();
        }
    }

    @Override
    public void connect(ConnectionParameters parameters) {
        throw new IllegalStateException("not the active end of a connection");
    }

    @Override
    public void accept(ConnectionParameters parameters) throws IOException {
        IwarpDevice.checkPrivateData(parameters.privateData());
        owner.lock();
        try {
            MpaResponder r = request();
            IwarpQueuePair pair = queuePair();
            SocketIo s = socket();
            if (pair == null || s == null) {
                throw new IllegalStateException("accept without a queue pair");
            }
            if (phase() == Phase.CLOSED && !wasEstablished() && !isAnswered && !isClosed()) {
                throw new IOException("the peer " + address() + " is gone");
            }
            if (phase() != Phase.REQUESTED) {
                throw new IllegalStateException("the request was answered before");
            }
            isAnswered = true;
            MpaResponder.Accepted accepted = r.accept(
                    device.settings().crc(),
                    Math.min(parameters.inboundReads(), IwarpDevice.READS_MAX),
                    Math.min(parameters.outboundReads(), IwarpDevice.READS_MAX),
                    parameters.privateData());
            StreamSettings settings = device.settings()
                    .forStream(
                            s.channel(),
                            false,
                            accepted.crc(),
                            accepted.inboundReads(),
                            accepted.outboundReads(),
                            accepted.rtrSend());
            var agreed = new ConnectionParameters(accepted.inboundReads(), accepted.outboundReads(), r.privateData());
            open(agreed, settings, r.revision(), pair.stream(), accepted.reply(), ByteBuffer.allocate(0));
        } finally {
            owner.unlock();
        }
        listener.answered(this);
        settle();
    }

    @Override
    public void reject(byte[] privateData) {
        IwarpDevice.checkPrivateData(privateData);
        owner.lock();
        try {
            MpaResponder r = request();
            SocketIo s = socket();
            if (phase() != Phase.REQUESTED || s == null) {
                return;
            }
            isAnswered = true;
            reportEnd();
            LOG.debug("{}: rejected", this);
            s.channel().write(r.reject(privateData));
        } catch (IOException e) {
            LOG.debug("{}: the rejection could not be sent: {}", this, e.getMessage());
        } finally {
            owner.unlock();
        }
        abort("we rejected the connection");
    }

    @Override
    void closeUnanswered() {
        reject(new byte[0]);
    }

    @Override
    String lateness(Phase late) {
        return "no MPA request from " + address() + " in time";
    }

    @Override
    void startUpFailed(IOException cause) {
        LOG.info("{}: {}", this, cause.getMessage());
    }

    @Override
    void gone() {
        listener.gone(this);
    }

    @Override
    public String toString() {
        return "from " + address();
    }
}
