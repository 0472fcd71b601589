package io.rpcrdma4j.cli.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The block-structured capture format: {@code type(4) length(4) body length(4)}, of which section headers, interface
 * descriptions and enhanced, simple and old packet blocks count; all others are stepped over.
 */
final class PcapngReader extends CaptureReader {
    /** Block type of a section header, the same in both byte orders. */
    static final int SECTION_HEADER = 0x0A0D0D0A;

    private static final int BYTE_ORDER_MAGIC = 0x1A2B3C4D;
    private static final int INTERFACE_DESCRIPTION = 1;
    private static final int OLD_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;

    /** Type, length in front, length behind. */
    private static final int BLOCK_FRAME = 12;

    private static final int INTERFACES_MAX = 1024;

    private final List<Integer> linkTypes = new ArrayList<>();
    private ByteOrder order = ByteOrder.BIG_ENDIAN;

    /** A reader whose stream stands behind the first block type. */
    PcapngReader(InputStream in) throws IOException, CaptureException {
        super(in);
        if (!readSectionHeader()) {
            throw new CaptureException("the capture ends inside its section header");
        }
    }

    @Override
    @Nullable
    Packet next() throws IOException, CaptureException {
        while (true) {
            ByteBuffer type = read(4);
            if (type == null) {
                return null;
            }
            int blockType = type.order(order).getInt();
            if (blockType == SECTION_HEADER) {
                if (!readSectionHeader()) {
                    return null;
                }
                continue;
            }
            ByteBuffer body = readBody();
            if (body == null) {
                return null;
            }
            Packet packet = packetOf(blockType, body);
            if (packet != null) {
                return packet;
            }
        }
    }

    private boolean readSectionHeader() throws IOException, CaptureException {
        ByteBuffer start = readRest(8);
        if (start == null) {
            return false;
        }
        int magic = start.getInt(4);
        if (magic == BYTE_ORDER_MAGIC) {
            order = ByteOrder.BIG_ENDIAN;
        } else if (Integer.reverseBytes(magic) == BYTE_ORDER_MAGIC) {
            order = ByteOrder.LITTLE_ENDIAN;
        } else {
            throw new CaptureException(String.format("pcapng section without byte order: %08x", magic));
        }
        linkTypes.clear();
        long length = Integer.toUnsignedLong(start.order(order).getInt(0));
        return readRest(checkLength(length - BLOCK_FRAME, "section header")) != null;
    }

    /** What is between the two length words of a block. */
    private @Nullable ByteBuffer readBody() throws IOException, CaptureException {
        ByteBuffer length = readRest(4);
        if (length == null) {
            return null;
        }
        long total = Integer.toUnsignedLong(length.order(order).getInt());
        int bodyLength = checkLength(total - BLOCK_FRAME, "block");
        ByteBuffer body = readRest(bodyLength);
        return body == null || readRest(4) == null ? null : body.order(order);
    }

    private @Nullable Packet packetOf(int blockType, ByteBuffer body) throws CaptureException {
        return switch (blockType) {
            case INTERFACE_DESCRIPTION -> {
                need(body, 8);
                if (linkTypes.size() == INTERFACES_MAX) {
                    throw new CaptureException("more than " + INTERFACES_MAX + " interfaces");
                }
                linkTypes.add(Short.toUnsignedInt(body.getShort(0)));
                yield null;
            }
            case ENHANCED_PACKET -> {
                need(body, 20);
                yield packet(linkType(body.getInt(0)), slice(body, 20, body.getInt(12)));
            }
            case OLD_PACKET -> {
                need(body, 20);
                yield packet(linkType(Short.toUnsignedInt(body.getShort(0))), slice(body, 20, body.getInt(12)));
            }
            case SIMPLE_PACKET -> {
                need(body, 4);
                long original = Integer.toUnsignedLong(body.getInt(0));
                yield packet(linkType(0), slice(body, 4, (int) Math.min(original, body.capacity() - 4)));
            }
            default -> null;
        };
    }

    private int linkType(int interfaceId) throws CaptureException {
        if (interfaceId < 0 || interfaceId >= linkTypes.size()) {
            throw new CaptureException("packet of interface " + Integer.toUnsignedString(interfaceId) + " of "
                    + linkTypes.size() + " after packet " + packetCount());
        }
        return linkTypes.get(interfaceId);
    }

    private ByteBuffer slice(ByteBuffer body, int from, int captured) throws CaptureException {
        if (captured < 0 || captured > body.capacity() - from) {
            throw new CaptureException("packet of " + Integer.toUnsignedString(captured) + " bytes in a block of "
                    + body.capacity() + " after packet " + packetCount());
        }
        return body.slice(from, captured);
    }

    private void need(ByteBuffer body, int bytes) throws CaptureException {
        if (body.capacity() < bytes) {
            throw new CaptureException(
                    "block of " + body.capacity() + " bytes is below " + bytes + " after packet " + packetCount());
        }
    }
}
