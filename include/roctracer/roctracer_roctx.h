/* roctracer_roctx.h - operations of marks and ranges. */
#ifndef ROCTRACER_ROCTX_H_
#define ROCTRACER_ROCTX_H_

#include "roctracer.h"
#include "roctx.h"

/** Operations of ACTIVITY_DOMAIN_ROCTX. */
typedef enum {
    ROCTX_API_ID_roctxMarkA = 0,
    ROCTX_API_ID_roctxRangePushA = 1,
    ROCTX_API_ID_roctxRangePop = 2,
    ROCTX_API_ID_roctxRangeStartA = 3,
    ROCTX_API_ID_roctxRangeStop = 4,
    ROCTX_API_ID_NUMBER = 5
} roctx_api_id_t;

/** The data of callbacks of ACTIVITY_DOMAIN_ROCTX; texts are valid during the callback. */
typedef struct roctx_api_data_s {
    union {
        __extension__ struct {
            const char *message;
            roctx_range_id_t id;
        };
        struct {
            const char *message;
        } roctxMarkA;
        struct {
            const char *message;
        } roctxRangePushA;
        struct {
            const char *message; /**< always null */
        } roctxRangePop;
        struct {
            const char *message;
            roctx_range_id_t id;
        } roctxRangeStartA;
        struct {
            const char *message; /**< always null */
            roctx_range_id_t id;
        } roctxRangeStop;
    } args;
} roctx_api_data_t;

#endif
