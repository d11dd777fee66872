/* valu_float.h - macros for floating-point instructions: as those of valu.h, with corrected NaN
 * results.
 *
 * x86 makes negative default NaNs and compilers swap operands, so a result that is a NaN is
 * replaced, after the loop, by the NaN that the hardware returns. Rows with NaNs are rare. */
#ifndef SOFTGPU_EXEC_VALU_FLOAT_H
#define SOFTGPU_EXEC_VALU_FLOAT_H

#include "softgpu/exec/valu.h"

/* Declares the rows of source n in the form that formulas read; halves are widened to f32 as a
 * row. */
#define VALU_IN_f32(p, n) const uint32_t *p = VALU_SRC(v, n)
#define VALU_IN_f64(p, n) VALU_IN_f32(p, n)
#define VALU_IN_i32(p, n) VALU_IN_f32(p, n)
#define VALU_IN_i16(p, n) VALU_IN_f32(p, n)
#define VALU_IN_f16(p, n)                                                                          \
    alignas(64) uint32_t p[ISA_LANES];                                                             \
    fpu_widen_row(p, VALU_SRC(v, n))

#define VALU_FLD_f32(p) VALU_LD_f32(p)
#define VALU_FLD_f64(p) VALU_LD_f64(p)
#define VALU_FLD_i32(p) VALU_LD_i32(p)
#define VALU_FLD_i16(p) VALU_LD_i16(p)
#define VALU_FLD_f16(p) fpu_f32((p)[l])

/* Stores the lane's result r. A half is stored as f32 at first; VALU_DONE_f16 rounds the row when
 * all lanes have been computed. */
#define VALU_NOTE_f32(r) VALU_ST_f32(r)
#define VALU_NOTE_f64(r) VALU_ST_f64(r)
#define VALU_NOTE_f16(r) VALU_ST_f32(r)

#define VALU_DONE_f32
#define VALU_DONE_f64
#define VALU_DONE_f16 fpu_narrow_row(d, d, round)

/* Whether any lane's result is a NaN. The test has a loop of its own, since compilers do not
 * vectorise the instruction's loop with the test in it. NaN results are quiet, so a double's high
 * dword is enough, except in translated code: there LLVM drops an operation that changes no number,
 * as a product with 1, and the result is a signalling NaN that only the low dword may show. */
#ifdef ISA_CHUNK
/* All bits of the lanes whose doubles are NaNs. */
static inline isa_vec_t valu_nans64(isa_vec_pair_t pair)
{
    ISA_UNROLL for (unsigned h = 0; h < 2; h++) pair.x[h] = (isa_vec_f64_t)(pair.x[h] != pair.x[h]);
    return isa_vec_part(pair, 1);
}

static inline isa_vec_t valu_row_nans64(const uint32_t *row)
{
    return valu_nans64(isa_vec_join(isa_vec_load(row), isa_vec_load(row + ISA_ROW)));
}
#else
static inline uint32_t valu_any_nan(const uint32_t *row, uint32_t mask, uint32_t infinity)
{
    uint32_t largest = 0;
    row = (const uint32_t *)__builtin_assume_aligned(row, 64);
    VALU_LANES
    largest = (row[l] & mask) > largest ? row[l] & mask : largest;
    return largest > infinity;
}
#define VALU_BAD_f64 valu_any_nan(d + ISA_ROW, 0x7fffffff, 0x7ff00000)
#endif

/* Replaces the NaNs of a result that n sources have. In the library, quick functions note them; the
 * others replace them without asking whether there is one, since they are for code in which there
 * are NaNs all the time. NaNs among halves are noted in any case. */
#ifdef ISA_CHUNK
static inline void valu_note_nan(const valu_t *v, const uint32_t *row, uint32_t mask,
                                 uint32_t infinity)
{
    ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
    {
        const isa_vec_i32_t x = (isa_vec_i32_t)(isa_vec_load(row + l) & mask);
        isa_vec_store(v->rare + l, isa_vec_load(v->rare + l) |
                                       (isa_vec_t)(x > (isa_vec_i32_t)isa_vec_all(infinity)));
    }
}

static inline void valu_note_nan64(const valu_t *v, const uint32_t *row)
{
    ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(v->rare + l, isa_vec_load(v->rare + l) | valu_row_nans64(row + l));
}

