/* names.h - names of kernels that tell them apart.
 *
 * Databases have names as they were asked for: without their arguments (rocprofv3 -T), and then
 * instances of one template are called the same. What shows or matches kernels by name begins here.
 */
#ifndef CROCPROF_RESULTS_NAMES_H
#define CROCPROF_RESULTS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *symbol;
    char *name;  /* as the database has it; to be freed */
    char *brief; /* without arguments; to be freed */
    bool common; /* another one has this brief name too */
} res_name_t;

/* Gives every kernel a name that no other has: where several have one, the whole of it, or else the
 * symbol; and brief names. False without memory. */
bool res_names_apart(res_name_t *names, size_t count);

#endif
