/* writer.c - see writer.h.
 *
 * Blocks of the file are allocated before they are mapped, so that a full disk is an error here and
 * never a SIGBUS in the program. Pages are filled and mapped many at a time before records come to
 * them, since a page fault for each page would cost more than all other work of recording. Only
 * this file writes segments; format.h says what the bytes mean. */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "trace/process.h"

enum { PAGE_BYTES = 4096, FIRST_PAGES_BYTES = 2 * PAGE_BYTES, RETRY_NS = 10000000 };

struct trace_writer {
    trace_place_t at; /* must be the first member, see writer.h */
    char *window;     /* NULL before the first record and after a failure to map the next window */
    uint64_t offset;  /* offset of the window in the file */
    bool moving;      /* set while move_on() runs: a record that a signal handler makes meanwhile is
                       * dropped */
    /* On a full disk the kernel takes a tenth of a millisecond to refuse a window. The program must
     * not pay that for each record: for RETRY_NS after a failure, the answer is the same error. */
    uint64_t failed_ns;
    int error; /* the failure since the last window, or 0 */
    /* The program may close any descriptor: before `fd` is used, its file is compared with `file`.
     */
    int fd;
    bool lent;    /* the file is opened for each window, and no descriptor is kept */
    char *memory; /* the window if it is not mapped (trace_writer_gather()), or NULL */
    base_file_id_t file;
    char path[];
};

/* Allocates the blocks of a range of the file. On file systems without fallocate() it writes
 * zeros. */
static int allocate(int fd, uint64_t offset, size_t bytes)
{
    static const char zeros[4096];
    if (fallocate(fd, 0, (off_t)offset, (off_t)bytes) == 0) return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    for (size_t done = 0; done < bytes; done += sizeof(zeros)) {
        ssize_t n = pwrite(fd, zeros, sizeof(zeros), (off_t)(offset + done));
        if (n != (ssize_t)sizeof(zeros)) return n < 0 ? errno : ENOSPC;
    }
    return 0;
}

/* Returns the segment's descriptor, opened again if the program has closed it; -1 with errno. */
static int descriptor(trace_writer_t *w)
{
    if (base_file_is(w->fd, w->file)) return w->fd;
    w->fd = base_file_open(w->path, O_RDWR | O_NOFOLLOW, 0);
    if (w->fd < 0 || base_file_is(w->fd, w->file)) return w->fd;
    close(w->fd);
    w->fd = -1;
    errno = ESTALE;
    return -1;
}

static void close_descriptor(trace_writer_t *w)
{
    if (base_file_is(w->fd, w->file)) close(w->fd);
    w->fd = -1;
}

void trace_writer_lend(trace_writer_t *w)
{
    w->lent = true;
    close_descriptor(w);
}

/* Extends the file. If RLIMIT_FSIZE forbids that, the result is an error, and the program gets no
 * signal. */
static int reserve(int fd, uint64_t offset, size_t bytes)
{
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    int error = allocate(fd, offset, bytes);
    base_file_limit_end(&limit);
    return error;
}

static void *map_range(int fd, uint64_t offset, size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    return at == MAP_FAILED ? NULL : at;
}

