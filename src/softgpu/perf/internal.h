/* internal.h - what the files of the performance counters share.
 *
 * While waves run, sums are counted for each compute unit: those of sg_tally_t, and one for each
 * instruction bucket (isa_counter_t). The value of a counter is computed from the sums when a
 * program reads it (events.c). */
#ifndef SOFTGPU_PERF_INTERNAL_H
#define SOFTGPU_PERF_INTERNAL_H

#include "softgpu/perf/perf.h"
#include "softgpu/perf/spm.h"
#include "softgpu/perf/traits.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* Sums of a compute unit, besides those for each bucket of instructions. */
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
    /* known when the workgroup ends */
    SG_T_FLAT_LDS_ONLY, /* isa_counter_t.flat_lds_only */
    SG_T_INSTS_32,      /* instructions of waves of 32 lanes: all, of LDS, of VALU */
    SG_T_LDS_32,
    SG_T_VALU_32,
    SG_T_BUFFER_RETURNS, /* isa_counter_t.buffer_returns */
    /* of the timing model, in clocks */
    SG_T_MODEL,
    SG_T_WAVE_CLOCKS = SG_T_MODEL,
    SG_T_WAIT,      /* of waves that wait for data, a barrier, code, or the end of a sleep */
    SG_T_STALL,     /* of waves that are ready but whose pipe another wave uses */
    SG_T_STALL_LDS, /* the part of SG_T_STALL where that pipe was the LDS */
    SG_T_BUSY,      /* in which at least one wave is on the unit */
    SG_T_VMEM_LEVEL,
    SG_T_SMEM_LEVEL,
    SG_T_LDS_LEVEL,
    SG_T_FETCHES,
    SG_T_FETCH_LEVEL,
    /* of a shader engine, kept in its first unit; in clocks */
    SG_T_SE_BUSY,
    SG_T_BLOCKED,     /* a workgroup waits for room on its unit */
    SG_T_FIT,         /* some unit has room for a workgroup that waits or is being launched */
    SG_T_UNFIT,       /* no unit has room for one that waits */
    SG_T_UNFIT_WAVES, /* that times the SIMDs without a wave slot */
    SG_T_UNFIT_VGPRS, /* that times the SIMDs without registers */
    SG_T_UNFIT_LDS,   /* that times the compute units without LDS */
    SG_T_COUNT
} sg_tally_t;

/* Sums of the whole GPU, in clocks. */
typedef enum {
    SG_D_CLOCK,
    SG_D_WAVES, /* clocks in which a dispatch has waves, or memory transfers data for them */
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
    /* A spinlock for the additions at the end of a workgroup: one locked host instruction instead
     * of one for each sum. Those who read a difference of two sums take it, too, since they could
     * see one sum with a workgroup and the other without; other readers do not. */
    atomic_flag adding;
} sg_unit_t;

/* The counter blocks of all GPUs. */
typedef enum {
#define SG_BLOCK_NAME(name) SG_BLOCK_##name,
#include "softgpu/perf_tables.inc"
    SG_BLOCK_COUNT
} sg_block_t;

/* What has a block once; its instances are numbered within that. */
typedef enum { SG_OF_GPU, SG_OF_SE, SG_OF_SA, SG_OF_WGP } sg_scope_t;

/* The counter blocks of a GPU: its rows in share/aqlprofile/blocks.tsv. */
enum { SG_OUTER_BLOCKS = 64 };
typedef struct {
    struct {
        uint8_t instances, scope, slots; /* scope: sg_scope_t */
        uint32_t select;     /* bits of a select register besides the event, which restrict what is
                                counted */
    } shape[SG_BLOCK_COUNT]; /* no instances: the GPU does not have the block */
    /* sg_block_t + 1 of the block with this number in AMD's interfaces; 0: no such block */
    uint8_t outer[SG_OUTER_BLOCKS];
    const struct sg_slot_registers {
        uint8_t block, slot;
        uint16_t select, low, high, select1; /* high 0: the slot's counter has 32 bits */
    } * registers;
    const struct sg_streamed {
        uint8_t block, per_se, number;
    } * streamed; /* blocks by their numbers in the multiplexer tables */
    size_t n_registers, n_streamed;
} sg_blocks_t;

/* blocks.c */
const sg_blocks_t *sg_perf_blocks(const isa_arch_t *arch);

