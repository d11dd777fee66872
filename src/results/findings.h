/* findings.h - what a run shows that is worth a look: rules over times, counters and sizes.
 *
 * A rule is a row of finding_rules.c: a statement of SQL that finds it and shows its numbers, what
 * to say and what to do. Commands, pages and digests show the same list. */
#ifndef CROCPROF_RESULTS_FINDINGS_H
#define CROCPROF_RESULTS_FINDINGS_H

#include <stdio.h>

#include "results/values.h"

/* A number, or a word, that a finding rests on. */
typedef struct {
    char *name; /* as the statement calls it, without its unit */
    char *text; /* a word; NULL: it is a number */
    double value;
    res_measure_t measure;
} res_evidence_t;

typedef struct res_finding {
    const char *rule, *title, *advice, *check; /* of the rule; as long as the program runs */
    res_class_t class_;                        /* the weakest of what it rests on */
    char *subject; /* a kernel by its label, a call, a stream; "" the run */
    char *kernel;  /* its whole name; NULL: it is about no kernel */
    char *text;    /* what was found, with its numbers */
    char *more;    /* the command that shows more, as it runs in the folder of this process */
    double weight; /* share of the run's time that it costs at most, 0 to 1 */
    res_evidence_t *evidence;
    size_t evidence_count;
    /* the same of other instances of the kernel, or of other kernels and calls */
    struct res_finding *also;
    size_t also_count;
    /* what follows from it, the weightiest first */
    struct res_finding *beneath;
    size_t beneath_count;
} res_finding_t;

typedef struct {
    res_finding_t *rows; /* by weight; what is lost comes first */
    size_t count;
} res_findings_t;

/* 0, or -1 with the reason told and nothing to free. */
int res_findings(res_run_t *r, const res_values_t *v, res_findings_t *f);
void res_findings_free(res_findings_t *f);

/* Releases what it points at, not itself. */
void res_finding_free(res_finding_t *f);

/* finding_groups.c: puts the same of several kernels together, consequences beneath their causes,
 * and all by weight. False without memory. */
bool res_findings_group(res_findings_t *f);

/* finding_more.c: the command that shows more of it and of what is beneath. 0, or -1 with the
 * reason told. */
int res_finding_set_more(res_run_t *r, res_finding_t *f);

/* The same file: as one word of a shell, and the run's databases as such words. */
void res_put_word(FILE *f, const char *word);
void res_put_paths(FILE *f, const res_run_t *r);

/* As an object of JSON. */
void res_finding_json(FILE *f, const res_finding_t *row);

/* What shows more. */
typedef enum {
    RES_MORE_LINES,   /* what its lines cost, if its instructions were counted; else the next */
    RES_MORE_KERNELS, /* sizes and times of kernels */
    RES_MORE_CALLS,
    RES_MORE_COPIES,
    RES_MORE_RUN, /* where the time went */
    RES_MORE_COUNT
} res_more_t;

typedef struct {
    const char *rule, *title;
    res_class_t class_;
    bool counted;    /* rests on counters: on a GPU these are measured */
    bool host_clock; /* rests on the times of calls alone, whatever clock kernels have */
    bool together;   /* all its rows are one finding */
    /* Rows of subject, weight, then what the text and the evidence show, by the names of columns.
     * Their ends say what they count: _ns, _bytes, _pct. One called kernel is a kernel's name. */
    const char *sql;
    const char *text; /* {column} stands for what it has; _ns and so on are left out */
    const char *advice, *check;
    res_more_t more;
} res_rule_row_t;

extern const res_rule_row_t res_finding_rules[]; /* up to one without a name */
/* The row of this name; NULL. */
const res_rule_row_t *res_finding_rule(const char *name);

#endif
