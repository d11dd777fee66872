/* code_idle.h - code that does nothing.
 *
 * Apart from code.h, which every executor core includes: the device asks this question before a
 * dispatch runs. The caller makes sure that no page of code is freed meanwhile. */
#ifndef SOFTGPU_ISA_CODE_IDLE_H
#define SOFTGPU_ISA_CODE_IDLE_H

#include "softgpu/isa/code.h"

/* Whether waves that start at `pc` end without doing anything that anybody could see but by
 * counting their instructions, which are the same for all of them. */
bool isa_code_idle(struct isa_code *code, const isa_core_t *core, uint64_t pc);

#endif
