/* linked.h - what a runtime is linked with, for the bridges. */
#ifndef CROCPROF_REGISTER_LINKED_H
#define CROCPROF_REGISTER_LINKED_H

#include <link.h>
#include <stdbool.h>

/* A runtime that registers its tables is linked with librocprofiler-register; its own entry points
 * for that are local symbols in some builds. */
bool reg_registers_itself(const struct link_map *library);

#endif
