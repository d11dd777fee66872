/* gather_gaps.c - see gather_state.h. It computes the gaps between a process's kernels and copies,
 * the calls that fill them, and the bins for the picture of ranks. No record is read here. */
#include "results/gather_state.h"

#include <stdlib.h>

#include "base/sorted.h"

int gather_by_start(const void *left, const void *right)
{
    const gather_span_t *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* ---- gaps ---- */

/* Adds to *covered the part of a span that no earlier span covers; spans come sorted by their
 * begin. `begins` says that the span is the first. */
static void cover(int64_t *covered, int64_t *until, const gather_span_t *span, bool begins)
{
    const int64_t from = begins || span->start > *until ? span->start : *until;
    if (from < span->end) *covered = gather_sum(*covered, gather_between(from, span->end));
    if (begins || span->end > *until) *until = span->end;
}

void gather_find_gaps(gather_t *g)
{
    gather_span_t *const spans = g->spans.rows;
    int64_t until[3] = {0}; /* for kernels, for copies, for both */
    bool any[2] = {false, false};
    size_t gaps = 0, process = SIZE_MAX;
    for (size_t i = 0; i < g->spans.count; i++) {
        const gather_span_t span = spans[i];
        const bool begins = span.process != process;
        gather_work_t *w = gather_work_of(g, span.process);
        if (begins) {
            w->first = span.start;
            w->busy = true;
            any[GATHER_OF_KERNEL] = any[GATHER_OF_COPY] = false;
        } else if (until[2] < span.start) {
            const int64_t length = gather_between(until[2], span.start);
            spans[gaps++] = (gather_span_t){.process = span.process,
                                            .start = until[2],
                                            .end = span.start,
                                            .of = GATHER_OF_GAP,
                                            .filled = until[2],
                                            .left = length};
            sum_add(&w->gaps, length);
        }
        cover(&w->busy_ns, &until[2], &span, begins);
        cover(span.of == GATHER_OF_COPY ? &w->copy_ns : &w->kernel_ns, &until[span.of], &span,
              !any[span.of]);
        any[span.of] = true;
        w->last = until[2];
        process = span.process;
    }
    g->spans.count = gaps;
}

/* Returns the first gap of the process that ends after this time; the number of gaps if none
 * does. */
static size_t gap_behind(const gather_t *g, size_t process, int64_t time)
{
    const gather_span_t *gaps = g->spans.rows;
    size_t i;
    BASE_SEARCH(i, g->spans.count,
                gaps[i].process != process ? gaps[i].process < process : gaps[i].end <= time);
    return i;
}

bool gather_in_gap(const gather_t *g, size_t process, int64_t start, int64_t end)
{
    const size_t i = gap_behind(g, process, start);
    const gather_span_t *gaps = g->spans.rows;
    return i < g->spans.count && gaps[i].process == process && gaps[i].start < end;
}

/* Adds to a call the parts of gaps during it that no earlier call has filled. The part that a
 * function's first call fills counts as start-up, since in that call a runtime initialises itself
 * and loads code. */
static void fill_gaps(gather_t *g, const gather_held_t *h)
{
    gather_span_t *gaps = g->spans.rows;
    gather_call_t *row = (gather_call_t *)g->part->calls.list.rows + h->row;
    for (size_t i = gap_behind(g, h->process, h->start);
         i < g->spans.count && gaps[i].process == h->process && gaps[i].start < h->end; i++) {
        gather_span_t *gap = &gaps[i];
        const int64_t from = h->start > gap->filled ? h->start : gap->filled;
        const int64_t to = h->end < gap->end ? h->end : gap->end;
        if (from >= to) continue;
        const int64_t part = gather_between(from, to);
        const bool first = h->start == row->first && row->kind != GATHER_SYNC;
        int64_t *sum = first ? &gather_work_of(g, h->process)->startup_ns : &row->gap_ns;
        *sum = gather_sum(*sum, part);
        gap->filled = to;
        gap->left -= part;
    }
}

static int by_call_start(const void *left, const void *right)
{
    const gather_held_t *a = left, *b = right;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return a->start != b->start ? (a->start > b->start) - (a->start < b->start)
                                : (a->row > b->row) - (a->row < b->row);
}

/* Finds, from calls alone, the times when the GPU certainly had no work and the host was in no
 * call. */
static void find_apart(gather_t *g)
{
    const gather_held_t *held = g->held.rows;
    const gather_call_t *rows = g->part->calls.list.rows;
    int64_t since = 0, own = 0; /* `own`: time since the wait that is in no call */
    bool waits = false;         /* the GPU has no work: all work has been waited for */
    for (size_t i = 0; i < g->held.count; i++) {
        const gather_held_t *h = &held[i];
        const gather_kind_t kind = rows[h->row].kind;
        gather_work_t *w = gather_work_of(g, h->process);
        const bool begins = !i || held[i - 1].process != h->process;
        if (begins) waits = false;
        if (kind == GATHER_LAUNCH && !w->asked) w->asked = h->start;
        if (kind == GATHER_SYNC || kind == GATHER_COPY) w->done = h->end;
        if (waits && h->start > since) own = gather_sum(own, gather_between(since, h->start));
        if (waits && w->asked && (kind == GATHER_LAUNCH || kind >= GATHER_COPY))
            sum_add(&w->apart, own);
        if (kind == GATHER_SYNC || kind == GATHER_COPY) {
            since = h->end;
            own = 0;
            waits = true;
        } else if (kind != GATHER_OTHER && kind != GATHER_ALLOC) {
            waits = false;
        } else if (waits && h->end > since) {
            since = h->end;
        }
    }
}

/* Sums the time that loads cover: several threads may load at once, and a call that links may
 * contain one that loads. */
static void sum_loads(gather_t *g)
{
    gather_span_t *loads = g->loads.rows;
    int64_t until = 0;
    if (g->loads.count) qsort(loads, g->loads.count, sizeof(*loads), gather_by_start);
    for (size_t i = 0; i < g->loads.count; i++)
        cover(&gather_work_of(g, loads[i].process)->load_ns, &until, &loads[i],
              !i || loads[i - 1].process != loads[i].process);
}

void gather_sum_gaps(gather_t *g)
{
    const gather_span_t *gaps = g->spans.rows;
    gather_held_t *held = g->held.rows;
    if (g->held.count) qsort(held, g->held.count, sizeof(*held), by_call_start);
    for (size_t i = 0; i < g->held.count; i++)
        fill_gaps(g, &held[i]);
    for (size_t i = 0; i < g->spans.count; i++)
        sum_add(&gather_work_of(g, gaps[i].process)->own, gaps[i].left);
    if (g->by_calls) find_apart(g);
    sum_loads(g);
}

/* ---- bins ---- */

/* Returns the number of a kernel in its process; RES_BIN_NO_KERNEL if there are more kernels than
 * bins can distinguish. */
static uint8_t number_of(gather_work_t *w, int64_t kernel)
{
    const int64_t *kernels = w->kernels.rows;
    for (size_t i = 0; i < w->kernels.count; i++)
        if (kernels[i] == kernel) return (uint8_t)i;
    int64_t *row =
        w->kernels.count < RES_BIN_NO_KERNEL ? gather_next(&w->kernels, sizeof(*row)) : NULL;
    if (!row) return RES_BIN_NO_KERNEL;
    *row = kernel;
    return (uint8_t)(w->kernels.count - 1);
}

/* Writes to `to` the intervals that the sorted spans of the kinds in `kinds_wanted` (bits) cover,
 * each time only once: of a span, the part that no earlier span covers. Returns the number of
 * intervals. */
static size_t pieces_of(res_piece_t *to, gather_work_t *w, const gather_span_t *spans, size_t count,
                        unsigned kinds_wanted)
{
    size_t pieces = 0;
    int64_t until = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const gather_span_t *s = &spans[i];
        const int64_t from = s->start > until ? s->start : until;
        if (!(kinds_wanted & 1u << s->of) || from >= s->end) continue;
        const uint8_t kernel =
            s->of == GATHER_OF_KERNEL ? number_of(w, s->kernel) : RES_BIN_NO_KERNEL;
        to[pieces++] = (res_piece_t){from, s->end, kernel};
        until = s->end;
    }
    return pieces;
}

