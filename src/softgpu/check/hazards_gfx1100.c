/* hazards_gfx1100.c - the wait states that software owes the hardware of gfx1100.
 *
 * A state is an instruction of the vector ALU. tests/softgpu/check/hazard_rules.c has a pair of
 * instructions for each row. What LLVM works around in waves of 64 lanes alone (partial forwarding,
 * masks that SALU writes) and for graphics (LDS_DIRECT) is not looked for.
 */
#include "softgpu/check/hazard_rules.h"

/* clang-format off */
static const chk_rule_t rows[] = {
    CHK_WMMA_RULES
    CHK_RULE(TRANS_USED, 6, TRANS, VECTOR_ALU, VECTOR,
        "a transcendental result is read by VALU, unless s_waitcnt_depctr va_vdst(0) waits for it", "LLVM")
};
/* clang-format on */

const chk_hazard_rules_t chk_hazard_rules_gfx1100 = {.rows = rows,
                                                     .n = sizeof rows / sizeof rows[0],
                                                     .most = 6,
                                                     .mark = 6,
                                                     .flat_in_order = true,
                                                     .halves = true,
                                                     .by_valu = true,
                                                     .trans = 2};
