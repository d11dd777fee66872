/* watch.c - watched waves: exact counts, what subscribers are told and in which order, whoever else
 * watches, and the same results as without watchers.
 *
 * Expected numbers follow from the programs' text by hand. */
#include "code_rig.h"

#include "softgpu/exec/census.h"
#include "softgpu/exec/code.h"
#include "softgpu/exec/watch.h"

enum { MAX_SEEN = 64 };

/* A subscriber that counts what has run, and remembers it. */
typedef struct {
    isa_subscriber_t subscriber; /* first */
    uint8_t wants[ISA_OP_COUNT];
    uint64_t runs[ISA_OP_COUNT], lanes[ISA_OP_COUNT];
    unsigned n, issued, begun;
    uint64_t pc[MAX_SEEN];
    uint16_t op[MAX_SEEN];
} seen_t;

/* The line of the instruction is there if a census counts. */
static void assert_line(const isa_watch_t *watch, const isa_inst_t *i)
{
    if (watch->census) assert_int_equal(watch->line->pc, i->pc);
}

static void issued(isa_subscriber_t *subscriber, isa_watch_t *watch, isa_wave_t *w,
                   const isa_inst_t *i)
{
    seen_t *s = (seen_t *)subscriber;
    (void)w;
    assert_line(watch, i);
    assert_int_equal(s->issued++, s->n);
}

static void begun(isa_subscriber_t *subscriber, isa_watch_t *watch, isa_wave_t *w,
                  const isa_inst_t *i)
{
    seen_t *s = (seen_t *)subscriber;
    (void)watch, (void)w, (void)i;
    assert_int_equal(s->begun++, s->n);
}

static void ran(isa_subscriber_t *subscriber, isa_watch_t *watch, isa_wave_t *w,
                const isa_inst_t *i)
{
    seen_t *s = (seen_t *)subscriber;
    (void)w;
    if (s->n < MAX_SEEN) {
        s->pc[s->n] = i->pc;
        s->op[s->n] = i->op;
    }
    s->n++;
    s->runs[i->op]++;
    s->lanes[i->op] += isa_lane_count(watch->exec);
}

static seen_t *seen_create(void)
{
    seen_t *s = calloc(1, sizeof *s);
    assert_non_null(s);
    memset(s->wants, ISA_WANTS_ISSUE | ISA_WANTS_BEFORE | ISA_WANTS_AFTER, sizeof s->wants);
    s->subscriber =
        (isa_subscriber_t){.wants = s->wants, .issue = issued, .before = begun, .after = ran};
    return s;
}

/* A subscriber that counts what is issued, and wants nothing else. */
static void counted_at_issue(isa_subscriber_t *subscriber, isa_watch_t *watch, isa_wave_t *w,
                             const isa_inst_t *i)
{
    seen_t *s = (seen_t *)subscriber;
    assert_line(watch, i);
    s->n++;
    s->runs[i->op]++;
    s->lanes[i->op] += isa_lane_count(w->exec);
}

