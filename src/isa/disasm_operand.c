/* disasm_operand.c - writes the text of operands and of named immediates.
 *
 * Names and number formats are LLVM's, including their irregularities; the tests compare with
 * llvm-mc. */
#include "isa/decode.h"
#include "isa/disasm.h"
#include "isa/format.h"

#include <stdarg.h>
#include <stdio.h>

void isa_text(isa_text_t *t, const char *format, ...)
{
    va_list args;
    size_t room = t->length < t->size ? t->size - t->length : 0;
    va_start(args, format);
    int n = vsnprintf(room ? t->buf + t->length : NULL, room, format, args);
    va_end(args);
    if (n > 0) t->length += (size_t)n;
}

/* ---- registers and constants ---- */

static void tuple(isa_text_t *t, const char *letter, unsigned first, unsigned bits)
{
    if (bits <= 32)
        isa_text(t, "%s%u", letter, first);
    else
        isa_text(t, "%s[%u:%u]", letter, first, first + bits / 32 - 1);
}

static void scalar(isa_text_t *t, unsigned code, unsigned bits)
{
    static const char *const names[] = {[ISA_CODE_FLAT_SCRATCH] = "flat_scratch",
                                        [ISA_CODE_XNACK_MASK] = "xnack_mask",
                                        [ISA_CODE_VCC] = "vcc",
                                        [ISA_CODE_EXEC] = "exec"};
    if (code < t->arch->formats->sgprs)
        tuple(t, "s", code, bits);
    else if (code >= ISA_CODE_TTMP && code < ISA_CODE_M0)
        tuple(t, "ttmp", code - ISA_CODE_TTMP, bits);
    else if (code == ISA_CODE_M0)
        isa_text(t, "m0");
    else if (code == ISA_CODE_NULL)
        isa_text(t, "null");
    else if (bits == 64)
        isa_text(t, "%s", names[code & ~1u]);
    else
        isa_text(t, "%s_%s", names[code & ~1u], code & 1 ? "hi" : "lo");
}

static void special(isa_text_t *t, unsigned code)
{
    static const char *const names[] = {[ISA_CODE_SHARED_BASE] = "src_shared_base",
                                        [ISA_CODE_SHARED_LIMIT] = "src_shared_limit",
                                        [ISA_CODE_PRIVATE_BASE] = "src_private_base",
                                        [ISA_CODE_PRIVATE_LIMIT] = "src_private_limit",
                                        [ISA_CODE_POPS_EXITING_WAVE_ID] =
                                            "src_pops_exiting_wave_id",
                                        [ISA_CODE_VCCZ] = "src_vccz",
                                        [ISA_CODE_EXECZ] = "src_execz",
                                        [ISA_CODE_SCC] = "src_scc",
                                        [ISA_CODE_LDS_DIRECT] = "src_lds_direct"};
    isa_text(t, "%s", names[code]);
}

/* In integer operands of 16 bits, LLVM shows a float constant as the hexadecimal number of its
 * half. */
