/* code.h - reads the instructions of kernels and their counts, if a database has them.
 *
 * It is apart from read.c because AMD's databases have no such tables. All columns of counts are
 * read, so a new one needs no change here. */
#ifndef CROCPROF_REPORT_CODE_H
#define CROCPROF_REPORT_CODE_H

#include "db/db.h"
#include "report/model.h"

/* Adds the instructions of one process; `symbols` has the index of the run's kernel plus one, by
 * symbol id. Returns 0, or -1 after reporting the reason or setting `failed` of the run. */
int rep_code_read(rep_run_t *run, rep_names_t *names, const db_t *db, const char *guid,
                  const out_numbers_t *symbols);

#endif
