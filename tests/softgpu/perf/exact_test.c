/* exact_test.c - counts of instructions, waves and lanes, worked out from the kernels' text.
 *
 * Every expected number is written beside the instruction that makes it. */
#include "counting.h"

#include "asm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ENGINES = 4, CUS = 2 };

/* Straight code but for a loop of 3 rounds. The letters name the counters below. */
static const char mix_text[] =
    "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"       /* smem, 2 dwords */
    "v_lshlrev_b32 v1, 2, v0\n"                  /* valu int32 */
    "v_mov_b32 v2, 0\n"                          /* valu */
    "v_mov_b32 v3, 0\n"                          /* valu */
    "v_add_f32 v2, v1, v2\n"                     /* valu add_f32 */
    "v_mul_f32 v2, v2, v2\n"                     /* valu mul_f32 */
    "v_fma_f32 v2, v2, v2, v2\n"                 /* valu fma_f32 */
    "v_mac_f32 v2, v2, v2\n"                     /* valu fma_f32 */
    "v_rcp_f32 v2, v2\n"                         /* valu trans_f32, 16 clocks */
    "v_fma_f64 v[2:3], v[2:3], v[2:3], v[2:3]\n" /* valu fma_f64 */
    "v_add_f64 v[2:3], v[2:3], v[2:3]\n"         /* valu add_f64 */
    "v_cvt_f32_u32 v4, v1\n"                     /* valu cvt */
    "v_pk_add_f16 v4, v4, v4\n"                  /* valu add_f16 */
    "v_lshlrev_b64 v[4:5], 1, v[4:5]\n"          /* valu, of no kind */
    "v_ashrrev_i64 v[4:5], 1, v[4:5]\n"          /* valu int64 */
    "v_mul_lo_u32 v4, v4, v4\n"                  /* valu int32, 4 clocks as all of these */
    "s_movk_i32 s10, 3\n"                        /* salu */
    "again:\n"
    "v_add_u32 v4, v4, v1\n"                     /* 3 valu int32 */
    "s_sub_u32 s10, s10, 1\n"                    /* 3 salu */
    "s_cmp_lg_u32 s10, 0\n"                      /* 3 salu */
    "s_cbranch_scc1 again\n"                     /* 3 branch */
    "ds_write_b32 v1, v4\n"                      /* lds */
    "ds_read_b32 v5, v1\n"                       /* lds */
    "s_waitcnt lgkmcnt(0)\n"                     /* internal */
    "s_barrier\n"                                /* internal */
    "global_load_dword v5, v1, s[8:9]\n"         /* vmem rd */
    "global_load_dwordx4 v[12:15], v1, s[8:9]\n" /* vmem rd */
    "s_waitcnt vmcnt(0)\n"                       /* internal */
    "global_store_dword v1, v5, s[8:9]\n"        /* vmem wr */
    "v_mov_b32 v10, s8\n"                        /* valu */
    "v_mov_b32 v11, s9\n"                        /* valu */
    "flat_load_dword v6, v[10:11]\n"             /* vmem rd, flat */
    "s_waitcnt vmcnt(0) lgkmcnt(0)\n"            /* internal */
    "global_atomic_add v1, v6, s[8:9]\n"         /* vmem wr */
    "s_mov_b64 exec, 0\n"                        /* salu */
    "global_load_dword v5, v1, s[8:9]\n"         /* vmem rd, no lane: not seen by TA */
    "s_nop 0\n"                                  /* internal */
    "s_endpgm\n";                                /* msg */

typedef struct {
    unsigned event;
    uint64_t per_wave;
} expected_t;

