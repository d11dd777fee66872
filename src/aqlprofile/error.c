/* error.c - the last message of each thread.
 *
 * It is apart because both interfaces and everything below them use it. A message is one line that
 * names the request and the limit that it exceeds. */
#include "aqlprofile/internal.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[512];

hsa_status_t aql_fail(hsa_status_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

const char *aql_message(void)
{
    return message;
}