/* Makes the bins of a process from its sorted spans and waits. */
static bool make_bins(gather_t *g, size_t process, const gather_span_t *spans, size_t count,
                      const gather_span_t *waits, size_t wait_count)
{
    enum {
        KERNELS = 1u << GATHER_OF_KERNEL,
        COPIES = 1u << GATHER_OF_COPY,
        CALLS = 1u << GATHER_OF_CALL
    };
    gather_work_t *w = gather_work_of(g, process);
    res_piece_t *all = malloc((3 * count + 2 * wait_count + 1) * sizeof(*all)), *at = all;
    if (!all) return false;
    const res_pieces_t kernels = {at, pieces_of(at, w, spans, count, KERNELS)};
    at += kernels.count;
    const res_pieces_t copies = {at, pieces_of(at, w, spans, count, COPIES)};
    at += copies.count;
    const res_pieces_t busy = {at, pieces_of(at, w, spans, count, KERNELS | COPIES)};
    at += busy.count;
    const res_pieces_t calls = {at, pieces_of(at, w, waits, wait_count, CALLS)};
    res_piece_t *left = malloc((busy.count + calls.count + 1) * sizeof(*left));
    const res_pieces_t idle = {left, left ? res_pieces_without(left, &calls, &busy) : 0};
    w->wait_ns = res_pieces_time(&idle);
    const bool made =
        left && res_bins_make(&w->bins, gather_first(w), gather_last(w), &kernels, &copies, &idle);
    free(left);
    free(all);
    return made;
}

bool gather_make_bins(gather_t *g, const gather_span_t *spans, size_t count)
{
    gather_span_t *waits = g->waits.rows;
    size_t span = 0, wait = 0;
    if (g->waits.count) qsort(waits, g->waits.count, sizeof(*waits), gather_by_start);
    for (size_t process = 0; process < g->part->process_count; process++) {
        const size_t first_span = span, first_wait = wait;
        while (span < count && spans[span].process == process)
            span++;
        while (wait < g->waits.count && waits[wait].process == process)
            wait++;
        if (!make_bins(g, process, spans + first_span, span - first_span, waits + first_wait,
                       wait - first_wait))
            return false;
    }
    return true;
}
