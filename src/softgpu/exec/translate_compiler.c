/* translate_compiler.c - has softgpu-translator compile, a process that is started when the first
 * code is hot (translator/protocol.h).
 *
 * The process is no child of this one, whose program would else be told of its end: it is a child's
 * child, and the child ends at once and tells nobody. One thread at a time uses this file: the one
 * that translates. */
#include "softgpu/exec/translate_internal.h"

#include "base/log.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    STACK = 64 << 10, /* bytes, of each of the two that start the process */
    STARTS = 3,       /* that are tried, if the process ends too early */
    FREE_FROM = 200   /* the socket's number is at least that: programs may count on low ones */
};

/* The names of a library's functions, sorted. */
typedef struct {
    const char **name;
    size_t names;
} functions_t;

static struct {
    int socket; /* below 0: no process runs */
    dev_t device;
    ino_t inode; /* of the socket */
    unsigned starts;
    translator_hello_t hello;
    bool given[TRANSLATOR_LIBRARIES];
    functions_t functions[TRANSLATOR_LIBRARIES]; /* these stay for the next process */
    const functions_t *open;
} state = {.socket = -1};

isa_llvm_file_t isa_compiler_llvm(void)
{
    isa_llvm_file_t f = {state.hello.size, state.hello.mtime, ""};
    memcpy(f.path, state.hello.path, sizeof f.path);
    return f;
}

int isa_compiler_process(void)
{
    return state.socket < 0 ? 0 : (int)state.hello.process;
}

/* ---- the process ---- */

/* The program's path: beside the library, or program, that has this code. */
static bool find_program(char *path, size_t size)
{
    static const char anchor;
    char self[PATH_MAX];
    Dl_info info;
    if (!dladdr(&anchor, &info) || !info.dli_fname) return false;
    const char *name = info.dli_fname;
    if (!strchr(name, '/')) { /* a program, of which the loader knows only how it was called */
        const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
        if (n <= 0) return false;
        self[n] = '\0';
        name = self;
    }
    const int folder = (int)(strrchr(name, '/') - name);
    const int n = snprintf(path, size, "%.*s/" TRANSLATOR_PROGRAM, folder, name);
    return n > 0 && (size_t)n < size && access(path, X_OK) == 0;
}

/* What the two processes that start it need. They share this one's memory. */
typedef struct {
    char *path, *environment[2];
    int socket;
    char *stack; /* two of STACK bytes: the upper one is the child's */
} start_t;

static int become_program(void *at)
{
    const start_t *s = at;
    char *const arguments[] = {TRANSLATOR_PROGRAM, NULL};
    /* what dup2() makes is not closed by execve() */
    const int given =
        s->socket == STDIN_FILENO ? fcntl(s->socket, F_SETFD, 0) : dup2(s->socket, STDIN_FILENO);
    if (given == 0) execve(s->path, arguments, s->environment);
    _exit(1);
}

static int begin_program(void *at)
{
    const start_t *s = at;
    _exit(clone(become_program, s->stack + STACK, CLONE_VM | CLONE_VFORK, at) < 0);
}

/* Runs begin_program(), with signals blocked, as the handlers are the program's own. */
static bool run_start(start_t *s)
{
    sigset_t all, before;
    int status = 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int child = clone(begin_program, s->stack + 2 * STACK, CLONE_VM | CLONE_VFORK, s);
    if (child > 0)
        while (waitpid(child, &status, __WCLONE) < 0 && errno == EINTR) {
        }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child > 0;
}

/* Starts the program with the other end of a socket. */
static bool start_with(int socket, char *path)
{
    char variable[PATH_MAX];
    start_t s = {.path = path, .socket = socket};
    const char *folders = getenv("LD_LIBRARY_PATH");
    if (folders && (size_t)snprintf(variable, sizeof variable, "LD_LIBRARY_PATH=%s", folders) <
                       sizeof variable)
        s.environment[0] = variable;
    s.stack = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s.stack == MAP_FAILED) return false;
    const bool started = run_start(&s);
    munmap(s.stack, 2 * STACK);
    return started;
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

static void close_socket(void)
{
    if (is_ours()) close(state.socket);
    state.socket = -1;
    memset(state.given, 0, sizeof state.given);
}

static bool send_all(const void *from, size_t bytes)
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

static bool receive(void *to, size_t bytes)
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

