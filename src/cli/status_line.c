/* status_line.c - see status_line.h. */
#include "cli/status_line.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "output/follow.h"

enum { EVERY_MS = 500, ROWS_LEAST = 3, COLUMNS_MAX = 240 };

struct cli_status_line {
    int fd, keeper; /* `keeper`: this process's end of the keeper's pipe */
    pid_t keeper_pid;
    out_follow_t *follow;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool over;
    unsigned rows; /* rows of the terminal when its last row was reserved; 0: it is not reserved */
    uint64_t calls, looked_ns;
};

static void put(const cli_status_line_t *l, const char *text, size_t bytes)
{
    ssize_t ignored = write(l->fd, text, bytes);
    (void)ignored; /* if the terminal is gone, no line is needed */
}

/* ---- the keeper ----
 *
 * The keeper is a process that waits for the end of this one, even by SIGKILL, and then frees the
 * terminal's last row if that is still reserved. It gets the number of rows through a pipe; when
 * the pipe is closed, this process has ended. */

static void give_back(int fd, unsigned rows)
{
    char text[64];
    if (!rows) return;
    const int bytes = snprintf(text, sizeof(text), "\0337\033[r\033[%u;1H\033[2K\0338", rows);
    ssize_t ignored = write(fd, text, (size_t)bytes);
    (void)ignored; /* if the terminal is gone, no line is needed */
}

/* Runs in the keeper. It closes all descriptors whose end other processes may wait for, and leaves
 * the process group, so that the terminal's signals do not reach it. */
__attribute__((noreturn)) static void keep(int from, int terminal)
{
    unsigned rows = 0;
    setpgid(0, 0);
    if (dup2(from, 0) == 0 && dup2(terminal, 1) == 1) {
        close_range(2, ~0u, 0);
        while (read(0, &rows, sizeof(rows)) == (ssize_t)sizeof(rows))
            continue;
        give_back(1, rows);
    }
    _exit(0);
}

/* Starts the keeper. If that fails, the line is drawn nevertheless. To be called with all signals
 * blocked. */
static void begin_keeper(cli_status_line_t *l)
{
    int ends[2];
    l->keeper = -1;
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    for (int i = 0; i < 2; i++)
        ends[i] = base_file_own(ends[i]);
    l->keeper_pid = ends[0] >= 0 && ends[1] >= 0 ? fork() : -1;
    if (l->keeper_pid == 0) {
        close(ends[1]);
        keep(ends[0], l->fd);
    }
    if (ends[0] >= 0) close(ends[0]);
    if (l->keeper_pid > 0)
        l->keeper = ends[1];
    else if (ends[1] >= 0)
        close(ends[1]);
}

static void tell_keeper(const cli_status_line_t *l)
{
    ssize_t ignored = l->keeper >= 0 ? write(l->keeper, &l->rows, sizeof(l->rows)) : 0;
    (void)ignored; /* if the keeper was killed, the row stays reserved */
}

static void end_keeper(cli_status_line_t *l)
{
    if (l->keeper < 0) return;
    close(l->keeper);
    while (waitpid(l->keeper_pid, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* ---- the line ---- */

/* Reserves the last row. Before that it moves the cursor down and up again, so that the cursor is
 * not in the last row, which no longer scrolls. */
static void take_row(cli_status_line_t *l, unsigned rows)
{
    char text[64];
    const int bytes = snprintf(text, sizeof(text), "%s\0337\033[1;%ur\0338%s",
                               l->rows ? "" : "\033D", rows - 1, l->rows ? "" : "\033[1A");
    l->rows = rows;
    tell_keeper(l);
    put(l, text, (size_t)bytes);
}

static void give_row_back(cli_status_line_t *l)
{
    give_back(l->fd, l->rows);
    l->rows = 0;
    tell_keeper(l);
}

static void draw(cli_status_line_t *l, const out_followed_t *f)
{
    struct winsize size;
    char line[2 * COLUMNS_MAX], text[3 * COLUMNS_MAX];
    const uint64_t now = base_clock_ns(CLOCK_MONOTONIC), passed = now - l->looked_ns;
    const double rate = passed ? (double)(f->calls - l->calls) * 1e9 / (double)passed : 0;
    l->calls = f->calls;
    l->looked_ns = now;
    if (tcgetpgrp(l->fd) != getpgrp() || ioctl(l->fd, TIOCGWINSZ, &size) != 0 ||
        size.ws_row < ROWS_LEAST || !size.ws_col)
        return;
    int bytes = snprintf(line, sizeof(line), "rocprofv3: %llu records, %.0f kernels/s",
                         (unsigned long long)f->counts.received, rate);
    if (f->kernel_count && f->total_ns)
        bytes += snprintf(line + bytes, sizeof(line) - (size_t)bytes, ", busiest %.80s (%.0f %%)",
                          f->kernels[0].name,
                          100.0 * (double)f->kernels[0].total_ns / (double)f->total_ns);
    snprintf(line + bytes, sizeof(line) - (size_t)bytes, ", %llu dropped",
             (unsigned long long)f->counts.dropped);
    /* names come from the program, and their control characters could move the cursor */
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = '?';
    const unsigned room = size.ws_col > COLUMNS_MAX ? COLUMNS_MAX : size.ws_col;
    if (size.ws_row != l->rows) take_row(l, size.ws_row);
    bytes = snprintf(text, sizeof(text), "\0337\033[%u;1H\033[2K%.*s\0338", l->rows, (int)room - 1,
                     line);
    put(l, text, (size_t)bytes);
}

static void *show(void *argument)
{
    cli_status_line_t *l = argument;
    struct timespec until;
    pthread_mutex_lock(&l->lock);
    while (!l->over) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += EVERY_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (pthread_cond_timedwait(&l->wake, &l->lock, &until) == 0) continue;
        pthread_mutex_unlock(&l->lock);
        const out_followed_t *f = out_follow_look(l->follow);
        if (f) draw(l, f);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    give_row_back(l);
    return NULL;
}

static bool can_draw(int fd)
{
    const char *terminal = base_env("TERM");
    return fd >= 0 && isatty(fd) && terminal && strcmp(terminal, "dumb") != 0;
}

cli_status_line_t *cli_status_line_begin(const char *run)
{
    const int fd = base_log_stderr();
    sigset_t all, before;
    pthread_condattr_t clock;
    if (!can_draw(fd)) return NULL;
    cli_status_line_t *l = calloc(1, sizeof(*l));
    if (!l) return NULL;
    l->fd = fd;
    l->looked_ns = base_clock_ns(CLOCK_MONOTONIC);
    l->follow = out_follow_begin(run);
    pthread_mutex_init(&l->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&l->wake, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    begin_keeper(l);
    const int failed = !l->follow || pthread_create(&l->thread, NULL, show, l) != 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed) return l;
    end_keeper(l);
    out_follow_end(l->follow);
    free(l);
    return NULL;
}

void cli_status_line_end(cli_status_line_t *l)
{
    if (!l) return;
    pthread_mutex_lock(&l->lock);
    l->over = true;
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    end_keeper(l);
    out_follow_end(l->follow);
    pthread_cond_destroy(&l->wake);
    pthread_mutex_destroy(&l->lock);
    free(l);
}
