/* runtimes.c - what happens when a runtime registers its tables.
 *
 * Apart because the sequence for each runtime is a protocol: services, wrappers, the event that it
 * has started, then the tools' own table callbacks, whose wrappers are so the outermost. A new
 * runtime is a row and a function that installs its wrappers. */
#include "base/log.h"
#include "sdk/api/api.h"
#include "sdk/core/clock.h"
#include "sdk/core/registration.h"
#include "sdk/core/service.h"
#include "sdk/hip_event/hip_event.h"
#include "sdk/hip_graph/hip_graph.h"
#include "sdk/hip_stream/hip_stream.h"

#include <rocprofiler-sdk/intercept_table.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct intercept {
    struct intercept *next;
    rocprofiler_intercept_library_cb_t callback;
    int tables;
    void *data;
} intercept_t;

static intercept_t *intercepts, **last_intercept = &intercepts;
static pthread_mutex_t intercepts_lock = PTHREAD_MUTEX_INITIALIZER;

rocprofiler_status_t
rocprofiler_at_intercept_table_registration(rocprofiler_intercept_library_cb_t callback, int libs,
                                            void *data)
{
    int all = 2 * ROCPROFILER_TABLE_LAST - 1;
    if (!callback || libs < 0 || libs & ~all) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (!sdk_configuration_open()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    intercept_t *made = calloc(1, sizeof *made);
    if (!made) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    made->callback = callback;
    made->tables = libs ? libs : all;
    made->data = data;
    pthread_mutex_lock(&intercepts_lock);
    *last_intercept = made;
    last_intercept = &made->next;
    pthread_mutex_unlock(&intercepts_lock);
    return ROCPROFILER_STATUS_SUCCESS;
}

void sdk_intercept_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
                         void *table)
{
    /* read without the lock: the list does not change once initialisation is over */
    for (intercept_t *i = intercepts; i; i = i->next)
        if (i->tables & type) {
            void *tables[1] = {table};
            i->callback(type, version, instance, tables, 1, i->data);
        }
}

static _Atomic uint32_t started; /* one bit for each runtime */

bool sdk_runtime_has_started(rocprofiler_runtime_initialization_operation_t runtime)
{
    return atomic_load(&started) >> runtime & 1;
}

void sdk_runtime_started(rocprofiler_runtime_initialization_operation_t runtime, uint64_t version,
                         uint64_t instance)
{
    atomic_fetch_or(&started, 1u << runtime);
    const sdk_plan_t *plan = sdk_plan(SDK_DOMAIN_RUNTIME_INITIALIZATION, (int32_t)runtime);
    if (!plan) return;
    sdk_operation_t operation;
    sdk_operation_begin_apart(&operation, plan);
    rocprofiler_callback_tracing_runtime_initialization_data_t payload = {
        .size = sizeof payload, .version = version, .instance = instance};
    sdk_operation_callback(&operation, ROCPROFILER_CALLBACK_PHASE_NONE, &payload);
    rocprofiler_buffer_tracing_runtime_initialization_record_t record = {
        .size = sizeof record,
        .operation = runtime,
        .thread_id = operation.thread_id,
        .timestamp = sdk_now(),
        .version = version,
        .instance = instance,
    };
    sdk_operation_record(&operation, &record, sizeof record, &record.correlation_id.external);
}

/* ---- Sequences ---- */

struct registration;

typedef struct {
    const char *name;
    uint64_t tables;
    void (*install)(const struct registration *r);
    /* For rows with install_library(). */
    sdk_domain_t domain;
    rocprofiler_runtime_initialization_operation_t started;
    rocprofiler_intercept_table_t table;
} runtime_t;

typedef struct registration {
    const runtime_t *runtime;
    uint64_t version, instance;
    void **tables;
    uint64_t count;
} registration_t;

static void install_hsa(const registration_t *r)
{
    /* else newer runtimes would also load tools of the first generation */
    setenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS", "0", 0);
    if (sdk_gpu_install) sdk_gpu_install(r->tables[0], r->version, r->instance);
    sdk_api_install_hsa(r->tables[0]);
    sdk_runtime_started(ROCPROFILER_RUNTIME_INITIALIZATION_HSA, r->version, r->instance);
    sdk_intercept_table(ROCPROFILER_HSA_TABLE, r->version, r->instance, r->tables[0]);
}

