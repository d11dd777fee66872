/* snapshot_test.c - stochastic sampling of a gfx942: what compute units see when they look at their
 * waves, in registers that the trap handler reads.
 *
 * The handler is the test's own. Clocks of the kernels are worked out by hand from
 * docs/counters.md: four for most instructions, 4 N more for s_nop N. */
#include "rig.h"

#include "asm.h"
#include "isa/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    INTERVAL = 256,
    RECORDS = 8192,
    PACKET = 3, /* index of the sampled dispatch in its queue */
    SCALAR = ISA_SNAPSHOT_VALID | ISA_SNAPSHOT_ISSUED | ISA_SNAPSHOT_SCALAR << ISA_SNAPSHOT_TYPE |
             1 << (ISA_SNAPSHOT_ISSUES + ISA_ARBITER_SCALAR),
    MISC = ISA_SNAPSHOT_VALID | ISA_SNAPSHOT_ISSUED | 1 << (ISA_SNAPSHOT_ISSUES + ISA_ARBITER_MISC),
    STOOD = ISA_SNAPSHOT_VALID | ISA_SNAPSHOT_NO_INST << ISA_SNAPSHOT_TYPE
};
#define TYPE(x)   (ISA_SNAPSHOT_##x << ISA_SNAPSHOT_TYPE)
#define REASON(x) (ISA_REASON_##x << ISA_SNAPSHOT_REASON)

typedef struct {
    uint64_t pc;
    uint32_t data[2], ttmp11, group, before, after;
} record_t;

typedef struct {
    uint32_t n, reserved[15];
    record_t record[RECORDS];
} notes_t;

/* `before` and `after` are TRAPSTS, which the handler clears in between. */
static const char handler_text[] = "s_mov_b32 ttmp2, 1\n"
                                   "s_atomic_add ttmp2, ttmp[14:15], 0x0 glc\n"
                                   "s_waitcnt lgkmcnt(0)\n"
                                   "s_lshl_b32 ttmp2, ttmp2, 5\n"
                                   "s_add_u32 ttmp14, ttmp14, ttmp2\n"
                                   "s_addc_u32 ttmp15, ttmp15, 0\n"
                                   "s_getreg_b32 ttmp2, hwreg(23)\n"
                                   "s_getreg_b32 ttmp3, hwreg(24)\n"
                                   "s_store_dwordx2 ttmp[2:3], ttmp[14:15], 0x40\n"
                                   "s_getreg_b32 ttmp4, hwreg(21)\n"
                                   "s_getreg_b32 ttmp5, hwreg(22)\n"
                                   "s_store_dwordx2 ttmp[4:5], ttmp[14:15], 0x48\n"
                                   "s_store_dword ttmp11, ttmp[14:15], 0x50\n"
                                   "s_store_dword ttmp8, ttmp[14:15], 0x54\n"
                                   "s_getreg_b32 ttmp6, hwreg(HW_REG_TRAPSTS)\n"
                                   "s_store_dword ttmp6, ttmp[14:15], 0x58\n"
                                   "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 26, 1), 0\n"
                                   "s_getreg_b32 ttmp6, hwreg(HW_REG_TRAPSTS)\n"
                                   "s_store_dword ttmp6, ttmp[14:15], 0x5c\n"
                                   "s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12\n"
                                   "s_rfe_b64 ttmp[0:1]\n";

typedef struct {
    rig_t *r;
    rig_queue_t q;
    notes_t *notes;
    uint64_t code; /* of the kernel */
} bench_t;

enum { LDS_BYTES = 8192, ARGUMENT_BYTES = 4096 };

