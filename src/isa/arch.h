/* arch.h - the facts about an architecture besides its instructions: codes of scalar operands,
 * hardware registers and their fields, the counters of s_waitcnt, limits of waves and workgroups.
 *
 * A fact that holds for all GPUs is an enumerator; one that differs is a member of isa_arch_t, or
 * of isa_formats_t if it is the same in a whole family. arch.c has a row for each GPU; the device's
 * profile selects a row, and a dispatch points to it. GPUs after gfx10 have a few other codes, such
 * as that of M0. Sources: AMD's ISA manuals ("Scalar operands", "Hardware registers"), LLVM's
 * assembler. */
#ifndef ISA_ARCH_H
#define ISA_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- scalar operands ---- */

/* Codes of source and destination operands in the order of their numbers. */
enum {
    ISA_CODE_FLAT_SCRATCH = 102, /* on gfx9; an ordinary SGPR if isa_formats_t.sgprs is 106 */
    ISA_CODE_XNACK_MASK = 104,
    ISA_CODE_VCC = 106,
    ISA_CODE_TTMP = 108, /* the first of sixteen trap temporaries */
    ISA_CODE_M0 = 124,
    ISA_CODE_NULL = 125, /* reads as 0, writes are ignored; reserved on gfx9 */
    ISA_CODE_EXEC = 126,
    ISA_CODE_ZERO = 128,          /* the first constant: codes below are registers */
    ISA_CODE_POSITIVE_LAST = 192, /* 1..64 are 129..192 */
    ISA_CODE_NEGATIVE_LAST = 208, /* -1..-16 are 193..208 */
    ISA_CODE_DPP8 = 233,          /* the next dword has the source, with DPP8 */
    ISA_CODE_DPP8_FI = 234,       /* the same; also lanes that EXEC excludes are read */
    ISA_CODE_SHARED_BASE = 235,   /* the first of the apertures */
    ISA_CODE_SHARED_LIMIT = 236,
    ISA_CODE_PRIVATE_BASE = 237,
    ISA_CODE_PRIVATE_LIMIT = 238,
    ISA_CODE_POPS_EXITING_WAVE_ID = 239,
    ISA_CODE_FLOAT_FIRST = 240, /* 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2*pi) */
    ISA_CODE_INVERSE_2PI = 248,
    ISA_CODE_SDWA = 249, /* SDWA and DPP: the next dword has the source */
    ISA_CODE_DPP = 250,
    ISA_CODE_VCCZ = 251,
    ISA_CODE_EXECZ = 252,
    ISA_CODE_SCC = 253,
    ISA_CODE_LDS_DIRECT = 254,
    ISA_CODE_LITERAL = 255,
    ISA_CODE_VGPR = 256
};

/* ---- fields of registers ---- */

typedef struct {
    uint8_t shift, bits;
} isa_bits_t;

static inline uint32_t isa_bits_get(isa_bits_t b, uint32_t value)
{
    return value >> b.shift & ((1u << b.bits) - 1);
}

/* The value of a field of an instruction; `words` are the instruction's two dwords. */
static inline uint32_t isa_bits_of(isa_bits_t b, uint64_t words)
{
    return isa_bits_get((isa_bits_t){0, b.bits}, (uint32_t)(words >> b.shift));
}

static inline uint32_t isa_bits_put(isa_bits_t b, uint32_t value)
{
    return (value & ((1u << b.bits) - 1)) << b.shift;
}

/* ---- hardware registers, of s_getreg and s_setreg ---- */

/* X(name, number): registers that have the same number on gfx9, gfx10 and gfx11. */
#define ISA_HWREGS_COMMON(X)                                                                       \
    X(MODE, 1)                                                                                     \
    X(STATUS, 2)                                                                                   \
    X(TRAPSTS, 3)                                                                                  \
    X(GPR_ALLOC, 5)                                                                                \
    X(LDS_ALLOC, 6)                                                                                \
    X(IB_STS, 7)                                                                                   \
    X(SH_MEM_BASES, 15)

/* X(name, number): registers of the trap handler on gfx9 and gfx10; gfx11 has messages in place of
 * them. */
#define ISA_HWREGS_TRAP(X)                                                                         \
    X(TBA_LO, 16)                                                                                  \
    X(TBA_HI, 17)                                                                                  \
    X(TMA_LO, 18)                                                                                  \
    X(TMA_HI, 19)

