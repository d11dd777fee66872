/* disasm.c - converts isa_inst_t to LLVM's text, by one function per group of formats.
 *
 * For messages, tests and tools; this code does not run while a kernel executes. */
#include "isa/disasm.h"

#include <string.h>

static isa_type_t type_of(const isa_row_desc_t *row, isa_role_t role)
{
    const isa_field_t *f = isa_field(row, role);
    return f ? (isa_type_t)f->type : ISA_T_BITS;
}

/* ---- scalar ---- */

static void scalar_immediate(isa_text_t *t, const isa_inst_t *i, const isa_field_t *f,
                             const char *gap)
{
    unsigned imm = (uint16_t)i->imm;
    if (f->kind == ISA_K_WAITCNT) { /* its parts include their own blanks */
        isa_text_waitcnt(t, imm);
        return;
    }
    if (f->kind == ISA_K_DEPCTR) {
        isa_text_depctr(t, imm);
        return;
    }
    isa_text(t, "%s", gap);
    if (f->kind == ISA_K_HWREG)
        isa_text_hwreg(t, imm);
    else if (f->kind == ISA_K_MSG || f->kind == ISA_K_RTNMSG)
        isa_text_message(t, imm);
    else if (f->kind == ISA_K_DELAY)
        isa_text_delay(t, imm);
    else if (f->kind == ISA_K_IMM && f->bits == 4)
        isa_text_gpr_idx(t, imm);
    else if (f->kind == ISA_K_HEX)
        isa_text(t, "0x%x", imm);
    else if (f->kind == ISA_K_REL || i->op == ISA_OP_s_endpgm ||
             (i->fmt == ISA_FMT_SOPP && imm <= 64))
        isa_text(t, "%u", imm);
    else
        isa_text(t, "0x%x", imm);
}

/* LLVM shows constants that are compared with halves as integers of 16 bits, and literals of
 * instructions with one source as dwords. */
static isa_type_t scalar_type(const isa_inst_t *i, const isa_field_t *f, const isa_operand_t *o)
{
    const bool literal = o->kind == ISA_OPK_CONST && o->reg == ISA_CODE_LITERAL;
    if (f->type != ISA_T_F16) return (isa_type_t)f->type;
    if (i->fmt == ISA_FMT_SOP1 && literal) return ISA_T_F32;
    return i->fmt == ISA_FMT_SOPC ? ISA_T_B16 : ISA_T_F16;
}

static void scalar_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    const isa_operand_t *next = i->src;
    const char *gap = " ";
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++) {
        if (f->role == ISA_ROLE_SIMM16 && i->op == ISA_OP_s_endpgm && !i->imm) return;
        if (f->role == ISA_ROLE_SIMM16 || f->kind == ISA_K_RTNMSG ||
            (f->role == ISA_ROLE_SRC1 && f->kind == ISA_K_IMM)) {
            scalar_immediate(t, i, f, gap);
        } else if (f->kind == ISA_K_LIT && next != i->src) {
            isa_text(t, "%s0x%x", gap, (unsigned)(next++)->k);
        } else {
            const isa_operand_t *o = f->role == ISA_ROLE_SDST ? &i->dst : next++;
            isa_text(t, "%s", gap);
            isa_text_operand(t, o, scalar_type(i, f, o));
        }
        gap = ", ";
    }
}

/* Scope and temporal hint. The names of hints depend on the kind of access; those of atomic
 * operations are names of bits. */
static void policy_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    static const char *const scopes[] = {"CU", "SE", "DEV", "SYS"};
    static const char *const load[8] = {NULL, "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", NULL};
    static const char *const store[8] = {NULL,    "NT",    "HT",    "WB",
                                         "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    static const char *const atomic[8] = {NULL, "RETURN", "NT", "NT_RETURN"};
    enum { CASCADE = 4, NOT_TEMPORAL = 2, BYPASS = 3 };
    const unsigned hint = isa_hint(i), scope = isa_scope(i);
    const bool system = scope == ISA_SCOPE_SYS,
               is_store = row->klass == ISA_CLASS_VMEM_WR || row->klass == ISA_CLASS_FLAT_WR;
    const char *const name = is_store ? store[hint] : load[hint];
    if (hint && row->mods & ISA_M_RET) {
        if (!(hint & CASCADE))
            isa_text(t, " th:TH_ATOMIC_%s", atomic[hint]);
        else if (scope < ISA_SCOPE_DEV)
            isa_text(t, " th:TH_ATOMIC_0x%x", hint);
        else
            isa_text(t, " th:TH_ATOMIC_CASCADE_%s", hint & NOT_TEMPORAL ? "NT" : "RT");
    } else if (hint && !name) {
        isa_text(t, " th:0x%x", hint);
    } else if (hint) {
        isa_text(t, " th:TH_%s_%s", is_store ? "STORE" : "LOAD",
                 hint == BYPASS && system ? "BYPASS" : name);
    }
    if (scope) isa_text(t, " scope:SCOPE_%s", scopes[scope]);
}

