/* source.c - see source.h. It handles domains and their order, but does not interpret records. */
#include "output/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/grow.h"

enum { STOP_CHECK_ROWS = 1024 };

static int fail(out_source_t *s, const char *what)
{
    snprintf(s->why, s->why_bytes, "%s: %s", s->store, what);
    s->failed = true;
    return -1;
}

/* Returns the address of the id of the call in which a call, or a range, was made; NULL for records
 * without one. */
static inline uint64_t *ancestor_of(trace_timed_t *record)
{
    size_t bytes = trace_words(record->head) * 8u;
    if (bytes == sizeof(trace_api_t)) return NULL; /* the usual case */
    bool has = trace_type(record->head) == TRACE_MARKER ||
               trace_type(record->head) == TRACE_GRAPH || trace_type(record->head) == TRACE_MPI ||
               (trace_type(record->head) == TRACE_API && bytes >= sizeof(trace_api_full_t));
    return has ? &((trace_api_full_t *)record)->ancestor : NULL;
}

_Static_assert(offsetof(trace_marker_t, ancestor) == offsetof(trace_api_full_t, ancestor) &&
                   offsetof(trace_graph_t, ancestor) == offsetof(trace_api_full_t, ancestor),
               "ancestor_of takes one for the other");

static inline bool add_ids(out_source_t *s, const trace_timed_t *record)
{
    const uint64_t *ancestor = ancestor_of((trace_timed_t *)record);
    return out_ids_add(&s->ids, record->correlation) &&
           (!ancestor || out_ids_add(&s->ids, *ancestor));
}

static __attribute__((noinline)) bool new_thread(out_source_t *s, uint32_t thread)
{
    uint8_t **leaf = &s->seen[thread / OUT_THREADS_OF_LEAF];
    if (!*leaf && !(*leaf = calloc(OUT_THREADS_OF_LEAF / 8, 1))) return false;
    if (!BASE_GROW_BY_ONE(s->threads, s->thread_count)) return false;
    s->threads[s->thread_count++] = thread;
    (*leaf)[thread % OUT_THREADS_OF_LEAF / 8] |= (uint8_t)(1u << thread % 8);
    return true;
}

static inline bool add_thread(out_source_t *s, uint32_t thread)
{
    const uint8_t *leaf = s->seen[thread / OUT_THREADS_OF_LEAF];
    return (leaf && leaf[thread % OUT_THREADS_OF_LEAF / 8] >> thread % 8 & 1) ||
           new_thread(s, thread);
}

static bool stopped(out_source_t *s)
{
    if (!s->stop || !*s->stop) return false;
    snprintf(s->why, s->why_bytes, "conversion was interrupted");
    s->failed = true;
    return true;
}

int out_source_merge_begin(out_source_t *s, const char *path)
{
    if (!s->seen) s->seen = calloc(OUT_THREAD_LEAVES, sizeof(*s->seen));
    return s->seen && out_sort_segment(&s->sort, path) ? 0 : fail(s, strerror(ENOMEM));
}

static void note_times(out_source_t *s, uint64_t first, uint64_t last)
{
    if (first && (!s->first_ns || first < s->first_ns)) s->first_ns = first;
    if (last > s->last_ns) s->last_ns = last;
}

/* Counts adjacent records that have the same head. */
static void count_rows(out_source_t *s, int domain, uint64_t rows, trace_head_t head)
{
    if (domain < 0) return;
    s->bytes[domain] += rows * trace_words(head) * 8u;
    s->rows[domain] += rows;
}

int out_source_read(out_source_t *s, const char *path, trace_reader_t *reader, out_each_t each,
                    void *to, uint64_t *rows)
{
    *rows = 0;
    if (out_source_merge_begin(s, path) != 0) return -1;
    trace_head_t before = 0; /* head of the last record */
    /* domain of the last record; `same`: how many records in a row have had its head */
    int domain = -1;
    uint64_t same = 0, first = UINT64_MAX, last = 0;
    bool room = true;
    for (const trace_head_t *head; room && (head = trace_reader_next_timed(reader));) {
        const trace_timed_t *record = (const trace_timed_t *)head;
        if (trace_shape(*head) != trace_shape(before)) {
            count_rows(s, domain, same, before);
            domain = out_domain_of(*head);
            same = 0;
        }
        if (++*rows % STOP_CHECK_ROWS == 0 && stopped(s)) return -1;
        const bool new = !same || trace_thread(*head) != trace_thread(before);
        before = *head;
        same++;
        if (domain < 0) continue;
        if (record->start < first) first = record->start;
        if (record->end > last) last = record->end;
        room = (!new || add_thread(s, trace_thread(*head))) && add_ids(s, record) &&
               out_sort_add(&s->sort, record, trace_reader_offset(reader), (unsigned)domain) &&
               (!each || each(to, (out_domain_t)domain, record));
    }
    count_rows(s, domain, same, before);
    if (last) note_times(s, first, last);
    return room ? 0 : fail(s, strerror(ENOMEM));
}

