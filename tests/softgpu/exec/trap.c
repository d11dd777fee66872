/* trap.c - into a trap handler and back: registers on entry, privilege, interruptions.
 *
 * Expected values are worked out here from the layout of the trap registers, one at a time. */
#include "code_rig.h"

#include "softgpu/exec/watch.h"
#include "softgpu/exec/trap.h"

enum { HANDLER = 1024 /* dwords behind the program: on another page */ };
#define TBA (RIG_CODE + 4 * HANDLER)

/* Stops the wave at `yield`, which is behind s_sleep, and sends it into the handler. */
static rig_t *interrupted(const char *program, const char *handler)
{
    rig_t *r = rig_create();
    rig_assemble(r, HANDLER, handler);
    r->group.id[0] = 7;
    r->group.id[1] = 8;
    r->group.id[2] = 9;
    r->wave.index_in_group = 5;
    assert_int_equal(rig_run(r, program), ISA_STOP_YIELD);
    const isa_trap_t trap = {.tba = TBA, .tma = 0x123456789abcd000, .packet = 0x2345678};
    assert_true(isa_trap_host(&r->wave, r->core, &trap));
    return r;
}

static void registers_on_entry(void **state)
{
    (void)state;
    rig_t *r = interrupted("s_mov_b64 vcc, 5\n"
                           "s_movk_i32 m0, 99\n"
                           "s_cmp_eq_u32 s0, s0\n"
                           "s_sleep 1\n"
                           "s_endpgm\n",
                           "s_getreg_b32 s40, hwreg(HW_REG_STATUS)\n"
                           "s_getreg_b32 s41, hwreg(16)\n"
                           "s_getreg_b32 s42, hwreg(17)\n"
                           "s_getreg_b32 s43, hwreg(18)\n"
                           "s_getreg_b32 s44, hwreg(19)\n"
                           "s_endpgm\n");
    const isa_wave_t *w = &r->wave;
    const uint64_t pc = RIG_CODE + 4 * 4;
    assert_int_equal(w->ttmp[0], (uint32_t)pc);
    assert_int_equal(w->ttmp[1], pc >> 32 | 1 << 16 | 1 << 24);
    assert_int_equal(w->ttmp[6], 0x345678);
    assert_int_equal(w->ttmp[8], 7);
    assert_int_equal(w->ttmp[9], 8);
    assert_int_equal(w->ttmp[10], 9);
    assert_int_equal(w->ttmp[11], 5 | 1 << 6);
    /* SCC, PRIV, TRAP_EN, IN_TG, VALID */
    const uint32_t status = 1 | 1 << 5 | 1 << 6 | 1 << 11 | 1 << 16;
    assert_int_equal(w->ttmp[12], status);
    assert_int_equal(w->ttmp[14], 0x9abcd000);
    assert_int_equal(w->ttmp[15], 0x12345678);
    assert_int_equal(w->m0, 99);
    assert_int_equal(w->vcc, 5);
    assert_int_equal(w->exec, UINT64_MAX);
    assert_int_equal(r->core->run(&r->wave, RIG_SLICE), ISA_STOP_END);
    assert_int_equal(w->sgpr[40], status);
    assert_int_equal(w->sgpr[41], (uint32_t)TBA);
    assert_int_equal(w->sgpr[42], TBA >> 32);
    assert_int_equal(w->sgpr[43], 0x9abcd000);
    assert_int_equal(w->sgpr[44], 0x12345678);
    rig_destroy(r);
}

/* The handler may use SCC: STATUS brings it back. The cause above the address does no harm. */
static void back_to_the_program(void **state)
{
    static const char *const returns[] = {"s_rfe_b64 ttmp[0:1]\n",
                                          "s_rfe_restore_b64 ttmp[0:1], ttmp12\n"};
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        char handler[256];
        snprintf(handler, sizeof handler,
                 "s_movk_i32 s50, 1\ns_cmp_eq_u32 s50, 0\n"
                 "s_mov_b64 ttmp[2:3], exec\ns_mov_b64 exec, 0\ns_mov_b64 exec, ttmp[2:3]\n"
                 "s_setreg_b32 hwreg(HW_REG_IB_STS), ttmp2\n"
                 "s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12\n%s",
                 returns[way]);
        rig_t *r = interrupted("s_movk_i32 s0, 3\n"
                               "s_cmp_eq_u32 s0, 3\n"
                               "s_sleep 1\n"
                               "s_cselect_b32 s1, 10, 20\n"
                               "s_getreg_b32 s2, hwreg(HW_REG_STATUS)\n"
                               "s_getreg_b32 s3, hwreg(16)\n"
                               "s_endpgm\n",
                               handler);
        assert_int_equal(r->core->run(&r->wave, RIG_SLICE), ISA_STOP_RETURN);
        assert_false(r->wave.privileged);
        assert_int_equal(isa_wave_pc(&r->wave), RIG_CODE + 4 * 3);
        assert_int_equal(r->core->run(&r->wave, RIG_SLICE), ISA_STOP_END);
        assert_int_equal(r->wave.sgpr[50], 1);
        assert_int_equal(r->wave.sgpr[1], 10);
        assert_int_equal(r->wave.sgpr[2] & 1 << 5, 0); /* PRIV */
        assert_int_equal(r->wave.sgpr[3], 0);          /* TBA */
        rig_destroy(r);
    }
}

