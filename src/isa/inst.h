/* inst.h - the decoded form of one instruction.
 *
 * The decoder fills it in once; executor, disassembler, counters and checker read it. It holds all
 * facts that a handler would otherwise have to extract from the encoding on every execution. Only
 * the files of decode.h depend on the encodings' bits. */
#ifndef ISA_INST_H
#define ISA_INST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    ISA_MAX_DWORDS = 5
}; /* the most dwords of an instruction: three of them can be an image's address */

typedef struct isa_wave isa_wave_t;
typedef struct isa_inst isa_inst_t;
typedef void isa_handler_t(isa_wave_t *w, const isa_inst_t *i);

typedef enum {
    ISA_FMT_SOP1,
    ISA_FMT_SOP2,
    ISA_FMT_SOPK,
    ISA_FMT_SOPC,
    ISA_FMT_SOPP,
    ISA_FMT_SMEM,
    ISA_FMT_VOP1,
    ISA_FMT_VOP2,
    ISA_FMT_VOPC,
    ISA_FMT_VOP3A,
    ISA_FMT_VOP3B,
    ISA_FMT_VOP3P,
    ISA_FMT_DS,
    ISA_FMT_FLAT,
    ISA_FMT_SCRATCH,
    ISA_FMT_GLOBAL,
    ISA_FMT_MUBUF,
    ISA_FMT_MTBUF,
    ISA_FMT_MIMG,
    ISA_FMT_VOPD,
    ISA_FMT_VINTERP,
    ISA_FMT_LDSDIR,
    ISA_FMT_EXP,
    ISA_FMT_COUNT
} isa_fmt_t;

/* The place of an operand's value. */
typedef enum {
    ISA_OPK_NONE,
    ISA_OPK_VGPR,   /* reg = row of the wave's registers */
    ISA_OPK_AGPR,   /* reg = AGPR's number; its row depends on the wave: isa_row_of() in
                     * exec/wave.h */
    ISA_OPK_SGPR,   /* reg = scalar code 0..127: SGPRs, FLAT_SCRATCH, VCC, TTMP, M0, EXEC */
    ISA_OPK_CONST,  /* k = inline constant or literal, already widened for the operand's type */
    ISA_OPK_SPECIAL /* reg = scalar code 235..239, 251..254: apertures, VCCZ, EXECZ, SCC,
                     * LDS_DIRECT */
} isa_opkind_t;

/* Modifiers of an operand. ISA_MOD_KEEP is for destinations: a result of 16 bits leaves the other
 * half of its register unchanged; some results of 32 bits have it, too. */
enum { ISA_MOD_NEG = 1, ISA_MOD_ABS = 2, ISA_MOD_SEXT = 4, ISA_MOD_KEEP = 8 };

/* What an SDWA select (isa_operand_t.sel, isa_inst_t.dst_sel) selects: a byte below WORD_0, a half
 * below DWORD. */
enum { ISA_SEL_WORD_0 = 4, ISA_SEL_DWORD = 6 };

/* What SDWA does with the rest of the register if its result is a part of one
 * (isa_inst_t.dst_unused): fills it with zeros or with the result's sign, or keeps it. */
enum { ISA_UNUSED_ZERO, ISA_UNUSED_SIGN, ISA_UNUSED_KEEP };

typedef struct {
    uint8_t kind;  /* isa_opkind_t */
    uint8_t mods;  /* ISA_MOD_*; for packed operands NEG = neg_lo, ABS = neg_hi */
    uint8_t sel;   /* SDWA: ISA_SEL_*; VOP3/VOP3P: bit 0 = op_sel, bit 1 = op_sel_hi */
    uint16_t bits; /* 32, 64, 96, 128, ... of the register tuple; 32 for 16-bit operands */
    uint16_t reg;  /* see isa_opkind_t; for a constant, its operand code */
    uint64_t k;
} isa_operand_t;

/* The bits that a select below ISA_SEL_DWORD selects. */
static inline unsigned isa_sel_width(unsigned sel)
{
    return sel < ISA_SEL_WORD_0 ? 8 : 16;
}

static inline unsigned isa_sel_shift(unsigned sel)
{
    return sel < ISA_SEL_WORD_0 ? 8 * sel : 16 * (sel & 1);
}

/* The registers of an operand, one for each dword. */
static inline unsigned isa_operand_dwords(const isa_operand_t *o)
{
    return o->bits > 32 ? o->bits / 32u : 1;
}

/* Whether the operand is in vector registers: a VGPR or AGPR, or a tuple of them. */
static inline bool isa_is_row(const isa_operand_t *o)
{
    return o->kind == ISA_OPK_VGPR || o->kind == ISA_OPK_AGPR;
}

