/* sched_test.c - workgroups that need each other, queues that need each other, sleep and wake.
 *
 * Progress is the subject: every test here deadlocks if somebody is starved. */
#include "rig.h"

#include "asm.h"

#include <hsa/hsa.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

static uint64_t args(rig_t *r, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t va = rig_alloc(r, 32);
    memcpy(rig_ptr(r, va), (uint64_t[]){a, b, c}, 24);
    return va;
}

/* Until a kernel runs or a queue sleeps. Neither is told to anybody; where it takes longer, as on a
 * busy machine, the test asks less, and does not fail. */
static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Adds 1 to *args[0], then spins until it is at least args[1], then adds 1 to *args[2]. */
static const char meet_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                "s_load_dwordx2 s[12:13], s[0:1], 0x10\n"
                                "v_mov_b32 v1, 0\n"
                                "v_mov_b32 v2, 1\n"
                                "s_mov_b64 exec, 1\n"
                                "s_waitcnt lgkmcnt(0)\n"
                                "global_atomic_add v1, v2, s[8:9]\n"
                                "again: global_load_dword v3, v1, s[8:9] glc\n"
                                "s_waitcnt vmcnt(0)\n"
                                "v_readfirstlane_b32 s14, v3\n"
                                "s_cmp_lt_u32 s14, s10\n"
                                "s_cbranch_scc1 again\n"
                                "global_atomic_add v1, v2, s[12:13]\n"
                                "s_endpgm\n";

/* All workgroups of one dispatch are resident together: 2 units of 32 waves. */
static void test_grid_barrier(void **state)
{
    enum { GROUPS = 64 };
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t cell = rig_alloc(r, 4), passed = rig_alloc(r, 4), signal = rig_signal(r, 1);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, meet_text, NULL),
                                       .signal = signal,
                                       .args = args(r, cell, GROUPS, passed),
                                       .grid = {GROUPS * 64},
                                       .group = {64}});
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, passed), GROUPS);
    rig_close(&q);
}

/* Adds 1 to args[0][0], keeps the largest value that it had before in args[0][1], loops for several
 * turns and takes the 1 back. */
static const char counted_text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                                   "v_mov_b32 v1, 0\n"
                                   "v_mov_b32 v2, 1\n"
                                   "s_mov_b64 exec, 1\n"
                                   "s_waitcnt lgkmcnt(0)\n"
                                   "global_atomic_add v3, v1, v2, s[8:9] glc\n"
                                   "s_waitcnt vmcnt(0)\n"
                                   "global_atomic_umax v1, v3, s[8:9] offset:4\n"
                                   "s_mov_b32 s10, 200000\n"
                                   "again: s_sub_u32 s10, s10, 1\n"
                                   "s_cmp_lg_u32 s10, 0\n"
                                   "s_cbranch_scc1 again\n"
                                   "v_mov_b32 v2, -1\n"
                                   "global_atomic_add v1, v2, s[8:9]\n"
                                   "s_endpgm\n";

/* However long no workgroup ends, a queue has never more waves in flight than the GPU has slots. */
static void test_wave_slots(void **state)
{
    enum { SLOTS = 32 };
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t cells = rig_alloc(r, 8), signal = rig_signal(r, 1);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, counted_text, NULL),
                                       .signal = signal,
                                       .args = args(r, cells, 0, 0),
                                       .grid = {2 * SLOTS * 64},
                                       .group = {64}});
    assert_true(rig_wait(r, signal, 0));
    const uint32_t *left = rig_ptr(r, cells), *most_before = left + 1;
    assert_int_equal(*left, 0);
    assert_int_equal(*most_before + 1, SLOTS);
    rig_close(&q);
}

/* A dispatch that fills the GPU waits for one on another queue, which must get in all the same. */
static void test_queues_wait_for_each_other(void **state)
{
    enum { GROUPS = 32 };
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t a, b;
    assert_true(rig_aql(r, &a) && rig_aql(r, &b));
    uint64_t kernel = rig_kernel(r, meet_text, NULL);
    uint64_t cell = rig_alloc(r, 4), passed = rig_alloc(r, 4), sa = rig_signal(r, 1),
             sb = rig_signal(r, 1);
    rig_dispatch_t d = {.kernel = kernel,
                        .args = args(r, cell, GROUPS + 1, passed),
                        .signal = sa,
                        .grid = {GROUPS * 64},
                        .group = {64}};
    rig_dispatch(&a, &d);
    sleep_ms(3);
    d.signal = sb;
    d.grid[0] = 64;
    rig_dispatch(&b, &d);
    assert_true(rig_wait(r, sa, 0) && rig_wait(r, sb, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, passed), GROUPS + 1);
    rig_close(&a);
    rig_close(&b);
}

