/* selects.h - which dispatches are measured: kernels by name, and of each kernel some of its runs.
 *
 * Counters and thread traces use this, only one of them at a time, and so do counts of
 * instructions, which can be on beside them and number a kernel's runs by themselves. Answers come
 * from tables that only grow, with one atomic count per kernel, without a lock. */
#ifndef CROCPROF_TOOL_SELECTS_H
#define CROCPROF_TOOL_SELECTS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* Reads the variables. False with a line in `why`. */
bool tool_selects_read(char *why, size_t why_bytes);

void tool_selects_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *kernel);

/* Whether a launch of the kernel is measured. The call counts as one of the kernel's runs. */
bool tool_selects(uint64_t kernel_id);
/* The same for a kernel that begins on the software GPU; these runs are numbered apart. */
bool tool_selects_begun(uint64_t kernel_id);

/* Numbers runs from the start again. */
void tool_selects_again(void);

#endif