static void install_hip(const registration_t *r)
{
    sdk_graph_install(r->tables[0]);
    sdk_event_install(r->tables[0]);
    sdk_api_install_sized(SDK_DOMAIN_HIP_RUNTIME, r->tables[0]);
    sdk_runtime_started(ROCPROFILER_RUNTIME_INITIALIZATION_HIP, r->version, r->instance);
    sdk_stream_install(r->tables[0]);
    sdk_intercept_table(ROCPROFILER_HIP_RUNTIME_TABLE, r->version, r->instance, r->tables[0]);
}

static void install_hip_compiler(const registration_t *r)
{
    if (sdk_gpu_install_hip_compiler)
        sdk_gpu_install_hip_compiler(r->tables[0], r->version, r->instance);
    sdk_api_install_sized(SDK_DOMAIN_HIP_COMPILER, r->tables[0]);
    sdk_intercept_table(ROCPROFILER_HIP_COMPILER_TABLE, r->version, r->instance, r->tables[0]);
}

static void install_roctx(const registration_t *r)
{
    sdk_api_install_marker(r->tables);
    sdk_runtime_started(ROCPROFILER_RUNTIME_INITIALIZATION_MARKER, r->version, r->instance);
    sdk_intercept_table(ROCPROFILER_MARKER_CORE_TABLE, r->version, r->instance, r->tables[0]);
    sdk_intercept_table(ROCPROFILER_MARKER_CONTROL_TABLE, r->version, r->instance, r->tables[1]);
    sdk_intercept_table(ROCPROFILER_MARKER_NAME_TABLE, r->version, r->instance, r->tables[2]);
}

/* For a library that has one table and gives work to the GPU only through HSA or HIP. */
static void install_library(const registration_t *r)
{
    const runtime_t *l = r->runtime;
    sdk_api_install_sized(l->domain, r->tables[0]);
    sdk_runtime_started(l->started, r->version, r->instance);
    sdk_intercept_table(l->table, r->version, r->instance, r->tables[0]);
}

#define LIBRARY(name, NAME)                                                                        \
    {                                                                                              \
        name, 1, install_library, SDK_DOMAIN_##NAME##_API,                                         \
            ROCPROFILER_RUNTIME_INITIALIZATION_##NAME, ROCPROFILER_##NAME##_TABLE                  \
    }

static const runtime_t runtimes[] = {
    {.name = "hsa", 1, install_hsa},
    {.name = "hip", 1, install_hip},
    {.name = "hip_compiler", 1, install_hip_compiler},
    {.name = "roctx", 3, install_roctx},
    LIBRARY("rccl", RCCL),
    LIBRARY("rocdecode", ROCDECODE),
    LIBRARY("rocjpeg", ROCJPEG),
    LIBRARY("rocshmem", ROCSHMEM),
    LIBRARY("hipfile", HIPFILE),
};

int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
                              void **tables, uint64_t num_tables);

/* Called by librocprofiler-register, which finds it by name. 0 or a rocprofiler_status_t. */
ROCPROFILER_API int rocprofiler_set_api_table(const char *name, uint64_t lib_version,
                                              uint64_t lib_instance, void **tables,
                                              uint64_t num_tables)
{
    if (!sdk_initialize()) return ROCPROFILER_STATUS_ERROR;
    if (!name) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
        if (strcmp(name, runtimes[i].name)) continue;
        if (!tables || num_tables < runtimes[i].tables) {
            base_error("%s registered %llu tables, %llu expected: it is not traced", name,
                       tables ? (unsigned long long)num_tables : 0ull,
                       (unsigned long long)runtimes[i].tables);
            return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
        }
        if (num_tables > runtimes[i].tables)
            base_warning("%s registered %llu tables, the first %llu are used", name,
                         (unsigned long long)num_tables, (unsigned long long)runtimes[i].tables);
        if (sdk_finalizing()) return 0; /* too late to tell any tool */
        registration_t r = {&runtimes[i], lib_version, lib_instance, tables, num_tables};
        runtimes[i].install(&r);
        return 0;
    }
    base_info("unknown runtime \"%s\"", name);
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}
