/* ops.h - what the cache model has to know of each instruction, worked out once from the table.
 *
 * The table says what is accessed; here are the words of this model for it. */
#ifndef SOFTGPU_CACHE_OPS_H
#define SOFTGPU_CACHE_OPS_H

#include "softgpu/isa/table.h"

#include <stdbool.h>
#include <stdint.h>

/* The table's, by the names of this model. */
typedef enum {
    SGC_UNIT_NONE = ISA_UNIT_NONE,
    SGC_UNIT_VECTOR = ISA_UNIT_VECTOR,
    SGC_UNIT_LDS = ISA_UNIT_LDS,
    SGC_UNIT_SCALAR = ISA_UNIT_SCALAR
} sgc_unit_t;

/* What is done to memory. ORDER: counts are kept by it. */
typedef enum { SGC_READ, SGC_WRITE, SGC_ATOMIC, SGC_ACCESSES } sgc_access_t;

/* Instructions that are no plain load, store or atomic at an address. */
typedef enum {
    SGC_PLAIN,
    SGC_PAIR,       /* LDS: two elements at two offsets */
    SGC_LANE,       /* LDS: dword at M0 + offset + 4 * lane */
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
    uint8_t unit_bytes; /* SGC_PAIR: what the offsets count, divided by 4 */
    bool returns;       /* LDS atomics that return */
    bool buffer;        /* scalar: through a descriptor; vector: MUBUF or MTBUF */
    bool scratch;       /* scalar: offset register in units of scratch */
    bool flat;          /* FLAT: apertures */
    bool formatted;     /* MTBUF, MUBUF with a format, images: memory is not what registers hold */
    bool image;         /* MIMG */
} sgc_op_t;

/* By ISA_OP_*; good after the first call of sgc_ops(), which is thread-safe. */
extern sgc_op_t sgc_ops_table[];
void sgc_ops(void);

#endif
