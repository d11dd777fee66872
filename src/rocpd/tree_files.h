/* tree_files.h - parts of sums go from rank to rank as files beside the output.
 *
 * For jobs without MPI. A part gets its name when it is whole, has a checksum, and is removed by
 * whoever has read it. No file is locked, none is written by two ranks, and none is synchronised.
 */
#ifndef CROCPROF_ROCPD_TREE_FILES_H
#define CROCPROF_ROCPD_TREE_FILES_H

#include <limits.h>
#include <stdint.h>

#include "rocpd/options.h"
#include "trace/ranks.h"

typedef struct {
    char name[PATH_MAX]; /* of parts: what stands before the number of the rank */
    uint64_t until_ns;   /* so long parts are waited for */
    double seconds;      /* the same, counted from the start */
} rocpd_tree_files_t;

/* 0, or -1 with the reason told. */
int rocpd_tree_files_begin(rocpd_tree_files_t *f, const rocpd_options_t *o,
                           const trace_rank_t *here);
int rocpd_tree_files_send(const rocpd_tree_files_t *f, long rank, const char *bytes, size_t count);
/* The bytes, to be freed; NULL with the reason told. */
char *rocpd_tree_files_receive(const rocpd_tree_files_t *f, long rank, size_t *count);

#endif
