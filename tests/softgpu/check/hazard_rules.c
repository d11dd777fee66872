/* hazard_rules.c - every row of the rules by a pair of instructions one wait state too close and by
 * the same pair far enough apart. What is of families of GPUs alone is in hazard_families.c. */
#include "hazard_program.h"

#include "softgpu/exec/exec.h"
#include "isa/table.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 1024 };

/* ---- wait states ---- */

#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* pairs seldom have a third */

typedef struct {
    const char *rule;
    const char *first, *second;
    const char *between; /* an instruction that belongs to the rule, one of its states */
} pair_t;

#define F64_16 "v_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7]"
#define F64_4  "v_mfma_f64_4x4x4f64 a[0:1], v[0:1], v[2:3], a[0:1]"

/* Of rows that all GPUs have. */
static const pair_t shared_pairs[] = {
    {"SETREG_GETREG", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0",
     "s_getreg_b32 s1, hwreg(HW_REG_MODE)"},
    {"SETREG_SETREG", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 1",
     "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s1"},
    {"SETVSKIP_GETREG", "s_setvskip s0, s1", "s_getreg_b32 s1, hwreg(HW_REG_MODE)"},
    {"SETREG_VECTOR", "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0", "v_mov_b32 v0, v1"},
    {"TRAPSTS_RFE", "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0", "s_rfe_b64 s[0:1]"},
    {"MASK_Z", "v_cmp_eq_u32 vcc, v0, v1", "v_mov_b32 v2, src_vccz"},
    {"SGPR_LANE", "v_readlane_b32 s4, v0, 0", "v_readlane_b32 s5, v1, s4"},
    {"VCC_DIV_FMAS", "v_div_scale_f32 v0, vcc, v1, v2, v1", "v_div_fmas_f32 v3, v4, v5, v6"},
    {"WIDE_WRITE", "global_store_dwordx4 v[0:1], v[4:7], off", "v_mov_b32 v7, 0"},
    {"SGPR_VMEM", "v_readfirstlane_b32 s9, v0", "buffer_load_dword v2, off, s[8:11], 0"},
    {"M0_MESSAGE", "s_mov_b32 m0, s0", "s_sendmsg sendmsg(MSG_INTERRUPT)"},
    {"M0_MOVREL", "s_mov_b32 m0, s0", "s_movrels_b32 s1, s2"},
    {"M0_LDS", "s_mov_b32 m0, s0", "buffer_load_dword off, s[8:11], 0 lds"},
    {"VGPR_DPP", "v_mov_b32 v0, v1", "v_mov_b32_dpp v2, v0 row_shr:1"},
    {"EXEC_DPP", "v_cmpx_eq_u32 vcc, v0, v1", "v_mov_b32_dpp v2, v3 row_shr:1"},
};

/* v_readfirstlane_b32 m0, v0 and ds_add_u32 v0, v1 gds, which new assemblers do not take */
#define READFIRSTLANE_M0 ".long 0x7ef80500"
#define ADD_GDS          ".long 0xd8010000, 0x00000100"

