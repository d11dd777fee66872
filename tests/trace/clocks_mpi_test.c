/* clocks_mpi_test.c - clocks of nodes related by messages of MPI between them, whose right time is
 * known; the bounds of lines are also computed by trying all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/clocks_mpi.h"

#define SECOND 1000000000LL
#define BEGIN  (1000 * SECOND)

/* A node: its clock is `shift` ahead at 1000 s and `ppm` fast. */
typedef struct {
    int64_t shift;
    double ppm;
} node_t;

static const node_t zero = {0, 0}, fast = {5 * SECOND, 50}, slow = {-3 * SECOND, -30};

static uint64_t shows(const node_t *n, uint64_t right)
{
    return right + (uint64_t)n->shift +
           (uint64_t)(int64_t)((double)(int64_t)(right - BEGIN) * n->ppm * 1e-6);
}

/* ---- jobs ---- */

enum { NODES = 3, MESSAGES = 400, ENDS = 4000 };

typedef struct {
    trace_clock_ends_t ends;
    const node_t *nodes[NODES];
    uint64_t keys, random;
    trace_clock_end_t rows[NODES][ENDS];
    size_t counts[NODES];
} job_t;

static uint64_t draw(job_t *j, uint64_t below)
{
    j->random = j->random * 6364136223846793005u + 1442695040888963407u;
    return (j->random >> 24) % below;
}

static uint64_t next_key(job_t *j)
{
    return ++j->keys * 0x9e3779b97f4a7c15u;
}

/* Adds an end. Process p is rank p of three, on node p. */
static void put(job_t *j, uint32_t process, uint64_t key, uint64_t from, uint64_t to)
{
    const node_t *n = j->nodes[process];
    assert_in_range(j->counts[process], 0, ENDS - 1);
    j->rows[process][j->counts[process]++] =
        (trace_clock_end_t){key, from ? shows(n, from) : 0, to ? shows(n, to) : 0};
}

/* Hands the ends over as texts. */
static void hand_over(job_t *j)
{
    char text[TRACE_CLOCK_ENDS_TEXT];
    for (uint32_t p = 0; p < NODES; p++)
        for (size_t done = 0; done < j->counts[p];) {
            done += trace_clock_ends_put(j->rows[p] + done, j->counts[p] - done, (int32_t)p, NODES,
                                         text);
            assert_true(trace_clock_ends_add(&j->ends, p, text, 100000));
        }
}

/* Sends messages in both directions in ten seconds, which take 2 us or up to 100 more. */
static void exchange(job_t *j, uint32_t a, uint32_t b)
{
    for (int i = 0; i < MESSAGES; i++) {
        const uint64_t at = BEGIN + draw(j, 10 * SECOND), key = next_key(j);
        const uint32_t from = i % 2 ? a : b, to = i % 2 ? b : a;
        put(j, from, key, at, 0);
        put(j, to, key, 0, at + 2000 + draw(j, 100000));
    }
}

static void relate(job_t *j, trace_clock_link_t links[NODES])
{
    static const uint32_t nodes[] = {0, 1, 2};
    if (!j->ends.count) hand_over(j);
    trace_clock_span_t spans[NODES];
    for (int i = 0; i < NODES; i++)
        spans[i] = (trace_clock_span_t){shows(j->nodes[i], BEGIN - SECOND),
                                        shows(j->nodes[i], BEGIN + 11 * SECOND)};
    assert_true(trace_clock_relate(&j->ends, nodes, spans, NODES, links));
}

/* How far the map is off at most while the processes run, ns. */
static uint64_t off(const trace_clock_link_t *link, const node_t *n)
{
    uint64_t most = 0;
    assert_int_equal(link->state, TRACE_CLOCK_RELATED);
    for (uint64_t right = BEGIN - SECOND; right <= BEGIN + 11 * SECOND; right += SECOND / 7) {
        const int64_t by = (int64_t)(trace_clock_map(&link->map, shows(n, right)) - right);
        const uint64_t size = (uint64_t)(by < 0 ? -by : by);
        if (size > most) most = size;
    }
    return most;
}

