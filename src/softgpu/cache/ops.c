/* ops.c - sizes and kinds of memory instructions, from the instruction table. */
#include "softgpu/cache/ops.h"

#include "softgpu/cache/model.h"

#include <pthread.h>

sgc_op_t sgc_ops_table[ISA_OP_COUNT];

static uint8_t access_of(isa_class_t c)
{
    switch (c) {
    case ISA_CLASS_SMEM_WR:
    case ISA_CLASS_LDS_WR:
    case ISA_CLASS_FLAT_WR:
    case ISA_CLASS_VMEM_WR: return SGC_WRITE;
    case ISA_CLASS_SMEM_AT:
    case ISA_CLASS_LDS_AT:
    case ISA_CLASS_FLAT_AT:
    case ISA_CLASS_VMEM_AT: return SGC_ATOMIC;
    default: return SGC_READ;
    }
}

/* ISA_ACCESS_INVALIDATE is of the scalar cache or of the vector L1: the unit says which. */
static uint8_t special_of(const isa_memory_t *m)
{
    const bool scalar = m->unit == ISA_UNIT_SCALAR;
    switch ((isa_access_t)m->kind) {
    case ISA_ACCESS_PAIR: return SGC_PAIR;
    case ISA_ACCESS_LANE: return SGC_LANE;
    case ISA_ACCESS_CROSS: return SGC_CROSS;
    case ISA_ACCESS_WAVE: return SGC_WAVE;
    case ISA_ACCESS_INVALIDATE: return scalar ? SGC_SCALAR_INV : SGC_INV_VECTOR;
    case ISA_ACCESS_WRITEBACK: return SGC_SCALAR_WB;
    case ISA_ACCESS_L2_INVALIDATE: return SGC_L2_INV;
    case ISA_ACCESS_L2_WRITEBACK: return SGC_L2_WB;
    case ISA_ACCESS_FROM_LDS: return SGC_FROM_LDS;
    case ISA_ACCESS_PLAIN: break;
    }
    return SGC_PLAIN;
}

static sgc_op_t op_of(const isa_row_desc_t *row)
{
    const isa_memory_t *m = &row->memory;
    return (sgc_op_t){
        .unit = m->unit,
        .access = access_of((isa_class_t)row->klass),
        .special = special_of(m),
        .bytes = m->bytes,
        .unit_bytes = (uint8_t)(m->step / 4),
        .returns = row->marks & ISA_IS_RETURNS,
        .buffer =
            row->marks & ISA_IS_BUFFER || row->fmt == ISA_FMT_MUBUF || row->fmt == ISA_FMT_MTBUF,
        .scratch = row->marks & ISA_IS_SCRATCH,
        .flat = row->fmt == ISA_FMT_FLAT,
        .formatted = row->marks & ISA_IS_FORMAT,
        .image = row->fmt == ISA_FMT_MIMG,
    };
}

static void make(void)
{
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        sgc_ops_table[op] = op_of(&isa_table[op]);
}

void sgc_ops(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
}
