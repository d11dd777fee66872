/* reduce.c - rocprofv3 reduce: the sums of any ranks as a file, which others are added to later. */
#include "base/log.h"
#include "rocpd/commands.h"
#include "rocpd/sum_up.h"

int rocpd_reduce(const rocpd_options_t *o, const rocpd_files_t *f)
{
    const char *path = rocpd_word(o, ROCPD_OUTPUT, NULL);
    rocpd_partial_t whole = {0};
    if (!path && !rocpd_given(o, ROCPD_SHOW)) {
        base_error("reduce needs --output FILE, --show or both");
        return -1;
    }
    int result = rocpd_sum_up(f, o, true, &whole);
    if (result == 0 && path) result = rocpd_sums_write(&whole, path);
    if (result == 0 && rocpd_given(o, ROCPD_SHOW)) result = rocpd_summary_show(o, &whole);
    rocpd_partial_free(&whole);
    return result;
}

int rocpd_reduce_command(int argc, char **argv)
{
    rocpd_options_t options;
    rocpd_files_t files = {0};
    int status = 0;
    /* the name of the program stands before that of the command */
    if (rocpd_options_read(&options, argc + 1, argv - 1, &status) == 0) {
        status = rocpd_files_find(&files, &options) == 0 ? 0 : 2;
        if (status == 0) status = rocpd_reduce(&options, &files) == 0 ? 0 : 1;
    }
    rocpd_files_free(&files);
    rocpd_options_free(&options);
    return status;
}
