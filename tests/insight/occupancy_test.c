/* Occupancy of kernels: each case worked out by hand from the sizes of the GPU. */
#include "insight/occupancy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    const char *gpu;
    ins_resources_t r; /* VGPRs, AGPRs, SGPRs, LDS, work-items */
    uint32_t waves, unit_waves;
    const char *limiter, *advice;
} case_t;

static const case_t cases[] = {
    /* 8 slots; 64 VGPRs x 8 = 512 */
    {"gfx90a", {24, 0, 32, 0, 256}, 8, 32, "wave slots", ""},
    {"gfx90a", {64, 0, 32, 0, 256}, 8, 32, "wave slots", ""},
    /* 65 are 72 of 512: 7; four waves a group: 28 of a unit */
    {"gfx90a", {65, 0, 32, 0, 256}, 7, 28, "VGPRs", "one wave more with 64 VGPRs or fewer"},
    {"gfx90a", {104, 0, 32, 0, 256}, 4, 16, "VGPRs", "one wave more with 96 VGPRs or fewer"},
    /* AGPRs from 72 on: 72 + 41 are 120: 4; for 5 both together may be 96 */
    {"gfx90a", {71, 41, 32, 0, 64}, 4, 16, "VGPRs", "one wave more with 96 VGPRs or fewer"},
    {"gfx90a", {256, 256, 32, 0, 64}, 1, 4, "VGPRs", "one wave more with 256 VGPRs or fewer"},
    /* 16 waves a group: 7 waves a SIMD hold one group, two want all slots */
    {"gfx90a", {72, 0, 32, 0, 1024}, 4, 16, "VGPRs", "4 waves more with 64 VGPRs or fewer"},
    {"gfx90a", {256, 0, 32, 0, 1024}, 0, 0, "VGPRs", "4 waves more with 128 VGPRs or fewer"},
    /* 20 KiB: 3 groups of 4; for a wave more 4 groups, of 16 KiB */
    {"gfx90a",
     {32, 0, 32, 20480, 256},
     3,
     12,
     "LDS",
     "one wave more with 16384 bytes of LDS or fewer"},
    /* granule: 16385 take 16896: 3 groups */
    {"gfx90a",
     {32, 0, 32, 16385, 256},
     3,
     12,
     "LDS",
     "one wave more with 16384 bytes of LDS or fewer"},
    {"gfx90a",
     {32, 0, 32, 65536, 64},
     1,
     1,
     "LDS",
     "one wave more with 8192 bytes of LDS or fewer"},
    {"gfx90a",
     {32, 0, 32, 70000, 64},
     0,
     0,
     "LDS",
     "one wave more with 16384 bytes of LDS or fewer"},
    /* 8193 take 8704: seven groups, where registers let in eight; both are two waves of a SIMD */
    {"gfx90a",
     {256, 0, 32, 8193, 64},
     2,
     7,
     "VGPRs and LDS",
     "one wave more with 168 VGPRs or fewer and 5120 bytes of LDS or fewer"},
    /* both hold it at 4 */
    {"gfx90a",
     {128, 0, 32, 16384, 256},
     4,
     16,
     "VGPRs and LDS",
     "one wave more with 96 VGPRs or fewer and 12800 bytes of LDS or fewer"},
    /* 7 x 112 are 784 of 800 */
    {"gfx90a", {32, 0, 112, 0, 256}, 7, 28, "SGPRs", "one wave more with 96 SGPRs or fewer"},
    /* five waves a group: six groups have 30 of 32 slots */
    {"gfx90a", {32, 0, 32, 0, 320}, 8, 30, "wave slots", ""},
    /* the workgroup's size is not known: registers alone */
    {"gfx90a", {80, 0, 32, 65536, 0}, 6, 24, "VGPRs", "one wave more with 72 VGPRs or fewer"},
    /* 40 slots, 16 groups of two waves */
    {"gfx906",
     {24, 0, 32, 0, 128},
     8,
     32,
     "workgroups",
     "one wave more with workgroups of 192 work-items or more"},
    {"gfx906", {24, 0, 32, 0, 64}, 10, 40, "wave slots", ""},
    {"gfx906", {25, 0, 32, 0, 64}, 9, 36, "VGPRs", "one wave more with 24 VGPRs or fewer"},
    /* each kind has its own file */
    {"gfx908", {32, 64, 32, 0, 64}, 4, 16, "VGPRs", "one wave more with 48 VGPRs or fewer"},
    {"gfx90a:sramecc+:xnack-", {64, 0, 32, 0, 256}, 8, 32, "wave slots", ""},
    {"gfx1100",
     {64, 0, 32, 0, 256},
     0,
     0,
     "not known: the database lacks the size of the kernel's waves",
     ""},
    {"gfx1399", {64, 0, 32, 0, 256}, 0, 0, "not known for gfx1399", ""},
    {"", {64, 0, 32, 0, 256}, 0, 0, "not known for this GPU", ""},
    /* sizes that no kernel has */
    {"gfx90a",
     {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
     0,
     0,
     "wave slots",
     ""},
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const case_t *c = &cases[i];
        const ins_occupancy_t o = ins_occupancy(c->gpu, (ins_waves_t){0}, &c->r);
        char limiter[64], advice[160], expected[256], got[256];
        ins_occupancy_limiter(c->gpu, &o, limiter, sizeof(limiter));
        ins_occupancy_advice(&o, advice, sizeof(advice));
        snprintf(expected, sizeof(expected), "%zu: %u %u %s; %s", i, c->waves, c->unit_waves,
                 c->limiter, c->advice);
        snprintf(got, sizeof(got), "%zu: %u %u %s; %s", i, o.waves, o.unit_waves, limiter, advice);
        assert_string_equal(got, expected);
    }
}