static void inline_float(isa_text_t *t, unsigned code, isa_type_t type, unsigned bits)
{
    static const char *const text[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
    static const uint16_t half[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                    0xc000, 0x4400, 0xc400, 0x3118};
    if (type == ISA_T_B16 || type == ISA_T_V2B16)
        isa_text(t, "0x%x", half[code - ISA_CODE_FLOAT_FIRST]);
    else if (code != ISA_CODE_INVERSE_2PI)
        isa_text(t, "%s", text[code - ISA_CODE_FLOAT_FIRST]);
    else if (bits == 64 && type != ISA_T_V2F32 && type != ISA_T_V2B32)
        isa_text(t, "0.15915494309189532");
    else
        isa_text(t, "0.15915494");
}

/* A literal whose value is also an inline constant is shown as that constant. A pair has two halves
 * only if VOP3P can have literals; then it is shown as a dword. */
static void literal_text(isa_text_t *t, uint32_t literal, isa_type_t type, unsigned bits)
{
    if (t->arch->formats->vop3_literal && literal >> 16 &&
        (type == ISA_T_V2F16 || type == ISA_T_V2B16))
        type = ISA_T_BITS;
    bool half = type == ISA_T_F16 || type == ISA_T_V2F16,
         half_int = type == ISA_T_B16 || type == ISA_T_V2B16;
    int64_t value = half || half_int ? (int16_t)literal
                    : bits == 64     ? (int64_t)literal
                                     : (int32_t)literal;
    if (value >= -16 && value <= 64) {
        isa_text(t, "%d", (int)value);
        return;
    }
    for (unsigned code = ISA_CODE_FLOAT_FIRST;
         bits != 64 && !half_int && code <= ISA_CODE_INVERSE_2PI; code++) {
        uint64_t pattern = isa_inline_constant(code, half ? ISA_T_F16 : ISA_T_F32, 32);
        if (pattern == (type == ISA_T_V2F16 ? literal & 0xffff : literal)) {
            inline_float(t, code, type, bits);
            return;
        }
    }
    isa_text(t, "0x%x", half || half_int ? literal & 0xffff : literal);
}

static void constant(isa_text_t *t, const isa_operand_t *o, isa_type_t type)
{
    if (o->reg == ISA_CODE_NULL)
        isa_text(t, "null");
    else if (o->reg == ISA_CODE_LITERAL)
        literal_text(t, (uint32_t)(type == ISA_T_F64 ? o->k >> 32 : o->k), type, o->bits);
    else if (o->reg >= ISA_CODE_FLOAT_FIRST)
        inline_float(t, o->reg, type, o->bits);
    else
        isa_text(t, "%d", (int)(int32_t)o->k);
}

void isa_text_operand(isa_text_t *t, const isa_operand_t *o, isa_type_t type)
{
    switch (o->kind) {
    case ISA_OPK_VGPR: tuple(t, "v", o->reg, o->bits); break;
    case ISA_OPK_AGPR: tuple(t, "a", o->reg, o->bits); break;
    case ISA_OPK_SGPR: scalar(t, o->reg, o->bits); break;
    case ISA_OPK_CONST: constant(t, o, type); break;
    case ISA_OPK_SPECIAL: special(t, o->reg); break;
    default: isa_text(t, "off");
    }
}

/* ---- immediates with names ---- */

void isa_text_waitcnt(isa_text_t *t, unsigned imm)
{
    const isa_waits_t waits = isa_waits(t->arch, imm), most = t->arch->waits_most;
    const bool vm = waits.vm != most.vm, exp = waits.exp != most.exp,
               lgkm = waits.lgkm != most.lgkm;
    const bool all = !vm && !exp && !lgkm; /* it waits for no counter: all counters are shown */
    if (vm || all) isa_text(t, " vmcnt(%u)", waits.vm);
    if (exp || all) isa_text(t, " expcnt(%u)", waits.exp);
    if (lgkm || all) isa_text(t, " lgkmcnt(%u)", waits.lgkm);
}

/* The fields of s_waitcnt_depctr: counters of dependencies that the hardware does not check, so
 * that the compiler has to wait for them. The text names the fields that are waited for; if there
 * are none, it names all. */
void isa_text_depctr(isa_text_t *t, unsigned imm)
{
    static const struct {
        const char *name;
        isa_bits_t bits;
    } fields[] = {{"hold_cnt", {7, 1}}, {"sa_sdst", {0, 1}}, {"va_vdst", {12, 4}},
                  {"va_sdst", {9, 3}},  {"va_ssrc", {8, 1}}, {"va_vcc", {1, 1}},
                  {"vm_vsrc", {2, 3}}};
    enum { UNUSED = 3 << 5 };
    const bool all = imm == (0xffff & ~UNUSED);
    if (imm & UNUSED) isa_text(t, " 0x%x", imm);
    for (unsigned k = 0; k < sizeof fields / sizeof *fields && !(imm & UNUSED); k++) {
        const uint32_t value = isa_bits_get(fields[k].bits, imm);
        if (all || value != (1u << fields[k].bits.bits) - 1)
            isa_text(t, " depctr_%s(%u)", fields[k].name, value);
    }
}

void isa_text_hwreg(isa_text_t *t, unsigned imm)
{
    const isa_hwreg_t r = isa_hwreg(imm);
    const char *name = t->arch->formats->hwregs[r.id].name;
    if (r.id < t->arch->hwregs && name)
        isa_text(t, "hwreg(%s", name);
    else
        isa_text(t, "hwreg(%u", r.id);
    if (r.shift || r.mask != ~0u)
        isa_text(t, ", %u, %u", r.shift, (unsigned)__builtin_popcount(r.mask));
    isa_text(t, ")");
}

enum { MSG_GS = 2, MSG_GS_DONE = 3, MSG_SYSTEM = 15 };

/* The text of a message without operation and stream. */
static void plain_message(isa_text_t *t, unsigned imm, unsigned id, const char *name)
{
    if (name)
        isa_text(t, "sendmsg(%s)", name);
    else if (imm != id)
        isa_text(t, "%u", imm);
    else
        isa_text(t, "sendmsg(%u, 0, 0)", id);
}

/* The message's number is in bits 3:0, its operation in 6:4, its stream in 9:8; families whose
 * messages have neither operation nor stream have a wider number. If the message has a name, other
 * bits are not shown: the hardware ignores them. */
void isa_text_message(isa_text_t *t, unsigned imm)
{
    const isa_bits_t field = t->arch->formats->message;
    const char *const *names = t->arch->formats->messages;
    static const char *const operations[4] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT",
                                              "GS_OP_EMIT_CUT"};
    static const char *const system[8] = {[1] = "SYSMSG_OP_ECC_ERR_INTERRUPT",
                                          [2] = "SYSMSG_OP_REG_RD",
                                          [3] = "SYSMSG_OP_HOST_TRAP_ACK",
                                          [4] = "SYSMSG_OP_TTRACE_PC"};
    unsigned id = isa_bits_get(field, imm), op = imm >> 4 & 7, stream = imm >> 8 & 3;
    if (field.bits > 4) {
        plain_message(t, imm, id, names[id]);
        return;
    }
    bool gs = id == MSG_GS || id == MSG_GS_DONE;
    if (gs && op < 4 && (op || id == MSG_GS_DONE) && (op || !stream))
        isa_text(t, op ? "sendmsg(%s, %s, %u)" : "sendmsg(%s, %s)", names[id], operations[op],
                 stream);
    else if (id == MSG_SYSTEM && system[op] && !stream)
        isa_text(t, "sendmsg(MSG_SYSMSG, %s)", system[op]);
    else if (!gs && names[id] && !op && !stream)
        isa_text(t, "sendmsg(%s)", names[id]);
    else if (imm & ~0x37fu)
        isa_text(t, "%u", imm);
    else
        isa_text(t, "sendmsg(%u, %u, %u)", id, op, stream);
}

