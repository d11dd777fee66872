/* fake_device.c - device.h without a GPU behind it: memory works, queues run nothing.
 *
 * For tests of the driver's front end alone: what it asks of the device can be looked at, and the
 * test itself plays the device through the host operations. */
#include "fake_device.h"

#include "softgpu/check/check.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sg_device {
    sg_memory_t *memory;
};

fake_device_t fake;

sg_device_t *sg_device_create(const sg_profile_t *profile, const sg_host_ops_t *ops)
{
    (void)profile;
    sg_device_t *d = calloc(1, sizeof(*d));
    if (d) d->memory = sg_memory_create();
    fake.ops = *ops;
    fake.n_devices++;
    return d;
}

sg_memory_t *sg_device_memory(sg_device_t *d)
{
    return d->memory;
}

void sg_device_invalidate_code(sg_device_t *d)
{
    (void)d;
    fake.n_invalidations++;
}

void sg_device_translate(const sg_translate_t *t)
{
    (void)t;
}

void sg_device_spread(bool allowed)
{
    (void)allowed;
}

uint64_t sg_device_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

clockid_t sg_device_clock_id(void)
{
    return CLOCK_MONOTONIC_RAW;
}

void sg_device_set_doorbells(sg_device_t *d, uint64_t *alias, size_t bytes, int fd, uint64_t offset)
{
    (void)d;
    (void)bytes;
    (void)fd;
    (void)offset;
    fake.doorbells = alias;
}

void sg_device_set_trap_handler(sg_device_t *d, uint64_t tba, uint64_t tma)
{
    (void)d;
    fake.tba = tba;
    fake.tma = tma;
}

int sg_device_set_host_traps(sg_device_t *d, uint64_t microseconds)
{
    (void)d;
    fake.interval = microseconds;
    return fake.no_traps;
}

void sg_device_set_snapshots(sg_device_t *d, uint64_t clocks)
{
    (void)d;
    fake.clocks = clocks;
}

/* Nothing is checked: the checker is no part of this. */
unsigned chk_wanted(void)
{
    return 0;
}

bool sg_device_reads_snapshots(sg_device_t *d)
{
    (void)d;
    return !fake.old_handler;
}

bool sg_device_takes_host_traps(sg_device_t *d)
{
    (void)d;
    return !fake.old_traps;
}

int sg_queue_create(sg_device_t *d, const sg_queue_params_t *p, void *user, sg_queue_t **out)
{
    (void)d;
    sg_queue_t *q = calloc(1, sizeof(*q));
    if (!q) return -1;
    q->params = *p;
    q->user = user;
    fake.last_queue = q;
    fake.n_queues++;
    *out = q;
    return 0;
}

void *sg_queue_user(const sg_queue_t *q)
{
    return q->user;
}

int sg_queue_update(sg_queue_t *q, uint64_t ring_va, uint64_t ring_bytes, uint32_t percent)
{
    q->params.ring_va = ring_va;
    q->params.ring_bytes = ring_bytes;
    q->params.percent = percent;
    return 0;
}

int sg_queue_set_cu_mask(sg_queue_t *q, const uint32_t *mask, uint32_t bits)
{
    q->mask_bits = bits;
    q->mask = mask[0];
    return 0;
}

void sg_queue_destroy(sg_queue_t *q)
{
    fake.n_queues--;
    free(q);
}

bool sg_device_spm_open(sg_device_t *d)
{
    (void)d;
    memset(fake.spm, 0, sizeof(fake.spm));
    return fake.spm_open = true;
}

void sg_device_spm_close(sg_device_t *d)
{
    (void)d;
    fake.spm_open = false;
}

size_t sg_device_spm_waiting(sg_device_t *d, uint32_t xcc)
{
    (void)d;
    return fake.spm[xcc].waiting;
}

size_t sg_device_spm_take(sg_device_t *d, uint32_t xcc, void *to, size_t bytes, bool *lost)
{
    (void)d;
    if (bytes > fake.spm[xcc].waiting) bytes = fake.spm[xcc].waiting;
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = fake.spm[xcc].next++;
    fake.spm[xcc].waiting -= bytes;
    *lost = fake.spm[xcc].lost;
    fake.spm[xcc].lost = false;
    return bytes;
}
