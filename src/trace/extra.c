/* extra.c - see extra.h. The text itself is not parsed here. */
#include "trace/extra.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "trace/settings.h"

int trace_extra_send(const char *path, const char *text, size_t bytes, char *why, size_t why_bytes)
{
    char whole[PATH_MAX];
    struct stat st;
    bool small = bytes <= TRACE_EXTRA_VARIABLE_MAX;
    bool known = realpath(path, whole);
    if (!small && (!known || stat(whole, &st) != 0 || !S_ISREG(st.st_mode))) {
        snprintf(why, why_bytes,
                 "%s has %zu bytes: more than %d are taken from a regular file only", path, bytes,
                 TRACE_EXTRA_VARIABLE_MAX);
        return -1;
    }
    if (trace_setting_set(TRACE_SET_EXTRA_COUNTERS_FILE, known ? whole : path) == 0 &&
        trace_setting_set(TRACE_SET_EXTRA_COUNTERS_CONTENTS, small ? text : "") == 0)
        return 0;
    snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
    return -1;
}

char *trace_extra_receive(char *why, size_t why_bytes)
{
    const char *contents = trace_setting_given(TRACE_SET_EXTRA_COUNTERS_CONTENTS);
    const char *file = trace_setting_given(TRACE_SET_EXTRA_COUNTERS_FILE);
    size_t bytes;
    why[0] = 0;
    if (contents) {
        char *text = strdup(contents);
        if (!text) snprintf(why, why_bytes, "%s", strerror(ENOMEM));
        return text;
    }
    return file ? base_file_text(file, TRACE_EXTRA_MAX, &bytes, why, why_bytes) : NULL;
}
