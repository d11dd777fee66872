/* tokens_test.c - softgpu's thread trace by its registers: what kernels known line by line leave in
 * it.
 *
 * Registers are written by hand, as a library other than ours might; GPU addresses are not host
 * addresses here. */
#include "counting.h"

#include "asm.h"
#include "isa/table.h"
#include "softgpu/perf/sqtt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ENGINES = 2, CUS = 2, PAGES = 16, TOKENS = 0xbc6f, ON = 0x02240000, OFF = 0x02040000 };

/* A trace of engine 1's unit 1 into `va`. */
static void start(counting_t *c, uint64_t va, uint32_t tokens)
{
    counting_set(c, 0xc200, 0x40010000);
    counting_set(c, 0xc332, 0xcf81);
    counting_set(c, 0xc333, tokens);
    counting_set(c, 0xc336, OFF);
    counting_set(c, 0xc33a, 0);
    counting_set(c, 0xc330, (uint32_t)(va >> 12));
    counting_set(c, 0xc337, (uint32_t)(va >> 44));
    counting_set(c, 0xc331, PAGES);
    counting_set(c, 0xc335, 0x80000000);
    counting_set(c, 0xc336, ON);
    counting_set(c, 0xc200, EVERYWHERE);
    counting_set(c, 0xc342, 0xabcd);
    counting_send(c);
}

/* Bytes written; *status is the register's. */
static uint32_t finish(counting_t *c, uint32_t *status)
{
    counting_flush_waves(c);
    counting_set(c, 0xc336, OFF);
    counting_send(c);
    *status = counting_read(c, 0x40010000, 0xc33a);
    return counting_read(c, 0x40010000, 0xc339) * 32;
}

typedef struct {
    char kinds[512];     /* of instructions in SIMD 0's slot 0 */
    char registers[128]; /* of dispatches, by number */
    uint32_t event;
    uint32_t counts[16], immediates, stalls;
    uint64_t target, data, clock;
    uint32_t mark;
    bool overlap; /* a wave began in a slot that was taken, or one ended that had not begun */
} seen_t;

static void look(seen_t *seen, const uint8_t *at, uint32_t size)
{
    static const uint8_t lengths[16] = {2, 8, 8, 4, 2, 6, 2, 2, 2, 2, 2, 8, 6, 4, 8, 6};
    uint32_t taken[64] = {0}; /* by unit and SIMD: slots */
    memset(seen, 0, sizeof *seen);
    assert_int_equal(size % 32, 0);
    for (const uint8_t *end = at + size; at < end; at += lengths[*at & 15]) {
        uint64_t token = 0;
        assert_true(at + lengths[*at & 15] <= end);
        memcpy(&token, at, lengths[*at & 15]);
        uint32_t place = (uint32_t)(token >> 6 & 15) * 4 + (uint32_t)(token >> 14 & 3),
                 slot = 1u << (token >> 10 & 15);
        seen->counts[token & 15]++;
        switch (token & 15) {
        case 0: seen->clock += 4 * (token >> 4 & 0xff); break;
        case 5:
            if ((token >> 9 & 0x7f) == 0x7f) seen->event = (uint32_t)(token >> 16);
            break;
        case 15:
            sprintf(seen->registers + strlen(seen->registers), "%x ",
                    (uint32_t)(token >> 9 & 0x7f));
            break;
        case 2: seen->mark = (uint32_t)(token >> 32); break;
        case 3:
            seen->overlap |= (taken[place] & slot) != 0;
            taken[place] |= slot;
            break;
        case 6:
            seen->overlap |= !(taken[place] & slot);
            taken[place] &= ~slot;
            break;
        case 10:
            if (!(token >> 5 & 0x3f))
                sprintf(seen->kinds + strlen(seen->kinds), "%u ", (unsigned)(token >> 11 & 31));
            break;
        case 11: seen->target = token >> 16 << 2; break;
        case 12: seen->data = token >> 16; break;
        case 13:
            seen->immediates += (token >> 8 & 3) == 3;
            seen->stalls += (token >> 8 & 3) == 1;
            break;
        default: break;
        }
    }
}

