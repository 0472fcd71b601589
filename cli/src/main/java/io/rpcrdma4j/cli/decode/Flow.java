package io.rpcrdma4j.cli.decode;

import java.net.InetAddress;

/**
 * One direction of a TCP connection.
 *
 * @param source address of the sender
 * @param sourcePort port of the sender
 * @param destination address of the receiver
 * @param destinationPort port of the receiver
 */
record Flow(InetAddress source, int sourcePort, InetAddress destination, int destinationPort) {

    /** The other direction. */
    Flow reversed() {
        return new Flow(destination, destinationPort, source, sourcePort);
    }

    @Override
    public String toString() {
        return text(source, sourcePort) + " > " + text(destination, destinationPort);
    }

    private static String text(InetAddress address, int port) {
        String host = address.getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