static void signed_hex(isa_text_t *t, int32_t value)
{
    isa_text(t, value < 0 ? "-0x%x" : "0x%x", value < 0 ? 0u - (unsigned)value : (unsigned)value);
}

static void smem_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    const isa_field_t *length = isa_field(row, ISA_ROLE_IMM);
    const char *gap = " ";
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++) {
        if (f == length) continue;
        isa_text(t, "%s", gap);
        if (f->kind == ISA_K_IMM)
            isa_text(t, i->src[2].k <= 64 ? "%u" : "0x%x", (unsigned)i->src[2].k);
        else
            isa_text_operand(t,
                             f->role == ISA_ROLE_SBASE  ? &i->src[0]
                             : f->role == ISA_ROLE_SDST ? &i->dst
                                                        : &i->src[2],
                             ISA_T_BITS);
        gap = ", ";
    }
    if (length) {
        isa_text(t, "%s", gap);
        signed_hex(t, i->imm);
        isa_text(t, ", ");
        if (i->flags & ISA_F_SOE)
            isa_text_operand(t, &i->src[1], ISA_T_BITS);
        else
            isa_text(t, "null");
        isa_text(t, ", %u", (unsigned)i->src[2].k);
    } else if (row->mods & ISA_M_SMOFF) {
        isa_text(t, "%s", gap);
        if (i->flags & ISA_F_SOE) isa_text_operand(t, &i->src[1], ISA_T_BITS);
        /* encodings with NULL always have both register and immediate, and an immediate of 0 is not
         * written except for gfx12 */
        const bool null = t->arch->formats->has_null && !i->imm && !t->arch->formats->scopes;
        if (i->flags & ISA_F_IMM && !null) {
            if (i->flags & ISA_F_SOE) isa_text(t, " offset:");
            signed_hex(t, i->imm);
        } else if (!(i->flags & ISA_F_SOE)) {
            isa_text(t, "null");
        }
    }
    if (i->flags & ISA_F_GLC) isa_text(t, " glc");
    if (i->flags & ISA_F_SC1) isa_text(t, " %s", t->arch->cache_bits[2]);
    policy_text(t, i, row);
}

/* ---- vector ALU ---- */

/* A source with its modifiers -, || and sext() around it. `named`: modifiers are written after the
 * operands instead, by name, as for packed instructions. */
static void source_text(isa_text_t *t, const isa_operand_t *o, isa_type_t type, bool named)
{
    unsigned mods = named ? 0 : o->mods;
    bool neg_word = mods == ISA_MOD_NEG && o->kind == ISA_OPK_CONST && o->reg != ISA_CODE_NULL;
    if (mods & ISA_MOD_SEXT) isa_text(t, "sext(");
    if (mods & ISA_MOD_NEG) isa_text(t, neg_word ? "neg(" : "-");
    if (mods & ISA_MOD_ABS) isa_text(t, "|");
    isa_text_operand(t, o, type);
    if (mods & ISA_MOD_ABS) isa_text(t, "|");
    if (neg_word || mods & ISA_MOD_SEXT) isa_text(t, ")");
}

static unsigned count_sources(const isa_inst_t *i)
{
    unsigned n = 0;
    while (n < 3 && i->src[n].kind != ISA_OPK_NONE)
        n++;
    return n;
}

static void bit_list(isa_text_t *t, const char *name, unsigned bits, unsigned n)
{
    isa_text(t, " %s:[", name);
    for (unsigned k = 0; k < n; k++)
        isa_text(t, k ? ",%u" : "%u", bits >> k & 1);
    isa_text(t, "]");
}