/* X(name, number): registers that only gfx9 has. */
#define ISA_HWREGS_GFX9(X)                                                                         \
    X(HW_ID, 4)                                                                                    \
    X(XCC_ID, 20)                                                                                  \
    X(SQ_PERF_SNAPSHOT_DATA, 21)                                                                   \
    X(SQ_PERF_SNAPSHOT_DATA1, 22)                                                                  \
    X(SQ_PERF_SNAPSHOT_PC_LO, 23)                                                                  \
    X(SQ_PERF_SNAPSHOT_PC_HI, 24)

/* X(name, number, ISA_HWREG_name): registers that only gfx10 and gfx11 have; then those that only
 * gfx10 has. */
#define ISA_HWREGS_RDNA(X)                                                                         \
    X(FLAT_SCR_LO, 20, 64)                                                                         \
    X(FLAT_SCR_HI, 21, 65)                                                                         \
    X(HW_ID1, 23, 66)                                                                              \
    X(HW_ID2, 24, 67)                                                                              \
    X(SHADER_CYCLES, 29, 69)
#define ISA_HWREGS_GFX10(X) X(POPS_PACKER, 25, 68)

/* X(name, number, ISA_HWREG_name): registers of gfx12, which renames all registers. A register with
 * an equivalent on earlier GPUs has the id of that one. */
#define ISA_HWREGS_GFX12(X)                                                                        \
    X(WAVE_MODE, 1, ISA_HWREG_MODE)                                                                \
    X(WAVE_STATUS, 2, ISA_HWREG_WAVE_STATUS)                                                       \
    X(WAVE_STATE_PRIV, 4, ISA_HWREG_WAVE_STATE_PRIV)                                               \
    X(WAVE_GPR_ALLOC, 5, ISA_HWREG_GPR_ALLOC)                                                      \
    X(WAVE_LDS_ALLOC, 6, ISA_HWREG_LDS_ALLOC)                                                      \
    X(IB_STS, 7, ISA_HWREG_IB_STS)                                                                 \
    X(PERF_SNAPSHOT_DATA, 10, ISA_HWREG_NONE)                                                      \
    X(PERF_SNAPSHOT_PC_LO, 11, ISA_HWREG_NONE)                                                     \
    X(PERF_SNAPSHOT_PC_HI, 12, ISA_HWREG_NONE)                                                     \
    X(PERF_SNAPSHOT_DATA1, 15, ISA_HWREG_NONE)                                                     \
    X(PERF_SNAPSHOT_DATA2, 16, ISA_HWREG_NONE)                                                     \
    X(WAVE_EXCP_FLAG_PRIV, 17, ISA_HWREG_WAVE_EXCP_FLAG_PRIV)                                      \
    X(WAVE_EXCP_FLAG_USER, 18, ISA_HWREG_WAVE_EXCP_FLAG)                                           \
    X(WAVE_TRAP_CTRL, 19, ISA_HWREG_WAVE_TRAP_CTRL)                                                \
    X(WAVE_SCRATCH_BASE_LO, 20, ISA_HWREG_FLAT_SCR_LO)                                             \
    X(WAVE_SCRATCH_BASE_HI, 21, ISA_HWREG_FLAT_SCR_HI)                                             \
    X(WAVE_HW_ID1, 23, ISA_HWREG_HW_ID1)                                                           \
    X(WAVE_HW_ID2, 24, ISA_HWREG_HW_ID2)                                                           \
    X(WAVE_SCHED_MODE, 26, ISA_HWREG_WAVE_SCHED_MODE)                                              \
    X(SHADER_CYCLES_LO, 29, ISA_HWREG_SHADER_CYCLES_LO)                                            \
    X(SHADER_CYCLES_HI, 30, ISA_HWREG_SHADER_CYCLES_HI)                                            \
    X(WAVE_DVGPR_ALLOC_LO, 31, ISA_HWREG_NONE)                                                     \
    X(WAVE_DVGPR_ALLOC_HI, 32, ISA_HWREG_NONE)

/* The id of a hardware register, whatever number a GPU has for it; those of gfx9 equal the number
 * there. */
