/* fork.c - see fork.h: a row for each file with locks.
 *
 * A lock that is held while another is taken stands before that one. Rows without such a relation
 * may stand in any order. */
#include "softgpu/check/fork.h"

static void (*const files[])(chk_fork_t) = {
    chk_report_fork, /* writing findings takes the locks of allocations and lines */
    race_run_fork,   /* calls race_global.c when its numbering of owners begins again */
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