static const expected_t mix_expected[] = {
    /* smem 1, valu 20, salu 8, branch 3, lds 2, vmem 6, msg 1, internal 5 */
    {25, 1 + 20 + 8 + 3 + 2 + 6 + 1 + 5}, /* SQ_INSTS */
    {26, 20},                             /* SQ_INSTS_VALU: 15 before the loop, 3 in it, 2 moves */
    {27, 1},                              /* ADD_F16 */
    {31, 1},                              /* ADD_F32 */
    {32, 1},                              /* MUL_F32 */
    {33, 2},                              /* FMA_F32 */
    {34, 1},                              /* TRANS_F32 */
    {35, 1},                              /* ADD_F64 */
    {37, 1},                              /* FMA_F64 */
    {39, 1 + 1 + 3},                      /* INT32: shift, multiply, the loop's adds */
    {40, 1},                              /* INT64 */
    {41, 1},                              /* CVT */
    {52, 0},                              /* MFMA */
    {53, 2},                              /* VMEM_WR: store, atomic */
    {54, 4},                              /* VMEM_RD: three global, one flat */
    {55, 6},                              /* VMEM */
    {56, 1 + 3 + 3 + 1},                  /* SALU */
    {57, 1},                              /* SMEM */
    {58, 6},                              /* FLAT: by the encoding, global too */
    {59, 0},                              /* FLAT_LDS_ONLY */
    {60, 2},                              /* LDS: the flat one has found memory */
    {64, 3},                              /* BRANCH */
    {65, 1},                              /* SENDMSG: the end */
    {96, 1 + 19 + 1 * 4 + 8 + 3 + 2 + 6 + 1}, /* ACTIVE_INST_ANY: all but the internal */
    {97, 0},                                  /* ACTIVE_INST_VMEM: buffers */
    {98, 2},                                  /* ACTIVE_INST_LDS */
    {102, 3 + 1},                             /* ACTIVE_INST_MISC */
    {103, 6},                                 /* ACTIVE_INST_FLAT */
    {104, 2},                                 /* INST_CYCLES_VMEM_WR: a dword each */
    {99, 19 + 1 * 4}, /* ACTIVE_INST_VALU: one of 16 clocks, all others of 4 */
    {188, 2},         /* SMEM_NORM */
    {323, 0},         /* scalar reads by dwords: 1, 2, 4 */
    {324, 1},
    {325, 0},
};
enum { N_MIX = sizeof mix_expected / sizeof mix_expected[0] };

static uint64_t args_of(counting_t *c, uint64_t bytes)
{
    uint64_t va = rig_alloc(c->rig, 8), data = rig_alloc(c->rig, bytes);
    memcpy(rig_ptr(c->rig, va), &data, 8);
    return va;
}

static rig_dispatch_t mix_dispatch(counting_t *c, uint32_t items, uint32_t group)
{
    return (rig_dispatch_t){.kernel = rig_kernel(c->rig, mix_text, NULL),
                            .args = args_of(c, 8192),
                            .lds = 8192,
                            .grid = {items},
                            .group = {group}};
}

static void mix(counting_t *c, const rig_dispatch_t *d, uint64_t *out)
{
    unsigned events[N_MIX];
    for (unsigned i = 0; i < N_MIX; i++)
        events[i] = mix_expected[i].event;
    counting_sq(c, d, ENGINES, events, N_MIX, out);
}

static void test_instruction_mix(void **state)
{
    uint64_t out[N_MIX];
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    /* 11 workgroups of 3 waves */
    rig_dispatch_t d = mix_dispatch(c, 11 * 192, 192);
    mix(c, &d, out);
    for (unsigned i = 0; i < N_MIX; i++)
        if (out[i] != 33 * mix_expected[i].per_wave)
            fail_msg("event %u: %llu, expected 33 * %llu", mix_expected[i].event,
                     (unsigned long long)out[i], (unsigned long long)mix_expected[i].per_wave);
}

/* FLAT instructions all of whose lanes are in LDS count as LDS instructions too; a lane in memory,
 * or none at all, and they do not. Clocks beside them change nothing. */
