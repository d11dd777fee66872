/* runtimes.c - which runtimes have started, and the tools' own callbacks for their tables.
 *
 * It is apart because any service that stands for a runtime may report the runtime's start. The
 * changes to a runtime's table are made in library/runtimes.c. */
#include "sdk/core/registration.h"
#include "sdk/core/service.h"

#include <rocprofiler-sdk/intercept_table.h>

#include <pthread.h>
#include <stdlib.h>

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
