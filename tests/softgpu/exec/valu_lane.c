/* valu_lane.c - instructions that fit no row of the other tables: single lanes, moves between
 * register files, mixed precision, literals, register indexing, and what the core refuses.
 *
 * Each test is a short program on one wave, checked on every core. */
#include "valu_rig.h"

static const isa_core_t *core;

/* Programs by their texts' addresses: each is assembled once. */
static struct {
    const char *text;
    uint32_t *words;
    size_t n;
} programs[16];

static size_t assembled(const char *text, const uint32_t **words)
{
    unsigned k = 0;
    while (programs[k].text && programs[k].text != text)
        k++;
    if (!programs[k].text) {
        assert_true(k + 1 < sizeof programs / sizeof *programs);
        programs[k].text = text;
        programs[k].n = asm_words(text, &programs[k].words);
    }
    *words = programs[k].words;
    return programs[k].n;
}

/* Runs the lines of `text` from random registers kept in rig.before. */
static void run_text(const char *text)
{
    const uint32_t *words;
    const size_t n = assembled(text, &words);
    size_t at = 0;
    assert_true(n > 0);
    for (unsigned r = 0; r < RIG_ROWS; r++)
        set_row(r, u32);
    memcpy(rig.rows, rig.before, sizeof rig.before);
    memcpy(rig.rows + 256, rig.before, sizeof rig.before);
    rig.wave.stop = 0;
    while (at < n && !rig.wave.stop) {
        isa_inst_t i = {.op = 0};
        const int size = isa_decode(ASM_ARCH, words + at, (unsigned)(n - at), &i);
        assert_true(size > 0);
        assert_non_null(core->handlers[i.op]);
        core->handlers[i.op](&rig.wave, &i);
        at += (size_t)size;
    }
}

static void expect_row(unsigned reg, const uint32_t *want, const char *what)
{
    for (int l = 0; l < 64; l++)
        if (rig.rows[reg][l] != want[l])
            fail_msg("%s (%s): lane %d is 0x%x, not 0x%x", what, core->name, l, rig.rows[reg][l],
                     want[l]);
}

static void single_lanes(void)
{
    rig.wave.exec = UINT64_C(0xff00);
    rig.wave.sgpr[20] = 100; /* lane 36 */
    run_text("v_readfirstlane_b32 s4, v3\nv_readlane_b32 s5, v3, 17\nv_readlane_b32 s6, v3, s20\n"
             "v_writelane_b32 v4, 9, s20\nv_writelane_b32 v4, 7, 3\n");
    assert_int_equal(rig.wave.stop, 0);
    assert_int_equal(rig.wave.sgpr[4], rig.before[3][8]);
    assert_int_equal(rig.wave.sgpr[5], rig.before[3][17]);
    assert_int_equal(rig.wave.sgpr[6], rig.before[3][36]);
    rig.before[4][36] = 9;
    rig.before[4][3] = 7;
    expect_row(4, rig.before[4], "v_writelane_b32");
    rig.wave.exec = 0;
    run_text("v_readfirstlane_b32 s4, v3\nv_nop\nv_clrexcp\n");
    assert_int_equal(rig.wave.sgpr[4], rig.before[3][0]);
}

static void register_files(void)
{
    uint32_t want[64];
    rig.wave.exec = UINT64_C(0xffff0000ffff0000);
    run_text("v_swap_b32 v2, v3\nv_accvgpr_write_b32 a5, v4\nv_accvgpr_read_b32 v6, a7\n"
             "v_accvgpr_mov_b32 a8, a9\nv_accvgpr_write_b32 a10, 3\n");
    for (unsigned reg = 2; reg < 11; reg++) {
        const unsigned row = reg == 5 || reg == 8 || reg == 10 ? 256 + reg : reg;
        for (int l = 0; l < 64; l++) {
            const bool on = rig.wave.exec >> l & 1;
            static const unsigned from[11] = {0, 0, 3, 2, 4, 4, 7, 7, 9, 9, 0};
            want[l] = !on ? rig.before[reg][l] : reg == 10 ? 3 : rig.before[from[reg]][l];
            if (reg == 7 || reg == 9) want[l] = rig.before[reg][l];
        }
        expect_row(row, want, "register files");
    }
}

