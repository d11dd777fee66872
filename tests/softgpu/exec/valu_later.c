/* valu_later.c - instructions of vectors, and of the sets of their lanes, that no GPU of the gfx9
 * family has.
 *
 * The words of a row are llvm-mc 15's for its text, which our disassembler has to give back; the
 * expected results are formulas written from AMD's manual of RDNA 2, lane by lane, on numbers that
 * go wrong first and on random ones. Every core that is built is tested. */
#include "isa/isa.h"
#include "softgpu/exec/code.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LANES = 64, ROWS = 16, TURNS = 40, M0 = 1 | 2 << 16 };

static struct {
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint32_t before[ROWS][LANES];
    uint64_t random;
    unsigned lanes;
} rig;

static isa_page_t no_code;

static uint32_t random32(void)
{
    rig.random = rig.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rig.random >> 32);
}

/* f32 and f16 that go wrong first: zeros, denormals, infinities, NaNs, neighbours. */
static uint32_t number(void)
{
    static const uint32_t some[] = {0,          0x80000000, 1,          0x807fffff, 0x00800000,
                                    0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                    0xff800000, 0x7fc00000, 0x7f800001, 0xffa01234, 0x3c003c00,
                                    0x80000001, 0x7c017e00, 0x00018000, 0xffffffff, 0x0000fc00};
    const uint32_t r = random32();
    return r & 3 ? some[(r >> 2) % (sizeof some / sizeof *some)] : random32();
}

/* What a lane sees: v6, v8, v10 and the destination v4 before. */
typedef struct {
    unsigned lane;
    uint32_t a, b, c, old;
} in_t;

static float f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits(float f)
{
    uint32_t r;
    memcpy(&r, &f, sizeof r);
    return r;
}

static bool nan32(uint32_t x)
{
    return (x & 0x7fffffff) > 0x7f800000;
}

/* Of arithmetic: a NaN result is the first operand that is one, quieted, or the default one. */
static uint32_t arithmetic(float r, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t s[] = {a, b, c};
    for (unsigned k = 0; isnan(r) && k < 3; k++)
        if (nan32(s[k])) return s[k] | 0x400000;
    return isnan(r) ? 0x7fc00000 : bits(r);
}

static uint32_t xor3(const in_t *x)
{
    return x->a ^ x->b ^ x->c;
}

/* Zero times anything is zero, and what is added is the result, a NaN quieted. */
static uint32_t legacy(uint32_t a, uint32_t b, uint32_t c)
{
    if (f32(a) == 0 || f32(b) == 0) return nan32(c) ? c | 0x400000 : c;
    return arithmetic(fmaf(f32(a), f32(b), f32(c)), a, b, c);
}

static uint32_t fma_legacy(const in_t *x)
{
    return legacy(x->a, x->b, x->c);
}

static uint32_t fma_legacy_signs(const in_t *x)
{
    return legacy(x->a ^ 0x80000000, x->b & 0x7fffffff, x->c);
}

static uint32_t fmac_legacy(const in_t *x)
{
    return legacy(x->a, x->b, x->old);
}

static uint32_t mullit(const in_t *x)
{
    const float b = f32(x->b), c = f32(x->c);
    if (b == -0x1.fffffep127f || (isinf(b) && b < 0) || isnan(b) || c <= 0 || isnan(c))
        return 0xff7fffff;
    if (f32(x->a) == 0 || b == 0) return 0;
    return arithmetic(f32(x->a) * b, x->a, x->b, 0);
}

/* Halves: the exact product and sum in f64, rounded once; the register's other half stays. */
static uint32_t fma16(uint32_t a, uint32_t b, uint32_t c, uint32_t old)
{
    const uint16_t s[] = {(uint16_t)a, (uint16_t)b, (uint16_t)c};
    _Float16 h[3], r;
    uint16_t out;
    memcpy(h, s, sizeof h);
    r = (_Float16)((double)h[0] * (double)h[1] + (double)h[2]);
    memcpy(&out, &r, sizeof out);
    if ((out & 0x7fff) > 0x7c00) {
        out = 0x7e00;
        for (unsigned k = 3; k--;)
            if ((s[k] & 0x7fff) > 0x7c00) out = s[k] | 0x200;
    }
    return (old & 0xffff0000) | out;
}

