/* sampling.c - the runtime's trap handler, and sessions of PC sampling.
 *
 * The table of GPUs has the capabilities for each method of sampling; the errors are those of AMD's
 * driver. The first session of a method decides its settings: a further session of the method must
 * have the same settings, or it is refused. The device makes the traps (device/sampling.c).
 * Functions run under the process's lock. */
#include "gpus/gpus.h"
#include "isa/arch.h"
#include "softgpu/kfd/kfd.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    VERSION = 1 << 16 | 5, /* of the sampling interface: 1.5 */
    FLAG_POWER_OF_TWO = 1
};

typedef struct kfd_pc_session {
    uint32_t id;
    bool started;
    struct kfd_pc_sample_info info;
    struct kfd_pc_session *next;
} session_t;

/* The driver's names of a way of sampling. */
static const struct {
    uint32_t way; /* GPUS_SAMPLING_* */
    uint32_t method, type;
} names[] = {
    {GPUS_SAMPLING_HOST_TRAP, KFD_PCS_METHOD_HOST_TRAP, KFD_PCS_TYPE_US},
    {GPUS_SAMPLING_STOCHASTIC, KFD_PCS_METHOD_STOCHASTIC, KFD_PCS_TYPE_CYCLES},
};

enum { N_ABILITIES = sizeof names / sizeof names[0] };

int kfd_set_trap_handler(kfd_process_t *p, const struct kfd_ioctl_set_trap_handler_args *args)
{
    const kfd_gpu_t *gpu = kfd_gpu_find(p, args->gpu_id);
    if (!gpu) return -EINVAL;
    sg_device_set_trap_handler(gpu->device, args->tba_addr, args->tma_addr);
    return 0;
}

/* Writes the capabilities of the GPU; returns their number. */
static uint32_t abilities_of(const kfd_process_t *p, struct kfd_pc_sample_info out[N_ABILITIES])
{
    const isa_arch_t *arch = isa_arch_find(p->config->profile.gfx_target_version);
    const gpus_arch_t *gpu = arch ? gpus_find(arch->name) : NULL;
    uint32_t n = 0;
    for (const gpus_sampling_t *s; n < N_ABILITIES && (s = gpus_sampling(gpu, n)); n++) {
        unsigned i = 0;
        while (i + 1 < N_ABILITIES && names[i].way != s->way)
            i++;
        out[n] = (struct kfd_pc_sample_info){.interval_min = s->least,
                                             .interval_max = s->most,
                                             .flags = s->power_of_two ? FLAG_POWER_OF_TWO : 0,
                                             .method = names[i].method,
                                             .type = names[i].type};
    }
    return n;
}

/* A session of the method; NULL: there is none. All sessions of a method have the settings of its
 * first. */
static const session_t *session_of(const kfd_gpu_t *gpu, uint32_t method)
{
    const session_t *s = gpu->sampling;
    while (s && s->info.method != method)
        s = s->next;
    return s;
}

/* Replaces capabilities by the settings of the methods in use; returns the number of rows. */
static uint32_t in_use(const kfd_gpu_t *gpu, uint32_t n, struct kfd_pc_sample_info list[])
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        const session_t *s = session_of(gpu, list[i].method);
        if (s) list[used++] = s->info;
    }
    return used;
}

static int query(const kfd_process_t *p, const kfd_gpu_t *gpu, struct kfd_pc_sample_args *args)
{
    struct kfd_pc_sample_info list[N_ABILITIES];
    uint32_t n = abilities_of(p, list);
    args->version = VERSION;
    if (!n) return -EOPNOTSUPP;
    if (gpu->sampling && !(args->flags & KFD_PCS_QUERY_ALL)) n = in_use(gpu, n, list);
    const uint32_t room = args->num_sample_info;
    args->num_sample_info = n;
    if (!args->sample_info_ptr || !room) return 0;
    if (room < n) return -ENOSPC;
    memcpy((void *)(uintptr_t)args->sample_info_ptr, list, n * sizeof list[0]);
    return 0;
}

