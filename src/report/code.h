/* code.h - reads the instructions of kernels and their counts, if a database has them.
 *
 * Not in read.c since AMD's databases have no such tables. All columns of counts are taken: a new
 * one needs no change here. */
#ifndef CROCPROF_REPORT_CODE_H
#define CROCPROF_REPORT_CODE_H

#include "db/db.h"
#include "report/model.h"

/* Adds the instructions of one process; `symbols`: index of the run's kernel plus one, by symbol
 * id. 0, or -1 with the reason told, or with `failed` of the run set. */
int rep_code_read(rep_run_t *run, rep_names_t *names, const db_t *db, const char *guid,
                  const out_numbers_t *symbols);

#endif