/* An ordinary program's writes of STATUS have no effect, and its s_rfe is a jump. */
static void without_privilege(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    assert_int_equal(rig_run(r, "s_cmp_eq_u32 s0, s0\n"
                                "s_mov_b32 s1, 0\n"
                                "s_setreg_b32 hwreg(HW_REG_STATUS), s1\n"
                                "s_cselect_b32 s2, 10, 20\n"
                                "s_getpc_b64 s[4:5]\n"
                                "s_add_u32 s4, s4, 16\n"
                                "s_addc_u32 s5, s5, 0\n"
                                "s_rfe_b64 s[4:5]\n"
                                "s_movk_i32 s2, 30\n"
                                "s_endpgm\n"),
                     ISA_STOP_END);
    assert_int_equal(r->wave.sgpr[2], 10);
    rig_destroy(r);
}

/* Nobody could wake a wave that a handler halts. */
static void halting(void **state)
{
    (void)state;
    rig_t *r = interrupted("s_sleep 1\ns_endpgm\n", "s_bitset1_b32 ttmp12, 13\n"
                                                    "s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12\n"
                                                    "s_rfe_b64 ttmp[0:1]\n");
    assert_int_equal(r->core->run(&r->wave, RIG_SLICE), ISA_STOP_UNSUPPORTED);
    assert_non_null(strstr(r->wave.message, "nobody could resume the wave"));
    rig_destroy(r);
}

/* By number of instructions, and when the tick has changed; every core alike. */
static void interruptions(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    isa_wave_t *w = &r->wave;
    rig_assemble(r, 0,
                 "s_movk_i32 s0, 0\n"
                 "s_add_u32 s0, s0, 1\n"
                 "s_add_u32 s0, s0, 1\n"
                 "s_add_u32 s0, s0, 1\n"
                 "s_add_u32 s0, s0, 1\n"
                 "s_endpgm\n");
    for (unsigned c = 0; c < RIG_CORES; c++) {
        r->core = isa_core_by_name(rig_cores[c]);
        if (!r->core) continue;
        _Atomic uint32_t tick = 4;
        isa_interrupt_t interrupt = {.tick = &tick, .seen = 4, .period = 2};
        isa_watch_t watch = {.interrupt = &interrupt};
        assert_true(r->core->set_pc(w, RIG_CODE));
        w->until_interrupt = 1;
        assert_int_equal(r->core->run_watched(w, RIG_SLICE, &watch), ISA_STOP_INTERRUPT);
        assert_int_equal(isa_wave_pc(w), RIG_CODE + 4 * 1);
        assert_int_equal(r->core->run_watched(w, RIG_SLICE, &watch), ISA_STOP_INTERRUPT);
        assert_int_equal(isa_wave_pc(w), RIG_CODE + 4 * 3);
        assert_int_equal(w->sgpr[0], 2);
        interrupt.period = 0;
        atomic_store(&tick, 5);
        assert_int_equal(r->core->run_watched(w, RIG_SLICE, &watch), ISA_STOP_INTERRUPT);
        assert_int_equal(isa_wave_pc(w), RIG_CODE + 4 * 4);
        interrupt.seen = 5;
        assert_int_equal(r->core->run_watched(w, RIG_SLICE, &watch), ISA_STOP_END);
        assert_int_equal(w->sgpr[0], 4);
    }
    rig_destroy(r);
}

/* gfx12: a flag says what the trap is, which the handler clears, and SCC is in STATE_PRIV. The
 * workgroup's ids are in trap temporaries from the start. A program can write neither register.
 * Words by llvm-mc. */
