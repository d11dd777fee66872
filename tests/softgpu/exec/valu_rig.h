/* valu_rig.h - a bench for vector instructions: each row of an .inc file is an instruction, its
 * types and a formula on one lane; the bench runs it in every way an encoding can ask for.
 *
 * The model works lane by lane on plain numbers: operands, then modifiers, then the formula, then
 * what happens to results. A program includes this file and then says VALU_TEST_ROWS. */
#ifndef TESTS_ISA_VALU_RIG_H
#define TESTS_ISA_VALU_RIG_H

#include "../../isa/asm.h"
#include "softgpu/exec/code.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- types of operands; p16 and pf16 are two halves, p32 and pf32 two dwords ---- */

typedef enum { none, u16, i16, f16, u32, i32, f32, u64, i64, f64, p16, pf16, p32, pf32 } type_t;

typedef _Float16 half_t;

typedef struct {
    uint64_t a, b, c; /* raw */
    uint64_t old;     /* destination before */
    int lane;
    bool in, out; /* mask bits */
    uint32_t mode;
} lane_t;

typedef struct {
    const char *text; /* D A B C stand for registers */
    type_t d, s[3];
    unsigned flags;
    uint64_t (*ref)(lane_t *x);
} row_t;

enum {
    NAN_RULE = 1,    /* arithmetic: a NaN result is the first NaN operand, or the default NaN */
    KEEP = 2,        /* 16-bit result keeps the upper half */
    OUT = 4,         /* writes a mask */
    CMPX = 8,        /* also to EXEC */
    TIED = 16,       /* third operand is the destination */
    RAW = 32,        /* denormals pass */
    NEAREST = 64,    /* rounds to nearest whatever MODE says */
    ULP = 128,       /* one unit in the last place may differ */
    CLAMPS = 256,    /* formula knows clamp: `clamp` */
    NO_MODS = 512,   /* no neg and abs although the operands are floats */
    FLUSHES = 1024,  /* flushes denormals whatever MODE says */
    UNLIMITED = 2048 /* clamp changes nothing */
};

static bool clamping; /* for formulas of integer instructions */

static inline float as_f32(uint64_t x)
{
    uint32_t y = (uint32_t)x;
    float r;
    memcpy(&r, &y, 4);
    return r;
}
static inline double as_f64(uint64_t x)
{
    double r;
    memcpy(&r, &x, 8);
    return r;
}
static inline half_t as_f16(uint64_t x)
{
    uint16_t y = (uint16_t)x;
    half_t r;
    memcpy(&r, &y, 2);
    return r;
}
static inline uint64_t of_f32(float x)
{
    uint32_t r;
    memcpy(&r, &x, 4);
    return r;
}
static inline uint64_t of_f64(double x)
{
    uint64_t r;
    memcpy(&r, &x, 8);
    return r;
}
static inline uint64_t of_f16(half_t x)
{
    uint16_t r;
    memcpy(&r, &x, 2);
    return r;
}

#define GET_none(x) 0
#define GET_u16(x)  ((uint16_t)(x))
#define GET_i16(x)  ((int16_t)(x))
#define GET_f16(x)  as_f16(x)
#define GET_u32(x)  ((uint32_t)(x))
#define GET_i32(x)  ((int32_t)(x))
#define GET_f32(x)  as_f32(x)
#define GET_u64(x)  ((uint64_t)(x))
#define GET_i64(x)  ((int64_t)(x))
#define GET_f64(x)  as_f64(x)
#define GET_p16(x)  ((uint32_t)(x))
#define GET_pf16(x) ((uint32_t)(x))
#define GET_p32(x)  ((uint64_t)(x))
#define GET_pf32(x) ((uint64_t)(x))
#define PUT_none(x) ((uint64_t)(x))
#define PUT_u16(x)  ((uint64_t)(uint16_t)(x))
#define PUT_i16(x)  ((uint64_t)(uint16_t)(x))
#define PUT_f16(x)  of_f16(x)
#define PUT_u32(x)  ((uint64_t)(uint32_t)(x))
#define PUT_i32(x)  ((uint64_t)(uint32_t)(x))
#define PUT_f32(x)  of_f32(x)
#define PUT_u64(x)  ((uint64_t)(x))
#define PUT_i64(x)  ((uint64_t)(x))
#define PUT_f64(x)  of_f64(x)
#define PUT_p16(x)  ((uint64_t)(uint32_t)(x))
#define PUT_pf16(x) ((uint64_t)(uint32_t)(x))
#define PUT_p32(x)  ((uint64_t)(x))
#define PUT_pf32(x) ((uint64_t)(x))

