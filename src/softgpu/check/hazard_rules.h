/* hazard_rules.h - the form of a GPU's table of wait states: the pairs of instructions that
 * software has to keep apart, since the hardware does not.
 *
 * The table of each GPU is in a file of its own, such as hazards_gfx90a.c. This header has the
 * classes that its rows name, and the rows that all gfx9 GPUs share. Sources: "LLVM" is its hazard
 * recognizer. "ISA" is AMD's Instruction Set Architecture of CDNA: the tables of software-inserted
 * wait states and of independent instructions around matrix instructions; section numbers are those
 * of the MI300 edition. "rocRoller" is AMD's generator of assembly, with the wait states that it
 * inserts. If the sources differ, the smaller number is used, so that no row requires more than
 * compiled code, or AMD's own assembly, has. */
#ifndef SOFTGPU_CHECK_HAZARD_RULES_H
#define SOFTGPU_CHECK_HAZARD_RULES_H

#include "isa/arch.h"

#include <stdbool.h>
#include <stdint.h>

/* Classes of the first instruction of a pair. Matrix instructions are grouped by passes of four
 * clocks, and by type: f32 (MF32), f64 (by rows) and all others (MX). VALU does not include them.
 * ORDER: the classes of 2, 4, 8 and 16 passes follow each other. */
enum {
    CHK_FIRST_VALU = 1 << 0,
    CHK_FIRST_VALU_EXEC = 1 << 1,  /* VALU that writes EXEC */
    CHK_FIRST_VALU_MASK = 1 << 2,  /* VALU that writes VCC or EXEC */
    CHK_FIRST_VALU_PLAIN = 1 << 3, /* VALU that is no dot product */
    CHK_FIRST_DOT = 1 << 4,
    CHK_FIRST_MX2 = 1 << 5,
    CHK_FIRST_MX4 = 1 << 6,
    CHK_FIRST_MX8 = 1 << 7,
    CHK_FIRST_MX16 = 1 << 8,
    CHK_FIRST_MF32_2 = 1 << 9,
    CHK_FIRST_MF32_4 = 1 << 10,
    CHK_FIRST_MF32_8 = 1 << 11,
    CHK_FIRST_MF32_16 = 1 << 12,
    CHK_FIRST_F64_4 = 1 << 13,
    CHK_FIRST_F64_16 = 1 << 14,
    CHK_FIRST_WIDE = 1 << 15, /* stores over 64 bits per lane, without an SGPR as its offset */
    CHK_FIRST_SETREG = 1 << 16,
    CHK_FIRST_SETREG_TRAP = 1 << 17, /* s_setreg of TRAPSTS */
    CHK_FIRST_SETREG_SKIP = 1 << 18, /* s_setreg of MODE.vskip */
    CHK_FIRST_SETVSKIP = 1 << 19,
    CHK_FIRST_SALU_M0 = 1 << 20, /* SALU that writes M0 */
    CHK_FIRST_TRANS = 1 << 21,   /* VALU of the transcendental unit */
    CHK_FIRST_PART = 1 << 22,    /* VALU that writes a part of its VGPR: SDWA, OP_SEL */
    CHK_FIRST_CMPX = 1 << 23,    /* v_cmpx */
    CHK_FIRST_ACC_READ = 1 << 24,
    CHK_FIRST_ACC_WRITE = 1 << 25,
    CHK_FIRST_VALU_VGPR = 1 << 26, /* VALU but for v_accvgpr_write */

