/* ops.c - sizes and kinds of memory instructions, from the instruction table and its mnemonics. */
#include "softgpu/cache/ops.h"

#include "softgpu/cache/model.h"
#include "softgpu/isa/table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

sgc_op_t sgc_ops_table[ISA_OP_COUNT];

static bool has(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

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

/* Bytes of the data operand's registers. */
static uint8_t register_bytes(const isa_row_desc_t *row, isa_role_t a, isa_role_t b)
{
    const isa_field_t *f = isa_field(row, a);
    if (!f) f = isa_field(row, b);
    return f ? (uint8_t)(f->bits / 8) : 4;
}

static void vector_op(sgc_op_t *o, const isa_row_desc_t *row)
{
    static const struct {
        const char *name;
        uint8_t special;
    } caches[] = {
        {"buffer_wbl2", SGC_L2_WB},
        {"buffer_invl2", SGC_L2_INV},
        {"buffer_wbinvl1", SGC_INV_VECTOR},
        {"buffer_wbinvl1_vol", SGC_INV_VECTOR},
        {"buffer_store_lds_dword", SGC_FROM_LDS},
    };
    const char *n = row->mnemonic;
    o->unit = SGC_UNIT_VECTOR;
    o->flat = row->fmt == ISA_FMT_FLAT;
    o->buffer = row->fmt == ISA_FMT_MUBUF || row->fmt == ISA_FMT_MTBUF;
    o->image = row->fmt == ISA_FMT_MIMG;
    o->bytes = register_bytes(row, ISA_ROLE_VDATA, ISA_ROLE_VDST);
    if (o->access == SGC_ATOMIC) {
        if (row->mods & ISA_M_CAS) o->bytes /= 2;
        return;
    }
    /* ubyte, sbyte, byte; ushort, sshort, short: with d16 or without */
    o->formatted = has(n, "format") || o->image;
    if (!o->formatted) {
        if (has(n, "byte"))
            o->bytes = 1;
        else if (has(n, "short"))
            o->bytes = 2;
    }
    for (size_t k = 0; k < sizeof caches / sizeof *caches; k++)
        if (!strcmp(n, caches[k].name)) o->special = caches[k].special;
}

/* By the type at the end of the name, such as b64: "st64" in the middle is a unit of offsets. */
static uint8_t lds_bytes(const char *name)
{
    const char *type = strrchr(name, '_');
    const int bits = type && type[1] ? atoi(type + 2) : 0;
    return bits == 128 ? 16 : bits == 96 ? 12 : bits == 64 ? 8 : 4;
}

static void lds_op(sgc_op_t *o, const isa_row_desc_t *row)
{
    const char *n = row->mnemonic;
    o->unit = SGC_UNIT_LDS;
    o->bytes = lds_bytes(n);
    if (has(n, "_u8") || has(n, "_i8") || has(n, "_b8")) o->bytes = 1;
    if (has(n, "_u16") || has(n, "_i16") || has(n, "_b16")) o->bytes = 2;
    o->returns = has(n, "_rtn_");
    if (has(n, "read2") || has(n, "write2") || has(n, "wrxchg2")) {
        o->special = SGC_PAIR;
        o->unit_bytes = (uint8_t)(o->bytes * (has(n, "st64") ? 64 : 1) / 4);
    } else if (has(n, "addtid")) {
        o->special = SGC_LANE;
    } else if (has(n, "permute") || has(n, "swizzle")) {
        o->special = SGC_CROSS;
    } else if (has(n, "append") || has(n, "consume")) {
        o->special = SGC_WAVE;
    } else if (has(n, "nop")) {
        o->unit = SGC_UNIT_NONE;
    }
}

static void scalar_op(sgc_op_t *o, const isa_row_desc_t *row)
{
    const char *n = row->mnemonic;
    o->unit = SGC_UNIT_SCALAR;
    o->buffer = has(n, "_buffer_");
    o->scratch = has(n, "_scratch_");
    o->bytes = register_bytes(row, ISA_ROLE_SDATA, ISA_ROLE_SDST);
    if (o->access == SGC_ATOMIC && row->mods & ISA_M_CAS) o->bytes /= 2;
    if (has(n, "dcache_inv"))
        o->special = SGC_SCALAR_INV;
    else if (has(n, "dcache_wb"))
        o->special = SGC_SCALAR_WB;
    else if (has(n, "memtime") || has(n, "memrealtime") || has(n, "discard") || has(n, "probe"))
        o->unit = SGC_UNIT_NONE;
}

static void make(void)
{
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const isa_row_desc_t *row = &isa_table[op];
        sgc_ops_table[op].access = access_of((isa_class_t)row->klass);
        switch (row->fmt) {
        case ISA_FMT_FLAT:
        case ISA_FMT_GLOBAL:
        case ISA_FMT_SCRATCH:
        case ISA_FMT_MUBUF:
        case ISA_FMT_MTBUF:
        case ISA_FMT_MIMG: vector_op(&sgc_ops_table[op], row); break;
        case ISA_FMT_DS:
            if (row->klass != ISA_CLASS_GWS) lds_op(&sgc_ops_table[op], row);
            break;
        case ISA_FMT_SMEM: scalar_op(&sgc_ops_table[op], row); break;
        default: break;
        }
    }
}

void sgc_ops(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
}
