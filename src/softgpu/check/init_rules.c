/* init_rules.c - what kind of function each instruction between registers is, as far as undefined
 * operands are concerned: one row for each kind of name; what is in none makes all of its result
 * undefined of one undefined bit.
 *
 * Whether an instruction leaves a part of its destination alone is not written here: the executor
 * is asked. */
#include "softgpu/check/init.h"

#include <string.h>

chk_alu_t chk_alu_table[ISA_OP_COUNT];

enum { SRC0 = 1, SRC1 = 2, SRC2 = 4 };

/* `name` is a whole mnemonic, or with a star its beginning; the first row that fits counts. */
static const struct {
    const char *name;
    uint8_t rule, control;
    uint32_t control_bits;
    uint32_t seen; /* 0: all */
} names[] = {
    {"v_mov_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_and_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_or_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_xor_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_xnor_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_not_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_bfrev_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_bfi_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_and_or_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_or3_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_cndmask_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_pk_mov_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_accvgpr_*", CHK_RULE_BITS, 0, 0, 0},
    {"v_swap_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_readfirstlane_b32", CHK_RULE_BITS, 0, 0, 0},
    {"v_readlane_b32", CHK_RULE_BITS, SRC1, 63, 0},
    {"v_writelane_b32", CHK_RULE_BITS, SRC1, 63, 0},
    {"v_perm_b32", CHK_RULE_BITS, SRC2, ~0u, 0},
    {"v_alignbit_b32", CHK_RULE_BITS, SRC2, 31, 0},
    {"v_alignbyte_b32", CHK_RULE_BITS, SRC2, 3, 0},
    {"v_lshlrev_b16", CHK_RULE_BITS, SRC0, 15, 0},
    {"v_lshrrev_b16", CHK_RULE_BITS, SRC0, 15, 0},
    {"v_ashrrev_i16", CHK_RULE_BITS, SRC0, 15, 0},
    {"v_lshlrev_b64", CHK_RULE_BITS, SRC0, 63, 0},
    {"v_lshrrev_b64", CHK_RULE_BITS, SRC0, 63, 0},
    {"v_ashrrev_i64", CHK_RULE_BITS, SRC0, 63, 0},
    {"v_lshlrev_b32", CHK_RULE_BITS, SRC0, 31, 0},
    {"v_lshrrev_b32", CHK_RULE_BITS, SRC0, 31, 0},
    {"v_ashrrev_i32", CHK_RULE_BITS, SRC0, 31, 0},
    {"v_pk_lshlrev_b16", CHK_RULE_BITS, SRC0, 0x000f000f, 0},
    {"v_pk_lshrrev_b16", CHK_RULE_BITS, SRC0, 0x000f000f, 0},
    {"v_pk_ashrrev_i16", CHK_RULE_BITS, SRC0, 0x000f000f, 0},
    {"v_lshl_or_b32", CHK_RULE_BITS, SRC1, 31, 0},
    {"v_bfe_u32", CHK_RULE_BITS, SRC1 | SRC2, 31, 0},
    {"v_bfe_i32", CHK_RULE_BITS, SRC1 | SRC2, 31, 0},
    {"v_add_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_sub_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_subrev_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_add_co_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_sub_co_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_subrev_co_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_addc_co_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_subb_co_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_subbrev_co_u32", CHK_RULE_SUM, 0, 0, 0},
    {"v_add3_u32", CHK_RULE_UP, 0, 0, 0},
    {"v_xad_u32", CHK_RULE_UP, 0, 0, 0},
    {"v_lshl_add_u32", CHK_RULE_UP, SRC1, 31, 0},
    {"v_add_lshl_u32", CHK_RULE_UP, SRC2, 31, 0},
    {"v_mul_lo_u32", CHK_RULE_PRODUCT, 0, 0, 0},
    {"v_mul_u32_u24", CHK_RULE_PRODUCT, 0, 0, 0xffffff},
    {"v_mul_i32_i24", CHK_RULE_PRODUCT, 0, 0, 0xffffff},
    {"v_mad_u32_u24", CHK_RULE_PRODUCT, 0, 0, 0xffffff},
    {"v_mad_i32_i24", CHK_RULE_PRODUCT, 0, 0, 0xffffff},
    {"v_mad_u64_u32", CHK_RULE_PRODUCT, 0, 0, 0},
    {"v_mad_i64_i32", CHK_RULE_PRODUCT, 0, 0, 0},
    {"v_mul_hi_u32_u24", CHK_RULE_ANY, 0, 0, 0xffffff},
    {"v_mul_hi_i32_i24", CHK_RULE_ANY, 0, 0, 0xffffff},
    {"v_cvt_f32_ubyte0", CHK_RULE_ANY, 0, 0, 0xff},
    {"v_cvt_f32_ubyte1", CHK_RULE_ANY, 0, 0, 0xff00},
    {"v_cvt_f32_ubyte2", CHK_RULE_ANY, 0, 0, 0xff0000},
    {"v_cvt_f32_ubyte3", CHK_RULE_ANY, 0, 0, 0xff000000},
    {"v_cvt_off_f32_i4", CHK_RULE_ANY, 0, 0, 0xf},
    {"v_mfma_*", CHK_RULE_MATRIX, 0, 0, 0},
    {"v_nop", CHK_RULE_NONE, 0, 0, 0},
    {"v_clrexcp", CHK_RULE_NONE, 0, 0, 0},

    {"s_mov_b32", CHK_RULE_BITS, 0, 0, 0},
    {"s_mov_b64", CHK_RULE_BITS, 0, 0, 0},
    {"s_movk_i32", CHK_RULE_BITS, 0, 0, 0},
    {"s_cmov*", CHK_RULE_BITS, 0, 0, 0},
    {"s_cselect_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_andn1_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_andn2_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_orn1_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_orn2_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_and_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_or_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_xor_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_nand_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_nor_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_xnor_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_not_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_brev_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_sext_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_pack_*", CHK_RULE_BITS, 0, 0, 0},
    {"s_bitreplicate_b64_b32", CHK_RULE_BITS, 0, 0, 0},
    {"s_movrel*", CHK_RULE_BITS, 0, 0, 0},
    {"s_lshl_b32", CHK_RULE_BITS, SRC1, 31, 0},
    {"s_lshr_b32", CHK_RULE_BITS, SRC1, 31, 0},
    {"s_ashr_i32", CHK_RULE_BITS, SRC1, 31, 0},
    {"s_lshl_b64", CHK_RULE_BITS, SRC1, 63, 0},
    {"s_lshr_b64", CHK_RULE_BITS, SRC1, 63, 0},
    {"s_ashr_i64", CHK_RULE_BITS, SRC1, 63, 0},
    {"s_bfe_u32", CHK_RULE_BITS, SRC1, 0x7f001f, 0},
    {"s_bfe_i32", CHK_RULE_BITS, SRC1, 0x7f001f, 0},
    {"s_bfe_u64", CHK_RULE_BITS, SRC1, 0x7f003f, 0},
    {"s_bfe_i64", CHK_RULE_BITS, SRC1, 0x7f003f, 0},
    {"s_bitset0_b32", CHK_RULE_BITS, SRC0, 31, 0},
    {"s_bitset1_b32", CHK_RULE_BITS, SRC0, 31, 0},
    {"s_bitset0_b64", CHK_RULE_BITS, SRC0, 63, 0},
    {"s_bitset1_b64", CHK_RULE_BITS, SRC0, 63, 0},
    {"s_bitcmp0_b32", CHK_RULE_BITS, SRC1, 31, 0},
    {"s_bitcmp1_b32", CHK_RULE_BITS, SRC1, 31, 0},
    {"s_bitcmp0_b64", CHK_RULE_BITS, SRC1, 63, 0},
    {"s_bitcmp1_b64", CHK_RULE_BITS, SRC1, 63, 0},
    {"s_add_u32", CHK_RULE_SUM, 0, 0, 0},
    {"s_sub_u32", CHK_RULE_SUM, 0, 0, 0},
    {"s_addc_u32", CHK_RULE_SUM, 0, 0, 0},
    {"s_subb_u32", CHK_RULE_SUM, 0, 0, 0},
    {"s_add_i32", CHK_RULE_SUM, 0, 0, 0},
    {"s_sub_i32", CHK_RULE_SUM, 0, 0, 0},
    {"s_addk_i32", CHK_RULE_SUM, 0, 0, 0},
    {"s_mul_i32", CHK_RULE_PRODUCT, 0, 0, 0},
    {"s_mulk_i32", CHK_RULE_PRODUCT, 0, 0, 0},
    {"s_lshl1_add_u32", CHK_RULE_UP, 0, 0, 0},
    {"s_lshl2_add_u32", CHK_RULE_UP, 0, 0, 0},
    {"s_lshl3_add_u32", CHK_RULE_UP, 0, 0, 0},
    {"s_lshl4_add_u32", CHK_RULE_UP, 0, 0, 0},
    {"s_setreg_*", CHK_RULE_NONE, 0, 0, 0},
    {"s_getreg_b32", CHK_RULE_KNOWN, 0, 0, 0},
    {"s_getpc_b64", CHK_RULE_KNOWN, 0, 0, 0},
    {"s_swappc_b64", CHK_RULE_KNOWN, 0, 0, 0},
    {"s_call_b64", CHK_RULE_KNOWN, 0, 0, 0},
    {"s_set_gpr_idx_*", CHK_RULE_NONE, 0, 0, 0},
    {"s_setvskip", CHK_RULE_NONE, 0, 0, 0},

    {"ds_swizzle_b32", CHK_RULE_BITS, 0, 0, 0},
    {"ds_permute_b32", CHK_RULE_BITS, SRC0, ~0u, 0},
    {"ds_bpermute_b32", CHK_RULE_BITS, SRC0, 0xfc, 0},
};

