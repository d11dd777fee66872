/* roctracer_ext.h - starting and stopping of tracing, and the application's own ids in the
 * records. */
#ifndef ROCTRACER_EXT_H_
#define ROCTRACER_EXT_H_

#include "roctracer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Operations of ACTIVITY_DOMAIN_EXT_API. */
typedef enum { ACTIVITY_EXT_OP_MARK = 0, ACTIVITY_EXT_OP_EXTERN_ID = 1 } activity_ext_op_t;

typedef void (*roctracer_start_cb_t)(void);
typedef void (*roctracer_stop_cb_t)(void);

/** What roctracer_set_properties takes for ACTIVITY_DOMAIN_EXT_API; copied. */
typedef struct {
    roctracer_start_cb_t start_cb; /**< called by roctracer_start; may be null */
    roctracer_stop_cb_t stop_cb;   /**< called by roctracer_stop; may be null */
} roctracer_ext_properties_t;

/** Stop and restart callbacks and records, except those of marks; at first nothing is stopped.
 * Records of work that was launched before a stop are still written. */
void roctracer_start(void);
void roctracer_stop(void);

/** Puts an id on the calling thread's stack. While it is there, each record of a HIP call of the
 * thread is preceded by a record of ACTIVITY_DOMAIN_EXT_API, ACTIVITY_EXT_OP_EXTERN_ID, with the
 * same correlation id and the topmost id of the stack.
 * @retval ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION no memory */
roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id);

/** Removes the topmost id from the calling thread's stack and writes it to *last_id; last_id may be
 * null.
 * @retval ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID the stack is empty; *last_id
 * becomes 0 */
roctracer_status_t
roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id);

#ifdef __cplusplus
}
#endif

#endif
