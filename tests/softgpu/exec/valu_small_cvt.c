/* valu_small_cvt.c - conversions to and from floats of 8, 6 and 4 bits, of gfx942 and gfx950.
 *
 * What an instruction does follows from its name; where its numbers are, from the pseudocode of
 * AMD's manual of CDNA 4. small_rig.h says what they are. */
#include "valu_rig.h"
#include "small_rig.h"
#include "isa/table.h"

typedef struct {
    unsigned op;
    const char *name;
    bool scaled, stochastic, split, vop1;
    int from, to; /* fpu_small_t, or FULL */
    int count;
} cvt_t;
enum { FULL = -1, D = 40, S0 = 64, S1 = 96, S2 = 128, S3 = 130 };

static const struct {
    const char *name;
    int format;
} words[] = {{"fp8", FPU_FP8}, {"bf8", FPU_BF8}, {"fp6", FPU_FP6},   {"bf6", FPU_BF6},
             {"fp4", FPU_FP4}, {"f16", FPU_F16}, {"bf16", FPU_BF16}, {"f32", FULL}};

/* Whether *text begins with the word, which is then skipped. */
static bool begins(const char **text, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(*text, word, n)) return false;
    *text += n;
    return true;
}

static bool format(const char **text, int *f)
{
    for (size_t n = 0; n < sizeof words / sizeof *words; n++)
        if (begins(text, words[n].name)) {
            *f = words[n].format;
            return true;
        }
    return false;
}

static bool parse(unsigned op, cvt_t *c)
{
    const char *text = isa_table[op].mnemonic;
    *c = (cvt_t){.op = op, .name = text, .vop1 = isa_table[op].fmt == ISA_FMT_VOP1, .count = 1};
    if (!begins(&text, "v_cvt_")) return false;
    c->scaled = begins(&text, "scalef32_");
    c->stochastic = begins(&text, "sr_");
    c->split = begins(&text, "2xpk16_");
    if (c->split || begins(&text, "pk32_")) c->count = 32;
    if (begins(&text, "pk_")) c->count = 2;
    if (!format(&text, &c->to) || !begins(&text, "_") || !format(&text, &c->from) || *text)
        return false;
    if (c->count == 2 && c->from == FULL && !c->stochastic) c->split = true;
    return c->scaled || c->stochastic || c->to == FPU_BF16 || (c->to >= 0 && c->to <= FPU_FP4) ||
           (c->from >= 0 && c->from <= FPU_FP4);
}

static int bits_of(int f)
{
    return f == FULL ? 32 : 1 + formats[f].exponent_bits + formats[f].mantissa_bits;
}

/* ---- the reference ---- */

static uint32_t before[160][64];

static uint32_t get(unsigned row, int l, int at, int bits)
{
    uint64_t x = before[row + (unsigned)at / 32][l];
    if (at % 32 + bits > 32) x |= (uint64_t)before[row + (unsigned)at / 32 + 1][l] << 32;
    return (uint32_t)(x >> at % 32 & ((UINT64_C(1) << bits) - 1));
}

static double number(int f, uint32_t x)
{
    if (f == FULL) return (double)as_f32(x);
    const known_t *k = &formats[f];
    const int m = (int)(x & (sign_of(k) - 1));
    const bool negative = x & sign_of(k);
    if ((int)x == k->nan || (m != k->infinity && m >= k->finite))
        return copysign(NAN, negative ? -1 : 1);
    return (negative ? -1 : 1) * (m == k->infinity ? (double)INFINITY : magnitude(k, m));
}

