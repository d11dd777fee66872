/* obsolete.c - functions that roctracer has kept for old programs, and symbols by which HSA
 * recognises tools.
 *
 * No header declares them. */
#include "roctracer/internal.h"

RTR_API uint32_t roctracer_version_major(void)
{
    return ROCTRACER_VERSION_MAJOR;
}

RTR_API uint32_t roctracer_version_minor(void)
{
    return ROCTRACER_VERSION_MINOR;
}

/* HSA's runtime calls OnLoad of libraries that define this symbol; OnLoad does nothing. */
extern const uint32_t HSA_AMD_TOOL_PRIORITY;
RTR_API const uint32_t HSA_AMD_TOOL_PRIORITY = 50;

RTR_API bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_tool_count,
                    const char *const *failed_tool_names);
RTR_API bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_tool_count,
                    const char *const *failed_tool_names)
{
    (void)table, (void)runtime_version, (void)failed_tool_count, (void)failed_tool_names;
    return true;
}

RTR_API void OnUnload(void);
RTR_API void OnUnload(void) {}

RTR_API int roctracer_load(void);
RTR_API int roctracer_load(void)
{
    return 1;
}

RTR_API void roctracer_unload(void);
RTR_API void roctracer_unload(void) {}

RTR_API void roctracer_flush_buf(void);
RTR_API void roctracer_flush_buf(void) {}

RTR_API void roctracer_mark(const char *text);
RTR_API void roctracer_mark(const char *text)
{
    (void)text;
}

/* Enables one domain after another until one fails, as KFD_API does because it is not
 * implemented. */
RTR_API roctracer_status_t roctracer_enable_callback(roctracer_rtapi_callback_t callback,
                                                     void *user_data);
RTR_API roctracer_status_t roctracer_enable_callback(roctracer_rtapi_callback_t callback,
                                                     void *user_data)
{
    roctracer_status_t status = ROCTRACER_STATUS_SUCCESS;
    for (uint32_t i = 0; i < ACTIVITY_DOMAIN_NUMBER && status == ROCTRACER_STATUS_SUCCESS; i++)
        status = roctracer_enable_domain_callback(i, callback, user_data);
    return status;
}

RTR_API roctracer_status_t roctracer_disable_callback(void);
RTR_API roctracer_status_t roctracer_disable_callback(void)
{
    roctracer_status_t status = ROCTRACER_STATUS_SUCCESS;
    for (uint32_t i = 0; i < ACTIVITY_DOMAIN_NUMBER && status == ROCTRACER_STATUS_SUCCESS; i++)
        status = roctracer_disable_domain_callback(i);
    return status;
}

RTR_API roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool);
RTR_API roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool)
{
    roctracer_status_t status = ROCTRACER_STATUS_SUCCESS;
    for (uint32_t i = 0; i < ACTIVITY_DOMAIN_NUMBER && status == ROCTRACER_STATUS_SUCCESS; i++)
        status = roctracer_enable_domain_activity_expl(i, pool);
    return status;
}

RTR_API roctracer_status_t roctracer_enable_activity(void);
RTR_API roctracer_status_t roctracer_enable_activity(void)
{
    return roctracer_enable_activity_expl(NULL);
}

RTR_API roctracer_status_t roctracer_disable_activity(void);
RTR_API roctracer_status_t roctracer_disable_activity(void)
{
    roctracer_status_t status = ROCTRACER_STATUS_SUCCESS;
    for (uint32_t i = 0; i < ACTIVITY_DOMAIN_NUMBER && status == ROCTRACER_STATUS_SUCCESS; i++)
        status = roctracer_disable_domain_activity(i);
    return status;
}
