/* file.c - see file.h. The only place of the project that calls open, fopen and opendir.
 *
 * The kernel returns the lowest free number. If that number is too low, the descriptor is
 * duplicated to a higher one and the first is closed. Only the C library's streams allocate
 * memory. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"

int base_file_own(int fd)
{
    if (fd < 0) return fd;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, BASE_FILE_LOWEST);
    /* for a low limit of open files */
    if (own < 0) own = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return own;
}

base_file_id_t base_file_id(int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) return (base_file_id_t){0, 0};
    return (base_file_id_t){st.st_dev, st.st_ino};
}

bool base_file_is(int fd, base_file_id_t id)
{
    base_file_id_t now = base_file_id(fd);
    return now.inode && now.inode == id.inode && now.device == id.device;
}

base_kept_t base_keep(int fd)
{
    return (base_kept_t){fd, base_file_id(fd)};
}

int base_kept(const base_kept_t *kept)
{
    return base_file_is(kept->fd, kept->file) ? kept->fd : -1;
}

void base_kept_close(base_kept_t *kept)
{
    int fd = base_kept(kept);
    if (fd >= 0) close(fd);
    *kept = BASE_KEPT_NONE;
}

int base_file_open(const char *path, int flags, mode_t mode)
{
    return base_file_own(open(path, flags | O_CLOEXEC, mode));
}

bool base_file_write(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count) {
        const ssize_t n = write(fd, at, count);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return false;
        at += n;
        count -= (size_t)n;
    }
    return true;
}

char *base_file_read_from(int fd, size_t most, size_t *size)
{
    enum { FIRST_ROOM = 4096 };
    struct stat st;
    *size = 0;
    if (fstat(fd, &st) != 0) return NULL;
    const size_t expected = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    int failure = expected > most ? EFBIG : 0;
    char *data = NULL;
    size_t room = 0;
    for (ssize_t got = 1; got && !failure;) {
        if (*size + 1 >= room) {
            room = room ? 2 * room : expected ? expected + 2 : FIRST_ROOM;
            if (!base_resize(&data, room, 1)) {
                failure = ENOMEM;
                break;
            }
        }
        got = read(fd, data + *size, room - *size - 1);
        if (got < 0 && errno != EINTR) failure = errno;
        if (got > 0) *size += (size_t)got;
        if (*size > most) failure = EFBIG;
    }
    if (!failure && *size < expected) failure = EIO;
    if (!failure) {
        data[*size] = '\0';
        return data;
    }
    free(data);
    errno = failure;
    return NULL;
}

char *base_file_read(const char *path, size_t most, size_t *size)
{
    const int fd = base_file_open(path, O_RDONLY, 0);
    *size = 0;
    char *data = fd >= 0 ? base_file_read_from(fd, most, size) : NULL;
    const int failure = errno;
    if (fd >= 0) close(fd);
    errno = failure;
    return data;
}

char *base_file_text(const char *path, size_t most, size_t *size, char *why, size_t why_bytes)
{
    char *text = base_file_read(path, most, size);
    if (text && strlen(text) == *size) return text;
    if (text)
        snprintf(why, why_bytes, "%s: not a text: it holds a zero byte", path);
    else if (errno == EFBIG)
        snprintf(why, why_bytes, "%s: longer than %zu bytes", path, most);
    else
        snprintf(why, why_bytes, "%s: %s", path, strerror(errno));
    free(text);
    return NULL;
}

/* Signals that the kernel may send to a thread that writes. */
static const int answers[] = {SIGXFSZ, SIGPIPE};
enum { ANSWERS = sizeof answers / sizeof *answers };

void base_file_limit_begin(base_file_limit_t *before, bool lift)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t k = 0; k < ANSWERS; k++)
        sigaddset(&set, answers[k]);
    sigpending(&before->pending);
    pthread_sigmask(SIG_BLOCK, &set, &before->mask);
    before->lifted = false;
    if (!lift || getrlimit(RLIMIT_FSIZE, &before->limit) != 0 ||
        before->limit.rlim_cur == RLIM_INFINITY)
        return;
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    struct rlimit hard = {before->limit.rlim_max, before->limit.rlim_max};
    before->lifted = setrlimit(RLIMIT_FSIZE, &none) == 0 || setrlimit(RLIMIT_FSIZE, &hard) == 0;
}

void base_file_limit_end(const base_file_limit_t *before)
{
    sigset_t now, one;
    int error = errno;
    if (before->lifted) setrlimit(RLIMIT_FSIZE, &before->limit);
    sigpending(&now);
    for (size_t k = 0; k < ANSWERS; k++) {
        if (sigismember(&before->pending, answers[k]) || !sigismember(&now, answers[k])) continue;
        sigemptyset(&one);
        sigaddset(&one, answers[k]);
        sigtimedwait(&one, NULL, &(struct timespec){0});
    }
    pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
    errno = error;
}

FILE *base_file_stream(const char *path, const char *mode)
{
    int flags = *mode == 'r' ? 0 : *mode == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    flags |= strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    if (strchr(mode, 'x')) flags |= O_EXCL;
    int fd = base_file_open(path, flags, 0666);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, mode);
    if (fd >= 0 && !stream) close(fd);
    return stream;
}

const char *base_file_line(const char *path, char *line, size_t bytes)
{
    FILE *f = base_file_stream(path, "r");
    if (!f || !fgets(line, (int)bytes, f)) line[0] = 0;
    if (f) fclose(f);
    line[strcspn(line, "\n")] = 0;
    return line;
}

DIR *base_file_folder(const char *path)
{
    int fd = base_file_open(path, O_RDONLY | O_DIRECTORY, 0);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !folder) close(fd);
    return folder;
}

char *base_file_whole_path(const char *path)
{
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *whole = NULL;
    if (*path == '/') return strdup(path);
    if (folder && asprintf(&whole, "%s/%s", folder, path) < 0) whole = NULL;
    free(folder);
    return whole;
}
