/* perf.h - the performance counters of the modelled GPU: registers, launches, workgroups.
 *
 * The device's code for packets passes register accesses, fences and dispatches, and
 * src/softgpu/device/count.c the workgroups that run. docs/counters.md says what each counter
 * counts, README.md how a counter gets its value and how to add one. */
#ifndef SOFTGPU_PERF_PERF_H
#define SOFTGPU_PERF_PERF_H

#include "softgpu/cache/cache.h"
#include "softgpu/exec/census.h"
#include "softgpu/perf/sqtt.h"
#include "softgpu/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* How a dispatch has to run so that all counters, traces and streams that are programmed get their
 * values: the most expensive of them decides. */
typedef enum {
    SG_PERF_OFF,   /* without counting: the plain run loop */
    SG_PERF_EXACT, /* counts of instructions, on any number of workers */
    SG_PERF_MODEL  /* caches and clocks: workgroups in the order of their ids, on one worker */
} sg_perf_level_t;

/* Pipes that waves share. Each SIMD has the first three of its own; the compute unit has one of
 * each of the rest. */
typedef enum {
    SG_PIPE_VALU,
    SG_PIPE_MATRIX,
    SG_PIPE_SCALAR,
    SG_PIPE_LDS,
    SG_PIPE_VMEM,
    SG_PIPE_SMEM,
    SG_PIPES,
    SG_SIMD_PIPES = SG_PIPE_LDS
} sg_pipe_t;

typedef struct sg_perf sg_perf_t;
typedef struct sg_perf_run sg_perf_run_t;     /* of a dispatch in flight */
typedef struct sg_perf_group sg_perf_group_t; /* of a workgroup in flight */

/* The counters' state of a queue. Only the queue's thread uses it; all 0 at first. */
typedef struct {
    uint32_t enable;  /* COMPUTE_PERFCOUNT_ENABLE, of which each queue has its own */
    bool modelled;    /* one of its dispatches has been modelled */
    uint64_t waiting; /* fences that have not taken place yet, in the packed form of fence.c */
} sg_perf_queue_t;

/* `page` and `user` are those of sgc_create(). NULL: out of memory. */
sg_perf_t *sg_perf_create(const sg_profile_t *profile, sgc_page_fn_t *page, void *user);
void sg_perf_destroy(sg_perf_t *p);
/* Sets the function by which thread traces find their buffers in memory. */
void sg_perf_set_trace_memory(sg_perf_t *p, sg_sqtt_memory_fn_t *memory, void *user);

/* Streaming counters of an XCC, for the driver. */
struct sg_spm *sg_perf_spm(sg_perf_t *p, uint32_t xcc);

/* ---- registers; any thread ---- */

enum { SG_PERF_FIRST_REGISTER = 0xc200, SG_PERF_LAST_REGISTER = 0xdfff };

/* Whether sg_perf_write() and sg_perf_read() are to be called for accesses to this register: it is
 * one of the registers in share/aqlprofile. The value last written to GRBM_GFX_INDEX selects the
 * shader engines and instances that an access is for. */
bool sg_perf_owns(const sg_perf_t *p, uint32_t number);
/* The name of the counter that the write would select, if softgpu does not count it; else NULL.
 * Such a write is to be refused, since the counter would read 0. */
const char *sg_perf_refused(const sg_perf_t *p, uint32_t number, uint32_t value);
/* `xccs`: bit n, the packet is executed by XCC n; the lowest of them answers a read. */
void sg_perf_write(sg_perf_t *p, uint32_t xccs, uint32_t number, uint32_t value);
/* A packet has raised an event, or has invalidated or written back caches: running thread traces
 * record it. */
void sg_perf_trace_event(sg_perf_t *p, uint32_t number);
void sg_perf_trace_sync(sg_perf_t *p);
uint32_t sg_perf_read(sg_perf_t *p, uint32_t xccs, uint32_t number);

/* The command processor has decoded an AQL packet of the queue. */
void sg_perf_packet(sg_perf_t *p, const sg_perf_queue_t *queue);

/* ---- fences of packets other than dispatches; on the queue's thread ----
 *
 * A fence changes the caches after the queue's dispatches that have begun, and before those that
 * begin later. Fences of a queue that is not counted are kept until it is, or until it has its
 * first modelled dispatch. */