/* Two dispatches of one queue without barrier bits run at the same time. */
static void test_dispatches_overlap(void **state)
{
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t kernel = rig_kernel(r, meet_text, NULL);
    uint64_t cell = rig_alloc(r, 4), passed = rig_alloc(r, 4), signal = rig_signal(r, 2);
    rig_dispatch_t d = {.kernel = kernel,
                        .args = args(r, cell, 2, passed),
                        .signal = signal,
                        .grid = {64},
                        .group = {64}};
    rig_dispatch(&q, &d);
    rig_dispatch(&q, &d);
    assert_true(rig_wait(r, signal, 0));
    rig_close(&q);
}

/* Sums lane values through LDS with barriers: every workgroup's LDS is its own. */
static void test_lds_and_barriers(void **state)
{
    static const char text[] = /* 256 work-items: out[group] = sum of (group * 256 + lane) */
        "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
        "s_lshl_b32 s10, s2, 8\n"
        "v_add_u32 v1, s10, v0\n"
        "v_lshlrev_b32 v2, 2, v0\n"
        "ds_write_b32 v2, v1\n"
        "s_movk_i32 s11, 128\n"
        "next: s_waitcnt lgkmcnt(0)\n"
        "s_barrier\n"
        "v_cmp_gt_u32 vcc, s11, v0\n"
        "s_and_saveexec_b64 s[12:13], vcc\n"
        "s_lshl_b32 s14, s11, 2\n"
        "v_add_u32 v3, s14, v2\n"
        "ds_read_b32 v4, v3\n"
        "ds_read_b32 v5, v2\n"
        "s_waitcnt lgkmcnt(0)\n"
        "v_add_u32 v5, v4, v5\n"
        "ds_write_b32 v2, v5\n"
        "s_mov_b64 exec, s[12:13]\n"
        "s_lshr_b32 s11, s11, 1\n"
        "s_cmp_lg_u32 s11, 0\n"
        "s_cbranch_scc1 next\n"
        "v_cmp_eq_u32 vcc, 0, v0\n"
        "s_and_saveexec_b64 s[12:13], vcc\n"
        "ds_read_b32 v5, v2\n"
        "s_lshl_b32 s14, s2, 2\n"
        "v_mov_b32 v6, s14\n"
        "s_waitcnt lgkmcnt(0)\n"
        "global_store_dword v6, v5, s[8:9]\n"
        "s_endpgm\n";
    enum { GROUPS = 3000 };
    (void)state;
    rig_t *r = rig_create(4);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t out = rig_alloc(r, 4 * GROUPS), signal = rig_signal(r, 1);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, text, &(rig_kernel_t){.id_axes = 1}),
                                       .args = args(r, out, 0, 0),
                                       .signal = signal,
                                       .lds = 1024,
                                       .grid = {GROUPS * 256},
                                       .group = {256}});
    assert_true(rig_wait(r, signal, 0));
    const uint32_t *sum = rig_ptr(r, out);
    for (uint32_t g = 0; g < GROUPS; g++)
        assert_int_equal(sum[g], g * 256u * 256u + 255u * 128u);
    rig_close(&q);
}

static const char endless_text[] = "again: s_branch again\n";
static const char sleeper_text[] = "again: s_sleep 10\ns_branch again\n";
static const char barriers_text[] = "again: s_barrier\ns_branch again\n";

/* Destruction does not wait for a kernel that never ends, whatever it is doing. */
static void test_destroy_while_running(void **state)
{
    static const char *const texts[] = {endless_text, sleeper_text, barriers_text};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        rig_t *r = rig_create(2);
        rig_queue_t q, other;
        assert_true(rig_aql(r, &q) && rig_aql(r, &other));
        uint64_t never = rig_signal(r, 1), cell = rig_alloc(r, 4), passed = rig_alloc(r, 4),
                 done = rig_signal(r, 1);
        rig_dispatch_t d = {.kernel = rig_kernel(r, texts[i], NULL),
                            .signal = never,
                            .grid = {100 * 256},
                            .group = {256}};
        rig_dispatch(&q, &d);
        rig_dispatch(&q, &d);
        sleep_ms(10);
        rig_close(&q);
        assert_int_equal(rig_signal_at(r, never)->value, 1);
        rig_dispatch(&other, &(rig_dispatch_t){.kernel = rig_kernel(r, meet_text, NULL),
                                               .signal = done,
                                               .args = args(r, cell, 1, passed)});
        assert_true(rig_wait(r, done, 0));
        rig_close(&other);
    }
}

