/*
 * random-io: random reads and writes on a file system, each compared with a copy in memory.
 *
 *   random-io [-j WORKERS] [-f FILES] [-o DIRECTORY] DIRECTORY SECONDS SEED
 *
 * Every worker process owns FILES files in DIRECTORY and knows what each must contain. It picks operations at random:
 * buffered, vectored, direct and mapped reads and writes, appends, truncation both ways, fsync, reopening, dropping of
 * the page cache, renaming, replacing. Whatever is read must be what was last written; sizes are checked by stat too.
 * The same seed gives the same operations, so that a failure can be repeated.
 *
 * What is written says where it belongs (words.h), so that a report can tell where wrong bytes came from.
 *
 * With -o the expected contents are written to a second directory at the end, for a comparison on the server's side.
 * Must run as root, for the page cache. Exit codes: 0 no difference, 1 difference, error or hang, 2 wrong usage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "words.h"

enum {
    FILE_LIMIT = 5 << 20, /* bytes; no operation goes beyond */
    MAX_WORKERS = 8,
    MAX_FILES = 16,
    HISTORY = 24,
    HANG_S = 90 /* longest time that one operation may take */
};

struct file {
    char name[32];
    unsigned char *want; /* what the file must contain; FILE_LIMIT bytes, zero beyond size */
    size_t size;
    int fd;     /* buffered */
    int direct; /* O_DIRECT */
};

struct operation {
    uint64_t number;
    const char *kind;
    unsigned file;
    size_t offset, length, size; /* size: of the file, before */
};

/* What the parent sees of a worker. */
struct progress {
    _Atomic uint64_t number;
    _Atomic(const char *) kind; /* a literal: the same address in parent and child */
};

static struct file files[MAX_FILES];
static struct operation history[HISTORY];
static struct progress *progress; /* of this worker */
static unsigned worker, file_count = 4;
static uint64_t seed, op_number, bytes_read, bytes_written;
static unsigned direct_unit = PAGE; /* alignment that direct I/O needs here: 1 or PAGE */
static unsigned char *buffer;       /* page-aligned, LENGTH_LIMIT + PAGE bytes */

/* ---- reports ---- */

static void print_history(void)
{
    printf("  last operations (length of the file before each in brackets):\n");
    for (uint64_t n = op_number > HISTORY ? op_number - HISTORY + 1 : 1; n <= op_number; n++) {
        struct operation *o = &history[n % HISTORY];
        printf("    %" PRIu64 " %s file %u offset %zu length %zu [%zu]\n", o->number, o->kind, o->file, o->offset,
               o->length, o->size);
    }
}

static void report(const char *what, ...) __attribute__((noreturn, format(printf, 1, 2)));
static void report(const char *what, ...)
{
    struct operation *o = &history[op_number % HISTORY];
    va_list args;
    printf("random-io: FAILED: seed %" PRIu64 " worker %u, operation %" PRIu64 ": %s file %u offset %zu length %zu: ",
           seed, worker, o->number, o->kind, o->file, o->offset, o->length);
    va_start(args, what);
    vprintf(what, args);
    va_end(args);
    printf("\n");
    print_history();
    fflush(stdout);
    _exit(1);
}

static void print_hex(const char *name, const unsigned char *p, size_t n)
{
    printf("  %s", name);
    for (size_t i = 0; i < n; i++)
        printf(" %02x", p[i]);
    printf("\n");
}

static void fill(unsigned char *to, unsigned f, size_t offset, size_t length)
{
    fill_words(to, seed, worker * MAX_FILES + f, op_number, offset, length);
}

/* Compares what was read at offset with the copy; ends the program when it differs. */
static void compare(unsigned f, const unsigned char *got, size_t offset, size_t length)
{
    const unsigned char *want = files[f].want + offset;
    size_t first, last = 0, count = 0, word;
    if (memcmp(got, want, length) == 0) {
        bytes_read += length;
        return;
    }
    for (first = 0; got[first] == want[first]; first++)
        ;
    for (size_t i = first; i < length; i++)
        if (got[i] != want[i])
            last = i, count++;
    printf("random-io: DIFFERENCE in %s: %zu bytes differ, the first at offset %zu, the last at %zu; file size %zu\n",
           files[f].name, count, offset + first, offset + last, files[f].size);
    print_hex("expected", want + first, least(16, length - first));
    print_hex("actual  ", got + first, least(16, length - first));
    word = (offset + first + 7) / 8 * 8 - offset; /* the next whole word */
    if (word + 8 <= length) {
        printf("  at offset %zu expected: ", offset + word);
        print_word(want + word, seed);
        printf("  at offset %zu actual:   ", offset + word);
        print_word(got + word, seed);
    }
    report("what was read is not what was written");
}

