/* calls_look_up.c - the dynamic loader: finds the runtime's function that a preloaded one replaces,
 * and gives the preloaded one to programs that look a runtime's function up by name.
 *
 * A program that opens HIP with dlopen would bypass the preloaded calls. A look-up that would
 * return the runtime's function returns the preloaded one instead, if that calls just this
 * function. A function that the runtime lacks stays missing; all other look-ups have the loader's
 * result. */
#include "softgpu/check/calls.h"

#include "base/hide.h"
#include "base/loaded.h"
#include "base/look_up.h"

#include <string.h>

static const char hip[] = "libamdhip64.so", hsa[] = "libhsa-runtime64.so";

__attribute__((constructor)) static void initialise(void)
{
    base_hide_at_start(hip, (const char *const[]){"hip", "__hip", NULL});
    base_hide_at_start(hsa, (const char *const[]){"hsa_", NULL});
}

/* The library that has functions of this name; NULL: neither runtime. */
static const char *runtime_of(const char *name)
{
    if (strncmp(name, "hip", 3) == 0 || strncmp(name, "__hip", 5) == 0) return hip;
    return strncmp(name, "hsa_", 4) == 0 ? hsa : NULL;
}

/* ---- the loader's own functions ---- */

typedef void *look_up_t(void *handle, const char *name);
typedef void *look_up_version_t(void *handle, const char *name, const char *version);

static void *loaders(const char *version)
{
    static _Atomic(void *) plain, versioned;
    return version ? base_next_definition(&versioned, "dlvsym")
                   : base_next_definition(&plain, "dlsym");
}

static void *look_up(void *handle, const char *name, const char *version)
{
    void *const f = loaders(version);
    return version ? ((look_up_version_t *)f)(handle, name, version)
                   : ((look_up_t *)f)(handle, name);
}

/* ---- the runtime's functions ---- */

void *calls_next(const char *name)
{
    char path[4096];
    const char *file = runtime_of(name);
    void *f = look_up(RTLD_NEXT, name, NULL);
    void *runtime = f || !file ? NULL : base_find_loaded(file, path);
    if (!runtime) return f;
    f = look_up(runtime, name, NULL);
    dlclose(runtime);
    return f;
}

void calls_keep(void *function)
{
    Dl_info where;
    if (dladdr(function, &where))
        (void)dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* ---- programs that look functions up ---- */

base_looked_up_t calls_look_up(void *handle, const char *name, const char *version);
base_looked_up_t calls_look_up_plain(void *handle, const char *name);

/* For dlsym (no version) and dlvsym. If the result is not the preloaded function, the loader's own
 * function is called last, so that dlerror is about that look-up. */
__attribute__((visibility("hidden"))) base_looked_up_t calls_look_up(void *handle, const char *name,
                                                                     const char *version)
{
    const base_looked_up_t onward = {NULL, loaders(version)};
    if (handle == RTLD_NEXT || !name || !runtime_of(name)) return onward;
    void *const ours = base_own_definition(name);
    if (!ours) return onward;
    void *const next = calls_next(name);
    void *answer = look_up(handle, name, version);
    /* the loader searched all libraries and found only the preloaded function */
    if (answer == ours && !next) return (base_looked_up_t){look_up(RTLD_NEXT, name, NULL), NULL};
    if (answer && answer == next) return (base_looked_up_t){ours, NULL};
    return handle == RTLD_DEFAULT ? onward : (base_looked_up_t){answer, NULL};
}

__attribute__((visibility("hidden"))) base_looked_up_t calls_look_up_plain(void *handle,
                                                                           const char *name)
{
    return calls_look_up(handle, name, NULL);
}

BASE_LOOK_UP_FIRST(dlsym, calls_look_up_plain);
BASE_LOOK_UP_FIRST(dlvsym, calls_look_up);