trace_writer_t *trace_writer_open(const char *directory, const char *name, uint32_t contents,
                                  uint32_t segment, char *why, size_t why_bytes)
{
    int error = 0;
    size_t bytes = strlen(directory) + strlen(name) + 2;
    trace_writer_t *w = calloc(1, sizeof(*w) + bytes);
    if (!w) {
        error = ENOMEM;
        goto fail;
    }
    snprintf(w->path, bytes, "%s/%s", directory, name);
    w->fd = base_file_open(w->path, O_RDWR | O_CREAT | O_EXCL, 0666);
    if (w->fd < 0) {
        error = errno;
        goto fail;
    }
    w->file = base_file_id(w->fd);
    error = reserve(w->fd, 0, TRACE_HEADER_BYTES);
    if (error) goto fail;
    w->at.header = map_range(w->fd, 0, TRACE_HEADER_BYTES);
    if (!w->at.header) {
        error = errno;
        goto fail;
    }
    trace_segment_header_t *h = w->at.header;
    h->version = TRACE_VERSION;
    h->header_bytes = TRACE_HEADER_BYTES;
    h->window_bytes = TRACE_WINDOW_BYTES;
    h->contents = contents;
    h->pid = (uint32_t)getpid();
    h->segment = segment;
    h->boottime_ns = base_clock_ns(CLOCK_BOOTTIME);
    h->monotonic_ns = h->boottime_ns + base_clock_difference(CLOCK_BOOTTIME, CLOCK_MONOTONIC, NULL);
    h->realtime_ns = h->boottime_ns + base_clock_difference(CLOCK_BOOTTIME, CLOCK_REALTIME, NULL);
    if (trace_process_start(getpid(), &h->process_start) != 0) h->process_start = 0;
    __atomic_signal_fence(__ATOMIC_RELEASE); /* a header with the magic is complete, whenever the
                                              * process is killed */
    memcpy(h->magic, TRACE_MAGIC, sizeof(h->magic));
    return w;
fail:
    snprintf(why, why_bytes, "%s/%s: %s", directory, name, strerror(error));
    if (w) {
        if (w->fd >= 0) {
            close(w->fd);
            unlink(w->path);
        }
        free(w);
    }
    return NULL;
}

void trace_writer_lose(trace_writer_t *w, const char *what, int error)
{
    trace_segment_header_t *h = w->at.header;
    if (!h->failure[0])
        snprintf(h->failure, sizeof(h->failure), "%s after %llu bytes: %s", what,
                 (unsigned long long)h->committed, strerror(error));
    h->counts.dropped++;
}

static bool refuse(trace_writer_t *w, const char *what, int error)
{
    trace_writer_lose(w, what, error);
    return false;
}

void trace_writer_gather(trace_writer_t *w)
{
    if (!w->window && !w->memory) w->memory = malloc(TRACE_WINDOW_BYTES);
}

/* Writes `bytes` bytes of a window that is in memory to the file. Returns 0, or an error number. */
static int write_window(trace_writer_t *w, size_t bytes)
{
    const int fd = descriptor(w);
    if (fd < 0) return errno;
    for (size_t done = 0; done < bytes;) {
        const ssize_t n = pwrite(fd, w->window + done, bytes - done, (off_t)(w->offset + done));
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) done += (size_t)n;
    }
    return 0;
}

static void leave_window(trace_writer_t *w)
{
    if (!w->window) return;
    if (!w->memory) munmap(w->window, TRACE_WINDOW_BYTES);
    w->window = w->at.next = w->at.end = NULL;
}

bool trace_writer_flush(trace_writer_t *w)
{
    base_file_limit_t limit;
    if (!w->memory || !w->window) return true;
    base_file_limit_begin(&limit, false);
    const int error = write_window(w, (size_t)(w->at.next - w->window));
    base_file_limit_end(&limit);
    leave_window(w);
    return !error || refuse(w, "no room", error);
}

static size_t left_in_window(const trace_writer_t *w)
{
    return w->window ? (size_t)(w->window + TRACE_WINDOW_BYTES - w->at.next) : 0;
}

/* Maps this range of the file as the window. Returns 0, or an error number. */
static int map_window(trace_writer_t *w, uint64_t offset)
{
    const int fd = descriptor(w);
    const int error = fd < 0 ? errno : allocate(fd, offset, TRACE_WINDOW_BYTES);
    if (error) return error;
    w->window = map_range(fd, offset, TRACE_WINDOW_BYTES);
    return w->window ? 0 : errno;
}

/* Fills the rest of the window with a PAD and maps the next window. After a failure there is no
 * window; a later record tries again, since space may have become free. */
