/* instance.h - names of counters that end in the number of an instance, as TCC_HIT[3].
 *
 * Apart because counters are named so by those who define them and by those who ask for them. */
#ifndef CROCPROF_BASE_INSTANCE_H
#define CROCPROF_BASE_INSTANCE_H

#include <stddef.h>

/* How long the name is without the instance; `length`, if it has none. */
static inline size_t base_instance_at(const char *name, size_t length)
{
    size_t at = length && name[length - 1] == ']' ? length - 1 : 0;
    while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    return at > 1 && name[at - 1] == '[' && at < length - 1 ? at - 1 : length;
}

#endif
