/* config.h - what to write and how, read from the ROCPROF_* variables.
 *
 * The variables are the one form of the configuration: rocprofv3 sets them from its options, the
 * program inherits them, run.conf keeps them for a later conversion. */
#ifndef CROCPROF_OUTPUT_CONFIG_H
#define CROCPROF_OUTPUT_CONFIG_H

#include <stdbool.h>

#include "model/model.h"
#include "trace/pattern.h"

enum { OUT_GROUPS_MAX = 32 };

/* Between the expressions in ROCPROF_STATS_SUMMARY_GROUPS. */
#define OUT_GROUP_SEPARATOR "##@@##"

/* Value of a variable or NULL. */
typedef const char *(*out_variable_t)(const void *from, const char *name);

typedef struct {
    out_variable_t variable; /* where all of this was read from, for those who show settings */
    const void *from;
    unsigned formats; /* a bit for each OUT_FORMAT_*; 0: nothing was said */
    bool stats, summary, summary_per_domain;
    trace_pattern_t *groups[OUT_GROUPS_MAX];
    int group_count;
    char unit[8];             /* sec, msec, usec, nsec */
    uint64_t unit_ns;         /* nanoseconds in it */
    char summary_output[256]; /* stdout, stderr, or the middle of a file name */
    trace_names_t names;
    out_agent_index_t agent_index;
    uint64_t minimum_bytes;
    bool group_by_queue;
    bool config_file; /* config.json is asked for */
    bool embed_sources;
    const char *source_paths; /* OLD=NEW, one a line, or NULL */
    bool benchmark;           /* and nothing else is written */
} out_config_t;

/* 0, or -1 with a line in `why` that names the variable, its value and what would be right.
 * Free with out_config_free either way. `from` has to live as long. */
int out_config_read(out_config_t *c, out_variable_t variable, const void *from, char *why,
                    size_t why_bytes);
void out_config_free(out_config_t *c);

/* False for what AMD's tool takes for no: 0, off, false, no, n, f in any case. */
bool out_config_truth(const char *value);

/* True if the format of this name is written to files: where nothing was said, it is rocpd. */
bool out_config_writes(const out_config_t *c, const char *format);

/* True if any summary was asked for. */
bool out_config_summaries(const out_config_t *c);

#endif
