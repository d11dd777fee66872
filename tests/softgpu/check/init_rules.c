/* init_rules.c - what instructions make of undefined operands, held against the executor.
 *
 * Every instruction between registers of tests/isa/vectors*.tsv, in random variations of its bits,
 * has random bits of its operands undefined. It runs with many values of these bits. Each bit of a
 * result that differs between two runs must be marked as undefined (none is missed); and if a rule
 * claims to know each bit, most marked bits must differ (none is marked for nothing). */
#include "softgpu/check/init.h"
#include "softgpu/exec/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ACC = 256, ROWS = 512, RUNS = 12, VARIATIONS = 8, FRESH_ROWS = 8 };

typedef struct {
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint32_t sgpr[ISA_SCALARS];
    uint32_t scc, mode;
} values_t;

static struct {
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
    isa_page_t page;
    values_t start, first, now;
    chk_shadow_t before, after;
    chk_lab_t lab;
    const isa_core_t *core;
    uint64_t random;
    unsigned long marked[ISA_DATA_KNOWN + 1], changed[ISA_DATA_KNOWN + 1], tried;
} rig;

static uint64_t next(void)
{
    rig.random ^= rig.random << 13;
    rig.random ^= rig.random >> 7;
    rig.random ^= rig.random << 17;
    return rig.random;
}

static uint32_t some_bits(void)
{
    const uint64_t x = next();
    switch (x >> 60 & 7) {
    case 0:
    case 1: return 0;
    case 2: return ~0u;
    case 3: return 1u << (x & 31);
    case 4: return 0xffffu << (x & 16);
    default: return (uint32_t)x & (uint32_t)(x >> 20);
    }
}

static bool is_tested(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const chk_alu_t *a = &chk_alu_table[i->op];
    return a->of.rule != ISA_DATA_NONE && a->of.rule != ISA_DATA_KNOWN &&
           row->klass != ISA_CLASS_BRANCH && rig.core->handlers[i->op] &&
           !(row->writes & ISA_REG_MODE);
}

/* The registers of an operand, with those that come behind for tuples. */
static unsigned rows_of(const isa_operand_t *o, unsigned *row)
{
    *row = isa_is_row(o) ? chk_row_of(&rig.before, o) : 0;
    return isa_is_row(o) ? isa_operand_dwords(o) : 0;
}

static const isa_operand_t *operand(const isa_inst_t *i, unsigned n)
{
    return n < 3 ? &i->src[n] : &i->dst;
}

static void choose_undefined(const isa_inst_t *i)
{
    static const chk_origin_t from = {.from = CHK_FROM_VGPR, .at = 1};
    chk_shadow_start(&rig.before, &rig.dispatch, ISA_CODE_FLAT_SCRATCH);
    memset(rig.before.some, 0, sizeof rig.before.some);
    memset(rig.before.scalar, 0, sizeof rig.before.scalar); /* M0 names registers: reported */
    rig.before.scc = next() & 1;
    for (unsigned n = 0; n < 4; n++) {
        const isa_operand_t *o = operand(i, n);
        unsigned row;
        if (i->fmt == ISA_FMT_DS && chk_alu_table[i->op].of.control >> n & 1)
            continue; /* an address: reported */
        for (unsigned k = rows_of(o, &row); k; k--) {
            isa_row_t u;
            const bool whole = next() & 1;
            for (unsigned l = 0; l < ISA_LANES; l++)
                u[l] = whole ? some_bits() & some_bits() : l % 5 ? 0 : some_bits();
            chk_row_set(&rig.before, row + k - 1, ~UINT64_C(0), u, &from);
        }
        if (o->kind != ISA_OPK_SGPR || next() & 1) continue;
        for (unsigned k = 0; k < isa_operand_dwords(o); k++)
            if (o->reg + k < ISA_CODE_M0) rig.before.scalar[o->reg + k] = some_bits();
    }
    if (next() & 1) rig.before.scalar[ISA_CODE_VCC + (next() & 1)] = some_bits();
}

