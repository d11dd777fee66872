/* options.h - what the environment asks the checker for; the launcher reads it too, so that a wrong
 * value is told before the program runs.
 *
 * An option more is a row of CHK_VARIABLES, which the launcher's options and the documentation
 * follow. Needs nothing of the device. */
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
    unsigned families;       /* CHK_* of kinds.h; 0: nothing is checked, and nothing else is set */
    bool has_kernel;         /* only kernels whose names match are looked at */
    regex_t kernel;          /* POSIX extended */
    const char *kernel_text; /* of the environment */
    chk_rules_t *rules;      /* NULL: nothing is suppressed */
    chk_format_t format;
    unsigned strict; /* families of which what is no error by itself is wanted, too */
    int status;      /* of the launcher where something was wrong; 0: the program's */
} chk_options_t;

/* False: `why` names option, value and what would be good. */
bool chk_options_read(chk_options_t *o, char *why, size_t room);
void chk_options_free(chk_options_t *o);

#endif