int out_source_merge(out_source_t *s, out_source_t *part)
{
    bool room = out_sort_merge(&s->sort, &part->sort) && out_ids_merge(&s->ids, &part->ids);
    for (size_t i = 0; room && i < part->thread_count; i++)
        room = add_thread(s, part->threads[i]);
    if (!room) return fail(s, strerror(ENOMEM));
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        s->bytes[i] += part->bytes[i];
        s->rows[i] += part->rows[i];
    }
    note_times(s, part->first_ns, part->last_ns);
    return 0;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

int out_source_ready(out_source_t *s)
{
    if (s->thread_count) qsort(s->threads, s->thread_count, sizeof(*s->threads), by_number);
    if (!out_ids_ready(&s->ids)) return fail(s, strerror(ENOMEM));
    return out_sort_ready(&s->sort) ? 0 : fail(s, s->sort.error);
}

void out_source_progress(out_source_t *s, const char *label)
{
    uint64_t total = 0;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        total += s->rows[i];
    out_progress_end(&s->progress);
    out_progress_begin(&s->progress, STDERR_FILENO, isatty(STDERR_FILENO), label, total,
                       base_clock_ns(CLOCK_MONOTONIC));
}

void out_source_domains(out_source_t *s, unsigned domains)
{
    out_sort_begin(&s->sort, domains);
}

void out_source_domain(out_source_t *s, out_domain_t domain)
{
    out_source_domains(s, 1u << domain);
}

void out_source_all(out_source_t *s)
{
    out_source_domains(s, ~0u);
}

/* Counts records that are handed out. Returns false if reading has been stopped. */
static bool go_on(out_source_t *s, uint64_t more)
{
    out_progress_step(&s->progress, more, base_clock_ns(CLOCK_MONOTONIC));
    return !stopped(s);
}

static inline void place_ids(out_source_t *s, trace_timed_t *record)
{
    uint64_t *ancestor = ancestor_of(record);
    record->correlation = out_ids_place(&s->ids, record->correlation);
    if (ancestor) *ancestor = out_ids_place(&s->ids, *ancestor);
}

const trace_timed_t *out_source_next(out_source_t *s)
{
    if (s->failed) return NULL;
    if (++s->count % STOP_CHECK_ROWS == 0 && !go_on(s, STOP_CHECK_ROWS)) return NULL;
    trace_timed_t *record = out_sort_next(&s->sort, &s->taken);
    if (!record) {
        if (s->sort.error) fail(s, s->sort.error);
        return NULL;
    }
    place_ids(s, record);
    return record;
}

bool out_source_batch(out_source_t *s, out_batch_t *batch)
{
    uint64_t count = 0;
    if (!batch->records) batch->records = malloc(OUT_BATCH_BYTES + TRACE_WORDS_MAX * 8u);
    if (!batch->records) fail(s, strerror(ENOMEM));
    if (s->failed) return false;
    batch->used = out_sort_copy(&s->sort, batch->records, OUT_BATCH_BYTES);
    for (size_t at = 0; at < batch->used; count++) {
        trace_timed_t *record = (trace_timed_t *)(batch->records + at);
        place_ids(s, record);
        at += trace_words(record->head) * 8u;
    }
    if (s->sort.error) fail(s, s->sort.error);
    return !s->failed && batch->used && go_on(s, count);
}

out_domain_t out_source_taken(const out_source_t *s)
{
    return (out_domain_t)s->taken;
}

void out_source_free(out_source_t *s)
{
    out_progress_end(&s->progress);
    out_sort_free(&s->sort);
    for (size_t i = 0; s->seen && i < OUT_THREAD_LEAVES; i++)
        free(s->seen[i]);
    free(s->seen);
    free(s->threads);
    out_ids_free(&s->ids);
}
