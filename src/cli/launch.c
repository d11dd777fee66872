/* launch.c - see launch.h. It handles processes and signals; session.c prepares the program's
 * environment. */
#include "cli/launch.h"

#include "base/file.h"
#include "base/log.h"
#include "cli/search.h"
#include "cli/status_line.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

volatile sig_atomic_t cli_interrupted;

static volatile sig_atomic_t child; /* 0 while no program runs */

/* Returns true for signals that are not passed on to the program: faults, SIGCHLD, those that
 * cannot be caught, and stops for access to the terminal. SIGPIPE and SIGXFSZ, which rocprofv3's
 * own writes may cause, are not passed on either, but caught: the write fails instead, and is
 * reported. */
static bool is_own(int signal)
{
    switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGCHLD:
    case SIGSEGV:
    case SIGBUS:
    case SIGILL:
    case SIGFPE:
    case SIGTRAP:
    case SIGSYS:
    case SIGABRT: return true;
    default: return signal >= __SIGRTMIN && signal < SIGRTMIN; /* reserved by the C library */
    }
}

static bool is_of_writing(int signal)
{
    return signal == SIGPIPE || signal == SIGXFSZ;
}

/* Returns whether the terminal has sent the signal: it sends signals to the whole foreground
 * process group, so the child has got this one already. */
static bool comes_from_terminal(int signal)
{
    return signal == SIGINT || signal == SIGQUIT || signal == SIGHUP || signal == SIGTSTP ||
           signal == SIGWINCH || signal == SIGCONT;
}

static void pass_on(int signal, const siginfo_t *info)
{
    if (info->si_code == SI_KERNEL && comes_from_terminal(signal)) return;
    if (info->si_code == SI_QUEUE)
        sigqueue((pid_t)child, signal, info->si_value);
    else
        kill((pid_t)child, signal);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    (void)context;
    if (is_of_writing(signal) && info->si_pid == getpid())
        ; /* the write fails and reports the error */
    else if (child)
        pass_on(signal, info);
    else if (signal != SIGCONT && signal != SIGWINCH && signal != SIGURG && signal != SIGTSTP)
        cli_interrupted = signal;
    if (signal == SIGTSTP) raise(SIGSTOP);
    errno = error;
}

int cli_find_program(const char *name, char *path, size_t path_bytes, char *why, size_t why_bytes)
{
    switch (cli_search(name, getenv("PATH"), path, path_bytes)) {
    case CLI_SEARCH_FOUND: return 0;
    case CLI_SEARCH_DIRECTORY:
        snprintf(why, why_bytes, "cannot run '%s': it is a directory", name);
        return CLI_EXIT_NOT_EXECUTABLE;
    case CLI_SEARCH_NOT_EXECUTABLE:
        snprintf(why, why_bytes, "cannot run '%s': no permission to execute it (chmod +x?)", name);
        return CLI_EXIT_NOT_EXECUTABLE;
    case CLI_SEARCH_NOTHING: break;
    }
    snprintf(why, why_bytes,
             strchr(name, '/') ? "cannot run '%s': no such file"
                               : "cannot run '%s': not found in PATH (./%s?)",
             name, name);
    return CLI_EXIT_NOT_FOUND;
}

typedef struct {
    struct sigaction before[_NSIG], child_before;
    sigset_t mask;
} signals_t;

/* Signal mask and handlers with which rocprofv3 was started. */
static signals_t found;
static bool taken; /* `found` is filled in */

void cli_take_signals(void)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction standard = {.sa_handler = SIG_DFL};
    if (taken) return;
    taken = true;
    sigfillset(&ours.sa_mask);
    sigprocmask(SIG_SETMASK, NULL, &found.mask);
    sigaction(SIGCHLD, &standard, &found.child_before);
    for (int i = 1; i <= SIGRTMAX; i++) {
        if (is_own(i) || sigaction(i, NULL, &found.before[i]) != 0) continue;
        if (found.before[i].sa_handler != SIG_IGN) sigaction(i, &ours, NULL);
    }
}

static void give_back_signals(void)
{
    if (!taken) return;
    for (int i = 1; i <= SIGRTMAX; i++)
        if (!is_own(i)) sigaction(i, &found.before[i], NULL);
    sigaction(SIGCHLD, &found.child_before, NULL);
    sigprocmask(SIG_SETMASK, &found.mask, NULL);
}

/* Executes the program in this process; returns with errno if that fails. */
static void become(const char *path, char **argv, const char *preload)
{
    if (preload) setenv("LD_PRELOAD", preload, 1);
    give_back_signals();
    execv(path, argv);
    if (errno == ENOEXEC) { /* a script without #!, which the shell has to run */
        size_t count = 0;
        while (argv[count])
            count++;
        char **words = calloc(count + 2, sizeof(*words));
        if (words) {
            words[0] = (char *)"sh";
            words[1] = (char *)(size_t)path;
            for (size_t i = 1; i < count; i++)
                words[i + 1] = argv[i];
            execv("/bin/sh", words);
        }
    }
}

/* Runs in the child: executes the program. An error is reported through the pipe, which a
 * successful exec closes. */
__attribute__((noreturn)) static void become_or_report(const char *path, char **argv,
                                                       const char *preload, int report)
{
    become(path, argv, preload);
    int error = errno;
    ssize_t ignored = write(report, &error, sizeof(error));
    (void)ignored;
    _exit(CLI_EXIT_NOT_EXECUTABLE);
}

static int await(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return CLI_EXIT_SETUP;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int cli_run(const char *path, char **argv, const char *preload, const char *shown, pid_t *pid,
            char *why, size_t why_bytes)
{
    int report[2], error = 0;
    bool made = pipe2(report, O_CLOEXEC) == 0;
    for (int i = 0; made && i < 2; i++)
        report[i] = base_file_own(report[i]);
    if (!made || report[0] < 0 || report[1] < 0) {
        snprintf(why, why_bytes, "cannot start '%s': %s", path, strerror(errno));
        return CLI_EXIT_SETUP;
    }
    sigset_t all;
    fflush(NULL);
    cli_take_signals();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    *pid = fork();
    if (*pid == 0) become_or_report(path, argv, preload, report[1]);
    error = *pid < 0 ? errno : 0;
    child = (sig_atomic_t)(*pid < 0 ? 0 : *pid);
    sigprocmask(SIG_SETMASK, &found.mask, NULL);
    close(report[1]);
    int status = CLI_EXIT_SETUP;
    if (!error) {
        ssize_t told;
        while ((told = read(report[0], &error, sizeof(error))) < 0 && errno == EINTR)
            continue;
        /* The thread of the line is started after the fork, since a child would not have it. */
        cli_status_line_t *line = shown && !error ? cli_status_line_begin(shown) : NULL;
        status = await(*pid);
        cli_status_line_end(line);
        child = 0;
    }
    close(report[0]);
    if (error) snprintf(why, why_bytes, "cannot start '%s': %s", path, strerror(error));
    return status;
}

int cli_become(const char *path, char **argv, const char *preload, char *why, size_t why_bytes)
{
    fflush(NULL);
    become(path, argv, preload);
    snprintf(why, why_bytes, "cannot start '%s': %s", path, strerror(errno));
    return CLI_EXIT_SETUP;
}
