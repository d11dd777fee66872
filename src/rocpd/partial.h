/* partial.h - sums of the records of some processes, which can be added to those of others.
 *
 * `rocpd summary` shows these sums. They are exact, so the result does not depend on the order of
 * additions; its written form does not either, since all parts are written sorted. Processes send
 * their sums to one another in this form, and `rocprofv3 reduce` keeps them in files. */
#ifndef CROCPROF_ROCPD_PARTIAL_H
#define CROCPROF_ROCPD_PARTIAL_H

#include <stdbool.h>
#include <stdio.h>

#include "model/sum.h"

/* ORDER: the numbers in files. Calls and ranges are summed by their category, all other records by
 * their view. */
typedef enum { ROCPD_OF_VIEW, ROCPD_OF_CATEGORY } rocpd_of_t;

/* Sums of one view or category by process and name. A row's group is twice the number of its
 * process in `processes`, plus 1 for the name NULL, which differs from the name "". */
typedef struct {
    rocpd_of_t of;
    char *name;
    sums_t rows;
} rocpd_sums_t;

/* Facts about a process besides its sums. */
typedef struct {
    char *host, *gpus, *version; /* `version`: of the database's schema; NULL: not known */
    int64_t rank, ranks;         /* -1: not known */
    uint32_t copies;             /* number of files that contain the process; it counts once */
    uint32_t unclosed;           /* 1 if the process has not closed its store, since it was killed
                                  * or has called _exit() */
} rocpd_facts_t;

/* All zero: the sums of no process. */
typedef struct {
    sums_t processes;     /* names are guids, groups process ids; the sums are empty */
    rocpd_facts_t *facts; /* facts about each process */
    size_t fact_count;
    rocpd_sums_t *sums;
    size_t count;
    uint32_t names;  /* the form of the kernels' names: sums with different forms cannot be added */
    uint64_t absent; /* number of inputs that could not be read, and of ranks whose sums have not
                      * arrived */
} rocpd_partial_t;

/* How processes are added: together, to a single one without a name, so that memory does not depend
 * on their number; each apart; or each once, so that a process which is there already is not
 * counted again. The more complete one of two copies of a process is kept, so that the order of
 * adding does not matter. */
typedef enum { ROCPD_TOGETHER, ROCPD_APART, ROCPD_ONCE } rocpd_how_t;

void rocpd_partial_free(rocpd_partial_t *p);

/* Returns the sums of a view or category, which are made if there are none; NULL without memory.
 * The pointer is valid until the next sums are made. */
rocpd_sums_t *rocpd_partial_sums(rocpd_partial_t *p, rocpd_of_t of, const char *name);

/* Returns the number of a process, which is added if it is new; -1 without memory. */
int rocpd_partial_process(rocpd_partial_t *p, int pid, const char *guid);
/* Sets one of a process's texts, unless it is set. Returns 0, or -1 without memory. */
int rocpd_partial_say(char **fact, const char *text);

/* Adds the sums of a part. Returns 0, or -1 without memory. */
int rocpd_partial_add(rocpd_partial_t *p, const rocpd_partial_t *part, rocpd_how_t how);

/* Writes the sums. Returns 0, or -1 without memory; errors of `f` stay in `f`. */
int rocpd_partial_put(const rocpd_partial_t *p, FILE *f);

/* Reads sums from bytes that rocpd_partial_put() has written, into an empty partial. Returns 0, or
 * -1 if the bytes have another form, or without memory; *p is to be freed in both cases. */
int rocpd_partial_get(rocpd_partial_t *p, const char *bytes, size_t count);

#endif