typedef struct {
    uint32_t select, select1; /* select1: for streaming only */
    bool selected;            /* a select has been written; until then the value is 0 */
    uint64_t value;           /* counted until counting last stopped */
    uint64_t base;            /* while counting: the event's total when it began */
    uint64_t sample;
} sg_slot_t;

/* Registers that each XCC has once. */
typedef struct {
    uint32_t gfx_index, control, clocks;
    sg_spm_t *spm;
} sg_perf_xcc_t;

/* Of a block that shader engines do not have, an engine here is an XCC. An engine's instances of a
 * block that shader arrays or workgroup processors have are those of one after those of the
 * other. */
typedef struct {
    sg_slot_t *slots; /* [slot][engine][instance]: unused slots at the end cost no memory pages */
    uint32_t engines, instances, n_slots;
    uint32_t in_place; /* instances of an engine, a shader array or a workgroup processor */
    uint32_t used;     /* slots from this number on have never been written */
} sg_bank_t;

/* The meaning of a register number. */
typedef struct {
    uint8_t kind; /* an enumerator in registers.c */
    uint8_t block;
    uint16_t slot;
} sg_register_t;

typedef struct sg_fence sg_fence_t; /* fence.c */

/* A modelled dispatch in flight, and the fences that take place when it has ended. */
typedef struct sg_place_in_order {
    struct sg_place_in_order *older;
    const void *queue;
    sg_fence_t *fences, **last;
} sg_place_in_order_t;

struct sg_perf {
    sg_profile_t profile;
    const isa_arch_t *arch; /* the profile's */
    const struct sg_events *events;
    const sg_blocks_t *blocks;
    uint32_t xccs, engines; /* engines of all XCCs, those of one after those of the other */
    uint32_t n_units, units_per_engine;
    uint32_t unit_cus; /* compute units that take workgroups together: 1, or those of a WGP */
    sg_unit_t *units;
    _Atomic uint64_t device[SG_D_COUNT];
    _Atomic uint32_t level; /* sg_perf_level_t for queues whose waves are counted */
    _Atomic uint32_t
        traced_level; /* the same for all other queues, whose dispatches are traced nevertheless */
    pthread_mutex_t lock; /* guards the registers */
    sg_perf_xcc_t *xcc;
    uint32_t *sq_control, *sq_mask; /* indexed by shader engine */
    sg_sqtt_t *trace;
    sg_bank_t bank[SG_BLOCK_COUNT];
    sg_register_t map[SG_PERF_LAST_REGISTER - SG_PERF_FIRST_REGISTER + 1];
    /* the model; sg_perf_model_lock() may be called with `lock` held, never the reverse */
    pthread_mutex_t model_next, model_lock;
    _Atomic(sgc_t *) caches;        /* made by the first modelled dispatch, kept to the end */
    _Atomic uint64_t fenced;        /* fence.c: fences since a modelled dispatch was in flight */
    sg_place_in_order_t *in_flight; /* newest first */
    sgc_page_fn_t *page;
    void *page_user;
    uint64_t memory_epoch;
    sgc_moved_t below; /* sgc_below() when the last workgroup ended */
};

/* registers.c: the GRBM_GFX_INDEX that selects the instance `i` of an engine of an XCC alone. */
uint32_t sg_perf_index_of(const sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t i);

/* events.c. Which events there are depends on the GPU. */
typedef struct sg_events sg_events_t; /* events.h */
const sg_events_t *sg_perf_events(const isa_arch_t *arch);
/* Total of an event since the GPU was made. For events that count units of several clocks the total
 * is in clocks. `previous` is the event selected in the slot before: accumulating events sum that
 * one up over time. */
uint64_t sg_perf_total(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                       uint32_t select, uint32_t previous);
/* Converts a total, or a difference of two totals, to the event's units. The difference is to be
 * taken first: fractions of a unit that were counted before then do not count. */
uint64_t sg_perf_in_units(const sg_perf_t *p, sg_block_t block, uint32_t select, uint64_t total);
/* sg_perf_total() in the event's units; the caller holds the model's lock. */
uint64_t sg_perf_total_held(sg_perf_t *p, sg_block_t block, uint32_t engine, uint32_t instance,
                            uint32_t select, uint32_t previous);
