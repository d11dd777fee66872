/* preload.c - the stub's versions of the C library calls through which a program may look for the
 * GPU driver.
 *
 * Each call is passed on to the C library unless its path or descriptor is the driver's
 * (redirect.h). The stub is kept small, since it is loaded into every program that the user's
 * command starts, and most of them never use a GPU. If a program reaches the driver by a call that
 * is missing here, add that call. */
#undef _FORTIFY_SOURCE
#include "softgpu/check/sink.h"
#include "softgpu/instruction_counts.h"
#include "softgpu/preload/redirect.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* Declarations of calls that the headers declare only for old or fortified programs, or not at
 * all. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dirfd, const char *path, int flags);
int __openat64_2(int dirfd, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __fxstatat(int version, int dirfd, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int dirfd, const char *path, struct stat64 *st, int flags);
ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t room);
char *__realpath_chk(const char *path, char *resolved, size_t room);
sighandler_t bsd_signal(int number, sighandler_t handler);
sighandler_t __sysv_signal(int number, sighandler_t handler);

/* On x86-64 both structures are the same, so that one helper serves both. */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64) &&
                   offsetof(struct stat, st_rdev) == offsetof(struct stat64, st_rdev),
               "struct stat and stat64 must agree");

/* The definition of a function after this library's, usually the C library's; looked up once. Safe
 * in constructors and after fork. */
static void *find_next(_Atomic(void *) *slot, const char *name)
{
    void *f = atomic_load_explicit(slot, memory_order_relaxed);
    if (!f) {
        f = dlsym(RTLD_NEXT, name);
        atomic_store_explicit(slot, f, memory_order_relaxed);
    }
    return f;
}

#define NEXT(name)                                                                                 \
    static _Atomic(void *) slot_of_next;                                                           \
    __typeof__(name) *next = (__typeof__(name) *)find_next(&slot_of_next, #name)

/* Sets `path` to the private tree's name, or returns `failure` from the calling function. */
#define REDIRECT(path, failure)                                                                    \
    char redirected[PATH_MAX];                                                                     \
    if (redirect_wanted(path)) {                                                                   \
        path = redirect_path(path, redirected);                                                    \
        if (!path) return failure;                                                                 \
    }

/* ---- open ---- */

static bool needs_mode(int flags)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define TAKE_MODE(mode, flags)                                                                     \
    mode_t mode = 0;                                                                               \
    if (needs_mode(flags)) {                                                                       \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        mode = va_arg(ap, mode_t);                                                                 \
        va_end(ap);                                                                                \
    }

#define OPEN_OURS(path, flags)                                                                     \
    if (redirect_wanted(path)) {                                                                   \
        int ours = redirect_open(path, flags);                                                     \
        if (ours != REDIRECT_FILE) return ours;                                                    \
    }

/* X(name, parameters, arguments) */
#define OPENS(X)                                                                                   \
    X(open, (const char *path, int flags, ...), (path, flags, mode))                               \
    X(open64, (const char *path, int flags, ...), (path, flags, mode))                             \
    X(openat, (int dirfd, const char *path, int flags, ...), (dirfd, path, flags, mode))           \
    X(openat64, (int dirfd, const char *path, int flags, ...), (dirfd, path, flags, mode))

#define X(name, parameters, arguments)                                                             \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        TAKE_MODE(mode, flags);                                                                    \
        OPEN_OURS(path, flags);                                                                    \
        REDIRECT(path, -1);                                                                        \
        NEXT(name);                                                                                \
        return next arguments;                                                                     \
    }
OPENS(X)
#undef X

/* Calls of fortified programs, which take no mode. */
#define OPENS_2(X)                                                                                 \
    X(__open_2, (const char *path, int flags), (path, flags))                                      \
    X(__open64_2, (const char *path, int flags), (path, flags))                                    \
    X(__openat_2, (int dirfd, const char *path, int flags), (dirfd, path, flags))                  \
    X(__openat64_2, (int dirfd, const char *path, int flags), (dirfd, path, flags))

#define X(name, parameters, arguments)                                                             \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        OPEN_OURS(path, flags);                                                                    \
        REDIRECT(path, -1);                                                                        \
        NEXT(name);                                                                                \
        return next arguments;                                                                     \
    }
OPENS_2(X)
#undef X

