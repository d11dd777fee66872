/* arch.c - the table of architectures, one row each, and its look-ups.
 *
 * arch.h explains the members. A GPU of the list ISA_GPUS (src/isa/CMakeLists.txt) needs a row of
 * isa_archs, one that has the instructions of another a row of siblings. */
#include "isa/arch.h"
#include "isa/format.h"

#include <stdio.h>
#include <string.h>

#define ISA_ARCH(name) extern const isa_codes_t isa_codes_##name;
#include "isa/isa_archs.inc"
#undef ISA_ARCH

static const isa_hwreg_name_t hwregs_gfx9[ISA_HWREG_NUMBERS] = {
#define X(name, number) [number] = {"HW_REG_" #name, ISA_HWREG_##name},
    ISA_HWREGS_COMMON(X) ISA_HWREGS_TRAP(X) ISA_HWREGS_GFX9(X)
#undef X
};

#define MESSAGES_GFX9                                                                              \
    [1] = "MSG_INTERRUPT", [2] = "MSG_GS", [3] = "MSG_GS_DONE", [4] = "MSG_SAVEWAVE",              \
    [5] = "MSG_STALL_WAVE_GEN", [6] = "MSG_HALT_WAVES", [7] = "MSG_ORDERED_PS_DONE",               \
    [8] = "MSG_EARLY_PRIM_DEALLOC", [9] = "MSG_GS_ALLOC_REQ", [10] = "MSG_GET_DOORBELL"
static const char *const messages_gfx9[ISA_MESSAGES] = {MESSAGES_GFX9};
static const char *const messages_gfx10[ISA_MESSAGES] = {MESSAGES_GFX9, [11] = "MSG_GET_DDID"};

static const isa_formats_t formats_gfx9 = {
    .smem = 0x30,
    .vop3 = 0x34,
    .vop3p = 0x1a7,
    .sgprs = ISA_CODE_FLAT_SCRATCH,
    .sdwa = true,
    .old_dpp = true,
    .smem_op = {18, 8},
    .smem_offset = 21,
    .smem_glc = {16, 1},
    .smem_imm = {17, 1},
    .smem_soe = {14, 1},
    .ds_op = {17, 8},
    .ds_gds = {16, 1},
    .flat_segment = {14, 2},
    .flat_glc = {16, 1},
    .flat_slc = {17, 1},
    .flat_zero = {13, 1},
    .flat_offset = {0, 13},
    .flat_bits = 12,
    .saddr_off = 0x7f,
    .mubuf_op = {{18, 7}},
    .mtbuf_op = {{15, 4}},
    .mubuf_slc = {17, 1},
    .mtbuf_slc = {54, 1},
    .buffer_offen = {12, 1},
    .buffer_idxen = {13, 1},
    .images = ISA_IMAGES_GFX9,
    .image = {.op = {{18, 7}},
              .dmask = {8, 4},
              .da = {14, 1},
              .unorm = {12, 1},
              .glc = {13, 1},
              .slc = {25, 1},
              .lwe = {17, 1},
              .a16 = {15, 1},
              .d16 = {63, 1},
              .ssamp = {53, 5}},
    .messages = messages_gfx9,
    .message = {0, 4},
    .message_doorbell = 10,
    .hwregs = hwregs_gfx9,
};

static const isa_hwreg_name_t hwregs_gfx10[ISA_HWREG_NUMBERS] = {
#define X(name, number) [number] = {"HW_REG_" #name, ISA_HWREG_##name},
    ISA_HWREGS_COMMON(X) ISA_HWREGS_TRAP(X)
#undef X
#define X(name, number, id) [number] = {"HW_REG_" #name, id},
        ISA_HWREGS_RDNA(X) ISA_HWREGS_GFX10(X)
#undef X
};

/* Members that the encodings of gfx10 and later have in common; then those that gfx11 and later
 * have in common. */
#define FORMATS_SINCE_GFX10                                                                        \
    .smem = 0x3d, .vop3 = 0x35, .vop3p = 0x198, .sgprs = ISA_CODE_VCC, .has_null = true,           \
    .vop3_literal = true, .dpp8 = true, .keeps_halves = true, .ds_op = {18, 8}
