/* valu.h - how a vector instruction is written: one line that gives its types and its formula.
 *
 * The line makes a body, which computes all 64 lanes from plain rows of dwords, and a handler,
 * which passes it the operands. valu_slow.c applies the modifiers of an encoding (SDWA, DPP, neg,
 * abs, op_sel, clamp, omod, MODE) before and after the same body, in the same way for all
 * instructions. A body is always called by its name, never by a pointer, so that a translator can
 * inline it. */
#ifndef SOFTGPU_EXEC_VALU_H
#define SOFTGPU_EXEC_VALU_H

#include "softgpu/exec/fpu.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/vector.h"

#include <stdalign.h>
#include <string.h>

/* Operand types. ORDER: valu_slow.c indexes its table of row counts and widths with them. */
typedef enum {
    VALU_NONE,
    VALU_B16, /* low half of a row, integer */
    VALU_F16, /* low half of a row */
    VALU_B32,
    VALU_F32,
    VALU_B64, /* two rows: low dwords, high dwords */
    VALU_F64,
    VALU_P16,  /* two integers of 16 bits in a row */
    VALU_PF16, /* two halves in a row */
    VALU_P32,  /* two rows, one dword each */
    VALU_PF32,
    VALU_B128, /* four rows */
    VALU_MIX,  /* v_fma_mix: f32, or an f16 half; the body sees f32 */
    VALU_TYPES
} valu_type_t;

enum {
    VALU_STAGED = 1 << 0,    /* the body reads sources after it has written results */
    VALU_KEEP = 1 << 1,      /* a 16-bit result leaves the register's other half unchanged */
    VALU_READS_DST = 1 << 2, /* the destination is the third source */
    VALU_MASK_IN = 1 << 3,   /* v.in: lane mask of src[2], or VCC if the encoding has none */
    VALU_MASK_OUT = 1 << 4,  /* v.out: lane mask to the scalar destination, or VCC */
    VALU_CMPX = 1 << 5,      /* v.out also goes to EXEC */
    VALU_RAW = 1 << 6,       /* float operands are moved or inspected: denormals are not flushed */
    VALU_NEAREST = 1 << 7, /* the host rounds to nearest while the body runs, whatever MODE says */
    VALU_CLAMP_NOP = 1 << 8, /* clamp changes nothing: integers that cannot overflow, dot2 */
    VALU_READS_VCC = 1 << 9, /* v.in: VCC, src[2] is an ordinary source */
    VALU_HI_HALF = 1 << 10,  /* a 16-bit result goes to the high half, the low one is kept */
    VALU_SATURATES = 1 << 11 /* another body runs if CLAMP is set; for integer results */
};

/* The operands of a body. Rows are 64-byte aligned; a tuple's rows are ISA_ROW apart. */
typedef struct {
    uint32_t *d;
    const uint32_t *s[3];
    uint64_t in, out; /* lane masks */
    uint64_t lanes;   /* active lanes: the results of other lanes are not used */
    uint32_t mode;    /* MODE register */
    uint32_t round;   /* fpu_round_t for f16 and f64 results */
#ifdef ISA_CHUNK
    bool quick; /* NaNs and other rare cases are not computed, but noted in `rare` (chunk.h) */
    uint32_t *rare;
#endif
} valu_t;

typedef struct {
    uint8_t dst, src[3]; /* valu_type_t */
    uint16_t flags;
} valu_desc_t;

enum {
    VALU_SLOW_FLAGS =
        ISA_F_SDWA | ISA_F_DPP | ISA_F_OMOD | ISA_F_CLAMP | ISA_F_SRCMOD | ISA_F_DSTSEL
};

/* Lets the compiler vectorise: two rows are the same or do not overlap, so no lane's result is
 * another lane's source. */
#ifdef __clang__
#define VALU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define VALU_INDEPENDENT _Pragma("GCC ivdep")
#endif
#define VALU_LANES VALU_INDEPENDENT for (int l = 0; l < ISA_LANES; l++)

