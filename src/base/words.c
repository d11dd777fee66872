/* words.c - see words.h. */
#include "base/words.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int base_truth(const char *word)
{
    /* the words that mean no are the first row */
    static const char *const words[][5] = {{"no", "false", "off", "n", "f"},
                                           {"yes", "true", "on", "y", "t"}};
    if (*word && !word[strspn(word, "0123456789")]) return word[strspn(word, "0")] != 0;
    for (int truth = 0; truth < 2; truth++)
        for (size_t i = 0; i < 5; i++)
            if (strcasecmp(word, words[truth][i]) == 0) return truth;
    return -1;
}

bool base_number(const char *word, uint64_t least, uint64_t most, uint64_t *number)
{
    const bool hexadecimal = strncasecmp(word, "0x", 2) == 0;
    const char *digits = word + (hexadecimal ? 2 : 0);
    char *end;
    /* strtoull would also accept blanks, a sign, or a second 0x */
    if (!isxdigit((unsigned char)digits[0]) || strncasecmp(digits, "0x", 2) == 0) return false;
    errno = 0;
    const unsigned long long value = strtoull(digits, &end, hexadecimal ? 16 : 10);
    if (end == digits || *end || errno || value < least || value > most) return false;
    *number = value;
    return true;
}

uint64_t base_unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"hour", 3600000000000u}, {"min", 60000000000u}, {"sec", 1000000000u},
                 {"msec", 1000000u},       {"usec", 1000u},       {"nsec", 1u}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcasecmp(units[i].name, unit) == 0) return units[i].ns;
    return 0;
}