static uint32_t fmac16(const in_t *x)
{
    return fma16(x->a, x->b, x->old, x->old);
}

static uint32_t fmamk16(const in_t *x)
{
    return fma16(x->a, 0x4200, x->b, x->old);
}

static uint32_t fmaak16(const in_t *x)
{
    return fma16(x->a, x->b, 0x4200, x->old);
}

/* ---- other lanes, other registers ---- */

enum { SELECT_LOW = 0x3a5c7e10, SELECT_HIGH = 0xf1928374 }; /* s2, s3 */

static uint32_t permuted(const in_t *x, unsigned flip, bool inactive_too, bool zero)
{
    const unsigned n = x->lane % 16;
    const uint32_t select = n < 8 ? (uint32_t)SELECT_LOW : (uint32_t)SELECT_HIGH;
    const unsigned lane = ((x->lane / 16) ^ flip) * 16 + (select >> n % 8 * 4) % 16;
    if (!inactive_too && !(rig.wave.exec >> lane & 1)) return zero ? 0 : x->old;
    return rig.before[6][lane];
}

static uint32_t permlane(const in_t *x)
{
    return permuted(x, 0, false, false);
}

static uint32_t permlane_fi(const in_t *x)
{
    return permuted(x, 0, true, false);
}

static uint32_t permlanex(const in_t *x)
{
    return permuted(x, 1, false, false);
}

static uint32_t permlanex_zero(const in_t *x)
{
    return permuted(x, 1, false, true);
}

static uint32_t from_v7(const in_t *x)
{
    return rig.before[7][x->lane];
}

typedef struct {
    const char *text;
    uint32_t words[3];
    uint32_t (*formula)(const in_t *x);
    unsigned to; /* the register written, 0: v4 */
} test_t;

/* clang-format off */
static const test_t tests[] = {
    {"v_xor3_b32 v4, v6, v8, v10", {0xd5780004, 0x042a1106}, xor3, 0},
    {"v_fma_legacy_f32 v4, v6, v8, v10", {0xd5400004, 0x042a1106}, fma_legacy, 0},
    {"v_fma_legacy_f32 v4, -v6, |v8|, v10", {0xd5400204, 0x242a1106}, fma_legacy_signs, 0},
    {"v_fmac_legacy_f32_e32 v4, v6, v8", {0x0c081106}, fmac_legacy, 0},
    {"v_mullit_f32 v4, v6, v8, v10", {0xd5500004, 0x042a1106}, mullit, 0},
    {"v_fmac_f16_e32 v4, v6, v8", {0x6c081106}, fmac16, 0},
    {"v_fmamk_f16 v4, v6, 0x4200, v8", {0x6e081106, 0x4200}, fmamk16, 0},
    {"v_fmaak_f16 v4, v6, v8, 0x4200", {0x70081106, 0x4200}, fmaak16, 0},
    {"v_permlane16_b32 v4, v6, s2, s3", {0xd7770004, 0x000c0506}, permlane, 0},
    {"v_permlane16_b32 v4, v6, s2, s3 op_sel:[1,0]", {0xd7770804, 0x000c0506}, permlane_fi, 0},
    {"v_permlanex16_b32 v4, v6, s2, s3", {0xd7780004, 0x000c0506}, permlanex, 0},
    {"v_permlanex16_b32 v4, v6, s2, s3 op_sel:[0,1]", {0xd7781004, 0x000c0506}, permlanex_zero, 0},
    {"v_movrelsd_2_b32_e32 v4, v6", {0x7e089106}, from_v7, 6},
};
/* clang-format on */

static isa_inst_t decoded(const char *text, const uint32_t words[3])
{
    char ours[128];
    isa_inst_t i = {.op = 0};
    rig.dispatch.arch = isa_arch_named("gfx1030");
    assert_non_null(rig.dispatch.arch);
    if (isa_decode_lanes(rig.dispatch.arch, rig.lanes, words, 3, &i) <= 0)
        fail_msg("%s: does not decode", text);
    isa_disassemble(rig.dispatch.arch, &i, ours, sizeof ours);
    assert_string_equal(ours, text);
    return i;
}

