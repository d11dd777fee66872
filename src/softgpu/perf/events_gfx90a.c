/* events_gfx90a.c - the events of gfx90a: a row for each counter of its table in share/counters,
 * except those that the cache model counts by itself.
 *
 * Why a row of kind ZERO is always 0 is in share/counters. Clocks of a packet and between samples
 * were measured. */
#include "softgpu/perf/events.h"

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
    FLATS = F(FLAT) | F(GLOBAL) | F(SCRATCH)
};

/* clang-format off */
#define OPS(n, set, ...)         {.event = n, .kind = SG_EVENT_OPS, .classes = set, __VA_ARGS__}
#define MATH(n, type)            OPS(n, VALU, .math = ISA_MATH_##type)
#define MOPS(n, type)            OPS(n, K(MFMA), .math = ISA_MATH_##type, .weight = SG_BY_MOPS)
#define ISSUE(n, set, ...)       OPS(n, set, .weight = SG_BY_ISSUE, __VA_ARGS__)
#define TA_OPS(n, set, formats_) OPS(n, set, .formats = formats_, .live = true)
#define FIXED(n, tally)          {.event = n, .kind = SG_EVENT_FIXED, .sum = SG_T_##tally}
#define QUADS(n, tally)          {.event = n, .kind = SG_EVENT_FIXED, .sum = SG_T_##tally, .shift = 2}
/* the arbiter of SPI counts every fourth clock */
#define ARBITER(n, tally)        {.event = n, .kind = SG_EVENT_FIXED, .sum = SG_T_##tally, .shift = 2}
#define SAMPLED(n, tally)        {.event = n, .kind = SG_EVENT_LEVEL, .sum = SG_T_##tally, .other = 112}
#define LEVEL(n, tally)          {.event = n, .kind = SG_EVENT_LEVEL, .sum = SG_T_##tally}
#define DEVICE(n, tally)         {.event = n, .kind = SG_EVENT_DEVICE, .sum = SG_D_##tally}
#define PACKETS(n, clocks)       {.event = n, .kind = SG_EVENT_PACKETS, .other = clocks}
#define IDLE(n, clocks)          {.event = n, .kind = SG_EVENT_IDLE, .other = clocks}
#define BUSIEST(n, block, what) {.event = n, .kind = SG_EVENT_BUSIEST, .sum = SG_BLOCK_##block, .other = what}
#define ZERO(n)                  {.event = n, .kind = SG_EVENT_ZERO}

/* Events of the cache model that say how long an instance was busy. */
enum { TA_BUSY = 15, TCP_BUSY = 1, TCC_BUSY = 2 };

static const sg_event_row_t grbm[] = {
    DEVICE(0, CLOCK), DEVICE(2, CLOCK), DEVICE(3, CLOCK), DEVICE(11, WAVES),
    BUSIEST(13, TA, TA_BUSY), BUSIEST(28, TCP, TCP_BUSY), DEVICE(30, CLOCK), DEVICE(31, CLOCK),
    ZERO(34), BUSIEST(35, TCC, TCC_BUSY)
};

static const sg_event_row_t cpc[] = {
    PACKETS(13, 7500), PACKETS(24, 650), DEVICE(25, CLOCK), ZERO(26), PACKETS(27, 4800),
    PACKETS(28, 160), IDLE(29, 160), PACKETS(30, 760), IDLE(31, 760), ZERO(32),
    DEVICE(33, WAVES)
};

static const sg_event_row_t cpf[] = {
    ZERO(20), DEVICE(23, CLOCK), ZERO(24), ZERO(25), PACKETS(26, 1000), IDLE(27, 1000), ZERO(28)
};

static const sg_event_row_t spi[] = {
    DEVICE(47, CLOCK), FIXED(48, SE_BUSY), FIXED(49, GROUPS), FIXED(52, WAVES),
    ARBITER(79, BLOCKED), ARBITER(85, BLOCKED), ARBITER(91, BLOCKED), ZERO(97),
    ARBITER(103, BLOCKED_WAVES), ARBITER(109, BLOCKED_VGPRS), ZERO(115), ARBITER(120, BLOCKED_LDS),
    ZERO(123), ZERO(125), ZERO(127), ZERO(133), FIXED(189, SGPR_WRITES), FIXED(195, WAVES)
};

