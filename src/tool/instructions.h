/* instructions.h - puts softgpu's counts of each instruction of kernels into the store, for
 * --instruction-counts.
 *
 * If counts are summed by kernel, or by kernel and range, the counts for a code object are written
 * when it is unloaded or the process ends. If they are summed by dispatch, they are written when
 * the dispatch ends, before its signal. selects.h says which kernels are counted. */
#ifndef CROCPROF_TOOL_INSTRUCTIONS_H
#define CROCPROF_TOOL_INSTRUCTIONS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_instructions_wanted(void);
/* Returns whether counts are summed by ROCTx range. */
bool tool_instructions_by_range(void);

/* Begins to count. Returns false, with the reason logged, if nothing can be counted. */
bool tool_instructions_start(rocprofiler_context_id_t always);

void tool_instructions_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
/* Writes the counts of the code object, since other code may be loaded at its address. */
void tool_instructions_unload(const rocprofiler_callback_tracing_code_object_load_data_t *object);
void tool_instructions_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel);

/* To be called when the process ends: writes all other counts. */
void tool_instructions_stop(void);

#endif
