/* hip_library.c - finds HIP, and handles programs that look up its functions by name.
 *
 * It is apart because all of it deals with the dynamic loader. A program that uses dlsym or
 * hipGetProcAddress would call HIP without passing the trampolines, so it gets trampolines, if the
 * bridge has registered the tables. A function that HIP lacks is reported as missing, although this
 * library has a trampoline for it. */
#include "register/hip_bridge.h"

#include "base/loaded.h"
#include "base/look_up.h"
#include "register/linked.h"

#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *(*dlsym_t)(void *, const char *);

static dlsym_t real_dlsym(void)
{
    static _Atomic(void *) found;
    void *symbol = base_next_definition(&found, "dlsym");
    dlsym_t function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

void *bridge_dlsym_real(void *handle, const char *name)
{
    return real_dlsym()(handle, name);
}

const char bridge_hip_file[] = "libamdhip64.so";

/* ---- The library ---- */

/* Reads the version from the end of the real file's name, major.minor.patch; a missing number
 * counts as 0. */
static uint32_t version_of(const char *path)
{
    char *real = realpath(path, NULL);
    const char *at = real ? strstr(real, "libamdhip64.so.") : NULL;
    unsigned major = 0, minor = 0, patch = 0;
    if (at) sscanf(at, "libamdhip64.so.%u.%u.%u", &major, &minor, &patch);
    free(real);
    return 10000 * major + 100 * minor + (patch < 100 ? patch : 0);
}

bridge_library_t bridge_find_hip(void)
{
    bridge_library_t found = {0};
    char path[4096] = "";
    /* the library to which calls would be bound without this one, or else a HIP that was opened
     * with RTLD_LOCAL */
    void *next = bridge_dlsym_real(RTLD_NEXT, "hipApiName");
    Dl_info where;
    if (next && dladdr(next, &where) && base_is_file_of(where.dli_fname, bridge_hip_file)) {
        snprintf(path, sizeof path, "%s", where.dli_fname);
        found.handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    } else {
        found.handle = base_find_loaded(bridge_hip_file, path);
    }
    struct link_map *map = NULL;
    if (!found.handle || dlinfo(found.handle, RTLD_DI_LINKMAP, &map) != 0) return found;
    found.registers = reg_registers_itself(map);
    found.version = version_of(path);
    return found;
}

/* ---- Looking up ---- */

static const bridge_symbol_t *find_symbol(const char *name)
{
    size_t low = 0, high = BRIDGE_SYMBOL_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, bridge_symbols[middle].name);
        if (order == 0) return &bridge_symbols[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Returns whether the program would have found the function without this library. If not, dlerror()
 * has the loader's message. */
static bool is_there(const char *name)
{
    char path[4096] = "";
    void *handle = base_find_loaded(bridge_hip_file, path);
    bool found = handle && bridge_dlsym_real(handle, name);
    if (handle) dlclose(handle);
    return found || bridge_dlsym_real(RTLD_NEXT, name);
}

static void *translate(const bridge_symbol_t *symbol, void *answer)
{
    Dl_info where;
    struct link_map *map = NULL;
    if (answer == symbol->trampoline) return is_there(symbol->name) ? answer : NULL;
    if (!answer || bridge_has_native()) return answer;
    if (!dladdr1(answer, &where, (void **)&map, RTLD_DL_LINKMAP) || !map) return answer;
    if (!base_is_file_of(map->l_name, bridge_hip_file)) return answer;
    bridge_hide();
    return reg_registers_itself(map) ? answer : symbol->trampoline;
}

base_looked_up_t bridge_dlsym(void *handle, const char *name);

__attribute__((visibility("hidden"))) base_looked_up_t bridge_dlsym(void *handle, const char *name)
{
    dlsym_t real = real_dlsym();
    base_looked_up_t result = {NULL, NULL};
    const bridge_symbol_t *symbol = handle == RTLD_NEXT || !name ? NULL : find_symbol(name);
    if (symbol)
        result.answer = translate(symbol, real(handle, name));
    else
        memcpy(&result.onward, &real, sizeof result.onward);
    return result;
}

BASE_LOOK_UP_FIRST(dlsym, bridge_dlsym);

/* The type of HIP's functions that return addresses. They differ in their parameters from the third
 * on, all of which fit into three registers. They return 0 for success. */
typedef int (*lookup_t)(const char *, void **, uint64_t, uint64_t, void *);

enum { LOOKUPS = 4 };
static const char *const lookup_names[LOOKUPS] = {"hipGetProcAddress", "hipGetProcAddress_spt",
                                                  "hipGetDriverEntryPoint",
                                                  "hipGetDriverEntryPoint_spt"};
static lookup_t lookups[LOOKUPS];

/* Returns the trampoline of a real function of HIP; other addresses are returned unchanged. */
static void *traced(const char *name, void *function)
{
    const bridge_symbol_t *symbol = name ? find_symbol(name) : NULL;
    if (symbol && bridge_real[symbol->row] == function) return symbol->trampoline;
    for (int i = 0; i < LOOKUPS; i++)
        if (memcmp(&lookups[i], &function, sizeof function) == 0)
            return find_symbol(lookup_names[i])->trampoline;
    for (size_t i = 0; i < BRIDGE_SYMBOL_COUNT; i++)
        if (bridge_symbols[i].preference == 0 && bridge_real[bridge_symbols[i].row] == function)
            return bridge_symbols[i].trampoline;
    return function;
}

static int look_up(int which, const char *name, void **function, uint64_t third, uint64_t fourth,
                   void *fifth)
{
    int status = lookups[which](name, function, third, fourth, fifth);
    if (status == 0 && function && *function && !bridge_has_native())
        *function = traced(name, *function);
    return status;
}

#define LOOKUP(which)                                                                              \
    static int look_up_##which(const char *name, void **function, uint64_t third, uint64_t fourth, \
                               void *fifth)                                                        \
    {                                                                                              \
        return look_up(which, name, function, third, fourth, fifth);                               \
    }
LOOKUP(0)
LOOKUP(1)
LOOKUP(2)
LOOKUP(3)

void *bridge_wrap_lookup(const char *name, void *function)
{
    static const lookup_t wrappers[LOOKUPS] = {look_up_0, look_up_1, look_up_2, look_up_3};
    for (int i = 0; function && i < LOOKUPS; i++) {
        if (strcmp(name, lookup_names[i]) != 0) continue;
        memcpy(&lookups[i], &function, sizeof function);
        memcpy(&function, &wrappers[i], sizeof function);
        break;
    }
    return function;
}
