/* roctracer.h - tracing by callbacks and by pools of records, the interface before rocprofiler-sdk.
 *
 * New tools use rocprofiler-sdk, on which this library is built. This interface is for programs
 * that are linked with libroctracer64, such as PyTorch's profiler. Functions may be called from any
 * thread and at any time unless they say otherwise; what is enabled before a runtime starts takes
 * effect when it starts. Binary interface: AMD's libroctracer64.so.4. docs/roctracer.md lists what
 * is missing. */
#ifndef ROCTRACER_H_
#define ROCTRACER_H_

#include "ext/prof_protocol.h"

#include <stddef.h>
#include <stdint.h>

#define ROCTRACER_VERSION_MAJOR 4
#define ROCTRACER_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

/** Return the version of the loaded library; the macros have that of the headers. */
uint32_t roctracer_version_major(void);
uint32_t roctracer_version_minor(void);

/** The result of a function. The positive ones are old names that no function returns. */
typedef enum {
    ROCTRACER_STATUS_SUCCESS = 0,
    ROCTRACER_STATUS_ERROR = -1,
    ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID = -2,
    ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT = -3,
    ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED = -4,
    ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED = -5,
    ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION = -6,
    ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID = -7,
    ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED = -8,
    ROCTRACER_STATUS_UNINIT = 2,
    ROCTRACER_STATUS_BREAK = 3,
    ROCTRACER_STATUS_BAD_DOMAIN = ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
    ROCTRACER_STATUS_BAD_PARAMETER = ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
    ROCTRACER_STATUS_HIP_API_ERR = 6,
    ROCTRACER_STATUS_HIP_OPS_ERR = 7,
    ROCTRACER_STATUS_HCC_OPS_ERR = ROCTRACER_STATUS_HIP_OPS_ERR,
    ROCTRACER_STATUS_HSA_ERR = 7,
    ROCTRACER_STATUS_ROCTX_ERR = 8
} roctracer_status_t;

typedef activity_domain_t roctracer_domain_t;
typedef activity_rtapi_callback_t roctracer_rtapi_callback_t;
typedef activity_record_t roctracer_record_t;

/** Returns the reason why the last function that failed on this thread has failed. The text is a
 * copy, which the caller frees. Null if there is no memory. */
const char *roctracer_error_string(void);

/** Returns the name of an operation, a constant text; null if there is none. In HIP_OPS kind
 * selects it, in HIP_API, HSA_API, HSA_OPS, HSA_EVT and ROCTX op. HIP's names are queried from the
 * loaded HIP library. */
const char *roctracer_op_string(uint32_t domain, uint32_t op, uint32_t kind);

/** Writes the number of a function of HIP or HSA, given its name, to *op, and 0 to *kind; kind may
 * be null.
 * @retval ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT no such name, or HIP is not loaded
 * @retval ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID another domain than HIP_API and HSA_API */
roctracer_status_t roctracer_op_code(uint32_t domain, const char *str, uint32_t *op,
                                     uint32_t *kind);

/** Sets properties of a domain. For EXT_API they are a roctracer_ext_properties_t; for other
 * domains, anything is accepted without effect.
 * @retval ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID KFD_API, ROCTX or no domain */
roctracer_status_t roctracer_set_properties(roctracer_domain_t domain, void *properties);

/** Makes the library call back for an operation, or for all of a domain. Calls that are already
 * running are not reported. HIP_OPS and HSA_OPS have no callbacks: they are accepted without
 * effect.
 * @retval ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT no callback, or no such operation
 * @retval ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID no such domain, or KFD_API */
roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op,
                                                activity_rtapi_callback_t callback, void *arg);
roctracer_status_t roctracer_enable_domain_callback(activity_domain_t domain,
                                                    activity_rtapi_callback_t callback, void *arg);

/** Disables these callbacks. A callback on another thread may still be running when the function
 * returns. */
roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain);

/** A pool collects records and passes them to its callback, many at a time. */
typedef void roctracer_pool_t;

/** Allocates memory for a pool's buffers. *ptr null: allocate size bytes; size 0: free *ptr; else
 * resize. *ptr becomes null if there is no memory. */
typedef void (*roctracer_allocator_t)(char **ptr, size_t size, void *arg);

/** Called with the records in [begin, end), on the thread that fills or flushes the pool; calls
 * for one pool do not overlap. It may call any function except those that close or flush the
 * same pool. */
typedef void (*roctracer_buffer_callback_t)(const char *begin, const char *end, void *arg);

typedef struct {
    uint32_t mode;                   /**< 0 */
    size_t buffer_size;              /**< bytes for records and their texts */
    roctracer_allocator_t alloc_fun; /**< null: malloc and free */
    void *alloc_arg;
    roctracer_buffer_callback_t buffer_callback_fun; /**< null: records are discarded */
    void *buffer_callback_arg;
} roctracer_properties_t;

/** Returns the record after `record`; for the last one, the end of the records.
 * @retval ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT a null pointer */
roctracer_status_t roctracer_next_record(const activity_record_t *record,
                                         const activity_record_t **next);

/** Opens a pool. If `pool` is null, or with the second function, the pool becomes the default pool,
 * which is used by functions without a pool.
 * @retval ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED there is a default pool already
 * @retval ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT no properties, or a buffer without room for a
 * record
 * @retval ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION no memory */
roctracer_status_t roctracer_open_pool_expl(const roctracer_properties_t *properties,
                                            roctracer_pool_t **pool);
roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties);

/** Delivers the records of the pool and closes it; operations that were enabled with it are
 * disabled. Null means the default pool; if there is none, nothing is done. */
roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *pool);
roctracer_status_t roctracer_close_pool(void);

/** Return the default pool; null if there is none. The first function also makes `pool` the default
 * pool, unless it is null. */
roctracer_pool_t *roctracer_default_pool_expl(roctracer_pool_t *pool);
roctracer_pool_t *roctracer_default_pool(void);

/** Enables records of an operation, or of all of a domain, into a pool; null means the default
 * pool.
 * @retval ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED null, and there is no default pool
 * @retval ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT no such operation
 * @retval ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID no such domain, or KFD_API
 * @retval ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED HSA_EVT */
roctracer_status_t roctracer_enable_op_activity_expl(activity_domain_t domain, uint32_t op,
                                                     roctracer_pool_t *pool);
roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_enable_domain_activity_expl(activity_domain_t domain,
                                                         roctracer_pool_t *pool);
roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain);

/** Disables these records. Records of kernels and copies under way are still written. */
roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain);

/** Delivers all complete records, and returns after the callback has returned. Null means the
 * default pool; if there is none, nothing is done. */
roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *pool);
roctracer_status_t roctracer_flush_activity(void);

/** Returns the present time on the clock of the records: ns of CLOCK_MONOTONIC.
 * @retval ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT timestamp is null */
roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp);

#ifdef __cplusplus
}
#endif

#endif