#define OPEN_OUR_STREAM(path, mode)                                                                \
    if (redirect_wanted(path)) {                                                                   \
        int ours = redirect_open(path, O_RDWR | (strchr(mode, 'e') ? O_CLOEXEC : 0));              \
        if (ours != REDIRECT_FILE) return ours < 0 ? NULL : fdopen(ours, mode);                    \
    }

#define OPEN_STREAM(name)                                                                          \
    EXPORT FILE *name(const char *path, const char *mode)                                          \
    {                                                                                              \
        OPEN_OUR_STREAM(path, mode);                                                               \
        REDIRECT(path, NULL);                                                                      \
        NEXT(name);                                                                                \
        return next(path, mode);                                                                   \
    }
OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)

/* ---- other calls with a path ---- */

/* X(result, name, parameters, arguments, failure) */
#define WITH_PATH(X)                                                                               \
    X(FILE *, freopen, (const char *path, const char *mode, FILE *stream), (path, mode, stream),   \
      NULL)                                                                                        \
    X(FILE *, freopen64, (const char *path, const char *mode, FILE *stream), (path, mode, stream), \
      NULL)                                                                                        \
    X(DIR *, opendir, (const char *path), (path), NULL)                                            \
    X(int, scandir,                                                                                \
      (const char *path, struct dirent ***list, int (*filter)(const struct dirent *),              \
       int (*compare)(const struct dirent **, const struct dirent **)),                            \
      (path, list, filter, compare), -1)                                                           \
    X(int, scandir64,                                                                              \
      (const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),          \
       int (*compare)(const struct dirent64 **, const struct dirent64 **)),                        \
      (path, list, filter, compare), -1)                                                           \
    X(int, access, (const char *path, int mode), (path, mode), -1)                                 \
    X(int, faccessat, (int dirfd, const char *path, int mode, int flags),                          \
      (dirfd, path, mode, flags), -1)                                                              \
    X(int, euidaccess, (const char *path, int mode), (path, mode), -1)                             \
    X(int, eaccess, (const char *path, int mode), (path, mode), -1)                                \
    X(ssize_t, readlink, (const char *path, char *buffer, size_t size), (path, buffer, size), -1)  \
    X(ssize_t, readlinkat, (int dirfd, const char *path, char *buffer, size_t size),               \
      (dirfd, path, buffer, size), -1)                                                             \
    X(ssize_t, __readlink_chk, (const char *path, char *buffer, size_t size, size_t room),         \
      (path, buffer, size, room), -1)

#define X(result, name, parameters, arguments, failure)                                            \
    EXPORT result name parameters                                                                  \
    {                                                                                              \
        REDIRECT(path, failure);                                                                   \
        NEXT(name);                                                                                \
        return next arguments;                                                                     \
    }
WITH_PATH(X)
#undef X

/* ---- stat ---- */

/* Makes a device look like a device node: in the private tree its path is a plain file, and its
 * open descriptor is a memory file. `asked` is the path; NULL or empty: the call is for a
 * descriptor. */
static int show_device(int result, const char *asked, void *stat_buffer)
{
    struct stat *st = stat_buffer;
    dev_t number;
    if (result != 0) return result;
    if (asked && *asked) {
        if (!redirect_wanted(asked) || !redirect_is_device(asked)) return 0;
        number = redirect_device_number(asked);
    } else if (!redirect_shows_device(st, &number)) {
        return 0;
    }
    st->st_mode = S_IFCHR | 0666;
    st->st_rdev = number;
    st->st_size = 0;
    st->st_blocks = 0;
    return 0;
}

/* X(name, parameters, arguments) */
#define STATS(X)                                                                                   \
    X(stat, (const char *path, struct stat *st), (path, st))                                       \
    X(stat64, (const char *path, struct stat64 *st), (path, st))                                   \
    X(lstat, (const char *path, struct stat *st), (path, st))                                      \
    X(lstat64, (const char *path, struct stat64 *st), (path, st))                                  \
    X(fstatat, (int dirfd, const char *path, struct stat *st, int flags),                          \
      (dirfd, path, st, flags))                                                                    \
    X(fstatat64, (int dirfd, const char *path, struct stat64 *st, int flags),                      \
      (dirfd, path, st, flags))                                                                    \
    X(__xstat, (int version, const char *path, struct stat *st), (version, path, st))              \
    X(__xstat64, (int version, const char *path, struct stat64 *st), (version, path, st))          \
    X(__lxstat, (int version, const char *path, struct stat *st), (version, path, st))             \
    X(__lxstat64, (int version, const char *path, struct stat64 *st), (version, path, st))         \
    X(__fxstatat, (int version, int dirfd, const char *path, struct stat *st, int flags),          \
      (version, dirfd, path, st, flags))                                                           \
    X(__fxstatat64, (int version, int dirfd, const char *path, struct stat64 *st, int flags),      \
      (version, dirfd, path, st, flags))

