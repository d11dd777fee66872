/* clocks_mpi.c - see clocks_mpi.h.
 *
 * Of two nodes, near and far, the offset is what has to be added to a time of the far clock to get
 * that of the near one. A message to the far node bounds the offset from below when it ends, one
 * from it from above when it begins:
 *
 *     offset |  v   v  v v   v     v    v      v: from above
 *            |        . . - - ' ' '
 *            | ^ ^ ^   ^  ^    ^ ^   ^  ^      ^: from below
 *            +---------------------------- time of the far clock
 *
 * Drift is constant, so the offset is a straight line that passes below each v and above each ^. Of
 * all lines that do, the highest and the lowest at the beginning and at the end are computed; the
 * result is the line through the two middles, and its error is half of the larger distance. Where
 * NTP has changed the rate of a clock, no line may fit: then the one that misses the bounds least
 * is taken, if it misses them by little, and the error becomes larger by what it misses. */
#include "trace/clocks_mpi.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* No file can make the arithmetic overflow: larger numbers, which no job has, are ignored. A time
 * is in ns since a node was booted. */
#define TIME_MOST (1ull << 60)
enum { RANKS_MOST = 1 << 24 };

/* The least time in ns over which a drift is computed. */
enum { SHORTEST = 1000000 };

/* A line may miss bounds by MISSED_MOST ns, and by SLEWED_MOST more for each ns between the first
 * and the last bound: NTP corrects the rate of a clock that it keeps by some 1 ppm. */
#define MISSED_MOST 1e5
#define SLEWED_MOST 1e-6

/* ---- ends ---- */

size_t trace_clock_ends_thin(void *rows, size_t count, size_t bytes, size_t most, uint64_t *mask)
{
    char *const first = rows;
    while (count > most && *mask != UINT64_MAX) {
        size_t left = 0;
        *mask = *mask << 1 | 1;
        for (size_t i = 0; i < count; i++) {
            trace_clock_end_t end;
            memcpy(&end, first + i * bytes, sizeof(end));
            if (!(end.key & *mask)) memmove(first + left++ * bytes, first + i * bytes, bytes);
        }
        count = left;
    }
    return count < most ? count : most; /* what no mask removes is no hash */
}

size_t trace_clock_ends_share(size_t processes)
{
    enum { ALL = 1 << 19, LEAST = 16 };
    const size_t share = processes ? ALL / processes : ALL;
    return share > TRACE_CLOCK_ENDS_MOST ? TRACE_CLOCK_ENDS_MOST : share < LEAST ? LEAST : share;
}

size_t trace_clock_ends_put(const trace_clock_end_t *ends, size_t count, int32_t rank, int32_t size,
                            char text[TRACE_CLOCK_ENDS_TEXT])
{
    enum { LONGEST = 3 * 17 + 1 };
    uint64_t base = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        if (ends[i].from && ends[i].from < base) base = ends[i].from;
        if (ends[i].to && ends[i].to < base) base = ends[i].to;
    }
    base--; /* so that no difference is 0 */
    size_t i = 0;
    int at =
        snprintf(text, TRACE_CLOCK_ENDS_TEXT, "%" PRId32 " %" PRId32 " %" PRIx64, rank, size, base);
    for (; i < count && at < TRACE_CLOCK_ENDS_TEXT - LONGEST; i++)
        at += snprintf(text + at, (size_t)(TRACE_CLOCK_ENDS_TEXT - at),
                       " %" PRIx64 " %" PRIx64 " %" PRIx64, ends[i].key,
                       ends[i].from ? ends[i].from - base : 0, ends[i].to ? ends[i].to - base : 0);
    return i;
}

/* Reads the next hexadecimal number of a row. */
static bool take(const char **at, uint64_t *number)
{
    char *end;
    *number = strtoull(*at, &end, 16);
    const bool any = end != *at;
    *at = end;
    return any;
}

static bool add_rank(trace_clock_ends_t *e, uint32_t process, int32_t rank, int32_t size)
{
    if (e->rank_count && e->ranks[e->rank_count - 1].process == process) return true;
    if (!BASE_GROW_BY_ONE(e->ranks, e->rank_count)) return false;
    e->ranks[e->rank_count].process = process;
    e->ranks[e->rank_count].rank = rank;
    e->ranks[e->rank_count].first = e->count;
    e->ranks[e->rank_count].mask = 0;
    e->ranks[e->rank_count++].size = size;
    return true;
}

