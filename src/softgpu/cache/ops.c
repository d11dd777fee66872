/* ops.c - see ops.h: fills in the rows from the instruction table. */
#include "softgpu/cache/ops.h"

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

static sgc_op_t op_of(const isa_row_desc_t *row)
{
    const isa_memory_t *m = &row->memory;
    return (sgc_op_t){
        .unit = m->unit,
        .access = access_of((isa_class_t)row->klass),
        .kind = m->kind,
        .bytes = m->bytes,
        .step = m->step,
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