static void messages(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 1};
    exchange(&j, 0, 1);
    exchange(&j, 0, 2);
    relate(&j, links);
    for (int i = 1; i < NODES; i++) {
        assert_in_range(off(&links[i], j.nodes[i]), 0, links[i].map.error_ns);
        assert_in_range(links[i].map.error_ns, 1, 10000);
    }
    assert_in_range((uint64_t)(-links[1].map.drift * 1e9), 49000, 51000);
    trace_clock_ends_free(&j.ends);
}

/* Node 2 has messages with node 1 alone: errors add up. */
static void by_way_of_another(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 2};
    exchange(&j, 0, 1);
    exchange(&j, 2, 1);
    relate(&j, links);
    assert_in_range(off(&links[2], &slow), 0, links[2].map.error_ns);
    assert_in_range(links[2].map.error_ns, links[1].map.error_ns, 20000);
    trace_clock_ends_free(&j.ends);
}

/* In barriers the last rank comes alone, and all leave 3 us later. Who is last changes. */
static void barriers(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 3};
    for (int i = 0; i < 300; i++) {
        const uint64_t at = BEGIN + draw(&j, 10 * SECOND), key = next_key(&j);
        for (uint32_t p = 0; p < NODES; p++)
            put(&j, p, key, p == (uint32_t)i % NODES ? at : at - 1000000 - draw(&j, 1000000),
                at + 3000);
    }
    relate(&j, links);
    for (int i = 1; i < NODES; i++) {
        assert_in_range(off(&links[i], j.nodes[i]), 0, links[i].map.error_ns);
        assert_in_range(links[i].map.error_ns, 1, 5000);
    }
    trace_clock_ends_free(&j.ends);
}

/* Messages in one direction bound nothing from the other side. */
static void one_way(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}};
    for (uint64_t i = 0; i < 10; i++) {
        const uint64_t key = next_key(&j);
        put(&j, 0, key, BEGIN + i * SECOND, 0);
        put(&j, 1, key, 0, BEGIN + i * SECOND + 5000);
    }
    relate(&j, links);
    assert_int_equal(links[1].state, TRACE_CLOCK_UNRELATED);
    assert_int_equal(links[2].state, TRACE_CLOCK_UNRELATED);
    trace_clock_ends_free(&j.ends);
}

/* Node 1's clock is set after five seconds: it is told, and the others are related. */
static void set_meanwhile(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    const node_t later = {5 * SECOND + 40000000, 50};
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 4};
    exchange(&j, 0, 1);
    exchange(&j, 0, 2);
    exchange(&j, 1, 2);
    j.nodes[1] = &later;
    exchange(&j, 0, 1);
    exchange(&j, 1, 2);
    relate(&j, links);
    assert_int_equal(links[1].state, TRACE_CLOCK_CONTRADICTED);
    assert_in_range(off(&links[2], &slow), 0, links[2].map.error_ns);
    trace_clock_ends_free(&j.ends);
}

/* NTP changes the rate of node 1's clock after five seconds by 20 ppm: no line fits, and the error
 * that is told has what the line misses. */
static void slewed(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    const node_t later = {5 * SECOND - 100000, 70};
    const uint64_t middle = BEGIN + 5 * SECOND;
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 9};
    assert_int_equal(shows(&fast, middle), shows(&later, middle));
    for (uint32_t i = 0; i < MESSAGES; i++) {
        const uint64_t at = BEGIN + draw(&j, 10 * SECOND), key = next_key(&j);
        j.nodes[1] = at < middle ? &fast : &later;
        put(&j, i % 2, key, at, 0);
        put(&j, 1 - i % 2, key, 0, at + 2000 + draw(&j, 3000));
    }
    hand_over(&j);
    relate(&j, links);
    assert_int_equal(links[1].state, TRACE_CLOCK_RELATED);
    uint64_t most = 0;
    for (uint64_t right = BEGIN - SECOND; right <= BEGIN + 11 * SECOND; right += SECOND / 7) {
        const node_t *n = right < middle ? &fast : &later;
        const int64_t by = (int64_t)(trace_clock_map(&links[1].map, shows(n, right)) - right);
        if ((uint64_t)(by < 0 ? -by : by) > most) most = (uint64_t)(by < 0 ? -by : by);
    }
    assert_in_range(most, 20000, links[1].map.error_ns);
    assert_in_range(links[1].map.error_ns, most, 60000);
    trace_clock_ends_free(&j.ends);
}