/* Adds an end of the last process. */
static bool add_end(trace_clock_ends_t *e, trace_clock_end_t end, size_t most)
{
    uint64_t *mask = &e->ranks[e->rank_count - 1].mask;
    const size_t first = e->ranks[e->rank_count - 1].first;
    if (end.key & *mask || end.from >= TIME_MOST || end.to >= TIME_MOST) return true;
    if (!BASE_GROW(e->rows, e->count, &e->room)) return false;
    e->rows[e->count++] = (trace_clock_row_t){end, e->ranks[e->rank_count - 1].process};
    e->count = first + trace_clock_ends_thin(e->rows + first, e->count - first, sizeof(*e->rows),
                                             most, mask);
    return true;
}

bool trace_clock_ends_add(trace_clock_ends_t *e, uint32_t process, const char *text, size_t most)
{
    int32_t rank, size;
    int used = 0;
    uint64_t base;
    trace_clock_end_t end;
    if (strnlen(text, TRACE_CLOCK_ENDS_TEXT) == TRACE_CLOCK_ENDS_TEXT) return true;
    if (sscanf(text, "%" SCNd32 " %" SCNd32 "%n", &rank, &size, &used) != 2) return true;
    const char *at = text + used;
    if (!take(&at, &base)) return true;
    if (!add_rank(e, process, rank, size)) return false;
    while (take(&at, &end.key) && take(&at, &end.from) && take(&at, &end.to)) {
        if (end.from) end.from += base;
        if (end.to) end.to += base;
        if (!add_end(e, end, most)) return false;
    }
    return true;
}

void trace_clock_ends_free(trace_clock_ends_t *e)
{
    free(e->rows);
    free(e->ranks);
    *e = (trace_clock_ends_t){0};
}

/* Returns whether the processes are the ranks of one run: each rank once, all of one size. If they
 * are not, the same key may stand for different messages. */
static bool is_one_run(const trace_clock_ends_t *e)
{
    const int32_t size = e->rank_count ? e->ranks[0].size : 0;
    uint8_t *seen = size > 0 && size <= RANKS_MOST ? calloc((size_t)size, 1) : NULL;
    bool good = seen;
    for (size_t i = 0; good && i < e->rank_count; i++) {
        const int32_t rank = e->ranks[i].rank;
        good = e->ranks[i].size == size && rank >= 0 && rank < size && !seen[rank]++;
    }
    free(seen);
    return good;
}

/* ---- bounds ---- */

/* A bound of the offset between two nodes. */
typedef struct {
    uint32_t near, far; /* `near` is the lower number */
    bool above;
    uint64_t at; /* on the far clock */
    int64_t offset;
} bound_t;

typedef struct {
    bound_t *rows;
    size_t count, room;
} bounds_t;

static int64_t later(uint64_t a, uint64_t b)
{
    return (int64_t)(a - b);
}

/* Return sums and differences of offsets, which along many nodes may be beyond the range. */
static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t apart(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* Rounds to a whole number; one that is out of range, which no clock has, becomes the limit. */
static int64_t whole(double ns)
{
    const double most = 4e18;
    return ns < -most ? (int64_t)-most : ns > most ? (int64_t)most : ns >= -most ? (int64_t)ns : 0;
}

static bool add_bound(bounds_t *b, bound_t row)
{
    if (!BASE_GROW(b->rows, b->count, &b->room)) return false;
    b->rows[b->count++] = row;
    return true;
}

/* A message or a collective in one node: the last begin and the first end of its processes. */
typedef struct {
    uint64_t key, from, to;
    uint32_t node;
} part_t;

static int by_key(const void *a, const void *b)
{
    const part_t *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Joins the ends of each key and node. Returns how many parts there are. */
static size_t join_parts(part_t *parts, size_t count)
{
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        part_t *last = joined ? &parts[joined - 1] : NULL;
        if (!last || by_key(last, &parts[i]) != 0) {
            parts[joined++] = parts[i];
            continue;
        }
        if (parts[i].from > last->from) last->from = parts[i].from;
        if (parts[i].to && (!last->to || parts[i].to < last->to)) last->to = parts[i].to;
    }
    return joined;
}

/* Adds the bounds between two nodes of a message or collective. */
static bool bound_by(bounds_t *b, const part_t *one, const part_t *other)
{
    const part_t *near = one->node < other->node ? one : other, *far = near == one ? other : one;
    bound_t row = {.near = near->node, .far = far->node};
    if (near->from && far->to) {
        row.at = far->to;
        row.offset = later(near->from, far->to);
        if (!add_bound(b, row)) return false;
    }
    if (!near->to || !far->from) return true;
    row.above = true;
    row.at = far->from;
    row.offset = later(near->to, far->from);
    return add_bound(b, row);
}

/* Returns the part that all others are compared with: the only one that begins, or that ends, as
 * the root of a collective does, else the first one. */
static size_t pivot_of(const part_t *parts, size_t count)
{
    size_t begin = 0, end = 0, begins = 0, ends = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].from && !begins++) begin = i;
        if (parts[i].to && !ends++) end = i;
    }
    return begins == 1 ? begin : ends == 1 ? end : 0;
}