#define VALU_TELL_f32 valu_note_nan(v, d, 0x7fffffff, FPU_INF32)
#define VALU_TELL_f64 valu_note_nan64(v, d)
#define VALU_TELL_f16 valu_note_nan(v, d, 0x7fff, 0x7c00)
#define VALU_TELL_pf16                                                                             \
    (valu_note_nan(v, d, 0x7fff, 0x7c00), valu_note_nan(v, d, 0x7fff0000, 0x7c000000))
#define VALU_NAN_f32(n)                                                                            \
    if (v->quick)                                                                                  \
        VALU_TELL_f32;                                                                             \
    else                                                                                           \
        valu_fix_nan_f32(v, n)
#define VALU_NAN_f64(n)                                                                            \
    if (v->quick)                                                                                  \
        VALU_TELL_f64;                                                                             \
    else                                                                                           \
        valu_fix_nan_f64(v, n)
#define VALU_NAN_f16(n)  VALU_TELL_f16
#define VALU_NAN_pf16(n) VALU_TELL_pf16
#define VALU_NAN(DT, n)  VALU_NAN_##DT(n)
#else
#define VALU_NAN(DT, n)                                                                            \
    if (__builtin_expect(VALU_BAD_##DT, 0)) valu_fix_nan_##DT(v, n)
#endif

#define VALU_BAD_f32  valu_any_nan(d, 0x7fffffff, FPU_INF32)
#define VALU_BAD_f16  valu_any_nan(d, 0x7fff, 0x7c00)
#define VALU_BAD_pf16 (VALU_BAD_f16 || valu_any_nan(d, 0x7fff0000, 0x7c000000))

#define VALU_FBODY1(fn, DT, AT, expr)                                                              \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        VALU_IN_##AT(pa, 0);                                                                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_FLD_##AT(pa);                                               \
            VALU_NOTE_##DT(expr);                                                                  \
        }                                                                                          \
        VALU_DONE_##DT;                                                                            \
        VALU_NAN(DT, 1);                                                                           \
    }
#define VALU_FBODY2(fn, DT, AT, BT, expr)                                                          \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        VALU_IN_##AT(pa, 0);                                                                       \
        VALU_IN_##BT(pb, 1);                                                                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_FLD_##AT(pa);                                               \
            const VALU_C_##BT b = VALU_FLD_##BT(pb);                                               \
            VALU_NOTE_##DT(expr);                                                                  \
        }                                                                                          \
        VALU_DONE_##DT;                                                                            \
        VALU_NAN(DT, 2);                                                                           \
    }
#define VALU_FBODY3(fn, DT, AT, BT, CT, expr)                                                      \
    static void fn(valu_t *v)                                                                      \
    {                                                                                              \
        uint32_t *d = VALU_ROW(v->d);                                                              \
        VALU_LOCALS;                                                                               \
        VALU_IN_##AT(pa, 0);                                                                       \
        VALU_IN_##BT(pb, 1);                                                                       \
        VALU_IN_##CT(pc, 2);                                                                       \
        VALU_LANES                                                                                 \
        {                                                                                          \
            const VALU_C_##AT a = VALU_FLD_##AT(pa);                                               \
            const VALU_C_##BT b = VALU_FLD_##BT(pb);                                               \
            const VALU_C_##CT c = VALU_FLD_##CT(pc);                                               \
            VALU_NOTE_##DT(expr);                                                                  \
        }                                                                                          \
        VALU_DONE_##DT;                                                                            \
        VALU_NAN(DT, 3);                                                                           \
    }