/* GPUs with waves of two sizes, on a compute unit (two SIMDs) or a WGP (four). */
static void units_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        uint32_t wave;
        bool wgp;
        ins_resources_t r;
        uint32_t waves, most, unit_waves;
        const char *limiter, *advice;
    } rows[] = {
        /* 64 are 72 of 1536: 21, more than the slots */
        {"gfx1100", 32, true, {64, 0, 128, 0, 256}, 16, 16, 64, "wave slots", ""},
        /* 128 are 144: 10 on each of two, of which 16 are whole groups of eight; 24 need 1536 / 12,
         * in 24s 120 */
        {"gfx1100",
         32,
         false,
         {128, 0, 128, 0, 256},
         8,
         16,
         16,
         "VGPRs",
         "4 waves more with 120 VGPRs or fewer"},
        /* waves of 64 have half as many: 100 are 104 of 512: 4; five need 102, in eights 96 */
        {"gfx1030",
         64,
         true,
         {100, 0, 128, 0, 256},
         4,
         16,
         16,
         "VGPRs",
         "one wave more with 96 VGPRs or fewer"},
        /* a third less than gfx1100, in 16s: 100 are 112 of 1024: 9 on each, of which 32 are whole
         * groups of eight; 40 need 1024 / 10, in 16s 96 */
        {"gfx1102",
         32,
         true,
         {100, 0, 128, 0, 256},
         8,
         16,
         32,
         "VGPRs",
         "2 waves more with 96 VGPRs or fewer"},
        /* 128 KiB for three groups of eight waves; four have 32 KiB each */
        {"gfx1030",
         32,
         true,
         {32, 0, 128, 40000, 256},
         6,
         16,
         24,
         "LDS",
         "2 waves more with 32768 bytes of LDS or fewer"},
        {"gfx1010", 32, true, {32, 0, 128, 0, 128}, 20, 20, 80, "wave slots", ""},
        /* 32 groups of two waves on the WGP */
        {"gfx1010",
         32,
         true,
         {32, 0, 128, 0, 64},
         16,
         20,
         64,
         "workgroups",
         "one wave more with workgroups of 96 work-items or more"},
        /* from gfx1030 on granules of 1024 bytes: 2560 are 3072, of which 64 KiB hold 21 */
        {"gfx1100",
         32,
         false,
         {32, 0, 128, 2560, 32},
         11,
         16,
         21,
         "LDS",
         "one wave more with 2048 bytes of LDS or fewer"},
        /* 160 KiB in granules of 1280 bytes: 64 KiB are 66560, two groups; three have 53760 each */
        {"gfx950",
         64,
         false,
         {32, 0, 32, 65536, 256},
         2,
         8,
         8,
         "LDS",
         "one wave more with 53760 bytes of LDS or fewer"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        ins_unit_t unit;
        char limiter[64], advice[160], expected[256], got[256];
        assert_true(ins_unit_find(rows[i].gpu, rows[i].wave, rows[i].wgp, &unit));
        const ins_occupancy_t o = ins_occupancy_on(&unit, &rows[i].r);
        ins_occupancy_limiter(rows[i].gpu, &o, limiter, sizeof(limiter));
        ins_occupancy_advice(&o, advice, sizeof(advice));
        snprintf(expected, sizeof(expected), "%zu: %u of %u, %u %s; %s", i, rows[i].waves,
                 rows[i].most, rows[i].unit_waves, rows[i].limiter, rows[i].advice);
        snprintf(got, sizeof(got), "%zu: %u of %u, %u %s; %s", i, o.waves, o.waves_max,
                 o.unit_waves, limiter, advice);
        assert_string_equal(got, expected);
    }
    ins_unit_t unit;
    assert_false(ins_unit_find("gfx1100", 0, false, &unit));
    assert_false(ins_unit_find("gfx1100", 16, false, &unit));
    assert_false(ins_unit_find("gfx90a", 32, false, &unit));
    assert_false(ins_unit_find("gfx1", 32, false, &unit));
}

