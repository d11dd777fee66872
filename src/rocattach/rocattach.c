/* rocattach.c - the interface of librocprofiler-sdk-rocattach: which processes to attach, with
 * which tool and which variables, and error messages. calls.c makes a process call a function. */
#include "rocattach/internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rocprofiler-sdk/fwd.h>

#include "base/env.h"
#include "base/grow.h"
#include "base/log.h"
#include "register/register.h"

#define TOOL "librocprofiler-sdk-tool.so.1"

/* Loading a tool takes a second on a busy machine; when it is detached, it may have to write all of
 * its records. */
enum { ATTACH_SECONDS = 60, DETACH_SECONDS = 300 };

typedef struct {
    pid_t pid, root; /* `root`: root of the tree of processes that was attached together */
} attached_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* serialises the calls */
static attached_t *attached;
static size_t attached_count;
static _Thread_local char why[RAT_WHY_BYTES];

const char *rat_why(void)
{
    return why;
}

size_t rat_attached(void)
{
    return attached_count;
}

rocattach_status_t rat_fail(rocattach_status_t status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    return status;
}

/* ---- The tool's variables ---- */

typedef struct {
    char *bytes;
    size_t count;
} buffer_t;

static bool is_told(const char *line)
{
    static const char other[] = "ROCPROFILER_REGISTER_LIBRARY=", tools[] = "ROCP_TOOL_LIBRARIES=";
    return strncmp(line, "ROCP", 4) == 0 && strchr(line, '=') &&
           strncmp(line, other, strlen(other)) != 0 && strncmp(line, tools, strlen(tools)) != 0;
}

/* Writes the number of variables, then name and value of each, ended by zero bytes. */
static bool make_environment(buffer_t *b)
{
    uint32_t variables = 0;
    size_t count = sizeof variables;
    for (char **line = environ; *line; line++)
        if (is_told(*line)) {
            variables++;
            count += strlen(*line) + 1;
        }
    b->bytes = malloc(count);
    if (!b->bytes) return false;
    memcpy(b->bytes, &variables, sizeof variables);
    b->count = sizeof variables;
    for (char **line = environ; *line; line++) {
        if (!is_told(*line)) continue;
        size_t length = strlen(*line) + 1;
        memcpy(b->bytes + b->count, *line, length);
        *strchr(b->bytes + b->count, '=') = 0;
        b->count += length;
    }
    return true;
}

static const char *tool_library(void)
{
    const char *named = base_env("ROCPROF_ATTACH_TOOL_LIBRARY");
    return named && *named ? named : TOOL;
}

/* If the process runs in a container, the tool's file must exist there. */
static rocattach_status_t check_tool(pid_t pid, const char *tool)
{
    char path[4096 + 32];
    struct stat st;
    if (*tool != '/') return ROCATTACH_STATUS_SUCCESS; /* the process's loader finds it */
    snprintf(path, sizeof path, "/proc/%d/root%s", (int)pid, tool);
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) return ROCATTACH_STATUS_SUCCESS;
    return rat_fail(ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT,
                    "%s: there is no such file for process %d", tool, (int)pid);
}

/* ---- One process ---- */

