/* ompt.c - OpenMP's tool interface: an OpenMP runtime looks for a tool when it starts, and then
 * reports events of threads, tasks and regions to it.
 *
 * An event with begin and end becomes two callbacks (ENTER, EXIT) and one record; another event
 * becomes one callback (NONE) and a record without duration. The runtime's callbacks themselves are
 * generated from tables/ompt-api.tsv. */
#include "sdk/ompt/ompt.h"

#include "base/log.h"
#include "sdk/core/registration.h"

#include <pthread.h>
#include <rocprofiler-sdk/ompt.h>
#include <stdlib.h>
#include <string.h>

typedef struct span {
    struct span *next;
    sdk_operation_t operation;
    sdk_reference_t *reference;
    uint64_t begin;
} span_t;

/* The events of a thread that have begun and not ended, the innermost first, and free
 * structures. */
typedef struct {
    span_t *open, *spare;
} spans_t;

static _Thread_local spans_t *mine __attribute__((tls_model("initial-exec")));
static pthread_key_t spans_key; /* its destructor frees a thread's structures */
static _Atomic bool asked, initialized, finalized;

static void free_list(span_t *s)
{
    for (span_t *next; s; s = next) {
        next = s->next;
        free(s);
    }
}

static void free_spans(void *spans)
{
    spans_t *s = spans;
    free_list(s->open);
    free_list(s->spare);
    free(s);
    mine = NULL;
}

static span_t *new_span(void)
{
    if (!mine) {
        mine = calloc(1, sizeof *mine);
        if (mine) pthread_setspecific(spans_key, mine);
    }
    span_t *s = mine ? mine->spare : NULL;
    if (s)
        mine->spare = s->next;
    else if (mine)
        s = malloc(sizeof *s);
    return s;
}

bool sdk_ompt_inside(void)
{
    return mine && mine->open;
}

/* ---- records ---- */

static uint64_t id_of(const ompt_data_t *data)
{
    return data ? data->value : 0;
}

/* Fills in the fields that only the record of an offloading event has, except for its times. */
static void put_target(rocprofiler_buffer_tracing_ompt_record_t *r,
                       const rocprofiler_ompt_args_t *a)
{
    switch ((rocprofiler_ompt_operation_t)r->operation) {
    case ROCPROFILER_OMPT_ID_target_emi:
        r->target.kind = (int32_t)a->target_emi.kind;
        r->target.device_num = a->target_emi.device_num;
        r->target.task_id = id_of(a->target_emi.task_data);
        r->target.target_id = id_of(a->target_emi.target_data);
        r->target.codeptr_ra = a->target_emi.codeptr_ra;
        break;
    case ROCPROFILER_OMPT_ID_target_data_op_emi:
        r->target_data_op.host_op_id = id_of(a->target_data_op_emi.host_op_id);
        r->target_data_op.optype = (int32_t)a->target_data_op_emi.optype;
        r->target_data_op.src_device_num = a->target_data_op_emi.src_device_num;
        r->target_data_op.dst_device_num = a->target_data_op_emi.dst_device_num;
        r->target_data_op.bytes = a->target_data_op_emi.bytes;
        r->target_data_op.codeptr_ra = a->target_data_op_emi.codeptr_ra;
        break;
    case ROCPROFILER_OMPT_ID_target_submit_emi:
        r->target_kernel.host_op_id = id_of(a->target_submit_emi.host_op_id);
        r->target_kernel.requested_num_teams = a->target_submit_emi.requested_num_teams;
        break;
    default: break;
    }
}

static void put_record(const sdk_operation_t *operation, uint64_t begin, uint64_t end,
                       const rocprofiler_ompt_args_t *args)
{
    rocprofiler_buffer_tracing_ompt_record_t r = {
        .size = sizeof r,
        .operation = operation->plan->operation,
        .correlation_id = {.internal = operation->internal, .ancestor = operation->ancestor},
        .start_timestamp = begin,
        .end_timestamp = end,
        .thread_id = operation->thread_id,
    };
    put_target(&r, args);
    sdk_operation_record(operation, &r, sizeof r, &r.correlation_id.external);
}

/* ---- events ---- */

void sdk_ompt_point(const sdk_plan_t *plan, rocprofiler_callback_tracing_ompt_data_t *data)
{
    sdk_operation_t operation;
    data->size = sizeof *data;
    sdk_operation_begin(&operation, plan);
    sdk_reference_t *reference = sdk_retirement_hold(&operation);
    sdk_operation_callback(&operation, ROCPROFILER_CALLBACK_PHASE_NONE, data);
    uint64_t now = sdk_now();
    put_record(&operation, now, now, &data->args);
    sdk_retirement_release(reference, now);
}

/* In this interface the tool, which is this library, assigns the numbers of target regions and
 * their operations. */
static void number_target(int32_t operation, uint64_t id, const rocprofiler_ompt_args_t *a)
{
    ompt_data_t *data =
        operation == ROCPROFILER_OMPT_ID_target_emi           ? a->target_emi.target_data
        : operation == ROCPROFILER_OMPT_ID_target_data_op_emi ? a->target_data_op_emi.host_op_id
        : operation == ROCPROFILER_OMPT_ID_target_submit_emi  ? a->target_submit_emi.host_op_id
                                                              : NULL;
    if (data && !data->value) data->value = id;
}

