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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { ITEMS = 1024, WAVES = ITEMS / 64, FEW = 4, TRIES = 60 };

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
                                              .lds = 4 * ITEMS + 4,
                                              .grid = {groups * ITEMS},
                                              .group = {ITEMS}});
}

static uint64_t helped(void)
{
    return sg_team_totals().helped;
}

/* Why workgroups have stayed on one thread since `before`: one bit for each reason. */
static unsigned reasons(const sg_spread_t *before)
{
    const sg_spread_t now = sg_team_totals();
    unsigned set = 0;
    for (unsigned why = 0; why < SG_ALONES; why++)
        set |= (unsigned)(now.alone[why] != before->alone[why]) << why;
    return set;
}

/* Runs a few dispatches, one after the other, and more until helpers have run waves and, if there
 * is to be a reason, it has been found; after each of them calls `check`. `why`: for which reason
 * workgroups stay on one thread from then on. */
static void until_helped_in(bench_t *b, uint64_t first, uint64_t second, uint32_t groups,
                            void (*check)(const bench_t *b, uint64_t first), sg_alone_t why)
{
    const sg_spread_t before = sg_team_totals();
    for (int k = 0;
         k < FEW || (k < TRIES && (helped() == before.helped || (why && !reasons(&before)))); k++) {
        const uint64_t signal = rig_signal(b->rig, 1);
        start(b, first, second, signal, groups);
        assert_true(rig_wait(b->rig, signal, 0));
        check(b, first);
    }
    print_message("%llu turns of helpers\n", (unsigned long long)(helped() - before.helped));
    assert_true(helped() > before.helped);
    assert_int_equal(reasons(&before), why ? 1u << why : 0);
}

static void until_helped(bench_t *b, uint64_t first, uint64_t second,
                         void (*check)(const bench_t *b, uint64_t first))
{
    until_helped_in(b, first, second, 1, check, SG_ALONE_NOT);
}

/* ---- waves without LDS, and barriers between them ---- */

/* Adds 1 to each work-item's dword. */
static const char plain_text[] = HEAD(100000) "global_load_dword v2, v1, s[8:9]\n"
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

static int forbid(void **state)
{
    (void)state;
    sg_team_allow(false);
    return 0;
}

static int allow(void **state)
{
    (void)state;
    sg_team_allow(true);
    return 0;
}

