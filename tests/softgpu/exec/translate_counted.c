/* translate_counted.c - translated code that counts by buckets: every bucket has what it has when
 * the same code runs interpreted, behind each stop.
 *
 * Random loops, and the programs of translate_programs.h. What they compute is compared here, too.
 */
#include "translate_programs.h"

static void counted_loops(void **state)
{
    const char *wanted = getenv("TRANSLATE_LOOPS");
    (void)state;
    counted = true;
    run_random_loops(wanted ? (unsigned)atoi(wanted) : 12);
    counted = false;
}

/* The same code, counted: whatever stops a wave in the middle of code that is counted at once, and
 * what is tried again, every bucket has what it has interpreted. */
static void counted_code(void **state)
{
    (void)state;
    counted = true;
    run_programs();
    run_all_stretches();
    counted = false;
}

/* Accesses of which more is counted than their runs: FLAT ones in LDS (v[2:3]), of which the store
 * waits for another wave, in memory (v[4:5]) and in both (v[6:7]), with no lane active, and atomic
 * operations of buffers that return data, and that do not. */
static const char accesses[] =
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, v1\n"
    "v_mov_b32 v3, 0x10000\n v_add_u32 v4, 0x20000, v2\n v_mov_b32 v5, 0x7ffe\n"
    "v_cmp_gt_u32 vcc, 9, v1\n v_cndmask_b32 v6, v2, v4, vcc\n v_cndmask_b32 v7, v3, v5, vcc\n"
    "s_mov_b32 s8, 0x20000\n s_mov_b32 s9, 0x7ffe\n s_movk_i32 s10, 256\n s_mov_b32 s11, "
    "0x27000\n"
    "again: flat_load_dword v10, v[2:3]\n flat_load_dword v11, v[4:5]\n"
    "flat_load_dword v12, v[6:7]\n v_add_u32 v13, v10, v11\n flat_store_dword v[2:3], v13\n"
    "buffer_atomic_add v13, v2, s[8:11], 0 offen glc\n v_add_u32 v14, v13, v12\n"
    "buffer_atomic_add v14, v2, s[8:11], 0 offen\n buffer_load_dword v15, v2, s[8:11], 0 offen "
    "glc\n"
    "s_mov_b64 s[4:5], exec\n s_mov_b64 exec, 0\n flat_load_dword v16, v[2:3]\n"
    "v_add_u32 v17, v1, v1\n s_mov_b64 exec, s[4:5]\n s_waitcnt vmcnt(0)\n"
    "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";

static void counted_accesses(void **state)
{
    pair_t p = make_pair("avx2");
    (void)state;
    assert_int_equal(p.translated->group.n_waves, 2);
    put_pair(&p, accesses);
    counted = true;
    uint64_t begin = 0;
    for (unsigned n = 0; n < 3; n++) {
        before_t b;
        make_state(&b, n != 1, 0x2f0);
        begin = translated_instructions();
        const isa_counter_t c = run_pair(&p, &b, n < 2 ? RIG_SLICE : 1, accesses);
        assert_int_equal(c.flat_lds_only, 2 * ROUNDS);
        assert_int_equal(c.buffer_returns, ROUNDS);
        isa_translate_setup(ISA_TRANSLATE_ON, 1);
        isa_code_idle(p.translated->cache, p.translated->core, RIG_CODE);
    }
    assert_true(translated_instructions() - begin > 15 * ROUNDS);
    counted = false;
    free_pair(&p);
}

/* Code that counts is not run by waves that nobody counts, nor by those that others count by other
 * buckets, nor the other way round: each has code of its own at the same place. A translated loop
 * ends before s_endpgm, a stretch behind it. */
