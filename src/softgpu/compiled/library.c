/* library.c - opens libamd_comgr when something is asked that the library that stands in for it
 * does not know, and passes calls on to it.
 *
 * Which file is opened is known before (identity.c), so that it is the one that the program would
 * have opened. */
#include "softgpu/compiled/objects.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static sg_comgr_t comgr;

static int unavailable(void)
{
    return SG_ERROR;
}

static void find_function(void *library, const char *name, void *slot)
{
    int (*const missing)(void) = unavailable;
    void *found = library ? dlsym(library, name) : NULL;
    if (found)
        memcpy(slot, &found, sizeof found);
    else
        memcpy(slot, &missing, sizeof missing);
}

static void open_library(void)
{
    void *library = sg_compiler_open();
#define FUNCTION(name, ...) find_function(library, "amd_comgr_" #name, &comgr.name);
    SG_COMGR_ANSWERED(FUNCTION)
    SG_COMGR_PASSED_ON(FUNCTION)
#undef FUNCTION
}

const sg_comgr_t *sg_comgr(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    return &comgr;
}

void amd_comgr_get_version(size_t *major, size_t *minor)
{
    *major = SG_COMPILER_MAJOR;
    *minor = sg_compiler_minor();
}
