/* summary.h - statistics files and the summary tables for a terminal. */
#ifndef CROCPROF_OUTPUT_SUMMARY_H
#define CROCPROF_OUTPUT_SUMMARY_H

#include "model/sum.h"
#include "output/config.h"
#include "output/domain.h"

/* Writes a file *_stats.csv: a header, then one line per name. `stats` must be sorted. */
void out_stats_csv(out_file_t *f, const sums_t *stats);

/* Writes domain_stats.csv. Returns 0, or -1 when out of memory. */
int out_domain_stats_csv(out_file_t *f, const sums_t stats[OUT_DOMAIN_COUNT]);

/* Writes the tables that `c` selects; each line is preceded by `indent`. Returns 0, or -1 when out
 * of memory. */
int out_summaries(out_file_t *f, const out_config_t *c, const sums_t stats[OUT_DOMAIN_COUNT],
                  const char *indent);

/* Write numbers in the form that the statistics files have. */
void out_stat_float(char *text, size_t bytes, double value);
void out_stat_percentage(char *text, size_t bytes, double value);

#endif