/* Fields of an encoding besides its operands. VALU_SLOW_FLAGS (valu.h) are those with which a
 * vector ALU instruction takes its slow path. */
enum {
    ISA_F_SDWA = 1 << 0,
    ISA_F_DPP = 1 << 1,
    ISA_F_OMOD = 1 << 2, /* there is an output modifier: omod is not 0 */
    ISA_F_CLAMP = 1 << 3,
    ISA_F_SRCMOD = 1 << 4, /* some source has neg, abs, sext or a select */
    ISA_F_DSTSEL = 1 << 5, /* SDWA destination select or VOP3 op_sel on the destination */
    ISA_F_GLC = 1 << 6,
    ISA_F_FI = 1 << 6,   /* vector ALU, with ISA_F_DPP: lanes that EXEC excludes are read, too */
    ISA_F_DPP8 = 1 << 7, /* vector ALU, with ISA_F_DPP: DPP8, whose selects are in imm */
    ISA_F_SLC = 1 << 7,
    ISA_F_IDXEN = 1 << 8,
    ISA_F_VOP3 = 1 << 8, /* vector ALU: encoded as VOP3 */
    ISA_F_OFFEN = 1 << 9,
    ISA_F_LDS = 1 << 10,
    ISA_F_GDS = 1 << 11,
    ISA_F_SADDR = 1 << 12, /* global/scratch: scalar address in src[2] */
    ISA_F_SOE = 1 << 13,   /* SMEM: scalar offset register in src[1] */
    ISA_F_IMM = 1 << 14,   /* SMEM: immediate offset */
    ISA_F_SC1 = 1 << 15    /* the third cache bit, which few GPUs have */
};

/* Fields of MIMG besides its operands; DMASK is in the low four bits. */
enum {
    ISA_IMAGE_DMASK = 15,
    ISA_IMAGE_UNORM = 1 << 4, /* coordinates count texels */
    ISA_IMAGE_DA = 1 << 5,    /* the address has a slice number */
    ISA_IMAGE_A16 = 1 << 6,   /* parts of the address have 16 bits, two in a dword */
    ISA_IMAGE_LWE = 1 << 7,
    ISA_IMAGE_D16 = 1 << 8,      /* components in registers have 16 bits */
    ISA_IMAGE_DIM_SHIFT = 9,     /* isa_dim_t */
    ISA_IMAGE_HAS_DIM = 1 << 12, /* the encoding has the image's type */
    ISA_IMAGE_NSA = 1 << 13,     /* the address is in any VGPRs: isa_image_vgpr() */
    ISA_IMAGE_R128 = 1 << 14,
    ISA_IMAGE_FOUR = 1 << 15 /* with NSA: the instruction names four VGPRs at most */
};

/* Types of images, by their number in encodings with a field for it. */
typedef enum {
    ISA_DIM_1D,
    ISA_DIM_2D,
    ISA_DIM_3D,
    ISA_DIM_CUBE,
    ISA_DIM_1D_ARRAY,
    ISA_DIM_2D_ARRAY,
    ISA_DIM_2D_MSAA,
    ISA_DIM_2D_MSAA_ARRAY
} isa_dim_t;

/* One decoded instruction. Slots of a page are published by a release store of `fn`: a reader that
 * loads `fn` with acquire sees all the other fields. */
