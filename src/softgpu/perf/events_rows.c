/* events_rows.c - the definition of each counter that the cache model does not count: a row for
 * each name, whichever GPUs have the counter.
 *
 * Data only. The numbers of a GPU's events, and which of its counters are always 0, are generated
 * from share/counters. */
#include "softgpu/perf/events.h"

#include <stddef.h>

#define K(c) (1u << ISA_CLASS_##c)
#define F(f) (1u << ISA_FMT_##f)

enum {
    SMEM = K(SMEM) | K(SMEM_RD) | K(SMEM_WR) | K(SMEM_AT),
    DS = K(LDS) | K(LDS_RD) | K(LDS_WR) | K(LDS_AT),
    VALU = K(VALU) | K(MFMA),
    V_READ = K(VMEM_RD) | K(FLAT_RD),
    V_ATOMIC = K(VMEM_AT) | K(FLAT_AT),
    V_STORE = K(VMEM_WR) | K(FLAT_WR),
    V_ACCESS = V_READ | V_STORE | V_ATOMIC,
    VMEM = V_ACCESS | K(VMEM) | K(FLAT),
    MISC = K(BRANCH) | K(MSG),
    EVERY = (1u << ISA_CLASS_COUNT) - 1,
    BUFFERS = F(MUBUF) | F(MTBUF),
    TEX = BUFFERS | F(MIMG),
    FLATS = F(FLAT) | F(GLOBAL) | F(SCRATCH)
};
_Static_assert(TEX == F(MIMG) * 2 - F(MUBUF), "isa_is_buffer_glc() takes these as a range");
_Static_assert(FLATS + TEX == F(MIMG) * 2 - F(FLAT), "isa_count() takes FLAT as the first of them");

/* clang-format off */
#define ROW(name, ...)              [SG_C_##name] = {__VA_ARGS__}
#define OPS(name, set, ...)         ROW(name, .kind = SG_EVENT_OPS, .classes = set, __VA_ARGS__)
#define MATH(name, type, ...)       OPS(name, VALU, .math = ISA_MATH_##type, __VA_ARGS__)
#define MOPS(name, type)            OPS(name, K(MFMA), .math = ISA_MATH_##type, .weight = SG_BY_MOPS)
#define ISSUE(name, set, ...)       OPS(name, set, .weight = SG_BY_ISSUE, __VA_ARGS__)
#define TA_OPS(name, set, formats_) OPS(name, set, .formats = formats_, .live = true)
#define FIXED(name, tally, ...)     ROW(name, .kind = SG_EVENT_FIXED, .sum = SG_T_##tally, __VA_ARGS__)
#define QUADS(name, tally)          ROW(name, .kind = SG_EVENT_FIXED, .sum = SG_T_##tally, .quads = true)
/* the arbiter of SPI counts every fourth clock */
#define ARBITER(name, tally)        ROW(name, .kind = SG_EVENT_FIXED, .sum = SG_T_##tally, .shift = 2)
#define SG_KEY(key)                 offsetof(sg_profile_t, key)
#define SAMPLED(name, tally)        ROW(name, .kind = SG_EVENT_LEVEL, .sum = SG_T_##tally, .other = SG_KEY(level_sample_clocks))
#define LEVEL(name, tally)          ROW(name, .kind = SG_EVENT_LEVEL, .sum = SG_T_##tally)
#define DEVICE(name, tally)         ROW(name, .kind = SG_EVENT_DEVICE, .sum = SG_D_##tally)
#define PACKETS(name, clocks)       ROW(name, .kind = SG_EVENT_PACKETS, .other = SG_KEY(clocks))
#define IDLE(name, clocks)          ROW(name, .kind = SG_EVENT_IDLE, .other = SG_KEY(clocks))
#define BUSIEST(name, block, what)  ROW(name, .kind = SG_EVENT_BUSIEST, .sum = SG_BLOCK_##block, .other = SG_C_##what)

