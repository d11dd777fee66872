/* env.c - see env.h. The only place of the libraries that calls getenv. */
#include "base/env.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

const char *base_env(const char *name)
{
    return secure_getenv(name);
}

bool base_env_bool(const char *name, bool otherwise)
{
    const char *value = base_env(name);
    if (!value || !*value) return otherwise;
    char *end;
    long number = strtol(value, &end, 10);
    if (!*end) return number != 0;
    static const char *const no[] = {"off", "false", "no", "n", "f"};
    for (unsigned i = 0; i < sizeof no / sizeof *no; i++)
        if (strcasecmp(value, no[i]) == 0) return false;
    return true;
}

int64_t base_env_int(const char *name, int64_t otherwise, int64_t lo, int64_t hi)
{
    const char *value = base_env(name);
    if (!value || !*value) return otherwise;
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 0);
    if (*end || errno || number < lo || number > hi) {
        base_warning("%s=%s is not a whole number from %lld to %lld; using %lld", name, value,
                     (long long)lo, (long long)hi, (long long)otherwise);
        return otherwise;
    }
    return number;
}
