/* names.h - names of kernels that tell them apart.
 *
 * In databases, names of kernels may be without their arguments (rocprofv3 -T): then all
 * instances of a template have the same name. Whatever shows or matches kernels by name uses these.
 */
#ifndef CROCPROF_RESULTS_NAMES_H
#define CROCPROF_RESULTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *symbol;
    char *name;  /* as the database has it; to be freed */
    char *brief; /* without arguments; to be freed */
    bool common; /* another kernel has the same brief name */
} res_name_t;

/* Gives every kernel a name that no other kernel has (if several have the same, the whole name, or
 * else the symbol), and a brief name. False without memory. */
bool res_names_apart(res_name_t *names, size_t count);

#endif
