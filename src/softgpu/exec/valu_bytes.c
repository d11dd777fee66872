/* valu_bytes.c - instructions on the bytes of a dword: permute, interpolate, absolute differences.
 *
 * A file of its own because they share helpers for bytes, which no other instruction needs. */
#include "softgpu/exec/valu.h"

static inline uint32_t byte_of(uint64_t x, unsigned n)
{
    return (uint32_t)(x >> 8 * n) & 0xff;
}

/* v_perm's selector of a byte: 0 to 7 select a byte of {S0,S1}; 8 to 11 give eight copies of the
 * sign bit of byte 1, 3, 5 or 7; 12 gives 0, and greater numbers 0xff. */
static inline uint32_t pick_byte(uint64_t data, uint32_t sel)
{
    const uint32_t sign = data >> (((sel & 3) * 16 + 15) & 63) & 1 ? 0xff : 0;
    uint32_t r = byte_of(data, sel & 7);
    r = sel >= 8 ? sign : r;
    r = sel == 12 ? 0 : r;
    return sel > 12 ? 0xff : r;
}

VALU_OP3(v_perm_b32, u32, u32, u32, u32, 0,
         pick_byte((uint64_t)a << 32 | b, c & 0xff) |
             pick_byte((uint64_t)a << 32 | b, c >> 8 & 0xff) << 8 |
             pick_byte((uint64_t)a << 32 | b, c >> 16 & 0xff) << 16 |
             pick_byte((uint64_t)a << 32 | b, c >> 24) << 24)

/* Average of bytes, rounded up where the third source's byte is odd. */
static inline uint32_t lerp(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (unsigned n = 0; n < 4; n++)
        r |= (byte_of(a, n) + byte_of(b, n) + (byte_of(c, n) & 1)) >> 1 << 8 * n;
    return r;
}

VALU_OP3(v_lerp_u8, u32, u32, u32, u32, 0, lerp(a, b, c))

static inline uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Sum of the four bytes' differences; `masked` leaves out bytes whose reference is 0. */
static inline uint32_t sad4(uint32_t a, uint32_t b, bool masked)
{
    uint32_t sum = 0;
    for (unsigned n = 0; n < 4; n++)
        sum += masked && !byte_of(b, n) ? 0 : distance(byte_of(a, n), byte_of(b, n));
    return sum;
}

static inline uint32_t sad2(uint32_t a, uint32_t b)
{
    return distance(a & 0xffff, b & 0xffff) + distance(a >> 16, b >> 16);
}

static inline uint32_t add_sat(uint32_t a, uint32_t b)
{
    return a + b < a ? UINT32_MAX : a + b;
}

#define SAD(name, sum)                                                                             \
    VALU_SAT3(name, u32, u32, u32, u32, 0, (uint32_t)(sum) + c, add_sat((sum), c))

SAD(v_sad_u8, sad4(a, b, false))
SAD(v_sad_hi_u8, sad4(a, b, false) << 16)
SAD(v_sad_u16, sad2(a, b))
SAD(v_sad_u32, distance(a, b))
SAD(v_msad_u8, sad4(a, b, true))

/* Four sums of a window that moves over the eight bytes of a by one byte each. Always inlined:
 * compilers do not vectorise a loop over lanes that contains a call. */
static inline __attribute__((always_inline)) uint64_t quad_sad(uint64_t a, uint32_t b, uint64_t c,
                                                               bool masked, bool clamp)
{
    uint64_t r = 0;
    for (unsigned n = 0; n < 4; n++) {
        uint32_t sum = sad4((uint32_t)(a >> 8 * n), b, masked) + (uint32_t)(c >> 16 * n & 0xffff);
        if (clamp && sum > 0xffff) sum = 0xffff;
        r |= (uint64_t)(sum & 0xffff) << 16 * n;
    }
    return r;
}

VALU_SAT3(v_qsad_pk_u16_u8, u64, u64, u32, u64, 0, quad_sad(a, b, c, false, false),
          quad_sad(a, b, c, false, true))
VALU_SAT3(v_mqsad_pk_u16_u8, u64, u64, u32, u64, 0, quad_sad(a, b, c, true, false),
          quad_sad(a, b, c, true, true))

static inline __attribute__((always_inline)) void quad_sad32(valu_t *v, bool clamp)
{
    uint32_t *d = VALU_ROW(v->d);
    const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);
    for (int l = 0; l < ISA_LANES; l++) {
        const uint64_t a = VALU_LD_u64(pa);
        const uint32_t b = pb[l];
        for (int n = 0; n < 4; n++) {
            const uint32_t sum = sad4((uint32_t)(a >> 8 * n), b, true), c = pc[n * ISA_ROW + l];
            d[n * ISA_ROW + l] = clamp ? add_sat(sum, c) : sum + c;
        }
    }
}

static void body_v_mqsad_u32_u8(valu_t *v)
{
    quad_sad32(v, false);
}
static void sat_v_mqsad_u32_u8(valu_t *v)
{
    quad_sad32(v, true);
}

/* Staged: the four result rows may be the source rows of later sums. */
VALU_SATURATING(v_mqsad_u32_u8, VALU_B128, VALU_B64, VALU_B32, VALU_B128, VALU_STAGED)