enum {
    ISA_HWREG_NONE,
#define X(name, number) ISA_HWREG_##name = (number),
    ISA_HWREGS_COMMON(X) ISA_HWREGS_TRAP(X) ISA_HWREGS_GFX9(X)
#undef X
#define X(name, number, id) ISA_HWREG_##name = (id),
        ISA_HWREGS_RDNA(X) ISA_HWREGS_GFX10(X)
#undef X
            ISA_HWREG_WAVE_STATUS = 72,
    ISA_HWREG_WAVE_STATE_PRIV,
    ISA_HWREG_WAVE_EXCP_FLAG,
    ISA_HWREG_WAVE_TRAP_CTRL,
    ISA_HWREG_WAVE_SCHED_MODE,
    ISA_HWREG_SHADER_CYCLES_LO,
    ISA_HWREG_SHADER_CYCLES_HI,
    ISA_HWREG_WAVE_EXCP_FLAG_PRIV
};

/* A hardware register by its number in s_getreg; without a name: there is none. */
typedef struct {
    const char *name;
    uint8_t id; /* ISA_HWREG_* */
} isa_hwreg_name_t;
enum { ISA_HWREG_NUMBERS = 64 };

/* The bits that an immediate of s_getreg or s_setreg selects: they are shifted down by `shift` and
 * then masked by `mask`. */
typedef struct {
    uint32_t id, shift, mask;
} isa_hwreg_t;

static inline isa_hwreg_t isa_hwreg(uint32_t simm16)
{
    const uint32_t bits_less_one = simm16 >> 11 & 31;
    return (isa_hwreg_t){simm16 & 63, simm16 >> 6 & 31, (2u << bits_less_one) - 1};
}

/* Bits of MODE above its fields for rounding (3:0, fpu_round_t) and denormals (7:4). */
enum {
    ISA_MODE_FLOAT = 0xff,       /* both fields */
    ISA_MODE_FLOAT_PLAIN = 0xf0, /* their usual values: nearest even, denormals kept */
    ISA_MODE_DX10_CLAMP = 1 << 8,
    ISA_MODE_IEEE = 1 << 9,
    ISA_MODE_FP16_OVFL = 1 << 23,
    ISA_MODE_GPR_IDX = 1 << 27,
    ISA_MODE_VSKIP = 1 << 28
};

/* STATUS */
enum {
    ISA_STATUS_SCC = 1 << 0,
    ISA_STATUS_PRIV = 1 << 5,
    ISA_STATUS_TRAP_EN = 1 << 6,
    ISA_STATUS_EXECZ = 1 << 9,
    ISA_STATUS_VCCZ = 1 << 10,
    ISA_STATUS_IN_TG = 1 << 11,
    ISA_STATUS_HALT = 1 << 13,
    ISA_STATUS_VALID = 1 << 16
};

/* TRAPSTS, of GPUs with stochastic PC sampling: a snapshot has sent the wave into the trap
 * handler. */
enum { ISA_TRAPSTS_PERF_SNAPSHOT = 1 << 26 };

/* EXCP_FLAG_PRIV of gfx12: the driver has sent the wave into the trap handler. STATE_PRIV of gfx12:
 * SCC, and whether the wave is halted. */
enum {
    ISA_EXCP_FLAG_HOST_TRAP = 1 << 7,
    ISA_STATE_PRIV_SCC_SHIFT = 9,
    ISA_STATE_PRIV_HALT = 1 << 14
};

/* SQ_PERF_SNAPSHOT_DATA: fields by their first bits. DATA1 has the waves of the compute unit in its
 * bits 5:0. */
enum {
    ISA_SNAPSHOT_VALID = 1 << 0,
    ISA_SNAPSHOT_ISSUED = 1 << 1,
    ISA_SNAPSHOT_TYPE = 3,    /* 6:3, isa_snapshot_type_t */
    ISA_SNAPSHOT_REASON = 7,  /* 9:7, isa_snapshot_reason_t */
    ISA_SNAPSHOT_ISSUES = 10, /* 17:10: units that the arbiter has issued to, isa_arbiter_t */
    ISA_SNAPSHOT_STALLS = 18  /* 25:18: units that accepted no instruction */
};

/* Numbers in snapshots: types of instructions, reasons why an instruction was not issued, and
 * units. */
