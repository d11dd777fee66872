/* budget.h - a budget: what kernels of a run may cost at most, read from a YAML file.
 *
 * Only the text is read here; what a quantity is worth in a run is check.c's to know. Every refusal
 * names file, line and column. Rules remember where in the text they stand, so that a file can be
 * brought up to date without touching its comments. */
#ifndef CROCPROF_INSIGHT_BUDGET_H
#define CROCPROF_INSIGHT_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/pattern.h"

typedef enum {
    INS_AT_MOST,
    INS_AT_LEAST,
    INS_BELOW,
    INS_ABOVE,
    INS_EQUAL,
    INS_WITHIN, /* LOW .. HIGH */
} ins_relation_t;

/* What a rule looks at when the kernel ran more than once. ORDER: overs in budget.c. */
typedef enum { INS_EACH, INS_TOTAL, INS_MEAN } ins_over_t;

/* What a unit measures. */
typedef enum { INS_PLAIN, INS_PERCENT, INS_BYTES, INS_TIME } ins_measure_t;

typedef struct {
    char *quantity; /* without what stands around it: total(NAME), mean(NAME) */
    ins_over_t over;
    ins_relation_t relation;
    double low, high; /* in bytes, nanoseconds or as it is; one of the two counts, or both */
    ins_measure_t measure;
    const char *unit; /* as written; "" */
    double factor;    /* of the unit */
    double tolerance; /* a share; negative: none is given */
    char *text;       /* as written */
    unsigned line, column;
    size_t begin, end; /* bytes of the text, with its quotes */
} ins_rule_t;

typedef struct {
    char *expression;       /* a wildcard, or /regular expression/ */
    trace_pattern_t *regex; /* NULL: it is a wildcard */
    ins_rule_t *rules;
    size_t count;
    unsigned line, column;
} ins_entry_t;

typedef struct {
    char *name;
    ins_entry_t *kernels;
    size_t count;
    double tolerance; /* of modelled values without one of their own; negative: none */
} ins_budget_t;

/* Reads `text`. 0, or -1 with "name:line:column: what" in `why` and nothing to free. */
int ins_budget_parse(ins_budget_t *b, const char *name, const char *text, size_t bytes, char *why,
                     size_t why_bytes);
void ins_budget_free(ins_budget_t *b);

/* Does the expression mean the kernel? `name` as databases show it, `brief` without its arguments,
 * or NULL. */
bool ins_entry_matches(const ins_entry_t *l, const char *name, const char *brief);

/* Whether a value keeps to the rule, the bounds widened by a share of themselves. */
bool ins_rule_holds(const ins_rule_t *r, double value, double tolerance);

/* Text of a rule as it was, for the values that there are now: relation, unit and tolerance stay.
 * To be freed; NULL: no memory. */
char *ins_rule_renew(const ins_rule_t *r, double least, double most);

/* The shortest text that gives the number again. */
enum { INS_NUMBER_BYTES = 32 };
const char *ins_number_text(double value, char text[INS_NUMBER_BYTES]);

#endif
