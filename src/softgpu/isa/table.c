/* table.c - the instruction table and its index by encoding.
 *
 * Data only: everything in it is generated from gfx90a.tsv. Look-ups by opcode are array reads,
 * since the decoder makes one for every instruction it meets. */
#include "softgpu/isa/table.h"

#include <stddef.h>

enum { OPCODES = 1024 }; /* VOP3 has the widest opcode field, 10 bits */

#define ISA_FIELDS(...)                                                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ISA_FACTS(...) __VA_ARGS__
#define ISA_OP(name, format, code, v3fmt, v3op, modifiers, cls, rd, wr, operands, facts)           \
    [ISA_OP_##name] = {.mnemonic = #name,                                                          \
                       .fmt = ISA_FMT_##format,                                                    \
                       .vop3_fmt = ISA_FMT_##v3fmt,                                                \
                       .opcode = code,                                                             \
                       .vop3_op = v3op,                                                            \
                       .klass = cls,                                                               \
                       .reads = rd,                                                                \
                       .writes = wr,                                                               \
                       .mods = modifiers,                                                          \
                       .fields = ISA_FIELDS operands,                                              \
                       ISA_FACTS facts},

const isa_row_desc_t isa_table[ISA_OP_COUNT] = {
#include "isa/isa_ops.inc"
};

#define ISA_MAP(format, code, name) [ISA_FMT_##format][code] = ISA_OP_##name,

static const uint16_t by_code[ISA_FMT_COUNT][OPCODES] = {
#include "isa/isa_maps.inc"
};

unsigned isa_op_by_code(isa_fmt_t fmt, unsigned opcode)
{
    return fmt < ISA_FMT_COUNT && opcode < OPCODES ? by_code[fmt][opcode] : ISA_OP_NONE;
}

const isa_field_t *isa_field(const isa_row_desc_t *row, isa_role_t role)
{
    for (unsigned k = 0; k < ISA_MAX_FIELDS && row->fields[k].role != ISA_ROLE_NONE; k++)
        if (row->fields[k].role == role) return &row->fields[k];
    return NULL;
}

const char *isa_class_name(isa_class_t c)
{
    static const char *const names[ISA_CLASS_COUNT] = {
        "salu",    "branch",  "msg",     "internal", "smem",    "smem.rd", "smem.wr", "smem.at",
        "valu",    "mfma",    "lds",     "lds.rd",   "lds.wr",  "lds.at",  "gws",     "flat",
        "flat.rd", "flat.wr", "flat.at", "vmem",     "vmem.rd", "vmem.wr", "vmem.at"};
    return c < ISA_CLASS_COUNT ? names[c] : "?";
}
