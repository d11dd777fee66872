/* locks.c - see locks.h. The result is kept for the last file system, because closing a file
 * releases all locks that this process has on it: so a file system is tested only once, before the
 * first of its files is locked. */
#include "db/locks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    dev_t device;
    bool known, locks;
} last;

/* Tests a file by querying a lock that would conflict with another one, which takes no lock. */
static bool test_locks(const char *path)
{
    struct flock f = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return true;
    const bool refused =
        fcntl(fd, F_GETLK, &f) != 0 && (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP);
    close(fd);
    return !refused;
}

bool db_has_locks(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return true;
    pthread_mutex_lock(&lock);
    if (!last.known || last.device != s.st_dev) {
        last.locks = test_locks(path);
        last.device = s.st_dev;
        last.known = true;
    }
    const bool locks = last.locks;
    pthread_mutex_unlock(&lock);
    return locks;
}

const char *db_reading(const char *path)
{
    return db_has_locks(path) ? "mode=ro" : "mode=ro&nolock=1";
}
