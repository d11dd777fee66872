/* tool.c - libroctracer64 as a tool of rocprofiler-sdk.
 *
 * It has contexts for calls of HIP, for calls of HSA (hsa.c), for kernels that are submitted
 * (events.c), for work of the GPU, and one for kernel names that always runs. libroctx64 reports
 * marks by a callback. The SDK finds rocprofiler_configure here when the first runtime starts;
 * domains that were enabled before begin then. */
#include "roctracer/internal.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"

#include <dlfcn.h>
#include <pthread.h>
#include <rocprofiler-sdk/registration.h>
#include <roctracer/roctracer_roctx.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BUFFER_SIZE = 256 * 1024, KERNEL_PAGE = 256, KERNEL_PAGES = 4096, AGENTS = 256 };

/* The data of HIP_API's callbacks (hip_api_data_t of HIP's headers); args is a union with one
 * structure for each call. */
typedef struct {
    uint64_t correlation_id;
    uint32_t phase;
    char args[RTR_HIP_ARGS_SIZE] __attribute__((aligned(8)));
} hip_data_t;
_Static_assert(offsetof(hip_data_t, args) == 16, "hip_api_data_t");

static rocprofiler_context_id_t names, calls, hsa_calls, submits, work; /* 0: not made yet */
static rocprofiler_buffer_id_t buffer;
static bool ready;  /* read and written atomically: the contexts and the buffer are made */
static bool events; /* likewise: events of code objects are reported */

/* Returns the present time on the clock of the records (CLOCK_MONOTONIC). */
static uint64_t time_now(void)
{
    return base_clock_ns(CLOCK_MONOTONIC);
}

RTR_API roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp)
{
    if (!timestamp)
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "the timestamp is null");
    *timestamp = time_now();
    return ROCTRACER_STATUS_SUCCESS;
}

/* Returns how long the machine has been suspended: the SDK's times are on CLOCK_BOOTTIME, which
 * goes on during a suspension. */
static uint64_t suspended(void)
{
    uint64_t difference = base_clock_difference(CLOCK_MONOTONIC, CLOCK_BOOTTIME, NULL);
    /* a difference that is as small as the error of the reading counts as none */
    return (int64_t)difference > 1000000 ? difference : 0;
}

/* Kernel names by kernel id, in pages that are never moved, so that readers need no lock. */
static const char **kernel_pages[KERNEL_PAGES];

static void
keep_name(const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel)
{
    if (kernel->kernel_id >= (uint64_t)KERNEL_PAGE * KERNEL_PAGES) return;
    const size_t length = base_kernel_length(kernel->kernel_name, strlen(kernel->kernel_name));
    const char ***slot = &kernel_pages[kernel->kernel_id / KERNEL_PAGE];
    const char **page = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!page) {
        page = calloc(KERNEL_PAGE, sizeof *page);
        const char **other = NULL;
        if (page && !__atomic_compare_exchange_n(slot, &other, page, false, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_ACQUIRE)) {
            free(page);
            page = other;
        }
    }
    char *name = page ? strndup(kernel->kernel_name, length) : NULL;
    if (name)
        __atomic_store_n(&page[kernel->kernel_id % KERNEL_PAGE], name, __ATOMIC_RELEASE);
    else
        base_warning("the kernel %s will be unknown: no memory", kernel->kernel_name);
}

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user_data, void *data)
{
    (void)user_data, (void)data;
    bool unload = record.phase == ROCPROFILER_CALLBACK_PHASE_UNLOAD;
    bool kernel = record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER;
    if (kernel && !unload) keep_name(record.payload);
    if (!__atomic_load_n(&events, __ATOMIC_RELAXED)) return;
    if (kernel)
        rtr_events_kernel(record.payload, unload);
    else
        rtr_events_code_object(record.payload, unload);
}

const char *rtr_kernel_name(uint64_t id)
{
    const char **page = NULL, *name = NULL;
    if (id < (uint64_t)KERNEL_PAGE * KERNEL_PAGES)
        page = __atomic_load_n(&kernel_pages[id / KERNEL_PAGE], __ATOMIC_ACQUIRE);
    if (page) name = __atomic_load_n(&page[id % KERNEL_PAGE], __ATOMIC_ACQUIRE);
    return name ? name : "unknown kernel";
}

/* Number of a GPU among the GPUs, by its agent. */
static struct {
    uint64_t agent;
    int device;
} devices[AGENTS];
static size_t device_count;

