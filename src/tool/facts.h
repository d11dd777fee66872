/* facts.h - puts descriptions of the machine and the program into the store: agents, code objects,
 * kernels, counters.
 *
 * Each is put into the store of this process (sink.h) when the SDK reports it. Any thread may call
 * these functions. */
#ifndef CROCPROF_TOOL_FACTS_H
#define CROCPROF_TOOL_FACTS_H

#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/rocprofiler.h>

void tool_fact_agent(const rocprofiler_agent_v0_t *agent);
void tool_fact_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
void tool_fact_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *k);
void tool_fact_host_function(
    const rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t *f);
void tool_fact_counter(rocprofiler_agent_id_t agent, const rocprofiler_counter_info_v1_t *counter,
                       bool streams);

/* Writes rows of numbers, as trace_table_t has them. */
void tool_fact_table(uint32_t type, uint64_t owner, uint32_t part, uint32_t columns,
                     const uint64_t *numbers, uint64_t rows);

#endif
