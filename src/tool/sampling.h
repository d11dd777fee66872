/* sampling.h - PC sampling of the GPUs, as the options --pc-sampling-* ask for it. */
#ifndef CROCPROF_TOOL_SAMPLING_H
#define CROCPROF_TOOL_SAMPLING_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_sampling_wanted(void);

/* To be called for each agent of the machine; `agent` lives as long as the process. */
void tool_sampling_agent(const rocprofiler_agent_v0_t *agent);

/* To be called after the last agent: makes all GPUs that support it be sampled while the context
 * runs. Reports it if there is none. */
void tool_sampling_configure(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer);

#endif
