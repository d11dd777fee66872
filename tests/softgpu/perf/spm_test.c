/* spm_test.c - streaming counters through raw PM4, samples worked out by hand from
 * docs/counters.md.
 *
 * A packet takes 5500 clocks of the command processor when it is through. The starting packet's
 * come after the samples' beginning, then those of the dispatch, then the dispatch. */
#include "counting.h"

#include "softgpu/device/internal.h"
#include "softgpu/perf/spm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    RLC_PERFMON_CNTL = 0xdc80,
    RLC_SEGMENT_SIZE = 0xdc84,
    RLC_SE_ADDR = 0xdc85,
    RLC_SE_DATA = 0xdc86,
    RLC_GLOBAL_ADDR = 0xdc9b,
    RLC_GLOBAL_DATA = 0xdc9c,
    TCC_SELECT1 = 0xdb81,
    SPM_START = 1 << 4,
    SPM_STOP = 2 << 4,
    PMC_START = 1,
    SQ_MASKS = 0x0f0ff000,
    STOPS_16 = 1 << 20,
    STOPS_32 = 3 << 20,
    STAMP = 0xf0f0,
    NONE = 0xffff,
    LINE = 16,       /* places */
    SE_BLOCK_SQ = 9, /* as multiplexers number blocks */
    GLOBAL_BLOCK_TCC = 4,
    PACKET = 5500,
    BEFORE = 2 * PACKET,
    LAUNCH = 4, /* clocks of a wave's launch */
    COLD = 800, /* the first fetch of code */
    INSTS_VALU = 26,
    THREAD_CYCLES_VALU = 113,
    TCC_REQ = 3,
    TCC_READ = 12
};

static uint16_t mux(unsigned counter, unsigned block, unsigned instance)
{
    return (uint16_t)(counter | block << 6 | instance << 11);
}

static void write_table(counting_t *c, uint32_t address, const uint16_t *places, unsigned n)
{
    counting_set(c, address, 0);
    for (unsigned i = 0; i < n; i += 2)
        counting_set(c, address + 1, places[i] | (uint32_t)places[i + 1] << 16);
}

static sg_spm_t *spm_of(counting_t *c)
{
    return sg_perf_spm(c->rig->device->perf, 0);
}

static void begin(counting_t *c)
{
    counting_flush_waves(c);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, REG_CLOCKS, 1);
    counting_set(c, REG_CP_PERFMON_CNTL, SPM_STOP);
    counting_set(c, REG_SQ_MASK, 0xffffffff);
    counting_set(c, REG_SQ_CTRL, (uint32_t)SQ_CTRL_ALL);
    counting_set(c, REG_ENABLE, 1);
}

/* Two lines of the GPU, the clock first, and two of the engine, with one counter of SQ. */
static void begin_sq(counting_t *c, uint32_t select, uint32_t interval)
{
    uint16_t of_gpu[2 * LINE], of_engine[2 * LINE];
    memset(of_gpu, 0xff, sizeof of_gpu);
    memset(of_engine, 0xff, sizeof of_engine);
    for (unsigned i = 0; i < 4; i++)
        of_gpu[i] = STAMP;
    of_engine[0] = mux(0, SE_BLOCK_SQ, 0);
    of_engine[LINE] = mux(1, SE_BLOCK_SQ, 0);
    begin(c);
    counting_set(c, counting_select_reg(SQ, 0), select | SQ_MASKS);
    counting_set(c, RLC_PERFMON_CNTL, interval << 16);
    counting_set(c, RLC_SEGMENT_SIZE, (2 + 2) | 2 << 11 | 2 << 16);
    write_table(c, RLC_GLOBAL_ADDR, of_gpu, 2 * LINE);
    write_table(c, RLC_SE_ADDR, of_engine, 2 * LINE);
    counting_set(c, REG_CP_PERFMON_CNTL, SPM_START);
    counting_send(c);
}

static void end(counting_t *c)
{
    counting_flush_waves(c);
    counting_set(c, REG_CP_PERFMON_CNTL, SPM_STOP);
    counting_send(c);
}

typedef struct {
    uint64_t clock;
    uint64_t value;
} sample_t;

