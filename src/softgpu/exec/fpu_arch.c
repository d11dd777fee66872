/* fpu_arch.c - properties of floating-point arithmetic that differ between GPUs: one row for each
 * GPU.
 *
 * Data only; fpu_arch.h explains the members. */
#include "softgpu/exec/fpu_arch.h"

const fpu_arch_t fpu_archs[ISA_ARCH_COUNT] = {
    [ISA_ARCH_gfx908] = {0},
    [ISA_ARCH_gfx90a] = {.flushes_small = true},
    [ISA_ARCH_gfx942] = {.fnuz = true, .rounds_nearest = true, .keeps_sums = true, .clamps = true},
    [ISA_ARCH_gfx950] = {.rounds_nearest = true, .keeps_sums = true, .clamps = true},
    [ISA_ARCH_gfx1030] = {0},
    [ISA_ARCH_gfx1100] = {0},
    [ISA_ARCH_gfx1151] = {0},
    [ISA_ARCH_gfx1201] = {0},
};
