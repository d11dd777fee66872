/* tree_files.h - parts of sums go from rank to rank as files beside the output.
 *
 * This is for jobs without MPI. A part gets its name when it is complete, has a checksum, and is
 * removed by the rank that has read it. No file is locked, none is written by two ranks, and none
 * is flushed to disk. */
#ifndef CROCPROF_ROCPD_TREE_FILES_H
#define CROCPROF_ROCPD_TREE_FILES_H

#include <limits.h>
#include <stdint.h>

#include "rocpd/options.h"
#include "trace/ranks.h"

typedef struct {
    char name[PATH_MAX]; /* name of the parts, without the number of the rank */
    uint64_t until_ns;   /* when to stop waiting for parts */
    double seconds;      /* the time limit in seconds, counted from the start */
} rocpd_tree_files_t;

/* Returns 0, or -1 after reporting the reason. */
int rocpd_tree_files_begin(rocpd_tree_files_t *f, const rocpd_options_t *o,
                           const trace_rank_t *here);
int rocpd_tree_files_send(const rocpd_tree_files_t *f, long rank, const char *bytes, size_t count);
/* Returns the bytes, to be freed; NULL after reporting the reason. */
char *rocpd_tree_files_receive(const rocpd_tree_files_t *f, long rank, size_t *count);

#endif
