/* code.c - control flow and the code cache: branches, calls, page ends, faults, changed code.
 *
 * Each test is a short program with a hand-computed end state. The last one lets several threads
 * run, and decode, the same pages at once while another invalidates them. */
#include "code_rig.h"

#include <pthread.h>

static void loop_and_slices(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_assemble(r, 0,
                 "s_mov_b32 s0, 0\n"
                 "s_movk_i32 s1, 1000\n"
                 "again:\n"
                 "s_add_u32 s0, s0, s1\n"
                 "s_sub_u32 s1, s1, 1\n"
                 "s_cmp_lg_u32 s1, 0\n"
                 "s_cbranch_scc1 again\n"
                 "s_endpgm\n");
    for (unsigned c = 0; c < RIG_CORES; c++) {
        r->core = isa_core_by_name(rig_cores[c]);
        if (!r->core) continue;
        /* 999 taken branches in slices of 100: nine full slices yield */
        unsigned yields = 0;
        assert_true(r->core->set_pc(&r->wave, RIG_CODE));
        while (r->core->run(&r->wave, 100) == ISA_STOP_YIELD)
            yields++;
        assert_int_equal(r->wave.stop, ISA_STOP_END);
        assert_int_equal(yields, 9);
        assert_int_equal(r->wave.sgpr[0], 500500);
        assert_int_equal(isa_wave_pc(&r->wave), RIG_CODE + 4 * 7);
    }
    rig_destroy(r);
}

static void conditions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t vcc, exec;
        uint32_t scc;
        bool taken;
    } rows[] = {
        {"scc0", 1, 1, 0, true},     {"scc0", 1, 1, 1, false},
        {"scc1", 1, 1, 0, false},    {"scc1", 1, 1, 1, true},
        {"vccz", 0, 1, 0, true},     {"vccz", 1ull << 40, 1, 0, false},
        {"vccnz", 0, 1, 0, false},   {"vccnz", 1ull << 40, 1, 0, true},
        {"execz", 1, 0, 0, true},    {"execz", 1, 1ull << 63, 0, false},
        {"execnz", 1, 0, 0, false},  {"execnz", 1, 1ull << 63, 0, true},
        {"cdbgsys", 1, 1, 1, false}, {"cdbguser", 1, 1, 1, false},
    };
    rig_t *r = rig_create();
    for (unsigned k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        char text[128];
        snprintf(text, sizeof(text),
                 "s_cbranch_%s over\ns_movk_i32 s0, 1\ns_endpgm\nover:\n"
                 "s_movk_i32 s0, 2\ns_endpgm\n",
                 rows[k].name);
        r->wave.vcc = rows[k].vcc;
        r->wave.exec = rows[k].exec;
        r->wave.scc = rows[k].scc;
        assert_int_equal(rig_run(r, text), ISA_STOP_END);
        assert_int_equal(r->wave.sgpr[0], rows[k].taken ? 2 : 1);
    }
    rig_destroy(r);
}

