/* summary.h - statistics files and the summary tables for people. */
#ifndef CROCPROF_OUTPUT_SUMMARY_H
#define CROCPROF_OUTPUT_SUMMARY_H

#include "output/config.h"
#include "output/domain.h"
#include "output/stats.h"

/* A *_stats.csv: header, then one line per name; `stats` is sorted. */
void out_stats_csv(out_file_t *f, const out_stats_t *stats);

/* domain_stats.csv. 0, or -1 when out of memory. */
int out_domain_stats_csv(out_file_t *f, const out_stats_t stats[OUT_DOMAIN_COUNT]);

/* The tables asked for by `c`, each line behind `indent`. 0, or -1 when out of memory. */
int out_summaries(out_file_t *f, const out_config_t *c, const out_stats_t stats[OUT_DOMAIN_COUNT],
                  const char *indent);

#endif
