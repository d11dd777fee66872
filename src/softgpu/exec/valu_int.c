/* valu_int.c - integer and bit instructions on 32-bit and 64-bit operands.
 *
 * One line per instruction; carries are in valu_carry.c, 16-bit arithmetic in valu_int16.c. A line
 * defines the instruction in all of its encodings. */
#include "softgpu/exec/valu.h"

static inline int32_t sext24(uint32_t x)
{
    return (int32_t)(x << 8) >> 8;
}

static inline uint32_t zext24(uint32_t x)
{
    return x & 0xffffff;
}

#define SUB_SAT(x, y) ((x) > (y) ? (x) - (y) : 0)
#define ADD_SAT(x, y) ((x) + (y) < (x) ? UINT32_MAX : (x) + (y))
#define MIN(x, y)     ((x) < (y) ? (x) : (y))
#define MAX(x, y)     ((x) > (y) ? (x) : (y))

/* ---- moves and bits ---- */

VALU_OP1(v_mov_b32, u32, u32, 0, a)
VALU_OP1(v_mov_b64, u64, u64, 0, a)
VALU_OP1(v_not_b32, u32, u32, 0, ~a)
/* The next number of a linear feedback shift register, x^32 + x^7 + x^6 + x^2 + 1. */
VALU_OP1(v_prng_b32, u32, u32, 0, a << 1 ^ (a >> 31 ? 0xc5 : 0))
VALU_OP2(v_and_b32, u32, u32, u32, 0, a &b)
VALU_OP2(v_or_b32, u32, u32, u32, 0, a | b)
VALU_OP2(v_xor_b32, u32, u32, u32, 0, a ^ b)
VALU_OP2(v_xnor_b32, u32, u32, u32, 0, ~(a ^ b))
VALU_OP3(v_or3_b32, u32, u32, u32, u32, 0, a | b | c)
VALU_OP3(v_xor3_b32, u32, u32, u32, u32, 0, a ^ b ^ c)
VALU_OP3(v_and_or_b32, u32, u32, u32, u32, 0, (a & b) | c)
VALU_OP3(v_bfi_b32, u32, u32, u32, u32, 0, (a & b) | (~a & c))
VALU_OP2(v_bfm_b32, u32, u32, u32, 0, ((1u << (a & 31)) - 1) << (b & 31))

static inline uint32_t reverse_bits(uint32_t x)
{
    x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
    x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
    x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(x);
}

static inline uint32_t count_bits(uint32_t x)
{
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}

static inline uint32_t first_high(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : UINT32_MAX;
}

VALU_OP1(v_bfrev_b32, u32, u32, 0, reverse_bits(a))
VALU_OP1(v_ffbh_u32, u32, u32, 0, first_high(a))
VALU_OP1(v_ffbl_b32, u32, u32, 0, a ? (uint32_t)__builtin_ctz(a) : UINT32_MAX)
VALU_OP1(v_ffbh_i32, u32, u32, 0, first_high(a >> 31 ? ~a : a))
VALU_OP2(v_bcnt_u32_b32, u32, u32, u32, 0, count_bits(a) + b)

/* The lanes before `lane`, in the low half of a lane mask (all ones from lane 32 on) and in its
 * high half (0 up to lane 32). */
static inline uint32_t below_low(int lane)
{
    return lane < 32 ? (1u << (lane & 31)) - 1 : UINT32_MAX;
}

static inline uint32_t below_high(int lane)
{
    return lane < 32 ? 0 : (1u << (lane & 31)) - 1;
}

VALU_BODY2(masked_low, u32, u32) d[l] = count_bits(a & below_low(l)) + b;
VALU_END
VALU_BODY2(masked_high, u32, u32) d[l] = count_bits(a & below_high(l)) + b;
VALU_END

/* Programs mostly pass a mask of all ones. Then the count is the lane's number, at most 32 in the
 * low half; in the high half it is 0 for the first 32 lanes, and the lane's number less 32 for the
 * rest. False, and nothing done: it is another mask. */
static inline __attribute__((always_inline)) bool lanes_below(valu_t *v, const bool high)
{
    isa_vec_t clear = isa_vec_all(0);
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        clear |= ~isa_vec_load(v->s[0] + l);
    if (isa_vec_any(clear)) return false;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const isa_vec_t ones = isa_vec_count(1) + (l & 31);
        const isa_vec_t below = (l < 32) == high ? isa_vec_all(high ? 0 : 32) : ones;
        isa_vec_store(v->d + l, isa_vec_load(v->s[1] + l) + below);
    }
    return true;
}

static void body_v_mbcnt_lo_u32_b32(valu_t *v)
{
    if (!lanes_below(v, false)) masked_low(v);
}

static void body_v_mbcnt_hi_u32_b32(valu_t *v)
{
    if (!lanes_below(v, true)) masked_high(v);
}