#define FORMATS_SINCE_GFX11                                                                        \
    FORMATS_SINCE_GFX10, .vopd = 0x32, .null_first = true, .vop3_dpp = true, .halves = true,       \
                         .element_formats = isa_formats_of_gfx11, .message = {0, 8},               \
                         .message_free_vgprs = 3

static const isa_formats_t formats_gfx10 = {
    FORMATS_SINCE_GFX10,
    .sdwa = true,
    .image_dim = true,
    .element_formats = isa_formats_of_gfx10,
    .smem_op = {18, 8},
    .smem_offset = 21,
    .smem_glc = {16, 1},
    .ds_gds = {17, 1},
    .flat_segment = {14, 2},
    .flat_glc = {16, 1},
    .flat_slc = {17, 1},
    .flat_zero = {13, 1},
    .flat_offset = {0, 12},
    .flat_bits = 12,
    .saddr_off = ISA_CODE_NULL,
    .saddr_none = 0x7f,
    .mubuf_op = {{18, 7}, {25, 1}},
    .mtbuf_op = {{16, 3}, {53, 1}},
    .mubuf_slc = {54, 1},
    .mtbuf_slc = {54, 1},
    .buffer_offen = {12, 1},
    .buffer_idxen = {13, 1},
    .images = ISA_IMAGES_GFX10,
    .image = {.op = {{18, 7}, {0, 1}},
              .dmask = {8, 4},
              .spread = {1, 2},
              .dim = {3, 3},
              .unorm = {12, 1},
              .glc = {13, 1},
              .slc = {25, 1},
              .lwe = {17, 1},
              .a16 = {62, 1},
              .r128 = {15, 1},
              .d16 = {63, 1},
              .ssamp = {53, 5}},
    .messages = messages_gfx10,
    .message = {0, 4},
    .message_doorbell = 10,
    .hwregs = hwregs_gfx10,
};

static const isa_hwreg_name_t hwregs_gfx11[ISA_HWREG_NUMBERS] = {
#define X(name, number) [number] = {"HW_REG_" #name, ISA_HWREG_##name},
    ISA_HWREGS_COMMON(X)
#undef X
#define X(name, number, id) [number] = {"HW_REG_" #name, id},
        ISA_HWREGS_RDNA(X)
#undef X
};

static const char *const messages_gfx11[ISA_MESSAGES] = {
    [1] = "MSG_INTERRUPT",      [2] = "MSG_HS_TESSFACTOR",      [3] = "MSG_DEALLOC_VGPRS",
    [5] = "MSG_STALL_WAVE_GEN", [6] = "MSG_HALT_WAVES",         [7] = "MSG_ORDERED_PS_DONE",
    [9] = "MSG_GS_ALLOC_REQ",   [128] = "MSG_RTN_GET_DOORBELL", [129] = "MSG_RTN_GET_DDID",
    [130] = "MSG_RTN_GET_TMA",  [131] = "MSG_RTN_GET_REALTIME", [132] = "MSG_RTN_SAVE_WAVE",
    [133] = "MSG_RTN_GET_TBA",
};

static const isa_formats_t formats_gfx11 = {
    FORMATS_SINCE_GFX11,
    .exp = 0x3e,
    .vinterp = 0xcd,
    .ldsdir = 0xce,
    .image_dim = true,
    .smem_op = {18, 8},
    .smem_offset = 21,
    .smem_glc = {14, 1},
    .ds_gds = {17, 1},
    .flat_segment = {16, 2},
    .flat_glc = {14, 1},
    .flat_slc = {15, 1},
    .flat_offset = {0, 13},
    .flat_bits = 12,
    .saddr_off = ISA_CODE_NULL,
    .mubuf_op = {{18, 8}},
    .mtbuf_op = {{15, 4}},
    .mubuf_slc = {12, 1},
    .mtbuf_slc = {12, 1},
    .buffer_offen = {54, 1},
    .buffer_idxen = {55, 1},
    .images = ISA_IMAGES_GFX11,
    .image = {.op = {{18, 8}},
              .dmask = {8, 4},
              .spread = {0, 1},
              .ends_in_tuple = true,
              .dim = {2, 3},
              .unorm = {7, 1},
              .glc = {14, 1},
              .slc = {12, 1},
              .lwe = {54, 1},
              .a16 = {16, 1},
              .r128 = {15, 1},
              .d16 = {17, 1},
              .ssamp = {58, 5}},
    .messages = messages_gfx11,
    .hwregs = hwregs_gfx11,
};

