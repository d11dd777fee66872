/* table.h - the instruction table in C: one isa_row_desc_t for each instruction, and one
 * isa_codes_t for each GPU with the opcodes of its instructions.
 *
 * Decoder, disassembler, cache model, counters and checker read it. scripts/gen-isa.py converts the
 * families' tables (gfx9.tsv and its like) to initialisers that use the names below: a new column
 * needs a change there and here. */
#ifndef ISA_TABLE_H
#define ISA_TABLE_H

#include "isa/arch.h"
#include "isa/inst.h"

#include "isa/isa_ops.h"

enum { ISA_FMT_NONE = ISA_FMT_COUNT };

/* The field of the encoding that has an operand. */
typedef enum {
    ISA_ROLE_NONE,
    ISA_ROLE_SDST,
    ISA_ROLE_VDST,
    ISA_ROLE_SRC0,
    ISA_ROLE_SRC1,
    ISA_ROLE_SRC2,
    ISA_ROLE_SIMM16,
    ISA_ROLE_IMM,
    ISA_ROLE_SBASE,
    ISA_ROLE_SDATA,
    ISA_ROLE_ADDR,
    ISA_ROLE_DATA0,
    ISA_ROLE_DATA1,
    ISA_ROLE_VADDR,
    ISA_ROLE_VDATA,
    ISA_ROLE_SRSRC,
    ISA_ROLE_SSAMP,
    ISA_ROLE_SOFFSET
} isa_role_t;

/* The operands that a field can name; the head of a family's table explains each kind. */
typedef enum {
    ISA_K_NONE,
    ISA_K_S,
    ISA_K_SS,
    ISA_K_SSC,
    ISA_K_V,
    ISA_K_A,
    ISA_K_AV,
    ISA_K_VS,
    ISA_K_VSC,
    ISA_K_D,
    ISA_K_C,
    ISA_K_IMM,
    ISA_K_LIT,
    ISA_K_REL,
    ISA_K_HWREG,
    ISA_K_MSG,
    ISA_K_WAITCNT,
    ISA_K_HEX,
    ISA_K_DEPCTR,
    ISA_K_DELAY,
    ISA_K_RTNMSG
} isa_kind_t;

/* The type of an operand, which decides how the decoder widens an inline constant or literal. */
typedef enum {
    ISA_T_BITS,
    ISA_T_I64,
    ISA_T_B16,
    ISA_T_F16,
    ISA_T_BF16,
    ISA_T_F32,
    ISA_T_F64,
    ISA_T_V2B16,
    ISA_T_V2F16,
    ISA_T_V2BF16,
    ISA_T_V2B32,
    ISA_T_V2F32
} isa_type_t;

typedef struct {
    uint8_t role; /* isa_role_t */
    uint8_t kind; /* isa_kind_t */
    uint8_t type; /* isa_type_t */
    uint16_t bits;
} isa_field_t;

/* Modifiers that an instruction's encoding can have, in its row. The modifiers of one decoded
 * instruction are its ISA_F_* (inst.h) and the ISA_MOD_* of its operands. */
enum {
    ISA_M_DPP = 1 << 0,
    ISA_M_G16 = 1 << 0, /* MIMG: gradients have 16 bits */
    ISA_M_SDWA = 1 << 1,
    ISA_M_DIM = 1 << 1, /* MIMG: the encoding has the image's type */
    ISA_M_NEG = 1 << 2,
    ISA_M_ABS = 1 << 3,
    ISA_M_CLAMP = 1 << 4,
    ISA_M_OMOD = 1 << 5,
    ISA_M_OP_SEL = 1 << 6,
    ISA_M_OP_SEL_HI = 1 << 7,
    ISA_M_NEG_LO = 1 << 8,
    ISA_M_NEG_HI = 1 << 9,
    ISA_M_E64_NEG = 1 << 10,
    ISA_M_E64_ABS = 1 << 11,
    ISA_M_E64_CLAMP = 1 << 12,
    ISA_M_E64_OMOD = 1 << 13,
    ISA_M_ACC_CD = 1 << 14,
    ISA_M_ACC = 1 << 15,
    ISA_M_CBSZ = 1 << 16,
    ISA_M_ABID = 1 << 17,
    ISA_M_BLGP = 1 << 18,
    ISA_M_OFF = 1 << 19,  /* one immediate offset */
    ISA_M_OFF2 = 1 << 20, /* two 8-bit offsets (DS) */
    ISA_M_GDS = 1 << 21,
    ISA_M_GLC = 1 << 22,
    ISA_M_SLC = 1 << 23,
    ISA_M_RET = 1 << 24, /* returns the old value when GLC is set */
    ISA_M_SADDR = 1 << 25,
    ISA_M_ADDR = 1 << 26, /* offen, idxen */
    ISA_M_LDS = 1 << 27,
    ISA_M_SMOFF = 1 << 28, /* SMEM: immediate, register or both */
    ISA_M_CAS = 1 << 29,   /* compare-and-swap: two data values in, one out */
    ISA_M_BARE = 1 << 30   /* the text has no _e32 or _e64 */
};