/* The total of one compute unit, for SQ events that are sums over its waves; 0 for other events. */
uint64_t sg_perf_unit_total(sg_perf_t *p, uint32_t engine, uint32_t place, uint32_t select);
sg_perf_level_t sg_perf_level_of(const sg_events_t *events, sg_block_t block, uint32_t select);

/* The name of the counter if softgpu does not count the event that is selected, else NULL. */
const char *sg_perf_refuses(const sg_perf_t *p, sg_block_t block, uint32_t select);

typedef enum { SG_HOW_MISSING, SG_HOW_ZERO, SG_HOW_COUNTED } sg_how_t;
/* The way in which the value of a counter in share/counters is computed; for tests. */
sg_how_t sg_perf_how(const sg_events_t *events, sg_block_t block, uint32_t event);

/* fence.c, under the model's lock. sg_perf_enqueue(): a dispatch of the queue begins.
 * sg_perf_dequeue(): it has ended, and the fences that waited for it take place. */
void sg_perf_enqueue(sg_perf_t *p, sg_place_in_order_t *at, sg_perf_queue_t *queue);
void sg_perf_dequeue(sg_perf_t *p, sg_place_in_order_t *at);

static inline sg_slot_t *sg_slot_at(const sg_bank_t *bank, uint32_t engine, uint32_t instance,
                                    uint32_t slot)
{
    return &bank->slots[((size_t)slot * bank->engines + engine) * bank->instances + instance];
}

/* Where an instance of a block is in its engine. */
typedef struct {
    uint32_t place;  /* an array, a workgroup processor, or 0: the engine itself */
    uint32_t number; /* among the instances of the place */
} sg_instance_t;

static inline sg_instance_t sg_perf_instance(const sg_perf_t *p, sg_block_t block, uint32_t i)
{
    const uint32_t in_place = p->bank[block].in_place;
    return (sg_instance_t){i / in_place, i % in_place};
}

/* How many compute units a place of the block has; of blocks that an XCC has once, how many
 * channels its L2 has. There are at most as many instances. If registers can select only k,
 * instance n stands for the units n, n + k, n + 2 k and so on, so that GPUs larger than any real
 * one lose no counts. */
static inline uint32_t sg_perf_parts(const sg_perf_t *p, sg_block_t block)
{
    switch ((sg_scope_t)p->blocks->shape[block].scope) {
    case SG_OF_SE: return p->units_per_engine;
    case SG_OF_SA: return p->profile.cus_per_array;
    case SG_OF_WGP: return p->unit_cus;
    default: return p->profile.l2_channels;
    }
}

static inline sg_unit_t *sg_perf_unit(sg_perf_t *p, uint32_t engine, uint32_t place)
{
    return &p->units[engine * p->units_per_engine + place];
}

/* The first of the compute units that take workgroups together with this one. */
static inline uint32_t sg_perf_first_unit(const sg_perf_t *p, uint32_t unit)
{
    return unit / p->unit_cus * p->unit_cus;
}

static inline void sg_unit_take(sg_unit_t *u)
{
    while (atomic_flag_test_and_set_explicit(&u->adding, memory_order_acquire))
        sched_yield(); /* the thread that holds the lock may be waiting for this processor */
}

static inline void sg_unit_leave(sg_unit_t *u)
{
    atomic_flag_clear_explicit(&u->adding, memory_order_release);
}

/* The compute unit on which a wave runs: a workgroup processor's SIMDs are those of its first unit,
 * and then those of its second. */
static inline uint32_t sg_perf_unit_of_simd(const sg_perf_t *p, uint32_t unit, uint32_t simd)
{
    return sg_perf_first_unit(p, unit) + simd / p->profile.simds_per_cu % p->unit_cus;
}

/* The part of `n` before the clock `upto` if `n` is spread evenly over the clocks from `from` to
 * `to`. The parts of consecutive intervals add up to `n`. */
static inline uint64_t sg_spread_upto(uint64_t n, uint64_t from, uint64_t to, uint64_t upto)
{
    return upto < to ? (uint64_t)((unsigned __int128)n * (upto - from) / (to - from)) : n;
}

/* Adds to a sum to which no other thread adds meanwhile: the caller has sg_unit_t.adding, or, for
 * sums from SG_T_MODEL on, the model's lock. Other threads may read at any time. */
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
