/* fake_runtime.c - a libamdhip64.so.5 that counts its calls and, with WRAPPER defined, a library of
 * functions of the same names that calls it. */
#ifdef WRAPPER
#include <dlfcn.h>
#include <string.h>
#endif
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int hipMalloc(void **at, size_t bytes);
EXPORT int hipFree(void *at);
EXPORT int hipInit(unsigned flags);
EXPORT int allocations(void);
EXPORT int next_is_hips(void);

#ifdef WRAPPER
int hipMalloc(void **at, size_t bytes)
{
    int (*real)(void **at, size_t bytes);
    void *hip = dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_NOLOAD);
    void *function = hip ? dlsym(hip, "hipMalloc") : NULL;
    memcpy(&real, &function, sizeof function);
    return function ? real(at, bytes) : -1;
}

int hipFree(void *at)
{
    (void)at;
    return -1;
}

int next_is_hips(void)
{
    Dl_info where;
    void *function = dlsym(RTLD_NEXT, "hipFree");
    return hipInit(0) == 0 && function && dladdr(function, &where) &&
           strstr(where.dli_fname, "libamdhip64");
}
#else
static int count;

int hipMalloc(void **at, size_t bytes)
{
    static char memory[64];
    *at = memory;
    count++;
    return bytes > sizeof memory;
}

int hipFree(void *at)
{
    (void)at;
    return 0;
}

int hipInit(unsigned flags)
{
    return (int)flags;
}

int allocations(void)
{
    return count;
}
#endif