/* Instruction classes of the counters. ORDER: isa_class_name(). */
typedef enum {
    ISA_CLASS_SALU,
    ISA_CLASS_BRANCH,
    ISA_CLASS_MSG,
    ISA_CLASS_INTERNAL,
    ISA_CLASS_SMEM,
    ISA_CLASS_SMEM_RD,
    ISA_CLASS_SMEM_WR,
    ISA_CLASS_SMEM_AT,
    ISA_CLASS_VALU,
    ISA_CLASS_MFMA,
    ISA_CLASS_LDS,
    ISA_CLASS_LDS_RD,
    ISA_CLASS_LDS_WR,
    ISA_CLASS_LDS_AT,
    ISA_CLASS_GWS,
    ISA_CLASS_FLAT,
    ISA_CLASS_FLAT_RD,
    ISA_CLASS_FLAT_WR,
    ISA_CLASS_FLAT_AT,
    ISA_CLASS_VMEM,
    ISA_CLASS_VMEM_RD,
    ISA_CLASS_VMEM_WR,
    ISA_CLASS_VMEM_AT,
    ISA_CLASS_COUNT
} isa_class_t;

/* The class's name in the tables, for example "lds.rd". */
const char *isa_class_name(isa_class_t c);

/* Registers that an instruction reads or writes although they are no operands of it. */
enum {
    ISA_REG_EXEC = 1,
    ISA_REG_VCC = 2,
    ISA_REG_SCC = 4,
    ISA_REG_M0 = 8,
    ISA_REG_MODE = 16,
    ISA_REG_FLAT = 32
};

/* The unit that makes an access to memory. */
typedef enum { ISA_UNIT_NONE, ISA_UNIT_VECTOR, ISA_UNIT_LDS, ISA_UNIT_SCALAR } isa_unit_t;

/* Kinds of access: PLAIN is a load, store or atomic at an address per lane; all other kinds differ
 * from that. */
typedef enum {
    ISA_ACCESS_PLAIN,
    ISA_ACCESS_PAIR,       /* LDS: two elements of a lane, at two immediate offsets */
    ISA_ACCESS_LANE,       /* LDS: lane l accesses the dword at M0 + offset + 4 * l */
    ISA_ACCESS_CROSS,      /* LDS: an exchange between lanes without memory */
    ISA_ACCESS_WAVE,       /* LDS: one dword for the whole wave */
    ISA_ACCESS_INVALIDATE, /* of the vector L1 or the scalar cache, by the unit */
    ISA_ACCESS_WRITEBACK,
    ISA_ACCESS_ARRAY_INVALIDATE, /* of the cache that a shader array's units share */
    ISA_ACCESS_L2_INVALIDATE,
    ISA_ACCESS_L2_WRITEBACK,
    ISA_ACCESS_FROM_LDS,  /* a store to a buffer whose data comes from LDS */
    ISA_ACCESS_TRANSPOSE, /* LDS: a load after which lanes exchange elements */
    ISA_ACCESS_DIRECT     /* LDS: one value for the whole wave, whose address and type M0 has */
} isa_access_t;

/* Whether the instruction only acts on caches and accesses no memory. */
static inline bool isa_is_cache_operation(unsigned kind)
{
    return kind >= ISA_ACCESS_INVALIDATE && kind <= ISA_ACCESS_L2_WRITEBACK;
}

typedef struct {
    uint8_t unit;  /* isa_unit_t */
    uint8_t kind;  /* isa_access_t */
    uint8_t bytes; /* of one lane's element; scalar: of the tuple */
    uint16_t step; /* PAIR: bytes for each 1 in an immediate offset */
} isa_memory_t;

