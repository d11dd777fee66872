/* runtimes.c - the runtimes that may register: names, indices, and the files that contain them.
 *
 * It is apart because the check that a caller lies in a runtime's file
 * (ROCPROFILER_REGISTER_SECURE) is a security check, which should be easy to review. The rows are
 * in register.h. */
#include "register/register.h"

#include <dlfcn.h>
#include <string.h>

static const struct {
    const char *name, *file;
    char major_low, major_high;
} runtimes[] = {
#define X(name, file, low, high) {name, file, low, high},
    REG_RUNTIMES(X)
#undef X
};
_Static_assert(sizeof runtimes / sizeof *runtimes == REG_RUNTIME_COUNT, "REG_RUNTIME_COUNT");

int reg_runtime_index(const char *name)
{
    for (int i = 0; i < REG_RUNTIME_COUNT; i++)
        if (name && strcmp(name, runtimes[i].name) == 0) return i;
    return -1;
}

const char *reg_runtime_name(int index)
{
    return runtimes[index].name;
}

/* Returns true if `base_name` contains `file`, then a major version in the range, then nothing or a
 * dot with digits and dots. Any text may precede `file`, because AMD's pattern is searched for, not
 * matched as a whole. */
static bool matches(const char *base_name, const char *file, char low, char high)
{
    const char *at = strstr(base_name, file);
    if (!at) return false;
    const char *version = at + strlen(file);
    if (*version < low || *version > high) return false;
    const char *rest = version + 1;
    return *rest == '\0' || (*rest == '.' && rest[strspn(rest, "0123456789.")] == '\0');
}

bool reg_runtime_matches_file(int index, const char *base_name)
{
    if (matches(base_name, runtimes[index].file, runtimes[index].major_low,
                runtimes[index].major_high))
        return true;
    /* the SDK's own marker library registers as "roctx" from a file of another name */
    return strcmp(runtimes[index].name, "roctx") == 0 &&
           matches(base_name, "librocprofiler-sdk-roctx.so.", '0', '9');
}

bool reg_runtime_owns(int index, rocprofiler_register_import_func_t function)
{
    Dl_info info;
    void *address;
    memcpy(&address, &function, sizeof address);
    if (!dladdr(address, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return reg_runtime_matches_file(index, slash ? slash + 1 : info.dli_fname);
}