typedef enum {
    ISA_SNAPSHOT_VALU,
    ISA_SNAPSHOT_MATRIX,
    ISA_SNAPSHOT_SCALAR,
    ISA_SNAPSHOT_TEX,
    ISA_SNAPSHOT_LDS,
    ISA_SNAPSHOT_FLAT,
    ISA_SNAPSHOT_MESSAGE = 7,
    ISA_SNAPSHOT_BARRIER,
    ISA_SNAPSHOT_NOT_TAKEN,
    ISA_SNAPSHOT_TAKEN,
    ISA_SNAPSHOT_JUMP,
    ISA_SNAPSHOT_OTHER,
    ISA_SNAPSHOT_NO_INST
} isa_snapshot_type_t;

typedef enum {
    ISA_REASON_NO_INSTRUCTION,
    ISA_REASON_ALU_DEPENDENCY,
    ISA_REASON_WAITCNT,
    ISA_REASON_INTERNAL,
    ISA_REASON_BARRIER,
    ISA_REASON_NOT_WIN,
    ISA_REASON_WIN_STALL,
    ISA_REASON_OTHER
} isa_snapshot_reason_t;

typedef enum {
    ISA_ARBITER_MISC,
    ISA_ARBITER_EXPORT,
    ISA_ARBITER_FLAT,
    ISA_ARBITER_LDS,
    ISA_ARBITER_TEX,
    ISA_ARBITER_SCALAR,
    ISA_ARBITER_MATRIX,
    ISA_ARBITER_VALU
} isa_arbiter_t;

/* ---- limits for the sizes of arrays ---- */

enum {
    ISA_GROUP_WAVES = 32,      /* waves of a workgroup: at most 1,024 work-items, 32 in a wave */
    ISA_GROUP_LDS = 160 << 10, /* the most bytes of LDS that a workgroup of any GPU can have */
    ISA_UNIT_SIMDS = 4,        /* of a compute unit, or of a workgroup processor */
    ISA_SIMD_SLOTS = 16,       /* the most waves that a SIMD of any GPU holds */
    ISA_SIMD_VGPRS = 768,      /* the most rows of a SIMD's register file: VGPRs and AGPRs in one */
    ISA_WAVE_VGPRS = 512,      /* the most of these rows that a wave can have */
    ISA_VGPRS = 256            /* VGPRs that instructions can name */
};

/* ---- apertures ---- */

/* The addresses at which FLAT instructions access LDS and scratch. The driver sets the same bases
 * for all GPUs from gfx9 on. */
#define ISA_SHARED_BASE    UINT64_C(0x1000000000000)
#define ISA_PRIVATE_BASE   UINT64_C(0x2000000000000)
#define ISA_APERTURE_BYTES UINT64_C(0x100000000)

/* ---- facts that differ between GPUs ---- */

/* The limits of an s_waitcnt: for each counter, the number of operations that may still be
 * outstanding. */
typedef struct {
    uint32_t vm, exp, lgkm;
} isa_waits_t;

/* The streams of thread traces that softgpu writes. NONE: it refuses to trace the GPU. */
typedef enum {
    ISA_TRACE_NONE,
    ISA_TRACE_GFX9,
    ISA_TRACE_GFX10,
    ISA_TRACE_GFX11,
    ISA_TRACE_GFX12
} isa_trace_t;

/* Fields that only some GPUs have in their memory encodings. Bits of an instruction's second dword
 * are numbered from 32 on. A field without bits reads 0. */
typedef struct {
    isa_bits_t ds_acc, flat_acc, buffer_acc, image_acc; /* data and result are in AGPRs */
    /* SCRATCH: whether the VGPR is an address, even if there is a scalar one. A GPU without the
     * field uses the VGPR if there is no scalar address. */
    isa_bits_t scratch_vaddr;
    isa_bits_t flat_lds; /* loads go to LDS: the eighth bit of the opcode (ISA_CODE_LDS) */
    isa_bits_t flat_sc1, mubuf_sc1, mtbuf_sc1, smem_sc1, image_sc1; /* ISA_F_SC1 */
    isa_bits_t mubuf_lds;                                           /* loads go to LDS */
    isa_bits_t buffer_tfe, image_tfe; /* requests a status in addition to the data: not decoded */
} isa_memory_fields_t;

enum { ISA_CODE_LDS = 128 };

