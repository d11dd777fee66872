/* reduce.c - rocprofv3 reduce: writes the sums of any ranks to a file, to which others can be added
 * later. With --tree each rank of a job runs it, and one of them writes the sums of all. */
#include "base/log.h"
#include "rocpd/commands.h"
#include "rocpd/ranks.h"
#include "rocpd/rows.h"
#include "rocpd/sum_up.h"
#include "rocpd/tree.h"

/* Writes and shows the outputs that the options select. `job`: these are the sums of a whole
 * job. */
static int put(const rocpd_options_t *o, const rocpd_partial_t *whole, bool job)
{
    const char *path = rocpd_word(o, ROCPD_OUTPUT, NULL);
    rocpd_ranks_tell(whole, job || rocpd_given(o, ROCPD_SHOW));
    int result = path ? rocpd_sums_write(whole, path) : 0;
    if (result == 0 && rocpd_given(o, ROCPD_SHOW)) result = rocpd_summary_show(o, whole);
    return result;
}

/* Reduces inputs without a tree. Returns the exit status. */
static int reduce(const rocpd_options_t *o)
{
    rocpd_files_t files = {0};
    rocpd_partial_t whole = {0};
    int status = rocpd_files_find(&files, o) == 0 ? 0 : 2;
    const bool forgiving = rocpd_given(o, ROCPD_KEEP_GOING);
    if (status == 0) status = rocpd_sum_up(&files, o, ROCPD_ONCE, forgiving, &whole) == 0 ? 0 : 1;
    if (status == 0) status = put(o, &whole, false) == 0 ? 0 : 1;
    rocpd_partial_free(&whole);
    rocpd_files_free(&files);
    return status;
}

/* Reduces in each rank of a job. */
static int reduce_in_tree(const rocpd_options_t *o)
{
    rocpd_files_t own = {0};
    rocpd_partial_t whole = {0};
    uint64_t absent = 0;
    rocpd_tree_t *tree = rocpd_tree_begin(o);
    if (!tree) return 1;
    int result = rocpd_tree_files(tree, o, &own, &absent);
    if (result == 0) result = rocpd_sum_up(&own, o, ROCPD_ONCE, true, &whole);
    whole.absent += absent;
    if (result != 0) { /* the other ranks have to go on nevertheless */
        rocpd_partial_free(&whole);
        whole.absent = 1;
        whole.names = rocpd_rows_names(o);
    }
    const int added = rocpd_tree_add(tree, &whole);
    if (added == 0 && put(o, &whole, true) != 0) result = -1;
    rocpd_tree_end(tree);
    rocpd_partial_free(&whole);
    rocpd_files_free(&own);
    return result == 0 && added >= 0 ? 0 : 1;
}

int rocpd_reduce_command(int argc, char **argv)
{
    rocpd_options_t options;
    int status = 0;
    /* the name of the program stands before that of the command */
    if (rocpd_options_read(&options, argc + 1, argv - 1, &status) == 0) {
        if (rocpd_given(&options, ROCPD_OUTPUT) || rocpd_given(&options, ROCPD_SHOW)) {
            status =
                rocpd_given(&options, ROCPD_TREE) ? reduce_in_tree(&options) : reduce(&options);
        } else {
            base_error("reduce needs --output FILE, --show or both");
            status = 1;
        }
    }
    rocpd_options_free(&options);
    return status;
}
