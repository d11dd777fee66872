/* hazards_gfx942.c - the wait states that software owes the hardware of gfx942.
 *
 * Data only; hazard_rules.h explains a row and names the
 * sources. */
#include "softgpu/check/hazard_rules.h"

/* clang-format off */
static const chk_rule_t rows[] = {
    CHK_SHARED_RULES
    CHK_UNIFIED_RULES
    CHK_SC_RULES
    CHK_MX_RULES(2, 3, 3, 5, 1)
    CHK_MX_RULES(4, 5, 5, 7, 3)
    CHK_MX_RULES(8, 9, 9, 11, 7)
    CHK_MX_RULES(16, 17, 17, 19, 15)
    CHK_RULE(F64_16_C, 9, F64_16, WIDE, C_OTHER,
        "a matrix instruction of f64, 16 rows, C of another overlaps its result", "LLVM")
    CHK_RULE(F64_16_USED, 11, F64_16, VECTOR_ALU, USED,
        "a matrix instruction of f64, 16 rows, its result is used", "LLVM")
};
/* clang-format on */

const chk_hazard_rules_t chk_hazard_rules_gfx942 = {
    .rows = rows, .n = sizeof rows / sizeof rows[0], .most = 19, .mark = 3, .rare = 2};