static void packed_modifiers(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    unsigned n = count_sources(i), all = (1u << n) - 1, sel = 0, sel_hi = 0, neg = 0, neg_hi = 0;
    bool mix = row->mods & ISA_M_NEG; /* halves or floats: neg and abs as on scalar operands */
    if (row->marks & ISA_IS_TIED && i->op_sel) isa_text(t, " index_key:%u", i->op_sel);
    for (unsigned k = 0; k < n; k++) {
        sel |= (i->src[k].sel & 1u) << k;
        sel_hi |= (i->src[k].sel >> 1 & 1u) << k;
        neg |= (unsigned)(i->src[k].mods & ISA_MOD_NEG ? 1 : 0) << k;
        neg_hi |= (unsigned)(i->src[k].mods & ISA_MOD_ABS ? 1 : 0) << k;
    }
    if (sel && row->mods & ISA_M_OP_SEL) bit_list(t, "op_sel", sel, n);
    if (sel_hi != (mix ? 0 : all) && row->mods & ISA_M_OP_SEL_HI)
        bit_list(t, "op_sel_hi", sel_hi, n);
    if (neg && !mix) bit_list(t, "neg_lo", neg, n);
    if (neg_hi && !mix) bit_list(t, "neg_hi", neg_hi, n);
}

static void matrix_modifiers(isa_text_t *t, const isa_inst_t *i)
{
    if (i->cbsz) isa_text(t, " cbsz:%u", i->cbsz);
    if (i->abid) isa_text(t, " abid:%u", i->abid);
    if (i->blgp) isa_text(t, " blgp:%u", i->blgp);
    unsigned neg = 0;
    for (unsigned k = 0; k < 3; k++)
        neg |= (unsigned)(i->src[k].mods & ISA_MOD_NEG ? 1 : 0) << k;
    if (neg) bit_list(t, "neg", neg, 3);
}

static bool is_short(const isa_inst_t *i)
{
    return i->fmt == ISA_FMT_VOP1 || i->fmt == ISA_FMT_VOP2 || i->fmt == ISA_FMT_VOPC;
}

/* Whether the text names the byte that OP_SEL selects, of a source or of the destination, as on
 * some GPUs. */
static bool names_byte(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    if (!t->arch->formats->bytes_swapped || !(row->marks & ISA_IS_BYTE_SEL)) return false;
    const unsigned byte = row->marks & ISA_IS_TIED ? i->op_sel >> 2 : i->op_sel & 3;
    if (byte) isa_text(t, " byte_sel:%u", byte);
    return true;
}

static void op_sel_modifier(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    if (names_byte(t, i, row)) return;
    unsigned n = row->marks & ISA_IS_BYTE_SEL ? 3 : count_sources(i);
    if (row->marks & ISA_IS_SWAPS)
        isa_text(t, "%s%s", i->op_sel & 2 ? " bound_ctrl:1" : "", i->op_sel & 1 ? " fi:1" : "");
    else if (i->op_sel && row->marks & ISA_IS_ONE_LANE) /* OP_SEL selects lanes, not halves */
        bit_list(t, "op_sel", i->op_sel, 2);
    else if (i->op_sel && !is_short(i)) /* in short forms the operands' names include the half */
        bit_list(t, "op_sel", (i->op_sel & ((1u << n) - 1)) | (unsigned)(i->op_sel >> 3) << n,
                 n + 1);
}

static void clamp_omod(isa_text_t *t, const isa_inst_t *i)
{
    static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};
    isa_text(t, "%s%s", i->flags & ISA_F_CLAMP ? " clamp" : "", omods[i->omod]);
}

static void sdwa_modifiers(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    static const char *const sels[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                       "WORD_0", "WORD_1", "DWORD"};
    static const char *const unused[] = {"PAD", "SEXT", "PRESERVE"};
    if (row->fmt != ISA_FMT_VOPC)
        isa_text(t, " dst_sel:%s dst_unused:UNUSED_%s", sels[i->dst_sel], unused[i->dst_unused]);
    isa_text(t, " src0_sel:%s", sels[i->src[0].sel]);
    if (isa_field(row, ISA_ROLE_SRC1)) isa_text(t, " src1_sel:%s", sels[i->src[1].sel]);
}

