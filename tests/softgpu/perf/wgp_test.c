/* wgp_test.c - counters of gfx11 and gfx12, whose workgroup processors each have an SQ of their
 * own, with counters of 32 bits: where waves count, what instructions count as, and clocks by hand.
 *
 * HIP of this system does not know these GPUs: kernels are assembled and packets are written here.
 * The GPUs have two engines of two arrays of two workgroup processors. */
#include "counting.h"

#include "asm.h"
#include "softgpu/device/internal.h"
#include "softgpu/perf/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { ENGINES = 2, ARRAYS = 2, WGPS = 2, WAVES_OF_32 = 1 << 10, COLD = 800 };
enum { ALL_ARRAYS = 1 << 29, ALL_PROCESSORS = 1 << 30, COMPUTE_STAGES = 0x55 };

/* Events of SQ. */
enum {
    BUSY_CYCLES = 3,
    WAVES = 4,
    WAVE_CYCLES = 24,
    WAIT_INST_ANY = 26,
    WAIT_ANY = 35,
    GDS = 54,
    FLAT = 56,
    LDS = 57,
    SALU = 58,
    SMEM = 59,
    VALU = 62,
    TEX_LOAD = 66,
    TEX_STORE = 67,
    WAVE32 = 70,
    WAVE32_LDS = 72,
    WAVE32_VALU = 73,
    WAVE32_INSTS = 82,
    WAVE64_INSTS = 83,
    LEVEL_LDS = 88,
    LDS_CONFLICT = 256,
    LDS_ACTIVE = 261
};

static uint32_t sq_select(unsigned slot)
{
    return 0xd9c0 + 2 * slot;
}

static uint32_t sq_counter(unsigned slot)
{
    return 0xd1c0 + 2 * slot;
}

static uint32_t wgp_index(uint32_t engine, uint32_t array, uint32_t wgp)
{
    return engine << 16 | array << 8 | wgp << 2;
}

static sg_profile_t profile_of(uint32_t gpu)
{
    sg_profile_t p = {.name = "test"};
#define SET_DEFAULT(key, def, lo, hi) p.key = def;
    SG_PROFILE_KEYS(SET_DEFAULT)
#undef SET_DEFAULT
    p.gfx_target_version = gpu;
    p.shader_engines = ENGINES;
    p.arrays_per_engine = ARRAYS;
    p.cus_per_array = 2 * WGPS;
    p.simds_per_cu = 2;
    p.waves_per_simd = 16;
    p.gl1_kb = 256;
    asm_set_gpu("gfx1100");
    return p;
}

static counting_t *create(uint32_t gpu)
{
    const sg_profile_t p = profile_of(gpu);
    return counting_on(rig_create_profile(&p));
}

static uint64_t kernel(counting_t *c, const char *text, uint32_t lanes)
{
    const rig_kernel_t how = {.properties = lanes == 32 ? WAVES_OF_32 : 0};
    return rig_kernel(c->rig, text, &how);
}

/* Kernels of gfx1201, which not every assembler knows, are words with LLVM's text behind them. */
static counting_t *create_gfx12(void)
{
    sg_profile_t p = profile_of(120001);
    p.gl1_kb = 0;
    p.l2_reads_whole = 1;
    return counting_on(rig_create_profile(&p));
}

static void start(counting_t *c, const unsigned *events, unsigned n)
{
    counting_flush_waves(c);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, REG_CP_PERFMON_CNTL, 0);
    for (unsigned i = 0; i < n; i++)
        counting_set(c, sq_select(i), events[i]);
    counting_set(c, REG_SQ_CTRL, COMPUTE_STAGES);
    counting_set(c, REG_ENABLE, 1);
    counting_set(c, REG_CP_PERFMON_CNTL, 1);
    counting_send(c);
}

static uint32_t value(counting_t *c, unsigned slot, uint32_t index)
{
    return counting_read(c, index, sq_counter(slot));
}

static uint64_t sum(counting_t *c, unsigned slot)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < ENGINES * ARRAYS * WGPS; k++)
        n += value(c, slot, wgp_index(k / (ARRAYS * WGPS), k / WGPS % ARRAYS, k % WGPS));
    return n;
}

static void dispatch(counting_t *c, const char *text, uint32_t lanes, uint32_t items,
                     uint32_t group)
{
    const uint64_t args = rig_alloc(c->rig, 64), data = rig_alloc(c->rig, 4096);
    *(uint64_t *)rig_ptr(c->rig, args) = data;
    counting_dispatch(c, &(rig_dispatch_t){.kernel = kernel(c, text, lanes),
                                           .args = args,
                                           .grid = {items},
                                           .group = {group},
                                           .lds = 4096});
    counting_stop(c);
}

/* Group g is on engine g mod 2, and there on one compute unit after the other, of the arrays in
 * turns; two units are a processor. Of 11 groups of 3 waves the engines have 6 and 5. */