static void test_flat_in_lds(void **state)
{
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "s_mov_b64 s[10:11], src_shared_base\n"
                               "v_lshlrev_b32 v2, 2, v0\n"
                               "v_mov_b32 v3, s11\n"
                               "flat_store_dword v[2:3], v0\n"       /* LDS only */
                               "flat_load_dword v4, v[2:3]\n"        /* LDS only */
                               "flat_store_dwordx4 v[2:3], v[4:7]\n" /* LDS only */
                               "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                               "s_mov_b64 s[12:13], exec\n"
                               "s_mov_b64 exec, 0\n"
                               "flat_load_dword v4, v[2:3]\n" /* nowhere */
                               "s_mov_b64 exec, 1\n"
                               "v_mov_b32 v2, s8\n"
                               "v_mov_b32 v3, s9\n"
                               "s_mov_b64 exec, s[12:13]\n"
                               "flat_load_dword v4, v[2:3]\n" /* lane 0 in memory */
                               "ds_read_b32 v4, v1\n"         /* LDS */
                               "s_endpgm\n";
    static const unsigned events[] = {58, 59, 60, 98, 103, 104};
    static const uint64_t expected[] = {5, 3, 4, 4, 5, 3 /* a dword, four: 1 and 2 */};
    enum { N = sizeof events / sizeof events[0] };
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, text, NULL),
                        .args = args_of(c, 4096),
                        .lds = 4096,
                        .grid = {6 * 64},
                        .group = {64}};
    for (unsigned model = 0; model < 2; model++) {
        counting_clear(c);
        for (unsigned k = 0; k < N; k++)
            counting_want(c, SQ, events[k]);
        if (model) counting_want(c, GRBM, 2);
        counting_start(c);
        counting_dispatch(c, &d);
        counting_stop(c);
        for (unsigned k = 0; k < N; k++)
            if (counting_sum(c, k, ENGINES, 1) != 6 * expected[k])
                fail_msg("event %u: %llu, expected 6 * %llu", events[k],
                         (unsigned long long)counting_sum(c, k, ENGINES, 1),
                         (unsigned long long)expected[k]);
    }
}

/* The same from one run to the next, and with other numbers of workers (the rig's default is one
 * worker for each core; SOFTGPU_THREADS is read when the device makes its pool). */
static void test_any_number_of_workers(void **state)
{
    uint64_t first[N_MIX], out[N_MIX];
    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        setenv("SOFTGPU_THREADS", (const char *[]){"1", "2", "3", "2"}[round], 1);
        counting_t *c = counting_create(ENGINES, CUS);
        rig_dispatch_t d = mix_dispatch(c, 200 * 64 + 7, 64);
        mix(c, &d, round ? out : first);
        if (round) assert_memory_equal(first, out, sizeof out);
    }
    unsetenv("SOFTGPU_THREADS");
}

/* 250 work-items in workgroups of 100: waves of 64, 36, 64, 36 and 50 lanes. */
static void test_waves(void **state)
{
    static const expected_t expected[] = {
        {4, 5},    /* WAVES */
        {6, 2},    /* EQ_64 */
        {7, 3},    /* LT_64 */
        {8, 2},    /* LT_48 */
        {9, 0},    /* LT_32 */
        {10, 0},   /* LT_16 */
        {14, 250}, /* ITEMS */
    };
    enum { N = sizeof expected / sizeof expected[0] };
    unsigned events[N];
    uint64_t out[N];
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, "s_endpgm\n", NULL), .grid = {250}, .group = {100}};
    for (unsigned i = 0; i < N; i++)
        events[i] = expected[i].event;
    counting_sq(c, &d, ENGINES, events, N, out);
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(out[i], expected[i].per_wave);
}

/* Work-items of each workgroup, counted one by one. */
static unsigned items_of_groups(const rig_dispatch_t *d, unsigned *items)
{
    const unsigned across = (d->grid[0] + d->group[0] - 1) / d->group[0];
    const unsigned down = (d->grid[1] + d->group[1] - 1) / d->group[1];
    unsigned n = 0;
    for (unsigned z = 0; z < d->grid[2]; z++)
        for (unsigned y = 0; y < d->grid[1]; y++)
            for (unsigned x = 0; x < d->grid[0]; x++) {
                const unsigned g =
                    (z / d->group[2] * down + y / d->group[1]) * across + x / d->group[0];
                items[g]++;
                if (g >= n) n = g + 1;
            }
    return n;
}

/* Grids that are no multiple of their workgroups, in every direction; exact counters are the same
 * beside a counter of clocks. */