#define VALU_ROW(p)    ((uint32_t *)__builtin_assume_aligned((p), 64))
#define VALU_SRC(v, n) ((const uint32_t *)__builtin_assume_aligned((v)->s[n], 64))

/* ---- the general path, for all modifiers and all values of MODE ---- */

enum { VALU_MAX_ROWS = 4 };

/* The state of the general path between its two functions, and the rows of the body's operands. */
typedef struct {
    valu_t v;
    isa_wave_t *w;
    const isa_inst_t *i;
    const valu_desc_t *t;
    uint64_t lanes;    /* lanes that are written */
    unsigned index[4]; /* register indexing: added to src0, src1, src2, dst */
    bool sources_only; /* the result has no modifiers */
    bool rounds;       /* the host's rounding mode is changed while the body runs */
    alignas(64) uint32_t src[3][VALU_MAX_ROWS * ISA_ROW];
    alignas(64) uint32_t dst[VALU_MAX_ROWS * ISA_ROW];
} valu_frame_t;

/* Copies the sources, with their modifiers applied, to plain rows and sets the host's rounding
 * mode: f->v is ready for the body. False: the wave has been stopped, or the instruction is
 * refused, and no body may run. */
bool valu_slow_operands(valu_frame_t *f, isa_wave_t *w, const isa_inst_t *i, const valu_desc_t *t);

/* Applies the modifiers of the result, which the body has left in f->v, and writes it. */
void valu_slow_result(valu_frame_t *f);

/* The general path of one instruction, around its body. It is a separate function, so that the
 * common path does not need its frame of four KiB. */
#define VALU_SLOW(fn, desc, body, sat)                                                             \
    static __attribute__((noinline)) void fn(isa_wave_t *w, const isa_inst_t *i)                   \
    {                                                                                              \
        valu_frame_t f;                                                                            \
        if (!valu_slow_operands(&f, w, i, &desc)) return;                                          \
        if (desc.flags & VALU_SATURATES && i->flags & ISA_F_CLAMP)                                 \
            sat(&f.v);                                                                             \
        else                                                                                       \
            body(&f.v);                                                                            \
        valu_slow_result(&f);                                                                      \
    }

/* Broadcasts a scalar source to `rows` rows of tmp; NULL after stopping the wave. */
const uint32_t *valu_scalar_rows(isa_wave_t *w, const isa_inst_t *i, const isa_operand_t *o,
                                 uint32_t *tmp, unsigned rows);

/* Sets all lanes of a row to x. */
static inline __attribute__((always_inline)) void valu_fill(uint32_t *row, uint32_t x)
{
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(row + l, isa_vec_all(x));
}

/* Copies the lanes of `mask`. */
static inline __attribute__((always_inline)) void valu_blend(uint32_t *dst, const uint32_t *src,
                                                             unsigned rows, uint64_t mask)
{
    for (unsigned r = 0; r < rows; r++, dst += ISA_ROW, src += ISA_ROW)
        for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
            isa_vec_store(dst + l, isa_vec_lanes((uint32_t)(mask >> l), isa_vec_load(src + l),
                                                 isa_vec_load(dst + l)));
}

static inline __attribute__((always_inline)) void valu_copy(uint32_t *dst, const uint32_t *src,
                                                            unsigned rows)
{
    for (unsigned r = 0; r < rows; r++, dst += ISA_ROW, src += ISA_ROW)
        for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
            isa_vec_store(dst + l, isa_vec_load(src + l));
}

/* Replaces NaN results by those of the hardware: the first NaN among the n operands, quieted, or
 * the default NaN. The sources must not have been overwritten. */
void valu_fix_nan_f32(valu_t *v, unsigned n);
void valu_fix_nan_f64(valu_t *v, unsigned n);
void valu_fix_nan_f16(valu_t *v, unsigned n);
void valu_fix_nan_pf16(valu_t *v, unsigned n);
void valu_fix_nan_pf32(valu_t *v, unsigned n);