/* The descriptors, formats and layouts of images. NONE: softgpu knows none of the GPU's. */
typedef enum {
    ISA_IMAGES_NONE,
    ISA_IMAGES_GFX9,
    ISA_IMAGES_GFX10,
    ISA_IMAGES_GFX11,
    ISA_IMAGES_GFX12
} isa_images_t;

/* Fields of image instructions that families have in different places. */
typedef struct {
    isa_bits_t op[2]; /* low part, high part */
    isa_bits_t
        spread; /* number of dwords after the instruction that name VGPRs of the address (NSA) */
    bool ends_in_tuple; /* the last VGPR named there begins a tuple that has the rest of a longer
                           address */
    isa_bits_t dmask, dim, da, unorm, glc, slc, lwe, a16, r128, d16;
    isa_bits_t ssamp; /* number of the SGPR / 4 */
} isa_image_fields_t;

enum { ISA_MESSAGES = 256 }; /* numbers that messages can have */

/* The encodings of a family of GPUs: fields whose place differs between families, and the registers
 * that operands can name. Bits of an instruction's second dword are numbered from 32 on. */
typedef struct {
    uint8_t smem, vop3; /* the top six bits of these formats */
    uint16_t vop3p;     /* the top nine bits */
    uint8_t vopd, exp;  /* the top six bits; 0: there is no such format */
    /* The top six bits of memory encodings of three dwords, which replace FLAT, MUBUF, MTBUF and
     * MIMG; 0: the family has those four. */
    uint8_t vflat, vbuffer, vimage, vsample;
    uint8_t vinterp, ldsdir; /* the top eight bits */
    uint8_t sgprs;           /* codes below this one are ordinary SGPRs: 102 or 106 */
    bool split_barrier;      /* waves signal at a barrier and wait there by separate instructions */
    bool has_null;           /* ISA_CODE_NULL is valid; SMEM uses it for "no offset register" */
    bool null_first;         /* NULL has the code ISA_CODE_M0, and M0 the code ISA_CODE_NULL */
    bool sdwa;               /* the family has SDWA */
    bool vop3_literal;       /* VOP3 and VOP3P can have a literal in the next dword */
    bool dpp8; /* the family has DPP8, and in DPP16 a bit by which excluded lanes are read (FI) */
    bool keeps_halves; /* a result of 16 bits leaves the register's other half unchanged */
    bool old_dpp;      /* DPP16 moves across the wave and broadcasts lane 15 and 31 */
    bool vop3_dpp;     /* VOPC, VOP3 and VOP3P can have DPP, too */
    bool scopes; /* memory instructions have a scope and a temporal hint instead of cache bits */
    bool bytes_swapped; /* OP_SEL has the bits of a source's byte number in reverse order; texts
                           show them as byte_sel */
    bool halves;        /* 16-bit operands of VOP1, VOP2, VOPC are halves of the first VGPRs */
    bool
        image_dim; /* MIMG has the type of the image; its address can be in scattered VGPRs (NSA) */
    /* table of the element formats for which MTBUF has one number (format.h) */
    const uint8_t *element_formats;
    isa_bits_t smem_op;
    isa_bits_t smem_glc, smem_imm, smem_soe; /* the last two are for SMEM without NULL */
    isa_bits_t smem_policy;                  /* scope and temporal hint */
    isa_bits_t smem_zero;                    /* a field that must be 0 */
    uint8_t smem_offset;                     /* bits of the immediate, signed */
    isa_bits_t ds_op, ds_gds;
    isa_bits_t flat_segment, flat_glc, flat_slc;
    isa_bits_t flat_zero;   /* must be 0, except for scratch_vaddr or flat_lds in the same bits */
    isa_bits_t flat_offset; /* signed; for FLAT itself it is unsigned and has the width of the next
                               member */
    uint8_t flat_bits;
    uint8_t saddr_off; /* code for "no scalar address" in GLOBAL and SCRATCH */
    uint8_t
        saddr_none; /* code for "no address at all" in SCRATCH; 0: the family has no such code */
    isa_bits_t mubuf_op[2], mtbuf_op[2]; /* low part, high part */
    isa_bits_t mubuf_slc, mtbuf_slc;
    isa_bits_t buffer_offen, buffer_idxen;
    isa_images_t images;
    isa_image_fields_t image;
    const char *const *messages; /* ISA_MESSAGES names, by number; NULL: the message has no name */
    isa_bits_t message;          /* the number of a message in an immediate */
    /* messages by which a wave requests its doorbell, and releases its VGPRs; 0: there is none */
    uint8_t message_doorbell, message_free_vgprs;
    const isa_hwreg_name_t *hwregs; /* ISA_HWREG_NUMBERS elements */
} isa_formats_t;

