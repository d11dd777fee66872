/* valu_slow.c - vector instructions with modifiers or an uncommon MODE: SDWA, DPP, neg, abs, sext,
 * op_sel, clamp, omod, register indexing, rounding modes and flushed denormals.
 *
 * It has two functions for all instructions: one copies the sources to plain rows, with their
 * modifiers applied; the instruction's own body runs on these rows (VALU_SLOW in valu.h); the other
 * function applies the modifiers of the result. A new modifier needs changes only here. */
#include "softgpu/exec/valu.h"

#include <xmmintrin.h>

/* Width of one element of each valu_type_t. ORDER: valu_type_t */
static const uint8_t element_bits[VALU_TYPES] = {0, 16, 16, 32, 32, 64, 64, 16, 16, 32, 32, 32, 32};

static bool is_packed(unsigned type)
{
    return type >= VALU_P16 && type <= VALU_PF32;
}

static bool is_float(unsigned type)
{
    return type == VALU_F16 || type == VALU_F32 || type == VALU_F64 || type == VALU_PF16 ||
           type == VALU_PF32 || type == VALU_MIX;
}

/* Fields of MODE for results of this type: f32 has its own, f16 and f64 share the other. */
static unsigned denormal_field(unsigned type, uint32_t mode)
{
    const bool single = type == VALU_F32 || type == VALU_PF32 || type == VALU_MIX;
    return mode >> (single ? 4 : 6) & 3;
}

static unsigned round_field(unsigned type, uint32_t mode)
{
    const bool single = type == VALU_F32 || type == VALU_PF32 || type == VALU_MIX;
    return mode >> (single ? 0 : 2) & 3;
}

/* ---- DPP ---- */

#define DPP_LOOP(lane)                                                                             \
    for (int l = 0; l < ISA_LANES; l++)                                                            \
        from[l] = (lane);                                                                          \
    break

/* Lane that each lane reads, or -1 outside its row. */
static void dpp_sources(int32_t *from, unsigned ctrl)
{
    const int n = (int)(ctrl & 15);
    switch (ctrl >= 0x130 && ctrl < 0x150 ? ctrl : ctrl & ~15u) {
    case 0x100: DPP_LOOP((l & 15) + n < 16 ? l + n : -1);
    case 0x110: DPP_LOOP((l & 15) - n >= 0 ? l - n : -1);
    case 0x120: DPP_LOOP((l & ~15) + ((l - n) & 15));
    case 0x130: DPP_LOOP(l + 1 < ISA_LANES ? l + 1 : -1);
    case 0x134: DPP_LOOP((l + 1) & (ISA_LANES - 1));
    case 0x138: DPP_LOOP(l - 1);
    case 0x13c: DPP_LOOP((l - 1) & (ISA_LANES - 1));
    case 0x140: DPP_LOOP((l | 15) - (l & 15));
    case 0x141: DPP_LOOP((l | 7) - (l & 7));
    case 0x142: DPP_LOOP((l & ~15) - 1);
    case 0x143: DPP_LOOP(l >= 32 ? 31 : -1);
    case 0x150: DPP_LOOP((l & ~15) + n);
    case 0x160: DPP_LOOP(l ^ n);
    default: DPP_LOOP((l & ~3) + (int)(ctrl >> (2 * (l & 3)) & 3)); /* quad permute */
    }
}

/* DPP8: each lane of eight reads the lane that its three bits of `selects` name. */
static void dpp8_sources(int32_t *from, uint32_t selects)
{
    for (int l = 0; l < ISA_LANES; l++)
        from[l] = (l & ~7) | (int32_t)(selects >> 3 * (l & 7) & 7);
}

