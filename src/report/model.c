/* model.c - see model.h. It has arrays, names and sums, and does not depend on databases and
 * pages. */
#include "report/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- names ---- */

static uint32_t add_name(rep_names_t *n, const char *text, uint64_t key, uint32_t after)
{
    char **place = REP_NEXT(&n->texts);
    uint32_t *next = place ? REP_NEXT(&n->next) : NULL;
    if (!next || !(*place = strdup(text))) return 0;
    uint32_t number = (uint32_t)n->texts.count - 1;
    if (after)
        n->next.rows[after - 1] = number + 1;
    else if (!out_numbers_set(&n->by_text, key, number + 1u))
        return 0;
    return number;
}

uint32_t rep_name(rep_names_t *n, const char *text, bool *failed)
{
    if (!text) text = "";
    size_t length = strlen(text);
    uint64_t key = (uint64_t)length << 32 | base_hash(text, length);
    uint32_t at = (uint32_t)out_numbers_get(&n->by_text, key), last = 0;
    for (; at; at = n->next.rows[at - 1]) {
        if (strcmp(n->texts.rows[at - 1], text) == 0) return at - 1;
        last = at;
    }
    uint32_t number = add_name(n, text, key, last);
    if (!number && *text) *failed = true;
    return number;
}

void rep_names_free(rep_names_t *n)
{
    for (size_t i = 0; i < n->texts.count; i++)
        free(n->texts.rows[i]);
    free(n->texts.rows);
    free(n->next.rows);
    free(n->by_text.rows);
}

/* ---- kernels, counters and other rows ---- */

rep_kernel_t *rep_kernel(rep_run_t *r, uint32_t symbol, uint32_t name)
{
    uint64_t part = symbol, key = out_numbers_key(REP_KEY_KERNEL, &part, 1);
    uint64_t found = out_numbers_get(&r->numbers, key);
    if (found) return &r->kernels.rows[found - 1];
    rep_kernel_t *k = REP_NEXT(&r->kernels);
    if (!k || !out_numbers_set(&r->numbers, key, r->kernels.count)) {
        r->failed = true;
        return NULL;
    }
    k->name = name;
    k->symbol = symbol;
    return k;
}

static void free_ranks(rep_ranks_t *r)
{
    for (size_t i = 0; i < r->rows.count; i++) {
        free(r->rows.rows[i].parts);
        free(r->rows.rows[i].numbers.rows);
        free(r->rows.rows[i].kernels.rows);
    }
    free(r->rows.rows);
    free(r->absents.rows);
    free(r->missing.rows);
    free(r->talk.rows);
}

void rep_run_free(rep_run_t *r)
{
    free_ranks(&r->ranks);
    void *const arrays[] = {r->processes.rows,  r->agents.rows,       r->launches.rows,
                            r->counters.rows,   r->values.rows,       r->tracks.rows,
                            r->events.rows,     r->numbers.rows,      r->kernel_spans.rows,
                            r->copy_spans.rows, r->instructions.rows, r->sources.rows,
                            r->findings.rows};
    for (size_t i = 0; i < r->files.count; i++)
        free(r->files.rows[i]);
    for (size_t i = 0; i < r->traces.count; i++)
        free(r->traces.rows[i]);
    free(r->files.rows);
    free(r->traces.rows);
    for (size_t i = 0; i < r->kernels.count; i++)
        free(r->kernels.rows[i].durations.rows);
    free(r->kernels.rows);
    for (size_t i = 0; i < REP_SUM_COUNT; i++)
        free(r->sums[i].rows);
    for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
        free(arrays[i]);
}

/* ---- times ---- */

static int compare(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

void rep_sort(rep_list_t *list)
{
    if (list->count) qsort(list->rows, list->count, sizeof(*list->rows), compare);
}

uint64_t rep_covered(rep_list_t *spans)
{
    uint64_t covered = 0, until = 0;
    if (spans->count) qsort(spans->rows, spans->count / 2, 2 * sizeof(*spans->rows), compare);
    for (size_t i = 0; i + 1 < spans->count; i += 2) {
        uint64_t begin = spans->rows[i], end = spans->rows[i + 1];
        if (begin < until) begin = until;
        if (end <= begin) continue;
        covered += end - begin;
        until = end;
    }
    return covered;
}

uint64_t rep_percentile(const rep_list_t *sorted, unsigned percent)
{
    if (!sorted->count) return 0;
    size_t rank = (sorted->count * percent + 99) / 100; /* nearest rank: a value that occurred */
    return sorted->rows[rank ? rank - 1 : 0];
}
