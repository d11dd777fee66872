/* golden.h - the factor by which hashes of numbers are made: 2^64 / the golden ratio.
 *
 * Multiples of it by numbers that follow each other are spread evenly over 64 bits; the upper bits
 * of the product are the hash. */
#ifndef CROCPROF_BASE_GOLDEN_H
#define CROCPROF_BASE_GOLDEN_H

#include <stdint.h>

#define BASE_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

#endif
