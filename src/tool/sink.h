/* sink.h - the store of this process: opened once, fed by the SDK's callbacks, closed at the end.
 *
 * Records are fed by one thread at a time (the SDK delivers a buffer so); metadata by any thread,
 * under the sink's lock. In a forked child the parent's store is let go, and the first records of
 * the child open a store of its own that begins with the parent's metadata. */
#ifndef CROCPROF_TOOL_SINK_H
#define CROCPROF_TOOL_SINK_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* Makes the directory and the segments. False, with the reason logged, if that fails: nothing is
 * traced then. */
bool tool_sink_open(void);

/* What a buffer delivered, and how many records it lost before. */
void tool_sink_records(rocprofiler_record_header_t **headers, size_t count, uint64_t lost);

void tool_sink_agent(const rocprofiler_agent_v0_t *agent);
void tool_sink_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
void tool_sink_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *k);

/* Marks the orderly end. Records that come later are not written. */
void tool_sink_close(void);

/* True in the process that opened the store. */
bool tool_sink_is_mine(void);

#endif
