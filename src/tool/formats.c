/* formats.c - see formats.h. */
#include "tool/formats.h"

#include <string.h>
#include <strings.h>

#include "base/env.h"

bool tool_formats_want(const char *names)
{
    static const char gaps[] = " \t,;:";
    const char *asked = base_env("ROCPROF_OUTPUT_FORMAT");
    if (!asked || !asked[strspn(asked, gaps)]) asked = "rocpd";
    for (size_t bytes; *(asked += strspn(asked, gaps)); asked += bytes) {
        bytes = strcspn(asked, gaps);
        for (const char *at = names; *at; at += strcspn(at, " "), at += strspn(at, " "))
            if (strcspn(at, " ") == bytes && strncasecmp(at, asked, bytes) == 0) return true;
    }
    return false;
}
