/* service.c - the entry points of PC sampling; it starts and stops the sampling of agents.
 *
 * A driver's session is made while tools configure. It becomes a runtime's session when HSA is
 * initialised and the context runs. One lock guards starts and stops; the runtime's own threads,
 * which deliver the samples, never take it. */
#include "sdk/pc_sampling/sampling.h"

#include "base/env.h"
#include "base/log.h"
#include "hsa/runtime.h"
#include "sdk/agent/agent.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { LATENCY = 1000 /* ROCr ignores it */ };
enum { FLAG_POWER_OF_TWO = ROCPROFILER_PC_SAMPLING_CONFIGURATION_FLAGS_INTERVAL_POW2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sdk_pcs_session_t *sessions[SDK_PCS_AGENTS];
static _Atomic uint32_t session_count; /* sessions with a lower index are complete */

static bool enabled(void)
{
    return base_env_bool("ROCPROFILER_PC_SAMPLING_BETA_ENABLED", false);
}

/* Returns whether the runtime that the process has loaded, or would load, supports PC sampling;
 * true if there is no runtime: then there is nothing to sample anyway. */
static bool runtime_samples(void)
{
    static const char function[] = "hsa_ven_amd_pcs_create_from_id";
    if (dlsym(RTLD_DEFAULT, function)) return true;
    void *runtime = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!runtime) return true;
    bool samples = dlsym(runtime, function);
    dlclose(runtime);
    return samples;
}

static rocprofiler_status_t ways_of(const rocprofiler_agent_v0_t *agent,
                                    rocprofiler_pc_sampling_configuration_t *ways, size_t *count)
{
    *count = 0;
    if (agent->type != ROCPROFILER_AGENT_TYPE_GPU) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    rocprofiler_status_t status = sdk_pcs_driver_query(agent, ways, count);
    if (status == ROCPROFILER_STATUS_SUCCESS && !runtime_samples())
        status = ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    return status;
}

rocprofiler_status_t rocprofiler_query_pc_sampling_agent_configurations(
    rocprofiler_agent_id_t agent_id, rocprofiler_available_pc_sampling_configurations_cb_t cb,
    void *user_data)
{
    rocprofiler_pc_sampling_configuration_t ways[SDK_PCS_WAYS];
    size_t count;
    if (!enabled()) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    if (!cb) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const rocprofiler_agent_v0_t *agent = sdk_agent_find(agent_id);
    if (!agent) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    rocprofiler_status_t status = ways_of(agent, ways, &count);
    return status == ROCPROFILER_STATUS_SUCCESS ? cb(ways, count, user_data) : status;
}

/* ---- configuration ---- */

static bool is_a_way(const rocprofiler_pc_sampling_configuration_t *ways, size_t count,
                     rocprofiler_pc_sampling_method_t method, rocprofiler_pc_sampling_unit_t unit,
                     uint64_t interval)
{
    for (size_t i = 0; i < count; i++)
        if (ways[i].method == method && ways[i].unit == unit && interval >= ways[i].min_interval &&
            interval <= ways[i].max_interval &&
            (!(ways[i].flags & FLAG_POWER_OF_TWO) || !(interval & (interval - 1))))
            return true;
    return false;
}

static bool is_configured(const rocprofiler_agent_v0_t *agent)
{
    for (uint32_t i = 0; i < session_count; i++)
        if (sessions[i]->agent == agent) return true;
    return false;
}

static rocprofiler_status_t add_session(const sdk_pcs_session_t *wanted)
{
    if (session_count == SDK_PCS_AGENTS) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    sdk_pcs_session_t *s = malloc(sizeof *s);
    void *received = malloc(SDK_PCS_BUFFER);
    rocprofiler_status_t status = ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    if (s && received) status = sdk_pcs_driver_create(wanted, &s->driver_id);
    if (status != ROCPROFILER_STATUS_SUCCESS) {
        free(received);
        free(s);
        return status;
    }
    const uint32_t id = s->driver_id;
    *s = *wanted;
    s->driver_id = id;
    s->received = received;
    pthread_mutex_init(&s->receive, NULL);
    sessions[session_count] = s;
    session_count++;
    return status;
}