static void test_edges(void **state)
{
    enum {
        GROUPS,
        SPI_WAVES,
        WAVES,
        EQ_64,
        LT_64,
        LT_48,
        LT_32,
        LT_16,
        ITEMS,
        LANES,
        N,
        MOST = 64
    };
    static const struct {
        counting_block_t block;
        unsigned event;
    } rows[N] = {{SPI, 49}, {SPI, 52}, {SQ, 4},  {SQ, 6},  {SQ, 7},
                 {SQ, 8},   {SQ, 9},   {SQ, 10}, {SQ, 14}, {SQ, 113}};
    static const uint32_t shapes[][6] = {
        {1, 1, 1, 1024, 1, 1}, {65, 1, 1, 64, 1, 1},  {10, 10, 3, 8, 8, 2},   {7, 5, 3, 16, 16, 4},
        {33, 9, 1, 32, 8, 1},  {130, 3, 2, 64, 2, 2}, {1000, 1, 1, 333, 1, 1}};
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    const uint64_t kernel = rig_kernel(c->rig, "v_mov_b32 v1, 0\ns_endpgm\n", NULL);
    for (unsigned i = 0; i < 2 * sizeof shapes / sizeof shapes[0]; i++) {
        const uint32_t *s = shapes[i / 2];
        const bool clocks = i % 2;
        uint64_t expected[N] = {0};
        unsigned items[MOST] = {0};
        rig_dispatch_t d = {
            .kernel = kernel, .grid = {s[0], s[1], s[2]}, .group = {s[3], s[4], s[5]}};
        expected[GROUPS] = items_of_groups(&d, items);
        assert_true(expected[GROUPS] <= MOST);
        for (unsigned g = 0; g < expected[GROUPS]; g++)
            for (unsigned left = items[g]; left; left -= left < 64 ? left : 64) {
                const unsigned lanes = left < 64 ? left : 64;
                expected[WAVES]++;
                expected[EQ_64] += lanes == 64;
                expected[LT_64] += lanes < 64;
                expected[LT_48] += lanes < 48;
                expected[LT_32] += lanes < 32;
                expected[LT_16] += lanes < 16;
                expected[ITEMS] += lanes;
            }
        assert_int_equal(expected[ITEMS], s[0] * s[1] * s[2]);
        expected[SPI_WAVES] = expected[WAVES];
        expected[LANES] = expected[ITEMS]; /* of the v_mov_b32, which issues once */
        counting_clear(c);
        for (unsigned k = 0; k < N; k++)
            counting_want(c, rows[k].block, rows[k].event);
        counting_want(c, GRBM, clocks ? 2 : 34); /* GUI_ACTIVE; what is always 0 */
        counting_start(c);
        counting_dispatch(c, &d);
        counting_stop(c);
        for (unsigned k = 0; k < N; k++)
            if (counting_sum(c, k, ENGINES, 1) != expected[k])
                fail_msg("shape %u, counter %u: %llu, expected %llu", i, k,
                         (unsigned long long)counting_sum(c, k, ENGINES, 1),
                         (unsigned long long)expected[k]);
    }
}

/* Workgroups go round the engines: group g runs on engine g mod 4, unit g / 4 mod 2. */
static void test_where_workgroups_count(void **state)
{
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    /* 11 workgroups of 2 waves: engines get 3, 3, 3, 2; their first units 2, 2, 2, 1 */
    rig_dispatch_t d = mix_dispatch(c, 11 * 128, 128);
    counting_want(c, SQ, 4);
    counting_want(c, SPI, 49);
    counting_want(c, SPI, 52);
    counting_want(c, TA, 32);
    counting_want(c, TA, 47);
    counting_want(c, TD, 27);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    for (uint32_t e = 0; e < ENGINES; e++) {
        const uint64_t groups = e < 3 ? 3 : 2;
        assert_int_equal(counting_value(c, 0, e, 0), 2 * groups);
        assert_int_equal(counting_value(c, 1, e, 0), groups);
        assert_int_equal(counting_value(c, 2, e, 0), 2 * groups);
        for (uint32_t cu = 0; cu < CUS; cu++) {
            const uint64_t waves = 2 * (cu == 0 ? (groups + 1) / 2 : groups / 2);
            /* four loads, store and atomic, but not the load without a lane; no buffers */
            assert_int_equal(counting_value(c, 3, e, cu), 5 * waves);
            assert_int_equal(counting_value(c, 4, e, cu), 0);
            assert_int_equal(counting_value(c, 5, e, cu), waves);
        }
    }
}