const sg_event_row_t sg_event_rows[SG_COUNTERS] = {
    /* GRBM */
    DEVICE(GRBM_COUNT, CLOCK),
    DEVICE(GRBM_GUI_ACTIVE, CLOCK),
    DEVICE(GRBM_CP_BUSY, CLOCK),
    DEVICE(GRBM_SPI_BUSY, WAVES),
    BUSIEST(GRBM_TA_BUSY, TA, TA_TA_BUSY),
    BUSIEST(GRBM_TC_BUSY, TCP, TCP_GATE_EN2),
    DEVICE(GRBM_CPC_BUSY, CLOCK),
    DEVICE(GRBM_CPF_BUSY, CLOCK),
    ROW(GRBM_EA_BUSY, .kind = SG_EVENT_L2_BUSY),
    ROW(GRBM_GL2CC_BUSY, .kind = SG_EVENT_L2_BUSY),
    /* CPC */
    PACKETS(CPC_ME1_BUSY_FOR_PACKET_DECODE, cp_decode_clocks),
    PACKETS(CPC_UTCL1_STALL_ON_TRANSLATION, cp_translation_clocks),
    DEVICE(CPC_CPC_STAT_BUSY, CLOCK),
    PACKETS(CPC_CPC_STAT_STALL, cp_stall_clocks),
    PACKETS(CPC_CPC_TCIU_BUSY, cpc_memory_clocks),
    IDLE(CPC_CPC_TCIU_IDLE, cpc_memory_clocks),
    PACKETS(CPC_CPC_UTCL2IU_BUSY, cp_page_table_clocks),
    IDLE(CPC_CPC_UTCL2IU_IDLE, cp_page_table_clocks),
    DEVICE(CPC_ME1_DC0_SPI_BUSY, WAVES),
    DEVICE(CPC_ALWAYS_COUNT, CLOCK),
    DEVICE(CPC_GD_BUSY, WAVES),
    ROW(CPC_SYNC_WRREQ_FIFO_BUSY, .kind = SG_EVENT_SYNC),
    ROW(CPC_CANE_BUSY, .kind = SG_EVENT_SYNC, .other = SG_KEY(cpc_memory_clocks)),
    ROW(CPC_TG_SEND, .kind = SG_EVENT_ENGINES, .sum = SG_T_GROUPS),
    /* CPF */
    DEVICE(CPF_CPF_STAT_BUSY, CLOCK),
    PACKETS(CPF_CPF_TCIU_BUSY, cpf_memory_clocks),
    IDLE(CPF_CPF_TCIU_IDLE, cpf_memory_clocks),
    /* SPI */
    DEVICE(SPI_CSN_WINDOW_VALID, CLOCK),
    FIXED(SPI_CSN_BUSY, SE_BUSY),
    FIXED(SPI_CSN_NUM_THREADGROUPS, GROUPS),
    FIXED(SPI_CSN_WAVE, WAVES),
    ARBITER(SPI_RA_REQ_NO_ALLOC, BLOCKED),
    ARBITER(SPI_RA_REQ_NO_ALLOC_CSN, FIT),
    ARBITER(SPI_RA_RES_STALL_CSN, UNFIT),
    ARBITER(SPI_RA_WAVE_SIMD_FULL_CSN, UNFIT_WAVES),
    ARBITER(SPI_RA_VGPR_SIMD_FULL_CSN, UNFIT_VGPRS),
    ARBITER(SPI_RA_LDS_CU_FULL_CSN, UNFIT_LDS),
    FIXED(SPI_SWC_CSC_WR, SGPR_WRITES),
    FIXED(SPI_VWC_CSC_WR, WAVES),
    FIXED(SPI_CSC_WAVE_CNT_BUSY, SE_BUSY),
    /* the model has all queues on compute pipe 0 */
    DEVICE(SPI_CS0_WINDOW_VALID, CLOCK),
    FIXED(SPI_CS0_BUSY, SE_BUSY),
    FIXED(SPI_CS0_NUM_THREADGROUPS, GROUPS),
    FIXED(SPI_CS0_EVENT_WAVE, WAVES),
    FIXED(SPI_CS0_WAVE, WAVES),
    FIXED(SPI_CSQ_P0_OCCUPANCY, WAVE_CLOCKS),
    /* a register of 64 lanes takes four clocks by one port (SPI_VWC_CSC_WR), and two by each of two */
    FIXED(SPI_VWC0_VDATA_VALID_WR, WAVES, .plus = SG_T_WAVES),
    FIXED(SPI_VWC1_VDATA_VALID_WR, WAVES, .plus = SG_T_WAVES),
    /* SQ */
    [SG_C_SQ_ACCUM_PREV] = {.kind = SG_EVENT_ACCUM, .quads = true},
    [SG_C_SQ_ACCUM_PREV_HIRES] = {.kind = SG_EVENT_ACCUM},
    /* waves */
    DEVICE(SQ_CYCLES, CLOCK),
    ROW(SQ_BUSY_CYCLES, .kind = SG_EVENT_FIXED, .sum = SG_T_SE_BUSY, .of_wgp = SG_T_BUSY),
    FIXED(SQ_WAVES, WAVES),
    LEVEL(SQ_LEVEL_WAVES, WAVE_CLOCKS),
    FIXED(SQ_WAVES_EQ_64, WAVES_EQ_64),
    FIXED(SQ_WAVES_LT_64, WAVES_LT_64),
    FIXED(SQ_WAVES_LT_48, WAVES_LT_48),
    FIXED(SQ_WAVES_LT_32, WAVES_LT_32),
    FIXED(SQ_WAVES_LT_16, WAVES_LT_16),
    FIXED(SQ_BUSY_CU_CYCLES, BUSY),
    FIXED(SQ_ITEMS, ITEMS),
    /* instructions */
    OPS(SQ_INSTS, EVERY),
    OPS(SQ_INSTS_VALU, VALU),
    MATH(SQ_INSTS_VALU_ADD_F16, ADD_F16),
    MATH(SQ_INSTS_VALU_MUL_F16, MUL_F16),
    MATH(SQ_INSTS_VALU_FMA_F16, FMA_F16),
    MATH(SQ_INSTS_VALU_TRANS_F16, TRANS_F16),
    MATH(SQ_INSTS_VALU_ADD_F32, ADD_F32),
    MATH(SQ_INSTS_VALU_MUL_F32, MUL_F32),
    MATH(SQ_INSTS_VALU_FMA_F32, FMA_F32),
    MATH(SQ_INSTS_VALU_TRANS_F32, TRANS_F32),
    MATH(SQ_INSTS_VALU_ADD_F64, ADD_F64),
    MATH(SQ_INSTS_VALU_MUL_F64, MUL_F64),
    MATH(SQ_INSTS_VALU_FMA_F64, FMA_F64),
    MATH(SQ_INSTS_VALU_TRANS_F64, TRANS_F64),
    MATH(SQ_INSTS_VALU_INT32, INT32),
    MATH(SQ_INSTS_VALU_INT64, INT64),
    MATH(SQ_INSTS_VALU_CVT, CVT),
    MATH(SQ_INSTS_VALU_MFMA_I8, MFMA_I8),
    MATH(SQ_INSTS_VALU_MFMA_F16, MFMA_F16),
    MATH(SQ_INSTS_VALU_MFMA_BF16, MFMA_BF16),
    MATH(SQ_INSTS_VALU_MFMA_F32, MFMA_F32),
    MATH(SQ_INSTS_VALU_MFMA_F64, MFMA_F64),
    MATH(SQ_INSTS_VALU_MFMA_XF32, MFMA_XF32),
    MATH(SQ_INSTS_VALU_MFMA_F8, MFMA_F8),
    MATH(SQ_INSTS_VALU_MFMA_F6F4, MFMA_F6F4),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_I8, MFMA_I8),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_F16, MFMA_F16),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_BF16, MFMA_BF16),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_F32, MFMA_F32),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_F64, MFMA_F64),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_XF32, MFMA_XF32),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_F8, MFMA_F8),
    MOPS(SQ_INSTS_VALU_MFMA_MOPS_F6F4, MFMA_F6F4),
    MATH(SQ_INSTS_VALU_FLOPS_FP16_TRANS, TRANS_F16, .lanes = true),
    MATH(SQ_INSTS_VALU_FLOPS_FP32_TRANS, TRANS_F32, .lanes = true),
    MATH(SQ_INSTS_VALU_FLOPS_FP64_TRANS, TRANS_F64, .lanes = true),
    OPS(SQ_INSTS_MFMA, K(MFMA)),
    OPS(SQ_INSTS_VMEM_WR, V_STORE | V_ATOMIC),
    OPS(SQ_INSTS_VMEM_RD, V_READ),
    OPS(SQ_INSTS_VMEM, VMEM),
    OPS(SQ_INSTS_SALU, K(SALU)),
    OPS(SQ_INSTS_SMEM, SMEM),
    OPS(SQ_INSTS_FLAT, VMEM, .formats = FLATS),
    FIXED(SQ_INSTS_FLAT_LDS_ONLY, FLAT_LDS_ONLY),
    OPS(SQ_INSTS_LDS, DS, .plus = SG_T_FLAT_LDS_ONLY),
    OPS(SQ_INSTS_TEX_LOAD, K(VMEM_RD), .formats = TEX, .plus = SG_T_BUFFER_RETURNS),
    OPS(SQ_INSTS_TEX_STORE, K(VMEM_WR) | K(VMEM_AT), .formats = TEX, .minus = SG_T_BUFFER_RETURNS),
    OPS(SQ_INSTS_FLAT_FLATSEG, VMEM, .formats = F(FLAT)),
    OPS(SQ_INSTS_FLAT_NO_LDS, VMEM, .formats = F(FLAT), .minus = SG_T_FLAT_LDS_ONLY),
    OPS(SQ_INSTS_LDS_LOAD, K(LDS_RD)),
    OPS(SQ_INSTS_LDS_STORE, K(LDS_WR)),
    OPS(SQ_INSTS_LDS_ATOMIC, K(LDS_AT)),
    OPS(SQ_INSTS_EXP_GDS, K(GWS)),
    OPS(SQ_INSTS_BRANCH, K(BRANCH)),
    OPS(SQ_INSTS_SENDMSG, K(MSG)),
    OPS(SQ_INSTS_SMEM_NORM, SMEM, .weight = SG_BY_NORM),
    /* by the size of waves */
    FIXED(SQ_INSTS_WAVE32, INSTS_32),
    FIXED(SQ_INSTS_WAVE32_LDS, LDS_32),
    FIXED(SQ_INSTS_WAVE32_VALU, VALU_32),
    FIXED(SQ_WAVE32_INSTS, INSTS_32),
    OPS(SQ_WAVE64_INSTS, EVERY, .minus = SG_T_INSTS_32),
    /* levels */
    SAMPLED(SQ_INST_LEVEL_VMEM, VMEM_LEVEL),
    SAMPLED(SQ_INST_LEVEL_SMEM, SMEM_LEVEL),
    SAMPLED(SQ_INST_LEVEL_LDS, LDS_LEVEL),
    SAMPLED(SQ_IFETCH_LEVEL, FETCH_LEVEL),
    LEVEL(SQC_DCACHE_INFLIGHT_LEVEL, SMEM_LEVEL),
    /* clocks */
    OPS(SQ_VALU_MFMA_BUSY_CYCLES, K(MFMA), .weight = SG_BY_MATRIX),
    QUADS(SQ_WAVE_CYCLES, WAVE_CLOCKS),
    QUADS(SQ_WAIT_ANY, WAIT),
    QUADS(SQ_WAIT_INST_ANY, STALL),
    QUADS(SQ_WAIT_INST_LDS, STALL_LDS),
    ISSUE(SQ_ACTIVE_INST_ANY, EVERY & ~K(INTERNAL)),
    ISSUE(SQ_ACTIVE_INST_VMEM, VMEM, .formats = BUFFERS),
    ISSUE(SQ_ACTIVE_INST_LDS, DS, .plus = SG_T_FLAT_LDS_ONLY),
    ISSUE(SQ_ACTIVE_INST_VALU, VALU),
    ISSUE(SQ_ACTIVE_INST_SCA, K(SALU) | SMEM),
    ISSUE(SQ_ACTIVE_INST_EXP_GDS, K(GWS)),
    ISSUE(SQ_ACTIVE_INST_MISC, MISC),
    ISSUE(SQ_ACTIVE_INST_FLAT, VMEM, .formats = FLATS),
    OPS(SQ_INST_CYCLES_VMEM_WR, V_STORE | V_ATOMIC, .weight = SG_BY_SEND),
    OPS(SQ_INST_CYCLES_VMEM_RD, V_READ, .weight = SG_BY_SEND),
    ISSUE(SQ_INST_CYCLES_SMEM, SMEM),
    ISSUE(SQ_INST_CYCLES_SALU, K(SALU)),
    OPS(SQ_THREAD_CYCLES_VALU, VALU, .weight = SG_BY_ISSUE, .lanes = true),
    FIXED(SQ_IFETCH, FETCHES),
    /* the scalar caches */
    OPS(SQC_TC_DATA_ATOMIC_REQ, K(SMEM_AT)),
    OPS(SQC_DCACHE_ATOMIC, K(SMEM_AT)),
    OPS(SQC_DCACHE_REQ_READ_1, K(SMEM_RD), .dwords = 1),
    OPS(SQC_DCACHE_REQ_READ_2, K(SMEM_RD), .dwords = 2),
    OPS(SQC_DCACHE_REQ_READ_4, K(SMEM_RD), .dwords = 4),
    OPS(SQC_DCACHE_REQ_READ_8, K(SMEM_RD), .dwords = 8),
    OPS(SQC_DCACHE_REQ_READ_16, K(SMEM_RD), .dwords = 16),
    /* TA */
    TA_OPS(TA_TOTAL_WAVEFRONTS, V_ACCESS, 0),
    TA_OPS(TA_BUFFER_WAVEFRONTS, V_ACCESS, BUFFERS),
    TA_OPS(TA_BUFFER_READ_WAVEFRONTS, V_READ, BUFFERS),
    TA_OPS(TA_BUFFER_WRITE_WAVEFRONTS, V_STORE, BUFFERS),
    TA_OPS(TA_BUFFER_ATOMIC_WAVEFRONTS, V_ATOMIC, BUFFERS),
    TA_OPS(TA_FLAT_WAVEFRONTS, V_ACCESS, FLATS),
    TA_OPS(TA_FLAT_READ_WAVEFRONTS, V_READ, FLATS),
    TA_OPS(TA_FLAT_WRITE_WAVEFRONTS, V_STORE, FLATS),
    TA_OPS(TA_FLAT_ATOMIC_WAVEFRONTS, V_ATOMIC, FLATS),
    /* TD */
    TA_OPS(TD_LOAD_WAVEFRONT, V_ACCESS, 0),
    TA_OPS(TD_ATOMIC_WAVEFRONT, V_ATOMIC, 0),
    TA_OPS(TD_STORE_WAVEFRONT, V_STORE, 0),
    /* TCP */
    DEVICE(TCP_GATE_EN1, WAVES), /* the gate of the vector L1's clock is open while there are waves */
    TA_OPS(TCP_TA_TCP_STATE_READ, V_ACCESS, 0),
    /* TCA */
    DEVICE(TCA_CYCLE, CLOCK),
    /* TCC */
    DEVICE(TCC_CYCLE, CLOCK)
};
/* clang-format on */
