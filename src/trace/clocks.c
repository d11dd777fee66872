/* clocks.c - see clocks.h. Here are arithmetic and texts only; ping.c measures. */
#include "trace/clocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Oscillators of hosts differ by some 50 ppm, and NTP corrects a clock's rate by at most 500 ppm. A
 * larger measured rate means that the clock was set between the two measurements, so the rate is
 * ignored. */
static const double RATE_MOST = 1e-3;
/* Bound of the error that is assumed, per ns, where the rate is not known. */
static const double RATE_UNKNOWN = 1e-4;

void trace_clock_put(const trace_clock_point_t *p, char text[TRACE_CLOCK_TEXT])
{
    snprintf(text, TRACE_CLOCK_TEXT, "%016" PRIx64 " %" PRIu64 " %" PRId64 " %" PRIu64,
             p->reference, p->local_ns, p->offset_ns, p->error_ns);
}

bool trace_clock_read(const char *text, trace_clock_point_t *p)
{
    char more;
    *p = (trace_clock_point_t){0};
    if (text &&
        sscanf(text, "%16" SCNx64 " %20" SCNu64 " %20" SCNd64 " %20" SCNu64 "%c", &p->reference,
               &p->local_ns, &p->offset_ns, &p->error_ns, &more) == 4 &&
        p->reference)
        return true;
    *p = (trace_clock_point_t){0};
    return false;
}

/* ---- maps ---- */

/* Makes the map through two points; with one point (`second` is NULL) the rate stays unknown.
 */
static trace_clock_map_t map_through(trace_clock_source_t source, uint64_t at, int64_t offset,
                                     const uint64_t *second, int64_t second_offset)
{
    trace_clock_map_t m = {.source = source, .at_ns = at, .offset_ns = offset};
    if (!second || *second <= at) return m;
    const double rate = (double)(second_offset - offset) / (double)(*second - at);
    m.drift_known = fabs(rate) < RATE_MOST;
    if (m.drift_known) m.drift = rate;
    return m;
}

static bool has_end(const trace_clock_facts_t *f)
{
    return f->end.reference == f->begin.reference && f->end.local_ns > f->begin.local_ns;
}

/* Maps the clock of the process to the reference clock. */
static trace_clock_map_t by_ping(const trace_clock_facts_t *f)
{
    const bool both = has_end(f);
    trace_clock_map_t m = map_through(TRACE_CLOCK_PING, f->begin.local_ns, f->begin.offset_ns,
                                      both ? &f->end.local_ns : NULL, f->end.offset_ns);
    m.error_ns = f->begin.error_ns;
    if (m.drift_known && f->end.error_ns > m.error_ns) m.error_ns = f->end.error_ns;
    if (!m.drift_known && f->last_ns > f->begin.local_ns)
        m.error_ns += (uint64_t)((double)(f->last_ns - f->begin.local_ns) * RATE_UNKNOWN);
    return m;
}

static bool is_reference(const trace_clock_facts_t *f)
{
    return f->begin.reference && !f->begin.error_ns && !f->begin.offset_ns;
}

static int64_t day_offset(const trace_clock_day_t *d)
{
    return (int64_t)(d->realtime_ns - d->boottime_ns);
}

/* Maps the clock of the process to the time of day. */
static trace_clock_map_t to_day(const trace_clock_facts_t *f)
{
    const bool both = f->last.realtime_ns && f->last.boottime_ns > f->first.boottime_ns;
    return map_through(TRACE_CLOCK_DAY, f->first.boottime_ns, day_offset(&f->first),
                       both ? &f->last.boottime_ns : NULL, day_offset(&f->last));
}

/* Inverts the map: returns the time that it maps to `ns`. */
static uint64_t unmap(const trace_clock_map_t *m, uint64_t ns)
{
    const uint64_t near = ns - (uint64_t)m->offset_ns;
    const int64_t behind = (int64_t)(near - m->at_ns);
    return near - (uint64_t)(int64_t)((double)behind * m->drift / (1 + m->drift));
}

/* ---- the plan ---- */

/* `order` has the processes sorted by node, so that those of one node are adjacent. */
typedef struct {
    const trace_clock_facts_t *facts;
    const trace_clock_facts_t **order;
    size_t count;
    uint64_t reference;
} plan_t;

static int by_boot(const void *a, const void *b)
{
    const trace_clock_facts_t *x = *(const trace_clock_facts_t *const *)a,
                              *y = *(const trace_clock_facts_t *const *)b;
    const int way = strcmp(x->boot, y->boot);
    return way ? way : x < y ? -1 : x > y;
}

/* Returns the index after the last process of the node whose first process is at `from`. */
static size_t end_of_node(const plan_t *p, size_t from)
{
    size_t to = from + 1;
    while (to < p->count && strcmp(p->order[from]->boot, p->order[to]->boot) == 0)
        to++;
    return to;
}

static bool several_nodes(const trace_clock_facts_t *facts, size_t count)
{
    bool several = false;
    for (size_t i = 0; i < count; i++) {
        if (!*facts[i].boot) return false;
        several |= strcmp(facts[0].boot, facts[i].boot) != 0;
    }
    return several;
}

