/* grow.h - arrays to which elements are added one by one.
 *
 * The caller keeps the array, the number of its elements and its room. */
#ifndef CROCPROF_BASE_GROW_H
#define CROCPROF_BASE_GROW_H

#include <stddef.h>
#include <stdlib.h>

/* Makes room for an element behind the first `n`, of `bytes` bytes each: a full array doubles its
 * *room. Returns where the array is then; NULL if memory has run out, and the array is as it was.
 */
static inline void *base_grow(void *array, size_t n, size_t *room, size_t bytes)
{
    enum { FIRST_ROOM = 16 };
    if (n < *room) return array;
    const size_t more = *room ? 2 * *room : FIRST_ROOM;
    void *grown = reallocarray(array, more, bytes);
    if (grown) *room = more;
    return grown;
}

#endif
