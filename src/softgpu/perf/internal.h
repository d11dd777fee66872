/* internal.h - what the files of the performance counters share.
 *
 * Apart because perf.h is for the device only. Sums are kept once for each compute unit and each
 * instruction bucket; a counter is a formula over them (events.c), evaluated when it is read. */
#ifndef SOFTGPU_PERF_INTERNAL_H
#define SOFTGPU_PERF_INTERNAL_H

#include "softgpu/perf/perf.h"
#include "softgpu/perf/spm.h"
#include "softgpu/perf/traits.h"

#include <pthread.h>
#include <stdatomic.h>

/* Sums of one compute unit besides its instructions. */
typedef enum {
    /* known at launch */
    SG_T_GROUPS,
    SG_T_WAVES,
    SG_T_WAVES_EQ_64,
    SG_T_WAVES_LT_64,
    SG_T_WAVES_LT_48,
    SG_T_WAVES_LT_32,
    SG_T_WAVES_LT_16,
    SG_T_ITEMS,
    SG_T_SGPR_WRITES,
    SG_T_FLAT_LDS_ONLY, /* told when the workgroup ends */
    /* of the model; clocks */
    SG_T_MODEL,
    SG_T_WAVE_CLOCKS = SG_T_MODEL,
    SG_T_WAIT,      /* waves waiting for data, barriers, code, the end of a sleep */
    SG_T_STALL,     /* waves ready, their pipes taken by others */
    SG_T_STALL_LDS, /* of those, where it was the LDS */
    SG_T_BUSY,      /* a wave is on the unit */
    SG_T_VMEM_LEVEL,
    SG_T_SMEM_LEVEL,
    SG_T_LDS_LEVEL,
    SG_T_FETCHES,
    SG_T_FETCH_LEVEL,
    /* of the engine, kept in its first unit; clocks */
    SG_T_SE_BUSY,
    SG_T_BLOCKED,       /* a workgroup waits for room */
    SG_T_BLOCKED_WAVES, /* times the SIMDs without a wave slot */
    SG_T_BLOCKED_VGPRS, /* times the SIMDs without registers */
    SG_T_BLOCKED_LDS,
    SG_T_COUNT
} sg_tally_t;

/* Sums of the whole GPU; clocks. */
typedef enum {
    SG_D_CLOCK,
    SG_D_WAVES, /* a dispatch has waves, or memory at work for them */
    SG_D_PACKETS,
    SG_D_COUNT
} sg_device_tally_t;

typedef struct {
    _Atomic uint64_t fixed[SG_T_COUNT];
    _Atomic uint64_t runs[2 * ISA_BUCKETS], lanes[2 * ISA_BUCKETS]; /* as in isa_counter_t */
} sg_sums_t;

/* [1]: of waves that SQ counts, by its controls; [0]: of all others. */
typedef struct {
    sg_sums_t sums[2];
    /* Taken for the few additions at the end of a workgroup: one locked instruction instead of one
     * for each sum. Readers need not. */
    atomic_flag adding;
} sg_unit_t;

/* Numbers of the blocks. ORDER: as in the tables. */
typedef enum {
#define SG_BLOCK(name, id, instances, per_se, slots) SG_BLOCK_##name,
#include "softgpu/perf_tables.inc"
    SG_BLOCK_COUNT
} sg_block_t;

typedef struct {
    uint32_t select, select1; /* select1: for streaming only */
    bool selected;            /* it has been written: until then nothing is computed for it */
    uint64_t value;           /* collected until the last stop */
    uint64_t base;            /* total when counting began, while running */
    uint64_t sample;
} sg_slot_t;

typedef struct {
    sg_slot_t *slots; /* [slot][engine][instance]: memory is touched as far as slots are used */
    uint32_t engines, instances, n_slots;
    uint32_t used; /* slots from here on have never been written */
} sg_bank_t;

/* What a register number is. */
typedef struct {
    uint8_t kind; /* registers.c */
    uint8_t block;
    uint16_t slot;
} sg_register_t;