/* The register, and the bits in it, in which a starting wave has the ids of its work-items on one
 * axis. */
typedef struct {
    uint8_t vgpr;
    isa_bits_t bits;
} isa_item_id_t;
enum { ISA_ID_ROWS = 3 }; /* the first VGPRs of a wave, in which ids can be */

typedef struct isa_codes isa_codes_t; /* table.h */

typedef struct isa_arch {
    const char *name;
    /* In isa_archs, and in every table that has an entry for each GPU of ISA_GPUS; of a GPU that
     * has the instructions of one of these, the index of that one. */
    uint32_t index;
    uint32_t gfx_target_version;  /* the driver's number: major * 10000 + minor * 100 + stepping */
    const isa_codes_t *codes;     /* its instructions */
    const isa_formats_t *formats; /* their encodings */
    uint32_t lanes; /* lanes of its waves: 64, or 32 if it has waves of 32 and of 64 */
    struct {
        isa_bits_t vm[2], exp, lgkm; /* vm: low part, high part */
    } waitcnt;
    isa_waits_t
        waits_most; /* largest values of the counters: an s_waitcnt with these never waits */
    isa_memory_fields_t memory_fields;
    const char
        *cache_bits[3]; /* names of ISA_F_GLC, ISA_F_SLC and ISA_F_SC1 in all formats except SMEM */
    bool scope_bits; /* ISA_F_GLC and ISA_F_SC1 of a vector load are a scope: without ISA_F_SC1 that
                        of a workgroup at most, which the vector L1 serves */
    bool dpp_newbcast;  /* DPP has row_newbcast, with which operands can have 64 bits */
    bool dpp_scalar;    /* in VOP3 with DPP, the second source can be a scalar one */
    bool float_atomics; /* float atomics work on fine-grained memory, too; on other GPUs they have
                           no effect there */
    uint32_t hwregs;    /* hardware registers have numbers below this one */
    /* The initial state of a wave. Either a kernel can request the wave's offset in scratch in an
     * SGPR, which it adds to FLAT_SCRATCH, or the hardware has set FLAT_SCRATCH. */
    struct {
        isa_item_id_t item[3]; /* x, y, z */
        bool scratch_offset;
        bool ids_in_ttmp; /* the workgroup's ids are in trap temporaries, not in SGPRs */
    } launch;
    /* The bits DX10_CLAMP and IEEE of MODE if the GPU does not have them. DX10_CLAMP then counts as
     * set, IEEE as clear. */
    uint32_t mode_absent;
    struct {
        isa_bits_t slot, simd, cu, sh, se;
    } hw_id;
    /* The trap temporaries that are set when a trap handler starts, each by its first register, and
     * fields of some. The PC and TMA take two registers each, the workgroup's ids three. The fields
     * trap_id and host (the driver caused the trap) are in the second register of the PC. The
     * packet's index and the wave's number may share a register. A field without bits is not
     * set. Without a field for it, a bit of EXCP_FLAG_PRIV says that the driver caused the trap,
     * and `status` is STATE_PRIV instead of STATUS. The workgroup's ids are not set if
     * launch.ids_in_ttmp has them there from the start. */
    struct {
        uint8_t pc, packet, group, wave, status, tma;
        isa_bits_t pc_high, trap_id, host, packet_index, wave_in_group, no_scratch;
    } ttmp;
    /* Granules, in rows: VGPRs are allocated in multiples of the first, and AGPRs begin at a
     * multiple of the second; 0: AGPRs have a file of their own, and their rows follow the last
     * VGPR. */
    uint32_t vgpr_granule, acc_granule;
    /* The register COMPUTE_TMPRING_SIZE: the field for a wave's scratch, its unit in bytes, and
     * whether the register counts the waves of one shader engine instead of all. */
    struct {
        isa_bits_t wave;
        uint32_t unit;
        bool of_engine;
    } tmpring;
    bool scratch_register; /* FLAT_SCRATCH is a hardware register, not SGPRs */
    bool gcr;              /* packets name the caches to be invalidated by GCR_CNTL, as on gfx10 */
    bool wide_windows; /* packets of SDMA that copy a window have its offsets and sizes in 16 bits,
                          as on gfx12 */
    bool stores_apart; /* stores count in a counter of their own (vscnt), not with loads (vmcnt) */
    bool lds_apart; /* LDS and scalar memory count in counters of their own (dscnt and kmcnt), not
                       both in lgkmcnt */
    bool samples_apart; /* samples of images (isa_is_sample()) and tests of rays (isa_tests_rays())
                           count in counters of their own (samplecnt, bvhcnt), not with loads */
    uint32_t unit_cus;  /* compute units of a workgroup processor, to which workgroups are assigned;
                           0: workgroups are assigned to single compute units */
    /* Lanes of a wave that a SIMD's vector ALU computes in a clock; and the time of an f64
     * operation as a multiple of that of an f32 operation, for operations with different rates. */
    uint32_t simd_lanes, f64_times;
    bool sq_quads; /* SQ issues for a wave in one clock of four, and counts most clocks by fours */
    bool address_stalls; /* a wave that the unit for addresses makes wait counts as one that waits
                            to issue; if false, as one that waits for its data (measured of a
                            gfx1153) */
    /* SQ counts only the waves of the VMIDs and compute units that its registers CTRL and MASK
     * select. */
    bool sq_masks;
    uint32_t simd_vgprs; /* rows of 64 lanes of a SIMD's register file, ISA_SIMD_VGPRS at most */
    isa_bits_t m0_lds; /* the bits of M0 with the address in LDS at which loads from memory into LDS
                          begin */
    uint32_t group_lds;   /* bytes of LDS that a workgroup can have, ISA_GROUP_LDS at most */
    uint32_t lds_granule; /* bytes in which LDS is allocated */
    /* bytes of a line of the vector L1, of the scalar and instruction caches, and of L2, for the
     * driver's reports and the cache model */
    uint32_t vector_line, scalar_line, l2_line;
    /* The memory that the driver reserves to save the waves of a queue that it takes off the GPU:
     * the most waves of a compute unit and of a shader engine (0: no such limit), bytes of the
     * control stack for each wave, and the most bytes of that stack (0: no limit). */
    struct {
        uint32_t cu_waves, engine_waves, wave_bytes, most;
    } save;
    isa_trace_t trace;
    bool streams;            /* softgpu streams the GPU's counters */
    uint32_t drm_family;     /* the driver's family of GPUs, by which libdrm interprets revisions */
    uint32_t gb_addr_config; /* the register GB_ADDR_CONFIG, by which images are laid out */
} isa_arch_t;