    CHK_FIRST_PASS2 = CHK_FIRST_MX2 | CHK_FIRST_MF32_2,
    CHK_FIRST_PASS4 = CHK_FIRST_MX4 | CHK_FIRST_MF32_4,
    CHK_FIRST_PASS8 = CHK_FIRST_MX8 | CHK_FIRST_MF32_8,
    CHK_FIRST_PASS16 = CHK_FIRST_MX16 | CHK_FIRST_MF32_16,
    CHK_FIRST_F64 = CHK_FIRST_F64_4 | CHK_FIRST_F64_16,
    CHK_FIRST_MATRIX =
        CHK_FIRST_PASS2 | CHK_FIRST_PASS4 | CHK_FIRST_PASS8 | CHK_FIRST_PASS16 | CHK_FIRST_F64,
    /* How pairs are found. MARKS: the first instruction marks the registers that it uses. RARE:
       each vector instruction that follows searches back for the first one. Pairs of all other rows
       are searched for when their second instruction runs, which is seldom. */
    CHK_FIRST_MARKS =
        CHK_FIRST_MATRIX | CHK_FIRST_DOT | CHK_FIRST_WIDE | CHK_FIRST_TRANS | CHK_FIRST_PART,
    CHK_FIRST_RARE = CHK_FIRST_F64 | CHK_FIRST_SETREG_SKIP
};

/* Classes of the second instruction of a pair. */
enum {
    CHK_SECOND_VALU = 1 << 0,
    CHK_SECOND_VMEM = 1 << 1, /* buffers, FLAT, global, scratch */
    CHK_SECOND_DS = 1 << 2,
    CHK_SECOND_DPP = 1 << 3,
    CHK_SECOND_DIV_FMAS = 1 << 4,
    CHK_SECOND_LANE = 1 << 5, /* v_readlane, v_writelane */
    CHK_SECOND_FMA64 = 1 << 6,
    CHK_SECOND_USES_Z = 1 << 7, /* VALU with VCCZ or EXECZ as a source */
    CHK_SECOND_MX = 1 << 8,     /* matrix instructions, except those of f32 and f64 */
    CHK_SECOND_F64_4 = 1 << 9,
    CHK_SECOND_F64_16 = 1 << 10,
    CHK_SECOND_GETREG = 1 << 11,
    CHK_SECOND_GETREG_MODE = 1 << 12,
    CHK_SECOND_SETREG = 1 << 13,
    CHK_SECOND_RFE = 1 << 14,
    CHK_SECOND_MESSAGE = 1 << 15, /* s_sendmsg, s_ttracedata, GDS */
    CHK_SECOND_MOVREL = 1 << 16,
    CHK_SECOND_LDS_M0 = 1 << 17,    /* addresses LDS by M0: add-TID, transfers, LDS_DIRECT */
    CHK_SECOND_MF32 = 1 << 18,      /* matrix instructions of f32 */
    CHK_SECOND_LANES = 1 << 19,     /* v_readlane, v_readfirstlane, v_writelane */
    CHK_SECOND_READLANE = 1 << 20,  /* v_readlane, v_readfirstlane */
    CHK_SECOND_PERMLANE = 1 << 21,  /* v_permlane16_swap, v_permlane32_swap */
    CHK_SECOND_NOT_TRANS = 1 << 22, /* VALU of any unit but the transcendental one */
    CHK_SECOND_ACC_READ = 1 << 23,
    CHK_SECOND_ACC_WRITE = 1 << 24,

    CHK_SECOND_MEMORY = CHK_SECOND_VMEM | CHK_SECOND_DS,
    CHK_SECOND_F64 = CHK_SECOND_F64_4 | CHK_SECOND_F64_16,
    CHK_SECOND_F32 = CHK_SECOND_MX | CHK_SECOND_MF32, /* matrix instructions except those of f64 */
    CHK_SECOND_WIDE = CHK_SECOND_MF32 | CHK_SECOND_F64, /* of f32 and f64 */
    CHK_SECOND_MATRIX = CHK_SECOND_F32 | CHK_SECOND_F64,
    CHK_SECOND_MATRIX_ACC = CHK_SECOND_MATRIX | CHK_SECOND_ACC_WRITE,
    CHK_SECOND_ANY = CHK_SECOND_VALU | CHK_SECOND_MEMORY,
    CHK_SECOND_VECTOR = CHK_SECOND_ANY | CHK_SECOND_MATRIX,
    CHK_SECOND_VECTOR_ALU = CHK_SECOND_VALU | CHK_SECOND_MATRIX
};