static void begin(const char *kind, unsigned f, size_t offset, size_t length)
{
    struct operation *o = &history[++op_number % HISTORY];
    *o = (struct operation){op_number, kind, f, offset, length, files[f].size};
    progress->kind = kind;
    progress->number = op_number;
}

static void must(ssize_t result, size_t expected, const char *call)
{
    if (result < 0)
        report("%s: %s", call, strerror(errno));
    if ((size_t)result != expected)
        report("%s returned %zd instead of %zu", call, result, expected);
}

/* ---- choices ---- */

/* A range to write: inside the file or, now and then, behind its end (which makes a hole). */
static void pick_write(unsigned f, size_t *offset, size_t *length)
{
    size_t reach = least(files[f].size + (one_in(6) ? 262144 : 1), FILE_LIMIT - 1);
    *offset = pick_offset(reach);
    *length = pick_length(FILE_LIMIT - *offset);
}

/* The size of a file after a write of the range. */
static void grow(unsigned f, size_t offset, size_t length)
{
    if (offset + length > files[f].size)
        files[f].size = offset + length;
    bytes_written += length;
}

/* ---- operations ---- */

static void op_write(unsigned f)
{
    size_t offset, length;
    pick_write(f, &offset, &length);
    begin("pwrite", f, offset, length);
    fill(files[f].want + offset, f, offset, length);
    must(pwrite(files[f].fd, files[f].want + offset, length, offset), length, "pwrite");
    grow(f, offset, length);
}

static void op_read(unsigned f)
{
    size_t offset = pick_offset(files[f].size + 1), length = pick_length(LENGTH_LIMIT);
    size_t expected = least(length, files[f].size - offset);
    begin("pread", f, offset, length);
    must(pread(files[f].fd, buffer, length, offset), expected, "pread");
    compare(f, buffer, offset, expected);
}

static void op_append(unsigned f)
{
    size_t offset = files[f].size, length = pick_length(65536);
    int fd;
    if (offset + length > FILE_LIMIT)
        return;
    begin("append", f, offset, length);
    fd = open(files[f].name, O_WRONLY | O_APPEND);
    must(fd < 0 ? -1 : 0, 0, "open for appending");
    fill(files[f].want + offset, f, offset, length);
    must(write(fd, files[f].want + offset, length), length, "write");
    must(close(fd), 0, "close");
    grow(f, offset, length);
}

/* Cuts [base, base + length) into up to 8 pieces. */
static int pieces(struct iovec *iov, unsigned char *base, size_t length)
{
    int n = 0;
    while (length > 0) {
        size_t part = n == 7 ? length : least(length, 1 + below(length < 64 ? length : length / 2));
        iov[n++] = (struct iovec){base, part};
        base += part;
        length -= part;
    }
    return n;
}

static void op_writev(unsigned f)
{
    struct iovec iov[8];
    size_t offset, length;
    pick_write(f, &offset, &length);
    begin("pwritev", f, offset, length);
    fill(files[f].want + offset, f, offset, length);
    must(pwritev(files[f].fd, iov, pieces(iov, files[f].want + offset, length), offset), length, "pwritev");
    grow(f, offset, length);
}

static void op_readv(unsigned f)
{
    struct iovec iov[8];
    size_t offset = pick_offset(files[f].size + 1), length = pick_length(LENGTH_LIMIT);
    size_t expected = least(length, files[f].size - offset);
    begin("preadv", f, offset, length);
    must(preadv(files[f].fd, iov, pieces(iov, buffer, length), offset), expected, "preadv");
    compare(f, buffer, offset, expected);
}

static void op_direct_write(unsigned f)
{
    size_t offset, length, shift = direct_unit == 1 ? below(PAGE) : 0;
    pick_write(f, &offset, &length);
    offset = offset / direct_unit * direct_unit;
    length = (length + direct_unit - 1) / direct_unit * direct_unit;
    length = least(length, FILE_LIMIT - offset);
    begin("direct write", f, offset, length);
    fill(files[f].want + offset, f, offset, length);
    memcpy(buffer + shift, files[f].want + offset, length);
    must(pwrite(files[f].direct, buffer + shift, length, offset), length, "pwrite");
    grow(f, offset, length);
}

