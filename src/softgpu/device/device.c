/* device.c - creation of the device, and the functions of device.h that concern no single queue.
 *
 * A device is never destroyed, since its threads may use it until the process has ended. */
#include "softgpu/device/internal.h"

#include "softgpu/check/group.h"
#include "softgpu/device/observe.h"
#include "softgpu/exec/clock.h"
#include "softgpu/perf/spm.h"

#include "base/env.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

static void *trace_memory(void *memory, uint64_t va, uint64_t bytes)
{
    return sg_memory_host(memory, va, bytes, SG_MEM_WRITABLE);
}

sg_device_t *sg_device_create(const sg_profile_t *profile, const sg_host_ops_t *ops)
{
    sg_device_t *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->profile = *profile;
    d->arch = isa_arch_find(profile->gfx_target_version);
    if (!d->arch) { /* sg_profile_read() has refused such a profile */
        free(d);
        errno = EINVAL;
        return NULL;
    }
    d->ops = *ops;
    if (profile->model_time) isa_clock_use_system();
    pthread_mutex_init(&d->lock, NULL);
    d->registers = calloc(SG_REGISTERS, sizeof *d->registers);
    d->memory = sg_memory_create();
    d->code = d->memory ? isa_code_create(d->arch, d->memory) : NULL;
    d->core = isa_core_select();
    d->narrow = d->core ? isa_core_narrow(d->core) : NULL;
    const char *named = base_env("SOFTGPU_CORE");
    if (!d->core)
        base_error(
            "SOFTGPU_CORE=%s: base, avx2 and avx512 are the cores, and this host does not run "
            "all of them",
            named ? named : "");
    d->perf = sg_perf_create(profile, sgc_page_of_memory, d->memory);
    if (d->perf) sg_perf_set_trace_memory(d->perf, trace_memory, d->memory);
    d->observed = sg_observe_wanted();
    if (d->registers && d->code && d->core && d->perf) {
        chk_memory_add(d->memory, d->arch);
        return d;
    }

    sg_perf_destroy(d->perf);
    if (d->code) isa_code_destroy(d->code);
    sg_memory_destroy(d->memory);
    bool wrong = !d->core;
    free(d->registers);
    free(d);
    errno = wrong ? EINVAL : ENOMEM;
    return NULL;
}

void sg_device_translate(const sg_translate_t *t)
{
    const bool on = t->how == ISA_TRANSLATE_ON;
    isa_translate_setup(t->how, t->after);
    isa_translate_limit(t->milliseconds);
    isa_translate_share(on && t->aside ? t->share : 0);
    isa_translate_keep((uint64_t)t->kept << 20);
    isa_translate_aside(on && t->aside);
    sg_observe_translated(t->chosen && t->how != ISA_TRANSLATE_OFF);
}

void sg_device_spread(bool allowed)
{
    sg_team_allow(allowed);
}

sg_memory_t *sg_device_memory(sg_device_t *d)
{
    return d->memory;
}

void sg_device_invalidate_code(sg_device_t *d)
{
    isa_code_invalidate(d->code);
}

uint64_t sg_device_clock(void)
{
    return isa_clock_ns();
}

clockid_t sg_device_clock_id(void)
{
    return isa_clock_id();
}

void sg_device_set_doorbells(sg_device_t *d, uint64_t *alias, size_t bytes, int fd, uint64_t offset)
{
    d->doorbells = (_Atomic uint64_t *)alias;
    d->doorbell_bytes = bytes;
    d->doorbell_file = base_file_id(fd);
    d->doorbell_offset = offset;
}

/* ---- streaming counters ---- */

bool sg_device_spm_open(sg_device_t *d)
{
    bool open = true;
    for (uint32_t x = 0; x < d->profile.num_xcc; x++)
        open &= sg_spm_open(sg_perf_spm(d->perf, x));
    if (!open) sg_device_spm_close(d);
    return open;
}

void sg_device_spm_close(sg_device_t *d)
{
    for (uint32_t x = 0; x < d->profile.num_xcc; x++)
        sg_spm_close(sg_perf_spm(d->perf, x));
}

size_t sg_device_spm_waiting(sg_device_t *d, uint32_t xcc)
{
    return sg_spm_waiting(sg_perf_spm(d->perf, xcc));
}

size_t sg_device_spm_take(sg_device_t *d, uint32_t xcc, void *to, size_t bytes, bool *lost)
{
    return sg_spm_take(sg_perf_spm(d->perf, xcc), to, bytes, lost);
}