/* Kinds of arithmetic that counters distinguish. ORDER: as the events 27 (ADD_F16) to 46 (MFMA_F64)
 * of gfx90a's counter block SQ; after these the kinds that only later GPUs have. F8: both formats
 * of 8 bits; F6F4: elements of 8, 6 or 4 bits. */
typedef enum {
    ISA_MATH_NONE,
    ISA_MATH_ADD_F16,
    ISA_MATH_MUL_F16,
    ISA_MATH_FMA_F16,
    ISA_MATH_TRANS_F16,
    ISA_MATH_ADD_F32,
    ISA_MATH_MUL_F32,
    ISA_MATH_FMA_F32,
    ISA_MATH_TRANS_F32,
    ISA_MATH_ADD_F64,
    ISA_MATH_MUL_F64,
    ISA_MATH_FMA_F64,
    ISA_MATH_TRANS_F64,
    ISA_MATH_INT32,
    ISA_MATH_INT64,
    ISA_MATH_CVT,
    ISA_MATH_MFMA_I8,
    ISA_MATH_MFMA_F16,
    ISA_MATH_MFMA_BF16,
    ISA_MATH_MFMA_F32,
    ISA_MATH_MFMA_F64,
    ISA_MATH_MFMA_F8,
    ISA_MATH_MFMA_XF32,
    ISA_MATH_MFMA_F6F4
} isa_math_kind_t;

/* A matrix instruction multiplies m x k by k x n elements, once for each block. */
typedef struct {
    uint8_t m, n, k, blocks;
} isa_shape_t;

typedef struct {
    uint8_t kind;   /* isa_math_kind_t */
    uint8_t clocks; /* clocks for which it occupies the SIMD or the matrix unit; 0: the usual 4 */
    isa_shape_t shape; /* matrix instructions only */
} isa_math_t;

/* Which bits of the operands each bit of the result depends on. By this rule the checker derives
 * which bits of a result are undefined. */
typedef enum {
    ISA_DATA_NONE,    /* there is no result, or it does not depend on registers */
    ISA_DATA_BITS,    /* on at most one bit of each operand */
    ISA_DATA_SUM,     /* the result is the sum of two numbers and a carry */
    ISA_DATA_UP,      /* on the operands' bits at the same place and below */
    ISA_DATA_PRODUCT, /* as UP, for a product of the first two sources */
    ISA_DATA_EQUAL,   /* the result says whether two numbers are equal */
    ISA_DATA_ORDER,   /* the result says which of two numbers is greater */
    ISA_DATA_ANY,     /* on all bits of all operands */
    ISA_DATA_MATRIX,
    ISA_DATA_KNOWN /* on no bit of the operands */
} isa_data_rule_t;

typedef enum { ISA_ORDER_NONE, ISA_ORDER_LESS, ISA_ORDER_GREATER } isa_order_t;

typedef struct {
    uint8_t rule;          /* isa_data_rule_t */
    uint8_t control;       /* bit n: source n controls the operation on the other sources (such as a
                              shift's count) */
    uint8_t order;         /* isa_order_t: of comparisons */
    bool is_signed;        /* whether a comparison takes its operands as signed */
    uint32_t control_bits; /* the bits of those sources that have an effect */
    uint32_t seen;         /* the bits of the first two sources that have an effect */
} isa_data_t;