static void op_direct_read(unsigned f)
{
    size_t offset = pick_offset(files[f].size + 1) / direct_unit * direct_unit;
    size_t length = (pick_length(LENGTH_LIMIT) + direct_unit - 1) / direct_unit * direct_unit;
    size_t expected = least(length, files[f].size - offset), shift = direct_unit == 1 ? below(PAGE) : 0;
    begin("direct read", f, offset, length);
    must(pread(files[f].direct, buffer + shift, length, offset), expected, "pread");
    compare(f, buffer + shift, offset, expected);
}

/* Maps the pages of a range that lies inside the file. */
static unsigned char *map(unsigned f, size_t offset, size_t length, int protection)
{
    size_t skip = offset % PAGE;
    void *at = mmap(NULL, length + skip, protection, MAP_SHARED, files[f].fd, offset - skip);
    if (at == MAP_FAILED)
        report("mmap: %s", strerror(errno));
    return at;
}

static void op_map_read(unsigned f)
{
    size_t offset, length;
    unsigned char *at;
    if (files[f].size == 0)
        return;
    offset = pick_offset(files[f].size);
    length = pick_length(files[f].size - offset);
    begin("mapped read", f, offset, length);
    at = map(f, offset, length, PROT_READ);
    compare(f, at + offset % PAGE, offset, length);
    must(munmap(at, length + offset % PAGE), 0, "munmap");
}

static void op_map_write(unsigned f)
{
    size_t offset, length;
    unsigned char *at;
    if (files[f].size == 0)
        return;
    offset = pick_offset(files[f].size);
    length = pick_length(files[f].size - offset);
    begin("mapped write", f, offset, length);
    fill(files[f].want + offset, f, offset, length);
    at = map(f, offset, length, PROT_READ | PROT_WRITE);
    memcpy(at + offset % PAGE, files[f].want + offset, length);
    if (!one_in(3))
        must(msync(at, length + offset % PAGE, MS_SYNC), 0, "msync");
    must(munmap(at, length + offset % PAGE), 0, "munmap");
    grow(f, offset, length);
}

static void op_truncate(unsigned f)
{
    size_t size = one_in(8) ? 0 : pick_offset(least(files[f].size + 524288, FILE_LIMIT));
    begin("truncate", f, size, 0);
    must(ftruncate(files[f].fd, size), 0, "ftruncate");
    if (size < files[f].size)
        memset(files[f].want + size, 0, files[f].size - size);
    files[f].size = size;
}

static void op_sync(unsigned f)
{
    if (one_in(2)) {
        begin("fsync", f, 0, 0);
        must(fsync(files[f].fd), 0, "fsync");
    } else {
        begin("fdatasync", f, 0, 0);
        must(fdatasync(files[f].fd), 0, "fdatasync");
    }
}

static void open_file(unsigned f, int flags)
{
    files[f].fd = open(files[f].name, O_RDWR | flags, 0644);
    must(files[f].fd < 0 ? -1 : 0, 0, "open");
    files[f].direct = open(files[f].name, O_RDWR | O_DIRECT);
    must(files[f].direct < 0 ? -1 : 0, 0, "open with O_DIRECT");
}

static void close_file(unsigned f)
{
    must(close(files[f].fd), 0, "close");
    must(close(files[f].direct), 0, "close");
}

static void op_reopen(unsigned f)
{
    begin("reopen", f, 0, 0);
    close_file(f);
    open_file(f, 0);
}

static void drop_caches(void)
{
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);
    must(fd < 0 ? -1 : 0, 0, "open drop_caches");
    must(write(fd, "3", 1), 1, "write drop_caches");
    must(close(fd), 0, "close drop_caches");
}

static void check_size(unsigned f)
{
    struct stat by_fd, by_name;
    must(fstat(files[f].fd, &by_fd), 0, "fstat");
    must(stat(files[f].name, &by_name), 0, "stat");
    if ((size_t)by_fd.st_size != files[f].size || by_fd.st_size != by_name.st_size || by_fd.st_ino != by_name.st_ino)
        report("size is %lld, %lld by name, instead of %zu", (long long)by_fd.st_size, (long long)by_name.st_size,
               files[f].size);
}

static void op_stat(unsigned f)
{
    begin("stat", f, 0, 0);
    check_size(f);
}

