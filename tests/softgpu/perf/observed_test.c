/* observed_test.c - counters of a device whose kernels are also in the statistics of --stats.
 *
 * A program of its own because the environment is read once. Both look at the same instructions. */
#include "counting.h"

#include "asm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char text[] = "v_mov_b32 v1, 0\n"
                           "s_mov_b32 s8, 0\n"
                           "s_nop 0\n"
                           "v_add_u32 v1, v1, v1\n"
                           "s_endpgm\n";

/* SQ_INSTS, SQ_INSTS_VALU, SQ_WAVES and, `modelled`, SQ_WAVE_CYCLES. */
static void count(counting_t *c, bool modelled, uint64_t out[4])
{
    static const unsigned events[] = {25, 26, 4, 74};
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, text, NULL), .grid = {10 * 128}, .group = {128}};
    counting_sq(c, &d, 2, events, modelled ? 4 : 3, out);
}

static void test_both(void **state)
{
    (void)state;
    for (unsigned modelled = 0; modelled < 2; modelled++) {
        uint64_t out[4] = {0};
        count(counting_create(2, 1), modelled, out);
        assert_int_equal(out[0], 20 * 5);
        assert_int_equal(out[1], 20 * 2);
        assert_int_equal(out[2], 20);
        /* 20 clocks of its own and a fetch: between a hit and memory */
        if (modelled) assert_in_range(out[3], 20 * (30 + 20) / 4, 20 * (800 + 20) / 4);
    }
}

/* What --stats reports: 2 dispatches, 40 waves of 5 instructions. */
static void test_report(void **state)
{
    static const char path[] = "observed_test.txt";
    char line[256], expected[] = "  2 dispatches, 40 waves, 200 wave instructions";
    bool found = false;
    (void)state;
    sg_observe_report();
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        found |= !strncmp(line, expected, strlen(expected));
    fclose(f);
    remove(path);
    assert_true(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both), cmocka_unit_test(test_report)};
    setenv("SOFTGPU_STATS", "1", 1);
    setenv("SOFTGPU_TRACE_FILE", "observed_test.txt", 1);
    remove("observed_test.txt");
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
