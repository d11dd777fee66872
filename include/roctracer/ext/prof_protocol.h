/* prof_protocol.h - domains, phases and records that roctracer and the runtimes share.
 *
 * Binary interface: AMD's roctracer 4.1. */
#ifndef EXT_PROF_PROTOCOL_H_
#define EXT_PROF_PROTOCOL_H_

#include <stddef.h>
#include <stdint.h>

/** What is traced; an operation is a number within its domain. */
typedef enum {
    ACTIVITY_DOMAIN_HSA_API = 0, /**< HSA calls */
    ACTIVITY_DOMAIN_HSA_OPS = 1, /**< those of HIP_OPS, with correlation ids of HSA calls */
    ACTIVITY_DOMAIN_HIP_OPS = 2, /**< kernels and copies on the GPU: hip_op_id_t */
    ACTIVITY_DOMAIN_HCC_OPS = ACTIVITY_DOMAIN_HIP_OPS, /**< former names of HIP_OPS */
    ACTIVITY_DOMAIN_HIP_VDI = ACTIVITY_DOMAIN_HIP_OPS,
    ACTIVITY_DOMAIN_HIP_API = 3, /**< HIP calls: hip_api_id_t of the loaded HIP */
    ACTIVITY_DOMAIN_KFD_API = 4, /**< not implemented by anyone */
    ACTIVITY_DOMAIN_EXT_API = 5, /**< external correlation ids: activity_ext_op_t */
    ACTIVITY_DOMAIN_ROCTX = 6,   /**< marks and ranges of libroctx64: roctx_api_id_t */
    ACTIVITY_DOMAIN_HSA_EVT = 7, /**< HSA events: callbacks only, no records */
    ACTIVITY_DOMAIN_NUMBER = 8
} activity_domain_t;

/** Before and after a traced call. */
typedef enum { ACTIVITY_API_PHASE_ENTER = 0, ACTIVITY_API_PHASE_EXIT = 1 } activity_api_phase_t;

typedef uint32_t activity_kind_t;
typedef uint32_t activity_op_t;
typedef uint64_t activity_correlation_id_t;

/** ns of the clock of roctracer_get_timestamp. */
typedef uint64_t roctracer_timestamp_t;

/** One record of a pool. */
typedef struct activity_record_s {
    uint32_t domain;      /**< activity_domain_t */
    activity_kind_t kind; /**< for HIP_OPS, HIP's command type; else 0 */
    activity_op_t op;     /**< operation of the domain */
    __extension__ union {
        __extension__ struct {
            activity_correlation_id_t correlation_id; /**< of the call that started it */
            roctracer_timestamp_t begin_ns;
            roctracer_timestamp_t end_ns;
        };
        struct {
            uint32_t se;
            uint64_t cycle;
            uint64_t pc;
        } pc_sample; /**< not written by this library */
    };
    __extension__ union {
        __extension__ struct {
            int device_id;     /**< for HIP_OPS and HSA_OPS: position among the GPUs */
            uint64_t queue_id; /**< for HIP_OPS and HSA_OPS: id of the queue, 0 for copies */
        };
        __extension__ struct {
            uint32_t process_id; /**< for calls and marks */
            uint32_t thread_id;
        };
        activity_correlation_id_t external_id; /**< for EXT_API */
    };
    __extension__ union {
        size_t bytes;             /**< bytes copied */
        const char *kernel_name;  /**< name of a kernel; valid until the buffer callback returns */
        const char *mark_message; /**< text of a mark or range; valid as long */
    };
} activity_record_t;

/** A callback of calls and marks: at ENTER and EXIT of HIP calls with hip_api_data_t, once for each
 * mark or range call with roctx_api_data_t. It runs on the calling thread. */
typedef void (*activity_rtapi_callback_t)(uint32_t domain, uint32_t cid, const void *data,
                                          void *arg);

typedef void (*activity_sync_callback_t)(uint32_t cid, activity_record_t *record, const void *data,
                                         void *arg);
typedef void (*activity_async_callback_t)(uint32_t op, void *record, void *arg);

#endif
