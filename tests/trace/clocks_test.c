/* clocks_test.c - plans for clocks whose right time is known: two nodes or three, measured at two
 * moments, at one, or by the times of day alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trace/clocks.h"

enum { REFERENCE = 77 };

#define SECOND 1000000000LL

/* A node: its clock is `shift` ahead at 1000 s and `ppm` fast, its time of day `day` wrong. */
typedef struct {
    const char *boot;
    int64_t shift;
    double ppm;
    int64_t day;
} node_t;

static const node_t zero = {"zero", 0, 0, 0}, fast = {"fast", 5 * SECOND, 50, 300},
                    slow = {"slow", -3 * SECOND, -20, -40000};

static uint64_t shows(const node_t *n, uint64_t right)
{
    return right + (uint64_t)n->shift +
           (uint64_t)(int64_t)((double)(int64_t)(right - 1000 * SECOND) * n->ppm * 1e-6);
}

static trace_clock_day_t day_at(const node_t *n, uint64_t right)
{
    return (trace_clock_day_t){shows(n, right), right + 1700000000 * SECOND + (uint64_t)n->day, 0};
}

static trace_clock_point_t point_at(const node_t *n, uint64_t right, uint64_t error)
{
    return (trace_clock_point_t){REFERENCE, shows(n, right), (int64_t)(right - shows(n, right)),
                                 error};
}

/* A process that ran from 1000 s to 1060 s. */
static trace_clock_facts_t process(const node_t *n, long rank)
{
    trace_clock_facts_t f = {.rank = rank,
                             .first = day_at(n, 1000 * SECOND),
                             .last = day_at(n, 1060 * SECOND),
                             .last_ns = shows(n, 1060 * SECOND)};
    snprintf(f.boot, sizeof(f.boot), "%s", n->boot);
    return f;
}

static trace_clock_facts_t pinged(const node_t *n, long rank, uint64_t error)
{
    trace_clock_facts_t f = process(n, rank);
    f.begin = point_at(n, 1000 * SECOND, error);
    f.end = point_at(n, 1060 * SECOND, error);
    return f;
}

/* How far the map is off at most while the process runs, ns. */
static uint64_t off(const trace_clock_map_t *m, const node_t *n)
{
    uint64_t most = 0;
    for (uint64_t right = 1000 * SECOND; right <= 1060 * SECOND; right += SECOND / 7) {
        const int64_t by = (int64_t)(trace_clock_map(m, shows(n, right)) - right);
        const uint64_t size = (uint64_t)(by < 0 ? -by : by);
        if (size > most) most = size;
    }
    return most;
}

static void measured(void **state)
{
    (void)state;
    trace_clock_map_t maps[4];
    const trace_clock_facts_t facts[] = {pinged(&fast, 2, 5000), pinged(&zero, 0, 0),
                                         pinged(&slow, 3, 7000), pinged(&fast, 1, 4000)};
    assert_int_equal(trace_clock_plan(facts, 4, maps), 1);
    assert_int_equal(maps[1].source, TRACE_CLOCK_SAME);
    assert_in_range(off(&maps[0], &fast), 0, 10);
    assert_in_range(off(&maps[2], &slow), 0, 10);
    assert_int_equal(maps[2].error_ns, 7000);
    /* both processes of a node have one map, the better one */
    assert_memory_equal(&maps[0], &maps[3], sizeof(maps[0]));
    assert_int_equal(maps[0].error_ns, 4000);
    assert_true(maps[0].drift_known);
}

static void one_moment(void **state)
{
    (void)state;
    trace_clock_map_t maps[2];
    trace_clock_facts_t facts[] = {pinged(&zero, 0, 0), pinged(&fast, 1, 5000)};
    facts[1].end = (trace_clock_point_t){0};
    assert_int_equal(trace_clock_plan(facts, 2, maps), 1);
    assert_false(maps[1].drift_known);
    /* 60 s of 50 ppm are within 60 s of the 100 ppm that are assumed */
    assert_in_range(off(&maps[1], &fast), 2900000, 3100000);
    assert_in_range(maps[1].error_ns, 6000000, 6010000);
}

