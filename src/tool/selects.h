/* selects.h - which dispatches are measured: kernels by name, and of each kernel some of its runs.
 *
 * Counters and thread traces use this, only one of them at a time. Counts of instructions, which
 * can be collected at the same time, use it with a separate count of a kernel's runs. The tables
 * only grow and have one atomic count per kernel, so no lock is taken. */
#ifndef CROCPROF_TOOL_SELECTS_H
#define CROCPROF_TOOL_SELECTS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* Reads the variables. Returns false with a line in `why` if they are malformed. */
bool tool_selects_read(char *why, size_t why_bytes);

void tool_selects_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel);

/* Returns whether a launch of the kernel is selected. Each call counts as one of the kernel's
 * runs. */
bool tool_selects(uint64_t kernel_id);
/* The same for a kernel that begins on the software GPU; these runs are counted separately. */
bool tool_selects_begun(uint64_t kernel_id);

/* Counts runs from the start again. */
void tool_selects_again(void);

#endif