static seen_t *issues_create(void)
{
    seen_t *s = seen_create();
    s->subscriber = (isa_subscriber_t){.wants = isa_wants_each_issue, .issue = counted_at_issue};
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
enum { DIVERGENT_RUNS = 1 + 10 * 9 + 1 };

static void check_counts(const seen_t *s)
{
    uint64_t all = 0;
    assert_int_equal(s->runs[ISA_OP_v_add_u32], 20);
    assert_int_equal(s->lanes[ISA_OP_v_add_u32], 10 * 64 + 10 * 16);
    assert_int_equal(s->runs[ISA_OP_v_xor_b32], 10);
    assert_int_equal(s->lanes[ISA_OP_v_xor_b32], 0);
    assert_int_equal(s->runs[ISA_OP_s_mov_b64], 30);
    assert_int_equal(s->runs[ISA_OP_s_cbranch_scc1], 10);
    assert_int_equal(s->runs[ISA_OP_s_endpgm], 1);
    assert_int_equal(s->runs[ISA_OP_NONE], 0);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        all += s->runs[op];
    assert_int_equal(all, DIVERGENT_RUNS);
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
            isa_watch_t watch = {0};
            isa_watch_add(&watch, &s->subscriber);
            memset(r->rows[1], 0, 3 * sizeof(isa_row_t));
            assert_true(r->core->set_pc(&r->wave, RIG_CODE));
            while (r->core->run_watched(&r->wave, 3, &watch) == ISA_STOP_YIELD) {
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

static void told_in_order(void **state)
{
    (void)state;
    static const uint16_t expected[] = {ISA_OP_s_mov_b32, ISA_OP_s_branch, ISA_OP_v_mov_b32,
                                        ISA_OP_s_endpgm};
    static const unsigned at[] = {0, 2, 4, 5}; /* dwords; the first instruction has two */
    rig_t *r = rig_create();
    seen_t *s = seen_create();
    isa_watch_t watch = {0};
    isa_watch_add(&watch, &s->subscriber);
    rig_assemble(r, 0,
                 "s_mov_b32 s0, 0x12345678\n"
                 "s_branch over\n"
                 "s_nop 0\n"
                 "over:\n"
                 "v_mov_b32_e32 v0, s0\n"
                 "s_endpgm\n");
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_END);
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
    isa_watch_t watch = {0};
    isa_watch_add(&watch, &s->subscriber);
    rig_assemble(r, LAST,
                 "s_mov_b32 s0, 0x12345678\n"
                 "s_mov_b64 s[2:3], 0\n"
                 "s_load_dword s0, s[2:3], 0x0\n"
                 "s_endpgm\n");
    assert_true(r->core->set_pc(&r->wave, RIG_CODE + 4 * LAST));
    assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_MEMORY);
    assert_int_equal(s->n, 3);
    assert_int_equal(s->op[2], ISA_OP_s_load_dword);
    assert_int_equal(s->pc[1], RIG_CODE + 4 * (LAST + 2));
    assert_int_equal(s->runs[ISA_OP_s_load_dword], 1);
    free(s);
    rig_destroy(r);
}

/* A census of the divergent loop. */
typedef struct {
    isa_census_t isa; /* first */
    isa_census_page_t page;
    isa_census_line_t line[16];
    uint32_t n;
} census_t;

static uint32_t meet(isa_census_t *isa, const isa_wave_t *w, const isa_inst_t *i)
{
    census_t *c = (census_t *)isa;
    const uint32_t at = ++c->n;
    assert_true(at < sizeof c->line / sizeof *c->line);
    c->page.page = w->page;
    c->page.at[i - w->page->slots] = at;
    c->line[at] = (isa_census_line_t){.pc = i->pc,
                                      .kind = i->op == ISA_OP_s_cbranch_scc1 ? ISA_CENSUS_BRANCH
                                              : i->op == ISA_OP_s_mov_b64    ? ISA_CENSUS_MASK
                                                                             : ISA_CENSUS_PLAIN};
    return at;
}

static census_t *census_create(void)
{
    census_t *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->isa = (isa_census_t){.page = &c->page, .line = c->line, .meet = meet};
    return c;
}

/* Its 11 instructions; the branch is taken in all rounds but the last, and one instruction of each
 * round takes lanes away but not all. */
static void check_census(const census_t *c)
{
    uint64_t runs = 0, taken = 0, not_taken = 0, masked = 0;
    for (uint32_t k = 1; k <= c->n; k++) {
        runs += c->line[k].full + c->line[k].n.issued;
        taken += c->line[k].n.taken;
        not_taken += c->line[k].n.not_taken;
        masked += c->line[k].n.divergent;
    }
    assert_int_equal(c->n, 11);
    assert_int_equal(runs, DIVERGENT_RUNS);
    assert_int_equal(taken, 9);
    assert_int_equal(not_taken, 1);
    assert_int_equal(masked, 10);
}

/* The observers of a set. */
enum {
    WITH_COUNTER = 1,
    WITH_INTERRUPT = 2, /* that never comes */
    WITH_CENSUS = 4,
    WITH_SEEN = 8,
    WITH_SECOND = 16,
    WITH_ISSUES = 32,
    SETS = 64
};

static void watch_with(rig_t *r, unsigned set)
{
    static const uint8_t bucket[ISA_OP_COUNT]; /* all in the same */
    static _Atomic uint32_t tick;
    static const isa_interrupt_t never = {.tick = &tick};
    seen_t *const seen[] = {seen_create(), seen_create(), issues_create()};
    census_t *census = census_create();
    isa_counter_t counter = {.bucket = bucket};
    isa_watch_t watch = {.counter = set & WITH_COUNTER ? &counter : NULL,
                         .interrupt = set & WITH_INTERRUPT ? &never : NULL};
    isa_watch_census(&watch, set & WITH_CENSUS ? &census->isa : NULL);
    for (unsigned k = 0; k < 3; k++)
        if (set & WITH_SEEN << k) isa_watch_add(&watch, &seen[k]->subscriber);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_END);
    for (unsigned k = 0; k < 3; k++)
        if (set & WITH_SEEN << k) check_counts(seen[k]);
    if (set & WITH_CENSUS) check_census(census);
    assert_int_equal(counter.runs[0] + counter.runs[ISA_BUCKETS],
                     set & WITH_COUNTER ? DIVERGENT_RUNS : 0);
    for (unsigned k = 0; k < 3; k++)
        free(seen[k]);
    free(census);
}