/* Runs one workgroup of so many waves. */
static void sample(bench_t *b, const char *text, uint32_t waves)
{
    uint32_t *words;
    memset(b, 0, sizeof *b);
    asm_set_gpu("gfx942");
    b->r = rig_create_gpu(90402, 1, 1);
    assert_true(rig_aql(b->r, &b->q));
    const uint64_t notes = rig_alloc(b->r, sizeof(notes_t));
    b->notes = rig_ptr(b->r, notes);
    const uint64_t nothing = rig_kernel(b->r, "s_endpgm\n", NULL);
    const uint64_t kernel = rig_kernel(b->r, text, NULL);
    b->code = kernel + *(uint64_t *)((uint8_t *)rig_ptr(b->r, kernel) + 16);
    const size_t n = asm_words(handler_text, &words);
    const uint64_t handler = rig_alloc(b->r, 4 * n), args = rig_alloc(b->r, 64);
    memcpy(rig_ptr(b->r, handler), words, 4 * n);
    free(words);
    *(uint64_t *)rig_ptr(b->r, args) = rig_alloc(b->r, ARGUMENT_BYTES);
    sg_device_set_trap_handler(b->r->device, handler, notes);
    assert_true(sg_device_reads_snapshots(b->r->device));
    for (unsigned i = 0; i <= PACKET; i++) {
        const uint64_t signal = rig_signal(b->r, 1);
        if (i == PACKET) sg_device_set_snapshots(b->r->device, INTERVAL);
        rig_dispatch(&b->q, &(rig_dispatch_t){.kernel = i < PACKET ? nothing : kernel,
                                              .args = args,
                                              .signal = signal,
                                              .grid = {waves * 64},
                                              .group = {waves * 64},
                                              .lds = LDS_BYTES});
        assert_true(rig_wait(b->r, signal, 0));
        if (i < PACKET) assert_int_equal(b->notes->n, 0);
    }
    sg_device_set_snapshots(b->r->device, 0);
    assert_int_equal(b->r->faults + b->r->errors, 0);
    assert_in_range(b->notes->n, 1, RECORDS);
    for (uint32_t i = 0; i < b->notes->n; i++) {
        const record_t *one = &b->notes->record[i];
        assert_int_equal(one->before, 1 << 26);
        assert_int_equal(one->after, 0);
        assert_int_equal(one->data[1], waves);
        assert_int_equal(one->group, 0);
        assert_int_equal(one->ttmp11 >> 6, PACKET);
    }
}

static void end(bench_t *b)
{
    rig_close(&b->q);
    rig_destroy(b->r);
}

/* Samples of the wave in that dword of the kernel, of which SQ_PERF_SNAPSHOT_DATA is `data`. */
static uint32_t count(const bench_t *b, uint32_t wave, uint32_t dword, uint32_t data)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->notes->n; i++) {
        const record_t *one = &b->notes->record[i];
        n += (one->ttmp11 & 63) == wave && one->pc == b->code + 4ul * dword && one->data[0] == data;
    }
    return n;
}

/* A turn of the loop has 64 + 3 * 4 clocks, 19 times four, which an interval of 256 meets one after
 * the other, each as often as the others: 19 * 256 turns are 76 intervals for each. */
static void a_loop_that_idles(void **state)
{
    (void)state;
    bench_t b;
    const uint32_t each = 76;
    sample(&b,
           "s_mov_b32 s12, 0x1300\n" /* 19 * 256 */
           "s_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\ns_nop 0\n"
           "turn: s_nop 15\n"
           "s_sub_u32 s12, s12, 1\n"
           "s_cmp_lg_u32 s12, 0\n"
           "s_cbranch_scc1 turn\n"
           "s_endpgm\n",
           1);
    const uint32_t found[] = {count(&b, 0, 8, STOOD | REASON(INTERNAL)),
                              count(&b, 0, 8, MISC | TYPE(OTHER)), count(&b, 0, 9, SCALAR),
                              count(&b, 0, 10, SCALAR), count(&b, 0, 11, MISC | TYPE(TAKEN))};
    assert_in_range(found[0], 15 * (each - 1), 15 * (each + 1));
    for (unsigned i = 1; i < 5; i++)
        assert_in_range(found[i], each - 1, each + 1);
    /* the kernel has some clocks before its loop, in which its code comes from memory */
    const uint32_t all = found[0] + found[1] + found[2] + found[3] + found[4];
    assert_in_range(b.notes->n - all, 0, 20);
    end(&b);
}

/* A wave waits at a barrier for the other one, which turns 1000 times in a loop of 76 clocks. Each
 * is looked at in every second interval. */
static void a_barrier(void **state)
{
    (void)state;
    bench_t b;
    sample(&b,
           "v_readfirstlane_b32 s13, v0\n"
           "s_and_b32 s13, s13, 0x3ff\n" /* x; y and z are in the bits above */
           "s_mov_b32 s12, 1000\n"
           "s_cmp_lg_u32 s13, 0\n"
           "s_cbranch_scc1 there\n"
           "s_nop 0\n"
           "turn: s_nop 15\n"
           "s_sub_u32 s12, s12, 1\n"
           "s_cmp_lg_u32 s12, 0\n"
           "s_cbranch_scc1 turn\n"
           "there: s_barrier\n"
           "s_endpgm\n",
           2);
    const uint32_t looks = 1000 * 76 / (2 * INTERVAL);
    assert_in_range(count(&b, 1, 12, STOOD | REASON(BARRIER)), looks - 1, looks + 1);
    assert_int_equal(count(&b, 0, 12, STOOD | REASON(BARRIER)), 0);
    assert_in_range(count(&b, 0, 8, STOOD | REASON(INTERNAL)), looks * 15 / 19 - 5,
                    looks * 15 / 19 + 5);
    end(&b);
}