/* A packet of the queue has written COMPUTE_PERFCOUNT_ENABLE. */
void sg_perf_enable(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t value);

/* The fence scopes of an AQL packet's header. */
void sg_perf_fence(sg_perf_t *p, sg_perf_queue_t *queue, unsigned acquire, unsigned release);
/* ACQUIRE_MEM over `blocks` blocks of 256 bytes, with the bits `control` of COHER_CNTL, or of
 * GCR_CNTL if the GPU has that (isa_arch_t.gcr). */
void sg_perf_acquire_mem(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t control, uint64_t blocks);
/* RELEASE_MEM with this dword of event and cache actions. */
void sg_perf_release_mem(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t control);

/* ---- dispatches ---- */

/* How a dispatch of the queue that starts now has to run. Cheap: one atomic load. */
sg_perf_level_t sg_perf_level(const sg_perf_t *p, const sg_perf_queue_t *queue);

typedef struct {
    sg_perf_level_t level;
    bool idle; /* no counter is programmed: the census, a trace or snapshots alone need the model */
    uint64_t snapshots; /* clocks between two samples of a unit's waves; 0: no sampling */
    uint64_t groups;
    bool narrow;                /* its waves have 32 lanes */
    uint32_t vgprs, sgpr_words; /* rows of a SIMD's registers allocated for a wave; SGPRs written
                                   when it starts */
    uint32_t lds_bytes;         /* of a workgroup */
    uint64_t memory_epoch;
    sg_perf_queue_t *queue;               /* the queue that has the packet */
    uint8_t acquire_scope, release_scope; /* fences in the packet's header */
    sg_sqtt_launch_t trace;
} sg_perf_launch_t;

/* Begins to count a dispatch. NULL: out of memory, and nothing is counted. */
sg_perf_run_t *sg_perf_run_begin(sg_perf_t *p, const sg_perf_launch_t *launch);
/* Clocks that waves of a modelled dispatch have waited because of other waves. */
typedef struct {
    uint64_t stalls[SG_PIPES]; /* for a pipe; by the pipe that became free last */
    uint64_t bandwidth;        /* for memory, whose bandwidth is limited */
} sg_perf_contention_t;

/* All workgroups have ended. Adds the sums that are known only now and frees the run. Returns the
 * clocks that a modelled dispatch took, including those for its packet, and sets *contention. For a
 * dispatch that is not modelled it returns 0 and leaves *contention unchanged. */
uint64_t sg_perf_run_end(sg_perf_run_t *r, sg_perf_contention_t *contention);

/* Size of an sg_perf_group_t. The caller provides its memory, zeroed and aligned to 64 bytes. */
size_t sg_perf_group_bytes(void);

/* Workgroup `id` of the dispatch is about to start on compute unit `unit`, which is
 * engine * (units of an engine) + place. The waves' registers are set up. */
void sg_perf_group_start(sg_perf_group_t *g, sg_perf_run_t *r, uint64_t id, uint32_t unit,
                         const isa_group_t *group);
/* Only if the dispatch is modelled: every wave of the workgroup waits at a barrier or has ended.
 * Sets the clocks that each has waited. */
void sg_perf_group_barrier(sg_perf_group_t *g, const isa_group_t *group,
                           uint64_t waited[ISA_GROUP_WAVES]);
/* Moves the next snapshot of the wave, for which it stopped, to its registers; false: there is
 *
 * none. */
bool sg_perf_group_snapshot(sg_perf_group_t *g, isa_wave_t *w);
/* The workgroup has ended or was cancelled. */
void sg_perf_group_end(sg_perf_group_t *g);

/* Only if the dispatch is not modelled: the workgroup has ended, and also stands for identical
 * workgroups that have not been run: in all for units[u] workgroups on compute unit u. */
void sg_perf_groups_end(sg_perf_group_t *g, const uint64_t units[]);

/* Adds the subscriber that counts or models the workgroup's instructions to the watch. A census has
 * to be in the watch already: if it wants costs, the model adds them to its lines. */
void sg_perf_group_watch(sg_perf_group_t *g, isa_watch_t *watch);
/* The lock that the start and the end of a modelled workgroup, and each turn in which its waves
 * run, need. A thread that waits for it gets it before one that has just released it. */
void sg_perf_model_lock(sg_perf_t *p);
void sg_perf_model_unlock(sg_perf_t *p);

#endif
