/* digits.h - numbers as decimal digits, eight at a time.
 *
 * Apart because it is what files of text spend most of their time on. The eight digits of a number
 * below 10^8 are computed side by side in one 64-bit word: its halves of four, then of two, then of
 * one digit, each by a multiplication that stands for the division. */
#ifndef CROCPROF_OUTPUT_DIGITS_H
#define CROCPROF_OUTPUT_DIGITS_H

#include <stdint.h>
#include <string.h>

/* Room that a number needs: it is written in blocks of eight. */
enum { OUT_DIGITS_MAX = 24 };

/* Digits of a number below 10^8, the first in the lowest byte. */
static inline uint64_t out_eight_digits(uint32_t value)
{
    uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    uint64_t hundreds = fours * 10486 >> 20 & 0x7f0000007f; /* 10486 / 2^20: a 100th, up to 9999 */
    uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    uint64_t tens = twos * 103 >> 10 & 0x000f000f000f000f; /* 103 / 2^10: a 10th, up to 99 */
    return tens | (twos - tens * 10) << 8;
}

/* Writes eight digits but for the first `without`. */
static inline char *out_put_eight(char *at, uint64_t digits, unsigned without)
{
    digits = (digits | 0x3030303030303030u) >> 8 * without;
    memcpy(at, &digits, sizeof(digits)); /* little endian, as this machine is */
    return at + 8 - without;
}

/* Writes the number and returns what is behind it. */
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

/* Numbers that come again and again, as those of threads, by the end of each. */
enum { OUT_AGAIN = 64 };
typedef struct {
    struct {
        uint64_t number;
        char digits[OUT_DIGITS_MAX];
        unsigned count; /* 0: none yet */
    } numbers[OUT_AGAIN];
} out_again_t;

static inline char *out_put_again(out_again_t *a, char *at, uint64_t number)
{
    __typeof__(&*a->numbers) n = &a->numbers[number % OUT_AGAIN];
    if (__builtin_expect(!n->count || n->number != number, 0)) {
        n->number = number;
        n->count = (unsigned)(out_put_unsigned(n->digits, number) - n->digits);
    }
    memcpy(at, n->digits, sizeof(n->digits)); /* all of it, since its size is constant */
    return at + n->count;
}

/* The digits of times but for the last eight, which are those of the time before as a rule. */
typedef struct {
    uint64_t from;               /* with eight zeros; 0: none yet */
    char digits[OUT_DIGITS_MAX]; /* of it, but for these, fewer than nine */
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

#endif
