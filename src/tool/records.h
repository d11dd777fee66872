/* records.h - from the SDK's records to those of the store. */
#ifndef CROCPROF_TOOL_RECORDS_H
#define CROCPROF_TOOL_RECORDS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/format.h"

typedef union {
    trace_head_t head;
    trace_timed_t timed; /* all begin so */
    trace_api_full_t api;
    trace_call_t call;
    trace_dispatch_t dispatch;
    trace_copy_t copy;
    trace_allocation_t allocation;
    trace_scratch_t scratch;
} tool_record_t;

/* Values of a call's arguments, which stand behind its record. */
typedef struct {
    size_t bytes;        /* whole words; 0: none */
    uint64_t count, cut; /* cut: values that were too long */
    _Alignas(8) char text[16384];
} tool_values_t;

/* Appends a value, cut if it is too long. True if no more fit. */
bool tool_values_add(tool_values_t *v, const char *value);
/* After the last one. */
void tool_values_end(tool_values_t *v);

/* False for records that the store has no form for. No lock, no allocation. The head counts both
 * parts. */
bool tool_record_translate(tool_record_t *to, tool_values_t *values,
                           rocprofiler_record_header_t *from);
/* Bytes of the part without the values. */
size_t tool_record_bytes(const tool_record_t *r, const tool_values_t *values);

#endif
