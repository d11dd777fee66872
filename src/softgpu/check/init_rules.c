/* init_rules.c - fills in, for each instruction between registers, the row from which the init
 * check works (chk_alu_t).
 *
 * How the result depends on the operands is in the table of instructions. No table says whether an
 * instruction leaves a part of its destination unchanged: the instruction is run to find out. */
#include "softgpu/check/init.h"

#include "softgpu/exec/interp.h"

#include <string.h>

chk_alu_t chk_alu_table[ISA_OP_COUNT];

enum { WRITES_LANE = ISA_OP_v_writelane_b32, LOADS_SCALES = ISA_OP_v_mfma_ld_scale_b32 };

static uint16_t quick_of(const chk_alu_t *a, const isa_row_desc_t *row)
{
    const bool one = row->marks & ISA_IS_ONE_LANE, writes_lane = row == &isa_table[WRITES_LANE];
    unsigned quick = 0;
    const bool by_lane =
        !one && !a->swaps && row != &isa_table[LOADS_SCALES] && !isa_reads_quad(row);
    if (row->klass == ISA_CLASS_VALU && by_lane) quick |= CHK_QUICK_LANES;
    if (row->klass == ISA_CLASS_MFMA || writes_lane || a->swaps) quick |= CHK_QUICK_ALL_LANES;
    if (a->old) quick |= CHK_QUICK_OLD;
    if (row->reads & ISA_REG_SCC) quick |= CHK_QUICK_OF_SCC;
    if (row->reads & ISA_REG_VCC) quick |= CHK_QUICK_OF_VCC;
    if (row->writes & ISA_REG_SCC) quick |= CHK_QUICK_TO_SCC;
    if (row->writes & ISA_REG_VCC) quick |= CHK_QUICK_TO_VCC;
    if (a->of.rule == ISA_DATA_KNOWN) quick |= CHK_QUICK_KNOWN;
    if (row->marks & ISA_IS_MOVREL) quick |= CHK_QUICK_MOVREL;
    if (row->marks & ISA_IS_FORMATS) quick |= CHK_QUICK_SCALED;
    return (uint16_t)quick;
}

static void rule_of(chk_alu_t *a, const isa_row_desc_t *row)
{
    *a = (chk_alu_t){.of = row->data};
    a->tied = row->marks & ISA_IS_TIED;
    a->swaps = row->marks & ISA_IS_SWAPS;
    a->old = a->tied || a->swaps || row == &isa_table[WRITES_LANE];
    a->truth =
        row->writes & ISA_REG_SCC && a->of.rule == ISA_DATA_BITS && isa_field(row, ISA_ROLE_SDST);
}

/* ---- experiments ---- */

/* Whether the instruction leaves a part of its destination unchanged: runs it with a destination of
 * zeros and one of ones. */
static bool keeps(chk_lab_t *l, unsigned op)
{
    enum { DST = 8, DWORDS = 4 };
    const isa_row_desc_t *row = &isa_table[op];
    isa_inst_t i = {.op = (uint16_t)op, .fmt = row->fmt};
    uint32_t kept[2][DWORDS];
    i.dst = (isa_operand_t){.kind = ISA_OPK_VGPR, .bits = 32, .sel = ISA_SEL_DWORD, .reg = DST};
    for (unsigned n = 0; n < 3; n++)
        i.src[n] =
            (isa_operand_t){.kind = ISA_OPK_VGPR, .bits = 64, .sel = ISA_SEL_DWORD, .reg = 0};
    if (isa_field(row, ISA_ROLE_SDST)) i.dst2 = (isa_operand_t){.kind = ISA_OPK_SGPR, .reg = 20};
    for (unsigned k = 0; k < 2; k++) {
        memset(l->rows, 0, 4 * sizeof *l->rows);
        memset(l->rows + DST, k ? 0xff : 0, DWORDS * sizeof *l->rows);
        l->wave.exec = ISA_ALL_LANES;
        l->wave.mode = ISA_MODE_FLOAT_PLAIN;
        l->wave.stop = 0;
        l->core->handlers[op](&l->wave, &i);
        for (unsigned d = 0; d < DWORDS; d++)
            kept[k][d] = l->rows[DST + d][0];
    }
    return kept[0][0] != kept[1][0];
}

void chk_alu_rules(const isa_core_t *core)
{
    chk_lab_t lab = {.core = core};
    const bool made = chk_lab_make(&lab);
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const isa_row_desc_t *row = &isa_table[op];
        const isa_field_t *dst = isa_field(row, ISA_ROLE_VDST);
        chk_alu_t *a = &chk_alu_table[op];
        rule_of(a, row);
        if (a->of.rule == ISA_DATA_ANY && !a->old && dst && dst->kind == ISA_K_V &&
            dst->bits <= 32 && row->fmt >= ISA_FMT_VOP1 && core->handlers[op] && made)
            a->old = keeps(&lab, op);
        a->quick = quick_of(a, row);
    }
    chk_lab_free(&lab);
}