static const char *vector_suffix(const isa_inst_t *i, const isa_row_desc_t *row)
{
    const bool vop3 = i->flags & ISA_F_VOP3 || i->fmt == ISA_FMT_VOP3P;
    if (i->flags & ISA_F_SDWA) return "_sdwa";
    if (i->flags & ISA_F_DPP) return vop3 ? "_e64_dpp" : i->fmt == ISA_FMT_VOPC ? "" : "_dpp";
    if (row->mods & ISA_M_BARE) return "";
    if (is_short(i)) return "_e32";
    return row->fmt != i->fmt ? "_e64" : "";
}

/* Source k of the row: its k-th source or literal, NULL for a mask the row does not list. */
static const isa_field_t *source_field(const isa_row_desc_t *row, unsigned k)
{
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++) {
        if (f->role == ISA_ROLE_VDST || f->role == ISA_ROLE_SDST) continue;
        if (!k--) return f;
    }
    return NULL;
}

/* Writes, after the operand of a short form, whether it is the high half of its register. */
static void half_text(isa_text_t *t, const isa_inst_t *i, bool high)
{
    if (t->arch->formats->halves && is_short(i) && high) isa_text(t, ".h");
}

/* Whether the instruction is a compare whose mask is EXEC, which the text does not name. */
static bool writes_exec_alone(const isa_row_desc_t *row)
{
    return row->writes & ISA_REG_EXEC && !(row->writes & ISA_REG_VCC);
}

static void vector_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    const char *gap = " ";
    bool named =
        i->fmt == ISA_FMT_VOP3P && (!(row->mods & ISA_M_NEG) || row->klass == ISA_CLASS_MFMA);
    isa_text(t, "%s", vector_suffix(i, row));
    if (i->dst.kind != ISA_OPK_NONE) {
        isa_text(t, "%s", gap);
        isa_text_operand(t, &i->dst, ISA_T_BITS);
        half_text(t, i, i->op_sel & 8);
        gap = ", ";
    }
    if (i->dst2.kind != ISA_OPK_NONE && !writes_exec_alone(row)) {
        isa_text(t, "%s", gap);
        isa_text_operand(t, &i->dst2, ISA_T_BITS);
        gap = ", ";
    }
    for (unsigned k = 0; k < count_sources(i); k++) {
        const isa_field_t *f = source_field(row, k);
        isa_text(t, "%s", gap);
        if (f && f->kind == ISA_K_LIT)
            isa_text(t, "0x%x", (unsigned)i->src[k].k);
        else
            source_text(t, &i->src[k], f ? (isa_type_t)f->type : ISA_T_BITS, named);
        half_text(t, i, i->src[k].sel & 1);
        gap = ", ";
    }
    if (row->mods & (ISA_M_OP_SEL_HI | ISA_M_NEG_LO))
        packed_modifiers(t, i, row);
    else if (row->klass == ISA_CLASS_MFMA)
        matrix_modifiers(t, i);
    else
        op_sel_modifier(t, i, row);
    if (row->marks & ISA_IS_TRUTH && i->imm)
        isa_text(t, i->imm < 10 ? " bitop3:%d" : " bitop3:0x%x", i->imm);
    clamp_omod(t, i);
    if (i->flags & ISA_F_SDWA) sdwa_modifiers(t, i, row);
    if (i->flags & ISA_F_DPP) isa_text_dpp(t, i, i->src[0].bits == 64);
}

/* ---- two operations, and graphics ---- */

static void half_of_pair(isa_text_t *t, const isa_inst_t *pair, unsigned which)
{
    isa_inst_t half;
    isa_decode_half(pair, which, &half);
    const isa_row_desc_t *row = &isa_table[half.op];
    const isa_operand_t *src = half.src;
    isa_text(t, "%s ", row->mnemonic);
    isa_text_operand(t, &half.dst, ISA_T_BITS);
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++) {
        if (f->role == ISA_ROLE_VDST) continue;
        isa_text(t, ", ");
        if (f->kind == ISA_K_LIT)
            isa_text(t, "0x%x", (unsigned)pair->imm);
        else
            isa_text_operand(t, src, (isa_type_t)f->type);
        src++;
    }
}