#define X(name, parameters, arguments)                                                             \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        const char *asked = path;                                                                  \
        REDIRECT(path, -1);                                                                        \
        NEXT(name);                                                                                \
        return show_device(next arguments, asked, st);                                             \
    }
STATS(X)
#undef X

/* The calls that take a descriptor. */
#define STATS_FD(X)                                                                                \
    X(fstat, (int fd, struct stat *st), (fd, st))                                                  \
    X(fstat64, (int fd, struct stat64 *st), (fd, st))                                              \
    X(__fxstat, (int version, int fd, struct stat *st), (version, fd, st))                         \
    X(__fxstat64, (int version, int fd, struct stat64 *st), (version, fd, st))

#define X(name, parameters, arguments)                                                             \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        NEXT(name);                                                                                \
        return show_device(next arguments, NULL, st);                                              \
    }
STATS_FD(X)
#undef X

EXPORT int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *st)
{
    const char *asked = path;
    REDIRECT(path, -1);
    NEXT(statx);
    int result = next(dirfd, path, flags, mask, st);
    if (result != 0) return result;
    struct stat plain = {.st_mode = st->stx_mode,
                         .st_nlink = st->stx_nlink,
                         .st_ino = st->stx_ino,
                         .st_dev = makedev(st->stx_dev_major, st->stx_dev_minor)};
    show_device(0, asked, &plain);
    if (!S_ISCHR(plain.st_mode) || S_ISCHR(st->stx_mode)) return 0;
    st->stx_mode = (uint16_t)plain.st_mode;
    st->stx_size = 0;
    st->stx_blocks = 0;
    st->stx_rdev_major = major(plain.st_rdev);
    st->stx_rdev_minor = minor(plain.st_rdev);
    return 0;
}

/* Converts a path in the private tree, which realpath() has returned, back into a path of the
 * driver. */
static char *show_path(const char *asked, char *resolved)
{
    if (resolved && redirect_wanted(asked)) redirect_strip_root(asked, resolved);
    return resolved;
}

#define REAL_PATHS(X)                                                                              \
    X(realpath, (const char *path, char *resolved), (path, resolved))                              \
    X(__realpath_chk, (const char *path, char *resolved, size_t room), (path, resolved, room))     \
    X(canonicalize_file_name, (const char *path), (path))

#define X(name, parameters, arguments)                                                             \
    EXPORT char *name parameters                                                                   \
    {                                                                                              \
        const char *asked = path;                                                                  \
        REDIRECT(path, NULL);                                                                      \
        NEXT(name);                                                                                \
        return show_path(asked, next arguments);                                                   \
    }
REAL_PATHS(X)
#undef X

/* ---- shared memory ---- */

/* mmap() and munmap() may be called when the C library is not ready for dlsym(): allocators call
 * them, and so does dlsym() itself. So the next definitions are looked up in a constructor; calls
 * before that go to the kernel. */
static __typeof__(mmap) *next_mmap;
static __typeof__(mmap64) *next_mmap64;
static __typeof__(munmap) *next_munmap;
_Static_assert(sizeof(off_t) == sizeof(off64_t), "mmap and mmap64 must agree");

__attribute__((constructor)) static void find_next_mmap(void)
{
    void *found[] = {dlsym(RTLD_NEXT, "mmap"), dlsym(RTLD_NEXT, "mmap64"),
                     dlsym(RTLD_NEXT, "munmap")};
    memcpy(&next_mmap, &found[0], sizeof(next_mmap));
    memcpy(&next_mmap64, &found[1], sizeof(next_mmap64));
    memcpy(&next_munmap, &found[2], sizeof(next_munmap));
}

