/* check.h - what checking a budget and renewing it share. */
#ifndef CROCPROF_RESULTS_CHECK_H
#define CROCPROF_RESULTS_CHECK_H

#include "results/budget.h"

/* What a rule looks at: all values that it is about lie between two. */
typedef struct {
    const res_value_t *value; /* NULL: there is none, see why */
    double least, most;
    char why[256];
} res_found_t;

res_found_t res_rule_value(const res_values_t *v, size_t kernel, const res_rule_t *rule);

/* Writes the run's values into the budget's file, whose text is given: rules keep their relation,
 * unit and tolerance, and everything else stays as it is. Nothing is written where a rule has no
 * value. 0, or -1 with the reasons told. */
int res_budget_renew(const res_budget_t *b, const res_values_t *v, const char *text, size_t bytes);

/* Writes a new file: what each kernel of the run takes and counts. Same answers. */
int res_budget_make(const char *path, const res_values_t *v);

#endif