rocprofiler_status_t rocprofiler_configure_pc_sampling_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_pc_sampling_method_t method, rocprofiler_pc_sampling_unit_t unit, uint64_t interval,
    rocprofiler_buffer_id_t buffer_id, int flags)
{
    rocprofiler_pc_sampling_configuration_t ways[SDK_PCS_WAYS];
    size_t count;
    if (!enabled()) return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
    if (sdk_configuring_client() < 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_pcs_session_t wanted = {.context = sdk_context_find(context_id),
                                .buffer = sdk_buffer_find(buffer_id),
                                .agent = sdk_agent_find(agent_id),
                                .way = sdk_pcs_way(method, unit),
                                .interval = interval};
    if (!wanted.agent) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    if (!wanted.context) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (!wanted.buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    if (flags) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (is_configured(wanted.agent)) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
    rocprofiler_status_t status = ways_of(wanted.agent, ways, &count);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    wanted.format = sdk_pcs_format(wanted.agent);
    if (!wanted.way || !is_a_way(ways, count, method, unit, interval))
        return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    return add_session(&wanted);
}

bool sdk_pcs_configured(void)
{
    return session_count;
}

/* ---- starts and stops: called with the lock held ---- */

static void *session_of(hsa_agent_t agent)
{
    const uint32_t count = session_count;
    for (uint32_t i = 0; i < count; i++)
        if (atomic_load_explicit(&sessions[i]->hsa, memory_order_acquire) == agent.handle)
            return sessions[i];
    return NULL;
}

static void fail(sdk_pcs_session_t *s, const char *what, uint32_t status)
{
    s->failed = true;
    base_error("agent %u is not sampled: %s (status 0x%x)", s->agent->node_id, what, status);
}

/* ROCr 6.4 clears four times the size of its buffers, and so memory that belongs to other objects.
 * With the size returned here, the range that it clears stays inside the block that it has got from
 * the driver. Versions of ROCr that have the function looked up here do not have this fault. */
static size_t buffer_size(void)
{
    enum { SMALL = 256 << 10 };
    return hsax.amd_ext.hsa_amd_ais_file_write_fn ? SDK_PCS_BUFFER : SMALL;
}

static void make(sdk_pcs_session_t *s, hsa_agent_t agent)
{
    if (!hsax.pc_sampling.hsa_ven_amd_pcs_create_from_id_fn) {
        fail(s, "this HSA runtime cannot sample", 0);
        return;
    }
    /* the runtime's shutdown has ended the driver's session */
    if (!s->driver_id) sdk_pcs_driver_create(s, &s->driver_id);
    hsa_status_t status = hsax.pc_sampling.hsa_ven_amd_pcs_create_from_id_fn(
        s->driver_id, agent, s->way->runtime_method, s->way->runtime_unit, s->interval, LATENCY,
        buffer_size(), (void *)sdk_pcs_receive, s, &s->handle);
    if (status != HSA_STATUS_SUCCESS)
        fail(s, "the HSA runtime refuses", status);
    else
        s->made = true;
}

static void start(sdk_pcs_session_t *s)
{
    const hsa_agent_t agent = sdk_gpu_agent(s->agent->id);
    if (s->failed || !agent.handle) return; /* the agent is hidden from the program */
    if (!s->made) make(s, agent);
    if (!s->made) return;
    /* dispatches must be marked before the first sample */
    atomic_store_explicit(&s->hsa, agent.handle, memory_order_release);
    atomic_fetch_add(&sdk_probe_running[SDK_PROBE_MARK], 1);
    hsa_status_t status = hsax.pc_sampling.hsa_ven_amd_pcs_start_fn(s->handle);
    if (status == HSA_STATUS_SUCCESS) return;
    atomic_fetch_sub(&sdk_probe_running[SDK_PROBE_MARK], 1);
    atomic_store(&s->hsa, 0);
    fail(s, "the HSA runtime does not start", status);
}

static bool running(const sdk_pcs_session_t *s)
{
    return atomic_load_explicit(&s->hsa, memory_order_relaxed);
}

bool sdk_pcs_flush_session(sdk_pcs_session_t *session)
{
    const sdk_pcs_overs_t overs = sdk_pcs_take_overs(session);
    const hsa_status_t status = hsax.pc_sampling.hsa_ven_amd_pcs_flush_fn(session->handle);
    sdk_pcs_retire(overs);
    return status == HSA_STATUS_SUCCESS;
}

static void stop(sdk_pcs_session_t *s)
{
    hsa_status_t status = hsax.pc_sampling.hsa_ven_amd_pcs_stop_fn(s->handle);
    if (status != HSA_STATUS_SUCCESS)
        base_warning("agent %u: the HSA runtime does not end sampling (status 0x%x)",
                     s->agent->node_id, status);
    sdk_pcs_flush_session(s); /* makes records of the samples taken until now */
    atomic_store(&s->hsa, 0);
    atomic_fetch_sub(&sdk_probe_running[SDK_PROBE_MARK], 1);
    sdk_pcs_retire(sdk_pcs_take_overs(s));
}

/* If a tool starts or stops contexts inside the callback that gets samples, the change takes effect
 * with the next one, or at the end. */
static void update(void)
{
    if (!session_count || !hsax_runtime_up() || hsax_forked() || sdk_pcs_receiving()) return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < session_count; i++) {
        sdk_pcs_session_t *s = sessions[i];
        const bool wanted = sdk_context_active(s->context);
        if (wanted && !running(s)) start(s);
        if (!wanted && running(s)) stop(s);
    }
    pthread_mutex_unlock(&lock);
}

void sdk_pcs_flush(void)
{
    if (!sdk_probe_value(SDK_PROBE_MARK) || sdk_pcs_receiving()) return;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < session_count; i++)
        if (running(sessions[i])) sdk_pcs_flush_session(sessions[i]);
    pthread_mutex_unlock(&lock);
}

