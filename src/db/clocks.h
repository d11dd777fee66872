/* clocks.h - what a database says of its process's clock, see trace/clocks.h. */
#ifndef CROCPROF_DB_CLOCKS_H
#define CROCPROF_DB_CLOCKS_H

#include "db/db.h"
#include "trace/clocks.h"

/* Reads the facts of a process; older databases, and AMD's, have none. `last_ns` is not read. 0, or
 * -1 with the reason told. */
int db_clock_facts(const db_t *db, const char *guid, trace_clock_facts_t *facts);

/* Takes one of these facts: a row of rocpd_metadata. Other rows are none. */
void db_clock_take(trace_clock_facts_t *f, const char *tag, const char *value);

#endif