/* The root of a broadcast and of a reduction is on node 2, with whose clock both bound the others'.
 */
static void rooted(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 10};
    for (int i = 0; i < MESSAGES; i++) {
        const uint64_t at = BEGIN + draw(&j, 10 * SECOND), key = next_key(&j);
        const uint64_t after = at + 2000 + draw(&j, 100000);
        for (uint32_t p = 0; p < NODES; p++)
            if ((i % 2) == (p == 2))
                put(&j, p, key, 0, after);
            else
                put(&j, p, key, at, 0);
    }
    relate(&j, links);
    for (int i = 1; i < NODES; i++) {
        assert_in_range(off(&links[i], j.nodes[i]), 0, links[i].map.error_ns);
        assert_in_range(links[i].map.error_ns, 1, 20000);
    }
    trace_clock_ends_free(&j.ends);
}

/* Of node 0's three neighbours two have clocks that jump: the third one is related. */
static void most_are_odd(void **state)
{
    (void)state;
    enum { ALL = 4 };
    static const uint32_t nodes[] = {0, 1, 2, 3};
    const trace_clock_span_t spans[ALL] = {{0}};
    trace_clock_link_t links[ALL];
    trace_clock_ends_t e = {0};
    char text[TRACE_CLOCK_ENDS_TEXT];
    for (uint32_t p = 0; p < ALL; p++) {
        trace_clock_end_t ends[100];
        size_t count = 0;
        for (uint64_t i = 0; i < 10; i++)
            for (uint32_t other = 1; other < ALL; other++) {
                if (p && p != other) continue;
                const uint64_t jump = p == 1 || p == 2 ? i / 5 * 40000000 : 0;
                const uint64_t at = BEGIN + i * SECOND + jump;
                ends[count++] =
                    (trace_clock_end_t){(1 + i * ALL + other) * 0x9e3779b97f4a7c15u, at, at + 9000};
            }
        trace_clock_ends_put(ends, count, (int32_t)p, ALL, text);
        assert_true(trace_clock_ends_add(&e, p, text, 100));
    }
    assert_true(trace_clock_relate(&e, nodes, spans, ALL, links));
    assert_int_equal(links[1].state, TRACE_CLOCK_CONTRADICTED);
    assert_int_equal(links[2].state, TRACE_CLOCK_CONTRADICTED);
    assert_int_equal(links[3].state, TRACE_CLOCK_RELATED);
    trace_clock_ends_free(&e);
}

/* All that is known is one moment: the drift is not. */
static void one_moment(void **state)
{
    (void)state;
    static const uint32_t nodes[] = {0, 1};
    static const char *const rows[][2] = {{"0 2 0 1 64 0 2 0 63", "1 2 0 1 0 1f4 2 1f4 0"},
                                          {"0 2 0 1 64 0 2 0 65", "1 2 0 1 0 1f4 2 1f5 0"},
                                          {"1 2 0 1 0 1f4 2 1f4 0", "0 2 0 1 64 0 2 0 63"}};
    const trace_clock_span_t spans[2] = {{0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        trace_clock_link_t links[2];
        trace_clock_ends_t e = {0};
        for (uint32_t p = 0; p < 2; p++)
            assert_true(trace_clock_ends_add(&e, p, rows[i][p], 10));
        assert_true(trace_clock_relate(&e, nodes, spans, 2, links));
        assert_int_equal(links[1].state, TRACE_CLOCK_RELATED);
        assert_true(links[1].map.drift > -1.1e-3 && links[1].map.drift < 1.1e-3);
        assert_in_range(links[1].map.error_ns, 1, 2000);
        trace_clock_ends_free(&e);
    }
}

/* Two runs in one folder have the same keys. */
static void two_runs(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 5};
    exchange(&j, 0, 1);
    hand_over(&j);
    j.ends.ranks[1].rank = j.ends.ranks[0].rank;
    relate(&j, links);
    assert_int_equal(links[1].state, TRACE_CLOCK_UNRELATED);
    trace_clock_ends_free(&j.ends);
}

