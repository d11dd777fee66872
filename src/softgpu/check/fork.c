/* fork.c - see fork.h. One row for each file with locks.
 *
 * The rows stand in the order in which the locks are taken within each other: a lock that is held
 * while another one is taken comes first. Rows that have nothing to do with each other may stand
 * in any order. */
#include "softgpu/check/fork.h"

static void (*const files[])(chk_fork_t) = {
    chk_report_fork, /* findings are written under it, which looks up places and lines */
    race_run_fork,   /* forgets what race_global.c has when its numbers begin again */
    race_global_fork, race_site_fork, chk_order_fork, chk_bytes_fork,
    chk_asked_fork,   chk_code_fork,  chk_where_fork, chk_places_fork,
};

static void tell_all(chk_fork_t when)
{
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        files[k](when);
}

static void before(void)
{
    tell_all(CHK_FORK_BEFORE);
}

static void after(void)
{
    tell_all(CHK_FORK_AFTER);
}

static void in_child(void)
{
    tell_all(CHK_FORK_CHILD);
}

void chk_fork_watch(void)
{
    pthread_atfork(before, after, in_child);
}
