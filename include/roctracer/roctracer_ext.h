/* roctracer_ext.h - starting and stopping, and ids of the application in the records. */
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

/** Lets callbacks and records of HIP flow again, and holds them back; at first they flow. Records
 * of what was launched before still come. Marks are not held back. */
void roctracer_start(void);
void roctracer_stop(void);

/** Puts an id on the calling thread's stack. Each record of a call that the thread makes then is
 * preceded by one of ACTIVITY_DOMAIN_EXT_API, ACTIVITY_EXT_OP_EXTERN_ID, with the same correlation
 * id and the topmost id of the stack.
 * @retval ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION no memory */
roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id);

/** Takes one off. last_id may be null.
 * @retval ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID there is none, *last_id is 0 */
roctracer_status_t
roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id);

#ifdef __cplusplus
}
#endif

#endif
