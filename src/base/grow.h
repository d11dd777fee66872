/* grow.h - arrays and texts that grow, most of them by one element after the other.
 *
 * The caller keeps the array and the number of its elements. For an array that is emptied and
 * filled repeatedly, the caller also keeps the number of elements for which there is room. */
#ifndef CROCPROF_BASE_GROW_H
#define CROCPROF_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Reallocates an array for `room` elements of `bytes` bytes. `array` is the address of the pointer
 * to the array. Returns false, and leaves the array unchanged, if there is not enough memory, or if
 * `room` or `bytes` is 0: the C library would free the array, and a doubled number that does not
 * fit may be 0. */
static inline bool base_resize(void *array, size_t room, size_t bytes)
{
    if (!room || !bytes) return false;
    void *old;
    memcpy(&old, array, sizeof(old));
    void *grown = reallocarray(old, room, bytes);
    if (!grown) return false;
    memcpy(array, &grown, sizeof(grown));
    return true;
}

/* Makes room for `n` elements: an array that has room for fewer at least doubles its *room. Returns
 * false as above. */
static inline bool base_reserve(void *array, size_t n, size_t *room, size_t bytes)
{
    if (n <= *room) return true;
    const size_t more = n / 2 < *room ? 2 * *room : n;
    if (!base_resize(array, more, bytes)) return false;
    *room = more;
    return true;
}

/* The same; elements for which room is made are zeros. */
static inline bool base_reserve_zeros(void *array, size_t n, size_t *room, size_t bytes)
{
    const size_t before = *room;
    if (n <= before) return true;
    if (!base_reserve(array, n, room, bytes)) return false;
    char *elements;
    memcpy(&elements, array, sizeof(elements));
    memset(elements + before * bytes, 0, (*room - before) * bytes);
    return true;
}

enum { BASE_FIRST_ROOM = 16 };

/* Makes room for an element behind the first `n`: a full array doubles its *room. Returns false as
 * above. */
static inline bool base_grow(void *array, size_t n, size_t *room, size_t bytes)
{
    return base_reserve(array, *room ? n + 1 : BASE_FIRST_ROOM, room, bytes);
}

/* The same; elements for which room is made are zeros. */
static inline bool base_grow_zeros(void *array, size_t n, size_t *room, size_t bytes)
{
    return base_reserve_zeros(array, *room ? n + 1 : BASE_FIRST_ROOM, room, bytes);
}

/* As base_grow(), for an array that only this function has enlarged: its room is then the next
 * power of two above `n`. */
static inline bool base_grow_by_one(void *array, size_t n, size_t bytes)
{
    return n & (n - 1) || base_resize(array, n ? 2 * n : 1, bytes);
}

/* The functions above, for an array whose pointer has the type of its elements. */
#define BASE_RESIZE(array, room)           base_resize(&(array), room, sizeof(*(array)))
#define BASE_RESERVE(array, n, room)       base_reserve(&(array), n, room, sizeof(*(array)))
#define BASE_RESERVE_ZEROS(array, n, room) base_reserve_zeros(&(array), n, room, sizeof(*(array)))
#define BASE_GROW(array, n, room)          base_grow(&(array), n, room, sizeof(*(array)))
#define BASE_GROW_ZEROS(array, n, room)    base_grow_zeros(&(array), n, room, sizeof(*(array)))
#define BASE_GROW_BY_ONE(array, n)         base_grow_by_one(&(array), n, sizeof(*(array)))

/* Appends a copy of the text to a list that only this function has enlarged. Returns false if
 * memory has run out; the list is unchanged then. */
static inline bool base_add_text(char ***texts, size_t *count, const char *text)
{
    char *copy = BASE_GROW_BY_ONE(*texts, *count) ? strdup(text) : NULL;
    if (copy) (*texts)[(*count)++] = copy;
    return copy;
}

#endif
