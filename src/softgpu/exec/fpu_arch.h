/* fpu_arch.h - properties of floating-point arithmetic that differ between GPUs: kinds of 8-bit
 * floats, rounding and denormals of matrix instructions.
 *
 * Sources: AMD's manuals of CDNA 1 to 4 ("Floating-point handling", rules of MFMA and SMFMAC),
 * rocBLAS's pages on f16 of gfx90a, LLVM's on FP8. */
#ifndef SOFTGPU_EXEC_FPU_ARCH_H
#define SOFTGPU_EXEC_FPU_ARCH_H

#include "isa/arch.h"

/* If all members are false, MODE decides how matrix instructions round and whether they keep
 * denormals of f32; denormals of smaller formats are kept. */
typedef struct {
    bool fnuz;           /* 8-bit floats have a bias one higher, one NaN, no infinities and no -0 */
    bool flushes_small;  /* matrices of f16 and bf16: denormals become 0, of C and D too */
    bool rounds_nearest; /* whatever MODE says */
    bool keeps_sums;     /* C and D keep denormals whatever MODE says */
    bool clamps;         /* FP16_OVFL: sums that are too large become the largest number */
} fpu_arch_t;

extern const fpu_arch_t fpu_archs[ISA_ARCH_COUNT]; /* by isa_arch_t.index */

#endif
