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

typedef struct {
    const char *rule, *title, *advice; /* of the rule; as long as the program runs */
    const char *more;                  /* the command, with its option, that shows more */
    res_class_t class_;                /* the weakest of what it rests on */
    char *subject;                     /* a kernel by its label, a call, a stream; "" the run */
    char *kernel;                      /* its whole name; NULL: it is about no kernel */
    char *text;                        /* what was found, with its numbers: one sentence */
    double weight;                     /* share of the time that it is about, 0 to 1 */
    res_evidence_t *evidence;
    size_t evidence_count;
} res_finding_t;

typedef struct {
    res_finding_t *rows; /* by weight; what is lost comes first */
    size_t count;
} res_findings_t;

/* 0, or -1 with the reason told and nothing to free. */
int res_findings(res_run_t *r, const res_values_t *v, res_findings_t *f);
void res_findings_free(res_findings_t *f);

/* As an object of JSON. */
void res_finding_json(FILE *f, const res_finding_t *row);

typedef struct {
    const char *rule, *title;
    res_class_t class_;
    bool counted; /* rests on counters: on a GPU these are measured */
    /* Rows of subject, weight, then what the text and the evidence show, by the names of columns.
     * Their ends say what they count: _ns, _bytes, _pct. One called kernel is a kernel's name. */
    const char *sql;
    const char *text; /* {column} stands for what it has; _ns and so on are left out */
    const char *advice, *more;
} res_rule_row_t;

extern const res_rule_row_t res_finding_rules[]; /* up to one without a name */

#endif
