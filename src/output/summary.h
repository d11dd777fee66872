/* summary.h - statistics files and the summary tables for people. */
#ifndef CROCPROF_OUTPUT_SUMMARY_H
#define CROCPROF_OUTPUT_SUMMARY_H

#include "output/config.h"
#include "output/domain.h"
#include "output/stats.h"

/* A file *_stats.csv: a header, then one line per name. `stats` must be sorted. */
void out_stats_csv(out_file_t *f, const out_stats_t *stats);

/* domain_stats.csv. 0, or -1 when out of memory. */
int out_domain_stats_csv(out_file_t *f, const out_stats_t stats[OUT_DOMAIN_COUNT]);

/* The tables that `c` asks for; each line is preceded by `indent`. 0, or -1 when out of memory. */
int out_summaries(out_file_t *f, const out_config_t *c, const out_stats_t stats[OUT_DOMAIN_COUNT],
                  const char *indent);

#endif