enum { SAMPLES = 70000, SEGMENT = 4 * LINE * 2 };

/* Those of begin_sq(), of one XCC. */
static size_t take_of(sg_spm_t *spm, sample_t *out, bool *lost)
{
    static uint16_t data[SAMPLES * SEGMENT / 2];
    const size_t bytes = sg_spm_take(spm, data, sizeof data, lost);
    assert_int_equal(bytes % SEGMENT, 0);
    for (size_t i = 0; i < bytes / SEGMENT; i++) {
        const uint16_t *s = data + i * SEGMENT / 2;
        out[i].clock = s[0] | (uint64_t)s[1] << 16 | (uint64_t)s[2] << 32 | (uint64_t)s[3] << 48;
        out[i].value = s[2 * LINE] | (uint64_t)s[3 * LINE] << 16;
    }
    return bytes / SEGMENT;
}

static size_t take(counting_t *c, sample_t *out, bool *lost)
{
    return take_of(spm_of(c), out, lost);
}

static uint64_t sum(const sample_t *samples, size_t n)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += samples[i].value;
    return all;
}

/* 30 vector instructions in 4 clocks each: spread over the wave's clocks. */
static const char thirty[] = ".rept 30\nv_mov_b32 v1, 1.0\n.endr\ns_endpgm\n";

static void test_samples(void **state)
{
    static sample_t samples[SAMPLES];
    enum { INTERVAL = 96 };
    bool lost;
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, thirty, NULL), .grid = {64}, .group = {64}};
    assert_true(sg_spm_open(spm_of(c)));
    begin_sq(c, INSTS_VALU | STOPS_32, INTERVAL);
    counting_dispatch(c, &d);
    end(c);
    const size_t n = take(c, samples, &lost);
    /* 31 instructions in 4 pieces of code, all after the first fetched ahead */
    const uint64_t start = BEFORE + LAUNCH, finish = start + COLD + 31 * 4;
    uint64_t told = 0;
    assert_false(lost);
    assert_int_equal(n, (finish + INTERVAL - 1) / INTERVAL);
    for (size_t i = 0; i < n; i++) {
        uint64_t edge = (i + 1) * INTERVAL < finish ? (i + 1) * INTERVAL : finish;
        uint64_t upto = edge < start ? 0 : 30 * (edge - start) / (finish - start);
        assert_int_equal(samples[i].clock, edge);
        assert_int_equal(samples[i].value, upto - told);
        told = upto;
    }
    assert_int_equal(told, 30);
    sg_spm_close(spm_of(c));
}

static void test_same_again(void **state)
{
    static sample_t first[SAMPLES], second[SAMPLES];
    bool lost;
    size_t n[2];
    (void)state;
    for (unsigned run = 0; run < 2; run++) {
        counting_t *c = counting_create(1, 2);
        rig_dispatch_t d = {
            .kernel = rig_kernel(c->rig, thirty, NULL), .grid = {64 * 9}, .group = {128}};
        assert_true(sg_spm_open(spm_of(c)));
        begin_sq(c, INSTS_VALU | STOPS_32, 32);
        for (unsigned k = 0; k < 3; k++)
            counting_dispatch(c, &d);
        end(c);
        n[run] = take(c, run ? second : first, &lost);
        sg_spm_close(spm_of(c));
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(first, second, n[0] * sizeof *first);
    assert_int_equal(sum(first, n[0]), 3 * 9 * 30);
}

/* Each XCC samples what runs in it, by the same clock. */
static void test_xccs(void **state)
{
    static sample_t samples[2][SAMPLES];
    enum { XCCS = 3, GROUPS = 7, INSTS = 30 };
    size_t n[2] = {0};
    (void)state;
    rig_xccs = XCCS;
    counting_t *c = counting_create(1, 1);
    rig_xccs = 1;
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, thirty, NULL), .grid = {64 * GROUPS}, .group = {64}};
    assert_true(sg_device_spm_open(c->rig->device));
    begin_sq(c, INSTS_VALU | STOPS_32, 64);
    counting_dispatch(c, &d);
    end(c);
    for (uint32_t xcc = 0; xcc < XCCS; xcc++) {
        bool lost;
        const unsigned k = xcc > 0;
        n[k] = take_of(sg_perf_spm(c->rig->device->perf, xcc), samples[k], &lost);
        assert_false(lost);
        /* groups go to one XCC after the other */
        assert_int_equal(sum(samples[k], n[k]), (GROUPS + XCCS - 1 - xcc) / XCCS * INSTS);
        assert_int_equal(n[k], n[0]);
        for (size_t i = 0; i < n[k]; i++)
            assert_int_equal(samples[k][i].clock, samples[0][i].clock);
    }
    assert_true(n[0] > 2);
    sg_device_spm_close(c->rig->device);
}

