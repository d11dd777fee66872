/* code.h - instructions of kernels and what was counted of each, where a database has them.
 *
 * Apart from read.c since AMD's databases have none of it. Columns of counts are taken as they are:
 * a new one needs no change here. */
#ifndef CROCPROF_REPORT_CODE_H
#define CROCPROF_REPORT_CODE_H

#include <sqlite3.h>

#include "report/model.h"

/* Adds those of one process; `symbols`: kernel of the run plus one, by symbol id. 0, or
 * -1: SQLite says why, or, where that is SQLITE_OK, memory has run out. */
int rep_code_read(rep_run_t *run, rep_names_t *names, sqlite3 *db, const char *guid,
                  const out_numbers_t *symbols);

#endif
