/* store.c - see store.h. It makes paths and directories only: writer.c writes the files. */
#include "trace/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

int trace_join(char *path, size_t path_bytes, const char *directory, const char *name)
{
    int n = snprintf(path, path_bytes, "%s/%s", directory, name);
    if (n >= 0 && (size_t)n < path_bytes) return 0;
    path[0] = 0;
    errno = ENAMETOOLONG;
    return -1;
}

int trace_make_directories(const char *path)
{
    char part[PATH_MAX];
    size_t bytes = strlen(path);
    if (bytes == 0 || bytes >= sizeof(part)) {
        errno = bytes ? ENAMETOOLONG : ENOENT;
        return -1;
    }
    memcpy(part, path, bytes + 1);
    for (char *slash = part + 1;; slash++) {
        if (*slash && *slash != '/') continue;
        char end = *slash;
        *slash = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST && errno != EISDIR) {
            /* mkdir() on a read-only file system fails with EROFS even if the directory exists. */
            struct stat st;
            int error = errno;
            if (stat(part, &st) != 0 || !S_ISDIR(st.st_mode)) {
                errno = error;
                return -1;
            }
        }
        *slash = end;
        if (!end) break;
    }
    struct stat st;
    if (stat(path, &st) != 0) return -1;
    if (S_ISDIR(st.st_mode)) return 0;
    errno = ENOTDIR;
    return -1;
}

int trace_runs_create(const char *base, char *runs, size_t runs_bytes, char *why, size_t why_bytes)
{
    struct stat st = {0};
    if (trace_join(runs, runs_bytes, base, TRACE_RUNS_DIRECTORY) != 0 ||
        trace_make_directories(base) != 0 || (mkdir(runs, 0700) != 0 && errno != EEXIST) ||
        lstat(runs, &st) != 0) {
        snprintf(why, why_bytes, "%s", strerror(errno));
        return -1;
    }
    if (S_ISDIR(st.st_mode) && st.st_uid == geteuid()) return 0;
    if (S_ISDIR(st.st_mode))
        snprintf(why, why_bytes, "%s belongs to user %u", runs, (unsigned)st.st_uid);
    else
        snprintf(why, why_bytes, "%s is no directory", runs);
    return -1;
}

int trace_store_create(const char *run, char *path, size_t path_bytes)
{
    path[0] = 0;
    if (trace_make_directories(run) != 0) return -1;
    for (unsigned n = 0; n < 100000; n++) {
        if ((size_t)snprintf(path, path_bytes, "%s/%d-%u", run, (int)getpid(), n) >= path_bytes) {
            errno = ENAMETOOLONG;
            break;
        }
        if (mkdir(path, 0777) == 0) return 0;
        if (errno != EEXIST) break;
    }
    path[0] = 0;
    return -1;
}

static int keep(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

char **trace_list(const char *directory)
{
    struct dirent **entries;
    int count = scandir(directory, &entries, keep, versionsort);
    if (count < 0) return NULL;
    char **list = calloc((size_t)count + 1, sizeof(*list));
    bool whole = list;
    for (int i = 0; i < count; i++) {
        if (whole) whole = (list[i] = strdup(entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    if (whole) return list;
    trace_list_free(list);
    errno = ENOMEM;
    return NULL;
}

void trace_list_free(char **list)
{
    if (!list) return;
    for (char **at = list; *at; at++)
        free(*at);
    free(list);
}

/* Symbolic links are removed, never followed: a user who owns a directory above may have put one
 * here. */
static int remove_in(int parent, const char *name)
{
    int fd = base_file_own(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        int error = errno;
        if (fd >= 0) close(fd);
        errno = error;
        return -1;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (keep(e) && unlinkat(fd, e->d_name, 0) != 0 && errno == EISDIR) remove_in(fd, e->d_name);
    closedir(d);
    return unlinkat(parent, name, AT_REMOVEDIR);
}

int trace_remove(const char *directory)
{
    return remove_in(AT_FDCWD, directory);
}

#define RETIRED ".done"

int trace_retire(const char *store)
{
    char retired[PATH_MAX];
    if ((size_t)snprintf(retired, sizeof(retired), "%s" RETIRED, store) >= sizeof(retired)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return rename(store, retired) == 0 ? trace_remove(retired) : -1;
}

bool trace_is_retired(const char *directory)
{
    return base_ends_with(directory, RETIRED);
}