static void test_places(void **state)
{
    static const uint32_t groups[ENGINES][ARRAYS][WGPS] = {{{2, 1}, {2, 1}}, {{2, 1}, {2, 0}}};
    static const unsigned events[] = {WAVES};
    (void)state;
    counting_t *c = create(110000);
    start(c, events, 1);
    dispatch(c, "s_endpgm\n", 32, 11 * 96, 96);
    for (uint32_t e = 0; e < ENGINES; e++)
        for (uint32_t a = 0; a < ARRAYS; a++)
            for (uint32_t w = 0; w < WGPS; w++)
                assert_int_equal(value(c, 0, wgp_index(e, a, w)), 3 * groups[e][a][w]);
    assert_int_equal(value(c, 0, EVERYWHERE), 6); /* the first answers for all */
    assert_int_equal(value(c, 0, wgp_index(0, 0, 2)), 0);
    assert_int_equal(value(c, 0, wgp_index(0, 2, 0)), 0);
    assert_int_equal(value(c, 0, wgp_index(2, 0, 0)), 0);
    assert_int_equal(value(c, 0, wgp_index(0, 0, 0) + 1), 0); /* an SQ has no second instance */
}

/* Of eight processors six have units, two in each array of the first column: 12 workgroups are on
 * 12 units, and none is on a processor without. */
static void test_empty_places(void **state)
{
    static const unsigned events[] = {WAVES};
    (void)state;
    sg_profile_t p = profile_of(110000);
    p.cus = 12;
    counting_t *c = counting_on(rig_create_profile(&p));
    start(c, events, 1);
    dispatch(c, "s_endpgm\n", 32, 12 * 4 * 32, 4 * 32);
    for (uint32_t e = 0; e < ENGINES; e++)
        for (uint32_t a = 0; a < ARRAYS; a++)
            for (uint32_t w = 0; w < WGPS; w++)
                assert_int_equal(value(c, 0, wgp_index(e, a, w)), a && w ? 0 : 2 * 4);
}

static void select_at(counting_t *c, uint32_t index, uint32_t reg, uint32_t select)
{
    counting_set(c, REG_GRBM_GFX_INDEX, index);
    counting_set(c, reg, select);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_send(c);
}

/* One of the bits that stand for all, beside fields that name one. */
static void test_broadcasts(void **state)
{
    static const uint32_t selected[ENGINES][ARRAYS][WGPS] = {{{WAVES, WAVES}, {VALU, VALU}},
                                                             {{WAVES, SMEM}, {WAVES, SMEM}}};
    static const unsigned events[] = {WAVES};
    (void)state;
    counting_t *c = create(110000);
    start(c, events, 1);
    select_at(c, ALL_ARRAYS | wgp_index(1, 0, 1), sq_select(0), SMEM);
    select_at(c, ALL_PROCESSORS | wgp_index(0, 1, 0), sq_select(0), VALU);
    for (uint32_t e = 0; e < ENGINES; e++)
        for (uint32_t a = 0; a < ARRAYS; a++)
            for (uint32_t w = 0; w < WGPS; w++)
                assert_int_equal(counting_read(c, wgp_index(e, a, w), sq_select(0)),
                                 selected[e][a][w]);
    /* the first that the fields select answers */
    assert_int_equal(counting_read(c, ALL_ARRAYS | wgp_index(1, 1, 1), sq_select(0)), SMEM);
    assert_int_equal(counting_read(c, ALL_PROCESSORS | wgp_index(0, 1, 1), sq_select(0)), VALU);
}

/* Each shader array has TCPs, of which an array has as many as compute units: four, not 16. */
static void test_blocks_of_arrays(void **state)
{
    enum { SELECT = 0xdb40 };
    (void)state;
    counting_t *c = create(110000);
    const uint32_t first = 1 << 16, second = 1 << 16 | 1 << 8;
    select_at(c, second | 3, SELECT, 7);
    select_at(c, second | 4, SELECT, 8);
    select_at(c, first | ALL_ARRAYS | 2, SELECT, 9);
    assert_int_equal(counting_read(c, second | 3, SELECT), 7);
    assert_int_equal(counting_read(c, first | 3, SELECT), 0);
    assert_int_equal(counting_read(c, 1 << 8 | 3, SELECT), 0);
    assert_int_equal(counting_read(c, second | 4, SELECT), 0);
    assert_int_equal(counting_read(c, first | 2, SELECT), 9);
    assert_int_equal(counting_read(c, second | 2, SELECT), 9);
}

/* A GRBM_GFX_INDEX that is made for an instance selects that one, of blocks of each scope. */
static void test_index_of(void **state)
{
    static const sg_block_t blocks[] = {SG_BLOCK_SQ, SG_BLOCK_TCP, SG_BLOCK_TA, SG_BLOCK_GL2C};
    static const uint32_t expected[] = {1 << 16 | 1 << 8 | 1 << 2, 1 << 16 | 3, 1 << 16 | 3,
                                        1 << 16 | 3};
    (void)state;
    const sg_perf_t *p = create(110000)->rig->device->perf;
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(sg_perf_index_of(p, blocks[k], 1, 3), expected[k]);
    assert_int_equal(sg_perf_index_of(p, SG_BLOCK_TCP, 0, 4), 1 << 8);
}