typedef struct sg_fence sg_fence_t; /* fence.c */

/* A modelled dispatch among those in flight, and the fences that wait behind it. */
typedef struct sg_place_in_order {
    struct sg_place_in_order *older;
    const void *queue;
    sg_fence_t *fences, **last;
} sg_place_in_order_t;

struct sg_perf {
    sg_profile_t profile;
    uint32_t n_units, units_per_engine;
    sg_unit_t *units;
    _Atomic uint64_t device[SG_D_COUNT];
    _Atomic uint32_t level;        /* sg_perf_level_t, of queues whose waves are counted */
    _Atomic uint32_t traced_level; /* of all others: traces see every queue */
    pthread_mutex_t lock;          /* the registers */
    uint32_t gfx_index, control, clocks;
    uint32_t *sq_control, *sq_mask; /* by engine */
    sg_sqtt_t *trace;
    sg_spm_t *spm;
    sg_bank_t bank[SG_BLOCK_COUNT];
    sg_register_t map[SG_PERF_LAST_REGISTER - SG_PERF_FIRST_REGISTER + 1];
    /* the model; sg_perf_model_lock() may be called with `lock` held, `lock` never the other way */
    pthread_mutex_t model_next, model_lock;
    _Atomic(sgc_t *) caches;        /* made by the first modelled dispatch, stays */
    _Atomic uint64_t fenced;        /* by fence.c, since the last modelled dispatch was in flight */
    sg_place_in_order_t *in_flight; /* newest first */
    sgc_page_fn_t *page;
    void *page_user;
    uint64_t memory_epoch;
    sgc_moved_t below; /* when the last workgroup ended */
};

/* events.c */
/* Total of an event since creation, in clocks where the event counts units of several.
 * `previous` is the event of the slot before, which the accumulating events integrate. */
uint64_t sg_perf_total(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                       uint32_t select, uint32_t previous);
/* What a slot with the event says of a total, or of the difference of two: a part of a unit that
 * others left does not make it more. */
uint64_t sg_perf_in_units(sg_block_t block, uint32_t select, uint64_t total);
/* The total in the event's units, with the model's lock held. */
uint64_t sg_perf_total_held(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                            uint32_t select, uint32_t previous);
/* Of one compute unit, an SQ event that is a sum of what waves do there; 0 for all others. */
uint64_t sg_perf_unit_total(sg_perf_t *p, uint32_t engine, uint32_t place, uint32_t select);
sg_perf_level_t sg_perf_level_of(sg_block_t block, uint32_t select);

typedef enum { SG_HOW_MISSING, SG_HOW_ZERO, SG_HOW_COUNTED } sg_how_t;
/* How a counter of the table comes about; for tests. */
sg_how_t sg_perf_how(sg_block_t block, uint32_t event);

/* fence.c, under the model's lock: a dispatch of the queue begins; it has ended, and what waits for
 * that takes place. */
void sg_perf_enqueue(sg_perf_t *p, sg_place_in_order_t *at, sg_perf_queue_t *queue);
void sg_perf_dequeue(sg_perf_t *p, sg_place_in_order_t *at);

static inline sg_slot_t *sg_slot_at(const sg_bank_t *bank, uint32_t engine, uint32_t instance,
                                    uint32_t slot)
{
    return &bank->slots[((size_t)slot * bank->engines + engine) * bank->instances + instance];
}

static inline sg_unit_t *sg_perf_unit(sg_perf_t *p, uint32_t engine, uint32_t place)
{
    return &p->units[engine * p->units_per_engine + place];
}

/* To a sum that nobody else adds to meanwhile: of a unit, whose holder does (SG_T_MODEL and after:
 * who has the model's lock). Readers need not wait. */
static inline void sg_add_held(_Atomic uint64_t *to, uint64_t n)
{
    if (n)
        atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                              memory_order_relaxed);
}

static inline void sg_add(_Atomic uint64_t *to, uint64_t n)
{
    if (n) atomic_fetch_add_explicit(to, n, memory_order_relaxed);
}

#endif
