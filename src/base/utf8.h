/* utf8.h - recognises valid UTF-8 and the length of its characters. */
#ifndef CROCPROF_BASE_UTF8_H
#define CROCPROF_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length in bytes (1 to 4) of the UTF-8 character at the beginning of a text that ends
 * with a zero; 0 if no valid character is there. */
static inline size_t base_utf8_bytes(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    const size_t n = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    if (*at > 0xf4) return 0;
    for (size_t k = 1; k < n; k++)
        if ((at[k] & 0xc0) != 0x80) return 0;
    /* an overlong encoding, half of a UTF-16 surrogate pair, or above U+10FFFF */
    const bool bad = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
                     (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : n;
}

#endif
