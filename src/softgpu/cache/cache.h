/* cache.h - the cache model: LDS banks, vector L1, scalar and instruction caches, L2, translations.
 *
 * Its counts depend only on the calls below: it has no threads, locks or clock of its own, and
 * reads no device state. The caller decides in which order the model sees the instructions of
 * different waves. docs/counter-model.md has the rules; sizes come from the GPU's profile. */
#ifndef SOFTGPU_CACHE_CACHE_H
#define SOFTGPU_CACHE_CACHE_H

#include "softgpu/exec/watch.h"
#include "softgpu/profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

struct sg_memory;

/* Counter blocks with events of this model, by their numbers in share/aqlprofile/blocks.tsv. */
typedef enum {
    SGC_SQ = 6,
    SGC_TA = 10,
    SGC_TCA = 11,
    SGC_TCC = 12,
    SGC_TCP = 13,
    SGC_TD = 14,
    SGC_GL2C = 29
} sgc_block_t;

/* Memory types that an entry of gfx90a's page table can give to a page. */
typedef enum { SGC_RW, SGC_NC, SGC_CC, SGC_UC } sgc_mtype_t;

typedef struct {
    uint8_t type;     /* sgc_mtype_t */
    bool local;       /* in the GPU's own memory */
    uint8_t fragment; /* the page is one of 1 << fragment pages, aligned to as many, that are
                         contiguous in physical memory: one translation serves all of them */
} sgc_page_t;

/* Describes the 4 KiB page at `va`. Called once for each page until sgc_remap(). */
typedef sgc_page_t sgc_page_fn_t(void *user, uint64_t va);

/* The function that devices pass; `user` is their struct sg_memory. As with the Linux driver, the
 * GPU's own memory is RW, or CC if it is coherent, in fragments of up to 2 MiB; the host's memory
 * is NC, or UC if it is coherent. */
sgc_page_fn_t sgc_page_of_memory;

typedef struct sgc sgc_t;

/* Makes a model of a product of this GPU, with empty caches and counters at 0. If `page` is NULL,
 * all memory counts as RW and local. NULL: out of memory. */
sgc_t *sgc_create(const isa_arch_t *arch, const sg_profile_t *profile, sgc_page_fn_t *page,
                  void *user);
void sgc_destroy(sgc_t *t);

/* The cost of an instruction in the model, in clocks of the engine. */
typedef struct {
    uint32_t vmem_issue, lds_issue,
        smem_issue;   /* clocks for which it occupies each pipe; 0: it does not use the pipe */
    uint32_t latency; /* clocks from issue until its data or acknowledgement is back */
} sgc_cost_t;

/* Passes an instruction to the model and returns its cost. To be called when the instruction is
 * issued, while the registers hold its operands. Vector and scalar memory, LDS and cache
 * instructions change the model; for all others the call returns at once. Addresses are shared with
 * other subscribers through watch->seen and watch->known (reach.h). */
sgc_cost_t sgc_before(sgc_t *t, unsigned cu, isa_watch_t *watch, const isa_wave_t *w,
                      const isa_inst_t *i);

/* Sets the clock of the wave whose accesses come next, counted from the begin of its dispatch. */
void sgc_at(sgc_t *t, uint64_t now);

/* A wave of the compute unit fetches the aligned piece of SGC_FETCH bytes of code that holds `va`.
 * Returns the clocks from `now` until the code is there. To be called when a wave starts, and when
 * it continues in another piece. */
enum { SGC_FETCH = 32 };
uint32_t sgc_fetch(sgc_t *t, unsigned cu, uint64_t now, uint64_t va);

/* Bytes that have moved between L2 and memory since the model was made. */
typedef struct {
    uint64_t read, written;
} sgc_moved_t;
sgc_moved_t sgc_below(const sgc_t *t);

/* Sums over all units. The census (perf/census.h) takes their differences around an instruction. */
typedef struct {
    uint64_t lookups, requests, tlb_misses; /* of the vector L1; `requests` go to L2 */
    uint64_t l2_requests, l2_hits;          /* requests other than those for code */
    uint64_t scalar_hits, scalar_misses, scalar_late;
    uint64_t code_fetches, code_misses, code_l2_misses;
    uint64_t below, code_below; /* transactions below L2; the part of them for code */
    uint64_t written;           /* the part of `below` that writes */
} sgc_tallies_t;

/* The result points into the model: it changes with the model and lives as long. */
const sgc_tallies_t *sgc_tallies(const sgc_t *t);

