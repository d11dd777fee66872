/* counting.h - hardware counters of the dispatches that were asked for, their values or samples.
 *
 * All that can fail (names, configurations) is done when the tool starts; a dispatch only looks
 * things up. */
#ifndef CROCPROF_TOOL_COUNTING_H
#define CROCPROF_TOOL_COUNTING_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_counting_wanted(void);

/* Whether what is wanted are samples (--spm) instead of values; kernels are traced with them, since
 * samples have no times. */
bool tool_streaming_wanted(void);

/* Reads the variables, makes a configuration for each set and agent and asks for the service.
 * False, with the reason logged, if nothing can be counted. After the agents are known. */
bool tool_counting_configure(rocprofiler_context_id_t context);

/* The sink has another store: tells it of the counters again, and iterations count from the start.
 */
void tool_counting_again(void);

/* Agents as they become known. */
void tool_counting_agent(const rocprofiler_agent_v0_t *agent);

#endif
