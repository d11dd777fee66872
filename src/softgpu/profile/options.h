/* options.h - the options of softgpu: one table for the launcher and for the code that reads the
 * variables which the launcher sets.
 *
 * The rows are in options.def. */
#ifndef SOFTGPU_PROFILE_OPTIONS_H
#define SOFTGPU_PROFILE_OPTIONS_H

#include <stdint.h>

typedef struct {
    const char *name; /* of the option, without the hyphens; NULL: there is only the variable */
    char letter;
    const char *argument; /* name of the argument in the help; NULL: the option takes no argument */
    const char *variable, *help;
    const char *more;     /* added to the help in the manual and the pages; links are as in docs/ */
    const char *alone;    /* the value if the option has no argument; NULL: it needs one */
    uint32_t least, most; /* limits of a value that is a number; most 0: the value is no number */
    const char *words[6]; /* the value is one of these; without any, it can be any text */
    const char *instead;  /* variable of another option that makes the same setting, or NULL */
} sg_option_t;

typedef enum {
#define OPTION(id, ...)   SG_OPTION_##id,
#define CHECK(id, ...)    SG_OPTION_##id,
#define VARIABLE(id, ...) SG_OPTION_##id,
#include "softgpu/profile/options.def"
    SG_OPTION_COUNT
} sg_option_id_t;

extern const sg_option_t sg_options[SG_OPTION_COUNT];

#endif