static rocprofiler_status_t take_agents(rocprofiler_agent_version_t version, const void **agents,
                                        size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count && device_count < AGENTS; i++) {
        const rocprofiler_agent_v0_t *agent = agents[i];
        rtr_events_agent(agent);
        if (agent->type != ROCPROFILER_AGENT_TYPE_GPU) continue;
        devices[device_count].agent = agent->id.handle;
        devices[device_count++].device = agent->logical_node_type_id;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static bool device_of(rocprofiler_agent_id_t agent, int *device)
{
    for (size_t i = 0; i < device_count; i++)
        if (devices[i].agent == agent.handle) {
            *device = devices[i].device;
            return true;
        }
    return false;
}

/* Writes a record to the pool of its operation, if that has one. */
static void write_record(const activity_record_t *record, const char *text)
{
    const rtr_op_t *op = rtr_operation(record->domain, record->op);
    rtr_pool_t *pool = op ? __atomic_load_n(&op->pool, __ATOMIC_ACQUIRE) : NULL;
    if (!pool || !(pool = rtr_hold(pool))) return;
    activity_record_t external = {
        .domain = ACTIVITY_DOMAIN_EXT_API,
        .op = ACTIVITY_EXT_OP_EXTERN_ID,
        .correlation_id = record->correlation_id,
    };
    if (record->domain == ACTIVITY_DOMAIN_HIP_API && rtr_external_id(&external.external_id))
        rtr_write(pool, &external, NULL);
    rtr_write(pool, record, text);
    rtr_release(pool);
}

/* The call of HIP that this thread is in, 0 if none. When calls are no longer followed, the end of
 * the call is not reported; so an id is valid only in the session in which it was noted. */
static __thread struct {
    uint64_t id;
    unsigned session;
} hip_call;
static unsigned session; /* atomic; incremented when following calls begins or ends */

/* Gives work of the GPU the id of the HIP call that started it, even if that call has made calls of
 * HSA that are followed, too. */
static int note_hip_call(rocprofiler_thread_id_t thread, rocprofiler_context_id_t context,
                         rocprofiler_external_correlation_id_request_kind_t kind,
                         rocprofiler_tracing_operation_t operation, uint64_t internal,
                         rocprofiler_user_data_t *external, void *data)
{
    (void)thread, (void)context, (void)kind, (void)operation, (void)internal, (void)data;
    bool now = hip_call.session == __atomic_load_n(&session, __ATOMIC_RELAXED);
    external->value = now ? hip_call.id : 0;
    return 0;
}

/* Writes a record of GPU work to both domains: to HIP_OPS with HIP's kind and the id of the HIP
 * call, to HSA_OPS with the id of the innermost call. The numbers of operations are the same in
 * both. */
static void write_work(activity_record_t *record, uint32_t hip_kind,
                       const rocprofiler_async_correlation_id_t *id, const char *text)
{
    record->domain = ACTIVITY_DOMAIN_HIP_OPS;
    record->kind = hip_kind;
    record->correlation_id = id->external.value ? id->external.value : id->internal;
    write_record(record, text);
    record->domain = ACTIVITY_DOMAIN_HSA_OPS;
    record->kind = 0;
    record->correlation_id = id->internal;
    write_record(record, text);
}
_Static_assert(HSA_OP_ID_DISPATCH == 0 && HSA_OP_ID_COPY == 1, "as HIP_OP_ID_DISPATCH and _COPY");

static void write_dispatch(const rocprofiler_buffer_tracing_kernel_dispatch_record_t *dispatch,
                           uint64_t shift)
{
    activity_record_t record = {
        .op = HSA_OP_ID_DISPATCH,
        .begin_ns = dispatch->start_timestamp - shift,
        .end_ns = dispatch->end_timestamp - shift,
        .queue_id = dispatch->dispatch_info.queue_id.handle,
    };
    device_of(dispatch->dispatch_info.agent_id, &record.device_id);
    write_work(&record, RTR_KIND_KERNEL, &dispatch->correlation_id,
               rtr_kernel_name(dispatch->dispatch_info.kernel_id));
}

static void write_copy(const rocprofiler_buffer_tracing_memory_copy_record_t *copy, uint64_t shift)
{
    static const uint32_t kinds[ROCPROFILER_MEMORY_COPY_LAST] = {
        [ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE] = RTR_KIND_HOST_TO_DEVICE,
        [ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST] = RTR_KIND_DEVICE_TO_HOST,
        [ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE] = RTR_KIND_DEVICE_TO_DEVICE,
    };
    activity_record_t record = {
        .op = HSA_OP_ID_COPY,
        .begin_ns = copy->start_timestamp - shift,
        .end_ns = copy->end_timestamp - shift,
        .bytes = copy->bytes,
    };
    if (!device_of(copy->dst_agent_id, &record.device_id))
        device_of(copy->src_agent_id, &record.device_id);
    write_work(&record, copy->operation < ROCPROFILER_MEMORY_COPY_LAST ? kinds[copy->operation] : 0,
               &copy->correlation_id, NULL);
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data;
    uint64_t shift = suspended();
    if (drop_count)
        base_error("%llu kernels or copies are not recorded: no memory",
                   (unsigned long long)drop_count);
    for (size_t i = 0; i < count; i++) {
        if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH)
            write_dispatch(headers[i]->payload, shift);
        else
            write_copy(headers[i]->payload, shift);
    }
}

