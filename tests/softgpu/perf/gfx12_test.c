/* gfx12_test.c - what waves of gfx12 wait for by instructions of its own, in the census and in a
 * counter: barriers, at which they signal and wait apart, caches that are written back, and samples
 * of images. Kernels are words, since not every assembler knows the GPU.
 *
 * Apart from wgp_test.c because the counts are those of single instructions. */
#include "counting.h"

#include "asm.h"
#include "softgpu/device/internal.h"
#include "softgpu/instruction_counts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#undef stop /* a macro of cmocka 2, and a member of the interface */

enum { WAVES_OF_32 = 1 << 10, MOST = 256, COLD = 800 };

/* The first wave goes on to the barrier, the second to what stands behind s_endpgm. */
#define BEGIN                                                                                      \
    ".long 0x7e080500 ; v_readfirstlane_b32 s4, v0\n"                                              \
    ".long 0xbf068004 ; s_cmp_eq_u32 s4, 0\n"                                                      \
    ".long 0xbfa10003 ; s_cbranch_scc0 3\n"                                                        \
    ".long 0xbe804ec1 ; s_barrier_signal -1\n"                                                     \
    ".long 0xbf94ffff ; s_barrier_wait -1\n"                                                       \
    ".long 0xbfb00000 ; s_endpgm\n"
enum { SIGNAL = 3, WAIT = 4, SECOND = 6 }; /* instructions; those of the second wave */

typedef struct {
    unsigned n;
    softgpu_instruction_counts_t counts[MOST];
} seen_t;

static void see_kernel(const softgpu_counted_kernel_t *k, void *user)
{
    (void)user;
    assert_int_equal(k->waves, 2);
    assert_int_equal(k->lost, 0);
}

static void see_instruction(const softgpu_instruction_t *i, void *user)
{
    seen_t *s = user;
    assert_true(s->n < MOST);
    s->counts[s->n++] = i->counts;
}

static rig_t *create(uint32_t memory_bytes_per_clock)
{
    sg_profile_t p = {.name = "test"};
#define SET_DEFAULT(key, def, lo, hi) p.key = def;
    SG_PROFILE_KEYS(SET_DEFAULT)
#undef SET_DEFAULT
    p.gfx_target_version = 120001;
    p.cus_per_array = 2;
    p.l2_latency = 200;
    p.simds_per_cu = 2;
    p.waves_per_simd = 16;
    p.memory_bytes_per_clock = memory_bytes_per_clock;
    asm_set_gpu("gfx1100");
    return rig_create_profile(&p);
}

/* The counts of each instruction for a workgroup of two waves. */
static void count(const char *text, seen_t *s)
{
    const softgpu_instruction_counts_api_t *api = sg_census_api(SOFTGPU_INSTRUCTION_COUNTS_VERSION);
    const softgpu_instruction_options_t options = {.size = sizeof options,
                                                   .level = SOFTGPU_INSTRUCTION_MODEL_LEVEL};
    const softgpu_instruction_visitor_t v = {
        .size = sizeof v, .kernel = see_kernel, .instruction = see_instruction, .user = s};
    rig_t *r = create(900);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t kernel = rig_kernel(r, text, &(rig_kernel_t){.properties = WAVES_OF_32}),
                   signal = rig_signal(r, 1);
    memset(s, 0, sizeof *s);
    assert_int_equal(api->start(&options), 0);
    rig_dispatch(
        &q, &(rig_dispatch_t){.kernel = kernel, .signal = signal, .grid = {64}, .group = {64}});
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(api->stop(), 0);
    assert_int_equal(api->read(&(softgpu_instruction_range_t){.forget = true}, &v), 0);
    rig_close(&q);
    rig_destroy(r);
}

/* While the first wave waits, the second comes to so many instructions that are new that the census
 * has to move its lines. The first waits for all clocks of these, and for the code of the signal,
 * which the second has to fetch again, less the clock in which it began to wait. */