static const isa_hwreg_name_t hwregs_gfx12[ISA_HWREG_NUMBERS] = {
#define X(name, number, id) [number] = {"HW_REG_" #name, id},
    ISA_HWREGS_GFX12(X)
#undef X
};

static const char *const messages_gfx12[ISA_MESSAGES] = {
    [1] = "MSG_INTERRUPT",     [2] = "MSG_HS_TESSFACTOR",       [3] = "MSG_DEALLOC_VGPRS",
    [9] = "MSG_GS_ALLOC_REQ",  [128] = "MSG_RTN_GET_DOORBELL",  [129] = "MSG_RTN_GET_DDID",
    [130] = "MSG_RTN_GET_TMA", [131] = "MSG_RTN_GET_REALTIME",  [132] = "MSG_RTN_SAVE_WAVE",
    [133] = "MSG_RTN_GET_TBA", [134] = "MSG_RTN_GET_TBA_TO_PC", [135] = "MSG_RTN_GET_SE_AID_ID",
};

static const isa_formats_t formats_gfx12 = {
    FORMATS_SINCE_GFX11,
    .vflat = 0x3b,
    .vbuffer = 0x31,
    .vimage = 0x34,
    .vsample = 0x39,
    .vinterp = 0xcd,
    .ldsdir = 0xce,
    .image_dim = true,
    .images = ISA_IMAGES_GFX12,
    .image = {.op = {{14, 8}},
              .dmask = {22, 4},
              .dim = {0, 3},
              .unorm = {13, 1},
              .lwe = {40, 1},
              .a16 = {6, 1},
              .r128 = {4, 1},
              .d16 = {5, 1}},
    .scopes = true,
    .split_barrier = true,
    .bytes_swapped = true,
    .smem_op = {13, 6},
    .smem_offset = 24,
    .smem_policy = {21, 4},
    .smem_zero = {20, 1},
    .messages = messages_gfx12,
    .hwregs = hwregs_gfx12,
};

/* Members that all gfx9 GPUs have in common. */
#define GFX9(gpu)                                                                                  \
    .name = #gpu, .index = ISA_ARCH_##gpu, .codes = &isa_codes_##gpu, .formats = &formats_gfx9,    \
    .lanes = 64, .waitcnt = {.vm = {{0, 4}, {14, 2}}, .exp = {4, 3}, .lgkm = {8, 4}},              \
    .waits_most = {.vm = 63, .exp = 7, .lgkm = 15},                                                \
    .hw_id = {.slot = {0, 4}, .simd = {4, 2}, .cu = {8, 4}, .sh = {12, 1}, .se = {13, 3}},         \
    .scalar_line = 64, .l2_line = 128, .simd_lanes = 16, .f64_times = 1, .sq_quads = true,         \
    .address_stalls = true, .sq_masks = true, .trace = ISA_TRACE_GFX9, .streams = true,            \
    .save = {.cu_waves = 40, .engine_waves = 512, .wave_bytes = 8},                                \
    .tmpring = {.wave = {12, 13}, .unit = 1024}, .drm_family = 141 /* AMDGPU_FAMILY_AI */

#define TTMP                                                                                       \
    .pc = 0, .pc_high = {0, 16}, .trap_id = {16, 8}, .host = {24, 1}, .group = 8, .wave = 11,      \
    .wave_in_group = {0, 6}, .status = 12, .tma = 14