static void run(const isa_core_t *core, const isa_inst_t *i, const char *text)
{
    rig.wave.stop = ISA_RUN;
    memcpy(rig.rows, rig.before, sizeof rig.before);
    if (!core->handlers[i->op]) fail_msg("%s: no handler", text);
    core->handlers[i->op](&rig.wave, i);
    if (rig.wave.stop) fail_msg("%s: stopped: %s", text, rig.wave.message);
}

static void fill(void)
{
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned l = 0; l < LANES; l++)
            rig.before[r][l] = number();
}

static uint64_t lanes_of(uint64_t mask)
{
    return rig.lanes == 32 ? mask & UINT32_MAX : mask;
}

static void begin(unsigned lanes)
{
    rig.random = 1;
    rig.lanes = lanes;
    rig.group = (isa_group_t){.dispatch = &rig.dispatch, .n_waves = 1};
    rig.wave = (isa_wave_t){.group = &rig.group, .vgpr = rig.rows, .mode = 0xf0, .m0 = M0};
    rig.wave.page = &no_code;
    rig.dispatch.narrow = lanes == 32;
    rig.wave.sgpr[2] = (uint32_t)SELECT_LOW;
    rig.wave.sgpr[3] = (uint32_t)SELECT_HIGH;
}

static void check(const test_t *t)
{
    const unsigned to = t->to ? t->to : 4;
    for (unsigned l = 0; l < LANES; l++) {
        const in_t x = {l, rig.before[6][l], rig.before[8][l], rig.before[10][l],
                        rig.before[to][l]};
        const bool active = l < rig.lanes && rig.wave.exec >> l & 1;
        const uint32_t want = active ? t->formula(&x) : x.old, have = rig.rows[to][l];
        if (have != want)
            fail_msg("%s: lane %u of %x, %x, %x, %x is %x, not %x", t->text, l, x.a, x.b, x.c,
                     x.old, have, want);
    }
}

static const char *const cores[] = {"base", "avx2", "avx512"};
enum { CORES = sizeof cores / sizeof *cores };

/* Those for waves of 64 lanes, and for waves of 32. */
static void on_every_core(void (*test)(const isa_core_t *core))
{
    unsigned ran = 0;
    for (unsigned c = 0; c < CORES; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        if (!core) continue;
        begin(64);
        test(core);
        begin(32);
        test(isa_core_narrow(core));
        ran++;
    }
    assert_true(ran);
}

static void all_rows(const isa_core_t *core)
{
    for (const test_t *t = tests; t < tests + sizeof tests / sizeof *tests; t++) {
        const isa_inst_t i = decoded(t->text, t->words);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            rig.wave.exec = lanes_of(turn & 1 ? UINT64_MAX : UINT64_C(0x0f5a00ff12345678));
            fill();
            run(core, &i, t->text);
            check(t);
        }
    }
}

static void results_are_the_manuals(void **state)
{
    (void)state;
    on_every_core(all_rows);
}

/* Numbers relative to all of M0, and two registers exchanged. A source that is not allocated is v0,
 * a destination that is not is left out. */
