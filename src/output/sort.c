/* sort.c - see sort.h. Knows of a record its size and its start, and no more. */
#include "output/sort.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUN_BUFFER_BYTES = TRACE_WORDS_MAX * 8 + 8 }; /* holds any record */

typedef struct {
    uint64_t start;
    uint32_t offset; /* in words; also the order of arrival */
} entry_t;

typedef struct {
    uint64_t begin;     /* in the file */
    uint64_t next, end; /* bytes of the file not buffered yet */
    size_t have, used;
    char *buffer;
    unsigned number;
} run_t;

struct out_sorter {
    char directory[PATH_MAX];
    size_t memory;
    char *data;
    size_t data_used, data_room;
    entry_t *entries;
    size_t count, room, taken;
    int fd;
    uint64_t file_bytes;
    run_t *runs; /* a heap by start, then number, while merging; behind it those that have ended */
    unsigned run_count, run_total;
    bool reading, sorted;
    const char *error;
};

out_sorter_t *out_sorter_new(const char *directory, size_t memory)
{
    out_sorter_t *s = calloc(1, sizeof(*s));
    if (!s) return NULL;
    snprintf(s->directory, sizeof(s->directory), "%s", directory);
    s->memory = memory < RUN_BUFFER_BYTES ? RUN_BUFFER_BYTES : memory;
    s->fd = -1;
    return s;
}