/* A value of its own for every undefined bit. */
static void assign(const isa_inst_t *i, unsigned run)
{
    isa_wave_t *w = &rig.wave;
    const uint64_t fixed = run == 0 ? 0 : ~UINT64_C(0);
    rig.now = rig.start;
    for (unsigned n = 0; n < 4; n++) {
        unsigned row;
        for (unsigned k = rows_of(operand(i, n), &row); k; k--) {
            isa_row_t u;
            chk_row_get(&rig.before, row + k - 1, u);
            for (unsigned l = 0; l < ISA_LANES; l++) {
                const uint32_t bits = run < 2 ? (uint32_t)fixed : (uint32_t)next();
                rig.now.rows[row + k - 1][l] =
                    (rig.start.rows[row + k - 1][l] & ~u[l]) | (bits & u[l]);
            }
        }
    }
    for (unsigned k = 0; k < ISA_SCALARS; k++) {
        const uint32_t bits = run < 2 ? (uint32_t)fixed : (uint32_t)next(),
                       u = rig.before.scalar[k];
        rig.now.sgpr[k] = (rig.start.sgpr[k] & ~u) | (bits & u);
    }
    if (rig.before.scc) rig.now.scc = run < 2 ? run : next() & 1;
    memcpy(w->sgpr, rig.now.sgpr, sizeof w->sgpr);
    w->vgpr = rig.now.rows;
    w->scc = rig.now.scc;
    w->mode = rig.now.mode;
    w->stop = 0;
}

static void missed(const isa_inst_t *i, const char *what, unsigned at, unsigned lane,
                   uint32_t differ, uint32_t marked)
{
    char text[160];
    isa_disassemble(rig.dispatch.arch, i, text, sizeof text);
    fail_msg("%s: %s: %s %u lane %u: bits %08x come out differently, marked %08x (exec %016llx)",
             rig.dispatch.arch->name, text, what, at, lane, differ, marked,
             (unsigned long long)rig.wave.exec);
}

/* Marked bits of the destination, and how many of these have been seen to differ. */
static void tally(const isa_inst_t *i, isa_row_t *differ)
{
    const unsigned rule = chk_alu_table[i->op].of.rule;
    isa_row_t u;
    unsigned row;
    for (unsigned n = 0; n < 3; n++) /* what it says may be or may not */
        if (chk_alu_table[i->op].of.control >> n & 1 && chk_operand_some(&rig.before, &i->src[n]))
            return;
    for (unsigned n = rows_of(&i->dst, &row), k = 0; k < n; k++) {
        chk_row_get(&rig.after, row + k, u);
        for (unsigned l = 0; l < ISA_LANES; l++) {
            rig.marked[rule] += (unsigned)__builtin_popcount(u[l]);
            rig.changed[rule] += (unsigned)__builtin_popcount(u[l] & differ[k][l]);
        }
    }
}

static void hold(const isa_inst_t *i)
{
    static isa_row_t differ[5][32];
    uint32_t scalars[ISA_SCALARS] = {0}, scc = 0;
    isa_wave_t *w = &rig.wave;
    choose_undefined(i);
    assign(i, 2); /* as the program has them */
    {
        isa_row_t *bits = rig.after.bits;
        rig.after = rig.before;
        rig.after.bits = bits;
        memcpy(bits, rig.before.bits, ROWS * sizeof *bits);
    }
    chk_alu_step(&rig.lab, &rig.after, w, i);
    memset(differ, 0, sizeof differ);
    for (unsigned run = 0; run < RUNS; run++) {
        assign(i, run);
        rig.core->handlers[i->op](w, i);
        if (w->stop) return;
        if (!run) {
            rig.first = rig.now;
            memcpy(rig.first.sgpr, w->sgpr, sizeof w->sgpr);
            rig.first.scc = w->scc;
            continue;
        }
        for (unsigned n = 0; n < 4; n++) {
            unsigned row;
            for (unsigned k = rows_of(operand(i, n), &row); k; k--)
                for (unsigned l = 0; l < ISA_LANES; l++)
                    differ[n][k - 1][l] |=
                        rig.now.rows[row + k - 1][l] ^ rig.first.rows[row + k - 1][l];
        }
        for (unsigned k = 0; k < ISA_SCALARS; k++)
            scalars[k] |= w->sgpr[k] ^ rig.first.sgpr[k];
        scc |= w->scc ^ rig.first.scc;
    }
    rig.tried++;
    for (unsigned n = 0; n < 4; n++) {
        unsigned row;
        isa_row_t u;
        for (unsigned k = rows_of(operand(i, n), &row); k; k--) {
            chk_row_get(&rig.after, row + k - 1, u);
            for (unsigned l = 0; l < ISA_LANES; l++)
                if (differ[n][k - 1][l] & ~u[l])
                    missed(i, "row", row + k - 1, l, differ[n][k - 1][l], u[l]);
        }
    }
    for (unsigned k = 0; k < ISA_SCALARS; k++)
        if (scalars[k] & ~rig.after.scalar[k])
            missed(i, "scalar", k, 0, scalars[k], rig.after.scalar[k]);
    if (scc && !rig.after.scc) missed(i, "SCC", 0, 0, scc, rig.after.scc);
    tally(i, differ[3]);
}

