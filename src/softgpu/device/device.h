/* device.h - the software GPU as the driver's front end (kfd/) sees it.
 *
 * kfd/ turns the program's ioctls into these calls; the device does not depend on ioctls. It
 * reports events and faults through sg_host_ops_t. */
#ifndef SOFTGPU_DEVICE_DEVICE_H
#define SOFTGPU_DEVICE_DEVICE_H

#include "softgpu/exec/translate.h"
#include "softgpu/memory/memory.h"
#include "softgpu/profile/profile.h"

#include <time.h>

typedef struct sg_device sg_device_t;
typedef struct sg_queue sg_queue_t;

typedef enum {
    SG_QUEUE_ERROR_ILLEGAL,     /* illegal instruction: HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION */
    SG_QUEUE_ERROR_UNSUPPORTED, /* an instruction that softgpu does not execute */
    SG_QUEUE_ERROR_TRAP,        /* s_trap 2: abort from the device */
    SG_QUEUE_ERROR_PACKET,      /* malformed AQL packet */
    SG_QUEUE_ERROR_RESOURCES,   /* LDS or scratch beyond the limit */
    SG_QUEUE_ERROR_APERTURE     /* bad aperture access */
} sg_queue_error_t;

/* Callbacks into the driver's front end. Threads of the device call them; the callbacks must not
 * call the device, except to look up memory. */
typedef struct {
    void *user;
    /* Raises the driver's event `id`, as the interrupt of an HSA signal does on hardware. */
    void (*raise_event)(void *user, uint32_t id);
    /* A memory access failed: `va` is the GPU address, `flags` are ISA_FAULT_*. */
    void (*memory_fault)(void *user, uint64_t va, uint32_t flags);
    /* The queue has stopped because of `what`; `text` is the message for the user. `code` is the
     * value that the queue's inactive signal will get (0: none). */
    void (*queue_error)(void *user, sg_queue_t *q, sg_queue_error_t what, uint64_t code,
                        const char *text);
} sg_host_ops_t;

/* Makes a device. It starts no thread; the first queue does. NULL with errno: ENOMEM, or EINVAL if
 * the profile's GPU is unknown or SOFTGPU_CORE is wrong. */
sg_device_t *sg_device_create(const sg_profile_t *profile, const sg_host_ops_t *ops);
sg_memory_t *sg_device_memory(sg_device_t *d);

/* Whether hot code is translated, and how. */
typedef struct {
    isa_translate_t how;
    bool chosen;           /* by the user, who wants to know what ran translated */
    uint32_t after;        /* waves or branches back that make code hot */
    uint32_t milliseconds; /* the limit of the time for all translations */
    uint32_t share;        /* their limit in percent of the time of those who run waves; 0: none */
    uint32_t kept;         /* MiB of translations on disk */
    bool aside; /* a thread of its own translates; else runs translate the same, without `share` */
} sg_translate_t;

/* Sets, for all devices of the process, whether and how hot code is translated. To be called before
 * the first device is made. */
void sg_device_translate(const sg_translate_t *t);

/* Whether the waves of one workgroup may run on several threads while workers have nothing else to
 * do: true unless it is said. */
void sg_device_spread(bool allowed);

/* Drops decoded instructions, because code memory was unmapped or the program invalidated the
 * instruction cache. */
void sg_device_invalidate_code(sg_device_t *d);

/* Nanoseconds of the device clock: the host's CLOCK_MONOTONIC_RAW, 1 GHz, as the driver's clock
 * counters report it. s_memrealtime and signal timestamps read it; s_memtime gives the same time in
 * engine clocks. */
uint64_t sg_device_clock(void);
/* The host's clock that sg_device_clock() reads. */
clockid_t sg_device_clock_id(void);

/* The ring buffers of streaming counters (SPM), one of each XCC, which the driver reads.
 * sg_device_spm_open() empties them; false: out of memory. sg_device_spm_take() copies at most
 * `bytes`, and sets *lost if samples found the ring full since the last call. */