/* Adds the bounds of a message or collective. */
static bool bound_all(bounds_t *b, const part_t *parts, size_t count)
{
    const size_t pivot = pivot_of(parts, count);
    for (size_t i = 0; i < count; i++)
        if (i != pivot && !bound_by(b, &parts[pivot], &parts[i])) return false;
    return true;
}

static bool find_bounds(const trace_clock_ends_t *e, const uint32_t *nodes, bounds_t *b)
{
    part_t *parts = malloc((e->count + 1) * sizeof(*parts));
    if (!parts) return false;
    for (size_t i = 0; i < e->count; i++)
        parts[i] = (part_t){e->rows[i].end.key, e->rows[i].end.from, e->rows[i].end.to,
                            nodes[e->rows[i].process]};
    qsort(parts, e->count, sizeof(*parts), by_key);
    const size_t count = join_parts(parts, e->count);
    bool room = true;
    for (size_t first = 0, i = 1; room && i <= count; i++) {
        if (i < count && parts[i].key == parts[first].key) continue;
        room = bound_all(b, parts + first, i - first);
        first = i;
    }
    free(parts);
    return room;
}

static int by_nodes(const void *a, const void *b)
{
    const bound_t *x = a, *y = b;
    if (x->near != y->near) return x->near < y->near ? -1 : 1;
    if (x->far != y->far) return x->far < y->far ? -1 : 1;
    if (x->above != y->above) return x->above ? 1 : -1;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* ---- lines between bounds ---- */

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* A bound relative to a time and an offset near it, so that a double has it to the ns. */
typedef struct {
    double at, offset;
} point_t;

/* The points of one side that a line can touch. */
typedef struct {
    point_t *rows;
    size_t count;
} side_t;

/* Returns whether b is not on the hull between a and c. `sign` is 1 for a side from above, whose
 * hull is convex, and -1 for a side from below. */
static bool is_inside(const point_t *a, const point_t *b, const point_t *c, double sign)
{
    return sign * ((b->offset - a->offset) * (c->at - a->at) -
                   (c->offset - a->offset) * (b->at - a->at)) >=
           0;
}

/* Keeps the hull of a side whose points are sorted by time. */
static void keep_hull(side_t *s, double sign)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const point_t p = s->rows[i];
        while (count && s->rows[count - 1].at == p.at &&
               sign * (s->rows[count - 1].offset - p.offset) >= 0)
            count--;
        if (count && s->rows[count - 1].at == p.at) continue;
        while (count > 1 && is_inside(&s->rows[count - 2], &s->rows[count - 1], &p, sign))
            count--;
        s->rows[count++] = p;
    }
    s->count = count;
}

typedef struct {
    side_t above, below;
    double slow, fast; /* least and most drift of a line between them */
} band_t;

/* Returns the offset at time 0 of the highest line with this drift that is below all bounds from
 * above. */
static double highest(const band_t *b, double drift)
{
    double least = DBL_MAX;
    for (size_t i = 0; i < b->above.count; i++)
        least = lesser(least, b->above.rows[i].offset - drift * b->above.rows[i].at);
    return least;
}

/* Returns the offset at time 0 of the lowest line with this drift that is above all bounds from
 * below. */
static double lowest(const band_t *b, double drift)
{
    double most = -DBL_MAX;
    for (size_t i = 0; i < b->below.count; i++)
        most = greater(most, b->below.rows[i].offset - drift * b->below.rows[i].at);
    return most;
}

/* Functions of the drift that rise up to one maximum, and then fall. */
typedef double (*hill_t)(const band_t *b, double drift, double at);

static double gap(const band_t *b, double drift, double at)
{
    (void)at;
    return highest(b, drift) - lowest(b, drift);
}

static double top(const band_t *b, double drift, double at)
{
    return highest(b, drift) + drift * at;
}

