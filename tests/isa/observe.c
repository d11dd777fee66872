/* observe.c - the observed run loop: exact counts, the hook, and the same results as the plain
 * loop.
 *
 * Expected numbers follow from the programs' text by hand. */
#include "code_rig.h"

#include "softgpu/isa/observe.h"

enum { MAX_SEEN = 64 };

typedef struct {
    isa_observer_t observer; /* first */
    isa_tally_t tally;
    unsigned n;
    uint64_t pc[MAX_SEEN];
    uint16_t op[MAX_SEEN];
} seen_t;

static void remember(isa_observer_t *o, isa_wave_t *w, const isa_inst_t *i, uint64_t pc)
{
    seen_t *s = (seen_t *)o;
    (void)w;
    if (s->n < MAX_SEEN) {
        s->pc[s->n] = pc;
        s->op[s->n] = i->op;
    }
    s->n++;
}

static seen_t *seen_create(void)
{
    seen_t *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->observer.tally = &s->tally;
    return s;
}

/* 10 rounds of a loop; the vector instructions run with 64, 16 and 0 lanes. */
static const char divergent[] = "s_movk_i32 s0, 10\n"
                                "again:\n"
                                "v_add_u32_e32 v1, 1, v1\n"
                                "s_mov_b64 exec, 0xffff\n"
                                "v_add_u32_e32 v2, 1, v2\n"
                                "s_mov_b64 exec, 0\n"
                                "v_xor_b32_e32 v3, v1, v2\n"
                                "s_mov_b64 exec, -1\n"
                                "s_sub_u32 s0, s0, 1\n"
                                "s_cmp_lg_u32 s0, 0\n"
                                "s_cbranch_scc1 again\n"
                                "s_endpgm\n";

static void check_counts(const seen_t *s)
{
    uint64_t all = 0;
    assert_int_equal(s->tally.runs[ISA_OP_v_add_u32], 20);
    assert_int_equal(s->tally.lanes[ISA_OP_v_add_u32], 10 * 64 + 10 * 16);
    assert_int_equal(s->tally.runs[ISA_OP_v_xor_b32], 10);
    assert_int_equal(s->tally.lanes[ISA_OP_v_xor_b32], 0);
    assert_int_equal(s->tally.runs[ISA_OP_s_mov_b64], 30);
    assert_int_equal(s->tally.runs[ISA_OP_s_cbranch_scc1], 10);
    assert_int_equal(s->tally.runs[ISA_OP_s_endpgm], 1);
    assert_int_equal(s->tally.runs[ISA_OP_NONE], 0);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        all += s->tally.runs[op];
    assert_int_equal(all, 1 + 10 * 9 + 1);
}

static void exact_counts(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_assemble(r, 0, divergent);
    for (unsigned c = 0; c < RIG_CORES; c++) {
        r->core = isa_core_by_name(rig_cores[c]);
        if (!r->core) continue;
        /* the first time slots are decoded, the second time they are known: the same counts */
        for (unsigned round = 0; round < 2; round++) {
            seen_t *s = seen_create();
            memset(r->rows[1], 0, 3 * sizeof(isa_row_t));
            assert_true(r->core->set_pc(&r->wave, RIG_CODE));
            while (r->core->run_observed(&r->wave, 3, &s->observer) == ISA_STOP_YIELD) {
            }
            assert_int_equal(r->wave.stop, ISA_STOP_END);
            assert_int_equal(r->rows[1][63], 10);
            assert_int_equal(r->rows[2][15], 10);
            assert_int_equal(r->rows[2][16], 0);
            check_counts(s);
            free(s);
        }
    }
    rig_destroy(r);
}

static void hook_sees_order(void **state)
{
    (void)state;
    static const uint16_t expected[] = {ISA_OP_s_mov_b32, ISA_OP_s_branch, ISA_OP_v_mov_b32,
                                        ISA_OP_s_endpgm};
    static const unsigned at[] = {0, 2, 4, 5}; /* dwords; the first instruction has two */
    rig_t *r = rig_create();
    seen_t *s = seen_create();
    s->observer.after = remember;
    rig_assemble(r, 0,
                 "s_mov_b32 s0, 0x12345678\n"
                 "s_branch over\n"
                 "s_nop 0\n"
                 "over:\n"
                 "v_mov_b32_e32 v0, s0\n"
                 "s_endpgm\n");
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    assert_int_equal(r->core->run_observed(&r->wave, RIG_SLICE, &s->observer), ISA_STOP_END);
    assert_int_equal(s->n, 4);
    for (unsigned k = 0; k < 4; k++) {
        assert_int_equal(s->op[k], expected[k]);
        assert_int_equal(s->pc[k], RIG_CODE + 4 * at[k]);
    }
    free(s);
    rig_destroy(r);
}

/* Off the end of a page, and an instruction that stops the wave. */
static void page_end_and_fault(void **state)
{
    (void)state;
    enum { LAST = 1023 };
    rig_t *r = rig_create();
    seen_t *s = seen_create();
    s->observer.after = remember;
    rig_assemble(r, LAST,
                 "s_mov_b32 s0, 0x12345678\n"
                 "s_mov_b64 s[2:3], 0\n"
                 "s_load_dword s0, s[2:3], 0x0\n"
                 "s_endpgm\n");
    assert_true(r->core->set_pc(&r->wave, RIG_CODE + 4 * LAST));
    assert_int_equal(r->core->run_observed(&r->wave, RIG_SLICE, &s->observer), ISA_STOP_MEMORY);
    assert_int_equal(s->n, 3);
    assert_int_equal(s->op[2], ISA_OP_s_load_dword);
    assert_int_equal(s->pc[1], RIG_CODE + 4 * (LAST + 2));
    assert_int_equal(s->tally.runs[ISA_OP_s_load_dword], 1);
    free(s);
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_counts),
        cmocka_unit_test(hook_sees_order),
        cmocka_unit_test(page_end_and_fault),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
