/* speeds_test.c - small kernels on the product's 104 compute units: latencies and rates of the
 * model against what documents say of an MI200.
 *
 * Apart from timing_test.c, which works rules out to the clock: here a rule may change, and what
 * the machine comes to must still be that of the product. Bounds are wide, as the sources are:
 * AMD's CDNA 2 white paper and data sheets (peaks), published STREAM and pointer chase measurements
 * of MI200. */
#include "counting.h"

#include "asm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    ENGINES = 8,
    UNITS = 13, /* of an engine */
    ALL = ENGINES * UNITS,
    BYTES = 20 << 20,
    SPI_BUSY = 11,  /* of GRBM: clocks of the dispatch without its packets */
    HBM_PEAK = 964, /* bytes in a clock: 4096 bits at 3.2 GT/s, the GPU's clock is 1.7 GHz */
    MIB = 1 << 20
};

static counting_t *gpu;
static uint64_t memory[2]; /* 20 MiB each */

static int create(void **state)
{
    (void)state;
    gpu = counting_create(ENGINES, UNITS);
    counting_want(gpu, GRBM, SPI_BUSY);
    counting_start(gpu);
    for (unsigned k = 0; k < 2; k++)
        memory[k] = rig_alloc(gpu->rig, BYTES);
    return 0;
}

/* Clocks of a dispatch with these arguments. */
static uint64_t clocks(const char *text, uint32_t waves, uint32_t group_waves, uint64_t from,
                       uint64_t to)
{
    const uint64_t before = counting_value(gpu, 0, 0, 0), args = rig_alloc(gpu->rig, 16);
    memcpy(rig_ptr(gpu->rig, args), (uint64_t[]){from, to}, 16);
    const rig_dispatch_t d = {.kernel = rig_kernel(gpu->rig, text, NULL),
                              .args = args,
                              .grid = {64 * waves},
                              .group = {64 * group_waves},
                              .lds = 8192};
    counting_dispatch(gpu, &d);
    return counting_value(gpu, 0, 0, 0) - before;
}

static void check(const char *what, double got, double least, double most)
{
    printf("%-28s %10.2f of %.2f to %.2f\n", what, got, least, most);
    if (got < least || got > most)
        fail_msg("%s: %.2f is not within %.2f and %.2f", what, got, least, most);
}

/* ---- memory ---- */

#define ADDRESS                                                                                    \
    "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"                                                        \
    "v_lshlrev_b32 v1, 4, v0\n"                                                                    \
    "s_lshl_b32 s6, s2, 12\n" /* 256 lanes of 16 bytes */                                          \
    "v_add_u32 v1, s6, v1\n"                                                                       \
    "s_waitcnt lgkmcnt(0)\n"

#define LOAD  "global_load_dwordx4 v[4:7], v1, s[8:9]\ns_waitcnt vmcnt(0)\n"
#define STORE "global_store_dwordx4 v1, v[4:7], s[10:11]\n"

/* No stream is faster than memory, and long ones get four fifths of it. */
static void test_streams(void **state)
{
    enum { WAVES = BYTES / 1024 };
    const uint64_t from = memory[0], to = memory[1];
    (void)state;
    check("read, bytes in a clock",
          (double)BYTES / (double)clocks(ADDRESS LOAD "s_endpgm\n", WAVES, 4, from, to),
          0.7 * (double)HBM_PEAK, 0.9 * (double)HBM_PEAK);
    /* a half of L2 stays dirty */
    check("write", (double)BYTES / (double)clocks(ADDRESS STORE "s_endpgm\n", WAVES, 4, from, to),
          0.7 * (double)HBM_PEAK, 1.25 * (double)HBM_PEAK);
    check("copy",
          2. * (double)BYTES / (double)clocks(ADDRESS LOAD STORE "s_endpgm\n", WAVES, 4, from, to),
          0.65 * (double)HBM_PEAK, 1.15 * (double)HBM_PEAK);
    /* whatever their size: short ones are over before memory is busy */
    for (uint32_t size = 4096; size < BYTES; size *= 4) {
        const uint64_t t = clocks(ADDRESS LOAD "s_endpgm\n", size / 1024, 4, from, to);
        check("read of less", size / (double)t, 0, HBM_PEAK);
        clocks(ADDRESS LOAD "s_endpgm\n", BYTES / 1024, 4, to, to); /* L2 forgets */
    }
}