static void fill(uint64_t seed)
{
    rig.random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
        for (unsigned l = 0; l < ISA_LANES; l++)
            rig.start.rows[r][l] = next() & 3 ? (uint32_t)next() : (uint32_t)next() & 0x3f;
    for (unsigned k = 0; k < ISA_SCALARS; k++)
        rig.start.sgpr[k] = next() & 1 ? (uint32_t)next() : (uint32_t)next() & 31;
    rig.start.sgpr[ISA_CODE_M0] = 0;
    rig.start.mode = 0xf0;
}

static void set_exec(unsigned k)
{
    const uint64_t exec = k % 3 == 0 ? ~UINT64_C(0) : next() | next();
    rig.start.sgpr[ISA_CODE_EXEC] = (uint32_t)exec;
    rig.start.sgpr[ISA_CODE_EXEC + 1] = (uint32_t)(exec >> 32);
}

/* The instructions of a file, as the GPU has them, whose text begins with `name`. */
static void instructions_of(const char *file, const isa_arch_t *arch, const char *name)
{
    char line[256];
    unsigned lines = 0;
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    rig.dispatch.arch = arch;
    fill(1);
    while (fgets(line, sizeof line, f)) {
        const char *text = strchr(line, '\t');
        uint32_t words[3] = {0};
        if (line[0] == '#' || !text || strncmp(text + 1, name, strlen(name)) != 0) continue;
        for (unsigned k = 0; k < (unsigned)(text - line) / 2 && k < 12; k++) {
            unsigned byte;
            sscanf(line + 2 * k, "%2x", &byte);
            words[k / 4] |= byte << 8 * (k % 4);
        }
        if (!(++lines % 64)) fill(lines);
        for (unsigned k = 0; k < VARIATIONS; k++) {
            uint32_t varied[3] = {words[0], words[1], words[2]};
            isa_inst_t i = {.op = 0};
            if (k > 2 && !strncmp(text + 1, "v_", 2)) varied[1] ^= (uint32_t)(next() & next());
            if (isa_decode(arch, varied, 3, &i) <= 0 || !is_tested(&i)) continue;
            set_exec(k);
            hold(&i);
        }
    }
    fclose(f);
}

static void every_instruction(void **unused)
{
    (void)unused;
    instructions_of(ISA_TEST_DATA "/vectors_gfx908.tsv", &isa_archs[ISA_ARCH_gfx908], "");
    instructions_of(ISA_TEST_DATA "/vectors_gfx942.tsv", &isa_archs[ISA_ARCH_gfx942], "");
    instructions_of(ISA_TEST_DATA "/vectors_gfx950.tsv", &isa_archs[ISA_ARCH_gfx950], "");
    assert_true(rig.tried > 1000);
    instructions_of(ISA_TEST_DATA "/vectors.tsv", &isa_archs[ISA_ARCH_gfx90a], "");
    for (unsigned k = 0; k <= ISA_DATA_KNOWN; k++)
        if (rig.marked[k])
            printf("rule %u: %lu bits marked, %.1f %% differ\n", k, rig.marked[k],
                   100.0 * (double)rig.changed[k] / (double)rig.marked[k]);
    assert_true(rig.tried > 5000);
    const unsigned long before = rig.tried;
    instructions_of(ISA_TEST_DATA "/vectors_gfx1100.tsv", &isa_archs[ISA_ARCH_gfx1100],
                    "v_interp_");
    assert_true(rig.tried > before + 40);
    assert_true(rig.changed[ISA_DATA_BITS] * 100 > rig.marked[ISA_DATA_BITS] * 90);
}