static void any_order(void **state)
{
    (void)state;
    trace_clock_link_t links[NODES], again[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 6};
    exchange(&j, 0, 1);
    exchange(&j, 1, 2);
    relate(&j, links);
    for (size_t i = j.ends.count - 1; i; i--) {
        const size_t other = draw(&j, i + 1);
        const trace_clock_row_t row = j.ends.rows[i];
        j.ends.rows[i] = j.ends.rows[other];
        j.ends.rows[other] = row;
    }
    relate(&j, again);
    for (int i = 1; i < NODES; i++) {
        assert_int_equal(links[i].map.at_ns, again[i].map.at_ns);
        assert_int_equal(links[i].map.offset_ns, again[i].map.offset_ns);
        assert_int_equal(links[i].map.error_ns, again[i].map.error_ns);
        assert_true(links[i].map.drift == again[i].map.drift);
    }
    trace_clock_ends_free(&j.ends);
}

/* ---- the bounds against all lines ---- */

typedef struct {
    double at, offset;
    int above;
} bound_t;

enum { BOUNDS = 24 };

static int fits(const bound_t *b, double drift, double offset)
{
    for (int i = 0; i < BOUNDS; i++) {
        const double room = offset + drift * b[i].at - b[i].offset;
        if (b[i].above ? room > 1e-6 : room < -1e-6) return 0;
    }
    return 1;
}

/* The most that a line between the bounds can be at a time, or the least: one through two bounds,
 * or through one with the greatest or least drift. */
static double extreme(const bound_t *b, double at, double sign)
{
    double most = -1e300;
    for (int i = 0; i < BOUNDS; i++)
        for (int k = -2; k < BOUNDS; k++) {
            if (k >= 0 && b[i].at == b[k].at) continue;
            const double drift = k < 0 ? (k == -1 ? 1 : -1) * TRACE_CLOCK_RATE_ASSUMED
                                       : (b[i].offset - b[k].offset) / (b[i].at - b[k].at);
            const double offset = b[i].offset - drift * b[i].at;
            if (drift > TRACE_CLOCK_RATE_ASSUMED * (1 + 1e-9) ||
                drift < -TRACE_CLOCK_RATE_ASSUMED * (1 + 1e-9) || !fits(b, drift, offset))
                continue;
            if (sign * (offset + drift * at) > most) most = sign * (offset + drift * at);
        }
    return sign * most;
}

static void all_lines(void **state)
{
    (void)state;
    static const node_t other = {2000000, 20};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        trace_clock_link_t links[NODES];
        bound_t bounds[BOUNDS];
        static job_t j;
        j = (job_t){.nodes = {&zero, &other, &slow}, .random = seed};
        const uint64_t spread = seed % 2 ? 20000 : 2000000;
        /* the end of node 0's time is known on the clock of node 1 as well as a single message is
         */
        const double near_enough = 4 + (double)spread * 2 * TRACE_CLOCK_RATE_ASSUMED;
        for (int i = 0; i < BOUNDS; i++) {
            const uint64_t at = BEGIN + draw(&j, 10 * SECOND), key = next_key(&j);
            const uint64_t later = at + 1000 + draw(&j, spread);
            const uint32_t from = (uint32_t)(i % 2);
            put(&j, from, key, at, 0);
            put(&j, 1 - from, key, 0, later);
            const uint64_t far = shows(&other, from ? at : later), near = from ? later : at;
            bounds[i] =
                (bound_t){(double)(int64_t)(far - BEGIN), (double)(int64_t)(near - far), from != 0};
        }
        relate(&j, links);
        assert_int_equal(links[1].state, TRACE_CLOCK_RELATED);
        double error = 0;
        for (int i = 0; i < 2; i++) {
            const uint64_t far = shows(&other, i ? BEGIN + 11 * SECOND : BEGIN - SECOND);
            const double at = (double)(int64_t)(far - BEGIN);
            const double high = extreme(bounds, at, 1), low = extreme(bounds, at, -1);
            const double found = (double)(int64_t)(trace_clock_map(&links[1].map, far) - far);
            assert_true(found - (high + low) / 2 < near_enough &&
                        found - (high + low) / 2 > -near_enough);
            if ((high - low) / 2 > error) error = (high - low) / 2;
        }
        assert_in_range(links[1].map.error_ns, (uint64_t)error,
                        (uint64_t)error + (uint64_t)near_enough);
        trace_clock_ends_free(&j.ends);
    }
}

