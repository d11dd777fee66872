/* meetings.c - see meetings.h. */
#include "trace/meetings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A collective in which a rank has waited longer than this bounds nothing worth having. */
#define LENGTH_MOST UINT32_MAX

/* ---- the meetings of a process ---- */

/* Returns whether no rank leaves this collective before all have come to it. */
static bool joins_all(trace_mpi_collective_t operation, uint64_t received)
{
    switch (operation) {
    case TRACE_MPI_OP_BARRIER: return true;
    case TRACE_MPI_OP_ALLREDUCE:
    case TRACE_MPI_OP_ALLGATHER:
    case TRACE_MPI_OP_ALLTOALL: return received > 0; /* of nothing, MPI need not wait */
    default: return false;
    }
}

void trace_meeting_take(trace_meeting_reader_t *r, const trace_mpi_t *call)
{
    const trace_mpi_function_t *f = trace_mpi_function(trace_operation(call->call.head));
    if (!f) return;
    if (!r->begun) r->whole = f->class == TRACE_MPI_INIT;
    r->begun = true;
    if (f->class != TRACE_MPI_COLLECTIVE || !joins_all(f->collective, call->received) ||
        call->communicator != TRACE_MPI_WORLD || r->total == UINT32_MAX)
        return;
    const uint64_t length = call->call.end - call->call.start;
    const trace_meeting_t m = {call->call.start,
                               length < LENGTH_MOST ? (uint32_t)length : LENGTH_MOST, r->total};
    if (r->total < TRACE_MEETINGS_EACH) r->first[r->total] = m;
    r->last[r->total++ % TRACE_MEETINGS_EACH] = m;
}

/* Writes a meeting, unless it is too long to be of use. */
static void put(FILE *to, const trace_meeting_t *m)
{
    if (m->length_ns < LENGTH_MOST)
        fprintf(to, " %" PRIu32 ":%" PRIu64 ":%" PRIu32, m->number, m->begin_ns, m->length_ns);
}

char *trace_meetings_text(const trace_meeting_reader_t *r)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = r->whole && r->total ? open_memstream(&text, &bytes) : NULL;
    if (!to) return NULL;
    fprintf(to, "%" PRIu32, r->total);
    for (uint32_t i = 0; i < r->total && i < TRACE_MEETINGS_EACH; i++)
        put(to, &r->first[i]);
    uint32_t from = r->total > TRACE_MEETINGS_EACH ? r->total - TRACE_MEETINGS_EACH : 0;
    if (from < TRACE_MEETINGS_EACH) from = TRACE_MEETINGS_EACH;
    for (uint32_t i = from; i < r->total; i++)
        put(to, &r->last[i % TRACE_MEETINGS_EACH]);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* Reads digits up to `end`, or up to the end of the text; *at moves behind it. */
static bool read_number(const char **at, char end, uint64_t most, uint64_t *number)
{
    const char *from = *at;
    for (*number = 0; **at >= '0' && **at <= '9'; ++*at) {
        const unsigned digit = (unsigned)(**at - '0');
        if (*number > (most - digit) / 10) return false;
        *number = 10 * *number + digit;
    }
    if (*at == from || (**at != end && **at)) return false;
    *at += **at != 0;
    return true;
}

static bool read_meeting(const char **at, trace_meeting_t *m)
{
    uint64_t number, begin, length;
    if (!read_number(at, ':', UINT32_MAX, &number) || !read_number(at, ':', INT64_MAX, &begin) ||
        !read_number(at, ' ', UINT32_MAX, &length))
        return false;
    *m = (trace_meeting_t){begin, (uint32_t)length, (uint32_t)number};
    return true;
}

static bool read_all(const char *at, trace_meetings_t *m)
{
    uint64_t total;
    if (!read_number(&at, ' ', UINT32_MAX, &total)) return false;
    m->total = (uint32_t)total;
    while (*at) {
        if (m->count == TRACE_MEETINGS_MOST || !read_meeting(&at, &m->rows[m->count])) return false;
        const uint32_t number = m->rows[m->count].number;
        if (number >= total || (m->count && number <= m->rows[m->count - 1].number)) return false;
        m->count++;
    }
    return true;
}

