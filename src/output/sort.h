/* sort.h - the records of several segments in order of their start, in bounded memory.
 *
 * Each segment is nearly in order. So only the range of times of each chunk of records is kept in
 * memory. Reading loads a chunk when its first record may be next, and merges the chunks that
 * overlap. If too many chunks overlap, as in segments without any order, sorted runs of them are
 * first written to an unnamed temporary file, and the chunks of the runs replace the original ones.
 * Records with the same start are sorted by domain, then in the order in which they were added. */
#ifndef CROCPROF_OUTPUT_SORT_H
#define CROCPROF_OUTPUT_SORT_H

#include <stdbool.h>

#include "trace/format.h"

enum { OUT_CHUNK_BYTES = 64 << 10 }; /* a longer record is a chunk of its own */

typedef struct {
    uint64_t first, last; /* starts of the first and the last record in time */
    uint64_t offset;      /* offset in its segment */
    uint32_t bytes, segment;
    uint32_t domains; /* domains that occur, a bit for each */
    bool ordered;
} out_chunk_t;

typedef struct {
    uint64_t first;
    uint32_t number; /* index of the chunk */
} out_chunk_turn_t;

typedef struct out_chunk_cursor out_chunk_cursor_t;

typedef struct {
    uint64_t start, order; /* `order`: domain, then index of the chunk */
    out_chunk_cursor_t *cursor;
} out_chunk_head_t;

typedef struct {
    char *path; /* NULL: the temporary file */
    int fd;     /* -1: not open */
} out_segment_t;

/* To be initialised with OUT_SORT; only the functions below use the members. */
typedef struct {
    const char *directory; /* folder for the temporary file */
    out_segment_t *segments;
    size_t segment_count;
    out_chunk_t *chunks;     /* in the order in which they were added */
    out_chunk_turn_t *turns; /* sorted by first start */
    size_t chunk_count, chunk_room;
    uint64_t limit;              /* a record that ends above this offset begins a new chunk; 0: any
                                  * record does */
    uint64_t added, added_order; /* start and domain of the record added last */
    /* Used while reading: */
    unsigned domains; /* domains that are read, a bit for each */
    size_t next_chunk;
    out_chunk_head_t *heads; /* a heap of the loaded chunks */
    size_t head_count, head_room;
    uint64_t bound; /* before this time only the first chunk has records */
    bool taken;     /* the first head's record has been handed out */
    out_chunk_cursor_t *spare;
    const char *error;
    size_t chunks_open; /* how many chunks may overlap before a temporary file is used */
    size_t run_bytes;   /* size of a sorted run in bytes */
} out_sort_t;

/* Initial value, for segments in the folder `where`, in which the temporary file is made, too. */
#define OUT_SORT(where)                                                                            \
    {                                                                                              \
        .directory = where, .chunks_open = 256, .run_bytes = 8u << 20                              \
    }

/* To be called before the records of each segment are added. Returns false when out of memory. */
bool out_sort_segment(out_sort_t *s, const char *path);

/* Begins a new chunk with the record; only out_sort_add() calls this. */
bool out_sort_chunk(out_sort_t *s, const trace_timed_t *r, uint64_t offset);

/* Adds a record of the segment, with its offset there and its domain. Returns false when out of
 * memory. */
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

/* Adds the records that `other` has of the present segment, behind those already added. Returns
 * false when out of memory. */
bool out_sort_merge(out_sort_t *s, const out_sort_t *other);

/* To be called after the last record was added. Returns false with `error` set. */
bool out_sort_ready(out_sort_t *s);

/* Begins reading the records of the domains, a bit for each. */
void out_sort_begin(out_sort_t *s, unsigned domains);
/* Returns the next record in order, which the caller may change until the next call; NULL at the
 * end, or with `error` set. */
trace_timed_t *out_sort_next(out_sort_t *s, int *domain);
/* Copies those of the next records that begin within `bytes` bytes; the last one may end beyond.
 * Returns the bytes copied; 0 at the end, or with `error` set. */
size_t out_sort_copy(out_sort_t *s, char *to, size_t bytes);

void out_sort_free(out_sort_t *s);

#endif
