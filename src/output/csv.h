/* csv.h - the tables that are no domain's trace. */
#ifndef CROCPROF_OUTPUT_CSV_H
#define CROCPROF_OUTPUT_CSV_H

#include "output/source.h"

/* <prefix>_agent_info.csv */
void out_csv_agents(out_file_t *f, const out_model_t *m);

/* <prefix>_counter_collection_wide.csv: a line for each dispatch, a column for each counter; empty
 * where the dispatch was not counted so. 0, or -1: the source failed, or memory ran out. */
int out_csv_wide(out_file_t *f, out_model_t *m, out_source_t *source);

#endif