VALU_HANDLER(v_mbcnt_lo_u32_b32, VALU_B32, VALU_B32, VALU_B32, VALU_NONE, 0)
VALU_HANDLER(v_mbcnt_hi_u32_b32, VALU_B32, VALU_B32, VALU_B32, VALU_NONE, 0)

/* ---- shifts and fields ---- */

VALU_OP2(v_lshrrev_b32, u32, u32, u32, 0, b >> (a & 31))
VALU_OP2(v_ashrrev_i32, i32, u32, i32, 0, b >> (a & 31))
VALU_OP2(v_lshlrev_b32, u32, u32, u32, 0, b << (a & 31))

/* Shifts the pairs of dwords `from` and `into`: the bits that are shifted out of `from` are shifted
 * into `into`. */
static inline __attribute__((always_inline)) void shift_pairs(valu_t *v, const bool left)
{
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const isa_vec_t places = isa_vec_load(v->s[0] + l) & 63;
        const isa_vec_t x = isa_vec_load(v->s[1] + l), y = isa_vec_load(v->s[1] + ISA_ROW + l);
        const isa_vec_t from = left ? x : y, into = left ? y : x;
        const isa_vec_t rest = left ? isa_vec_left(from, places) : isa_vec_right(from, places);
        const isa_vec_t both = left
                                   ? isa_vec_left(into, places) | isa_vec_right(from, 32 - places) |
                                         isa_vec_left(from, places - 32)
                                   : isa_vec_right(into, places) | isa_vec_left(from, 32 - places) |
                                         isa_vec_right(from, places - 32);
        isa_vec_store(v->d + l, left ? rest : both);
        isa_vec_store(v->d + ISA_ROW + l, left ? both : rest);
    }
}

static void body_v_lshlrev_b64(valu_t *v)
{
    shift_pairs(v, true);
}

static void body_v_lshrrev_b64(valu_t *v)
{
    shift_pairs(v, false);
}

VALU_HANDLER(v_lshlrev_b64, VALU_B64, VALU_B32, VALU_B64, VALU_NONE, 0)
VALU_HANDLER(v_lshrrev_b64, VALU_B64, VALU_B32, VALU_B64, VALU_NONE, 0)
VALU_OP2(v_ashrrev_i64, i64, u32, i64, 0, b >> (a & 63))
VALU_OP3(v_lshl_add_u32, u32, u32, u32, u32, 0, (a << (b & 31)) + c)
/* A count above 4 counts as 0. */
VALU_OP3(v_lshl_add_u64, u64, u64, u32, u64, 0, (a << ((b & 7) > 4 ? 0 : b & 7)) + c)
VALU_OP3(v_add_lshl_u32, u32, u32, u32, u32, 0, (a + b) << (c & 31))
VALU_OP3(v_lshl_or_b32, u32, u32, u32, u32, 0, a << (b & 31) | c)
VALU_OP3(v_bfe_u32, u32, u32, u32, u32, 0, a >> (b & 31) & ((1u << (c & 31)) - 1))

/* The field may extend beyond bit 31: the bits above are copies of that bit. */
static inline uint32_t field_signed(uint32_t x, uint32_t offset, uint32_t width)
{
    const uint32_t field = (uint32_t)((int32_t)x >> offset) & ((1u << width) - 1);
    const uint32_t sign = 1u << ((width - 1) & 31);
    return width ? (field ^ sign) - sign : 0;
}

VALU_OP3(v_bfe_i32, u32, u32, u32, u32, 0, field_signed(a, b & 31, c & 31))
VALU_OP3(v_alignbit_b32, u32, u32, u32, u32, 0, ((uint64_t)a << 32 | b) >> (c & 31))
VALU_OP3(v_alignbyte_b32, u32, u32, u32, u32, 0, ((uint64_t)a << 32 | b) >> (8 * (c & 3)))

/* ---- sums ---- */

VALU_SAT2(v_add_u32, u32, u32, u32, 0, a + b, ADD_SAT(a, b))
VALU_SAT2(v_sub_u32, u32, u32, u32, 0, a - b, SUB_SAT(a, b))
VALU_SAT2(v_subrev_u32, u32, u32, u32, 0, b - a, SUB_SAT(b, a))
VALU_SAT2(v_add_i32, u32, u32, u32, 0, a + b, valu_sat_i32((int64_t)(int32_t)a + (int32_t)b))
VALU_SAT2(v_sub_i32, u32, u32, u32, 0, a - b, valu_sat_i32((int64_t)(int32_t)a - (int32_t)b))
VALU_OP3(v_add3_u32, u32, u32, u32, u32, 0, a + b + c)
VALU_OP3(v_xad_u32, u32, u32, u32, u32, 0, (a ^ b) + c)

/* ---- products ---- */

