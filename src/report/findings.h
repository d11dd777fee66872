/* findings.h - what the rules find in the databases of a report, and the databases themselves,
 * while all of them are open as one. */
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

/* Opens the databases of the input and applies the rules. 0, or -1 with the reason told and nothing
 * to close. */
int rep_find(rep_found_t *found, const rep_input_t *input);
void rep_found_close(rep_found_t *found);

/* Adds the findings to the run. 0, or -1 with the reason told. */
int rep_add_findings(rep_run_t *run, rep_names_t *names, const rep_found_t *found);

#endif
