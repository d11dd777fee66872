/* find.c - a dlsym() that gives HIP functions which cache the results of its compiler
 * (compiled/compiled.h).
 *
 * HIP opens libamd_comgr when the program first uses a GPU, and calls it through pointers that it
 * gets from dlsym(). For a function of that library, this dlsym() returns its replacement. Every
 * other name is passed on to the next definition of dlsym() by a jump, so that the program still is
 * the caller. */
#include "base/look_up.h"
#include "softgpu/preload/redirect.h"

#include <dlfcn.h>
#include <string.h>

typedef void *(*dlsym_t)(void *, const char *);

base_looked_up_t find_symbol(void *handle, const char *name);

__attribute__((visibility("hidden"))) base_looked_up_t find_symbol(void *handle, const char *name)
{
    static _Atomic(void *) next;
    base_looked_up_t result = {.onward = base_next_definition(&next, "dlsym")};
    const bool special =
        handle == RTLD_NEXT ||
        handle == RTLD_DEFAULT; /* for these handles the result depends on the caller */
    if (!name || special || strncmp(name, "amd_comgr_", 10) != 0) return result;
    dlsym_t real;
    memcpy(&real, &result.onward, sizeof real);
    void *function = real(handle, name);
    return (base_looked_up_t){.answer = function ? redirect_stand_in(real, handle, name, function)
                                                 : NULL};
}

BASE_LOOK_UP_FIRST(dlsym, find_symbol);