static void mixed_precision(void)
{
    uint32_t want[4][64];
    rig.wave.exec = UINT64_MAX;
    rig.wave.mode = PLAIN_MODE;
    run_text("v_fma_mix_f32 v10, v2, v3, v4\n"
             "v_fma_mix_f32 v11, -v2, |v3|, v4 op_sel:[0,1,0] op_sel_hi:[1,1,0]\n"
             "v_fma_mixlo_f16 v12, v2, v3, v4 op_sel_hi:[0,1,0]\n"
             "v_fma_mixhi_f16 v13, v2, 1.0, v4 op_sel_hi:[0,1,0] clamp\n");
    for (int l = 0; l < 64; l++) {
        const uint32_t ra = rig.before[2][l], rb = rig.before[3][l], rc = rig.before[4][l];
        const float a = as_f32(ra), b = as_f32(rb), c = as_f32(rc);
        const float lo_b = (float)as_f16(rb);
        const float x[4] = {fmaf(a, b, c),
                            fmaf(-(float)as_f16(ra), fabsf((float)as_f16(rb >> 16)), c),
                            fmaf(a, lo_b, c), fmaf(a, 1, c)};
        for (int k = 0; k < 2; k++)
            want[k][l] = (uint32_t)of_f32(x[k]);
        want[2][l] = (rig.before[12][l] & 0xffff0000) | (uint32_t)of_f16((half_t)x[2]);
        want[3][l] = (rig.before[13][l] & 0xffff) | (uint32_t)of_f16((half_t)(x[3] > 1   ? 1
                                                                              : x[3] > 0 ? x[3]
                                                                                         : 0))
                                                        << 16;
        for (int k = 0; k < 3; k++) /* which NaN comes out is tested elsewhere */
            if (x[k] != x[k]) want[k][l] = rig.rows[10 + k][l];
    }
    for (unsigned k = 0; k < 4; k++)
        expect_row(10 + k, want[k], "mixed precision");
}

static void literals_and_pairs(void)
{
    uint32_t want[64];
    rig.wave.exec = UINT64_MAX;
    run_text("v_madmk_f32 v10, v2, 0x40490fdb, v3\nv_madak_f32 v11, v2, v3, 0x40490fdb\n"
             "v_mad_legacy_f32 v12, v2, v3, v4\n"
             "v_pk_mov_b32 v[14:15], v[2:3], v[4:5] op_sel:[1,0]\nv_add_f32 v16, 0x3f000000, v2\n"
             "v_madak_f16 v17, v2, v3, 0x4248\n");
    for (unsigned k = 10; k < 18; k++) {
        if (k == 13) continue;
        for (int l = 0; l < 64; l++) {
            const float pi = 0x1.921fb6p+1f;
            float s[3];
            for (unsigned n = 0; n < 3; n++)
                s[n] = as_f32(flush_one(f32, rig.before[2 + n][l]));
#define FZ(e) as_f32(flush_one(f32, of_f32(e)))
            float r = 0;
            if (k == 10) r = FZ(FZ(s[0] * pi) + s[1]);
            if (k == 11) r = FZ(FZ(s[0] * s[1]) + pi);
            if (k == 12) r = FZ(FZ(s[0] == 0 || s[1] == 0 ? 0 : s[0] * s[1]) + s[2]);
            if (k == 16) r = 0.5f + as_f32(rig.before[2][l]);
            want[l] = (uint32_t)of_f32(r);
            if (k == 14) want[l] = rig.before[3][l];
            if (k == 15) want[l] = rig.before[4][l];
            if (k == 17) {
                const half_t h =
                    (half_t)(as_f16(rig.before[2][l]) * as_f16(rig.before[3][l])) + as_f16(0x4248);
                want[l] = (rig.before[17][l] & 0xffff0000) | (uint32_t)of_f16(h);
                if (h != h) want[l] = rig.rows[17][l];
            } else if (r != r) {
                want[l] = rig.rows[k][l];
            }
        }
        expect_row(k, want, "literals and pairs");
    }
}