bool sg_device_spm_open(sg_device_t *d);
void sg_device_spm_close(sg_device_t *d);
size_t sg_device_spm_waiting(sg_device_t *d, uint32_t xcc);
size_t sg_device_spm_take(sg_device_t *d, uint32_t xcc, void *to, size_t bytes, bool *lost);

/* The doorbell page: `alias` is the device's own mapping. `fd` and `offset` say which pages of
 * which file the program maps: the device finds and write-protects that mapping while all its
 * queues sleep (watch.c). */
void sg_device_set_doorbells(sg_device_t *d, uint64_t *alias, size_t bytes, int fd,
                             uint64_t offset);

/* The runtime's trap handler, to which traps of the program's waves branch: address of its code
 * (tba; 0: none) and of its memory (tma). */
void sg_device_set_trap_handler(sg_device_t *d, uint64_t tba, uint64_t tma);

/* PC sampling: running waves take a host trap every `microseconds`; 0 ends it, and no trap begins
 * after that call has returned. Calls must not overlap. 0 or -errno. */
int sg_device_set_host_traps(sg_device_t *d, uint64_t microseconds);
/* Stochastic sampling: every `clocks` clocks each compute unit samples one of its waves, which then
 * takes a trap; 0 ends it. The clocks are those of the timing model, so dispatches that begin later
 * are modelled. */
void sg_device_set_snapshots(sg_device_t *d, uint64_t clocks);
/* Whether the trap handler reads the registers of snapshots. The handlers of runtimes before ROCm 7
 * do not, and would take such a trap for an exception of the wave. */
bool sg_device_reads_snapshots(sg_device_t *d);
/* Whether the trap handler samples in host traps. On gfx12 that of ROCr 6.4 does not, that of 7.2
 * does: with the former a wave would take such traps for nothing. */
bool sg_device_takes_host_traps(sg_device_t *d);

/* census.c: the functions of include/softgpu/instruction_counts.h; NULL: `version` is unknown. */
struct softgpu_instruction_counts_api;
const struct softgpu_instruction_counts_api *sg_census_api(unsigned version);

/* Writes the statistics of all devices of this process, if SOFTGPU_STATS enables them. */
void sg_observe_report(void);

/* The checker's functions (check/sink.h), to which libsoftgpu-check.so reports the program's calls;
 * NULL: nothing is checked. */
struct softgpu_check_api;
const struct softgpu_check_api *sg_check_api(unsigned version);
/* False: the environment has a wrong option for the checker, and the message is written. */
bool sg_check_ready(void);
/* Writes the checker's findings, if anything was checked. */
void sg_check_report(void);
/* If the program is checked: starts a thread that calls end() when the process ends without running
 * exit handlers (leave.c). A forked child has to call this again. */
void sg_leave_watch(void (*end)(void));

typedef enum { SG_QUEUE_AQL, SG_QUEUE_PM4, SG_QUEUE_SDMA } sg_queue_kind_t;

typedef struct {
    sg_queue_kind_t kind;
    uint64_t ring_va, ring_bytes;
    uint64_t read_ptr_va, write_ptr_va; /* AQL: read_ptr_va points to amd_queue_t's
                                           read_dispatch_id */
    uint32_t doorbell_slot;             /* index of the 8-byte slot */
    uint32_t priority, percent;
} sg_queue_params_t;

/* 0 or -errno: -EINVAL for memory that is not mapped, -EOPNOTSUPP for PM4 rings, which no HSA
 * runtime creates (PM4 inside AQL packets is executed). Creates a queue and starts its thread. */
int sg_queue_create(sg_device_t *d, const sg_queue_params_t *p, void *user, sg_queue_t **out);
void *sg_queue_user(const sg_queue_t *q);
int sg_queue_update(sg_queue_t *q, uint64_t ring_va, uint64_t ring_bytes, uint32_t percent);
int sg_queue_set_cu_mask(sg_queue_t *q, const uint32_t *mask, uint32_t bits);
/* Stops the queue and waits for its thread. Dispatches in flight are cancelled: their waves stop at
 * the end of their turn. */
void sg_queue_destroy(sg_queue_t *q);

#endif
