/* reader.c - see reader.h. Every size in the file is checked before it is used. */
#include "trace/reader.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct trace_reader {
    trace_reader_window_t window; /* which of the records' bytes are in `buffer` */
    trace_segment_header_t header;
    uint64_t end; /* bytes of records that the header counts and the file really has */
    uint64_t cut;
    bool done;
    int fd;
    _Alignas(8) char buffer[TRACE_WINDOW_BYTES];
};

const uint16_t trace_least_bytes[TRACE_TYPE_COUNT] = {
#define X(name, number, type) [number] = sizeof(type),
    TRACE_TYPES(X)
#undef X
};

static const uint8_t text_count[TRACE_TYPE_COUNT] = {
    [TRACE_INFO] = 2,          [TRACE_KIND] = 1,          [TRACE_OPERATION] = 1,
    [TRACE_AGENT] = 4,         [TRACE_CODE_OBJECT] = 1,   [TRACE_KERNEL] = 1,
    [TRACE_HOST_FUNCTION] = 1, [TRACE_TEXT] = 1,          [TRACE_COUNTER] = 4,
    [TRACE_THREAD] = 1,        [TRACE_CALLBACK_KIND] = 1, [TRACE_CALLBACK_OPERATION] = 1,
    [TRACE_DIMENSION] = 1,
};

/* The writer stores a header's magic after the rest of the header, and before the first record. */
bool trace_segment_begun(const char *path)
{
    static const char none[sizeof(TRACE_MAGIC) - 1];
    char magic[sizeof(none)] = "";
    struct stat st;
    int fd = base_file_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0) return true; /* trace_reader_open() will report why the file cannot be opened */
    bool small = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= TRACE_HEADER_BYTES;
    bool empty =
        small && pread(fd, magic, sizeof(magic), 0) >= 0 && memcmp(magic, none, sizeof(none)) == 0;
    close(fd);
    return !empty;
}

trace_reader_t *trace_reader_open(const char *path, char *why, size_t why_bytes)
{
    /* do not follow a symbolic link that another user has put here, and do not block on a named
     * pipe */
    int fd = base_file_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0) {
        snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
        return NULL;
    }
    return trace_reader_open_fd(fd, path, why, why_bytes);
}

static const char *bad_header(const trace_segment_header_t *h)
{
    if (memcmp(h->magic, TRACE_MAGIC, sizeof(h->magic)) != 0) return "not a trace segment";
    if (h->version != TRACE_VERSION) return "a trace segment of another version";
    if (h->header_bytes != TRACE_HEADER_BYTES || h->window_bytes != TRACE_WINDOW_BYTES)
        return "a trace segment with unknown sizes";
    return NULL;
}

trace_reader_t *trace_reader_open_fd(int fd, const char *name, char *why, size_t why_bytes)
{
    struct stat st;
    const char *bad = NULL;
    trace_reader_t *r = malloc(sizeof(*r));
    if (!r) {
        bad = strerror(ENOMEM);
        goto fail;
    }
    memset(r, 0, offsetof(trace_reader_t, buffer)); /* no byte of the buffer is used before fill()
                                                     * has written it */
    ssize_t n = pread(fd, &r->header, sizeof(r->header), 0);
    if (n != (ssize_t)sizeof(r->header) || fstat(fd, &st) != 0) {
        bad = n < 0 ? strerror(errno) : "too short for a trace segment";
        goto fail;
    }
    bad = bad_header(&r->header);
    if (bad) goto fail;
    uint64_t committed = r->header.committed;
    uint64_t size = (uint64_t)st.st_size;
    uint64_t held = size > TRACE_HEADER_BYTES ? size - TRACE_HEADER_BYTES : 0;
    r->end = committed < held ? committed : held;
    r->cut = committed - r->end;
    r->fd = fd;
    r->window.buffer = r->buffer;
    return r;
fail:
    snprintf(why, why_bytes, "%s: %s", name, bad);
    close(fd);
    free(r);
    return NULL;
}

const trace_segment_header_t *trace_reader_header(const trace_reader_t *r)
{
    return &r->header;
}

uint64_t trace_reader_part(trace_reader_t *r, uint64_t part, uint64_t parts)
{
    uint64_t windows = (r->end + TRACE_WINDOW_BYTES - 1) / TRACE_WINDOW_BYTES;
    uint64_t end = windows * (part + 1) / parts * TRACE_WINDOW_BYTES;
    r->window.at = windows * part / parts * TRACE_WINDOW_BYTES;
    if (part + 1 < parts) {
        r->end = end;
        r->cut = 0;
    }
    return r->end > r->window.at ? r->end - r->window.at : 0;
}

/* Reads the window at r->window into the buffer. Returns false at the end of the records. */
static bool fill(trace_reader_t *r)
{
    if (r->window.at >= r->end) return false;
    uint64_t left = r->end - r->window.at;
    size_t want = left < TRACE_WINDOW_BYTES ? (size_t)left : TRACE_WINDOW_BYTES;
    r->window.have = r->window.used = 0;
    while (r->window.have < want) {
        ssize_t n = pread(r->fd, r->buffer + r->window.have, want - r->window.have,
                          (off_t)(TRACE_HEADER_BYTES + r->window.at + r->window.have));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        r->window.have += (size_t)n;
    }
    return r->window.have > 0;
}