/* Marks of a row. The head of a family's table explains those without a comment here. */
enum {
    ISA_IS_TIED = 1 << 0,
    ISA_IS_READS_DST = 1 << 1,
    ISA_IS_SWAPS = 1 << 2,
    ISA_IS_EXCHANGE = 1 << 3,
    ISA_IS_HIGH = 1 << 4,
    ISA_IS_D16 = 1 << 5,
    ISA_IS_SIGNED = 1 << 6,
    ISA_IS_BUFFER = 1 << 7,
    ISA_IS_SCRATCH = 1 << 8,
    ISA_IS_FORMAT = 1 << 9,
    ISA_IS_RETURNS = 1 << 10,  /* an LDS atomic that returns the old value */
    ISA_IS_PACKED = 1 << 11,   /* an operand holds two numbers */
    ISA_IS_COMPONENT = 1 << 11, /* buffers (so it shares a bit with PACKED): of 16 bits each, one
                                   component of an element with a format */
    ISA_IS_ONE_LANE = 1 << 12, /* v_readlane and its like, which ignore EXEC */
    ISA_IS_DOT = 1 << 13,      /* a dot product */
    ISA_IS_NOTHING = 1 << 13,  /* SOPP, SOPK, SOP1 (so it shares a bit with DOT): no effect here */
    ISA_IS_MOVREL = 1 << 14,   /* M0 is added to a register's number */
    ISA_IS_SIZE =
        1 << 14, /* image instructions (so it shares a bit with MOVREL): reads the image's size */
    ISA_IS_SUBTRACTS = 1 << 15, /* computes a difference, not a sum */
    ISA_IS_LOD = 1 << 15,      /* image instructions (so it shares a bit with SUBTRACTS): the result
                                  is a level of detail, no texel is read */
    ISA_IS_OVERFLOW = 1 << 16, /* SCC says whether a signed sum overflows */
    ISA_IS_LEVEL_0 = 1 << 16,  /* image instructions (so it shares a bit with OVERFLOW): takes the
                                  level of detail 0 */
    ISA_IS_MESSAGE = 1 << 17,  /* s_sendmsg, s_ttracedata */
    ISA_IS_RAYS = 1 << 17,     /* image instructions (so it shares a bit with MESSAGE): tests rays
                                  against nodes of a tree */
    ISA_IS_RFE = 1 << 18,      /* s_rfe_b64 and its like: returns from a trap handler */
    ISA_IS_COARSE = 1 << 18,   /* image instructions (so it shares a bit with RFE) */
    ISA_IS_LEVEL = 1 << 19,
    ISA_IS_ANSWERED = 1 << 19, /* SOP1 (so it shares a bit with LEVEL) */
    ISA_IS_QUAD_1 = 1 << 19,   /* VINTERP (so it shares a bit with LEVEL) */
    ISA_IS_RAW = 1 << 20,
    ISA_IS_QUAD_2 = 1 << 20, /* VINTERP (so it shares a bit with RAW) */
    ISA_IS_LEAVES = 1 << 21,
    ISA_IS_BYTE_SEL = 1 << 22,
    ISA_IS_TRUTH = 1 << 23,
    ISA_IS_TREE = 1 << 23, /* image instructions (so it shares a bit with TRUTH) */
    ISA_IS_FORMATS = 1 << 24,
    ISA_IS_OFFSET =
        1 << 25, /* this bit to bit 30: of SOPP and SOPK others, ISA_IS_WAIT (waits.h) */
    ISA_IS_SPREAD = 1 << 25, /* matrices: result and addend are spread over the wave's lanes */
    ISA_IS_BIAS = 1 << 26,
    ISA_IS_SPREAD_ALL = 1 << 26,
    ISA_IS_COMPARE = 1 << 27,
    ISA_IS_GRADIENTS = 1 << 28,
    ISA_IS_LOD_CLAMP = 1 << 29,
    ISA_IS_GATHER = 1 << 30
};

enum { ISA_MAX_FIELDS = 5 };

typedef struct {
    const char *mnemonic;
    uint16_t body; /* ISA_OP_* of the instruction with the same operation, whose handler executes
                      this one */
    uint8_t fmt;   /* isa_fmt_t; for a VOP3 form that of the short form */
    uint8_t klass; /* isa_class_t */
    uint8_t reads, writes; /* ISA_REG_* */
    uint32_t mods;         /* ISA_M_* */
    isa_field_t
        fields[ISA_MAX_FIELDS]; /* in the order of the assembly text, ROLE_NONE at the end */
    isa_memory_t memory;
    isa_math_t math;
    isa_data_t data;
    uint32_t marks; /* ISA_IS_* */
} isa_row_desc_t;

/* The instructions of all GPUs, indexed by ISA_OP_*; row 0 is empty. */
extern const isa_row_desc_t isa_table[ISA_OP_COUNT];

enum { ISA_IMAGE_ABSENT = 0xff };

/* What an image's type in an encoding says: how many coordinates an address has, and of how many of
 * them there are gradients; which coordinate is y, and which is z, the slice or the face, or
 * ISA_IMAGE_ABSENT. */
typedef struct {
    uint8_t coordinates, slopes, y, third;
} isa_image_dim_t;
extern const isa_image_dim_t isa_image_dims[]; /* by isa_dim_t */

