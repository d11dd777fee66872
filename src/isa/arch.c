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

static const isa_hwreg_name_t hwregs_gfx9[ISA_HWREG_NUMBERS] = {
#define X(name, number) [number] = {"HW_REG_" #name, ISA_HWREG_##name},
    ISA_HWREGS_COMMON(X) ISA_HWREGS_GFX9(X)
#undef X
};

static const isa_formats_t formats_gfx9 = {
    .smem = 0x30,
    .vop3 = 0x34,
    .vop3p = 0x1a7,
    .sgprs = ISA_CODE_FLAT_SCRATCH,
    .old_dpp = true,
    .ds_op = {17, 8},
    .ds_gds = {16, 1},
    .flat_offset = {0, 13},
    .flat_bits = 12,
    .saddr_off = 0x7f,
    .mubuf_op = {{18, 7}},
    .mtbuf_op = {{15, 4}},
    .mubuf_slc = {17, 1},
    .mtbuf_slc = {54, 1},
    .messages = 10,
    .hwregs = hwregs_gfx9,
};

static const isa_hwreg_name_t hwregs_gfx10[ISA_HWREG_NUMBERS] = {
#define X(name, number) [number] = {"HW_REG_" #name, ISA_HWREG_##name},
    ISA_HWREGS_COMMON(X)
#undef X
#define X(name, number, id) [number] = {"HW_REG_" #name, id},
        ISA_HWREGS_GFX10(X)
#undef X
};

static const isa_formats_t formats_gfx10 = {
    .smem = 0x3d,
    .vop3 = 0x35,
    .vop3p = 0x198,
    .sgprs = ISA_CODE_VCC,
    .has_null = true,
    .vop3_literal = true,
    .dpp8 = true,
    .keeps_halves = true,
    .image_dim = true,
    .unified_format = true,
    .ds_op = {18, 8},
    .ds_gds = {17, 1},
    .flat_offset = {0, 12},
    .flat_bits = 12,
    .saddr_off = ISA_CODE_NULL,
    .saddr_none = 0x7f,
    .mubuf_op = {{18, 7}, {25, 1}},
    .mtbuf_op = {{16, 3}, {53, 1}},
    .mubuf_slc = {54, 1},
    .mtbuf_slc = {54, 1},
    .messages = 11,
    .hwregs = hwregs_gfx10,
};

/* What no gfx9 GPU has otherwise. */
#define GFX9(gpu)                                                                                  \
    .name = #gpu, .index = ISA_ARCH_##gpu, .codes = &isa_codes_##gpu, .formats = &formats_gfx9,    \
    .lanes = 64, .waitcnt = {.vm = {{0, 4}, {14, 2}}, .exp = {4, 3}, .lgkm = {8, 4}},              \
    .waits_most = {.vm = 63, .exp = 7, .lgkm = 15},                                                \
    .hw_id = {.slot = {0, 4}, .simd = {4, 2}, .cu = {8, 4}, .sh = {12, 1}, .se = {13, 3}},         \
    .scalar_line = 64, .l2_line = 128,                                                             \
    .save = {.cu_waves = 40, .engine_waves = 512, .wave_bytes = 8},                                \
    .drm_family = 141 /* AMDGPU_FAMILY_AI */

#define TTMP                                                                                       \
    .pc = 0, .pc_high = {0, 16}, .trap_id = {16, 8}, .host = {24, 1}, .group = 8, .wave = 11,      \
    .wave_in_group = {0, 6}, .status = 12, .tma = 14
#define TTMP_GFX9  .ttmp = {TTMP, .packet = 6, .packet_index = {0, 25}, .no_scratch = {6, 1}}
#define TTMP_GFX94 .ttmp = {TTMP, .packet = 11, .packet_index = {6, 25}}

/* GPUs from gfx90a on have one file for VGPRs and AGPRs. */
#define UNIFIED .vgpr_granule = 8, .acc_granule = 4, .simd_vgprs = 512, .dpp_newbcast = true

/* The ids of all axes are in v0, ten bits each. */
/* clang-format off */
#define PACKED_IDS {{0, {0, 10}}, {0, {10, 10}}, {0, {20, 10}}}
/* clang-format on */