static double bottom(const band_t *b, double drift, double at)
{
    return -(lowest(b, drift) + drift * at);
}

enum { HALVINGS = 100 }; /* a double cannot tell more */

/* Returns the drift between `low` and `high` at which the function is at its maximum. */
static double summit(const band_t *b, hill_t hill, double at, double low, double high)
{
    for (int i = 0; i < HALVINGS; i++) {
        const double a = low + (high - low) / 3, c = high - (high - low) / 3;
        if (hill(b, a, at) < hill(b, c, at))
            low = a;
        else
            high = c;
    }
    return (low + high) / 2;
}

/* Returns the drift farthest from `inside`, towards `outside`, at which lines fit. */
static double edge(const band_t *b, double inside, double outside)
{
    if (gap(b, outside, 0) >= 0) return outside;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (inside + outside) / 2;
        if (gap(b, middle, 0) >= 0)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

/* Finds the drifts of lines that fit. Returns false if there is none within the limit. */
static bool fit(band_t *b, double limit)
{
    const double best = summit(b, gap, 0, -limit, limit);
    if (gap(b, best, 0) < 0) return false;
    b->slow = edge(b, best, -limit);
    b->fast = edge(b, best, limit);
    return true;
}

/* Takes the line that misses the bounds least, and returns by how much it does. */
static double fit_nearly(band_t *b, double limit)
{
    b->slow = b->fast = summit(b, gap, 0, -limit, limit);
    return -gap(b, b->slow, 0) / 2;
}

/* Two nodes whose clocks were compared: the offsets of the far one at two times of its clock. */
typedef struct {
    uint32_t near, far;
    bool contradicted;
    uint64_t at[2];
    int64_t offset[2];
    double error;  /* from at[0] to at[1], ns */
    double spread; /* how much the error grows with each ns outside */
} pair_t;

static bool fill_side(side_t *s, const bound_t *rows, size_t count, const bound_t *origin)
{
    s->rows = malloc((count + 1) * sizeof(*s->rows));
    s->count = s->rows ? count : 0;
    for (size_t i = 0; i < s->count; i++)
        s->rows[i] = (point_t){(double)later(rows[i].at, origin->at),
                               (double)apart(rows[i].offset, origin->offset)};
    if (s->count) keep_hull(s, rows->above ? 1 : -1);
    return s->rows;
}

/* Sets the offsets at the two times to the middles of what the lines allow. */
static void take_middles(pair_t *p, const band_t *b, const bound_t *origin)
{
    for (int i = 0; i < 2; i++) {
        const double at = (double)later(p->at[i], origin->at);
        const double high = top(b, summit(b, top, at, b->slow, b->fast), at);
        const double low = -bottom(b, summit(b, bottom, at, b->slow, b->fast), at);
        p->offset[i] = sum(origin->offset, whole((high + low) / 2));
        p->error = greater(p->error, (high - low) / 2);
    }
    p->error++; /* what rounding may add */
    p->spread = b->fast - b->slow;
}

/* Sets the times from the first to the last moment of the two nodes, on the far clock. They are
 * SHORTEST apart or more, so that offsets in whole ns tell the drift. */
static void take_times(pair_t *p, const trace_clock_span_t *spans, const bound_t *rows,
                       size_t count)
{
    const trace_clock_span_t *far = &spans[p->far], *near = &spans[p->near];
    const uint64_t offset = (uint64_t)rows->offset;
    const trace_clock_span_t seen[] = {*far, {near->first - offset, near->last - offset}};
    p->at[0] = p->at[1] = rows->at;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].at < p->at[0]) p->at[0] = rows[i].at;
        if (rows[i].at > p->at[1]) p->at[1] = rows[i].at;
    }
    for (int i = 0; i < 2; i++) {
        if (!(i ? near : far)->first || (i ? near : far)->last >= TIME_MOST) continue;
        if (later(p->at[0], seen[i].first) > 0) p->at[0] = seen[i].first;
        if (later(seen[i].last, p->at[1]) > 0) p->at[1] = seen[i].last;
    }
    if (later(p->at[1], p->at[0]) < SHORTEST) p->at[1] = p->at[0] + SHORTEST;
}

/* When the first and the last of the bounds are, seen from the first row. */
typedef struct {
    double first, last;
} stretch_t;

static stretch_t stretch_of(const bound_t *rows, size_t count)
{
    stretch_t s = {0};
    for (size_t i = 1; i < count; i++) {
        s.first = lesser(s.first, (double)later(rows[i].at, rows->at));
        s.last = greater(s.last, (double)later(rows[i].at, rows->at));
    }
    return s;
}

