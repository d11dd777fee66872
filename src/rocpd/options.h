/* options.h - the command line of rocpd: one table of options, and the sub-commands that take each.
 *
 * Spellings and defaults are those of AMD's rocpd. */
#ifndef CROCPROF_ROCPD_OPTIONS_H
#define CROCPROF_ROCPD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* ORDER: the rows in options.c. */
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

/* Reads the command line. Returns 0 if the command is to run; else the program ends with *status,
 * after printing help or the version, or reporting an error. */
int rocpd_options_read(rocpd_options_t *o, int argc, char **argv, int *status);
void rocpd_options_free(rocpd_options_t *o);

/* Returns the first word of an option, or `otherwise` if the option was not given. */
const char *rocpd_word(const rocpd_options_t *o, rocpd_option_t option, const char *otherwise);
/* Returns the number of processes to read this many files. */
unsigned rocpd_workers(const rocpd_options_t *o, size_t files);

static inline bool rocpd_given(const rocpd_options_t *o, rocpd_option_t option)
{
    return o->values[option].given;
}

#endif