/* v2 = v1 * factor (+ v3), of which v1 is undefined from a bit on: what is of the result. */
static uint32_t undefined_product(unsigned op, uint32_t factor, uint32_t undefined)
{
    static const chk_origin_t from = {.from = CHK_FROM_VGPR, .at = 1};
    const isa_operand_t row = {.kind = ISA_OPK_VGPR, .bits = 32, .sel = 6, .reg = 1};
    isa_inst_t i = {.op = (uint16_t)op, .fmt = ISA_FMT_VOP3A, .dst = row, .src = {row, row, row}};
    isa_row_t u;
    i.dst.reg = 2;
    i.src[1] = (isa_operand_t){.kind = ISA_OPK_CONST, .bits = 32, .sel = 6, .k = factor};
    i.src[2].reg = 3;
    chk_shadow_start(&rig.after, &rig.dispatch, ISA_CODE_FLAT_SCRATCH);
    memset(rig.after.some, 0, sizeof rig.after.some);
    for (unsigned l = 0; l < ISA_LANES; l++)
        u[l] = undefined;
    chk_row_set(&rig.after, 1, ~UINT64_C(0), u, &from);
    set_exec(0);
    assign(&i, 2);
    chk_alu_step(&rig.lab, &rig.after, &rig.wave, &i);
    chk_row_get(&rig.after, 2, u);
    return u[17];
}

static void factors_push_it_up(void **unused)
{
    (void)unused;
    assert_int_equal(undefined_product(ISA_OP_v_mul_lo_u32, 0, ~0u), 0);
    assert_int_equal(undefined_product(ISA_OP_v_mul_lo_u32, 1, 0xf0), 0xfffffff0);
    assert_int_equal(undefined_product(ISA_OP_v_mul_lo_u32, 24, 0xf0), 0xffffff80);
    assert_int_equal(undefined_product(ISA_OP_v_mul_lo_u32, 0x10000, 0xf0000), 0);
    assert_int_equal(undefined_product(ISA_OP_v_mul_u32_u24, 0xff000000, ~0u), 0);
    assert_int_equal(undefined_product(ISA_OP_v_mad_u32_u24, 0, ~0u), 0);
    assert_int_equal(undefined_product(ISA_OP_v_mad_u32_u24, 2, 0x400), 0xfffff800);
}

/* v[0:3] = A * B, with scales of A from v20 and of B from v21, bytes 1 and 2 of them; a byte of v20
 * is undefined in lane 17, of row 1. Returns the lanes of v0, in which row 1 is that of lanes 0 to
 * 15 of v1. */
