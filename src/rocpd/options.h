/* options.h - the command line of rocpd: one table of options, and which sub-commands take them.
 *
 * Spellings and defaults are those of AMD's rocpd. */
#ifndef CROCPROF_ROCPD_OPTIONS_H
#define CROCPROF_ROCPD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* ORDER: that of their rows in options.c. */
typedef enum {
    ROCPD_CONVERT,
    ROCPD_QUERY,
    ROCPD_SUMMARY,
    ROCPD_MERGE,
    ROCPD_PACKAGE,
    ROCPD_REDUCE,
    ROCPD_COMMAND_COUNT
} rocpd_command_t;

typedef enum {
    ROCPD_INPUT,
    ROCPD_FORMAT, /* convert takes several, query and summary one */
    ROCPD_OUTPUT_FILE,
    ROCPD_OUTPUT_PATH,
    ROCPD_KERNEL_RENAME,
    ROCPD_AGENT_INDEX,
    ROCPD_PERFETTO_BACKEND,
    ROCPD_PERFETTO_FILL,
    ROCPD_PERFETTO_SIZE,
    ROCPD_PERFETTO_SHMEM,
    ROCPD_GROUP_BY_QUEUE,
    ROCPD_START,
    ROCPD_START_MARKER,
    ROCPD_END,
    ROCPD_END_MARKER,
    ROCPD_INCLUSIVE,
    ROCPD_SQL,
    ROCPD_SCRIPT,
    ROCPD_DOMAIN_SUMMARY,
    ROCPD_BY_RANK,
    ROCPD_CATEGORIES,
    ROCPD_MANGLED,
    ROCPD_TRUNCATE,
    ROCPD_CONSOLIDATE,
    ROCPD_COPY,
    ROCPD_JOBS,
    ROCPD_OUTPUT,
    ROCPD_SHOW,
    ROCPD_KEEP_GOING,
    ROCPD_TREE,
    ROCPD_TREE_ID,
    ROCPD_TREE_WAIT,
    ROCPD_NODE_LOCAL,
    ROCPD_OPTION_COUNT
} rocpd_option_t;

typedef struct {
    rocpd_command_t command;
    struct {
        const char **words;
        size_t count;
        bool given;
    } values[ROCPD_OPTION_COUNT];
} rocpd_options_t;

/* Reads the command line. 0 to go on; else the program ends with *status: help or the version was
 * printed, or an error told. */
int rocpd_options_read(rocpd_options_t *o, int argc, char **argv, int *status);
void rocpd_options_free(rocpd_options_t *o);

/* The first word of an option, or `otherwise` if the option was not given. */
const char *rocpd_word(const rocpd_options_t *o, rocpd_option_t option, const char *otherwise);
/* How many processes read so many files. */
unsigned rocpd_workers(const rocpd_options_t *o, size_t files);

static inline bool rocpd_given(const rocpd_options_t *o, rocpd_option_t option)
{
    return o->values[option].given;
}

#endif