static inline unsigned type_bits(type_t t)
{
    switch (t) {
    case none: return 0;
    case u16:
    case i16:
    case f16: return 16;
    case u64:
    case i64:
    case f64:
    case p32:
    case pf32: return 64;
    default: return 32;
    }
}
static inline bool type_float(type_t t)
{
    return t == f16 || t == f32 || t == f64;
}
static inline bool type_packed(type_t t)
{
    return t >= p16;
}
static inline bool type_wide(type_t t)
{
    return type_bits(t) == 64;
}

/* ---- NaNs and denormals of one number of a type ---- */

static inline bool is_nan(type_t t, uint64_t x)
{
    if (t == f16) return (x & 0x7fff) > 0x7c00;
    if (t == f32) return (x & 0x7fffffff) > 0x7f800000;
    return t == f64 && (x << 1) > (UINT64_C(0x7ff0000000000000) << 1);
}
static inline uint64_t quiet(type_t t, uint64_t x)
{
    return x | (t == f16 ? 0x200 : t == f32 ? 0x400000 : UINT64_C(0x8000000000000));
}
static inline uint64_t default_nan(type_t t)
{
    return t == f16 ? 0x7e00 : t == f32 ? 0x7fc00000 : UINT64_C(0x7ff8000000000000);
}
static inline uint64_t sign_bit(type_t t)
{
    const unsigned bits = type_bits(t);
    return UINT64_C(1) << (bits - 1);
}
static inline uint64_t flush_one(type_t t, uint64_t x)
{
    if (t == f16) return x & 0x7c00 ? x : x & ~UINT64_C(0x3ff);
    if (t == f32) return x & 0x7f800000 ? x : x & ~UINT64_C(0x7fffff);
    if (t == f64) return x & UINT64_C(0x7ff0000000000000) ? x : x & (UINT64_C(1) << 63);
    if (t == pf16) return flush_one(f16, x & 0xffff) | flush_one(f16, x >> 16 & 0xffff) << 16;
    if (t == pf32) return flush_one(f32, x & 0xffffffff) | flush_one(f32, x >> 32) << 32;
    return x;
}

/* ---- the wave ---- */

enum { RIG_ROWS = 24 };

typedef struct {
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint32_t before[RIG_ROWS][64];
    uint64_t random;
} rig_t;

static rig_t rig;
static isa_page_t no_code; /* messages give addresses in it */

static inline uint64_t rig_random(void)
{
    rig.random ^= rig.random << 13;
    rig.random ^= rig.random >> 7;
    rig.random ^= rig.random << 17;
    return rig.random;
}