/* Memory has nothing to do for waves that sleep first. */
static void test_late(void **state)
{
    enum { WAVES = 3 * MIB / 1024, SLEEP = 100 * 64 };
    (void)state;
    const uint64_t at_once = clocks(ADDRESS LOAD "s_endpgm\n", WAVES, 4, memory[0], memory[0]);
    clocks(ADDRESS LOAD "s_endpgm\n", BYTES / 1024, 4, memory[1], memory[1]); /* L2 forgets */
    const uint64_t late =
        clocks("s_sleep 100\n" ADDRESS LOAD "s_endpgm\n", WAVES, 4, memory[0], memory[0]);
    check("clocks of sleep", (double)late - (double)at_once, 0.9 * (double)SLEEP,
          1.1 * (double)SLEEP);
}

/* Each lane a line of its own: 16 times what it uses goes through memory. */
static void test_strided(void **state)
{
    enum { LANES = 128 << 10 };
    const uint64_t from = memory[0];
    (void)state;
    const uint64_t t = clocks("s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                              "v_lshlrev_b32 v1, 7, v0\n"
                              "s_lshl_b32 s6, s2, 15\n"
                              "v_add_u32 v1, s6, v1\n"
                              "s_waitcnt lgkmcnt(0)\n"
                              "global_load_dword v4, v1, s[8:9]\n"
                              "s_waitcnt vmcnt(0)\n"
                              "s_endpgm\n",
                              LANES / 64, 4, from, from);
    check("strided, bytes used", 4. * (double)LANES / (double)t, (double)HBM_PEAK / 64.,
          (double)HBM_PEAK / 8.);
}

/* One lane goes from cell to cell; the second time round they are where they fit. */
static double chase(uint64_t at, uint32_t cells, uint32_t stride, uint32_t steps)
{
    static char text[512];
    uint64_t *cell = rig_ptr(gpu->rig, at);
    for (uint32_t k = 0; k < cells; k++)
        cell[(uint64_t)k * stride / 8] = at + (uint64_t)((k + 1) % cells) * stride;
    snprintf(text, sizeof text,
             "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
             "s_mov_b64 exec, 1\n"
             "s_movk_i32 s6, %u\n"
             "s_waitcnt lgkmcnt(0)\n"
             "v_mov_b32 v2, s8\n"
             "v_mov_b32 v3, s9\n"
             "again: global_load_dwordx2 v[2:3], v[2:3], off\n"
             "s_sub_u32 s6, s6, 1\n"
             "s_cmp_lg_u32 s6, 0\n"
             "s_waitcnt vmcnt(0)\n"
             "s_cbranch_scc1 again\n"
             "s_endpgm\n",
             steps);
    return (double)clocks(text, 1, 1, at, at) / steps;
}

static void test_latencies(void **state)
{
    (void)state;
    const uint64_t at = memory[1];
    check("latency of L1", chase(at, 64, 64, 4096), 100, 160);
    chase(at, 8192, 128, 8192); /* brings them into L2 */
    check("latency of L2", chase(at, 8192, 128, 8192), 200, 400);
    check("latency of memory", chase(at, 12 * MIB / 1024, 1024, 12 * MIB / 1024), 500, 1100);
}