/* Saturates a sum or product to 32 bits. */
static inline uint32_t valu_sat_i32(int64_t x)
{
    return (uint32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x);
}
static inline uint32_t valu_sat_u32(uint64_t x)
{
    return x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}

/* Makes a lane mask from 64 bytes, each 0 or 1. */
uint64_t valu_bits(const uint8_t *bytes);

/* Rows of an operand: a constant for a constant type. */
#define VALU_ROWS(type)                                                                            \
    ((type) == VALU_NONE                                                                     ? 0u  \
     : (type) == VALU_B128                                                                   ? 4u  \
     : (type) == VALU_B64 || (type) == VALU_F64 || (type) == VALU_P32 || (type) == VALU_PF32 ? 2u  \
                                                                                             : 1u)

static inline unsigned valu_rows(unsigned type)
{
    return VALU_ROWS(type);
}

/* The bits of MODE that have an effect on operands of this type. */
static inline uint32_t valu_mode_mask(unsigned type)
{
    switch (type) {
    case VALU_F32:
    case VALU_PF32:
    case VALU_MIX: return 0x33;
    case VALU_F16:
    case VALU_PF16: return 0xcc | ISA_MODE_FP16_OVFL;
    case VALU_F64: return 0xcc;
    default: return 0;
    }
}

/* The scalar register that a lane mask is written to. */
static inline unsigned valu_mask_reg(const isa_inst_t *i)
{
    if (i->dst2.kind == ISA_OPK_SGPR) return i->dst2.reg;
    return i->dst.kind == ISA_OPK_SGPR ? i->dst.reg : ISA_CODE_VCC;
}

static inline uint64_t valu_mask_in(isa_wave_t *w, const isa_inst_t *i, unsigned flags)
{
    if ((flags & VALU_MASK_IN) && i->src[2].kind != ISA_OPK_NONE)
        return isa_read_mask(w, &i->src[2]);
    return isa_vcc(w);
}

/* Whether the result leaves the other half of the register unchanged: some instructions do so on
 * all GPUs; on some GPUs all instructions with results of 16 bits do. */
static inline __attribute__((always_inline)) bool valu_keeps(const valu_desc_t *t,
                                                             const isa_inst_t *i)
{
    return t->flags & VALU_KEEP ||
           ((t->dst == VALU_B16 || t->dst == VALU_F16) && i->dst.mods & ISA_MOD_KEEP);
}

/* ---- the common path: no modifiers, and MODE has no effect ----
 *
 * `t` is a constant for every caller, so that the compiler leaves out code that the instruction
 * does not need. */

/* Dwords of the common path's rows: the result, of at least a row, and the sources. */
#define VALU_ROOM(DT, AT, BT, CT)                                                                  \
    (ISA_ROW *                                                                                     \
     (VALU_ROWS(DT) + ((DT) == VALU_NONE) + VALU_ROWS(AT) + VALU_ROWS(BT) + VALU_ROWS(CT)))

/* The lanes whose results are used: in the translator's library the wave has all lanes, and code
 * around it keeps what it needs. */
#ifdef ISA_CHUNK
#define VALU_ACTIVE(w) ISA_CHUNK_ACTIVE(w)
#else
#define VALU_ACTIVE(w) ((w)->exec)
#endif

/* Where the result goes. */
typedef struct {
    uint64_t exec;
    uint32_t *dst, *staged; /* the register's rows; temporary rows of the handler */
    bool direct;            /* the body has written to the register */
} valu_target_t;

static inline __attribute__((always_inline)) bool
valu_is_slow(const isa_wave_t *w, const isa_inst_t *i, const valu_desc_t *t)
{
    const uint32_t mode_mask = valu_mode_mask(t->dst) | valu_mode_mask(t->src[0]) |
                               valu_mode_mask(t->src[1]) | valu_mode_mask(t->src[2]) |
                               ISA_MODE_GPR_IDX;
    return __builtin_expect(
        (i->flags & VALU_SLOW_FLAGS) || ((w->mode ^ ISA_MODE_FLOAT_PLAIN) & mode_mask), 0);
}