/* While one queue runs a kernel without end, another goes on. */
static void test_long_kernel_blocks_nobody(void **state)
{
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t a, b;
    assert_true(rig_aql(r, &a) && rig_aql(r, &b));
    uint64_t cell = rig_alloc(r, 4), passed = rig_alloc(r, 4), done = rig_signal(r, 50);
    rig_dispatch(&a, &(rig_dispatch_t){.kernel = rig_kernel(r, endless_text, NULL),
                                       .grid = {1000 * 64},
                                       .group = {64}});
    sleep_ms(5);
    uint64_t kernel = rig_kernel(r, meet_text, NULL);
    for (int i = 0; i < 50; i++)
        rig_dispatch(&b, &(rig_dispatch_t){.kernel = kernel,
                                           .signal = done,
                                           .grid = {64 * 4},
                                           .group = {64},
                                           .args = args(r, cell, 1, passed),
                                           .barrier = true});
    assert_true(rig_wait(r, done, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, passed), 200);
    rig_close(&a);
    rig_close(&b);
}

/* HW_ID of every wave stays within the CU mask. */
static void test_cu_mask(void **state)
{
    static const char text[] = /* atomically ors 1 << (CU number) into *args[0] */
        "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
        "s_getreg_b32 s10, hwreg(HW_REG_HW_ID, 8, 4)\n"
        "s_lshl_b32 s10, 1, s10\n"
        "v_mov_b32 v1, 0\n"
        "v_mov_b32 v2, s10\n"
        "s_mov_b64 exec, 1\n"
        "s_waitcnt lgkmcnt(0)\n"
        "global_atomic_or v1, v2, s[8:9]\n"
        "s_endpgm\n";
    (void)state;
    rig_t *r = rig_create(8);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t kernel = rig_kernel(r, text, NULL);
    static const uint32_t masks[] = {0xff, 0x24};
    for (size_t i = 0; i < 2; i++) {
        uint64_t cell = rig_alloc(r, 4), signal = rig_signal(r, 16);
        assert_int_equal(sg_queue_set_cu_mask(q.queue, &masks[i], 32), 0);
        for (int n = 0; n < 16; n++)
            rig_dispatch(&q, &(rig_dispatch_t){.kernel = kernel,
                                               .args = args(r, cell, 0, 0),
                                               .signal = signal,
                                               .grid = {64 * 64},
                                               .group = {64}});
        assert_true(rig_wait(r, signal, 0));
        assert_int_equal(*(uint32_t *)rig_ptr(r, cell), masks[i]);
    }
    rig_close(&q);
}

/* Of a longer mask before, nothing stays: the first names units 64 to 79, the second unit 0 alone.
 */
static void test_cu_mask_shorter(void **state)
{
    static const char text[] = /* atomically ors 1 << (engine number) into *args[0] */
        "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
        "s_getreg_b32 s10, hwreg(HW_REG_HW_ID, 13, 3)\n"
        "s_lshl_b32 s10, 1, s10\n"
        "v_mov_b32 v1, 0\n"
        "v_mov_b32 v2, s10\n"
        "s_mov_b64 exec, 1\n"
        "s_waitcnt lgkmcnt(0)\n"
        "global_atomic_or v1, v2, s[8:9]\n"
        "s_endpgm\n";
    (void)state;
    rig_t *r = rig_create_shaped(8, 10);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    static const uint32_t longer[] = {0, 0, 0xffff}, shorter[] = {1};
    assert_int_equal(sg_queue_set_cu_mask(q.queue, longer, 96), 0);
    assert_int_equal(sg_queue_set_cu_mask(q.queue, shorter, 32), 0);
    uint64_t cell = rig_alloc(r, 4), signal = rig_signal(r, 1);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, text, NULL),
                                       .args = args(r, cell, 0, 0),
                                       .signal = signal,
                                       .grid = {256 * 64},
                                       .group = {64}});
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, cell), 1);
    rig_close(&q);
}

