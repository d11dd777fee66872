/* team_test.c - workgroups whose waves several threads run: they do what they do on one thread.
 *
 * Whether a helper gets a processor is the host's matter, so a test repeats its dispatch until one
 * has helped, and fails if none ever does. */
#include "rig.h"

#include "asm.h"
#include "softgpu/device/team.h"
#include "softgpu/exec/barrier.h"
#include "softgpu/memory/guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { ITEMS = 1024, WAVES = ITEMS / 64, FEW = 10, TRIES = 60 };

static uint64_t args(rig_t *r, uint64_t a, uint64_t b)
{
    const uint64_t va = rig_alloc(r, 16);
    memcpy(rig_ptr(r, va), (uint64_t[]){a, b}, 16);
    return va;
}

/* Every kernel here begins so: v1 = 4 * work-item, s[8:9] = the first argument, s[10:11] the
 * second, s20 = 0. Then it loops, for some turns, so that idle workers come. */
#define HEAD(turns)                                                                                \
    "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"                                                        \
    "v_lshlrev_b32 v1, 2, v0\n"                                                                    \
    "s_mov_b32 s20, " #turns "\n"                                                                  \
    "warm: s_sub_u32 s20, s20, 1\n"                                                                \
    "s_cmp_lg_u32 s20, 0\n"                                                                        \
    "s_cbranch_scc1 warm\n"                                                                        \
    "s_waitcnt lgkmcnt(0)\n"

typedef struct {
    rig_t *rig;
    rig_queue_t queue;
    uint64_t kernel;
} bench_t;

static bench_t bench(const char *text)
{
    bench_t b = {.rig = rig_create(2)};
    assert_true(rig_aql(b.rig, &b.queue));
    b.kernel = rig_kernel(b.rig, text, &(rig_kernel_t){.id_axes = 1});
    return b;
}

static void start(bench_t *b, uint64_t first, uint64_t second, uint64_t signal, uint32_t groups)
{
    rig_dispatch(&b->queue, &(rig_dispatch_t){.kernel = b->kernel,
                                              .args = args(b->rig, first, second),
                                              .signal = signal,
                                              .lds = 4 * ITEMS,
                                              .grid = {groups * ITEMS},
                                              .group = {ITEMS}});
}

/* Runs a few workgroups, one after the other, and more until helpers have run waves; after each of
 * them calls `check`. */
static void until_helped(bench_t *b, uint64_t first, uint64_t second,
                         void (*check)(const bench_t *b, uint64_t first))
{
    const uint64_t before = sg_team_helped();
    for (int k = 0; k < FEW || (k < TRIES && sg_team_helped() == before); k++) {
        const uint64_t signal = rig_signal(b->rig, 1);
        start(b, first, second, signal, 1);
        assert_true(rig_wait(b->rig, signal, 0));
        check(b, first);
    }
    print_message("%llu turns of helpers\n", (unsigned long long)(sg_team_helped() - before));
    assert_true(sg_team_helped() > before);
}

/* ---- waves without LDS, and barriers between them ---- */

/* Adds 1 to each work-item's dword. */
static const char plain_text[] = HEAD(300000) "global_load_dword v2, v1, s[8:9]\n"
                                              "s_waitcnt vmcnt(0)\n"
                                              "v_add_u32 v2, 1, v2\n"
                                              "global_store_dword v1, v2, s[8:9]\n"
                                              "s_endpgm\n";

static uint32_t plain_runs;

static void check_plain(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    plain_runs++;
    for (unsigned k = 0; k < ITEMS; k++)
        assert_int_equal(x[k], plain_runs);
}

static void test_helpers_run_waves(void **state)
{
    (void)state;
    bench_t b = bench(plain_text);
    plain_runs = 0;
    until_helped(&b, rig_alloc(b.rig, 4 * ITEMS), 0, check_plain);
    rig_close(&b.queue);
}

static void test_not_allowed(void **state)
{
    (void)state;
    bench_t b = bench(plain_text);
    const uint64_t before = sg_team_helped(), out = rig_alloc(b.rig, 4 * ITEMS);
    sg_team_allow(false);
    plain_runs = 0;
    for (int k = 0; k < 5; k++) {
        const uint64_t signal = rig_signal(b.rig, 1);
        start(&b, out, 0, signal, 1);
        assert_true(rig_wait(b.rig, signal, 0));
        check_plain(&b, out);
    }
    sg_team_allow(true);
    assert_int_equal(sg_team_helped(), before);
    rig_close(&b.queue);
}