static void relative(const isa_core_t *core)
{
    static const uint32_t from[3] = {0x7e088706}, to[3] = {0x7e088506}, both[3] = {0x7e088906},
                          swap[3] = {0x7e08d106};
    const isa_inst_t movrels = decoded("v_movrels_b32_e32 v4, v6", from),
                     movreld = decoded("v_movreld_b32_e32 v4, v6", to),
                     movrelsd = decoded("v_movrelsd_b32_e32 v4, v6", both),
                     swaprel = decoded("v_swaprel_b32 v4, v6", swap);
    rig.wave.exec = lanes_of(UINT64_C(0x0f5a00ff12345678));
    for (uint32_t m0 = 0; m0 < 12; m0++) {
        const unsigned source = 6 + m0 < 12 ? 6 + m0 : 0;
        rig.wave.m0 = m0;
        rig.dispatch.n_vgpr = 12;
        fill();
        run(core, &movrels, "v_movrels_b32");
        for (unsigned l = 0; l < rig.lanes; l++)
            assert_int_equal(rig.rows[4][l], rig.before[rig.wave.exec >> l & 1 ? source : 4][l]);
        run(core, &movreld, "v_movreld_b32");
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned l = 0; l < rig.lanes; l++) {
                const bool written = r == 4 + m0 && r < 12 && rig.wave.exec >> l & 1;
                assert_int_equal(rig.rows[r][l], rig.before[written ? 6 : r][l]);
            }
        run(core, &movrelsd, "v_movrelsd_b32");
        if (4 + m0 < 12 && rig.wave.exec >> 3 & 1)
            assert_int_equal(rig.rows[4 + m0][3], rig.before[source][3]);
    }
    rig.wave.m0 = 3 | 1 << 16; /* v5 and v9 */
    run(core, &swaprel, "v_swaprel_b32");
    for (unsigned l = 0; l < rig.lanes; l++) {
        const bool active = rig.wave.exec >> l & 1;
        assert_int_equal(rig.rows[5][l], rig.before[active ? 9 : 5][l]);
        assert_int_equal(rig.rows[9][l], rig.before[active ? 5 : 9][l]);
    }
    rig.dispatch.n_vgpr = 0;
}

static void registers_are_relative(void **state)
{
    (void)state;
    on_every_core(relative);
}

/* v_cmpx writes EXEC and leaves VCC alone. */
static void compare(const isa_core_t *core)
{
    static const uint32_t words[3] = {0x7da21106};
    const isa_inst_t i = decoded("v_cmpx_lt_u32_e32 v6, v8", words);
    const uint64_t exec = lanes_of(UINT64_C(0x0f5a00ff12345678)), vcc = UINT64_C(0x123456789);
    uint64_t want = 0;
    rig.wave.exec = exec;
    rig.wave.vcc = vcc;
    fill();
    for (unsigned l = 0; l < rig.lanes; l++)
        want |= (uint64_t)(rig.before[6][l] < rig.before[8][l]) << l;
    run(core, &i, "v_cmpx_lt_u32");
    assert_true(rig.wave.exec == (want & exec));
    assert_true(rig.wave.vcc == vcc);
}

static void compares_write_exec_alone(void **state)
{
    (void)state;
    on_every_core(compare);
}

/* ---- the low half of EXEC, which a wave of 32 lanes has only ---- */

/* Bit 2 * s2 + EXEC of the table is the new EXEC's. */
static const struct {
    const char *text;
    uint32_t word, table;
    bool writes; /* s8 gets the new EXEC, not the old one */
} masks[] = {
    {"s_and_saveexec_b32 s8, s2", 0xbe883c02, 8, false},
    {"s_or_saveexec_b32 s8, s2", 0xbe883d02, 14, false},
    {"s_xor_saveexec_b32 s8, s2", 0xbe883e02, 6, false},
    {"s_andn2_saveexec_b32 s8, s2", 0xbe883f02, 4, false},
    {"s_orn2_saveexec_b32 s8, s2", 0xbe884002, 13, false},
    {"s_nand_saveexec_b32 s8, s2", 0xbe884102, 7, false},
    {"s_nor_saveexec_b32 s8, s2", 0xbe884202, 1, false},
    {"s_xnor_saveexec_b32 s8, s2", 0xbe884302, 9, false},
    {"s_andn1_saveexec_b32 s8, s2", 0xbe884402, 2, false},
    {"s_orn1_saveexec_b32 s8, s2", 0xbe884502, 11, false},
    {"s_andn1_wrexec_b32 s8, s2", 0xbe884602, 2, true},
    {"s_andn2_wrexec_b32 s8, s2", 0xbe884702, 4, true},
};