/* What the two instructions must have in common for a row to apply. In the comments below, "it" is
 * a register that the first instruction writes; "the first's data or C" are registers that the
 * first instruction reads. */
typedef enum {
    CHK_SHARE_NOTHING,
    CHK_SHARE_HWREG,
    CHK_SHARE_SCALAR,   /* the second reads an SGPR that the first writes */
    CHK_SHARE_LANE,     /* the second selects a lane by it */
    CHK_SHARE_VCC,      /* the first writes VCC, the second reads it */
    CHK_SHARE_CONSTANT, /* as SCALAR, for SGPRs other than VCC, but not as a mask of lanes (a carry,
                           or the selector of v_cndmask) */
    CHK_SHARE_CONSTANT_VCC, /* the same of VCC */
    CHK_SHARE_VECTOR,       /* the second reads a VGPR or AGPR that the first writes */
    CHK_SHARE_VECTOR_F64,   /* the same, with a matrix instruction of f64 between the two */
    CHK_SHARE_AB,           /* the second reads it as A or B */
    CHK_SHARE_C_SAME,       /* it is exactly the second's C */
    CHK_SHARE_C_OTHER,      /* it overlaps the second's C, but is not the same registers */
    CHK_SHARE_WRITTEN,      /* the second writes it, too */
    CHK_SHARE_USED,         /* a matrix instruction has it as A or B; VALU reads or writes it;
                               memory reads it */
    CHK_SHARE_HELD,         /* the second writes the first's data or C */
    CHK_SHARE_DOT_READ,     /* as VECTOR, except for the addend of the same instruction */
    CHK_SHARE_DOT_WRITTEN,  /* as WRITTEN, by another instruction */
} chk_share_t;

typedef struct {
    const char *name;          /* for tests */
    uint8_t states;            /* wait states that have to lie between the two instructions */
    uint32_t first, second;    /* CHK_FIRST_*, CHK_SECOND_* */
    uint8_t share;             /* chk_share_t */
    const char *text, *source; /* in reports */
} chk_rule_t;

/* The table of a GPU. The checker finds a pair by marks on registers (CHK_FIRST_MARKS), or by
 * searching back from every vector instruction (CHK_FIRST_RARE), or from the second instruction; a
 * search goes back no further than the greatest number of states of any of these rows. */
typedef struct {
    const chk_rule_t *rows;
    uint8_t n;    /* at most 64 */
    uint8_t most; /* states of any row; less than CHK_RECENT (hazard_wave.h) */
    uint8_t mark; /* of rows of CHK_FIRST_MARKS, except those of matrix instructions */
    uint8_t rare; /* of rows of CHK_FIRST_RARE that share no register */
    /* FLAT returns in the order of its issue, with what else each of its two counters counts. */
    bool flat_in_order;
    /* Vector memory writes registers in any order, although it is counted in the order of its
     * issue. If false, operations of a kind (loads, samples of images, tests of rays) write in
     * order. LLVM calls this vmem-write-vgpr-in-order. */
    bool memory_any_order;
    /* Loads and stores of 16 bits or less have one half of a register each to themselves (D16). For
     * all other instructions the whole register is being loaded: an access of the vector ALU to the
     * other half may be disturbed. LLVM waits for it from release 22 on, 21 does not. */
    bool halves;
    /* Only instructions of the vector ALU count as wait states; if false, instructions of any kind.
     */
    bool by_valu;
    /* The vector ALU keeps copies of SGPRs, which s_wait_alu brings up to date (hazard_copies.h).
     */
    bool copies;
    /* Of rows whose first instruction is a transcendental one: behind so many more of these its
     * result is there, and behind an instruction of CHK_USE_ENDS_TRANS; 0: neither matters. */
    uint8_t trans;
} chk_hazard_rules_t;