/* Numbers that go wrong first. */
static inline uint64_t interesting(type_t t)
{
    static const uint32_t w32[] = {
        0,          1,          2,          31,         32,         33,         63,
        64,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,     0xffff,
        0x7fffff,   0x800000,   0xffffff,   0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
        0xfffffffe, 0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb, 0x4f000000, 0xcf000000,
        0x4f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffa00000,
        0x007fffff, 0x807fffff, 0x00000001, 0x7f7fffff, 0xff7fffff, 0x4b000001, 0x3effffff,
        0x41200000, 0x477fe000, 0x477ff000, 0x33800000, 0x38800000, 0x387fffff, 0x33000001,
        0x7e800000, 0xc2c80000};
    static const uint16_t w16[] = {0,      1,      0x8000, 0x8001, 0x3ff,  0x400,  0x83ff,
                                   0x3c00, 0xbc00, 0x3800, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                   0x7e00, 0xfe55, 0x7c01, 0xfd00, 0x4000, 0x3555, 0xffff,
                                   0x7fff, 15,     16,     0x5bff};
    static const uint64_t w64[] = {0,
                                   1,
                                   UINT64_C(1) << 63,
                                   UINT64_MAX,
                                   UINT64_C(0x7fffffffffffffff),
                                   UINT64_C(0x3ff0000000000000),
                                   UINT64_C(0xbff0000000000000),
                                   UINT64_C(0x7ff0000000000000),
                                   UINT64_C(0xfff0000000000000),
                                   UINT64_C(0x7ff8000000000000),
                                   UINT64_C(0xfff8123456789abc),
                                   UINT64_C(0x7ff0000000000001),
                                   UINT64_C(0x000fffffffffffff),
                                   UINT64_C(0x8000000000000001),
                                   UINT64_C(0x7fefffffffffffff),
                                   UINT64_C(0x41dfffffffc00000),
                                   UINT64_C(0xc1e0000000000000),
                                   UINT64_C(0x41efffffffe00000),
                                   UINT64_C(0x3fe0000000000000),
                                   UINT64_C(0x4340000000000001),
                                   UINT64_C(0x36a0000000000000),
                                   UINT64_C(0x47efffffe0000000),
                                   UINT64_C(0x380fffffe0000000),
                                   0xffffffff,
                                   UINT64_C(0x100000000)};
    const uint64_t r = rig_random(), pick = r >> 32;
    switch (type_bits(t)) {
    case 16: return w16[pick % (sizeof w16 / sizeof *w16)] | (r & 0xffff) << 16;
    case 32:
        if (t == p16 || t == pf16)
            return w16[pick % (sizeof w16 / sizeof *w16)] |
                   (uint64_t)w16[(r & 0xffff) % (sizeof w16 / sizeof *w16)] << 16;
        return w32[pick % (sizeof w32 / sizeof *w32)];
    default:
        if (t == p32 || t == pf32)
            return w32[pick % (sizeof w32 / sizeof *w32)] |
                   (uint64_t)w32[(r & 0xffff) % (sizeof w32 / sizeof *w32)] << 32;
        return w64[pick % (sizeof w64 / sizeof *w64)];
    }
}

/* Half of the lanes interesting numbers, a quarter near each other in size, a quarter any bits. */
static inline uint64_t any_value(type_t t)
{
    const uint64_t r = rig_random();
    switch (rig_random() & 3) {
    case 0:
    case 1: return interesting(t);
    case 2:
        if (t == f32 || t == pf32)
            return (r & UINT64_C(0x83ffffff83ffffff)) | UINT64_C(0x3c0000003c000000);
        if (t == f64) return (r & UINT64_C(0x801fffffffffffff)) | UINT64_C(0x3fe0000000000000);
        if (t == f16 || t == pf16) return (r & 0x87ff87ff) | 0x38003800;
        return r & 0x3f;
    default: return r;
    }
}

static inline void set_row(unsigned reg, type_t t)
{
    for (int l = 0; l < 64; l++) {
        const uint64_t x = any_value(t);
        rig.before[reg][l] = (uint32_t)x;
        if (type_wide(t)) rig.before[reg + 1][l] = (uint32_t)(x >> 32);
    }
}

static inline uint64_t get_row(const uint32_t (*rows)[64], unsigned reg, int l, type_t t)
{
    return rows[reg][l] | (type_wide(t) ? (uint64_t)rows[reg + 1][l] << 32 : 0);
}

/* ---- operands as the model sees them ---- */

static inline int dpp_lane(unsigned ctrl, int l)
{
    const int n = ctrl & 15, in = l % 16, row = l - in;
    if (ctrl < 0x100) return l / 4 * 4 + (int)(ctrl >> (2 * (l % 4)) & 3);
    if (ctrl > 0x100 && ctrl < 0x110) return in + n > 15 ? -1 : l + n;
    if (ctrl > 0x110 && ctrl < 0x120) return in - n < 0 ? -1 : l - n;
    if (ctrl > 0x120 && ctrl < 0x130) return row + (in + 16 - n) % 16;
    if (ctrl == 0x130) return l == 63 ? -1 : l + 1;
    if (ctrl == 0x134) return (l + 1) % 64;
    if (ctrl == 0x138) return l == 0 ? -1 : l - 1;
    if (ctrl == 0x13c) return (l + 63) % 64;
    if (ctrl == 0x140) return row + 15 - in;
    if (ctrl == 0x141) return l / 8 * 8 + 7 - l % 8;
    if (ctrl == 0x142) return row == 0 ? -1 : row - 1;
    if (ctrl == 0x143) return l < 32 ? -1 : 31;
    return row + n; /* 0x150.. */
}