static void vinterp_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    isa_text(t, " ");
    isa_text_operand(t, &i->dst, ISA_T_BITS);
    for (unsigned k = 0; k < 3; k++) {
        isa_text(t, ", ");
        source_text(t, &i->src[k], ISA_T_BITS, false);
    }
    clamp_omod(t, i);
    op_sel_modifier(t, i, row);
    if (i->imm || t->arch->formats->vflat) isa_text(t, " wait_exp:%d", i->imm);
}

static void ldsdir_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    enum { CHANNEL = 3 };
    isa_text(t, " ");
    isa_text_operand(t, &i->dst, ISA_T_BITS);
    if (row->mods & ISA_M_OFF)
        isa_text(t, ", attr%u.%c", (unsigned)i->imm >> 2 & 63, "xyzw"[i->imm & CHANNEL]);
    const unsigned wait = (unsigned)i->imm >> 8 & 15, vmem = (unsigned)i->imm >> 12;
    if (t->arch->formats->vflat) /* gfx12 waits for VMEM, too, and LLVM always says how */
        isa_text(t, " wait_va_vdst:%u wait_vm_vsrc:%u", wait, vmem);
    else if (wait)
        isa_text(t, " wait_vdst:%u", wait);
}

static void export_target(isa_text_t *t, unsigned target)
{
    static const struct {
        const char *name;
        uint8_t first, last;
    } targets[] = {{"mrt", 0, 7},
                   {"mrtz", 8, 8},
                   {"pos", 12, 16},
                   {"prim", 20, 20},
                   {"dual_src_blend", 21, 22}};
    for (unsigned k = 0; k < sizeof targets / sizeof *targets; k++)
        if (target >= targets[k].first && target <= targets[k].last) {
            isa_text(t, targets[k].first == targets[k].last ? " %s" : " %s%u", targets[k].name,
                     target - targets[k].first);
            return;
        }
    isa_text(t, " invalid_target_%u", target);
}

static void export_text(isa_text_t *t, const isa_inst_t *i)
{
    enum { TARGET = 4, DONE = 1 << 11, ROW = 1 << 13 };
    export_target(t, (unsigned)i->imm >> TARGET & 63);
    for (unsigned k = 0; k < 4; k++) {
        isa_text(t, k ? ", " : " ");
        isa_text_operand(t, &i->src[k], ISA_T_BITS);
    }
    isa_text(t, "%s%s", i->imm & DONE ? " done" : "", i->imm & ROW ? " row_en" : "");
}

/* ---- memory ---- */

static void cache_bits(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    if (t->arch->formats->scopes) {
        policy_text(t, i, row);
        return;
    }
    static const uint16_t flags[] = {ISA_F_GLC, ISA_F_SLC, ISA_F_SC1};
    for (unsigned k = 0; k < sizeof flags / sizeof flags[0]; k++)
        if (i->flags & flags[k]) isa_text(t, " %s", t->arch->cache_bits[k]);
}

static void ds_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    const isa_operand_t *operands[] = {&i->dst, &i->src[0], &i->src[1], &i->src[2]};
    const char *gap = " ";
    for (unsigned k = 0; k < 4; k++) {
        if (operands[k]->kind == ISA_OPK_NONE) continue;
        isa_text(t, "%s", gap);
        isa_text_operand(t, operands[k], ISA_T_BITS);
        gap = ", ";
    }
    if (i->op == ISA_OP_ds_swizzle_b32) {
        isa_text_swizzle(t, (unsigned)i->imm);
    } else if (row->mods & ISA_M_OFF2) {
        if (i->offset0) isa_text(t, " offset0:%u", i->offset0);
        if (i->offset1) isa_text(t, " offset1:%u", i->offset1);
    } else if (row->mods & ISA_M_OFF && i->imm) {
        isa_text(t, " offset:%d", i->imm);
    }
    if (i->flags & ISA_F_GDS && (row->mods & ISA_M_GDS || row->klass == ISA_CLASS_GWS))
        isa_text(t, " gds");
}

/* Whether a bit, not the opcode, says that the load goes to LDS: then the text has the name of a
 * load into registers, followed by "lds". */