/* The second of two matrix instructions of 32 clocks waits for the first, for 28; s_nop lets the
 * first of the next turn find the unit free. s_waitcnt waits for a load, of which there is always
 * one. */
static void units_and_memory(void **state)
{
    (void)state;
    bench_t b;
    const uint32_t full = 1u << (ISA_SNAPSHOT_STALLS + ISA_ARBITER_MATRIX);
    const uint32_t matrix = ISA_SNAPSHOT_VALID | ISA_SNAPSHOT_ISSUED | TYPE(MATRIX) |
                            1u << (ISA_SNAPSHOT_ISSUES + ISA_ARBITER_MATRIX);
    sample(&b,
           "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
           "s_movk_i32 s12, 0x1000\n"
           "v_mov_b32 v0, 0\n"
           "s_waitcnt lgkmcnt(0)\n"
           "turn: v_mfma_f32_32x32x8_f16 v[8:23], v[2:3], v[4:5], 0\n"
           "v_mfma_f32_32x32x8_f16 v[8:23], v[2:3], v[4:5], 0\n"
           "global_load_dword v1, v0, s[8:9]\n"
           "s_waitcnt vmcnt(0)\n"
           "s_nop 10\n"
           "s_sub_u32 s12, s12, 1\n"
           "s_cmp_lg_u32 s12, 0\n"
           "s_cbranch_scc1 turn\n"
           "s_endpgm\n",
           1);
    const uint32_t stood = STOOD | REASON(WIN_STALL) | full;
    const uint32_t second = count(&b, 0, 7, stood), issued = count(&b, 0, 7, matrix);
    assert_int_equal(count(&b, 0, 5, stood), 0);
    assert_in_range(second, 6 * issued, 8 * issued);
    assert_in_range(count(&b, 0, 5, matrix), issued - issued / 8, issued + issued / 8);
    /* 120 clocks until the data of a line in L1 is there, four of which are the load's own */
    const uint32_t waits = count(&b, 0, 11, STOOD | REASON(WAITCNT));
    assert_in_range(waits, 28 * issued, 30 * issued);
    end(&b);
}

/* As above, but the second instruction adds to what the first computes, which comes in time; the
 * third has its result as a factor; the fourth has neither; the fifth adds to the fourth's result;
 * the addend of the sixth is a part of that and other rows. v_mov replaces a row of the sixth's
 * result, which the seventh has as a factor. */
static void results_of_matrix_instructions(void **state)
{
    (void)state;
    bench_t b;
    const uint32_t full = 1u << (ISA_SNAPSHOT_STALLS + ISA_ARBITER_MATRIX);
    sample(&b,
           "s_movk_i32 s12, 0x1000\n"
           "turn: v_mfma_f32_32x32x8_f16 v[8:23], v[2:3], v[4:5], 0\n"
           "v_mfma_f32_32x32x8_f16 v[8:23], v[2:3], v[4:5], v[8:23]\n"
           "v_mfma_f32_32x32x8_f16 v[24:39], v[2:3], v[22:23], 0\n"
           "v_mfma_f32_32x32x8_f16 v[8:23], v[2:3], v[4:5], 0\n"
           "v_smfmac_f32_32x32x16_f16 v[8:23], v[2:3], v[4:7], v1\n"
           "v_mfma_f32_32x32x8_f16 v[32:47], v[2:3], v[4:5], v[16:31]\n"
           "v_mov_b32 v32, 0\n"
           "v_mfma_f32_32x32x8_f16 v[8:23], v[32:33], v[4:5], 0\n"
           "s_nop 10\n"
           "s_sub_u32 s12, s12, 1\n"
           "s_cmp_lg_u32 s12, 0\n"
           "s_cbranch_scc1 turn\n"
           "s_endpgm\n",
           1);
    const unsigned at[] = {1, 3, 5, 7, 9, 11, 14};
    const bool needs[] = {false, false, true, false, false, true, false};
    for (unsigned k = 0; k < sizeof at / sizeof *at; k++) {
        const uint32_t dependent = count(&b, 0, at[k], STOOD | REASON(ALU_DEPENDENCY));
        const uint32_t stalled = count(&b, 0, at[k], STOOD | REASON(WIN_STALL) | full);
        const uint32_t wait = needs[k] ? dependent : stalled;
        assert_int_equal(needs[k] ? stalled : dependent, 0);
        /* of 256 clocks 28, behind v_mov 24, 4096 times */
        if (k) assert_in_range(wait, k == 6 ? 300 : 350, 500);
    }
    end(&b);
}

