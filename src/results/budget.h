/* budget.h - a budget: what kernels of a run may cost at most, read from a YAML file.
 *
 * Only the text is read here; what a quantity is worth in a run, values.h says. Every refusal
 * names file, line and column. Rules remember where in the text they stand, so that a file can be
 * brought up to date without touching its comments. */
#ifndef CROCPROF_RESULTS_BUDGET_H
#define CROCPROF_RESULTS_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "results/values.h"
#include "trace/pattern.h"

typedef enum {
    RES_AT_MOST,
    RES_AT_LEAST,
    RES_BELOW,
    RES_ABOVE,
    RES_EQUAL,
    RES_WITHIN, /* LOW .. HIGH */
} res_relation_t;

/* What a rule looks at when the kernel ran more than once. ORDER: overs in budget.c. */
typedef enum { RES_EACH, RES_TOTAL, RES_MEAN } res_over_t;

typedef struct {
    char *quantity; /* without what stands around it: total(NAME), mean(NAME) */
    res_over_t over;
    res_relation_t relation;
    double low, high; /* in bytes, nanoseconds or as it is; one of the two counts, or both */
    res_measure_t measure;
    const char *unit; /* as written; "" */
    double factor;    /* of the unit */
    double tolerance; /* a share; negative: none is given */
    char *text;       /* as written */
    unsigned line, column;
    size_t begin, end; /* bytes of the text, with its quotes */
} res_rule_t;

typedef struct {
    char *expression;       /* a wildcard, or /regular expression/ */
    trace_pattern_t *regex; /* NULL: it is a wildcard */
    res_rule_t *rules;
    size_t count;
    unsigned line, column;
} res_entry_t;

typedef struct {
    char *name;
    res_entry_t *kernels;
    size_t count;
    double tolerance; /* of modelled values without one of their own; negative: none */
} res_budget_t;

/* Reads `text`. 0, or -1 with "name:line:column: what" in `why` and nothing to free. */
int res_budget_parse(res_budget_t *b, const char *name, const char *text, size_t bytes, char *why,
                     size_t why_bytes);
void res_budget_free(res_budget_t *b);

/* Does the expression mean the kernel? `name` as databases show it, `brief` without its arguments,
 * or NULL. */
bool res_entry_matches(const res_entry_t *l, const char *name, const char *brief);

/* Whether a value keeps to the rule, the bounds widened by a share of themselves. */
bool res_rule_holds(const res_rule_t *r, double value, double tolerance);

/* Text of a rule as it was, for the values that there are now: relation, unit and tolerance stay.
 * To be freed; NULL: no memory. */
char *res_rule_renew(const res_rule_t *r, double least, double most);

/* The shortest text that gives the number again. */
enum { RES_NUMBER_BYTES = 32 };
const char *res_number_text(double value, char text[RES_NUMBER_BYTES]);

#endif