/* In each of 200 turns every work-item passes its number on to the next wave, in LDS, between
 * barriers; then each wave has the numbers of the wave 200 before it. */
static const char ring_text[] = HEAD(100000) "v_mov_b32 v2, v0\n"
                                             "v_add_u32 v3, 0x100, v1\n"
                                             "v_and_b32 v3, 0xfff, v3\n"
                                             "s_movk_i32 s21, 200\n"
                                             "next: ds_write_b32 v3, v2\n"
                                             "s_movk_i32 s20, 300\n"
                                             "work: s_sub_u32 s20, s20, 1\n"
                                             "s_cmp_lg_u32 s20, 0\n"
                                             "s_cbranch_scc1 work\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "s_barrier\n"
                                             "ds_read_b32 v2, v1\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "s_barrier\n"
                                             "s_sub_u32 s21, s21, 1\n"
                                             "s_cmp_lg_u32 s21, 0\n"
                                             "s_cbranch_scc1 next\n"
                                             "global_store_dword v1, v2, s[8:9]\n"
                                             "s_endpgm\n";

static void check_ring(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    for (unsigned k = 0; k < ITEMS; k++)
        assert_int_equal(x[k], (k + ITEMS * 200u - 64 * 200u) % ITEMS);
}

static void test_barriers_and_lds(void **state)
{
    (void)state;
    bench_t b = bench(ring_text);
    until_helped(&b, rig_alloc(b.rig, 4 * ITEMS), 0, check_ring);
    rig_close(&b.queue);
}

/* ---- what cannot be spread ---- */

/* All work-items add to one dword of LDS, many times each, within a slice; all tell the sum. */
static const char atomic_text[] = HEAD(300000) "v_mov_b32 v3, 0\n"
                                               "v_mov_b32 v2, 0\n"
                                               "s_barrier\n"
                                               "ds_write_b32 v1, v2\n"
                                               "s_waitcnt lgkmcnt(0)\n"
                                               "s_barrier\n"
                                               "v_mov_b32 v2, 1\n"
                                               "s_movk_i32 s20, 3000\n"
                                               "more: ds_add_u32 v3, v2\n"
                                               "s_sub_u32 s20, s20, 1\n"
                                               "s_cmp_lg_u32 s20, 0\n"
                                               "s_cbranch_scc1 more\n"
                                               "s_waitcnt lgkmcnt(0)\n"
                                               "s_barrier\n"
                                               "ds_read_b32 v2, v3\n"
                                               "s_waitcnt lgkmcnt(0)\n"
                                               "global_store_dword v1, v2, s[8:9]\n"
                                               "s_endpgm\n";

static void check_sum(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    for (unsigned k = 0; k < ITEMS; k++)
        assert_int_equal(x[k], 3000 * ITEMS);
}

static void test_atomics_on_lds(void **state)
{
    (void)state;
    bench_t b = bench(atomic_text);
    until_helped(&b, rig_alloc(b.rig, 4 * ITEMS), 0, check_sum);
    rig_close(&b.queue);
}

/* Each wave loads what the next one stores behind its own load, without a barrier: all loads come
 * before all stores (lds.h), on however many threads. */
static const char swap_text[] = HEAD(300000) "ds_write_b32 v1, v0\n"
                                             "v_add_u32 v3, 0x40, v1\n"
                                             "v_add_u32 v3, 0xc0, v3\n"
                                             "v_and_b32 v3, 0xfff, v3\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "s_barrier\n"
                                             "ds_read_b32 v2, v3\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "ds_write_b32 v1, v2\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "s_barrier\n"
                                             "ds_read_b32 v2, v1\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "global_store_dword v1, v2, s[8:9]\n"
                                             "s_endpgm\n";

static void check_swap(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    for (unsigned k = 0; k < ITEMS; k++)
        assert_int_equal(x[k], (k + 64) % ITEMS);
}

static void test_loads_before_stores(void **state)
{
    (void)state;
    bench_t b = bench(swap_text);
    until_helped(&b, rig_alloc(b.rig, 4 * ITEMS), 0, check_swap);
    rig_close(&b.queue);
}

