/* ops.h - the properties of each instruction that the cache model uses: one sgc_op_t per table row.
 *
 * Derived once from the instruction table (isa/table.h), so that the model need not interpret a row
 * on every access. */
#ifndef SOFTGPU_CACHE_OPS_H
#define SOFTGPU_CACHE_OPS_H

#include "isa/table.h"

#include <stdbool.h>
#include <stdint.h>

/* The kind of access to memory. ORDER: arrays of counts are indexed by it. */
typedef enum { SGC_READ, SGC_WRITE, SGC_ATOMIC, SGC_ACCESSES } sgc_access_t;

typedef struct {
    uint8_t unit;   /* isa_unit_t */
    uint8_t access; /* sgc_access_t */
    uint8_t kind;   /* isa_access_t */
    uint8_t bytes;  /* of one lane's element; scalar: of the tuple */
    uint16_t step;  /* ISA_ACCESS_PAIR: bytes for each 1 in an offset */
    bool returns;   /* LDS atomics that return the old value */
    bool buffer;    /* scalar: through a descriptor; vector: MUBUF or MTBUF */
    bool scratch;   /* scalar: the offset register counts ISA_SCALAR_SCRATCH_UNIT bytes */
    bool flat;      /* FLAT: an address can lie in LDS or in scratch */
    bool formatted; /* MTBUF, MUBUF with a format, images: elements are converted */
    bool image;     /* MIMG */
} sgc_op_t;

/* Indexed by ISA_OP_*. Filled in by the first call of sgc_ops(), which is thread-safe. */
extern sgc_op_t sgc_ops_table[];
void sgc_ops(void);

#endif
