/* findings.h - problems that a run shows, found by rules over times, counters and sizes.
 *
 * A rule is a row of finding_rules.c: an SQL statement that selects cases and their numbers, a
 * text, and advice. Commands, pages and digests show the same list. */
#ifndef CROCPROF_RESULTS_FINDINGS_H
#define CROCPROF_RESULTS_FINDINGS_H

#include <stdio.h>

#include "results/values.h"

/* A number, or a word, on which a finding is based. */
typedef struct {
    char *name; /* of the statement's column, without the unit at its end */
    char *text; /* a word; NULL: the value is a number */
    double value;
    res_measure_t measure;
} res_evidence_t;

typedef struct res_finding {
    const char *rule, *title, *advice, *check; /* copies of the rule's pointers; never freed */
    res_class_t class_;                        /* the weakest class of the numbers on which it is
                                                * based */
    char *subject; /* a kernel by its label, a call or a stream; "" for the whole run */
    char *kernel;  /* the kernel's whole name; NULL: the finding is not about a kernel */
    char *text;    /* describes the case, with its numbers */
    char *more;    /* command that shows more, to be run in this working directory */
    double weight; /* largest share of the run's time that it costs, 0 to 1 */
    res_evidence_t *evidence;
    size_t evidence_count;
    /* the same finding about other instances of the kernel, or other kernels and calls */
    struct res_finding *also;
    size_t also_count;
    /* findings that follow from this one, sorted by weight */
    struct res_finding *beneath;
    size_t beneath_count;
} res_finding_t;

typedef struct {
    res_finding_t *rows; /* by weight, but findings about lost records come first */
    size_t count;
} res_findings_t;

/* Applies all rules to the run. Returns 0, or -1 after reporting the reason, and then there is
 * nothing to free. */
int res_findings(res_run_t *r, const res_values_t *v, res_findings_t *f);
void res_findings_free(res_findings_t *f);

/* Frees the memory to which the finding points, not the finding itself. */
void res_finding_free(res_finding_t *f);

/* finding_groups.c: joins the same finding about several kernels, puts consequences beneath their
 * causes, and sorts all by weight. Returns false without memory. */
bool res_findings_group(res_findings_t *f);

/* finding_more.c: sets the command that shows more of a finding and of those beneath it. Returns 0,
 * or -1 after reporting the reason. */
int res_finding_set_more(res_run_t *r, res_finding_t *f);

/* finding_more.c, too: writes the run's databases, each as one word of a shell. */
void res_put_paths(FILE *f, const res_run_t *r);

/* finding_waits.c: fills in f_wait and res_talk. Returns 0, or -1 after reporting the reason. */
enum { RES_TALK_GROUPS = 64 };
int res_finding_waits(res_run_t *r);

/* Writes a finding as an object of JSON. */
void res_finding_json(FILE *f, const res_finding_t *row);

/* The kind of command that shows more. */
typedef enum {
    RES_MORE_LINES,   /* costs of the kernel's lines, if instructions were counted; else as the
                       * next */
    RES_MORE_KERNELS, /* sizes and times of kernels */
    RES_MORE_CALLS,
    RES_MORE_COPIES,
    RES_MORE_RUN,   /* how the time was spent */
    RES_MORE_WAITS, /* which ranks wait for which */
    RES_MORE_COUNT
} res_more_t;

typedef struct {
    const char *rule, *title;
    res_class_t class_;
    bool counted;    /* based on counters, which a real GPU measures */
    bool host_clock; /* based only on the times of calls, which have the host's clock */
    bool together;   /* all rows are one finding */
    /* Columns are subject and weight, then those that the text and the evidence show, by name. The
     * end of a name is the column's unit: _ns, _bytes, _pct. A column named "kernel" is the
     * kernel's full name and no evidence. A rule about kernels has to have it: without it the
     * finding is about no kernel, so that finding_groups.c takes it for a cause or a consequence of
     * findings about any kernel, and does not join it with those of other instances. */
    const char *sql;
    /* Placeholders: {column} stands for the column's value in its unit, and the name has no _ns
     * etc.; {column:call:calls} for the value and the noun, the first one if the value is shown as
     * 1; {subject} for the first column. A column that is NULL leaves nothing behind. */
    const char *text;
    const char *advice, *check;
    res_more_t more;
} res_rule_row_t;

extern const res_rule_row_t res_finding_rules[]; /* ends with a row without a name */
/* Returns the row of this name, or NULL. */
const res_rule_row_t *res_finding_rule(const char *name);

#endif
