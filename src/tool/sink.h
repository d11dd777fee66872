/* sink.h - the store of this process: opened once, fed by the SDK's callbacks, closed at the end.
 *
 * Records are fed by one thread at a time (the SDK delivers a buffer so); metadata and markers by
 * any thread, under the sink's lock. Markers and counters share a segment of their own. In a forked
 * child the parent's store is let go, and the first records of the child open a store of its own
 * that begins with the parent's metadata. */
#ifndef CROCPROF_TOOL_SINK_H
#define CROCPROF_TOOL_SINK_H

#include <stdbool.h>

#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/format.h"

/* Makes the directory and the segments. False, with the reason logged, if that fails: nothing is
 * traced then. */
bool tool_sink_open(void);

/* What a buffer delivered, and how many records it lost before. */
void tool_sink_records(rocprofiler_record_header_t **headers, size_t count, uint64_t lost);

void tool_sink_agent(const rocprofiler_agent_v0_t *agent);
void tool_sink_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
void tool_sink_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *k);

/* A marker, and the number of a text in it. From the thread that sets the marker. */
void tool_sink_marker(const trace_marker_t *marker);
uint32_t tool_sink_text(const char *text);

/* All texts, into a store that was opened after they had got their numbers. */
void tool_sink_texts_again(void);

/* A counter of an agent; the values of a dispatch, `record->count` of them. Any thread. */
void tool_sink_counter(rocprofiler_agent_id_t agent, const rocprofiler_counter_info_v1_t *counter);
void tool_sink_counters(const trace_counters_t *record, const trace_value_t *values);

/* Dispatches whose counters are left out on purpose, or lost. */
void tool_sink_filtered(uint64_t count);
void tool_sink_lost(uint64_t count);

/* Marks the orderly end. Records that come later are not written. */
void tool_sink_close(void);

/* True in the process that opened the store. */
bool tool_sink_is_mine(void);

#endif
