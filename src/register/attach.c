/* attach.c - lets a profiler load a tool into the running process.
 *
 * It is apart because nothing here runs unless the program was started with ROCP_TOOL_ATTACH=1.
 * Then a thread with a known name sleeps in the process. A profiler that attaches makes that thread
 * call one of the two exported functions below, by ptrace (src/rocattach). The protocol is that of
 * AMD's library. */
#include "register/register.h"

#include "base/env.h"
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Set in the environment while the tool is loaded and reads its settings. */
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
    static pid_t listens; /* the process that has the thread, which a child of fork has not */
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
 * The attaching profiler sends variables for the tool. Other threads of the program may be reading
 * the environment, so `environ` is made to point to a new array and nothing in the old one is
 * changed. For the same reason, arrays to which `environ` has pointed are never freed but kept in a
 * list. Afterwards the program gets its own environment back, with the changes that it has made
 * meanwhile but without the tool's variables, so that programs it starts later do not see them. */

typedef struct lines lines_t;
struct lines {
    lines_t *earlier; /* the environment of the attachment before this one */
    char **lines;     /* the new environment, ended by NULL */
    size_t count;
    char **own; /* the lines that the attachment has added or replaced */
    size_t own_count;
    char **array;  /* the program's environment, which the C library may free when it grows */
    char **before; /* the lines in it before the attachment */
    char **after;  /* the value of `environ` afterwards, unless it is `array` */
};

static lines_t *once_in_force;

static size_t count_lines(char **lines)
{
    size_t count = 0;
    while (lines && lines[count])
        count++;
    return count;
}

/* Returns the line in `lines` that sets the variable `name` (a name, or a line that begins with
 * name=); NULL if there is none. */
static char **find_line(char **lines, const char *name)
{
    const size_t bytes = strcspn(name, "=");
    for (; lines && *lines; lines++)
        if (strncmp(*lines, name, bytes) == 0 && (*lines)[bytes] == '=') return lines;
    return NULL;
}

static bool set(lines_t *to, const char *name, const char *value)
{
    char *line = NULL;
    if (asprintf(&line, "%s=%s", name, value) < 0) return false;
    char **there = find_line(to->lines, name);
    *(there ? there : &to->lines[to->count++]) = line;
    to->own[to->own_count++] = line;
    return true;
}

/* Fills in the lines. `buffer` has the number of variables (32 bits), then name and value of each,
 * ended by zero bytes. */
static bool fill(lines_t *made, const char *buffer, const char *tool)
{
    uint32_t variables;
    memcpy(&variables, buffer, sizeof variables);
    const size_t before = count_lines(environ);
    made->array = environ;
    made->before = calloc(before + 1, sizeof *made->before);
    made->lines = calloc(before + variables + 3, sizeof *made->lines);
    made->own = calloc((size_t)variables + 2, sizeof *made->own);
    if (!made->before || !made->lines || !made->own) return false;
    for (; made->count < before; made->count++)
        made->before[made->count] = made->lines[made->count] = environ[made->count];
    if (!set(made, attached_variable, "1") || !set(made, tool_variable, tool)) return false;
    for (buffer += sizeof variables; variables--;) {
        const char *name = buffer, *value = name + strlen(name) + 1;
        if (!set(made, name, value)) return false;
        buffer = value + strlen(value) + 1;
    }
    return true;
}

/* Frees an environment that `environ` has never pointed to. */
static void drop(lines_t *made)
{
    for (size_t i = 0; i < made->own_count; i++)
        free(made->own[i]);
    free(made->own);
    free(made->before);
    free(made->lines);
    free(made);
}

/* Makes the environment for the tool; returns NULL when out of memory. */
static lines_t *make_environment(const char *buffer, const char *tool)
{
    lines_t *made = calloc(1, sizeof *made);
    if (!made || fill(made, buffer, tool)) return made;
    drop(made);
    return NULL;
}

static void put_in_force(lines_t *made)
{
    made->earlier = once_in_force;
    once_in_force = made;
    __atomic_store_n(&environ, made->lines, __ATOMIC_RELEASE);
}

static bool is_own(const lines_t *made, const char *line)
{
    for (size_t i = 0; i < made->own_count; i++)
        if (made->own[i] == line) return true;
    return false;
}

/* Returns the lines of `now`, where each line of the attachment is replaced by the program's former
 * line, or removed. */