static bool begins(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

static bool fits(const char *name, const char *row)
{
    const size_t star = strcspn(row, "*");
    return row[star] ? !strncmp(name, row, star) : !strcmp(name, row);
}

/* v_cmp_lt_i32 and its like: which relation, of which numbers. */
static void comparison(chk_alu_t *a, const char *name)
{
    static const struct {
        const char *name;
        uint8_t rule, ordering;
    } relations[] = {
        {"_eq_", CHK_RULE_EQUAL, 0}, {"_ne_", CHK_RULE_EQUAL, 0}, {"_lg_", CHK_RULE_EQUAL, 0},
        {"_lt_", CHK_RULE_ORDER, 1}, {"_ge_", CHK_RULE_ORDER, 1}, {"_gt_", CHK_RULE_ORDER, 2},
        {"_le_", CHK_RULE_ORDER, 2},
    };
    const char *type = strrchr(name, '_') + 1;
    a->rule = CHK_RULE_ANY;
    if (strstr(name, "_f_") || strstr(name, "_t_") || strstr(name, "_tru_")) {
        a->rule = CHK_RULE_KNOWN;
        return;
    }
    if (*type != 'i' && *type != 'u') return; /* floats */
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++)
        if (strstr(name, relations[k].name)) {
            a->rule = relations[k].rule;
            a->ordering = relations[k].ordering;
            a->is_signed = *type == 'i';
        }
}

