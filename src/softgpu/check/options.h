/* options.h - what the environment asks the checker for. The launcher reads it, too, so that a
 * wrong value is reported before the program runs.
 *
 * A new option is a row of CHK_VARIABLES; the launcher's options and the documentation follow from
 * it. Needs nothing of the device. */
#ifndef SOFTGPU_CHECK_OPTIONS_H
#define SOFTGPU_CHECK_OPTIONS_H

#include "softgpu/check/rules.h"

#include <regex.h>

/* X(id, option, variable) */
#define CHK_VARIABLES(X)                                                                           \
    X(CHECK, "--check", "SOFTGPU_CHECK")                                                           \
    X(KERNEL, "--kernel", "SOFTGPU_CHECK_KERNEL")                                                  \
    X(SUPPRESSIONS, "--suppressions", "SOFTGPU_CHECK_SUPPRESSIONS")                                \
    X(OUTPUT, "--check-output", "SOFTGPU_CHECK_OUTPUT")                                            \
    X(FORMAT, "--check-format", "SOFTGPU_CHECK_FORMAT")                                            \
    X(STATUS, "--error-exitcode", "SOFTGPU_CHECK_EXITCODE")                                        \
    X(INIT, "--init", "SOFTGPU_CHECK_INIT")                                                        \
    X(HAZARD, "--hazard", "SOFTGPU_CHECK_HAZARD")                                                  \
    X(API, "--api", "SOFTGPU_CHECK_API")

enum {
#define X(id, option, variable) CHK_VARIABLE_##id,
    CHK_VARIABLES(X)
#undef X
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
    unsigned strict; /* families that also report what is no error by itself */
    int status; /* the launcher's exit status if errors were found; 0: the program's own status */
} chk_options_t;

/* False: `why` names the option, its value, and valid values. */
bool chk_options_read(chk_options_t *o, char *why, size_t room);
void chk_options_free(chk_options_t *o);

#endif
