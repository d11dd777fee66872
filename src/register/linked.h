/* linked.h - tells the bridges whether a runtime registers its tables itself. */
#ifndef CROCPROF_REGISTER_LINKED_H
#define CROCPROF_REGISTER_LINKED_H

#include <link.h>
#include <stdbool.h>

/* Returns true if the library is linked with librocprofiler-register. The functions by which a
 * runtime registers cannot be searched for, since they are local symbols in some builds. */
bool reg_registers_itself(const struct link_map *library);

#endif