bool trace_meetings_read(const char *text, trace_meetings_t *m)
{
    *m = (trace_meetings_t){0};
    if (text && read_all(text, m)) return true;
    *m = (trace_meetings_t){0};
    return false;
}

/* ---- of a node ---- */

static void add_meeting(trace_node_meetings_t *n, const trace_meeting_t *m)
{
    const uint64_t end = m->begin_ns + m->length_ns;
    for (size_t i = 0; i < n->count; i++) {
        trace_node_meeting_t *row = &n->rows[i];
        if (row->number != m->number) continue;
        if (m->begin_ns > row->begin_ns) row->begin_ns = m->begin_ns;
        if (end < row->end_ns) row->end_ns = end;
        return;
    }
    if (n->count < TRACE_MEETINGS_MOST)
        n->rows[n->count++] = (trace_node_meeting_t){m->begin_ns, end, m->number};
}

void trace_node_meetings_add(trace_node_meetings_t *n, const trace_meetings_t *m)
{
    if (!m->count) return;
    n->torn |= n->begun && n->total != m->total;
    n->begun = true;
    n->total = m->total;
    for (uint32_t i = 0; i < m->count; i++)
        add_meeting(n, &m->rows[i]);
}

/* ---- of two nodes ---- */

/* What a meeting says of the two clocks at one moment of the own clock. */
typedef struct {
    uint64_t at;
    int64_t least, most; /* bounds of the offset */
} bounds_t;

static bool find_bounds(const trace_node_meeting_t *own, const trace_node_meetings_t *other,
                        bounds_t *b)
{
    for (size_t i = 0; i < other->count; i++) {
        const trace_node_meeting_t *o = &other->rows[i];
        if (o->number != own->number) continue;
        *b = (bounds_t){own->end_ns, (int64_t)(o->begin_ns - own->end_ns),
                        (int64_t)(o->end_ns - own->begin_ns)};
        return true;
    }
    return false;
}

/* Narrows the bounds of the tightest meeting by those of the others, which are as much wider as the
 * clocks may have parted in between. Returns false if they contradict each other. */
static bool intersect(const bounds_t *all, size_t count, double rate, trace_meeting_point_t *point)
{
    bounds_t b = {0};
    for (size_t i = 0; i < count; i++)
        if (!i || all[i].most - all[i].least < b.most - b.least) b = all[i];
    const uint64_t at = b.at;
    for (size_t i = 0; i < count; i++) {
        const double apart = (double)(int64_t)(all[i].at - at) * rate;
        const int64_t slack = (int64_t)(apart < 0 ? -apart : apart) + 1;
        if (all[i].least - slack > b.least) b.least = all[i].least - slack;
        if (all[i].most + slack < b.most) b.most = all[i].most + slack;
    }
    if (!count || b.least > b.most) return false;
    const uint64_t width = (uint64_t)(b.most - b.least);
    *point = (trace_meeting_point_t){at, b.least + (int64_t)(width / 2), width - width / 2};
    return true;
}

int trace_meetings_compare(const trace_node_meetings_t *own, const trace_node_meetings_t *other,
                           double rate, trace_meeting_point_t points[2])
{
    /* where totals differ, the n-th is the same for the first ones only */
    const bool both = !own->torn && !other->torn && own->total == other->total;
    int found = 0;
    for (int last = 0; last <= both; last++) {
        bounds_t all[TRACE_MEETINGS_MOST];
        size_t count = 0;
        for (size_t i = 0; i < own->count; i++)
            if ((own->rows[i].number >= TRACE_MEETINGS_EACH) == last)
                count += find_bounds(&own->rows[i], other, &all[count]);
        found += intersect(all, count, rate, &points[found]);
    }
    return found;
}
