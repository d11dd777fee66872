/* config.h - which files to write and how, read from the ROCPROF_* variables.
 *
 * The variables are the only form of the configuration: rocprofv3 sets them from its options, the
 * program inherits them, and run.conf keeps them for a later conversion. */
#ifndef CROCPROF_OUTPUT_CONFIG_H
#define CROCPROF_OUTPUT_CONFIG_H

#include <stdbool.h>

#include "model/model.h"
#include "trace/pattern.h"
#include "trace/settings.h"

enum { OUT_GROUPS_MAX = 32 };

/* Returns the value of a variable, or NULL. */
typedef const char *(*out_variable_t)(const void *from, const char *name);

typedef struct {
    trace_variables_t variables; /* the source of all other fields; also used to list the
                                  * settings */
    unsigned formats;            /* a bit for each OUT_FORMAT_*; 0: none was chosen */
    bool stats, summary, summary_per_domain;
    trace_pattern_t *groups[OUT_GROUPS_MAX];
    int group_count;
    char unit[8];             /* sec, msec, usec, nsec */
    uint64_t unit_ns;         /* number of nanoseconds in the unit */
    char summary_output[256]; /* stdout, stderr, or the middle of a file name */
    trace_names_t names;
    out_agent_index_t agent_index;
    uint64_t minimum_bytes;
    bool group_by_queue;
    bool config_file; /* write config.json */
    bool embed_sources;
    const char *source_paths; /* lines OLD=NEW, or NULL */
    bool benchmark;           /* write nothing but config.json */
} out_config_t;

/* Reads the variables. Returns 0, or -1 with a line in `why` that names the variable, its value and
 * the allowed values. out_config_free() is to be called in both cases. `from` must live as long as
 * `c`. */
int out_config_read(out_config_t *c, out_variable_t variable, const void *from, char *why,
                    size_t why_bytes);
void out_config_free(out_config_t *c);

/* Returns true if files of this format are written. If no format was chosen, the default format
 * is. */
bool out_config_writes(const out_config_t *c, const char *format);

/* Returns true if any summary is to be written. */
bool out_config_summaries(const out_config_t *c);

#endif
