/* find.c - a dlopen() that gives HIP, in place of its compiler libamd_comgr, a library that opens
 * the compiler only if it has to (compiled/compiled.h).
 *
 * HIP opens libamd_comgr by this name when the program first uses a GPU. Every other call is passed
 * on to the next definition of dlopen() by a jump, so that the program still is the caller: the
 * folders that the loader searches depend on it. */
#include "base/look_up.h"
#include "softgpu/preload/redirect.h"

#include <dlfcn.h>
#include <string.h>

typedef void *(*dlopen_t)(const char *, int);

base_looked_up_t find_library(const char *name, int flags, void *ignored, const void *caller);

/* Opens the library beside this one, and asks it whether it knows the compiler that the caller
 * would get. NULL: it does not. */
static void *open_stand_in(dlopen_t open, const void *caller)
{
    bool (*stands_in)(const void *, bool);
    char path[PATH_MAX];
    if (!redirect_beside("libsoftgpu-comgr.so", path)) return NULL;
    void *library = open(path, RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "softgpu_comgr_stands_in") : NULL;
    if (!symbol) return NULL;
    memcpy(&stands_in, &symbol, sizeof stands_in);
    return stands_in(caller, redirect_has_stderr()) ? library : NULL;
}

__attribute__((visibility("hidden"))) base_looked_up_t
find_library(const char *name, int flags, void *ignored, const void *caller)
{
    static _Atomic(void *) next;
    base_looked_up_t result = {.onward = base_next_definition(&next, "dlopen")};
    const bool special = flags & (RTLD_NOLOAD | RTLD_GLOBAL | RTLD_DEEPBIND);
    (void)ignored;
    if (!name || special || strcmp(name, "libamd_comgr.so.2") != 0 || !redirect_in_use())
        return result;
    dlopen_t open;
    memcpy(&open, &result.onward, sizeof open);
    void *library = open_stand_in(open, caller);
    if (library) result = (base_looked_up_t){.answer = library};
    return result;
}

BASE_LOOK_UP_FIRST(dlopen, find_library);