/* A select that is written for one workgroup processor leaves those of the others. */
static void test_selects(void **state)
{
    static const unsigned events[] = {WAVES};
    (void)state;
    counting_t *c = create(110000);
    start(c, events, 1);
    counting_set(c, REG_GRBM_GFX_INDEX, wgp_index(1, 0, 1));
    counting_set(c, sq_select(0), SMEM);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_send(c);
    assert_int_equal(counting_read(c, wgp_index(1, 0, 1), sq_select(0)), SMEM);
    assert_int_equal(counting_read(c, wgp_index(1, 1, 1), sq_select(0)), WAVES);
    dispatch(c, "s_load_b32 s4, s[0:1], 0x0\ns_load_b32 s4, s[0:1], 0x0\ns_endpgm\n", 32, 16 * 32,
             32); /* two groups on each processor */
    assert_int_equal(value(c, 0, wgp_index(1, 0, 1)), 2 * 2);
    assert_int_equal(value(c, 0, wgp_index(1, 1, 1)), 2);
    assert_int_equal(sum(c, 0), 7 * 2 + 2 * 2);
}

/* A counter has 32 bits and no register of a high half. */
static void test_bits(void **state)
{
    static const unsigned events[] = {WAVES};
    (void)state;
    counting_t *c = create(110000);
    start(c, events, 1);
    counting_set(c, sq_counter(0), 0xffffffff);
    counting_send(c);
    dispatch(c, "s_endpgm\n", 32, 8 * 96, 96);
    assert_int_equal(value(c, 0, wgp_index(0, 1, 0)), 5); /* two groups of three waves */
    assert_int_equal(value(c, 1, wgp_index(0, 1, 0)), 0);
    assert_int_equal(counting_read(c, wgp_index(0, 1, 0), sq_counter(0) + 1), 0);
}

/* A slot that no product has: registers beyond all of hardware, low and high half. */
static void test_further_slot(void **state)
{
    enum { ID = 6, SLOT = 8, SLOTS = 1024 };
    const uint32_t select = SG_COUNTER_REGISTERS + 3 * (ID * SLOTS + SLOT);
    static const unsigned events[] = {WAVES};
    (void)state;
    counting_t *c = create(110000);
    sg_perf_t *p = c->rig->device->perf;
    start(c, events, 1);
    sg_perf_write(p, 1, select, WAVES);
    sg_perf_write(p, 1, select + 1, 0xffffffff);
    assert_int_equal(sg_perf_read(p, 1, select + 1), 0xffffffff);
    dispatch(c, "s_endpgm\n", 32, 8 * 96, 96);
    counting_set(c, REG_GRBM_GFX_INDEX, wgp_index(0, 1, 0));
    counting_send(c);
    assert_int_equal(sg_perf_read(p, 1, select + 1), 5);
    assert_int_equal(sg_perf_read(p, 1, select + 2), 1);
}

/* A counter that is a difference of two sums never shows one of them before the other. */
static void test_differences(void **state)
{
    enum { WAVES_OF_ALL = 200000 };
    static const unsigned events[] = {WAVE64_INSTS};
    (void)state;
    counting_t *c = create(110000);
    const uint64_t signal = rig_signal(c->rig, 1);
    const rig_dispatch_t d = {.kernel = kernel(c, "s_nop 0\ns_endpgm\n", 32),
                              .grid = {WAVES_OF_ALL * 32},
                              .group = {32},
                              .signal = signal};
    sg_perf_t *p = c->rig->device->perf;
    start(c, events, 1);
    sg_perf_write(p, 1, REG_GRBM_GFX_INDEX, wgp_index(0, 0, 0));
    rig_dispatch(&c->queue, &d);
    while (__atomic_load_n(&rig_signal_at(c->rig, signal)->value, __ATOMIC_ACQUIRE) > 0)
        assert_int_equal(sg_perf_read(p, 1, sq_counter(0)), 0);
    assert_int_equal(sg_perf_read(p, 1, sq_counter(0)), 0);
}

/* The first line differs: an instruction of two operations is one of waves of 32 lanes. */
#define MIX                                                                                        \
    "s_load_b64 s[6:7], s[0:1], 0x0\n"                                                             \
    "v_and_b32 v0, 0x3ff, v0\n"                                                                    \
    "v_lshlrev_b32 v1, 2, v0\n"                                                                    \
    "s_delay_alu instid0(VALU_DEP_1)\n"                                                            \
    "s_waitcnt lgkmcnt(0)\n"                                                                       \
    "s_mov_b32 s8, s6\n"                                                                           \
    "s_mov_b32 s9, s7\n"                                                                           \
    "s_mov_b32 s10, -1\n"                                                                          \
    "s_mov_b32 s11, 0x31016000\n"                                                                  \
    "global_load_b32 v4, v1, s[6:7]\n"                                                             \
    "s_waitcnt vmcnt(0)\n"                                                                         \
    "ds_store_b32 v1, v4\n"                                                                        \
    "ds_load_b32 v5, v1\n"                                                                         \
    "s_waitcnt lgkmcnt(0)\n"                                                                       \
    "global_store_b32 v1, v5, s[6:7] offset:1024\n"                                                \
    "buffer_load_b32 v6, v1, s[8:11], 0 offen\n"                                                   \
    "buffer_load_b32 v6, v1, s[8:11], 0 offen glc\n"                                               \
    "buffer_atomic_add_u32 v3, v1, s[8:11], 0 offen glc\n"                                         \
    "buffer_atomic_add_u32 v5, v1, s[8:11], 0 offen\n"                                             \
    "buffer_store_b32 v5, v1, s[8:11], 0 offen\n"                                                  \
    "tbuffer_load_format_x v6, v1, s[8:11], 0 format:[BUF_FMT_32_UINT] offen\n"                    \
    "tbuffer_store_format_x v6, v1, s[8:11], 0 format:[BUF_FMT_32_UINT] offen\n"                   \
    "buffer_gl0_inv\n"                                                                             \
    "s_endpgm\n"
