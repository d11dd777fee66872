/* sort.h - the records of several segments in order of their start, however many there are.
 *
 * Segments are nearly in order already, each for itself, so what is kept of them is only which
 * times each chunk of records spans; reading loads a chunk when its time has come and merges those
 * that overlap. Where too many overlap, as in segments in no order at all, sorted runs of them go
 * to an unnamed temporary file first, and their chunks take the others' place. Records that start
 * together come by domain, then in the order in which they were added. */
#ifndef CROCPROF_OUTPUT_SORT_H
#define CROCPROF_OUTPUT_SORT_H

#include <stdbool.h>

#include "trace/format.h"

enum { OUT_CHUNK_BYTES = 64 << 10 }; /* a record that is longer is a chunk of its own */

typedef struct {
    uint64_t first, last; /* starts */
    uint64_t offset;      /* in its segment */
    uint32_t bytes, segment;
    uint32_t domains; /* a bit for each that occurs */
    bool ordered;
} out_chunk_t;

typedef struct {
    uint64_t first;
    uint32_t number; /* of the chunk */
} out_chunk_turn_t;

typedef struct out_chunk_cursor out_chunk_cursor_t;

typedef struct {
    uint64_t start, order; /* order: domain, then number of the chunk */
    out_chunk_cursor_t *cursor;
} out_chunk_head_t;

typedef struct {
    char *path; /* NULL: the temporary file */
    int fd;     /* -1: not open */
} out_segment_t;

/* To be made with OUT_SORT; only the functions below look inside. */
typedef struct {
    const char *directory; /* for the temporary file */
    out_segment_t *segments;
    size_t segment_count;
    out_chunk_t *chunks;     /* in the order of adding */
    out_chunk_turn_t *turns; /* in the order of their first starts */
    size_t chunk_count, chunk_room;
    uint64_t limit;              /* where the last chunk has to end; 0: it is whole */
    uint64_t added, added_order; /* the record before, in its chunk */
    /* reading */
    unsigned domains; /* that are read, a bit for each */
    size_t next_chunk;
    out_chunk_head_t *heads; /* a heap of the chunks that are loaded */
    size_t head_count, head_room;
    uint64_t bound; /* up to here no other chunk has a record to come before */
    bool taken;     /* the first head was handed out */
    out_chunk_cursor_t *spare;
    const char *error;
    size_t chunks_open; /* that may overlap without a temporary file */
    size_t run_bytes;   /* of a sorted run */
} out_sort_t;

/* Of segments in `where`, which is also the place for the temporary file. */
#define OUT_SORT(where)                                                                            \
    {                                                                                              \
        .directory = where, .chunks_open = 256, .run_bytes = 8u << 20                              \
    }

/* Records of another segment come. False when out of memory. */
bool out_sort_segment(out_sort_t *s, const char *path);

/* A new chunk for the record; for the next function alone. */
bool out_sort_chunk(out_sort_t *s, const trace_timed_t *r, uint64_t offset);

/* A record of the segment: where it lies there, and its domain. False when out of memory. */
static inline bool out_sort_add(out_sort_t *s, const trace_timed_t *r, uint64_t offset,
                                unsigned domain)
{
    const uint64_t end = offset + trace_words(r->head) * 8u, start = r->start;
    if (__builtin_expect(end > s->limit, 0)) {
        if (!out_sort_chunk(s, r, offset)) return false;
        s->added = start;
        s->added_order = domain;
    }
    out_chunk_t *c = &s->chunks[s->chunk_count - 1];
    c->bytes = (uint32_t)(end - c->offset);
    c->domains |= 1u << domain;
    if (__builtin_expect(start <= s->added, 0)) {
        c->ordered &= start == s->added && domain >= s->added_order;
        if (start < c->first) c->first = start;
    }
    if (start > c->last) c->last = start;
    s->added = start;
    s->added_order = domain;
    return true;
}

/* Adds the records that another one has of the segment that comes now, behind those that are there.
 * False when out of memory. */
bool out_sort_merge(out_sort_t *s, const out_sort_t *other);

/* After the last one. False with `error` set. */
bool out_sort_ready(out_sort_t *s);

/* Begins reading the records of the domains, a bit for each. */
void out_sort_begin(out_sort_t *s, unsigned domains);
/* The next one in order, which is the caller's to change until the call after; NULL at the end, or
 * with `error` set. */
trace_timed_t *out_sort_next(out_sort_t *s, int *domain);
/* Copies the next ones, as many as begin within `bytes`; the last one may end behind them. Their
 * bytes; 0 as above. */
size_t out_sort_copy(out_sort_t *s, char *to, size_t bytes);

void out_sort_free(out_sort_t *s);

#endif
