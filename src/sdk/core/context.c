/* context.c - the public functions of contexts, and the making of plans.
 *
 * It is apart because one lock guards all of it. Tool code never runs under that lock. A new
 * service that follows operations is another kind of request here; any other service belongs into a
 * room of its own. */
#include "sdk/core/context.h"
#include "base/log.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"

#include <rocprofiler-sdk/context.h>

#include <stdlib.h>
#include <string.h>

_Atomic(const sdk_plan_t *) sdk_plans[SDK_PLAN_SLOTS];

const sdk_domain_info_t sdk_domains[SDK_DOMAIN_COUNT] = {
#define SDK_DOMAIN_INFO(name, ops, callback, buffer, ext)                                          \
    [SDK_DOMAIN_##name] = {SDK_BASE_##name, ops, callback, buffer, ext},
    SDK_DOMAINS(SDK_DOMAIN_INFO)
#undef SDK_DOMAIN_INFO
};

static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static sdk_context_t *contexts[SDK_CONTEXTS_MAX];
static _Atomic uint32_t context_count; /* contexts with a lower index are complete */
static sdk_buffer_t *_Atomic buffers[SDK_BUFFERS_MAX];
static uint32_t buffer_count;
static sdk_plan_t *interned[SDK_PLAN_SLOTS]; /* by operation: a list of all plans ever made for
                                              * it */
static uint64_t first_context, first_buffer; /* handles count up from these */

int sdk_domain_of_callback(uint32_t kind)
{
    for (int d = 0; d < SDK_DOMAIN_COUNT; d++)
        if (sdk_domains[d].callback_kind && sdk_domains[d].callback_kind == kind) return d;
    return -1;
}

int sdk_domain_of_buffer(uint32_t kind)
{
    for (int d = 0; d < SDK_DOMAIN_COUNT && kind; d++)
        if (sdk_domains[d].buffer_kind == kind || sdk_domains[d].buffer_ext_kind == kind) return d;
    return -1;
}

sdk_context_t *sdk_context_at(uint32_t slot)
{
    return slot < context_count ? contexts[slot] : NULL;
}

sdk_buffer_t *sdk_buffer_at(uint32_t slot)
{
    return slot < SDK_BUFFERS_MAX ? atomic_load_explicit(&buffers[slot], memory_order_acquire)
                                  : NULL;
}

sdk_context_t *sdk_context_find(rocprofiler_context_id_t id)
{
    return id.handle >= first_context && id.handle - first_context < context_count
               ? contexts[id.handle - first_context]
               : NULL;
}

sdk_buffer_t *sdk_buffer_find(rocprofiler_buffer_id_t id)
{
    return id.handle && id.handle >= first_buffer && id.handle - first_buffer < SDK_BUFFERS_MAX
               ? sdk_buffer_at((uint32_t)(id.handle - first_buffer))
               : NULL;
}

/* ---- Plans ---- */

static bool has_bit(const uint64_t *bits, uint32_t n)
{
    return bits[n / 64] >> (n % 64) & 1;
}

static bool wants_callback(const sdk_context_t *c, uint32_t kind, uint32_t operation)
{
    return kind && c->callbacks[kind].callback && has_bit(c->callbacks[kind].operations, operation);
}

static bool wants_buffer(const sdk_context_t *c, uint32_t kind, uint32_t operation)
{
    return kind && c->buffers[kind].buffer && has_bit(c->buffers[kind].operations, operation);
}

/* The kind under which a context may ask to supply external ids for a domain; 0: records of the
 * domain carry the top of the thread's stack. Graphs use the kind of HIP's calls. */
static const uint32_t request_kinds[SDK_DOMAIN_COUNT] = {
    [SDK_DOMAIN_HSA_CORE] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_CORE_API,
    [SDK_DOMAIN_HSA_AMD_EXT] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_AMD_EXT_API,
    [SDK_DOMAIN_HSA_IMAGE_EXT] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_IMAGE_EXT_API,
    [SDK_DOMAIN_HSA_FINALIZE_EXT] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_FINALIZE_EXT_API,
    [SDK_DOMAIN_HIP_RUNTIME] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API,
    [SDK_DOMAIN_HIP_COMPILER] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_COMPILER_API,
    [SDK_DOMAIN_MARKER_CORE] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CORE_API,
    [SDK_DOMAIN_MARKER_CONTROL] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CONTROL_API,
    [SDK_DOMAIN_MARKER_NAME] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_NAME_API,
    [SDK_DOMAIN_MARKER_CORE_RANGE] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CORE_RANGE_API,
    [SDK_DOMAIN_KERNEL_DISPATCH] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
    [SDK_DOMAIN_MEMORY_COPY] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY,
    [SDK_DOMAIN_MEMORY_ALLOCATION] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_ALLOCATION,
    [SDK_DOMAIN_SCRATCH_MEMORY] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_SCRATCH_MEMORY,
    [SDK_DOMAIN_RCCL_API] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_RCCL_API,
    [SDK_DOMAIN_ROCDECODE_API] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCDECODE_API,
    [SDK_DOMAIN_ROCJPEG_API] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCJPEG_API,
    [SDK_DOMAIN_ROCSHMEM_API] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCSHMEM_API,
    [SDK_DOMAIN_HIPFILE_API] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIPFILE_API,
    [SDK_DOMAIN_HIP_GRAPH] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API,
    [SDK_DOMAIN_HIP_EVENT] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_EVENT,
    [SDK_DOMAIN_OMPT] = ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_OMPT,
};

static bool asked(const sdk_plan_t *plan)
{
    for (unsigned i = 0; i < plan->callback_count; i++)
        if (sdk_external_asks(plan->callbacks[i].context, plan)) return true;
    for (unsigned i = 0; i < plan->buffer_count; i++)
        if (sdk_external_asks(plan->buffers[i].context, plan)) return true;
    return false;
}

static sdk_plan_t *make_plan(const sdk_domain_info_t *domain, uint32_t operation,
                             uint64_t by_callback, uint64_t by_buffer, uint64_t by_ext)
{
    unsigned callbacks = (unsigned)__builtin_popcountll(by_callback);
    unsigned records = (unsigned)(__builtin_popcountll(by_buffer) + __builtin_popcountll(by_ext));
    sdk_plan_t *plan = calloc(1, sizeof *plan + callbacks * sizeof(sdk_callback_service_t) +
                                     records * sizeof(sdk_buffer_service_t));
    if (!plan) return NULL;
    plan->domain = (uint16_t)(domain - sdk_domains);
    plan->operation = (int32_t)operation;
    plan->callback_kind = domain->callback_kind;
    plan->callbacks = (sdk_callback_service_t *)(plan + 1);
    plan->buffers = (sdk_buffer_service_t *)(plan->callbacks + callbacks);
    plan->callback_contexts = by_callback;
    plan->buffer_contexts = by_buffer;
    plan->ext_contexts = by_ext;
    plan->needs_payload = by_callback || by_ext;
    plan->request_kind = request_kinds[plan->domain];
    /* Contexts are numbered in the order of tools, then of creation: callbacks run in this
     * order. */
    for (uint32_t slot = 0; slot < context_count; slot++) {
        sdk_context_t *c = contexts[slot];
        if (by_callback >> slot & 1) {
            const sdk_callback_request_t *r = &c->callbacks[domain->callback_kind];
            plan->callbacks[plan->callback_count++] =
                (sdk_callback_service_t){.context = c, .callback = r->callback, .data = r->data};
        }
        if (by_buffer >> slot & 1)
            plan->buffers[plan->buffer_count++] =
                (sdk_buffer_service_t){.context = c,
                                       .kind = domain->buffer_kind,
                                       .buffer = c->buffers[domain->buffer_kind].buffer};
        if (by_ext >> slot & 1)
            plan->buffers[plan->buffer_count++] =
                (sdk_buffer_service_t){.context = c,
                                       .kind = domain->buffer_ext_kind,
                                       .buffer = c->buffers[domain->buffer_ext_kind].buffer,
                                       .with_payload = true};
    }
    plan->one_direct =
        plan->buffer_count == 1 && !plan->needs_payload && plan->buffers->buffer->direct;
    plan->requests = asked(plan);
    return plan;
}

/* Returns the plan for exactly these contexts; made once and never freed. */
static const sdk_plan_t *intern_plan(const sdk_domain_info_t *domain, uint32_t operation,
                                     uint64_t by_callback, uint64_t by_buffer, uint64_t by_ext)
{
    if (!(by_callback | by_buffer | by_ext)) return NULL;
    sdk_plan_t **head = &interned[domain->base + operation];
    for (sdk_plan_t *p = *head; p; p = p->next)
        if (p->callback_contexts == by_callback && p->buffer_contexts == by_buffer &&
            p->ext_contexts == by_ext)
            return p;
    sdk_plan_t *made = make_plan(domain, operation, by_callback, by_buffer, by_ext);
    if (!made) return NULL;
    made->next = *head;
    *head = made;
    return made;
}

typedef struct {
    uint64_t callback, buffer, ext; /* a bit for each active context that follows the operation in
                                     * this way */
} wanted_t;

/* `changing` is the context that is about to be started or stopped, NULL if none is. */
static wanted_t wanted_of(const sdk_domain_info_t *domain, uint32_t operation,
                          const sdk_context_t *changing)
{
    wanted_t w = {0};
    for (uint32_t slot = 0; slot < context_count; slot++) {
        const sdk_context_t *c = contexts[slot];
        const bool active = c == changing ? !c->active : c->active;
        if (!active) continue;
        uint64_t bit = (uint64_t)1 << slot;
        if (wants_callback(c, domain->callback_kind, operation)) w.callback |= bit;
        if (wants_buffer(c, domain->buffer_kind, operation)) w.buffer |= bit;
        if (wants_buffer(c, domain->buffer_ext_kind, operation)) w.ext |= bit;
    }
    return w;
}

/* Publishes the plans that the active contexts need, those needed once `changing` is started or
 * stopped if it is not NULL; to be called under contexts_lock. Returns false if there is no memory
 * for a plan: then nothing has changed. With `force`, all plans that can be made are published, and
 * an operation whose plan cannot be made keeps its old one, in which contexts that no longer accept
 * records are skipped. */
static bool publish_plans(const sdk_context_t *changing, bool force)
{
    for (int publish = force; publish < 2; publish++)
        for (int d = 0; d < SDK_DOMAIN_COUNT; d++) {
            const sdk_domain_info_t *domain = &sdk_domains[d];
            for (uint32_t operation = 0; operation < domain->operations; operation++) {
                wanted_t w = wanted_of(domain, operation, changing);
                const sdk_plan_t *plan =
                    intern_plan(domain, operation, w.callback, w.buffer, w.ext);
                bool missing = !plan && (w.callback | w.buffer | w.ext);
                if (missing && !force) return false;
                if (publish && !missing)
                    atomic_store_explicit(&sdk_plans[domain->base + operation], plan,
                                          memory_order_release);
            }
        }
    return true;
}

void sdk_contexts_set_request(sdk_context_t *context,
                              rocprofiler_external_correlation_id_request_cb_t request, void *data,
                              uint32_t kinds)
{
    pthread_mutex_lock(&contexts_lock);
    context->request = request;
    context->request_data = data;
    context->request_kinds = kinds;
    /* No thread can be using one of these plans: this runs only while tools are initialised. */
    for (int i = 0; i < SDK_PLAN_SLOTS; i++)
        for (sdk_plan_t *plan = interned[i]; plan; plan = plan->next)
            plan->requests = asked(plan);
    pthread_mutex_unlock(&contexts_lock);
}

void sdk_plans_clear(void)
{
    for (int i = 0; i < SDK_PLAN_SLOTS; i++)
        atomic_store_explicit(&sdk_plans[i], NULL, memory_order_relaxed);
}

static bool is_asked_for(sdk_domain_t d, int32_t operation)
{
    const sdk_domain_info_t *domain = &sdk_domains[d];
    for (uint32_t slot = 0; slot < context_count; slot++) {
        const sdk_context_t *c = contexts[slot];
        if (wants_callback(c, domain->callback_kind, (uint32_t)operation) ||
            wants_buffer(c, domain->buffer_kind, (uint32_t)operation) ||
            wants_buffer(c, domain->buffer_ext_kind, (uint32_t)operation))
            return true;
    }
    return false;
}

bool sdk_operation_configured(sdk_domain_t d, int32_t operation)
{
    /* If tools can attach, a later tool may follow the domain. */
    return sdk_attachable() || is_asked_for(d, operation);
}

bool sdk_domain_asked_for(sdk_domain_t d)
{
    for (uint32_t operation = 0; operation < sdk_domains[d].operations; operation++)
        if (is_asked_for(d, (int32_t)operation)) return true;
    return false;
}

bool sdk_domain_configured(sdk_domain_t d)
{
    return sdk_attachable() ? sdk_domains[d].operations > 0 : sdk_domain_asked_for(d);
}

bool sdk_domain_buffered(sdk_domain_t d)
{
    for (uint32_t slot = 0; slot < context_count; slot++)
        for (uint32_t operation = 0; operation < sdk_domains[d].operations; operation++)
            if (wants_buffer(contexts[slot], sdk_domains[d].buffer_kind, operation)) return true;
    return sdk_attachable();
}

/* ---- Contexts ---- */

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t *context_id)
{
    if (!context_id) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (context_id->handle) return ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO;
    int client = sdk_configuring_client();
    if (client < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    pthread_mutex_lock(&contexts_lock);
    sdk_context_t *made = context_count < SDK_CONTEXTS_MAX ? calloc(1, sizeof *made) : NULL;
    if (!made) goto out;
    if (!first_context) first_context = 255 + sdk_random() % (65535 - 255 + 1);
    made->slot = context_count;
    made->client = (uint32_t)client;
    made->handle = first_context + context_count;
    atomic_store_explicit(&made->accepts, true, memory_order_relaxed);
    contexts[made->slot] = made;
    context_count = made->slot + 1;
    context_id->handle = made->handle;
    status = ROCPROFILER_STATUS_SUCCESS;
out:
    pthread_mutex_unlock(&contexts_lock);
    return status;
}

/* Starts a context that is stopped, or stops one that runs; to be called under contexts_lock.
 * Returns false if there is no memory: then nothing has changed. `active` is written last, because
 * others read it without the lock: they never see a state that is taken back. */
static bool change(sdk_context_t *context)
{
    if (!publish_plans(context, false)) return false;
    context->active = !context->active;
    return true;
}

/* To be called with contexts_lock held. */
static bool conflicts(const sdk_context_t *context)
{
    for (uint32_t slot = 0; slot < context_count; slot++)
        if (contexts[slot]->active && sdk_services_conflict(context, contexts[slot])) return true;
    return false;
}

static rocprofiler_status_t started(sdk_context_t *context)
{
    sdk_services_at(SDK_AT_CONTEXTS);
    const rocprofiler_status_t status = sdk_services_started(context);
    if (status != ROCPROFILER_STATUS_SUCCESS) rocprofiler_stop_context(sdk_context_id(context));
    return status;
}

rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id)
{
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (sdk_is_forked_child()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    pthread_mutex_lock(&contexts_lock);
    bool refused = sdk_finalizing() || !sdk_context_accepts(context);
    bool conflict = !refused && !context->active && conflicts(context);
    bool wanted = !refused && !conflict && !context->active;
    bool changed = wanted && change(context);
    pthread_mutex_unlock(&contexts_lock);
    if (changed) return started(context);
    if (wanted) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    return refused    ? ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED
           : conflict ? ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT
                      : ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id)
{
    sdk_context_t *context = sdk_context_find(context_id);
    if (!context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (sdk_is_forked_child()) return ROCPROFILER_STATUS_SUCCESS;
    sdk_services_at(SDK_AT_STOP);
    pthread_mutex_lock(&contexts_lock);
    bool over = !sdk_context_accepts(context);
    bool wanted = context->active;
    bool changed = wanted && change(context);
    pthread_mutex_unlock(&contexts_lock);
    if (changed) sdk_services_at(SDK_AT_CONTEXTS);
    if (wanted && !changed) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    return changed || over ? ROCPROFILER_STATUS_SUCCESS
                           : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

bool sdk_context_active(const sdk_context_t *context)
{
    if (sdk_is_forked_child()) return false;
    pthread_mutex_lock(&contexts_lock);
    const bool active = context->active;
    pthread_mutex_unlock(&contexts_lock);
    return active;
}

/* Takes no lock, unlike sdk_context_active(), because tools call this function in each call that
 * they trace. */
rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id, int *status)
{
    if (!status) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const sdk_context_t *context = sdk_context_find(context_id);
    *status = context && !sdk_is_forked_child() &&
              atomic_load_explicit(&context->active, memory_order_acquire);
    return context ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id, int *status)
{
    if (!status) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    sdk_context_t *context = sdk_context_find(context_id);
    *status = context && sdk_context_accepts(context);
    return context ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

size_t sdk_contexts_running(uint32_t client, rocprofiler_context_id_t *ids)
{
    size_t count = 0;
    pthread_mutex_lock(&contexts_lock);
    for (uint32_t slot = 0; slot < context_count; slot++)
        if (contexts[slot]->client == client && contexts[slot]->active)
            ids[count++] = sdk_context_id(contexts[slot]);
    pthread_mutex_unlock(&contexts_lock);
    return count;
}

size_t sdk_contexts_pause(uint32_t client, rocprofiler_context_id_t *ids)
{
    size_t count = sdk_contexts_running(client, ids);
    for (size_t i = 0; i < count; i++)
        rocprofiler_stop_context(ids[i]);
    sdk_services_at(SDK_AT_WAIT);
    if (!sdk_threads_quiesce(1000))
        base_warning("a tool callback has not returned for 1 s: detaching without it");
    sdk_services_at(SDK_AT_DETACH);
    for (uint32_t slot = 0; slot < SDK_BUFFERS_MAX; slot++) {
        sdk_buffer_t *buffer = sdk_buffer_at(slot);
        if (buffer && buffer->context->client == client) sdk_buffer_deliver(buffer);
    }
    return count;
}

void sdk_contexts_end(uint32_t client)
{
    uint32_t first = 0, end = 0;
    sdk_services_at(SDK_AT_STOP);
    pthread_mutex_lock(&contexts_lock);
    for (uint32_t slot = 0; slot < context_count; slot++)
        if (contexts[slot]->client == client) {
            contexts[slot]->active = false;
            if (!end) first = slot;
            end = slot + 1;
        }
    publish_plans(NULL, true);
    pthread_mutex_unlock(&contexts_lock);
    if (!end) return;
    sdk_services_at(SDK_AT_CONTEXTS);
    sdk_services_at(SDK_AT_WAIT);
    for (uint32_t slot = first; slot < end; slot++)
        if (contexts[slot]->client == client) atomic_store(&contexts[slot]->accepts, false);
    if (!sdk_threads_quiesce(1000))
        base_warning("a tool callback has not returned for 1 s: finalising without it");
    for (uint32_t slot = 0; slot < SDK_BUFFERS_MAX; slot++) {
        sdk_buffer_t *buffer = sdk_buffer_at(slot);
        if (buffer && buffer->context->client == client) sdk_buffer_deliver_last(buffer);
    }
}

void sdk_contexts_fork_prepare(void)
{
    pthread_mutex_lock(&contexts_lock);
}

void sdk_contexts_fork_done(void)
{
    pthread_mutex_unlock(&contexts_lock);
}

/* ---- Services ---- */

/* Makes one bit per operation from the tool's list; NULL and 0 mean all operations. */
static rocprofiler_status_t read_operations(const sdk_domain_info_t *domain,
                                            const rocprofiler_tracing_operation_t *operations,
                                            size_t count, uint64_t **bits)
{
    if (!operations && count) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; operations && i < count; i++)
        if (operations[i] < 0 || (uint32_t)operations[i] >= domain->operations)
            return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
    size_t words = (domain->operations + 63) / 64;
    *bits = calloc(words, sizeof **bits);
    if (!*bits) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t i = 0; operations && i < count; i++)
        (*bits)[operations[i] / 64] |= (uint64_t)1 << (operations[i] % 64);
    for (uint32_t i = 0; i < domain->operations && !(operations && count); i++)
        (*bits)[i / 64] |= (uint64_t)1 << (i % 64);
    return ROCPROFILER_STATUS_SUCCESS;
}

/* The checks that both kinds of services share; *context is set on success. */
static rocprofiler_status_t check_service(rocprofiler_context_id_t id, sdk_context_t **context)
{
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    *context = sdk_context_find(id);
    return *context ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

static unsigned count_contexts(uint32_t callback_kind, uint32_t buffer_kind, uint32_t ext_kind)
{
    unsigned count = 0;
    for (uint32_t slot = 0; slot < context_count; slot++) {
        const sdk_context_t *c = contexts[slot];
        count += callback_kind && c->callbacks[callback_kind].callback;
        count += buffer_kind && c->buffers[buffer_kind].buffer;
        count += ext_kind && c->buffers[ext_kind].buffer;
    }
    return count;
}

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t *operations, size_t operations_count,
    rocprofiler_callback_tracing_cb_t callback, void *callback_args)
{
    sdk_context_t *context;
    rocprofiler_status_t status = check_service(context_id, &context);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    if (!callback) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (kind <= ROCPROFILER_CALLBACK_TRACING_NONE || kind >= ROCPROFILER_CALLBACK_TRACING_LAST)
        return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
    int domain = sdk_domain_of_callback((uint32_t)kind);
    if (domain < 0) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    if (context->callbacks[kind].callback)
        return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    if (count_contexts((uint32_t)kind, 0, 0) == SDK_SERVICES_MAX)
        return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    uint64_t *bits;
    status = read_operations(&sdk_domains[domain], operations, operations_count, &bits);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    pthread_mutex_lock(&contexts_lock);
    context->callbacks[kind] =
        (sdk_callback_request_t){.callback = callback, .data = callback_args, .operations = bits};
    if (context->active && !publish_plans(NULL, false)) {
        context->callbacks[kind] = (sdk_callback_request_t){0};
        status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    pthread_mutex_unlock(&contexts_lock);
    return status;
}

rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t *operations, size_t operations_count,
    rocprofiler_buffer_id_t buffer_id)
{
    sdk_context_t *context;
    rocprofiler_status_t status = check_service(context_id, &context);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    sdk_buffer_t *buffer = sdk_buffer_find(buffer_id);
    if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    if (kind <= ROCPROFILER_BUFFER_TRACING_NONE || kind >= ROCPROFILER_BUFFER_TRACING_LAST)
        return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
    int d = sdk_domain_of_buffer((uint32_t)kind);
    if (d < 0) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    if (sdk_services_refuse(d)) return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL;
    if (context->buffers[kind].buffer) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    if (count_contexts(0, sdk_domains[d].buffer_kind, sdk_domains[d].buffer_ext_kind) ==
        SDK_SERVICES_MAX)
        return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    uint64_t *bits;
    status = read_operations(&sdk_domains[d], operations, operations_count, &bits);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    if (d == SDK_DOMAIN_RETIREMENT)
        atomic_store_explicit(&buffer->has_retirements, true, memory_order_relaxed);
    pthread_mutex_lock(&contexts_lock);
    context->buffers[kind] = (sdk_buffer_request_t){.buffer = buffer, .operations = bits};
    if (context->active && !publish_plans(NULL, false)) {
        context->buffers[kind] = (sdk_buffer_request_t){0};
        status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    pthread_mutex_unlock(&contexts_lock);
    return status;
}

/* ---- Buffers ---- */

rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context, size_t size,
                                               size_t watermark, rocprofiler_buffer_policy_t policy,
                                               rocprofiler_buffer_tracing_cb_t callback,
                                               void *callback_data,
                                               rocprofiler_buffer_id_t *buffer_id)
{
    if (!buffer_id || !callback || !size || watermark > size ||
        policy < ROCPROFILER_BUFFER_POLICY_NONE || policy >= ROCPROFILER_BUFFER_POLICY_LAST)
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_context_t *owner = sdk_context_find(context);
    if (!owner) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    pthread_mutex_lock(&contexts_lock);
    if (buffer_count == SDK_BUFFERS_MAX) goto out;
    sdk_buffer_t *made =
        sdk_buffer_create(size, watermark, policy == ROCPROFILER_BUFFER_POLICY_LOSSLESS);
    if (!made) goto out;
    if (!first_buffer) first_buffer = 255 + sdk_random() % (65535 - 255 + 1);
    made->slot = buffer_count;
    made->handle = first_buffer + buffer_count;
    made->context = owner;
    made->context_handle = owner->handle;
    made->callback = callback;
    made->callback_data = callback_data;
    made->helper = sdk_helper_get(0);
    atomic_store_explicit(&buffers[buffer_count++], made, memory_order_release);
    buffer_id->handle = made->handle;
    status = ROCPROFILER_STATUS_SUCCESS;
out:
    pthread_mutex_unlock(&contexts_lock);
    return status;
}

rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer_id)
{
    sdk_buffer_t *buffer = sdk_buffer_find(buffer_id);
    if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    int finalized = 0;
    rocprofiler_is_finalized(&finalized);
    if (sdk_is_forked_child() || finalized == 1) return ROCPROFILER_STATUS_ERROR_FINALIZED;
    sdk_thread_t *self = sdk_thread_self();
    /* A buffer callback must not wait here: the threads for which it would wait may be waiting for
     * its end. */
    bool may_wait = !(self && self->delivering);
    if (may_wait) sdk_services_at(SDK_AT_LOOK);
    return sdk_buffer_deliver(buffer) == SDK_DELIVERED ? ROCPROFILER_STATUS_SUCCESS
                                                       : ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
}

rocprofiler_status_t rocprofiler_destroy_buffer(rocprofiler_buffer_id_t buffer_id)
{
    sdk_buffer_t *buffer = sdk_buffer_find(buffer_id);
    if (!buffer || atomic_load_explicit(&buffer->closed, memory_order_relaxed))
        return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    if (sdk_is_forked_child()) return ROCPROFILER_STATUS_SUCCESS;
    if (sdk_buffer_deliver(buffer) != SDK_DELIVERED) return ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
    atomic_store_explicit(&buffer->closed, true, memory_order_relaxed);
    return ROCPROFILER_STATUS_SUCCESS;
}
