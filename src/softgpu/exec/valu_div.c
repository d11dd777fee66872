/* valu_div.c - the three instructions that frame a division: div_scale, div_fmas, div_fixup. */
#include "softgpu/exec/valu_float.h"

/* Between div_scale and div_fmas, software refines a reciprocal. Operands that are scaled are
 * special cases, which are written lane by lane on bit patterns. Ordinary operands, which need none
 * of them, are recognised by their exponents alone, all lanes at once. So are zeros, which are
 * frequent: div_scale makes NaNs of them, and div_fixup the quotient. The scale is 2^64 for f32 and
 * 2^128 for f64. */

enum {
    SCALE_32 = 64, /* of div_scale and div_fmas */
    SCALE_64 = 128,
    OVERFLOW_32 = 96, /* exponent difference from which the quotient nears infinity */
    OVERFLOW_64 = 768,
    TINY_32 = 23, /* numerators up to this exponent are scaled */
    TINY_64 = 53
};

/* The numbers in which f32 and f64 differ. */
typedef struct {
    uint64_t infinity, quiet, default_nan, sign;
    int mantissa, max_exponent, bias;
    int scale, overflow, tiny;
    int round_shift; /* of the rounding field in MODE */
} format_t;

static const format_t F32 = {FPU_INF32, 0x400000, FPU_NAN32,   0x80000000, 23, 255,
                             127,       SCALE_32, OVERFLOW_32, TINY_32,    0};
static const format_t F64 = {FPU_INF64, FPU_QUIET64, FPU_NAN64,   FPU_SIGN64, 52, 2047,
                             1023,      SCALE_64,    OVERFLOW_64, TINY_64,    2};

static int exponent_of(uint64_t x, const format_t *f)
{
    return (int)(x >> f->mantissa & (uint64_t)f->max_exponent);
}

static bool is_nan(uint64_t x, const format_t *f)
{
    return (x & ~f->sign) > f->infinity;
}

static bool is_zero(uint64_t x, const format_t *f)
{
    return !(x & ~f->sign);
}

static bool is_denormal(uint64_t x, const format_t *f)
{
    return !exponent_of(x, f) && !is_zero(x, f);
}

static uint64_t ldexp_of(uint64_t x, int n, const format_t *f)
{
    return f == &F32 ? fpu_ldexp32((uint32_t)x, n, FPU_NEAREST) : fpu_ldexp64(x, n, FPU_NEAREST);
}

/* x / y by the host's division, which is exact IEEE arithmetic. */
static uint64_t quotient(uint64_t x, uint64_t y, const format_t *f)
{
    return f == &F32 ? fpu_bits32(fpu_f32((uint32_t)x) / fpu_f32((uint32_t)y))
                     : fpu_bits64(fpu_f64(x) / fpu_f64(y));
}

static uint64_t one(const format_t *f)
{
    return (uint64_t)f->bias << f->mantissa;
}

/* x is the operand to scale: the denominator or the numerator. The manual says to scale a
 * denominator up if both its reciprocal and the quotient are denormal. Such a denominator is so
 * large that scaling it up would overflow: it is scaled down here, which gives right quotients. */
static uint64_t div_scale(uint64_t x, uint64_t den, uint64_t num, const format_t *f, bool *post)
{
    *post = false;
    if (is_nan(x, f)) return x | f->quiet;
    if (is_zero(num, f) || is_zero(den, f)) return f->default_nan;
    if (exponent_of(num, f) - exponent_of(den, f) >= f->overflow) {
        *post = true;
        return x == den ? ldexp_of(x, f->scale, f) : x;
    }
    if (is_denormal(den, f)) return ldexp_of(x, f->scale, f);
    const bool small_reciprocal = is_denormal(quotient(one(f), den, f), f);
    /* A quotient that rounds to 0 needs the scaling as much as a denormal one does. */
    const uint64_t q = quotient(num, den, f);
    const bool small_quotient = !exponent_of(q, f);
    if (small_reciprocal && small_quotient) {
        *post = true;
        return x == den ? ldexp_of(x, -f->scale, f) : x;
    }
    if (small_reciprocal) return ldexp_of(x, -f->scale, f);
    if (small_quotient) {
        *post = true;
        return x == num ? ldexp_of(x, f->scale, f) : x;
    }
    return exponent_of(num, f) <= f->tiny ? ldexp_of(x, f->scale, f) : x;
}

static uint64_t first_nan(uint64_t a, uint64_t b, uint64_t c, const format_t *f)
{
    const uint64_t x = is_nan(a, f) ? a : is_nan(b, f) ? b : is_nan(c, f) ? c : f->default_nan;
    return x | f->quiet;
}