/* Whether the result leaves part of the register's rows unchanged. */
static inline __attribute__((always_inline)) bool valu_is_partial(const valu_desc_t *t,
                                                                  const isa_inst_t *i)
{
    return valu_keeps(t, i) || t->flags & VALU_HI_HALF;
}

/* Sets source n in *v; if it is no vector register, `rows` gets a copy. False: the wave has been
 * stopped. */
static inline __attribute__((always_inline)) bool valu_operand(valu_t *v, unsigned n,
                                                               const valu_target_t *to,
                                                               isa_wave_t *w, const isa_inst_t *i,
                                                               const valu_desc_t *t, uint32_t *rows)
{
    const isa_operand_t *o = &i->src[n];
    if (t->src[n] == VALU_NONE) return true;
    if (n == 2 && (t->flags & VALU_READS_DST)) {
        v->s[2] = to->dst;
    } else if (__builtin_expect(o->kind == ISA_OPK_VGPR, 1)) {
        v->s[n] = w->vgpr[o->reg];
    } else if (__builtin_expect(o->kind == ISA_OPK_SGPR || o->kind == ISA_OPK_CONST, 1) &&
               valu_rows(t->src[n]) <= 2) {
        const bool wide = valu_rows(t->src[n]) == 2;
        valu_fill(rows, isa_read32(w, o));
        if (wide) valu_fill(rows + ISA_ROW, (uint32_t)(isa_read64(w, o) >> 32));
        v->s[n] = rows;
    } else {
        v->s[n] = valu_scalar_rows(w, i, o, rows, valu_rows(t->src[n]));
        if (__builtin_expect(!v->s[n], 0)) return false;
    }
    return true;
}

/* Makes *v ready for the body. False: the wave has been stopped. `room`: VALU_ROOM() dwords. */
static inline __attribute__((always_inline)) bool valu_operands(valu_t *v, valu_target_t *to,
                                                                isa_wave_t *w, const isa_inst_t *i,
                                                                const valu_desc_t *t,
                                                                uint32_t *room)
{
    const unsigned rows = valu_rows(t->dst);
    to->exec = w->exec;
    to->staged = VALU_ROW(room);
    to->dst = rows ? w->vgpr[i->dst.reg] : to->staged;
    to->direct = to->exec == ISA_ALL_LANES && !valu_is_partial(t, i) && !(t->flags & VALU_STAGED);
    v->mode = w->mode;
    v->round = FPU_NEAREST;
    v->out = 0;
    v->lanes = VALU_ACTIVE(w);
#ifdef ISA_CHUNK
    v->quick = ISA_CHUNK_QUICK(w);
    v->rare = ISA_CHUNK_RARE(w);
#endif
    v->d = to->direct ? to->dst : to->staged;
    room += ISA_ROW * (rows + !rows);
    if (!valu_operand(v, 0, to, w, i, t, room)) return false;
    room += ISA_ROW * valu_rows(t->src[0]);
    if (!valu_operand(v, 1, to, w, i, t, room)) return false;
    room += ISA_ROW * valu_rows(t->src[1]);
    if (!valu_operand(v, 2, to, w, i, t, room)) return false;
    if (t->flags & (VALU_MASK_IN | VALU_READS_VCC)) v->in = valu_mask_in(w, i, t->flags);
    return true;
}

/* Writes the lane mask that a body has computed, for the lanes of `lanes`. */
static inline __attribute__((always_inline)) void valu_write_mask(isa_wave_t *w,
                                                                  const isa_inst_t *i,
                                                                  const valu_desc_t *t,
                                                                  uint64_t out, uint64_t lanes)
{
    if (!(t->flags & VALU_MASK_OUT)) return;
    isa_set_mask(w, valu_mask_reg(i), out & lanes);
    if (t->flags & VALU_CMPX) w->exec = out & lanes;
}