static bool is_alu(const isa_row_desc_t *row)
{
    if (row->fmt <= ISA_FMT_SOPC)
        return row->klass != ISA_CLASS_BRANCH || row->writes || isa_field(row, ISA_ROLE_SDST);
    return row->fmt >= ISA_FMT_VOP1 && row->fmt <= ISA_FMT_VOP3P;
}

static bool writes_lane(const isa_row_desc_t *row)
{
    return !strcmp(row->mnemonic, "v_writelane_b32");
}

static uint16_t quick_of(const chk_alu_t *a, const isa_row_desc_t *row)
{
    const bool one = begins(row->mnemonic, "v_read") || writes_lane(row);
    unsigned quick = 0;
    if (row->klass == ISA_CLASS_VALU && !one && !a->swaps) quick |= CHK_QUICK_LANES;
    if (row->klass == ISA_CLASS_MFMA || writes_lane(row) || a->swaps) quick |= CHK_QUICK_ALL_LANES;
    if (a->old) quick |= CHK_QUICK_OLD;
    if (row->reads & ISA_REG_SCC) quick |= CHK_QUICK_OF_SCC;
    if (row->reads & ISA_REG_VCC) quick |= CHK_QUICK_OF_VCC;
    if (row->writes & ISA_REG_SCC) quick |= CHK_QUICK_TO_SCC;
    if (row->writes & ISA_REG_VCC) quick |= CHK_QUICK_TO_VCC;
    if (a->rule == CHK_RULE_KNOWN) quick |= CHK_QUICK_KNOWN;
    if (begins(row->mnemonic, "s_movrel")) quick |= CHK_QUICK_MOVREL;
    return (uint16_t)quick;
}