#define GFX94(gpu)                                                                                 \
    GFX9(gpu), TTMP_GFX94, UNIFIED,                                                                \
        .memory_fields = {.ds_acc = {25, 1},                                                       \
                          .flat_acc = {55, 1},                                                     \
                          .buffer_acc = {55, 1},                                                   \
                          .scratch_vaddr = {13, 1},                                                \
                          .flat_sc1 = {25, 1},                                                     \
                          .mubuf_sc1 = {15, 1},                                                    \
                          .mtbuf_sc1 = {53, 1}},                                                   \
        .cache_bits = {"sc0", "nt", "sc1"}, .launch = {.item = PACKED_IDS},                        \
        .hwregs = ISA_HWREG_SQ_PERF_SNAPSHOT_PC_HI + 1, .vector_line = 128, .float_atomics = true, \
        .sampling = ISA_SAMPLING_HOST_TRAP | ISA_SAMPLING_STOCHASTIC, .gb_addr_config = 0x2a114042

const isa_arch_t isa_archs[ISA_ARCH_COUNT] = {
    [ISA_ARCH_gfx908] =
        {GFX9(gfx908), TTMP_GFX9, .gfx_target_version = 90008,
         .memory_fields = {.flat_lds = {13, 1}, .buffer_tfe = {55, 1}, .image_tfe = {16, 1}},
         .cache_bits = {"glc", "slc"},
         .launch = {.item = {{0, {0, 10}}, {1, {0, 10}}, {2, {0, 10}}}, .scratch_offset = true},
         .hwregs = ISA_HWREG_TMA_HI + 1, .vgpr_granule = 4, .simd_vgprs = 256, .m0_lds = {0, 16},
         .group_lds = 64 << 10, .lds_granule = 512, .vector_line = 64,
         .sampling = ISA_SAMPLING_HOST_TRAP, .gb_addr_config = 0x22014042},
    [ISA_ARCH_gfx90a] = {GFX9(gfx90a), TTMP_GFX9, UNIFIED, .gfx_target_version = 90010,
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
    /* Trap temporaries are those of gfx9, as the driver's handler for gfx10 saves them. HW_ID is
     * HW_ID1 here, whose engines and arrays are as on gfx9, and whose units are WGPs. */
    [ISA_ARCH_gfx1030] =
        {.name = "gfx1030",
         .index = ISA_ARCH_gfx1030,
         .gfx_target_version = 100300,
         .codes = &isa_codes_gfx1030,
         .formats = &formats_gfx10,
         .lanes = 32,
         .waitcnt = {.vm = {{0, 4}, {14, 2}}, .exp = {4, 3}, .lgkm = {8, 6}},
         .waits_most = {.vm = 63, .exp = 7, .lgkm = 63},
         .memory_fields = {.flat_lds = {13, 1},
                           .flat_sc1 = {12, 1},
                           .mubuf_sc1 = {15, 1},
                           .mtbuf_sc1 = {15, 1},
                           .smem_sc1 = {14, 1},
                           .image_sc1 = {7, 1},
                           .buffer_tfe = {55, 1},
                           .image_tfe = {16, 1}},
         .cache_bits = {"glc", "slc", "dlc"},
         .launch = {.item = {{0, {0, 10}}, {1, {0, 10}}, {2, {0, 10}}}, .scratch_offset = true},
         .hwregs = 30,
         .hw_id = {.slot = {0, 5}, .simd = {8, 2}, .cu = {10, 4}, .sh = {16, 1}, .se = {18, 2}},
         TTMP_GFX9,
         .vgpr_granule = 8,
         .scratch_register = true,
         .gcr = true,
         .unit_cus = 2,
         .simd_vgprs = 512,
         .m0_lds = {0, 16},
         .group_lds = 64 << 10,
         .lds_granule = 1024,
         .vector_line = 128,
         .scalar_line = 64,
         .l2_line = 128,
         .save = {.cu_waves = 32, .wave_bytes = 12, .most = 0x7000},
         .lacks = ISA_LACKS_COUNTERS | ISA_LACKS_CHECK,
         .drm_family = 143, /* AMDGPU_FAMILY_NV */
         .gb_addr_config = 0x00000444},
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
