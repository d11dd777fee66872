/* runtimes.c - what happens when a runtime registers its tables.
 *
 * It is apart because the sequence is a protocol: first the services whose functions are to be
 * inside the wrappers, then the wrappers of API tracing, the services around these, the event that
 * the runtime has started, and the tools' own table callbacks, whose functions are therefore the
 * outermost. A runtime is a row. */
#include "base/log.h"
#include "sdk/api/api.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"

#include <stdlib.h>
#include <string.h>

enum { TABLES_MAX = 3, NO_EVENT = -1 };

typedef struct {
    rocprofiler_intercept_table_t type;
    sdk_domain_t domain; /* of the table's functions; HSA's container has tables of several */
} table_t;

typedef struct {
    const char *name;
    int started; /* rocprofiler_runtime_initialization_operation_t */
    unsigned count;
    table_t tables[TABLES_MAX];
} runtime_t;

/* A library that has one table and submits work to the GPU only through HSA or HIP. */
#define LIBRARY(name, NAME)                                                                        \
    {                                                                                              \
        name, ROCPROFILER_RUNTIME_INITIALIZATION_##NAME, 1,                                        \
        {                                                                                          \
            {                                                                                      \
                ROCPROFILER_##NAME##_TABLE, SDK_DOMAIN_##NAME##_API                                \
            }                                                                                      \
        }                                                                                          \
    }

static const runtime_t runtimes[] = {
    {"hsa", ROCPROFILER_RUNTIME_INITIALIZATION_HSA, 1, {{ROCPROFILER_HSA_TABLE, 0}}},
    {"hip",
     ROCPROFILER_RUNTIME_INITIALIZATION_HIP,
     1,
     {{ROCPROFILER_HIP_RUNTIME_TABLE, SDK_DOMAIN_HIP_RUNTIME}}},
    {"hip_compiler", NO_EVENT, 1, {{ROCPROFILER_HIP_COMPILER_TABLE, SDK_DOMAIN_HIP_COMPILER}}},
    {"roctx",
     ROCPROFILER_RUNTIME_INITIALIZATION_MARKER,
     3,
     {{ROCPROFILER_MARKER_CORE_TABLE, SDK_DOMAIN_MARKER_CORE},
      {ROCPROFILER_MARKER_CONTROL_TABLE, SDK_DOMAIN_MARKER_CONTROL},
      {ROCPROFILER_MARKER_NAME_TABLE, SDK_DOMAIN_MARKER_NAME}}},
    LIBRARY("rccl", RCCL),
    LIBRARY("rocdecode", ROCDECODE),
    LIBRARY("rocjpeg", ROCJPEG),
    LIBRARY("rocshmem", ROCSHMEM),
    LIBRARY("hipfile", HIPFILE),
};

static void install_hook(const sdk_table_hook_t *hook, const table_t *t, void *table)
{
    if (hook->install && hook->table == t->type) hook->install(table);
}

static void install_wrappers(const table_t *t, void *table)
{
    if (t->type == ROCPROFILER_HSA_TABLE)
        sdk_api_install_hsa(table);
    else
        sdk_api_install_sized(t->domain, table);
}

static void install(const runtime_t *r, uint64_t version, uint64_t instance, void **tables)
{
    /* without this, newer HSA runtimes would also load tools of the first generation */
    if (r->tables[0].type == ROCPROFILER_HSA_TABLE)
        setenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "0", 0);
    for (unsigned i = 0; i < r->count; i++) {
        SDK_EACH_SERVICE (s)
            install_hook(&(*s)->inside, &r->tables[i], tables[i]);
        install_wrappers(&r->tables[i], tables[i]);
        SDK_EACH_SERVICE (s)
            install_hook(&(*s)->around, &r->tables[i], tables[i]);
    }
    if (r->started != NO_EVENT)
        sdk_runtime_started((rocprofiler_runtime_initialization_operation_t)r->started, version,
                            instance);
    for (unsigned i = 0; i < r->count; i++)
        sdk_intercept_table(r->tables[i].type, version, instance, tables[i]);
}

int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
                              void **tables, uint64_t num_tables);

/* Called by librocprofiler-register, which looks it up by name. Returns 0 or a
 * rocprofiler_status_t. */
ROCPROFILER_API int rocprofiler_set_api_table(const char *name, uint64_t lib_version,
                                              uint64_t lib_instance, void **tables,
                                              uint64_t num_tables)
{
    if (!sdk_initialize()) return ROCPROFILER_STATUS_ERROR;
    if (!name) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
        const runtime_t *r = &runtimes[i];
        if (strcmp(name, r->name)) continue;
        if (!tables || num_tables < r->count) {
            base_error("%s registered %llu tables, %u expected: it is not traced", name,
                       tables ? (unsigned long long)num_tables : 0ull, r->count);
            return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
        }
        if (num_tables > r->count)
            base_warning("%s registered %llu tables, the first %u are used", name,
                         (unsigned long long)num_tables, r->count);
        if (sdk_finalizing()) return 0; /* too late to report it to any tool */
        install(r, lib_version, lib_instance, tables);
        return 0;
    }
    base_info("unknown runtime \"%s\"", name);
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}
