/* words.h - truth values, whole numbers and units of time, as users write them in options, files
 * and variables.
 *
 * They are read only here, so that a word means the same everywhere. */
#ifndef CROCPROF_BASE_WORDS_H
#define CROCPROF_BASE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns 1 for "yes", "true", "on", "y", "t" in any case and for decimal numbers above 0; 0 for
 * "no", "false", "off", "n", "f" and for numbers that are 0, as "00"; -1 for all other words. */
int base_truth(const char *word);

/* Reads a whole number in [least, most]: decimal digits, also after zeros, or hexadecimal ones
 * after 0x. Returns false, and leaves *number unchanged, if the word is anything else, with a sign
 * or blanks for example. */
bool base_number(const char *word, uint64_t least, uint64_t most, uint64_t *number);

/* Returns the nanoseconds in an hour, min, sec, msec, usec or nsec, in any case; 0 if `unit` is
 * none of these. */
uint64_t base_unit_ns(const char *unit);

#endif
