/* source.h - the sorted records of one process, as often as a format wants to read them.
 *
 * Apart from the formats so that none of them opens a store. Records come by domain or all
 * together; either reading begins anew with each call, in memory that does not grow with the run.
 */
#ifndef CROCPROF_OUTPUT_SOURCE_H
#define CROCPROF_OUTPUT_SOURCE_H

#include <signal.h>

#include "output/domain.h"
#include "output/ids.h"
#include "output/progress.h"
#include "output/sort.h"
#include "trace/reader.h"

typedef struct {
    const char *store;
    const volatile sig_atomic_t *stop; /* reading ends with a failure once this is not 0 */
    out_sort_t sort;
    uint64_t bytes[OUT_DOMAIN_COUNT], rows[OUT_DOMAIN_COUNT];
    uint32_t *threads; /* of all records; sorted once out_source_ready was called */
    size_t thread_count, thread_room;
    uint8_t *seen;              /* the same, a bit for each */
    uint64_t first_ns, last_ns; /* of all records */
    out_ids_t ids;              /* correlation ids that occur */
    int taken;                  /* domain of the record handed out last */
    uint64_t count;             /* of records handed out */
    out_progress_t progress;
    bool failed;
    char *why;
    size_t why_bytes;
} out_source_t;

/* Takes the records of a segment, which `each`, if it is not NULL, sees on the way, in the order of
 * the segment and with the ids of the store; it returns false when out of memory. `rows`: those of
 * all types. 0, or -1 with a line in `why`. */
typedef bool (*out_each_t)(void *to, out_domain_t domain, const trace_timed_t *record);
int out_source_read(out_source_t *s, const char *path, trace_reader_t *reader, out_each_t each,
                    void *to, uint64_t *rows);
/* What several sources have read of one segment, in the order of its parts: begin, then merge each.
 * 0, or -1 with a line in `why`. */
int out_source_merge_begin(out_source_t *s, const char *path);
int out_source_merge(out_source_t *s, out_source_t *part);
/* After the last segment was read, before the first reading. 0, or -1 with a line in `why`. */
int out_source_ready(out_source_t *s);

/* Rows of all domains are read now, for the sake of `label`, which a terminal may show. */
void out_source_progress(out_source_t *s, const char *label);

/* Begins reading one domain, or those of a bit for each, or all of them; in order of start. */
void out_source_domain(out_source_t *s, out_domain_t domain);
void out_source_domains(out_source_t *s, unsigned domains);
void out_source_all(out_source_t *s);
/* The next record, valid until the next call; NULL at the end, or when it failed, with a line in
 * `why`. Correlation ids count from 1 without gaps: those of the store come in blocks for each
 * thread. */
const trace_timed_t *out_source_next(out_source_t *s);
/* Domain of the record handed out last. */
out_domain_t out_source_taken(const out_source_t *s);

/* Records one behind the other, in order. */
typedef struct {
    char *records;
    size_t used; /* bytes */
} out_batch_t;

/* Takes as many of the next records as begin within OUT_BATCH_BYTES. False at the end, or when it
 * failed, as out_source_next. */
enum { OUT_BATCH_BYTES = 32768 };
bool out_source_batch(out_source_t *s, out_batch_t *batch);

void out_source_free(out_source_t *s);

#endif
