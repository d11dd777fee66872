/* file.c - see file.h. The only place of the project that calls open, fopen and opendir.
 *
 * The kernel gives the lowest free number; a second one is asked for where that will not do, and
 * the first is freed. Nothing here allocates beyond what the C library's streams do. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int base_file_own(int fd)
{
    if (fd < 0) return fd;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, BASE_FILE_LOWEST);
    if (own < 0) own = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1); /* a lower limit of files */
    int error = errno;
    close(fd);
    errno = error;
    return own;
}

int base_file_open(const char *path, int flags, mode_t mode)
{
    return base_file_own(open(path, flags | O_CLOEXEC, mode));
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

DIR *base_file_folder(const char *path)
{
    int fd = base_file_open(path, O_RDONLY | O_DIRECTORY, 0);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !folder) close(fd);
    return folder;
}