/* ---- plans ---- */

static trace_clock_facts_t process(const node_t *n, long rank, uint64_t day_error)
{
    trace_clock_facts_t f = {.rank = rank, .has_mpi = true};
    for (int i = 0; i < 2; i++) {
        const uint64_t right = i ? BEGIN + 11 * SECOND : BEGIN - SECOND;
        const trace_clock_day_t day = {shows(n, right), right + 1700000000 * SECOND, day_error};
        *(i ? &f.last : &f.first) = day;
    }
    snprintf(f.boot, sizeof(f.boot), "node %d", (int)rank);
    return f;
}

/* Messages count unless the times of day are known to be better. */
static void plans(void **state)
{
    (void)state;
    trace_clock_map_t maps[NODES];
    char text[256];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 7};
    exchange(&j, 0, 1);
    hand_over(&j);
    trace_clock_facts_t facts[] = {process(&zero, 0, 0), process(&fast, 1, 0),
                                   process(&slow, 2, 0)};
    assert_true(trace_clock_wants_ends(facts, NODES));
    for (int i = 0; i < NODES; i++)
        facts[i].has_mpi = false;
    assert_false(trace_clock_wants_ends(facts, NODES));
    assert_int_equal(trace_clock_plan_by(facts, NODES, &j.ends, maps), 1);
    assert_int_equal(maps[0].source, TRACE_CLOCK_SAME);
    assert_int_equal(maps[1].source, TRACE_CLOCK_MPI);
    assert_int_equal(maps[2].source, TRACE_CLOCK_DAY);
    assert_false(trace_clock_bounded(&maps[2]));
    const uint64_t error = maps[1].error_ns;
    for (int i = 0; i < NODES; i++)
        facts[i] = process(j.nodes[i], i, 100);
    assert_int_equal(trace_clock_plan_by(facts, NODES, &j.ends, maps), 1);
    assert_int_equal(maps[1].source, TRACE_CLOCK_DAY);
    assert_int_equal(maps[1].error_ns, 200);
    assert_true(trace_clock_bounded(&maps[1]));
    trace_clock_say(&maps[1], text, sizeof(text));
    assert_non_null(strstr(text, "time of day: -"));
    assert_non_null(strstr(text, ", 0.2 us off at most (as the kernels state)"));
    facts[1].last.error_ns = error; /* it has become worse: 100 ns more than by messages */
    assert_int_equal(trace_clock_plan_by(facts, NODES, &j.ends, maps), 1);
    assert_int_equal(maps[1].source, TRACE_CLOCK_MPI);
    assert_int_equal(maps[1].error_ns, error);
    trace_clock_say(&maps[1], text, sizeof(text));
    assert_non_null(strstr(text, "rank 0's clock by MPI: -"));
    facts[1].last.error_ns = 0; /* not known at the end */
    assert_int_equal(trace_clock_plan_by(facts, NODES, NULL, maps), 1);
    assert_int_equal(maps[1].error_ns, 0);
    facts[1].last = (trace_clock_day_t){0}; /* it was killed */
    assert_int_equal(trace_clock_plan_by(facts, NODES, NULL, maps), 1);
    assert_int_equal(maps[1].error_ns, 0);
    facts[1].last_ns = facts[1].first.boottime_ns + 10 * SECOND;
    assert_int_equal(trace_clock_plan_by(facts, NODES, NULL, maps), 1);
    assert_int_equal(maps[1].error_ns, 100 + 100 + 1000000);
    facts[1].first.error_ns = UINT64_MAX;
    assert_int_equal(trace_clock_plan_by(facts, NODES, NULL, maps), 1);
    assert_int_equal(maps[1].error_ns, UINT64_MAX);
    trace_clock_ends_free(&j.ends);
}

