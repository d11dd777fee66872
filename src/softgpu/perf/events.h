/* events.h - what an event counts, as a row, and the tables of rows that each GPU has.
 *
 * A GPU's rows and the bits of its selects are in events_<gpu>.c, data only; events.c computes
 * counters from them. */
#ifndef SOFTGPU_PERF_EVENTS_H
#define SOFTGPU_PERF_EVENTS_H

#include "softgpu/perf/internal.h"

typedef enum {
    SG_EVENT_NONE,    /* not a row */
    SG_EVENT_ZERO,    /* always 0 */
    SG_EVENT_OPS,     /* instructions, added up over some buckets */
    SG_EVENT_FIXED,   /* an sg_tally_t, added up over compute units */
    SG_EVENT_LEVEL,   /* how many are in flight now; ACCUM reads its integral, an sg_tally_t */
    SG_EVENT_DEVICE,  /* an sg_device_tally_t */
    SG_EVENT_PACKETS, /* `other` clocks for each packet */
    SG_EVENT_IDLE,    /* all clocks but those of PACKETS */
    SG_EVENT_ACCUM,   /* the integral over time of the LEVEL in the slot before */
    SG_EVENT_BUSIEST  /* an event of the cache model: the largest value of a block's instances */
} sg_event_kind_t;

typedef enum {
    SG_BY_ONE,
    SG_BY_ISSUE,
    SG_BY_SEND,
    SG_BY_MOPS,
    SG_BY_MATRIX,
    SG_BY_NORM
} sg_event_weight_t;

typedef struct {
    uint16_t event;
    uint8_t kind;   /* sg_event_kind_t */
    uint8_t sum;    /* sg_tally_t, sg_device_tally_t, or the block of BUSIEST */
    uint8_t shift;  /* units of 1 << shift clocks */
    uint8_t weight; /* sg_event_weight_t of OPS */
    uint8_t math;   /* OPS: only this isa_math_kind_t */
    uint8_t dwords; /* only scalar loads of so many dwords; 0: any */
    bool lanes;     /* count lanes, not instructions */
    bool live;      /* only instructions with a lane enabled */
    uint8_t plus;   /* OPS: an sg_tally_t that is added; 0: none */
    /* BUSIEST: the event. PACKETS: clocks of a packet. LEVEL: clocks between two samples of the
     * level, 0: the level itself reads 0. */
    uint16_t other;
    uint32_t classes;
    uint32_t formats; /* 0: any */
} sg_event_row_t;

/* The events of one GPU. Events of a block that have no row are those of the cache model. */
typedef struct sg_events {
    const isa_arch_t *arch;
    struct {
        const sg_event_row_t *rows;
        size_t n;
        uint32_t event; /* the bits of a select that name the event */
    } block[SG_BLOCK_COUNT];
    /* SQ's other bits of a select. Events from `first_of_caches` on are those of the scalar caches,
     * which have masks of banks and clients in place of a mask of SIMDs. */
    struct {
        uint32_t first_of_caches, simds, banks, clients;
    } sq;
} sg_events_t;

#endif
