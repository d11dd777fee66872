/* formats.c - see formats.h. */
#include "tool/formats.h"

#include <string.h>
#include <strings.h>

#include "trace/settings.h"

bool tool_formats_want(const char *names)
{
    static const char gaps[] = " \t,;:";
    const char *asked = trace_setting(TRACE_SET_OUTPUT_FORMAT);
    if (!asked[strspn(asked, gaps)]) asked = trace_setting_default(TRACE_SET_OUTPUT_FORMAT);
    for (size_t bytes; *(asked += strspn(asked, gaps)); asked += bytes) {
        bytes = strcspn(asked, gaps);
        for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " "))
            if (strcspn(at, " ") == bytes && strncasecmp(at, asked, bytes) == 0) return true;
    }
    return false;
}
