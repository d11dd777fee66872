/* partial.h - sums of the records of some processes, which can be added to those of others.
 *
 * What `rocpd summary` shows is made of these sums. They are exact, so whatever is added to what,
 * and in which order, the whole is the same; written out it has the same bytes, since all parts
 * are written sorted. Processes send their sums to one another in this form, and `rocprofv3 reduce`
 * keeps them in files. */
#ifndef CROCPROF_ROCPD_PARTIAL_H
#define CROCPROF_ROCPD_PARTIAL_H

#include <stdbool.h>
#include <stdio.h>

#include "model/sum.h"

/* ORDER: numbers in files. Calls and ranges are summed by their category, all else by its view. */
typedef enum { ROCPD_OF_VIEW, ROCPD_OF_CATEGORY } rocpd_of_t;

/* Sums of one view or category by process and name. A row's group is twice the number of its
 * process in `processes`, plus 1 for the name NULL, which is not the name "". */
typedef struct {
    rocpd_of_t of;
    char *name;
    sums_t rows;
} rocpd_sums_t;

/* What is known of a process beside its sums. */
typedef struct {
    char *host, *gpus, *version; /* version: of the database's schema; NULL: not known */
    int64_t rank, ranks;         /* -1: not known */
    uint32_t copies;             /* in how many files the process was met; each counts once */
    uint32_t unclosed;           /* 1: it has not closed its store: killed, or left by _exit() */
} rocpd_facts_t;

/* All zero: of no process. */
typedef struct {
    sums_t processes;     /* names are guids, groups process ids; there are no numbers */
    rocpd_facts_t *facts; /* of each process */
    size_t fact_count;
    rocpd_sums_t *sums;
    size_t count;
    uint32_t names;  /* which names kernels have: sums of different ones cannot be added */
    uint64_t absent; /* inputs that could not be read, and ranks whose sums have not come */
} rocpd_partial_t;

/* How processes are added: to one that has no name, so that memory does not depend on their number;
 * each by itself; or so that one which is there already is not counted again. Of two copies of a
 * process the more complete one counts, so that the order of adding does not matter. */
typedef enum { ROCPD_TOGETHER, ROCPD_APART, ROCPD_ONCE } rocpd_how_t;

void rocpd_partial_free(rocpd_partial_t *p);

/* The sums of a view or category, made if there are none; NULL without memory. The pointer is valid
 * until the next is made. */
rocpd_sums_t *rocpd_partial_sums(rocpd_partial_t *p, rocpd_of_t of, const char *name);

/* The number of a process, which is added if it is new; -1 without memory. */
int rocpd_partial_process(rocpd_partial_t *p, int pid, const char *guid);
/* Sets one of a process's texts, unless it is set. 0, or -1 without memory. */
int rocpd_partial_say(char **fact, const char *text);

/* Adds the sums of a part. 0, or -1 without memory. */
int rocpd_partial_add(rocpd_partial_t *p, const rocpd_partial_t *part, rocpd_how_t how);

/* Writes the sums. 0, or -1 without memory; errors of `f` stay in `f`. */
int rocpd_partial_put(const rocpd_partial_t *p, FILE *f);

/* Reads sums from bytes that rocpd_partial_put() has written, into an empty partial. 0; or -1 if
 * these bytes are none, or without memory: then *p is to be freed, too. */
int rocpd_partial_get(rocpd_partial_t *p, const char *bytes, size_t count);

#endif
