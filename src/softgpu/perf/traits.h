/* traits.h - the properties of an instruction that counters and the timing model use.
 *
 * Derived once from the instruction table. Instructions with the same traits share a bucket
 * (isa_counter_t): no counter distinguishes them. */
#ifndef SOFTGPU_PERF_TRAITS_H
#define SOFTGPU_PERF_TRAITS_H

#include "softgpu/exec/watch.h"

/* Instructions with a rule of their own in the timing model. From SG_FLOW_END on, the rule is about
 * the workgroup, too. */
typedef enum {
    SG_FLOW_PLAIN,
    SG_FLOW_WAIT, /* for memory operations: s_waitcnt and the like (isa/waits.h) */
    SG_FLOW_NOP,
    SG_FLOW_SLEEP,
    SG_FLOW_INTERPOLATES, /* v_interp_*, which wait for direct loads from LDS */
    SG_FLOW_STORE,        /* of vector memory: returns no data */
    SG_FLOW_PARK,         /* s_barrier_wait of gfx12 */
    SG_FLOW_SCALAR_CACHE, /* invalidates or writes back the scalar cache */
    SG_FLOW_END,
    SG_FLOW_KILL,  /* s_setkill, which ends the wave or does nothing */
    SG_FLOW_SIGNAL /* s_barrier_signal of gfx12 */
} sg_flow_t;

typedef struct {
    uint16_t mops;   /* matrix operations / 512 */
    uint16_t matrix; /* clocks for which it occupies the matrix unit */
    uint8_t klass;   /* isa_class_t */
    uint8_t math;    /* isa_math_kind_t */
    uint8_t flow;    /* sg_flow_t */
    uint8_t issue;   /* clocks for which it occupies the wave's SIMD */
    uint8_t dwords;  /* of a scalar load; of the data that a vector store or atomic sends */
    uint8_t format;  /* isa_fmt_t of memory instructions, else 0 */
} sg_traits_t;

typedef struct {
    uint8_t bucket[ISA_OP_COUNT];
    unsigned n;
    sg_traits_t traits[ISA_BUCKETS];
} sg_buckets_t;

sg_traits_t sg_traits_of(unsigned op);

/* Sorts all instructions into at most `room` buckets of *to, which is empty. Returns how many are
 * in a bucket of other traits because no bucket was left; counts are right only if this is 0. */
unsigned sg_buckets_fill(sg_buckets_t *to, unsigned room);

/* The traits of each bucket with `issue` for this GPU, for waves of 32 lanes (`narrow`) or of 64.
 * The first call makes them. */
const sg_traits_t *sg_traits_paced(const isa_arch_t *arch, bool narrow);

/* The buckets, which are the same for every GPU, with traits as gfx90a has them. The first call
 * makes them, and reports an error if ISA_BUCKETS are too few. */
const sg_buckets_t *sg_buckets(void);

#endif
