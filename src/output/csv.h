/* csv.h - the CSV files that are not the trace of a domain. */
#ifndef CROCPROF_OUTPUT_CSV_H
#define CROCPROF_OUTPUT_CSV_H

#include "output/source.h"

/* Writes <prefix>_agent_info.csv. */
void out_csv_agents(out_file_t *f, const out_model_t *m);

/* Writes <prefix>_counter_collection_wide.csv: a line for each dispatch, a column for each counter;
 * a cell is empty if the counter was not counted for the dispatch. Returns 0, or -1 if the source
 * has failed or there is no memory. */
int out_csv_wide(out_file_t *f, out_model_t *m, out_source_t *source);

#endif