/* Who else watches changes nothing: every set of a counter, an interruption, a census, one or two
 * subscribers that want everything, and one that wants ISSUE alone. */
static void whoever_else_watches(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_assemble(r, 0, divergent);
    for (unsigned set = 0; set < SETS; set++)
        watch_with(r, set);
    rig_destroy(r);
}

/* A subscriber is told only of the instructions that it wants. */
static void told_what_is_wanted(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    seen_t *s = seen_create();
    isa_watch_t watch = {0};
    isa_watch_add(&watch, &s->subscriber);
    memset(s->wants, 0, sizeof s->wants);
    s->wants[ISA_OP_v_xor_b32] = ISA_WANTS_AFTER;
    rig_assemble(r, 0, divergent);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_END);
    assert_int_equal(s->n, 10);
    assert_int_equal(s->runs[ISA_OP_v_xor_b32], 10);
    assert_int_equal(s->issued + s->begun, 0);
    free(s);
    rig_destroy(r);
}

/* What was told at the instruction's first try, and before its work. */
typedef struct {
    isa_subscriber_t subscriber; /* first */
    uint8_t wants[ISA_OP_COUNT];
    unsigned issued, begun, ran;
    uint32_t lds_then; /* the dword in LDS right before the work */
} tries_t;

static void try_issued(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i)
{
    (void)watch, (void)w, (void)i;
    ((tries_t *)s)->issued++;
}

static void try_begun(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i)
{
    (void)watch, (void)i;
    ((tries_t *)s)->begun++;
    memcpy(&((tries_t *)s)->lds_then, w->group->lds, 4);
}

static void try_ran(isa_subscriber_t *s, isa_watch_t *watch, isa_wave_t *w, const isa_inst_t *i)
{
    (void)watch, (void)w, (void)i;
    ((tries_t *)s)->ran++;
}

/* A store to LDS after a load lets the other waves run first. It is issued, begins and has run once
 * each; it begins with LDS as the other waves have left it. */
