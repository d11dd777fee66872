/* onload.c - HSA_TOOLS_LIB for ROCr before 6.0, which does not register its tables itself.
 *
 * Such a runtime loads the libraries named in HSA_TOOLS_LIB and calls OnLoad with its tables;
 * OnLoad registers these as "hsa". A runtime that does both registers the same table twice, which
 * is harmless. */
#include "register/register.h"

/* HSA 1.1 is what ROCr implements up to 6.x; OnLoad's own version argument is the major version of
 * the table layout, not of the runtime, and querying the runtime from inside hsa_init is not
 * safe. */
enum { HSA_RUNTIME_VERSION = 10100 };

bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_tool_count,
            const char *const *failed_tool_names);
void OnUnload(void);

__attribute__((visibility("default"))) bool OnLoad(void *table, uint64_t runtime_version,
                                                   uint64_t failed_tool_count,
                                                   const char *const *failed_tool_names)
{
    (void)runtime_version;
    (void)failed_tool_count;
    (void)failed_tool_names;
    rocprofiler_register_library_indentifier_t id;
    if (table)
        rocprofiler_register_library_api_table("hsa", NULL, HSA_RUNTIME_VERSION, &table, 1, &id);
    /* returning false would make ROCr unload the library whose functions are now in its tables */
    return true;
}

/* Nothing is to be done here: the SDK finalises at exit, because HIP never shuts HSA down. A
 * program that shuts HSA down may start it again. */
__attribute__((visibility("default"))) void OnUnload(void)
{
    reg_runtime_ended("hsa");
}
