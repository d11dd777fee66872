/* events.h - the definition of an event: a row that says what it counts.
 *
 * events_rows.c has the rows, by counter, and no code; events.c computes counters from them, and
 * has the numbers of each GPU's events. */
#ifndef SOFTGPU_PERF_EVENTS_H
#define SOFTGPU_PERF_EVENTS_H

#include "softgpu/perf/internal.h"

typedef enum {
    SG_EVENT_NONE,    /* not a row: the cache model counts it */
    SG_EVENT_ZERO,    /* always 0 on this GPU, whatever the counter's row is */
    SG_EVENT_OPS,     /* instructions, added up over some buckets */
    SG_EVENT_FIXED,   /* an sg_tally_t, added up over compute units */
    SG_EVENT_ENGINES, /* an sg_tally_t, added up over the compute units of all engines of the XCC */
    SG_EVENT_LEVEL,   /* how many are in flight now; ACCUM reads its integral, an sg_tally_t */
    SG_EVENT_DEVICE,  /* an sg_device_tally_t */
    SG_EVENT_PACKETS, /* a number of clocks of the profile (`other`) for each packet */
    SG_EVENT_IDLE,    /* all clocks but those of PACKETS */
    SG_EVENT_SYNC,    /* as PACKETS, or one clock for each, where XCCs wait for each other */
    SG_EVENT_ACCUM,   /* the integral over time of the LEVEL in the slot before */
    SG_EVENT_BUSIEST, /* an event of the cache model: the largest value of a block's instances */
    SG_EVENT_L2_BUSY  /* the busy clocks of the busiest channel of L2 */
} sg_event_kind_t;

typedef enum {
    SG_BY_ONE,
    SG_BY_ISSUE,
    SG_BY_SEND,
    SG_BY_MOPS,
    SG_BY_MATRIX,
    SG_BY_NORM
} sg_event_weight_t;

/* The counters of all GPUs that softgpu can be. */
typedef enum {
    SG_C_NONE,
#define SG_COUNTER_NAME(name) SG_C_##name,
#include "softgpu/perf_tables.inc"
    SG_COUNTERS
} sg_counter_t;

typedef struct {
    uint8_t kind;   /* sg_event_kind_t */
    uint8_t sum;    /* sg_tally_t, sg_device_tally_t, or the block of BUSIEST */
    uint8_t of_wgp; /* the sg_tally_t in place of `sum` on GPUs of which each workgroup processor
                       has an SQ; 0: the same */
    uint8_t shift;  /* the event counts units of 1 << shift clocks */
    bool quads;     /* of SQ, which counts clocks by fours on some GPUs (isa_arch_t.sq_quads) */
    uint8_t weight; /* sg_event_weight_t of OPS */
    uint8_t math;   /* OPS: only this isa_math_kind_t */
    uint8_t dwords; /* only scalar loads of this many dwords; 0: of any size */
    bool lanes;     /* count lanes, not instructions */
    bool live;      /* only instructions with a lane enabled */
    uint8_t plus;   /* OPS, FIXED: an sg_tally_t that is added; 0: none */
    uint8_t minus;  /* OPS: an sg_tally_t that is subtracted; 0: none */
    /* BUSIEST: the sg_counter_t. PACKETS, SYNC: offset, in the profile, of the clocks of a packet;
     * 0: one clock. LEVEL: offset of the clocks between two samples of the level; 0: the level
     * itself reads 0. */
    uint16_t other;
    uint32_t classes;
    uint32_t formats; /* 0: any */
} sg_event_row_t;

extern const sg_event_row_t sg_event_rows[SG_COUNTERS];

#endif