static int next_window(trace_writer_t *w)
{
    uint64_t next = TRACE_HEADER_BYTES;
    size_t unused = left_in_window(w);
    if (w->offset) {
        next = w->offset + TRACE_WINDOW_BYTES;
        if (unused) {
            trace_head_t pad = trace_head(TRACE_PAD, 0, 0, 0, sizeof(pad));
            memcpy(w->at.next, &pad, sizeof(pad));
            unused -= sizeof(pad);
        }
    }
    int error = w->memory && w->window ? write_window(w, TRACE_WINDOW_BYTES - unused) : 0;
    leave_window(w);
    if (!w->memory)
        error = map_window(w, next);
    else if (!error)
        w->window = w->memory;
    w->error = error;
    if (error) w->failed_ns = base_clock_ns(CLOCK_MONOTONIC_COARSE);
    if (error) return error;
    w->offset = next;
    __atomic_store_n(&w->at.header->committed, next - TRACE_HEADER_BYTES, __ATOMIC_RELEASE);
    w->at.next = w->at.end = w->window;
    if (w->memory) w->at.end += TRACE_WINDOW_BYTES;
    return 0;
}

/* Brings the next pages of the window into memory and maps them: at least `bytes`, and as much as
 * the segment holds already, so that a thread with few records takes few pages. Writing zeros lets
 * the file system use larger pages. If anything fails here, page faults do it later. */
static void make_ready(trace_writer_t *w, size_t bytes)
{
    static const char zeros[64 << 10];
    size_t most = (size_t)(w->window + TRACE_WINDOW_BYTES - w->at.end);
    size_t want = w->at.header->committed + bytes;
    if (want < FIRST_PAGES_BYTES) want = FIRST_PAGES_BYTES;
    want = (want + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (want > most) want = most;
    off_t offset = (off_t)w->offset + (w->at.end - w->window);
    int fd = descriptor(w);
    for (size_t done = 0, some; fd >= 0 && done < want; done += some) {
        some = want - done < sizeof(zeros) ? want - done : sizeof(zeros);
        if (pwrite(fd, zeros, some, offset + (off_t)done) != (ssize_t)some) break;
    }
    madvise(w->at.end, want, MADV_POPULATE_WRITE);
    w->at.end += want;
}

/* Makes room for a record of `bytes` bytes. Returns 0, or an error number. It preserves errno,
 * since the program may read errno after a call that was traced. */
static int move_on(trace_writer_t *w, size_t bytes)
{
    base_file_limit_t limit;
    int kept = errno;
    if (w->moving) return EBUSY;
    if (w->error && base_clock_ns(CLOCK_MONOTONIC_COARSE) - w->failed_ns < RETRY_NS)
        return w->error;
    w->moving = true;
    base_file_limit_begin(&limit, false);
    int error = left_in_window(w) < bytes ? next_window(w) : 0;
    if (!error && !w->memory) make_ready(w, bytes);
    base_file_limit_end(&limit);
    if (w->lent) close_descriptor(w);
    w->moving = false;
    errno = kept;
    return error;
}

/* Returns room for `bytes` bytes in the window, or NULL after noting the failure. */
static char *room(trace_writer_t *w, size_t bytes)
{
    if (bytes > TRACE_WORDS_MAX * 8u || bytes < sizeof(trace_head_t)) {
        refuse(w, "record size", EMSGSIZE);
        return NULL;
    }
    if ((size_t)(w->at.end - w->at.next) < bytes) {
        int error = move_on(w, bytes);
        if (error) {
            refuse(w, "no room", error);
            return NULL;
        }
    }
    return w->at.next;
}

bool trace_writer_put(trace_writer_t *w, const void *record)
{
    trace_head_t head;
    memcpy(&head, record, sizeof(head));
    size_t bytes = trace_words(head) * 8u;
    char *at = room(w, bytes);
    if (!at) return false;
    memcpy(at, record, bytes);
    trace_writer_written(w, bytes);
    return true;
}

void *trace_writer_move_on(trace_writer_t *w, size_t bytes)
{
    return move_on(w, bytes) == 0 ? w->at.next : NULL;
}

bool trace_writer_put_parts(trace_writer_t *w, const void *fixed, size_t fixed_bytes,
                            const void *rest, size_t rest_bytes)
{
    char *at = room(w, fixed_bytes + rest_bytes);
    if (!at) return false;
    memcpy(at, fixed, fixed_bytes);
    if (rest_bytes) memcpy(at + fixed_bytes, rest, rest_bytes);
    trace_writer_written(w, fixed_bytes + rest_bytes);
    return true;
}

size_t trace_text_fit(char *to, size_t room, const char *text, uint64_t *cut)
{
    static const char mark[] = TRACE_CUT;
    size_t bytes = (text ? strnlen(text, room) : 0) + 1;
    if (bytes > room && room < sizeof(mark)) return 0;
    if (bytes <= room) {
        if (to) memcpy(to, text ? text : "", bytes);
        return bytes;
    }
    ++*cut;
    if (to) memcpy(mempcpy(to, text, room - sizeof(mark)), mark, sizeof(mark));
    return room;
}

/* Puts texts behind the first `before` bytes of a record, cut where they do not fit; if `to` is
 * NULL, it only computes their size. Returns the size of the texts in bytes. If a record has not
 * even room for a cut mark for each text, the result is larger than any record. */
static size_t fit_texts(char *to, size_t before, const char *const *texts, size_t count,
                        uint64_t *cut)
{
    enum { MARK_BYTES = sizeof(TRACE_CUT) };
    size_t most = TRACE_WORDS_MAX * 8u - before, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        size_t others = (count - i - 1) * MARK_BYTES;
        if (bytes + others + MARK_BYTES > most) return most + 1;
        bytes += trace_text_fit(to ? to + bytes : NULL, most - others - bytes, texts[i], cut);
    }
    return bytes;
}