/* A counter of 32 bits in two places, and one that stops where 16 bits end. */
static void test_width(void **state)
{
    static sample_t samples[SAMPLES];
    static const char text[] = ".rept 1100\nv_mov_b32 v1, 1.0\n.endr\ns_endpgm\n";
    static const struct {
        uint32_t mode;
        uint64_t value;
    } cases[] = {{STOPS_32, 64 * 1100}, {STOPS_16, 65535}};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        bool lost;
        counting_t *c = counting_create(1, 1);
        rig_dispatch_t d = {.kernel = rig_kernel(c->rig, text, NULL), .grid = {64}, .group = {64}};
        assert_true(sg_spm_open(spm_of(c)));
        begin_sq(c, THREAD_CYCLES_VALU | cases[i].mode, 65504);
        counting_dispatch(c, &d);
        end(c);
        assert_int_equal(take(c, samples, &lost), 1);
        assert_int_equal(samples[0].value & (i ? 0xffff : UINT64_MAX), cases[i].value);
        sg_spm_close(spm_of(c));
    }
}

/* More samples than the ring has room for: the first ones are there, the rest is told as lost. */
static void test_loss(void **state)
{
    static sample_t samples[SAMPLES];
    enum { RING = (4 << 20) - 0x420, ROOM = RING / SEGMENT };
    bool lost;
    (void)state;
    counting_t *c = counting_create(1, 1);
    static const char text[] = "v_mov_b32 v1, 1.0\n.rept 5\ns_sleep 127\n.endr\ns_endpgm\n";
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, text, NULL), .grid = {64}, .group = {64}};
    assert_true(sg_spm_open(spm_of(c)));
    begin_sq(c, INSTS_VALU | STOPS_32, 1);
    counting_dispatch(c, &d); /* 5 * 127 * 64 clocks and more */
    end(c);
    assert_int_equal(take(c, samples, &lost), ROOM);
    assert_true(lost);
    /* with a longer interval there is room */
    begin_sq(c, INSTS_VALU | STOPS_32, 32);
    counting_dispatch(c, &d);
    end(c);
    const size_t n = take(c, samples, &lost);
    assert_false(lost);
    assert_int_equal(sum(samples, n), 1);
    /* nobody reads */
    sg_spm_close(spm_of(c));
    begin_sq(c, INSTS_VALU | STOPS_32, 32);
    counting_dispatch(c, &d);
    end(c);
    assert_int_equal(take(c, samples, &lost), 0);
    assert_true(lost);
}

/* Segments of no lines, or every 0 clocks: told as lost, and what began before and begins after is
 * whole. */
static void test_nothing_to_sample(void **state)
{
    static sample_t samples[SAMPLES];
    static const struct {
        uint32_t number, value;
    } wrong[] = {{RLC_SEGMENT_SIZE, 0}, {RLC_PERFMON_CNTL, 0}};
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = rig_kernel(c->rig, thirty, NULL), .grid = {64}, .group = {64}};
    assert_true(sg_spm_open(spm_of(c)));
    for (unsigned i = 0; i < 4; i++) {
        bool lost;
        begin_sq(c, INSTS_VALU | STOPS_32, 32);
        counting_dispatch(c, &d);
        end(c);
        const size_t n = take(c, samples, &lost);
        assert_false(lost);
        assert_int_equal(sum(samples, n), 30);
        begin(c);
        counting_set(c, wrong[i % 2].number, wrong[i % 2].value);
        counting_set(c, REG_CP_PERFMON_CNTL, SPM_START);
        counting_send(c);
        counting_dispatch(c, &d);
        end(c);
        assert_int_equal(take(c, samples, &lost), 0);
        assert_true(lost);
    }
    sg_spm_close(spm_of(c));
}

