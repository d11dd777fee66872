/* tree.c - the private tree: a folder in place of the driver's files in /sys and /dev.
 *
 * Each process has its own, in $XDG_RUNTIME_DIR, /dev/shm or /tmp, and removes it at exit. A
 * process that is killed leaves its folder behind, but its lock ends with it: the next process
 * removes the folder. topology.c writes the files. */
#include "softgpu/kfd/kfd.h"

#include "base/env.h"
#include "base/file.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A folder younger than this may belong to a process that has not locked it yet. */
enum { RECLAIM_AGE_SECONDS = 10, NFTW_FILES = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root_path[PATH_MAX]; /* empty: no tree */
static int root_fd = -1;         /* holds the lock */

/* Texts that could not be written to files of the tree. The list does not grow after
 * make_tree(). */
typedef struct held {
    struct held *next;
    base_file_id_t file;
    size_t bytes;
    char text[];
} held_t;
static held_t *held;

int kfd_tree_hold(int fd, const char *text, size_t bytes)
{
    held_t *h = malloc(sizeof(*h) + bytes);
    if (!h) return -ENOMEM;
    *h = (held_t){.next = held, .file = base_file_id(fd), .bytes = bytes};
    memcpy(h->text, text, bytes);
    held = h;
    return 0;
}

static void forget_held(void)
{
    for (held_t *h = held, *next; h; h = next) {
        next = h->next;
        free(h);
    }
    held = NULL;
}

static int open_text(const held_t *h, int flags)
{
    int ends[2];
    if (pipe2(ends, flags & O_CLOEXEC) != 0) return -errno;
    fcntl(ends[1], F_SETFL, O_NONBLOCK); /* a text that does not fit the pipe is an error */
    int error = write(ends[1], h->text, h->bytes) == (ssize_t)h->bytes ? 0 : -EIO;
    close(ends[1]);
    if (error == 0) return ends[0];
    close(ends[0]);
    return error;
}

int kfd_tree_open_held(const char *path, int flags)
{
    struct stat st;
    int fd = -ENOENT;
    pthread_mutex_lock(&lock);
    if (held && stat(path, &st) == 0)
        for (const held_t *h = held; h && fd == -ENOENT; h = h->next)
            if (h->file.inode == st.st_ino && h->file.device == st.st_dev) fd = open_text(h, flags);
    pthread_mutex_unlock(&lock);
    return fd;
}

const char *kfd_tree_base(unsigned k)
{
    const char *runtime = base_env("XDG_RUNTIME_DIR");
    if (runtime && *runtime == '/' && k-- == 0) return runtime;
    return k == 0 ? "/dev/shm" : k == 1 ? "/tmp" : NULL;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st;
    (void)walk;
    /* files that cannot be removed are left to the next process */
    if (type == FTW_DP)
        rmdir(path);
    else
        unlink(path);
    return 0;
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, NFTW_FILES, FTW_DEPTH | FTW_PHYS);
}

/* Opens and locks a folder; -1 if that fails. With LOCK_NB in how it fails if another process holds
 * the lock. */
static int lock_folder(const char *path, int how)
{
    int fd = base_file_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    int error = 0;
    while (fd >= 0 && (error = flock(fd, LOCK_EX | how)) != 0 && errno == EINTR)
        continue;
    if (error != 0) {
        error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    return fd;
}

static void reclaim_folder(const char *path)
{
    struct stat st;
    int fd = lock_folder(path, LOCK_NB);
    if (fd < 0) return;
    if (fstat(fd, &st) == 0 && st.st_uid == getuid() &&
        time(NULL) - st.st_ctime > RECLAIM_AGE_SECONDS) {
        base_info("removing %s, left by a process that was killed", path);
        remove_tree(path);
    }
    close(fd);
}

static void reclaim_leftovers(const char *base, const char *prefix)
{
    char path[PATH_MAX];
    DIR *d = base_file_folder(base);
    if (!d) return;
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        int n = snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
        if (n > 0 && (size_t)n < sizeof(path)) reclaim_folder(path);
    }
    closedir(d);
}

/* Writes the files into the folder at root_path, which this process has just made. Under the lock.
 * 0 or -errno. */
static int fill_root(const kfd_config_t *config)
{
    base_file_limit_t limit;
    /* a process that searches for leftovers may hold the new folder's lock for the moment in which
     * it reads its age */
    root_fd = lock_folder(root_path, 0);
    if (root_fd < 0) return -errno;
    base_file_limit_begin(&limit, true);
    int error = kfd_topology_write(root_path, config);
    base_file_limit_end(&limit);
    return error;
}

static void remove_root(void)
{
    remove_tree(root_path);
    root_path[0] = '\0';
    forget_held();
    if (root_fd >= 0) close(root_fd);
    root_fd = -1;
}

/* Makes the tree below `base`. If that fails, nothing is left, root_path is empty, and what was not
 * made has not been touched: its name may be another user's. Under the lock. 0 or -errno. */
static int make_tree_in(const char *base, const kfd_config_t *config)
{
    char prefix[64], path[PATH_MAX];
    snprintf(prefix, sizeof(prefix), "softgpu-%u-", (unsigned)getuid());
    int n = snprintf(path, sizeof(path), "%s/%s%d-XXXXXX", base, prefix, (int)getpid());
    if (n < 0 || (size_t)n >= sizeof(path)) return -ENAMETOOLONG;
    if (access(base, W_OK | X_OK) != 0) return -errno;
    reclaim_leftovers(base, prefix);
    if (!mkdtemp(path)) return -errno;
    memcpy(root_path, path, (size_t)n + 1);
    int error = fill_root(config);
    if (error != 0) remove_root();
    return error;
}

/* Makes the tree in the first folder in which that succeeds. Under the lock. 0, or -1 after
 * reporting why the last folder could not be used; errno is set. */
static int make_tree(const kfd_config_t *config)
{
    int error = -ENOENT;
    const char *base, *last = "";
    for (unsigned k = 0; error != 0 && (base = kfd_tree_base(k)) != NULL; k++) {
        error = make_tree_in(base, config);
        last = base;
    }
    if (error == 0) return 0;
    base_error("cannot make a folder of driver files in %s: %s", last, strerror(-error));
    errno = -error;
    return -1;
}

const char *kfd_tree_root(void)
{
    const kfd_config_t *config = kfd_config();
    if (!config) {
        errno = ENODEV;
        return NULL;
    }
    const char *root = root_path;
    pthread_mutex_lock(&lock);
    if (root_path[0] == '\0' && make_tree(config) != 0) root = NULL;
    pthread_mutex_unlock(&lock);
    return root;
}

void kfd_tree_remove(void)
{
    pthread_mutex_lock(&lock);
    if (root_path[0] != '\0') remove_root();
    pthread_mutex_unlock(&lock);
}

void kfd_tree_forget(void)
{
    pthread_mutex_init(&lock, NULL); /* the parent may have held it */
    root_path[0] = '\0';
    forget_held();
    if (root_fd >= 0) close(root_fd); /* the parent's lock stays: its own descriptor keeps it */
    root_fd = -1;
}
