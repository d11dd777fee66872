/* translate.c - code runs translated and interpreted: every register, the place, the slice and the
 * reason of each stop are the same, bit by bit.
 *
 * Every vector and scalar instruction of LLVM's list of encodings is in a loop, and random ones of
 * them are, with random EXEC, MODE and registers (NaNs with payloads, denormals, infinities). */
#include "translate_programs.h"

/* With which lanes, and for which, code runs: some; all, translated for any; all, translated for
 * them alone. */
typedef enum { SOME_LANES, ALL_OF_ANY, ALL_LANES, WAYS } way_t;

/* So many instructions of the list are in one loop: a longer segment has no loop over chunks for a
 * full EXEC (WHOLE_AT_MOST of translate_segment.c). */
enum { AT_ONCE = 16 };

static void try_instructions(pair_t *p, unsigned first, way_t way, const char *host)
{
    static const char *const names[] = {"some lanes", "all lanes, translated for any EXEC",
                                        "all lanes"};
    static const line_t set_exec = {{0xbefe017e}, 1}; /* s_mov_b64 exec, exec */
    const line_t *body[1 + AT_ONCE];
    before_t b;
    char what[80];
    unsigned n = 0;
    if (way == ALL_OF_ANY) body[n++] = &set_exec;
    for (unsigned k = first; k < first + AT_ONCE && k < n_lines; k++)
        body[n++] = &lines[k];
    snprintf(what, sizeof what, "%s, lines from %u on, %s", host, first, names[way]);
    make_state(&b, way != SOME_LANES, 0x2f0 | (random32() & 0x100));
    put_loop(p, body, n, gfx9_flow);
    run_pair(p, &b, RIG_SLICE, what);
}

/* Each instruction is in a loop with its neighbours, each way on each host in a long test.
 * Otherwise two hosts share the first two ways, as LLVM takes most of the time. */
static void every_instruction(void **state)
{
    const bool all_ways = getenv("TRANSLATE_LOOPS");
    const bool shared = !all_ways && isa_core_by_name(hosts[0]) && isa_core_by_name(hosts[1]);
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++) {
        if (!isa_core_by_name(hosts[h])) continue;
        pair_t p = make_pair(hosts[h]);
        const uint64_t begin = translated_instructions();
        for (unsigned first = 0; first < n_lines; first += AT_ONCE)
            for (unsigned way = 0; way < (all_ways ? WAYS : ALL_LANES); way++)
                if (!shared || way != (first / AT_ONCE + h) % 2)
                    try_instructions(&p, first, way, hosts[h]);
        assert_true(translated_instructions() - begin > 2 * n_lines);
        free_pair(&p);
    }
}

static void random_loops(void **state)
{
    const char *wanted = getenv("TRANSLATE_LOOPS");
    (void)state;
    run_random_loops(wanted ? (unsigned)atoi(wanted) : 16);
}

/* ---- programs ---- */

static void whole_programs(void **state)
{
    (void)state;
    run_programs();
}

static void stretches(void **state)
{
    (void)state;
    run_all_stretches();
}

/* Where code is translated for one MODE or for a full EXEC, and waves come with another, it is
 * translated for theirs, too: in the fourth round no wave is sent back to the interpreter. */
static void every_wave_is_taken(void **state)
{
    static const char loop[] = "again: v_add_f32 v1, v1, v2\n s_sub_u32 s98, s98, 1\n "
                               "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";
    static const struct {
        const char *begin;
        bool full[4];
    } cases[] = {
        /* a stretch in another MODE than the loop's that follows it */
        {"v_add_f32 v3, v1, v2\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\n",
         {true, true, true, true}},
        /* waves with all lanes, and others */
        {"v_add_f32 v3, v1, v2\n", {false, true, false, false}},
        {"v_add_f32 v3, v1, v2\n", {true, false, true, false}},
        /* MODE changes inside the loop, whose head is the first of these lines */
        {"again: v_add_f32 v1, v1, v2\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\n"
         "v_add_f32 v1, v1, v2\n v_add_f32 v1, v1, v1\n"
         "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n s_sub_u32 s98, s98, 1\n"
         "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
         {true, true, true, true}},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        pair_t p = make_pair("avx2");
        char text[600];
        isa_translate_stats_t begin = {0};
        const bool has_loop = strstr(cases[k].begin, "again") != NULL;
        snprintf(text, sizeof text, "%s%s", cases[k].begin, has_loop ? "" : loop);
        put_pair(&p, text);
        for (unsigned n = 0; n < 4; n++) {
            before_t b;
            make_state(&b, cases[k].full[n], 0x2f0);
            begin = isa_translate_stats();
            run_pair(&p, &b, RIG_SLICE, text);
            isa_translate_setup(ISA_TRANSLATE_ON, 1);
            isa_code_idle(p.translated->cache, p.translated->core, RIG_CODE);
        }
        const isa_translate_stats_t end = isa_translate_stats();
        assert_int_equal(end.declined - begin.declined, 0);
        assert_true(end.entries > begin.entries);
        assert_true(end.instructions - begin.instructions > ROUNDS);
        free_pair(&p);
    }
}

