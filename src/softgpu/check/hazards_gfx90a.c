/* hazards_gfx90a.c - the wait states that software owes the hardware of gfx90a.
 *
 * Data only. hazard_rules.h explains a row and names the sources;
 * tests/softgpu/check/hazard_rules.c has a pair of instructions for each. ORDER: if two rows lack
 * the same number of wait states, the first one is reported. */
#include "softgpu/check/hazard_rules.h"

/* clang-format off */
static const chk_rule_t rows[] = {
    CHK_SHARED_RULES
    CHK_UNIFIED_RULES
    CHK_RULE(F64_BETWEEN, 2, VALU, MEMORY, VECTOR_F64,
        "VALU writes a VGPR, a matrix instruction of f64, memory reads the VGPR", "LLVM")
    CHK_PASS_RULES(2, 2, 3, 5, 5, 1)
    CHK_PASS_RULES(8, 8, 9, 11, 11, 7)
    CHK_PASS_RULES(16, 16, 17, 19, 19, 15)
    CHK_RULE(F64_4_C_SAME, 4, F64_4, F64_4, C_SAME,
        "a matrix instruction of f64, 4 rows, C of another is its result", "ISA 7.5, LLVM")
    CHK_F64_RULES(4, 4, 6, 6, 9)
    CHK_F64_RULES(16, 9, 11, 11, 18)
};
/* clang-format on */

const chk_hazard_rules_t chk_hazard_rules_gfx90a = {
    .rows = rows, .n = sizeof rows / sizeof rows[0], .most = 19, .mark = 3, .rare = 2};
