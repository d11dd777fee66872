/* attach.c - the process can be asked to load a tool while it runs.
 *
 * Apart because nothing here runs unless the program was started with ROCP_TOOL_ATTACH=1. A thread
 * with a known name sleeps; who attaches makes it call the two functions below by ptrace. The
 * protocol is that of AMD's library. */
#include "register/register.h"

#include "base/env.h"
#include "base/log.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the caller's environment adds for as long as the tool reads it. */
static const char tool_variable[] = "ROCP_TOOL_LIBRARIES";
static const char attached_variable[] = "ROCPROFILER_REGISTER_TOOL_ATTACHED";

bool reg_attachable(void)
{
    return base_env_bool("ROCP_TOOL_ATTACH", false);
}

static void *listen_for_attach(void *unused)
{
    (void)unused;
    pthread_setname_np(pthread_self(), REG_ATTACH_THREAD);
    for (;;)
        pause();
    return NULL;
}

void reg_attach_listen(void)
{
    static pid_t listens; /* in which process; a child of fork has no such thread */
    pthread_t thread;
    sigset_t all, before;
    if (!reg_attachable() || __atomic_exchange_n(&listens, getpid(), __ATOMIC_ACQ_REL) == getpid())
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, NULL, listen_for_attach, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        base_warning("ROCP_TOOL_ATTACH: nobody can attach to process %d: %s", (int)getpid(),
                     strerror(error));
    else
        pthread_detach(thread);
}

/* ---- The environment ----
 *
 * The program's threads may read it meanwhile: it is replaced by another, never changed, and what
 * was in force once is not freed. Afterwards the program has its own again, so programs that it
 * starts later know nothing of us. */

typedef struct {
    char **lines;
    size_t count;
} lines_t;

static bool has_name(const char *line, const char *name)
{
    size_t bytes = strlen(name);
    return strncmp(line, name, bytes) == 0 && line[bytes] == '=';
}

static bool set(lines_t *to, const char *name, const char *value)
{
    char *line = NULL;
    if (asprintf(&line, "%s=%s", name, value) < 0) return false;
    for (size_t i = 0; i < to->count; i++)
        if (has_name(to->lines[i], name)) {
            to->lines[i] = line;
            return true;
        }
    to->lines[to->count++] = line;
    return true;
}

/* `buffer`: a number of variables, then for each its name and its value. */
static char **make_environment(const char *buffer, const char *tool)
{
    uint32_t variables;
    lines_t made = {0};
    memcpy(&variables, buffer, sizeof variables);
    size_t before = 0;
    while (environ && environ[before])
        before++;
    made.lines = calloc(before + variables + 3, sizeof *made.lines);
    if (!made.lines) return NULL;
    for (; made.count < before; made.count++)
        made.lines[made.count] = environ[made.count];
    if (!set(&made, attached_variable, "1") || !set(&made, tool_variable, tool)) return NULL;
    for (buffer += sizeof variables; variables--;) {
        const char *name = buffer, *value = name + strlen(name) + 1;
        if (!set(&made, name, value)) return NULL;
        buffer = value + strlen(value) + 1;
    }
    return made.lines;
}

/* ---- What is called ---- */

static int call_sdk(const char *name)
{
    void *symbol = reg_sdk_symbol(name);
    int (*function)(void);
    memcpy(&function, &symbol, sizeof function);
    if (!symbol) return ROCP_REG_NO_TOOLS;
    int status = function();
    return status ? ROCP_REG_ROCPROFILER_ERROR | status << REG_ATTACH_STATUS_SHIFT : 0;
}

/* Exported without a header, as the functions that offer tables again are. */
int rocprofiler_register_attach(const char *environment_buffer, const char *tool_lib_path);
int rocprofiler_register_detach(void);

__attribute__((visibility("default"))) int
rocprofiler_register_attach(const char *environment_buffer, const char *tool_lib_path)
{
    static char *tool; /* of the first attach; the library stays loaded */
    if (!reg_attachable() || !reg_find_sdk()) return REG_ATTACHMENT_NOT_AVAILABLE;
    if (!environment_buffer || !tool_lib_path || (tool && strcmp(tool, tool_lib_path) != 0))
        return REG_INVALID_ARGUMENT;
    if (!tool) tool = strdup(tool_lib_path);
    char **before = environ, **made = make_environment(environment_buffer, tool_lib_path);
    if (!made || !tool) return ROCP_REG_ROCPROFILER_ERROR;
    __atomic_store_n(&environ, made, __ATOMIC_RELEASE);
    int answer = call_sdk("rocprofiler_attach");
    /* unless the program has put another in place meanwhile */
    __atomic_compare_exchange_n(&environ, &made, before, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return answer;
}

__attribute__((visibility("default"))) int rocprofiler_register_detach(void)
{
    return reg_attachable() ? call_sdk("rocprofiler_detach") : REG_ATTACHMENT_NOT_AVAILABLE;
}
