/* findings.h - the findings about the databases of a report, and the databases themselves, while
 * all of them are open as one. */
#ifndef CROCPROF_REPORT_FINDINGS_H
#define CROCPROF_REPORT_FINDINGS_H

#include "report/model.h"
#include "report/report.h"
#include "results/findings.h"

typedef struct {
    res_run_t databases;
    res_values_t values;
    res_findings_t findings;
} rep_found_t;

/* Opens the databases of the input and applies the rules. Returns 0, or -1 after reporting the
 * reason, and then there is nothing to close. */
int rep_find(rep_found_t *found, const rep_input_t *input);
void rep_found_close(rep_found_t *found);

/* Adds the findings to the run. Returns 0, or -1 after reporting the reason. */
int rep_add_findings(rep_run_t *run, rep_names_t *names, const rep_found_t *found);

#endif
