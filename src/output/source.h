/* source.h - the sorted records of one process, which a format may read several times.
 *
 * It is apart from the formats so that none of them opens a store. Records are read by domain or
 * all together. Reading can be begun several times, and uses memory that does not grow with the
 * length of the run. */
#ifndef CROCPROF_OUTPUT_SOURCE_H
#define CROCPROF_OUTPUT_SOURCE_H

#include <signal.h>

#include "output/domain.h"
#include "output/ids.h"
#include "output/progress.h"
#include "output/sort.h"
#include "trace/reader.h"

/* Number of thread ids in a leaf of `seen`: there are 2^24 ids, and few threads. */
enum { OUT_THREADS_OF_LEAF = 1 << 14, OUT_THREAD_LEAVES = 1 << (TRACE_THREAD_BITS - 14) };

typedef struct {
    const char *store;
    const volatile sig_atomic_t *stop; /* once it is not 0, reading ends with a failure */
    out_sort_t sort;
    uint64_t bytes[OUT_DOMAIN_COUNT], rows[OUT_DOMAIN_COUNT];
    uint32_t *threads; /* ids of the threads of all records; sorted by out_source_ready */
    size_t thread_count;
    uint8_t **seen;             /* bit sets of OUT_THREADS_OF_LEAF thread ids each; a bit is set if
                                 * the id is in `threads`; NULL: no id of the leaf is */
    uint64_t first_ns, last_ns; /* of all records */
    out_ids_t ids;              /* all correlation ids */
    int taken;                  /* domain of the record handed out last */
    uint64_t count;             /* number of records handed out */
    out_progress_t progress;
    bool failed;
    char *why;
    size_t why_bytes;
} out_source_t;

/* Adds the records of a segment. If `each` is not NULL, it is called for each record, in the order
 * of the segment, with the ids as they are in the store; it returns false when out of memory.
 * *rows: number of records of all types. 0, or -1 with a line in `why`. */
typedef bool (*out_each_t)(void *to, out_domain_t domain, const trace_timed_t *record);
int out_source_read(out_source_t *s, const char *path, trace_reader_t *reader, out_each_t each,
                    void *to, uint64_t *rows);
/* Add the records that several sources have read from parts of one segment: call begin, then merge
 * for each part, in order. Returns 0, or -1 with a line in `why`. */
int out_source_merge_begin(out_source_t *s, const char *path);
int out_source_merge(out_source_t *s, out_source_t *part);
/* To be called after the last segment was added, before reading. Returns 0, or -1 with a line in
 * `why`. */
int out_source_ready(out_source_t *s);

/* From this call on records of all domains are read for the format `label`; shows a progress bar on
 * a terminal. */
void out_source_progress(out_source_t *s, const char *label);

/* Begin reading one domain, several (a bit for each), or all of them, in order of start. */
void out_source_domain(out_source_t *s, out_domain_t domain);
void out_source_domains(out_source_t *s, unsigned domains);
void out_source_all(out_source_t *s);
/* Returns the next record, valid until the next call; NULL at the end, or after a failure, with a
 * line in `why`. Correlation ids are replaced by ones that count from 1 without gaps, because those
 * of the store are assigned to threads in blocks. */
const trace_timed_t *out_source_next(out_source_t *s);
/* Returns the domain of the record handed out last. */
out_domain_t out_source_taken(const out_source_t *s);

/* Adjacent records, in order. */
typedef struct {
    char *records;
    size_t used; /* bytes */
} out_batch_t;

/* Reads those of the next records that begin within OUT_BATCH_BYTES. Returns false at the end, or
 * after a failure, as out_source_next. */
enum { OUT_BATCH_BYTES = 32768 };
bool out_source_batch(out_source_t *s, out_batch_t *batch);

void out_source_free(out_source_t *s);

#endif