static void store_tried_twice(rig_t *r, const char *store, unsigned op)
{
    static const uint32_t empty[4] = {0, 0, 0, 0x24004}; /* a buffer without any bytes */
    tries_t t = {.issued = 0};
    isa_watch_t watch = {0};
    t.wants[op] = ISA_WANTS_ISSUE | ISA_WANTS_BEFORE | ISA_WANTS_AFTER;
    t.subscriber = (isa_subscriber_t){
        .wants = t.wants, .issue = try_issued, .before = try_begun, .after = try_ran};
    isa_watch_add(&watch, &t.subscriber);
    rig_assemble(r, 0, "v_mov_b32_e32 v0, 0\nds_read_b32 v1, v0\n");
    rig_assemble(r, 3, store);
    memcpy(&r->wave.sgpr[4], empty, sizeof empty);
    memcpy(&r->wave.sgpr[2], (uint64_t[]){RIG_DATA}, 8);
    r->wave.m0 = 0;
    r->wave.lds_turn = 0;
    r->group.n_waves = 2;
    memset(r->group.lds, 0, 4);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_STEP);
    assert_int_equal(t.issued, 1);
    assert_int_equal(t.begun + t.ran, 0);
    memset(r->group.lds, 7, 4); /* the other wave stores */
    assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_END);
    assert_int_equal(t.issued, 1);
    assert_int_equal(t.begun, 1);
    assert_int_equal(t.ran, 1);
    assert_int_equal(t.lds_then, 0x07070707);
    memcpy(&t.lds_then, r->group.lds, 4);
    assert_int_equal(t.lds_then, 0); /* what all these store */
}

static void tried_twice(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    memset(r->data, 0, 256);
    store_tried_twice(r, "ds_write_b32 v0, v0\ns_endpgm\n", ISA_OP_ds_write_b32);
    /* the assembler has global_load_lds_dword v0, s[2:3] for later GPUs only */
    store_tried_twice(r, ".long 0xdc50a000, 0x00020000\ns_endpgm\n",
                      ISA_OP_global_load_lds_dword);
    store_tried_twice(r, "buffer_load_dword v0, s[4:7], 0 offen lds\ns_endpgm\n",
                      ISA_OP_buffer_load_dword);
    store_tried_twice(r, "buffer_load_format_x v0, s[4:7], 0 offen lds\ns_endpgm\n",
                      ISA_OP_buffer_load_format_x);
    rig_destroy(r);
}

/* A subscriber to which each instruction is reported when it is issued, alone and with another one:
 * the loop that is made for the first case reports what the loop for all cases does, and a store
 * that is tried twice once. */
static void told_of_each_issue(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (unsigned run = 0; run < 2 * RIG_CORES; run++) {
        seen_t *s = issues_create(), *second = seen_create();
        isa_watch_t watch = {0};
        isa_watch_add(&watch, &s->subscriber);
        if (run % 2) isa_watch_add(&watch, &second->subscriber);
        r->core = isa_core_by_name(rig_cores[run / 2]);
        if (r->core) {
            rig_assemble(r, 0, divergent);
            r->group.n_waves = 1;
            assert_true(r->core->set_pc(&r->wave, RIG_CODE));
            while (r->core->run_watched(&r->wave, 3, &watch) == ISA_STOP_YIELD) {
            }
            assert_int_equal(r->wave.stop, ISA_STOP_END);
            check_counts(s);
            rig_assemble(r, 512,
                         "v_mov_b32_e32 v0, 0\n ds_read_b32 v1, v0\n"
                         "ds_write_b32 v0, v0\n s_endpgm\n");
            r->group.n_waves = 2;
            r->wave.lds_turn = 0; /* it has not waited yet */
            assert_true(r->core->set_pc(&r->wave, RIG_CODE + 4 * 512));
            assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_STEP);
            assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_END);
            assert_int_equal(s->runs[ISA_OP_ds_write_b32], 1);
        }
        free(s);
        free(second);
    }
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_counts),        cmocka_unit_test(told_in_order),
        cmocka_unit_test(page_end_and_fault),  cmocka_unit_test(whoever_else_watches),
        cmocka_unit_test(told_what_is_wanted), cmocka_unit_test(tried_twice),
        cmocka_unit_test(told_of_each_issue),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