static bool dpp_known(const isa_wave_t *w, const isa_inst_t *i)
{
    const unsigned ctrl = i->dpp_ctrl;
    const bool old = w->group->dispatch->arch->formats->old_dpp;
    if (i->flags & ISA_F_DPP8 || ctrl < 0x100 || (ctrl & ~15u) == 0x150) return true;
    if ((ctrl & ~15u) >= 0x100 && (ctrl & ~15u) <= 0x120) return (ctrl & 15) != 0;
    if (!old) return ctrl == 0x140 || ctrl == 0x141 || (ctrl & ~15u) == 0x160;
    return ctrl == 0x130 || ctrl == 0x134 || ctrl == 0x138 || ctrl == 0x13c ||
           (ctrl >= 0x140 && ctrl <= 0x143);
}

/* The lanes that the row and bank masks allow to be written. */
static uint64_t dpp_enabled(unsigned masks)
{
    uint64_t lanes = 0;
    for (unsigned row = 0; row < 4; row++)
        for (unsigned bank = 0; bank < 4; bank++)
            if ((masks >> (4 + row) & 1) && (masks >> bank & 1))
                lanes |= UINT64_C(15) << (16 * row + 4 * bank);
    return lanes;
}

/* Permutes the rows of source 0, and removes the lanes that must not be written from f->lanes.
 * Two kinds of lanes are no source: those outside a row, and, without FI, those that EXEC excludes.
 * A lane that should read one of these gets 0 with DPP8 or BOUND_CTRL; else it is not written. */
static void dpp_permute(valu_frame_t *f, uint32_t *out, const uint32_t *in, unsigned rows)
{
    const isa_inst_t *i = f->i;
    const uint64_t sources = i->flags & ISA_F_FI ? ISA_ALL_LANES : f->w->exec;
    alignas(64) int32_t from[ISA_LANES];
    alignas(64) uint32_t active[ISA_LANES];
    alignas(64) uint8_t valid[ISA_LANES];
    if (i->flags & ISA_F_DPP8)
        dpp8_sources(from, (uint32_t)i->imm);
    else
        dpp_sources(from, i->dpp_ctrl);
    isa_vec_expand(active, sources, 1);
    for (int l = 0; l < ISA_LANES; l++)
        valid[l] = from[l] >= 0;
    for (int l = 0; l < ISA_LANES && sources != ISA_ALL_LANES; l++)
        valid[l] &= (uint8_t)active[from[l] & (ISA_LANES - 1)];
    for (unsigned r = 0; r < rows; r++, out += ISA_ROW, in += ISA_ROW)
        for (int l = 0; l < ISA_LANES; l++)
            out[l] = in[from[l] & (ISA_LANES - 1)] & (0 - (uint32_t)valid[l]);
    if (i->flags & ISA_F_DPP8) return;
    if (i->dpp_masks != 0xff) f->lanes &= dpp_enabled(i->dpp_masks);
    if (!i->dpp_bound) f->lanes &= valu_bits(valid);
}

/* ---- sources ---- */

/* These functions read the row `in` and write `row`, which may be the same. */

static void sdwa_select(uint32_t *row, const uint32_t *in, unsigned sel, bool sext)
{
    if (sel < ISA_SEL_WORD_0)
        VALU_LANES row[l] = sext ? (uint32_t)(int8_t)(in[l] >> 8 * sel) : in[l] >> 8 * sel & 0xff;
    else if (sel < ISA_SEL_DWORD)
        VALU_LANES row[l] =
            sext ? (uint32_t)(int16_t)(in[l] >> 16 * (sel & 1)) : in[l] >> 16 * (sel & 1) & 0xffff;
    else if (row != in)
        valu_copy(row, in, 1);
}

static void flip(uint32_t *row, const uint32_t *in, uint32_t clear, uint32_t toggle)
{
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(row + l, (isa_vec_load(in + l) & ~clear) ^ toggle);
}

/* op_sel (bit 0) selects the half for the low result, op_sel_hi (bit 1) the one for the high
 * result. */
