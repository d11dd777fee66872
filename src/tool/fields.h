/* fields.h - what a record says besides its times, in the form of a call's arguments. For records
 * that are no calls, a table has the fields; for calls, the SDK reports the arguments. */
#ifndef CROCPROF_TOOL_FIELDS_H
#define CROCPROF_TOOL_FIELDS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/format.h"

/* To be called for each agent of the machine, before the first record: records name agents. */
void tool_fields_agent(const rocprofiler_agent_v0_t *agent);

/* Time, thread and correlation of a record that is an event (KIND_EVENT in trace/kinds.def); one
 * without an end ends when it begins. */
trace_api_full_t tool_fields_times(const rocprofiler_record_header_t *from);

/* Calls back for each argument until one call returns other than 0. */
void tool_fields_each(const rocprofiler_record_header_t *from,
                      rocprofiler_buffer_tracing_operation_args_cb_t callback, void *data);

#endif