/* fma, then the quotient scaled back: the size of the addend says in which direction. */
static uint64_t div_fmas(uint64_t a, uint64_t b, uint64_t c, uint32_t round, const format_t *f)
{
    const int scale = exponent_of(c, f) > f->bias ? f->scale : -f->scale;
    const uint64_t r = f == &F32
                           ? fpu_fma_scaled32((uint32_t)a, (uint32_t)b, (uint32_t)c, scale, round)
                           : fpu_fma_scaled64(a, b, c, scale, round);
    return is_nan(r, f) ? first_nan(a, b, c, f) : r;
}

/* ---- ordinary operands: their exponents exclude the special cases ----
 *
 * Zeros and NaNs apart, only the dword with the exponent is read. `highest` and `down` are lower
 * than need be: the few ordinary operands beyond them are treated as special cases, with the same
 * result. */

typedef struct {
    unsigned shift, top;    /* position of the exponent in its dword; the exponent of infinity */
    unsigned tiny, highest; /* num from tiny + 1, den up to highest (its reciprocal is normal) */
    unsigned up, down;      /* num - den less than up, at least -down */
    int least;              /* num - den less than this: the quotient is 0 */
    unsigned scale;         /* of div_scale */
    uint32_t quiet;         /* of the dword with the exponent: the bit of quiet NaNs */
} ordinary_t;

static const ordinary_t PLAIN32 = {23,  255,  TINY_32,  250,     OVERFLOW_32,
                                   120, -150, SCALE_32, 0x400000},
                        PLAIN64 = {20,   2047,  TINY_64,  2040,   OVERFLOW_64,
                                   1000, -1075, SCALE_64, 0x80000};

enum { POSITIVE = 0x7fffffff }; /* the sign is left out */

/* The dword with the exponent of a number, and the other one, or 0 if there is none. */
typedef struct {
    uint32_t high, low;
} dwords_t;

static inline bool has_nan(dwords_t x, const ordinary_t *p)
{
    const uint32_t magnitude = x.high & POSITIVE, infinity = p->top << p->shift;
    return (magnitude > infinity) | ((magnitude == infinity) & (x.low != 0));
}

static inline bool has_infinity(dwords_t x, const ordinary_t *p)
{
    return ((x.high & POSITIVE) == p->top << p->shift) & !x.low;
}

static inline bool has_zero(dwords_t x)
{
    return !((x.high & POSITIVE) | x.low);
}

static inline dwords_t pick(bool first, dwords_t a, dwords_t b)
{
    return (dwords_t){first ? a.high : b.high, first ? a.low : b.low};
}

static inline dwords_t quieted(dwords_t x, const ordinary_t *p)
{
    return (dwords_t){x.high | p->quiet, x.low};
}

/* Whether div_scale may have to change the lane. The numerator's exponent may be neither that of
 * inf and NaN nor a tiny one, the denominator's neither that of inf and NaN nor that of 0. */
static inline bool extraordinary(uint32_t x, uint32_t den, uint32_t num, const ordinary_t *p)
{
    const uint32_t ex = x >> p->shift & p->top, ed = den >> p->shift & p->top,
                   en = num >> p->shift & p->top;
    return (ex == p->top) | (en - p->tiny - 1 >= p->top - p->tiny - 1) | (ed - 1 >= p->highest) |
           (en - ed + p->down >= p->up + p->down);
}

/* What div_scale makes of x, which is no NaN, where num or den is one and no operand has to be
 * rounded. */
typedef struct {
    bool is;        /* whether this is such a lane */
    bool post;      /* its bit of VCC */
    uint32_t scale; /* is added to the dword with the exponent of x */
} odd_t;

/* A numerator that is a NaN, or an infinity, has the exponent of a great number, for which a
 * denominator is scaled up; for a denominator that is a NaN nothing is. */
static inline odd_t scaled_for_nan(dwords_t x, dwords_t den, dwords_t num, const ordinary_t *p)
{
    const uint32_t ed = den.high >> p->shift & p->top, en = num.high >> p->shift & p->top;
    const bool great = (en == p->top) & (ed - 1 < p->highest);
    const bool post = great & (p->top - ed >= p->up);
    const bool is_den = (x.high == den.high) & (x.low == den.low);
    return (odd_t){.is = great | (has_nan(den, p) & (en > p->tiny)),
                   .post = post,
                   .scale = post & is_den ? p->scale << p->shift : 0};
}

