/* source.c - see source.h. Knows domains and their order, not what records mean. */
#include "output/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STOP_CHECK_ROWS = 1024 };

static int fail(out_source_t *s, const char *what)
{
    snprintf(s->why, s->why_bytes, "%s: %s", s->store, what);
    s->failed = true;
    return -1;
}

/* A bit for each thread id there can be; pages that nobody sets cost nothing. */
enum { THREAD_BYTES = 1 << (TRACE_THREAD_BITS - 3) };

/* Of the call that a call, or a range, was made in; NULL for records without. */
static uint64_t *ancestor_of(trace_timed_t *record)
{
    size_t bytes = trace_words(record->head) * 8u;
    bool has = trace_type(record->head) == TRACE_MARKER ||
               (trace_type(record->head) == TRACE_API && bytes >= sizeof(trace_api_full_t));
    return has ? &((trace_api_full_t *)record)->ancestor : NULL;
}

_Static_assert(offsetof(trace_marker_t, ancestor) == offsetof(trace_api_full_t, ancestor),
               "ancestor_of takes one for the other");

int out_source_add(out_source_t *s, const trace_timed_t *record)
{
    int domain = out_domain_of(record->head);
    if (domain < 0) return 0;
    out_sorter_t **sorter = &s->sorters[domain];
    if (!*sorter) *sorter = out_sorter_new(s->store, OUT_SORT_BYTES);
    if (!*sorter) return fail(s, strerror(ENOMEM));
    s->bytes[domain] += trace_words(record->head) * 8u;
    if (!s->first_ns || record->start < s->first_ns) s->first_ns = record->start;
    if (record->end > s->last_ns) s->last_ns = record->end;
    s->rows[domain]++;
    if (!s->seen) s->seen = calloc(THREAD_BYTES, 1);
    if (!s->seen) return fail(s, strerror(ENOMEM));
    uint32_t thread = trace_thread(record->head);
    s->seen[thread / 8] |= (uint8_t)(1u << thread % 8);
    const uint64_t *ancestor = ancestor_of((trace_timed_t *)record);
    if (!out_ids_add(&s->ids, record->correlation) ||
        (ancestor && !out_ids_add(&s->ids, *ancestor)))
        return fail(s, strerror(ENOMEM));
    return out_sorter_add(*sorter, record, s->why, s->why_bytes);
}

int out_source_ready(out_source_t *s)
{
    size_t count = 0;
    for (uint32_t i = 0; s->seen && i < THREAD_BYTES; i++)
        count += (size_t)__builtin_popcount(s->seen[i]);
    s->threads = malloc((count + 1) * sizeof(*s->threads));
    s->record = malloc(TRACE_WORDS_MAX * sizeof(uint64_t));
    if (!s->threads || !s->record || !out_ids_ready(&s->ids)) return fail(s, strerror(ENOMEM));
    for (uint32_t i = 0; count && i < THREAD_BYTES; i++)
        for (unsigned bits = s->seen[i]; bits; bits &= bits - 1)
            s->threads[s->thread_count++] = 8 * i + (uint32_t)__builtin_ctz(bits);
    free(s->seen);
    s->seen = NULL;
    return 0;
}

static void advance(out_source_t *s, unsigned domain)
{
    out_sorter_t *sorter = s->sorters[domain];
    s->heads[domain] = sorter ? out_sorter_next(sorter) : NULL;
    if (sorter && out_sorter_error(sorter)) fail(s, out_sorter_error(sorter));
}

static void begin(out_source_t *s, unsigned from, unsigned to)
{
    s->begin = from;
    s->end = to;
    s->taken = -1;
    for (unsigned i = from; i < to; i++) {
        if (s->sorters[i]) out_sorter_rewind(s->sorters[i]);
        advance(s, i);
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void out_source_progress(out_source_t *s, const char *label)
{
    uint64_t total = 0;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        total += s->rows[i];
    out_progress_end(&s->progress);
    out_progress_begin(&s->progress, STDERR_FILENO, isatty(STDERR_FILENO), label, total, now_ns());
}

void out_source_domain(out_source_t *s, out_domain_t domain)
{
    begin(s, domain, domain + 1u);
}

void out_source_all(out_source_t *s)
{
    begin(s, 0, OUT_DOMAIN_COUNT);
}

const trace_timed_t *out_source_next(out_source_t *s)
{
    int least = -1;
    if (s->taken >= 0) advance(s, (unsigned)s->taken);
    if (s->failed) return NULL;
    if (++s->count % STOP_CHECK_ROWS == 0)
        out_progress_step(&s->progress, STOP_CHECK_ROWS, now_ns());
    if (s->count % STOP_CHECK_ROWS == 0 && s->stop && *s->stop) {
        snprintf(s->why, s->why_bytes, "conversion was interrupted");
        s->failed = true;
        return NULL;
    }
    for (unsigned i = s->begin; i < s->end; i++)
        if (s->heads[i] && (least < 0 || s->heads[i]->start < s->heads[least]->start))
            least = (int)i;
    s->taken = least;
    if (least < 0) return NULL;
    memcpy(s->record, s->heads[least], trace_words(s->heads[least]->head) * 8u);
    uint64_t *ancestor = ancestor_of(s->record);
    s->record->correlation = out_ids_place(&s->ids, s->record->correlation);
    if (ancestor) *ancestor = out_ids_place(&s->ids, *ancestor);
    return s->record;
}

out_domain_t out_source_taken(const out_source_t *s)
{
    return (out_domain_t)s->taken;
}

void out_source_free(out_source_t *s)
{
    out_progress_end(&s->progress);
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        out_sorter_free(s->sorters[i]);
    free(s->seen);
    free(s->threads);
    free(s->record);
    out_ids_free(&s->ids);
}