static int by_start(const void *a, const void *b)
{
    const entry_t *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* By start; entries come in the order of arrival and keep it. Digits that all have in common, as
 * the first ones of times, cost nothing. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static bool in_order(const entry_t *entries, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (entries[i].start < entries[i - 1].start) return false;
    return true;
}

static void sort_by_digit(const entry_t *from, entry_t *to, size_t count, unsigned shift,
                          uint32_t places[DIGITS])
{
    uint32_t before = 0;
    memset(places, 0, DIGITS * sizeof(*places));
    for (size_t i = 0; i < count; i++)
        places[from[i].start >> shift & (DIGITS - 1)]++;
    for (unsigned i = 0; i < DIGITS; i++) {
        uint32_t some = places[i];
        places[i] = before;
        before += some;
    }
    for (size_t i = 0; i < count; i++)
        to[places[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
}

static void sort_entries(entry_t *entries, size_t count)
{
    uint32_t places[DIGITS];
    uint64_t differ = 0;
    if (in_order(entries, count)) return;
    entry_t *other = malloc(count * sizeof(*other)), *from = entries, *to = other;
    if (!other) {
        qsort(entries, count, sizeof(*entries), by_start);
        return;
    }
    for (size_t i = 1; i < count; i++)
        differ |= entries[i].start ^ entries[0].start;
    for (unsigned shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS) {
        if (!(differ >> shift & (DIGITS - 1))) continue;
        sort_by_digit(from, to, count, shift, places);
        entry_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != entries) memcpy(entries, from, count * sizeof(*entries));
    free(other);
}

static const trace_timed_t *record_of(const out_sorter_t *s, const entry_t *e)
{
    return (const trace_timed_t *)(s->data + (size_t)e->offset * 8);
}

static int open_temporary(const char *directory)
{
    int fd = base_file_open(directory, O_TMPFILE | O_RDWR, 0600);
    if (fd >= 0) return fd;
    char path[PATH_MAX + 16];
    snprintf(path, sizeof(path), "%s/.sort-XXXXXX", directory);
    fd = base_file_own(mkostemp(path, O_CLOEXEC));
    if (fd >= 0) unlink(path);
    return fd;
}

static int append(out_sorter_t *s, const char *data, size_t bytes)
{
    while (bytes) {
        ssize_t n = pwrite(s->fd, data, bytes, (off_t)s->file_bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return -1;
        s->file_bytes += (uint64_t)n;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Writes what is kept as one sorted run. */
static int spill(out_sorter_t *s)
{
    static const size_t BLOCK = 256 * 1024;
    int result = -1;
    char *block = malloc(BLOCK);
    run_t *runs = realloc(s->runs, (s->run_count + 1) * sizeof(*runs));
    if (runs) s->runs = runs;
    if (s->fd < 0) s->fd = open_temporary(s->directory);
    if (!block || !runs || s->fd < 0) goto out;
    run_t *run = &s->runs[s->run_count];
    *run = (run_t){.begin = s->file_bytes, .number = s->run_count};
    size_t used = 0;
    sort_entries(s->entries, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const trace_timed_t *r = record_of(s, &s->entries[i]);
        size_t bytes = trace_words(r->head) * 8u;
        if (used + bytes > BLOCK) {
            if (append(s, block, used) != 0) goto out;
            used = 0;
        }
        memcpy(block + used, r, bytes);
        used += bytes;
    }
    if (append(s, block, used) != 0) goto out;
    run->end = s->file_bytes;
    s->run_total = ++s->run_count;
    s->count = s->data_used = 0;
    result = 0;
out:
    free(block);
    return result;
}

/* Doubles a buffer until it holds `need`. */
static int grow(void **data, size_t *room, size_t need, size_t unit, size_t first)
{
    size_t to = *room ? *room : first;
    while (to < need)
        to *= 2;
    if (to == *room) return 0;
    void *grown = realloc(*data, to * unit);
    if (!grown) return -1;
    *data = grown;
    *room = to;
    return 0;
}

int out_sorter_add(out_sorter_t *s, const trace_timed_t *record, char *why, size_t why_bytes)
{
    size_t bytes = trace_words(record->head) * 8u;
    if (s->data_used + bytes > s->memory && s->count && spill(s) != 0) goto fail;
    if (grow((void **)&s->data, &s->data_room, s->data_used + bytes, 1, 65536) != 0) goto fail;
    if (grow((void **)&s->entries, &s->room, s->count + 1, sizeof(entry_t), 1024) != 0) goto fail;
    memcpy(s->data + s->data_used, record, bytes);
    s->entries[s->count++] = (entry_t){record->start, (uint32_t)(s->data_used / 8)};
    s->data_used += bytes;
    return 0;
fail:
    snprintf(why, why_bytes, "sorting records in %s: %s", s->directory, strerror(errno));
    return -1;
}

static const trace_timed_t *run_record(const run_t *r)
{
    return (const trace_timed_t *)(r->buffer + r->used);
}

/* Makes the run's next record whole in its buffer. False at its end. */
static bool run_fill(out_sorter_t *s, run_t *r)
{
    size_t left = r->have - r->used;
    bool whole = left >= sizeof(trace_timed_t) && trace_words(run_record(r)->head) * 8u <= left;
    if (whole) return true;
    if (!left && r->next == r->end) return false;
    memmove(r->buffer, r->buffer + r->used, left);
    r->used = 0;
    r->have = left;
    while (r->have < RUN_BUFFER_BYTES && r->next < r->end) {
        size_t want = RUN_BUFFER_BYTES - r->have;
        if (want > r->end - r->next) want = (size_t)(r->end - r->next);
        ssize_t n = pread(s->fd, r->buffer + r->have, want, (off_t)r->next);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            s->error = n < 0 ? strerror(errno) : "temporary file ends early";
            return false;
        }
        r->have += (size_t)n;
        r->next += (uint64_t)n;
    }
    return true;
}

static bool run_before(const run_t *a, const run_t *b)
{
    uint64_t x = run_record(a)->start, y = run_record(b)->start;
    return x != y ? x < y : a->number < b->number;
}

static void sift_down(out_sorter_t *s, unsigned at)
{
    for (;;) {
        unsigned least = at, left = 2 * at + 1, right = left + 1;
        if (left < s->run_count && run_before(&s->runs[left], &s->runs[least])) least = left;
        if (right < s->run_count && run_before(&s->runs[right], &s->runs[least])) least = right;
        if (least == at) return;
        run_t swap = s->runs[at];
        s->runs[at] = s->runs[least];
        s->runs[least] = swap;
        at = least;
    }
}

static void start_reading(out_sorter_t *s)
{
    s->reading = true;
    s->taken = 0;
    if (!s->run_total) {
        if (s->count && !s->sorted) sort_entries(s->entries, s->count);
        s->sorted = true;
        return;
    }
    if (s->count && spill(s) != 0) {
        s->error = strerror(errno);
        return;
    }
    s->run_count = s->run_total;
    for (unsigned i = 0; i < s->run_count; i++) {
        run_t *r = &s->runs[i];
        if (!r->buffer) r->buffer = malloc(RUN_BUFFER_BYTES);
        r->next = r->begin;
        r->have = r->used = 0;
        if (!r->buffer)
            s->error = strerror(ENOMEM);
        else
            run_fill(s, r);
        if (s->error) return;
    }
    for (unsigned i = s->run_count / 2; i-- > 0;)
        sift_down(s, i);
}

void out_sorter_rewind(out_sorter_t *s)
{
    s->reading = false;
}

/* The record handed out before is passed over only now, so it stayed valid. */
static const trace_timed_t *merge_next(out_sorter_t *s)
{
    run_t *top = &s->runs[0];
    if (s->taken++) {
        top->used += trace_words(run_record(top)->head) * 8u;
        if (!run_fill(s, top)) {
            if (s->error) return NULL;
            run_t ended = *top;
            *top = s->runs[--s->run_count];
            s->runs[s->run_count] = ended;
        }
        sift_down(s, 0);
    }
    return s->run_count ? run_record(&s->runs[0]) : NULL;
}

const trace_timed_t *out_sorter_next(out_sorter_t *s)
{
    if (!s->reading) start_reading(s);
    if (s->error) return NULL;
    if (s->fd >= 0) return s->run_count ? merge_next(s) : NULL;
    return s->taken < s->count ? record_of(s, &s->entries[s->taken++]) : NULL;
}

const char *out_sorter_error(const out_sorter_t *s)
{
    return s->error;
}

void out_sorter_free(out_sorter_t *s)
{
    if (!s) return;
    for (unsigned i = 0; i < s->run_total; i++)
        free(s->runs[i].buffer);
    free(s->runs);
    free(s->entries);
    free(s->data);
    if (s->fd >= 0) close(s->fd);
    free(s);
}