/* A rank that is not known is -1, which the casts make the highest. */
static bool is_lower(const trace_clock_facts_t *a, const trace_clock_facts_t *b)
{
    return (unsigned long)a->rank < (unsigned long)b->rank;
}

/* Returns the reference clock of the lowest rank whose process has one. */
static uint64_t reference_of(const trace_clock_facts_t *facts, size_t count)
{
    const trace_clock_facts_t *lowest = NULL;
    for (size_t i = 0; i < count; i++)
        if (facts[i].begin.reference && (!lowest || is_lower(&facts[i], lowest)))
            lowest = &facts[i];
    return lowest ? lowest->begin.reference : 0;
}

static bool is_pinged(const plan_t *p, const trace_clock_facts_t *f)
{
    return p->reference && f->begin.reference == p->reference;
}

static uint64_t span(const trace_clock_facts_t *f)
{
    return f->last.realtime_ns && f->last.boottime_ns > f->first.boottime_ns
               ? f->last.boottime_ns - f->first.boottime_ns
               : 0;
}

/* Returns whether process `a` determines the clock of its node better than `b`, a process of the
 * same node. */
static bool is_better(const plan_t *p, const trace_clock_facts_t *a, const trace_clock_facts_t *b)
{
    if (is_pinged(p, a) != is_pinged(p, b)) return is_pinged(p, a);
    if (!is_pinged(p, a)) return span(a) > span(b);
    if (is_reference(a) != is_reference(b)) return is_reference(a);
    if (has_end(a) != has_end(b)) return has_end(a);
    return by_ping(a).error_ns < by_ping(b).error_ns;
}

static const trace_clock_facts_t *best_of_node(const plan_t *p, size_t from)
{
    const trace_clock_facts_t *best = p->order[from];
    for (size_t i = from + 1, to = end_of_node(p, from); i < to; i++)
        if (is_better(p, p->order[i], best)) best = p->order[i];
    return best;
}

/* Chooses the process whose clock is the standard for nodes without a ping: one on rank 0's node if
 * there is one, else one of another node with a ping. Without any ping it is the lowest rank, whose
 * own times then stay as they are. */
static const trace_clock_facts_t *choose_bridge(const plan_t *p)
{
    const trace_clock_facts_t *c = p->facts;
    for (size_t i = 1; i < p->count; i++) {
        const trace_clock_facts_t *f = &p->facts[i];
        const bool by_f = is_pinged(p, f), by_c = is_pinged(p, c);
        if (by_f != by_c                                 ? by_f
            : by_f && is_reference(f) != is_reference(c) ? is_reference(f)
                                                         : is_lower(f, c))
            c = f;
    }
    return c;
}

static trace_clock_map_t by_reference(const plan_t *p, const trace_clock_facts_t *f)
{
    if (!is_pinged(p, f) || is_reference(f))
        return (trace_clock_map_t){.source = TRACE_CLOCK_SAME, .drift_known = true};
    return by_ping(f);
}

/* Maps a node's clock by the time of day, which both nodes have recorded. `to` is the map of the
 * node to which `bridge` belongs. */
static trace_clock_map_t by_day(const trace_clock_facts_t *f, const trace_clock_facts_t *bridge,
                                const trace_clock_map_t *to)
{
    if (!f->first.realtime_ns || !bridge->first.realtime_ns)
        return (trace_clock_map_t){.source = TRACE_CLOCK_ALONE};
    const trace_clock_map_t mine = to_day(f), theirs = to_day(bridge);
    const uint64_t second = 1000000000, later = f->first.boottime_ns + (span(f) ? span(f) : second);
    int64_t offsets[2];
    for (int i = 0; i < 2; i++) {
        const uint64_t at = i ? later : f->first.boottime_ns;
        const uint64_t there = unmap(&theirs, trace_clock_map(&mine, at));
        offsets[i] = (int64_t)(trace_clock_map(to, there) - at);
    }
    trace_clock_map_t m =
        map_through(TRACE_CLOCK_DAY, f->first.boottime_ns, offsets[0], &later, offsets[1]);
    m.drift_known = mine.drift_known && theirs.drift_known;
    return m;
}

/* Adds up the meetings of a node's processes; `from` is the first of them. */
static trace_node_meetings_t meetings_of(const plan_t *p, size_t from)
{
    trace_node_meetings_t n = {0};
    for (size_t i = from, to = end_of_node(p, from); i < to; i++)
        trace_node_meetings_add(&n, &p->order[i]->meetings);
    return n;
}

/* Returns how long before `first` or after `last` the processes of a node have run. */
static uint64_t farthest(const plan_t *p, size_t from, uint64_t first, uint64_t last)
{
    uint64_t most = 0;
    for (size_t i = from, to = end_of_node(p, from); i < to; i++) {
        const trace_clock_facts_t *f = p->order[i];
        const uint64_t begin = f->first.boottime_ns;
        const uint64_t end = f->last_ns > f->last.boottime_ns ? f->last_ns : f->last.boottime_ns;
        if (begin && begin < first && first - begin > most) most = first - begin;
        if (end > last && end - last > most) most = end - last;
    }
    return most;
}

