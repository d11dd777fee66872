/* cache.h - the model of the memory pipes: LDS banks, vector L1, scalar and instruction caches, L2.
 *
 * A function of the instructions it is told of and nothing else: no threads, no locks, no clock, no
 * device state. The rules that it counts by are docs/counter-model.md; what one GPU is comes from
 * its profile. Whoever runs waves calls it in the order in which the model shall see them. */
#ifndef SOFTGPU_CACHE_CACHE_H
#define SOFTGPU_CACHE_CACHE_H

#include "softgpu/isa/inst.h"
#include "softgpu/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct sg_memory;
struct sgc_reach;

/* Counter blocks with events of this model; the numbers are those of gfx90a-blocks.tsv. */
typedef enum {
    SGC_SQ = 6,
    SGC_TA = 10,
    SGC_TCA = 11,
    SGC_TCC = 12,
    SGC_TCP = 13,
    SGC_TD = 14
} sgc_block_t;

/* Memory types of a page as the page table of gfx90a has them. */
typedef enum { SGC_RW, SGC_NC, SGC_CC, SGC_UC } sgc_mtype_t;

typedef struct {
    uint8_t type;     /* sgc_mtype_t */
    bool local;       /* in the GPU's own memory */
    uint8_t fragment; /* it is one of 1 << fragment pages, aligned to so many, that lie in a row in
                         physical memory: one translation serves all */
} sgc_page_t;

/* What the page at `va` is. Asked once for each page of 4 KiB until sgc_remap(). */
typedef sgc_page_t sgc_page_fn_t(void *user, uint64_t va);

/* For devices: `user` is their struct sg_memory. Own memory is RW, CC if coherent, in fragments of
 * up to 2 MiB; host memory is NC, UC if coherent: what the Linux driver gives this GPU. */
sgc_page_fn_t sgc_page_of_memory;

typedef struct sgc sgc_t;

/* All caches empty, all counters 0. Without `page` all memory is RW and local. NULL: no memory. */
sgc_t *sgc_create(const sg_profile_t *profile, sgc_page_fn_t *page, void *user);
void sgc_destroy(sgc_t *t);

/* Number of a compute unit: engine * (compute units of an engine) + its place in the engine, arrays
 * one after the other. Bounded: out of range numbers wrap. */
unsigned sgc_cu(const sgc_t *t, unsigned engine, unsigned array, unsigned cu);

/* What an instruction costs under the model, in clocks of the engine. */
typedef struct {
    uint32_t vmem_issue, lds_issue, smem_issue; /* clocks it occupies each pipe; 0: not used */
    uint32_t latency;                           /* issue until data or acknowledge are back */
} sgc_cost_t;

/* Tells the model of an instruction right before it executes: registers hold its operands. Vector
 * and scalar memory, LDS and cache instructions change the model; others cost nothing and return
 * at once. */
sgc_cost_t sgc_before(sgc_t *t, unsigned cu, const isa_wave_t *w, const isa_inst_t *i);

/* The clock of the wave whose scalar accesses come next: since its dispatch began. */
void sgc_at(sgc_t *t, uint64_t now);

/* A wave of the compute unit fetches the SGC_FETCH bytes of code around `va`. Returns the clocks
 * until they are there, from `now` on. To be called when a wave starts, and when it goes on in
 * another piece. */
enum { SGC_FETCH = 32 };
uint32_t sgc_fetch(sgc_t *t, unsigned cu, uint64_t now, uint64_t va);

/* Bytes that have moved between L2 and memory since creation. */
typedef struct {
    uint64_t read, written;
} sgc_moved_t;
sgc_moved_t sgc_below(const sgc_t *t);

/* What requests have come to, of all units, for whoever looks at single instructions. */
typedef struct {
    uint64_t lookups, requests, tlb_misses; /* of the vector L1; of it to L2; */
    uint64_t l2_requests, l2_hits;          /* but for code */
    uint64_t scalar_hits, scalar_misses, scalar_late;
    uint64_t code_fetches, code_misses, code_l2_misses;
    uint64_t below, code_below; /* transactions below L2, and those of them for code */
    uint64_t written;           /* those of them that write */
} sgc_tallies_t;

/* Lives as long as the model. */
const sgc_tallies_t *sgc_tallies(const sgc_t *t);
/* Where the instruction of vector memory or LDS goes that the model is told of next: it need not
 * look again. NULL: nobody has looked. */
void sgc_reached(sgc_t *t, struct sgc_reach *r);

/* Waves of the compute unit waited longer than their requests take. */
typedef struct {
    uint64_t latency; /* of the waves, added up: for vector memory */
    /* the unit's own clocks, counted once however many waves waited */
    uint64_t busy;  /* its pipe was busy */
    uint64_t stood; /* it stood still for want of data */
    uint64_t held;  /* its address unit had an instruction that the vector L1 did not take */
} sgc_stand_t;
void sgc_waited(sgc_t *t, unsigned cu, const sgc_stand_t *s);
/* A dispatch begins. */
void sgc_begun(sgc_t *t);
/* A dispatch of so many clocks has ended, of which memory was at work in some: what its requests
 * waited for each other is counted (queue.h). First for every compute unit, with the waves that the
 * dispatch had there; returns the clocks that the unit's address unit was busy with it. */
uint64_t sgc_unit_ended(sgc_t *t, unsigned cu, uint64_t clocks, uint64_t waves);
void sgc_ended(sgc_t *t, uint64_t clocks, uint64_t at_work);

/* What can be done to the caches as a whole. */
enum {
    SGC_INV_L1 = 1,     /* vector L1 of all compute units */
    SGC_INV_SCALAR = 2, /* scalar data caches; dirty lines are written back before */
    SGC_INV_INST = 4,   /* instruction caches */
    SGC_INV_L2 = 8,     /* all of L2; dirty lines are written back before */
    SGC_INV_L2_NC = 16, /* only what is not RW: lines that others may have changed */
    SGC_WB_L2 = 32,     /* dirty lines of L2 are written back and stay */
    SGC_WB_SCALAR = 64  /* dirty lines of the scalar caches are written to L2 */
};
void sgc_flush(sgc_t *t, unsigned what);

/* The fences of a packet, by scope: 0 none, 1 agent, 2 system (the values of HSA's fence fields).
 * Acquire: at the start of a packet; release: at its end. */
void sgc_acquire(sgc_t *t, unsigned scope);
void sgc_release(sgc_t *t, unsigned scope);
/* ACQUIRE_MEM's COHER_CNTL, for the whole of memory. */
void sgc_acquire_mem(sgc_t *t, uint32_t coher_cntl);

/* Mappings have changed: translations and memory types are looked up again. O(translations). */
void sgc_remap(sgc_t *t);

/* Whether the event is counted here, that is: follows from addresses. */
bool sgc_counts(sgc_block_t block, unsigned event);
/* Whether it would be, but is always 0 under the rules of the model. */
bool sgc_zero(sgc_block_t block, unsigned event);

/* Total of an event since creation; 0 for what is not counted here or out of range. TA, TD and TCP:
 * `instance` is the compute unit within engine `se`; SQ: the sum of engine `se`, instance ignored;
 * TCA and TCC: `instance` is the L2 channel, `se` ignored. Never decreases. */
uint64_t sgc_value(const sgc_t *t, sgc_block_t block, unsigned se, unsigned instance,
                   unsigned event);

#endif