/* ---- waves that need each other, end early, fail ---- */

/* Wave 0 waits in memory for all the others, which wait for it: nobody may be starved. Half of the
 * waves end before the barrier. */
static const char meet_text[] = HEAD(300000) "v_readfirstlane_b32 s12, v1\n"
                                             "v_mov_b32 v4, 0\n"
                                             "v_mov_b32 v2, 1\n"
                                             "s_mov_b64 s[14:15], exec\n"
                                             "s_mov_b64 exec, 1\n"
                                             "global_atomic_add v4, v2, s[8:9]\n"
                                             "again: global_load_dword v3, v4, s[8:9] glc\n"
                                             "s_waitcnt vmcnt(0)\n"
                                             "v_readfirstlane_b32 s13, v3\n"
                                             "s_cmp_lt_u32 s13, s10\n"
                                             "s_cbranch_scc1 again\n"
                                             "s_bitcmp1_b32 s12, 8\n"
                                             "s_cbranch_scc1 over\n"
                                             "s_barrier\n"
                                             "global_atomic_add v4, v2, s[8:9] offset:4\n"
                                             "over: s_endpgm\n";

static void check_meet(const bench_t *b, uint64_t cell)
{
    uint32_t *x = rig_ptr(b->rig, cell);
    assert_int_equal(x[0], WAVES);
    assert_int_equal(x[1], WAVES / 2);
    x[0] = x[1] = 0;
}

static void test_waves_wait_for_each_other(void **state)
{
    (void)state;
    bench_t b = bench(meet_text);
    until_helped(&b, rig_alloc(b.rig, 8), WAVES, check_meet);
    rig_close(&b.queue);
}

/* Waves 3 and up load, in the same round, from an address of their own; wave 3's is the first
 * argument. */
static const char fault_text[] = HEAD(300000) "v_readfirstlane_b32 s12, v1\n"
                                              "s_cmp_lt_u32 s12, 0x300\n"
                                              "s_cbranch_scc1 over\n"
                                              "s_sub_u32 s12, s12, 0x300\n"
                                              "s_lshl_b32 s12, s12, 4\n"
                                              "v_mov_b32 v1, s12\n"
                                              "global_load_dword v2, v1, s[8:9]\n"
                                              "s_waitcnt vmcnt(0)\n"
                                              "over: s_endpgm\n";

static void fails_at(const char *text, uint64_t (*place)(rig_t *r))
{
    const uint64_t before = sg_team_helped();
    for (int k = 0; k < TRIES && sg_team_helped() == before; k++) {
        bench_t b = bench(text);
        const uint64_t va = place(b.rig);
        start(&b, va, 0, rig_signal(b.rig, 1), 1);
        assert_true(rig_wait_word(&b.rig->faults, 1));
        assert_int_equal(b.rig->fault_va & ~UINT64_C(4095), va & ~UINT64_C(4095));
        rig_close(&b.queue);
        assert_int_equal(atomic_load(&b.rig->faults), 1);
        assert_int_equal(atomic_load(&b.rig->errors), 0);
    }
    assert_true(sg_team_helped() > before);
}

static uint64_t unmapped(rig_t *r)
{
    (void)r;
    return RIG_UNMAPPED;
}

static void test_the_first_wave_that_fails(void **state)
{
    (void)state;
    fails_at(fault_text, unmapped);
}

/* Memory that is mapped on the GPU, but that the program has taken away. */
static uint64_t taken_away(rig_t *r)
{
    enum { PAGE = 4096, PAGES = 16 };
    const uint64_t va = (rig_alloc(r, (PAGES + 1) * PAGE) + PAGE - 1) & ~UINT64_C(4095);
    sg_guard_install();
    assert_int_equal(mprotect(rig_ptr(r, va), PAGES * PAGE, PROT_NONE), 0);
    return va;
}

static void test_memory_taken_away(void **state)
{
    (void)state;
    fails_at(fault_text, taken_away);
}