/* Maps a node's clock by the collectives of MPI in which its processes and those of the bridge's
 * node have met, `theirs`. Returns false if there are none. */
static bool by_meetings(const plan_t *p, size_t from, const trace_node_meetings_t *theirs,
                        const trace_clock_map_t *to, trace_clock_map_t *map)
{
    const trace_node_meetings_t own = meetings_of(p, from);
    trace_meeting_point_t points[2];
    const int count = trace_meetings_compare(&own, theirs, RATE_UNKNOWN, points);
    uint64_t error = 0;
    for (int i = 0; i < count; i++) {
        const uint64_t there = points[i].at_ns + (uint64_t)points[i].offset_ns;
        points[i].offset_ns = (int64_t)(trace_clock_map(to, there) - points[i].at_ns);
        if (points[i].error_ns > error) error = points[i].error_ns;
    }
    if (!count) return false;
    /* by how much the rate through two points may be wrong; points that are too near make none */
    const trace_meeting_point_t *first = &points[0], *last = &points[count - 1];
    double wrong = RATE_UNKNOWN;
    if (last->at_ns > first->at_ns)
        wrong = (double)(first->error_ns + last->error_ns) / (double)(last->at_ns - first->at_ns);
    const bool has_rate = wrong < RATE_UNKNOWN;
    *map = map_through(TRACE_CLOCK_MPI, first->at_ns, first->offset_ns,
                       has_rate ? &last->at_ns : NULL, last->offset_ns);
    if (!map->drift_known) wrong = RATE_UNKNOWN;
    map->error_ns = error + to->error_ns +
                    (uint64_t)((double)farthest(p, from, first->at_ns,
                                                map->drift_known ? last->at_ns : first->at_ns) *
                               wrong);
    return true;
}

static bool plan_nodes(const plan_t *p, trace_clock_map_t *maps)
{
    const trace_clock_facts_t *bridge = choose_bridge(p);
    trace_clock_map_t to = by_reference(p, bridge);
    trace_node_meetings_t meetings = {0};
    bool any = false;
    for (size_t from = 0; from < p->count; from = end_of_node(p, from))
        if (strcmp(p->order[from]->boot, bridge->boot) == 0) {
            bridge = best_of_node(p, from);
            to = by_reference(p, bridge);
            meetings = meetings_of(p, from);
        }
    for (size_t from = 0, end; from < p->count; from = end) {
        const trace_clock_facts_t *f = best_of_node(p, from);
        trace_clock_map_t m = f == bridge ? to : by_reference(p, f);
        if (f != bridge && !is_pinged(p, f) && !by_meetings(p, from, &meetings, &to, &m))
            m = by_day(f, bridge, &to);
        end = end_of_node(p, from);
        for (size_t i = from; i < end; i++)
            maps[p->order[i] - p->facts] = m;
        any |= trace_clock_changes(&m);
    }
    return any;
}

int trace_clock_plan(const trace_clock_facts_t *facts, size_t count, trace_clock_map_t *maps)
{
    for (size_t i = 0; i < count; i++)
        maps[i] = (trace_clock_map_t){.source = TRACE_CLOCK_SAME, .drift_known = true};
    if (!several_nodes(facts, count)) return 0;
    plan_t p = {facts, malloc(count * sizeof(*p.order)), count, reference_of(facts, count)};
    if (!p.order) return -1;
    for (size_t i = 0; i < count; i++)
        p.order[i] = &facts[i];
    qsort(p.order, count, sizeof(*p.order), by_boot);
    const bool any = plan_nodes(&p, maps);
    free(p.order);
    return any;
}

void trace_clock_say(const trace_clock_map_t *m, char *text, size_t bytes)
{
    char offset[64], error[64];
    snprintf(offset, sizeof(offset), "%+.9f s, drift %+.3f ppm", (double)m->offset_ns * 1e-9,
             m->drift * 1e6);
    snprintf(error, sizeof(error), "%.1f us off at most", (double)m->error_ns * 1e-3);
    switch (m->source) {
    case TRACE_CLOCK_SAME: snprintf(text, bytes, "own clock"); return;
    case TRACE_CLOCK_ALONE:
        snprintf(text, bytes, "own clock, which nothing relates to that of other nodes");
        return;
    case TRACE_CLOCK_PING:
        snprintf(text, bytes, "rank 0's clock: %s, %s%s", offset, error,
                 m->drift_known ? "" : " (drift unknown, 100 ppm assumed)");
        return;
    case TRACE_CLOCK_MPI:
        snprintf(text, bytes, "rank 0's clock by MPI's collectives: %s, %s%s", offset, error,
                 m->drift_known ? "" : " (drift unknown, 100 ppm assumed)");
        return;
    case TRACE_CLOCK_DAY:
        snprintf(text, bytes, "time of day: %s, as far off as NTP lets it be", offset);
        return;
    }
}
