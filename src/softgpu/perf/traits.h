/* traits.h - what counters and clocks need to know of an instruction, worked out once.
 *
 * Apart because it is the only place that classifies by mnemonic. Instructions with the same traits
 * share a bucket of counts. */
#ifndef SOFTGPU_PERF_TRAITS_H
#define SOFTGPU_PERF_TRAITS_H

#include "softgpu/isa/observe.h"

/* What a vector instruction computes. ORDER: SQ's events from 27 (ADD_F16) to 46 (MFMA_F64). */
typedef enum {
    SG_MATH_NONE,
    SG_MATH_ADD_F16,
    SG_MATH_MUL_F16,
    SG_MATH_FMA_F16,
    SG_MATH_TRANS_F16,
    SG_MATH_ADD_F32,
    SG_MATH_MUL_F32,
    SG_MATH_FMA_F32,
    SG_MATH_TRANS_F32,
    SG_MATH_ADD_F64,
    SG_MATH_MUL_F64,
    SG_MATH_FMA_F64,
    SG_MATH_TRANS_F64,
    SG_MATH_INT32,
    SG_MATH_INT64,
    SG_MATH_CVT,
    SG_MATH_MFMA_I8,
    SG_MATH_MFMA_F16,
    SG_MATH_MFMA_BF16,
    SG_MATH_MFMA_F32,
    SG_MATH_MFMA_F64
} sg_math_t;

/* Instructions with a rule of their own in the timing model. */
typedef enum {
    SG_FLOW_PLAIN,
    SG_FLOW_END,
    SG_FLOW_WAITCNT,
    SG_FLOW_NOP,
    SG_FLOW_SLEEP,
    SG_FLOW_SCALAR_CACHE /* invalidates or writes back the scalar cache */
} sg_flow_t;

typedef struct {
    uint8_t klass;  /* isa_class_t */
    uint8_t math;   /* sg_math_t */
    uint8_t flow;   /* sg_flow_t */
    uint8_t issue;  /* clocks of the wave's SIMD */
    uint8_t matrix; /* clocks of the matrix unit */
    uint8_t mops;   /* matrix operations / 512 */
    uint8_t dwords; /* of a scalar load, a vector store or atomic: data sent */
    uint8_t format; /* isa_fmt_t of memory instructions, else 0 */
} sg_traits_t;

typedef struct {
    uint8_t bucket[ISA_OP_COUNT];
    unsigned n;
    sg_traits_t traits[ISA_BUCKETS];
} sg_buckets_t;

sg_traits_t sg_traits_of(unsigned op);

/* Fills empty buckets, at most `room` of them. Returns how many instructions are in a bucket of
 * other traits because there was none left: 0 where counts are right. */
unsigned sg_buckets_fill(sg_buckets_t *to, unsigned room);

/* The same for every GPU; made by the first call, which reports an error if there are too few. */
const sg_buckets_t *sg_buckets(void);

#endif