/* Fills in the arguments for a callback; the values to which they point only after a call that
 * succeeded. */
static void fill(void *data, const rocprofiler_callback_tracing_record_t *record,
                 rocprofiler_user_data_t *user_data, bool recorded)
{
    hip_data_t *to = data;
    (void)user_data, (void)recorded;
    const rocprofiler_callback_tracing_hip_api_data_t *call = record->payload;
    bool runtime = record->kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API;
    uint32_t count = runtime ? rtr_hip_runtime_count : rtr_hip_compiler_count;
    rtr_hip_args_t args = NULL;
    if ((uint32_t)record->operation < count)
        args = (runtime ? rtr_hip_runtime_args : rtr_hip_compiler_args)[record->operation];
    to->correlation_id = record->correlation_id.internal;
    to->phase = record->phase == ROCPROFILER_CALLBACK_PHASE_EXIT;
    if (args)
        args(to->args, &call->args,
             to->phase == ACTIVITY_API_PHASE_EXIT && call->retval.hipError_t_retval == hipSuccess);
}

/* Queries HIP's numbers at the first call of HIP, for domains that were enabled before HIP was
 * loaded. */
static void query_names(void)
{
    static bool asked;
    if (!__atomic_exchange_n(&asked, true, __ATOMIC_ACQ_REL)) rtr_hip_names();
}

void rtr_tell_call(uint32_t domain, uint32_t id,
                   const rocprofiler_callback_tracing_record_t *record,
                   rocprofiler_user_data_t *user_data, rtr_fill_t fill_data, void *data)
{
    const rtr_op_t *op = rtr_operation(domain, id);
    if (!op) return;
    bool leaves = record->phase == ROCPROFILER_CALLBACK_PHASE_EXIT;
    bool recorded = __atomic_load_n(&op->pool, __ATOMIC_RELAXED);
    if (recorded && !leaves) user_data->value = time_now();
    const rtr_hook_t *hook = rtr_hook(op);
    if (hook) {
        fill_data(data, record, user_data, recorded);
        hook->callback(domain, id, data, hook->arg);
    }
    /* the call began before records were enabled, so its begin is not known */
    if (!recorded || !leaves || !user_data->value) return;
    activity_record_t written = {
        .domain = domain,
        .op = id,
        .correlation_id = record->correlation_id.internal,
        .begin_ns = user_data->value,
        .end_ns = time_now(),
        .process_id = (uint32_t)getpid(),
        .thread_id = (uint32_t)record->thread_id,
    };
    write_record(&written, NULL);
}

static void on_call(rocprofiler_callback_tracing_record_t record,
                    rocprofiler_user_data_t *user_data, void *data)
{
    (void)data;
    hip_data_t call;
    hip_call.id = record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT ? record.correlation_id.ancestor
                                                                  : record.correlation_id.internal;
    hip_call.session = __atomic_load_n(&session, __ATOMIC_RELAXED);
    int id = rtr_hip_id(record.kind, record.operation);
    if (__builtin_expect(id < 0, 0)) {
        query_names();
        id = rtr_hip_id(record.kind, record.operation);
    }
    if (id >= 0)
        rtr_tell_call(ACTIVITY_DOMAIN_HIP_API, (uint32_t)id, &record, user_data, fill, &call);
}