/* ISA_ARCH_<name>, in the order of ISA_GPUS in src/isa/CMakeLists.txt. */
enum {
#define ISA_ARCH(name) ISA_ARCH_##name,
#include "isa/isa_archs.inc"
#undef ISA_ARCH
    ISA_ARCH_COUNT
};

extern const isa_arch_t isa_archs[ISA_ARCH_COUNT];

/* All architectures: those of isa_archs, then those that have the instructions of one of them. NULL
 * beyond the last. */
const isa_arch_t *isa_arch_at(size_t i);

/* The architecture with this driver's number, or with this name. NULL: there is none. */
const isa_arch_t *isa_arch_find(uint32_t gfx_target_version);
const isa_arch_t *isa_arch_named(const char *name);

/* Writes a list of all architectures, such as "90010 (gfx90a)", for messages. */
void isa_arch_list(char *text, size_t size);

/* Compute units that take workgroups together. */
static inline uint32_t isa_arch_unit_cus(const isa_arch_t *a)
{
    return a->unit_cus ? a->unit_cus : 1;
}

/* For each counter, how many operations may still be outstanding after this s_waitcnt. */
static inline isa_waits_t isa_waits(const isa_arch_t *a, uint32_t simm16)
{
    return (isa_waits_t){.vm = isa_bits_get(a->waitcnt.vm[0], simm16) |
                               isa_bits_get(a->waitcnt.vm[1], simm16) << a->waitcnt.vm[0].bits,
                         .exp = isa_bits_get(a->waitcnt.exp, simm16),
                         .lgkm = isa_bits_get(a->waitcnt.lgkm, simm16)};
}

#endif
