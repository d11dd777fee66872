/* fork.h - the checker's locks when the program forks.
 *
 * All are held while the process is copied, so that the data they guard are consistent in the
 * child. The child then initialises them anew, since it has none of the threads that might unlock
 * them. A file with a lock adds a function here and a row to the table in fork.c. */
#ifndef SOFTGPU_CHECK_FORK_H
#define SOFTGPU_CHECK_FORK_H

#include <pthread.h>

typedef enum {
    CHK_FORK_BEFORE, /* in the parent, before the fork */
    CHK_FORK_AFTER,  /* in the parent, whether or not there is a child */
    CHK_FORK_CHILD,
} chk_fork_t;

/* Registers the handlers. Called once; a forked child inherits them. */
void chk_fork_watch(void);

static inline void chk_fork_mutex(pthread_mutex_t *lock, chk_fork_t when)
{
    if (when == CHK_FORK_BEFORE) pthread_mutex_lock(lock);
    if (when == CHK_FORK_AFTER) pthread_mutex_unlock(lock);
    if (when == CHK_FORK_CHILD) pthread_mutex_init(lock, NULL);
}

static inline void chk_fork_rwlock(pthread_rwlock_t *lock, chk_fork_t when)
{
    if (when == CHK_FORK_BEFORE) pthread_rwlock_wrlock(lock);
    if (when == CHK_FORK_AFTER) pthread_rwlock_unlock(lock);
    if (when == CHK_FORK_CHILD) pthread_rwlock_init(lock, NULL);
}

/* One function for each file: takes, releases or initialises its locks, and in the child clears
 * state that belongs to threads which the child does not have. */
void chk_report_fork(chk_fork_t when);
void chk_order_fork(chk_fork_t when);
void race_run_fork(chk_fork_t when);
void race_global_fork(chk_fork_t when);
void race_site_fork(chk_fork_t when);
void chk_bytes_fork(chk_fork_t when);
void chk_request_fork(chk_fork_t when);
void chk_places_fork(chk_fork_t when);
void chk_code_fork(chk_fork_t when);
void chk_where_fork(chk_fork_t when);

#endif
