/* main.c - softgpu-translator: compiles what libsoftgpu of a running program asks for, by LLVM.
 *
 * It is a process of its own, so that nothing that LLVM does, or fails at, happens in that program:
 * whose end and forks need not wait, and which may use another LLVM. Nobody waits for this process.
 * It ends with the program, or when that closes its socket. */
#include "softgpu/translator/llvm.h"
#include "softgpu/translator/protocol.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SOCKET = STDIN_FILENO, WHY = 1000 };

static llvm_library_t libraries[TRANSLATOR_LIBRARIES];

static bool read_all(void *to, size_t bytes)
{
    while (bytes) {
        const ssize_t n = recv(SOCKET, to, bytes, MSG_WAITALL);
        if (n <= 0) return false;
        to = (char *)to + n;
        bytes -= (size_t)n;
    }
    return true;
}

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

/* Sets all up so that the program and its user do not notice this process: it takes signals again,
 * which were blocked when it was started, holds no file of the program's but the socket, no folder,
 * prints nothing, and leaves no core. When the other end of the socket is closed while LLVM is at
 * work, SIGIO ends the process. */
static void set_up(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGIO, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    closefrom(SOCKET + 1);
    const int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) dup2(nothing, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    fcntl(SOCKET, F_SETOWN, getpid());
}

static void watch_socket(bool wanted)
{
    fcntl(SOCKET, F_SETFL, wanted ? O_ASYNC : 0);
}

/* Loads LLVM, and tells of it. */
static bool greet(void)
{
    translator_hello_t hello = {
        .magic = TRANSLATOR_MAGIC, .version = TRANSLATOR_VERSION, .process = (uint64_t)getpid()};
    struct stat st;
    const char *path = llvm_load();
    const bool found = path && strlen(path) < sizeof hello.path && stat(path, &st) == 0;
    if (found) {
        strcpy(hello.path, path);
        hello.size = (uint64_t)st.st_size;
        hello.mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
    }
    return write_all(&hello, sizeof hello) && found;
}

/* Keeps the bitcode, which is `bytes`, on the heap; the answer is its functions' names. */
static char *take_library(const translator_request_t *r, char *bytes, size_t *size, char *why)
{
    llvm_library_t *l = &libraries[r->library];
    *l = (llvm_library_t){bytes, strndup(r->cpu, sizeof r->cpu), r->bytes, NULL};
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
    if (!read_all(&r, sizeof r) || r.bytes > TRANSLATOR_MOST || r.library >= TRANSLATOR_LIBRARIES)
        return false;
    char *bytes = malloc(r.bytes + 1), *answer = NULL, why[WHY] = "";
    size_t size = 0;
    if (!bytes || !read_all(bytes, r.bytes)) return false;
    bytes[r.bytes] = '\0';
    watch_socket(true);
    answer = r.kind == TRANSLATOR_LIBRARY ? take_library(&r, bytes, &size, why)
                                          : compile(&r, bytes, &size, why);
    watch_socket(false);
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