/* s_sendmsg(MSG_INTERRUPT) raises the event named in M0; eight bits stand for all ids they end. */
static void test_message(void **state)
{
    static const char text[] =
        "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, s8\n"
        "s_nop 0\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm\n";
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t kernel = rig_kernel(r, text, NULL), signal = rig_signal(r, 2);
    rig_dispatch(
        &q, &(rig_dispatch_t){.kernel = kernel, .args = args(r, 0x234, 0, 0), .signal = signal});
    rig_dispatch(
        &q, &(rig_dispatch_t){.kernel = kernel, .args = args(r, 0x35, 0, 0), .signal = signal});
    assert_true(rig_wait(r, signal, 0));
    for (uint32_t id = 0; id < RIG_EVENTS; id++)
        assert_int_equal(atomic_load(&r->raised[id]), id == 0x234 || (id & 0xff) == 0x35);
    rig_close(&q);
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double share_of_a_core(long ms)
{
    const uint64_t before = cpu_ns();
    sleep_ms(ms);
    return (double)(cpu_ns() - before) / ((double)ms * 1e6);
}

/* Idle queues cost next to nothing and wake when their doorbell rings, again and again. */
static void test_sleep_and_wake(void **state)
{
    enum { QUEUES = 6, IDLE_MS = 900, TRIES = 10 };
    (void)state;
    rig_t *r = rig_create(1);
    rig_queue_t q[QUEUES];
    for (int i = 0; i < QUEUES; i++)
        assert_true(i % 2 ? rig_sdma(r, &q[i]) : rig_aql(r, &q[i]));
    uint64_t kernel = rig_kernel(r, meet_text, NULL), cell = rig_alloc(r, 4),
             passed = rig_alloc(r, 4);
    sleep_ms(60);
    double share = 1;
    /* threads that had no core meanwhile are still on their way to sleep */
    for (int k = 0; k < TRIES && share >= 0.005; k++)
        share = share_of_a_core(IDLE_MS);
    print_message("idle: %.3f %% of a core\n", 100 * share);
    assert_true(share < 0.005);
    for (int i = 0; i < 20; i++) {
        rig_queue_t *one = &q[i % 3 * 2];
        uint64_t signal = rig_signal(r, 1);
        if (i % 4 == 0) sleep_ms(40);
        rig_dispatch(one, &(rig_dispatch_t){.kernel = kernel,
                                            .args = args(r, cell, 1, passed),
                                            .signal = signal});
        assert_true(rig_wait(r, signal, 0));
    }
    for (int i = 1; i < QUEUES; i += 2) {
        uint64_t word = rig_alloc(r, 4);
        sleep_ms(i == 3 ? 40 : 0);
        rig_sdma_write(&q[i], (uint32_t[]){5, (uint32_t)word, (uint32_t)(word >> 32), 1}, 4);
        assert_true(rig_wait_word(rig_ptr(r, word), 1));
    }
    for (int i = 0; i < QUEUES; i++)
        rig_close(&q[i]);
}

typedef struct {
    rig_t *rig;
    uint64_t kernel, sum;
    uint32_t id;
    bool good;
} producer_t;

enum { PRODUCER_PACKETS = 400 };

static void *produce(void *arg)
{
    producer_t *p = arg;
    rig_queue_t q;
    p->good = false;
    if (!rig_aql(p->rig, &q)) return NULL;
    uint64_t signal = rig_signal(p->rig, PRODUCER_PACKETS), a = args(p->rig, p->sum, 1, p->sum + 4);
    for (uint32_t i = 0; i < PRODUCER_PACKETS; i++)
        rig_dispatch(&q, &(rig_dispatch_t){.kernel = p->kernel,
                                           .args = a,
                                           .signal = signal,
                                           .grid = {64 * (1 + i % 90)},
                                           .group = {64 << i % 3},
                                           .barrier = (i * 7 + p->id) % 5 == 0});
    p->good = rig_wait(p->rig, signal, 0);
    rig_close(&q);
    return NULL;
}

/* Several threads, a queue each: nothing is lost and nobody is starved. */
static void test_many_queues(void **state)
{
    enum { PRODUCERS = 4 };
    (void)state;
    rig_t *r = rig_create(2);
    uint64_t kernel = rig_kernel(r, meet_text, NULL);
    producer_t p[PRODUCERS];
    /* rig_alloc is not made for threads: each round creates its own bench memory first */
    pthread_t thread[PRODUCERS];
    for (uint32_t i = 0; i < PRODUCERS; i++)
        p[i] = (producer_t){.rig = i ? rig_create(2) : r, .id = i};
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        p[i].kernel = i ? rig_kernel(p[i].rig, meet_text, NULL) : kernel;
        p[i].sum = rig_alloc(p[i].rig, 8);
        pthread_create(&thread[i], NULL, produce, &p[i]);
    }
    uint32_t want = 0;
    for (uint32_t i = 0; i < PRODUCER_PACKETS; i++) {
        uint32_t items = 64 * (1 + i % 90), group = 64u << i % 3;
        for (uint32_t left = items; left;) {
            uint32_t n = left < group ? left : group;
            want += (n + 63) / 64;
            left -= n;
        }
    }
    for (uint32_t i = 0; i < PRODUCERS; i++) {
        pthread_join(thread[i], NULL);
        assert_true(p[i].good);
        assert_int_equal(((uint32_t *)rig_ptr(p[i].rig, p[i].sum))[1], want);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_barrier),
        cmocka_unit_test(test_wave_slots),
        cmocka_unit_test(test_queues_wait_for_each_other),
        cmocka_unit_test(test_dispatches_overlap),
        cmocka_unit_test(test_lds_and_barriers),
        cmocka_unit_test(test_destroy_while_running),
        cmocka_unit_test(test_long_kernel_blocks_nobody),
        cmocka_unit_test(test_cu_mask),
        cmocka_unit_test(test_cu_mask_shorter),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_sleep_and_wake),
        cmocka_unit_test(test_many_queues),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