/* Which earlier results the next instruction and a later one need, and how many instructions lie
 * between the two. */
void isa_text_delay(isa_text_t *t, unsigned imm)
{
    static const char *const results[16] = {"NO_DEP",        "VALU_DEP_1",    "VALU_DEP_2",
                                            "VALU_DEP_3",    "VALU_DEP_4",    "TRANS32_DEP_1",
                                            "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1",
                                            "SALU_CYCLE_1",  "SALU_CYCLE_2",  "SALU_CYCLE_3"};
    static const char *const skips[8] = {"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    const struct {
        const char *name;
        isa_bits_t bits;
        const char *const *values;
        const char *other;
    } fields[] = {{"instid0", {0, 4}, results, "/* invalid instid value */"},
                  {"instskip", {4, 3}, skips, "/* invalid instskip value */"},
                  {"instid1", {7, 4}, results, "/* invalid instid value */"}};
    const char *gap = "";
    for (unsigned k = 0; k < sizeof fields / sizeof *fields; k++) {
        const uint32_t value = isa_bits_get(fields[k].bits, imm);
        if (!value) continue;
        const char *text = fields[k].values[value];
        isa_text(t, "%s%s(%s)", gap, fields[k].name, text ? text : fields[k].other);
        gap = " | ";
    }
    if (!*gap) isa_text(t, "0");
}

void isa_text_gpr_idx(isa_text_t *t, unsigned imm)
{
    static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
    const char *gap = "";
    if (imm > 15) {
        isa_text(t, "0x%x", imm);
        return;
    }
    isa_text(t, "gpr_idx(");
    for (unsigned k = 0; k < 4; k++)
        if (imm >> k & 1) {
            isa_text(t, "%s%s", gap, names[k]);
            gap = ",";
        }
    isa_text(t, ")");
}

/* ---- lane permutations ---- */