static void test_many_lines(void **state)
{
    enum { MANY = 200, LINES = SECOND + MANY + 1 };
    seen_t s;
    uint64_t second = 0;
    (void)state;
    count(BEGIN ".fill 200, 4, 0xbf800000 ; s_nop 0\n"
                ".long 0xbfa0ff34 ; s_branch to the signal\n",
          &s);
    assert_int_equal(s.n, LINES);
    assert_int_equal(s.counts[0].wait_code, 2 * COLD);
    assert_int_equal(s.counts[WAIT].issue, 2);
    for (unsigned k = SECOND; k < LINES; k++)
        second += s.counts[k].issue + s.counts[k].wait_code;
    assert_true(second > MANY + COLD);
    for (unsigned k = 0; k < LINES; k++)
        if (k != WAIT) assert_int_equal(s.counts[k].wait_barrier, 0);
    assert_int_equal(s.counts[WAIT].wait_barrier, second + s.counts[SIGNAL].wait_code - 1);
}

/* A wave that s_setkill ends completes the barrier, as one does that s_endpgm ends. It has run for
 * COLD + 3 clocks, sleeps for 1 + 640, and ends in 1; the first has waited since COLD + 5. */
static void test_killed(void **state)
{
    enum { SLEEP = 640 };
    static const char *const ends[] = {".long 0xbf810001 ; s_setkill 1\n",
                                       ".long 0xbfb00000 ; s_endpgm\n"};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        char text[1024];
        seen_t s;
        snprintf(text, sizeof text, BEGIN ".long 0xbf83000a ; s_sleep 10\n%s", ends[k]);
        count(text, &s);
        assert_int_equal(s.n, SECOND + 2);
        assert_int_equal(s.counts[WAIT].wait_barrier, SLEEP);
    }
}

/* Caches that are written back for the whole system are waited for as stores are: not by the first
 * of the two waits, but by the second, which each wave begins two clocks later. */
static void test_written_back(void **state)
{
    static const char *const texts[] = {
        ".long 0xee0b007c, 0x000c0000, 0 ; global_wb SCOPE_SYS\n",
        ".long 0xee13c07c, 0x000c0000, 0 ; global_wbinv the same\n"};
    enum { LATENCY = 200, LOADS = 1, STORES = 2, WAVES = 2 };
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        char text[512];
        seen_t s;
        snprintf(text, sizeof text,
                 "%s.long 0xbfc00000 ; s_wait_loadcnt 0\n.long 0xbfc10000 ; s_wait_storecnt 0\n"
                 ".long 0xbfb00000 ; s_endpgm\n",
                 texts[k]);
        count(text, &s);
        assert_int_equal(s.n, STORES + 2);
        assert_int_equal(s.counts[LOADS].wait_vector, 0);
        assert_int_equal(s.counts[STORES].wait_vector, WAVES * (LATENCY - 2));
    }
}

#define WAIT_RAYS ".long 0xbfc30000 ; s_wait_bvhcnt 0\n"

/* A sample of an image is waited for by samplecnt, another load by loadcnt, and neither by the
 * other's wait or by that for rays. The image is the kernel's code, one texel of 32 bits. */
static void test_samples(void **state)
{
    static const char *const texts[] = {
        ".long 0xe447c000, 0x0c002014, 8 ; image_sample_lz v20, v8, s[16:23], s[24:27] 1D\n"
        ".long 0xbfc00000 ; s_wait_loadcnt 0\n" WAIT_RAYS ".long 0xbfc20000 ; s_wait_samplecnt 0\n",
        ".long 0xd0400000, 0x00002014, 8 ; image_load v20, v8, s[16:23] 1D\n"
        ".long 0xbfc20000 ; s_wait_samplecnt 0\n" WAIT_RAYS
        ".long 0xbfc00000 ; s_wait_loadcnt 0\n"};
    enum { FIRST = 11, OWN = FIRST + 2 };
    uint64_t waited[2];
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        char text[1024];
        seen_t s;
        snprintf(text, sizeof text,
                 ".long 0xbe824700 ; s_getpc_b64 s[2:3]\n"
                 ".long 0x85908802 ; s_lshr_b64 s[16:17], s[2:3], 8\n"
                 ".long 0x8c11ff11, 0x280000 ; s_or_b32 s17, s17, 0x280000\n"
                 ".long 0xbe920080 ; s_mov_b32 s18, 0\n"
                 ".long 0xbe9300ff, 0x80000fac ; s_mov_b32 s19, 0x80000fac\n"
                 ".long 0xbe940180 ; s_mov_b64 s[20:21], 0\n"
                 ".long 0xbe960180 ; s_mov_b64 s[22:23], 0\n"
                 ".long 0xbe980180 ; s_mov_b64 s[24:25], 0\n"
                 ".long 0xbe9a0180 ; s_mov_b64 s[26:27], 0\n"
                 ".long 0x7e100280 ; v_mov_b32 v8, 0\n"
                 "%s.long 0xbfb00000 ; s_endpgm\n",
                 texts[k]);
        count(text, &s);
        assert_int_equal(s.n, OWN + 2);
        assert_int_equal(s.counts[FIRST].wait_vector, 0);
        assert_int_equal(s.counts[FIRST + 1].wait_vector, 0);
        waited[k] = s.counts[OWN].wait_vector;
    }
    assert_true(waited[0] > 0);
    assert_int_equal(waited[0], waited[1]);
}