static const sg_event_row_t sq[] = {
    {.event = 1, .kind = SG_EVENT_ACCUM, .shift = 2}, {.event = 185, .kind = SG_EVENT_ACCUM},
    /* waves */
    DEVICE(2, CLOCK), FIXED(3, SE_BUSY), FIXED(4, WAVES), LEVEL(5, WAVE_CLOCKS),
    FIXED(6, WAVES_EQ_64), FIXED(7, WAVES_LT_64), FIXED(8, WAVES_LT_48), FIXED(9, WAVES_LT_32),
    FIXED(10, WAVES_LT_16), FIXED(13, BUSY), FIXED(14, ITEMS), ZERO(186), ZERO(187),
    /* instructions */
    OPS(25, EVERY), OPS(26, VALU),
    MATH(27, ADD_F16), MATH(28, MUL_F16), MATH(29, FMA_F16), MATH(30, TRANS_F16),
    MATH(31, ADD_F32), MATH(32, MUL_F32), MATH(33, FMA_F32), MATH(34, TRANS_F32),
    MATH(35, ADD_F64), MATH(36, MUL_F64), MATH(37, FMA_F64), MATH(38, TRANS_F64),
    MATH(39, INT32), MATH(40, INT64), MATH(41, CVT),
    MATH(42, MFMA_I8), MATH(43, MFMA_F16), MATH(44, MFMA_BF16), MATH(45, MFMA_F32),
    MATH(46, MFMA_F64),
    MOPS(47, MFMA_I8), MOPS(48, MFMA_F16), MOPS(49, MFMA_BF16), MOPS(50, MFMA_F32),
    MOPS(51, MFMA_F64),
    OPS(52, K(MFMA)), OPS(53, V_STORE | V_ATOMIC), OPS(54, V_READ), OPS(55, VMEM),
    OPS(56, K(SALU)), OPS(57, SMEM), OPS(58, VMEM, .formats = FLATS), FIXED(59, FLAT_LDS_ONLY),
    OPS(60, DS, .plus = SG_T_FLAT_LDS_ONLY), ZERO(61), OPS(63, K(GWS)), OPS(64, K(BRANCH)), OPS(65, K(MSG)), ZERO(66),
    OPS(188, SMEM, .weight = SG_BY_NORM),
    /* levels */
    SAMPLED(67, VMEM_LEVEL), SAMPLED(68, SMEM_LEVEL), SAMPLED(69, LDS_LEVEL), SAMPLED(116, FETCH_LEVEL),
    LEVEL(337, SMEM_LEVEL),
    /* clocks */
    OPS(72, K(MFMA), .weight = SG_BY_MATRIX), QUADS(74, WAVE_CLOCKS), QUADS(85, WAIT),
    QUADS(88, STALL), QUADS(91, STALL_LDS),
    ISSUE(96, EVERY & ~K(INTERNAL)), ISSUE(97, VMEM, .formats = BUFFERS), ISSUE(98, DS, .plus = SG_T_FLAT_LDS_ONLY),
    ISSUE(99, VALU),
    ISSUE(100, K(SALU) | SMEM), ISSUE(101, K(GWS)), ISSUE(102, MISC), ISSUE(103, VMEM, .formats = FLATS),
    OPS(104, V_STORE | V_ATOMIC, .weight = SG_BY_SEND), OPS(105, V_READ, .weight = SG_BY_SEND),
    ISSUE(111, SMEM), ISSUE(112, K(SALU)), OPS(113, VALU, .weight = SG_BY_ISSUE, .lanes = true),
    FIXED(115, FETCHES), ZERO(133), ZERO(134), ZERO(136),
    /* the scalar caches */
    OPS(266, K(SMEM_AT)), OPS(298, K(SMEM_AT)),
    OPS(323, K(SMEM_RD), .dwords = 1), OPS(324, K(SMEM_RD), .dwords = 2),
    OPS(325, K(SMEM_RD), .dwords = 4), OPS(326, K(SMEM_RD), .dwords = 8),
    OPS(327, K(SMEM_RD), .dwords = 16)
};

static const sg_event_row_t ta[] = {
    TA_OPS(32, V_ACCESS, 0), TA_OPS(44, V_ACCESS, BUFFERS), TA_OPS(45, V_READ, BUFFERS),
    TA_OPS(46, V_STORE, BUFFERS), TA_OPS(47, V_ATOMIC, BUFFERS), TA_OPS(100, V_ACCESS, FLATS),
    TA_OPS(101, V_READ, FLATS), TA_OPS(102, V_STORE, FLATS), TA_OPS(103, V_ATOMIC, FLATS)
};

static const sg_event_row_t td[] = {
    TA_OPS(25, V_ACCESS, 0), TA_OPS(26, V_ATOMIC, 0), TA_OPS(27, V_STORE, 0)
};

static const sg_event_row_t tcp[] = {DEVICE(0, CLOCK), TA_OPS(27, V_ACCESS, 0)};
static const sg_event_row_t tca[] = {DEVICE(1, CLOCK)};
static const sg_event_row_t tcc[] = {DEVICE(1, CLOCK), ZERO(9), ZERO(10)};
/* clang-format on */

#define TABLE(name) .rows = name, .n = sizeof name / sizeof name[0]

const sg_events_t sg_events_gfx90a = {
    .arch = &isa_archs[ISA_ARCH_gfx90a],
    .block = {[SG_BLOCK_GRBM] = {TABLE(grbm), .event = 0x3f},
              [SG_BLOCK_GRBM_SE] = {.event = 0x3f},
              [SG_BLOCK_CPC] = {TABLE(cpc), .event = 0x3ff},
              [SG_BLOCK_CPF] = {TABLE(cpf), .event = 0x3ff},
              [SG_BLOCK_GDS] = {.event = 0x3ff},
              [SG_BLOCK_SX] = {.event = 0x3ff},
              [SG_BLOCK_SPI] = {TABLE(spi), .event = 0x3ff},
              [SG_BLOCK_SQ] = {TABLE(sq), .event = 0x1ff},
              [SG_BLOCK_TA] = {TABLE(ta), .event = 0xff},
              [SG_BLOCK_TD] = {TABLE(td), .event = 0xff},
              [SG_BLOCK_TCP] = {TABLE(tcp), .event = 0x3ff},
              [SG_BLOCK_TCA] = {TABLE(tca), .event = 0x3ff},
              [SG_BLOCK_TCC] = {TABLE(tcc), .event = 0x3ff}},
    .sq = {.first_of_caches = 256, .simds = 0xf000000, .banks = 0xf000, .clients = 0xf0000},
};
