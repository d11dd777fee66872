/* hip_graph.h - executable graphs of HIP: their creation, destruction and launches.
 *
 * The wrappers are inside those of API tracing: a launch has the correlation id of its call. */
#ifndef CROCPROF_SDK_HIP_GRAPH_H
#define CROCPROF_SDK_HIP_GRAPH_H

#include <rocprofiler-sdk/agent.h>
#include <stdbool.h>

/* Puts the wrappers into the HIP runtime's table if a context asks for graphs. To be called before
 * API tracing installs its wrappers. */
void sdk_graph_install(void *table);

/* Does a running context follow launches, so that their kernels must be counted? */
bool sdk_graph_counts(void);

/* The calling thread dispatches a kernel on the agent: counts it for the graph that the thread is
 * launching, if any. */
void sdk_graph_dispatches(rocprofiler_agent_id_t agent);

#endif