/* Whether div_fixup has only to set the sign: the quotient is neither inf nor NaN, and the operands
 * are normal numbers, whose quotient is not too small. */
static inline bool unfixed(uint32_t q, uint32_t den, uint32_t num, const ordinary_t *p)
{
    const uint32_t eq = q >> p->shift & p->top, ed = den >> p->shift & p->top,
                   en = num >> p->shift & p->top;
    return (eq != p->top) & (en - 1 < p->top - 1) & (ed - 1 < p->top - 1) &
           (en - ed + p->down < p->top + p->down);
}

/* div_fixup for any operands, without branches. */
static inline dwords_t fixed(dwords_t q, dwords_t den, dwords_t num, const ordinary_t *p)
{
    const uint32_t sign = (den.high ^ num.high) & ~(uint32_t)POSITIVE, inf = p->top << p->shift;
    const int more = (int)(num.high >> p->shift & p->top) - (int)(den.high >> p->shift & p->top);
    const bool zero_den = has_zero(den), zero_num = has_zero(num);
    const bool inf_den = has_infinity(den, p), inf_num = has_infinity(num, p);
    const dwords_t zero = {sign, 0}, infinity = {sign | inf, 0},
                   nan = {~(uint32_t)POSITIVE | inf | p->quiet, 0};
    dwords_t r = {sign | (q.high & POSITIVE), q.low};
    /* of ordinary numbers, a NaN comes from the refinement: an overflow in it made inf - inf */
    r = pick(has_nan(q, p), infinity, r);
    r = pick((more < p->least) | inf_den | zero_num, zero, r);
    r = pick(zero_den | inf_num, infinity, r);
    r = pick((zero_den & zero_num) | (inf_den & inf_num), nan, r);
    r = pick(has_nan(den, p), quieted(den, p), r);
    return pick(has_nan(num, p), quieted(num, p), r);
}

#define DWORDS(row, rows) ((dwords_t){(row)[HIGH + l], (rows) > 1 ? (row)[l] : 0})

/* Copies x, or makes a NaN of it, then scales the lanes that need it. HIGH is the offset of the
 * exponents' row. */