/* Returns how far off a line may be that does not fit. In each part of the time the clock is
 * between the bounds that are nearest to each other there, as far as it runs evenly in the part. */
static double off_line(const band_t *b, const bound_t *rows, size_t count, stretch_t s)
{
    enum { PARTS = 8 };
    double most[PARTS], least[PARTS], off = 0;
    const double middle = (highest(b, b->slow) + lowest(b, b->slow)) / 2;
    for (int i = 0; i < PARTS; i++) {
        most[i] = DBL_MAX;
        least[i] = -DBL_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        const double at = (double)later(rows[i].at, rows->at);
        const double by = (double)apart(rows[i].offset, rows->offset) - middle - b->slow * at;
        const double place = (at - s.first) / (s.last - s.first + 1) * PARTS;
        const int part = place < PARTS ? (int)place : PARTS - 1; /* as rounding may have it */
        if (rows[i].above)
            most[part] = lesser(most[part], by);
        else
            least[part] = greater(least[part], by);
    }
    for (int i = 0; i < PARTS; i++)
        if (most[i] < DBL_MAX && least[i] > -DBL_MAX)
            off = greater(off, greater(most[i], -least[i]));
    return off;
}

/* Takes the line that misses the bounds least, unless it misses them by more than NTP makes a clock
 * differ from one that runs evenly. */
static void take_nearest(pair_t *p, band_t *b, const bound_t *rows, size_t count)
{
    const stretch_t s = stretch_of(rows, count);
    const double missed = fit_nearly(b, TRACE_CLOCK_RATE_MOST), length = s.last - s.first;
    p->contradicted = missed > MISSED_MOST + length * SLEWED_MOST;
    if (p->contradicted) return;
    take_middles(p, b, rows);
    const double before = (double)later(rows->at, p->at[0]) + s.first;
    const double after = (double)later(p->at[1], rows->at) - s.last;
    /* from the middle to an end the clock goes from one side of the line to the other, and in each
     * of eight parts by half of what is missed */
    p->spread = 6 * missed / (length + SHORTEST);
    p->error += greater(missed, off_line(b, rows, count, s)) + missed / 2;
    p->error += greater(before, after) * p->spread;
}

/* Compares two nodes by their bounds, of which the first `below` are from below. Returns false
 * without memory. */
static bool compare(pair_t *p, const trace_clock_span_t *spans, const bound_t *rows, size_t below,
                    size_t count)
{
    band_t b = {0};
    const bool room = fill_side(&b.below, rows, below, rows) &&
                      fill_side(&b.above, rows + below, count - below, rows);
    if (room) {
        take_times(p, spans, rows, count);
        if (fit(&b, TRACE_CLOCK_RATE_ASSUMED) || fit(&b, TRACE_CLOCK_RATE_MOST))
            take_middles(p, &b, rows);
        else
            take_nearest(p, &b, rows, count);
    }
    free(b.below.rows);
    free(b.above.rows);
    return room;
}

typedef struct {
    pair_t *rows;
    size_t count;
} pairs_t;

/* Compares all pairs of nodes that have bounds from both sides. */
static bool compare_all(pairs_t *pairs, const bounds_t *b, const trace_clock_span_t *spans)
{
    size_t end;
    for (size_t i = 0; i < b->count; i = end) {
        const bound_t *first = &b->rows[i];
        size_t below = 0;
        for (end = i;
             end < b->count && b->rows[end].near == first->near && b->rows[end].far == first->far;
             end++)
            below += !b->rows[end].above;
        if (!below || below == end - i) continue;
        if (!BASE_GROW_BY_ONE(pairs->rows, pairs->count)) return false;
        pair_t *p = &pairs->rows[pairs->count++];
        *p = (pair_t){.near = first->near, .far = first->far};
        if (!compare(p, spans, first, below, end - i)) return false;
    }
    return true;
}

/* ---- from node to node ---- */

/* A node whose clock is related to that of node 0. */
typedef struct {
    uint64_t at[2];
    int64_t offset[2];
    double error, spread;
    bool related, done;
    uint32_t pairs, contradicted; /* number of pairs, and of those whose bounds contradict */
} place_t;

static double rate_of(const place_t *p)
{
    return (double)apart(p->offset[1], p->offset[0]) / (double)later(p->at[1], p->at[0]);
}

static int64_t offset_at(const place_t *p, uint64_t at)
{
    return sum(p->offset[0], whole((double)later(at, p->at[0]) * rate_of(p)));
}

