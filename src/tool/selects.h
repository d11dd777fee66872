/* selects.h - which dispatches are measured: kernels by name, and of each kernel some of its runs.
 *
 * Shared by what counts and what traces, of which one is asked for at a time, and by counts of
 * instructions, which may stand beside them and number a kernel's runs for themselves. Lookups in
 * tables that only grow, one atomic count per kernel, no lock. */
#ifndef CROCPROF_TOOL_SELECTS_H
#define CROCPROF_TOOL_SELECTS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* Reads the variables. False with a line in `why`. */
bool tool_selects_read(char *why, size_t why_bytes);

void tool_selects_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel);

/* At a launch of the kernel, which counts as one of its runs. */
bool tool_selects(uint64_t kernel_id);
/* The same when it begins on the software GPU. */
bool tool_selects_begun(uint64_t kernel_id);

/* Runs count from the start. */
void tool_selects_again(void);

#endif
