/* hazards_gfx950.c - the wait states that software owes the hardware of gfx950.
 *
 * Data only: the rows that all gfx9 GPUs have. hazard_rules.h explains a row and names the sources.
 */
#include "softgpu/check/hazard_rules.h"

/* clang-format off */
static const chk_rule_t rows[] = {
    CHK_SHARED_RULES
};
/* clang-format on */

const chk_hazard_rules_t chk_hazard_rules_gfx950 = {
    .rows = rows, .n = sizeof rows / sizeof rows[0], .most = 5, .rare = 2};
