/* names.h - texts of enumerations; the tables are generated from src/sdk/tables/names.tsv. */
#ifndef CROCPROF_SDK_NAMES_H
#define CROCPROF_SDK_NAMES_H

#include <rocprofiler-sdk/rocprofiler.h>

/* Texts of the values 0 to count-1; NULL for a value that the enumeration lacks. */
typedef struct {
    const char *const *texts;
    uint32_t count;
} sdk_names_t;

extern const sdk_names_t sdk_names_status, sdk_names_callback_kind, sdk_names_buffer_kind,
    sdk_names_external_request, sdk_names_intercept_table;
/* Indexed by kind; NULL: the kind has no operations. */
extern const sdk_names_t *const sdk_callback_operations[ROCPROFILER_CALLBACK_TRACING_LAST];
extern const sdk_names_t *const sdk_buffer_operations[ROCPROFILER_BUFFER_TRACING_LAST];

#endif
