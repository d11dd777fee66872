/* nap_test.c - waves in s_sleep: as long as they ask for, not a thousand times longer, and whoever
 * they wait for goes on meanwhile.
 *
 * What a sleep takes at most depends on the host: the best of some tries is compared with a bound
 * that is far from what any host needs. */
#include "rig.h"

#include "asm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* At its end a sleep may be short of two microseconds, which no thread of the host can sleep. */
enum { TRIES = 5, CLOCKS_PER_MS = 1700000, SHORT_OF = 4000 };

/* The race detector looks at every turn of a wave that sleeps. */
#ifdef __SANITIZE_THREAD__
enum { MANY_MS = 5000 };
#else
enum { MANY_MS = 500 };
#endif

/* args[1] times s_sleep SLEEP; the clocks that the slowest wave took to *args[0]. */
#define SLEEPER(sleep)                                                                             \
    "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"                                                        \
    "s_waitcnt lgkmcnt(0)\n"                                                                       \
    "s_memtime s[12:13]\n"                                                                         \
    "again: s_sleep " #sleep "\n"                                                                  \
    "s_sub_u32 s10, s10, 1\n"                                                                      \
    "s_cmp_lg_u32 s10, 0\n"                                                                        \
    "s_cbranch_scc1 again\n"                                                                       \
    "s_memtime s[14:15]\n"                                                                         \
    "s_waitcnt lgkmcnt(0)\n"                                                                       \
    "s_sub_u32 s14, s14, s12\n"                                                                    \
    "s_subb_u32 s15, s15, s13\n"                                                                   \
    "v_mov_b32 v1, 0\n"                                                                            \
    "v_mov_b32 v2, s14\n"                                                                          \
    "v_mov_b32 v3, s15\n"                                                                          \
    "s_mov_b64 exec, 1\n"                                                                          \
    "global_atomic_umax_x2 v1, v[2:3], s[8:9]\n"                                                   \
    "s_endpgm\n"

/* The clocks of the slowest of so many waves, in the best of some tries. */
static uint64_t clocks_of(const char *text, uint64_t times, uint32_t waves)
{
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t kernel = rig_kernel(r, text, NULL), best = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t cell = rig_alloc(r, 8), args = rig_alloc(r, 16), signal = rig_signal(r, 1);
        memcpy(rig_ptr(r, args), (uint64_t[]){cell, times}, 16);
        rig_dispatch(&q, &(rig_dispatch_t){.kernel = kernel,
                                           .signal = signal,
                                           .args = args,
                                           .grid = {waves * 64},
                                           .group = {64}});
        assert_true(rig_wait(r, signal, 0));
        const uint64_t clocks = *(uint64_t *)rig_ptr(r, cell);
        if (clocks < best) best = clocks;
    }
    rig_close(&q);
    return best;
}

/* 2,000 x 127 x 64 clocks are 9.6 ms. */
static void test_long_sleeps(void **state)
{
    (void)state;
    const uint64_t clocks = clocks_of(SLEEPER(127), 2000, 1);
    assert_true(clocks + SHORT_OF >= 2000 * 127 * 64);
    assert_true(clocks < 10 * 2000 * 127 * 64);
}

/* 1,000 x 64 clocks are 38 us; what the host needs for a thousand turns is added. */
static void test_short_sleeps(void **state)
{
    (void)state;
    const uint64_t clocks = clocks_of(SLEEPER(1), 1000, 1);
    assert_true(clocks + SHORT_OF >= 1000 * 64);
    assert_true(clocks < 20 * CLOCKS_PER_MS);
}

static void test_many_sleepers(void **state)
{
    (void)state;
    const uint64_t clocks = clocks_of(SLEEPER(1), 1000, 128);
    assert_true(clocks + SHORT_OF >= 1000 * 64);
    assert_true(clocks < (uint64_t)MANY_MS * CLOCKS_PER_MS);
}

/* Adds 1 to *args[0] and sleeps until it is at least args[1]. */
static const char sleepy_meet_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                       "v_mov_b32 v1, 0\n"
                                       "v_mov_b32 v2, 1\n"
                                       "s_mov_b64 exec, 1\n"
                                       "s_waitcnt lgkmcnt(0)\n"
                                       "global_atomic_add v1, v2, s[8:9]\n"
                                       "again: s_sleep 2\n"
                                       "global_load_dword v3, v1, s[8:9] glc\n"
                                       "s_waitcnt vmcnt(0)\n"
                                       "v_readfirstlane_b32 s14, v3\n"
                                       "s_cmp_lt_u32 s14, s10\n"
                                       "s_cbranch_scc1 again\n"
                                       "s_endpgm\n";

/* Kernels of four queues that wait for each other, asleep and not, in each of many rounds: nobody
 * goes on if one of them is starved. */
static void test_kernels_wait_for_each_other(void **state)
{
    enum { QUEUES = 4, GROUPS = 8, ROUNDS = 50 };
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q[QUEUES];
    char awake[sizeof sleepy_meet_text];
    strcpy(awake, sleepy_meet_text);
    memcpy(strstr(awake, "s_sleep 2"), "s_nop 2  ", 9);
    const uint64_t kernels[] = {rig_kernel(r, sleepy_meet_text, NULL), rig_kernel(r, awake, NULL)};
    for (int i = 0; i < QUEUES; i++)
        assert_true(rig_aql(r, &q[i]));
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t cell = rig_alloc(r, 4), args = rig_alloc(r, 16), signal = rig_signal(r, QUEUES);
        memcpy(rig_ptr(r, args), (uint64_t[]){cell, QUEUES * GROUPS}, 16);
        for (int i = 0; i < QUEUES; i++)
            rig_dispatch(&q[i], &(rig_dispatch_t){.kernel = kernels[i % 2],
                                                  .signal = signal,
                                                  .args = args,
                                                  .grid = {GROUPS * 64},
                                                  .group = {64}});
        assert_true(rig_wait(r, signal, 0));
    }
    for (int i = 0; i < QUEUES; i++)
        rig_close(&q[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_sleeps),
        cmocka_unit_test(test_short_sleeps),
        cmocka_unit_test(test_many_sleepers),
        cmocka_unit_test(test_kernels_wait_for_each_other),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
