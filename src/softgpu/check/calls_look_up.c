/* calls_look_up.c - which functions stand for which: those of the runtimes that come after ours,
 * and ours for programs that look a runtime's functions up by name.
 *
 * Apart because all of it is about the dynamic loader. A program that opens HIP by itself would
 * call past the checked calls. It is given ours where it would have got the very function that ours
 * goes on in; what a runtime lacks stays missing, and all else is as the loader has it. */
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

/* NULL: it is a function of neither. */
static const char *runtime_of(const char *name)
{
    if (strncmp(name, "hip", 3) == 0 || strncmp(name, "__hip", 5) == 0) return hip;
    return strncmp(name, "hsa_", 4) == 0 ? hsa : NULL;
}

/* ---- the loader's own ---- */

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

/* ---- the next ---- */

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

/* ---- programs that ask ---- */

base_looked_up_t calls_look_up(void *handle, const char *name, const char *version);
base_looked_up_t calls_look_up_plain(void *handle, const char *name);

/* Of dlsym, which has no version, and of dlvsym. The loader's own is asked last: of it is what
 * dlerror says. */
__attribute__((visibility("hidden"))) base_looked_up_t calls_look_up(void *handle, const char *name,
                                                                     const char *version)
{
    const base_looked_up_t onward = {NULL, loaders(version)};
    if (handle == RTLD_NEXT || !name || !runtime_of(name)) return onward;
    void *const ours = base_own_definition(name);
    if (!ours) return onward;
    void *const next = calls_next(name);
    void *answer = look_up(handle, name, version);
    /* found where the loader looks in all libraries; without us it is in none */
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