bool trace_writer_put_texts(trace_writer_t *w, const void *fixed, size_t fixed_bytes,
                            const char *const *texts, size_t count)
{
    uint64_t cut = 0, measured = 0;
    size_t bytes = fixed_bytes + fit_texts(NULL, fixed_bytes, texts, count, &measured);
    size_t rounded = (bytes + 7) / 8 * 8;
    char *at = room(w, rounded);
    if (!at) return false;
    memcpy(at, fixed, fixed_bytes);
    trace_head_t head;
    memcpy(&head, fixed, sizeof(head));
    head &= ~((uint64_t)TRACE_WORDS_MAX << TRACE_WORDS_POS);
    head |= (uint64_t)(rounded / 8) << TRACE_WORDS_POS;
    memcpy(at, &head, sizeof(head));
    fit_texts(at + fixed_bytes, fixed_bytes, texts, count, &cut);
    memset(at + bytes, 0, rounded - bytes);
    trace_writer_cut(w, cut);
    trace_writer_written(w, rounded);
    return true;
}

void trace_writer_cut(trace_writer_t *w, uint64_t texts)
{
    w->at.header->cut_texts += texts;
}

void trace_writer_count(trace_writer_t *w, uint64_t received, uint64_t dropped, uint64_t filtered)
{
    trace_counts_t *c = &w->at.header->counts;
    c->received += received;
    c->dropped += dropped;
    c->filtered += filtered;
}

trace_counts_t trace_writer_counts(const trace_writer_t *w)
{
    return w->at.header->counts;
}

const char *trace_writer_failure(const trace_writer_t *w)
{
    return w->at.header->failure[0] ? w->at.header->failure : NULL;
}

void trace_writer_end(trace_writer_t *w)
{
    w->at.header->closed_ns = base_clock_ns(CLOCK_BOOTTIME);
}

void trace_writer_close(trace_writer_t *w)
{
    if (!w) return;
    trace_writer_flush(w);
    leave_window(w);
    uint64_t bytes = TRACE_HEADER_BYTES + w->at.header->committed;
    trace_writer_end(w);
    munmap(w->at.header, TRACE_HEADER_BYTES);
    /* A file that is not cut wastes space only: readers stop at `committed`. */
    int ignored = descriptor(w) < 0 ? -1 : ftruncate(w->fd, (off_t)bytes);
    (void)ignored;
    close_descriptor(w);
    free(w->memory);
    free(w);
}

void trace_writer_forget(trace_writer_t *w)
{
    if (!w) return;
    leave_window(w);
    munmap(w->at.header, TRACE_HEADER_BYTES);
    close_descriptor(w);
    free(w->memory);
    free(w);
}
