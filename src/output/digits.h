/* digits.h - numbers as decimal digits, eight at a time.
 *
 * It is apart because writing text files spends most of its time here. The eight digits of a number
 * below 10^8 are computed side by side in one 64-bit word: it is split into halves of four digits,
 * these into two, these into single digits, each time by a multiplication that replaces the
 * division. For two numbers at once this is done in one vector. */
#ifndef CROCPROF_OUTPUT_DIGITS_H
#define CROCPROF_OUTPUT_DIGITS_H

#include <emmintrin.h> /* SSE2, which every x86-64 has */
#include <stdint.h>
#include <string.h>

/* Room for a number: digits are stored in blocks of eight. */
enum { OUT_DIGITS_MAX = 24 };

/* Returns the digits of a number below 10^8, the first one in the lowest byte. */
static inline uint64_t out_eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    /* 10486 / 2^20 divides by 100; it is exact up to 9999. */
    uint64_t hundreds = fours * 10486 >> 20 & 0x7f0000007f;
    uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    /* 103 / 2^10 divides by 10; it is exact up to 99. */
    uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f;
    return tens | (twos - tens * 10) << 8;
}

/* Returns the characters of the digits of two such numbers, those of `first` in front. */
static inline __m128i out_sixteen_digits(uint32_t first, uint32_t second)
{
    const __m128i values = _mm_set_epi64x(second, first);
    /* 3518437209 / 2^45 divides by 10^4 */
    const __m128i high = _mm_srli_epi64(_mm_mul_epu32(values, _mm_set1_epi64x(3518437209)), 45);
    const __m128i low = _mm_sub_epi32(values, _mm_mul_epu32(high, _mm_set1_epi64x(10000)));
    const __m128i fours = _mm_or_si128(high, _mm_slli_epi64(low, 32));
    const __m128i hundreds = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi32(10486)), 4);
    const __m128i rest = _mm_sub_epi16(fours, _mm_mullo_epi16(hundreds, _mm_set1_epi32(100)));
    const __m128i twos = _mm_or_si128(hundreds, _mm_slli_epi32(rest, 16));
    const __m128i tens = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554)); /* 2^16 / 10 */
    const __m128i ones = _mm_sub_epi16(twos, _mm_mullo_epi16(tens, _mm_set1_epi16(10)));
    return _mm_or_si128(_mm_or_si128(tens, _mm_slli_epi16(ones, 8)), _mm_set1_epi8('0'));
}

/* Writes eight digits except for the first `without`. */
static inline char *out_put_eight(char *at, uint64_t digits, unsigned without)
{
    digits = (digits | 0x3030303030303030u) >> 8 * without;
    memcpy(at, &digits, sizeof(digits)); /* the host is little-endian */
    return at + 8 - without;
}

/* Writes the number and returns the end of what it has written. */
static inline char *out_put_unsigned(char *at, uint64_t value)
{
    enum { EIGHT = 100000000 };
    uint64_t first = value, middle = 0;
    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    if (value >= EIGHT) first = value / EIGHT;
    if (first >= EIGHT) {
        middle = first;
        first /= EIGHT;
    }
    uint64_t digits = out_eight_digits((uint32_t)first);
    at = out_put_eight(at, digits, (unsigned)__builtin_ctzll(digits) / 8);
    if (middle) at = out_put_eight(at, out_eight_digits((uint32_t)(middle % EIGHT)), 0);
    if (value >= EIGHT) at = out_put_eight(at, out_eight_digits((uint32_t)(value % EIGHT)), 0);
    return at;
}

/* A cache of the digits of numbers that occur again and again, such as thread ids; indexed by
 * number % OUT_AGAIN. */
enum { OUT_AGAIN = 64 };
typedef struct {
    struct {
        uint64_t number;
        char digits[OUT_DIGITS_MAX];
        unsigned count; /* 0: empty */
    } numbers[OUT_AGAIN];
} out_again_t;

static inline char *out_put_again(out_again_t *a, char *at, uint64_t number)
{
    __typeof__(&*a->numbers) n = &a->numbers[number % OUT_AGAIN];
    if (__builtin_expect(!n->count || n->number != number, 0)) {
        n->number = number;
        n->count = (unsigned)(out_put_unsigned(n->digits, number) - n->digits);
    }
    /* copying all bytes is faster, since the size is constant */
    memcpy(at, n->digits, sizeof(n->digits));
    return at + n->count;
}

/* A cache of the leading digits of a time. The next time usually differs only in the last eight. */
typedef struct {
    uint64_t from;               /* the time with its last eight digits set to zero; 0: empty */
    char digits[OUT_DIGITS_MAX]; /* the digits before those zeros: eight at most */
    unsigned count;
} out_stamp_t;

static inline char *out_put_stamp(out_stamp_t *s, char *at, uint64_t value)
{
    enum { EIGHT = 100000000 };
    if (__builtin_expect(!s->from || value - s->from >= EIGHT, 0)) {
        uint64_t first = value / EIGHT;
        if (!first || first >= EIGHT) return out_put_unsigned(at, value);
        s->from = first * EIGHT;
        s->count = (unsigned)(out_put_unsigned(s->digits, first) - s->digits);
    }
    memcpy(at, s->digits, 8);
    return out_put_eight(at + s->count, out_eight_digits((uint32_t)(value - s->from)), 0);
}

/* Writes two times with a text between them. */
static inline __attribute__((always_inline)) char *out_put_stamps(out_stamp_t *s, char *at,
                                                                  uint64_t first, uint64_t second,
                                                                  const char *between,
                                                                  size_t between_bytes)
{
    const uint64_t most = 99999999, a = first - s->from, b = second - s->from;
    if (__builtin_expect(!s->from || a > most || b > most, 0)) {
        at = (char *)memcpy(out_put_stamp(s, at, first), between, between_bytes) + between_bytes;
        return out_put_stamp(s, at, second);
    }
    const __m128i digits = out_sixteen_digits((uint32_t)a, (uint32_t)b);
    memcpy(at, s->digits, 8);
    _mm_storel_epi64((__m128i *)(at + s->count), digits);
    at = (char *)memcpy(at + s->count + 8, between, between_bytes) + between_bytes;
    memcpy(at, s->digits, 8);
    _mm_storel_epi64((__m128i *)(at + s->count), _mm_unpackhi_epi64(digits, digits));
    return at + s->count + 8;
}

#endif
