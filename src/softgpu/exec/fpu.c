/* fpu.c - exact scaling: fma and ldexp times a power of two with a single rounding.
 *
 * The division helpers need results that are rounded once although they are denormal, in any
 * rounding mode. Integer arithmetic does that with the same result on every host. A file of its own
 * because it works lane by lane and is rarely needed. */
#include "softgpu/exec/fpu.h"

__extension__ typedef unsigned __int128 u128;

/* The value sig * 2^e; `sig` is meaningless for zero, infinite and NaN operands. */
typedef struct {
    bool sign;
    bool special; /* infinite or NaN */
    uint64_t sig;
    int e;
} unpacked_t;

typedef struct {
    int mantissa, exponent; /* bits of the fields */
} format_t;

static const format_t F16 = {10, 5}, F32 = {23, 8}, F64 = {52, 11};

static unpacked_t unpack(uint64_t x, format_t f)
{
    const int field = (int)(x >> f.mantissa & ((UINT64_C(1) << f.exponent) - 1));
    const uint64_t mantissa = x & ((UINT64_C(1) << f.mantissa) - 1);
    const int bias = (1 << (f.exponent - 1)) - 1;
    return (unpacked_t){
        .sign = x >> (f.mantissa + f.exponent) & 1,
        .special = field == (1 << f.exponent) - 1,
        .sig = field ? mantissa | UINT64_C(1) << f.mantissa : mantissa,
        .e = (field ? field : 1) - bias - f.mantissa,
    };
}

static int leading_zeros(u128 x)
{
    const uint64_t hi = (uint64_t)(x >> 64), lo = (uint64_t)x;
    return hi ? __builtin_clzll(hi) : lo ? 64 + __builtin_clzll(lo) : 128;
}

/* Rounds sig * 2^e once. The lowest bit of sig may be sticky. */
static uint64_t pack(bool sign, u128 sig, int e, uint32_t round, format_t f)
{
    const uint64_t sign_bit = (uint64_t)sign << (f.mantissa + f.exponent);
    const int top = (1 << f.exponent) - 1, bias = (1 << (f.exponent - 1)) - 1;
    const bool away = (round == FPU_UP && !sign) || (round == FPU_DOWN && sign);
    if (!sig) return sign_bit;
    const int shift = leading_zeros(sig);
    sig <<= shift;
    const int biased = e - shift + 127 + bias;
    const int keep = biased >= 1 ? f.mantissa + 1 : f.mantissa + biased;
    uint64_t q = 0;
    bool up;
    if (keep < 0) {
        up = away;
    } else {
        const u128 rest = keep ? sig << keep : sig;
        const u128 half = (u128)1 << 127;
        if (keep) q = (uint64_t)(sig >> (128 - keep));
        up = round == FPU_NEAREST ? rest > half || (rest == half && (q & 1)) : away && rest;
    }
    q += up;
    const uint64_t r = biased >= 1 ? ((uint64_t)(biased - 1) << f.mantissa) + q : q;
    const uint64_t infinite = (uint64_t)top << f.mantissa;
    if (biased >= top || r >= infinite)
        return sign_bit | (round == FPU_NEAREST || away ? infinite : infinite - 1);
    return sign_bit | r;
}

static u128 shift_right_sticky(u128 x, int n)
{
    if (n == 0) return x;
    if (n >= 128) return x != 0;
    return x >> n | ((x << (128 - n)) != 0);
}

/* Shifts sig, an addend, so that its top bit is bit 125: that leaves room for a carry, and for
 * twenty bits below a product. */
static u128 normalise(u128 sig, int *e)
{
    const int shift = leading_zeros(sig) - 2;
    *e -= shift;
    return sig << shift;
}

static uint64_t fma_scaled(unpacked_t a, unpacked_t b, unpacked_t c, int scale, uint32_t round,
                           format_t f)
{
    const bool sign = a.sign ^ b.sign;
    u128 p = (u128)a.sig * b.sig, q = c.sig;
    int ep = a.e + b.e, eq = c.e;
    if (!p && !q) return pack(sign == c.sign ? sign : round == FPU_DOWN, 0, 0, round, f);
    if (!p) return pack(c.sign, q, eq + scale, round, f);
    if (!q) return pack(sign, p, ep + scale, round, f);
    p = normalise(p, &ep);
    q = normalise(q, &eq);
    const int e = ep > eq ? ep : eq;
    p = shift_right_sticky(p, e - ep);
    q = shift_right_sticky(q, e - eq);
    if (sign == c.sign) return pack(sign, p + q, e + scale, round, f);
    if (p == q) return pack(round == FPU_DOWN, 0, 0, round, f);
    return p > q ? pack(sign, p - q, e + scale, round, f)
                 : pack(c.sign, q - p, e + scale, round, f);
}

/* Long and seldom needed: translated code calls them. */
#define FPU_RARE __attribute__((noinline, cold))

FPU_RARE uint64_t fpu_fma_scaled64(uint64_t a, uint64_t b, uint64_t c, int scale, uint32_t round)
{
    const unpacked_t x = unpack(a, F64), y = unpack(b, F64), z = unpack(c, F64);
    if (z.special && !x.special && !y.special) return c; /* the product may be too large for f64 */
    if (x.special || y.special || z.special)
        return fpu_bits64(fpu_f64(a) * fpu_f64(b) + fpu_f64(c));
    return fma_scaled(x, y, z, scale, round, F64);
}

FPU_RARE uint32_t fpu_fma_scaled32(uint32_t a, uint32_t b, uint32_t c, int scale, uint32_t round)
{
    const unpacked_t x = unpack(a, F32), y = unpack(b, F32), z = unpack(c, F32);
    if (z.special && !x.special && !y.special) return c;
    if (x.special || y.special || z.special)
        return fpu_bits32(fpu_f32(a) * fpu_f32(b) + fpu_f32(c));
    return (uint32_t)fma_scaled(x, y, z, scale, round, F32);
}

uint32_t fpu_fma16(uint32_t a, uint32_t b, uint32_t c, uint32_t round)
{
    const unpacked_t x = unpack(a & 0xffff, F16), y = unpack(b & 0xffff, F16),
                     z = unpack(c & 0xffff, F16);
    if (!x.special && !y.special && !z.special) return (uint32_t)fma_scaled(x, y, z, 0, round, F16);
    const float product = fpu_f32(fpu_f16_to_f32(a)) * fpu_f32(fpu_f16_to_f32(b));
    return fpu_f32_to_f16(fpu_bits32(product + fpu_f32(fpu_f16_to_f32(c))), round);
}

static int clamp_exponent(int32_t n)
{
    return n > 5000 ? 5000 : n < -5000 ? -5000 : n;
}

uint64_t fpu_ldexp64(uint64_t x, int32_t n, uint32_t round)
{
    const unpacked_t u = unpack(x, F64);
    if (u.special) return fpu_nan64(x) ? x | FPU_QUIET64 : x;
    return pack(u.sign, u.sig, u.e + clamp_exponent(n), round, F64);
}

uint32_t fpu_ldexp32(uint32_t x, int32_t n, uint32_t round)
{
    const unpacked_t u = unpack(x, F32);
    if (u.special) return fpu_nan32(x) ? x | 0x400000 : x;
    return (uint32_t)pack(u.sign, u.sig, u.e + clamp_exponent(n), round, F32);
}
