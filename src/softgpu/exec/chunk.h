/* chunk.h - the translator's library: for each instruction, a function whose inputs and outputs are
 * values in memory, not a wave.
 *
 * The sources of handlers are compiled once more for the library, with ISA_CHUNK set and to LLVM's
 * bitcode. A function here calls the handler with a wave of its own that has a few registers; after
 * inlining, the compiler has only the handler's formula left. The translator (translate_emit.c and
 * translate_segment.c) depends on these functions only through the two structures. */
#ifndef SOFTGPU_EXEC_CHUNK_H
#define SOFTGPU_EXEC_CHUNK_H

/* The hint is not needed, since the arrays here are aligned, and LLVM 15 does not keep an array in
 * the host's registers if there is such a hint. */
#define __builtin_assume_aligned(p, bytes) (p)

#include "softgpu/exec/translate_layout.h"
#include "softgpu/exec/vector.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

#define ISA_INLINED static inline __attribute__((always_inline))

/* Three members of the wave have another meaning in the library, whose handlers do not use them
 * otherwise: one is the set of active lanes, one says whether the function is a quick one, and one
 * is the address of the row in which the function notes lanes that it leaves to the handler. */
#define ISA_CHUNK_ACTIVE(w) ((w)->xnack_mask)
#define ISA_CHUNK_QUICK(w)  ((w)->watched)
#define ISA_CHUNK_RARE(w)   ((uint32_t *)(w)->group)

/* A vector instruction on a chunk of lanes (ISA_LANES, which the build sets): rows of dwords.
 * ORDER: translate_layout.h. */
typedef struct {
    alignas(64) uint32_t dst[ISA_CHUNK_ROWS][ISA_LANES]; /* in and out */
    uint32_t src[ISA_CHUNK_SOURCES][ISA_CHUNK_ROWS][ISA_LANES];
    /* Sets of lanes, negative where a lane is one of them. They are rows, so that a mask that one
     * instruction writes and another one reads stays in the host's vectors. */
    uint32_t in[ISA_LANES], out[ISA_LANES];
    uint32_t active[ISA_LANES]; /* those whose results are used: no others need a rare case */
    uint32_t rare[ISA_LANES];   /* those that need the handler */
    uint32_t mode;
    uint32_t mods; /* of the result: ISA_MOD_KEEP or 0 */
} isa_chunk_t;

#define ISA_CHUNK_ROW(n) ((n) * sizeof(uint32_t[ISA_LANES]))
#define ISA_CHUNK_SET(n) ISA_CHUNK_ROW(ISA_CHUNK_AT_SETS + (n))
#define ISA_CHUNK_IS_AT(member, at)                                                                \
    _Static_assert(offsetof(isa_chunk_t, member) == (at), "translate_layout.h has another place")
ISA_CHUNK_IS_AT(dst, 0);
ISA_CHUNK_IS_AT(src, ISA_CHUNK_ROW(ISA_CHUNK_AT_SOURCES));
ISA_CHUNK_IS_AT(in, ISA_CHUNK_SET(ISA_SET_IN));
ISA_CHUNK_IS_AT(out, ISA_CHUNK_SET(ISA_SET_OUT));
ISA_CHUNK_IS_AT(active, ISA_CHUNK_SET(ISA_SET_ACTIVE));
ISA_CHUNK_IS_AT(rare, ISA_CHUNK_SET(ISA_SET_RARE));
ISA_CHUNK_IS_AT(mode, ISA_CHUNK_SET(ISA_SETS) + ISA_CHUNK_MODE);
ISA_CHUNK_IS_AT(mods, ISA_CHUNK_SET(ISA_SETS) + ISA_CHUNK_MODS);

/* A scalar instruction. ORDER: translate_layout.h. */
typedef struct {
    uint64_t dst; /* in and out */
    uint64_t src[2];
    uint64_t exec; /* in and out */
    uint32_t scc;  /* in and out */
    int32_t imm;
} isa_scalar_t;

#define ISA_SCALAR_IS_AT(member, at)                                                               \
    _Static_assert(offsetof(isa_scalar_t, member) == (at), "translate_layout.h has another place")
ISA_SCALAR_IS_AT(dst, ISA_SCALAR_DST);
ISA_SCALAR_IS_AT(src, ISA_SCALAR_SRC);
ISA_SCALAR_IS_AT(exec, ISA_SCALAR_EXEC);
ISA_SCALAR_IS_AT(scc, ISA_SCALAR_SCC);
ISA_SCALAR_IS_AT(imm, ISA_SCALAR_IMM);
_Static_assert(sizeof(isa_scalar_t) == ISA_SCALAR_BYTES, "translate_layout.h has another size");

/* ---- vector instructions ---- */

/* Rows of the result and of the sources, and whether the third source is a lane mask. */
typedef struct {
    unsigned dst, src[ISA_CHUNK_SOURCES];
    bool mask_in;
} isa_chunk_shape_t;

/* The rows come first and the operands last, so that the stores of the operands' kinds come right
 * before the handler's loads. */