static double flushed(double x)
{
    return fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

static uint32_t result(const cvt_t *c, int to, double x, uint32_t random)
{
    const uint32_t mode = rig.wave.mode;
    const bool saturate =
        mode & ISA_MODE_FP16_OVFL && c->to != FPU_BF16 && !(c->to == FPU_F16 && isinf(x));
    if (to == FULL) {
        const double y = (double)(float)x;
        return (uint32_t)of_f32((float)(mode & 0x20 ? y : flushed(y)));
    }
    return reference(&formats[to], x, (fpu_rounding_t){c->stochastic, saturate, random});
}

static int source_bit(const cvt_t *c, const isa_inst_t *i)
{
    const int bits = bits_of(c->from) * c->count;
    if (c->vop1)
        return i->flags & ISA_F_SDWA
                   ? (c->count == 1 ? 8 * i->src[0].sel : 16 * (i->src[0].sel - 4))
                   : 0;
    return bits == 8 ? 8 * (i->op_sel & 3) : bits == 16 ? 16 * (i->op_sel & 1) : 0;
}

/* Whether x and y stand for the same: NaNs of f32 have many codes. */
static bool same(int to, uint32_t x, uint32_t y)
{
    if (x == y) return true;
    const int width = bits_of(to);
    if (to != FULL && to != FPU_F16 && to != FPU_BF16) return false;
    const int f = to;
    const uint32_t mask = width == 32 ? UINT32_MAX : (1u << width) - 1;
    const double a = number(f, x & mask), b = number(f, y & mask);
    return a != a && b != b;
}

static void check_lane(const isa_core_t *core, const cvt_t *c, const isa_inst_t *i, int l,
                       bool fnuz)
{
    const int from = fnuz && c->from >= 0 && c->from <= FPU_BF8 ? c->from + 2 : c->from;
    const int to = fnuz && c->to >= 0 && c->to <= FPU_BF8 ? c->to + 2 : c->to;
    const unsigned s_scale = c->split || c->stochastic ? S2 : S1;
    const int scale = c->scaled ? (int)(before[s_scale][l] >> 23 & 255) : 127;
    const int total = bits_of(to) * c->count, keeps = total < 32 && !c->vop1;
    const int at = !keeps ? 0 : total == 16 ? 16 * (i->op_sel >> 3) : 8 * (i->op_sel >> 2 & 3);
    uint32_t random = before[S1][l], want[33] = {0};
    for (int n = 0; n < c->count; n++) {
        const unsigned row = c->split && n % 2 ? S1 : S0;
        const uint32_t raw =
            get(row, l, source_bit(c, i) + (c->split ? n / 2 : n) * bits_of(from), bits_of(from));
        double x = number(from, raw);
        const unsigned mods = i->src[row == S1].mods;
        if (mods & ISA_MOD_ABS) x = fabs(x);
        if (mods & ISA_MOD_NEG) x = -x;
        if (from == FULL && !(rig.wave.mode & 0x10)) x = flushed(x);
        if (scale == 255) x = NAN;
        const bool narrows = c->to >= 0 && c->to <= FPU_FP4;
        x = ldexp(x, narrows ? 127 - scale : scale - 127);
        const uint32_t y = result(c, to, x, random);
        const int place = n * bits_of(to);
        want[place / 32] |= y << place % 32;
        if (place % 32 + bits_of(to) > 32) want[place / 32 + 1] |= y >> (32 - place % 32);
        random = random << 1 ^ (random >> 31 ? 0xc5 : 0);
    }
    const uint32_t mask = keeps ? ((1u << total) - 1) << at : UINT32_MAX;
    for (int d = 0; d < (total + 31) / 32; d++) {
        const uint32_t have = rig.rows[D + d][l], old = before[D + d][l];
        const bool active = rig.wave.exec >> l & 1;
        const uint32_t expected = active ? (old & ~mask) | (want[d] << at & mask) : old;
        if (have != expected && !(active && !keeps && same(to, have, expected)) &&
            !(active && total >= 32 && bits_of(to) == 16 &&
              same(to, have & 0xffff, expected & 0xffff) && same(to, have >> 16, expected >> 16)) &&
            !(active && keeps && (have & ~mask) == (old & ~mask) &&
              same(to, have >> at, expected >> at)))
            fail_msg("%s (%s, %s, mode 0x%x, op_sel %d): lane %d register %d is 0x%08x, not 0x%08x",
                     c->name, fnuz ? "fnuz" : "ocp", core->name, rig.wave.mode, i->op_sel, l, d,
                     have, expected);
    }
}

/* ---- one instruction ---- */

/* Numbers near those of the formats, with scales near 1 but for a few. */
static void fill(const cvt_t *c)
{
    for (unsigned n = D; n < 160; n++)
        for (int l = 0; l < 64; l++) {
            uint32_t x = (uint32_t)rig_random();
            if (c->from == FULL && l % 4) x = (x & 0x83ffffff) | 0x3e000000;
            if (c->from == FULL && l % 8 == 4) x = (uint32_t)interesting(f32);
            before[n][l] = x;
        }
    for (int l = 0; l < 64; l++) {
        const uint32_t near = 0x3f800000 + (uint32_t)(rig_random() % 9) * 0x800000 - 0x2000000;
        const unsigned row = c->split || c->stochastic ? S2 : S1;
        if (c->scaled && l % 8) before[row][l] = near | (rig_random() & 0x7fffff);
        if (c->stochastic) before[S1][l] = (uint32_t)rig_random();
    }
    memcpy(rig.rows, before, sizeof before);
}

static isa_operand_t vgprs(unsigned first, int bits)
{
    return (isa_operand_t){
        .kind = ISA_OPK_VGPR, .reg = (uint16_t)first, .bits = (uint16_t)(bits < 32 ? 32 : bits)};
}

static isa_inst_t instruction(const cvt_t *c)
{
    isa_inst_t i = {.op = (uint16_t)c->op, .fmt = c->vop1 ? ISA_FMT_VOP1 : ISA_FMT_VOP3A};
    const int wide = bits_of(c->from) * c->count / (c->split ? 2 : 1);
    i.dst = vgprs(D, bits_of(c->to) * c->count);
    i.src[0] = vgprs(S0, wide);
    if (c->split) i.src[1] = vgprs(S1, wide);
    if (c->stochastic) i.src[1] = vgprs(S1, 32);
    if (c->scaled)
        i.src[c->split || c->stochastic ? 2 : 1] = vgprs(c->split || c->stochastic ? S2 : S1, 32);
    return i;
}

static void vary_form(const cvt_t *c, isa_inst_t *i, int round)
{
    rig.wave.mode = PLAIN_MODE;
    if (round % 4 == 1) rig.wave.mode |= ISA_MODE_FP16_OVFL;
    if (round % 4 == 2) rig.wave.mode &= ~0xf0u;
    rig.wave.exec = round % 3 ? UINT64_MAX : rig_random();
    if (c->vop1) {
        i->flags = round % 5 ? ISA_F_SDWA : 0;
        i->dst_sel = 6;
        i->src[0].sel =
            (uint8_t)(round % 5 ? c->count == 1 ? rig_random() % 4 : 4 + rig_random() % 2 : 6);
        if (c->count == 2 && i->flags) i->flags |= ISA_F_SRCMOD;
        return;
    }
    const bool whole = c->count == 32 || (c->split && bits_of(c->to) == 16);
    i->op_sel = whole ? 0 : (uint8_t)(rig_random() % 16);
    if (c->from != FULL || c->count == 32) return;
    i->src[0].mods = (uint8_t)(rig_random() % 4);
    if (c->split) i->src[1].mods = (uint8_t)(rig_random() % 4);
    if (i->src[0].mods || i->src[1].mods) i->flags |= ISA_F_SRCMOD;
}

static void try_all(const isa_arch_t *arch, int expected)
{
    static const char *const cores[] = {"base", "avx2", "avx512"};
    int found = 0;
    rig.dispatch.arch = arch;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        cvt_t c;
        bool here = false;
        if (!parse(op, &c)) continue;
        for (unsigned fmt = 0; fmt < ISA_FMT_COUNT; fmt++)
            for (unsigned code = 0; code < ISA_OPCODES; code++)
                here = here || arch->codes->op[fmt][code] == op;
        if (!here) continue;
        found++;
        for (int round = 0; round < 3 * 40; round++) {
            const isa_core_t *core = isa_core_by_name(cores[round % 3]);
            isa_inst_t i = instruction(&c);
            vary_form(&c, &i, round / 3);
            fill(&c);
            if (!core) continue;
            rig.wave.stop = 0;
            core->handlers[op](&rig.wave, &i);
            if (rig.wave.stop) fail_msg("%s: %s", c.name, rig.wave.message);
            for (int l = 0; l < 64; l++)
                check_lane(core, &c, &i, l, arch == &isa_archs[ISA_ARCH_gfx942]);
        }
    }
    assert_int_equal(found, expected);
}

