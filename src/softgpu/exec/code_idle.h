/* code_idle.h - whether a kernel does nothing, so that its waves need not run.
 *
 * The device calls this before it runs a dispatch. Not in code.h because executor cores, which
 * include that header, do not call it. */
#ifndef SOFTGPU_EXEC_CODE_IDLE_H
#define SOFTGPU_EXEC_CODE_IDLE_H

#include "softgpu/exec/code.h"

/* True if every wave that starts at `pc` runs the same few instructions and ends without an effect
 * on memory: only counters could tell that it ran. Otherwise waves are expected to begin there,
 * which the translator is told. The caller makes sure that no decoded page is freed meanwhile. */
bool isa_code_idle(struct isa_code *code, const isa_core_t *core, uint64_t pc);

#endif