static bool has_lds_bit(const isa_arch_t *arch, const isa_inst_t *i)
{
    return arch->memory_fields.flat_lds.bits && i->flags & ISA_F_LDS &&
           (i->fmt == ISA_FMT_GLOBAL || i->fmt == ISA_FMT_SCRATCH);
}

static void mnemonic_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    static const char lds[] = "lds_";
    const char *at = has_lds_bit(t->arch, i) ? strstr(row->mnemonic, lds) : NULL;
    if (at)
        isa_text(t, "%.*s%s", (int)(at - row->mnemonic), row->mnemonic, at + strlen(lds));
    else
        isa_text(t, "%s", row->mnemonic);
}

static void flat_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    const char *gap = " ";
    if (isa_is_cache_operation(row->memory.kind)) {
        policy_text(t, i, row);
        return;
    }
    if (i->dst.kind != ISA_OPK_NONE) {
        isa_text(t, " ");
        isa_text_operand(t, &i->dst, ISA_T_BITS);
        gap = ", ";
    }
    if (isa_field(row, ISA_ROLE_VADDR)) {
        isa_text(t, "%s", gap);
        isa_text_operand(t, &i->src[0], ISA_T_BITS);
        gap = ", ";
    }
    if (i->src[1].kind != ISA_OPK_NONE) {
        isa_text(t, "%s", gap);
        isa_text_operand(t, &i->src[1], ISA_T_BITS);
    }
    if (i->fmt != ISA_FMT_FLAT) {
        isa_text(t, ", ");
        isa_text_operand(t, &i->src[2], ISA_T_BITS);
    }
    if (i->imm) isa_text(t, " offset:%d", i->imm);
    cache_bits(t, i, row);
    if (has_lds_bit(t->arch, i)) isa_text(t, " lds");
}

static void buffer_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    const isa_operand_t *data = row->klass == ISA_CLASS_VMEM_RD ? &i->dst : &i->src[1];
    bool lds_first = i->op == ISA_OP_buffer_store_lds_dword;
    const char *gap = " ";
    if (!isa_field(row,
                   ISA_ROLE_SRSRC)) { /* cache operations; GPUs with scopes have a scope here */
        if (t->arch->memory_fields.mubuf_sc1.bits && i->flags & ISA_F_GLC) isa_text(t, " sc0");
        if (i->flags & ISA_F_SC1) isa_text(t, " sc1");
        return;
    }
    if (data->kind != ISA_OPK_NONE) {
        isa_text(t, "%s", gap);
        isa_text_operand(t, data, ISA_T_BITS);
        gap = ", ";
    }
    if (isa_field(row, ISA_ROLE_VADDR)) {
        isa_text(t, "%s", gap);
        isa_text_operand(t, &i->src[0], ISA_T_BITS);
        gap = ", ";
    }
    isa_text(t, "%s", gap);
    isa_text_operand(t, &i->src[2], ISA_T_BITS);
    isa_text(t, ", ");
    isa_text_operand(t, &i->src[3], type_of(row, ISA_ROLE_SOFFSET));
    if (i->fmt == ISA_FMT_MTBUF) isa_text_buffer_format(t, i->mtbuf_format);
    isa_text(t, "%s%s", i->flags & ISA_F_IDXEN ? " idxen" : "",
             i->flags & ISA_F_OFFEN ? " offen" : "");
    if (i->imm) isa_text(t, " offset:%d", i->imm);
    if (lds_first) isa_text(t, " lds");
    cache_bits(t, i, row);
    if (i->flags & ISA_F_LDS && !lds_first) isa_text(t, " lds");
}

/* An address of which the first VGPR of each group is named. */
static void image_groups(isa_text_t *t, const isa_inst_t *i)
{
    for (unsigned k = 0; isa_image_group(i, k); k++) {
        const unsigned reg = isa_image_named(i, k), n = isa_image_group(i, k);
        isa_text(t, k ? ", " : "[");
        if (n > 1)
            isa_text(t, "v[%u:%u]", reg, reg + n - 1);
        else
            isa_text(t, "v%u", reg);
    }
    isa_text(t, "]");
}

