/* inject.c - preloaded into any program: makes the Nth call of one kind fail, as a full disk or a
 * machine without memory would. Apart from all tests, because what fails must not know of it.
 *
 * FAULTS_CALL names the kind, a row of `calls` below, or `all`, of which none fails. FAULTS_AT is
 * the number of the call that fails, from 1; with + behind it all from there on do. FAULTS_PROGRAM
 * is the name of the executable in which calls are counted; children that it forks go on counting.
 * FAULTS_IN, which may be empty: only calls of these objects count, given as parts of their paths
 * with : between; what the C library calls belongs to whoever has called it (not to a library that
 * stands in). To FAULTS_LOG the failure adds a line (kind, number, object) and the end of the
 * process another for each kind (`end`, number of calls, kind). With FAULTS_STACKS the log has the
 * failure's stack as well, for people; with FAULTS_PLACES it has a line for each call (`place`,
 * number, a number for all calls with this stack, in every process, kind). With FAULTS_CRASHES a
 * crash adds a line, too (`crash`, signal, object).
 *
 * Writes to descriptors up to 2 are spared: what is told must get through. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

typedef enum { MEMORY, MAP, OPEN, WRITE, SIZE, THREAD, NAME, KINDS, ALL = KINDS } kind_t;

/* ORDER as kind_t */
static const struct {
    const char *name;
    int error;
} calls[KINDS] = {
    {"memory", ENOMEM}, {"map", ENOMEM},    {"open", EMFILE}, {"write", ENOSPC},
    {"size", ENOSPC},   {"thread", EAGAIN}, {"name", ENOSPC},
};

static struct {
    bool active, lasting;
    kind_t kind;
    long at;
    const char *objects, *log, *stacks, *places;
} plan;
static long counted[KINDS];
static __thread bool inside; /* our own calls do not count */

static void watch_crashes(void);

__attribute__((constructor)) static void read_plan(void)
{
    const char *call = getenv("FAULTS_CALL"), *at = getenv("FAULTS_AT");
    const char *program = getenv("FAULTS_PROGRAM");
    plan.objects = getenv("FAULTS_IN");
    plan.log = getenv("FAULTS_LOG");
    plan.stacks = getenv("FAULTS_STACKS");
    plan.places = getenv("FAULTS_PLACES");
    if (!call || !at || !program || strcmp(program, program_invocation_short_name) != 0) return;
    char *end;
    plan.at = strtol(at, &end, 10);
    plan.lasting = *end == '+';
    while (plan.kind < KINDS && strcmp(calls[plan.kind].name, call) != 0)
        plan.kind++;
    void *warm[2];
    backtrace(warm, 2); /* loads what it needs before anything may fail */
    plan.active = plan.kind < KINDS || strcmp(call, "all") == 0;
    if (plan.active && plan.log && getenv("FAULTS_CRASHES")) watch_crashes();
}

static const char *object_of(void *address)
{
    struct dl_find_object found;
    if (_dl_find_object(address, &found) != 0) return "";
    return found.dlfo_link_map->l_name;
}

static bool is_libc(const char *object)
{
    const char *slash = strrchr(object, '/');
    return slash && (strncmp(slash, "/libc.so", 8) == 0 || strncmp(slash, "/libpthread", 11) == 0);
}

/* The object outside of the C library that has called; "" is the executable. */
static const char *caller(void *address)
{
    const char *object = object_of(address);
    if (!is_libc(object)) return object;
    void *stack[24];
    int depth = backtrace(stack, 24);
    for (int i = 2; i < depth; i++) { /* behind this function and the one that stands in */
        const char *other = object_of(stack[i]);
        if (!is_libc(other) && !strstr(other, "libfaults") && !strstr(other, "-preload.so"))
            return other;
    }
    return object;
}

/* The loader ends the process itself when it has no memory for a thread's variables. */
static bool concerns(const char *object)
{
    if (strstr(object, "/ld-linux")) return false;
    if (!plan.objects || !*plan.objects) return true;
    for (const char *part = plan.objects; *part;) {
        size_t length = strcspn(part, ":");
        if (length && memmem(object, strlen(object), part, length)) return true;
        part += length + (part[length] == ':');
    }
    return false;
}

static void add_line(const char *what, long number, const char *object)
{
    char line[512];
    int n = snprintf(line, sizeof(line), "%s %ld %s\n", what, number, *object ? object : "program");
    int fd = (int)syscall(SYS_openat, AT_FDCWD, plan.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                          0666);
    if (fd < 0) return;
    syscall(SYS_write, fd, line, (size_t)n);
    if (plan.stacks && strcmp(what, "end") != 0 && strcmp(what, "place") != 0) {
        void *stack[32];
        backtrace_symbols_fd(stack, backtrace(stack, 32), fd);
    }
    syscall(SYS_close, fd);
}

