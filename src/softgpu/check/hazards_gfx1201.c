/* hazards_gfx1201.c - the wait states that software owes the hardware of gfx1201: between matrix
 * instructions alone. It also has to wait for SGPRs of which the vector ALU keeps copies.
 *
 * A state is an instruction of the vector ALU. tests/softgpu/check/hazard_rules.c has a pair of
 * instructions for each row.
 */
#include "softgpu/check/hazard_rules.h"

/* clang-format off */
static const chk_rule_t rows[] = {
    CHK_WMMA_RULES
};
/* clang-format on */

const chk_hazard_rules_t chk_hazard_rules_gfx1201 = {.rows = rows,
                                                     .n = sizeof rows / sizeof rows[0],
                                                     .most = 1,
                                                     .flat_in_order = true,
                                                     .memory_any_order = true,
                                                     .halves = true,
                                                     .by_valu = true,
                                                     .copies = true};