static char **without_own(char **now, const lines_t *made)
{
    size_t count = 0;
    char **lines = calloc(count_lines(now) + 1, sizeof *lines);
    for (; lines && *now; now++) {
        char **line = is_own(made, *now) ? find_line(made->before, *now) : now;
        if (line) lines[count++] = *line;
    }
    return lines;
}

static bool same_lines(char **a, char **b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

static void take_back(lines_t *made)
{
    char **now = __atomic_load_n(&environ, __ATOMIC_ACQUIRE);
    for (;;) { /* again if another thread has changed `environ` meanwhile */
        char **lines = now ? without_own(now, made) : NULL;
        if (!lines) return;
        bool same = now == made->lines && same_lines(lines, made->before);
        if (!same)
            made->after = lines;
        else
            free(lines);
        if (__atomic_compare_exchange_n(&environ, &now, same ? made->array : lines, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
        free(made->after);
        made->after = NULL;
    }
}

/* ---- The functions that ptrace makes the thread call ---- */

static int call_sdk(const char *name)
{
    void *symbol = reg_sdk_symbol(name);
    int (*function)(void);
    memcpy(&function, &symbol, sizeof function);
    if (!symbol) return ROCP_REG_NO_TOOLS;
    int status = function();
    return status ? ROCP_REG_ROCPROFILER_ERROR | status << REG_ATTACH_STATUS_SHIFT : 0;
}

/* exported without a header, as rocprofiler_register_invoke_all_registrations is */
int rocprofiler_register_attach(const char *environment_buffer, const char *tool_lib_path);
int rocprofiler_register_detach(void);

__attribute__((visibility("default"))) int
rocprofiler_register_attach(const char *environment_buffer, const char *tool_lib_path)
{
    static char *tool; /* path of the first tool, whose library stays loaded */
    if (!reg_attachable() || !reg_find_sdk()) return REG_ATTACHMENT_NOT_AVAILABLE;
    if (!environment_buffer || !tool_lib_path || (tool && strcmp(tool, tool_lib_path) != 0))
        return REG_INVALID_ARGUMENT;
    if (!tool) tool = strdup(tool_lib_path);
    lines_t *made = tool ? make_environment(environment_buffer, tool_lib_path) : NULL;
    if (!made) return ROCP_REG_ROCPROFILER_ERROR;
    put_in_force(made);
    int answer = call_sdk("rocprofiler_attach");
    take_back(made);
    free(made->own);
    free(made->before);
    made->own = made->before = NULL;
    return answer;
}

__attribute__((visibility("default"))) int rocprofiler_register_detach(void)
{
    return reg_attachable() ? call_sdk("rocprofiler_detach") : REG_ATTACHMENT_NOT_AVAILABLE;
}

/* Returns the code to which the attaching profiler sends the waiting thread. At entry rax is the
 * function to call, rdi and rsi are its arguments, rbx and rsp both point to a reg_attach_call_t.
 * The thread was interrupted in the system call pause(), so at the end the registers are as after
 * that: rax is -EINTR, rcx the address behind the call, r11 anything. The registers neither saved
 * nor set here are those that a called function preserves. The interrupted stack is not written to,
 * because the 128 bytes below its rsp (red zone) may be in use. */
__asm__(".pushsection .text\n"
        ".globl rocprofiler_register_attach_run\n"
        ".type rocprofiler_register_attach_run, @function\n"
        "rocprofiler_register_attach_run:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n" /* unwinding of the stack ends here */
        "call *%rax\n"
        "mov %rax, 8(%rbx)\n"
        "mov 16(%rbx), %rax\n"
        "mov %rax, (%rbx)\n"
        "mov 24(%rbx), %rcx\n"
        "mov 32(%rbx), %rsp\n"
        "mov 48(%rbx), %rdi\n"
        "mov 56(%rbx), %rsi\n"
        "mov 64(%rbx), %rdx\n"
        "mov 72(%rbx), %r8\n"
        "mov 80(%rbx), %r9\n"
        "mov 88(%rbx), %r10\n"
        "mov 40(%rbx), %rbx\n"
        "mov $-4, %rax\n"
        "jmp *%rcx\n"
        ".cfi_endproc\n"
        ".size rocprofiler_register_attach_run, . - rocprofiler_register_attach_run\n"
        ".popsection\n");
_Static_assert(EINTR == 4 && offsetof(reg_attach_call_t, rbx) == 40 &&
                   offsetof(reg_attach_call_t, r10) == 88,
               "the assembly's numbers");