static uint64_t undefined_scale(unsigned byte, unsigned side, unsigned row)
{
    static const chk_origin_t from = {.from = CHK_FROM_VGPR, .at = 20};
    isa_inst_t scale = {.op = ISA_OP_v_mfma_ld_scale_b32, .fmt = ISA_FMT_VOP3P, .dwords = 2};
    isa_inst_t i = {.op = ISA_OP_v_mfma_f32_16x16x128_f8f6f4, .fmt = ISA_FMT_VOP3P, .dwords = 2};
    isa_row_t u = {[17] = UINT32_C(0xff) << 8 * byte};
    rig.dispatch.arch = &isa_archs[ISA_ARCH_gfx950];
    scale.pc = 0x1000;
    i.pc = 0x1008;
    for (unsigned n = 0; n < 2; n++) {
        scale.src[n] = (isa_operand_t){
            .kind = ISA_OPK_VGPR, .bits = 32, .sel = (uint8_t)(n + 1), .reg = (uint16_t)(20 + n)};
        i.src[n] = (isa_operand_t){
            .kind = ISA_OPK_VGPR, .bits = 256, .sel = 6, .reg = (uint16_t)(4 + 8 * n)};
    }
    i.src[2] = (isa_operand_t){.kind = ISA_OPK_CONST, .bits = 128, .sel = 6};
    i.dst = (isa_operand_t){.kind = ISA_OPK_VGPR, .bits = 128, .sel = 6, .reg = 0};
    chk_shadow_start(&rig.after, &rig.dispatch, ISA_CODE_FLAT_SCRATCH);
    memset(rig.after.some, 0, sizeof rig.after.some);
    chk_row_set(&rig.after, 20 + side, ~UINT64_C(0), u, &from);
    set_exec(0);
    assign(&i, 2);
    chk_alu_step(&rig.lab, &rig.after, &rig.wave, &scale);
    rig.core->handlers[scale.op](&rig.wave, &scale);
    chk_alu_step(&rig.lab, &rig.after, &rig.wave, &i);
    rig.core->handlers[i.op](&rig.wave, &i);
    return rig.after.some[row];
}

static void scales_of_matrices(void **unused)
{
    (void)unused;
    assert_int_equal(undefined_scale(0, 0, 1), 0); /* no scale is read from that byte */
    assert_int_equal(undefined_scale(1, 0, 0), 0);
    assert_int_equal(undefined_scale(1, 0, 1), 0xffff); /* row 1 of the product */
    assert_int_equal(undefined_scale(1, 0, 2), 0);
    assert_int_equal(undefined_scale(1, 1, 1), 0);
    for (unsigned row = 0; row < 4; row++) /* column 1 of it */
        assert_int_equal(undefined_scale(2, 1, row), UINT64_C(0x0002000200020002));
}

/* v_interp_p10_f32 or v_interp_p2_f32 v4, v1, v2, v3, of which v1 or v3 is undefined in lane 4 * l
 * + `lane` of each quad, with EXEC's lanes 4 * l + 3 alone. Returns the undefined lanes of v4. */
static uint64_t undefined_in_quad(unsigned op, unsigned reg, unsigned lane)
{
    static const chk_origin_t from = {.from = CHK_FROM_VGPR, .at = 1};
    const isa_operand_t row = {.kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD, .reg = 1};
    isa_inst_t i = {.op = (uint16_t)op, .fmt = ISA_FMT_VINTERP, .dst = row, .src = {row, row, row}};
    isa_row_t u;
    i.dst.reg = 4;
    i.src[1].reg = 2;
    i.src[2].reg = 3;
    chk_shadow_start(&rig.after, &rig.dispatch, ISA_CODE_FLAT_SCRATCH);
    memset(rig.after.some, 0, sizeof rig.after.some);
    memset(u, 0xff, sizeof u);
    chk_row_set(&rig.after, reg, UINT64_C(0x1111111111111111) << lane, u, &from);
    assign(&i, 2);
    rig.wave.exec = UINT64_C(0x8888888888888888);
    chk_alu_step(&rig.lab, &rig.after, &rig.wave, &i);
    return rig.after.some[4];
}

static void lanes_of_quads(void **unused)
{
    static const uint64_t on = UINT64_C(0x8888888888888888);
    const unsigned first = ISA_OP_v_interp_p10_f32, second = ISA_OP_v_interp_p2_f32;
    (void)unused;
    for (unsigned lane = 0; lane < 4; lane++) {
        assert_int_equal(undefined_in_quad(first, 1, lane), lane == 1 ? on : 0);
        assert_int_equal(undefined_in_quad(first, 2, lane), lane == 3 ? on : 0);
        assert_int_equal(undefined_in_quad(first, 3, lane), lane == 0 ? on : 0);
        assert_int_equal(undefined_in_quad(second, 1, lane), lane == 2 ? on : 0);
        assert_int_equal(undefined_in_quad(second, 3, lane), lane == 3 ? on : 0);
    }
}