void isa_text_dpp(isa_text_t *t, const isa_inst_t *i, bool wide)
{
    static const struct {
        uint16_t first, last;
        const char *format; /* the argument of the format is the control's low four bits */
    } controls[] = {
        {0x101, 0x10f, " row_shl:%u"},      {0x111, 0x11f, " row_shr:%u"},
        {0x121, 0x12f, " row_ror:%u"},      {0x130, 0x130, " wave_shl:1"},
        {0x134, 0x134, " wave_rol:1"},      {0x138, 0x138, " wave_shr:1"},
        {0x13c, 0x13c, " wave_ror:1"},      {0x140, 0x140, " row_mirror"},
        {0x141, 0x141, " row_half_mirror"}, {0x142, 0x142, " row_bcast:15"},
        {0x143, 0x143, " row_bcast:31"},    {0x150, 0x15f, " row_newbcast:%u"},
    };
    const bool old = t->arch->formats->old_dpp;
    unsigned ctrl = i->dpp_ctrl;
    if (i->flags & ISA_F_DPP8) {
        isa_text(t, " dpp8:[");
        for (unsigned k = 0; k < 8; k++)
            isa_text(t, k ? ",%u" : "%u", (unsigned)i->imm >> 3 * k & 7);
        isa_text(t, "]%s", i->flags & ISA_F_FI ? " fi:1" : "");
        return;
    }
    if (wide && (ctrl & 0x1f0) != 0x150)
        isa_text(t, "  /* 64 bit dpp only supports row_newbcast */");
    else if (ctrl < 0x100)
        isa_text(t, " quad_perm:[%u,%u,%u,%u]", ctrl & 3, ctrl >> 2 & 3, ctrl >> 4 & 3, ctrl >> 6);
    else if (!old && (ctrl >> 4 == 0x15 || ctrl >> 4 == 0x16))
        isa_text(t, ctrl >> 4 == 0x15 ? " row_share:%u" : " row_xmask:%u", ctrl & 15);
    else {
        unsigned k = 0, n = sizeof(controls) / sizeof(*controls);
        while (k < n && (ctrl < controls[k].first || ctrl > controls[k].last))
            k++;
        if (k < n)
            isa_text(t, controls[k].format, ctrl & 15);
        else if (ctrl >= 0x160 && ctrl <= 0x16f)
            isa_text(t, " /* row_xmask is not supported on ASICs earlier than GFX10 */");
        else
            isa_text(t, " /* Invalid dpp_ctrl value */");
    }
    isa_text(t, " row_mask:0x%x bank_mask:0x%x", i->dpp_masks >> 4, i->dpp_masks & 15);
    if (i->dpp_bound) isa_text(t, " bound_ctrl:1");
    if (i->flags & ISA_F_FI) isa_text(t, " fi:1");
}

/* ds_swizzle: if bit 15 is set, a permutation within quads; otherwise masks that are applied to the
 * lane's number, in this order: and (bits 4:0), or (9:5), xor (14:10). */
void isa_text_swizzle(isa_text_t *t, unsigned offset)
{
    unsigned and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
    bool single = xor_mask && !(xor_mask & (xor_mask - 1));
    if (!offset) return;
    isa_text(t, " offset:");
    if ((offset & 0xff00) == 0x8000) {
        isa_text(t, "swizzle(QUAD_PERM,%u,%u,%u,%u)", offset & 3, offset >> 2 & 3, offset >> 4 & 3,
                 offset >> 6 & 3);
    } else if (offset & 0x8000) {
        isa_text(t, "%u", offset);
    } else if (and_mask == 31 && !or_mask && single) {
        isa_text(t, "swizzle(SWAP,%u)", xor_mask);
    } else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask + 1))) {
        isa_text(t, "swizzle(REVERSE,%u)", xor_mask + 1);
    } else {
        /* a broadcast keeps the group's number and sets the lane within it */
        unsigned group = 32 - and_mask;
        if (!(group & (group - 1)) && group > 1 && or_mask < group && !xor_mask) {
            isa_text(t, "swizzle(BROADCAST,%u,%u)", group, or_mask);
            return;
        }
        isa_text(t, "swizzle(BITMASK_PERM,\"");
        for (unsigned bit = 5; bit--;) {
            bool zero = (or_mask >> bit & 1) ^ (xor_mask >> bit & 1);
            bool one = ((and_mask | or_mask) >> bit & 1) ^ (xor_mask >> bit & 1);
            isa_text(t, "%c", zero == one ? "01"[zero] : zero ? 'i' : 'p');
        }
        isa_text(t, "\")");
    }
}

void isa_text_buffer_format(isa_text_t *t, unsigned format)
{
    static const char *const data[16] = {"INVALID",     "8",          "16",          "8_8",
                                         "32",          "16_16",      "10_11_11",    "11_11_10",
                                         "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                         "16_16_16_16", "32_32_32",   "32_32_32_32", NULL};
    static const char *const number[8] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                          "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
    unsigned dfmt = format & 15, nfmt = format >> 4;
    const uint8_t *unified = t->arch->formats->element_formats;
    if (unified && format && !isa_format_split(unified, format, &dfmt, &nfmt)) {
        isa_text(t, " format:%u", format);
        return;
    }
    if (dfmt == 1 && !nfmt) /* the assembler's default */
        return;
    isa_text(t, " format:[");
    if (unified)
        isa_text(t, dfmt ? "BUF_FMT_%s_%s" : "BUF_FMT_%s", data[dfmt], number[nfmt]);
    else if (dfmt == 15)
        isa_text(t, "BUF_DATA_FORMAT_RESERVED_15");
    else if (dfmt != 1)
        isa_text(t, "BUF_DATA_FORMAT_%s", data[dfmt]);
    if (nfmt && !unified) isa_text(t, "%sBUF_NUM_FORMAT_%s", dfmt != 1 ? "," : "", number[nfmt]);
    isa_text(t, "]");
}