struct isa_inst {
    _Alignas(64) _Atomic(isa_handler_t *) fn;
    uint64_t pc;    /* address of the instruction; 0 if it was decoded outside a page */
    uint16_t op;    /* ISA_OP_* : row of the instruction table */
    uint8_t fmt;    /* isa_fmt_t of the encoding in memory: VOP3A for v_add_f32_e64 */
    uint8_t dwords; /* size: 1 to ISA_MAX_DWORDS */
    uint16_t flags; /* ISA_F_* */
    union {
        uint8_t omod;   /* VOP3/SDWA output modifier 0..3 */
        uint8_t policy; /* memory, if isa_formats_t.scopes: scope 1:0, temporal hint 4:2 */
    };
    uint8_t op_sel; /* VOP3 OP_SEL bits as encoded; bit 3 = destination half */
    union {         /* each member is of another format */
        struct {
            uint8_t dst_sel;    /* SDWA */
            uint8_t dst_unused; /* SDWA: ISA_UNUSED_* */
        };
        struct {
            uint16_t dpp_ctrl;
            uint8_t dpp_masks; /* row mask 7:4, bank mask 3:0 */
            uint8_t dpp_bound; /* bound_ctrl */
        };
        struct {
            uint8_t cbsz, abid, blgp; /* MFMA */
        };
        struct {
            uint8_t offset0, offset1; /* DS */
        };
        uint16_t mtbuf_format; /* MTBUF: dfmt | nfmt << 4 */
        uint16_t image;        /* MIMG: ISA_IMAGE_* */
        uint16_t dual_op;      /* VOPD: ISA_OP_* of the second operation */
    };
    int32_t imm;        /* SIMM16, branch target in dwords, signed/unsigned memory offset; DPP8:
                           three bits for each lane of eight; VOPD: the literal; VINTERP, LDSDIR,
                           EXP: their own fields, as disasm.c reads them; MIMG: the groups of an
                           address's VGPRs, see isa_image_vgpr() */
    isa_operand_t dst;  /* vdst, sdst or vdata of a load */
    isa_operand_t dst2; /* VOP3B sdst; SDWA/VOP3 compare destination */
    isa_operand_t src[4];
    /* Memory formats: DS       src[0]=addr src[1]=data0 src[2]=data1
     *                 FLAT...  src[0]=vaddr src[1]=vdata src[2]=saddr
     *                 MUBUF    src[0]=vaddr src[1]=vdata src[2]=srsrc src[3]=soffset
     *                 MIMG     src[0]=vaddr src[1]=vdata src[2]=srsrc src[3]=ssamp; if the encoding
     *                          does not say the image's type, vaddr's bits are those for a 1D
     *                          image: the type is in the descriptor, with which
     *                          isa_image_address_dwords() counts all of them. With NSA, the k of
     *                          src[0] and src[1] hold the VGPRs after the first that the
     *                          instruction names, a byte each
     *                 VOPD     dst, src[0], src[1] of the first operation, dst2, src[2], src[3] of
     *                          the second: isa_decode_half() makes an instruction of either
     *                 SMEM     src[0]=sbase src[1]=soffset src[2]=sdata of a store or atomic
     * AMD's operand order otherwise; madmk/madak's literal is src[1]/src[2] as written.
     * The same in every encoding of an instruction: dst2 is the carry or compare mask written (VCC
     * in the short forms), src[2] the mask that cndmask, addc, subb and subbrev read.
     * A returning atomic has its result in dst. s_cmpk_* and s_setreg_b32 read dst. */
};

/* With NSA: the number of the last dword of an image's address whose VGPR the instruction names.
 * Four are named in each dword after the first two, and the first one before these, unless it is
 * one of four. */
static inline unsigned isa_image_last_named(const isa_inst_t *i)
{
    return i->image & ISA_IMAGE_FOUR ? 3 : 4 * (i->dwords - 2u);
}

/* With NSA: the VGPR of that number among those that the instruction names. */
static inline unsigned isa_image_named(const isa_inst_t *i, unsigned number)
{
    if (!number) return i->src[0].reg;
    const uint64_t names = i->src[number > 8].k;
    return (uint8_t)(names >> (number - 1) % 8 * 8);
}

/* The dwords of group k of an address, 0 after the last group: of those instructions that name the
 * first VGPR of each group, `imm` has the size of each, from bit 4 * k on. */
static inline unsigned isa_image_group(const isa_inst_t *i, unsigned k)
{
    return (uint32_t)i->imm >> 4 * k & 15;
}

/* The VGPR that has dword n of an image's address. Dwords after the last one that is named, or
 * that of a group, are in the VGPRs after that one's. */
static inline unsigned isa_image_vgpr(const isa_inst_t *i, unsigned n)
{
    if (!(i->image & ISA_IMAGE_NSA)) return i->src[0].reg + n;
    if (i->imm) {
        unsigned k = 0;
        for (; n >= isa_image_group(i, k) && isa_image_group(i, k); k++)
            n -= isa_image_group(i, k);
        return isa_image_named(i, k) + n;
    }
    const unsigned last = isa_image_last_named(i), named = n < last ? n : last;
    return isa_image_named(i, named) + n - named;
}

/* The scope of an access to memory, on gfx12 and later: the caches up to which it has to be
 * visible. */
typedef enum { ISA_SCOPE_CU, ISA_SCOPE_SE, ISA_SCOPE_DEV, ISA_SCOPE_SYS } isa_scope_t;

static inline isa_scope_t isa_scope(const isa_inst_t *i)
{
    return (isa_scope_t)(i->policy & 3);
}

/* The temporal hint of the instruction, for the caches. For atomics, bit 0: the old value is
 * returned. */
static inline unsigned isa_hint(const isa_inst_t *i)
{
    return i->policy >> 2;
}

/* Address of the next instruction in memory. */
static inline uint64_t isa_next_pc(const isa_inst_t *i)
{
    return i->pc + 4u * i->dwords;
}

_Static_assert(sizeof(isa_inst_t) == 128,
               "two lines of the host's cache, which code walks through");

#endif