enum { MIX_INSTS = 24, GROUPS = 5, MIX_WAVES = 3 * GROUPS };

/* What one wave counts; `first` instructions stand in front of the mix. */
static void check_mix(uint32_t gpu, uint32_t lanes, const char *text, unsigned first)
{
    const bool narrow = lanes == 32;
    const struct {
        unsigned event, per_wave;
    } rows[] = {{WAVES, 1},
                {VALU, 2 + first},
                {SALU, 4},
                {SMEM, 1},
                {FLAT, 2},
                {LDS, 2},
                {GDS, 0},
                {TEX_LOAD, 4},
                {TEX_STORE, 3},
                {WAVE32, narrow ? MIX_INSTS + first : 0},
                {WAVE32_LDS, narrow ? 2 : 0},
                {WAVE32_VALU, narrow ? 2 + first : 0},
                {WAVE32_INSTS, narrow ? MIX_INSTS + first : 0},
                {WAVE64_INSTS, narrow ? 0 : MIX_INSTS + first}};
    enum { ROWS = sizeof rows / sizeof *rows, SLOTS = 7 };
    counting_t *c = create(gpu);
    for (unsigned from = 0; from < ROWS; from += SLOTS) {
        unsigned events[SLOTS];
        for (unsigned k = 0; k < SLOTS; k++)
            events[k] = rows[from + k].event;
        start(c, events, SLOTS);
        dispatch(c, text, lanes, GROUPS * 3 * lanes, 3 * lanes);
        for (unsigned k = 0; k < SLOTS; k++)
            if (sum(c, k) != (uint64_t)MIX_WAVES * rows[from + k].per_wave)
                fail_msg("gpu %u, %u lanes, event %u: %llu of %d waves, expected %u of each", gpu,
                         lanes, events[k], (unsigned long long)sum(c, k), MIX_WAVES,
                         rows[from + k].per_wave);
    }
}

static void test_instructions(void **state)
{
    static const uint32_t gpus[] = {110000, 110501};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        check_mix(gpus[k], 32, "v_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v3, 1\n" MIX, 1);
        check_mix(gpus[k], 64, "v_mov_b32 v2, v1\nv_mov_b32 v3, 1\n" MIX, 2);
    }
}

/* Loads and stores of buffers at the address unit of the unit that has the wave. */
static void test_address_unit(void **state)
{
    enum { SELECT = 0xdac0, LOW = 0xd2c0, SELECT_1 = 0xdac2, LOW_1 = 0xd2c2, LOADS = 45, STORES };
    (void)state;
    counting_t *c = create(110000);
    counting_set(c, SELECT, LOADS);
    counting_set(c, SELECT_1, STORES);
    start(c, NULL, 0);
    dispatch(c, "v_mov_b32 v3, 1\n" MIX, 32, 4 * 32, 4 * 32);
    /* four waves on the four SIMDs of the first processor, of which each unit has two; a store that
     * is an atomic operation is none */
    for (uint32_t unit = 0; unit < 4; unit++) {
        assert_int_equal(counting_read(c, ALL_ARRAYS | unit, LOW), unit < 2 ? 6 : 0);
        assert_int_equal(counting_read(c, ALL_ARRAYS | unit, LOW_1), unit < 2 ? 4 : 0);
    }
    assert_int_equal(counting_read(c, 1 << 16 | ALL_ARRAYS, LOW), 0);
}

/* One wave alone: fetched code, an instruction, a transcendental one, s_nop 3 and the end. A wave
 * of 64 lanes takes the vector instructions twice. An SQ is busy for its own processor alone. */
static void test_clocks(void **state)
{
    static const char text[] = "v_mov_b32 v1, 1.0\nv_rcp_f32 v1, v1\ns_nop 3\ns_endpgm\n";
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY, BUSY_CYCLES};
    (void)state;
    for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
        counting_t *c = create(110000);
        const uint32_t clocks = COLD + (1 + 4) * lanes / 32 + 4 + 1;
        start(c, events, 3);
        dispatch(c, text, lanes, lanes, lanes);
        assert_int_equal(value(c, 0, wgp_index(0, 0, 0)), clocks);
        assert_int_equal(value(c, 1, wgp_index(0, 0, 0)), COLD);
        assert_int_equal(value(c, 2, wgp_index(0, 0, 0)), clocks);
        for (unsigned slot = 0; slot < 3; slot++)
            assert_int_equal(sum(c, slot), value(c, slot, wgp_index(0, 0, 0)));
    }
}

