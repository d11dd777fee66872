/* main.c - softgpu-translator compiles, by LLVM, what libsoftgpu asks for.
 *
 * LLVM has a process of its own, so that it does nothing to the user's program: the end and the
 * forks of that program wait for no translation, an error of LLVM does not end it, and it may have
 * another LLVM. The process ends with that program, or when that closes its end of the socket. */
#include "softgpu/translator/llvm.h"
#include "softgpu/translator/protocol.h"

#include "base/whole.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SOCKET = STDIN_FILENO, WHY = 1000 };

static llvm_library_t libraries[TRANSLATOR_LIBRARIES];

static bool write_all(const void *from, size_t bytes)
{
    while (bytes) {
        const ssize_t n = send(SOCKET, from, bytes, MSG_NOSIGNAL);
        if (n <= 0) return false;
        from = (const char *)from + n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Sees to it that the user and the user's program do not notice this process. It takes signals
 * again, which were blocked when it was started, but has no terminal, whose signals are for the
 * program; it holds none of the program's files but the socket; it prints nothing and leaves no
 * core. */
static void set_up(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGIO, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    closefrom(SOCKET + 1);
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) dup2(nothing, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    fcntl(SOCKET, F_SETOWN, getpid());
}

/* Whether the other end of the socket is closed. */
static bool is_closed(void)
{
    struct pollfd p = {.fd = SOCKET, .events = POLLRDHUP};
    return poll(&p, 1, 0) == 1;
}

/* While it is watched, SIGIO ends this process when the other end of the socket is closed. False:
 * it was closed already. */
static bool watch_socket(void)
{
    return fcntl(SOCKET, F_SETFL, O_ASYNC) == 0 && !is_closed();
}

static void unwatch_socket(void)
{
    fcntl(SOCKET, F_SETFL, 0);
}

/* Loads LLVM, and tells of it. */
static bool greet(void)
{
    translator_hello_t hello = {
        .magic = TRANSLATOR_MAGIC, .version = TRANSLATOR_VERSION, .process = (uint64_t)getpid()};
    const char *path = llvm_load();
    if (path && strlen(path) < sizeof hello.llvm.path) strcpy(hello.llvm.path, path);
    if (!translator_look_at(&hello.llvm)) hello.llvm = (translator_llvm_t){0};
    return write_all(&hello, sizeof hello) && *hello.llvm.path;
}

/* Keeps the bitcode, `bytes`, on the heap; the answer is the names of its functions. */
static char *take_library(const translator_request_t *r, char *bytes, size_t *size, char *why)
{
    llvm_library_t *l = &libraries[r->library];
    const char *cpu = strndup(r->cpu, sizeof r->cpu);
    if (!cpu) return NULL;
    *l = (llvm_library_t){bytes, cpu, r->bytes, (int)r->level, NULL};
    return llvm_names(l, size, why, WHY);
}

/* Compiles `bytes`: passes, and the assembly behind them. */
static char *compile(const translator_request_t *r, const char *bytes, size_t *size, char *why)
{
    const size_t passes = strlen(bytes) + 1;
    llvm_library_t *l = &libraries[r->library];
    if (l->bitcode && passes < r->bytes)
        return llvm_compile(l, bytes, bytes + passes, size, why, WHY);
    snprintf(why, WHY, "the request has no library, or no code");
    return NULL;
}

static uint64_t time_e6(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* One request and its reply; false: that was the last. */
static bool serve(void)
{
    static uint64_t told_e6;
    translator_request_t r;
    if (!base_read_whole(SOCKET, &r, sizeof r) || r.bytes > TRANSLATOR_MOST ||
        r.library >= TRANSLATOR_LIBRARIES)
        return false;
    char *bytes = malloc(r.bytes + 1), *answer = NULL, why[WHY] = "no memory";
    size_t size = 0;
    if (!bytes || !base_read_whole(SOCKET, bytes, r.bytes)) return false;
    bytes[r.bytes] = '\0';
    if (!watch_socket()) return false;
    answer = r.kind == TRANSLATOR_LIBRARY ? take_library(&r, bytes, &size, why)
                                          : compile(&r, bytes, &size, why);
    unwatch_socket();
    if (r.kind != TRANSLATOR_LIBRARY) free(bytes);
    const uint64_t now = time_e6();
    const translator_reply_t reply = {!answer, answer ? size : strlen(why), now - told_e6};
    told_e6 = now;
    const bool told =
        write_all(&reply, sizeof reply) && write_all(answer ? answer : why, reply.bytes);
    free(answer);
    return told;
}

int main(void)
{
    set_up();
    if (!greet()) return EXIT_FAILURE;
    if (chdir("/") != 0) return EXIT_FAILURE;
    while (serve()) {
    }
    return EXIT_SUCCESS;
}