static void rule_of(chk_alu_t *a, const isa_row_desc_t *row)
{
    const char *n = row->mnemonic;
    const bool between_lanes = row->fmt == ISA_FMT_DS && strstr(n, "e_b32");
    if (!is_alu(row) && !(between_lanes && (strstr(n, "permut") || strstr(n, "swizzl")))) return;
    *a = (chk_alu_t){.rule = CHK_RULE_ANY, .seen = ~0u};
    a->tied = strstr(n, "mac_") || strstr(n, "_pkaccum_") || begins(n, "v_dot2c") ||
              begins(n, "v_dot4c") || begins(n, "v_dot8c") || begins(n, "s_cmpk_") ||
              begins(n, "s_addk") || begins(n, "s_mulk") || begins(n, "s_cmov") ||
              begins(n, "s_bitset");
    a->old = a->tied;
    a->swaps = !strcmp(n, "v_swap_b32");
    if (begins(n, "v_cmp") || begins(n, "s_cmp")) comparison(a, n);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (fits(n, names[k].name)) {
            a->rule = names[k].rule;
            a->control = names[k].control;
            a->control_bits = names[k].control_bits;
            if (names[k].seen) a->seen = names[k].seen;
            break;
        }
    a->truth = row->writes & ISA_REG_SCC && a->rule == CHK_RULE_BITS && !begins(n, "s_bitcmp");
    if (writes_lane(row) || a->swaps) a->old = true;
}

/* ---- what the executor knows ---- */

/* Whether something of the destination is left as it is, by two runs. */
static bool keeps(chk_lab_t *l, unsigned op)
{
    enum { DST = 8, DWORDS = 4 };
    const isa_row_desc_t *row = &isa_table[op];
    isa_inst_t i = {.op = (uint16_t)op, .fmt = row->fmt, .dst_sel = 6, .dpp_masks = 0xff};
    uint32_t kept[2][DWORDS];
    i.dst = (isa_operand_t){.kind = ISA_OPK_VGPR, .bits = 32, .sel = 6, .reg = DST};
    for (unsigned n = 0; n < 3; n++)
        i.src[n] = (isa_operand_t){.kind = ISA_OPK_VGPR, .bits = 64, .sel = 6, .reg = 0};
    if (isa_field(row, ISA_ROLE_SDST)) i.dst2 = (isa_operand_t){.kind = ISA_OPK_SGPR, .reg = 20};
    for (unsigned k = 0; k < 2; k++) {
        memset(l->rows, 0, 4 * sizeof *l->rows);
        memset(l->rows + DST, k ? 0xff : 0, DWORDS * sizeof *l->rows);
        l->wave.exec = ~UINT64_C(0);
        l->wave.mode = 0xf0;
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
        if (a->rule == CHK_RULE_ANY && !a->old && dst && dst->kind == ISA_K_V && dst->bits <= 32 &&
            row->fmt >= ISA_FMT_VOP1 && core->handlers[op] && made)
            a->old = keeps(&lab, op);
        a->quick = quick_of(a, row);
    }
    chk_lab_free(&lab);
}