enum { PADDING = 1, LDS = 2, RESULT = 3, MASK = 20 };
static const uint64_t last_lanes = UINT64_C(0xfc) << 56;
static const chk_origin_t padding = {.from = CHK_FROM_VGPR, .at = PADDING};
static const chk_origin_t from_lds = {.from = CHK_FROM_LDS, .at = 264, .pc = 0x1000};

/* v1 is undefined in its last six lanes, as padding is, and v2, a value from LDS, in all. */
static void undefine_both(void)
{
    isa_row_t u;
    memset(u, 0xff, sizeof u);
    chk_shadow_start(&rig.after, &rig.dispatch, ISA_CODE_FLAT_SCRATCH);
    memset(rig.after.some, 0, sizeof rig.after.some);
    chk_row_set(&rig.after, PADDING, last_lanes, u, &padding);
    chk_row_set(&rig.after, LDS, ISA_ALL_LANES, u, &from_lds);
    set_exec(0);
}

/* The origin of the result, v3 or s[20:21], of an instruction of these two registers. */
static chk_origin_t origin_of(unsigned op, unsigned first, unsigned second)
{
    const isa_operand_t row = {.kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD};
    const bool compares = isa_table[op].fmt == ISA_FMT_VOPC;
    isa_inst_t i = {
        .op = (uint16_t)op, .fmt = ISA_FMT_VOP3A, .dst = row, .src = {row, row}, .dwords = 2};
    i.dst.reg = RESULT;
    if (compares) i.dst = (isa_operand_t){.kind = ISA_OPK_SGPR, .bits = 64, .reg = MASK};
    i.src[0].reg = (uint16_t)first;
    i.src[1].reg = (uint16_t)second;
    undefine_both();
    assign(&i, 2);
    chk_alu_step(&rig.lab, &rig.after, &rig.wave, &i);
    if (!compares) assert_int_equal(rig.after.some[RESULT], ISA_ALL_LANES);
    if (compares) assert_int_equal(rig.after.scalar[MASK], UINT32_MAX);
    return compares ? rig.after.scalar_from[MASK]
                    : *chk_row_from(&rig.after, RESULT, ISA_ALL_LANES);
}

/* What depends in all lanes on a value from LDS and in a few on padding, too, comes from LDS,
 * whichever of them is the first operand. */
static void most_lanes_name_it(void **unused)
{
    static const unsigned ops[] = {ISA_OP_v_cmp_lt_u32, ISA_OP_v_add_u32, ISA_OP_v_xor_b32,
                                   ISA_OP_v_mul_f32, ISA_OP_v_mul_lo_u32};
    (void)unused;
    rig.dispatch.arch = &isa_archs[ISA_ARCH_gfx90a];
    for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++) {
        assert_int_equal(origin_of(ops[k], PADDING, LDS).from, CHK_FROM_LDS);
        assert_int_equal(origin_of(ops[k], LDS, PADDING).from, CHK_FROM_LDS);
    }
}

/* The lanes that an instruction does not change keep their origin, and neither they nor the lanes
 * that are off name its result. */
static void lanes_that_are_off(void **unused)
{
    static const uint64_t on = 0x1fff;
    const isa_operand_t row = {.kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD};
    isa_inst_t i = {.op = ISA_OP_v_add_u32, .fmt = ISA_FMT_VOP3A, .dst = row, .src = {row, row}};
    isa_row_t u;
    (void)unused;
    undefine_both();
    memset(u, 0xff, sizeof u);
    i.dst.reg = RESULT;
    i.src[0].reg = PADDING;
    i.src[1].reg = LDS;
    chk_row_set(&rig.after, PADDING, ISA_ALL_LANES, u, &padding);
    chk_row_set(&rig.after, RESULT, ISA_ALL_LANES, u, &padding);
    chk_row_set(&rig.after, LDS, ISA_ALL_LANES, u, &padding);
    chk_row_set(&rig.after, LDS, on, u, &from_lds);
    rig.after.some[PADDING] &= ~on | 1;
    rig.start.sgpr[ISA_CODE_EXEC] = (uint32_t)on;
    rig.start.sgpr[ISA_CODE_EXEC + 1] = 0;
    assign(&i, 2);
    chk_alu_step(&rig.lab, &rig.after, &rig.wave, &i);
    assert_int_equal(chk_row_from(&rig.after, LDS, UINT64_C(1) << 20)->from, CHK_FROM_VGPR);
    assert_int_equal(chk_row_from(&rig.after, RESULT, on)->from, CHK_FROM_LDS);
    assert_int_equal(chk_row_from(&rig.after, RESULT, ~on)->from, CHK_FROM_VGPR);
}

