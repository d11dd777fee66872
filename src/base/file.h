/* file.h - file descriptors that the project's libraries open inside the user's program.
 *
 * All code of the project opens files, folders and pipes by these functions. The descriptor is
 * never 0, 1 or 2, even if the program was started with these closed (it would print into our
 * file), and it is closed on exec. If the limit of open files allows it, the number is at least
 * BASE_FILE_LOWEST, out of the way of the program's own descriptors. */
#ifndef CROCPROF_BASE_FILE_H
#define CROCPROF_BASE_FILE_H

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Half of the usual limit: programs count theirs upwards from 3, shells use 10 and 63 and 255 for
 * themselves, debuggers the top. */
enum { BASE_FILE_LOWEST = 512 };

/* Takes the descriptor that some call has just made (memfd_create, pipe2, userfaultfd) and returns
 * a duplicate with a number as above, closed on exec; the old number is closed. A negative `fd` is
 * returned as it is. If there is no free number: -1 with errno, and `fd` is closed. */
int base_file_own(int fd);

/* Identifies the file of a descriptor. Programs close ranges of descriptors (closefrom,
 * close_range), so a descriptor that we keep may be closed, or be another file of the program. */
typedef struct {
    dev_t device;
    ino_t inode;
} base_file_id_t;

/* {0, 0}, which identifies no file, if the descriptor is not open. */
base_file_id_t base_file_id(int fd);

/* True if `fd` is still the same file. Ask before each use of a descriptor that is kept. */
bool base_file_is(int fd, base_file_id_t id);

/* A descriptor that is kept, and the file that it was opened as. */
typedef struct {
    int fd;
    base_file_id_t file;
} base_kept_t;

#define BASE_KEPT_NONE ((base_kept_t){-1, {0, 0}})

base_kept_t base_keep(int fd);

/* The descriptor, or -1 if it is not ours any more. */
int base_kept(const base_kept_t *kept);

/* Closes the descriptor, unless the program has put another file there. */
void base_kept_close(base_kept_t *kept);

/* open(2); `mode` counts only where the flags create. */
int base_file_open(const char *path, int flags, mode_t mode);

/* Writes all the bytes, however many calls that takes. False with errno. */
bool base_file_write(int fd, const void *bytes, size_t count);

/* The contents of a file or pipe, with a zero behind them, which the caller frees. NULL with errno:
 * EFBIG if there are more than `most` bytes, EIO if the file has become shorter meanwhile. */
char *base_file_read(const char *path, size_t most, size_t *size);

/* The same for a text. NULL with a line in `why` that begins with the path: also if the text holds
 * a zero byte. */
char *base_file_text(const char *path, size_t most, size_t *size, char *why, size_t why_bytes);

/* A write can send a signal to a program that did not ask for the write: SIGXFSZ where a limit on
 * the size of files (ulimit -f) is reached, which counts memfd memory too, and SIGPIPE where the
 * reader of a pipe is gone. Between these two calls, made by one thread, such a write or ftruncate
 * only fails with an error. With `lift` the limit of size is raised as well, as far as permitted
 * (above the hard limit for root alone). */
typedef struct {
    struct rlimit limit;
    sigset_t mask, pending;
    bool lifted;
} base_file_limit_t;

void base_file_limit_begin(base_file_limit_t *before, bool lift);
void base_file_limit_end(const base_file_limit_t *before);

/* fopen(3) with the modes r, w, a, and +, x behind them; new files get mode 0666. */
FILE *base_file_stream(const char *path, const char *mode);

/* opendir(3). */
DIR *base_file_folder(const char *path);

#endif