/* If the encoding does not have the number of dwords of an address, LLVM shows only the first. */
static void image_address(isa_text_t *t, const isa_inst_t *i)
{
    isa_operand_t address = i->src[0];
    if (!(i->image & ISA_IMAGE_HAS_DIM)) address.bits = 32;
    if (!(i->image & ISA_IMAGE_NSA) || address.bits == 32) {
        isa_text_operand(t, &address, ISA_T_BITS);
        return;
    }
    const unsigned n = address.bits / 32u, last = isa_image_last_named(i);
    if (i->imm) {
        image_groups(t, i);
        return;
    }
    for (unsigned k = 0; k < n && k <= last; k++) {
        const unsigned reg = isa_image_vgpr(i, k);
        isa_text(t, k ? ", " : "[");
        if (k == last && n > last + 1)
            isa_text(t, "v[%u:%u]", reg, reg + n - 1 - last);
        else
            isa_text(t, "v%u", reg);
    }
    isa_text(t, "]");
}

static void image_text(isa_text_t *t, const isa_inst_t *i, const isa_row_desc_t *row)
{
    static const char *const dims[] = {"1D",       "2D",       "3D",      "CUBE",
                                       "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
    const bool has_dim = i->image & ISA_IMAGE_HAS_DIM;
    isa_text(t, " ");
    isa_text_operand(t, row->klass == ISA_CLASS_VMEM_RD ? &i->dst : &i->src[1], ISA_T_BITS);
    isa_text(t, ", ");
    image_address(t, i);
    for (unsigned k = 2; k < 4; k++) {
        if (i->src[k].kind == ISA_OPK_NONE) continue;
        isa_text(t, ", ");
        isa_text_operand(t, &i->src[k], ISA_T_BITS);
    }
    if (isa_tests_rays(row)) { /* whose other fields have but one value */
        isa_text(t, i->image & ISA_IMAGE_A16 ? " a16" : "");
        return;
    }
    if (i->image & ISA_IMAGE_DMASK) isa_text(t, " dmask:0x%x", i->image & ISA_IMAGE_DMASK);
    if (has_dim) isa_text(t, " dim:SQ_RSRC_IMG_%s", dims[i->image >> ISA_IMAGE_DIM_SHIFT & 7]);
    if (i->image & ISA_IMAGE_UNORM) isa_text(t, " unorm");
    cache_bits(t, i, row);
    if (i->image & ISA_IMAGE_R128) isa_text(t, " r128");
    if (i->image & ISA_IMAGE_A16) isa_text(t, " a16");
    if (i->image & ISA_IMAGE_LWE) isa_text(t, " lwe");
    if (i->image & ISA_IMAGE_DA && !has_dim) isa_text(t, " da");
    if (i->image & ISA_IMAGE_D16) isa_text(t, " d16");
}

int isa_disassemble(const isa_arch_t *arch, const isa_inst_t *i, char *buf, size_t size)
{
    isa_text_t t = {arch, buf, size, 0};
    const isa_row_desc_t *row = &isa_table[i->op < ISA_OP_COUNT ? i->op : ISA_OP_NONE];
    if (size) *buf = 0;
    if (!row->mnemonic) return 0;
    if (i->fmt == ISA_FMT_VOPD) {
        half_of_pair(&t, i, 0);
        isa_text(&t, " :: ");
        half_of_pair(&t, i, 1);
        return (int)t.length;
    }
    mnemonic_text(&t, i, row);
    switch (i->fmt) {
    case ISA_FMT_SOP1:
    case ISA_FMT_SOP2:
    case ISA_FMT_SOPK:
    case ISA_FMT_SOPC:
    case ISA_FMT_SOPP: scalar_text(&t, i, row); break;
    case ISA_FMT_SMEM: smem_text(&t, i, row); break;
    case ISA_FMT_DS: ds_text(&t, i, row); break;
    case ISA_FMT_FLAT:
    case ISA_FMT_GLOBAL:
    case ISA_FMT_SCRATCH: flat_text(&t, i, row); break;
    case ISA_FMT_MUBUF:
    case ISA_FMT_MTBUF: buffer_text(&t, i, row); break;
    case ISA_FMT_MIMG: image_text(&t, i, row); break;
    case ISA_FMT_VINTERP: vinterp_text(&t, i, row); break;
    case ISA_FMT_LDSDIR: ldsdir_text(&t, i, row); break;
    case ISA_FMT_EXP: export_text(&t, i); break;
    default: vector_text(&t, i, row);
    }
    return (int)t.length;
}
