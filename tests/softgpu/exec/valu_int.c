/* valu_int.c - integer vector instructions against formulas in 64-bit arithmetic.
 *
 * The rows are in valu_int.inc; here are the words its formulas are made of. */
#include "valu_rig.h"

static inline int64_t always(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* Saturates if the instruction has clamp. */
static inline int64_t limit(int64_t x, int64_t low, int64_t high)
{
    return clamping ? always(x, low, high) : x;
}

static inline int64_t s24(uint32_t x)
{
    const int64_t low = x % 0x1000000;
    return low >= 0x800000 ? low - 0x1000000 : low;
}

static inline int64_t u24(uint32_t x)
{
    return x % 0x1000000;
}

static inline uint64_t below(int lane)
{
    return (UINT64_C(1) << lane) - 1;
}

static inline uint32_t reverse(uint32_t x)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k++)
        r = r * 2 + (x >> k & 1);
    return r;
}

static inline uint32_t highest(uint32_t x)
{
    for (uint32_t k = 0; k < 32; k++)
        if (x >> (31 - k) & 1) return k;
    return UINT32_MAX;
}

static inline int64_t signed_field(int32_t x, unsigned offset, unsigned width)
{
    int64_t r = 0;
    for (unsigned k = 0; k < width; k++)
        r |= ((int64_t)x >> (offset + k) & 1) << k;
    return width && r >> (width - 1) & 1 ? r - (INT64_C(1) << width) : r;
}

static inline uint64_t join(int64_t low, int64_t high)
{
    return ((uint64_t)low & 0xffff) | ((uint64_t)high & 0xffff) << 16;
}

static inline int64_t smallest(int64_t a, int64_t b, int64_t c)
{
    return a <= b && a <= c ? a : b <= c ? b : c;
}

static inline int64_t largest(int64_t a, int64_t b, int64_t c)
{
    return -smallest(-a, -b, -c);
}

static inline int64_t middle(int64_t a, int64_t b, int64_t c)
{
    return a + b + c - smallest(a, b, c) - largest(a, b, c);
}

static inline uint64_t carry(lane_t *x, int64_t exact)
{
    x->out = exact < 0 || exact > UINT32_MAX;
    return (uint64_t)limit(exact, 0, UINT32_MAX);
}

/* A 64-bit sum of a product that 128 bits hold. */
static inline uint64_t wide(lane_t *x, unsigned __int128 exact, bool is_signed)
{
    const __int128 value = (__int128)exact;
    x->out = is_signed ? value != (int64_t)value : (exact >> 64) != 0;
    if (clamping && x->out)
        return !is_signed ? UINT64_MAX : value < 0 ? (uint64_t)INT64_MIN : (uint64_t)INT64_MAX;
    return (uint64_t)exact;
}

#define S(v) ((int64_t)(int16_t)((v) >> 16 * h))
#define U(v) ((int64_t)((v) >> 16 * h & 0xffff))
#define PAIR(e)                                                                                    \
    ({                                                                                             \
        uint64_t pair = 0;                                                                         \
        for (int h = 0; h < 2; h++)                                                                \
            pair |= ((uint64_t)(e)&0xffff) << 16 * h;                                              \
        pair;                                                                                      \
    })

static inline int64_t dot(uint32_t a, uint32_t b, unsigned bits, bool is_signed)
{
    const int64_t span = INT64_C(1) << bits;
    int64_t sum = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        int64_t p = (int64_t)(a >> at) % span, q = (int64_t)(b >> at) % span;
        if (is_signed && p >= span / 2) p -= span;
        if (is_signed && q >= span / 2) q -= span;
        sum += p * q;
    }
    return sum;
}

static inline uint32_t perm(uint64_t data, uint32_t sel)
{
    uint32_t r = 0;
    for (int k = 0; k < 4; k++) {
        const unsigned s = sel >> 8 * k & 0xff;
        const unsigned byte = s < 8     ? (unsigned)(data >> 8 * s & 0xff)
                              : s < 12  ? (unsigned)(data >> (16 * (s - 8) + 15) & 1) * 255u
                              : s == 12 ? 0
                                        : 255;
        r |= byte << 8 * k;
    }
    return r;
}

static inline uint32_t lerp(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (int k = 0; k < 32; k += 8)
        r |= (((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) / 2) << k;
    return r;
}

static inline int64_t sad(uint32_t a, uint32_t b, unsigned bits, bool masked)
{
    const int64_t span = INT64_C(1) << bits;
    int64_t sum = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const int64_t p = (int64_t)(a >> at) % span, q = (int64_t)(b >> at) % span;
        if (!masked || q) sum += llabs(p - q);
    }
    return sum;
}

static inline uint64_t quad(uint64_t a, uint32_t b, uint64_t c, bool masked)
{
    uint64_t r = 0;
    for (int k = 0; k < 4; k++) {
        const int64_t sum =
            sad((uint32_t)(a >> 8 * k), b, 8, masked) + (int64_t)(c >> 16 * k & 0xffff);
        r |= ((uint64_t)limit(sum, 0, 65535) & 0xffff) << 16 * k;
    }
    return r;
}

#define ROW ROW_FUNCTION
#include "valu_int.inc"
#undef ROW
#define ROW ROW_ENTRY
static const row_t rows[] = {
#include "valu_int.inc"
};

static void integer_instructions(void **state)
{
    (void)state;
    test_rows(rows, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integer_instructions)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
