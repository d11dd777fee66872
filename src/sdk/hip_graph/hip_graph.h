/* hip_graph.h - executable graphs of HIP: as they are made and destroyed, and their launches.
 *
 * The wrappers lie within those of API tracing: a launch has the correlation id of its call. */
#ifndef CROCPROF_SDK_HIP_GRAPH_H
#define CROCPROF_SDK_HIP_GRAPH_H

#include <rocprofiler-sdk/agent.h>
#include <stdbool.h>

/* Puts the wrappers into the HIP runtime's table if a context asks for graphs. Before those of the
 * API. */
void sdk_graph_install(void *table);

/* Are launches recorded now, with the number of their kernels? */
bool sdk_graph_counts(void);

/* The calling thread dispatches a kernel on the agent: of the graph that it launches, if it does.
 */
void sdk_graph_dispatches(rocprofiler_agent_id_t agent);

#endif
