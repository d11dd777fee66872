/* store.c - the folder of cached results of the compiler, see compiled.h.
 *
 * A file is written under a name of its own and then renamed to the name of its key, so that a
 * reader finds the whole file or none. It begins with a header that has the key, the size and a
 * checksum of the rest: a file that was cut off by a crash of the machine is not used. */
#include "softgpu/compiled/key.h"

#include "base/env.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/words.h"
#include "softgpu/profile/options.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX - NAME_MAX - 2]; /* leaves room for the name of a file in it */
static atomic_bool is_open;

typedef struct {
    char magic[8];
    sg_compiled_key_t key;
    uint64_t size, checksum;
} header_t;

static const char magic[8] = "SGCOMP1";

/* ---- bytes ---- */

char *sg_compiled_more(sg_compiled_bytes_t *b, size_t size)
{
    if (!b->bad && size > b->room - b->size) {
        size_t room = 2 * b->room + size;
        char *bytes = realloc(b->bytes, room);
        b->bad = !bytes;
        if (bytes) b->bytes = bytes;
        if (bytes) b->room = room;
    }
    if (b->bad) return NULL;
    b->size += size;
    return b->bytes + b->size - size;
}

void sg_compiled_add(sg_compiled_bytes_t *b, const void *from, size_t size)
{
    char *to = sg_compiled_more(b, size);
    if (to && size) memcpy(to, from, size);
}

/* ---- the folder ---- */

/* Sets `folder` to the value of SOFTGPU_COMPILED, or to the folder for caches by the XDG rules. */
static bool choose_folder(void)
{
    const char *given = base_env(sg_options[SG_OPTION_COMPILED].variable),
               *cache = base_env("XDG_CACHE_HOME");
    const char *home = base_env("HOME");
    const int truth = given && *given ? base_truth(given) : 1;
    int n;
    if (truth == 0) return false;
    if (truth < 0 && *given != '/') {
        base_warning("SOFTGPU_COMPILED is \"%s\", which is neither off nor an absolute path: "
                     "nothing is kept",
                     given);
        return false;
    }
    if (truth < 0)
        n = snprintf(folder, sizeof folder, "%s", given);
    else if (cache && *cache == '/')
        n = snprintf(folder, sizeof folder, "%s/softgpu", cache);
    else if (home && *home == '/')
        n = snprintf(folder, sizeof folder, "%s/.cache/softgpu", home);
    else
        return false;
    return n > 0 && (size_t)n < sizeof folder;
}

/* Makes the folder and missing folders above it, with access for the user only. */
static bool make_folder(void)
{
    for (char *slash = strchr(folder + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash) *slash = '\0';
        bool made = mkdir(folder, 0700) == 0 || errno == EEXIST;
        if (slash) *slash = '/';
        if (!made) return false;
        if (!slash) return true;
    }
}

bool sg_compiled_open(void)
{
    struct stat st;
    if (!choose_folder() || (stat(folder, &st) != 0 && !make_folder())) return false;
    is_open = stat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
              !(st.st_mode & (S_IWGRP | S_IWOTH));
    return is_open;
}

void sg_compiled_close(void)
{
    is_open = false;
}

static void path_of(sg_compiled_key_t key, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%016" PRIx64 "%016" PRIx64 ".comgr", folder, key.high, key.low);
}

char *sg_compiled_read(sg_compiled_key_t key, size_t *size)
{
    char path[PATH_MAX];
    if (!is_open) return NULL;
    path_of(key, path);
    char *bytes = base_file_read(path, SG_COMPILED_MOST, size);
    if (!bytes) return NULL;
    header_t h;
    bool good = *size >= sizeof h;
    if (good) {
        memcpy(&h, bytes, sizeof h);
        *size -= sizeof h;
        good = memcmp(h.magic, magic, sizeof magic) == 0 && sg_key_equal(h.key, key) &&
               h.size == *size && h.checksum == sg_checksum(bytes + sizeof h, *size);
    }
    if (good) {
        memmove(bytes, bytes + sizeof h, *size);
        return bytes;
    }
    free(bytes);
    return NULL;
}

/* ---- the limit ---- */

typedef struct {
    char name[NAME_MAX + 1];
    struct timespec written;
    off_t size;
} kept_t;

static int older_first(const void *a, const void *b)
{
    const struct timespec *x = &((const kept_t *)a)->written, *y = &((const kept_t *)b)->written;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Removes the oldest files until the folder is within its limit. Files that a killed process has
 * not finished count as well. */
static void remove_oldest(void)
{
    DIR *dir = base_file_folder(folder);
    if (!dir) return;
    kept_t *all = NULL;
    size_t count = 0, room = 0;
    off_t total = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        struct stat st;
        if (!strstr(e->d_name, ".comgr")) continue;
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!BASE_GROW(all, count, &room)) break;
        total += st.st_size;
        kept_t *kept = &all[count++];
        *kept = (kept_t){.written = st.st_mtim, .size = st.st_size};
        snprintf(kept->name, sizeof kept->name, "%s", e->d_name);
    }
    if (total > SG_COMPILED_MOST) {
        qsort(all, count, sizeof *all, older_first);
        for (size_t i = 0; i < count && total > SG_COMPILED_MOST / 2; total -= all[i++].size)
            unlinkat(dirfd(dir), all[i].name, 0);
    }
    free(all);
    closedir(dir);
}

void sg_compiled_write(sg_compiled_key_t key, const void *bytes, size_t size)
{
    static _Atomic unsigned number;
    char path[PATH_MAX], partial[PATH_MAX + 32];
    if (!is_open) return;
    path_of(key, path);
    snprintf(partial, sizeof partial, "%s.%ld.%u", path, (long)getpid(), number++);
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    int fd = base_file_open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (fd >= 0) {
        header_t h = {.key = key, .size = size, .checksum = sg_checksum(bytes, size)};
        memcpy(h.magic, magic, sizeof magic);
        bool good = base_file_write(fd, &h, sizeof h) && base_file_write(fd, bytes, size);
        good &= close(fd) == 0;
        if (!good || rename(partial, path) != 0) unlink(partial);
    }
    base_file_limit_end(&limit);
    remove_oldest();
}