#define TTMP_GFX9  .ttmp = {TTMP, .packet = 6, .packet_index = {0, 25}, .no_scratch = {6, 1}}
#define TTMP_GFX94 .ttmp = {TTMP, .packet = 11, .packet_index = {6, 25}}
#define TTMP_GFX12                                                                                 \
    .ttmp = {.pc = 0,                                                                              \
             .pc_high = {0, 16},                                                                   \
             .packet = 8,                                                                          \
             .packet_index = {0, 25},                                                              \
             .wave = 8,                                                                            \
             .wave_in_group = {25, 5},                                                             \
             .status = 12,                                                                         \
             .tma = 14}

/* GPUs from gfx90a on have one file for VGPRs and AGPRs. */
#define UNIFIED .vgpr_granule = 8, .acc_granule = 4, .simd_vgprs = 512, .dpp_newbcast = true

/* v0 has the ids of all axes, ten bits each. */
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
                          .mubuf_lds = {16, 1},                                                    \
                          .mubuf_sc1 = {15, 1},                                                    \
                          .mtbuf_sc1 = {53, 1}},                                                   \
        .cache_bits = {"sc0", "nt", "sc1"}, .scope_bits = true, .launch = {.item = PACKED_IDS},    \
        .hwregs = ISA_HWREG_SQ_PERF_SNAPSHOT_PC_HI + 1, .vector_line = 128, .float_atomics = true, \
        .gb_addr_config = 0x2a114042

/* Members that all GPUs from gfx10 on have in common. `like` is the GPU of ISA_GPUS whose
 * instructions `gpu` has. */
#define RDNA(gpu, like)                                                                            \
    .name = #gpu, .index = ISA_ARCH_##like, .codes = &isa_codes_##like, .lanes = 32,               \
    .waits_most = {.vm = 63, .exp = 7, .lgkm = 63}, .vgpr_granule = 8, .scratch_register = true,   \
    .gcr = true, .stores_apart = true, .unit_cus = 2, .simd_lanes = 32, .f64_times = 16,           \
    .m0_lds = {0, 16}, .group_lds = 64 << 10, .lds_granule = 1024, .vector_line = 128,             \
    .scalar_line = 64, .l2_line = 128, .save = {.cu_waves = 32, .wave_bytes = 12, .most = 0x7000}

/* Members that gfx1030 to gfx1036 have in common. Trap temporaries are those of gfx9, as the
 * driver's handler for gfx10 saves them. HW_ID is HW_ID1 here, whose engines and arrays are as on
 * gfx9, and whose units are WGPs. */
#define GFX103(gpu)                                                                                \
    RDNA(gpu, gfx1030), TTMP_GFX9,                                                                 \
        .formats = &formats_gfx10,                                                                 \
        .waitcnt = {.vm = {{0, 4}, {14, 2}}, .exp = {4, 3}, .lgkm = {8, 6}},                       \
        .memory_fields = {.flat_lds = {13, 1},                                                     \
                          .mubuf_lds = {16, 1},                                                    \
                          .flat_sc1 = {12, 1},                                                     \
                          .mubuf_sc1 = {15, 1},                                                    \
                          .mtbuf_sc1 = {15, 1},                                                    \
                          .smem_sc1 = {14, 1},                                                     \
                          .image_sc1 = {7, 1},                                                     \
                          .buffer_tfe = {55, 1},                                                   \
                          .image_tfe = {16, 1}},                                                   \
        .cache_bits = {"glc", "slc", "dlc"},                                                       \
        .launch = {.item = {{0, {0, 10}}, {1, {0, 10}}, {2, {0, 10}}}, .scratch_offset = true},    \
        .hwregs = 30,                                                                              \
        .hw_id = {.slot = {0, 5}, .simd = {8, 2}, .cu = {10, 4}, .sh = {16, 1}, .se = {18, 2}},    \
        .tmpring = {.wave = {12, 13}, .unit = 1024}, .simd_vgprs = 512, .trace = ISA_TRACE_GFX10,  \
        .gb_addr_config = 0x00000444
#define NAVI2 .drm_family = 143 /* AMDGPU_FAMILY_NV */
#define NAVI3 .drm_family = 145 /* AMDGPU_FAMILY_GC_11_0_0 */

