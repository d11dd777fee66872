/* hazards_gfx1100.c - the wait states that software owes the hardware of gfx1100: none yet.
 *
 * The hazards that LLVM works around on gfx11 (reads of vector registers after exports, stores and
 * transcendental operations) are not measured in wait states, and are not checked. */
#include "softgpu/check/hazard_rules.h"

const chk_hazard_rules_t chk_hazard_rules_gfx1100 = {0};
