/* tools.c - determines whether there is a tool, and loads the SDK.
 *
 * It is apart from the registry because it is the only part that uses the dynamic loader. It loads
 * at most one library, the SDK, and never closes it. */
#include "register/register.h"

#include "base/env.h"
#include "base/log.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Not null if a tool is part of the program or of a library linked with it. */
extern void *rocprofiler_configure(uint32_t, const char *, uint32_t, void *) __attribute__((weak));

extern int rocprofiler_set_api_table(const char *, uint64_t, uint64_t, void **, uint64_t)
    __attribute__((weak));

static bool is_set(const char *name)
{
    const char *value = base_env(name);
    return value && *value;
}

static bool tool_present(void)
{
    if (rocprofiler_configure || dlsym(RTLD_DEFAULT, "rocprofiler_configure")) return true;
    if (reg_attachable()) return true;
    bool wanted = is_set("ROCPROFILER_REGISTER_LIBRARY") || is_set("ROCP_TOOL_LIBRARIES");
    return base_env_bool("ROCPROFILER_REGISTER_FORCE_LOAD", wanted);
}

static reg_set_api_table_t entry_point(void *handle)
{
    void *symbol = dlsym(handle, "rocprofiler_set_api_table");
    reg_set_api_table_t function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/* Opens the file of that name in the folder of this library. */
static void *open_beside(const char *name)
{
    Dl_info self;
    char path[4096];
    if (!dladdr((void *)&open_beside, &self) || !self.dli_fname) return NULL;
    int folder = (int)(base_last_part(self.dli_fname) - self.dli_fname);
    int n = snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, base_last_part(name));
    if (n < 0 || (size_t)n >= sizeof path) return NULL;
    return dlopen(path, RTLD_GLOBAL | RTLD_LAZY);
}

/* Returns the library if it is loaded already; else opens the one that the environment names, one
 * beside this library, or one that the loader finds. */
static void *open_library(const char *name)
{
    void *handle = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
    if (!handle) handle = dlopen(name, RTLD_GLOBAL | RTLD_LAZY);
    if (!handle && name[0] != '/') handle = open_beside(name);
    if (!handle) handle = dlopen(base_last_part(name), RTLD_GLOBAL | RTLD_LAZY);
    return handle;
}

static reg_set_api_table_t load_sdk(void)
{
    if (rocprofiler_set_api_table) return rocprofiler_set_api_table;
    reg_set_api_table_t function = entry_point(RTLD_DEFAULT);
    if (function) return function;

    const char *named =
        is_set("ROCPROFILER_REGISTER_LIBRARY") ? base_env("ROCPROFILER_REGISTER_LIBRARY") : NULL;
    const char *name = named ? named : "librocprofiler-sdk.so";
    void *handle = open_library(name);
    /* without the development link only the file with the version is installed */
    if (!handle && !named) handle = open_library(name = "librocprofiler-sdk.so.1");
    if (!handle) {
        const char *why = dlerror();
        base_warning("a profiling tool is present but the SDK cannot be loaded, the program runs "
                     "unprofiled: %s",
                     why ? why : name);
        return NULL;
    }
    function = entry_point(handle);
    if (!function)
        base_warning("%s has no rocprofiler_set_api_table, the program runs unprofiled; "
                     "ROCPROFILER_REGISTER_LIBRARY must name a profiling SDK",
                     name);
    return function;
}

static reg_set_api_table_t found; /* used only by the thread inside a registration */

reg_set_api_table_t reg_find_sdk(void)
{
    static bool failed;
    if (found) return found;
    if (failed || !tool_present()) return NULL;
    found = load_sdk();
    failed = !found;
    return found;
}

void *reg_sdk_symbol(const char *name)
{
    Dl_info file;
    void *address;
    memcpy(&address, &found, sizeof address);
    void *handle = address && dladdr(address, &file) && file.dli_fname
                       ? dlopen(file.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
                       : NULL;
    if (!handle) return NULL;
    void *symbol = dlsym(handle, name);
    dlclose(handle);
    return symbol;
}
