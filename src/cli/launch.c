/* launch.c - see launch.h. Processes and signals; what the program is given belongs to session.c.
 */
#include "cli/launch.h"

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

static volatile sig_atomic_t child; /* 0 before and after */

static const int forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

enum { FORWARDED = sizeof(forwarded) / sizeof(*forwarded) };

/* What the terminal sends goes to the whole foreground group, so the child has it already. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    (void)context;
    if (!child)
        cli_interrupted = signal;
    else if (info->si_code != SI_KERNEL)
        kill((pid_t)child, signal);
    errno = error;
}

int cli_find_program(const char *name, char *path, size_t path_bytes, char *why, size_t why_bytes)
{
    bool seen = false;
    const char *search = strchr(name, '/') ? NULL : getenv("PATH");
    if (!search && !strchr(name, '/')) search = "/usr/local/bin:/usr/bin:/bin";
    for (const char *at = search;; at += strcspn(at, ":") + 1) {
        struct stat st;
        int length = at ? (int)strcspn(at, ":") : 0;
        if (at)
            snprintf(path, path_bytes, "%.*s/%s", length ? length : 1, length ? at : ".", name);
        else
            snprintf(path, path_bytes, "%s", name);
        if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
            if (access(path, X_OK) == 0) return 0;
            seen = true;
        } else if (!at && stat(path, &st) == 0) {
            snprintf(why, why_bytes, "cannot run '%s': it is a directory", name);
            return CLI_EXIT_NOT_EXECUTABLE;
        }
        if (!at || !at[length]) break;
    }
    if (seen) {
        snprintf(why, why_bytes, "cannot run '%s': no permission to execute it (chmod +x?)", name);
        return CLI_EXIT_NOT_EXECUTABLE;
    }
    snprintf(why, why_bytes,
             search ? "cannot run '%s': not found in PATH (./%s?)"
                    : "cannot run '%s': no such file",
             name, name);
    return CLI_EXIT_NOT_FOUND;
}

typedef struct {
    struct sigaction before[FORWARDED], child_before;
    sigset_t mask;
} signals_t;

/* Signals that were ignored stay so, as under nohup. */
static void take_signals(signals_t *s)
{
    struct sigaction ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t all;
    sigfillset(&ours.sa_mask);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &s->mask);
    sigaction(SIGCHLD, &standard, &s->child_before);
    for (int i = 0; i < FORWARDED; i++) {
        sigaction(forwarded[i], NULL, &s->before[i]);
        if (s->before[i].sa_handler != SIG_IGN) sigaction(forwarded[i], &ours, NULL);
    }
}

static void give_back_signals(const signals_t *s)
{
    for (int i = 0; i < FORWARDED; i++)
        sigaction(forwarded[i], &s->before[i], NULL);
    sigaction(SIGCHLD, &s->child_before, NULL);
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

/* In the child. What goes wrong is told through the pipe, which a successful exec closes. */
__attribute__((noreturn)) static void become(const char *path, char **argv, const char *preload,
                                             const signals_t *s, int report)
{
    if (preload) setenv("LD_PRELOAD", preload, 1);
    give_back_signals(s);
    execv(path, argv);
    if (errno == ENOEXEC) { /* a script without a first line, as the shell runs it */
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

int cli_run(const char *path, char **argv, const char *preload, pid_t *pid, char *why,
            size_t why_bytes)
{
    signals_t signals;
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        snprintf(why, why_bytes, "cannot start '%s': %s", path, strerror(errno));
        return CLI_EXIT_SETUP;
    }
    fflush(NULL);
    take_signals(&signals);
    *pid = fork();
    if (*pid == 0) become(path, argv, preload, &signals, report[1]);
    error = *pid < 0 ? errno : 0;
    child = (sig_atomic_t)(*pid < 0 ? 0 : *pid);
    sigprocmask(SIG_SETMASK, &signals.mask, NULL);
    close(report[1]);
    int status = CLI_EXIT_SETUP;
    if (!error) {
        ssize_t told;
        while ((told = read(report[0], &error, sizeof(error))) < 0 && errno == EINTR)
            continue;
        status = await(*pid);
        child = 0;
    }
    close(report[0]);
    if (error) snprintf(why, why_bytes, "cannot start '%s': %s", path, strerror(error));
    return status;
}
