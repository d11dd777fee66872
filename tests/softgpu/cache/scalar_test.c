/* scalar_test.c - the scalar data cache and the instruction cache. */
#include "rig.h"

static void reads(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_set_s64(r, 4, RIG_VA);
    rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    EXPECT(r, SQC_DCACHE_REQ, 1);
    EXPECT(r, SQC_DCACHE_MISSES, 1);
    EXPECT(r, SQC_TC_DATA_READ_REQ, 1);
    EXPECT(r, TCC_READ, 1);
    assert_int_equal(r->cost.latency, r->profile.vram_latency);
    sgc_at(r->model, 1000);                             /* they are there */
    rig_do(r, "s_load_dwordx16 s[16:31], s[4:5], 0x0"); /* the same 64 bytes */
    EXPECT(r, SQC_DCACHE_REQ, 2);
    EXPECT(r, SQC_DCACHE_HITS, 1);
    assert_int_equal(r->cost.latency, r->profile.l1_scalar_latency);
    rig_do(r, "s_load_dwordx16 s[16:31], s[4:5], 0x20"); /* half of them in the next line */
    EXPECT(r, SQC_DCACHE_REQ, 4);
    EXPECT(r, SQC_DCACHE_HITS, 2);
    EXPECT(r, SQC_TC_REQ, 2);
    assert_int_equal(r->cost.smem_issue, 2);
    rig_do(r, "s_dcache_inv");
    rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    EXPECT(r, SQC_DCACHE_MISSES, 3);
    EXPECT(r, TCC_HIT, 2); /* the second half of L2's line, and the first line again */
    rig_invariants(r);
    rig_destroy(r);
}

/* A buffer of 8 bytes: of 4 dwords 2 are read; of a whole one out of range none. */
static void buffer_range(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_set_s64(r, 4, RIG_VA + 56);
    r->wave.sgpr[6] = 8;
    r->wave.sgpr[7] = 0;
    rig_do(r, "s_buffer_load_dwordx4 s[0:3], s[4:7], 0x0"); /* 16 bytes, 8 in the next line */
    EXPECT(r, SQC_DCACHE_REQ, 1);
    rig_do(r, "s_buffer_load_dword s0, s[4:7], 0x8");
    EXPECT(r, SQC_DCACHE_REQ, 1);
    rig_destroy(r);
}

/* A store reads its line and makes it dirty; writing back sends it to L2. */
static void stores(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_set_s64(r, 4, RIG_VA);
    rig_do(r, "s_store_dword s0, s[4:5], 0x0");
    EXPECT(r, SQC_TC_DATA_READ_REQ, 1);
    EXPECT(r, SQC_TC_DATA_WRITE_REQ, 0);
    rig_do(r, "s_dcache_wb");
    EXPECT(r, SQC_TC_DATA_WRITE_REQ, 1);
    EXPECT(r, TCC_WRITE, 1);
    rig_do(r, "s_dcache_wb");
    EXPECT(r, SQC_TC_DATA_WRITE_REQ, 1);
    rig_do(r, "s_atomic_add s0, s[4:5], 0x0");
    EXPECT(r, SQC_DCACHE_ATOMIC, 1);
    EXPECT(r, TCC_ATOMIC, 1);
    rig_invariants(r);
    rig_destroy(r);
}

/* Arguments in the host's fine-grained memory: read once, though L2 does not keep them. */
static void uncached(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->page = (sgc_page_t){SGC_UC, false, 0};
    rig_set_s64(r, 4, RIG_VA);
    rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    sgc_at(r->model, 5000);
    rig_do(r, "s_load_dword s0, s[4:5], 0x4");
    EXPECT(r, SQC_DCACHE_HITS, 1);
    EXPECT(r, TCC_EA_RD_UNCACHED_32B, 2);
    rig_do(r, "s_load_dword s0, s[4:5], 0x0 glc");
    EXPECT(r, SQC_DCACHE_MISSES, 2);
    EXPECT(r, TCC_MISS, 2);
    rig_destroy(r);
}

