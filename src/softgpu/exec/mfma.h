/* mfma.h - what the files of matrix instructions share: elements, operands, tiles.
 *
 * mfma_elements.c copies A and B from registers to arrays of f32 (or i32), mfma_tile.c multiplies
 * and adds, mfma.c has the instructions. Arrays are ordered by block, depth, and row of A or column
 * of B. Part of the core. */
#ifndef SOFTGPU_EXEC_MFMA_H
#define SOFTGPU_EXEC_MFMA_H

#include "softgpu/exec/fpu_small.h"
#include "softgpu/exec/valu.h"

/* Types of the elements of A and B. ORDER: those from FP8 to FP4 as fpu_small_t has them. XF32: the
 * low 13 bits of an f32 have no effect. */
typedef enum {
    MFMA_F32,
    MFMA_F16,
    MFMA_BF16,
    MFMA_I8,
    MFMA_F64,
    MFMA_XF32,
    MFMA_FP8,
    MFMA_BF8,
    MFMA_FP8_FNUZ,
    MFMA_BF8_FNUZ,
    MFMA_FP6,
    MFMA_BF6,
    MFMA_FP4,
    MFMA_F8F6F4, /* CBSZ selects the format of A, BLGP that of B */
    MFMA_TYPES
} mfma_type_t;

enum {
    MFMA_AB = 64 * 32,     /* the most elements of A or B */
    MFMA_CD = 2048,        /* the most elements of C or D: 2 blocks of 32 x 32 */
    MFMA_SCALE_DEPTH = 32, /* consecutive elements in k that share a scale */
    MFMA_SCALE_ONE = 127   /* a scale is an exponent with this bias; 255 is a NaN */
};

/* The layout of A or B in registers. A group of m lanes holds one block or, if there is only one,
 * some depths of it: `chunk` consecutive ones, and if the lanes hold more elements, as many again
 * from the second half of all depths. */
typedef struct {
    uint8_t m, type, regs, blocks;
    uint16_t depth; /* of a block: elements that are stored */
    uint16_t chunk;
    bool flush; /* denormals become 0 */
} mfma_source_t;

/* Bits of an element. */
static inline unsigned mfma_bits(unsigned type)
{
    switch (type) {
    case MFMA_F64: return 64;
    case MFMA_F32:
    case MFMA_XF32: return 32;
    case MFMA_F16:
    case MFMA_BF16: return 16;
    case MFMA_FP6:
    case MFMA_BF6: return 6;
    case MFMA_FP4: return 4;
    default: return 8;
    }
}

/* Writes all elements of A or B, whose registers begin with `rows`, to `out`, 64-byte aligned, as
 * bits of f32, or as i32. */
void mfma_gather(uint32_t *out, const uint32_t *rows, const mfma_source_t *s);

/* x with 0 for denormals of f32. */
ISA_VECTOR isa_vec_t mfma_flushed(isa_vec_t x)
{
    return isa_vec_pick((x & FPU_INF32) == 0, x & 0x80000000, x);
}

/* ---- tiles ---- */

/* Parameters of all tiles of one instruction. `flush_c`: denormals of C become 0; `quiet`: NaNs of
 * D become the default NaN; `flush_d`: denormals of D become 0; `clamp`: sums that are too large
 * become the largest number. */
typedef struct {
    size_t depth;
    bool flush_c, quiet, flush_d, clamp;
    uint8_t
        type; /* mfma_type_t of A and B: in effect one of F32, F16 (all products are exact), I8 */
} mfma_work_t;

/* Computes a tile of m rows. `c` and `d` point at row 0 of C and D in their registers. */
void mfma_tile(const mfma_work_t *p, size_t m, uint32_t *d, const uint32_t *c, const uint32_t *a,
               const uint32_t *b);

/* The same where two of four elements of A are stored: p->depth counts the stored ones. at[s * m +
 * i] is the depth of the stored element s of row i, so that its row of B begins at b[m * that]. */
void mfma_sparse_tile(const mfma_work_t *p, size_t m, uint32_t *d, const uint32_t *c,
                      const uint32_t *a, const uint32_t *b, const uint8_t *at);

/* The same with scales: a_scales[k / 32 * m + i] is the exponent by which row i of A is multiplied,
 * with a bias of 127, b_scales of columns of B. Changes a and b. */
void mfma_scaled_tile(const mfma_work_t *p, size_t m, uint32_t *d, const uint32_t *c, uint32_t *a,
                      uint32_t *b, const uint8_t *a_scales, const uint8_t *b_scales);

#endif
