/* env.c - see env.h. The only place of the libraries that calls getenv. */
#include "base/env.h"

#include "base/log.h"
#include "base/words.h"

#include <stdlib.h>

const char *base_env(const char *name)
{
    return secure_getenv(name);
}

bool base_env_bool(const char *name, bool otherwise)
{
    const char *value = base_env(name);
    if (!value || !*value) return otherwise;
    return base_truth(value) != 0;
}

int64_t base_env_int(const char *name, int64_t otherwise, int64_t lo, int64_t hi)
{
    const char *value = base_env(name);
    if (!value || !*value) return otherwise;
    uint64_t number;
    if (base_number(value, (uint64_t)lo, (uint64_t)hi, &number)) return (int64_t)number;
    base_warning("%s=%s is not a whole number from %lld to %lld; using %lld", name, value,
                 (long long)lo, (long long)hi, (long long)otherwise);
    return otherwise;
}