/* Four waves on each SIMD, whose turns have 28 clocks of the vector ALU, 12 others, and 16 in which
 * the code behind the jump comes. As the four need 112 clocks of the vector ALU, a turn takes that
 * long, for 56 of which other waves are chosen. Four waves have a SIMD each for themselves. */
static void waves_that_compete(void **state)
{
    (void)state;
    const char *text = "s_movk_i32 s12, 8000\n"
                       "s_nop 0\ns_nop 0\ns_nop 0\n"
                       "turn: v_mov_b32 v1, 1\nv_mov_b32 v1, 1\nv_mov_b32 v1, 1\nv_mov_b32 v1, 1\n"
                       "v_mov_b32 v1, 1\nv_mov_b32 v1, 1\nv_mov_b32 v1, 1\n"
                       "s_sub_u32 s12, s12, 1\n"
                       "s_cmp_lg_u32 s12, 0\n"
                       "s_cbranch_scc1 turn\n"
                       "s_endpgm\n";
    const uint32_t unit = 1u << (ISA_SNAPSHOT_ISSUES + ISA_ARBITER_VALU);
    bench_t b;
    for (uint32_t waves = 4; waves <= 16; waves += 12) {
        uint32_t lost = 0, had = 0, all = 0;
        sample(&b, text, waves);
        for (uint32_t i = 0; i < b.notes->n; i++) {
            const uint32_t data = b.notes->record[i].data[0];
            lost += data == (STOOD | REASON(NOT_WIN) | unit);
            had += data == (ISA_SNAPSHOT_VALID | ISA_SNAPSHOT_ISSUED | TYPE(VALU) | unit);
            all += (data & (STOOD | REASON(OTHER))) == (STOOD | REASON(NOT_WIN));
        }
        assert_int_equal(all, lost);
        if (waves > 4) {
            assert_in_range(had, 855, 895);    /* 8000 * 28 / 256 */
            assert_in_range(lost, 1730, 1770); /* 8000 * 56 / 256 */
        } else {
            assert_int_equal(lost, 0);
        }
        end(&b);
    }
}

/* A load of 64 lanes whose dwords lie 64 bytes apart has the vector memory pipe look for these one
 * after the other. A wave that is alone waits for its own loads, and loses to nobody. */
static void a_wave_alone_with_scattered_loads(void **state)
{
    (void)state;
    bench_t b;
    sample(&b,
           "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
           "s_movk_i32 s12, 200\n"
           "v_and_b32 v0, 63, v0\n"
           "v_lshlrev_b32 v0, 6, v0\n"
           "s_waitcnt lgkmcnt(0)\n"
           "turn: .rept 60\n"
           "global_load_dword v1, v0, s[8:9]\n"
           ".endr\n"
           "s_waitcnt vmcnt(0)\n"
           "s_sub_u32 s12, s12, 1\n"
           "s_cmp_lg_u32 s12, 0\n"
           "s_cbranch_scc1 turn\n"
           "s_endpgm\n",
           1);
    const uint32_t stalls =
        STOOD | REASON(WIN_STALL) | 1 << (ISA_SNAPSHOT_STALLS + ISA_ARBITER_FLAT);
    uint32_t lost = 0, stalled = 0;
    for (uint32_t i = 0; i < b.notes->n; i++) {
        const uint32_t data = b.notes->record[i].data[0];
        lost += (data & (STOOD | REASON(OTHER))) == (STOOD | REASON(NOT_WIN));
        stalled += data == stalls;
    }
    assert_int_equal(lost, 0);
    /* 12000 loads, each of which waits 64 clocks, less its own 4, for the one before */
    assert_in_range(stalled, 2700, 12000 * 60 / INTERVAL);
    end(&b);
}