/* A test of rays is waited for by bvhcnt alone. The node, with four children, is of the kernel's
 * code. */
static void test_rays(void **state)
{
    enum { LOADS = 6, SAMPLES = 7, OWN = 8 };
    static const char text[] =
        ".long 0xbe824700 ; s_getpc_b64 s[2:3]\n"
        ".long 0x85848802 ; s_lshr_b64 s[4:5], s[2:3], 8\n"
        ".long 0xbe8600ff, 0xffff ; s_mov_b32 s6, 0xffff\n"
        ".long 0xbe8700ff, 0x80000000 ; s_mov_b32 s7, 0x80000000\n"
        ".long 0x7e000285 ; v_mov_b32 v0, 5\n"
        ".long 0xd3c64010, 0x0800081e, 0x05020100 ; image_bvh_intersect_ray v[30:33],"
        " [v0, v1, v[2:4], v[5:7], v[8:10]], s[4:7]\n"
        ".long 0xbfc00000 ; s_wait_loadcnt 0\n.long 0xbfc20000 ; s_wait_samplecnt 0\n" WAIT_RAYS
        ".long 0xbfb00000 ; s_endpgm\n";
    seen_t s;
    (void)state;
    count(text, &s);
    assert_int_equal(s.n, OWN + 2);
    assert_int_equal(s.counts[LOADS].wait_vector, 0);
    assert_int_equal(s.counts[SAMPLES].wait_vector, 0);
    assert_true(s.counts[OWN].wait_vector > 0);
}

/* A direct load from LDS is waited for by expcnt, not by the counter of LDS, and v_interp_* wait
 * for it by their own field. */
static void test_direct_loads(void **state)
{
    enum { LOADS = 2, OTHER, OWN, AGAIN, WAVES = 2, LDS_LATENCY = 64 };
    static const char *const waits[] = {
        ".long 0xbfc40000 ; s_wait_expcnt 0\n",
        ".long 0xcd000004, 0x040e0501 ; v_interp_p10_f32 v4, v1, v2, v3 wait_exp:0\n"};
    static const char none[] = ".long 0xcd000704, 0x040e0501 ; the same, wait_exp:7\n";
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        char text[512];
        seen_t s;
        snprintf(text, sizeof text,
                 ".long 0xbefd00ff, 0x20000 ; s_mov_b32 m0, 0x20000\n"
                 ".long 0xbf800000 ; s_nop 0\n"
                 ".long 0xce100001 ; ds_direct_load v1\n"
                 ".long 0xbfc60000 ; s_wait_dscnt 0\n%s%s.long 0xbfb00000 ; s_endpgm\n",
                 waits[k], none);
        count(text, &s);
        assert_int_equal(s.n, AGAIN + 2);
        assert_int_equal(s.counts[OTHER].wait_lds, 0);
        assert_in_range(s.counts[OWN].wait_lds, WAVES * (LDS_LATENCY - 4), WAVES * LDS_LATENCY);
        assert_int_equal(s.counts[AGAIN].wait_lds, 0);
    }
}

/* Four instructions of each wave, which begin 0x4000 texels after one another; of a wave's lanes
 * each has a line of its own. */
#define NEXT                                                                                       \
    ".long 0x4a1010ff, 0x4000 ; v_add_nc_u32 v8, 0x4000, v8\n"                                     \
    ".long 0x7e120d08 ; v_cvt_f32_u32 v9, v8\n"
