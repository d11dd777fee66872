/* clocks.h - reads the facts about a process's clock from its database, see trace/clocks.h. */
#ifndef CROCPROF_DB_CLOCKS_H
#define CROCPROF_DB_CLOCKS_H

#include "db/db.h"
#include "trace/clocks.h"

/* Reads the facts of a process; older databases, and AMD's, have none. `last_ns` is not read.
 * Returns 0, or -1 after reporting the reason. */
int db_clock_facts(const db_t *db, const char *guid, trace_clock_facts_t *facts);

/* Takes a row of rocpd_metadata, if it is one of these facts. Other rows are ignored. */
void db_clock_take(trace_clock_facts_t *f, const char *tag, const char *value);

#endif