static void read_whole(unsigned f)
{
    for (size_t offset = 0; offset <= files[f].size; offset += LENGTH_LIMIT) {
        size_t expected = least(LENGTH_LIMIT, files[f].size - offset);
        must(pread(files[f].fd, buffer, LENGTH_LIMIT, offset), expected, "pread");
        compare(f, buffer, offset, expected);
    }
    check_size(f);
}

/* Everything goes to the server, the page cache is emptied, and the whole file is read back. */
static void op_verify(unsigned f)
{
    begin("verify", f, 0, files[f].size);
    must(fsync(files[f].fd), 0, "fsync");
    drop_caches();
    read_whole(f);
}

static void op_drop(unsigned f)
{
    begin("drop caches", f, 0, 0);
    if (one_in(2))
        must(fsync(files[f].fd), 0, "fsync");
    drop_caches();
}

/* Two files change names; which one is meant goes along with the descriptor. */
static void op_rename(unsigned f)
{
    unsigned g = below(file_count);
    char spare[48], name[32];
    if (f == g)
        return;
    begin("rename", f, g, 0);
    snprintf(spare, sizeof spare, "%s-spare", files[f].name);
    must(rename(files[f].name, spare), 0, "rename");
    must(rename(files[g].name, files[f].name), 0, "rename");
    must(rename(spare, files[g].name), 0, "rename");
    memcpy(name, files[f].name, sizeof name);
    memcpy(files[f].name, files[g].name, sizeof name);
    memcpy(files[g].name, name, sizeof name);
}

/* The file is deleted while open, must still be readable, and starts again empty. */
static void op_replace(unsigned f)
{
    begin("replace", f, 0, 0);
    must(unlink(files[f].name), 0, "unlink");
    if (files[f].size > 0) {
        size_t n = least(files[f].size, 65536);
        must(pread(files[f].fd, buffer, n, 0), n, "pread of a deleted file");
        compare(f, buffer, 0, n);
    }
    close_file(f);
    memset(files[f].want, 0, files[f].size);
    files[f].size = 0;
    open_file(f, O_CREAT | O_EXCL);
}

static struct {
    const char *name;
    void (*run)(unsigned file);
    unsigned weight;
    uint64_t count;
} operations[] = {
    {"pwrite", op_write, 24, 0},           {"pread", op_read, 24, 0},
    {"append", op_append, 4, 0},           {"pwritev", op_writev, 6, 0},
    {"preadv", op_readv, 6, 0},            {"direct write", op_direct_write, 8, 0},
    {"direct read", op_direct_read, 10, 0}, {"mapped write", op_map_write, 4, 0},
    {"mapped read", op_map_read, 4, 0},    {"truncate", op_truncate, 5, 0},
    {"sync", op_sync, 3, 0},               {"reopen", op_reopen, 3, 0},
    {"stat", op_stat, 4, 0},               {"verify", op_verify, 3, 0},
    {"drop caches", op_drop, 3, 0},        {"rename", op_rename, 1, 0},
    {"replace", op_replace, 1, 0},
};
enum { KINDS = sizeof operations / sizeof *operations };

/* ---- a worker ---- */

static time_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* NFS takes direct I/O at any offset and length; disk file systems do not. */
static void find_direct_unit(void)
{
    begin("probe", 0, 1, 3);
    if (pwrite(files[0].direct, "abc", 3, 1) == 3)
        direct_unit = 1;
    must(ftruncate(files[0].fd, 0), 0, "ftruncate");
}