static void *map(__typeof__(mmap) *next, void *address, size_t bytes, int protection, int flags,
                 int fd, off_t offset)
{
    if (next) return next(address, bytes, protection, flags, fd, offset);
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

/* mmap() for objects that the kernel cannot map: an offset of a render node that is assigned to
 * memory of another process; a DMA-BUF, which is a socket; and a device node that is a socket
 * (pages.h). The kernel refuses sockets with ENODEV. */
static void *map_shared(__typeof__(mmap) *next, void *address, size_t bytes, int protection,
                        int flags, int fd, off_t offset)
{
    bool elsewhere = fd >= 0 && (uint64_t)offset >= SOFTGPU_IMPORT_WINDOW;
    if (!elsewhere) {
        void *p = map(next, address, bytes, protection, flags, fd, offset);
        if (p != MAP_FAILED || errno != ENODEV || fd < 0) return p;
    }
    int saved = errno;
    void *p;
    if (redirect_map(fd, (uint64_t)offset, address, bytes, protection, flags, &p)) return p;
    if (elsewhere) return map(next, address, bytes, protection, flags, fd, offset);
    errno = saved;
    return MAP_FAILED;
}

EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    return map_shared(next_mmap, address, bytes, protection, flags, fd, offset);
}

EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
    return map_shared(next_mmap64, address, bytes, protection, flags, fd, offset);
}

EXPORT int munmap(void *address, size_t bytes)
{
    redirect_unmap(address, bytes);
    if (next_munmap) return next_munmap(address, bytes);
    return (int)syscall(SYS_munmap, address, bytes);
}

/* Programs seek to the end of a DMA-BUF to get its size. A DMA-BUF is a socket here, which cannot
 * seek. */
EXPORT off_t lseek(int fd, off_t offset, int whence)
{
    NEXT(lseek);
    off_t at = next(fd, offset, whence);
    return at >= 0 || errno != ESPIPE ? at : (off_t)redirect_seek(fd, offset, whence);
}

EXPORT off64_t lseek64(int fd, off64_t offset, int whence)
{
    NEXT(lseek64);
    off64_t at = next(fd, offset, whence);
    return at >= 0 || errno != ESPIPE ? at : (off64_t)redirect_seek(fd, offset, whence);
}

/* ---- signals ---- */

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    int result;
    if (redirect_signal_action(number, action, old, &result)) return result;
    NEXT(sigaction);
    return next(number, action, old);
}

/* Does what signal() does, with these flags of sigaction(). False: the caller has to call the C
 * library. */
static bool set_handler(int number, sighandler_t handler, int flags, sighandler_t *before)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    int result;
    if (handler == SIG_ERR) return false;
    if (flags & SA_RESTART) sigaddset(&action.sa_mask, number);
    if (!redirect_signal_action(number, &action, &old, &result)) return false;
    *before = result == 0 ? old.sa_handler : SIG_ERR;
    return true;
}

#define SIGNAL(name, flags)                                                                        \
    EXPORT sighandler_t name(int number, sighandler_t handler)                                     \
    {                                                                                              \
        sighandler_t before;                                                                       \
        if (set_handler(number, handler, flags, &before)) return before;                           \
        NEXT(name);                                                                                \
        return next(number, handler);                                                              \
    }
SIGNAL(signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SIGNAL(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

/* ---- popen and ioctl ---- */

/* rocminfo runs "lsmod | grep amdgpu": the result is as if the module were loaded. */
EXPORT FILE *popen(const char *command, const char *type)
{
    NEXT(popen);
    if (strstr(command, "lsmod") && strstr(command, "amdgpu")) command = "echo 'amdgpu 16384 1'";
    return next(command, type);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    enum { KFD_IOC_TYPE = 'K', DRM_IOC_TYPE = 'd', DMA_BUF_IOC_TYPE = 'b' };
    va_list ap;
    va_start(ap, request);
    void *argument = va_arg(ap, void *);
    va_end(ap);

    unsigned type = _IOC_TYPE(request);
    int result;
    if ((type == KFD_IOC_TYPE || type == DRM_IOC_TYPE || type == DMA_BUF_IOC_TYPE) &&
        redirect_ioctl(fd, request, argument, &result))
        return result;
    NEXT(ioctl);
    return next(fd, request, argument);
}

/* ---- functions that profilers and the checker find by dlsym() ---- */

EXPORT softgpu_instruction_counts_fn_t softgpu_instruction_counts;

const softgpu_instruction_counts_api_t *softgpu_instruction_counts(unsigned version)
{
    return redirect_instruction_counts(version);
}

EXPORT softgpu_check_fn_t softgpu_check;

const softgpu_check_api_t *softgpu_check(unsigned version)
{
    return redirect_check(version);
}