static void packed_select(uint32_t *row, const uint32_t *in, const isa_operand_t *o, unsigned type)
{
    const bool low = o->sel & 1, high = o->sel & 2;
    if (element_bits[type] == 16) {
        const unsigned low_shift = low ? 16 : 0, high_shift = high ? 16 : 0;
        VALU_LANES row[l] = (in[l] >> low_shift & 0xffff) | in[l] >> high_shift << 16;
        flip(row, row, 0,
             (o->mods & ISA_MOD_NEG ? 0x8000u : 0) | (o->mods & ISA_MOD_ABS ? 0x80000000 : 0));
        return;
    }
    const uint32_t *from_low = low ? in + ISA_ROW : in, *from_high = high ? in + ISA_ROW : in;
    const uint32_t toggle_low = o->mods & ISA_MOD_NEG ? 0x80000000 : 0;
    const uint32_t toggle_high = o->mods & ISA_MOD_ABS ? 0x80000000 : 0;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const isa_vec_t x = isa_vec_load(from_low + l), y = isa_vec_load(from_high + l);
        isa_vec_store(row + l, x ^ toggle_low);
        isa_vec_store(row + ISA_ROW + l, y ^ toggle_high);
    }
}

static void mix_select(uint32_t *row, const isa_operand_t *o, uint32_t mode)
{
    if (o->sel & 2) {
        const unsigned shift = o->sel & 1 ? 16 : 0;
        const bool flush = !(denormal_field(VALU_F16, mode) & 1);
        VALU_LANES
        {
            const uint32_t h = row[l] >> shift & 0xffff;
            row[l] = fpu_f16_to_f32(flush ? fpu_flush16(h) : h);
        }
    }
    flip(row, row, o->mods & ISA_MOD_ABS ? 0x80000000 : 0, o->mods & ISA_MOD_NEG ? 0x80000000 : 0);
}

/* Applies neg and abs to the sign bit of a plain operand. */
static void sign_modifiers(uint32_t *row, const uint32_t *in, const isa_operand_t *o, unsigned type)
{
    const unsigned bits = element_bits[type];
    const uint32_t sign = bits == 16 ? 0x8000 : 0x80000000;
    if (bits == 64) {
        if (row != in) valu_copy(row, in, 1);
        row += ISA_ROW;
        in += ISA_ROW;
    }
    flip(row, in, o->mods & ISA_MOD_ABS ? sign : 0, o->mods & ISA_MOD_NEG ? sign : 0);
}

static void flush_rows(uint32_t *d, unsigned type)
{
    switch (type) {
    case VALU_F16: VALU_LANES d[l] = fpu_flush16(d[l]) | (d[l] & 0xffff0000); break;
    case VALU_PF16:
        VALU_LANES d[l] = fpu_flush16(d[l] & 0xffff) | fpu_flush16(d[l] >> 16) << 16;
        break;
    case VALU_F32:
    case VALU_MIX: VALU_LANES d[l] = fpu_flush32(d[l]); break;
    case VALU_PF32:
        VALU_LANES d[l] = fpu_flush32(d[l]);
        VALU_LANES d[ISA_ROW + l] = fpu_flush32(d[ISA_ROW + l]);
        break;
    case VALU_F64: VALU_LANES VALU_ST_u64(fpu_flush64(VALU_LD_u64(d))); break;
    default: break;
    }
}

static bool selects(const isa_operand_t *o, const isa_inst_t *i, unsigned type)
{
    if (is_packed(type)) return i->fmt == ISA_FMT_VOP3P && o->sel != 2;
    if (i->flags & ISA_F_SDWA) return o->sel != ISA_SEL_DWORD;
    return i->fmt != ISA_FMT_VOP3P && element_bits[type] == 16 && (o->sel & 1);
}

