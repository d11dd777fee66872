/* env.h - the environment, read in one way everywhere.
 *
 * Under AT_SECURE (a setuid program, for example) every variable reads as unset: the environment
 * comes from the caller, who must not steer a program with more rights than his own. */
#ifndef CROCPROF_BASE_ENV_H
#define CROCPROF_BASE_ENV_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the value of the variable, or NULL if it is unset or under AT_SECURE. */
const char *base_env(const char *name);

/* Returns true unless the value is one that means no (words.h); `otherwise` if the variable is
 * unset or empty. */
bool base_env_bool(const char *name, bool otherwise);

/* Returns a whole number (words.h) in [lo, hi], where lo is not negative. Any other value is
 * reported with name, value and limits, and `otherwise` is returned. */
int64_t base_env_int(const char *name, int64_t otherwise, int64_t lo, int64_t hi);

#endif