/* 4 MiB that L2 has: 128 bytes a clock from each of 32 channels at best, L1 takes 64 a clock. */
static void test_caches(void **state)
{
    enum { PART = 4 * MIB, WAVES = PART / 1024 };
    const uint64_t at = memory[0];
    (void)state;
    static const char text[] = ADDRESS LOAD "s_endpgm\n";
    clocks(text, WAVES, 4, at, at);
    check("read from L2", (double)PART / (double)clocks(text, WAVES, 4, at, at), 1024 / 2., 4096);
    /* 64 times the same kilobyte, 8 waves of each SIMD */
    const uint64_t t = clocks(".fill 8, 4, 0xbf800000\n"
                              "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                              "v_lshlrev_b32 v1, 4, v0\n"
                              "s_movk_i32 s6, 64\n"
                              "s_waitcnt lgkmcnt(0)\n"
                              "again: " LOAD "s_sub_u32 s6, s6, 1\n"
                              "s_cmp_lg_u32 s6, 0\n"
                              "s_cbranch_scc1 again\n"
                              "s_endpgm\n",
                              ALL * 32, 4, at, at);
    check("read from L1, of a unit", 64. * 32 * 1024 / (double)t, 32, 64);
}

/* ---- compute ---- */

/* Many times eight of an instruction on every SIMD; what is `done` by one, by clock and unit. */
static double rate(const char *instruction, double done, uint32_t waves)
{
    enum { ROUNDS = 150 };
    static char text[2048];
    int n = snprintf(text, sizeof text, "s_movk_i32 s6, %u\n", ROUNDS);
    n += snprintf(text + n, sizeof text - (size_t)n, "again:\n");
    for (unsigned k = 0; k < 8; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s\n", instruction);
    snprintf(text + n, sizeof text - (size_t)n,
             "s_sub_u32 s6, s6, 1\n"
             "s_cmp_lg_u32 s6, 0\n"
             "s_cbranch_scc1 again\n"
             "s_endpgm\n");
    return ROUNDS * 8 * done * waves / (double)clocks(text, ALL * waves, waves, 0, 0);
}

/* Operations in a clock of a compute unit. */
static void test_arithmetic(void **state)
{
    (void)state;
    check("f32 fma", rate("v_fma_f32 v1, v1, v1, v1", 128, 8), 0.8 * 128, 128);
    check("f32 packed fma", rate("v_pk_fma_f32 v[2:3], v[2:3], v[2:3], v[2:3]", 256, 8), 0.8 * 256,
          256);
    check("f64 fma", rate("v_fma_f64 v[2:3], v[2:3], v[2:3], v[2:3]", 128, 8), 0.8 * 128, 128);
    check("f16 matrix", rate("v_mfma_f32_32x32x8f16 a[0:15], v[2:3], v[4:5], a[0:15]", 16384, 4),
          0.8 * 1024, 1024);
    check("f64 matrix", rate("v_mfma_f64_16x16x4f64 a[0:7], v[2:3], v[4:5], a[0:7]", 2048, 4),
          0.8 * 256, 256);
    /* one of four SIMDs, and the loop costs half of it */
    check("f32, a wave alone", rate("v_fma_f32 v1, v1, v1, v1", 128, 1), 0.1 * 128, 128 / 4);
}

/* Bytes in a clock of a compute unit: 128 without conflicts. */
static void test_lds(void **state)
{
    (void)state;
    check("LDS, 4 bytes a lane", rate("ds_read_b32 v2, v0 offset:64", 256, 8), 0.4 * 128, 128);
    check("LDS, 16 bytes a lane", rate("ds_read_b128 v[4:7], v8", 1024, 8), 0.5 * 128, 128);
}

/* ---- small grids ---- */

static void test_small(void **state)
{
    (void)state;
    check("one empty wave", (double)clocks("s_endpgm\n", 1, 1, 0, 0), 20, 4000);
    check("one wave for each unit", (double)clocks("s_endpgm\n", ALL, 1, 0, 0), 20, 4000);
    /* each engine's launcher starts no more than a wave a clock */
    check("waves launched in a clock", 16384 / (double)clocks("s_endpgm\n", 16384, 4, 0, 0), 1,
          ENGINES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams), cmocka_unit_test(test_late),
        cmocka_unit_test(test_strided), cmocka_unit_test(test_latencies),
        cmocka_unit_test(test_caches),  cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_lds),     cmocka_unit_test(test_small),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, create, NULL);
}