static const uint32_t *fetch(valu_frame_t *f, unsigned n)
{
    isa_wave_t *w = f->w;
    const isa_inst_t *i = f->i;
    const isa_operand_t *o = &i->src[n];
    const unsigned type = f->t->src[n], rows = valu_rows(type);
    uint32_t *row = f->src[n];
    const bool dpp = n == 0 && (i->flags & ISA_F_DPP);
    const bool tied = n == 2 && (f->t->flags & VALU_READS_DST);
    const bool flush =
        is_float(type) && !(f->t->flags & VALU_RAW) && !(denormal_field(type, w->mode) & 1);
    const uint32_t *in;
    if (tied)
        in = w->vgpr[i->dst.reg + f->index[3]];
    else if (o->kind == ISA_OPK_VGPR)
        in = w->vgpr[o->reg + f->index[n]];
    else
        in = valu_scalar_rows(w, i, o, row, rows);
    if (!in) return NULL;
    const bool plain = tied || (!o->mods && !selects(o, i, type) && type != VALU_MIX);
    if (plain && !dpp && !flush) return in;
    if (dpp) {
        if (in == row) {
            isa_stop_unsupported(w, i, "DPP of a scalar operand");
            return NULL;
        }
        dpp_permute(f, row, in, rows);
    } else if (in != row) {
        valu_copy(row, in, rows);
    }
    if (!plain) {
        if (i->flags & ISA_F_SDWA) sdwa_select(row, row, o->sel, o->mods & ISA_MOD_SEXT);
        if (type == VALU_MIX) {
            mix_select(row, o, w->mode);
        } else if (is_packed(type)) {
            if (i->fmt == ISA_FMT_VOP3P) packed_select(row, row, o, type);
        } else {
            if (!(i->flags & ISA_F_SDWA) && selects(o, i, type)) VALU_LANES row[l] >>= 16;
            if (o->mods & (ISA_MOD_NEG | ISA_MOD_ABS)) sign_modifiers(row, row, o, type);
        }
    }
    if (flush) flush_rows(row, type);
    return row;
}

/* ---- results ---- */

static const float omod_factor[4] = {1.0f, 2.0f, 4.0f, 0.5f};

static void finish_f32(uint32_t *row, const valu_frame_t *f, bool scale, bool clamp)
{
    const float factor = omod_factor[scale ? f->i->omod : 0];
    const bool nan_to_zero = f->w->mode & ISA_MODE_DX10_CLAMP;
    for (int l = 0; l < ISA_LANES; l++) {
        float x = fpu_f32(row[l]);
        if (fpu_nan32(row[l])) {
            if (clamp && nan_to_zero) row[l] = 0;
            continue;
        }
        x *= factor;
        if (clamp) x = x > 1 ? 1 : x > 0 ? x : 0;
        row[l] = fpu_bits32(x);
    }
}

static uint32_t finish_half(uint32_t h, float factor, bool clamp, bool nan_to_zero)
{
    if (fpu_nan16(h)) return clamp && nan_to_zero ? 0 : h & 0xffff;
    float x = fpu_f32(fpu_f16_to_f32(h)) * factor;
    if (clamp) x = x > 1 ? 1 : x > 0 ? x : 0;
    return fpu_f32_to_f16(fpu_bits32(x), FPU_NEAREST);
}

static void finish_f16(uint32_t *row, const valu_frame_t *f, bool scale, bool clamp, bool packed)
{
    const float factor = omod_factor[scale ? f->i->omod : 0];
    const bool nan_to_zero = f->w->mode & ISA_MODE_DX10_CLAMP;
    for (int l = 0; l < ISA_LANES; l++) {
        const uint32_t low = finish_half(row[l], factor, clamp, nan_to_zero);
        const uint32_t high = packed ? finish_half(row[l] >> 16, factor, clamp, nan_to_zero) : 0;
        row[l] = low | high << 16;
    }
}

