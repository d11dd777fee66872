/* periods.c - see periods.h. */
#include "cli/periods.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

/* Reads a time such as 1.5, followed by `end`; at most a century. */
static bool read_time(const char **at, char end, uint64_t unit, uint64_t *ns)
{
    const double most = 100 * 365.25 * 86400e9;
    char *behind;
    if (!isdigit((unsigned char)**at) && **at != '.') return false;
    double time = strtod(*at, &behind) * (double)unit;
    bool good = behind != *at && *behind == end && time >= 0 && time <= most;
    *ns = good ? (uint64_t)time : 0;
    *at = behind + 1;
    return good;
}

static bool read_period(const char *word, size_t bytes, uint64_t unit, uint64_t period[3])
{
    char text[128];
    if (bytes >= sizeof(text)) return false;
    memcpy(text, word, bytes);
    text[bytes] = 0;
    const char *at = text;
    if (!read_time(&at, ':', unit, &period[0]) || !read_time(&at, ':', unit, &period[1]))
        return false;
    return base_number(at, 0, UINT64_MAX, &period[2]) && period[1] > 0;
}

char *cli_periods(const char *words, const char *unit, char *why, size_t why_bytes)
{
    char *list = NULL, *longer;
    for (const char *word = words; *word;) {
        size_t bytes = strcspn(word, "\n");
        uint64_t period[3];
        if (!read_period(word, bytes, base_unit_ns(unit ? unit : "sec"), period)) {
            snprintf(why, why_bytes,
                     "--collection-period: '%.*s' is not DELAY:TIME:REPEAT: two times, the second "
                     "above 0, and how often (0: for ever)",
                     (int)bytes, word);
            free(list);
            return NULL;
        }
        int n = asprintf(&longer, "%s%s%llu:%llu:%llu", list ? list : "", list ? ";" : "",
                         (unsigned long long)period[0], (unsigned long long)period[1],
                         (unsigned long long)period[2]);
        free(list);
        if (n < 0) {
            snprintf(why, why_bytes, "%s", strerror(ENOMEM));
            return NULL;
        }
        list = longer;
        word += bytes + (word[bytes] == '\n');
    }
    return list;
}