/* Writes the result of the body. */
static inline __attribute__((always_inline)) void valu_result(const valu_t *v,
                                                              const valu_target_t *to,
                                                              isa_wave_t *w, const isa_inst_t *i,
                                                              const valu_desc_t *t)
{
    const unsigned rows = valu_rows(t->dst);
    uint32_t *const dst = to->dst, *const staged = VALU_ROW(to->staged);
    if (rows && !to->direct) {
        if (t->flags & VALU_HI_HALF)
            VALU_LANES staged[l] = (dst[l] & 0xffff) | staged[l] << 16;
        else if (valu_keeps(t, i))
            VALU_LANES staged[l] = (dst[l] & 0xffff0000) | (staged[l] & 0xffff);
        if (to->exec == ISA_ALL_LANES)
            valu_copy(dst, staged, rows);
        else
            valu_blend(dst, staged, rows, to->exec);
    }
    valu_write_mask(w, i, t, v->out, to->exec);
}

/* ---- type names in formulas: u16 i16 u32 i32 u64 i64 f32 f64 ---- */

#define VALU_C_u16 uint32_t /* zero-extended */
#define VALU_C_i16 int32_t  /* sign-extended */
#define VALU_C_u32 uint32_t
#define VALU_C_i32 int32_t
#define VALU_C_u64 uint64_t
#define VALU_C_i64 int64_t
#define VALU_C_f16 float /* converted */
#define VALU_C_f32 float
#define VALU_C_f64 double
#define VALU_C_b32 uint32_t /* bits of an f32 */
#define VALU_C_b64 uint64_t /* bits of an f64 */
#define VALU_C_b16 uint32_t /* bits of an f16 */

#define VALU_T_u16 VALU_B16
#define VALU_T_i16 VALU_B16
#define VALU_T_u32 VALU_B32
#define VALU_T_i32 VALU_B32
#define VALU_T_u64 VALU_B64
#define VALU_T_i64 VALU_B64
#define VALU_T_f16 VALU_F16
#define VALU_T_f32 VALU_F32
#define VALU_T_f64 VALU_F64
#define VALU_T_b32 VALU_F32
#define VALU_T_b64 VALU_F64
#define VALU_T_b16 VALU_F16

#define VALU_LD_u16(p) ((p)[l] & 0xffff)
#define VALU_LD_i16(p) ((int32_t)((p)[l] << 16) >> 16)
#define VALU_LD_u32(p) ((p)[l])
#define VALU_LD_i32(p) ((int32_t)(p)[l])
#define VALU_LD_u64(p) ((uint64_t)(p)[l] | (uint64_t)(p)[ISA_ROW + l] << 32)
#define VALU_LD_i64(p) ((int64_t)VALU_LD_u64(p))
#define VALU_LD_f16(p) fpu_f32(fpu_f16_to_f32((p)[l]))
#define VALU_LD_f32(p) fpu_f32((p)[l])
#define VALU_LD_f64(p) fpu_f64(VALU_LD_u64(p))
#define VALU_LD_b32(p) ((p)[l])
#define VALU_LD_b64(p) VALU_LD_u64(p)
#define VALU_LD_b16(p) ((p)[l] & 0xffff)

#define VALU_ST_u32(x) d[l] = (uint32_t)(x)
#define VALU_ST_i32(x) d[l] = (uint32_t)(x)
#define VALU_ST_u16(x) d[l] = (uint32_t)(x)&0xffff
#define VALU_ST_i16(x) d[l] = (uint32_t)(x)&0xffff
#define VALU_ST_b16(x) d[l] = (uint32_t)(x)&0xffff
#define VALU_ST_b32(x) d[l] = (x)
#define VALU_ST_f32(x) d[l] = fpu_bits32(x)
#define VALU_ST_u64(x)                                                                             \
    do {                                                                                           \
        const uint64_t st_ = (uint64_t)(x);                                                        \
        d[l] = (uint32_t)st_;                                                                      \
        d[ISA_ROW + l] = (uint32_t)(st_ >> 32);                                                    \
    } while (0)
