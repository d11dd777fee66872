/* fields.h - the fields of a record besides its times, in the form of a call's arguments. For a
 * record that is not a call, a table lists the fields; for a call, the SDK reports the
 * arguments. */
#ifndef CROCPROF_TOOL_FIELDS_H
#define CROCPROF_TOOL_FIELDS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/format.h"

/* To be called for each agent of the machine, before the first record, because records refer to
 * agents. */
void tool_fields_agent(const rocprofiler_agent_v0_t *agent);

/* Returns times, thread and correlation of a record that is an event (KIND_EVENT in
 * trace/kinds.def); an event without an end ends at its begin. */
trace_api_full_t tool_fields_times(const rocprofiler_record_header_t *from);

/* Calls `call` for each argument until one call returns a value other than 0. */
void tool_fields_each(const rocprofiler_record_header_t *from,
                      rocprofiler_buffer_tracing_operation_args_cb_t callback, void *data);

#endif