static void finish_f64(uint32_t *d, const valu_frame_t *f, bool scale, bool clamp)
{
    const double factor = (double)omod_factor[scale ? f->i->omod : 0];
    const bool nan_to_zero = f->w->mode & ISA_MODE_DX10_CLAMP;
    for (int l = 0; l < ISA_LANES; l++) {
        double x = VALU_LD_f64(d);
        if (fpu_nan64(VALU_LD_u64(d))) {
            if (clamp && nan_to_zero) VALU_ST_u64(UINT64_C(0));
            continue;
        }
        x *= factor;
        if (clamp) x = x > 1 ? 1 : x > 0 ? x : 0;
        VALU_ST_f64(x);
    }
}

/* The order is that of the hardware's output stage: flush, omod, clamp. */
static void finish(valu_frame_t *f)
{
    const unsigned type = f->t->dst;
    const uint32_t mode = f->w->mode;
    if (!is_float(type) || (f->t->flags & VALU_RAW)) return;
    const bool keeps = denormal_field(type, mode) & 2;
    const bool clamp = f->i->flags & ISA_F_CLAMP && !(f->t->flags & VALU_CLAMP_NOP);
    const bool scale = f->i->omod && !keeps && !(mode & ISA_MODE_IEEE);
    if (!keeps) flush_rows(f->dst, type);
    if (!clamp && !scale) return;
    switch (type) {
    case VALU_F32: finish_f32(f->dst, f, scale, clamp); break;
    case VALU_PF32:
        finish_f32(f->dst, f, scale, clamp);
        finish_f32(f->dst + ISA_ROW, f, scale, clamp);
        break;
    case VALU_F16: finish_f16(f->dst, f, scale, clamp, false); break;
    case VALU_PF16: finish_f16(f->dst, f, scale, clamp, true); break;
    case VALU_F64: finish_f64(f->dst, f, scale, clamp); break;
    default: break;
    }
    if (!keeps) flush_rows(f->dst, type);
}

/* SDWA: the low bits of the result go to the selected part. */
static void sdwa_place(uint32_t *row, const uint32_t *old, const isa_inst_t *i)
{
    const unsigned sel = i->dst_sel;
    if (sel >= ISA_SEL_DWORD) return;
    const unsigned width = isa_sel_width(sel), shift = isa_sel_shift(sel);
    const uint32_t part = (1u << width) - 1;
    for (int l = 0; l < ISA_LANES; l++) {
        const uint32_t x = (row[l] & part) << shift;
        const uint32_t above = (uint32_t) - (row[l] >> (width - 1) & 1);
        const uint32_t sign = shift + width < 32 ? above << ((shift + width) & 31) : 0;
        row[l] = i->dst_unused == ISA_UNUSED_KEEP   ? (old[l] & ~(part << shift)) | x
                 : i->dst_unused == ISA_UNUSED_SIGN ? x | sign
                                                    : x;
    }
}

static void write_lanes(uint32_t *dst, const uint32_t *rows, unsigned n, uint64_t lanes)
{
    if (lanes == ISA_ALL_LANES)
        valu_copy(dst, rows, n);
    else
        valu_blend(dst, rows, n, lanes);
}

static void write_result(valu_frame_t *f)
{
    const isa_inst_t *i = f->i;
    const unsigned rows = valu_rows(f->t->dst);
    if (!rows) return;
    uint32_t *dst = f->w->vgpr[i->dst.reg + f->index[3]];
    const bool half = element_bits[f->t->dst] == 16 && !is_packed(f->t->dst);
    const bool high =
        (f->t->flags & VALU_HI_HALF) || (half && !(i->flags & ISA_F_SDWA) && (i->op_sel & 8));
    if (i->flags & ISA_F_SDWA)
        sdwa_place(f->dst, dst, i);
    else if (high)
        VALU_LANES f->dst[l] = (dst[l] & 0xffff) | f->dst[l] << 16;
    else if (valu_keeps(f->t, i))
        VALU_LANES f->dst[l] = (dst[l] & 0xffff0000) | (f->dst[l] & 0xffff);
    write_lanes(dst, f->dst, rows, f->lanes);
}

/* ---- the host's rounding mode ---- */

