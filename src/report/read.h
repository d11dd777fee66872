/* read.h - reads databases into a report's model (model.h). */
#ifndef CROCPROF_REPORT_READ_H
#define CROCPROF_REPORT_READ_H

#include "report/model.h"
#include "report/report.h"

/* Reads all databases of the input into the run, which must be empty. Returns 0, or -1 after
 * reporting the reason; the run is to be freed in both cases. */
int rep_read(rep_run_t *run, rep_names_t *names, const rep_request_t *request,
             const rep_input_t *input);

#endif