static void hsa_down(void)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < session_count; i++) {
        sdk_pcs_session_t *s = sessions[i];
        if (running(s)) stop(s);
        if (s->made) hsax.pc_sampling.hsa_ven_amd_pcs_destroy_fn(s->handle);
        if (s->made) s->driver_id = 0;
        s->made = s->failed = false;
        sdk_pcs_forget(s);
    }
    pthread_mutex_unlock(&lock);
}

/* The sessions of the driver and of the runtime belong to the parent. */
static void forked(void)
{
    pthread_mutex_init(&lock, NULL);
    sdk_pcs_samples_forked();
    sdk_probe_run(SDK_PROBE_MARK, NULL);
    for (uint32_t i = 0; i < session_count; i++) {
        sdk_pcs_session_t *s = sessions[i];
        pthread_mutex_init(&s->receive, NULL);
        atomic_store(&s->hsa, 0);
        s->driver_id = 0;
        s->made = s->failed = false;
        free(s->overs.items); /* the parent reports them */
        s->overs = (sdk_pcs_overs_t){0};
        sdk_pcs_forget(s);
    }
}

static unsigned needs(void)
{
    return sdk_pcs_configured() ? SDK_GPU_DISPATCHES : 0;
}

/* The running value is the number of agents that are sampled. */
static const sdk_probe_t probe = {.place = SDK_PROBE_MARK,
                                  .of_agent = session_of,
                                  .begin = sdk_pcs_begin,
                                  .over = sdk_pcs_over,
                                  .placed = sdk_pcs_placed};

SDK_SERVICE(pc_sampling) = {
    .at = {[SDK_AT_CONTEXTS] = update, [SDK_AT_LOOK] = sdk_pcs_flush, [SDK_AT_FORK] = forked},
    .gpu = &(const sdk_gpu_part_t){.needs = needs,
                                   .up = update,
                                   .down = hsa_down,
                                   .code_object = sdk_pcs_code_object,
                                   .probe = &probe},
};
