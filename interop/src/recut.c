/*
 * recut: writes a capture of iWARP again with one FPDU in every TCP segment.
 *
 *   recut IN.pcap OUT.pcap
 *
 * Where TCP cuts its segments has no meaning for iWARP, but tshark's MPA decoder loses its place when only the first
 * few bytes of an FPDU stand at the end of a segment, and when trouble with one FPDU keeps it from looking at the next
 * one of the same segment. The bytes of the streams and their order stay as they are; segment borders, sequence
 * numbers, lengths and checksums change. Connections that do not begin with an MPA request are copied as they are.
 *
 * Fails (exit code 1) when bytes are missing from a stream or a packet is cut short: the capture has dropped something.
 * Bytes that remain of an FPDU which was never completed are reported, no failure: a connection may be cut.
 *
 * Reads classic pcap files of Ethernet frames with IPv4 or IPv6, of this machine's byte order.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_LIMIT = 1 << 18,
    UNIT_LIMIT = 65535 + 32,  /* an FPDU or an MPA frame */
    SEGMENT_LIMIT = 65000,    /* payload of one written segment */
    MPA_HEADER = 20,
    FIN = 1, SYN = 2, RST = 4
};

struct file_header {
    uint32_t magic;
    uint16_t major, minor;
    uint32_t zone, accuracy, snap_length, link_type;
};

struct packet_header {
    uint32_t seconds, microseconds, captured, length;
};

/* One direction of a connection. */
struct stream {
    unsigned char key[36]; /* source and destination address, ports */
    struct stream *peer, *next;
    bool known;    /* a SYN was seen */
    bool mpa;      /* the first bytes were an MPA request or reply */
    bool decided;  /* mpa is final */
    bool fpdus;    /* the MPA frame is behind us */
    uint32_t read; /* sequence number of the next byte to come from the capture */
    uint32_t sent; /* sequence number of the next byte to be written */
    size_t held;   /* bytes in unit: read - sent */
    unsigned char *unit;
};

/* Where things are in the frame at hand. */
struct frame {
    unsigned char *bytes, *ip, *tcp, *payload;
    size_t ip_header, tcp_header, payload_length;
};

static struct packet_header header;
static struct stream *streams;
static FILE *out;
static unsigned long packet_number, units, lost;

static void die(const char *what)
{
    fprintf(stderr, "recut: packet %lu: %s\n", packet_number, what);
    exit(1);
}

static uint32_t get(const unsigned char *p, int n)
{
    uint32_t value = 0;
    while (n-- > 0)
        value = value << 8 | *p++;
    return value;
}

static void put(unsigned char *p, int n, uint32_t value)
{
    while (n-- > 0) {
        p[n] = value;
        value >>= 8;
    }
}

/* Adds big-endian 16-bit words, as the Internet checksum does. */
static uint32_t sum(const unsigned char *p, size_t n, uint32_t start)
{
    for (; n > 1; p += 2, n -= 2)
        start += get(p, 2);
    return n > 0 ? start + (*p << 8) : start;
}

static uint16_t fold(uint32_t value)
{
    while (value >> 16)
        value = (value & 0xffff) + (value >> 16);
    return ~value;
}

static bool is_ipv6(const struct frame *f)
{
    return f->ip[0] >> 4 == 6;
}

/* Finds the TCP segment in a frame. Returns false when there is none. */
static bool parse(struct frame *f, unsigned char *bytes)
{
    uint32_t type = get(bytes + 12, 2), total;
    f->bytes = bytes;
    f->ip = bytes + 14;
    if (header.captured < 14 + 40 || (type != 0x0800 && type != 0x86dd))
        return false;
    if (is_ipv6(f)) {
        f->ip_header = 40;
        total = 40 + get(f->ip + 4, 2);
        if (f->ip[6] != 6)
            return false;
    } else {
        f->ip_header = (f->ip[0] & 15) * 4;
        total = get(f->ip + 2, 2);
        if (f->ip[9] != 6)
            return false;
    }
    if (header.captured < header.length || header.captured < 14 + total)
        die("cut short by the capture");
    f->tcp = f->ip + f->ip_header;
    f->tcp_header = (f->tcp[12] >> 4) * 4;
    if (total < f->ip_header + f->tcp_header)
        die("lengths of IP and TCP do not fit");
    f->payload = f->tcp + f->tcp_header;
    f->payload_length = total - f->ip_header - f->tcp_header;
    return true;
}

static struct stream *find(const unsigned char *key)
{
    struct stream *s;
    for (s = streams; s != NULL; s = s->next)
        if (memcmp(s->key, key, sizeof s->key) == 0)
            return s;
    s = calloc(1, sizeof *s);
    if (s == NULL || (s->unit = malloc(UNIT_LIMIT + FRAME_LIMIT)) == NULL)
        die("no memory");
    memcpy(s->key, key, sizeof s->key);
    s->next = streams;
    return streams = s;
}

static struct stream *stream_of(const struct frame *f)
{
    unsigned char key[36] = {0}, back[36] = {0};
    size_t n = is_ipv6(f) ? 16 : 4;
    const unsigned char *addresses = f->ip + (is_ipv6(f) ? 8 : 12);
    struct stream *s;
    memcpy(key, addresses, n);
    memcpy(key + 16, addresses + n, n);
    memcpy(key + 32, f->tcp, 4);
    memcpy(back, key + 16, 16);
    memcpy(back + 16, key, 16);
    memcpy(back + 32, key + 34, 2);
    memcpy(back + 34, key + 32, 2);
    s = find(key);
    if (s->peer == NULL) {
        s->peer = find(back);
        s->peer->peer = s;
    }
    return s;
}

