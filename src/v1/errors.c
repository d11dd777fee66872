/* errors.c - the last message of each thread, and the library's version.
 *
 * A message begins with the function's name and says which argument was wrong and what its limit
 * is. */
#include "v1/v1.h"

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[700];

hsa_status_t v1_error(hsa_status_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    base_info("%s", message);
    return status;
}

hsa_status_t v1_null(const char *function, const char *argument)
{
    return v1_invalid("%s: %s is NULL", function, argument);
}

hsa_status_t rocprofiler_error_string(const char **str)
{
    if (!str) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *str = message;
    return HSA_STATUS_SUCCESS;
}

uint32_t rocprofiler_version_major(void)
{
    return ROCPROFILER_VERSION_MAJOR;
}

uint32_t rocprofiler_version_minor(void)
{
    return ROCPROFILER_VERSION_MINOR;
}

uint32_t rocprofiler_major_version(void) __attribute__((alias("rocprofiler_version_major")));
uint32_t rocprofiler_minor_version(void) __attribute__((alias("rocprofiler_version_minor")));