#define VALU_ST_i64(x) VALU_ST_u64(x)
#define VALU_ST_b64(x) VALU_ST_u64(x)
#define VALU_ST_f64(x) VALU_ST_u64(fpu_bits64(x))

/* The bits of MODE that formulas use. They are local copies, since a compiler cannot know that
 * stores to rows do not change *v. */
#define VALU_LOCALS                                                                                \
    const bool ieee __attribute__((unused)) = v->mode & ISA_MODE_IEEE;                             \
    const uint32_t round __attribute__((unused)) = v->round

/* Head of a body's loop: a, b, c are the lane's sources in the types named. */
#define VALU_BODY1(fn, AT)                                                                         \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        const uint32_t *pa = VALU_SRC(v, 0);                                                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_LD_##AT(pa);
#define VALU_BODY2(fn, AT, BT)                                                                     \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1);                                 \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_LD_##AT(pa);                                                \
            const VALU_C_##BT b = VALU_LD_##BT(pb);
#define VALU_BODY3(fn, AT, BT, CT)                                                                 \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        const uint32_t *pa = VALU_SRC(v, 0), *pb = VALU_SRC(v, 1), *pc = VALU_SRC(v, 2);           \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_LD_##AT(pa);                                                \
            const VALU_C_##BT b = VALU_LD_##BT(pb);                                                \
            const VALU_C_##CT c = VALU_LD_##CT(pc);
#define VALU_END                                                                                   \
    }                                                                                              \
    }

/* ---- handlers ---- */

/* The translator's library has the instruction as a function, too (chunk.h). If lanes may need what
 * only the handler does, as NaNs, the function is a quick one, which notes them; some instructions
 * have a second one, which computes NaNs as the handler does. */
#ifdef ISA_CHUNK
#define VALU_COLD __attribute__((always_inline))
#define VALU_CHUNK(name, DT, AT, BT, CT, FLAGS)                                                    \
    ISA_CHUNK_OF(name, VALU_ROWS(DT), {VALU_ROWS(AT), VALU_ROWS(BT), VALU_ROWS(CT)},               \
                 ((FLAGS)&VALU_MASK_IN) != 0)
#define VALU_QUICK(name, DT, AT, BT, CT, FLAGS)                                                    \
    ISA_QUICK_OF(name, VALU_ROWS(DT), {VALU_ROWS(AT), VALU_ROWS(BT), VALU_ROWS(CT)},               \
                 ((FLAGS)&VALU_MASK_IN) != 0)
#else
#define VALU_COLD __attribute__((noinline, cold))
#define VALU_CHUNK(name, DT, AT, BT, CT, FLAGS)
#define VALU_QUICK(name, DT, AT, BT, CT, FLAGS)
#endif

/* The two paths of an instruction: a function whose head is given, and that of the general path.
 * `common` is the body for the common path. */
