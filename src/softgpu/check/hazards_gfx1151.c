/* hazards_gfx1151.c - the wait states that software owes the hardware of gfx1151: none yet.
 *
 * What LLVM works around on gfx11 (reads of vector registers behind exports, stores and
 * transcendental operations) is counted in no wait states and is not looked for.
 */
#include "softgpu/check/hazard_rules.h"

const chk_hazard_rules_t chk_hazard_rules_gfx1151 = {0};
