/* clocks.c - see clocks.h. Here are arithmetic and texts only; ping.c measures. */
#include "trace/clocks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/clocks_mpi.h"

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

/* Adds errors; what is too large stays the largest. */
static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Returns by how much two clocks differ more after this time. */
static uint64_t drifted(uint64_t ns)
{
    return (uint64_t)((double)ns * TRACE_CLOCK_RATE_ASSUMED);
}

/* Makes the map through two points; with one point (`second` is NULL) the rate stays unknown.
 */
static trace_clock_map_t map_through(trace_clock_source_t source, uint64_t at, int64_t offset,
                                     const uint64_t *second, int64_t second_offset)
{
    trace_clock_map_t m = {.source = source, .at_ns = at, .offset_ns = offset};
    if (!second || *second <= at) return m;
    const int64_t more = (int64_t)((uint64_t)second_offset - (uint64_t)offset);
    const double rate = (double)more / (double)(*second - at);
    m.drift_known = fabs(rate) < TRACE_CLOCK_RATE_MOST;
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
        m.error_ns = plus(m.error_ns, drifted(f->last_ns - f->begin.local_ns));
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
    const trace_clock_ends_t *ends; /* NULL: none */
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

/* Returns the error of the time of day, where the kernel has stated it at the start and, if the
 * process ended in order, at the end; else 0. Of a process that was killed, only the time of its
 * last record is known, until which the error may have grown. */
static uint64_t day_error(const trace_clock_facts_t *f)
{
    const uint64_t first = f->first.error_ns, last = f->last.error_ns;
    if (!first) return 0;
    if (f->last.realtime_ns) return !last ? 0 : first > last ? first : last;
    return f->last_ns > f->first.boottime_ns
               ? plus(first, drifted(f->last_ns - f->first.boottime_ns))
               : 0;
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
    if (day_error(f) && day_error(bridge))
        m.error_ns = plus(plus(day_error(f), day_error(bridge)), to->error_ns);
    return m;
}

/* ---- nodes related by messages of MPI ---- */

/* Tells when the processes of a node ran. */
static trace_clock_span_t span_of_node(const plan_t *p, size_t from, size_t end)
{
    trace_clock_span_t s = {.first = UINT64_MAX};
    for (size_t i = from; i < end; i++) {
        const trace_clock_facts_t *f = p->order[i];
        if (f->first.boottime_ns && f->first.boottime_ns < s.first) s.first = f->first.boottime_ns;
        if (f->last.boottime_ns > s.last) s.last = f->last.boottime_ns;
        if (f->last_ns > s.last) s.last = f->last_ns;
    }
    if (s.first == UINT64_MAX) s.first = 0;
    if (s.last < s.first) s.last = s.first;
    return s;
}

/* Relates the nodes to that of `bridge`. Returns the links by node, where that of `bridge` has the
 * number 0, and sets the node of each process; NULL without memory. */
static trace_clock_link_t *relate(const plan_t *p, const trace_clock_facts_t *bridge,
                                  uint32_t *nodes)
{
    trace_clock_span_t *spans = calloc(p->count, sizeof(*spans));
    trace_clock_link_t *links = calloc(p->count, sizeof(*links));
    uint32_t count = 1;
    for (size_t from = 0, end; from < p->count; from = end) {
        const bool own = strcmp(p->order[from]->boot, bridge->boot) == 0;
        const uint32_t node = own ? 0 : count++;
        end = end_of_node(p, from);
        if (spans) spans[node] = span_of_node(p, from, end);
        for (size_t i = from; i < end; i++)
            nodes[p->order[i] - p->facts] = node;
    }
    const bool good = spans && links && trace_clock_relate(p->ends, nodes, spans, count, links);
    free(spans);
    if (good) return links;
    free(links);
    return NULL;
}

/* Continues a map to the clock of the bridge's node by `to`, the map of that node. */
static trace_clock_map_t go_on(const trace_clock_map_t *m, const trace_clock_map_t *to)
{
    const uint64_t second = 1000000000, at[] = {m->at_ns, m->at_ns + second};
    int64_t offsets[2];
    for (int i = 0; i < 2; i++)
        offsets[i] = (int64_t)(trace_clock_map(to, trace_clock_map(m, at[i])) - at[i]);
    trace_clock_map_t whole = map_through(m->source, at[0], offsets[0], &at[1], offsets[1]);
    whole.drift = m->drift + to->drift + m->drift * to->drift; /* exact, unlike that of a second */
    whole.drift_known = true;
    whole.error_ns = plus(m->error_ns, to->error_ns);
    return whole;
}

/* Chooses between the times of day and messages of MPI, whichever has the smaller error. */
static trace_clock_map_t by_messages(const trace_clock_map_t *day, const trace_clock_link_t *link,
                                     const trace_clock_map_t *to)
{
    trace_clock_map_t m = *day;
    m.contradicted = link->state == TRACE_CLOCK_CONTRADICTED;
    if (link->state != TRACE_CLOCK_RELATED) return m;
    m = go_on(&link->map, to);
    return trace_clock_bounded(day) && day->error_ns <= m.error_ns ? *day : m;
}

/* Returns false without memory. */
static bool plan_nodes(const plan_t *p, trace_clock_map_t *maps, bool *any)
{
    const trace_clock_facts_t *bridge = choose_bridge(p);
    trace_clock_map_t to = by_reference(p, bridge);
    uint32_t *nodes = p->ends ? calloc(p->count, sizeof(*nodes)) : NULL;
    trace_clock_link_t *links = nodes ? relate(p, bridge, nodes) : NULL;
    for (size_t from = 0; from < p->count; from = end_of_node(p, from))
        if (strcmp(p->order[from]->boot, bridge->boot) == 0) {
            bridge = best_of_node(p, from);
            to = by_reference(p, bridge);
        }
    for (size_t from = 0, end; from < p->count; from = end) {
        const trace_clock_facts_t *f = best_of_node(p, from);
        const bool own = f == bridge;
        trace_clock_map_t m = own               ? to
                              : is_pinged(p, f) ? by_reference(p, f)
                                                : by_day(f, bridge, &to);
        if (links && !own && !is_pinged(p, f))
            m = by_messages(&m, &links[nodes[f - p->facts]], &to);
        end = end_of_node(p, from);
        for (size_t i = from; i < end; i++)
            maps[p->order[i] - p->facts] = m;
        *any |= m.source != TRACE_CLOCK_SAME && m.source != TRACE_CLOCK_ALONE;
    }
    const bool room = links || !p->ends;
    free(nodes);
    free(links);
    return room;
}

bool trace_clock_wants_ends(const trace_clock_facts_t *facts, size_t count)
{
    const plan_t p = {.facts = facts, .count = count, .reference = reference_of(facts, count)};
    bool any = false, missing = false;
    if (!several_nodes(facts, count)) return false;
    for (size_t i = 0; i < count; i++) {
        any |= facts[i].has_mpi;
        missing |= !is_pinged(&p, &facts[i]);
    }
    return any && missing;
}

int trace_clock_plan(const trace_clock_facts_t *facts, size_t count, trace_clock_map_t *maps)
{
    return trace_clock_plan_by(facts, count, NULL, maps);
}

int trace_clock_plan_by(const trace_clock_facts_t *facts, size_t count,
                        const trace_clock_ends_t *ends, trace_clock_map_t *maps)
{
    for (size_t i = 0; i < count; i++)
        maps[i] = (trace_clock_map_t){.source = TRACE_CLOCK_SAME, .drift_known = true};
    if (!several_nodes(facts, count)) return 0;
    plan_t p = {facts, malloc(count * sizeof(*p.order)), count, reference_of(facts, count),
                ends && ends->count ? ends : NULL};
    if (!p.order) return -1;
    for (size_t i = 0; i < count; i++)
        p.order[i] = &facts[i];
    qsort(p.order, count, sizeof(*p.order), by_boot);
    bool any = false;
    const bool room = plan_nodes(&p, maps, &any);
    free(p.order);
    return room ? any : -1;
}

void trace_clock_say(const trace_clock_map_t *m, char *text, size_t bytes)
{
    char offset[64], error[64];
    snprintf(offset, sizeof(offset), "%+.9f s, drift %+.3f ppm", (double)m->offset_ns * 1e-9,
             m->drift * 1e6);
    snprintf(error, sizeof(error), "%.1f us off at most", (double)m->error_ns * 1e-3);
    const char *set =
        m->contradicted ? " (calls of MPI contradict each other: they fit no line)" : "";
    switch (m->source) {
    case TRACE_CLOCK_SAME: snprintf(text, bytes, "own clock"); return;
    case TRACE_CLOCK_ALONE:
        snprintf(text, bytes, "own clock, which nothing relates to that of other nodes%s", set);
        return;
    case TRACE_CLOCK_PING:
        snprintf(text, bytes, "rank 0's clock: %s, %s%s", offset, error,
                 m->drift_known ? "" : " (drift unknown, 100 ppm assumed)");
        return;
    case TRACE_CLOCK_MPI:
        snprintf(text, bytes, "rank 0's clock by MPI: %s, %s", offset, error);
        return;
    case TRACE_CLOCK_DAY:
        snprintf(text, bytes, "time of day: %s, %s%s%s", offset,
                 m->error_ns ? error : "as far off as NTP lets it be",
                 m->error_ns ? " (as the kernels state)" : "", set);
        return;
    }
}