/* Returns whether the drift is one of clocks; errors along many nodes may make another one. */
static bool is_believable(const place_t *p)
{
    const double most = TRACE_CLOCK_RATE_MOST * 1.01; /* offsets are whole ns */
    return later(p->at[1], p->at[0]) > 0 && rate_of(p) < most && rate_of(p) > -most;
}

/* Returns how far a time is outside of the times for which the error of the node holds. */
static double outside(const place_t *p, uint64_t at)
{
    if (p->spread <= 0) return 0;
    return greater(0, greater((double)later(p->at[0], at), (double)later(at, p->at[1])));
}

/* Relates a node by way of `by`; with `back` the node is the near one of the pair. */
static void relate_by(place_t *node, const place_t *by, const pair_t *p, bool back)
{
    place_t next = {.error = p->error + by->error, .spread = p->spread + by->spread};
    double more = 0;
    for (int i = 0; i < 2; i++) {
        const int64_t offset = back ? apart(0, p->offset[i]) : p->offset[i];
        next.at[i] = back ? p->at[i] + (uint64_t)p->offset[i] : p->at[i];
        const uint64_t there = next.at[i] + (uint64_t)offset;
        next.offset[i] = sum(offset, offset_at(by, there));
        more = greater(more, outside(by, there) * by->spread);
    }
    next.error += more;
    if (!is_believable(&next) || (node->related && node->error <= next.error)) return;
    next.related = true;
    next.pairs = node->pairs;
    next.contradicted = node->contradicted;
    *node = next;
}

/* Returns whether most of what is known of the node contradicts itself: its clock is to blame. */
static bool is_odd(const place_t *p)
{
    return 2 * p->contradicted > p->pairs;
}

/* Returns the node with the least error whose neighbours have not been related yet. */
static size_t next_place(const place_t *places, size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++)
        if (places[i].related && !places[i].done &&
            (best == count || places[i].error < places[best].error))
            best = i;
    return best;
}

static void relate_all(place_t *places, size_t count, const pairs_t *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        const pair_t *p = &pairs->rows[i];
        places[p->near].pairs++;
        places[p->far].pairs++;
        places[p->near].contradicted += p->contradicted;
        places[p->far].contradicted += p->contradicted;
    }
    places[0].related = true; /* the standard itself, however many others contradict it */
    places[0].at[1] = INT64_MAX;
    for (size_t from; (from = next_place(places, count)) < count;) {
        places[from].done = true;
        for (size_t i = 0; i < pairs->count; i++) {
            const pair_t *p = &pairs->rows[i];
            if (p->contradicted || (p->near != from && p->far != from)) continue;
            const size_t to = p->near == from ? p->far : p->near;
            if (!places[to].done && !is_odd(&places[to]))
                relate_by(&places[to], &places[from], p, to == p->near);
        }
    }
}

static trace_clock_link_t link_of(const place_t *p)
{
    trace_clock_link_t link = {.state = p->related        ? TRACE_CLOCK_RELATED
                                        : p->contradicted ? TRACE_CLOCK_CONTRADICTED
                                                          : TRACE_CLOCK_UNRELATED};
    if (!p->related) return link;
    link.map = (trace_clock_map_t){.source = TRACE_CLOCK_MPI,
                                   .at_ns = p->at[0],
                                   .offset_ns = p->offset[0],
                                   .drift = rate_of(p),
                                   .error_ns = p->error < (double)TIME_MOST ? (uint64_t)p->error + 1
                                                                            : UINT64_MAX,
                                   .drift_known = true};
    return link;
}

bool trace_clock_relate(const trace_clock_ends_t *e, const uint32_t *nodes,
                        const trace_clock_span_t *spans, size_t count, trace_clock_link_t *links)
{
    bounds_t bounds = {0};
    pairs_t pairs = {0};
    place_t *places = calloc(count, sizeof(*places));
    bool room = places;
    if (room && is_one_run(e)) room = find_bounds(e, nodes, &bounds);
    if (bounds.count) qsort(bounds.rows, bounds.count, sizeof(*bounds.rows), by_nodes);
    room = room && compare_all(&pairs, &bounds, spans);
    if (room) relate_all(places, count, &pairs);
    for (size_t i = 0; i < count; i++)
        links[i] = room ? link_of(&places[i]) : (trace_clock_link_t){0};
    free(places);
    free(pairs.rows);
    free(bounds.rows);
    return room;
}
