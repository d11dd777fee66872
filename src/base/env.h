/* env.h - the environment, read in one way everywhere.
 *
 * Under AT_SECURE (a setuid program, for example) every variable reads as unset: the environment
 * comes from the caller, who must not steer a program with more rights than his own. */
#ifndef CROCPROF_BASE_ENV_H
#define CROCPROF_BASE_ENV_H

#include <stdbool.h>
#include <stdint.h>

/* Value of the variable, or NULL if unset or AT_SECURE. */
const char *base_env(const char *name);

/* True unless the value means no (words.h); unset or empty gives `otherwise`. */
bool base_env_bool(const char *name, bool otherwise);

/* A whole number (words.h) in [lo, hi], of which lo is not negative; anything else is reported with
 * name, value and limits and gives `otherwise`. */
int64_t base_env_int(const char *name, int64_t otherwise, int64_t lo, int64_t hi);

#endif
