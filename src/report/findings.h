/* findings.h - what the rules find in the databases of a report. */
#ifndef CROCPROF_REPORT_FINDINGS_H
#define CROCPROF_REPORT_FINDINGS_H

#include "report/model.h"
#include "report/report.h"

/* Adds the findings to the run. 0, or -1 with the reason told. */
int rep_findings(rep_run_t *run, rep_names_t *names, const rep_input_t *input);

#endif
