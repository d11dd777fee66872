// scene.h - runs parts of a test in child processes and tells how they ended, for tests of faults,
// signals and exit paths. The parent must not use HIP before its last child has been forked.
#pragma once
#include "check.h"

#include <functional>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct scene_end {
    int status;        // exit status, 128 + n after signal n, -1 if it had to be killed
    std::string out;   // all of its standard output and standard error
};

// What AMD's HSA says of signals of its own at the end of a process is not the program's.
static inline void scene_forget_signals(std::string &text)
{
    for (size_t at; (at = text.find("Warning: Resource leak detected by SharedSignalPool")) != text.npos;) {
        const size_t end = text.find('\n', at);
        text.erase(at, end == text.npos ? end : end + 1 - at);
    }
}

// Collects what the child writes for at most `seconds`, then waits for it.
static inline scene_end scene_wait(pid_t child, int fd, int seconds)
{
    scene_end end{-1, ""};
    char buffer[4096];
    for (int ms = seconds * 1000; ms > 0;) {
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, 100) == 0) {
            ms -= 100;
            continue;
        }
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n <= 0) break;
        end.out.append(buffer, (size_t)n);
    }
    scene_forget_signals(end.out);
    int status = 0;
    for (int tries = 0; tries < 100 && waitpid(child, &status, WNOHANG) == 0; tries++) {
        usleep(20000);
        if (tries == 99) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return end;
        }
    }
    end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return end;
}

static inline pid_t scene_start(const std::function<int()> &body, int *fd)
{
    int pipes[2];
    std::fflush(stdout);
    if (pipe(pipes) != 0) std::exit(3);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], 1);
        dup2(pipes[1], 2);
        close(pipes[0]);
        close(pipes[1]);
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        setvbuf(stdout, nullptr, _IONBF, 0);
        std::exit(body());
    }
    close(pipes[1]);
    *fd = pipes[0];
    return child;
}

static inline scene_end scene_run(const std::function<int()> &body, int seconds = 30)
{
    int fd;
    pid_t child = scene_start(body, &fd);
    scene_end end = scene_wait(child, fd, seconds);
    close(fd);
    return end;
}