/* A queue whose spread workgroup never ends can be destroyed. */
static void test_destroy_while_spread(void **state)
{
    static const char *const texts[] = {
        "again: s_branch again\n",
        "again: s_sleep 10\ns_branch again\n",
        "again: s_barrier\ns_branch again\n",
    };
    (void)state;
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; k++) {
        bench_t b = bench(texts[k]);
        const uint64_t never = rig_signal(b.rig, 1);
        start(&b, 0, 0, never, 1);
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        rig_close(&b.queue);
        assert_int_equal(rig_signal_at(b.rig, never)->value, 1);
    }
}

/* Helpers leave for dispatches that come meanwhile. */
static void test_other_work_comes(void **state)
{
    (void)state;
    bench_t endless = bench("again: s_branch again\n");
    rig_queue_t other;
    assert_true(rig_aql(endless.rig, &other));
    start(&endless, 0, 0, 0, 1);
    start(&endless, 0, 0, 0, 1);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    bench_t b = {.rig = endless.rig, .queue = other};
    b.kernel = rig_kernel(b.rig, plain_text, &(rig_kernel_t){.id_axes = 1});
    const uint64_t out = rig_alloc(b.rig, 4 * ITEMS);
    plain_runs = 0;
    for (int k = 0; k < 10; k++) {
        const uint64_t signal = rig_signal(b.rig, 1);
        start(&b, out, 0, signal, 1);
        assert_true(rig_wait(b.rig, signal, 0));
        check_plain(&b, out);
    }
    rig_close(&endless.queue);
    rig_close(&b.queue);
}

/* ---- the barrier of gfx12, whose sets of waves change on several threads ---- */

enum { TURNS = 50000, BARRIER_WAVES = 4 };

typedef struct {
    isa_wave_t *wave;
    _Atomic uint32_t *at; /* by wave: turns that it has begun */
    _Atomic uint32_t *firsts;
} member_t;

/* Passes the barrier TURNS times, wave n only TURNS - n times, and ends. */
static void *pass_barriers(void *arg)
{
    const member_t *m = arg;
    isa_wave_t *w = m->wave;
    const uint32_t turns = TURNS - w->index_in_group;
    uintptr_t wrong = 0;
    for (uint32_t k = 0; k < turns; k++) {
        atomic_store(&m->at[w->index_in_group], k + 1);
        if (isa_barrier_signal(w)) atomic_fetch_add(m->firsts, 1);
        while (!isa_barrier_passed(w))
            sched_yield();
        for (uint32_t n = 0; n < BARRIER_WAVES; n++)
            wrong += atomic_load(&m->at[n]) < (k < TURNS - n ? k + 1 : TURNS - n);
    }
    isa_barrier_leave(w);
    return (void *)wrong;
}

static void test_barrier_of_signals(void **state)
{
    static isa_wave_t wave[BARRIER_WAVES];
    isa_group_t group = {.n_waves = BARRIER_WAVES, .spread = true};
    _Atomic uint32_t at[BARRIER_WAVES] = {0}, firsts = 0;
    member_t member[BARRIER_WAVES];
    pthread_t thread[BARRIER_WAVES];
    (void)state;
    for (uint32_t n = 0; n < BARRIER_WAVES; n++) {
        wave[n] = (isa_wave_t){.group = &group, .index_in_group = n};
        member[n] = (member_t){&wave[n], at, &firsts};
        assert_int_equal(pthread_create(&thread[n], NULL, pass_barriers, &member[n]), 0);
    }
    for (uint32_t n = 0; n < BARRIER_WAVES; n++) {
        void *wrong;
        pthread_join(thread[n], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(group.barrier.turn, TURNS);
    assert_int_equal(firsts, TURNS);
    assert_int_equal(group.barrier.signalled, 0);
    assert_int_equal(group.barrier.ended, (1u << BARRIER_WAVES) - 1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_helpers_run_waves),
        cmocka_unit_test(test_not_allowed),
        cmocka_unit_test(test_barriers_and_lds),
        cmocka_unit_test(test_atomics_on_lds),
        cmocka_unit_test(test_loads_before_stores),
        cmocka_unit_test(test_waves_wait_for_each_other),
        cmocka_unit_test(test_the_first_wave_that_fails),
        cmocka_unit_test(test_memory_taken_away),
        cmocka_unit_test(test_destroy_while_spread),
        cmocka_unit_test(test_other_work_comes),
        cmocka_unit_test(test_barrier_of_signals),
    };
    if (!asm_available()) return 77;
    setenv("SOFTGPU_THREADS", "4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