/* Words of code are counted from the kernel's entry. */
static const char turns[] = "s_movk_i32 s10, 2\n" /* word 0 */
                            "again:\n"
                            "s_sub_u32 s10, s10, 1\n"
                            "s_cmp_lg_u32 s10, 0\n"
                            "s_cbranch_scc1 again\n"
                            "s_branch over\n" /* word 4 */
                            "s_nop 0\n"
                            "over:\n"
                            "s_getpc_b64 s[4:5]\n" /* word 6; of word 7 */
                            "s_add_u32 s4, s4, 12\n"
                            "s_addc_u32 s5, s5, 0\n"
                            "s_setpc_b64 s[4:5]\n" /* to word 10 */
                            "s_mov_b32 m0, 0x12345678\n"
                            "s_ttracedata\n"
                            "v_mov_b32 v1, 0\n"
                            "v_fma_f32 v2, v1, v1, v1\n"
                            "ds_write_b32 v1, v1\n"
                            "s_waitcnt lgkmcnt(0)\n"
                            "s_endpgm\n";

static uint64_t aligned_buffer(counting_t *c)
{
    return (rig_alloc(c->rig, (PAGES + 1) * 4096) + 4095) & ~UINT64_C(4095);
}

static void test_turns(void **state)
{
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    uint64_t va = aligned_buffer(c), first = 0;
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, turns, NULL), .grid = {64 * 4}, .group = {64}, .lds = 256};
    seen_t seen;
    uint32_t status;
    for (int round = 0; round < 2; round++) {
        start(c, va, TOKENS);
        counting_dispatch(c, &d);
        uint32_t size = finish(c, &status);
        assert_int_equal(status, 0);
        look(&seen, rig_ptr(c->rig, va), size);
        /* groups 0 and 2 go to engine 0, 1 to unit 0 of engine 1, 3 to the traced one */
        assert_int_equal(seen.counts[3], 2);
        assert_int_equal(seen.counts[6], 2);
        assert_string_equal(seen.kinds, "1 1 1 12 1 1 13 12 1 1 1 7 17 5 18 6 15 ");
        assert_int_equal(seen.immediates, 2); /* s_ttracedata, s_waitcnt */
        assert_int_equal(seen.data, 0x12345678);
        assert_int_equal(seen.mark, 0xabcd);
        assert_string_equal(seen.registers, "7 8 9 e c d 2d 12 13 40 41 0 ");
        assert_int_equal(seen.counts[5], 1);
        assert_int_equal(seen.event, 7);         /* that all waves have ended */
        assert_int_equal(seen.target % 256, 40); /* kernels begin at 256 bytes */
        if (!round) first = seen.clock;
    }
    assert_true(first > 0 && seen.clock > 0);
}

static void test_occupancy(void **state)
{
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    uint64_t va = aligned_buffer(c);
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, turns, NULL), .grid = {64 * 400}, .group = {64}, .lds = 256};
    seen_t seen;
    uint32_t status;
    start(c, va, 0x906f);
    counting_dispatch(c, &d);
    look(&seen, rig_ptr(c->rig, va), finish(c, &status));
    assert_int_equal(seen.counts[3], 200);
    assert_int_equal(seen.counts[6], 200);
    assert_int_equal(seen.counts[10] + seen.counts[13], 0);
    assert_false(seen.overlap);

    /* nothing is written while the mode is off */
    counting_set(c, 0xc200, EVERYWHERE);
    counting_set(c, 0xc335, 0x80000000);
    counting_set(c, 0xc342, 1);
    counting_send(c);
    counting_dispatch(c, &d);
    assert_int_equal(finish(c, &status), 0);
}

static void test_full(void **state)
{
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    uint64_t va = aligned_buffer(c);
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, turns, NULL), .grid = {64 * 9000}, .group = {64}, .lds = 256};
    uint32_t status;
    start(c, va, TOKENS);
    counting_dispatch(c, &d);
    assert_in_range(finish(c, &status), PAGES * 4096 - 31, PAGES * 4096);
    assert_int_equal(status, 1u << 31);
}