/* Members that all GPUs of gfx11 and gfx12 have in common. */
#define GFX11_AND_LATER(gpu, like)                                                                 \
    RDNA(gpu, like),                                                                               \
        .waitcnt = {.vm = {{10, 4}, {14, 2}}, .exp = {0, 3}, .lgkm = {4, 6}},                      \
        .hw_id = {.slot = {0, 5}, .simd = {8, 2}, .cu = {10, 4}, .sh = {16, 1}, .se = {18, 3}},    \
        .tmpring = {.wave = {12, 15}, .unit = 256, .of_engine = true},                             \
        .gb_addr_config = 0x00000545

#define GFX11(gpu, like)                                                                           \
    GFX11_AND_LATER(gpu, like), TTMP_GFX9, .formats = &formats_gfx11,                              \
                                           .memory_fields = {.scratch_vaddr = {55, 1},             \
                                                             .flat_sc1 = {13, 1},                  \
                                                             .mubuf_sc1 = {13, 1},                 \
                                                             .mtbuf_sc1 = {13, 1},                 \
                                                             .smem_sc1 = {13, 1},                  \
                                                             .image_sc1 = {13, 1},                 \
                                                             .buffer_tfe = {53, 1},                \
                                                             .image_tfe = {53, 1}},                \
                                           .cache_bits = {"glc", "slc", "dlc"},                    \
                                           .launch = {.item = PACKED_IDS}, .hwregs = 30,           \
                                           .trace = ISA_TRACE_GFX11

/* Members that gfx1150 to gfx1153 have in common. */
#define GFX115(gpu)                                                                                \
    GFX11(gpu, gfx1151), .dpp_scalar = true, .drm_family = 150 /* AMDGPU_FAMILY_GC_11_5_0 */

#define GFX12(gpu)                                                                                 \
    GFX11_AND_LATER(gpu, gfx1201), TTMP_GFX12,                                                     \
        .formats = &formats_gfx12, .simd_vgprs = 768, .dpp_scalar = true, .hwregs = 33,            \
        .wide_windows = true, .launch = {.item = PACKED_IDS, .ids_in_ttmp = true},                 \
        .mode_absent = ISA_MODE_DX10_CLAMP | ISA_MODE_IEEE, .float_atomics = true,                 \
        .lds_apart = true, .samples_apart = true, .trace = ISA_TRACE_GFX12,                        \
        .drm_family = 152 /* AMDGPU_FAMILY_GC_12_0_0 */

const isa_arch_t isa_archs[ISA_ARCH_COUNT] = {
    [ISA_ARCH_gfx908] = {GFX9(gfx908), TTMP_GFX9, .gfx_target_version = 90008,
                         .memory_fields = {.flat_lds = {13, 1},
                                           .mubuf_lds = {16, 1},
                                           .buffer_tfe = {55, 1},
                                           .image_tfe = {16, 1}},
                         .cache_bits = {"glc", "slc"},
                         .launch = {.item = {{0, {0, 10}}, {1, {0, 10}}, {2, {0, 10}}},
                                    .scratch_offset = true},
                         .hwregs = ISA_HWREG_TMA_HI + 1, .vgpr_granule = 4, .simd_vgprs = 256,
                         .m0_lds = {0, 16}, .group_lds = 64 << 10, .lds_granule = 512,
                         .vector_line = 64, .gb_addr_config = 0x22014042},
    [ISA_ARCH_gfx90a] = {GFX9(gfx90a), TTMP_GFX9, UNIFIED, .gfx_target_version = 90010,
                         .memory_fields = {.ds_acc = {25, 1},
                                           .flat_acc = {55, 1},
                                           .buffer_acc = {55, 1},
                                           .flat_lds = {13, 1},
                                           .mubuf_lds = {16, 1},
                                           .image_acc = {16, 1}},
                         .cache_bits = {"glc", "slc"},
                         .launch = {.item = PACKED_IDS, .scratch_offset = true},
                         .hwregs = ISA_HWREG_TMA_HI + 1, .m0_lds = {0, 16}, .group_lds = 64 << 10,
                         .lds_granule = 512, .vector_line = 64, .gb_addr_config = 0x22014042},
    [ISA_ARCH_gfx942] = {GFX94(gfx942), .gfx_target_version = 90402, .m0_lds = {0, 16},
                         .group_lds = 64 << 10, .lds_granule = 512},
    [ISA_ARCH_gfx950] = {GFX94(gfx950), .gfx_target_version = 90500, .m0_lds = {0, 18},
                         .group_lds = 160 << 10, .lds_granule = 1280},
    [ISA_ARCH_gfx1030] = {GFX103(gfx1030), .gfx_target_version = 100300, NAVI2},
    [ISA_ARCH_gfx1100] = {GFX11(gfx1100, gfx1100), .gfx_target_version = 110000, .simd_vgprs = 768,
                          NAVI3},
    [ISA_ARCH_gfx1151] = {GFX115(gfx1151), .gfx_target_version = 110501, .simd_vgprs = 768},
    [ISA_ARCH_gfx1201] = {GFX12(gfx1201), .gfx_target_version = 120001},
};