static inline uint64_t sdwa_part(uint64_t x, unsigned sel, bool sext)
{
    if (sel < 4) return sext ? (uint32_t)(int8_t)(x >> 8 * sel) : (x >> 8 * sel & 0xff);
    if (sel < 6)
        return sext ? (uint32_t)(int16_t)(x >> 16 * (sel - 4)) : (x >> 16 * (sel - 4) & 0xffff);
    return x;
}

/* Raw value of source n for lane l; false if a DPP source is not there. */
static inline bool operand(const row_t *row, const isa_inst_t *i, unsigned n, int l,
                           uint64_t *value)
{
    const type_t t = row->s[n];
    const isa_operand_t *o = &i->src[n];
    const bool tied = n == 2 && row->flags & TIED;
    bool there = true;
    uint64_t x;
    if (tied) {
        x = get_row(rig.before, i->dst.reg, l, t);
    } else if (o->kind == ISA_OPK_VGPR) {
        int from = l;
        if (n == 0 && i->flags & ISA_F_DPP) {
            from = dpp_lane(i->dpp_ctrl, l);
            there = from >= 0 && rig.wave.exec >> from & 1;
        }
        x = there ? get_row(rig.before, o->reg, from, t) : 0;
    } else if (o->kind == ISA_OPK_SGPR) {
        x = rig.wave.sgpr[o->reg] | (type_wide(t) ? (uint64_t)rig.wave.sgpr[o->reg + 1] << 32 : 0);
    } else {
        x = o->k;
    }
    if (!tied) {
        if (i->flags & ISA_F_SDWA)
            x = sdwa_part(x, o->sel, o->mods & ISA_MOD_SEXT);
        else if (type_bits(t) == 16 && i->fmt == ISA_FMT_VOP3A && o->sel & 1)
            x >>= 16;
        if (type_packed(t) && i->fmt == ISA_FMT_VOP3P) {
            const unsigned half = type_bits(t) / 2;
            const uint64_t mask = (UINT64_C(1) << half) - 1;
            uint64_t low = x >> (o->sel & 1 ? half : 0) & mask,
                     high = x >> (o->sel & 2 ? half : 0) & mask;
            if (o->mods & ISA_MOD_NEG) low ^= UINT64_C(1) << (half - 1);
            if (o->mods & ISA_MOD_ABS) high ^= UINT64_C(1) << (half - 1);
            x = low | high << half;
        } else if (!type_packed(t)) {
            if (o->mods & ISA_MOD_ABS) x &= ~sign_bit(t);
            if (o->mods & ISA_MOD_NEG) x ^= sign_bit(t);
        }
    }
    const unsigned field = t == f32 || t == pf32 ? 4 : 6;
    if (!(row->flags & RAW) && !(rig.wave.mode >> field & 1)) x = flush_one(t, x);
    *value = x;
    return there;
}

static inline uint64_t nan_rule(const row_t *row, const lane_t *x, uint64_t r)
{
    const uint64_t s[3] = {x->a, x->b, x->c};
    if (!is_nan(row->d, r)) return r;
    for (unsigned n = 0; n < 3; n++)
        if (row->s[n] == row->d && is_nan(row->d, s[n])) {
            const uint64_t m = row->d == f16 ? 0xffff : row->d == f32 ? 0xffffffff : UINT64_MAX;
            return quiet(row->d, s[n] & m);
        }
    return default_nan(row->d);
}

static inline uint64_t clamp_omod(const row_t *row, uint64_t r, const isa_inst_t *i, uint32_t mode)
{
    static const double factor[4] = {1, 2, 4, 0.5};
    const type_t t = row->d;
    const bool keeps = mode >> (t == f32 ? 5 : 7) & 1;
    const double f = factor[keeps || mode >> 9 & 1 ? 0 : i->omod];
    const bool clamp = i->flags & ISA_F_CLAMP && !(row->flags & UNLIMITED);
    if (!type_float(t)) return r;
    if (is_nan(t, r)) return clamp && mode >> 8 & 1 ? 0 : r;
    double x = t == f16 ? (double)as_f16(r) : t == f32 ? (double)as_f32(r) : as_f64(r);
    x *= f;
    if (clamp) x = x > 1 ? 1 : x > 0 ? x : 0;
    return t == f16 ? of_f16((half_t)x) : t == f32 ? of_f32((float)x) : of_f64(x);
}