static int check(const kfd_process_t *p, const struct kfd_pc_sample_info *wanted)
{
    struct kfd_pc_sample_info list[N_ABILITIES];
    const uint32_t n = abilities_of(p, list);
    for (uint32_t i = 0; i < n; i++) {
        if (list[i].method != wanted->method || list[i].type != wanted->type) continue;
        if (wanted->interval < list[i].interval_min || wanted->interval > list[i].interval_max)
            return -EOPNOTSUPP;
        const bool odd = wanted->interval & (wanted->interval - 1);
        return list[i].flags & FLAG_POWER_OF_TWO && odd ? -EINVAL : 0;
    }
    return -EOPNOTSUPP;
}

static session_t **find(kfd_gpu_t *gpu, uint32_t id)
{
    session_t **s = &gpu->sampling;
    while (*s && (*s)->id != id)
        s = &(*s)->next;
    return s;
}

static int create(kfd_process_t *p, kfd_gpu_t *gpu, struct kfd_pc_sample_args *args)
{
    void *const program = (void *)(uintptr_t)args->sample_info_ptr;
    struct kfd_pc_sample_info info;
    if (!program || args->num_sample_info != 1) return -EINVAL;
    memcpy(&info, program, sizeof info);
    const int error = check(p, &info);
    if (error) return error;
    const session_t *other = session_of(gpu, info.method);
    if (other && memcmp(&other->info, &info, sizeof info)) {
        memcpy(program, &other->info, sizeof info);
        return -EEXIST;
    }
    session_t *s = calloc(1, sizeof *s);
    if (!s) return -ENOMEM;
    do
        s->id = ++gpu->last_session;
    while (!s->id || *find(gpu, s->id));
    s->info = info;
    s->next = gpu->sampling;
    gpu->sampling = s;
    args->trace_id = s->id;
    return 0;
}

static bool any_started(const kfd_gpu_t *gpu, uint32_t method)
{
    for (const session_t *s = gpu->sampling; s; s = s->next)
        if (s->started && s->info.method == method) return true;
    return false;
}

/* Starts sampling on the device; an interval of 0 stops it. */
static int sample(kfd_gpu_t *gpu, uint32_t method, uint64_t interval)
{
    if (method == KFD_PCS_METHOD_HOST_TRAP) {
        if (!interval || sg_device_takes_host_traps(gpu->device))
            return sg_device_set_host_traps(gpu->device, interval);
        base_error("PC sampling: the runtime's trap handler for this GPU does not sample: that of "
                   "ROCm 7.2 does");
        return -EOPNOTSUPP;
    }
    if (interval && !sg_device_reads_snapshots(gpu->device)) {
        base_error("stochastic sampling: the runtime's trap handler does not read what waves did: "
                   "ROCm 7.0 or later is needed");
        return -EOPNOTSUPP;
    }
    sg_device_set_snapshots(gpu->device, interval);
    return 0;
}

static int start(kfd_gpu_t *gpu, session_t *s)
{
    if (s->started) return -EALREADY;
    if (!any_started(gpu, s->info.method)) {
        const int error = sample(gpu, s->info.method, s->info.interval);
        if (error) return error;
    }
    s->started = true;
    return 0;
}

static int stop(kfd_gpu_t *gpu, session_t *s)
{
    if (!s->started) return -EALREADY;
    s->started = false;
    return any_started(gpu, s->info.method) ? 0 : sample(gpu, s->info.method, 0);
}

static int destroy(session_t **link)
{
    session_t *s = *link;
    if (s->started) return -EBUSY;
    *link = s->next;
    free(s);
    return 0;
}

static int operate(kfd_process_t *p, kfd_gpu_t *gpu, struct kfd_pc_sample_args *args)
{
    if (args->op == KFD_PCS_QUERY) return query(p, gpu, args);
    if (args->op == KFD_PCS_CREATE) return create(p, gpu, args);
    session_t **link = find(gpu, args->trace_id);
    if (!*link) return -EINVAL;
    switch (args->op) {
    case KFD_PCS_DESTROY: return destroy(link);
    case KFD_PCS_START: return start(gpu, *link);
    case KFD_PCS_STOP: return stop(gpu, *link);
    default: return -EINVAL;
    }
}

int kfd_pc_sample(kfd_process_t *p, struct kfd_pc_sample_args *args)
{
    kfd_gpu_t *gpu = kfd_gpu_find(p, args->gpu_id);
    if (!gpu) return -EINVAL;
    pthread_mutex_lock(&p->lock);
    const int error = operate(p, gpu, args);
    pthread_mutex_unlock(&p->lock);
    return error;
}