/* The workgroups 0 and 4 are on the two units of a processor: an SQ is busy once with both. */
static void test_busy(void **state)
{
    static const unsigned events[] = {BUSY_CYCLES, WAVE_CYCLES};
    (void)state;
    counting_t *c = create(110000);
    start(c, events, 2);
    dispatch(c, "s_sleep 1\ns_endpgm\n", 32, 5 * 32, 32);
    const uint32_t alone = value(c, 0, wgp_index(1, 0, 0));
    assert_int_equal(value(c, 1, wgp_index(1, 0, 0)), alone);
    assert_in_range(value(c, 0, wgp_index(0, 0, 0)), alone, alone + 2 * COLD);
    assert_true(value(c, 1, wgp_index(0, 0, 0)) > value(c, 0, wgp_index(0, 0, 0)));
}

/* A workgroup of four waves of 32 lanes, two on each unit, each of which makes `loads` loads. Lanes
 * are 1 << shift bytes apart. */
static void load(counting_t *c, unsigned loads, unsigned shift)
{
    char text[4096] = "";
    size_t n = (size_t)snprintf(text, sizeof text,
                                "s_load_b64 s[6:7], s[0:1], 0x0\n"
                                "v_and_b32 v0, 0x3ff, v0\n"
                                "v_lshlrev_b32 v1, %u, v0\n"
                                "s_waitcnt lgkmcnt(0)\n",
                                shift);
    for (unsigned k = 0; k < loads; k++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "global_load_b32 v2, v1, s[6:7] offset:%u\n", 128 * k);
    snprintf(text + n, sizeof text - n, "s_waitcnt vmcnt(0)\ns_endpgm\n");
    const uint64_t args = rig_alloc(c->rig, 64), data = rig_alloc(c->rig, 128 << shift);
    *(uint64_t *)rig_ptr(c->rig, args) = data;
    counting_dispatch(
        c, &(rig_dispatch_t){
               .kernel = kernel(c, text, 32), .args = args, .grid = {128}, .group = {128}});
    counting_stop(c);
}

/* Waves wait for the unit for addresses, which two of them reach at once, as for their data. */
static void test_queue(void **state)
{
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY, WAIT_INST_ANY};
    (void)state;
    counting_t *c = create(110000);
    start(c, events, 3);
    load(c, 1, 7);
    const uint32_t at = wgp_index(0, 0, 0);
    assert_int_equal(value(c, 2, at), 0);
    assert_int_equal(value(c, 1, at), value(c, 0, at) - 4 * 7);
}

/* The same where more lines are wanted than can be in flight, and memory is slow. */
static void test_held_up(void **state)
{
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY, WAIT_INST_ANY};
    enum { LOADS = 30 };
    (void)state;
    sg_profile_t p = profile_of(110000);
    p.memory_bytes_per_clock = 4;
    counting_t *c = counting_on(rig_create_profile(&p));
    start(c, events, 3);
    load(c, LOADS, 12);
    const uint32_t at = wgp_index(0, 0, 0);
    assert_true(value(c, 0, at) > 4 * (4 * LOADS * 32 * 64 / 4)); /* until all pieces are there */
    assert_int_equal(value(c, 2, at), 0);
    assert_int_equal(value(c, 1, at), value(c, 0, at) - 4 * (6 + LOADS));
}

/* Lanes two dwords apart meet in a bank by twos: a phase takes 2 clocks, of which one is a
 * conflict. Data is there 64 clocks after its issue, and one later by the conflict: the level's
 * integral. */
static void test_lds(void **state)
{
    static const char text[] = "v_and_b32 v0, 0x3ff, v0\nv_lshlrev_b32 v1, 3, v0\n"
                               "ds_load_b32 v2, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm\n";
    static const unsigned events[] = {LDS_ACTIVE, LDS_CONFLICT, LEVEL_LDS,
                                      1,          BUSY_CYCLES,  WAVE_CYCLES};
    (void)state;
    counting_t *c = create(110000);
    start(c, events, 6);
    dispatch(c, text, 32, 3 * 32, 32); /* on engine 0's array 0, engine 1's, engine 0's array 1 */
    for (uint32_t k = 0; k < 3; k++) {
        const uint32_t at = wgp_index(k & 1, k >> 1, 0);
        assert_int_equal(value(c, 0, at), 2);
        assert_int_equal(value(c, 1, at), 1);
        assert_int_equal(value(c, 3, at), 65);
        assert_int_equal(value(c, 4, at), value(c, 5, at)); /* busy with this wave */
        assert_in_range(value(c, 4, at), 65, 2 * COLD);
    }
    assert_int_equal(value(c, 0, wgp_index(0, 0, 1)), 0);
    assert_int_equal(value(c, 3, wgp_index(0, 0, 1)), 0);
}

/* ---- gfx12 ---- */