/* The origin of v3, undefined before, after SDWA that has v2 in its result, in a few lanes
 * undefined. */
static chk_from_t part_from(uint8_t dst_sel, uint8_t dst_unused)
{
    const isa_operand_t row = {.kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD};
    isa_inst_t i = {.op = ISA_OP_v_or_b32, .fmt = ISA_FMT_VOP2, .dst = row, .src = {row, row}};
    isa_row_t u;
    i.flags = ISA_F_SDWA | (dst_sel == ISA_SEL_DWORD ? 0 : ISA_F_DSTSEL);
    i.dst_sel = dst_sel;
    i.dst_unused = dst_unused;
    i.dst.reg = RESULT;
    i.src[0].reg = i.src[1].reg = LDS;
    undefine_both();
    memset(u, 0xff, sizeof u);
    rig.after.some[LDS] = last_lanes;
    chk_row_set(&rig.after, RESULT, ISA_ALL_LANES, u, &padding);
    assign(&i, 2);
    chk_alu_step(&rig.lab, &rig.after, &rig.wave, &i);
    return chk_row_from(&rig.after, RESULT, last_lanes)->from;
}

/* Who fills the whole register does not name what was there before as the origin. */
static void a_register_that_is_filled(void **unused)
{
    (void)unused;
    for (uint8_t rest = ISA_UNUSED_ZERO; rest <= ISA_UNUSED_KEEP; rest++)
        assert_int_equal(part_from(ISA_SEL_DWORD, rest), CHK_FROM_LDS);
    assert_int_equal(part_from(ISA_SEL_WORD_0, ISA_UNUSED_ZERO), CHK_FROM_LDS);
    assert_int_equal(part_from(ISA_SEL_WORD_0, ISA_UNUSED_SIGN), CHK_FROM_LDS);
    assert_int_equal(part_from(ISA_SEL_WORD_0, ISA_UNUSED_KEEP), CHK_FROM_VGPR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction),        cmocka_unit_test(factors_push_it_up),
        cmocka_unit_test(scales_of_matrices),       cmocka_unit_test(lanes_of_quads),
        cmocka_unit_test(most_lanes_name_it),       cmocka_unit_test(lanes_that_are_off),
        cmocka_unit_test(a_register_that_is_filled)};
    rig.core = isa_core_select();
    rig.dispatch = (isa_dispatch_t){.arch = &isa_archs[ISA_ARCH_gfx90a],
                                    .n_vgpr = ROWS,
                                    .acc_offset = ACC,
                                    .shared_base = UINT64_C(1) << 48,
                                    .private_base = UINT64_C(2) << 48};
    rig.group = (isa_group_t){.dispatch = &rig.dispatch};
    rig.wave = (isa_wave_t){.group = &rig.group, .page = &rig.page, .acc_offset = ACC};
    rig.before.bits = aligned_alloc(64, ROWS * sizeof(isa_row_t));
    rig.after.bits = aligned_alloc(64, ROWS * sizeof(isa_row_t));
    rig.lab.core = rig.core;
    if (!rig.core || !rig.before.bits || !rig.after.bits || !chk_lab_make(&rig.lab)) return 1;
    chk_alu_rules(rig.core);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    chk_lab_free(&rig.lab);
    free(rig.before.bits);
    free(rig.after.bits);
    return failed;
}
