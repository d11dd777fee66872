/* sort.c - see sort.h. It reads only size, start and domain of a record. */
#include "output/sort.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "output/domain.h"
#include "trace/reader.h"

/* Most segments that stay open: a process has one for each of its threads. */
enum { SEGMENTS_OPEN = 32 };

/* Number of bits for the offset of a record in a buffer, in words; its domain is in the bits above.
 * Together they order records with the same start. */
enum { PLACE_BITS = 27 };
_Static_assert(OUT_DOMAIN_COUNT <= 1 << (32 - PLACE_BITS), "a domain fits above its place");

typedef struct {
    uint64_t start;
    uint32_t place, reserved;
} entry_t;

struct out_chunk_cursor {
    char *buffer;
    size_t room, bytes;
    size_t at; /* offset in bytes, or number of entries, up to which records were handed out */
    entry_t *entries;
    size_t entry_room, entry_count;
    const trace_timed_t *record; /* the record whose start is in the chunk's head */
    uint32_t number;             /* number of the chunk */
    bool ordered;
    out_chunk_cursor_t *next; /* in the list of spare cursors */
};

static bool fail(out_sort_t *s, const char *what)
{
    s->error = what;
    return false;
}

static bool no_memory(out_sort_t *s)
{
    return fail(s, strerror(ENOMEM));
}

/* Doubles an array until it has room for `need` elements. */
static bool grow(void *array, size_t *room, size_t need, size_t unit)
{
    size_t to = *room ? *room : 64;
    if (need <= *room) return true;
    while (to < need)
        to *= 2;
    if (!base_resize(array, to, unit)) return false;
    *room = to;
    return true;
}

/* ---- adding ---- */

bool out_sort_segment(out_sort_t *s, const char *path)
{
    const bool room = BASE_GROW_BY_ONE(s->segments, s->segment_count);
    char *copy = path && room ? strdup(path) : NULL;
    if (!room || (path && !copy)) return no_memory(s);
    s->segments[s->segment_count++] = (out_segment_t){copy, -1};
    s->limit = 0;
    return true;
}

bool out_sort_chunk(out_sort_t *s, const trace_timed_t *r, uint64_t offset)
{
    if (!grow(&s->chunks, &s->chunk_room, s->chunk_count + 1, sizeof(*s->chunks)))
        return no_memory(s);
    s->chunks[s->chunk_count++] = (out_chunk_t){.first = r->start,
                                                .last = r->start,
                                                .offset = offset,
                                                .segment = (uint32_t)s->segment_count - 1,
                                                .ordered = true};
    uint64_t window = offset - (offset - TRACE_HEADER_BYTES) % TRACE_WINDOW_BYTES;
    s->limit = offset + OUT_CHUNK_BYTES;
    if (s->limit > window + TRACE_WINDOW_BYTES) s->limit = window + TRACE_WINDOW_BYTES;
    return true;
}

bool out_sort_merge(out_sort_t *s, const out_sort_t *other)
{
    if (!grow(&s->chunks, &s->chunk_room, s->chunk_count + other->chunk_count, sizeof(*s->chunks)))
        return no_memory(s);
    for (size_t i = 0; i < other->chunk_count; i++) {
        out_chunk_t *c = &s->chunks[s->chunk_count++];
        *c = other->chunks[i];
        c->segment = (uint32_t)s->segment_count - 1;
    }
    s->limit = 0;
    return true;
}

/* ---- records of one buffer in order ---- */

static bool before(const entry_t *a, const entry_t *b)
{
    return a->start != b->start ? a->start < b->start : a->place < b->place;
}

/* Sorts by insertion, since usually few records are out of order. It stops after `moves` moves and
 * returns false; the entries are complete then, but not sorted. */
static bool sort_by_moving(entry_t *entries, size_t count, size_t moves)
{
    for (size_t i = 1; i < count; i++) {
        entry_t moved = entries[i];
        size_t at = i;
        for (; at && before(&moved, &entries[at - 1]); at--)
            entries[at] = entries[at - 1];
        entries[at] = moved;
        if (i - at > moves) return false;
        moves -= i - at;
    }
    return true;
}

/* Sorts by start with a stable radix sort. A digit that all entries have in common, as the leading
 * digits of times are, takes no time. */
enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

static void sort_by_digit(const entry_t *from, entry_t *to, size_t count, unsigned shift,
                          uint32_t places[DIGITS])
{
    uint32_t so_far = 0;
    memset(places, 0, DIGITS * sizeof(*places));
    for (size_t i = 0; i < count; i++)
        places[from[i].start >> shift & (DIGITS - 1)]++;
    for (unsigned i = 0; i < DIGITS; i++) {
        uint32_t some = places[i];
        places[i] = so_far;
        so_far += some;
    }
    for (size_t i = 0; i < count; i++)
        to[places[from[i].start >> shift & (DIGITS - 1)]++] = from[i];
}

static int compare(const void *a, const void *b)
{
    return before(a, b) ? -1 : before(b, a);
}

static void sort_entries(entry_t *entries, size_t count)
{
    uint32_t places[DIGITS];
    uint64_t differ = 0;
    if (sort_by_moving(entries, count, 8 * count)) return;
    entry_t *other = malloc(count * sizeof(*other)), *from = entries, *to = other;
    if (!other) {
        qsort(entries, count, sizeof(*entries), compare);
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
    if (!sort_by_moving(entries, count, 8 * count)) /* puts records with the same start in order */
        qsort(entries, count, sizeof(*entries), compare);
}

/* ---- chunks ---- */

static int open_segment(out_sort_t *s, uint32_t number)
{
    out_segment_t *g = &s->segments[number];
    if (g->fd < 0)
        g->fd = base_file_open(g->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (g->fd < 0) fail(s, strerror(errno));
    return g->fd;
}

/* Closes a segment's file, so that few files are open; the temporary file stays open. */
static void close_segment(out_sort_t *s, uint32_t number)
{
    out_segment_t *g = &s->segments[number];
    if (number < SEGMENTS_OPEN || !g->path) return;
    close(g->fd);
    g->fd = -1;
}

static bool read_bytes(out_sort_t *s, const out_chunk_t *c, char *to)
{
    int fd = open_segment(s, c->segment);
    for (size_t have = 0; fd >= 0 && have < c->bytes;) {
        ssize_t n = pread(fd, to + have, c->bytes - have, (off_t)(c->offset + have));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail(s, n < 0 ? strerror(errno) : "a segment has become shorter");
        have += (size_t)n;
    }
    if (fd >= 0) close_segment(s, c->segment);
    return fd >= 0;
}

/* Returns the size and sets the domain (-1: none) of the record at an offset in a buffer. The size
 * is 0 if there is no record, although there was one when it was added. */
static size_t record_at(const char *buffer, size_t at, size_t bytes, int *domain)
{
    const trace_head_t *head = (const trace_head_t *)(buffer + at);
    size_t size = bytes - at < sizeof(*head) ? 0 : trace_record_size(head, bytes - at);
    *domain = size ? out_domain_of(*head) : -1;
    return size;
}

/* Adds an entry for each record in the buffer from `at` on. Returns false if the file has
 * changed. */
static bool index_records(out_sort_t *s, const char *buffer, size_t at, size_t bytes,
                          entry_t **entries, size_t *room, size_t *count)
{
    int domain;
    for (size_t size; at < bytes; at += size) {
        size = record_at(buffer, at, bytes, &domain);
        if (!size) return fail(s, "a segment has changed");
        if (domain < 0 || !(s->domains >> domain & 1)) continue;
        if (!grow(entries, room, *count + 1, sizeof(**entries))) return no_memory(s);
        (*entries)[(*count)++] =
            (entry_t){.start = ((const trace_timed_t *)(buffer + at))->start,
                      .place = (uint32_t)domain << PLACE_BITS | (uint32_t)(at / 8)};
    }
    return true;
}

static out_chunk_cursor_t *new_cursor(out_sort_t *s, size_t bytes)
{
    out_chunk_cursor_t *c = s->spare;
    if (c)
        s->spare = c->next;
    else
        c = calloc(1, sizeof(*c));
    if (!c) return NULL;
    if (bytes > c->room) {
        size_t room = bytes > OUT_CHUNK_BYTES ? bytes : OUT_CHUNK_BYTES;
        free(c->buffer);
        c->buffer = malloc(room);
        c->room = c->buffer ? room : 0;
    }
    c->at = c->entry_count = 0;
    if (c->buffer) return c;
    free(c->entries);
    free(c);
    return NULL;
}

static void give_back(out_sort_t *s, out_chunk_cursor_t *c)
{
    c->next = s->spare;
    s->spare = c;
}

/* Goes to the chunk's next record. Returns false at its end, or if `error` is set. */
static bool step(out_sort_t *s, out_chunk_head_t *head)
{
    out_chunk_cursor_t *c = head->cursor;
    int domain;
    if (!c->ordered) {
        if (c->at == c->entry_count) return false;
        const entry_t *e = &c->entries[c->at++];
        c->record =
            (const trace_timed_t *)(c->buffer + (size_t)(e->place & ((1u << PLACE_BITS) - 1)) * 8);
        head->start = e->start;
        head->order = (uint64_t)(e->place >> PLACE_BITS) << 32 | c->number;
        return true;
    }
    while (c->at < c->bytes) {
        size_t size = record_at(c->buffer, c->at, c->bytes, &domain);
        if (!size) return fail(s, "a segment has changed");
        c->record = (const trace_timed_t *)(c->buffer + c->at);
        c->at += size;
        if (domain < 0 || !(s->domains >> domain & 1)) continue;
        head->start = c->record->start;
        head->order = (uint64_t)(unsigned)domain << 32 | c->number;
        return true;
    }
    return false;
}

/* ---- merging ---- */

static bool head_before(const out_chunk_head_t *a, const out_chunk_head_t *b)
{
    return a->start != b->start ? a->start < b->start : a->order < b->order;
}

static void sift_down(out_sort_t *s)
{
    out_chunk_head_t moved = s->heads[0];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->head_count; at = child) {
        child += child + 1 < s->head_count && head_before(&s->heads[child + 1], &s->heads[child]);
        if (!head_before(&s->heads[child], &moved)) break;
        s->heads[at] = s->heads[child];
    }
    s->heads[at] = moved;
}

static bool load(out_sort_t *s, uint32_t number)
{
    const out_chunk_t *c = &s->chunks[number];
    if (!grow(&s->heads, &s->head_room, s->head_count + 1, sizeof(*s->heads))) return no_memory(s);
    out_chunk_head_t head = {.cursor = new_cursor(s, c->bytes)};
    if (!head.cursor) return no_memory(s);
    head.cursor->number = number;
    head.cursor->bytes = c->bytes;
    head.cursor->ordered = c->ordered;
    bool whole = read_bytes(s, c, head.cursor->buffer);
    if (whole && !c->ordered) {
        whole = index_records(s, head.cursor->buffer, 0, c->bytes, &head.cursor->entries,
                              &head.cursor->entry_room, &head.cursor->entry_count);
        sort_entries(head.cursor->entries, head.cursor->entry_count);
    }
    if (!whole || !step(s, &head)) { /* or the chunk has no more records of these domains */
        give_back(s, head.cursor);
        return !s->error;
    }
    size_t at = s->head_count++;
    for (; at && head_before(&head, &s->heads[(at - 1) / 2]); at = (at - 1) / 2)
        s->heads[at] = s->heads[(at - 1) / 2];
    s->heads[at] = head;
    return true;
}

/* Loads the chunks that may contain a record which starts with, or before, the first loaded
 * record. */
static bool load_due(out_sort_t *s)
{
    for (; s->next_chunk < s->chunk_count; s->next_chunk++) {
        uint32_t number = s->turns[s->next_chunk].number;
        if (!(s->chunks[number].domains & s->domains)) continue;
        if (s->head_count && s->chunks[number].first > s->heads[0].start) break;
        if (!load(s, number)) return false;
    }
    s->bound = s->next_chunk < s->chunk_count ? s->turns[s->next_chunk].first : UINT64_MAX;
    for (size_t i = 1; i < 3 && i < s->head_count; i++)
        if (s->heads[i].start < s->bound) s->bound = s->heads[i].start;
    return true;
}

void out_sort_begin(out_sort_t *s, unsigned domains)
{
    while (s->head_count)
        give_back(s, s->heads[--s->head_count].cursor);
    s->domains = domains;
    s->next_chunk = 0;
    s->taken = false;
    s->bound = 0;
}

trace_timed_t *out_sort_next(out_sort_t *s, int *domain)
{
    if (s->taken && !step(s, &s->heads[0])) {
        if (s->error) return NULL;
        give_back(s, s->heads[0].cursor);
        s->heads[0] = s->heads[--s->head_count];
        s->bound = 0;
    }
    /* a record of another chunk may be earlier, or have the same start */
    if (!s->taken || s->heads[0].start >= s->bound) {
        if (s->head_count) sift_down(s);
        if (!load_due(s)) return NULL;
    }
    s->taken = s->head_count;
    if (!s->taken) return NULL;
    *domain = (int)(s->heads[0].order >> 32);
    return (trace_timed_t *)s->heads[0].cursor->record;
}

static size_t put_run(char *to, const char *from, const char *end)
{
    memcpy(to, from, (size_t)(end - from));
    return (size_t)(end - from);
}

/* Copies records of the first chunk, after the one that was taken from it, as long as their domains
 * are read and they precede those of other chunks. */
static size_t copy_run(const out_sort_t *s, char *to, size_t bytes)
{
    out_chunk_cursor_t *c = s->heads[0].cursor;
    const char *from = c->buffer + c->at, *at = from, *end = c->buffer + c->bytes;
    const uint64_t bound = s->bound;
    trace_sound_t sound = {0};
    size_t used = 0;
    bool wanted = false;
    while (at < end && used + (size_t)(at - from) < bytes) {
        const trace_timed_t *r = (const trace_timed_t *)at;
        if (trace_shape(r->head) != sound.shape) {
            const int domain = out_domain_of(r->head);
            wanted = domain >= 0 && s->domains >> domain & 1;
            if (!wanted) used += put_run(to + used, from, at);
        }
        const size_t size = trace_sound_size(&sound, &r->head, (size_t)(end - at));
        if (!size || (wanted && r->start >= bound)) break;
        at += size;
        if (!wanted) from = at;
    }
    c->at = (size_t)(at - c->buffer);
    return used + put_run(to + used, from, at);
}

size_t out_sort_copy(out_sort_t *s, char *to, size_t bytes)
{
    size_t used = 0;
    int domain;
    for (const trace_timed_t *r; used < bytes && (r = out_sort_next(s, &domain));) {
        size_t size = trace_words(r->head) * 8u;
        memcpy(to + used, r, size);
        used += size;
        if (s->heads[0].cursor->ordered) used += copy_run(s, to + used, bytes - used);
    }
    return used;
}

/* ---- sorted runs ---- */

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

typedef struct {
    out_sort_t to; /* the records in the temporary file */
    uint64_t file_bytes;
    char *buffer, *block;
    size_t room, used, block_used;
    entry_t *entries;
    size_t entry_room, entry_count;
} runs_t;

static bool write_block(out_sort_t *s, runs_t *r)
{
    for (size_t done = 0; done < r->block_used;) {
        ssize_t n = pwrite(r->to.segments[0].fd, r->block + done, r->block_used - done,
                           (off_t)r->file_bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail(s, strerror(n < 0 ? errno : ENOSPC));
        r->file_bytes += (uint64_t)n;
        done += (size_t)n;
    }
    r->block_used = 0;
    return true;
}

static bool write_run(out_sort_t *s, runs_t *r)
{
    sort_entries(r->entries, r->entry_count);
    for (size_t i = 0; i < r->entry_count; i++) {
        size_t place = (size_t)(r->entries[i].place & ((1u << PLACE_BITS) - 1)) * 8;
        const trace_timed_t *record = (const trace_timed_t *)(r->buffer + place);
        size_t bytes = trace_words(record->head) * 8u;
        uint64_t window = TRACE_WINDOW_BYTES, at = r->file_bytes + r->block_used;
        /* Chunks are found as in a segment, where no record crosses the border of a window. */
        uint64_t left = window - (at - TRACE_HEADER_BYTES) % window;
        if (bytes > left) {
            memset(r->block + r->block_used, 0, left);
            r->block_used += left;
            at += left;
        }
        if (!out_sort_add(&r->to, record, at, r->entries[i].place >> PLACE_BITS))
            return no_memory(s);
        memcpy(r->block + r->block_used, record, bytes);
        r->block_used += bytes;
        if (r->block_used >= window && !write_block(s, r)) return false;
    }
    r->used = r->entry_count = 0;
    if (!write_block(s, r)) return false;
    /* The next run begins with a new window, and so with a new chunk. */
    r->file_bytes += TRACE_WINDOW_BYTES - (r->file_bytes - TRACE_HEADER_BYTES) % TRACE_WINDOW_BYTES;
    return true;
}

static bool write_runs(out_sort_t *s, runs_t *r)
{
    r->to.segments[0].fd = open_temporary(s->directory);
    if (r->to.segments[0].fd < 0) return fail(s, strerror(errno));
    s->domains = ~0u;
    for (size_t i = 0; i < s->chunk_count; i++) {
        const out_chunk_t *c = &s->chunks[i];
        if (r->used + c->bytes > s->run_bytes && !write_run(s, r)) return false;
        if (!grow(&r->buffer, &r->room, r->used + c->bytes, 1)) return no_memory(s);
        if (!read_bytes(s, c, r->buffer + r->used)) return false;
        if (!index_records(s, r->buffer, r->used, r->used + c->bytes, &r->entries, &r->entry_room,
                           &r->entry_count))
            return false;
        r->used += c->bytes;
    }
    return write_run(s, r);
}

static bool make_runs(out_sort_t *s)
{
    runs_t r = {.file_bytes = TRACE_HEADER_BYTES,
                .to = {.directory = s->directory,
                       .chunks_open = s->chunks_open,
                       .run_bytes = s->run_bytes}};
    r.block = malloc(2 * TRACE_WINDOW_BYTES);
    bool made = r.block && out_sort_segment(&r.to, NULL) ? write_runs(s, &r) : no_memory(s);
    free(r.block);
    free(r.buffer);
    free(r.entries);
    if (made) {
        out_sort_free(s);
        *s = r.to;
    } else {
        out_sort_free(&r.to);
    }
    return made;
}

/* ---- the order of chunks ---- */

static int by_first(const void *a, const void *b)
{
    const out_chunk_turn_t *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns how many chunks have to be loaded at one time at most. */
static bool count_open(out_sort_t *s, size_t *most)
{
    uint64_t *lasts = malloc((s->chunk_count + 1) * sizeof(*lasts));
    if (!lasts) return no_memory(s);
    for (size_t i = 0; i < s->chunk_count; i++)
        lasts[i] = s->chunks[i].last;
    qsort(lasts, s->chunk_count, sizeof(*lasts), by_time);
    *most = 0;
    for (size_t begun = 0, ended = 0; begun < s->chunk_count; begun++) {
        while (lasts[ended] < s->turns[begun].first)
            ended++;
        if (begun + 1 - ended > *most) *most = begun + 1 - ended;
    }
    free(lasts);
    return true;
}

static bool take_turns(out_sort_t *s)
{
    s->turns = malloc((s->chunk_count + 1) * sizeof(*s->turns));
    if (!s->turns) return no_memory(s);
    for (size_t i = 0; i < s->chunk_count; i++)
        s->turns[i] = (out_chunk_turn_t){s->chunks[i].first, (uint32_t)i};
    qsort(s->turns, s->chunk_count, sizeof(*s->turns), by_first);
    return true;
}

bool out_sort_ready(out_sort_t *s)
{
    size_t most;
    if (!take_turns(s) || !count_open(s, &most)) return false;
    return most <= s->chunks_open || (make_runs(s) && take_turns(s));
}

void out_sort_free(out_sort_t *s)
{
    out_sort_begin(s, 0);
    for (out_chunk_cursor_t *c = s->spare, *next; c; c = next) {
        next = c->next;
        free(c->buffer);
        free(c->entries);
        free(c);
    }
    for (size_t i = 0; i < s->segment_count; i++) {
        if (s->segments[i].fd >= 0) close(s->segments[i].fd);
        free(s->segments[i].path);
    }
    free(s->segments);
    free(s->chunks);
    free(s->turns);
    free(s->heads);
    *s = (out_sort_t){0};
}