/* Of 16 waves on four SIMDs each needs LDS for 61 clocks in a turn, and behind a barrier they begin
 * together: the first waits for nobody, the last for all others. */
static void waves_that_compete_for_lds(void **state)
{
    (void)state;
    enum { WAVES = 16, TURNS = 2000, CLOCKS = 61 };
    bench_t b;
    sample(&b,
           "s_movk_i32 s12, 2000\n"
           "s_lshr_b64 exec, exec, 3\n"
           "v_and_b32 v0, 63, v0\n"
           "v_lshlrev_b32 v0, 7, v0\n"
           "turn: ds_read_b32 v1, v0\n"
           "s_waitcnt lgkmcnt(0)\n"
           "s_barrier\n"
           "s_sub_u32 s12, s12, 1\n"
           "s_cmp_lg_u32 s12, 0\n"
           "s_cbranch_scc1 turn\n"
           "s_endpgm\n",
           WAVES);
    const uint32_t other = STOOD | REASON(NOT_WIN) | 1u << (ISA_SNAPSHOT_ISSUES + ISA_ARBITER_LDS);
    const uint32_t each = TURNS * CLOCKS / INTERVAL / WAVES;
    uint32_t before = count(&b, 0, 4, other);
    assert_int_equal(before, 0);
    for (uint32_t wave = 1; wave < WAVES; wave++) {
        const uint32_t lost = count(&b, wave, 4, other);
        /* a turn's other instructions take about as long as LDS has to do for two waves */
        assert_in_range(lost, before + (wave > 3 ? each - 10 : 0), before + each + 10);
        before = lost;
    }
    end(&b);
}

/* The first wave's code at the barriers, each in a line of its own, comes from memory. It waits
 * there for the second wave, too, which is longer. */
static void code_of_barriers(void **state)
{
    (void)state;
    enum { BARRIERS = 40, LINE = 256 };
    bench_t b;
    sample(&b,
           "v_readfirstlane_b32 s13, v0\n"
           "s_and_b32 s13, s13, 0x3ff\n"
           ".rept 40\n"
           "s_cmp_eq_u32 s13, 0\n"
           "s_cbranch_scc1 1f\n"
           "s_sleep 100\n"
           "1: s_branch 2f\n"
           ".p2align 8\n"
           "2: s_barrier\n"
           ".endr\n"
           "s_endpgm\n",
           2);
    uint32_t no_code = 0, waits = 0;
    for (uint32_t k = 1; k <= BARRIERS; k++) {
        no_code += count(&b, 0, k * LINE / 4, STOOD | REASON(NO_INSTRUCTION));
        waits += count(&b, 0, k * LINE / 4, STOOD | REASON(BARRIER));
    }
    assert_in_range(no_code, BARRIERS, 2 * BARRIERS);
    /* s_sleep 100 are 6400 clocks, of which each wave is sampled in every 512 */
    assert_in_range(waits, 10 * BARRIERS, 13 * BARRIERS);
    end(&b);
}

/* What a runtime that does not know of snapshots has: seen before a wave meets it. */
static void a_handler_without_snapshots(void **state)
{
    (void)state;
    rig_t *r = rig_create_gpu(90402, 1, 1);
    const uint32_t words[] = {0xb8f0f804, 0xbe801f6c}; /* s_getreg_b32 of HW_ID; s_rfe_b64 */
    const uint64_t handler = rig_alloc(r, 2 * 4096);
    assert_true(sg_device_reads_snapshots(r->device));
    memcpy(rig_ptr(r, handler), words, sizeof words);
    sg_device_set_trap_handler(r->device, handler, 0);
    assert_false(sg_device_reads_snapshots(r->device));
    sg_device_set_trap_handler(r->device, RIG_UNMAPPED, 0);
    assert_false(sg_device_reads_snapshots(r->device));
    rig_destroy(r);
}

int main(void)
{
    if (!asm_available() || !asm_takes_gpu("gfx942")) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_that_idles),
        cmocka_unit_test(a_barrier),
        cmocka_unit_test(units_and_memory),
        cmocka_unit_test(results_of_matrix_instructions),
        cmocka_unit_test(waves_that_compete),
        cmocka_unit_test(a_wave_alone_with_scattered_loads),
        cmocka_unit_test(waves_that_compete_for_lds),
        cmocka_unit_test(code_of_barriers),
        cmocka_unit_test(a_handler_without_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