static void set_rounding(valu_frame_t *f, uint32_t round)
{
    /* MODE has the roundings in the order nearest, up, down, zero; MXCSR has nearest, down, up,
     * zero. */
    static const uint8_t host[4] = {0, 2, 1, 3};
    f->rounds = round != FPU_NEAREST; /* otherwise MXCSR has the right mode already */
    if (!f->rounds) return;
    _mm_setcsr(ISA_HOST_FLOAT_MODE | (uint32_t)host[round & 3] << ISA_HOST_ROUND_SHIFT);
}

static uint32_t result_round(const valu_desc_t *t, uint32_t mode)
{
    if (t->flags & VALU_NEAREST) return FPU_NEAREST;
    if (is_float(t->dst)) return round_field(t->dst, mode);
    return is_float(t->src[0]) ? round_field(t->src[0], mode) : FPU_NEAREST;
}

static void register_indexing(valu_frame_t *f)
{
    const uint32_t m0 = f->w->m0;
    if (!(f->w->mode & ISA_MODE_GPR_IDX)) return;
    for (unsigned n = 0; n < 4; n++)
        f->index[n] = m0 >> (12 + n) & 1 ? m0 & 0xff : 0;
}

static bool refuse(const valu_frame_t *f)
{
    isa_wave_t *w = f->w;
    const isa_inst_t *i = f->i;
    const valu_desc_t *t = f->t;
    const char *why = NULL;
    if ((i->flags & ISA_F_DPP) && !dpp_known(w, i)) why = "DPP control";
    if ((i->flags & ISA_F_CLAMP) && t->dst && !is_float(t->dst) &&
        !(t->flags & (VALU_SATURATES | VALU_CLAMP_NOP)))
        why = "clamp of this instruction";
    if ((w->mode & ISA_MODE_FP16_OVFL) && (t->dst == VALU_F16 || t->dst == VALU_PF16))
        why = "MODE.FP16_OVFL";
    if (i->fmt == ISA_FMT_VOP3P)
        for (unsigned n = 0; n < 3; n++)
            if (t->src[n] && !is_packed(t->src[n]) && t->src[n] != VALU_MIX &&
                i->src[n].mods & (t->src[n] == VALU_F32 ? ISA_MOD_ABS : ISA_MOD_ABS | ISA_MOD_NEG))
                why = "sign modifier of a 32-bit operand";
    for (unsigned n = 0; n < 3; n++)
        if (is_packed(t->src[n]) && i->fmt == ISA_FMT_VOP3A && i->src[n].mods)
            why = "sign modifier of a pair";
    if (why) isa_stop_unsupported(w, i, why);
    return why != NULL;
}

/* ---- the most frequent modifiers: sources with changed signs or selected parts, and no others
 * ---- */

static bool sources_only(const isa_wave_t *w, const isa_inst_t *i, const valu_desc_t *t)
{
    if (i->flags & VALU_SLOW_FLAGS & ~(uint32_t)(ISA_F_SRCMOD | ISA_F_SDWA)) return false;
    if (((w->mode ^ ISA_MODE_FLOAT_PLAIN) &
         (ISA_MODE_FLOAT | ISA_MODE_FP16_OVFL | ISA_MODE_GPR_IDX)) ||
        (t->flags & VALU_HI_HALF))
        return false;
    if (i->fmt == ISA_FMT_VOP3P) return is_packed(t->dst);
    return (i->flags & ISA_F_SDWA) || !((i->src[0].sel | i->src[1].sel | i->src[2].sel) & 1);
}

