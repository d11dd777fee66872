/* check.h - what checking a budget and renewing it share. */
#ifndef CROCPROF_RESULTS_CHECK_H
#define CROCPROF_RESULTS_CHECK_H

#include "results/budget.h"

/* The values that a rule is about: all of them lie between `least` and `most`. */
typedef struct {
    const res_value_t *value; /* NULL: there is no value, and `why` says why */
    double least, most;
    char why[256];
} res_found_t;

res_found_t res_rule_value(const res_values_t *v, size_t kernel, const res_rule_t *rule);

/* Writes the run's values into the budget's file, whose text is given: rules keep their relation,
 * unit and tolerance, and everything else stays as it is. If a rule has no value, nothing is
 * written. 0, or -1 with the reasons told. */
int res_budget_renew(const res_budget_t *b, const res_values_t *v, const char *text, size_t bytes);

/* Writes a new budget: what each kernel of the run takes and counts. 0, or -1 with the reason
 * told. */
int res_budget_make(const char *path, const res_values_t *v);

#endif
