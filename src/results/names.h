/* names.h - unique names of kernels.
 *
 * In databases, names of kernels may lack their arguments (rocprofv3 -T): then all instances of a
 * template have the same name. All code that shows or matches kernels by name uses the names from
 * here. */
#ifndef CROCPROF_RESULTS_NAMES_H
#define CROCPROF_RESULTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *symbol;
    char *name;  /* as in the database; to be freed */
    char *brief; /* without arguments; to be freed */
    bool common; /* another kernel has the same brief name */
} res_name_t;

/* Gives every kernel a name that no other kernel has (if several have the same, the whole name, or
 * else the symbol), and a brief name. Returns false without memory. */
bool res_names_apart(res_name_t *names, size_t count);

#endif
