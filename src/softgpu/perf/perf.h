/* perf.h - the performance counters of the modelled GPU: registers, launches, workgroups.
 *
 * Apart from the device because it knows no queue and no packet: pm4.c hands register accesses in,
 * count.c hands in what is launched and what has run. How each counter comes about is in
 * docs/counters.md; a new counter needs a row in share/counters and one in events.c. */
#ifndef SOFTGPU_PERF_PERF_H
#define SOFTGPU_PERF_PERF_H

#include "softgpu/cache/cache.h"
#include "softgpu/isa/census.h"
#include "softgpu/isa/observe.h"
#include "softgpu/perf/sqtt.h"
#include "softgpu/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* What a launch has to do, by what is programmed: the dearest counter decides. */
typedef enum {
    SG_PERF_OFF,   /* nothing: the plain run loop */
    SG_PERF_EXACT, /* counts of instructions, on any number of workers */
    SG_PERF_MODEL  /* caches and clocks: workgroups in the order of their ids, on one worker */
} sg_perf_level_t;

/* Pipes that waves share: the first three once for each SIMD, the others once for the unit. */
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

/* What counting keeps of a queue, for the queue's own thread. Zeroed with the queue. */
typedef struct {
    uint32_t enable;  /* COMPUTE_PERFCOUNT_ENABLE, of which each queue has its own */
    bool modelled;    /* one of its dispatches has been */
    uint64_t waiting; /* fences before it was counted or modelled, as fence.c has them */
} sg_perf_queue_t;

/* `page` tells the caches what kind of memory an address is (cache.h). NULL when memory runs out.
 */
sg_perf_t *sg_perf_create(const sg_profile_t *profile, sgc_page_fn_t *page, void *user);
void sg_perf_destroy(sg_perf_t *p);
/* How thread traces reach their buffers. */
void sg_perf_set_trace_memory(sg_perf_t *p, sg_sqtt_memory_fn_t *memory, void *user);

/* Streaming counters, for the driver. */
struct sg_spm *sg_perf_spm(sg_perf_t *p);

/* ---- registers; any thread ---- */

enum { SG_PERF_FIRST_REGISTER = 0xc200, SG_PERF_LAST_REGISTER = 0xdfff };

/* Whether packets reach this register through the two functions below: selects, counters and
 * controls of the blocks in share/counters. GRBM_GFX_INDEX says which engines and instances. */
bool sg_perf_owns(const sg_perf_t *p, uint32_t number);
void sg_perf_write(sg_perf_t *p, uint32_t number, uint32_t value);
/* A packet's event, by number, and one that makes caches agree, as running thread traces show them.
 */
void sg_perf_trace_event(sg_perf_t *p, uint32_t number);
void sg_perf_trace_sync(sg_perf_t *p);
uint32_t sg_perf_read(sg_perf_t *p, uint32_t number);

/* The command processor has decoded an AQL packet of the queue. */
void sg_perf_packet(sg_perf_t *p, const sg_perf_queue_t *queue);

/* ---- fences of packets that are no dispatches; the queue's thread. A fence takes place behind the
 * queue's dispatches that have begun, and before whatever the queue begins later. Those of a queue
 * that is not counted wait until it is, or until its first modelled dispatch. ---- */

/* The queue's packet has written COMPUTE_PERFCOUNT_ENABLE. */
void sg_perf_enable(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t value);

/* The scopes of a packet's header. */
void sg_perf_fence(sg_perf_t *p, sg_perf_queue_t *queue, unsigned acquire, unsigned release);
/* ACQUIRE_MEM with these COHER_CNTL bits over so many blocks of 256 bytes. */
void sg_perf_acquire_mem(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t coher_cntl,
                         uint64_t blocks);
/* RELEASE_MEM with this dword of event and cache actions. */
void sg_perf_release_mem(sg_perf_t *p, sg_perf_queue_t *queue, uint32_t control);

/* ---- dispatches ---- */

/* What the registers ask of a dispatch of the queue that starts now. One load. */
sg_perf_level_t sg_perf_level(const sg_perf_t *p, const sg_perf_queue_t *queue);

typedef struct {
    sg_perf_level_t level;
    bool idle; /* no counter is programmed: the model is asked for by others */
    uint64_t groups;
    uint32_t vgprs, sgpr_words; /* allocated for a wave; written when it starts */
    uint32_t lds_bytes;         /* of a workgroup */
    uint64_t memory_epoch;
    sg_perf_queue_t *queue;               /* that the packet is of */
    uint8_t acquire_scope, release_scope; /* of the packet */
    sg_sqtt_launch_t trace;
} sg_perf_launch_t;

/* Counts a dispatch; NULL (nothing is counted) when memory runs out. */
sg_perf_run_t *sg_perf_run_begin(sg_perf_t *p, const sg_perf_launch_t *launch);
/* What waves of a modelled dispatch have lost to each other; clocks. */
typedef struct {
    uint64_t stalls[SG_PIPES]; /* by the pipe that was free last */
    uint64_t bandwidth;        /* waiting for memory, which moves only so much */
} sg_perf_contention_t;

/* All workgroups have left. Adds what is known only now and frees the run. The clocks that it took,
 * its packet's among them, and *contention; 0 and no change of it if it was not modelled. */
uint64_t sg_perf_run_end(sg_perf_run_t *r, sg_perf_contention_t *contention);
sg_perf_level_t sg_perf_run_level(const sg_perf_run_t *r);

/* A group lives in zeroed memory of its owner's, aligned to 64 bytes. */
size_t sg_perf_group_bytes(void);

/* Workgroup `id` of the run starts on a compute unit: engine * (units of an engine) + place. The
 * waves have their launch state. */
void sg_perf_group_start(sg_perf_group_t *g, sg_perf_run_t *r, uint64_t id, uint32_t unit,
                         const isa_group_t *group);
/* Modelled: every wave of the workgroup waits at a barrier or has ended. How long each has waited.
 */
void sg_perf_group_barrier(sg_perf_group_t *g, uint64_t waited[ISA_GROUP_WAVES]);
/* The workgroup has ended or was given up. */
void sg_perf_group_end(sg_perf_group_t *g, const isa_group_t *group);

/* Of a dispatch that is not modelled: the workgroup has ended, and so have others that did the
 * same; units[u] of them on compute unit u. */
void sg_perf_groups_end(sg_perf_group_t *g, const isa_group_t *group, const uint64_t units[]);

/* What its waves run with: the counter for run_counted, the observer for run_observed. A modelled
 * workgroup's turns, start and end take place between lock and unlock. Who asks first has the lock
 * first. */
isa_counter_t *sg_perf_group_counter(sg_perf_group_t *g);
void sg_perf_group_observer(sg_perf_group_t *g, isa_observer_t *out);
/* Modelled: the census steps the waves' clocks and adds what they say to the instruction's line. Of
 * the thread that runs the workgroup, until another group is given. */
void sg_perf_group_census(sg_perf_group_t *g, isa_census_t *census);
void sg_perf_model_lock(sg_perf_t *p);
void sg_perf_model_unlock(sg_perf_t *p);

#endif