/* Events of SQ. */
enum {
    WAIT_ANY_12 = 27,
    FLAT_12 = 44,
    LDS_12 = 45,
    SALU_12 = 46,
    SMEM_12 = 47,
    VALU_12 = 50,
    TEX_LOAD_12 = 54,
    TEX_STORE_12 = 55,
    WAVE32_12 = 58,
    WAVE32_LDS_12 = 60,
    WAVE32_VALU_12 = 61,
    WAVE32_INSTS_12 = 70,
    WAVE64_INSTS_12 = 71,
    LEVEL_LDS_12 = 75,
    LDS_CONFLICT_12 = 288,
    LDS_ACTIVE_12 = 293
};

#define END_12  ".long 0xbfb00000 ; s_endpgm\n"
#define DUAL_12 ".long 0xca100101, 0x02020081 ; v_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v3, 1\n"
#define MOVES_12                                                                                   \
    ".long 0x7e040301 ; v_mov_b32_e32 v2, v1\n"                                                    \
    ".long 0x7e060281 ; v_mov_b32_e32 v3, 1\n"
#define MIX_12                                                                                     \
    ".long 0xf4002180, 0xf8000000 ; s_load_b64 s[6:7], s[0:1], 0x0\n"                              \
    ".long 0x360000ff, 0x000003ff ; v_and_b32_e32 v0, 0x3ff, v0\n"                                 \
    ".long 0x30020082 ; v_lshlrev_b32_e32 v1, 2, v0\n"                                             \
    ".long 0xbf870001 ; s_delay_alu instid0(VALU_DEP_1)\n"                                         \
    ".long 0xbfc70000 ; s_wait_kmcnt 0x0\n"                                                        \
    ".long 0xbe880006 ; s_mov_b32 s8, s6\n"                                                        \
    ".long 0xbe890007 ; s_mov_b32 s9, s7\n"                                                        \
    ".long 0xbe8a00c1 ; s_mov_b32 s10, -1\n"                                                       \
    ".long 0xbe8b00ff, 0x31016000 ; s_mov_b32 s11, 0x31016000\n"                                   \
    ".long 0xee050006, 0x00000004, 0x00000001 ; global_load_b32 v4, v1, s[6:7]\n"                  \
    ".long 0xbfc00000 ; s_wait_loadcnt 0x0\n"                                                      \
    ".long 0xd8340000, 0x00000401 ; ds_store_b32 v1, v4\n"                                         \
    ".long 0xd8d80000, 0x05000001 ; ds_load_b32 v5, v1\n"                                          \
    ".long 0xbfc60000 ; s_wait_dscnt 0x0\n"                                                        \
    ".long 0xee068006, 0x02800000, 0x00040001 ; global_store_b32 v1, v5, s[6:7] offset:1024\n"     \
    ".long 0xc405007c, 0x40801006, 0x00000001 ; buffer_load_b32 v6, v1, s[8:11], null offen\n"     \
    ".long 0xc405007c, 0x40881006, 0x00000001 ; the same with scope:SCOPE_DEV\n"                   \
    ".long 0xc40d407c, 0x40901003, 0x00000001 ; buffer_atomic_add_u32 v3, v1, s[8:11], null "      \
    "offen th:TH_ATOMIC_RETURN\n"                                                                  \
    ".long 0xc40d407c, 0x40801005, 0x00000001 ; the same without a hint\n"                         \
    ".long 0xc406807c, 0x40801005, 0x00000001 ; buffer_store_b32 v5, v1, s[8:11], null offen\n"    \
    ".long 0xc420007c, 0x4a001006, 0x00000001 ; tbuffer_load_format_x v6, v1, s[8:11], null "      \
    "format:[BUF_FMT_32_UINT] offen\n"                                                             \
    ".long 0xc421007c, 0x4a001006, 0x00000001 ; tbuffer_store_format_x of the same\n"              \
    ".long 0xee0ac07c, 0x00080000, 0x00000000 ; global_inv scope:SCOPE_DEV\n"                      \
    ".long 0xbe804ec1 ; s_barrier_signal -1\n"                                                     \
    ".long 0xbf94ffff ; s_barrier_wait -1\n" END_12
enum { MIX_INSTS_12 = 26 };

/* What each wave counts; `first` instructions stand in front of the mix. */
static void check_mix_gfx12(uint32_t lanes, const char *text, unsigned first)
{
    const bool narrow = lanes == 32;
    const struct {
        unsigned event, per_wave;
    } rows[] = {{WAVES, 1},
                {VALU_12, 2 + first},
                {SALU_12, 4},
                {SMEM_12, 1},
                {FLAT_12, 3}, /* with that of the cache, which has such an encoding */
                {LDS_12, 2},
                {TEX_LOAD_12, 4},
                {TEX_STORE_12, 3},
                {WAVE32_12, narrow ? MIX_INSTS_12 + first : 0},
                {WAVE32_LDS_12, narrow ? 2 : 0},
                {WAVE32_VALU_12, narrow ? 2 + first : 0},
                {WAVE32_INSTS_12, narrow ? MIX_INSTS_12 + first : 0},
                {WAVE64_INSTS_12, narrow ? 0 : MIX_INSTS_12 + first},
                {WAVES, 1}};
    enum { ROWS = sizeof rows / sizeof *rows, SLOTS = 7 };
    counting_t *c = create_gfx12();
    for (unsigned from = 0; from < ROWS; from += SLOTS) {
        unsigned events[SLOTS];
        for (unsigned k = 0; k < SLOTS; k++)
            events[k] = rows[from + k].event;
        start(c, events, SLOTS);
        dispatch(c, text, lanes, GROUPS * 3 * lanes, 3 * lanes);
        for (unsigned k = 0; k < SLOTS; k++)
            if (sum(c, k) != (uint64_t)MIX_WAVES * rows[from + k].per_wave)
                fail_msg("%u lanes, event %u: %llu of %d waves, expected %u of each", lanes,
                         events[k], (unsigned long long)sum(c, k), MIX_WAVES,
                         rows[from + k].per_wave);
    }
}

