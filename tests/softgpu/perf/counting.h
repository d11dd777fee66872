/* counting.h - counters through raw PM4: programs selects, starts, stops, reads.
 *
 * Packets are those that a profiler sends, in AQL vendor packets with the barrier bit; register
 * numbers are written here once more, so that a wrong table is noticed. */
#ifndef TESTS_SOFTGPU_PERF_COUNTING_H
#define TESTS_SOFTGPU_PERF_COUNTING_H

#include "rig.h"

enum { COUNTING_MAX = 16, COUNTING_DWORDS = 8192 };

typedef enum { GRBM, CPC, SPI, SQ, TA, TD, TCP, TCC, BLOCKS } counting_block_t;

#define EVERYWHERE 0xe0000000u /* GRBM_GFX_INDEX: all engines, arrays and instances */

enum {
    REG_GRBM_GFX_INDEX = 0xc200,
    REG_CP_PERFMON_CNTL = 0xd808,
    REG_SQ_CTRL = 0xd9e0,
    REG_SQ_MASK = 0xd9e1,
    REG_CLOCKS = 0xdcbf,
    REG_ENABLE = 0x2e0b,
    SQ_CTRL_ALL = (int)0xffff007f
};

typedef struct counting {
    struct counting *older; /* all stay reachable, as their devices do */
    rig_t *rig;
    rig_queue_t queue;
    uint64_t ib_va, out_va, done;
    uint32_t *ib, n; /* packets so far */
    uint32_t n_out;  /* values they copy */
    unsigned n_wanted;
    struct {
        counting_block_t block;
        unsigned slot, event;
    } wanted[COUNTING_MAX];
    unsigned used[BLOCKS];
} counting_t;

/* A GPU of `engines` with `cus` compute units each, and a queue. */
counting_t *counting_create(uint32_t engines, uint32_t cus);
/* The same of a GPU that there is already. */
counting_t *counting_on(rig_t *rig);

/* ---- packets: collected, then sent ---- */
void counting_set(counting_t *c, uint32_t reg, uint32_t value);
/* Copies the register to where counting_send() finds it; its number among those of this sending. */
unsigned counting_copy(counting_t *c, uint32_t reg);
/* The next `dwords` are executed by the XCCs alone whose bits are set. */
void counting_predicate(counting_t *c, uint32_t xccs, uint32_t dwords);
void counting_flush_waves(counting_t *c);
/* ACQUIRE_MEM over `blocks` of 256 bytes. */
void counting_acquire(counting_t *c, uint32_t coher_cntl, uint64_t blocks);
/* RELEASE_MEM with these cache actions, which writes nothing. */
void counting_release(counting_t *c, uint32_t actions);
/* Sends what was collected and waits; the copied values, good until the next sending. */
const uint32_t *counting_send(counting_t *c);
/* One register, read at once. */
uint32_t counting_read(counting_t *c, uint32_t index, uint32_t reg);

uint32_t counting_select_reg(counting_block_t block, unsigned slot);
uint32_t counting_low_reg(counting_block_t block, unsigned slot);
uint32_t counting_high_reg(counting_block_t block, unsigned slot);

/* ---- whole counters ---- */

/* Forgets the wanted events. */
void counting_clear(counting_t *c);
/* The next slot of the block counts the event; returns the number for counting_value(). */
unsigned counting_want(counting_t *c, counting_block_t block, unsigned event);
void counting_start(counting_t *c);
void counting_stop(counting_t *c);
uint64_t counting_value(counting_t *c, unsigned wanted, uint32_t engine, uint32_t instance);
/* Of all engines and `instances` of each. */
uint64_t counting_sum(counting_t *c, unsigned wanted, uint32_t engines, uint32_t instances);

/* Runs a kernel to its end. */
void counting_dispatch(counting_t *c, const rig_dispatch_t *d);
/* start, dispatch, stop, and the sums over `engines` by event of SQ. */
void counting_sq(counting_t *c, const rig_dispatch_t *d, uint32_t engines, const unsigned *events,
                 unsigned n, uint64_t *out);

#endif
