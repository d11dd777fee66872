/* legacy.c - libroctx64: the marker interface of roctracer.
 *
 * It is a library of its own. Its calls go through the tables of librocprofiler-sdk-roctx, and also
 * to the one callback that libroctracer64 may have registered. */
#include "roctx/tables.h"

#include <roctracer/roctx.h>

#include <stddef.h>

/* Operations and domain as roctracer numbers them (roctracer_roctx.h, ext/prof_protocol.h). */
enum {
    OPERATION_MARK,
    OPERATION_RANGE_PUSH,
    OPERATION_RANGE_POP,
    OPERATION_RANGE_START,
    OPERATION_RANGE_STOP,
};
enum { DOMAIN_ROCTX = 6 };

/* The layout of roctx_api_data_t. */
typedef struct {
    const char *message;
    roctx_range_id_t id;
} arguments_t;
_Static_assert(sizeof(arguments_t) == 16 && offsetof(arguments_t, id) == 8, "roctx_api_data_t");

typedef int (*tracer_t)(uint32_t domain, uint32_t operation, void *data);

static tracer_t tracer; /* read and written atomically */

static void report(uint32_t operation, const char *message, roctx_range_id_t id)
{
    tracer_t function = __atomic_load_n(&tracer, __ATOMIC_RELAXED);
    if (__builtin_expect(!function, 1)) return;
    arguments_t arguments = {message, id};
    function(DOMAIN_ROCTX, operation, &arguments);
}

#define CORE __atomic_load_n(&roctx_tables_.core, __ATOMIC_RELAXED)

/* Called by roctracer; no header declares it. NULL unregisters the callback. */
ROCTX_API void roctxRegisterTracerCallback(tracer_t function);
ROCTX_API void roctxRegisterTracerCallback(tracer_t function)
{
    __atomic_store_n(&tracer, function, __ATOMIC_RELAXED);
}

ROCTX_API uint32_t roctx_version_major(void)
{
    return ROCTX_VERSION_MAJOR;
}

ROCTX_API uint32_t roctx_version_minor(void)
{
    return ROCTX_VERSION_MINOR;
}

ROCTX_API void roctxMarkA(const char *message)
{
    report(OPERATION_MARK, message, 0);
    CORE->roctxMarkA_fn(message);
}

ROCTX_API int roctxRangePushA(const char *message)
{
    report(OPERATION_RANGE_PUSH, message, 0);
    return CORE->roctxRangePushA_fn(message);
}

ROCTX_API int roctxRangePop(void)
{
    report(OPERATION_RANGE_POP, NULL, 0);
    return CORE->roctxRangePop_fn();
}

ROCTX_API roctx_range_id_t roctxRangeStartA(const char *message)
{
    roctx_range_id_t id = CORE->roctxRangeStartA_fn(message);
    report(OPERATION_RANGE_START, message, id);
    return id;
}

ROCTX_API void roctxRangeStop(roctx_range_id_t id)
{
    report(OPERATION_RANGE_STOP, NULL, id);
    CORE->roctxRangeStop_fn(id);
}
