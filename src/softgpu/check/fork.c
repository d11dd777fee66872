/* fork.c - see fork.h: registers the fork handlers; the table has a row for each file with locks.
 *
 * ORDER: if a thread takes lock B while it holds lock A, the row of A stands before that of B. Rows
 * without such a relation may stand in any order. */
#include "softgpu/check/fork.h"

static void (*const files[])(chk_fork_t) = {
    chk_report_fork, /* writing findings takes the locks of allocations and lines */
    race_run_fork,   /* calls race_global.c when its numbering of owners begins again */
    race_global_fork, race_site_fork, chk_order_fork, chk_bytes_fork,
    chk_request_fork, chk_code_fork,  chk_where_fork, chk_places_fork,
};

static void call_all(chk_fork_t when)
{
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        files[k](when);
}

static void before(void)
{
    call_all(CHK_FORK_BEFORE);
}

static void after(void)
{
    call_all(CHK_FORK_AFTER);
}

static void in_child(void)
{
    call_all(CHK_FORK_CHILD);
}

void chk_fork_watch(void)
{
    pthread_atfork(before, after, in_child);
}
