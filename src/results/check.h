/* check.h - what checking a budget and renewing it share. */
#ifndef CROCPROF_RESULTS_CHECK_H
#define CROCPROF_RESULTS_CHECK_H

#include "results/budget.h"

/* The values to which a rule applies: all of them lie between `least` and `most`. */
typedef struct {
    const res_value_t *value; /* NULL: there is no value, and `why` has the reason */
    double least, most;
    char why[256];
} res_found_t;

res_found_t res_rule_value(const res_values_t *v, size_t kernel, const res_rule_t *rule);

/* Writes the run's values into the budget's file, whose text is given: rules keep their relation,
 * unit and tolerance, and everything else stays unchanged. If there is no value for a rule, nothing
 * is written. Returns 0, or -1 after reporting the reasons. */
int res_budget_renew(const res_budget_t *b, const res_values_t *v, const char *text, size_t bytes);

/* Writes a new budget with the resources and counts of each kernel of the run. Returns 0, or -1
 * after reporting the reason. */
int res_budget_make(const char *path, const res_values_t *v);

#endif
