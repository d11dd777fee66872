/* wmma.h - what the matrix instructions of gfx11 and of gfx12 share: sums of products of 16 x 16
 * elements, in host vectors.
 *
 * Their layouts in registers differ (valu_wmma.c, valu_wmma_spread.c). Arrays of A and B are
 * ordered by depth, and then by row of A or column of B; C and D by row. Part of the core. */
#ifndef SOFTGPU_EXEC_WMMA_H
#define SOFTGPU_EXEC_WMMA_H

#include "softgpu/exec/valu.h"

/* Rows of D that are summed up together, whose sums stay in host registers for the whole depth. */
enum { WMMA_N = 16, WMMA_PARTS = WMMA_N / ISA_VEC, WMMA_ROWS = ISA_VEC_BYTES == 16 ? 2 : 4 };

typedef isa_vec_t wmma_step_t(isa_vec_t x, isa_vec_t y, isa_vec_t z);

ISA_VECTOR isa_vec_t wmma_step_integers(isa_vec_t x, isa_vec_t y, isa_vec_t z)
{
    return x * y + z;
}

#define WMMA_ROWS_AND_PARTS                                                                        \
    ISA_UNROLL for (unsigned r = 0; r < WMMA_ROWS; r++)                                            \
        ISA_UNROLL for (unsigned p = 0; p < WMMA_PARTS; p++)

/* Adds to D the products of `count` elements of each row of A with the elements of B at their
 * depths: at[k][m] is the depth of a row's element k, or (NULL) its depth is k. */
ISA_VECTOR void wmma_sum(uint32_t d[WMMA_N][WMMA_N], const uint32_t a[][WMMA_N],
                         const uint32_t b[][WMMA_N], const uint8_t at[][WMMA_N], unsigned count,
                         wmma_step_t *step)
{
    for (unsigned first = 0; first < WMMA_N; first += WMMA_ROWS) {
        isa_vec_t sum[WMMA_ROWS][WMMA_PARTS];
        WMMA_ROWS_AND_PARTS sum[r][p] = isa_vec_load(&d[first + r][p * ISA_VEC]);
        for (unsigned k = 0; k < count; k++)
            WMMA_ROWS_AND_PARTS
            {
                const uint32_t *row = b[at ? at[k][first + r] : k];
                sum[r][p] =
                    step(isa_vec_all(a[k][first + r]), isa_vec_load(row + p * ISA_VEC), sum[r][p]);
            }
        WMMA_ROWS_AND_PARTS isa_vec_store(&d[first + r][p * ISA_VEC], sum[r][p]);
    }
}

/* NaNs become the default NaN. */
ISA_VECTOR void wmma_quiet(uint32_t d[WMMA_N][WMMA_N])
{
    for (unsigned m = 0; m < WMMA_N; m++)
        for (unsigned p = 0; p < WMMA_PARTS; p++) {
            const isa_vec_t x = isa_vec_load(&d[m][p * ISA_VEC]);
            isa_vec_store(&d[m][p * ISA_VEC],
                          isa_vec_pick((x & 0x7fffffff) > FPU_INF32, isa_vec_all(FPU_NAN32), x));
        }
}

/* Sums of integers, which are limited to 32 bits if `clamp`. Products of one row alone always fit
 * into 32 bits. */
ISA_VECTOR void wmma_sum_integers(uint32_t d[WMMA_N][WMMA_N], const uint32_t a[][WMMA_N],
                                  const uint32_t b[][WMMA_N], const uint8_t at[][WMMA_N],
                                  unsigned count, bool clamp)
{
    alignas(64) uint32_t sum[WMMA_N][WMMA_N] = {{0}};
    wmma_sum(sum, a, b, at, count, wmma_step_integers);
    for (unsigned m = 0; m < WMMA_N; m++)
        for (unsigned n = 0; n < WMMA_N; n++) {
            int64_t x = (int64_t)(int32_t)d[m][n] + (int32_t)sum[m][n];
            if (clamp) x = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x;
            d[m][n] = (uint32_t)x;
        }
}

/* Changes C: bits that `keep` lacks become 0, and those of `flip` are inverted. */
ISA_VECTOR void wmma_change_signs(uint32_t d[WMMA_N][WMMA_N], uint32_t keep, uint32_t flip)
{
    if (keep == UINT32_MAX && !flip) return;
    for (unsigned m = 0; m < WMMA_N; m++)
        for (unsigned n = 0; n < WMMA_N; n++)
            d[m][n] = (d[m][n] & keep) ^ flip;
}

#endif