static void times_of_day(void **state)
{
    (void)state;
    trace_clock_map_t maps[3];
    const trace_clock_facts_t facts[] = {process(&slow, 4), process(&zero, 3), process(&fast, 9)};
    assert_int_equal(trace_clock_plan(facts, 3, maps), 1);
    assert_int_equal(maps[1].source, TRACE_CLOCK_SAME); /* the lowest rank */
    assert_int_equal(maps[0].source, TRACE_CLOCK_DAY);
    assert_in_range(off(&maps[0], &slow), 39900, 40100);
    assert_in_range(off(&maps[2], &fast), 200, 400);
}

/* Rank 0's node was measured, another was not: it has the time of day of rank 0's. */
static void some_measured(void **state)
{
    (void)state;
    trace_clock_map_t maps[3];
    trace_clock_facts_t facts[] = {process(&slow, 1), pinged(&fast, 2, 5000), pinged(&zero, 0, 0)};
    assert_int_equal(trace_clock_plan(facts, 3, maps), 1);
    assert_int_equal(maps[0].source, TRACE_CLOCK_DAY);
    assert_in_range(off(&maps[0], &slow), 39900, 40100);
    assert_int_equal(maps[1].source, TRACE_CLOCK_PING);
    /* without rank 0's node, by way of the one that was measured */
    assert_int_equal(trace_clock_plan(facts, 2, maps), 1);
    assert_int_equal(maps[1].source, TRACE_CLOCK_PING);
    assert_in_range(off(&maps[1], &fast), 0, 10);
    assert_in_range(off(&maps[0], &slow), 40200, 40400);
}

/* Measured against a rank 0 that is another's: no help. */
static void another_reference(void **state)
{
    (void)state;
    trace_clock_map_t maps[2];
    trace_clock_facts_t facts[] = {pinged(&zero, 0, 0), pinged(&fast, 1, 5000)};
    facts[1].begin.reference = facts[1].end.reference = REFERENCE + 1;
    facts[1].begin.offset_ns += SECOND;
    assert_int_equal(trace_clock_plan(facts, 2, maps), 1);
    assert_int_equal(maps[1].source, TRACE_CLOCK_DAY);
    assert_in_range(off(&maps[1], &fast), 200, 400);
}

static void nothing_to_do(void **state)
{
    (void)state;
    trace_clock_map_t maps[2];
    trace_clock_facts_t same[] = {pinged(&fast, 0, 0), pinged(&fast, 1, 5000)};
    assert_int_equal(trace_clock_plan(same, 2, maps), 0);
    assert_int_equal(trace_clock_map(&maps[1], 12345), 12345);
    trace_clock_facts_t old[] = {process(&zero, 0), process(&fast, 1)};
    old[1].boot[0] = 0; /* a database that does not tell */
    assert_int_equal(trace_clock_plan(old, 2, maps), 0);
    old[1] = process(&fast, 1);
    old[1].first.realtime_ns = 0;
    assert_int_equal(trace_clock_plan(old, 2, maps), 0);
    assert_int_equal(maps[1].source, TRACE_CLOCK_ALONE);
    assert_int_equal(trace_clock_plan(old, 0, maps), 0);
}

/* The time of day was set while the process ran: its two moments make no rate. */
static void set_meanwhile(void **state)
{
    (void)state;
    trace_clock_map_t maps[2];
    trace_clock_facts_t facts[] = {process(&zero, 0), process(&fast, 1)};
    facts[1].last.realtime_ns += 3600 * SECOND;
    assert_int_equal(trace_clock_plan(facts, 2, maps), 1);
    assert_in_range(off(&maps[1], &fast), 0, 3100000);
}

static void texts(void **state)
{
    (void)state;
    static const char *const bad[] = {NULL, "", "0 1 2 3", "77 1 2", "x 1 2 3", "77 1 2 3 4"};
    const trace_clock_point_t p = {UINT64_MAX, 123456789012345, -5000000001, 4321};
    trace_clock_point_t again;
    char text[TRACE_CLOCK_TEXT];
    trace_clock_put(&p, text);
    assert_true(trace_clock_read(text, &again));
    assert_memory_equal(&p, &again, sizeof(p));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_false(trace_clock_read(bad[i], &again));
        assert_int_equal(again.reference, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured),          cmocka_unit_test(one_moment),
        cmocka_unit_test(times_of_day),      cmocka_unit_test(some_measured),
        cmocka_unit_test(another_reference), cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(set_meanwhile),     cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
