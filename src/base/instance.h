/* instance.h - names of counters that end in the number of an instance, as TCC_HIT[3].
 *
 * They are apart because both the definitions of counters and the requests for counters use such
 * names. */
#ifndef CROCPROF_BASE_INSTANCE_H
#define CROCPROF_BASE_INSTANCE_H

#include <stddef.h>

/* Returns the length of the name without "[number]" at its end; `length` if the name has no such
 * end. */
static inline size_t base_instance_at(const char *name, size_t length)
{
    size_t at = length && name[length - 1] == ']' ? length - 1 : 0;
    while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    return at > 1 && name[at - 1] == '[' && at < length - 1 ? at - 1 : length;
}

#endif
