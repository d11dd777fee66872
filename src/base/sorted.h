/* sorted.h - the search in rows that are sorted. A macro, because the rows are of any type and are
 * sorted by anything. */
#ifndef CROCPROF_BASE_SORTED_H
#define CROCPROF_BASE_SORTED_H

#include <stddef.h>

/* Sets `i`, a variable of the type size_t, to the index of the first of `count` rows that does not
 * belong in front, or to `count`. `in_front` is an expression with `i`, which says whether row `i`
 * does: the rows for which it is true have to be the first ones. */
#define BASE_SEARCH(i, count, in_front)                                                            \
    do {                                                                                           \
        size_t low_ = 0, high_ = (count);                                                          \
        while (low_ < high_) {                                                                     \
            (i) = low_ + (high_ - low_) / 2;                                                       \
            if (in_front)                                                                          \
                low_ = (i) + 1;                                                                    \
            else                                                                                   \
                high_ = (i);                                                                       \
        }                                                                                          \
        (i) = low_;                                                                                \
    } while (0)

#endif