static void on_crash(int number, siginfo_t *info, void *data)
{
    const ucontext_t *context = data;
    (void)info;
    inside = true;
    add_line("crash", number, caller((void *)context->uc_mcontext.gregs[REG_RIP]));
    inside = false; /* the same again, now for good */
}

static void watch_crashes(void)
{
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_RESETHAND};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

static void add_place(kind_t kind, long number)
{
    enum { DEPTH = 10 };
    void *stack[DEPTH];
    char text[32];
    uint64_t hash = 14695981039346656037u; /* FNV-1a, by words */
    for (int i = 0, depth = backtrace(stack, DEPTH); i < depth; i++) {
        struct dl_find_object found; /* objects lie elsewhere in each process */
        const bool known = _dl_find_object(stack[i], &found) == 0;
        const char *name = known ? found.dlfo_link_map->l_name : "";
        hash = (hash ^ ((uintptr_t)stack[i] - (known ? (uintptr_t)found.dlfo_map_start : 0))) *
               1099511628211u;
        for (const char *c = strrchr(name, '/'); c && *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    }
    snprintf(text, sizeof(text), "%016llx %s", (unsigned long long)hash, calls[kind].name);
    add_line("place", number, text);
}

__attribute__((destructor)) static void tell_count(void)
{
    for (kind_t kind = 0; plan.active && plan.log && kind < KINDS; kind++)
        if (plan.kind == ALL || plan.kind == kind) add_line("end", counted[kind], calls[kind].name);
}

static bool fails(kind_t kind, void *address)
{
    if (!plan.active || (plan.kind != kind && plan.kind != ALL) || inside) return false;
    inside = true;
    int error = errno;
    const char *object = caller(address);
    bool fail = false;
    if (concerns(object)) {
        long number = __atomic_add_fetch(&counted[kind], 1, __ATOMIC_RELAXED);
        fail = number == plan.at || (plan.lasting && number > plan.at);
        if (number == plan.at && plan.log) add_line(calls[kind].name, number, object);
        if (plan.places && plan.log) add_place(kind, number);
    }
    errno = fail ? calls[kind].error : error;
    inside = false;
    return fail;
}

#define FAILS(kind) fails(kind, __builtin_return_address(0))

/* The function that ours stands in front of. */
#define REAL(type, name)                                                                           \
    static __typeof__(type) real;                                                                  \
    if (!real) {                                                                                   \
        bool was = inside;                                                                         \
        inside = true;                                                                             \
        *(void **)&real = dlsym(RTLD_NEXT, name);                                                  \
        inside = was;                                                                              \
    }

/* ---- memory: the allocator itself, which dlsym needs ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

PUBLIC void *malloc(size_t bytes)
{
    return FAILS(MEMORY) ? NULL : __libc_malloc(bytes);
}

PUBLIC void *calloc(size_t count, size_t bytes)
{
    return FAILS(MEMORY) ? NULL : __libc_calloc(count, bytes);
}

PUBLIC void *realloc(void *old, size_t bytes)
{
    return FAILS(MEMORY) ? NULL : __libc_realloc(old, bytes);
}

PUBLIC void *reallocarray(void *old, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all) || FAILS(MEMORY)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, all);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t bytes)
{
    return FAILS(MEMORY) ? NULL : __libc_memalign(alignment, bytes);
}

PUBLIC void *memalign(size_t alignment, size_t bytes)
{
    return FAILS(MEMORY) ? NULL : __libc_memalign(alignment, bytes);
}

PUBLIC int posix_memalign(void **at, size_t alignment, size_t bytes)
{
    int error = errno;
    void *memory = FAILS(MEMORY) ? NULL : __libc_memalign(alignment, bytes);
    errno = error;
    if (!memory) return ENOMEM;
    *at = memory;
    return 0;
}

/* ---- the others ---- */

PUBLIC void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    REAL(void *(*)(void *, size_t, int, int, int, off_t), "mmap");
    return FAILS(MAP) ? MAP_FAILED : real(address, bytes, protection, flags, fd, offset);
}

PUBLIC void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    REAL(void *(*)(void *, size_t, int, int, int, off_t), "mmap64");
    return FAILS(MAP) ? MAP_FAILED : real(address, bytes, protection, flags, fd, offset);
}

PUBLIC void *mremap(void *old, size_t from, size_t to, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    void *at = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    REAL(void *(*)(void *, size_t, size_t, int, ...), "mremap");
    return FAILS(MAP) ? MAP_FAILED : real(old, from, to, flags, at);
}

