/* services.c - passes the moments and questions of service.h to all services: a loop over the table
 * for each.
 *
 * It is apart because no other file of the core calls a service. None of it is on the hot path. */
#include "sdk/core/services.h"

void sdk_services_at(sdk_moment_t moment)
{
    SDK_EACH_SERVICE (s)
        if ((*s)->at[moment]) (*s)->at[moment]();
}

void sdk_services_thread_ends(sdk_thread_t *self)
{
    SDK_EACH_SERVICE (s)
        if ((*s)->thread_ends) (*s)->thread_ends(self);
}

bool sdk_services_refuse(int domain)
{
    SDK_EACH_SERVICE (s)
        if ((*s)->refuses && (*s)->refuses(domain)) return true;
    return false;
}

bool sdk_services_conflict(const sdk_context_t *context, const sdk_context_t *other)
{
    SDK_EACH_SERVICE (s)
        if ((*s)->conflicts && (*s)->conflicts(context, other)) return true;
    return false;
}

rocprofiler_status_t sdk_services_started(sdk_context_t *context)
{
    SDK_EACH_SERVICE (s) {
        const rocprofiler_status_t status =
            (*s)->started ? (*s)->started(context) : ROCPROFILER_STATUS_SUCCESS;
        if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}
