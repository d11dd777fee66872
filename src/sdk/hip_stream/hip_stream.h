/* hip_stream.h - the functions that the generated wrappers of HIP functions with a stream call.
 *
 * The wrappers are around those of API tracing, so a call's stream is reported before the call. */
#ifndef CROCPROF_SDK_HIP_STREAM_H
#define CROCPROF_SDK_HIP_STREAM_H

#include "sdk/api/api.h"

#include <hip/hip_runtime_api.h>

/* The use of a stream by a call; it is on the wrapper's stack. */
typedef struct {
    sdk_operation_t operation;
    rocprofiler_callback_tracing_hip_stream_data_t data;
} sdk_stream_use_t;

/* Report the operation SET, with the phases ENTER and EXIT. */
void sdk_stream_enter(sdk_stream_use_t *use, const sdk_plan_t *plan, hipStream_t stream);
void sdk_stream_exit(sdk_stream_use_t *use);

/* Report CREATE and DESTROY, after calls that succeeded. */
void sdk_stream_created(hipStream_t stream);
void sdk_stream_destroyed(hipStream_t stream);

/* One row per function with a stream. Generated. */
extern const sdk_api_row_t sdk_stream_rows[];
extern const unsigned sdk_stream_row_count;

#endif
