/* instructions.h - counts of each instruction of kernels, for --instruction-counts: softgpu's, into
 * the store.
 *
 * Summed by kernel, or by kernel and range: what a code object's instructions come to is written
 * when it is unloaded, or when the process ends. By dispatch: written when the dispatch ends. Which
 * kernels: selects.h. */
#ifndef CROCPROF_TOOL_INSTRUCTIONS_H
#define CROCPROF_TOOL_INSTRUCTIONS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_instructions_wanted(void);
/* They are summed by ROCTx range. */
bool tool_instructions_by_range(void);

/* Counting begins. False, with the reason logged, if nothing can be counted. */
bool tool_instructions_start(rocprofiler_context_id_t always);

void tool_instructions_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
/* What has run of it is written: other code may come to lie there. */
void tool_instructions_unload(const rocprofiler_callback_tracing_code_object_load_data_t *object);
void tool_instructions_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel);

/* The process ends: the rest is written. */
void tool_instructions_stop(void);

#endif
