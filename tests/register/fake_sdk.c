/* fake_sdk.c - an SDK that notes the tables it is given and can be told to refuse them.
 *
 * Loaded through ROCPROFILER_REGISTER_LIBRARY. fake_sdk_seen counts the calls; the last call's
 * arguments are kept for the scenarios to compare. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
EXPORT int fake_sdk_seen;
EXPORT char fake_sdk_name[32];
EXPORT uint64_t fake_sdk_version, fake_sdk_instance, fake_sdk_tables;
EXPORT int (*fake_sdk_inside)(void); /* called inside the registration */
EXPORT int fake_sdk_inside_answer;
EXPORT int (*fake_sdk_at_detach)(void);
EXPORT void *fake_sdk_replacement; /* put into element 1 of the first table */

EXPORT int rocprofiler_set_api_table(const char *, uint64_t, uint64_t, void **, uint64_t);

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
                              uint64_t count)
{
    fake_sdk_seen++;
    strncpy(fake_sdk_name, name, sizeof fake_sdk_name - 1);
    fake_sdk_version = version;
    fake_sdk_instance = instance;
    fake_sdk_tables = count;
    /* which runs the constructor of a library whose turn has not come, as when tools are looked for
     */
    const char *opened = getenv("FAKE_SDK_OPENS");
    if (opened) dlclose(dlopen(opened, RTLD_NOLOAD | RTLD_LAZY));
    if (fake_sdk_inside) fake_sdk_inside_answer = fake_sdk_inside();
    if (fake_sdk_replacement) ((void **)tables[0])[1] = fake_sdk_replacement;
    return getenv("FAKE_SDK_REFUSES") != NULL;
}

EXPORT int rocprofiler_attach(void);
int rocprofiler_attach(void)
{
    fake_sdk_seen++;
    return fake_sdk_inside ? fake_sdk_inside() : 0;
}

EXPORT int rocprofiler_detach(void);
int rocprofiler_detach(void)
{
    fake_sdk_seen++;
    return fake_sdk_at_detach ? fake_sdk_at_detach() : 0;
}