static void test_instructions_gfx12(void **state)
{
    (void)state;
    check_mix_gfx12(32, DUAL_12 MIX_12, 1);
    check_mix_gfx12(64, MOVES_12 MIX_12, 2);
}

/* Each workgroup processor has two address units, one of each compute unit. */
static void test_address_unit_gfx12(void **state)
{
    enum { SELECT = 0xdac0, LOW = 0xd2c0, SELECT_1 = 0xdac2, LOW_1 = 0xd2c2, LOADS = 45, STORES };
    (void)state;
    counting_t *c = create_gfx12();
    counting_set(c, SELECT, LOADS);
    counting_set(c, SELECT_1, STORES);
    start(c, NULL, 0);
    dispatch(c, MOVES_12 MIX_12, 32, 3 * 4 * 32, 4 * 32);
    /* three workgroups of four waves on as many processors; a unit has two waves of each */
    for (uint32_t k = 0; k < ENGINES * ARRAYS * WGPS; k++)
        for (uint32_t unit = 0; unit < 2; unit++) {
            const uint32_t e = k / (ARRAYS * WGPS), a = k / WGPS % ARRAYS, w = k % WGPS;
            const bool used = w == 0 && (e == 0 || a == 0);
            assert_int_equal(counting_read(c, wgp_index(e, a, w) | unit, LOW), used ? 6 : 0);
            assert_int_equal(counting_read(c, wgp_index(e, a, w) | unit, LOW_1), used ? 4 : 0);
        }
    assert_int_equal(counting_read(c, wgp_index(0, 0, 0) | 2, LOW), 0);
}

#define LOADS_12                                                                                   \
    ".long 0xf4000100, 0xf8000000 ; s_load_b32 s4, s[0:1], 0x0\n"                                  \
    ".long 0xd8d80000, 0x05000000 ; ds_load_b32 v5, v0\n"

/* A scalar load and one of LDS are in flight. Each wait is for one of them, though the scalar load,
 * which memory has to answer, was issued first. A clock is between an instruction and the next. The
 * code is less than 32 bytes, so that it is waited for once. */
static void test_waits_gfx12(void **state)
{
    static const struct {
        const char *text;
        uint32_t waits; /* clocks besides those for the code */
    } rows[] = {
        {".long 0xbfc10000 ; s_wait_storecnt 0x0\n", 0},
        {".long 0xbfc83f00 ; s_wait_loadcnt_dscnt 0x3f00\n", 63},
        {".long 0xbfc60000 ; s_wait_dscnt 0x0\n", 63},
        {".long 0xbfc70000 ; s_wait_kmcnt 0x0\n", COLD - 2},
    };
    static const unsigned events[] = {WAIT_ANY_12, WAVE_CYCLES};
    (void)state;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[512];
        counting_t *c = create_gfx12();
        snprintf(text, sizeof text, LOADS_12 "%s" END_12, rows[k].text);
        start(c, events, 2);
        dispatch(c, text, 32, 32, 32);
        const uint32_t at = wgp_index(0, 0, 0);
        assert_int_equal(value(c, 0, at), COLD + rows[k].waits);
        assert_int_equal(value(c, 1, at), value(c, 0, at) + 4);
    }
}

/* The second wave of two sleeps before it signals; the first waits for that. Of the first, four
 * instructions are behind the code's 800 clocks when it waits, of the second five and the sleep's
 * 640 clocks when it has signalled. */
static void test_barrier_gfx12(void **state)
{
    static const char text[] = ".long 0x7e080500 ; v_readfirstlane_b32 s4, v0\n"
                               ".long 0xbf068004 ; s_cmp_eq_u32 s4, 0\n"
                               ".long 0xbfa20001 ; s_cbranch_scc1 1\n"
                               ".long 0xbf83000a ; s_sleep 10\n"
                               ".long 0xbe804ec1 ; s_barrier_signal -1\n"
                               ".long 0xbf94ffff ; s_barrier_wait -1\n" END_12;
    enum { SLEEP = 640, SIGNALLED = COLD + 5 + SLEEP, FIRST_WAITS = COLD + 5 };
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY_12, BUSY_CYCLES};
    (void)state;
    counting_t *c = create_gfx12();
    start(c, events, 3);
    dispatch(c, text, 32, 64, 64);
    const uint32_t at = wgp_index(0, 0, 0);
    assert_int_equal(value(c, 0, at), SIGNALLED + 1 + SIGNALLED + 1 + 1);
    assert_int_equal(value(c, 1, at), COLD + SIGNALLED - FIRST_WAITS + COLD + SLEEP);
    assert_int_equal(value(c, 2, at), SIGNALLED + 1 + 1);
}

