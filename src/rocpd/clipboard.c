/* clipboard.c - see clipboard.h. The program that takes the text keeps it and goes on running in
 * the background. So it must not inherit the write end of a pipe, whose reader would wait for the
 * end of that program. */
#include "rocpd/clipboard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/env.h"
#include "base/log.h"

extern char **environ;

/* The programs, in the order in which they are tried: first that of Wayland, in a Wayland session
 * only. */
static const struct {
    const char *words[4];
    bool wayland;
} programs[] = {
    {{"wl-copy", NULL}, true},
    {{"xclip", "-selection", "clipboard", NULL}, false},
    {{"xsel", "--clipboard", "--input", NULL}, false},
    {{"wl-copy", NULL}, false},
};

/* Starts the program; *to is its standard input. Returns 0, or an error number: ENOENT if there is
 * no such program. */
static int start(const char *const *words, pid_t *child, int *to)
{
    int ends[2], problem = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    if (problem) return problem;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
    problem = posix_spawnp(child, words[0], &files, &how, (char *const *)words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    *to = ends[1];
    if (problem) close(ends[1]);
    return problem;
}

static int put(int to, const char *text, size_t bytes)
{
    while (bytes) {
        const ssize_t n = write(to, text, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* Gives the text to the program. Its messages, as about a display that it cannot reach, go to
 * standard error. */
static int give(const char *name, pid_t child, int to, const char *text, size_t bytes)
{
    int status = 0;
    const int problem = put(to, text, bytes);
    close(to);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !problem) return 0;
    if (WIFSIGNALED(status))
        base_error("%s: ended by signal %d, the clipboard is as it was", name, WTERMSIG(status));
    else
        base_error("%s: %s (status %d), the clipboard is as it was", name,
                   problem ? strerror(problem) : "has failed", WEXITSTATUS(status));
    return -1;
}

int rocpd_clipboard(const char *text, size_t bytes)
{
    const bool wayland = base_env("WAYLAND_DISPLAY");
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    int result = -1, problem = ENOENT, to = -1;
    const char *name = NULL;
    pid_t child = 0;
    sigaction(SIGPIPE, &ignore, &before); /* if the program ends early, its exit status shows it */
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs) && problem == ENOENT; i++) {
        if (programs[i].wayland && !wayland) continue;
        name = programs[i].words[0];
        problem = start(programs[i].words, &child, &to);
    }
    if (!problem)
        result = give(name, child, to, text, bytes);
    else if (problem == ENOENT)
        base_error(
            "there is no program that knows the clipboard: install wl-clipboard, xclip or xsel");
    else
        base_error("%s: %s", name, strerror(problem));
    sigaction(SIGPIPE, &before, NULL);
    return result;
}