/* Two counters of each L2 channel, even and odd, of which the second pair has a select of its own:
 * all samples together are what the same counters say at the end. */
static void test_sum_is_the_counter(void **state)
{
    static const char text[] = "s_load_dwordx2 s[4:5], s[0:1], 0\n"
                               "v_lshlrev_b32 v1, 2, v0\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_load_dword v2, v1, s[4:5]\n"
                               "s_waitcnt vmcnt(0)\n"
                               "global_store_dword v1, v2, s[4:5]\n"
                               "s_endpgm\n";
    enum { CHANNELS = 32, LINES = 10 };
    static uint16_t places[LINES * LINE], data[20000 * LINES * LINE];
    uint64_t sums[CHANNELS][3] = {{0}};
    bool lost;
    (void)state;
    counting_t *c = counting_create(1, 1);
    const uint64_t memory = rig_alloc(c->rig, 4096), args = rig_alloc(c->rig, 64);
    memcpy(rig_ptr(c->rig, args), &memory, 8);
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, text, NULL), .grid = {512}, .group = {256}, .args = args};
    memset(places, 0xff, sizeof places);
    uint16_t at[CHANNELS][3];
    unsigned even = 4, odd = LINE;
    for (unsigned i = 0; i < 4; i++)
        places[i] = STAMP;
    for (unsigned i = 0; i < CHANNELS; i++)
        for (unsigned k = 0; k < 3; k++) {
            unsigned *next = k % 2 ? &odd : &even;
            at[i][k] = (uint16_t)*next;
            places[(*next)++] = mux(k, GLOBAL_BLOCK_TCC, i);
            if (!(*next % LINE)) *next += LINE;
        }
    assert_true(sg_spm_open(spm_of(c)));
    begin(c);
    counting_set(c, counting_select_reg(TCC, 0), TCC_REQ | TCC_READ << 10 | STOPS_16);
    counting_set(c, TCC_SELECT1, TCC_REQ);
    counting_set(c, counting_select_reg(TCC, 1), TCC_READ);
    counting_set(c, RLC_PERFMON_CNTL, 64u << 16);
    counting_set(c, RLC_SEGMENT_SIZE, LINES | LINES << 11);
    write_table(c, RLC_GLOBAL_ADDR, places, LINES * LINE);
    counting_set(c, REG_CP_PERFMON_CNTL, 0);
    counting_set(c, REG_CP_PERFMON_CNTL, SPM_START | PMC_START);
    counting_send(c);
    counting_dispatch(c, &d);
    counting_flush_waves(c);
    counting_set(c, REG_CP_PERFMON_CNTL, SPM_STOP | 2);
    counting_send(c);
    const size_t segments = sg_spm_take(spm_of(c), data, sizeof data, &lost) / (LINES * LINE * 2);
    assert_false(lost);
    for (size_t s = 0; s < segments; s++)
        for (unsigned i = 0; i < CHANNELS; i++)
            for (unsigned k = 0; k < 3; k++)
                sums[i][k] += data[s * LINES * LINE + at[i][k]];
    uint64_t all = 0;
    counting_clear(c);
    counting_want(c, TCC, TCC_REQ);
    counting_want(c, TCC, TCC_READ);
    for (unsigned i = 0; i < CHANNELS; i++) {
        assert_int_equal(sums[i][0], counting_value(c, 0, 0, i));
        assert_int_equal(sums[i][1], counting_value(c, 1, 0, i));
        assert_int_equal(sums[i][2], sums[i][0]);
        all += sums[i][0];
    }
    assert_true(all >= 2 * 512 * 4 / 128); /* each line is read and written */
    sg_spm_close(spm_of(c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_same_again),
        cmocka_unit_test(test_xccs),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_nothing_to_sample),
        cmocka_unit_test(test_sum_is_the_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