static void of_gfx12(void **state)
{
    static const uint32_t program[] = {
        0xbe800083,             /* s_mov_b32 s0, 3 */
        0xbf068300,             /* s_cmp_eq_u32 s0, 3 */
        0xbf830001,             /* s_sleep 1 */
        0x9801948a,             /* s_cselect_b32 s1, 10, 20 */
        0xb98001d1, 0x00000001, /* s_setreg_imm32_b32 hwreg(HW_REG_WAVE_EXCP_FLAG_PRIV, 7, 1), 1 */
        0xb9800244, 0x00000000, /* s_setreg_imm32_b32 hwreg(HW_REG_WAVE_STATE_PRIV, 9, 1), 0 */
        0x9802948a,             /* s_cselect_b32 s2, 10, 20 */
        0xbfb00000,             /* s_endpgm */
    };
    static const uint32_t handler[] = {
        0xb8a8f811,             /* s_getreg_b32 s40, hwreg(HW_REG_WAVE_EXCP_FLAG_PRIV) */
        0xb98001d1, 0x00000000, /* s_setreg_imm32_b32 hwreg(HW_REG_WAVE_EXCP_FLAG_PRIV, 7, 1), 0 */
        0xb8a9f811,             /* s_getreg_b32 s41, hwreg(HW_REG_WAVE_EXCP_FLAG_PRIV) */
        0xb8aaf804,             /* s_getreg_b32 s42, hwreg(HW_REG_WAVE_STATE_PRIV) */
        0xbf070000,             /* s_cmp_lg_u32 s0, s0 */
        0xb9780804,             /* s_setreg_b32 hwreg(HW_REG_WAVE_STATE_PRIV, 0, 2), ttmp12 */
        0x85798378,             /* s_lshr_b32 ttmp13, ttmp12, 3 */
        0xb979e0c4,             /* s_setreg_b32 hwreg(HW_REG_WAVE_STATE_PRIV, 3, 29), ttmp13 */
        0xbe804a6c,             /* s_rfe_b64 ttmp[0:1] */
    };
    (void)state;
    rig_t *r = rig_create();
    isa_wave_t *w = &r->wave;
    r->dispatch.arch = isa_arch_named("gfx1201");
    isa_code_destroy(r->cache);
    r->dispatch.code = r->cache = isa_code_create(r->dispatch.arch, r->memory);
    memcpy(r->code, program, sizeof program);
    memcpy(r->code + HANDLER, handler, sizeof handler);
    w->index_in_group = 5;
    w->ttmp[7] = 0x90008;
    w->ttmp[9] = 7;
    w->ttmp[10] = 1234;
    assert_true(r->core->set_pc(w, RIG_CODE));
    assert_int_equal(r->core->run(w, RIG_SLICE), ISA_STOP_YIELD);
    const isa_trap_t trap = {.tba = TBA, .tma = 0x123456789abcd000, .packet = 0x2345678};
    assert_true(isa_trap_host(w, r->core, &trap));
    const uint64_t pc = RIG_CODE + 4 * 3;
    assert_int_equal(w->ttmp[0], (uint32_t)pc);
    assert_int_equal(w->ttmp[1], pc >> 32);
    assert_int_equal(w->ttmp[7], 0x90008);
    assert_int_equal(w->ttmp[8], 0x345678 | 5 << 25);
    assert_int_equal(w->ttmp[9], 7);
    assert_int_equal(w->ttmp[10], 1234);
    assert_int_equal(w->ttmp[12], 1 << 9);
    assert_int_equal(w->ttmp[14], 0x9abcd000);
    assert_int_equal(w->ttmp[15], 0x12345678);
    assert_int_equal(r->core->run(w, RIG_SLICE), ISA_STOP_RETURN);
    assert_int_equal(isa_wave_pc(w), pc);
    assert_int_equal(w->sgpr[40], 1 << 7);
    assert_int_equal(w->sgpr[41], 0);
    assert_int_equal(w->sgpr[42], 1 << 9);
    assert_int_equal(r->core->run(w, RIG_SLICE), ISA_STOP_END);
    assert_int_equal(w->sgpr[1], 10);
    assert_int_equal(w->sgpr[2], 10);
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_on_entry), cmocka_unit_test(back_to_the_program),
        cmocka_unit_test(without_privilege),  cmocka_unit_test(halting),
        cmocka_unit_test(interruptions),      cmocka_unit_test(of_gfx12),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