/* What the advice says holds: with it there are as many waves as it promises. */
static void advice_holds(void **state)
{
    (void)state;
    for (uint32_t vgprs = 8; vgprs <= 512; vgprs += 24)
        for (uint32_t lds = 0; lds <= 65536; lds += 5000)
            for (uint32_t group = 64; group <= 1024; group += 64) {
                ins_resources_t r = {vgprs, 0, 112, lds, group};
                const ins_occupancy_t o = ins_occupancy("gfx90a", (ins_waves_t){0}, &r);
                if (!o.next_waves) continue;
                if (o.next[INS_LIMIT_VGPRS]) r.arch_vgprs = o.next[INS_LIMIT_VGPRS];
                if (o.next[INS_LIMIT_SGPRS]) r.sgprs = o.next[INS_LIMIT_SGPRS];
                if (o.next[INS_LIMIT_LDS]) r.lds_bytes = o.next[INS_LIMIT_LDS];
                const ins_occupancy_t better = ins_occupancy("gfx90a", (ins_waves_t){0}, &r);
                assert_int_equal(better.waves, o.next_waves);
                assert_true(better.unit_waves > o.unit_waves);
            }
}

static void texts_are_cut(void **state)
{
    (void)state;
    const ins_resources_t r = {128, 0, 32, 16384, 256};
    const ins_occupancy_t o = ins_occupancy("gfx90a", (ins_waves_t){0}, &r);
    char text[8];
    ins_occupancy_limiter("gfx90a", &o, text, sizeof(text));
    assert_string_equal(text, "VGPRs a");
    ins_occupancy_advice(&o, text, sizeof(text));
    assert_string_equal(text, "one wav");
    ins_occupancy_advice(&o, NULL, 0);
}

/* Lines of sizes, VGPRs AGPRs SGPRs LDS work-items, for who compares with what a compiler says.
 * `words`: a GPU, work-items of a wave, and whether a workgroup may be on a whole WGP. */
static int answer(char **words)
{
    const ins_waves_t waves = {(uint32_t)atoi(words[1]), atoi(words[2])};
    ins_resources_t r;
    while (scanf("%u %u %u %u %u", &r.arch_vgprs, &r.accum_vgprs, &r.sgprs, &r.lds_bytes,
                 &r.group_size) == 5)
        printf("%u\n", ins_occupancy(words[0], waves, &r).waves);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(units_by_hand),
                                       cmocka_unit_test(advice_holds),
                                       cmocka_unit_test(texts_are_cut)};
    if (argc == 4) return answer(argv + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
