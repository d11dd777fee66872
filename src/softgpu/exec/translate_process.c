/* translate_process.c - starts softgpu-translator and speaks with it (translator/protocol.h).
 *
 * The process must not be a child of the program's, which might wait for all of its children. So a
 * child starts it and ends at once: by then the process is init's. The child tells nobody of its
 * end, as it was made without a signal for that. */
#include "softgpu/exec/translate_internal.h"

#include "base/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STACK = 64 << 10, /* bytes, of each of the two that start the process */
    STARTS = 3,       /* that are tried */
    FREE_FROM = 200,  /* the socket's number is at least that: programs may count on low ones */
    SECONDS = 300     /* for which an answer is waited for */
};

static struct {
    char *path, *folders;  /* the program's; LD_LIBRARY_PATH with its name, or NULL */
    int socket, other;     /* this end, and that of the process, until it has it; -1: closed */
    dev_t device;          /* of this end, */
    ino_t inode;           /* which say whether the socket is still the one that was opened */
    unsigned starts;       /* so far */
    isa_refused_t refused; /* why no start is tried any more */
    translator_hello_t hello;
} state = {.socket = -1, .other = -1};

/* Held while descriptors are opened that a forked child must not inherit unknown. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

const translator_llvm_t *isa_process_llvm(void)
{
    return &state.hello.llvm;
}

int isa_process_id(void)
{
    return state.socket < 0 ? 0 : (int)state.hello.process;
}

/* ---- what is noted beforehand ---- */

/* The file that has this code, to be freed: a library by its name, a program by the kernel's, since
 * the loader knows only how it was called. */
static char *own_file(void)
{
    static const char anchor;
    Dl_info own, program;
    if (!dladdr(&anchor, &own) || !own.dli_fname) return NULL;
    if (dladdr((const void *)getauxval(AT_PHDR), &program) && program.dli_fbase == own.dli_fbase)
        return realpath("/proc/self/exe", NULL);
    return realpath(own.dli_fname, NULL);
}

void isa_process_setup(void)
{
    char *own = own_file();
    const char *folders = getenv("LD_LIBRARY_PATH");
    if (own) {
        *strrchr(own, '/') = '\0';
        if (asprintf(&state.path, "%s/" TRANSLATOR_PROGRAM, own) < 0) state.path = NULL;
        free(own);
    }
    if (folders && asprintf(&state.folders, "LD_LIBRARY_PATH=%s", folders) < 0)
        state.folders = NULL;
}

/* ---- the process ---- */

/* What the two that start the process need. They share this one's memory. */
typedef struct {
    char *path, *environment[2];
    int socket;
    char *stack; /* two of STACK bytes: the upper one is the child's */
} start_t;

static int become_translator(void *at)
{
    const start_t *s = at;
    char *const arguments[] = {TRANSLATOR_PROGRAM, NULL};
    /* what dup2() makes is not closed by execve() */
    const int given =
        s->socket == STDIN_FILENO ? fcntl(s->socket, F_SETFD, 0) : dup2(s->socket, STDIN_FILENO);
    if (given == 0) execve(s->path, arguments, s->environment);
    _exit(1);
}

static int start_translator(void *at)
{
    const start_t *s = at;
    _exit(clone(become_translator, s->stack + STACK, CLONE_VM | CLONE_VFORK, at) < 0);
}

/* Runs start_translator() in a child, with signals blocked, as their handlers are the program's.
 * Returns 0 or an error number. */
static int run_start(start_t *s)
{
    sigset_t all, before;
    int status = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int child = clone(start_translator, s->stack + 2 * STACK, CLONE_VM | CLONE_VFORK, s);
    const int error = errno;
    if (child > 0)
        while (waitpid(child, &status, __WCLONE) < 0 && errno == EINTR) {
        }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child > 0 ? 0 : error;
}

static int start_with(int socket)
{
    start_t s = {.path = state.path, .environment = {state.folders}, .socket = socket};
    s.stack = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s.stack == MAP_FAILED) return errno;
    const int error = run_start(&s);
    munmap(s.stack, 2 * STACK);
    return error;
}

/* Whether processes without a parent become children of this one: init's, of a container too, and
 * a subreaper's. */
static bool gets_orphans(void)
{
    int subreaper = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &subreaper) == 0 && subreaper);
}

/* ---- the socket ---- */

/* Whether the socket is still the one that was opened: a program may close what it does not know,
 * and open something else, which must not be written to. */