/* A store to LDS that lets another wave go first is tried again, interpreted or from an entry on,
 * and counts once: however the code runs, a wave runs its 14 instructions. */
static void counted_once(void **state)
{
    enum { INSTRUCTIONS = 14, RUNS = 6 };
    pair_t p = make_pair("avx2");
    rig_t *r = p.translated;
    isa_ran_t ran = {0};
    (void)state;
    assert_int_equal(r->group.n_waves, 2);
    rig_assemble(r, 0, straight[0].text);
    isa_translate_setup(ISA_TRANSLATE_ON, 1);
    for (unsigned n = 0; n < RUNS; n++) {
        const uint64_t begin = translated_instructions();
        before_t b;
        unsigned stops = 0;
        ran = (isa_ran_t){0};
        make_state(&b, true, 0x2f0);
        set_state(r, &b);
        assert_true(r->core->set_pc(&r->wave, RIG_CODE));
        isa_code_idle(r->cache, r->core, RIG_CODE);
        while (isa_translate_run(&r->wave, RIG_SLICE, &ran) != ISA_STOP_END)
            stops++;
        uint64_t all = ran.translated + ran.cold + ran.declined;
        for (unsigned op = 0; op < ISA_OP_COUNT; op++)
            all += ran.without[op];
        assert_int_equal(stops, 2); /* the barrier, the store */
        assert_int_equal(all, INSTRUCTIONS);
        assert_int_equal(ran.translated, translated_instructions() - begin);
    }
    assert_int_equal(ran.translated, INSTRUCTIONS);
    free_pair(&p);
}

/* A loop that goes back into the literal of an instruction, which begins before the loop's end and
 * reaches over it, is refused: what is behind the end would decide what it does. */
static void overlapping(void **state)
{
    static const char text[] = "s_branch inner\n"
                               "again: .long 0xbe8500ff\n" /* s_mov_b32 s5, and its literal: */
                               "inner: .long 0xbf85fffe\n" /* s_cbranch_scc1 again */
                               "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n"
                               "s_cbranch_scc1 inner\n s_endpgm\n";
    pair_t p = make_pair("avx2");
    before_t b;
    (void)state;
    make_state(&b, true, 0x2f0);
    b.scc = 1;
    const uint64_t begin = isa_translate_stats().loops[ISA_REFUSED_SHAPE];
    put_pair(&p, text);
    run_pair(&p, &b, RIG_SLICE, text);
    assert_int_equal(isa_translate_stats().loops[ISA_REFUSED_SHAPE] - begin, 1);
    free_pair(&p);
}

/* Rounds of nested loops, the outermost first. */
typedef struct {
    uint32_t n[3];
} rounds_t;

/* Runs a wave with all lanes in some MODE, and returns what the run adds to the statistics. */
static isa_translate_stats_t run_in_mode(pair_t *p, uint32_t mode, rounds_t rounds,
                                         const char *text)
{
    before_t b;
    make_state(&b, true, mode);
    b.sgpr[COUNTER] = rounds.n[0];
    b.sgpr[12] = rounds.n[1];
    b.sgpr[13] = rounds.n[2];
    const isa_translate_stats_t begin = isa_translate_stats();
    run_pair(p, &b, RIG_SLICE, text);
    isa_code_idle(p->translated->cache, p->translated->core, RIG_CODE);
    isa_translate_stats_t s = isa_translate_stats();
    s.entries -= begin.entries;
    s.instructions -= begin.instructions;
    s.declined -= begin.declined;
    return s;
}