/* The source for the body: the register itself if it has no modifiers, else `row`. */
static const uint32_t *plain_source(isa_wave_t *w, const isa_inst_t *i, unsigned n, unsigned type,
                                    uint32_t *row)
{
    const isa_operand_t *o = &i->src[n];
    const uint32_t *in =
        o->kind == ISA_OPK_VGPR ? w->vgpr[o->reg] : valu_scalar_rows(w, i, o, row, valu_rows(type));
    if (!in || (!o->mods && !selects(o, i, type))) return in;
    if (i->fmt == ISA_FMT_VOP3P) {
        packed_select(row, in, o, type);
        return row;
    }
    if (i->flags & ISA_F_SDWA) {
        sdwa_select(row, in, o->sel, o->mods & ISA_MOD_SEXT);
        in = row;
    }
    if (in != row || (o->mods & (ISA_MOD_NEG | ISA_MOD_ABS))) sign_modifiers(row, in, o, type);
    return row;
}

static inline void read_mask(valu_frame_t *f)
{
    if (f->t->flags & (VALU_MASK_IN | VALU_READS_VCC))
        f->v.in = valu_mask_in(f->w, f->i, f->t->flags);
}

static inline void write_mask(const valu_frame_t *f)
{
    valu_write_mask(f->w, f->i, f->t, f->v.out, f->lanes);
}

static __attribute__((noinline)) bool plain_operands(valu_frame_t *f)
{
    isa_wave_t *w = f->w;
    const isa_inst_t *i = f->i;
    const valu_desc_t *t = f->t;
    uint32_t *dst = w->vgpr[valu_rows(t->dst) ? i->dst.reg : 0];
    for (unsigned n = 0; n < 3; n++) {
        if (t->src[n] == VALU_NONE) continue;
        f->v.s[n] = n == 2 && (t->flags & VALU_READS_DST)
                        ? dst
                        : plain_source(w, i, n, t->src[n], f->src[n]);
        if (!f->v.s[n]) return false;
    }
    read_mask(f);
    f->v.round = FPU_NEAREST;
    return true;
}

static __attribute__((noinline)) void plain_result(valu_frame_t *f)
{
    const isa_inst_t *i = f->i;
    const unsigned rows = valu_rows(f->t->dst);
    uint32_t *dst = f->w->vgpr[rows ? i->dst.reg : 0], *result = f->dst;
    if (valu_keeps(f->t, i) && !(i->flags & ISA_F_SDWA))
        VALU_LANES result[l] = (dst[l] & 0xffff0000) | (result[l] & 0xffff);
    write_lanes(dst, result, rows, f->lanes);
    write_mask(f);
}

/* ---- the general case ---- */

static __attribute__((noinline)) bool general_operands(valu_frame_t *f)
{
    const valu_desc_t *t = f->t;
    const uint32_t mode = f->w->mode;
    memset(f->index, 0, sizeof f->index);
    if (refuse(f)) return false;
    register_indexing(f);
    for (unsigned n = 0; n < 3; n++) {
        if (t->src[n] == VALU_NONE) continue;
        f->v.s[n] = fetch(f, n);
        if (!f->v.s[n]) return false;
    }
    read_mask(f);
    f->v.round = t->flags & VALU_NEAREST ? FPU_NEAREST : round_field(VALU_F16, mode);
    set_rounding(f, result_round(t, mode));
    return true;
}

static __attribute__((noinline)) void general_result(valu_frame_t *f)
{
    if (f->rounds) _mm_setcsr(ISA_HOST_FLOAT_MODE);
    finish(f);
    write_result(f);
    write_mask(f);
}

/* Both calls are tail calls, so that this function saves no registers of the host: only the
 * function to which it jumps does. */
bool valu_slow_operands(valu_frame_t *f, isa_wave_t *w, const isa_inst_t *i, const valu_desc_t *t)
{
    f->w = w;
    f->i = i;
    f->t = t;
    f->lanes = w->exec;
    f->v.d = f->dst;
    f->v.out = 0;
    f->v.lanes = w->exec;
    f->v.mode = w->mode;
    f->sources_only = sources_only(w, i, t);
    return f->sources_only ? plain_operands(f) : general_operands(f);
}

void valu_slow_result(valu_frame_t *f)
{
    if (f->sources_only)
        plain_result(f);
    else
        general_result(f);
}