static bool creates(int flags)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if (creates(flags)) {                                                                          \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode = va_arg(args, mode_t);                                                               \
        va_end(args);                                                                              \
    }

#define OPENS(name)                                                                                \
    PUBLIC int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        MODE_OF(flags)                                                                             \
        REAL(int (*)(const char *, int, ...), #name);                                              \
        return FAILS(OPEN) ? -1 : real(path, flags, mode);                                         \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                                             \
    PUBLIC int name(int directory, const char *path, int flags, ...)                               \
    {                                                                                              \
        MODE_OF(flags)                                                                             \
        REAL(int (*)(int, const char *, int, ...), #name);                                         \
        return FAILS(OPEN) ? -1 : real(directory, path, flags, mode);                              \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

PUBLIC int memfd_create(const char *name, unsigned flags)
{
    REAL(int (*)(const char *, unsigned), "memfd_create");
    return FAILS(OPEN) ? -1 : real(name, flags);
}

PUBLIC int mkostemp(char *path, int flags)
{
    REAL(int (*)(char *, int), "mkostemp");
    return FAILS(OPEN) ? -1 : real(path, flags);
}

PUBLIC int pipe2(int ends[2], int flags)
{
    REAL(int (*)(int *, int), "pipe2");
    return FAILS(OPEN) ? -1 : real(ends, flags);
}

PUBLIC int socketpair(int domain, int type, int protocol, int ends[2])
{
    REAL(int (*)(int, int, int, int *), "socketpair");
    return FAILS(OPEN) ? -1 : real(domain, type, protocol, ends);
}

#define CONTROLS(name)                                                                             \
    PUBLIC int name(int fd, int command, ...)                                                      \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, command);                                                                   \
        void *argument = va_arg(args, void *);                                                     \
        va_end(args);                                                                              \
        REAL(int (*)(int, int, ...), #name);                                                       \
        bool makes = command == F_DUPFD || command == F_DUPFD_CLOEXEC;                             \
        return makes && FAILS(OPEN) ? -1 : real(fd, command, argument);                            \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

PUBLIC ssize_t write(int fd, const void *data, size_t bytes)
{
    REAL(ssize_t(*)(int, const void *, size_t), "write");
    return fd > STDERR_FILENO && FAILS(WRITE) ? -1 : real(fd, data, bytes);
}

PUBLIC ssize_t writev(int fd, const struct iovec *parts, int count)
{
    REAL(ssize_t(*)(int, const struct iovec *, int), "writev");
    return fd > STDERR_FILENO && FAILS(WRITE) ? -1 : real(fd, parts, count);
}

#define WRITES_AT(name)                                                                            \
    PUBLIC ssize_t name(int fd, const void *data, size_t bytes, off_t offset)                      \
    {                                                                                              \
        REAL(ssize_t (*)(int, const void *, size_t, off_t), #name);                                \
        return FAILS(WRITE) ? -1 : real(fd, data, bytes, offset);                                  \
    }
WRITES_AT(pwrite)
WRITES_AT(pwrite64)

#define SIZES(name)                                                                                \
    PUBLIC int name(int fd, off_t bytes)                                                           \
    {                                                                                              \
        REAL(int (*)(int, off_t), #name);                                                          \
        return FAILS(SIZE) ? -1 : real(fd, bytes);                                                 \
    }
SIZES(ftruncate)
SIZES(ftruncate64)

#define ALLOCATES(name)                                                                            \
    PUBLIC int name(int fd, int mode, off_t offset, off_t bytes)                                   \
    {                                                                                              \
        REAL(int (*)(int, int, off_t, off_t), #name);                                              \
        return FAILS(SIZE) ? -1 : real(fd, mode, offset, bytes);                                   \
    }
ALLOCATES(fallocate)
ALLOCATES(fallocate64)

PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    REAL(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), "pthread_create");
    return FAILS(THREAD) ? EAGAIN : real(thread, attributes, run, argument);
}

PUBLIC int mkdir(const char *path, mode_t mode)
{
    REAL(int (*)(const char *, mode_t), "mkdir");
    return FAILS(NAME) ? -1 : real(path, mode);
}

PUBLIC int rename(const char *from, const char *to)
{
    REAL(int (*)(const char *, const char *), "rename");
    return FAILS(NAME) ? -1 : real(from, to);
}

PUBLIC int unlink(const char *path)
{
    REAL(int (*)(const char *), "unlink");
    return FAILS(NAME) ? -1 : real(path);
}

PUBLIC int rmdir(const char *path)
{
    REAL(int (*)(const char *), "rmdir");
    return FAILS(NAME) ? -1 : real(path);
}
