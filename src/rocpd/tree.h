/* tree.h - the ranks of a job add up their sums: each gives what it has to another one, along a
 * tree, until rank 0 has the whole.
 *
 * Each rank has at most as many parts to add as the number of ranks has binary digits. The way that
 * parts go is a row of ways in tree.c. */
#ifndef CROCPROF_ROCPD_TREE_H
#define CROCPROF_ROCPD_TREE_H

#include "rocpd/files.h"
#include "rocpd/partial.h"

typedef struct rocpd_tree rocpd_tree_t;

/* Begins the way that --tree names. NULL with the reason told. */
rocpd_tree_t *rocpd_tree_begin(const rocpd_options_t *o);
void rocpd_tree_end(rocpd_tree_t *t);

/* Finds the inputs that this rank reads. Keys in their paths (%rank%) are replaced; inputs that
 * several ranks find are divided among these ranks. Inputs that are not there are told and counted
 * in *absent. 0, or -1 with the reason told. */
int rocpd_tree_files(const rocpd_tree_t *t, const rocpd_options_t *o, rocpd_files_t *own,
                     uint64_t *absent);

/* Adds what other ranks have, and gives the sum to the next; 1 if that is done, 0 if this is rank 0
 * and has the whole; -1 with the reason told. */
int rocpd_tree_add(rocpd_tree_t *t, rocpd_partial_t *p);

#endif
