/* counting.h - hardware counters of selected dispatches: values (--pmc) or samples (--spm).
 *
 * All that can fail (names, configurations) is done when the tool starts; a dispatch only looks
 * things up. */
#ifndef CROCPROF_TOOL_COUNTING_H
#define CROCPROF_TOOL_COUNTING_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_counting_wanted(void);

/* Whether samples (--spm) are wanted instead of values. Kernels are traced, too, then: the samples'
 * records have no times of kernels. */
bool tool_streaming_wanted(void);

/* Reads the variables, makes a configuration for each set and agent and asks for the service, once
 * the agents are known. False, with the reason logged, if nothing can be counted. */
bool tool_counting_configure(rocprofiler_context_id_t context);

/* To be called when the sink has another store: puts the counters into it, and numbers kernels'
 * runs from the start. */
void tool_counting_again(void);

/* To be called for each agent of the machine, before tool_counting_configure(). */
void tool_counting_agent(const rocprofiler_agent_v0_t *agent);

#endif
