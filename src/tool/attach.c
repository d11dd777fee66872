/* attach.c - see attach.h. Runs on a thread of the SDK, or on the flushing thread.
 *
 * Services stay as the first attachment has configured them; a later attachment with other options
 * is refused. */
#include "tool/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <rocprofiler-sdk/registration.h>

#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "tool/counting.h"
#include "tool/flush.h"
#include "tool/sink.h"
#include "trace/run.h"
#include "trace/settings.h"
#include "trace/store.h"

static struct {
    tool_attach_parts_t parts;
    bool ready, again;
    const rocprofiler_client_id_t *id;
    rocprofiler_client_detach_t detach;
    char run[PATH_MAX];
    char **options; /* NAME=value lines of the first attachment */
} attach;

bool tool_attach_is(void)
{
    return base_env_bool("ROCPROFILER_REGISTER_TOOL_ATTACHED", false);
}

void tool_attach_begin(const rocprofiler_client_id_t *id)
{
    char path[PATH_MAX];
    const char *run = trace_setting_given(TRACE_SET_STORE_DIRECTORY);
    attach.id = id;
    snprintf(attach.run, sizeof(attach.run), "%s", run ? run : "");
    trace_join(path, sizeof(path), attach.run, TRACE_ATTACH_LOG);
    base_log_to(*attach.run ? path : NULL);
}

/* ---- The same options for each attachment ---- */

/* Returns whether the first attachment fixes this setting, since it decides what is collected.
 * Other settings may differ: they concern files, or the conversion of records. */
static bool is_fixed(const char *line)
{
    if (strncmp(line, "ROCPROF_", 8) != 0) return false;
    for (size_t i = 0; i < TRACE_SET_COUNT; i++) {
        const char *name = trace_settings[i].variable;
        const size_t bytes = name ? strlen(name) : 0;
        if (bytes && strncmp(line, name, bytes) == 0 && line[bytes] == '=')
            return !trace_settings[i].per_attach;
    }
    return true;
}

static bool is_among(const char *line, char *const *lines)
{
    for (; *lines; lines++)
        if (strcmp(line, *lines) == 0) return true;
    return false;
}

static void free_options(char **lines)
{
    for (char **line = lines; *line; line++)
        free(*line);
    free(lines);
}

/* Returns NULL without memory. */
static char **copy_options(void)
{
    size_t count = 0, room = 0;
    while (environ && environ[room])
        room++;
    char **lines = calloc(room + 1, sizeof(*lines));
    for (size_t i = 0; lines && i < room; i++) {
        if (!is_fixed(environ[i])) continue;
        lines[count] = strdup(environ[i]);
        if (!lines[count++]) {
            free_options(lines);
            return NULL;
        }
    }
    return lines;
}

/* Returns the first of `lines` that is not among `others`; NULL if there is none. */
static const char *find_difference(char *const *lines, char *const *others)
{
    for (; *lines; lines++)
        if (is_fixed(*lines) && !is_among(*lines, others)) return *lines;
    return NULL;
}

static bool options_fit(void)
{
    const char *added = find_difference(environ, attach.options);
    const char *gone = find_difference(attach.options, environ);
    if (added)
        base_error("%s was not asked for by the first attach to process %d: what is collected is "
                   "settled then",
                   added, (int)getpid());
    else if (gone)
        base_error("%s was asked for by the first attach to process %d: what is collected is "
                   "settled then",
                   gone, (int)getpid());
    return !added && !gone;
}

/* ---- Attach and detach ---- */

void tool_attach_ready(const tool_attach_parts_t *parts)
{
    attach.parts = *parts;
    attach.options = copy_options();
    attach.ready = attach.options;
}

static bool start(rocprofiler_context_id_t context)
{
    rocprofiler_status_t status = rocprofiler_start_context(context);
    if (status == ROCPROFILER_STATUS_SUCCESS) return true;
    base_error("starting the trace: %s", rocprofiler_get_status_string(status));
    return false;
}

/* Begins a further attachment. Records of the time since the last detachment belong to no
 * attachment: they are flushed while the store is closed. Records of work that began before now and
 * ends later are left out as well. */
static bool begin_again(void)
{
    const tool_attach_parts_t *p = &attach.parts;
    rocprofiler_timestamp_t now = 0;
    if (!options_fit()) return false;
    rocprofiler_flush_buffer(p->buffer);
    rocprofiler_get_timestamp(&now);
    tool_sink_from(now);
    if (!tool_sink_open()) return false;
    p->agents();
    if (tool_counting_wanted()) tool_counting_again();
    tool_sink_texts_again();
    if (tool_flush_start(p->buffer, tool_attach_look) != 0) base_warning(TOOL_FLUSH_FAILURE);
    if (p->always.handle != p->traced.handle && !start(p->always)) return false;
    return p->selected || start(p->traced);
}

static int on_attach(rocprofiler_client_detach_t detach, rocprofiler_context_id_t *contexts,
                     uint64_t count, void *data)
{
    (void)contexts, (void)count, (void)data;
    attach.detach = detach;
    if (!attach.ready) return -1;
    if (!attach.again) {
        attach.again = true;
        return 0;
    }
    tool_attach_begin(attach.id);
    return begin_again() ? 0 : -1;
}

static void on_detach(void *data)
{
    (void)data;
    tool_flush_stop();
    tool_sink_close(false);
}

/* The attached rocprofv3 holds an exclusive lock as long as it lives: if the tool can take a shared
 * lock, that rocprofv3 has ended. */
void tool_attach_look(void)
{
    char path[PATH_MAX];
    /* another program than rocprofv3 has attached; it detaches when it likes */
    if (!*attach.run) return;
    trace_join(path, sizeof(path), attach.run, TRACE_RUN_FILE);
    int fd = base_file_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    bool alone = fd < 0 ? errno == ENOENT : flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (fd >= 0) close(fd);
    if (alone && attach.detach) attach.detach(*attach.id);
}

ROCPROFILER_EXPORT rocprofiler_tool_configure_attach_result_t *
rocprofiler_configure_attach(uint32_t version, const char *runtime_version, uint32_t priority,
                             rocprofiler_client_id_t *client_id)
{
    static rocprofiler_tool_configure_attach_result_t result = {
        .size = sizeof(result), .tool_attach = on_attach, .tool_detach = on_detach};
    (void)version, (void)runtime_version, (void)priority, (void)client_id;
    return &result;
}
