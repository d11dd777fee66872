/* ops.h - what the cache model has to know of each instruction: one sgc_op_t per table row.
 *
 * Derived once from the instruction table (isa/table.h), so that the model need not interpret a row
 * on every access. */
#ifndef SOFTGPU_CACHE_OPS_H
#define SOFTGPU_CACHE_OPS_H

#include "softgpu/isa/table.h"

#include <stdbool.h>
#include <stdint.h>

/* The table's units (isa_unit_t) under names of this model. */
typedef enum {
    SGC_UNIT_NONE = ISA_UNIT_NONE,
    SGC_UNIT_VECTOR = ISA_UNIT_VECTOR,
    SGC_UNIT_LDS = ISA_UNIT_LDS,
    SGC_UNIT_SCALAR = ISA_UNIT_SCALAR
} sgc_unit_t;

/* What is done to memory. ORDER: arrays of counts are indexed by it. */
typedef enum { SGC_READ, SGC_WRITE, SGC_ATOMIC, SGC_ACCESSES } sgc_access_t;

/* Instructions that are no plain load, store or atomic at an address per lane. */
typedef enum {
    SGC_PLAIN,
    SGC_PAIR,       /* LDS: two elements of a lane, at two immediate offsets */
    SGC_LANE,       /* LDS: lane l accesses the dword at M0 + offset + 4 * l */
    SGC_CROSS,      /* LDS: an exchange between lanes without memory */
    SGC_WAVE,       /* LDS: one dword for the whole wave */
    SGC_INV_VECTOR, /* buffer_wbinvl1 */
    SGC_L2_WB,
    SGC_L2_INV,
    SGC_SCALAR_INV,
    SGC_SCALAR_WB,
    SGC_FROM_LDS /* buffer_store_lds_dword */
} sgc_special_t;

typedef struct {
    uint8_t unit;       /* sgc_unit_t */
    uint8_t access;     /* sgc_access_t */
    uint8_t special;    /* sgc_special_t */
    uint8_t bytes;      /* of one lane's element; scalar: of the tuple */
    uint8_t unit_bytes; /* SGC_PAIR: dwords for each 1 in an offset */
    bool returns;       /* LDS atomics that return */
    bool buffer;        /* scalar: through a descriptor; vector: MUBUF or MTBUF */
    bool scratch;       /* scalar: the offset register counts ISA_SCALAR_SCRATCH_UNIT bytes */
    bool flat;          /* FLAT: an address can lie in LDS or in scratch */
    bool formatted;     /* MTBUF, MUBUF with a format, images: elements are converted */
    bool image;         /* MIMG */
} sgc_op_t;

/* Indexed by ISA_OP_*. Filled in by the first call of sgc_ops(), which is thread-safe. */
extern sgc_op_t sgc_ops_table[];
void sgc_ops(void);

#endif