/* The callback that libroctx64 calls for each mark. */
static int on_mark(uint32_t domain, uint32_t operation, void *data)
{
    const roctx_api_data_t *mark = data;
    const rtr_op_t *op = rtr_operation(domain, operation);
    if (!op) return 0;
    const rtr_hook_t *hook = rtr_hook(op);
    if (hook) hook->callback(domain, operation, mark, hook->arg);
    activity_record_t record = {
        .domain = domain,
        .op = operation,
        .correlation_id = mark->args.id,
        .begin_ns = time_now(),
        .process_id = (uint32_t)getpid(),
        .thread_id = (uint32_t)syscall(SYS_gettid),
    };
    record.end_ns = record.begin_ns;
    write_record(&record, mark->args.message);
    return 0;
}

/* Starts or stops a context; returns true if that changed its state. */
static bool run(rocprofiler_context_id_t context, bool wanted)
{
    int runs = 0;
    rocprofiler_context_is_active(context, &runs);
    if (wanted == (runs != 0)) return false;
    rocprofiler_status_t status =
        wanted ? rocprofiler_start_context(context) : rocprofiler_stop_context(context);
    if (status != ROCPROFILER_STATUS_SUCCESS)
        base_error("tracing does not %s: %s", wanted ? "begin" : "end",
                   rocprofiler_get_status_string(status));
    return true;
}

void rtr_apply(const rtr_wishes_t *wishes)
{
    void (*hook)(int (*)(uint32_t, uint32_t, void *)) =
        (void (*)(int (*)(uint32_t, uint32_t, void *)))(uintptr_t)dlsym(
            RTLD_DEFAULT, "roctxRegisterTracerCallback");
    if (hook) hook(wishes->marks ? on_mark : NULL);
    __atomic_store_n(&events, wishes->events, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) return;
    if (run(calls, wishes->calls)) __atomic_fetch_add(&session, 1, __ATOMIC_RELAXED);
    run(hsa_calls, wishes->hsa_calls || wishes->events);
    run(submits, wishes->submits);
    run(work, wishes->operations);
}

void rtr_collect(void)
{
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) rocprofiler_flush_buffer(buffer);
}

static bool follow_calls(rocprofiler_context_id_t context,
                         const rocprofiler_callback_tracing_kind_t *kinds, size_t count,
                         rocprofiler_callback_tracing_cb_t callback)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = rocprofiler_configure_callback_tracing_service(context, kinds[i], NULL, 0, callback,
                                                            NULL) == ROCPROFILER_STATUS_SUCCESS;
    return ok;
}

static bool make_contexts(void)
{
    static const rocprofiler_callback_tracing_kind_t hip_kinds[] = {
        ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
        ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API};
    static const rocprofiler_external_correlation_id_request_kind_t requests[] = {
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
        ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY};
    static const rocprofiler_tracing_operation_t code[] = {
        ROCPROFILER_CODE_OBJECT_LOAD, ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER};
    static const rocprofiler_callback_tracing_kind_t dispatches[] = {
        ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH};
    return rocprofiler_create_context(&names) == ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_create_context(&calls) == ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_create_context(&hsa_calls) == ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_create_context(&submits) == ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_create_context(&work) == ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_create_buffer(work, BUFFER_SIZE, BUFFER_SIZE / 2,
                                     ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_records, NULL,
                                     &buffer) == ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_configure_callback_tracing_service(
               names, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, code, 2, on_code_object, NULL) ==
               ROCPROFILER_STATUS_SUCCESS &&
           follow_calls(calls, hip_kinds, 2, on_call) &&
           follow_calls(hsa_calls, rtr_hsa_kinds, RTR_HSA_KINDS, rtr_on_hsa_call) &&
           follow_calls(submits, dispatches, 1, rtr_on_submit) &&
           rocprofiler_configure_external_correlation_id_request_service(
               work, requests, 2, note_hip_call, NULL) == ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_configure_buffer_tracing_service(
               work, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, NULL, 0, buffer) ==
               ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_configure_buffer_tracing_service(
               work, ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, NULL, 0, buffer) ==
               ROCPROFILER_STATUS_SUCCESS &&
           rocprofiler_start_context(names) == ROCPROFILER_STATUS_SUCCESS;
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, take_agents,
                                       sizeof(rocprofiler_agent_v0_t), NULL);
    if (!make_contexts()) {
        base_error("nothing of HIP is traced: the SDK refuses, or has no memory");
        return -1;
    }
    __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
    rtr_follow();
    return 0;
}

RTR_API rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                                   const char *runtime_version,
                                                                   uint32_t priority,
                                                                   rocprofiler_client_id_t *id)
{
    (void)version, (void)runtime_version, (void)priority;
    static rocprofiler_tool_configure_result_t answer = {
        .size = sizeof answer,
        .initialize = initialize,
    };
    id->name = "roctracer";
    return &answer;
}