static void write_expected(int directory)
{
    for (unsigned f = 0; f < file_count; f++) {
        int fd;
        begin("write expected contents", f, 0, files[f].size);
        fd = openat(directory, files[f].name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        must(fd < 0 ? -1 : 0, 0, "open");
        must(write(fd, files[f].want, files[f].size), files[f].size, "write");
        must(close(fd), 0, "close");
    }
}

static void print_totals(time_t took)
{
    printf("random-io: seed %" PRIu64 " worker %u: %" PRIu64 " operations in %lld s, ", seed, worker, op_number,
           (long long)took);
    printf("%.1f MB written, %.1f MB compared:", bytes_written / 1e6, bytes_read / 1e6);
    for (unsigned k = 0; k < KINDS; k++)
        printf(" %s %" PRIu64 "%s", operations[k].name, operations[k].count, k + 1 < KINDS ? "," : "\n");
    fflush(stdout);
}

static void work(unsigned seconds, int expected)
{
    unsigned total = 0;
    time_t start = now();
    random_state = mix(seed * MAX_WORKERS + worker);
    if (posix_memalign((void **)&buffer, PAGE, LENGTH_LIMIT + 2 * PAGE) != 0)
        report("no memory");
    for (unsigned k = 0; k < KINDS; k++)
        total += operations[k].weight;
    for (unsigned f = 0; f < file_count; f++) {
        snprintf(files[f].name, sizeof files[f].name, "w%u-f%u", worker, f);
        files[f].want = calloc(1, FILE_LIMIT + PAGE);
        if (files[f].want == NULL)
            report("no memory");
        begin("create", f, 0, 0);
        open_file(f, O_CREAT | O_EXCL);
    }
    find_direct_unit();
    while (now() - start < (time_t)seconds) {
        unsigned k = 0;
        for (unsigned ticket = below(total); ticket >= operations[k].weight; k++)
            ticket -= operations[k].weight;
        operations[k].count++;
        operations[k].run(below(file_count));
    }
    for (unsigned f = 0; f < file_count; f++) {
        op_verify(f);
        close_file(f);
    }
    if (expected >= 0)
        write_expected(expected);
    print_totals(now() - start);
}

/* ---- the parent ---- */

/* Waits for the workers; returns whether all were well. A worker that stands still is reported, not waited for. */
static bool supervise(pid_t *workers, unsigned count, struct progress *all)
{
    uint64_t seen[MAX_WORKERS] = {0};
    time_t since[MAX_WORKERS];
    unsigned running = count;
    for (unsigned w = 0; w < count; w++)
        since[w] = now();
    while (running > 0) {
        int status;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            running--;
            for (unsigned w = 0; w < count; w++)
                if (workers[w] == ended)
                    workers[w] = 0;
            if (WIFSIGNALED(status))
                printf("random-io: FAILED: a worker was ended by signal %d\n", WTERMSIG(status));
            if (status != 0)
                return false;
            continue;
        }
        for (unsigned w = 0; w < count; w++) {
            uint64_t number = all[w].number;
            if (workers[w] == 0 || number != seen[w]) {
                seen[w] = number;
                since[w] = now();
            } else if (now() - since[w] > HANG_S) {
                printf("random-io: FAILED: seed %" PRIu64 " worker %u hangs for %d s in operation %" PRIu64 ", %s\n",
                       seed, w, HANG_S, number, all[w].kind);
                return false;
            }
        }
        usleep(50000);
    }
    return true;
}

static int usage(void)
{
    fprintf(stderr, "usage: random-io [-j WORKERS] [-f FILES] [-o DIRECTORY] DIRECTORY SECONDS SEED\n");
    return 2;
}

int main(int argc, char **argv)
{
    pid_t workers[MAX_WORKERS];
    unsigned count = 1, seconds;
    int expected = -1; /* the directory of -o */
    struct progress *all;
    int option;
    bool well;
    while ((option = getopt(argc, argv, "j:f:o:")) != -1) {
        if (option == 'j')
            count = strtoul(optarg, NULL, 10);
        else if (option == 'f')
            file_count = strtoul(optarg, NULL, 10);
        else if (option != 'o')
            return usage();
        else if ((expected = open(optarg, O_RDONLY | O_DIRECTORY)) < 0) {
            perror(optarg);
            return 2;
        }
    }
    if (argc - optind != 3 || count < 1 || count > MAX_WORKERS || file_count < 1 || file_count > MAX_FILES)
        return usage();
    seconds = strtoul(argv[optind + 1], NULL, 10);
    seed = strtoull(argv[optind + 2], NULL, 10);
    if (chdir(argv[optind]) != 0) {
        perror(argv[optind]);
        return 2;
    }
    all = mmap(NULL, sizeof *all * MAX_WORKERS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    printf("random-io: seed %" PRIu64 ", %u workers with %u files each, %u s\n", seed, count, file_count, seconds);
    fflush(stdout);
    for (worker = 0; worker < count; worker++) {
        progress = &all[worker];
        workers[worker] = fork();
        if (workers[worker] < 0) {
            perror("fork");
            return 2;
        }
        if (workers[worker] == 0) {
            work(seconds, expected);
            _exit(0);
        }
    }
    well = supervise(workers, count, all);
    for (unsigned w = 0; w < count; w++)
        if (workers[w] != 0)
            kill(workers[w], SIGKILL);
    return well ? 0 : 1;
}