#define SDK(status)                                                                                \
    (ROCP_REG_ROCPROFILER_ERROR | ROCPROFILER_STATUS_ERROR_##status << REG_ATTACH_STATUS_SHIFT)

static rocattach_status_t refused(pid_t pid, const char *what, int answer)
{
    return rat_fail(ROCATTACH_STATUS_ERROR,
                    "process %d %s: code %d of librocprofiler-register, status %d", (int)pid, what,
                    answer & ((1 << REG_ATTACH_STATUS_SHIFT) - 1),
                    answer >> REG_ATTACH_STATUS_SHIFT);
}

/* Converts the result of rocprofiler_register_attach to a status and a message. */
static rocattach_status_t explain(pid_t pid, int answer)
{
    static const struct {
        int answer;
        const char *text;
    } answers[] = {
        {REG_INVALID_ARGUMENT, "another tool library was attached to it before"},
        {REG_ATTACHMENT_NOT_AVAILABLE, "it was not started with ROCP_TOOL_ATTACH=1"},
        {SDK(CONTEXT_CONFLICT), "it is being profiled already"},
        {SDK(CONFIGURATION_LOCKED), "the tool refuses: its messages say why"},
        {SDK(FINALIZED), "it is ending"},
        {SDK(NOT_AVAILABLE), "the tool found nothing to do"},
    };
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (answers[i].answer == answer)
            return rat_fail(ROCATTACH_STATUS_ERROR, "process %d cannot be attached: %s", (int)pid,
                            answers[i].text);
    return refused(pid, "cannot be attached", answer);
}

static rocattach_status_t call_attach(const rat_target_t *t, const buffer_t *environment,
                                      const char *tool)
{
    int answer = 0;
    const rat_request_t request = {.name = "attach",
                                   .function = t->attach,
                                   .seconds = ATTACH_SECONDS,
                                   .data = {environment->bytes, tool},
                                   .bytes = {environment->count, strlen(tool) + 1}};
    rocattach_status_t status = rat_call(t, &request, &answer);
    return status == ROCATTACH_STATUS_SUCCESS && answer ? explain(t->pid, answer) : status;
}

static rocattach_status_t attach(pid_t pid, pid_t root, const buffer_t *environment)
{
    rat_target_t target;
    const char *tool = tool_library();
    rocattach_status_t status = rat_target_find(&target, pid);
    if (status == ROCATTACH_STATUS_SUCCESS) status = check_tool(pid, tool);
    if (!BASE_GROW_BY_ONE(attached, attached_count))
        return rat_fail(ROCATTACH_STATUS_ERROR, "no memory");
    if (status == ROCATTACH_STATUS_SUCCESS) status = call_attach(&target, environment, tool);
    if (status == ROCATTACH_STATUS_SUCCESS)
        attached[attached_count++] = (attached_t){.pid = pid, .root = root};
    return status;
}

static rocattach_status_t detach(pid_t pid)
{
    rat_target_t target;
    int answer = 0;
    rocattach_status_t status = rat_target_find(&target, pid);
    if (status == ROCATTACH_STATUS_SUCCESS) {
        const rat_request_t request = {
            .name = "detach", .function = target.detach, .seconds = DETACH_SECONDS};
        status = rat_call(&target, &request, &answer);
    }
    /* the process has ended, perhaps as a zombie */
    if (status == ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND ||
        (kill(pid, 0) != 0 && errno == ESRCH))
        return ROCATTACH_STATUS_SUCCESS;
    if (status != ROCATTACH_STATUS_SUCCESS || !answer) return status;
    return refused(pid, "did not detach", answer);
}

/* ---- The functions ---- */

static rocattach_status_t attach_all(pid_t root, bool tree)
{
    buffer_t environment = {0};
    pid_t *pids = NULL;
    size_t count = 0;
    if (root <= 0)
        return rat_fail(ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT, "%d is no process id", (int)root);
    if (!make_environment(&environment)) return rat_fail(ROCATTACH_STATUS_ERROR, "no memory");
    pthread_mutex_lock(&lock);
    rocattach_status_t status = attach(root, root, &environment);
    if (status == ROCATTACH_STATUS_SUCCESS && tree && !rat_add_descendants(&pids, &count, root))
        base_warning("not all processes below %d are attached: no memory, or no files", (int)root);
    for (size_t i = 0; i < count; i++)
        attach(pids[i], root, &environment);
    pthread_mutex_unlock(&lock);
    free(pids);
    free(environment.bytes);
    return status;
}

/* Detaches the processes with this `pid` or this `root`, or all if both are 0. Returns the first
 * error. */
static rocattach_status_t detach_all(pid_t pid, pid_t root)
{
    rocattach_status_t result = ROCATTACH_STATUS_SUCCESS;
    size_t kept = 0;
    bool any = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < attached_count; i++) {
        attached_t a = attached[i];
        if ((pid && a.pid != pid) || (root && a.root != root)) {
            attached[kept++] = a;
            continue;
        }
        any = true;
        rocattach_status_t status = detach(a.pid);
        if (result == ROCATTACH_STATUS_SUCCESS) result = status;
    }
    attached_count = kept;
    pthread_mutex_unlock(&lock);
    if (any || (!pid && !root)) return result;
    return rat_fail(ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT, "process %d is not attached",
                    (int)(pid ? pid : root));
}

rocattach_status_t rocattach_attach(int pid)
{
    return attach_all(pid, false);
}

rocattach_status_t rocattach_attach_tree(int root_pid)
{
    return attach_all(root_pid, true);
}

rocattach_status_t rocattach_detach(int pid)
{
    return detach_all(pid, 0);
}

rocattach_status_t rocattach_detach_tree(int root_pid)
{
    return detach_all(0, root_pid);
}

rocattach_status_t rocattach_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch)
{
    rocattach_version_triplet_t v;
    rocattach_get_version_triplet(&v);
    if (major) *major = v.major;
    if (minor) *minor = v.minor;
    if (patch) *patch = v.patch;
    return ROCATTACH_STATUS_SUCCESS;
}

rocattach_status_t rocattach_get_version_triplet(rocattach_version_triplet_t *info)
{
    if (!info) return ROCATTACH_STATUS_ERROR_INVALID_ARGUMENT;
    *info = (rocattach_version_triplet_t){1, 0, 0};
    return ROCATTACH_STATUS_SUCCESS;
}

static const struct {
    const char *name, *text;
} statuses[ROCATTACH_STATUS_LAST] = {
#define STATUS(name, text) [ROCATTACH_STATUS_##name] = {"ROCATTACH_STATUS_" #name, text}
    STATUS(SUCCESS, "Success"),
    STATUS(ERROR, "General error"),
    STATUS(ERROR_INVALID_ARGUMENT, "Invalid function argument"),
    STATUS(ERROR_NOT_SUPPORTED, "Attachment not supported on this platform"),
    STATUS(ERROR_PTRACE_ERROR, "General ptrace error"),
    STATUS(ERROR_PTRACE_OPERATION_NOT_PERMITTED, "ptrace returned EPERM, operation not permitted"),
    STATUS(ERROR_PTRACE_PROCESS_NOT_FOUND, "ptrace returned ESRCH, no such process"),
#undef STATUS
};

const char *rocattach_get_status_name(rocattach_status_t status)
{
    return (unsigned)status < ROCATTACH_STATUS_LAST ? statuses[status].name : NULL;
}

const char *rocattach_get_status_string(rocattach_status_t status)
{
    return (unsigned)status < ROCATTACH_STATUS_LAST ? statuses[status].text : NULL;
}