VALU_OP2(v_mul_lo_u32, u32, u32, u32, 0, a *b)
VALU_OP2(v_mul_hi_u32, u32, u32, u32, 0, (uint64_t)a *b >> 32)
VALU_OP2(v_mul_hi_i32, u32, i32, i32, 0, (int64_t)a *b >> 32)
VALU_SAT2(v_mul_i32_i24, u32, u32, u32, 0, (uint32_t)sext24(a) * (uint32_t)sext24(b),
          valu_sat_i32((int64_t)sext24(a) * sext24(b)))
VALU_OP2(v_mul_hi_i32_i24, u32, u32, u32, 0, ((int64_t)sext24(a) * sext24(b)) >> 32)
VALU_SAT2(v_mul_u32_u24, u32, u32, u32, 0, zext24(a) * zext24(b),
          valu_sat_u32((uint64_t)zext24(a) * zext24(b)))
VALU_OP2(v_mul_hi_u32_u24, u32, u32, u32, 0, (uint64_t)zext24(a) * zext24(b) >> 32)
VALU_SAT3(v_mad_i32_i24, u32, u32, u32, u32, 0, (uint32_t)sext24(a) * (uint32_t)sext24(b) + c,
          valu_sat_i32((int64_t)sext24(a) * sext24(b) + (int32_t)c))
VALU_SAT3(v_mad_u32_u24, u32, u32, u32, u32, 0, zext24(a) * zext24(b) + c,
          valu_sat_u32((uint64_t)zext24(a) * zext24(b) + c))
VALU_SAT3(v_mad_u32_u16, u32, u16, u16, u32, 0, a *b + c, valu_sat_u32((uint64_t)(a *b) + c))
VALU_SAT3(v_mad_i32_i16, u32, i16, i16, u32, 0, (uint32_t)(a *b) + c,
          valu_sat_i32((int64_t)(a *b) + (int32_t)c))

/* ---- minimum, maximum, median ---- */

VALU_OP2(v_min_i32, i32, i32, i32, 0, MIN(a, b))
VALU_OP2(v_max_i32, i32, i32, i32, 0, MAX(a, b))
VALU_OP2(v_min_u32, u32, u32, u32, 0, MIN(a, b))
VALU_OP2(v_max_u32, u32, u32, u32, 0, MAX(a, b))
VALU_OP3(v_min3_i32, i32, i32, i32, i32, 0, MIN(MIN(a, b), c))
VALU_OP3(v_maxmin_i32, i32, i32, i32, i32, 0, MIN(MAX(a, b), c))
VALU_OP3(v_minmax_i32, i32, i32, i32, i32, 0, MAX(MIN(a, b), c))
VALU_OP3(v_maxmin_u32, u32, u32, u32, u32, 0, MIN(MAX(a, b), c))
VALU_OP3(v_minmax_u32, u32, u32, u32, u32, 0, MAX(MIN(a, b), c))
VALU_OP3(v_max3_i32, i32, i32, i32, i32, 0, MAX(MAX(a, b), c))
VALU_OP3(v_min3_u32, u32, u32, u32, u32, 0, MIN(MIN(a, b), c))
VALU_OP3(v_max3_u32, u32, u32, u32, u32, 0, MAX(MAX(a, b), c))
VALU_OP3(v_med3_i32, i32, i32, i32, i32, 0, MAX(MIN(a, b), MIN(MAX(a, b), c)))
VALU_OP3(v_med3_u32, u32, u32, u32, u32, 0, MAX(MIN(a, b), MIN(MAX(a, b), c)))

/* ---- packing ---- */

VALU_OP2(v_cvt_pk_u16_u32, u32, u32, u32, 0, MIN(a, 0xffff) | MIN(b, 0xffff) << 16)
VALU_OP2(v_cvt_pk_i16_i32, u32, i32, i32, 0,
         ((uint32_t)MAX(MIN(a, 32767), -32768) & 0xffff) | (uint32_t)MAX(MIN(b, 32767), -32768)
                                                               << 16)

static inline uint32_t sat_byte(int32_t x)
{
    return (uint32_t)MAX(MIN(x, 255), 0);
}

/* Two shifted numbers as bytes of one half of the register; the other half is kept. */
VALU_OP3(v_ashr_pk_i8_i32, u16, i32, i32, u32, VALU_KEEP,
         ((uint32_t)MAX(MIN(a >> (c & 31), 127), -128) & 0xff) |
             ((uint32_t)MAX(MIN(b >> (c & 31), 127), -128) & 0xff) << 8)
VALU_OP3(v_ashr_pk_u8_i32, u16, i32, i32, u32, VALU_KEEP,
         sat_byte(a >> (c & 31)) | sat_byte(b >> (c & 31)) << 8)

/* A result of 16 bits: from gfx11 on it may be either half of a register, whose other half is kept;
 * before, the other half becomes 0. */
VALU_OP1(v_sat_pk_u8_i16, u16, u32, 0, sat_byte((int16_t)a) | sat_byte((int16_t)(a >> 16)) << 8)
