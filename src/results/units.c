/* units.c - see units.h. */
#include "results/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ORDER: the units of a measure from the largest to the measure's own. The first word is shown on
 * terminals, the last one is written for programs. */
static const res_unit_t units[] = {
    {"s", RES_TIME, 1e9},
    {"ms", RES_TIME, 1e6},
    {"us", RES_TIME, 1e3},
    {"ns", RES_TIME, 1},
    {"GiB", RES_BYTES, 1073741824.0},
    {"MiB", RES_BYTES, 1048576},
    {"KiB", RES_BYTES, 1024},
    {"B", RES_BYTES, 1},
    {"bytes", RES_BYTES, 1},
    {"%", RES_PERCENT, 1},
    {"", RES_PLAIN, 1},
};
enum { UNIT_COUNT = sizeof(units) / sizeof(*units) };

const res_unit_t *res_unit(const char *word, size_t bytes)
{
    for (int i = 0; i < UNIT_COUNT; i++)
        if (strlen(units[i].word) == bytes && strncmp(units[i].word, word, bytes) == 0)
            return &units[i];
    return NULL;
}

const char *res_own_unit(res_measure_t measure)
{
    const char *word = "";
    for (int i = 0; i < UNIT_COUNT; i++)
        if (units[i].measure == measure) word = units[i].word;
    return word;
}

/* Returns the largest unit of which the number has at least one, else the measure's own. */
static const res_unit_t *unit_for(double value, res_measure_t measure)
{
    const res_unit_t *unit = units;
    while (unit->measure != measure || (unit->factor > 1 && fabs(value) < unit->factor))
        unit++;
    return unit;
}

/* Writes the digits in groups of three. */
static void group_digits(double value, char text[RES_SHOWN_BYTES])
{
    char digits[32];
    int length = snprintf(digits, sizeof(digits), "%.0f", fabs(value)), at = 0;
    if (value < 0) text[at++] = '-';
    for (int i = 0; i < length && at < RES_SHOWN_BYTES - 2; i++) {
        if (i && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = 0;
}

const char *res_shown(double value, res_measure_t measure, char text[RES_SHOWN_BYTES])
{
    const res_unit_t *unit = unit_for(value, measure);
    const char *blank = *unit->word ? " " : "";
    if (measure == RES_TIME || measure == RES_BYTES || value != floor(value) ||
        fabs(value) >= 1e15) {
        snprintf(text, RES_SHOWN_BYTES, "%.4g%s%s", value / unit->factor, blank, unit->word);
        return text;
    }
    group_digits(value, text);
    if (measure == RES_PERCENT) strcat(text, " %");
    return text;
}