static bool is_ours(void)
{
    struct stat st;
    return state.socket >= 0 && fstat(state.socket, &st) == 0 && S_ISSOCK(st.st_mode) &&
           st.st_dev == state.device && st.st_ino == state.inode;
}

void isa_process_end(void)
{
    if (is_ours()) close(state.socket);
    state.socket = -1;
}

/* Both look at the socket for each piece, as the program may close it at any moment. */
bool isa_process_send(const void *from, size_t bytes)
{
    while (bytes && is_ours()) {
        const ssize_t n = send(state.socket, from, bytes, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from = (const char *)from + n;
        bytes -= (size_t)n;
    }
    return !bytes;
}

bool isa_process_receive(void *to, size_t bytes)
{
    while (bytes && is_ours()) {
        const ssize_t n = recv(state.socket, to, bytes, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to = (char *)to + n;
        bytes -= (size_t)n;
    }
    return !bytes;
}

/* Opens the pair, this end by a high number. */
static bool open_pair(void)
{
    const struct timeval limit = {.tv_sec = SECONDS};
    struct stat st;
    int end[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0) return false;
    state.other = end[1];
    state.socket = fcntl(end[0], F_DUPFD_CLOEXEC, FREE_FROM);
    if (state.socket < 0) state.socket = fcntl(end[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(end[0]);
    if (state.socket < 0 || fstat(state.socket, &st) != 0) return false;
    state.device = st.st_dev;
    state.inode = st.st_ino;
    return setsockopt(state.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0;
}

/* Starts the process with the other end. Returns 0 or an error number. */
static int start_connected(void)
{
    pthread_mutex_lock(&starting);
    int error = open_pair() ? 0 : errno;
    if (!error) error = start_with(state.other);
    if (state.other >= 0) close(state.other);
    state.other = -1;
    pthread_mutex_unlock(&starting);
    return error;
}

/* ---- the beginning ---- */

/* Why no start is tried at all; ISA_REFUSED_NOT: one is. */
static isa_refused_t look(void)
{
    const char *why = NULL;
    if (!state.path || access(state.path, X_OK) != 0)
        why = "it is not beside libsoftgpu.so";
    else if (gets_orphans())
        why = "this process is init or a subreaper, whose child it would be";
    if (!why) return ISA_REFUSED_NOT;
    base_info("there is no " TRANSLATOR_PROGRAM ", code is interpreted: %s", why);
    return state.refused = ISA_REFUSED_PROCESS;
}

static bool receive_greeting(translator_hello_t *h)
{
    const size_t head = offsetof(translator_hello_t, process);
    return isa_process_receive(h, head) && h->magic == TRANSLATOR_MAGIC &&
           h->version == TRANSLATOR_VERSION &&
           isa_process_receive((char *)h + head, sizeof *h - head) &&
           memchr(h->llvm.path, '\0', sizeof h->llvm.path);
}

static isa_refused_t start(void)
{
    translator_hello_t hello;
    const int error = start_connected();
    if (error) {
        base_info(TRANSLATOR_PROGRAM " cannot be started: %s", strerror(error));
        return ISA_REFUSED_PROCESS;
    }
    if (!receive_greeting(&hello)) {
        base_info(TRANSLATOR_PROGRAM " has ended, or is of another build");
        return ISA_REFUSED_PROCESS;
    }
    if (*hello.llvm.path) {
        state.hello = hello;
        return ISA_REFUSED_NOT;
    }
    base_info("there is no libLLVM, of versions 15 to 19: code is interpreted");
    return state.refused = ISA_REFUSED_LLVM;
}

isa_refused_t isa_process_begin(bool *begun)
{
    *begun = !is_ours();
    if (!*begun) return ISA_REFUSED_NOT;
    isa_process_end();
    if (state.refused) return state.refused;
    if (!state.starts && look()) return state.refused;
    if (state.starts++ == STARTS) return state.refused = ISA_REFUSED_PROCESS;
    const isa_refused_t why = start();
    if (why) isa_process_end();
    return why;
}

/* ---- forks ---- */

void isa_process_before_fork(void)
{
    pthread_mutex_lock(&starting);
}

void isa_process_after_fork(bool in_child)
{
    if (in_child) { /* the process is the parent's */
        isa_process_end();
        state.starts = 0;
        pthread_mutex_init(&starting, NULL);
    } else {
        pthread_mutex_unlock(&starting);
    }
}
