/* units.h - what numbers count, and the units in which they are read and written.
 *
 * There is one table, for budgets that are read and for all texts that are written. A new unit is a
 * row of units.c. */
#ifndef CROCPROF_RESULTS_UNITS_H
#define CROCPROF_RESULTS_UNITS_H

#include <stddef.h>

/* What a number counts. */
typedef enum { RES_PLAIN, RES_PERCENT, RES_BYTES, RES_TIME } res_measure_t;

typedef struct {
    const char *word;
    res_measure_t measure;
    double factor; /* how many of the measure's own unit it is */
} res_unit_t;

/* Returns the unit of this word, which has `bytes` bytes; NULL if there is none. */
const res_unit_t *res_unit(const char *word, size_t bytes);

/* Returns the measure's own unit, in which numbers are kept and written for programs: "bytes",
 * "ns". */
const char *res_own_unit(res_measure_t measure);

/* Writes a number with its unit, as shown on terminals: 1,234; 12.5 %; 48 KiB; 1.25 ms. */
enum { RES_SHOWN_BYTES = 48 };
const char *res_shown(double value, res_measure_t measure, char text[RES_SHOWN_BYTES]);

#endif
