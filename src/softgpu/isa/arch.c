/* arch.c - the architectures, one row each.
 *
 * Data only: arch.h says what each member is. */
#include "softgpu/isa/arch.h"

const isa_arch_t isa_gfx90a = {
    .name = "gfx90a",
    .waitcnt = {.vm = {{0, 4}, {14, 2}}, .exp = {4, 3}, .lgkm = {8, 4}},
    .waits_most = {.vm = 63, .exp = 7, .lgkm = 15},
    .hw_id = {.slot = {0, 4}, .simd = {4, 2}, .cu = {8, 4}, .sh = {12, 1}, .se = {13, 3}},
};