/* MODE.GPR_IDX_EN: M0 holds the index and which operands it is added to. */
static void register_indexing(void)
{
    uint32_t want[64];
    rig.wave.exec = UINT64_MAX;
    rig.wave.mode = PLAIN_MODE | 1u << 27;
    rig.wave.m0 = 3 | 1u << 12 | 1u << 15;
    run_text("v_add_u32 v10, v2, v3\n");
    for (int l = 0; l < 64; l++)
        want[l] = rig.before[5][l] + rig.before[3][l];
    expect_row(13, want, "indexed source 0 and destination");
    rig.wave.m0 = 4 | 1u << 13;
    run_text("v_add_u32 v10, v2, v3\n");
    for (int l = 0; l < 64; l++)
        want[l] = rig.before[2][l] + rig.before[7][l];
    expect_row(10, want, "indexed source 1");
    rig.wave.mode = PLAIN_MODE;
}

static void scalar_destinations(void)
{
    rig.wave.exec = UINT64_C(0x00ffffffffffff00);
    rig.wave.sgpr[30] = 0x12345678;
    run_text("v_cmp_eq_u32_e64 s[8:9], v2, v2\nv_cmp_lt_u32_sdwa s[10:11], v2, v3 src0_sel:BYTE_0 "
             "src1_sel:WORD_1\n"
             "v_add_co_u32_e64 v10, s[12:13], v2, v3\nv_addc_co_u32_e64 v11, s[14:15], v2, v3, "
             "s[12:13]\n"
             "v_cndmask_b32_e64 v12, v2, v3, s[12:13]\nv_mov_b32 v13, s30\n");
    uint64_t want[4] = {rig.wave.exec, 0, 0, 0};
    uint32_t sums[64], chosen[64];
    for (int l = 0; l < 64; l++) {
        const uint32_t a = rig.before[2][l], b = rig.before[3][l];
        const uint64_t sum = (uint64_t)a + b, sum2 = sum + (sum >> 32);
        const uint64_t on = rig.wave.exec >> l & 1;
        want[1] |= (on && (a & 0xff) < b >> 16 ? UINT64_C(1) : 0) << l;
        want[2] |= (on & sum >> 32) << l;
        want[3] |= (on & sum2 >> 32) << l;
        sums[l] = on ? (uint32_t)sum2 : rig.before[11][l];
        chosen[l] = !on ? rig.before[12][l] : sum >> 32 ? b : a;
    }
    for (unsigned k = 0; k < 4; k++)
        assert_int_equal(rig.wave.sgpr[8 + 2 * k] | (uint64_t)rig.wave.sgpr[9 + 2 * k] << 32,
                         want[k]);
    expect_row(11, sums, "v_addc_co_u32_e64");
    expect_row(12, chosen, "v_cndmask_b32_e64");
}

static void refusals(void)
{
    rig.wave.mode = PLAIN_MODE | 1u << 23; /* FP16_OVFL */
    run_text("v_add_f16 v10, v2, v3\n");
    assert_int_equal(rig.wave.stop, ISA_STOP_UNSUPPORTED);
    assert_non_null(strstr(rig.wave.message, "v_add_f16"));
    rig.wave.mode = PLAIN_MODE;
}

static void on_all_cores(void **state)
{
    static const char *const cores[] = {"base", "avx2", "avx512"};
    (void)state;
    rig.random = 7;
    rig.group.dispatch = &rig.dispatch;
    rig.wave = (isa_wave_t){.group = &rig.group,
                            .vgpr = rig.rows,
                            .page = &no_code,
                            .mode = PLAIN_MODE,
                            .acc_offset = 256};
    for (unsigned c = 0; c < 3; c++) {
        core = isa_core_by_name(cores[c]);
        if (!core) continue;
        for (int k = 0; k < 20; k++) {
            single_lanes();
            register_files();
            mixed_precision();
            literals_and_pairs();
            register_indexing();
            scalar_destinations();
        }
        refusals();
    }
    for (unsigned k = 0; programs[k].text; k++)
        free(programs[k].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_all_cores)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
