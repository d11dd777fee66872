/* cache.c - see cache.h.
 *
 * A file is written under a name of its own and then renamed, without waiting for the disk: a file
 * that a crash of the machine has cut off is found by its reader's checksum. */
#include "base/cache.h"

#include "base/env.h"
#include "base/file.h"
#include "base/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool base_cache_path(char *path, size_t bytes, const char *below)
{
    const char *cache = base_env("XDG_CACHE_HOME"), *home = base_env("HOME");
    int n = -1;
    if (cache && *cache == '/')
        n = snprintf(path, bytes, "%s/%s", cache, below);
    else if (home && *home == '/')
        n = snprintf(path, bytes, "%s/.cache/%s", home, below);
    return n > 0 && (size_t)n < bytes;
}

static bool make_folder(char *folder)
{
    for (char *slash = strchr(folder + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = '\0';
        bool made = mkdir(folder, 0700) == 0 || errno == EEXIST;
        if (slash) *slash = '/';
        if (!made) return false;
        if (!slash) return true;
    }
}

bool base_cache_open(char *folder, mode_t forbidden)
{
    struct stat st;
    if (stat(folder, &st) != 0 && !make_folder(folder)) return false;
    return stat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & forbidden);
}

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    const int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX;
}

/* Whether the user alone can have written the file. */
static bool is_own(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

char *base_cache_read(const char *folder, const char *name, size_t most, size_t *size)
{
    char path[PATH_MAX];
    if (!join(path, folder, name)) return NULL;
    /* O_NONBLOCK: opening a pipe does not wait for who writes to it */
    const int fd = base_file_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0) return NULL;
    char *bytes = is_own(fd) ? base_file_read_from(fd, most, size) : NULL;
    close(fd);
    return bytes;
}

void base_cache_touch(const char *folder, const char *name)
{
    char path[PATH_MAX];
    if (join(path, folder, name)) utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW);
}

bool base_cache_write(const char *folder, const char *name, const struct iovec *parts, int n)
{
    static _Atomic unsigned number;
    char path[PATH_MAX], partial[PATH_MAX + 32];
    if (!join(path, folder, name)) return false;
    snprintf(partial, sizeof partial, "%s.%ld.%u", path, (long)getpid(), number++);
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    int fd = base_file_open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    bool good = fd >= 0;
    for (int k = 0; k < n && good; k++)
        good = base_file_write(fd, parts[k].iov_base, parts[k].iov_len);
    if (fd >= 0) good &= close(fd) == 0;
    good = good && rename(partial, path) == 0;
    if (fd >= 0 && !good) unlink(partial);
    base_file_limit_end(&limit);
    return good;
}

typedef struct {
    char name[NAME_MAX + 1];
    struct timespec used;
    uint64_t size;
} kept_t;

static int older_first(const void *a, const void *b)
{
    const struct timespec *x = &((const kept_t *)a)->used, *y = &((const kept_t *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

uint64_t base_cache_trim(const char *folder, const char *suffix, uint64_t most, uint64_t leave)
{
    DIR *dir = base_file_folder(folder);
    if (!dir) return 0;
    kept_t *all = NULL;
    size_t count = 0, room = 0;
    uint64_t total = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        if (!strstr(e->d_name, suffix)) continue;
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!BASE_GROW(all, count, &room)) break;
        total += (uint64_t)st.st_size;
        kept_t *kept = &all[count++];
        *kept = (kept_t){.used = st.st_mtim, .size = (uint64_t)st.st_size};
        snprintf(kept->name, sizeof kept->name, "%s", e->d_name);
    }
    if (total > most) {
        qsort(all, count, sizeof *all, older_first);
        for (size_t i = 0; i < count && total > leave; total -= all[i++].size)
            unlinkat(dirfd(dir), all[i].name, 0);
    }
    free(all);
    closedir(dir);
    return total;
}
