/* summary.h - statistics files and the summary tables for people. */
#ifndef CROCPROF_OUTPUT_SUMMARY_H
#define CROCPROF_OUTPUT_SUMMARY_H

#include "model/sum.h"
#include "output/config.h"
#include "output/domain.h"

/* A file *_stats.csv: a header, then one line per name. `stats` must be sorted. */
void out_stats_csv(out_file_t *f, const sums_t *stats);

/* domain_stats.csv. 0, or -1 when out of memory. */
int out_domain_stats_csv(out_file_t *f, const sums_t stats[OUT_DOMAIN_COUNT]);

/* The tables that `c` asks for; each line is preceded by `indent`. 0, or -1 when out of memory. */
int out_summaries(out_file_t *f, const out_config_t *c, const sums_t stats[OUT_DOMAIN_COUNT],
                  const char *indent);

/* Write numbers as the statistics files have them. */
void out_stat_float(char *text, size_t bytes, double value);
void out_stat_percentage(char *text, size_t bytes, double value);

#endif