static void calls(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    /* A function on another page, reached by s_swappc and by s_call. */
    rig_assemble(r, 2 * 1024 + 5, "s_add_u32 s4, s4, 1\ns_setpc_b64 s[30:31]\n");
    assert_int_equal(rig_run(r, "s_getpc_b64 s[0:1]\n"     /* dword 1 */
                                "s_add_u32 s2, s0, 8208\n" /* dword 1 + 2052 = 2 * 1024 + 5 */
                                "s_addc_u32 s3, s1, 0\n"
                                "s_mov_b32 s4, 40\n"
                                "s_swappc_b64 s[30:31], s[2:3]\n"
                                "s_call_b64 s[30:31], near\n"
                                "s_branch end\n"
                                "near:\n"
                                "s_add_u32 s4, s4, 10\n"
                                "s_setpc_b64 s[30:31]\n"
                                "end:\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(rig_s64(r, 0), RIG_CODE + 4);
    assert_int_equal(r->wave.sgpr[4], 51);
    assert_int_equal(rig_s64(r, 30), RIG_CODE + 4 * 7);
    rig_destroy(r);
}

/* Off the end of a page, once between instructions and once in the middle of one; branches across.
 */
static void page_ends(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_assemble(r, 1022,
                 "s_movk_i32 s0, 7\n"
                 "s_mov_b32 s1, 0x12345678\n" /* dwords 1023 and 1024 */
                 "s_branch 1021\n"            /* 1025: to 2047, the last of its page */
                 "s_trap 2\n");
    rig_assemble(r, 2047,
                 "s_movk_i32 s2, 9\n"
                 "s_branch -2048\n" /* 2048: to 1 */);
    rig_assemble(r, 1, "s_movk_i32 s3, 11\ns_endpgm\n");
    assert_int_equal(rig_run_from(r, RIG_CODE + 4 * 1022), ISA_STOP_END);
    assert_int_equal(r->wave.sgpr[0], 7);
    assert_int_equal(r->wave.sgpr[1], 0x12345678);
    assert_int_equal(r->wave.sgpr[2], 9);
    assert_int_equal(r->wave.sgpr[3], 11);
    rig_destroy(r);
}

static void faults(void **state)
{
    (void)state;
    uint64_t end = RIG_CODE + RIG_CODE_BYTES;
    rig_t *r = rig_create();
    /* nothing mapped, misaligned */
    assert_false(r->core->set_pc(&r->wave, 0x1000));
    assert_int_equal(r->wave.stop, ISA_STOP_MEMORY);
    assert_int_equal(r->wave.fault_addr, 0x1000);
    assert_true(r->wave.fault_flags & ISA_FAULT_EXEC);
    assert_false(r->core->set_pc(&r->wave, RIG_CODE + 2));
    /* jump to nowhere */
    assert_int_equal(rig_run(r, "s_mov_b64 s[0:1], 0x20000\ns_setpc_b64 s[0:1]\n"),
                     ISA_STOP_MEMORY);
    assert_int_equal(r->wave.fault_addr, 0x20000);
    /* data is not code */
    memcpy(r->data, r->code, 16);
    assert_false(r->core->set_pc(&r->wave, RIG_DATA));
    assert_int_equal(r->wave.stop, ISA_STOP_MEMORY);
    assert_true(r->wave.fault_flags & ISA_FAULT_EXEC);
    /* off the end of mapped memory, between instructions and within one */
    rig_assemble(r, RIG_CODE_BYTES / 4 - 1, "s_nop 0\n");
    assert_int_equal(rig_run_from(r, end - 4), ISA_STOP_MEMORY);
    assert_int_equal(r->wave.fault_addr, end);
    r->code[RIG_CODE_BYTES / 4 - 1] = 0xbe8000ff; /* s_mov_b32 s0, literal */
    isa_code_invalidate(r->cache);
    assert_int_equal(rig_run_from(r, end - 4), ISA_STOP_MEMORY);
    assert_int_equal(r->wave.fault_addr, end);
    /* no instruction */
    r->code[0] = 0xbf800000;
    r->code[1] = 0xffffffff;
    isa_code_invalidate(r->cache);
    assert_int_equal(rig_run_from(r, RIG_CODE), ISA_STOP_ILLEGAL);
    assert_int_equal(r->wave.fault_addr, RIG_CODE + 4);
    assert_string_equal(r->wave.message, "illegal instruction 0xffffffff at 0x7fff00010004");
    rig_destroy(r);
}

static unsigned messages;

static void on_message(isa_dispatch_t *d, isa_wave_t *w, uint32_t simm16)
{
    (void)d;
    messages += 1;
    assert_int_equal(w->m0, 77);
    assert_int_equal(simm16, 1);
}

static void stops(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    isa_wave_t *w = &r->wave;
    r->dispatch.on_message = on_message;
    assert_int_equal(rig_run(r, "s_movk_i32 s0, 1\n"
                                "s_barrier\n"
                                "s_movk_i32 s0, 2\n"
                                "s_sleep 10\n"
                                "s_movk_i32 s0, 3\n"
                                "s_movk_i32 m0, 77\n"
                                "s_sendmsg sendmsg(MSG_INTERRUPT)\n"
                                "s_mov_b32 exec_lo, 0x80000000\n"
                                "s_sendmsg sendmsg(MSG_GET_DOORBELL)\n"
                                "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
                                "s_trap 3\n"
                                "s_trap 2\n"
                                "s_icache_inv\n"
                                "s_setkill 0\n"
                                "s_setkill 1\n"),
                     ISA_STOP_BARRIER);
    assert_int_equal(w->sgpr[0], 1);
    assert_int_equal(r->core->run(w, RIG_SLICE), ISA_STOP_YIELD);
    assert_int_equal(w->sgpr[0], 2);
    assert_int_equal(r->core->run(w, RIG_SLICE), ISA_STOP_TRAP);
    assert_int_equal(w->sgpr[0], 3);
    assert_int_equal(w->trap_id, 2);
    assert_int_equal(w->fault_addr, RIG_CODE + 4 * 12);
    assert_int_equal(messages, 1);
    assert_int_equal(w->exec, 0xffffffff00000155);
    assert_int_equal(r->core->run(w, RIG_SLICE), ISA_STOP_END);
    assert_int_equal(isa_wave_pc(w), RIG_CODE + 4 * 16);
    /* alone in its workgroup a wave does not stop at barriers */
    r->group.n_waves = 1;
    assert_int_equal(rig_run(r, "s_barrier\ns_endpgm\n"), ISA_STOP_END);
    rig_destroy(r);
}

/* Two lanes sets take different ways and join again. */
static void fork_and_join(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->wave.exec = 0xff;
    rig_set_s64(r, 40, 0x07); /* three lanes go to `there`, five go on */
    assert_int_equal(rig_run(r, "s_mov_b64 s[60:61], 0\n"
                                "s_mov_b64 s[62:63], 0\n"
                                "s_movk_i32 s70, 0\n"
                                "s_getreg_b32 s71, hwreg(HW_REG_MODE, 29, 3)\n"
                                "s_cbranch_i_fork s[40:41], there\n"
                                "s_mov_b64 s[60:61], exec\n"
                                "s_cbranch_join s71\n"
                                "s_endpgm\n"
                                "there:\n"
                                "s_mov_b64 s[62:63], exec\n"
                                "s_cbranch_join s71\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(rig_s64(r, 60), 0xf8);
    assert_int_equal(rig_s64(r, 62), 0x07);
    assert_int_equal(r->wave.mode >> 29, 0);
    rig_destroy(r);
}

static void changed_code(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (uint32_t k = 0; k < 100; k++) {
        char text[64];
        snprintf(text, sizeof(text), "s_movk_i32 s0, %u\ns_endpgm\n", k);
        if (k < 3) {
            assert_int_equal(rig_run(r, text), ISA_STOP_END);
        } else { /* s_movk_i32 by hand, and every second time the invalidation finds it unchanged */
            r->code[0] = 0xb0000000u | k / 2;
            isa_code_invalidate(r->cache);
            assert_int_equal(rig_run_from(r, RIG_CODE), ISA_STOP_END);
        }
        assert_int_equal(r->wave.sgpr[0], k < 3 ? k : k / 2);
        if (k % 10 == 9) isa_code_quiesce(r->cache);
    }
    /* Unmapped: the cached page is not run any more. */
    assert_int_equal(sg_memory_unmap(r->memory, RIG_CODE, RIG_CODE_BYTES), 0);
    isa_code_invalidate(r->cache);
    assert_int_equal(rig_run_from(r, RIG_CODE), ISA_STOP_MEMORY);
    isa_code_quiesce(r->cache);
    rig_destroy(r);
}

/* Pages made anew are counted, and a clean-up leaves only those of use. */
static void crowds(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    unsigned crowded = 0;
    r->code[1] = 0xbf810000; /* s_endpgm */
    for (uint32_t k = 0; k < 1000; k++) {
        r->code[0] = 0xb0000000u | k; /* s_movk_i32 s0, k */
        isa_code_invalidate(r->cache);
        assert_int_equal(rig_run_from(r, RIG_CODE), ISA_STOP_END);
        assert_int_equal(r->wave.sgpr[0], k);
        if (!isa_code_crowded(r->cache)) continue;
        isa_code_quiesce(r->cache);
        assert_false(isa_code_crowded(r->cache));
        crowded++;
    }
    assert_in_range(crowded, 10, 20); /* the limit lies between 50 and 100 pages */
    rig_destroy(r);
}

enum { THREADS = 4, ROUNDS = 200 };

typedef struct {
    rig_t *rig;
    uint32_t wrong;
} runner_t;

static void *run_many(void *argument)
{
    runner_t *me = argument;
    isa_wave_t *w = aligned_alloc(64, (sizeof(*w) + 63) / 64 * 64);
    memset(w, 0, sizeof(*w));
    for (unsigned k = 0; k < ROUNDS; k++) {
        *w = me->rig->wave;
        if (!me->rig->core->set_pc(w, RIG_CODE) ||
            me->rig->core->run(w, RIG_SLICE) != ISA_STOP_END || w->sgpr[0] != 4000)
            me->wrong++;
    }
    free(w);
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    runner_t runner[THREADS];
    rig_t *r = rig_create();
    /* four pages of s_add_u32 s0, s0, 1 (but for the ends) */
    for (unsigned k = 0; k < 4000; k++)
        r->code[k] = 0x80008100;
    r->code[4000] = 0xbf810000;
    isa_code_invalidate(r->cache);
    for (unsigned t = 0; t < THREADS; t++) {
        runner[t] = (runner_t){r, 0};
        assert_int_equal(pthread_create(&thread[t], NULL, run_many, &runner[t]), 0);
    }
    for (unsigned k = 0; k < 1000; k++)
        isa_code_invalidate(r->cache);
    for (unsigned t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        assert_int_equal(runner[t].wrong, 0);
    }
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loop_and_slices), cmocka_unit_test(conditions),
        cmocka_unit_test(calls),           cmocka_unit_test(page_ends),
        cmocka_unit_test(crowds),          cmocka_unit_test(faults),
        cmocka_unit_test(stops),           cmocka_unit_test(fork_and_join),
        cmocka_unit_test(changed_code),    cmocka_unit_test(threads),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