/* Notes the number and the identity of this end of the socket. */
static bool keep_socket(int socket)
{
    struct stat st;
    state.socket = fcntl(socket, F_DUPFD_CLOEXEC, FREE_FROM);
    if (state.socket < 0) state.socket = fcntl(socket, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(socket);
    if (state.socket < 0 || fstat(state.socket, &st) != 0) return false;
    state.device = st.st_dev;
    state.inode = st.st_ino;
    return true;
}

static bool start(void)
{
    char path[PATH_MAX];
    int end[2];
    state.starts++;
    if (!find_program(path, sizeof path)) {
        base_info("there is no program %s: loops are interpreted", TRANSLATOR_PROGRAM);
        return false;
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0) return false;
    const bool kept = keep_socket(end[0]), started = kept && start_with(end[1], path);
    close(end[1]);
    return started && receive(&state.hello, sizeof state.hello) &&
           state.hello.magic == TRANSLATOR_MAGIC && state.hello.version == TRANSLATOR_VERSION;
}

bool isa_compiler_begin(void)
{
    if (is_ours()) return true;
    close_socket();
    if (state.starts >= STARTS) return false;
    if (start() && memchr(state.hello.path, '\0', sizeof state.hello.path) && *state.hello.path)
        return true;
    if (state.starts && is_ours()) base_info("no LLVM is installed: loops are interpreted");
    state.starts = STARTS; /* what does not start the first time never does */
    state.hello = (translator_hello_t){0};
    close_socket();
    return false;
}

void isa_compiler_leave(void)
{
    close_socket();
    state.starts = 0;
    state.open = NULL;
}

/* ---- requests ---- */

/* Sends a request with two pieces behind it, and returns the answer, to be freed; NULL on failure,
 * of which a line is logged. */
static char *ask(translator_request_t r, const void *first, const void *second, size_t second_bytes,
                 size_t *size)
{
    translator_reply_t reply;
    const size_t first_bytes = (size_t)r.bytes - second_bytes;
    char *answer = NULL;
    const bool whole = send_all(&r, sizeof r) && send_all(first, first_bytes) &&
                       send_all(second, second_bytes) && receive(&reply, sizeof reply) &&
                       reply.bytes <= TRANSLATOR_MOST && (answer = malloc(reply.bytes + 1)) &&
                       receive(answer, reply.bytes);
    if (!whole) {
        base_warning("translator: " TRANSLATOR_PROGRAM " has ended too early");
        close_socket();
    } else {
        answer[reply.bytes] = '\0';
        *size = reply.bytes;
        isa_share_add(reply.time_e6);
        if (!reply.failed) return answer;
        base_warning("translator: %s", answer);
    }
    free(answer);
    return NULL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Notes the functions, whose names are side by side, each with its zero, and stay there. */
static bool note_functions(functions_t *f, const char *names, size_t size)
{
    size_t n = 0;
    for (const char *c = names; c < names + size; c += strlen(c) + 1)
        n++;
    f->name = calloc(n ? n : 1, sizeof *f->name);
    if (!f->name) return false;
    for (const char *c = names; f->names < n; c += strlen(c) + 1)
        f->name[f->names++] = c;
    qsort(f->name, n, sizeof *f->name, compare);
    return true;
}

/* Gives the process the library's bitcode, and notes its functions, unless an earlier process has
 * told them. */
static bool give(const isa_library_t *library, uint32_t number)
{
    functions_t *f = &state.functions[number];
    translator_request_t r = {.kind = TRANSLATOR_LIBRARY,
                              .library = number,
                              .bytes = (uint64_t)(library->behind - library->bitcode)};
    size_t size;
    snprintf(r.cpu, sizeof r.cpu, "%s", library->cpu);
    char *names = ask(r, library->bitcode, NULL, 0, &size);
    if (!names) return false;
    if (!f->name && note_functions(f, names, size)) return true;
    free(names);
    return f->name != NULL;
}

bool isa_compiler_open(const isa_library_t *library)
{
    const uint32_t number = isa_library_number(library);
    state.open = &state.functions[number];
    if (!state.given[number]) state.given[number] = give(library, number);
    return state.given[number];
}

bool isa_compiler_has(const char *name)
{
    const functions_t *f = state.open;
    return bsearch(&name, f->name, f->names, sizeof *f->name, compare) != NULL;
}

void *isa_compiler_compile(const isa_library_t *library, const char *text, size_t *size)
{
    const size_t passes = strlen(isa_library_passes) + 1, bytes = strlen(text);
    const translator_request_t r = {.kind = TRANSLATOR_COMPILE,
                                    .library = isa_library_number(library),
                                    .bytes = passes + bytes};
    return ask(r, isa_library_passes, text, bytes, size);
}