/* hazard_use.c */
const chk_hazard_rules_t *chk_hazard_rules(const isa_arch_t *arch);

/* ---- rows ---- */

#define CHK_RULE(name, states, first, second, share, text, source)                                 \
    {#name, states, CHK_FIRST_##first, CHK_SECOND_##second, CHK_SHARE_##share, text, source},

/* Rows of ISA 4.5, which LLVM has for all gfx9 GPUs. */
#define CHK_SHARED_RULES                                                                           \
    CHK_RULE(SETREG_GETREG, 2, SETREG, GETREG, HWREG, "s_setreg, s_getreg of the same register",   \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(SETREG_SETREG, 2, SETREG, SETREG, HWREG, "s_setreg, s_setreg of the same register",   \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(SETVSKIP_GETREG, 2, SETVSKIP, GETREG_MODE, NOTHING, "s_setvskip, s_getreg of MODE",   \
             "ISA 4.5")                                                                            \
    CHK_RULE(SETREG_VECTOR, 2, SETREG_SKIP, VECTOR, NOTHING,                                       \
             "s_setreg of MODE.vskip, a vector instruction", "ISA 4.5")                            \
    CHK_RULE(TRAPSTS_RFE, 1, SETREG_TRAP, RFE, NOTHING, "s_setreg of TRAPSTS, s_rfe",              \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(MASK_Z, 5, VALU_MASK, USES_Z, NOTHING,                                                \
             "VALU writes VCC or EXEC, VALU reads VCCZ or EXECZ", "ISA 4.5")                       \
    CHK_RULE(SGPR_LANE, 4, VALU, LANE, LANE, "VALU writes an SGPR, which selects a lane",          \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(VCC_DIV_FMAS, 4, VALU, DIV_FMAS, VCC, "VALU writes VCC, v_div_fmas reads it",         \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(SGPR_VMEM, 5, VALU, VMEM, SCALAR, "VALU writes an SGPR, vector memory reads it",      \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(M0_MESSAGE, 1, SALU_M0, MESSAGE, NOTHING, "SALU writes M0, a message or GDS uses it", \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(M0_MOVREL, 1, SALU_M0, MOVREL, NOTHING, "SALU writes M0, s_movrel uses it",           \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(M0_LDS, 1, SALU_M0, LDS_M0, NOTHING, "SALU writes M0, which addresses LDS",           \
             "ISA 4.5, LLVM")                                                                      \
    CHK_RULE(VGPR_DPP, 2, VALU, DPP, VECTOR, "VALU writes a VGPR, DPP reads it", "ISA 4.5, LLVM")  \
    CHK_RULE(EXEC_DPP, 5, VALU_EXEC, DPP, NOTHING, "VALU writes EXEC, DPP", "ISA 4.5, LLVM")       \
    CHK_RULE(WIDE_WRITE, 1, WIDE, VALU, HELD,                                                      \
             "a store of more than 64 bits, VALU writes its data", "ISA 4.5, LLVM")

/* Rows of GPUs whose matrix instructions and VALU have one register file. */
#define CHK_UNIFIED_RULES                                                                          \
    CHK_RULE(VGPR_MATRIX, 2, VALU_PLAIN, MATRIX, VECTOR,                                           \
             "VALU writes a VGPR, a matrix instruction reads it", "ISA 7.5, LLVM")                 \
    CHK_RULE(EXEC_MATRIX, 4, VALU_EXEC, MATRIX, NOTHING, "VALU writes EXEC, a matrix instruction", \
             "LLVM")                                                                               \
    CHK_RULE(DOT_READ, 3, DOT, ANY, DOT_READ,                                                      \
             "a dot product is read, not as the addend of the same instruction", "ISA 7.5, LLVM")  \
    CHK_RULE(DOT_WRITTEN, 3, DOT, VALU, DOT_WRITTEN,                                               \
             "a dot product is written over by another instruction", "ISA 7.5, LLVM")              \
    CHK_RULE(F64_FMA, 2, F64, FMA64, NOTHING, "a matrix instruction of f64, v_fma_f64", "LLVM")

/* Rows of gfx940 and its successors. */
#define CHK_SC_RULES                                                                               \
    CHK_RULE(TRANS_READ, 1, TRANS, NOT_TRANS, VECTOR,                                              \
             "a transcendental result is read by VALU of another kind", "LLVM")                    \
    CHK_RULE(PART_READ, 1, PART, VALU, VECTOR,                                                     \
             "VALU writes a part of a VGPR (SDWA, OP_SEL), VALU reads it", "LLVM")                 \
    CHK_RULE(SGPR_VALU, 2, VALU, VALU, CONSTANT,                                                   \
             "VALU writes an SGPR, VALU reads it as a constant", "rocRoller, LLVM")                \
    CHK_RULE(VCC_VALU, 1, VALU, VALU, CONSTANT_VCC,                                                \
             "VALU writes VCC, VALU reads it as a constant", "rocRoller")                          \
    CHK_RULE(EXEC_LANE, 4, VALU_EXEC, LANES, NOTHING,                                              \
             "VALU writes EXEC, a lane is read or written", "LLVM")                                \
    CHK_RULE(VGPR_READLANE, 1, VALU, READLANE, VECTOR, "VALU writes a VGPR, a lane of it is read", \
             "LLVM")                                                                               \
    CHK_RULE(PASS2_C_SAME, 2, PASS2, MATRIX, C_SAME,                                               \
             "a matrix instruction of 2 passes, C of another is its result", "LLVM")               \
    CHK_MF32_RULES(2, 2, 4)                                                                        \
    CHK_MF32_RULES(8, 8, 10)                                                                       \
    CHK_MF32_RULES(16, 16, 18)                                                                     \
    CHK_RULE(F64_4_C_SAME, 4, F64_4, F64_4, C_SAME,                                                \
             "a matrix instruction of f64, 4 rows, C of another is its result", "LLVM")            \
    CHK_RULE(F64_4_C, 4, F64_4, WIDE, C_OTHER,                                                     \
             "a matrix instruction of f64, 4 rows, C of another overlaps its result", "LLVM")      \
    CHK_RULE(F64_4_USED, 6, F64_4, VECTOR_ALU, USED,                                               \
             "a matrix instruction of f64, 4 rows, its result is used", "LLVM")                    \
    CHK_RULE(F64_4_MEMORY, 9, F64_4, MEMORY, VECTOR,                                               \
             "a matrix instruction of f64, 4 rows, memory reads its result", "LLVM")               \
    CHK_RULE(F64_16_MEMORY, 18, F64_16, MEMORY, VECTOR,                                            \
             "a matrix instruction of f64, 16 rows, memory reads its result", "LLVM")

/* Of GPUs with WMMA: the matrix unit does not wait for what it has not finished yet. */
#define CHK_WMMA_RULES                                                                             \
    CHK_RULE(WMMA_AB, 1, MATRIX, MATRIX, AB,                                                       \
             "a matrix instruction, A, B or the indices of the next are its result",               \
             "ISA 7.9 of RDNA 3, LLVM")

/* Of gfx940 on, rows for a matrix instruction of f32 and n passes: before its result is C of
 * another of f32 or f64, and before it is used otherwise. */
#define CHK_MF32_RULES(n, c, used)                                                                 \
    CHK_RULE(MF32_##n##_C, c, MF32_##n, WIDE, C_OTHER,                                             \
             "a matrix instruction of f32, " #n " passes, C of another overlaps its result",       \
             "LLVM")                                                                               \
    CHK_RULE(MF32_##n##_USED, used, MF32_##n, VECTOR, USED,                                        \
             "a matrix instruction of f32, " #n " passes, its result is used", "LLVM")

/* The same of other types: before its result is C of another, C of one of f32 or f64, is used
 * otherwise, and before its own C may be written. */
#define CHK_MX_RULES(n, c, c_wide, used, held)                                                     \
    CHK_RULE(MX##n##_C, c, MX##n, MX, C_OTHER,                                                     \
             "a matrix instruction of " #n " passes, C of another overlaps its result", "LLVM")    \
    CHK_RULE(MX##n##_C_WIDE, c_wide, MX##n, WIDE, C_OTHER,                                         \
             "a matrix instruction of " #n " passes, C of one of f32 or f64 overlaps its result",  \
             "LLVM")                                                                               \
    CHK_RULE(MX##n##_USED, used, MX##n, VECTOR, USED,                                              \
             "a matrix instruction of " #n " passes, its result is used", "LLVM")                  \
    CHK_RULE(MX##n##_HELD, held, MX##n, VALU, HELD,                                                \
             "a matrix instruction of " #n " passes, its C is written", "LLVM")

/* Rows for a matrix instruction of n passes: the wait states before its result is C of another, C
 * of one of f64, A or B of another, is used otherwise, and before its own C may be written. */
#define CHK_PASS_RULES(n, c, c_f64, ab, used, held)                                                \
    CHK_RULE(PASS##n##_C, c, PASS##n, F32, C_OTHER,                                                \
             "a matrix instruction of " #n " passes, C of another overlaps its result",            \
             "ISA 7.5, LLVM")                                                                      \
    CHK_RULE(PASS##n##_C_F64, c_f64, PASS##n, F64, C_OTHER,                                        \
             "a matrix instruction of " #n " passes, C of one of f64 overlaps its result",         \
             "ISA 7.5, LLVM")                                                                      \
    CHK_RULE(PASS##n##_AB, ab, PASS##n, MATRIX, AB,                                                \
             "a matrix instruction of " #n " passes, A or B of another is its result",             \
             "ISA 7.5, LLVM")                                                                      \
    CHK_RULE(PASS##n##_READ, used, PASS##n, ANY, VECTOR,                                           \
             "a matrix instruction of " #n " passes, its result is read", "ISA 7.5, LLVM")         \
    CHK_RULE(PASS##n##_WRITTEN, used, PASS##n, VALU, WRITTEN,                                      \
             "a matrix instruction of " #n " passes, its result is written over", "ISA 7.5, LLVM") \
    CHK_RULE(PASS##n##_HELD, held, PASS##n, VALU, HELD,                                            \
             "a matrix instruction of " #n " passes, its C is written", "ISA 7.5, LLVM")

/* The same rows for a matrix instruction of f64 with n rows. */
#define CHK_F64_RULES(n, c, ab, valu, memory)                                                      \
    CHK_RULE(F64_##n##_C, c, F64_##n, F64, C_OTHER,                                                \
             "a matrix instruction of f64, " #n " rows, C of another overlaps its result",         \
             "ISA 7.5, LLVM")                                                                      \
    CHK_RULE(F64_##n##_AB, ab, F64_##n, MATRIX, AB,                                                \
             "a matrix instruction of f64, " #n " rows, A or B of another is its result",          \
             "ISA 7.5, LLVM")                                                                      \
    CHK_RULE(F64_##n##_READ, valu, F64_##n, VALU, VECTOR,                                          \
             "a matrix instruction of f64, " #n " rows, VALU reads its result", "ISA 7.5, LLVM")   \
    CHK_RULE(F64_##n##_WRITTEN, valu, F64_##n, VALU, WRITTEN,                                      \
             "a matrix instruction of f64, " #n " rows, its result is written over",               \
             "ISA 7.5, LLVM")                                                                      \
    CHK_RULE(F64_##n##_MEMORY, memory, F64_##n, MEMORY, VECTOR,                                    \
             "a matrix instruction of f64, " #n " rows, memory reads its result", "ISA 7.5, LLVM")

#endif
