/* ompt.h - OpenMP's tool interface: the functions that the generated callbacks of events call. */
#ifndef CROCPROF_SDK_OMPT_H
#define CROCPROF_SDK_OMPT_H

#include "sdk/core/service.h"

/* The callback for an event of ompt_callbacks_t; generated, in the order of operations. */
typedef struct {
    int event;
    ompt_callback_t callback;
} sdk_ompt_row_t;

extern const sdk_ompt_row_t sdk_ompt_rows[];
extern const int sdk_ompt_row_count;

/* Returns whether this thread is inside an event whose begin was followed: then its end must be
 * reported even if no context follows it any more. */
bool sdk_ompt_inside(void);

/* Reports an event without duration. `data` has its arguments. */
void sdk_ompt_point(const sdk_plan_t *plan, rocprofiler_callback_tracing_ompt_data_t *data);

/* Reports the begin or end of an event, or both. */
void sdk_ompt_span(const sdk_plan_t *plan, int32_t operation, ompt_scope_endpoint_t endpoint,
                   rocprofiler_callback_tracing_ompt_data_t *data);

#endif
