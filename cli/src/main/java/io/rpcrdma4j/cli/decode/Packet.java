package io.rpcrdma4j.cli.decode;

import java.nio.ByteBuffer;

/**
 * One captured packet.
 *
 * @param number its number in the capture, from 1, as other tools count
 * @param linkType what its first bytes are: a LINKTYPE_ value of the pcap format
 * @param bytes the captured bytes, big-endian; may be fewer than were on the wire
 */
record Packet(long number, int linkType, ByteBuffer bytes) {}