/* Operands of the result's type. */
#define VALU_FLOAT_f16(...) VALU_QUICK_ALIAS(__VA_ARGS__)
#define VALU_FLOAT_f32(...) VALU_BOTH_ALIAS(__VA_ARGS__)
#define VALU_FLOAT_f64(...) VALU_BOTH_ALIAS(__VA_ARGS__)
#define VALU_FLOAT1(name, T, FLAGS, expr)                                                          \
    VALU_FBODY1(body_##name, T, T, expr)                                                           \
    VALU_FLOAT_##T(name, VALU_T_##T, VALU_T_##T, VALU_NONE, VALU_NONE, (FLAGS) | VALU_STAGED,      \
                   body_##name)
#define VALU_FLOAT2(name, T, FLAGS, expr)                                                          \
    VALU_FBODY2(body_##name, T, T, T, expr)                                                        \
    VALU_FLOAT_##T(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_NONE, (FLAGS) | VALU_STAGED,     \
                   body_##name)
#define VALU_FLOAT3(name, T, FLAGS, expr)                                                          \
    VALU_FBODY3(body_##name, T, T, T, T, expr)                                                     \
    VALU_FLOAT3_ALIAS(name, T, FLAGS, body_##name)
/* Another instruction with the same body and other flags. */
#define VALU_FLOAT3_ALIAS(name, T, FLAGS, body)                                                    \
    VALU_FLOAT_##T(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, VALU_T_##T, (FLAGS) | VALU_STAGED,    \
                   body)

/* ---- sums and products, the most frequent of all: in the host's vectors ----
 *
 * All results are computed before the first is stored, so that the sources are intact if a NaN has
 * to be replaced, and no row has to be copied. Inactive lanes are computed with 0: hosts are slow
 * with some of the numbers that may be in them. */

/* The offset of vector k of a tuple, in dwords from its first row. */
enum { VALU_ROW_VECS = ISA_LANES / ISA_VEC };
#define VALU_AT(k) ((k) / VALU_ROW_VECS * ISA_ROW + (k) % VALU_ROW_VECS * ISA_VEC)

typedef struct {
    const valu_t *v;
    uint64_t lanes;
} valu_in_t;

static inline __attribute__((always_inline)) isa_vec_t valu_in(const valu_in_t *in, unsigned n,
                                                               unsigned at, const bool full)
{
    const isa_vec_t x = isa_vec_load(VALU_SRC(in->v, n) + at);
    return full ? x : isa_vec_lanes((uint32_t)(in->lanes >> at % ISA_ROW), x, isa_vec_all(0));
}

#define VALU_VSOURCE_f32(name, n, SRCS)                                                            \
    const isa_vec_f32_t name = (isa_vec_f32_t)valu_in(&in, (n) < (SRCS) ? (n) : 0, at, full);      \
    (void)name

/* Notes the NaNs among results of lanes from `at` on. */
#ifdef ISA_CHUNK
#define VALU_IS_QUICK(v)    ((v)->quick)
#define VALU_IS_BAD(v, bad) VALU_EACH_CASE(v)
/* The library's second function computes every lane as if it were a rare case, without branches. */
#define VALU_EACH_CASE(v) (!(v)->quick)
static inline __attribute__((always_inline)) void valu_note(const valu_t *v, isa_vec_t x,
                                                            unsigned at)
{
    const isa_vec_f32_t f = (isa_vec_f32_t)x;
    isa_vec_store(v->rare + at, isa_vec_load(v->rare + at) | (isa_vec_t)(f != f));
}
static inline __attribute__((always_inline)) void
valu_note64(const valu_t *v, const isa_vec_pair_t *pair, unsigned at)
{
    isa_vec_store(v->rare + at, isa_vec_load(v->rare + at) | valu_nans64(*pair));
}

/* In the library: leaves the lanes of `cases`, a row whose dwords are all ones or 0, to the
 * handler, which has to compute them itself. */
static inline __attribute__((always_inline)) bool valu_leaves(const valu_t *v,
                                                              const uint32_t *cases)
{
    ISA_UNROLL for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC)
        isa_vec_store(v->rare + l, isa_vec_load(v->rare + l) | isa_vec_load(cases + l));
    return true;
}

/* The same of a set of lanes. */
static inline __attribute__((always_inline, unused)) bool valu_leaves_set(const valu_t *v,
                                                                          uint64_t lanes)
{
    alignas(64) uint32_t cases[ISA_LANES];
    isa_vec_expand(cases, lanes, UINT32_MAX);
    return valu_leaves(v, cases);
}
#else
#define VALU_IS_QUICK(v)          false
#define VALU_EACH_CASE(v)         false
#define VALU_IS_BAD(v, bad)       __builtin_expect(bad, 0)
#define valu_note(v, x, at)       (void)0
#define valu_note64(v, p, at)     (void)0
#define valu_leaves(v, cases)     false
#define valu_leaves_set(v, lanes) false
#endif

/* The rows and lanes of *v with another destination. Functions that are not inlined get such a
 * copy, so that members of *v itself can be in the host's registers. */
#define VALU_ROWS_OF(v, to, SRCS)                                                                  \
    {                                                                                              \
        .d = (to), .s = {(v)->s[0], (v)->s[1], (SRCS) > 2 ? (v)->s[2] : NULL}, .lanes = (v)->lanes \
    }

/* Stores N vectors of results, ROWS rows, after NaNs have been replaced. */
#define VALU_FIXED(ROWS, N, SRCS, FIX)                                                             \
    do {                                                                                           \
        alignas(64) uint32_t fixed[(ROWS)*ISA_ROW];                                                \
        ISA_UNROLL for (unsigned k = 0; k < (N); k++) isa_vec_store(fixed + VALU_AT(k), r[k]);     \
        valu_t fix = VALU_ROWS_OF(v, fixed, SRCS);                                                 \
        FIX(&fix, SRCS);                                                                           \
        valu_copy(d, fixed, ROWS);                                                                 \
    } while (0)

/* A body for ROWS rows of single precision. */
#define VALU_VBODY32(fn, ROWS, SRCS, FIX, expr)                                                    \
    static inline __attribute__((always_inline)) void fn##_of(valu_t *v, const bool full)          \
    {                                                                                              \
        enum { N = (ROWS)*ISA_LANES / ISA_VEC };                                                   \
        const valu_in_t in = {v, v->lanes};                                                        \
        uint32_t *const d = v->d;                                                                  \
        isa_vec_t r[N];                                                                            \
        uint32_t bad = 0;                                                                          \
        ISA_UNROLL for (unsigned k = 0; k < N; k++)                                                \
        {                                                                                          \
            const unsigned at = VALU_AT(k);                                                        \
            VALU_VSOURCE_f32(a, 0, SRCS);                                                          \
            VALU_VSOURCE_f32(b, 1, SRCS);                                                          \
            VALU_VSOURCE_f32(c, 2, SRCS);                                                          \
            const isa_vec_f32_t x = (expr);                                                        \
            r[k] = (isa_vec_t)x;                                                                   \
        }                                                                                          \
        if (VALU_IS_QUICK(v)) {                                                                    \
            ISA_UNROLL for (unsigned k = 0; k < N; k++) valu_note(v, r[k], VALU_AT(k) % ISA_ROW);  \
            ISA_UNROLL for (unsigned k = 0; k < N; k++) isa_vec_store(d + VALU_AT(k), r[k]);       \
            return;                                                                                \
        }                                                                                          \
        ISA_UNROLL for (unsigned k = 0; k < N; k += 2) bad |=                                      \
            isa_vec_unordered(r[k], r[k + (N > 1)]);                                               \
        if (VALU_IS_BAD(v, bad)) {                                                                 \
            VALU_FIXED(ROWS, N, SRCS, FIX);                                                        \
            return;                                                                                \
        }                                                                                          \
        ISA_UNROLL for (unsigned k = 0; k < N; k++) isa_vec_store(d + VALU_AT(k), r[k]);           \
    }                                                                                              \
    VALU_VBODY_BOTH(fn, SRCS)

#define VALU_VSOURCE_f64(name, n, SRCS)                                                            \
    const isa_vec_pair_t pair_##name =                                                             \
        isa_vec_join(valu_in(&in, (n) < (SRCS) ? (n) : 0, at, full),                               \
                     valu_in(&in, (n) < (SRCS) ? (n) : 0, ISA_ROW + at, full))

#define VALU_VBODY64(fn, SRCS, expr)                                                               \
    static inline __attribute__((always_inline)) void fn##_of(valu_t *v, const bool full)          \
    {                                                                                              \
        enum { N = ISA_LANES / ISA_VEC };                                                          \
        const valu_in_t in = {v, v->lanes};                                                        \
        uint32_t *const d = v->d;                                                                  \
        isa_vec_t r[2 * N];                                                                        \
        uint32_t bad = 0;                                                                          \
        ISA_UNROLL for (unsigned k = 0; k < N; k++)                                                \
        {                                                                                          \
            const unsigned at = k * ISA_VEC;                                                       \
            isa_vec_pair_t pair;                                                                   \
            VALU_VSOURCE_f64(a, 0, SRCS);                                                          \
            VALU_VSOURCE_f64(b, 1, SRCS);                                                          \
            VALU_VSOURCE_f64(c, 2, SRCS);                                                          \
            ISA_UNROLL for (unsigned h = 0; h < 2; h++)                                            \
            {                                                                                      \
                const isa_vec_f64_t a = pair_a.x[h], b = pair_b.x[h], c = pair_c.x[h];             \
                (void)b, (void)c;                                                                  \
                pair.x[h] = (expr);                                                                \
            }                                                                                      \
            r[k] = isa_vec_part(pair, 0);                                                          \
            r[N + k] = isa_vec_part(pair, 1);                                                      \
            if (VALU_IS_QUICK(v))                                                                  \
                valu_note64(v, &pair, at);                                                         \
            else                                                                                   \
                bad |= isa_vec_unordered64(pair.x[0], pair.x[1]);                                  \
        }                                                                                          \
        if (VALU_IS_BAD(v, bad)) {                                                                 \
            VALU_FIXED(2, 2 * N, SRCS, valu_fix_nan_f64);                                          \
            return;                                                                                \
        }                                                                                          \
        ISA_UNROLL for (unsigned k = 0; k < 2 * N; k++) isa_vec_store(d + VALU_AT(k), r[k]);       \
    }                                                                                              \
    VALU_VBODY_BOTH(fn, SRCS)

#ifdef ISA_CHUNK
/* Translated code computes all lanes. */
#define VALU_VBODY_BOTH(fn, SRCS)                                                                  \
    static inline __attribute__((always_inline)) void fn##_inline(valu_t * v)                      \
    {                                                                                              \
        fn##_of(v, true);                                                                          \
    }                                                                                              \
    static inline __attribute__((always_inline, unused)) void fn(valu_t *v)                        \
    {                                                                                              \
        fn##_of(v, true);                                                                          \
    }
#else
/* Three functions for a body: one for all lanes, inlined into the common path so that *v becomes
 * local variables; one for some lanes; one for either, for the general path and for other
 * bodies. */
#define VALU_VBODY_BOTH(fn, SRCS)                                                                  \
    static __attribute__((noinline)) void fn##_some(valu_t *v)                                     \
    {                                                                                              \
        fn##_of(v, false);                                                                         \
    }                                                                                              \
    static inline __attribute__((always_inline)) void fn##_inline(valu_t * v)                      \
    {                                                                                              \
        if (v->lanes == ISA_ALL_LANES) {                                                           \
            fn##_of(v, true);                                                                      \
        } else {                                                                                   \
            valu_t some = VALU_ROWS_OF(v, v->d, SRCS);                                             \
            fn##_some(&some);                                                                      \
        }                                                                                          \
    }                                                                                              \
    static __attribute__((noinline, unused)) void fn(valu_t *v)                                    \
    {                                                                                              \
        fn##_inline(v);                                                                            \
    }
#endif

#define VALU_VBODY_f32(fn, SRCS, expr)  VALU_VBODY32(fn, 1, SRCS, valu_fix_nan_f32, expr)
#define VALU_VBODY_pf32(fn, SRCS, expr) VALU_VBODY32(fn, 2, SRCS, valu_fix_nan_pf32, expr)
#define VALU_VBODY_f64(fn, SRCS, expr)  VALU_VBODY64(fn, SRCS, expr)
#define VALU_T_pf32                     VALU_PF32

/* A handler with such a body. */
#define VALU_VECTOR(name, T, CT, FLAGS, body)                                                      \
    VALU_PATHS(ISA_INST(name), name, VALU_T_##T, VALU_T_##T, VALU_T_##T, CT, FLAGS, body##_inline, \
               body, body)                                                                         \
    VALU_CHUNK(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, CT, FLAGS)                                \
    VALU_QUICK(name, VALU_T_##T, VALU_T_##T, VALU_T_##T, CT, FLAGS)
#define VALU_VECTOR2(name, T, expr)                                                                \
    VALU_VBODY_##T(body_##name, 2, expr) VALU_VECTOR(name, T, VALU_NONE, 0, body_##name)
#define VALU_VECTOR3(name, T, expr)                                                                \
    VALU_VBODY_##T(body_##name, 3, expr) VALU_VECTOR(name, T, VALU_T_##T, 0, body_##name)

#endif