static inline const isa_image_dim_t *isa_image_dim(const isa_inst_t *i)
{
    return &isa_image_dims[i->image >> ISA_IMAGE_DIM_SHIFT & 7];
}

/* Dwords of the gradients to one side: of 32 bits, or of 16 bits two in a dword. */
static inline unsigned isa_image_gradient_dwords(const isa_inst_t *i)
{
    const unsigned slopes = isa_image_dim(i)->slopes;
    return isa_table[i->op].mods & ISA_M_G16 ? (slopes + 1) / 2 : slopes;
}

/* Dwords of n coordinates and levels, of 32 or 16 bits. */
static inline unsigned isa_image_parts_dwords(const isa_inst_t *i, unsigned n)
{
    return i->image & ISA_IMAGE_A16 ? (n + 1) / 2 : n;
}

/* Whether a load from memory stores what it loads in LDS. The bit that says so is in stores of LDS
 * to memory, too. */
static inline bool isa_loads_to_lds(const isa_inst_t *i)
{
    return i->flags & ISA_F_LDS && isa_table[i->op].memory.kind != ISA_ACCESS_FROM_LDS;
}

/* Whether it is s_branch or s_cbranch_*, whose only effect is to continue at the target in the
 * immediate or at the next instruction. */
static inline bool isa_is_branch(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    return row->fmt == ISA_FMT_SOPP && row->klass == ISA_CLASS_BRANCH;
}

/* Whether the row is that of an instruction that tests rays (image_bvh_*). */
static inline bool isa_tests_rays(const isa_row_desc_t *row)
{
    return row->fmt == ISA_FMT_MIMG && row->marks & ISA_IS_RAYS;
}

/* The parts of a ray's address. Where the row says ISA_IS_TREE, the first part is the tree's
 * address, a mask follows the length, and the nodes' names come last. Else the first part is the
 * node's name, and the inverse of the direction comes last, or with 16 bits shares the direction's
 * dwords. */
enum { ISA_RAY_NODE = 0, ISA_RAY_LENGTH, ISA_RAY_ORIGIN, ISA_RAY_DIRECTION, ISA_RAY_NODES };

/* Returns how many dwords each part of a ray's address has: the number of part k is in four bits,
 * from bit 4 * k on. */
uint32_t isa_ray_groups(const isa_inst_t *i);

/* Whether the row is of SOPP or SOPK, which have marks of their own in bits that stand for
 * something else in other formats. */
static inline bool isa_has_simm16(const isa_row_desc_t *row)
{
    return row->fmt == ISA_FMT_SOPP || row->fmt == ISA_FMT_SOPK;
}

/* Whether the instruction has no effect: hints, and waits for operations that complete at once in
 * this implementation. */
static inline bool isa_does_nothing(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    return (isa_has_simm16(row) || row->fmt == ISA_FMT_SOP1) && row->marks & ISA_IS_NOTHING;
}

/* Whether the arithmetic is that of vector ALU instructions on doubles. */
static inline bool isa_is_f64(unsigned math_kind)
{
    return math_kind >= ISA_MATH_ADD_F64 && math_kind <= ISA_MATH_TRANS_F64;
}

enum { ISA_OPCODES = 1024 }; /* VOP3 has the widest opcode field, 10 bits */

/* The instructions of a GPU: ISA_OP_* by format and opcode, VOP3 forms included; ISA_OP_NONE for
 * opcodes without an instruction. */
struct isa_codes {
    uint16_t op[ISA_FMT_COUNT][ISA_OPCODES];
};

/* ISA_OP_* of an opcode number in a format of this GPU, ISA_OP_NONE if there is none. */
unsigned isa_op_by_code(const isa_arch_t *a, isa_fmt_t fmt, unsigned opcode);

/* The field with this role, or NULL. */
const isa_field_t *isa_field(const isa_row_desc_t *row, isa_role_t role);

/* Whether an image instruction takes a sampler, or loads several samples of a texel. gfx12 encodes
 * these in another way than the rest, as VSAMPLE, and counts them apart. */
static inline bool isa_is_sample(const isa_row_desc_t *row)
{
    if (row->fmt != ISA_FMT_MIMG) return false;
    return row->marks & ISA_IS_GATHER || isa_field(row, ISA_ROLE_SSAMP);
}

#endif