/* Waits until workers are idle, and so could help: until a workgroup has been refused a team. */
static void test_not_allowed(void **state)
{
    (void)state;
    bench_t b = bench(plain_text);
    const sg_spread_t before = sg_team_totals();
    const uint64_t out = rig_alloc(b.rig, 4 * ITEMS);
    plain_runs = 0;
    for (int k = 0; k < FEW || (k < TRIES && !reasons(&before)); k++) {
        const uint64_t signal = rig_signal(b.rig, 1);
        start(&b, out, 0, signal, 1);
        assert_true(rig_wait(b.rig, signal, 0));
        check_plain(&b, out);
    }
    assert_int_equal(reasons(&before), 1 << SG_ALONE_OFF);
    assert_true(sg_team_totals().alone[SG_ALONE_OFF] - before.alone[SG_ALONE_OFF] <= plain_runs);
    assert_int_equal(sg_team_totals().groups, before.groups);
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

#ifdef __SANITIZE_THREAD__
enum { SLOW = 1 }; /* no round is short */
#else
enum { SLOW = 0 };
#endif

/* In each of 20000 turns every work-item passes its number on, and nothing else is done. */
static const char short_text[] = HEAD(100000) "v_mov_b32 v2, v0\n"
                                              "v_add_u32 v3, 0x100, v1\n"
                                              "v_and_b32 v3, 0xfff, v3\n"
                                              "s_mov_b32 s21, 20000\n"
                                              "next: ds_write_b32 v3, v2\n"
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

static unsigned short_runs;

static void check_short(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    for (unsigned k = 0; k < ITEMS; k++)
        assert_int_equal(x[k], k);
    short_runs++;
}

/* Rounds that take less than handing them over does go without the team, nearly all. */
static void test_short_rounds(void **state)
{
    (void)state;
    bench_t b = bench(short_text);
    const uint64_t before = sg_team_totals().rounds;
    short_runs = 0;
    until_helped(&b, rig_alloc(b.rig, 4 * ITEMS), 0, check_short);
    assert_true(SLOW || sg_team_totals().rounds - before < short_runs * UINT64_C(40000) / 2);
    rig_close(&b.queue);
}

/* ---- what cannot be spread ---- */

/* Between a loop in which helpers come and a barrier, which begins another round, every work-item
 * does an atomic operation, %s: v3 = 0 and v[6:7] = the shared aperture's address 0, v2 = 1, v0 and
 * v5 its number, s[8:9] the cell in memory; LDS is 0. It stores what comes back in v4. */
static const char atomic_text[] = HEAD(100000) "s_mov_b64 s[12:13], src_shared_base\n"
                                               "v_mov_b32 v3, 0\n"
                                               "v_mov_b32 v5, v0\n"
                                               "v_mov_b32 v6, 0\n"
                                               "v_mov_b32 v7, s13\n"
                                               "ds_write_b32 v1, v3\n"
                                               "v_mov_b32 v2, 1\n"
                                               "s_mov_b32 m0, 0\n"
                                               "s_waitcnt lgkmcnt(0)\n"
                                               "s_barrier\n"
                                               "s_mov_b32 s20, 60000\n"
                                               "more: s_sub_u32 s20, s20, 1\n"
                                               "s_cmp_lg_u32 s20, 0\n"
                                               "s_cbranch_scc1 more\n"
                                               "%s\n"
                                               "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                                               "s_barrier\n"
                                               "global_store_dword v1, v4, s[8:9]\n"
                                               "s_endpgm\n";

/* On several threads as on one the operations come in the order of the waves. */
static const struct {
    const char *text;
    uint32_t by_item, by_wave, less; /* k's result: k or 0, + 64 * its wave or 0, - less */
} atomics[] = {
    {"ds_add_rtn_u32 v4, v3, v2", 1, 0, 0},
    {"ds_append v4", 0, 1, 0},
    {"ds_append v4\ns_waitcnt lgkmcnt(0)\nds_consume v4", 0, 0, -64u},
    {"ds_wrxchg2_rtn_b32 v[4:5], v3, v0, v5 offset0:1 offset1:2", 1, 0, 1},
    {"flat_atomic_add v4, v[6:7], v2 glc", 1, 0, 0},
    {"global_atomic_add v4, v3, v2, s[10:11] glc", 1, 0, 0},
    {"buffer_atomic_add v2, v3, s[24:27], 0 offen glc\nv_mov_b32 v4, v2", 1, 0, 0},
};

static unsigned atomic_row;
static uint64_t atomic_cell;

static void check_order(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    for (uint32_t k = 1; k < ITEMS; k++) {
        const uint32_t want = atomics[atomic_row].by_item * k +
                              atomics[atomic_row].by_wave * 64 * (k / 64) -
                              atomics[atomic_row].less;
        if (x[k] != want)
            fail_msg("%s: item %u has %u, not %u", atomics[atomic_row].text, k, x[k], want);
    }
    memset(rig_ptr(b->rig, atomic_cell), 0, 4);
}

static void test_atomic_operations(void **state)
{
    (void)state;
    for (atomic_row = 0; atomic_row < sizeof atomics / sizeof *atomics; atomic_row++) {
        static const char buffer[] = "s_mov_b32 s24, s10\ns_mov_b32 s25, s11\n"
                                     "s_mov_b32 s26, 16\ns_mov_b32 s27, 0x27000\n";
        char body[256], text[sizeof atomic_text + sizeof body];
        snprintf(body, sizeof body, "%s%s\ns_waitcnt vmcnt(0)", buffer, atomics[atomic_row].text);
        snprintf(text, sizeof text, atomic_text, body);
        bench_t b = bench(text);
        const uint64_t out = rig_alloc(b.rig, 4 * ITEMS);
        atomic_cell = rig_alloc(b.rig, 16);
        memset(rig_ptr(b.rig, atomic_cell), 0, 16);
        until_helped_in(&b, out, atomic_cell, 1, check_order, SG_ALONE_ATOMIC);
        rig_close(&b.queue);
    }
}

/* Each wave loads what the next one stores behind its own load, without a barrier: all loads come
 * before all stores (lds.h), on however many threads. %s: the load into v2 of the next wave's
 * dword, at v3, and the store of v5 = its dword of the second argument to its own, at v1; v[6:7]
 * and v[8:9] are the flat addresses of the two, s[24:27] is a buffer of the second argument. */
static const char swap_text[] = HEAD(100000) "s_mov_b64 s[12:13], src_shared_base\n"
                                             "ds_write_b32 v1, v0\n"
                                             "v_add_u32 v3, 0x100, v1\n"
                                             "v_and_b32 v3, 0xfff, v3\n"
                                             "v_mov_b32 v6, v3\n"
                                             "v_mov_b32 v7, s13\n"
                                             "v_mov_b32 v8, v1\n"
                                             "v_mov_b32 v9, s13\n"
                                             "s_mov_b32 s24, s10\n"
                                             "s_mov_b32 s25, s11\n"
                                             "s_mov_b32 s26, 0x1000\n"
                                             "s_mov_b32 s27, 0x24004\n"
                                             "v_readfirstlane_b32 s28, v1\n"
                                             "s_mov_b32 m0, s28\n"
                                             "global_load_dword v5, v1, s[10:11]\n"
                                             "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                                             "s_barrier\n"
                                             "s_mov_b32 s20, 60000\n"
                                             "more: s_sub_u32 s20, s20, 1\n"
                                             "s_cmp_lg_u32 s20, 0\n"
                                             "s_cbranch_scc1 more\n"
                                             "%s\n"
                                             "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                                             "%s\n"
                                             "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                                             "s_barrier\n"
                                             "ds_read_b32 v4, v1\n"
                                             "s_waitcnt lgkmcnt(0)\n"
                                             "v_lshl_add_u32 v2, v4, 16, v2\n"
                                             "global_store_dword v1, v2, s[8:9]\n"
                                             "s_endpgm\n";

/* The dword of LDS that a wave loads is the next wave's, before its store; its own is what it has
 * stored, which the second argument has: 3 times its number. */
static void check_swap(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    for (unsigned k = 0; k < ITEMS; k++)
        assert_int_equal(x[k], (k + 64) % ITEMS | 3 * k << 16);
}

static void test_loads_before_stores(void **state)
{
    static const char ds_load[] = "ds_read_b32 v2, v3", ds_store[] = "ds_write_b32 v1, v5";
    static const char *const pairs[][2] = {
        {ds_load, ds_store},
        {"flat_load_dword v2, v[6:7]", ds_store},
        {ds_load, "flat_store_dword v[8:9], v5"},
        /* global_load_lds_dword v1, s[10:11], which the assembler has for later GPUs only */
        {ds_load, ".long 0xdc50a000, 0x000a0001"},
        {ds_load, "buffer_load_dword v1, s[24:27], 0 offen lds"},
        {ds_load, "buffer_load_format_x v1, s[24:27], 0 offen lds"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        char text[sizeof swap_text + 256];
        snprintf(text, sizeof text, swap_text, pairs[k][0], pairs[k][1]);
        bench_t b = bench(text);
        const uint64_t in = rig_alloc(b.rig, 4 * ITEMS);
        for (uint32_t n = 0; n < ITEMS; n++)
            ((uint32_t *)rig_ptr(b.rig, in))[n] = 3 * n;
        until_helped_in(&b, rig_alloc(b.rig, 4 * ITEMS), in, 1, check_swap, SG_ALONE_ORDER);
        rig_close(&b.queue);
    }
}

/* Workgroup 0 passes numbers on as in ring_text, and so does workgroup 1, whose work-items also add
 * to a dword of LDS in their last 100 turns. s12: the workgroup's number. */
static const char two_text[] =
    "s_mov_b32 s12, s2\n" HEAD(100000) "s_lshl_b32 s13, s12, 12\n"
                                       "v_add_u32 v4, s13, v1\n"
                                       "v_mov_b32 v2, v0\n"
                                       "v_add_u32 v3, 0x100, v1\n"
                                       "v_and_b32 v3, 0xfff, v3\n"
                                       "v_mov_b32 v5, 0x1000\n"
                                       "v_mov_b32 v6, 0\n"
                                       "ds_write_b32 v5, v6\n"
                                       "v_mov_b32 v6, 1\n"
                                       "s_waitcnt lgkmcnt(0)\n"
                                       "s_barrier\n"
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
                                       "s_cmp_lg_u32 s12, 1\n"
                                       "s_cbranch_scc1 none\n"
                                       "s_cmp_gt_u32 s21, 100\n"
                                       "s_cbranch_scc1 none\n"
                                       "ds_add_u32 v5, v6\n"
                                       "s_waitcnt lgkmcnt(0)\n"
                                       "none: s_sub_u32 s21, s21, 1\n"
                                       "s_cmp_lg_u32 s21, 0\n"
                                       "s_cbranch_scc1 next\n"
                                       "s_barrier\n"
                                       "ds_read_b32 v6, v5\n"
                                       "s_waitcnt lgkmcnt(0)\n"
                                       "v_lshl_add_u32 v2, v6, 10, v2\n"
                                       "global_store_dword v4, v2, s[8:9]\n"
                                       "s_endpgm\n";

static void check_two(const bench_t *b, uint64_t out)
{
    const uint32_t *x = rig_ptr(b->rig, out);
    for (uint32_t n = 0; n < 2 * ITEMS; n++) {
        const uint32_t k = n % ITEMS, sum = n < ITEMS ? 0 : 100 * ITEMS;
        assert_int_equal(x[n], (k + ITEMS * 200u - 64 * 200u) % ITEMS + (sum << 10));
    }
}

/* Both workgroups have a team; the second one shows that the kernel cannot be spread, and then
 * neither is. */
static void test_one_workgroup_shows_it_for_all(void **state)
{
    (void)state;
    bench_t b = bench(two_text);
    const sg_spread_t before = sg_team_totals();
    until_helped_in(&b, rig_alloc(b.rig, 8 * ITEMS), 0, 2, check_two, SG_ALONE_ATOMIC);
    assert_true(sg_team_totals().groups > before.groups);
    rig_close(&b.queue);
}

/* ---- waves that need each other, end early, fail ---- */

/* Each wave stores a dword and waits in memory until all have: nobody may be starved. Half of the
 * waves end before the barrier. */
static const char meet_text[] = HEAD(100000) "v_readfirstlane_b32 s12, v1\n"
                                             "s_lshr_b32 s13, s12, 6\n"
                                             "v_mov_b32 v4, s13\n"
                                             "v_subrev_u32 v5, s12, v1\n"
                                             "v_mov_b32 v2, 1\n"
                                             "s_mov_b64 exec, 1\n"
                                             "global_store_dword v4, v2, s[8:9]\n"
                                             "s_mov_b64 exec, 0xffff\n"
                                             "again: global_load_dword v3, v5, s[8:9] glc\n"
                                             "s_waitcnt vmcnt(0)\n"
                                             "v_cmp_eq_u32 vcc, 0, v3\n"
                                             "s_cbranch_vccnz again\n"
                                             "s_bitcmp1_b32 s12, 8\n"
                                             "s_cbranch_scc1 over\n"
                                             "s_mov_b64 exec, 1\n"
                                             "s_barrier\n"
                                             "global_store_dword v4, v2, s[8:9] offset:64\n"
                                             "over: s_endpgm\n";

static void check_meet(const bench_t *b, uint64_t cells)
{
    uint32_t *x = rig_ptr(b->rig, cells);
    for (unsigned n = 0; n < WAVES; n++) {
        assert_int_equal(x[n], 1);
        assert_int_equal(x[WAVES + n], n % 2 == 0);
    }
    memset(x, 0, 8 * WAVES);
}

static void test_waves_wait_for_each_other(void **state)
{
    (void)state;
    bench_t b = bench(meet_text);
    until_helped(&b, rig_alloc(b.rig, 8 * WAVES), 0, check_meet);
    rig_close(&b.queue);
}

/* Waves 3 and up load, in the same round, from an address of their own; wave 3's is the first
 * argument. */
static const char fault_text[] = HEAD(100000) "v_readfirstlane_b32 s12, v1\n"
                                              "s_cmp_lt_u32 s12, 0x300\n"
                                              "s_cbranch_scc1 over\n"
                                              "s_sub_u32 s12, s12, 0x300\n"
                                              "s_lshl_b32 s12, s12, 4\n"
                                              "v_mov_b32 v1, s12\n"
                                              "global_load_dword v2, v1, s[8:9]\n"
                                              "s_waitcnt vmcnt(0)\n"
                                              "over: s_endpgm\n";

/* At least `times` times, and until helpers have run waves. */
static void fails_at(const char *text, uint64_t (*place)(rig_t *r), int times)
{
    const uint64_t before = helped();
    for (int k = 0; k < times || (k < TRIES && helped() == before); k++) {
        bench_t b = bench(text);
        const uint64_t va = place(b.rig);
        start(&b, va, 0, rig_signal(b.rig, 1), 1);
        assert_true(rig_wait_word(&b.rig->faults, 1));
        assert_int_equal(b.rig->fault_va & ~UINT64_C(4095), va & ~UINT64_C(4095));
        rig_close(&b.queue);
        assert_int_equal(atomic_load(&b.rig->faults), 1);
        assert_int_equal(atomic_load(&b.rig->errors), 0);
    }
    assert_true(helped() > before);
}

static uint64_t unmapped(rig_t *r)
{
    (void)r;
    return RIG_UNMAPPED;
}

static void test_the_first_wave_that_fails(void **state)
{
    (void)state;
    fails_at(fault_text, unmapped, 1);
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

/* Wave 0 comes to an atomic operation on the first argument, which fails when it is alone, and the
 * others load from there meanwhile. If the last wave that the owner ran has failed, wave 0 fails
 * behind that in the same thread. */
static const char alone_text[] = HEAD(100000) "v_readfirstlane_b32 s12, v1\n"
                                              "v_mov_b32 v1, 0\n"
                                              "s_cmp_lg_u32 s12, 0\n"
                                              "s_cbranch_scc1 load\n"
                                              "global_atomic_add v1, v1, s[8:9]\n"
                                              "s_endpgm\n"
                                              "load: global_load_dword v2, v1, s[8:9]\n"
                                              "s_waitcnt vmcnt(0)\n"
                                              "s_endpgm\n";

static void test_memory_taken_away(void **state)
{
    (void)state;
    fails_at(fault_text, taken_away, 1);
    fails_at(alone_text, taken_away, TRIES / 2);
}

/* A child counts its own workgroups only. */
static void test_forked_child(void **state)
{
    int status;
    test_helpers_run_waves(state);
    assert_true(sg_team_totals().groups > 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) _exit(sg_team_totals().groups || sg_team_totals().turns);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A queue whose spread workgroup never ends can be destroyed. Waves that only sleep have a team at
 * most where a round took long, on a busy machine. */
static void test_destroy_while_spread(void **state)
{
    static const struct {
        const char *text;
        bool sleeps;
    } kernels[] = {
        {"again: s_branch again\n", false},
        {"again: s_barrier\ns_branch again\n", false},
        {"again: s_sleep 10\ns_branch again\n", true},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const uint64_t before = helped();
        for (int n = 0; n < (kernels[k].sleeps ? 1 : TRIES) && helped() == before; n++) {
            bench_t b = bench(kernels[k].text);
            const uint64_t never = rig_signal(b.rig, 1);
            start(&b, 0, 0, never, 1);
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
            rig_close(&b.queue);
            assert_int_equal(rig_signal_at(b.rig, never)->value, 1);
        }
        assert_true(kernels[k].sleeps || helped() > before);
    }
}

/* Helpers leave for dispatches that come meanwhile. Whether any had come before is seen when the
 * endless workgroups have gone. */
static void other_work_comes(void)
{
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

static void test_other_work_comes(void **state)
{
    const uint64_t before = helped();
    (void)state;
    for (int k = 0; k < TRIES && helped() == before; k++)
        other_work_comes();
    assert_true(helped() > before);
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
        cmocka_unit_test_setup_teardown(test_not_allowed, forbid, allow),
        cmocka_unit_test(test_barriers_and_lds),
        cmocka_unit_test(test_short_rounds),
        cmocka_unit_test(test_atomic_operations),
        cmocka_unit_test(test_loads_before_stores),
        cmocka_unit_test(test_one_workgroup_shows_it_for_all),
        cmocka_unit_test(test_waves_wait_for_each_other),
        cmocka_unit_test(test_the_first_wave_that_fails),
        cmocka_unit_test(test_memory_taken_away),
        cmocka_unit_test(test_forked_child),
        cmocka_unit_test(test_destroy_while_spread),
        cmocka_unit_test(test_other_work_comes),
        cmocka_unit_test(test_barrier_of_signals),
    };
    if (!asm_available()) return 77;
    setenv("SOFTGPU_THREADS", "4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