ISA_INLINED void isa_chunk_begin(isa_wave_t *w, isa_inst_t *i, isa_row_t *rows, isa_chunk_t *x,
                                 const isa_chunk_shape_t s, const bool quick)
{
    ISA_UNROLL for (unsigned r = 0; r < s.dst; r++) memcpy(rows[r], x->dst[r], sizeof x->dst[r]);
    ISA_UNROLL for (unsigned n = 0; n < ISA_CHUNK_SOURCES; n++)
        ISA_UNROLL for (unsigned r = 0; r < s.src[n]; r++)
            memcpy(rows[ISA_CHUNK_ROWS * (n + 1) + r], x->src[n][r], sizeof x->src[n][r]);
    w->vgpr = rows;
    w->stop = ISA_RUN;
    w->exec = ISA_ALL_LANES; /* results of other lanes need not be kept apart */
    ISA_CHUNK_ACTIVE(w) = isa_vec_mask(x->active);
    ISA_CHUNK_QUICK(w) = quick;
    w->group = (isa_group_t *)x->rare;
    memset(x->rare, 0, sizeof x->rare);
    w->vcc = isa_vec_mask(x->in);
    w->sgpr[0] = w->sgpr[1] = 0;
    /* the translator refuses other modes */
    w->mode = ISA_MODE_FLOAT_PLAIN | (x->mode & (ISA_MODE_IEEE | ISA_MODE_DX10_CLAMP));
    i->dst.kind = ISA_OPK_VGPR;
    i->dst.mods = x->mods & ISA_MOD_KEEP;
    i->dst2.kind = ISA_OPK_SGPR;
    ISA_UNROLL for (unsigned n = 0; n < ISA_CHUNK_SOURCES; n++)
    {
        /* without a kind, the mask is VCC */
        i->src[n].kind = n == 2 && s.mask_in ? ISA_OPK_NONE : ISA_OPK_VGPR;
        i->src[n].reg = (uint16_t)(ISA_CHUNK_ROWS * (n + 1));
    }
}

ISA_INLINED void isa_chunk_end(const isa_wave_t *w, isa_row_t *rows, isa_chunk_t *x,
                               const isa_chunk_shape_t s)
{
    ISA_UNROLL for (unsigned r = 0; r < s.dst; r++) memcpy(x->dst[r], rows[r], sizeof x->dst[r]);
    isa_vec_expand(x->out, w->sgpr[0], UINT32_MAX);
}

#define ISA_FUNCTION_OF(function, name, quick, ...)                                                \
    void function(isa_chunk_t *x);                                                                 \
    void function(isa_chunk_t *x)                                                                  \
    {                                                                                              \
        const isa_chunk_shape_t shape = {__VA_ARGS__};                                             \
        alignas(64) isa_row_t rows[ISA_CHUNK_ROWS * (1 + ISA_CHUNK_SOURCES)];                      \
        isa_wave_t w;                                                                              \
        isa_inst_t i = {.dwords = 1};                                                              \
        isa_chunk_begin(&w, &i, rows, x, shape, quick);                                            \
        ISA_HANDLER(name)(&w, &i);                                                                 \
        isa_chunk_end(&w, rows, x, shape);                                                         \
    }

#define ISA_CHUNK_OF(name, ...) ISA_FUNCTION_OF(isa_chunk_##name, name, false, __VA_ARGS__)

/* The same for an instruction whose results may be NaNs that have to be replaced, or may have to be
 * computed lane by lane. Most need neither: the function only notes in which lanes there are such
 * results. Of some instructions there is the function above besides, which computes the NaNs and
 * notes the other lanes alone. */
#define ISA_QUICK_OF(name, ...) ISA_FUNCTION_OF(isa_quick_##name, name, true, __VA_ARGS__)

/* ---- scalar instructions ---- */

ISA_INLINED void isa_scalar_begin(isa_wave_t *w, isa_inst_t *i, const isa_scalar_t *x)
{
    w->stop = ISA_RUN;
    w->sgpr[0] = (uint32_t)x->dst;
    w->sgpr[1] = (uint32_t)(x->dst >> 32);
    w->exec = x->exec;
    w->scc = x->scc;
    i->imm = x->imm;
    i->dst.kind = ISA_OPK_SGPR;
    ISA_UNROLL for (unsigned n = 0; n < 2; n++)
    {
        i->src[n].kind = ISA_OPK_CONST;
        i->src[n].k = x->src[n];
    }
}

ISA_INLINED void isa_scalar_end(const isa_wave_t *w, isa_scalar_t *x)
{
    x->dst = w->sgpr[0] | (uint64_t)w->sgpr[1] << 32;
    x->exec = w->exec;
    x->scc = w->scc;
}

#define ISA_SCALAR_OF(name)                                                                        \
    void isa_scalar_##name(isa_scalar_t *x);                                                       \
    void isa_scalar_##name(isa_scalar_t *x)                                                        \
    {                                                                                              \
        isa_wave_t w;                                                                              \
        isa_inst_t i = {.dwords = 1};                                                              \
        isa_scalar_begin(&w, &i, x);                                                               \
        ISA_HANDLER(name)(&w, &i);                                                                 \
        isa_scalar_end(&w, x);                                                                     \
    }

/* In the library, handlers are inlined into the functions above. */
#define ISA_CHUNK_INST(name)                                                                       \
    ISA_INLINED void ISA_HANDLER(name)(isa_wave_t * w __attribute__((unused)),                     \
                                       const isa_inst_t *i __attribute__((unused)))

#ifdef ISA_CHUNK_SCALAR
#define ISA_INST(name)                                                                             \
    ISA_CHUNK_INST(name);                                                                          \
    ISA_SCALAR_OF(name)                                                                            \
    ISA_CHUNK_INST(name)
#else
#define ISA_INST(name) ISA_CHUNK_INST(name)
#endif

#endif
