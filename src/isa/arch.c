/* arch.c - the architectures, one row each, and how they are found.
 *
 * arch.h says what each member is. A GPU of the list ISA_GPUS (src/isa/CMakeLists.txt) needs a
 * row.
 */
#include "isa/arch.h"

#include <stdio.h>
#include <string.h>

#define ISA_ARCH(name) extern const isa_codes_t isa_codes_##name;
#include "isa/isa_archs.inc"
#undef ISA_ARCH

/* What no gfx9 GPU has otherwise. */
#define GFX9(gpu)                                                                                  \
    .name = #gpu, .index = ISA_ARCH_##gpu, .codes = &isa_codes_##gpu,                              \
    .waitcnt = {.vm = {{0, 4}, {14, 2}}, .exp = {4, 3}, .lgkm = {8, 4}},                           \
    .waits_most = {.vm = 63, .exp = 7, .lgkm = 15},                                                \
    .hw_id = {.slot = {0, 4}, .simd = {4, 2}, .cu = {8, 4}, .sh = {12, 1}, .se = {13, 3}},         \
    .ttmp = {.pc = 0,                                                                              \
             .pc_high = {0, 16},                                                                   \
             .trap_id = {16, 8},                                                                   \
             .host = {24, 1},                                                                      \
             .packet = 6,                                                                          \
             .packet_index = {0, 25},                                                              \
             .group = 8,                                                                           \
             .wave = 11,                                                                           \
             .wave_in_group = {0, 6},                                                              \
             .no_scratch = {6, 1},                                                                 \
             .status = 12,                                                                         \
             .tma = 14},                                                                           \
    .scalar_line = 64, .l2_line = 128, .drm_family = 141 /* AMDGPU_FAMILY_AI */

/* GPUs from gfx90a on have one file for VGPRs and AGPRs. */
#define UNIFIED .vgpr_granule = 8, .acc_granule = 4, .simd_vgprs = 512, .dpp_newbcast = true

/* The ids of all axes are in v0, ten bits each. */
/* clang-format off */
#define PACKED_IDS {{0, {0, 10}}, {0, {10, 10}}, {0, {20, 10}}}
/* clang-format on */

#define GFX94(gpu)                                                                                 \
    GFX9(gpu), UNIFIED,                                                                            \
        .memory_fields = {.ds_acc = {25, 1},                                                       \
                          .flat_acc = {55, 1},                                                     \
                          .buffer_acc = {55, 1},                                                   \
                          .scratch_vaddr = {13, 1},                                                \
                          .flat_sc1 = {25, 1},                                                     \
                          .mubuf_sc1 = {15, 1},                                                    \
                          .mtbuf_sc1 = {53, 1}},                                                   \
        .cache_bits = {"sc0", "nt", "sc1"}, .launch = {.item = PACKED_IDS},                        \
        .hwregs = ISA_HWREG_SQ_PERF_SNAPSHOT_PC_HI + 1, .vector_line = 128,                        \
        .sampling = ISA_SAMPLING_HOST_TRAP, .gb_addr_config = 0x2a114042

const isa_arch_t isa_archs[ISA_ARCH_COUNT] = {
    [ISA_ARCH_gfx908] =
        {GFX9(gfx908), .gfx_target_version = 90008,
         .memory_fields = {.flat_lds = {13, 1}, .buffer_tfe = {55, 1}, .image_tfe = {16, 1}},
         .cache_bits = {"glc", "slc"},
         .launch = {.item = {{0, {0, 10}}, {1, {0, 10}}, {2, {0, 10}}}, .scratch_offset = true},
         .hwregs = ISA_HWREG_TMA_HI + 1, .vgpr_granule = 4, .simd_vgprs = 256, .m0_lds = {0, 16},
         .group_lds = 64 << 10, .lds_granule = 512, .vector_line = 64,
         .sampling = ISA_SAMPLING_HOST_TRAP, .gb_addr_config = 0x22014042},
    [ISA_ARCH_gfx90a] = {GFX9(gfx90a), UNIFIED, .gfx_target_version = 90010,
                         .memory_fields = {.ds_acc = {25, 1},
                                           .flat_acc = {55, 1},
                                           .buffer_acc = {55, 1},
                                           .flat_lds = {13, 1},
                                           .image_acc = {16, 1}},
                         .cache_bits = {"glc", "slc"},
                         .launch = {.item = PACKED_IDS, .scratch_offset = true},
                         .hwregs = ISA_HWREG_TMA_HI + 1, .m0_lds = {0, 16}, .group_lds = 64 << 10,
                         .lds_granule = 512, .vector_line = 64, .sampling = ISA_SAMPLING_HOST_TRAP,
                         .gb_addr_config = 0x22014042},
    [ISA_ARCH_gfx942] = {GFX94(gfx942), .gfx_target_version = 90402, .m0_lds = {0, 16},
                         .group_lds = 64 << 10, .lds_granule = 512},
    [ISA_ARCH_gfx950] = {GFX94(gfx950), .gfx_target_version = 90500, .m0_lds = {0, 18},
                         .group_lds = 160 << 10, .lds_granule = 1280},
};

static const isa_arch_t *const end = isa_archs + ISA_ARCH_COUNT;

const isa_arch_t *isa_arch_find(uint32_t gfx_target_version)
{
    for (const isa_arch_t *a = isa_archs; a < end; a++)
        if (a->gfx_target_version == gfx_target_version) return a;
    return NULL;
}

const isa_arch_t *isa_arch_named(const char *name)
{
    for (const isa_arch_t *a = isa_archs; a < end; a++)
        if (strcmp(a->name, name) == 0) return a;
    return NULL;
}

void isa_arch_list(char *text, size_t size)
{
    size_t n = 0;
    if (size) *text = '\0';
    for (const isa_arch_t *a = isa_archs; a < end; a++) {
        const int more = snprintf(text + n, size - n, "%s%u (%s)", n ? ", " : "",
                                  a->gfx_target_version, a->name);
        if (more < 0 || (size_t)more >= size - n) return;
        n += (size_t)more;
    }
}