static void write_packet(const unsigned char *bytes, size_t length)
{
    struct packet_header h = header;
    h.captured = h.length = length;
    if (fwrite(&h, sizeof h, 1, out) != 1 || fwrite(bytes, 1, length, out) != length)
        die("cannot write");
}

/* Writes a segment with the headers of the frame at hand and other payload. */
static void write_segment(struct frame *f, struct stream *s, const unsigned char *payload, size_t length)
{
    static unsigned char copy[FRAME_LIMIT];
    size_t headers = 14 + f->ip_header + f->tcp_header, segment = f->tcp_header + length;
    unsigned char *ip = copy + 14, *tcp = ip + f->ip_header;
    uint32_t pseudo;
    memcpy(copy, f->bytes, headers);
    memcpy(copy + headers, payload, length);
    put(tcp + 4, 4, s->sent);
    /* what the peer has not been shown to send must not be acknowledged */
    if (s->peer->mpa && (int32_t)(get(tcp + 8, 4) - s->peer->sent) > 0 && s->peer->held > 0)
        put(tcp + 8, 4, s->peer->sent);
    put(tcp + 16, 2, 0);
    if (is_ipv6(f)) {
        put(ip + 4, 2, segment);
        pseudo = sum(ip + 8, 32, 6 + segment);
    } else {
        put(ip + 2, 2, f->ip_header + segment);
        put(ip + 10, 2, 0);
        put(ip + 10, 2, fold(sum(ip, f->ip_header, 0)));
        pseudo = sum(ip + 12, 8, 6 + segment);
    }
    put(tcp + 16, 2, fold(sum(tcp, segment, pseudo)));
    write_packet(copy, headers + length);
    s->sent += length;
}

/* The length of the MPA frame or FPDU that the held bytes begin with; 0 when that cannot be told yet. */
static size_t unit_length(const struct stream *s)
{
    if (!s->fpdus)
        return s->held < MPA_HEADER ? 0 : MPA_HEADER + get(s->unit + 18, 2);
    return s->held < 2 ? 0 : (2 + get(s->unit, 2) + 3) / 4 * 4 + 4;
}

static void take_payload(struct frame *f, struct stream *s, const unsigned char *from, size_t length)
{
    size_t unit;
    memcpy(s->unit + s->held, from, length);
    s->held += length;
    s->read += length;
    while ((unit = unit_length(s)) > 0 && unit <= s->held) {
        for (size_t done = 0, part; done < unit; done += part) {
            part = unit - done < SEGMENT_LIMIT ? unit - done : SEGMENT_LIMIT;
            write_segment(f, s, s->unit + done, part);
        }
        s->held -= unit;
        memmove(s->unit, s->unit + unit, s->held);
        s->fpdus = true;
        units++;
    }
}

static void take_segment(struct frame *f)
{
    static const char request[] = "MPA ID Req Frame", reply[] = "MPA ID Rep Frame";
    struct stream *s = stream_of(f);
    uint32_t sequence = get(f->tcp + 4, 4), flags = f->tcp[13];
    const unsigned char *payload = f->payload;
    size_t length = f->payload_length;
    if (flags & SYN) {
        lost += s->held;
        s->known = true;
        s->mpa = s->decided = s->fpdus = false;
        s->held = 0;
        s->read = s->sent = sequence + 1;
    }
    if (!s->decided && length > 0) {
        s->decided = true;
        s->mpa = s->known && length >= 16 && (memcmp(payload, request, 16) == 0 || memcmp(payload, reply, 16) == 0);
    }
    if (!s->mpa || (flags & SYN)) {
        write_packet(f->bytes, header.captured);
        return;
    }
    if (length > 0) {
        int32_t ahead = sequence - s->read;
        if (ahead > 0) {
            fprintf(stderr, "recut: packet %lu: %d bytes before it are missing\n", packet_number, ahead);
            exit(1);
        }
        if ((size_t)-ahead >= length)
            return; /* sent again */
        take_payload(f, s, payload - ahead, length + ahead);
    }
    if (length == 0 || (flags & (FIN | RST)))
        write_segment(f, s, payload, 0);
}

int main(int argc, char **argv)
{
    static unsigned char bytes[FRAME_LIMIT];
    struct file_header file;
    FILE *in;
    if (argc != 3 || (in = fopen(argv[1], "rb")) == NULL || (out = fopen(argv[2], "wb")) == NULL) {
        fprintf(stderr, "usage: recut IN.pcap OUT.pcap\n");
        return 2;
    }
    if (fread(&file, sizeof file, 1, in) != 1 || file.magic != 0xa1b2c3d4 || (file.link_type & 0xffff) != 1)
        die("not a classic pcap file of Ethernet frames");
    file.snap_length = FRAME_LIMIT;
    fwrite(&file, sizeof file, 1, out);
    while (fread(&header, sizeof header, 1, in) == 1) {
        struct frame f;
        packet_number++;
        if (header.captured > FRAME_LIMIT || fread(bytes, 1, header.captured, in) != header.captured)
            die("the file ends within it");
        if (parse(&f, bytes))
            take_segment(&f);
        else
            write_packet(bytes, header.captured);
    }
    for (struct stream *s = streams; s != NULL; s = s->next)
        if (s->mpa && s->held > 0)
            lost += s->held;
    if (fclose(out) != 0)
        die("cannot write");
    printf("%lu packets, %lu MPA frames and FPDUs, %lu bytes of incomplete ones\n", packet_number, units, lost);
    return 0;
}