/* Code for an inner loop alone gives way to that for an outer loop: the inner loop has room for the
 * code of another MODE, in the first wave that comes with it. */
static void nested_loops(void **state)
{
    static const char text[] =
        "v_add_f32 v3, v1, v2\n outer: s_mov_b32 s9, s12\n middle: s_mov_b32 s10, s13\n"
        "inner: v_add_f32 v1, v1, v2\n s_sub_u32 s10, s10, 1\n s_cmp_lg_u32 s10, 0\n"
        "s_cbranch_scc1 inner\n s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n s_cbranch_scc1 middle\n"
        "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 outer\n s_endpgm\n";
    enum { LONG = 100 };
    const rounds_t all = {{5, 5, 5}}, inner = {{1, 1, LONG}};
    pair_t p = make_pair("avx2");
    (void)state;
    put_pair(&p, text);
    hot = 3;
    for (unsigned n = 0; n < 5; n++)
        run_in_mode(&p, 0x2f0, all, text);
    isa_translate_stats_t s = run_in_mode(&p, 0xf0, inner, text);
    assert_true(s.instructions > 3 * LONG); /* of 4 */
    for (unsigned n = 0; n < 4; n++)
        s = run_in_mode(&p, 0xf0, inner, text);
    assert_int_equal(s.declined, 0);
    assert_true(s.instructions > 4 * LONG);
    hot = 1;
    free_pair(&p);
}

/* A place has entries for eight MODEs; waves with others are interpreted. */
static void many_modes(void **state)
{
    static const uint32_t modes[] = {0x2f0, 0xf0,  0x3f0, 0x1f0, 0x2c0,
                                     0x2f5, 0x0c0, 0x3c0, 0x1c0, 0x2e0};
    enum { MODES = sizeof modes / sizeof *modes, ENTRIES = 8 };
    static const char text[] = "again: v_add_f32 v1, v1, v2\n v_mul_f64 v[4:5], v[4:5], v[6:7]\n"
                               "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n"
                               "s_cbranch_scc1 again\n s_endpgm\n";
    pair_t p = make_pair("avx2");
    (void)state;
    put_pair(&p, text);
    for (unsigned n = 0; n < 3; n++)
        for (unsigned m = 0; m < MODES; m++) {
            const isa_translate_stats_t s = run_in_mode(&p, modes[m], (rounds_t){{ROUNDS}}, text);
            if (n < 2) continue;
            assert_int_equal(s.entries != 0, m < ENTRIES);
            assert_int_equal(s.declined != 0, m >= ENTRIES);
        }
    free_pair(&p);
}

/* A program that is longer than a stretch may be: waves go from the first stretch into one behind
 * it. */
static void longer_than_a_stretch(void **state)
{
    enum { ADDITIONS = 600 };
    static const char text[] = ".rept 600\n v_add_u32 v1, v1, v2\n .endr\n s_endpgm\n";
    pair_t p = make_pair("avx2");
    isa_translate_stats_t s = {.instructions = 0};
    (void)state;
    put_pair(&p, text);
    for (unsigned n = 0; n < 4; n++)
        s = run_in_mode(&p, 0x2f0, (rounds_t){{ROUNDS}}, text);
    assert_int_equal(s.instructions, ADDITIONS + 1);
    assert_int_equal(s.entries, 2);
    free_pair(&p);
}

/* ---- other code ---- */

/* An empty kernel does nothing wherever it is: behind another one's end, or where waves are counted
 * that come to it. */
static void empty_kernels(void **state)
{
    rig_t *r = rig_create();
    (void)state;
    r->core = isa_core_by_name("avx2");
    isa_translate_setup(ISA_TRANSLATE_ON, 1000);
    rig_assemble(r, 0, "s_endpgm\n s_endpgm\n s_barrier\n s_endpgm\n");
    assert_true(isa_code_idle(r->cache, r->core, RIG_CODE));
    assert_true(isa_code_idle(r->cache, r->core, RIG_CODE + 4));
    assert_false(isa_code_idle(r->cache, r->core, RIG_CODE + 8));
    assert_true(isa_code_idle(r->cache, r->core, RIG_CODE + 12));
    rig_destroy(r);
}