#define SCALE(name, T, rows, FMT, PLAIN)                                                           \
    static void body_##name(valu_t *v)                                                             \
    {                                                                                              \
        enum { HIGH = ((rows)-1) * ISA_ROW };                                                      \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);           \
        alignas(64) uint32_t cases[ISA_LANES], above[ISA_LANES] = {0};                             \
        if (VALU_IS_QUICK(v)) { /* zeros and NaNs are cases, too */                                \
            VALU_LANES cases[l] =                                                                  \
                extraordinary(pa[HIGH + l], pb[HIGH + l], pc[HIGH + l], &PLAIN) ? UINT32_MAX : 0;  \
            valu_copy(d, pa, rows);                                                                \
            v->out = 0;                                                                            \
            if (valu_leaves(v, cases)) return;                                                     \
        }                                                                                          \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const dwords_t x = DWORDS(pa, rows), den = DWORDS(pb, rows), num = DWORDS(pc, rows);   \
            const dwords_t none = {PLAIN.top << PLAIN.shift | PLAIN.quiet, 0};                     \
            const bool zero = has_zero(den) | has_zero(num), nan = has_nan(x, &PLAIN);             \
            dwords_t r = pick(nan, quieted(x, &PLAIN), pick(zero, none, x));                       \
            bool done = zero | nan;                                                                \
            if (VALU_EACH_CASE(v)) {                                                               \
                const odd_t odd = scaled_for_nan(x, den, num, &PLAIN);                             \
                r.high += done ? 0 : odd.scale;                                                    \
                above[l] = odd.post & !done ? UINT32_MAX : 0;                                      \
                done |= odd.is;                                                                    \
            }                                                                                      \
            cases[l] = extraordinary(x.high, den.high, num.high, &PLAIN) & !done ? UINT32_MAX : 0; \
            d[HIGH + l] = r.high;                                                                  \
            if ((rows) > 1) d[l] = r.low;                                                          \
        }                                                                                          \
        v->out = VALU_EACH_CASE(v) ? isa_vec_mask(above) : 0;                                      \
        if (valu_leaves(v, cases)) return;                                                         \
        for (uint64_t left = isa_vec_mask(cases) & v->lanes; left; left &= left - 1) {             \
            const int l = __builtin_ctzll(left);                                                   \
            bool post;                                                                             \
            const VALU_C_##T r = (VALU_C_##T)div_scale(VALU_LD_##T(pa), VALU_LD_##T(pb),           \
                                                       VALU_LD_##T(pc), &FMT, &post);              \
            VALU_ST_##T(r);                                                                        \
            v->out |= (uint64_t)post << l;                                                         \
        }                                                                                          \
    }                                                                                              \
    VALU_BOTH_ALIAS(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_T_##T,                          \
                    VALU_MASK_OUT | VALU_STAGED, body_##name)

/* A plain fma for all lanes, then one that scales back, for the lanes whose bit in VCC div_scale
 * has set. Quotients of zeros are NaNs here. */
#define FMAS(name, T, F, fma, FMT)                                                                 \
    VALU_FBODY3(plain_##name, F, F, F, F, fma(a, b, c))                                            \
    static void body_##name(valu_t *v)                                                             \
    {                                                                                              \
        uint32_t *d = v->d;                                                                        \
        const uint32_t *pa = v->s[0], *pb = v->s[1], *pc = v->s[2];                                \
        const uint32_t round = v->mode >> FMT.round_shift & 3;                                     \
        plain_##name(v);                                                                           \
        if (valu_leaves_set(v, v->in)) return;                                                     \
        for (uint64_t left = v->in & v->lanes; left; left &= left - 1) {                           \
            const int l = __builtin_ctzll(left);                                                   \
            VALU_ST_##T((VALU_C_##T)div_fmas(VALU_LD_##T(pa), VALU_LD_##T(pb), VALU_LD_##T(pc),    \
                                             round, &FMT));                                        \
        }                                                                                          \
    }                                                                                              \
    VALU_BOTH_ALIAS(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_T_##T,                          \
                    VALU_READS_VCC | VALU_STAGED, body_##name)

#define FIXUP(name, T, rows, PLAIN)                                                                \
    static void body_##name(valu_t *v)                                                             \
    {                                                                                              \
        enum { HIGH = ((rows)-1) * ISA_ROW };                                                      \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);           \
        alignas(64) uint32_t cases[ISA_LANES];                                                     \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const uint32_t q = pa[HIGH + l], den = pb[HIGH + l], num = pc[HIGH + l];               \
            cases[l] = unfixed(q, den, num, &PLAIN) ? 0 : UINT32_MAX;                              \
            d[HIGH + l] = (q & 0x7fffffff) | ((den ^ num) & 0x80000000);                           \
        }                                                                                          \
        if ((rows) > 1) valu_copy(d, pa, 1);                                                       \
        if (VALU_IS_QUICK(v) && valu_leaves(v, cases)) return;                                     \
        if (!VALU_EACH_CASE(v) && !(isa_vec_mask(cases) & v->lanes)) return;                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const dwords_t r =                                                                     \
                fixed(DWORDS(pa, rows), DWORDS(pb, rows), DWORDS(pc, rows), &PLAIN);               \
            d[HIGH + l] = r.high;                                                                  \
            if ((rows) > 1) d[l] = r.low;                                                          \
        }                                                                                          \
    }                                                                                              \
    VALU_BOTH_ALIAS(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_STAGED, body_##name)

SCALE(v_div_scale_f32, b32, 1, F32, PLAIN32)
SCALE(v_div_scale_f64, b64, 2, F64, PLAIN64)
FMAS(v_div_fmas_f32, b32, f32, __builtin_fmaf, F32)
FMAS(v_div_fmas_f64, b64, f64, __builtin_fma, F64)
FIXUP(v_div_fixup_f32, b32, 1, PLAIN32)
FIXUP(v_div_fixup_f64, b64, 2, PLAIN64)

/* f16 quotients are computed in f32, where they need no scaling: there are no cases by exponent. */
static inline uint32_t div_fixup16(uint32_t q, uint32_t den, uint32_t num)
{
    const uint32_t sign = (den ^ num) & 0x8000, d = den & 0x7fff, n = num & 0x7fff;
    uint32_t r = sign | (q & 0x7fff);
    r = d == 0x7c00 || n == 0 ? sign : r;
    r = d == 0 || n == 0x7c00 ? sign | 0x7c00 : r;
    r = (d == 0 && n == 0) || (d == 0x7c00 && n == 0x7c00) ? 0xfe00 : r;
    r = d > 0x7c00 ? den | 0x200 : r;
    return n > 0x7c00 ? num | 0x200 : r;
}

VALU_OP3(v_div_fixup_f16, b16, b16, b16, b16, VALU_KEEP, div_fixup16(a, b, c))
VALU_OP3(v_div_fixup_legacy_f16, b16, b16, b16, b16, 0, div_fixup16(a, b, c))