/* Two compute units of an engine share a cache: of 4 in each of 8 engines, 16 caches miss. */
static void sharing(void **state)
{
    (void)state;
    sg_profile_t p = rig_profile();
    p.cus_per_array = 4;
    rig_t *r = rig_create_profile(&p);
    rig_set_s64(r, 4, RIG_VA);
    for (r->cu = 0; r->cu < 32; r->cu++)
        rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    EXPECT(r, SQC_DCACHE_REQ, 32);
    EXPECT(r, SQC_DCACHE_MISSES, 16);
    for (unsigned se = 0; se < 8; se++)
        assert_int_equal(sgc_value(r->model, SGC_SQ, se, 0, EVENT(SQC_DCACHE_MISSES)), 2);
    rig_destroy(r);
}

/* 32 KiB of code are 512 lines in 4 ways of 128 sets. Each line that is come to has the next one
 * read, so only the first is missed, and one behind the last is read. */
static void fetches(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < 510; k++)
            sgc_fetch(r->model, 0, 5000 * pass, RIG_VA + 64 * k);
    EXPECT(r, SQC_ICACHE_REQ, 1020);
    EXPECT(r, SQC_ICACHE_MISSES, 1);
    EXPECT(r, SQC_TC_INST_REQ, 511);
    assert_int_equal(sgc_fetch(r->model, 0, 5000, RIG_VA), r->profile.l1_instruction_latency);
    sgc_flush(r->model, SGC_INV_INST);
    assert_int_equal(sgc_fetch(r->model, 0, 5000, RIG_VA), r->profile.l2_latency);
    rig_invariants(r);
    rig_destroy(r);
}

/* With n lines read ahead, two lines of code have n read behind them. */
static void reads_ahead(void **state)
{
    (void)state;
    sg_profile_t p = rig_profile();
    p.l1_code_ahead = 16;
    rig_t *r = rig_create_profile(&p);
    sgc_fetch(r->model, 0, 0, RIG_VA);
    EXPECT(r, SQC_TC_INST_REQ, 17);
    sgc_fetch(r->model, 0, 5000, RIG_VA + 64);
    EXPECT(r, SQC_TC_INST_REQ, 18);
    EXPECT(r, SQC_ICACHE_MISSES, 1);
    rig_destroy(r);
}

/* 8 sets of 2 ways: line 1, which is read ahead alone, stays the oldest of its set when its
 * predecessor is fetched again, so that line 17 replaces it, not line 9. */
static void reading_ahead_is_no_use(void **state)
{
    static const unsigned lines[] = {0, 9, 0, 17, 9};
    (void)state;
    sg_profile_t p = rig_profile();
    p.l1_instruction_kb = 1;
    p.l1_instruction_ways = 2;
    rig_t *r = rig_create_profile(&p);
    for (unsigned k = 0; k < sizeof lines / sizeof *lines; k++)
        sgc_fetch(r->model, 0, 5000 * k, RIG_VA + 64 * lines[k]);
    EXPECT(r, SQC_ICACHE_MISSES, 3);
    EXPECT(r, SQC_ICACHE_HITS, 2);
    rig_destroy(r);
}

/* Units of a die with 4 engines of 8: 16 caches, or with 2 spare ones 18, of which the second and
 * the fourth engine have 5. No more than one for each unit. */
static void spare_caches(void **state)
{
    static const struct {
        uint32_t cus, spare;
        uint32_t of_engine[4];
    } cases[] = {{8, 0, {4, 4, 4, 4}},
                 {8, 2, {4, 5, 4, 5}},
                 {1, 2, {1, 1, 1, 1}},
                 {3, 0, {2, 2, 2, 2}},
                 {3, 9, {3, 3, 3, 3}}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        sg_profile_t p = rig_profile();
        p.num_xcc = 2;
        p.shader_engines = 4;
        p.cus_per_array = cases[k].cus;
        p.l1_spare_caches = cases[k].spare;
        rig_t *r = rig_create_profile(&p);
        rig_set_s64(r, 4, RIG_VA);
        for (r->cu = 0; r->cu < 2 * 4 * cases[k].cus; r->cu++)
            rig_do(r, "s_load_dword s0, s[4:5], 0x0");
        for (unsigned engine = 0; engine < 8; engine++)
            assert_int_equal(sgc_value(r->model, SGC_SQ, engine, 0, EVENT(SQC_DCACHE_MISSES)),
                             cases[k].of_engine[engine % 4]);
        rig_destroy(r);
    }
}

