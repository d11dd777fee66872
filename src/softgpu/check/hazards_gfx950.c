/* hazards_gfx950.c - the wait states that software owes the hardware of gfx950.
 *
 * Data only; hazard_rules.h explains a row. Section numbers are those of the MI300 edition; the
 * numbers of gfx950 are
 * LLVM's. */
#include "softgpu/check/hazard_rules.h"

/* clang-format off */
static const chk_rule_t rows[] = {
    CHK_SHARED_RULES
    CHK_UNIFIED_RULES
    CHK_SC_RULES
    CHK_MX_RULES(2, 4, 3, 5, 1)
    CHK_MX_RULES(4, 6, 6, 8, 3)
    CHK_MX_RULES(8, 10, 10, 12, 7)
    CHK_MX_RULES(16, 18, 18, 20, 15)
    CHK_RULE(F64_16_C, 17, F64_16, WIDE, C_OTHER,
        "a matrix instruction of f64, 16 rows, C of another overlaps its result", "LLVM")
    CHK_RULE(F64_16_AB, 19, F64_16, MATRIX, AB,
        "a matrix instruction of f64, 16 rows, A or B of another is its result", "LLVM")
    CHK_RULE(F64_16_READ, 19, F64_16, VALU, VECTOR,
        "a matrix instruction of f64, 16 rows, VALU reads its result", "LLVM")
    CHK_RULE(F64_16_WRITTEN, 11, F64_16, VALU, WRITTEN,
        "a matrix instruction of f64, 16 rows, its result is written over", "LLVM")
    CHK_RULE(VGPR_PERMLANE, 2, VALU, PERMLANE, VECTOR, "VALU writes a VGPR, v_permlane16_swap or v_permlane32_swap reads it",
        "LLVM")
    CHK_RULE(CMPX_PERMLANE, 4, CMPX, PERMLANE, NOTHING, "v_cmpx, v_permlane16_swap or v_permlane32_swap", "LLVM")
};
/* clang-format on */

const chk_hazard_rules_t chk_hazard_rules_gfx950 = {
    .rows = rows, .n = sizeof rows / sizeof rows[0], .most = 20, .mark = 3, .rare = 2};