#define VALU_PATHS(head, name, DT, AT, BT, CT, FLAGS, common, body, sat)                           \
    static const valu_desc_t desc_##name = {DT, {AT, BT, CT}, (FLAGS)};                            \
    VALU_SLOW(slow_##name, desc_##name, body, sat)                                                 \
    head                                                                                           \
    {                                                                                              \
        alignas(64) uint32_t room[VALU_ROOM(DT, AT, BT, CT)];                                      \
        valu_t v;                                                                                  \
        valu_target_t to;                                                                          \
        if (valu_is_slow(w, i, &desc_##name)) {                                                    \
            slow_##name(w, i);                                                                     \
            return;                                                                                \
        }                                                                                          \
        if (!valu_operands(&v, &to, w, i, &desc_##name, room)) return;                             \
        common(&v);                                                                                \
        valu_result(&v, &to, w, i, &desc_##name);                                                  \
    }

/* A handler for a body with another name, which several handlers share. */
#define VALU_ALIAS(name, DT, AT, BT, CT, FLAGS, body)                                              \
    VALU_PATHS(ISA_INST(name), name, DT, AT, BT, CT, FLAGS, body, body, body)                      \
    VALU_CHUNK(name, DT, AT, BT, CT, FLAGS)

#define VALU_HANDLER(name, DT, AT, BT, CT, FLAGS)                                                  \
    VALU_ALIAS(name, DT, AT, BT, CT, FLAGS, body_##name)

/* The same two; in the library, the function notes lanes with rare cases. */
#define VALU_QUICK_ALIAS(name, DT, AT, BT, CT, FLAGS, body)                                        \
    VALU_PATHS(ISA_INST(name), name, DT, AT, BT, CT, FLAGS, body, body, body)                      \
    VALU_QUICK(name, DT, AT, BT, CT, FLAGS)

#define VALU_QUICK_HANDLER(name, DT, AT, BT, CT, FLAGS)                                            \
    VALU_QUICK_ALIAS(name, DT, AT, BT, CT, FLAGS, body_##name)

/* With both functions in the library. */
#define VALU_BOTH_ALIAS(name, DT, AT, BT, CT, FLAGS, body)                                         \
    VALU_ALIAS(name, DT, AT, BT, CT, FLAGS, body)                                                  \
    VALU_QUICK(name, DT, AT, BT, CT, FLAGS)

/* A handler with a second body, sat_<name>, for clamp. */
#define VALU_SATURATING(name, DT, AT, BT, CT, FLAGS)                                               \
    VALU_PATHS(ISA_INST(name), name, DT, AT, BT, CT, (FLAGS) | VALU_SATURATES, body_##name,        \
               body_##name, sat_##name)                                                            \
    VALU_CHUNK(name, DT, AT, BT, CT, FLAGS)

/* Plain instructions: name, result type, source types, formula of a, b, c. */
#define VALU_OP1(name, DT, AT, FLAGS, expr)                                                        \
    VALU_BODY1(body_##name, AT) VALU_ST_##DT(expr);                                                \
    VALU_END                                                                                       \
    VALU_HANDLER(name, VALU_T_##DT, VALU_T_##AT, VALU_NONE, VALU_NONE, FLAGS)
#define VALU_OP2(name, DT, AT, BT, FLAGS, expr)                                                    \
    VALU_BODY2(body_##name, AT, BT) VALU_ST_##DT(expr);                                            \
    VALU_END                                                                                       \
    VALU_HANDLER(name, VALU_T_##DT, VALU_T_##AT, VALU_T_##BT, VALU_NONE, FLAGS)
#define VALU_OP3(name, DT, AT, BT, CT, FLAGS, expr)                                                \
    VALU_BODY3(body_##name, AT, BT, CT) VALU_ST_##DT(expr);                                        \
    VALU_END                                                                                       \
    VALU_HANDLER(name, VALU_T_##DT, VALU_T_##AT, VALU_T_##BT, VALU_T_##CT, FLAGS)

/* The same with a second formula for clamp. */
#define VALU_SAT2(name, DT, AT, BT, FLAGS, expr, sat)                                              \
    VALU_BODY2(body_##name, AT, BT) VALU_ST_##DT(expr);                                            \
    VALU_END                                                                                       \
    VALU_BODY2(sat_##name, AT, BT) VALU_ST_##DT(sat);                                              \
    VALU_END                                                                                       \
    VALU_SATURATING(name, VALU_T_##DT, VALU_T_##AT, VALU_T_##BT, VALU_NONE, FLAGS)
#define VALU_SAT3(name, DT, AT, BT, CT, FLAGS, expr, sat)                                          \
    VALU_BODY3(body_##name, AT, BT, CT) VALU_ST_##DT(expr);                                        \
    VALU_END                                                                                       \
    VALU_BODY3(sat_##name, AT, BT, CT) VALU_ST_##DT(sat);                                          \
    VALU_END                                                                                       \
    VALU_SATURATING(name, VALU_T_##DT, VALU_T_##AT, VALU_T_##BT, VALU_T_##CT, FLAGS)

#endif