static void counted_apart(void **state)
{
    static const char text[] = "again: v_add_f32 v1, v1, v2\n v_cmp_gt_u32 vcc, v1, v3\n"
                               "v_cndmask_b32 v4, v1, v2, vcc\n s_sub_u32 s98, s98, 1\n"
                               "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";
    static const uint8_t one_bucket[ISA_OP_COUNT];
    enum { ALL = 6 * ROUNDS + 1 };
    pair_t p = make_pair("avx2");
    rig_t *r = p.translated;
    uint64_t begin = 0;
    (void)state;
    put_pair(&p, text);
    for (unsigned n = 0; n < 9; n++) {
        before_t b;
        make_state(&b, true, 0x2f0);
        begin = translated_instructions();
        counted = n % 3 == 1;
        if (n % 3 < 2) {
            run_pair(&p, &b, RIG_SLICE, text);
            isa_translate_setup(ISA_TRANSLATE_ON, 1);
        } else {
            isa_counter_t c = {.bucket = one_bucket};
            isa_watch_t watch = {.counter = &c};
            set_state(r, &b);
            assert_true(r->core->set_pc(&r->wave, RIG_CODE));
            assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_END);
            isa_counter_settle(&c);
            assert_int_equal(c.runs[0], ALL);
            assert_int_equal(c.lanes[0], 64 * ALL);
        }
        isa_code_idle(r->cache, r->core, RIG_CODE);
        if (n > 5) assert_in_range(translated_instructions() - begin, ALL - 1, ALL);
    }
    counted = false;
    free_pair(&p);
}

/* A loop that runs so often, in slices, that the counts of its groups would not fit: run_watched()
 * has to settle them. Vector instructions are in bucket 1, all others in bucket 0. */
static void settle_in_time(rig_t *r, uint64_t exec)
{
    enum { TIMES = (1 << (64 - ISA_IDLE_SHIFT)) + 5 };
    static uint8_t bucket[ISA_OP_COUNT];
    const unsigned lanes = (unsigned)__builtin_popcountll(exec), at = exec ? 0 : ISA_BUCKETS;
    isa_counter_t c = {.bucket = bucket};
    isa_watch_t watch = {.counter = &c};
    before_t b;
    make_state(&b, true, 0x2f0);
    b.exec = exec;
    b.sgpr[COUNTER] = TIMES;
    bucket[ISA_OP_v_add_f32] = 1;
    isa_code_invalidate(r->cache);
    isa_code_quiesce(r->cache);
    set_state(r, &b);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    const uint64_t begin = translated_instructions();
    while (r->core->run_watched(&r->wave, RIG_SLICE, &watch) == ISA_STOP_YIELD)
        assert_true(c.at_most <= ISA_SETTLE_AFTER);
    assert_int_equal(r->wave.stop, ISA_STOP_END);
    assert_true(translated_instructions() - begin > UINT64_C(4) * TIMES - 100);
    isa_counter_settle(&c);
    for (unsigned k = 0; k < 2 * ISA_BUCKETS; k++) {
        const uint64_t runs = k == at       ? UINT64_C(3) * TIMES + 1
                              : k == at + 1 ? TIMES
                                            : 0;
        if (c.runs[k] != runs || c.lanes[k] != lanes * runs)
            fail_msg("%u lanes, bucket %u: %llu runs, %llu lanes", lanes, k,
                     (unsigned long long)c.runs[k], (unsigned long long)c.lanes[k]);
    }
}

static void counted_for_long(void **state)
{
    static const char text[] = "again: v_add_f32 v1, v2, v3\n s_sub_u32 s98, s98, 1\n"
                               "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";
    pair_t p = make_pair("avx2");
    (void)state;
    put_pair(&p, text);
    isa_translate_setup(ISA_TRANSLATE_ON, 1);
    settle_in_time(p.translated, UINT64_C(0x8000123400000105));
    settle_in_time(p.translated, 0);
    free_pair(&p);
}

/* With verify, counts are compared as well. */
static void counts_verified(void **state)
{
    (void)state;
    counted = true;
    try_reads(isa_core_by_name("avx2"), LOADS_FROM_LDS);
    counted = false;
}

int main(void)
{
    if (!asm_available()) return 77;
    isa_translate_limit(UINT64_MAX);
    if (!translates_here()) return 77;
    read_lines(ISA_TEST_DATA "/vectors.tsv", ASM_ARCH, 64, 1000);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_loops), cmocka_unit_test(counted_code),
        cmocka_unit_test(counted_accesses), cmocka_unit_test(counted_apart),
        cmocka_unit_test(counted_for_long), cmocka_unit_test(counts_verified)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