/* Node 0's clock was measured against another reference, by which node 1 then goes, too. */
static void plans_by_both(void **state)
{
    (void)state;
    trace_clock_map_t maps[NODES];
    static job_t j;
    j = (job_t){.nodes = {&zero, &fast, &slow}, .random = 8};
    exchange(&j, 2, 1);
    hand_over(&j);
    trace_clock_facts_t facts[] = {process(&zero, 0, 0), process(&fast, 1, 0),
                                   process(&slow, 2, 0)};
    const trace_clock_point_t own = {7, BEGIN, 0, 0};
    for (int i = 0; i < 2; i++) {
        const uint64_t right = BEGIN + (uint64_t)i * 10 * SECOND, at = shows(&slow, right);
        *(i ? &facts[2].end : &facts[2].begin) =
            (trace_clock_point_t){7, at, (int64_t)(right - at), 3000};
    }
    facts[0].begin = own;
    assert_int_equal(trace_clock_plan_by(facts, NODES, &j.ends, maps), 1);
    assert_int_equal(maps[2].source, TRACE_CLOCK_PING);
    assert_int_equal(maps[1].source, TRACE_CLOCK_DAY); /* no message with the reference's node */
    assert_int_equal(trace_clock_plan_by(facts + 1, 2, NULL, maps), 1);
    for (size_t i = 0; i < j.ends.count; i++)
        j.ends.rows[i].process--;
    for (size_t i = 0; i < j.ends.rank_count; i++)
        j.ends.ranks[i].process--;
    assert_int_equal(trace_clock_plan_by(facts + 1, 2, &j.ends, maps), 1);
    assert_int_equal(maps[0].source, TRACE_CLOCK_MPI);
    assert_in_range(maps[0].error_ns, 3000, 14000);
    const uint64_t right = BEGIN + 5 * SECOND;
    const int64_t by = (int64_t)(trace_clock_map(&maps[0], shows(&fast, right)) - right);
    assert_in_range((uint64_t)(by < 0 ? -by : by), 0, maps[0].error_ns);
    trace_clock_ends_free(&j.ends);
}

/* ---- texts ---- */