/* More compute units than instances can be named: instance n stands for n + 16 too. */
static void test_large_engine(void **state)
{
    enum { UNITS = 20, INSTANCES = 16 };
    (void)state;
    counting_t *c = counting_create(1, UNITS);
    rig_dispatch_t d = mix_dispatch(c, UNITS * 64, 64);
    counting_want(c, TA, 32);
    counting_want(c, TCP, 45); /* emptied L1s, of the cache model */
    counting_start(c);
    counting_dispatch(c, &d);
    counting_acquire(c, 1 << 22, UINT64_C(0xffffffffff)); /* TCL1 */
    counting_send(c);
    counting_stop(c);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const uint64_t units = i < UNITS - INSTANCES ? 2 : 1;
        assert_int_equal(counting_value(c, 0, 0, i), 5 * units);
        assert_int_equal(counting_value(c, 1, 0, i), units);
    }
}

/* Lanes: all 64, then 16, then none. v_mad_u64_u32 takes four issue units. */
static void test_divergence(void **state)
{
    static const char text[] = "v_mov_b32 v1, 1\n"          /* 64 lanes */
                               "v_cmp_gt_u32 vcc, 16, v0\n" /* 64 */
                               "s_and_saveexec_b64 s[8:9], vcc\n"
                               "v_add_u32 v1, v1, v1\n"                           /* 16 */
                               "v_mad_u64_u32 v[2:3], s[10:11], v1, v1, v[2:3]\n" /* 4 * 16 */
                               "s_mov_b64 exec, 0\n"
                               "v_add_u32 v1, v1, v1\n" /* 0 */
                               "s_mov_b64 exec, s[8:9]\n"
                               "s_cbranch_execz over\n"
                               "v_add_f64 v[2:3], v[2:3], v[2:3]\n" /* 64 */
                               "over: s_endpgm\n";
    static const unsigned events[] = {26, 113, 39, 56, 64};
    uint64_t out[5];
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, text, NULL), .grid = {6 * 64}, .group = {64}};
    counting_sq(c, &d, ENGINES, events, 5, out);
    assert_int_equal(out[0], 6 * 6);
    assert_int_equal(out[1], 6 * (64 + 64 + 16 + 4 * 16 + 0 + 64));
    assert_int_equal(out[2], 6 * 3); /* compare, two adds */
    assert_int_equal(out[3], 6 * 3);
    assert_int_equal(out[4], 6 * 1);
}

static void test_matrix(void **state)
{
    /* operations: 2*32*32*1*2 = 4096, 2*16*16*16 = 8192, 2*4*4*4*16 = 2048, 2*16*16*4 = 2048 */
    static const char text[] = "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]\n"
                               "v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[2:3], a[0:3]\n"
                               "v_mfma_i32_4x4x4i8 a[0:3], v0, v1, a[0:3]\n"
                               "v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7]\n"
                               "s_endpgm\n";
    static const unsigned events[] = {52, 45, 43, 42, 46, 50, 48, 47, 51, 44, 72, 26};
    uint64_t out[12];
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, text, &(rig_kernel_t){.vgprs = 64}),
                        .grid = {2 * 64},
                        .group = {64}};
    counting_sq(c, &d, ENGINES, events, 12, out);
    assert_int_equal(out[0], 2 * 4);
    for (unsigned i = 1; i < 5; i++)
        assert_int_equal(out[i], 2);
    assert_int_equal(out[5], 2 * 4096 / 512);
    assert_int_equal(out[6], 2 * 8192 / 512);
    assert_int_equal(out[7], 2 * 2048 / 512);
    assert_int_equal(out[8], 2 * 2048 / 512);
    assert_int_equal(out[9], 0);
    assert_int_equal(out[10], 2 * (64 + 32 + 8 + 32)); /* clocks of the matrix unit */
    assert_int_equal(out[11], 2 * 4);
}