/* GPUs that execute what a GPU of isa_archs does, whose index and instructions they have. That they
 * have its GB_ADDR_CONFIG, too, is an assumption: hardware with fewer pipes has another, by which
 * its images lie elsewhere in memory. The runtime lays images out by the value that is told here.
 */
static const isa_arch_t siblings[] = {
    {GFX103(gfx1031), .gfx_target_version = 100301, NAVI2},
    {GFX103(gfx1032), .gfx_target_version = 100302, NAVI2},
    {GFX103(gfx1033), .gfx_target_version = 100303, .drm_family = 144 /* AMDGPU_FAMILY_VGH */},
    {GFX103(gfx1034), .gfx_target_version = 100304, NAVI2},
    {GFX103(gfx1035), .gfx_target_version = 100305, .drm_family = 146 /* AMDGPU_FAMILY_YC */},
    {GFX103(gfx1036), .gfx_target_version = 100306,
     .drm_family = 149 /* AMDGPU_FAMILY_GC_10_3_6 */},
    {GFX11(gfx1101, gfx1100), .gfx_target_version = 110001, .simd_vgprs = 768, NAVI3},
    {GFX11(gfx1102, gfx1100), .gfx_target_version = 110002, .simd_vgprs = 512, NAVI3},
    {GFX11(gfx1103, gfx1100), .gfx_target_version = 110003, .simd_vgprs = 512,
     .drm_family = 148 /* AMDGPU_FAMILY_GC_11_0_1 */},
    {GFX115(gfx1150), .gfx_target_version = 110500, .simd_vgprs = 512},
    {GFX115(gfx1152), .gfx_target_version = 110502, .simd_vgprs = 512},
    {GFX115(gfx1153), .gfx_target_version = 110503, .simd_vgprs = 512},
    {GFX12(gfx1200), .gfx_target_version = 120000},
};

const isa_arch_t *isa_arch_at(size_t i)
{
    const size_t sibling = i - ISA_ARCH_COUNT;
    if (i < ISA_ARCH_COUNT) return &isa_archs[i];
    return sibling < sizeof siblings / sizeof siblings[0] ? &siblings[sibling] : NULL;
}

const isa_arch_t *isa_arch_find(uint32_t gfx_target_version)
{
    const isa_arch_t *a;
    for (size_t i = 0; (a = isa_arch_at(i)); i++)
        if (a->gfx_target_version == gfx_target_version) break;
    return a;
}

const isa_arch_t *isa_arch_named(const char *name)
{
    const isa_arch_t *a;
    for (size_t i = 0; (a = isa_arch_at(i)); i++)
        if (strcmp(a->name, name) == 0) break;
    return a;
}

void isa_arch_list(char *text, size_t size)
{
    const isa_arch_t *a;
    size_t n = 0;
    if (size) *text = '\0';
    for (size_t i = 0; (a = isa_arch_at(i)); i++) {
        const int more = snprintf(text + n, size - n, "%s%u (%s)", n ? ", " : "",
                                  a->gfx_target_version, a->name);
        if (more < 0 || (size_t)more >= size - n) return;
        n += (size_t)more;
    }
}