/* The same as test_lds(). */
static void test_lds_gfx12(void **state)
{
    static const char text[] = ".long 0x360000ff, 0x000003ff ; v_and_b32_e32 v0, 0x3ff, v0\n"
                               ".long 0x30020083 ; v_lshlrev_b32_e32 v1, 3, v0\n"
                               ".long 0xd8d80000, 0x05000001 ; ds_load_b32 v5, v1\n"
                               ".long 0xbfc60000 ; s_wait_dscnt 0x0\n" END_12;
    static const unsigned events[] = {LDS_ACTIVE_12, LDS_CONFLICT_12, LEVEL_LDS_12, 1};
    (void)state;
    counting_t *c = create_gfx12();
    start(c, events, 4);
    dispatch(c, text, 32, 32, 32);
    const uint32_t at = wgp_index(0, 0, 0);
    assert_int_equal(value(c, 0, at), 2);
    assert_int_equal(value(c, 1, at), 1);
    assert_int_equal(value(c, 3, at), 65);
}

/* The events of L2 in all of its channels, for a kernel whose lanes load 64 bytes apart `loads`
 * times from the same place: so many bytes of code each time. */
static void l2_events(unsigned loads, bool fresh, uint64_t *values)
{
    enum { SELECT = 0xdb80, LOW = 0xd380, STEP = 2, EVENTS = 4, CHANNELS = 32 };
    static const unsigned events[EVENTS] = {41, 42, 140, 148}; /* HIT, MISS, EA_RDREQ, _128B */
    static const char nothing[] = ".long 0xbf800000, 0xbf800000, 0xbf800000 ; s_nop 0\n";
    char load[128], text[1024];
    counting_t *c = create_gfx12();
    for (unsigned k = 0; k < EVENTS; k++)
        counting_set(c, SELECT + STEP * k, events[k]);
    start(c, NULL, 0);
    snprintf(load, sizeof load, ".long 0xee050006, 0x%08x, 0x00000001 ; global_load_b32\n",
             fresh ? 0x00080004 : 0x00000004);
    snprintf(text, sizeof text,
             ".long 0xf4002180, 0xf8000000 ; s_load_b64 s[6:7], s[0:1], 0x0\n"
             ".long 0x360000ff, 0x000003ff ; v_and_b32_e32 v0, 0x3ff, v0\n"
             ".long 0x30020086 ; v_lshlrev_b32_e32 v1, 6, v0\n"
             ".long 0xbfc70000 ; s_wait_kmcnt 0x0\n"
             "%s.long 0xbfc00000 ; s_wait_loadcnt 0x0\n"
             "%s.long 0xbfc00000 ; s_wait_loadcnt 0x0\n" END_12,
             loads > 0 ? load : nothing, loads > 1 ? load : nothing);
    dispatch(c, text, 32, 32, 32);
    for (unsigned k = 0; k < EVENTS; k++) {
        values[k] = 0;
        for (uint32_t channel = 0; channel < CHANNELS; channel++)
            values[k] += counting_read(c, ALL_ARRAYS | channel, LOW + STEP * k);
    }
}

/* 2 KiB are 16 lines of 128 bytes, which are missed once, and found in L0 the second time unless
 * the load's scope is the device. Translations of their page and the code are the same in all. */
static void test_l2_gfx12(void **state)
{
    uint64_t none[4], once[4], twice[4], again[4];
    (void)state;
    l2_events(0, false, none);
    l2_events(1, false, once);
    l2_events(2, false, twice);
    l2_events(2, true, again);
    assert_in_range(once[1] - none[1], 16, 18);
    assert_in_range(once[2] - none[2], 16, 18);
    assert_int_equal(once[3] - none[3], 16);
    assert_memory_equal(twice, once, sizeof once);
    assert_int_equal(again[0] - once[0], 16);
    assert_int_equal(again[1], once[1]);
    assert_int_equal(again[2], once[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_empty_places),
                                       cmocka_unit_test(test_broadcasts),
                                       cmocka_unit_test(test_blocks_of_arrays),
                                       cmocka_unit_test(test_index_of),
                                       cmocka_unit_test(test_selects),
                                       cmocka_unit_test(test_bits),
                                       cmocka_unit_test(test_differences),
                                       cmocka_unit_test(test_instructions),
                                       cmocka_unit_test(test_address_unit),
                                       cmocka_unit_test(test_clocks),
                                       cmocka_unit_test(test_busy),
                                       cmocka_unit_test(test_queue),
                                       cmocka_unit_test(test_held_up),
                                       cmocka_unit_test(test_lds),
                                       cmocka_unit_test(test_further_slot),
                                       cmocka_unit_test(test_instructions_gfx12),
                                       cmocka_unit_test(test_address_unit_gfx12),
                                       cmocka_unit_test(test_waits_gfx12),
                                       cmocka_unit_test(test_barrier_gfx12),
                                       cmocka_unit_test(test_lds_gfx12),
                                       cmocka_unit_test(test_l2_gfx12)};
    if (!asm_available() || !asm_knows_gpu("gfx1100")) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