/* The clocks of a compute unit whose waves waited for each other, in addition to the latencies of
 * their requests. The timing model fills them in. */
typedef struct {
    uint64_t latency; /* clocks that waves waited for vector memory, summed over the waves */
    /* clocks of the unit, each counted once however many waves waited in it */
    uint64_t busy;  /* the vector memory pipe was busy */
    uint64_t stood; /* the pipe had nothing to do until data came */
    uint64_t held;  /* the address unit held an instruction that the vector L1 did not take */
} sgc_stand_t;
void sgc_waited(sgc_t *t, unsigned cu, const sgc_stand_t *s);
/* Marks the begin of a dispatch. */
void sgc_begun(sgc_t *t);
/* What a dispatch did on a unit before and after a first workgroup had ended there. */
typedef struct {
    uint64_t waves, clocks; /* waves that started after it, and the clocks since it ended */
    /* All loads, and those before which no store of the unit has come, as it is assumed: loads of
     * waves that started sooner, in front of their own first store. Such waves run side by side,
     * and on a real unit one may store before another one loads. */
    uint64_t loads, alone;
} sgc_late_t;
/* A dispatch has ended after `clocks` clocks; in `at_work` of them the memory below L2 transferred
 * data. Counts how long its requests waited for each other (queue.h). sgc_unit_ended() comes first,
 * once for each compute unit; it returns the clocks that the unit's address unit was busy. */
uint64_t sgc_unit_ended(sgc_t *t, unsigned cu, uint64_t clocks, const sgc_late_t *late);
void sgc_ended(sgc_t *t, uint64_t clocks, uint64_t at_work);

/* Operations on whole caches, for sgc_flush(). */
enum {
    SGC_INV_L1 = 1,     /* vector L1 of all compute units */
    SGC_INV_SCALAR = 2, /* scalar data caches; dirty lines are written back first */
    SGC_INV_INST = 4,   /* instruction caches */
    SGC_INV_L2 = 8,     /* all of L2; dirty lines are written back first */
    SGC_INV_L2_NC = 16, /* lines of L2 that are not RW: other agents may have changed memory */
    SGC_WB_L2 = 32,     /* dirty lines of L2 are written back and stay */
    SGC_WB_SCALAR = 64, /* dirty lines of the scalar caches are written to L2 */
    SGC_INV_ARRAY = 128 /* GL1 of all shader arrays */
};
void sgc_flush(sgc_t *t, unsigned what);

/* The fences of a packet, by scope: 0 none, 1 agent, 2 system (the values of HSA's fence fields).
 * Acquire: at the start of a packet; release: at its end. */
void sgc_acquire(sgc_t *t, unsigned scope);
void sgc_release(sgc_t *t, unsigned scope);
/* The operations that an ACQUIRE_MEM packet for all of memory, with this COHER_CNTL or GCR_CNTL,
 * requests: an argument for sgc_flush(). */
unsigned sgc_coher_actions(uint32_t coher_cntl);
unsigned sgc_gcr_actions(uint32_t gcr_cntl);

/* Drops translations and memory types, since mappings have changed. O(translations). */
void sgc_remap(sgc_t *t);

/* Whether this model has a count for the event of this GPU. */
bool sgc_counts(const isa_arch_t *arch, sgc_block_t block, unsigned event);
/* Whether this model's rules make the event always 0. */
bool sgc_zero(const isa_arch_t *arch, sgc_block_t block, unsigned event);

/* The busy clocks of the XCC's busiest channel of L2 since the model was made. */
uint64_t sgc_l2_busy(const sgc_t *t, unsigned xcc);

/* Total of an event since the model was made; 0 if it is not counted here or a number is out of
 * range. For TA, TD and TCP, `instance` is a compute unit of engine `se`; for SQ the result is the
 * sum over engine `se`, and `instance` is ignored; for TCA, TCC and GL2C, `instance` is the L2
 * channel of the XCC `se`. Engines are those of all XCCs. A total never decreases. */
uint64_t sgc_value(const sgc_t *t, sgc_block_t block, unsigned se, unsigned instance,
                   unsigned event);
/* The same of SQ for the compute units of engine `se` from `first` on, before `end`. Units that
 * share a scalar cache belong together. */
uint64_t sgc_value_of_units(const sgc_t *t, unsigned se, unsigned first, unsigned end,
                            unsigned event);

#endif
