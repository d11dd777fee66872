/* bandwidth_test.c - the time of memory: who asks first is served first, in whatever order they
 * come.
 *
 * Against memory that is told clock by clock which of its clocks are taken. */
#include "../../tool.h"
#include "softgpu/perf/bandwidth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void in_order(void **state)
{
    sg_bandwidth_t b = {0};
    (void)state;
    assert_int_equal(sg_bandwidth_take(&b, 10, 5), 15);
    assert_int_equal(sg_bandwidth_take(&b, 12, 5), 20); /* behind it */
    assert_int_equal(sg_bandwidth_take(&b, 30, 5), 35);
    assert_int_equal(sg_bandwidth_take(&b, 40, 0), 40); /* asks for nothing: does not wait */
    assert_int_equal(b.busy, 15);
}

/* A late asker holds up nobody who asks sooner. */
static void late_first(void **state)
{
    sg_bandwidth_t b = {0};
    (void)state;
    assert_int_equal(sg_bandwidth_take(&b, 100, 10), 110);
    assert_int_equal(sg_bandwidth_take(&b, 20, 10), 30);
    assert_int_equal(sg_bandwidth_take(&b, 25, 10), 40);
    assert_int_equal(sg_bandwidth_take(&b, 90, 30),
                     130);                              /* what is left before it, and behind it */
    assert_int_equal(sg_bandwidth_take(&b, 0, 70), 90); /* 0 to 20, 40 to 90 */
    assert_int_equal(sg_bandwidth_take(&b, 0, 1), 131);
    assert_int_equal(b.busy, 131);
}

enum { CLOCKS = 4096, ASKERS = 60 };

static uint64_t by_clock(bool *taken, uint64_t asked, uint64_t takes)
{
    uint64_t t = asked;
    for (; takes; t++) {
        takes -= !taken[t];
        taken[t] = true;
    }
    return t;
}

static void any_order(void **state)
{
    static bool taken[CLOCKS];
    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        sg_bandwidth_t b = {0};
        memset(taken, 0, sizeof taken);
        for (int k = 0; k < ASKERS; k++) {
            const uint64_t asked = (uint64_t)rand() % 2000, takes = 1 + (uint64_t)rand() % 30;
            assert_int_equal(sg_bandwidth_take(&b, asked, takes), by_clock(taken, asked, takes));
        }
    }
}

/* More gaps than are kept: the first are forgotten, nothing else is. */
static void many_gaps(void **state)
{
    enum { MORE = 5 };
    sg_bandwidth_t b = {0};
    (void)state;
    for (uint64_t k = 0; k < SG_BANDWIDTH_GAPS + MORE; k++)
        assert_int_equal(sg_bandwidth_take(&b, 10 * k + 5, 5), 10 * k + 10);
    assert_int_equal(sg_bandwidth_take(&b, 0, 1), 10 * MORE + 1);
    assert_int_equal(sg_bandwidth_take(&b, 55, 1), 10 * MORE + 11);
    assert_int_equal(sg_bandwidth_take(&b, 10 * SG_BANDWIDTH_GAPS, 1), 10 * SG_BANDWIDTH_GAPS + 1);
    assert_int_equal(sg_bandwidth_take(&b, 10 * (SG_BANDWIDTH_GAPS - 50) + 2, 2),
                     10 * (SG_BANDWIDTH_GAPS - 50) + 4); /* in the middle: one gap more */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(late_first),
                                       cmocka_unit_test(any_order), cmocka_unit_test(many_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
