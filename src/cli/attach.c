/* attach.c - see attach.h. It waits and prints; the library of src/rocattach attaches and detaches.
 *
 * The file with the run's settings is kept locked: the tool in the process detaches when the lock
 * is released, in whatever way this process ends. */
#include "cli/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "cli/launch.h"
#include "rocattach/internal.h"
#include "trace/settings.h"
#include "trace/store.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

int cli_attach_check(const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *pmc = c->values[CLI_PMC];
    if (c->program)
        return REFUSE("--pid and a program exclude each other: '%s' is not started", c->program[0]);
    if (c->values[CLI_INPUT]) return REFUSE("--pid and an input file exclude each other");
    if (pmc && strchr(pmc, '\n'))
        return REFUSE("--pid: several --pmc need the program to run several times");
    if (!cli_records(c))
        return REFUSE("--pid needs a tracing option or counters (--sys-trace traces everything)");
    return 0;
}

/* Prints the tool's messages, each line once. */
static void tell_messages(const char *run)
{
    char path[PATH_MAX], line[4096];
    trace_join(path, sizeof(path), run, TRACE_ATTACH_LOG);
    int fd = base_file_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    while (f && fgets(line, sizeof(line), f))
        fputs(line, stderr);
    if (f) fclose(f);
    if (fd >= 0) unlink(path);
}

static int lock_run(const char *run)
{
    char path[PATH_MAX];
    trace_join(path, sizeof(path), run, TRACE_RUN_FILE);
    int fd = base_file_open(path, O_RDONLY | O_NOFOLLOW, 0);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Returns whether a line has been entered. Returns false at the end of the input. */
static bool entered(struct pollfd *input)
{
    char byte;
    ssize_t n = read(input->fd, &byte, 1);
    if (n <= 0) input->fd = -1;
    return n == 1 && byte == '\n';
}

/* Waits until the time is over, or for Enter, a signal, or the end of the process. */
static void wait_attached(pid_t pid, const char *duration)
{
    struct pollfd on[] = {{.fd = duration ? -1 : STDIN_FILENO, .events = POLLIN},
                          {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN}};
    on[1].fd = base_file_own(on[1].fd);
    long long end = duration ? now_ms() + atoll(duration) : 0;
    bool ended = false, asked = false;
    while (!ended && !asked && !cli_interrupted) {
        long long left = duration ? end - now_ms() : 1000;
        if (left <= 0) break;
        int n = poll(on, 2, left > 1000 ? 1000 : (int)left);
        /* kernels before 5.3 have no pidfd_open */
        ended = n > 0 && on[1].fd >= 0 ? on[1].revents : kill(pid, 0) != 0 && errno == ESRCH;
        if (n > 0 && on[0].revents) asked = entered(&on[0]);
    }
    if (on[1].fd >= 0) close(on[1].fd);
    if (ended) printf("Process %d has ended\n", (int)pid);
    if (cli_interrupted) printf("Caught signal %s\n", strsignal(cli_interrupted));
}

static int attach(const cli_command_t *c, pid_t pid, const char *tool, char *why, size_t why_bytes)
{
    const char *children = c->values[CLI_ATTACH_CHILDREN], *duration;
    bool tree = !children || cli_is_on(c, CLI_ATTACH_CHILDREN);
    printf("Attaching to PID %d using library %s\n", (int)pid, tool);
    fflush(stdout);
    rocattach_status_t status = tree ? rocattach_attach_tree(pid) : rocattach_attach(pid);
    if (status != ROCATTACH_STATUS_SUCCESS) return REFUSE("%s", rat_why());
    printf("Attaching to PID %d using library %s :: success", (int)pid, tool);
    if (rat_attached() > 1) printf(" (and to %zu processes that it started)", rat_attached() - 1);
    duration = c->values[CLI_ATTACH_DURATION_MSEC];
    if (duration)
        printf("\nAttaching for %s msec...\n", duration);
    else
        printf("\nPress Enter to detach...\n");
    fflush(stdout);
    wait_attached(pid, duration);
    printf("Detaching. Please wait, this can take up to 1-2 minutes\n");
    fflush(stdout);
    /* After an interrupt, too, output files are made of the records. */
    cli_interrupted = 0;
    if (rocattach_detach(0) != ROCATTACH_STATUS_SUCCESS) return REFUSE("%s", rat_why());
    printf("Detaching from PID %d using library %s :: success\n", (int)pid, tool);
    return 0;
}

int cli_attach(const cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes)
{
    char tool[2 * PATH_MAX];
    pid_t pid = atoi(c->values[CLI_PID]);
    const char *named = trace_setting_given(TRACE_SET_ATTACH_TOOL_LIBRARY);
    trace_join(tool, sizeof(tool), s->root, CLI_TOOL_LIBRARY);
    if (named)
        snprintf(tool, sizeof(tool), "%s", named);
    else
        trace_setting_set(TRACE_SET_ATTACH_TOOL_LIBRARY, tool);
    int fd = lock_run(s->run);
    if (fd < 0) {
        snprintf(why, why_bytes, "%s/%s: %s", s->run, TRACE_RUN_FILE, strerror(errno));
        return CLI_EXIT_SETUP;
    }
    int result = attach(c, pid, tool, why, why_bytes);
    tell_messages(s->run);
    close(fd);
    return result == 0 ? 0 : CLI_EXIT_SETUP;
}