static void test_no_buffer(void **state)
{
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    rig_dispatch_t d = {
        .kernel = rig_kernel(c->rig, turns, NULL), .grid = {64 * 4}, .group = {64}, .lds = 256};
    uint32_t status;
    start(c, RIG_UNMAPPED & ~UINT64_C(4095), TOKENS);
    counting_dispatch(c, &d);
    assert_int_equal(finish(c, &status), 0);
    assert_int_equal(status, 1u << 28);
    assert_int_equal(c->rig->faults, 0);
}

static void *reach(void *user, uint64_t va, uint64_t bytes)
{
    (void)va, (void)bytes;
    return user;
}

/* A branch, a trap behind it, three instructions of the handler, and on where the branch leads. */
static void test_trap(void **state)
{
    enum { V = ISA_OP_v_nop, B = ISA_OP_s_cbranch_scc1, R = ISA_OP_s_rfe_b64, E = ISA_OP_s_endpgm };
    static const struct {
        uint16_t op;
        bool privileged;
        uint64_t pc;
    } steps[] = {{V, 0, 0x1000}, {B, 0, 0x1004}, {V, 1, 0x9000}, {B, 1, 0x9004},
                 {R, 1, 0x9010}, {V, 0, 0x1100}, {E, 0, 0x1104}};
    static uint8_t buffer[PAGES * 4096];
    sg_profile_t profile = {.gfx_target_version = 90010,
                            .num_xcc = 1,
                            .shader_engines = 1,
                            .arrays_per_engine = 1,
                            .cus_per_array = 1,
                            .waves_per_simd = 8};
    isa_wave_t *wave = aligned_alloc(64, (sizeof *wave + 63) / 64 * 64);
    isa_dispatch_t dispatch = {.arch = ASM_ARCH};
    isa_group_t group = {.dispatch = &dispatch, .n_waves = 1, .waves = &wave};
    sg_sqtt_times_t times = {.start = 100, .alone = {70}, .end = {170}};
    seen_t seen;
    (void)state;
    memset(wave, 0, sizeof *wave);
    wave->exec = 1;
    wave->group = &group;
    sg_sqtt_t *s = sg_sqtt_create(&profile);
    sg_sqtt_set_memory(s, reach, buffer);
    const uint32_t registers[][2] = {
        {0xc332, 0xcf80}, {0xc333, TOKENS}, {0xc331, PAGES}, {0xc330, 1}, {0xc336, ON}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        sg_sqtt_write(s, 0, EVERYWHERE, registers[i][0], registers[i][1], 0);
    sg_sqtt_run_t *run = sg_sqtt_run_begin(NULL, s, &(sg_sqtt_launch_t){.entry = 0x1000});
    sg_sqtt_group_t *g = sg_sqtt_group_start(run, 0, &group);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const isa_inst_t inst = {.op = steps[i].op,
                                 .fmt = steps[i].op == R   ? ISA_FMT_SOP1
                                        : steps[i].op == V ? ISA_FMT_VOP1
                                                           : ISA_FMT_SOPP,
                                 .dwords = 1};
        wave->privileged = steps[i].privileged;
        sg_sqtt_instruction(g, 0, wave, &inst, steps[i].pc, i * 10, i * 10 + 4, 4);
    }
    sg_sqtt_place(run, g, &times);
    sg_sqtt_run_end(run, 0);
    sg_sqtt_write(s, 0, EVERYWHERE, 0xc336, OFF, 0);
    look(&seen, buffer, sg_sqtt_read(s, 0, EVERYWHERE, 0xc339) * 32);
    assert_string_equal(seen.kinds, "5 12 29 7 5 15 "); /* the branch was taken */
    assert_int_equal(seen.target, 0x1100);
    sg_sqtt_destroy(s);
    free(wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns), cmocka_unit_test(test_occupancy), cmocka_unit_test(test_full),
        cmocka_unit_test(test_trap), cmocka_unit_test(test_no_buffer)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
