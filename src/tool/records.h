/* records.h - from the SDK's records to those of the store. */
#ifndef CROCPROF_TOOL_RECORDS_H
#define CROCPROF_TOOL_RECORDS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/format.h"

typedef union {
    trace_head_t head;
    trace_api_full_t api;
    trace_dispatch_t dispatch;
    trace_copy_t copy;
    trace_allocation_t allocation;
    trace_scratch_t scratch;
} tool_record_t;

/* False for records that the store has no form for. No lock, no allocation. */
bool tool_record_translate(tool_record_t *to, const rocprofiler_record_header_t *from);

#endif