static void of_gfx942(void **state)
{
    (void)state;
    try_all(&isa_archs[ISA_ARCH_gfx942], 8);
}

static void of_gfx950(void **state)
{
    (void)state;
    try_all(&isa_archs[ISA_ARCH_gfx950], 60);
}

/* By hand: which byte is which, and the two kinds of 8-bit floats. */
static void by_hand(void **state)
{
    (void)state;
    const isa_core_t *core = isa_core_select();
    cvt_t c;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        if (!parse(op, &c) || strcmp(c.name, "v_cvt_pk_fp8_f32")) continue;
        isa_inst_t i = instruction(&c);
        i.op_sel = 8; /* the upper half */
        rig.wave.exec = 1;
        rig.wave.mode = PLAIN_MODE;
        rig.rows[D][0] = 0x11223344;
        rig.rows[S0][0] = 0x3f800000; /* 1.0: exponent field 7, with a bias of 8 it is 8 */
        rig.rows[S1][0] = 0xc3e00000; /* -448.0, too large with that */
        rig.dispatch.arch = &isa_archs[ISA_ARCH_gfx950];
        core->handlers[op](&rig.wave, &i);
        assert_int_equal(rig.rows[D][0], 0xfe383344);
        rig.dispatch.arch = &isa_archs[ISA_ARCH_gfx942];
        core->handlers[op](&rig.wave, &i);
        assert_int_equal(rig.rows[D][0], 0x80403344);
        rig.wave.mode |= ISA_MODE_FP16_OVFL;
        core->handlers[op](&rig.wave, &i);
        assert_int_equal(rig.rows[D][0], 0xff403344);
    }
}

static int start(void **state)
{
    (void)state;
    rig.random = 7;
    rig.group.dispatch = &rig.dispatch;
    rig.wave =
        (isa_wave_t){.group = &rig.group, .vgpr = rig.rows, .page = &no_code, .mode = PLAIN_MODE};
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(by_hand, start),
                                       cmocka_unit_test_setup(of_gfx942, start),
                                       cmocka_unit_test_setup(of_gfx950, start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
