/* budget.h - a budget: limits for the kernels of a run, read from a YAML file.
 *
 * Only the text is read here; values.h has the values of a run. Every error message names file,
 * line and column. Rules keep their place in the text, so that a file can be brought up to date
 * without touching its comments. */
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

/* What a rule compares if the kernel ran more than once: the value of each dispatch, their total or
 * their mean. ORDER: overs in budget.c. */
typedef enum { RES_EACH, RES_TOTAL, RES_MEAN } res_over_t;

typedef struct {
    char *quantity; /* NAME, also from total(NAME) and mean(NAME) */
    res_over_t over;
    res_relation_t relation;
    double low, high; /* bounds in bytes, nanoseconds or plain numbers; which of them apply depends
                       * on the relation */
    res_measure_t measure;
    const char *unit; /* as written; "" */
    double factor;    /* how many of the plain unit it has */
    double tolerance; /* a share (0.1 is 10 %); negative: the rule has none */
    char *text;       /* of the rule, as written */
    unsigned line, column;
    size_t begin, end; /* position of the rule in the file's text, with its quotes */
} res_rule_t;

typedef struct {
    char *expression;       /* a wildcard, or /regular expression/ */
    trace_pattern_t *regex; /* NULL: the expression is a wildcard */
    res_rule_t *rules;
    size_t count;
    unsigned line, column;
} res_entry_t;

typedef struct {
    char *name;
    res_entry_t *kernels;
    size_t count;
    double tolerance; /* for rules about modelled values that have no tolerance of their own;
                       * negative: none */
} res_budget_t;

/* Reads `text`. Returns 0, or -1 with "name:line:column: what" in `why`, and then there is nothing
 * to free. */
int res_budget_parse(res_budget_t *b, const char *name, const char *text, size_t bytes, char *why,
                     size_t why_bytes);
void res_budget_free(res_budget_t *b);

/* Returns whether the entry's expression matches the kernel. `name` is the name in databases,
 * `brief` the name without arguments, or NULL. */
bool res_entry_matches(const res_entry_t *l, const char *name, const char *brief);

/* Returns whether a value keeps to the rule, whose bounds are widened by the tolerance, a share of
 * them. */
bool res_rule_holds(const res_rule_t *r, double value, double tolerance);

/* Returns the text of a rule for new values from `least` to `most`: relation, unit and tolerance
 * stay. To be freed; NULL if there is no memory. */
char *res_rule_renew(const res_rule_t *r, double least, double most);

/* Writes the shortest text that reads back as the same number. */
enum { RES_NUMBER_BYTES = 32 };
const char *res_number_text(double value, char text[RES_NUMBER_BYTES]);

#endif