#define LOAD   ".long 0xd0400000, 0x00002014, 8 ; image_load v20, v8, s[16:23] 1D\n"
#define SAMPLE ".long 0xe447c000, 0x0c002014, 9 ; image_sample_lz v20, v9, s[16:23], s[24:27] 1D\n"

/* The clocks of the address unit for a workgroup of 32 waves, on a GPU with a slow memory. */
static uint64_t address_unit(const char *text)
{
    enum { SELECT = 0xdac0, LOW = 0xd2c0, TA_BUSY = 15, ALL_ARRAYS = 1 << 29 };
    enum { TEXELS = 1 << 16, FLOAT_32 = 22, X = 4, IMAGE_1D = 8, EDGE = 2, BY_TEXELS = 1 << 15 };
    const rig_kernel_t how = {.properties = WAVES_OF_32};
    counting_t *c = counting_on(create(1));
    const uint64_t args = rig_alloc(c->rig, 64), data = rig_alloc(c->rig, 4 * TEXELS);
    const uint32_t words[] = {(uint32_t)(data >> 8),
                              (uint32_t)(data >> 40) | FLOAT_32 << 17 | 3u << 30,
                              (TEXELS - 1) >> 2,
                              X | (uint32_t)IMAGE_1D << 28,
                              0,
                              0,
                              0,
                              0,
                              EDGE | BY_TEXELS,
                              0,
                              0,
                              0};
    memcpy(rig_ptr(c->rig, args), words, sizeof words);
    counting_flush_waves(c);
    counting_set(c, REG_GRBM_GFX_INDEX, EVERYWHERE);
    counting_set(c, REG_CP_PERFMON_CNTL, 0);
    counting_set(c, SELECT, TA_BUSY);
    counting_set(c, REG_ENABLE, 1);
    counting_set(c, REG_CP_PERFMON_CNTL, 1);
    counting_send(c);
    counting_dispatch(c, &(rig_dispatch_t){.kernel = rig_kernel(c->rig, text, &how),
                                           .args = args,
                                           .grid = {1024},
                                           .group = {1024}});
    counting_stop(c);
    return counting_read(c, ALL_ARRAYS, LOW) + counting_read(c, ALL_ARRAYS | 1, LOW);
}

/* Samples are lines in flight as other loads are, and both together: the address unit holds as many
 * instructions. */
static void test_lines_of_samples(void **state)
{
    static const char *const texts[] = {
        LOAD NEXT LOAD NEXT LOAD NEXT LOAD, SAMPLE NEXT SAMPLE NEXT SAMPLE NEXT SAMPLE,
        LOAD NEXT SAMPLE NEXT LOAD NEXT SAMPLE, LOAD NEXT LOAD NEXT SAMPLE NEXT SAMPLE};
    enum { ALL = sizeof texts / sizeof *texts };
    uint64_t busy[ALL];
    (void)state;
    for (unsigned k = 0; k < ALL; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 ".long 0xf4006400, 0xf8000000 ; s_load_b256 s[16:23], s[0:1], 0x0\n"
                 ".long 0xf4004600, 0xf8000020 ; s_load_b128 s[24:27], s[0:1], 0x20\n"
                 ".long 0x360000ff, 0x3ff ; v_and_b32 v0, 0x3ff, v0\n"
                 ".long 0x30100084 ; v_lshlrev_b32 v8, 4, v0\n"
                 ".long 0x7e120d08 ; v_cvt_f32_u32 v9, v8\n"
                 ".long 0xbfc70000 ; s_wait_kmcnt 0\n%s"
                 ".long 0xbfc20000 ; s_wait_samplecnt 0\n.long 0xbfc00000 ; s_wait_loadcnt 0\n"
                 ".long 0xbfb00000 ; s_endpgm\n",
                 texts[k]);
        busy[k] = address_unit(text);
    }
    assert_true(busy[0] > 100000);
    for (unsigned k = 1; k < ALL; k++) /* shares of clocks are rounded */
        assert_in_range(busy[k], busy[0] - 1, busy[0] + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_lines),
                                       cmocka_unit_test(test_killed),
                                       cmocka_unit_test(test_written_back),
                                       cmocka_unit_test(test_samples),
                                       cmocka_unit_test(test_rays),
                                       cmocka_unit_test(test_direct_loads),
                                       cmocka_unit_test(test_lines_of_samples)};
    if (!asm_available() || !asm_knows_gpu("gfx1100")) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
