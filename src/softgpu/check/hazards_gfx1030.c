/* hazards_gfx1030.c - the wait states that software owes the hardware of gfx1030: none.
 *
 * The hardware of gfx10.3 waits for all results by itself, except for those that s_waitcnt and its
 * like wait for; what LLVM works around are defects of gfx10.1.
 */
#include "softgpu/check/hazard_rules.h"

const chk_hazard_rules_t chk_hazard_rules_gfx1030 = {0};
