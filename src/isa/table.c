/* table.c - the instruction table, and the encodings of each GPU.
 *
 * Rows and encodings are generated from the GPUs' tables; the names of classes follow isa_class_t.
 * Look-ups by opcode are array reads, since the decoder makes one for every instruction. */
#include "isa/waits.h"

#include <stddef.h>

#define ISA_FIELDS(...)                                                                            \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ISA_FACTS(...) __VA_ARGS__
#define ISA_OP(name, handled_by, text, format, modifiers, cls, rd, wr, operands, facts)            \
    [ISA_OP_##name] = {.mnemonic = #text,                                                          \
                       .body = ISA_OP_##handled_by,                                                \
                       .fmt = ISA_FMT_##format,                                                    \
                       .klass = cls,                                                               \
                       .reads = rd,                                                                \
                       .writes = wr,                                                               \
                       .mods = modifiers,                                                          \
                       .fields = ISA_FIELDS operands,                                              \
                       ISA_FACTS facts},

const isa_row_desc_t isa_table[ISA_OP_COUNT] = {
#include "isa/isa_ops.inc"
};

/* clang-format off */
#define ISA_CODES(gpu) const isa_codes_t isa_codes_##gpu = {.op = {
#define ISA_CODE(format, code, name) [ISA_FMT_##format][code] = ISA_OP_##name,
#define ISA_CODES_END }};
/* clang-format on */

#include "isa/isa_codes.inc"

unsigned isa_op_by_code(const isa_arch_t *a, isa_fmt_t fmt, unsigned opcode)
{
    return fmt < ISA_FMT_COUNT && opcode < ISA_OPCODES ? a->codes->op[fmt][opcode] : ISA_OP_NONE;
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
