/* digits.h - numbers as decimal digits, two at a time.
 *
 * Apart because it is what files of text spend most of their time on. */
#ifndef CROCPROF_OUTPUT_DIGITS_H
#define CROCPROF_OUTPUT_DIGITS_H

#include <stdint.h>
#include <string.h>

enum { OUT_DIGITS_MAX = 20 };

static inline unsigned out_count_digits(uint64_t value)
{
    static const uint64_t powers[] = {0,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000u,
                                      100000000000u,
                                      1000000000000u,
                                      10000000000000u,
                                      100000000000000u,
                                      1000000000000000u,
                                      10000000000000000u,
                                      100000000000000000u,
                                      1000000000000000000u,
                                      10000000000000000000u};
    /* bits times log10(2), rounded down: right, or one too few */
    unsigned guess = (64u - (unsigned)__builtin_clzll(value | 1)) * 1233 >> 12;
    return guess + (value >= powers[guess]);
}

/* Writes the number and returns what is behind it. In place, from its end: digits that were written
 * elsewhere and copied would have to wait until the copy can read them. */
static inline char *out_put_unsigned(char *at, uint64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char *end = at + (value ? out_count_digits(value) : 1), *to = end;
    for (; value >= 100; value /= 100)
        memcpy(to -= 2, pairs + 2 * (value % 100), 2);
    if (value >= 10)
        memcpy(to - 2, pairs + 2 * value, 2);
    else
        to[-1] = (char)('0' + value);
    return end;
}

#endif
