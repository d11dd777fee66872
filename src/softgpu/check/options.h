/* options.h - the checker's options, which come as environment variables. The launcher reads them,
 * too, so that a wrong value is reported before the program runs.
 *
 * A new option is a row of softgpu/profile/options.def. This header needs no part of the device. */
#ifndef SOFTGPU_CHECK_OPTIONS_H
#define SOFTGPU_CHECK_OPTIONS_H

#include "softgpu/check/rules.h"

#include <regex.h>

enum {
#define OPTION(...)
#define CHECK(id, ...) CHK_VARIABLE_##id,
#define VARIABLE(...)
#include "softgpu/profile/options.def"
    CHK_VARIABLE_COUNT
};

extern const char *const chk_variables[CHK_VARIABLE_COUNT];

typedef enum { CHK_TEXT, CHK_JSON, CHK_SARIF } chk_format_t;

typedef struct {
    unsigned families;       /* CHK_*; 0: nothing is checked, and the other members are not set */
    bool has_kernel;         /* only kernels whose names match `kernel` are checked */
    regex_t kernel;          /* POSIX extended */
    const char *kernel_text; /* as in the environment */
    chk_rules_t *rules;      /* NULL: nothing is suppressed */
    chk_format_t format;
    unsigned
        strict; /* families in strict mode: they also report what is not necessarily an error */
    int status; /* the launcher's exit status if errors were found; 0: the program's own status */
} chk_options_t;

/* False: `why` names the option, its value, and valid values. */
bool chk_options_read(chk_options_t *o, char *why, size_t room);
void chk_options_free(chk_options_t *o);

#endif
