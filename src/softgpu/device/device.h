/* device.h - the software GPU as the driver front end sees it.
 *
 * kfd/ turns the program's ioctls into these calls; nothing here knows about ioctls. What the
 * device has to tell the program (events, faults) goes out through sg_host_ops_t. */
#ifndef SOFTGPU_DEVICE_DEVICE_H
#define SOFTGPU_DEVICE_DEVICE_H

#include "softgpu/memory/memory.h"
#include "softgpu/profile/profile.h"

#include <time.h>

typedef struct sg_device sg_device_t;
typedef struct sg_queue sg_queue_t;

typedef enum {
    SG_QUEUE_ERROR_ILLEGAL,     /* illegal instruction: HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION */
    SG_QUEUE_ERROR_UNSUPPORTED, /* an instruction softgpu does not execute */
    SG_QUEUE_ERROR_TRAP,        /* s_trap 2: abort from the device */
    SG_QUEUE_ERROR_PACKET,      /* malformed AQL packet */
    SG_QUEUE_ERROR_RESOURCES,   /* LDS or scratch beyond the limit */
    SG_QUEUE_ERROR_APERTURE     /* bad aperture access */
} sg_queue_error_t;

/* Called from device threads; must not call back into the device except for memory look-ups. */
typedef struct {
    void *user;
    /* Raises event `id` (what a signal's mailbox interrupt does). */
    void (*raise_event)(void *user, uint32_t id);
    /* A memory access failed: `flags` as ISA_FAULT_*, `va` the address. */
    void (*memory_fault)(void *user, uint64_t va, uint32_t flags);
    /* The queue has stopped for `what`; text names instruction, address, value and limit. `code` is
     * what the queue's inactive signal will say. */
    void (*queue_error)(void *user, sg_queue_t *q, sg_queue_error_t what, uint64_t code,
                        const char *text);
} sg_host_ops_t;

/* Starts nothing until the first queue is created. NULL when memory runs out. */
sg_device_t *sg_device_create(const sg_profile_t *profile, const sg_host_ops_t *ops);
sg_memory_t *sg_device_memory(sg_device_t *d);

/* Decoded code is stale: unmapped memory, or an instruction cache invalidation. */
void sg_device_invalidate_code(sg_device_t *d);

/* Nanoseconds of the device clock: the host's CLOCK_MONOTONIC_RAW, 1 GHz, as the driver's clock
 * counters report it. s_memrealtime and signal timestamps read it; s_memtime tells it in clocks of
 * the engine. */
uint64_t sg_device_clock(void);
clockid_t sg_device_clock_id(void); /* which of the host's: where time is modelled, another */

/* The ring of streaming counters, which the driver reads. Open empties it; false without memory.
 * Take copies so many bytes at most and tells whether samples found no room since the last time. */
bool sg_device_spm_open(sg_device_t *d);
void sg_device_spm_close(sg_device_t *d);
size_t sg_device_spm_waiting(sg_device_t *d);
size_t sg_device_spm_take(sg_device_t *d, void *to, size_t bytes, bool *lost);

/* The doorbell page: `alias` is the device's own mapping, `fd`/`offset` say which file pages the
 * program maps (to find and write-protect its mapping while asleep). */
void sg_device_set_doorbells(sg_device_t *d, uint64_t *alias, size_t bytes, int fd,
                             uint64_t offset);

/* Where traps of the program's waves lead: the runtime's handler and its memory. 0: none. */
void sg_device_set_trap_handler(sg_device_t *d, uint64_t tba, uint64_t tma);

/* Has running waves take a host trap every so many microseconds, 0: no more. Calls must not
 * overlap. 0 or -errno. When it has returned after 0, no trap is begun any more. */
int sg_device_set_host_traps(sg_device_t *d, uint64_t microseconds);

/* census.c: the functions of include/softgpu/instruction_counts.h; NULL: another version. */
struct softgpu_instruction_counts_api;
const struct softgpu_instruction_counts_api *sg_census_api(unsigned version);

/* Writes the statistics that SOFTGPU_STATS asks for, of all devices of this process. */
void sg_observe_report(void);

/* What the calls of programs that are checked are told to; NULL: nothing is checked. */
struct softgpu_check_api;
const struct softgpu_check_api *sg_check_api(unsigned version);
/* False: the environment asks the checker for what there is not, which has been told. */
bool sg_check_ready(void);
/* Writes what was wrong, if anything was checked. */
void sg_check_report(void);
/* Where programs are checked: end() is called, by a thread that this starts, before the process
 * ends without the handlers of exit. Again in a fork that uses the GPU. */
void sg_leave_watch(void (*end)(void));

typedef enum { SG_QUEUE_AQL, SG_QUEUE_PM4, SG_QUEUE_SDMA } sg_queue_kind_t;

typedef struct {
    sg_queue_kind_t kind;
    uint64_t ring_va, ring_bytes;
    uint64_t read_ptr_va, write_ptr_va; /* AQL: inside amd_queue_t, read_dispatch_id is read_ptr */
    uint64_t scratch_va, scratch_bytes; /* 0 when the runtime manages scratch itself */
    uint32_t doorbell_slot;             /* index of the 8-byte slot */
    uint32_t priority, percent;
} sg_queue_params_t;

/* 0 or -errno: -EINVAL for memory that is not mapped, -EOPNOTSUPP for PM4 rings, which no HSA
 * runtime creates (PM4 inside AQL packets is executed). Starts the queue's thread. */
int sg_queue_create(sg_device_t *d, const sg_queue_params_t *p, void *user, sg_queue_t **out);
void *sg_queue_user(const sg_queue_t *q);
int sg_queue_update(sg_queue_t *q, uint64_t ring_va, uint64_t ring_bytes, uint32_t percent);
int sg_queue_set_cu_mask(sg_queue_t *q, const uint32_t *mask, uint32_t bits);
/* Stops the queue (work in flight is abandoned at the next yield) and waits for its thread. */
void sg_queue_destroy(sg_queue_t *q);

#endif
