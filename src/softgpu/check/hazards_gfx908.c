/* hazards_gfx908.c - the wait states that software owes the hardware of gfx908.
 *
 * Data only; hazard_rules.h explains a row. Matrix instructions use AGPRs; only v_accvgpr_read and
 * v_accvgpr_write copy between these and VGPRs. The source is LLVM. One of its rules is left out,
 * since a row describes two instructions and the rule has three: VALU writes a VGPR, v_accvgpr_read
 * or v_accvgpr_write comes next, and then a memory instruction reads that VGPR. */
#include "softgpu/check/hazard_rules.h"

/* clang-format off */
static const chk_rule_t rows[] = {
    CHK_SHARED_RULES
    CHK_RULE(EXEC_MATRIX, 4, VALU_EXEC, MATRIX_ACC, NOTHING,
        "VALU writes EXEC, a matrix instruction or v_accvgpr_write", "LLVM")
    CHK_RULE(VGPR_MATRIX, 2, VALU_VGPR, MATRIX_ACC, VECTOR,
        "VALU writes a VGPR, a matrix instruction or v_accvgpr_write reads it", "LLVM")
    CHK_RULE(MATRIX_AB, 4, MATRIX, MATRIX, AB, "a matrix instruction, A or B of another is its result", "LLVM")
    CHK_RULE(MATRIX_C, 2, MATRIX, MATRIX, C_OTHER,
        "a matrix instruction, C of another overlaps its result", "LLVM")
    CHK_RULE(PASS2_READ, 4, PASS2, ACC_READ, VECTOR,
        "a matrix instruction of 2 passes, v_accvgpr_read reads its result", "LLVM")
    CHK_RULE(PASS8_READ, 10, PASS8, ACC_READ, VECTOR,
        "a matrix instruction of 8 passes, v_accvgpr_read reads its result", "LLVM")
    CHK_RULE(PASS16_READ, 18, PASS16, ACC_READ, VECTOR,
        "a matrix instruction of 16 passes, v_accvgpr_read reads its result", "LLVM")
    CHK_RULE(PASS2_WRITTEN, 1, PASS2, ACC_WRITE, WRITTEN,
        "a matrix instruction of 2 passes, v_accvgpr_write writes its result over", "LLVM")
    CHK_RULE(PASS8_WRITTEN, 7, PASS8, ACC_WRITE, WRITTEN,
        "a matrix instruction of 8 passes, v_accvgpr_write writes its result over", "LLVM")
    CHK_RULE(PASS16_WRITTEN, 15, PASS16, ACC_WRITE, WRITTEN,
        "a matrix instruction of 16 passes, v_accvgpr_write writes its result over", "LLVM")
    CHK_RULE(PASS8_HELD, 5, PASS8, ACC_WRITE, HELD,
        "a matrix instruction of 8 passes, v_accvgpr_write writes its C", "LLVM")
    CHK_RULE(PASS16_HELD, 13, PASS16, ACC_WRITE, HELD,
        "a matrix instruction of 16 passes, v_accvgpr_write writes its C", "LLVM")
    CHK_RULE(ACC_AB, 3, ACC_WRITE, MATRIX, AB, "v_accvgpr_write, A or B of a matrix instruction is its result", "LLVM")
    CHK_RULE(ACC_C, 1, ACC_WRITE, MATRIX, C_OTHER, "v_accvgpr_write, C of a matrix instruction has its result", "LLVM")
    CHK_RULE(ACC_READ, 3, ACC_WRITE, ACC_READ, VECTOR, "v_accvgpr_write, v_accvgpr_read of its result", "LLVM")
    CHK_RULE(ACC_MEMORY, 2, ACC_READ, MEMORY, VECTOR, "v_accvgpr_read, memory reads its result", "LLVM")
};
/* clang-format on */

const chk_hazard_rules_t chk_hazard_rules_gfx908 = {
    .rows = rows, .n = sizeof rows / sizeof rows[0], .most = 18, .mark = 1, .rare = 2};
