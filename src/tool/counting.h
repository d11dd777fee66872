/* counting.h - hardware counters of selected dispatches: values (--pmc) or samples (--spm).
 *
 * Whatever can fail (names, configurations) is done when the tool starts; for a dispatch there are
 * only table look-ups. */
#ifndef CROCPROF_TOOL_COUNTING_H
#define CROCPROF_TOOL_COUNTING_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_counting_wanted(void);

/* Returns whether samples (--spm) are collected instead of values. Kernels are traced as well then,
 * since the records of samples have no times of kernels. */
bool tool_streaming_wanted(void);

/* Reads the variables, makes a configuration for each set and agent and configures the service,
 * once the agents are known. Returns false, with the reason logged, if nothing can be counted. */
bool tool_counting_configure(rocprofiler_context_id_t context);

/* To be called when the sink has opened another store: puts the counters into it, and counts the
 * runs of kernels from the start again. */
void tool_counting_again(void);

/* To be called for each agent of the machine, before tool_counting_configure(). */
void tool_counting_agent(const rocprofiler_agent_v0_t *agent);

#endif