static bool texts_end(const char *record, size_t fixed, size_t bytes, unsigned count)
{
    const char *at = record + fixed, *end = record + bytes;
    for (unsigned i = 0; i < count; i++) {
        const char *zero = memchr(at, 0, (size_t)(end - at));
        if (!zero) return false;
        at = zero + 1;
    }
    return true;
}

static size_t fixed_bytes(const trace_head_t *record)
{
    uint32_t type = trace_type(*record);
    if (type == TRACE_AGENT) return ((const trace_agent_t *)record)->text_offset;
    return trace_least_bytes[type];
}

static bool sound(const trace_head_t *record, size_t bytes)
{
    uint32_t type = trace_type(*record);
    if (!trace_least_bytes[type]) return true;
    if (bytes < trace_least_bytes[type]) return false;
    if (type == TRACE_AGENT) {
        const trace_agent_t *a = (const trace_agent_t *)record;
        uint64_t values_end = sizeof(*a) + (uint64_t)a->fields * 8;
        if (a->text_offset < values_end || a->text_offset > bytes) return false;
    }
    if (type == TRACE_SIGNATURE) {
        uint64_t count = ((const trace_signature_t *)record)->count;
        return count <= bytes &&
               texts_end((const char *)record, trace_least_bytes[type], bytes, 2 * (unsigned)count);
    }
    if (type == TRACE_INSTANCES || type == TRACE_AGENT_PARTS || type == TRACE_INSTRUCTIONS ||
        type == TRACE_COUNTED_KERNELS) {
        const trace_table_t *t = (const trace_table_t *)record;
        uint64_t room = (bytes - sizeof(*t)) / 8;
        if (!t->columns || t->rows > room || t->columns > room || t->rows * t->columns > room)
            return false;
    }
    if (!trace_values_fit(record, bytes)) return false;
    return !text_count[type] ||
           texts_end((const char *)record, fixed_bytes(record), bytes, text_count[type]);
}

/* Ends the reading: everything from the current record on counts as cut. */
static const trace_head_t *give_up(trace_reader_t *r)
{
    r->cut += r->end - r->window.at - r->window.used;
    r->done = true;
    return NULL;
}

const trace_head_t *trace_reader_next(trace_reader_t *r)
{
    while (!r->done) {
        if (r->window.used + sizeof(trace_head_t) > r->window.have) {
            if (r->window.have && r->window.have < TRACE_WINDOW_BYTES &&
                r->window.at + r->window.used < r->end)
                return give_up(r);
            if (r->window.have) r->window.at += TRACE_WINDOW_BYTES;
            r->window.have = r->window.used = 0;
            if (!fill(r)) return r->window.at < r->end ? give_up(r) : (r->done = true, NULL);
            continue;
        }
        const trace_head_t *record = (const trace_head_t *)(r->buffer + r->window.used);
        size_t bytes = trace_words(*record) * 8u;
        if (trace_type(*record) == TRACE_PAD) {
            if (bytes != sizeof(*record)) return give_up(r);
            r->window.used = r->window.have;
            continue;
        }
        if (bytes < sizeof(*record) || bytes > r->window.have - r->window.used ||
            !sound(record, bytes))
            return give_up(r);
        r->window.last = r->window.used;
        r->window.used += bytes;
        if (trace_least_bytes[trace_type(*record)]) return record;
    }
    return NULL;
}

const trace_head_t *trace_reader_next_shape(trace_reader_t *r)
{
    trace_reader_window_t *w = &r->window;
    const trace_head_t *record = (const trace_head_t *)(w->buffer + w->used);
    const size_t left = w->have - w->used;
    const bool timed = left >= sizeof(*record) && trace_type(*record) >= TRACE_API &&
                       trace_least_bytes[trace_type(*record)] >= sizeof(trace_timed_t);
    const size_t bytes = timed ? trace_sound_size(&w->timed, record, left) : 0;
    if (!bytes) return trace_reader_next(r);
    w->last = w->used;
    w->used += bytes;
    return record;
}

uint64_t trace_reader_cut(const trace_reader_t *r)
{
    return r->cut;
}

uint64_t trace_reader_place(const trace_reader_t *r)
{
    const uint64_t at = r->window.at + r->window.used;
    return at < r->end ? at : r->end;
}

void trace_reader_from(trace_reader_t *r, uint64_t place)
{
    const size_t within = place % TRACE_WINDOW_BYTES;
    r->window.at = place - within;
    /* the file ends here, or has become shorter since */
    if (place >= r->end || (within && (!fill(r) || r->window.have < within))) r->done = true;
    r->window.used = within;
}

void trace_reader_close(trace_reader_t *r)
{
    if (!r) return;
    close(r->fd);
    free(r);
}

const char *trace_record_text(const trace_head_t *record, unsigned index)
{
    uint32_t type = trace_type(*record);
    uint64_t count = text_count[type];
    if (type == TRACE_SIGNATURE) count = 2 * ((const trace_signature_t *)record)->count;
    if (index >= count) return "";
    const char *at = (const char *)record + fixed_bytes(record);
    while (index--)
        at += strlen(at) + 1;
    return at;
}