static void begin(const sdk_plan_t *plan, int32_t operation,
                  rocprofiler_callback_tracing_ompt_data_t *data)
{
    span_t *s = new_span();
    if (!s) {
        sdk_operation_lost(plan);
        return;
    }
    sdk_operation_begin(&s->operation, plan);
    s->reference = sdk_retirement_hold(&s->operation);
    s->next = mine->open;
    mine->open = s;
    number_target(operation, s->operation.internal, &data->args);
    sdk_operation_callback(&s->operation, ROCPROFILER_CALLBACK_PHASE_ENTER, data);
    s->begin = sdk_now();
}

/* Ends the innermost event of the operation. It need not be the innermost event of all: runtimes
 * may report the ends of outer events late. */
static void end(int32_t operation, rocprofiler_callback_tracing_ompt_data_t *data)
{
    span_t **link = mine ? &mine->open : NULL;
    while (link && *link && (*link)->operation.plan->operation != operation)
        link = &(*link)->next;
    if (!link || !*link) return; /* no context followed its begin */
    span_t *s = *link;
    uint64_t now = sdk_now();
    *link = s->next;
    sdk_operation_callback(&s->operation, ROCPROFILER_CALLBACK_PHASE_EXIT, data);
    put_record(&s->operation, s->begin, now, &data->args);
    sdk_retirement_release(s->reference, now);
    s->next = mine->spare;
    mine->spare = s;
}

void sdk_ompt_span(const sdk_plan_t *plan, int32_t operation, ompt_scope_endpoint_t endpoint,
                   rocprofiler_callback_tracing_ompt_data_t *data)
{
    data->size = sizeof *data;
    if (endpoint == ompt_scope_beginend) {
        if (plan) sdk_ompt_point(plan, data);
    } else if (endpoint == ompt_scope_end) {
        end(operation, data);
    } else if (plan) {
        begin(plan, operation, data);
    }
}

/* ---- start and end of the runtime ---- */

/* Passes the runtime's functions to tools that want to query it themselves. */
static void pass_functions(ompt_function_lookup_t lookup)
{
    static const char *const names[] = {"ompt_enumerate_states",
                                        "ompt_enumerate_mutex_impls",
                                        "ompt_get_thread_data",
                                        "ompt_get_num_places",
                                        "ompt_get_place_proc_ids",
                                        "ompt_get_place_num",
                                        "ompt_get_partition_place_nums",
                                        "ompt_get_proc_id",
                                        "ompt_get_state",
                                        "ompt_get_parallel_info",
                                        "ompt_get_task_info",
                                        "ompt_get_task_memory",
                                        "ompt_get_num_devices",
                                        "ompt_get_num_procs",
                                        "ompt_get_target_info",
                                        "ompt_get_unique_id"};
    enum { COUNT = sizeof names / sizeof *names };
    ompt_interface_fn_t functions[COUNT]; /* ORDER: the members of args.callback_functions */
    rocprofiler_callback_tracing_ompt_data_t data = {.size = sizeof data};
    _Static_assert(sizeof functions == sizeof data.args.callback_functions, "one for each");
    const sdk_plan_t *plan = sdk_plan(SDK_DOMAIN_OMPT, ROCPROFILER_OMPT_ID_callback_functions);
    if (!plan) return;
    for (int i = 0; i < COUNT; i++)
        functions[i] = lookup(names[i]);
    memcpy(&data.args.callback_functions, functions, sizeof functions);
    sdk_operation_t operation;
    sdk_operation_begin(&operation, plan);
    sdk_operation_callback(&operation, ROCPROFILER_CALLBACK_PHASE_NONE, &data);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    int (*set_callback)(int event, ompt_callback_t callback);
    ompt_interface_fn_t found = lookup("ompt_set_callback");
    (void)device, (void)tool;
    if (!found || pthread_key_create(&spans_key, free_spans) != 0) {
        base_warning("the OpenMP runtime offers no callbacks: it is not traced");
        return 0;
    }
    memcpy(&set_callback, &found, sizeof found);
    for (int i = 0; i < sdk_ompt_row_count; i++)
        if (sdk_operation_configured(SDK_DOMAIN_OMPT, i) &&
            set_callback(sdk_ompt_rows[i].event, sdk_ompt_rows[i].callback) < 2)
            base_info("the OpenMP runtime does not tell of event %d", sdk_ompt_rows[i].event);
    atomic_store(&initialized, true);
    pass_functions(lookup);
    return 1;
}

static void finalize(ompt_data_t *tool)
{
    (void)tool;
    atomic_store(&finalized, true);
}

ompt_start_tool_result_t *rocprofiler_ompt_start_tool(unsigned int omp_version,
                                                      const char *runtime_version)
{
    static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
    if (!sdk_initialize() || atomic_exchange(&asked, true)) return NULL;
    sdk_runtime_started(ROCPROFILER_RUNTIME_INITIALIZATION_OMPT, omp_version, 0);
    if (!sdk_domain_configured(SDK_DOMAIN_OMPT)) return NULL;
    base_info("OpenMP %u starts: %s", omp_version, runtime_version ? runtime_version : "");
    return &result;
}

/* OpenMP runtimes look this function up by its name. */
ROCPROFILER_EXPORT ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
                                                             const char *runtime_version);
ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
    return rocprofiler_ompt_start_tool(omp_version, runtime_version);
}

rocprofiler_status_t rocprofiler_ompt_is_initialized(int *status)
{
    if (!status) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = atomic_load(&initialized);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_ompt_is_finalized(int *status)
{
    if (!status) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = atomic_load(&finalized);
    return ROCPROFILER_STATUS_SUCCESS;
}
