/* roots.c - determines which rank has caused each wait in the end. A rank waits for another one
 * that has taken longer since the first rank's previous wait. If the other rank has itself waited
 * for a third one in that time, this part is attributed to the third, and so on: a slow rank makes
 * its neighbours late, and these delay all others.
 *
 *   rank 0   ##########|##########|###      ## works, __ waits, | sends to the next
 *   rank 1   __________#####|_____#####|    waits 5 for rank 0 in each step
 *   rank 2   _______________#####|____##    waits 5, too: rank 1 has worked no longer than it has,
 *                                           but has waited for rank 0, the cause
 *
 * It is apart from calls.c, which counts direct waits, because it needs the waits of all ranks. */
#include <stdlib.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "waits/internal.h"

/* DEEPEST: most ranks of which each waits for the next; only errors of the clocks make circles.
 * CULPRITS: most ranks that share one delay; the parts of further ranks are small. */
enum { DEEPEST = 256, CULPRITS = 16 };

void wts_wait(wts_state_t *s, uint32_t rank, wts_wait_t wait)
{
    wts_waits_t *w = &s->waits[rank];
    if (wait.at <= wait.from) return;
    if (!BASE_GROW(w->rows, w->count, &w->room)) {
        s->failed = true;
        return;
    }
    w->rows[w->count++] = wait;
}

/* Gets the part of a wait that each rank has caused. */
typedef struct {
    void (*take)(void *data, uint32_t rank, uint64_t ns);
    void *data;
} credit_t;

/* Returns the number of waits that have ended until a moment. */
static size_t ended(const wts_waits_t *w, uint64_t at)
{
    size_t i;
    BASE_SEARCH(i, w->count, w->rows[i].at <= at);
    return i;
}

/* Returns when the wait before this one has ended; waits in one call count as one. */
static uint64_t before(const wts_waits_t *w, size_t number)
{
    for (size_t i = number; i--;)
        if (w->rows[i].cause != WTS_IN_GPU && w->rows[i].at <= w->rows[number].from)
            return w->rows[i].at;
    return 0;
}

/* Attributes a wait of `ns` that ended at `to`, for `rank`, after a wait that ended at `since`: the
 * time for which `rank` itself has waited since then is passed on to its causes, up to `ns`. */
static void pass_on(const wts_state_t *s, uint32_t rank, uint64_t since, uint64_t to, uint64_t ns,
                    unsigned depth, const credit_t *credit)
{
    const wts_waits_t *w = &s->waits[rank];
    uint64_t until = to;
    for (size_t i = depth < DEEPEST ? ended(w, to) : 0; ns && i-- && w->rows[i].at > since;) {
        const wts_wait_t *e = &w->rows[i];
        const uint64_t high = e->at < until ? e->at : until;
        const uint64_t low = e->from > since ? e->from : since;
        if (e->cause == WTS_IN_GPU || high <= low) continue;
        const uint64_t passed = high - low < ns ? high - low : ns;
        pass_on(s, e->by, before(w, i), high, passed, depth + 1, credit);
        ns -= passed;
        until = low;
    }
    if (ns) credit->take(credit->data, rank, ns);
}

/* ---- sums ---- */

typedef struct {
    wts_t *w;
    wts_cause_t cause;
} summing_t;

static void add_root(void *data, uint32_t rank, uint64_t ns)
{
    const summing_t *to = data;
    to->w->ranks[rank].root_ns += ns;
    to->w->ranks[rank].rooted_ns[to->cause] += ns;
}

/* Sums the causes of a rank's waits. Of waits in one call only the last one counts for the time
 * that they have in common. */
static void sum_rank(wts_state_t *s, uint32_t rank)
{
    const wts_waits_t *w = &s->waits[rank];
    uint64_t until = UINT64_MAX;
    for (size_t i = w->count; i--;) {
        const wts_wait_t *e = &w->rows[i];
        const uint64_t high = e->at < until ? e->at : until;
        if (e->cause == WTS_IN_GPU || high <= e->from) continue;
        summing_t to = {s->w, (wts_cause_t)e->cause};
        pass_on(s, e->by, before(w, i), high, high - e->from, 0, &(credit_t){add_root, &to});
        until = e->from;
    }
}

/* ---- collectives ---- */

typedef struct {
    uint32_t ranks[CULPRITS];
    uint64_t ns[CULPRITS];
    unsigned count;
} culprits_t;

static void add_culprit(void *data, uint32_t rank, uint64_t ns)
{
    culprits_t *c = data;
    unsigned i = 0;
    while (i < c->count && c->ranks[i] != rank)
        i++;
    if (i == CULPRITS) return;
    if (i == c->count) {
        c->ranks[i] = rank;
        c->ns[i] = 0;
        c->count++;
    }
    c->ns[i] += ns;
}

/* Determines the rank for which a collective waits in the end: the one that has caused most of the
 * time by which the last rank arrived later than the mean of the others, since all ranks were
 * together before. */
static void judge(wts_state_t *s, const wts_instance_t *i, uint64_t since, uint64_t first)
{
    if (i->calls < 2 ||
        (wts_direction(i->operation) == WTS_FOR_ROOT && i->last_rank != i->root_rank))
        return;
    const int64_t late = wts_late(i);
    if (late <= 0) return;
    culprits_t c = {.count = 0};
    unsigned most = 0;
    pass_on(s, i->last_rank, since, i->last, (uint64_t)late, 0, &(credit_t){add_culprit, &c});
    for (unsigned n = 1; n < c.count; n++)
        if (c.ns[n] > c.ns[most]) most = n;
    wts_rank_t *rank = &s->w->ranks[c.count ? c.ranks[most] : i->last_rank];
    rank->delays++;
    rank->delay_ns += (uint64_t)late;
    if (i->first == first) rank->delay_first_ns += (uint64_t)late;
}

static int by_end(const void *a, const void *b)
{
    const wts_wait_t *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (int)x->by - (int)y->by;
}

uint64_t wts_first_collective(const wts_state_t *s)
{
    uint64_t first = UINT64_MAX;
    for (size_t c = 0; c < s->communicator_count; c++)
        if (s->communicators[c].count && s->communicators[c].instances[0].first < first)
            first = s->communicators[c].instances[0].first;
    return first;
}

void wts_roots(wts_state_t *s)
{
    const uint64_t first = wts_first_collective(s);
    for (size_t i = 0; i < s->waits_count; i++)
        if (s->waits[i].count)
            qsort(s->waits[i].rows, s->waits[i].count, sizeof(wts_wait_t), by_end);
    for (uint32_t i = 0; i < s->waits_count; i++)
        sum_rank(s, i);
    for (size_t c = 0; c < s->communicator_count; c++)
        for (size_t n = 0; n < s->communicators[c].count; n++) {
            const wts_instance_t *i = &s->communicators[c].instances[n];
            judge(s, i, n ? i[-1].last : 0, first);
        }
}
