/* hazards_gfx1030.c - the wait states that software owes the hardware of gfx1030: none.
 *
 * The hardware of gfx10.3 waits for all results by itself, except for those of s_waitcnt and its
 * like. LLVM's workarounds are for defects of gfx10.1. */
#include "softgpu/check/hazard_rules.h"

const chk_hazard_rules_t chk_hazard_rules_gfx1030 = {.flat_in_order = true};
