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

/* Half of the usual limit: programs use descriptors from 3 upwards, shells use 10, 63 and 255 for
 * themselves, debuggers the highest. */
enum { BASE_FILE_LOWEST = 512 };

/* Takes the descriptor that some call has just made (memfd_create, pipe2, userfaultfd) and returns
 * a duplicate with a number as above that is closed on exec; the old number is closed. A negative
 * `fd` is returned unchanged. If there is no free number, the result is -1 with errno, and `fd` is
 * closed. */
int base_file_own(int fd);

/* Identifies the file of a descriptor. Programs close ranges of descriptors (closefrom,
 * close_range), so a descriptor that a library keeps may be closed, or may refer to another file of
 * the program. */
typedef struct {
    dev_t device;
    ino_t inode;
} base_file_id_t;

/* Returns {0, 0}, which identifies no file, if the descriptor is not open. */
base_file_id_t base_file_id(int fd);

/* Returns whether `fd` still refers to the same file. To be called before each use of a descriptor
 * that is kept. */
bool base_file_is(int fd, base_file_id_t id);

/* A descriptor that is kept, and the identity of the file for which it was opened. */
typedef struct {
    int fd;
    base_file_id_t file;
} base_kept_t;

#define BASE_KEPT_NONE ((base_kept_t){-1, {0, 0}})

base_kept_t base_keep(int fd);

/* Returns the descriptor, or -1 if it no longer refers to that file. */
int base_kept(const base_kept_t *kept);

/* Closes the descriptor, unless the program has put another file there. */
void base_kept_close(base_kept_t *kept);

/* Calls open(2); `mode` is used only if the flags create the file. */
int base_file_open(const char *path, int flags, mode_t mode);

/* Writes all the bytes, in as many calls as necessary. Returns false with errno on failure. */
bool base_file_write(int fd, const void *bytes, size_t count);

/* Returns the contents of a file or pipe with a zero byte behind them, which the caller frees.
 * Returns NULL with errno on failure: EFBIG if there are more than `most` bytes, EIO if the file
 * has become shorter meanwhile. */
char *base_file_read(const char *path, size_t most, size_t *size);

/* The same from the place where a descriptor stands. */
char *base_file_read_from(int fd, size_t most, size_t *size);

/* As base_file_read() for a text. Returns NULL on failure, with a line in `why` that begins with
 * the path; it is a failure, too, if the text contains a zero byte. */
char *base_file_text(const char *path, size_t most, size_t *size, char *why, size_t why_bytes);

/* A write of the library's can send a signal to the program: SIGXFSZ where a limit on the size of
 * files (ulimit -f) is reached, which applies to memfd memory too, and SIGPIPE where the reader of
 * a pipe is gone. Between these two calls, made by one thread, such a write or ftruncate only fails
 * with an error. With `lift` the limit of size is raised as well, as far as permitted (above the
 * hard limit for root alone). */
typedef struct {
    struct rlimit limit;
    sigset_t mask, pending;
    bool lifted;
} base_file_limit_t;

void base_file_limit_begin(base_file_limit_t *before, bool lift);
void base_file_limit_end(const base_file_limit_t *before);

/* Calls fopen(3) with the modes r, w and a, optionally followed by + and x; new files get mode
 * 0666. */
FILE *base_file_stream(const char *path, const char *mode);

/* Reads the first line of a file, without its line feed: at most `bytes` - 1 bytes of it, and none
 * behind a zero byte. The text is "" if the file is empty, or cannot be opened or read. `bytes` is
 * from 1 to INT_MAX. Returns `line`. */
const char *base_file_line(const char *path, char *line, size_t bytes);

/* Calls opendir(3). */
DIR *base_file_folder(const char *path);

/* Returns `path` with this process's folder in front of it if it is relative, for a program that
 * may change its folder; links in it stay. The caller frees it. NULL with errno on failure. */
char *base_file_whole_path(const char *path);

#endif