static void exec_half(const isa_core_t *core)
{
    static const uint32_t values[] = {0, 1, 0x80000000, 0xffffffff, 0x12345678, 0xedcba987};
    for (unsigned k = 0; k < sizeof masks / sizeof *masks; k++) {
        const isa_inst_t i = decoded(masks[k].text, (uint32_t[3]){masks[k].word});
        for (unsigned n = 0; n < 36; n++) {
            const uint32_t a = values[n / 6], old = values[n % 6];
            const uint64_t high = lanes_of(UINT64_C(0xabcd1234) << 32);
            uint32_t want = 0;
            for (unsigned bit = 0; bit < 32; bit++)
                want |= (masks[k].table >> (2 * (a >> bit & 1) + (old >> bit & 1)) & 1) << bit;
            rig.wave.sgpr[2] = a;
            rig.wave.exec = high | old;
            run(core, &i, masks[k].text);
            assert_true(rig.wave.exec == (high | want));
            assert_int_equal(rig.wave.sgpr[8], masks[k].writes ? want : old);
            assert_int_equal(rig.wave.scc, want != 0);
        }
    }
}

static void halves_of_exec(void **state)
{
    (void)state;
    on_every_core(exec_half);
}

/* Fields of MODE, and registers by numbers relative to M0. */
static void scalar(const isa_core_t *core)
{
    static const uint32_t round[3] = {0xbfa4000a}, denorm[3] = {0xbfa50005}, move[3] = {0xbe884902};
    const isa_inst_t s_round = decoded("s_round_mode 0xa", round),
                     s_denorm = decoded("s_denorm_mode 5", denorm),
                     movrelsd = decoded("s_movrelsd_2_b32 s8, s2", move);
    rig.wave.mode = 0x3f7;
    run(core, &s_round, "s_round_mode");
    assert_int_equal(rig.wave.mode, 0x3fa);
    run(core, &s_denorm, "s_denorm_mode");
    assert_int_equal(rig.wave.mode, 0x35a);
    rig.wave.sgpr[0] = 3;
    rig.wave.sgpr[105] = 7;
    rig.wave.m0 = 103 | 4 << 16;
    run(core, &movrelsd, "s_movrelsd_2_b32");
    assert_int_equal(rig.wave.sgpr[12], 7);
    rig.wave.m0 = 104 | 5 << 16; /* no such source: s0 */
    run(core, &movrelsd, "s_movrelsd_2_b32");
    assert_int_equal(rig.wave.sgpr[13], 3);
}

static void scalar_registers(void **state)
{
    (void)state;
    on_every_core(scalar);
}

/* Each half of EXEC that has lanes runs the block between the two instructions once, the low half
 * first, and EXEC is as before then. */
static void halves_in_turn(const isa_core_t *core)
{
    enum { BEGIN = 10, NEXT = 21 };
    static const uint32_t first[3] = {0xbd88000a}, last[3] = {0xbe08fff7};
    static const uint64_t masks_of[] = {0, 0xff, UINT64_C(0xf0) << 32, UINT64_C(0xf0000000000f)};
    const isa_inst_t begin_it = decoded("s_subvector_loop_begin s8, 10", first),
                     end_it = decoded("s_subvector_loop_end s8, 65527", last);
    for (unsigned k = 0; rig.lanes == 64 && k < sizeof masks_of / sizeof *masks_of; k++) {
        uint64_t ran[3] = {0};
        unsigned turns = 0;
        rig.wave.exec = masks_of[k];
        rig.wave.budget = 100;
        rig.wave.ip = &no_code.slots[BEGIN + 1];
        run(core, &begin_it, "s_subvector_loop_begin");
        while (rig.wave.ip != &no_code.slots[NEXT] && turns < 3) {
            ran[turns++] = rig.wave.exec;
            rig.wave.ip = &no_code.slots[NEXT];
            run(core, &end_it, "s_subvector_loop_end");
        }
        const uint64_t low = masks_of[k] & UINT32_MAX, high = masks_of[k] & ~(uint64_t)UINT32_MAX;
        assert_int_equal(turns, (low != 0) + (high != 0));
        if (low) assert_true(ran[0] == low);
        if (high) assert_true(ran[turns - 1] == high);
        assert_true(rig.wave.exec == masks_of[k]);
    }
}

static void halves_run_in_turn(void **state)
{
    (void)state;
    on_every_core(halves_in_turn);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(results_are_the_manuals),   cmocka_unit_test(registers_are_relative),
        cmocka_unit_test(compares_write_exec_alone), cmocka_unit_test(halves_of_exec),
        cmocka_unit_test(scalar_registers),          cmocka_unit_test(halves_run_in_turn),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