static const pair_t gfx90a_pairs[] = {
    {"VGPR_MATRIX", "v_mov_b32 v1, v9", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"},
    {"EXEC_MATRIX", "v_cmpx_eq_u32 vcc, v8, v9", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"},
    {"DOT_READ", "v_dot4_i32_i8 v0, v1, v2, v3", "v_add_u32 v4, v0, v5"},
    {"DOT_WRITTEN", "v_dot4_i32_i8 v0, v1, v2, v3", "v_mov_b32 v0, 0"},
    {"F64_FMA", F64_4, "v_fma_f64 v[8:9], v[10:11], v[12:13], v[14:15]"},
    {"F64_BETWEEN", "v_mov_b32 v12, 0", "global_load_dword v14, v[12:13], off", F64_4},

/* clang-format off */
#define PASSES(n, mfma, last)                                                                      \
    {"PASS" #n "_C", mfma, "v_mfma_f32_4x4x1f32 a[40:43], v4, v5, a[" last "]"},                   \
    {"PASS" #n "_C_F64", mfma, "v_mfma_f64_4x4x4f64 a[40:41], v[4:5], v[6:7], a[2:3]"},            \
    {"PASS" #n "_AB", mfma, "v_mfma_f32_4x4x1f32 a[40:43], v4, a2, a[44:47]"},                     \
    {"PASS" #n "_READ", mfma, "ds_write_b32 v9, a2"},                                              \
    {"PASS" #n "_WRITTEN", mfma, "v_accvgpr_write_b32 a1, v9"},                                    \
    {"PASS" #n "_HELD", mfma, "v_accvgpr_write_b32 a81, v9"}
    /* clang-format on */
    PASSES(2, "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[80:83]", "2:5"),
    PASSES(8, "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[80:83]", "2:5"),
    PASSES(16, "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[80:95]", "0:3"),
#undef PASSES

    {"F64_4_C_SAME", F64_4, F64_4},
    {"F64_4_C", F64_4, "v_mfma_f64_16x16x4f64 a[8:15], v[4:5], v[6:7], a[0:7]"},
    {"F64_4_AB", F64_4, "v_mfma_f32_4x4x1f32 a[40:43], v4, a1, a[44:47]"},
    {"F64_4_READ", F64_4, "v_accvgpr_read_b32 v8, a1"},
    {"F64_4_WRITTEN", F64_4, "v_accvgpr_write_b32 a1, v8"},
    {"F64_4_MEMORY", F64_4, "global_store_dword v[8:9], a1, off"},
    {"F64_16_C", F64_16, "v_mfma_f64_4x4x4f64 a[40:41], v[4:5], v[6:7], a[2:3]"},
    {"F64_16_AB", F64_16, "v_mfma_f32_4x4x1f32 a[40:43], v4, a7, a[44:47]"},
    {"F64_16_READ", F64_16, "v_accvgpr_read_b32 v8, a7"},
    {"F64_16_WRITTEN", F64_16, "v_accvgpr_write_b32 a7, v8"},
    {"F64_16_MEMORY", F64_16, "ds_write_b32 v8, a7"},

    /* other encodings, registers with names, results beside the first */
    {"SGPR_VMEM", "v_cmp_eq_u32 s[8:9], v0, v1", "buffer_store_dword v2, off, s[8:11], 0"},
    {"SGPR_VMEM", "v_add_co_u32 v0, s[10:11], v1, v2", "buffer_load_dword v2, off, s[8:11], 0"},
    {"SGPR_VMEM", "v_readlane_b32 s3, v0, 0", "buffer_load_dword v2, off, s[8:11], s3"},
    {"SGPR_VMEM", "v_cmp_eq_u32 vcc, v0, v1", "global_load_dword v2, v3, vcc"},
    {"SGPR_VMEM", "v_cmp_eq_u32_sdwa s[4:5], v0, v1 src0_sel:BYTE_0 src1_sel:DWORD",
     "global_atomic_add v3, v2, s[4:5]"},
    {"SGPR_VMEM", "v_div_scale_f32 v0, s[4:5], v1, v2, v1", "scratch_load_dword v2, off, s4"},
    {"SGPR_VMEM", "v_readfirstlane_b32 flat_scratch_hi, v0", "scratch_store_dword v2, v3, off"},
    {"SGPR_LANE", READFIRSTLANE_M0, "v_readlane_b32 s5, v1, m0"},
    {"SGPR_LANE", "v_cmp_eq_u32 vcc, v0, v1", "v_writelane_b32 v5, 7, vcc_lo"},
    {"VCC_DIV_FMAS", "v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f64 v[2:3], v[4:5], v[6:7], v[8:9]"},
    {"VCC_DIV_FMAS", "v_readfirstlane_b32 vcc_lo, v0", "v_div_fmas_f32 v3, v4, v5, v6"},
    {"VCC_DIV_FMAS", "v_addc_co_u32 v0, vcc, v1, v2, vcc", "v_div_fmas_f32 v3, v4, v5, v6"},
    {"VGPR_DPP", "v_mov_b32 v1, v3", "v_add_u32_dpp v2, v1, v0 row_shl:1"},
    {"VGPR_DPP", "v_fma_f64 v[0:1], v[4:5], v[6:7], v[8:9]",
     "v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2]"},
    {"VGPR_DPP", "v_swap_b32 v0, v1", "v_mov_b32_dpp v2, v1 row_shl:1"},
    {"VGPR_DPP", "v_accvgpr_read_b32 v1, a0", "v_mov_b32_dpp v2, v1 wave_shr:1"},
    {"VGPR_DPP", "v_mov_b32_dpp v1, v3 row_shr:1", "v_mov_b32_dpp v2, v1 row_shr:2"},
    {"VGPR_DPP", "v_writelane_b32 v1, s0, 3", "v_mov_b32_dpp v2, v1 row_bcast:15"},
    {"EXEC_DPP", "v_cmpx_lt_f32 s[4:5], v0, v1", "v_max_f32_dpp v2, v3, v4 row_bcast:31"},
    {"MASK_Z", "v_cmpx_eq_u32 s[4:5], v0, v1", "v_add_u32 v2, src_execz, v0"},
    {"EXEC_MATRIX", "v_cmpx_eq_u32 s[4:5], v8, v9", F64_4},
    {"VGPR_MATRIX", "v_accvgpr_write_b32 a2, v9", "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3]"},
    {"VGPR_MATRIX", "v_pk_mul_f32 v[0:1], v[4:5], v[4:5]", F64_16},
    {"WIDE_WRITE", "flat_store_dwordx3 v[0:1], v[4:6]", "v_mov_b32 v6, 0"},
    {"WIDE_WRITE", "buffer_store_dwordx4 a[4:7], off, s[8:11], 0", "v_accvgpr_write_b32 a4, v9"},
    {"WIDE_WRITE", "global_atomic_cmpswap_x2 v[0:1], v[4:7], off",
     "v_lshlrev_b64 v[6:7], 1, v[8:9]"},
    {"WIDE_WRITE", "buffer_store_format_xyzw v[4:7], v0, s[8:11], 0 idxen", "v_mov_b32 v5, 0"},
    {"WIDE_WRITE", "tbuffer_store_format_xyz v[4:6], v0, s[8:11], 0 idxen", "v_mov_b32 v5, 0"},
    {"WIDE_WRITE", "scratch_store_dwordx4 v0, v[4:7], off", "v_swap_b32 v9, v7"},
    {"M0_MESSAGE", "s_add_u32 m0, s0, s1", "ds_gws_init v2 gds"},
    {"M0_MESSAGE", "s_movk_i32 m0, 0x10", "s_sendmsghalt sendmsg(MSG_INTERRUPT)"},
    {"M0_MESSAGE", "s_mov_b32 m0, s0", ADD_GDS},
    {"M0_MESSAGE", "s_mov_b32 m0, s0", "s_ttracedata"},
    {"M0_MOVREL", "s_bfe_u32 m0, s0, s1", "s_movreld_b64 s[2:3], s[4:5]"},
    {"M0_LDS", "s_mov_b32 m0, s0", "ds_read_addtid_b32 v0"},
    {"M0_LDS", "s_mov_b32 m0, s0", "ds_write_addtid_b32 v0"},
    {"M0_LDS", "s_lshl_b32 m0, s0, 1", "buffer_load_ubyte v1, s[8:11], 0 offen lds"},
    {"DOT_READ", "v_dot2_f32_f16 v0, v1, v2, v3", "v_dot2_f32_f16 v4, v0, v2, v3"},
    {"DOT_READ", "v_dot2c_f32_f16 v0, v1, v2", "global_store_dword v[4:5], v0, off"},
    {"PASS2_READ", "v_mfma_i32_4x4x4i8 v[0:3], v8, v9, v[0:3]", "v_readlane_b32 s0, v3, 0"},
    {"PASS8_READ", "v_mfma_f32_16x16x16bf16_1k v[0:3], v[8:9], v[10:11], v[0:3]",
     "global_store_dword v[4:5], v0, off"},
    {"PASS16_READ", "v_mfma_f32_32x32x8f16 v[0:15], v[20:21], v[22:23], v[0:15]",
     "v_cmp_eq_u32 vcc, v15, v16"},
};

#define ACC_WRITE "v_accvgpr_write_b32 a2, v9"
#define SMALL     "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[80:83]"

static const pair_t gfx908_pairs[] = {
    {"EXEC_MATRIX", "v_cmpx_eq_u32 vcc, v8, v9", SMALL},
    {"EXEC_MATRIX", "v_cmpx_eq_u32 s[4:5], v8, v7", ACC_WRITE},
    {"VGPR_MATRIX", "v_mov_b32 v1, v9", SMALL},
    {"VGPR_MATRIX", "v_accvgpr_read_b32 v9, a9", ACC_WRITE},
    {"MATRIX_AB", SMALL, "v_mfma_f32_4x4x1f32 a[40:43], v4, a2, a[44:47]"},
    {"MATRIX_AB", "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[80:95]",
     "v_mfma_f32_4x4x1f32 a[40:43], a2, v4, a[44:47]"},
    {"MATRIX_C", SMALL, "v_mfma_f32_4x4x1f32 a[40:43], v4, v5, a[2:5]"},
    {"PASS2_READ", SMALL, "v_accvgpr_read_b32 v9, a2"},
    {"PASS2_WRITTEN", SMALL, ACC_WRITE},
    {"PASS8_READ", "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[80:83]", "v_accvgpr_read_b32 v9, a2"},
    {"PASS8_WRITTEN", "v_mfma_f32_16x16x8bf16 a[0:3], v0, v1, a[80:83]", ACC_WRITE},
    {"PASS8_HELD", "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[80:83]", "v_accvgpr_write_b32 a81, v9"},
    {"PASS16_READ", "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[80:95]", "v_accvgpr_read_b32 v9, a2"},
    {"PASS16_WRITTEN", "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[80:95]", ACC_WRITE},
    {"PASS16_HELD", "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[80:95]",
     "v_accvgpr_write_b32 a81, v9"},
    {"ACC_AB", ACC_WRITE, "v_mfma_f32_4x4x1f32 a[40:43], v4, a2, a[44:47]"},
    {"ACC_C", ACC_WRITE, "v_mfma_f32_4x4x1f32 a[40:43], v4, v5, a[0:3]"},
    {"ACC_READ", ACC_WRITE, "v_accvgpr_read_b32 v8, a2"},
    {"ACC_MEMORY", "v_accvgpr_read_b32 v8, a2", "global_store_dword v[0:1], v8, off"},
};

#define NEW_F64_16 "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]"
#define NEW_F64_4  "v_mfma_f64_4x4x4_4b_f64 a[0:1], v[0:1], v[2:3], a[0:1]"
#define NEW_SMALL  "v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v1, a[80:83]"

/* Of rows that gfx942 and gfx950 have. */
static const pair_t gfx940_pairs[] = {
    {"VGPR_MATRIX", "v_mov_b32 v1, v9", NEW_SMALL},
    {"EXEC_MATRIX", "v_cmpx_eq_u32 vcc, v8, v9", NEW_SMALL},
    {"DOT_READ", "v_dot4_i32_i8 v0, v1, v2, v3", "v_add_u32 v4, v0, v5"},
    {"DOT_WRITTEN", "v_dot4_i32_i8 v0, v1, v2, v3", "v_mov_b32 v0, 0"},
    {"F64_FMA", NEW_F64_4, "v_fma_f64 v[8:9], v[10:11], v[12:13], v[14:15]"},
    {"TRANS_READ", "v_rcp_f32 v0, v1", "v_add_f32 v2, v0, v3"},
    {"TRANS_READ", "v_exp_f16 v0, v1", "v_fma_f32 v2, v3, v4, v0"},
    {"TRANS_READ", "v_sqrt_f64 v[0:1], v[2:3]", "v_mov_b32 v2, v1"},
    {"PART_READ", "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD",
     "v_mov_b32 v2, v0"},
    {"PART_READ", "v_fma_f16 v0, v1, v2, v3 op_sel:[0,0,0,1]", "v_add_u32 v2, v3, v0"},
    {"SGPR_VALU", "v_readfirstlane_b32 s4, v0", "v_mov_b32 v1, s4"},
    {"SGPR_VALU", "v_cmp_eq_u32 s[4:5], v0, v1", "v_add_u32 v2, s5, v4"},
    {"VCC_VALU", "v_cmp_eq_u32 vcc, v0, v1", "v_mov_b32 v2, vcc_hi"},
    {"VCC_VALU", "v_readfirstlane_b32 vcc_lo, v0", "v_add_u32 v2, vcc_lo, v3"},
    {"EXEC_LANE", "v_cmpx_eq_u32 vcc, v0, v1", "v_readfirstlane_b32 s4, v2"},
    {"EXEC_LANE", "v_cmpx_eq_u32 vcc, v0, v1", "v_writelane_b32 v2, s4, 3"},
    {"VGPR_READLANE", "v_mov_b32 v0, v1", "v_readlane_b32 s4, v0, 0"},
    {"VGPR_READLANE", "v_accvgpr_read_b32 v0, a1", "v_readfirstlane_b32 s4, v0"},
    {"PASS2_C_SAME", NEW_SMALL, "v_mfma_f32_4x4x1_16b_f32 a[0:3], v4, v5, a[0:3]"},
    {"PASS2_C_SAME", "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[80:83]",
     "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[4:5], v[6:7], a[0:3]"},
    {"MF32_2_C", NEW_SMALL, "v_mfma_f32_4x4x1_16b_f32 a[40:43], v4, v5, a[2:5]"},
    {"MF32_2_USED", NEW_SMALL, "ds_write_b32 v9, a2"},
    {"MF32_8_C", "v_mfma_f32_16x16x4_f32 a[0:3], v0, v1, a[80:83]",
     "v_mfma_f64_4x4x4_4b_f64 a[40:41], v[4:5], v[6:7], a[2:3]"},
    {"MF32_8_USED", "v_mfma_f32_16x16x4_f32 a[0:3], v0, v1, a[80:83]",
     "v_mfma_f32_4x4x1_16b_f32 a[40:43], v4, a2, a[44:47]"},
    {"MF32_16_C", "v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[80:95]",
     "v_mfma_f32_4x4x1_16b_f32 a[40:43], v4, v5, a[2:5]"},
    {"MF32_16_USED", "v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[80:95]",
     "v_accvgpr_write_b32 a1, v9"},

/* clang-format off */
#define XDL(n, mfma)                                                                               \
    {"MX" #n "_C", mfma, "v_mfma_f32_4x4x4_16b_f16 a[40:43], v[4:5], v[6:7], a[2:5]"},             \
    {"MX" #n "_C", mfma, "v_smfmac_f32_16x16x32_f16 a[2:5], v[4:5], v[12:15], v9"},                \
    {"MX" #n "_C_WIDE", mfma, "v_mfma_f32_4x4x1_16b_f32 a[40:43], v4, v5, a[2:5]"},                \
    {"MX" #n "_USED", mfma, "v_accvgpr_read_b32 v9, a2"},                                          \
    {"MX" #n "_USED", mfma, "v_accvgpr_write_b32 a2, v9"},                                         \
    {"MX" #n "_USED", mfma, "global_store_dword v[8:9], a1, off"},                                 \
    {"MX" #n "_USED", mfma, "v_smfmac_f32_16x16x32_f16 a[40:43], v[4:5], a[0:3], v9"},             \
    {"MX" #n "_HELD", mfma, "v_accvgpr_write_b32 a81, v9"}
    /* clang-format on */
    XDL(2, "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[80:83]"),
    XDL(4, "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[80:83]"),
    XDL(8, "v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[80:95]"),
    XDL(16, "v_mfma_f32_32x32x4_2b_f16 a[0:31], v[0:1], v[2:3], a[80:111]"),
#undef XDL
    {"MX4_USED", "v_mfma_f32_16x16x16_f16 v[16:19], v[0:1], v[2:3], v[20:23]",
     "v_smfmac_f32_16x16x32_f16 a[40:43], v[4:5], v[12:15], v18"},

    {"F64_4_C_SAME", NEW_F64_4, NEW_F64_4},
    {"F64_4_C", NEW_F64_4, "v_mfma_f64_16x16x4_f64 a[8:15], v[4:5], v[6:7], a[0:7]"},
    {"F64_4_USED", NEW_F64_4, "v_accvgpr_read_b32 v8, a1"},
    {"F64_4_USED", NEW_F64_4, "v_accvgpr_write_b32 a1, v8"},
    {"F64_4_MEMORY", NEW_F64_4, "global_store_dword v[8:9], a1, off"},
    {"F64_16_C", NEW_F64_16, "v_mfma_f64_4x4x4_4b_f64 a[40:41], v[4:5], v[6:7], a[2:3]"},
    {"F64_16_MEMORY", NEW_F64_16, "ds_write_b32 v8, a7"},
};

static const pair_t gfx942_pairs[] = {
    {"F64_16_USED", NEW_F64_16, "v_accvgpr_read_b32 v8, a7"},
    {"F64_16_USED", NEW_F64_16, "v_accvgpr_write_b32 a7, v8"},
    {"F64_16_USED", NEW_F64_16, "v_mfma_f32_4x4x1_16b_f32 a[40:43], v4, a7, a[44:47]"},
    {"MX4_USED", "v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[80:83]",
     "v_accvgpr_read_b32 v9, a2"},
};

/* v_permlane16_swap_b32 v16, v4, and v_permlane32_swap_b32, which old assemblers do not know */
#define PERMLANE16 ".long 0x7e20b304"
#define PERMLANE32 ".long 0x7e20b504"

static const pair_t gfx950_pairs[] = {
    {"F64_16_AB", NEW_F64_16, "v_mfma_f32_4x4x1_16b_f32 a[40:43], v4, a7, a[44:47]"},
    {"F64_16_READ", NEW_F64_16, "v_accvgpr_read_b32 v8, a7"},
    {"F64_16_WRITTEN", NEW_F64_16, "v_accvgpr_write_b32 a7, v8"},
    {"VGPR_PERMLANE", "v_mov_b32 v4, v1", PERMLANE16},
    {"VGPR_PERMLANE", "v_mov_b32 v16, v1", PERMLANE32},
    {"CMPX_PERMLANE", "v_cmpx_eq_u32 vcc, v0, v1", PERMLANE32},
};

/* Of GPUs whose matrix instructions spread a result over the lanes of the wave (WMMA). */
static const pair_t wmma_pairs[] = {
    {"WMMA_AB", WMMA, "v_wmma_f32_16x16x16_f16 v[40:47], v[7:14], v[24:31], v[40:47]"},
    {"WMMA_AB", WMMA, "v_wmma_i32_16x16x16_iu8 v[40:47], v[16:19], v[4:7], v[40:47]"},
};

static const pair_t gfx1100_pairs[] = {
    /* what is added to is read, too */
    {"TRANS_USED", "v_rcp_f32 v0, v1", "v_fmac_f32 v0, v2, v3"},
    {"TRANS_USED", "v_rcp_f32 v0, v1", "v_dual_fmac_f32 v0, v2, v3 :: v_dual_mov_b32 v5, v4"},
    {"TRANS_USED", "v_rcp_f32 v1, v0", "v_dual_fmac_f32 v0, v2, v3 :: v_dual_fmac_f32 v1, v4, v5"},
    {"TRANS_USED", "v_rcp_f32 v0, v1", "v_add_f32 v2, v0, v3"},
    {"TRANS_USED", "v_exp_f32 v0, v1", "v_log_f32 v2, v0"},
    {"TRANS_USED", "v_sqrt_f32 v0, v1", "v_dual_mov_b32 v2, v5 :: v_dual_add_f32 v3, v0, v6"},
};

/* Of gfx12, whose assembler is newer than some that the tests run with. */
#define WMMA_GFX12 ".long 0xcc404000, 0x1c022110" /* v[0:7], v[16:19], v[16:19], v[0:7] */
static const pair_t gfx1201_pairs[] = {
    {"WMMA_AB", WMMA_GFX12,
     ".long 0xcc404028, 0x1ca22904"}, /* v[40:47], v[4:7], v[20:23], v[40:47] */
};

/* A GPU, how assemblers call it or one that has the same instructions, and its pairs. */
typedef struct {
    unsigned arch;
    const char *cpu[2];
    struct {
        const pair_t *pair;
        size_t n;
    } pairs[3];
} gpu_t;

#define PAIRS(of)                                                                                  \
    {                                                                                              \
        of##_pairs, sizeof of##_pairs / sizeof *of##_pairs                                         \
    }
static const gpu_t gpus[] = {
    {ISA_ARCH_gfx90a, {"gfx90a"}, {PAIRS(shared), PAIRS(gfx90a)}},
    {ISA_ARCH_gfx908, {"gfx908"}, {PAIRS(shared), PAIRS(gfx908)}},
    {ISA_ARCH_gfx942, {"gfx942"}, {PAIRS(shared), PAIRS(gfx940), PAIRS(gfx942)}},
    {ISA_ARCH_gfx950, {"gfx950", "gfx942"}, {PAIRS(shared), PAIRS(gfx940), PAIRS(gfx950)}},
    {ISA_ARCH_gfx1100, {"gfx1100"}, {PAIRS(wmma), PAIRS(gfx1100)}},
    {ISA_ARCH_gfx1151, {"gfx1151", "gfx1100"}, {PAIRS(wmma)}},
    {ISA_ARCH_gfx1201, {"gfx1201", "gfx1100"}, {PAIRS(gfx1201)}},
};
#undef PAIRS

enum { GPUS = sizeof gpus / sizeof *gpus };

static void use(const gpu_t *g)
{
    hazard_use(g->arch, g->cpu[0], g->cpu[1]);
}

/* A state is a v_nop where VALU's instructions count; elsewhere s_nop N stands for N + 1 states. */
static void pair_text(const pair_t *p, unsigned states, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "%s\n", p->first);
    if (p->between) {
        used += (size_t)snprintf(text + used, room - used, "%s\n", p->between);
        states--;
    }
    const bool by_valu = chk_hazard_rules(hazard_arch)->by_valu;
    for (unsigned n; states; states -= n) {
        n = by_valu ? 1 : states > 8 ? 8 : states;
        if (by_valu)
            used += (size_t)snprintf(text + used, room - used, "v_nop\n");
        else
            used += (size_t)snprintf(text + used, room - used, "s_nop %u\n", n - 1);
    }
    snprintf(text + used, room - used, "%s\n", p->second);
}

static const chk_hazard_rules_t *table(void)
{
    return chk_hazard_rules(hazard_arch);
}

static const chk_rule_t *rule_named(const char *name)
{
    for (const chk_rule_t *r = table()->rows; r < table()->rows + table()->n; r++)
        if (!strcmp(r->name, name)) return r;
    fail_msg("no row %s", name);
    return NULL;
}

/* Both of a pair: too near, and just far enough. */
static void add_pair(programs_t *p, const pair_t *pair)
{
    char text[TEXT];
    for (unsigned more = 0; more < 2; more++) {
        pair_text(pair, rule_named(pair->rule)->states - 1 + more, text, sizeof text);
        programs_add(p, text);
    }
}

static void judge_pair(programs_t *p, const pair_t *pair)
{
    const isa_wave_t w = hazard_wave();
    const chk_rule_t *rule = rule_named(pair->rule);
    seen_t seen = programs_step(p, &w, true);
    if (seen.n != 1 || !seen.at_end || seen.last.kind != CHK_HAZARD_STATES ||
        seen.last.rule != rule)
        fail_msg("\"%s\" (%u states), %s, %s: %u found, the last \"%s\"", rule->text, rule->states,
                 pair->first, pair->second, seen.n, seen_text(&seen));
    assert_int_equal(seen.last.needed, rule->states);
    assert_int_equal(seen.last.had, rule->states - 1);
    assert_int_equal(seen.last.pc, HAZARD_CODE);
    seen = programs_step(p, &w, true);
    if (seen.n)
        fail_msg("\"%s\", %u states apart, %s, %s: \"%s\" is found", rule->text, rule->states,
                 pair->first, pair->second, seen_text(&seen));
}

static void rules(void **state)
{
    (void)state;
    for (const gpu_t *g = gpus; g < gpus + GPUS; g++) {
        programs_t *p = programs_create();
        use(g);
        for (unsigned of = 0; of < 3; of++)
            for (size_t k = 0; k < g->pairs[of].n; k++)
                add_pair(p, &g->pairs[of].pair[k]);
        for (unsigned of = 0; of < 3; of++)
            for (size_t k = 0; k < g->pairs[of].n; k++)
                judge_pair(p, &g->pairs[of].pair[k]);
        programs_free(p);
    }
    use(&gpus[0]);
}

static void each_rule_has_a_pair(void **state)
{
    (void)state;
    for (const gpu_t *g = gpus; g < gpus + GPUS; g++) {
        use(g);
        for (unsigned k = 0; k < table()->n; k++) {
            size_t n = 0;
            for (unsigned of = 0; of < 3; of++)
                for (size_t i = 0; i < g->pairs[of].n; i++)
                    n += !strcmp(g->pairs[of].pair[i].rule, table()->rows[k].name);
            if (!n) fail_msg("no pair for %s of %s", table()->rows[k].name, hazard_arch->name);
        }
    }
    use(&gpus[0]);
}

/* How far the checker looks back, and how many rows it can tell apart, fits every GPU's table. */
static void tables_say_how_far_they_reach(void **state)
{
    (void)state;
    for (const isa_arch_t *a = isa_archs; a < isa_archs + ISA_ARCH_COUNT; a++) {
        const chk_hazard_rules_t *t = chk_hazard_rules(a);
        uint8_t most = 0, mark = 0, rare = 0;
        assert_in_range(t->n, a->index == ISA_ARCH_gfx1030 ? 0 : 1, 64); /* which waits by itself */
        for (const chk_rule_t *r = t->rows; r < t->rows + t->n; r++) {
            const bool matrix = r->first & CHK_FIRST_MATRIX;
            const bool shares = r->share != CHK_SHARE_NOTHING && r->share != CHK_SHARE_HWREG;
            assert_in_range(r->states, 1, CHK_RECENT - 1);
            if (r->states > most) most = r->states;
            if (r->first & CHK_FIRST_MARKS && !matrix && r->states > mark) mark = r->states;
            if (r->first & CHK_FIRST_RARE && !shares && r->states > rare) rare = r->states;
            if (r->share == CHK_SHARE_VECTOR_F64 && r->states > rare) rare = r->states;
        }
        assert_int_equal(t->most, most);
        assert_int_equal(t->mark, mark);
        assert_int_equal(t->rare, rare);
    }
}

/* What is near a row and none of it. */
static const char *const near_rules[] = {
    "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\n s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS)\n",
    "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\n v_mov_b32 v0, v1\n",
    "s_mov_b32 s9, 0\n buffer_load_dword v2, off, s[8:11], 0\n", /* SALU */
    "v_readfirstlane_b32 s7, v0\n buffer_load_dword v2, off, s[8:11], 0\n",
    "v_readlane_b32 s4, v0, 0\n v_readlane_b32 s5, v1, s3\n",
    "v_readlane_b32 s4, v0, 0\n v_add_u32 v2, s4, v1\n",
    "v_cmp_eq_u32 s[4:5], v0, v1\n v_div_fmas_f32 v3, v4, v5, v6\n",
    "global_store_dwordx2 v[0:1], v[4:5], off\n v_mov_b32 v5, 0\n",
    "buffer_store_dwordx4 v[4:7], off, s[8:11], s3\n v_mov_b32 v7, 0\n",
    "s_mov_b32 m0, s0\n ds_write_b32 v0, v1\n",
    "v_mov_b32 v4, v1\n v_mov_b32_dpp v2, v0 row_shr:1\n",
    "v_dot4_i32_i8 v0, v1, v2, v0\n v_dot4_i32_i8 v0, v1, v2, v0\n",
    "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]\n v_mfma_f32_16x16x4f32 a[0:3], v2, v3, a[0:3]\n",
    (F64_16 "\n" F64_16 "\n"),
    (F64_16 "\n v_mfma_f32_4x4x1f32 a[40:43], v4, v5, a[2:5]\n"),
    /* the last of two decides */
    "v_mfma_f32_32x32x2f32 a[0:15], v0, v1, a[0:15]\n s_nop 7\n s_nop 7\n"
    "v_mfma_f32_4x4x1f32 a[0:3], v0, v1, 0\n s_nop 4\n v_accvgpr_read_b32 v3, a0\n",
    /* behind a jump everything is far away */
    "v_readfirstlane_b32 s9, v0\n s_setpc_b64 s[2:3]\n buffer_load_dword v2, off, s[8:11], 0\n",
};

static void no_rules(void **state)
{
    const isa_wave_t w = hazard_wave();
    programs_t *p = programs_create();
    (void)state;
    for (size_t k = 0; k < sizeof near_rules / sizeof *near_rules; k++)
        programs_add(p, near_rules[k]);
    for (size_t k = 0; k < sizeof near_rules / sizeof *near_rules; k++) {
        const seen_t seen = programs_step(p, &w, true);
        if (seen.n) fail_msg("\"%s\" in %s", seen_text(&seen), near_rules[k]);
    }
    programs_free(p);
}

/* What VALU writes twice is not read by the second. */
static void written_twice(void **state)
{
    programs_t *p = programs_create();
    (void)state;
    use(&gpus[2]); /* gfx942 */
    const isa_wave_t w = hazard_wave();
    programs_add(p, "v_cmp_lt_u32 s[4:5], s10, v2\n v_cmp_gt_u32 s[4:5], s10, v2");
    programs_add(p, "v_cmp_lt_u32 s[4:5], s10, v2\n v_cmp_gt_u32 s[6:7], s4, v2");
    const seen_t twice = programs_step(p, &w, true), read = programs_step(p, &w, true);
    programs_free(p);
    use(&gpus[0]);
    if (twice.n) fail_msg("%s", seen_text(&twice));
    assert_int_equal(read.n, 1);
}

/* Masks of lanes need no wait states, as AMD's own assembly for gfx942 has none there. */
static void masks(void **state)
{
    static const char *const texts[] = {
        "v_add_co_u32 v2, vcc, v0, s4\n v_addc_co_u32 v3, vcc, v3, v4, vcc",
        "v_cmp_ge_i32 s[4:5], v62, s5\n v_cndmask_b32_e64 v16, v16, 0, s[4:5]",
        "v_sub_co_u32 v2, s[4:5], v0, v1\n v_subb_co_u32 v3, s[4:5], v3, v4, s[4:5]",
        "v_cmp_eq_u32 vcc, v0, v1\n v_cndmask_b32 v2, v3, v4, vcc",
    };
    programs_t *p = programs_create();
    (void)state;
    use(&gpus[2]); /* gfx942 */
    const isa_wave_t w = hazard_wave();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        programs_add(p, texts[k]);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const seen_t seen = programs_step(p, &w, true);
        if (seen.n) fail_msg("\"%s\" in %s", seen_text(&seen), texts[k]);
    }
    programs_free(p);
    use(&gpus[0]);
}

/* What comes in between does not hide the first of a pair. */
static const struct {
    const char *text, *rule;
} hidden[] = {
    {"v_mfma_f32_32x32x2f32 a[0:15], v0, v1, 0\n s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0\n"
     "s_nop 3\n v_accvgpr_read_b32 v3, a0\n",
     "PASS16_READ"},
    {"v_mfma_f32_32x32x2f32 a[0:15], v0, v1, 0\n s_nop 7\n v_dot4_i32_i8 v4, v5, v6, v7\n s_nop 3\n"
     "v_accvgpr_read_b32 v3, a0\n",
     "PASS16_READ"},
    {"v_dot4_i32_i8 v0, v1, v2, v0\n v_dot4_i32_i8 v0, v1, v2, v0\n v_dot4_i32_i8 v4, v0, v2, v4\n",
     "DOT_READ"},
    {"v_dot4_i32_i8 v0, v1, v2, v0\n v_dot8_i32_i4 v4, v1, v2, v4\n v_dot8_i32_i4 v5, v1, v2, v0\n",
     "DOT_READ"},
    {"v_readfirstlane_b32 s9, v0\n v_mov_b32 v1, v2\n v_mov_b32 v3, v4\n v_mov_b32 v5, v6\n"
     "buffer_load_dword v2, off, s[8:11], 0\n",
     "SGPR_VMEM"},
};

static void hidden_rules(void **state)
{
    const isa_wave_t w = hazard_wave();
    programs_t *p = programs_create();
    (void)state;
    for (size_t k = 0; k < sizeof hidden / sizeof *hidden; k++)
        programs_add(p, hidden[k].text);
    for (size_t k = 0; k < sizeof hidden / sizeof *hidden; k++) {
        const seen_t seen = programs_step(p, &w, true);
        if (seen.n != 1 || !seen.at_end || seen.last.rule != rule_named(hidden[k].rule))
            fail_msg("%u found in %s", seen.n, hidden[k].text);
    }
    programs_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_has_a_pair),
        cmocka_unit_test(tables_say_how_far_they_reach),
        cmocka_unit_test(rules),
        cmocka_unit_test(no_rules),
        cmocka_unit_test(written_twice),
        cmocka_unit_test(masks),
        cmocka_unit_test(hidden_rules),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