static void texts(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static const char *const bad[] = {"", "1", "1 2", "x 1 2 3", "0 3 -", "0 2 10 zz"};
    trace_clock_end_t ends[COUNT], kept[COUNT];
    trace_clock_ends_t read = {0};
    char text[TRACE_CLOCK_ENDS_TEXT];
    for (uint64_t i = 0; i < COUNT; i++)
        ends[i] = (trace_clock_end_t){(i + 1) * 0x9e3779b97f4a7c15u, i % 3 ? BEGIN + i : 0,
                                      i % 3 != 1 ? BEGIN + 7 * i : 0};
    for (size_t done = 0; done < COUNT;) {
        const size_t more = trace_clock_ends_put(ends + done, COUNT - done, 1, 4, text);
        assert_in_range(more, 1, COUNT - done);
        assert_true(trace_clock_ends_add(&read, 9, text, COUNT));
        done += more;
    }
    assert_int_equal(read.count, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_memory_equal(&read.rows[i].end, &ends[i], sizeof(ends[i]));
    trace_clock_ends_free(&read);
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_true(trace_clock_ends_add(&read, 0, bad[i], 10));
    assert_int_equal(read.count, 0);
    trace_clock_ends_free(&read);
    /* who keeps fewer keeps some of those that others keep */
    memcpy(kept, ends, sizeof(ends));
    uint64_t mask = 0, narrow = 0;
    const size_t many = trace_clock_ends_thin(kept, COUNT, sizeof(*kept), 400, &mask);
    assert_in_range(many, 150, 400);
    trace_clock_end_t few[COUNT];
    memcpy(few, ends, sizeof(ends));
    const size_t left = trace_clock_ends_thin(few, COUNT, sizeof(*few), 60, &narrow);
    assert_in_range(left, 20, 60);
    for (size_t i = 0, at = 0; i < left; i++, at++) {
        while (at < many && kept[at].key != few[i].key)
            at++;
        assert_true(at < many);
    }
}

/* What is kept of a process depends neither on the order of its rows nor on what they are. */
static void kept(void **state)
{
    (void)state;
    enum { COUNT = 600, MOST = 60, REPEATED = 513 };
    trace_clock_end_t ends[COUNT];
    trace_clock_ends_t read[2] = {{0}}, hostile = {0};
    char text[TRACE_CLOCK_ENDS_TEXT], longest[TRACE_CLOCK_ENDS_TEXT + 1] = "0 2 1";
    for (uint64_t i = 0; i < COUNT; i++)
        ends[i] = (trace_clock_end_t){(i + 1) * 0x9e3779b97f4a7c15u, BEGIN + i, 0};
    for (size_t order = 0; order < 2; order++)
        for (size_t i = 0; i < COUNT; i += 50) {
            const trace_clock_end_t *row = ends + (order ? COUNT - 50 - i : i);
            assert_int_equal(trace_clock_ends_put(row, 50, 1, 4, text), 50);
            assert_true(trace_clock_ends_add(&read[order], 3, text, MOST));
        }
    assert_in_range(read[0].count, MOST / 3, MOST);
    assert_int_equal(read[0].count, read[1].count);
    for (size_t i = 0, found = 0; i < read[0].count; i++, found = 0) {
        for (size_t k = 0; k < read[1].count; k++)
            found += read[1].rows[k].end.key == read[0].rows[i].end.key;
        assert_int_equal(found, 1);
    }
    for (int i = 0; i < REPEATED; i++)
        strcat(longest, " 0 1 1");
    assert_true(trace_clock_ends_add(&hostile, 0, longest, 512)); /* no bit removes a key of 0 */
    assert_int_equal(hostile.count, 512);
    memset(longest, ' ', TRACE_CLOCK_ENDS_TEXT);
    memcpy(longest, "0 2 1 5 1 1", strlen("0 2 1 5 1 1"));
    assert_true(trace_clock_ends_add(&hostile, 1, longest, 512)); /* longer than any that is made */
    assert_int_equal(hostile.count, 512);
    longest[TRACE_CLOCK_ENDS_TEXT - 1] = 0;
    assert_true(trace_clock_ends_add(&hostile, 1, longest, 512));
    assert_int_equal(hostile.count, 513);
    for (int i = 0; i < 2; i++)
        trace_clock_ends_free(&read[i]);
    trace_clock_ends_free(&hostile);
}

static void ntp(void **state)
{
    (void)state;
    char text[TRACE_CLOCK_NTP_TEXT];
    assert_int_equal(trace_clock_read_ntp("sync 1500000 20000"), 1500000);
    assert_int_equal(trace_clock_read_ntp("unsync"), 0);
    assert_int_equal(trace_clock_read_ntp("sync 15"), 0);
    assert_int_equal(trace_clock_read_ntp("sync 15 16 17"), 0);
    assert_int_equal(trace_clock_read_ntp(""), 0);
    assert_int_equal(trace_clock_read_ntp("sync 0 0"), 0);                /* systemd-timesyncd */
    assert_int_equal(trace_clock_read_ntp("sync 500000 0"), 0);           /* and some time later */
    assert_int_equal(trace_clock_read_ntp("sync 500000 16000000000"), 0); /* phc2sys */
    assert_int_equal(trace_clock_read_ntp("sync 500000 500000"), 500000);
    if (trace_clock_ask_ntp(text))
        assert_true(!strncmp(text, "sync ", 5) || !strcmp(text, "unsync"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages),   cmocka_unit_test(by_way_of_another),
        cmocka_unit_test(barriers),   cmocka_unit_test(one_way),
        cmocka_unit_test(two_runs),   cmocka_unit_test(set_meanwhile),
        cmocka_unit_test(any_order),  cmocka_unit_test(all_lines),
        cmocka_unit_test(plans),      cmocka_unit_test(plans_by_both),
        cmocka_unit_test(texts),      cmocka_unit_test(ntp),
        cmocka_unit_test(slewed),     cmocka_unit_test(rooted),
        cmocka_unit_test(kept),       cmocka_unit_test(most_are_odd),
        cmocka_unit_test(one_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