/* With verify, all that is translated runs both ways. */
static void verified(void **state)
{
    pair_t p = make_pair("avx2");
    (void)state;
    for (unsigned k = 0; k < sizeof straight / sizeof *straight; k++) {
        const isa_translate_stats_t begin = isa_translate_stats();
        rig_assemble(p.translated, 0, straight[k].text);
        for (unsigned n = 0; n < 4; n++) {
            before_t b;
            make_state(&b, straight[k].full, 0x2f0);
            isa_translate_setup(ISA_TRANSLATE_VERIFY, 1);
            isa_code_invalidate(p.translated->cache);
            isa_code_quiesce(p.translated->cache);
            set_state(p.translated, &b);
            assert_true(p.translated->core->set_pc(&p.translated->wave, RIG_CODE));
            isa_code_idle(p.translated->cache, p.translated->core, RIG_CODE);
            isa_stop_t stop;
            while ((stop = p.translated->core->run(&p.translated->wave, RIG_SLICE)) ==
                       ISA_STOP_BARRIER ||
                   stop == ISA_STOP_STEP) {
            }
            assert_string_equal(p.translated->wave.message, "");
            assert_int_not_equal(stop, ISA_STOP_UNSUPPORTED);
        }
        const isa_translate_stats_t end = isa_translate_stats();
        assert_true(end.verified > begin.verified);
        assert_int_equal(end.verified - begin.verified, end.instructions - begin.instructions);
    }
    free_pair(&p);
}

static void reads_verified(void **state)
{
    static const char *const texts[] = {LOADS_FROM_LDS, READS_OF_LANES, READS_OF_KNOWN_LANES};
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++)
        for (unsigned k = 0; k < sizeof texts / sizeof *texts; k++)
            if (isa_core_by_name(hosts[h])) try_reads(isa_core_by_name(hosts[h]), texts[k]);
}

/* Code that is written anew runs as it is now. */
static void changed_code(void **state)
{
    static const char *const texts[] = {"again: v_add_u32 v1, 1, v1\n s_sub_u32 s98, s98, 1\n "
                                        "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
                                        "again: v_add_u32 v1, 2, v1\n s_sub_u32 s98, s98, 1\n "
                                        "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n"};
    rig_t *r = rig_create();
    before_t b;
    (void)state;
    r->core = isa_core_by_name("avx2");
    make_state(&b, true, 0x2f0);
    isa_translate_setup(ISA_TRANSLATE_ON, 1);
    for (unsigned k = 0; k < 4; k++) {
        set_state(r, &b);
        assert_int_equal(rig_run(r, texts[k & 1]), ISA_STOP_END);
        assert_int_equal(r->rows[1][5], b.row[1][5] + ROUNDS * (1 + (k & 1)));
    }
    rig_destroy(r);
}

static void rare_lanes_stop_no_wave(void **state)
{
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++) {
        if (!isa_core_by_name(hosts[h])) continue;
        pair_t p = make_pair(hosts[h]);
        assert_none_stops(&p, gfx9_flow, 500);
        free_pair(&p);
    }
}

int main(void)
{
    if (!asm_available()) return 77;
    isa_translate_limit(UINT64_MAX);
    if (!translates_here()) return 77;
    read_lines(ISA_TEST_DATA "/vectors.tsv", ASM_ARCH, 64, 1000);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction),
                                       cmocka_unit_test(random_loops),
                                       cmocka_unit_test(whole_programs),
                                       cmocka_unit_test(stretches),
                                       cmocka_unit_test(every_wave_is_taken),
                                       cmocka_unit_test(counted_once),
                                       cmocka_unit_test(overlapping),
                                       cmocka_unit_test(nested_loops),
                                       cmocka_unit_test(many_modes),
                                       cmocka_unit_test(longer_than_a_stretch),
                                       cmocka_unit_test(empty_kernels),
                                       cmocka_unit_test(verified),
                                       cmocka_unit_test(reads_verified),
                                       cmocka_unit_test(changed_code),
                                       cmocka_unit_test(rare_lanes_stop_no_wave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