/* Buffer instructions, by what TA sees of them. */
static void test_buffers(void **state)
{
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "s_movk_i32 s10, 0x1000\n"
                               "s_mov_b32 s11, 0x27000\n"
                               "v_lshlrev_b32 v1, 2, v0\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "buffer_load_dword v2, v1, s[8:11], 0 offen\n"
                               "buffer_load_dwordx2 v[2:3], v1, s[8:11], 0 offen\n"
                               "buffer_store_dword v2, v1, s[8:11], 0 offen\n"
                               "buffer_atomic_add v2, v1, s[8:11], 0 offen\n"
                               "buffer_wbinvl1\n" /* no access */
                               "s_endpgm\n";
    static const struct {
        counting_block_t block;
        unsigned event, per_wave;
    } rows[] = {{TA, 32, 4},  {TA, 44, 4}, {TA, 45, 2}, {TA, 46, 1}, {TA, 47, 1},
                {TA, 100, 0}, {TD, 25, 4}, {TD, 26, 1}, {TD, 27, 1}, {SQ, 55, 5}};
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, text, NULL),
                        .args = args_of(c, 8192),
                        .grid = {3 * 64},
                        .group = {64}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        counting_clear(c);
        counting_want(c, rows[i].block, rows[i].event);
        counting_start(c);
        counting_dispatch(c, &d);
        counting_stop(c);
        assert_int_equal(counting_value(c, 0, 0, 0), 3 * rows[i].per_wave);
    }
}

/* Kernels without statements, as compilers make them with and without optimisation: workgroups are
 * counted in the engines where they would have run, those at the edges as well. */
static void test_empty_kernels(void **state)
{
    static const char *const texts[] = {"s_endpgm\n", "s_mov_b32 s33, 0\ns_nop 0\ns_endpgm\n"};
    static const uint32_t shapes[][6] = {{6400, 1, 1, 64, 1, 1},
                                         {70, 11, 5, 8, 4, 3},
                                         {33, 40, 7, 32, 3, 2},
                                         {1001, 3, 2, 333, 2, 1},
                                         {5, 5, 500, 2, 2, 3}};
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    for (unsigned i = 0; i < 2 * sizeof shapes / sizeof shapes[0]; i++) {
        enum { WAVES, ITEMS, INSTS, GROUPS, N };
        const uint32_t *s = shapes[i / 2], *size = s + 3;
        const uint64_t length = i % 2 ? 3 : 1; /* instructions of a wave */
        uint64_t expected[ENGINES][N] = {{0}}, id = 0;
        for (uint32_t z = 0; z < s[2]; z += size[2])
            for (uint32_t y = 0; y < s[1]; y += size[1])
                for (uint32_t x = 0; x < s[0]; x += size[0], id++) {
                    const uint32_t w = s[0] - x < size[0] ? s[0] - x : size[0];
                    const uint32_t h = s[1] - y < size[1] ? s[1] - y : size[1];
                    const uint32_t d = s[2] - z < size[2] ? s[2] - z : size[2];
                    uint64_t *e = expected[id % ENGINES];
                    const uint64_t waves = (w * h * d + 63) / 64;
                    e[WAVES] += waves;
                    e[ITEMS] += w * h * d;
                    e[INSTS] += length * waves;
                    e[GROUPS]++;
                }
        counting_clear(c);
        counting_want(c, SQ, 4);
        counting_want(c, SQ, 14);
        counting_want(c, SQ, 25);
        counting_want(c, SPI, 49);
        counting_start(c);
        counting_dispatch(c, &(rig_dispatch_t){.kernel = rig_kernel(c->rig, texts[i % 2], NULL),
                                               .grid = {s[0], s[1], s[2]},
                                               .group = {size[0], size[1], size[2]}});
        counting_stop(c);
        for (uint32_t e = 0; e < ENGINES; e++)
            for (unsigned k = 0; k < N; k++)
                assert_int_equal(counting_value(c, k, e, 0), expected[e][k]);
    }
}

/* As many workgroups as a grid can have, of one item each; with counters and without. */
static void test_huge_grid(void **state)
{
    enum { N = 3 };
    static const unsigned events[N] = {4, 14, 65}; /* waves, items, s_endpgm */
    uint64_t out[N];
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    const rig_dispatch_t d = {.kernel = rig_kernel(c->rig, "s_endpgm\n", NULL),
                              .grid = {1u << 31, 3, 5}};
    counting_dispatch(c, &d);
    counting_sq(c, &d, ENGINES, events, N, out);
    for (unsigned k = 0; k < N; k++)
        assert_int_equal(out[k], UINT64_C(15) << 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instruction_mix),
        cmocka_unit_test(test_flat_in_lds),
        cmocka_unit_test(test_any_number_of_workers),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_empty_kernels),
        cmocka_unit_test(test_huge_grid),
        cmocka_unit_test(test_where_workgroups_count),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_large_engine),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_buffers),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