/* What lane l should hold afterwards; *written says whether it is written at all. */
static inline uint64_t model(const row_t *row, const isa_inst_t *i, int l, bool *written, bool *out)
{
    static const int host_round[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    lane_t x = {.lane = l, .mode = rig.wave.mode};
    bool there = true;
    const type_t t = row->d;
    if (row->s[0]) there = operand(row, i, 0, l, &x.a);
    if (row->s[1]) operand(row, i, 1, l, &x.b);
    if (row->s[2]) operand(row, i, 2, l, &x.c);
    x.old = t ? get_row(rig.before, i->dst.reg, l, t) : 0;
    x.in = rig.wave.vcc >> l & 1;
    *written = rig.wave.exec >> l & 1;
    if (i->flags & ISA_F_DPP) {
        if (!there && !i->dpp_bound) *written = false;
        if (!(i->dpp_masks >> (4 + l / 16) & 1) || !(i->dpp_masks >> (l % 16 / 4) & 1))
            *written = false;
    }
    clamping = i->flags & ISA_F_CLAMP;
    const bool single = t == f32 || t == pf32 || (!type_float(t) && t != pf16 && row->s[0] == f32);
    fesetround(row->flags & NEAREST ? FE_TONEAREST
                                    : host_round[rig.wave.mode >> (single ? 0 : 2) & 3]);
    uint64_t r = row->ref(&x);
    fesetround(FE_TONEAREST);
    *out = x.out;
    if (row->flags & NAN_RULE) r = nan_rule(row, &x, r);
    if (!(row->flags & RAW) && !(rig.wave.mode >> (t == f32 || t == pf32 ? 5 : 7) & 1))
        r = flush_one(t, r);
    if (i->flags & ISA_F_CLAMP || i->omod) {
        r = clamp_omod(row, r, i, rig.wave.mode);
        if (!(row->flags & RAW) && !(rig.wave.mode >> (t == f32 || t == pf32 ? 5 : 7) & 1))
            r = flush_one(t, r);
    }
    if (i->flags & ISA_F_SDWA) {
        if (i->dst_sel == 6) return r;
        const unsigned width = i->dst_sel < 4 ? 8 : 16;
        const unsigned at = i->dst_sel < 4 ? 8 * i->dst_sel : 16 * (i->dst_sel - 4u);
        const uint64_t mask = ((UINT64_C(1) << width) - 1) << at;
        uint64_t y = r << at & mask;
        if (i->dst_unused == 2) y |= x.old & ~mask;
        if (i->dst_unused == 1 && r >> (width - 1) & 1)
            y |= UINT64_C(0xffffffff) << (at + width) & 0xffffffff;
        return y;
    }
    if (type_bits(t) == 16) {
        if (i->fmt == ISA_FMT_VOP3A && i->op_sel & 8) return (x.old & 0xffff) | r << 16;
        if (row->flags & KEEP) return (x.old & 0xffff0000) | r;
    }
    return r;
}

/* ---- one run ---- */

static inline int64_t ordered(type_t t, uint64_t x)
{
    const uint64_t sign = sign_bit(t), magnitude = x & (sign - 1);
    return x & sign ? -(int64_t)magnitude : (int64_t)magnitude;
}

static inline bool close_enough(const row_t *row, uint64_t want, uint64_t have)
{
    if (want == have) return true;
    if (!(row->flags & ULP) || is_nan(row->d, want) || is_nan(row->d, have)) return false;
    const int64_t far = ordered(row->d, want) - ordered(row->d, have);
    return far >= -1 && far <= 1;
}

static inline void run_once(const isa_core_t *core, const row_t *row, const isa_inst_t *i,
                            const char *how)
{
    isa_wave_t *w = &rig.wave;
    memcpy(rig.rows, rig.before, sizeof rig.before);
    const uint64_t exec = w->exec, vcc = w->vcc;
    uint64_t want_out = 0;
    w->stop = 0;
    w->message[0] = 0;
    core->handlers[i->op](w, i);
    const uint64_t have_exec = w->exec, have_vcc = w->vcc;
    w->exec = exec;
    w->vcc = vcc;
    if (w->stop) fail_msg("%s (%s, %s): stopped: %s", row->text, how, core->name, w->message);
    for (int l = 0; l < 64; l++) {
        bool written, out;
        const uint64_t want = model(row, i, l, &written, &out);
        want_out |= (uint64_t)(out && written) << l;
        if (!row->d) continue;
        const uint64_t have = get_row(rig.rows, i->dst.reg, l, row->d);
        const uint64_t old = get_row(rig.before, i->dst.reg, l, row->d);
        if (written ? !close_enough(row, want, have) : have != old) {
            uint64_t s[3] = {0};
            for (unsigned n = 0; n < 3; n++)
                if (row->s[n]) operand(row, i, n, l, &s[n]);
            fail_msg("%s (%s, %s): lane %d of (0x%llx, 0x%llx, 0x%llx), old 0x%llx, vcc %d, mode "
                     "0x%x is 0x%llx, not 0x%llx",
                     row->text, how, core->name, l, (unsigned long long)s[0],
                     (unsigned long long)s[1], (unsigned long long)s[2], (unsigned long long)old,
                     (int)(vcc >> l & 1), w->mode, (unsigned long long)have,
                     (unsigned long long)(written ? want : old));
        }
    }
    if (row->flags & OUT && have_vcc != want_out)
        fail_msg("%s (%s, %s): mask is 0x%llx, not 0x%llx", row->text, how, core->name,
                 (unsigned long long)have_vcc, (unsigned long long)want_out);
    if (!(row->flags & OUT) && have_vcc != vcc) fail_msg("%s changes VCC", row->text);
    if (have_exec != (row->flags & CMPX ? want_out : exec))
        fail_msg("%s: EXEC is wrong", row->text);
    for (unsigned r = 0; r < RIG_ROWS; r++)
        if ((!row->d || r < i->dst.reg || r > i->dst.reg + (unsigned)type_wide(row->d)) &&
            memcmp(rig.rows[r], rig.before[r], sizeof rig.rows[r]))
            fail_msg("%s (%s): v%u changes", row->text, how, r);
}

static inline void fresh(const row_t *row, const isa_inst_t *i)
{
    for (unsigned r = 0; r < RIG_ROWS; r++)
        set_row(r, u32);
    for (unsigned n = 0; n < 3; n++) {
        if (row->s[n] && n == 2 && row->flags & TIED)
            set_row(i->dst.reg, row->s[n]);
        else if (row->s[n] && i->src[n].kind == ISA_OPK_VGPR)
            set_row(i->src[n].reg, row->s[n]);
    }
    for (unsigned k = 0; k < 102; k++)
        rig.wave.sgpr[k] = (uint32_t)rig_random();
    rig.wave.vcc = rig_random();
}

enum { PLAIN_MODE = 0x3f0 }; /* denormals kept, nearest, IEEE, DX10 clamp */

/* Every variation of one instruction on one core. */
static inline void vary(const isa_core_t *core, const row_t *row, const isa_inst_t *decoded)
{
    isa_inst_t i = *decoded;
    isa_wave_t *w = &rig.wave;
    const bool vop3_only = i.fmt != ISA_FMT_VOP1 && i.fmt != ISA_FMT_VOP2 && i.fmt != ISA_FMT_VOPC;
    const unsigned n_src = row->flags & TIED || !row->s[2] ? (row->s[1]   ? 2
                                                              : row->s[0] ? 1
                                                                          : 0)
                                                           : 3;
    bool has_float = false, small = true;
#define RUN(how) (fresh(row, &i), run_once(core, row, &i, how))
    for (unsigned n = 0; n < 3; n++) {
        has_float |= type_float(row->s[n]) || row->s[n] >= pf16;
        small &= type_bits(row->s[n]) <= 32 && !type_packed(row->s[n]);
    }
    has_float |= type_float(row->d);
    small &= type_bits(row->d) <= 32 && !type_packed(row->d);
    w->mode = PLAIN_MODE;
    w->exec = UINT64_MAX;
    for (unsigned k = 0; k < 6; k++)
        RUN("all lanes");
    for (unsigned k = 0; k < 3; k++) {
        w->exec = rig_random();
        RUN("some lanes");
    }
    w->exec = 0;
    RUN("no lane");
    w->exec = UINT64_MAX;
    for (unsigned n = 0; n < n_src; n++) {
        i.src[n] = (isa_operand_t){.kind = ISA_OPK_SGPR, .reg = 10, .sel = decoded->src[n].sel};
        RUN("scalar source");
        i.src[n] = (isa_operand_t){
            .kind = ISA_OPK_CONST, .k = interesting(row->s[n]), .sel = decoded->src[n].sel};
        RUN("constant source");
        i.src[n].k = type_bits(row->s[n]) == 64 ? UINT64_MAX : UINT32_MAX;
        RUN("all bits");
        i = *decoded;
        i.dst.reg = i.src[n].reg;
        if (row->d) {
            RUN("in place");
            w->exec = rig_random();
            RUN("in place, some lanes");
            w->exec = UINT64_MAX;
        }
        i = *decoded;
    }
    for (unsigned k = 0; has_float && !(row->flags & NO_MODS) && k < 8; k++) {
        if (i.fmt != ISA_FMT_VOP3P && i.fmt != ISA_FMT_VOP3B) i.fmt = ISA_FMT_VOP3A;
        i.flags |= ISA_F_SRCMOD;
        for (unsigned n = 0; n < n_src; n++)
            if (type_float(row->s[n]))
                i.src[n].mods = (uint8_t)(rig_random() & (i.fmt == ISA_FMT_VOP3P ? 1 : 3));
        RUN("neg and abs");
        i = *decoded;
    }
    for (unsigned k = 0; i.fmt == ISA_FMT_VOP3P && k < 8; k++) {
        i.flags |= ISA_F_SRCMOD;
        for (unsigned n = 0; n < n_src; n++)
            if (type_packed(row->s[n])) {
                i.src[n].sel = rig_random() & 3;
                i.src[n].mods = row->s[n] == pf16 || row->s[n] == pf32 ? rig_random() & 3 : 0;
            }
        RUN("op_sel");
        i = *decoded;
    }
    for (unsigned k = 0; type_float(row->d) && !(row->flags & RAW) && k < 4; k++) {
        i.flags |= ISA_F_CLAMP;
        w->mode = k & 1 ? PLAIN_MODE : PLAIN_MODE & ~0x100;
        RUN("clamp");
        i.flags = decoded->flags;
        i.omod = (uint8_t)k;
        if (k) i.flags |= ISA_F_OMOD;
        w->mode = 0x150;
        RUN("omod");
        i = *decoded;
        w->mode = PLAIN_MODE;
    }
    if (row->flags & CLAMPS) {
        i.flags |= ISA_F_CLAMP;
        for (unsigned k = 0; k < 4; k++)
            RUN("integer clamp");
        i = *decoded;
    }
    for (unsigned k = 0; has_float && k < 8; k++) {
        w->mode = (k & 3 ? 0x300 : 0) | (k & 4 ? 0xf0 : 0) | (rig_random() & 0xf0);
        RUN("denormal modes");
        w->mode = PLAIN_MODE | (k & 3) | (k & 3) << 2;
        if (!(row->flags & ULP)) RUN("rounding modes");
        w->mode = PLAIN_MODE;
    }
    for (unsigned k = 0; type_bits(row->d) == 16 && vop3_only && k < 4; k++) {
        i.flags |= ISA_F_SRCMOD | ISA_F_DSTSEL;
        i.op_sel = rig_random() & 8;
        for (unsigned n = 0; n < n_src; n++)
            if (type_bits(row->s[n]) == 16) i.src[n].sel = rig_random() & 1;
        RUN("VOP3 op_sel");
        i = *decoded;
    }
    for (unsigned k = 0; !vop3_only && small && !(row->flags & TIED) && k < 16; k++) {
        i.flags |= ISA_F_SDWA | ISA_F_SRCMOD | ISA_F_DSTSEL;
        for (unsigned n = 0; n < n_src; n++) {
            i.src[n].sel = (uint8_t)(rig_random() % 7);
            i.src[n].mods = type_float(row->s[n]) ? rig_random() & 3 : rig_random() & ISA_MOD_SEXT;
        }
        i.dst_sel = row->d ? (uint8_t)(rig_random() % 7) : 6;
        i.dst_unused = (uint8_t)(rig_random() % 3);
        w->exec = rig_random() | rig_random();
        RUN("SDWA");
        i = *decoded;
        w->exec = UINT64_MAX;
    }
    static const uint16_t controls[] = {0x000, 0x1b,  0xe4,  0x101, 0x10f, 0x111, 0x118,
                                        0x121, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140,
                                        0x141, 0x142, 0x143, 0x150, 0x15f, 0x153};
    for (unsigned k = 0; !vop3_only && i.fmt != ISA_FMT_VOPC && i.src[0].kind == ISA_OPK_VGPR &&
                         k < sizeof controls / sizeof *controls;
         k++) {
        i.flags |= ISA_F_DPP;
        i.dpp_ctrl = controls[k];
        i.dpp_bound = rig_random() & 1;
        i.dpp_masks = rig_random() & 1 ? 0xff : (uint8_t)rig_random();
        w->exec = rig_random() & 1 ? UINT64_MAX : rig_random() | rig_random();
        RUN("DPP");
        i = *decoded;
        w->exec = UINT64_MAX;
    }
#undef RUN
}

/* "v_add_u32 D, A, B" with registers for the letters. */
static inline void write_text(const row_t *row, char *out)
{
    static const unsigned reg[4] = {10, 2, 4, 6};
    for (const char *p = row->text; *p; p++) {
        const char *letter = strchr("DABC", *p);
        const bool alone = p > row->text && p[-1] == ' ' && (p[1] == ',' || !p[1] || p[1] == ' ');
        if (!letter || !alone) {
            *out++ = *p;
            continue;
        }
        const unsigned k = (unsigned)(letter - "DABC");
        const type_t t = k ? row->s[k - 1] : row->d;
        out += type_wide(t) ? sprintf(out, "v[%u:%u]", reg[k], reg[k] + 1)
                            : sprintf(out, "v%u", reg[k]);
    }
    strcpy(out, "\n");
}

static inline void test_rows(const row_t *rows, unsigned n)
{
    static const char *const cores[] = {"base", "avx2", "avx512"};
    const char *wish = getenv("VALU_TEST_ROUNDS"); /* many, to look for rare failures */
    const unsigned rounds = wish ? (unsigned)atoi(wish) : 4;
    char *text = calloc(n, 128);
    char *at = text;
    uint32_t *words;
    size_t used = 0;
    for (unsigned k = 0; k < n; k++) {
        write_text(&rows[k], at);
        at += strlen(at);
    }
    const size_t n_words = asm_words(text, &words);
    assert_true(n_words > 0);
    rig.dispatch.arch = ASM_ARCH;
    rig.group.dispatch = &rig.dispatch;
    rig.wave.group = &rig.group;
    rig.wave.vgpr = rig.rows;
    rig.wave.page = &no_code;
    for (unsigned k = 0; k < n; k++) {
        isa_inst_t i = {.op = 0};
        const int size = isa_decode(ASM_ARCH, words + used, (unsigned)(n_words - used), &i);
        if (size <= 0) fail_msg("%s does not decode", rows[k].text);
        used += (size_t)size;
        for (unsigned c = 0; c < 3; c++) {
            const isa_core_t *core = isa_core_by_name(cores[c]);
            if (!core) continue;
            if (!core->handlers[i.op]) fail_msg("%s has no handler", rows[k].text);
            rig.random = UINT64_C(0x9e3779b97f4a7c15) + k;
            for (unsigned round = 0; round < rounds; round++)
                vary(core, &rows[k], &i);
        }
    }
    assert_int_equal(used, n_words);
    free(words);
    free(text);
}

/* A row's formula becomes a function named after its line. */
#define ROW_NAME_(line) ref_##line
#define ROW_NAME(line)  ROW_NAME_(line)
#define ROW_FUNCTION(text, D, A, B, C, flags, expr)                                                \
    static uint64_t ROW_NAME(__LINE__)(lane_t * x)                                                 \
    {                                                                                              \
        __auto_type a = GET_##A(x->a);                                                             \
        __auto_type b = GET_##B(x->b);                                                             \
        __auto_type c = GET_##C(x->c);                                                             \
        (void)a, (void)b, (void)c;                                                                 \
        return PUT_##D(expr);                                                                      \
    }
#define ROW_ENTRY(text, D, A, B, C, flags, expr) {text, D, {A, B, C}, flags, ROW_NAME(__LINE__)},

#endif
