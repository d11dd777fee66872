/* tree.h - the ranks of a job add up their sums: each sends its sums to another one, along a tree,
 * until rank 0 has the total.
 *
 * Each rank adds at most as many parts as the number of ranks has binary digits. The ways to send
 * parts are rows of `ways` in tree.c. */
#ifndef CROCPROF_ROCPD_TREE_H
#define CROCPROF_ROCPD_TREE_H

#include "rocpd/files.h"
#include "rocpd/partial.h"

typedef struct rocpd_tree rocpd_tree_t;

/* Begins with the way that --tree names. Returns NULL after reporting the reason. */
rocpd_tree_t *rocpd_tree_begin(const rocpd_options_t *o);
void rocpd_tree_end(rocpd_tree_t *t);

/* Finds the inputs that this rank reads. Keys in their paths (%rank%) are replaced; inputs that
 * several ranks find are divided among these ranks. Inputs that do not exist are reported and
 * counted in *absent. Returns 0, or -1 after reporting the reason. */
int rocpd_tree_files(const rocpd_tree_t *t, const rocpd_options_t *o, rocpd_files_t *own,
                     uint64_t *absent);

/* Adds the sums of other ranks, and sends the total to the next rank. Returns 1 if it was sent, 0
 * if this is rank 0 and has the total of all; -1 after reporting the reason. */
int rocpd_tree_add(rocpd_tree_t *t, rocpd_partial_t *p);

#endif