/* While a line arrives, 30 more requests for it are let in, each for the rest of the time; then the
 * cache is shut until it is there. What another cache has asked L2 for, this one waits for too. */
static void duplicates(void **state)
{
    enum { PENDING = 30 };
    (void)state;
    rig_t *r = rig_create();
    const uint32_t memory = r->profile.vram_latency;
    rig_set_s64(r, 4, RIG_VA);
    sgc_at(r->model, 100);
    rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    sgc_at(r->model, 150);
    for (unsigned k = 0; k < PENDING - 1; k++)
        rig_do(r, "s_load_dword s0, s[4:5], 0x4");
    assert_int_equal(r->cost.latency, memory - 50);
    EXPECT(r, SQC_DCACHE_INPUT_VALID_READYB, 0);
    rig_do(r, "s_load_dword s0, s[4:5], 0x8");
    EXPECT(r, SQC_DCACHE_MISSES_DUPLICATE, PENDING);
    EXPECT(r, SQC_DCACHE_INPUT_VALID_READYB, memory - 50);
    rig_do(r, "s_load_dword s0, s[4:5], 0x8"); /* waits outside */
    EXPECT(r, SQC_DCACHE_HITS, 1);
    r->cu = 1; /* another scalar cache */
    rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    EXPECT(r, SQC_DCACHE_MISSES, 2);
    assert_int_equal(r->cost.latency, memory - 50);
    sgc_at(r->model, 100 + memory);
    r->cu = 0;
    rig_do(r, "s_load_dword s0, s[4:5], 0x4");
    EXPECT(r, SQC_DCACHE_MISSES_DUPLICATE, PENDING);
    EXPECT(r, SQC_DCACHE_HITS, 2);
    rig_invariants(r);
    rig_destroy(r);
}

/* Fetches of a line that is on its way: all count of the one that was missed, and nine of the
 * next, which was asked for with it and is the other half of L2's line. What a wave with a
 * later clock has asked for, one with an earlier clock does not wait for. */
static void fetched_twice(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    const uint32_t memory = r->profile.vram_latency;
    assert_int_equal(sgc_fetch(r->model, 0, 0, RIG_VA), memory);
    assert_int_equal(sgc_fetch(r->model, 0, 200, RIG_VA + 32), memory - 200);
    assert_int_equal(sgc_fetch(r->model, 0, 200, RIG_VA + 64), memory - 200);
    EXPECT(r, SQC_ICACHE_MISSES, 1);
    EXPECT(r, SQC_ICACHE_MISSES_DUPLICATE, 2);
    EXPECT(r, SQC_TC_INST_REQ, 3); /* the fetch at 64 has asked for the line at 128, at 200 */
    assert_int_equal(sgc_fetch(r->model, 0, memory, RIG_VA), r->profile.l1_instruction_latency);
    assert_int_equal(sgc_fetch(r->model, 0, 100, RIG_VA + 128), r->profile.l1_instruction_latency);
    for (unsigned k = 0; k < 12; k++)
        assert_int_equal(sgc_fetch(r->model, 0, 300, RIG_VA), memory - 300);
    EXPECT(r, SQC_ICACHE_MISSES_DUPLICATE, 2 + 12);
    for (unsigned k = 0; k < 12; k++)
        assert_int_equal(sgc_fetch(r->model, 0, 300, RIG_VA + 64), memory - 300);
    EXPECT(r, SQC_ICACHE_MISSES_DUPLICATE, 2 + 12 + 8);
    EXPECT(r, SQC_ICACHE_HITS, 2 + 4);
    rig_invariants(r);
    rig_destroy(r);
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {RIG_TEST(reads),
                                       RIG_TEST(buffer_range),
                                       RIG_TEST(stores),
                                       RIG_TEST(uncached),
                                       RIG_TEST(sharing),
                                       RIG_TEST(fetches),
                                       RIG_TEST(duplicates),
                                       RIG_TEST(fetched_twice),
                                       RIG_TEST(reads_ahead),
                                       RIG_TEST(spare_caches),
                                       RIG_TEST(reading_ahead_is_no_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
