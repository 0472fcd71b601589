package io.rpcrdma4j.verbs;

import java.net.InetAddress;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * What a listener admits.
 *
 * @param backlog connections that may wait in the operating system
 * @param halfOpenMax handshakes in progress at a time; more are closed at once
 * @param connectionsMax connections at a time; more are closed at once
 * @param connectionsPerAddressMax connections of one address at a time
 * @param handshakeTimeout how long a peer may take for its connect request
 * @param admit tells whether an address may connect at all; asked before anything is read
 */
public record ListenOptions(
        int backlog,
        int halfOpenMax,
        int connectionsMax,
        int connectionsPerAddressMax,
        Duration handshakeTimeout,
        Predicate<InetAddress> admit) {

    /** 128 waiting, 256 half-open, 10,000 connections, 5 seconds, everybody. */
    public static ListenOptions defaults() {
        return new ListenOptions(128, 256, 10_000, 10_000, Duration.ofSeconds(5), address -> true);
    }

    public ListenOptions withAdmit(Predicate<InetAddress> newAdmit) {
        return new ListenOptions(
                backlog, halfOpenMax, connectionsMax, connectionsPerAddressMax, handshakeTimeout, newAdmit);
    }

    public ListenOptions withConnectionsMax(int max) {
        return new ListenOptions(
                backlog, halfOpenMax, max, Math.min(max, connectionsPerAddressMax), handshakeTimeout, admit);
    }

    public ListenOptions withHandshakeTimeout(Duration timeout) {
        return new ListenOptions(backlog, halfOpenMax, connectionsMax, connectionsPerAddressMax, timeout, admit);
    }
}
