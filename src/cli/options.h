/* options.h - rocprofv3's options: one table for parsing, help, environment and refusals.
 *
 * Names are those of AMD's rocprofv3. */
#ifndef CROCPROF_CLI_OPTIONS_H
#define CROCPROF_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    CLI_BOOL,    /* [BOOL]; the option alone means true */
    CLI_NOT,     /* the same, but the variable gets the opposite */
    CLI_TEXT,    /* one word */
    CLI_NUMBER,  /* a whole number */
    CLI_INTEGER, /* the same, also in hexadecimal with 0x */
    CLI_CHOICE,  /* one of `values` */
    CLI_CHOICES, /* one or more of `values` */
    CLI_WORDS,   /* one or more words */
    CLI_PARTS,   /* [BOOL], or some of `values`, which the second variable gets */
    CLI_GROUPS   /* one or more words; each use of the option makes a group */
} cli_form_t;

/* ORDER: the rows of cli_options. */
typedef enum {
    CLI_HELP,
    CLI_VERSION,
    CLI_GPU,
    CLI_INPUT,
    CLI_OUTPUT_FILE,
    CLI_OUTPUT_DIRECTORY,
    CLI_OUTPUT_FORMAT,
    CLI_LOG_LEVEL,
    CLI_EXTRA_COUNTERS,
    CLI_OUTPUT_CONFIG,
    CLI_RUNTIME_TRACE,
    CLI_SYS_TRACE,
    CLI_HIP_TRACE,
    CLI_HSA_TRACE,
    CLI_KOKKOS_TRACE,
    CLI_KERNEL_TRACE,
    CLI_MARKER_TRACE,
    CLI_MEMORY_COPY_TRACE,
    CLI_MEMORY_ALLOCATION_TRACE,
    CLI_SCRATCH_MEMORY_TRACE,
    CLI_RCCL_TRACE,
    CLI_ROCDECODE_TRACE,
    CLI_ROCJPEG_TRACE,
    CLI_ROCSHMEM_TRACE,
    CLI_HIPFILE_TRACE,
    CLI_HIP_GRAPH_TRACE,
    CLI_HIP_EVENT_TRACE,
    CLI_OMPT_TRACE,
    CLI_KFD_TRACE,
    CLI_HIP_RUNTIME_TRACE,
    CLI_HIP_COMPILER_TRACE,
    CLI_HSA_CORE_TRACE,
    CLI_HSA_AMD_TRACE,
    CLI_HSA_IMAGE_TRACE,
    CLI_HSA_FINALIZER_TRACE,
    CLI_KFD_PAGE_MIGRATION_TRACE,
    CLI_KFD_PAGE_MAPPING_TRACE,
    CLI_KFD_QUEUE_TRACE,
    CLI_KFD_DROPPED_EVENTS_TRACE,
    CLI_PMC,
    CLI_PMC_GROUPS,
    CLI_PMC_GROUP_INTERVAL,
    CLI_REPLAY_MODE,
    CLI_KERNEL_REPLAY_BETA_ENABLED,
    CLI_SPM,
    CLI_SPM_SAMPLE_INTERVAL,
    CLI_SPM_SAMPLE_INTERVAL_UNIT,
    CLI_SPM_BETA_ENABLED,
    CLI_STATS,
    CLI_SUMMARY,
    CLI_SUMMARY_PER_DOMAIN,
    CLI_SUMMARY_GROUPS,
    CLI_SUMMARY_OUTPUT_FILE,
    CLI_SUMMARY_UNITS,
    CLI_MANGLED_KERNELS,
    CLI_TRUNCATE_KERNELS,
    CLI_KERNEL_RENAME,
    CLI_KERNEL_INCLUDE_REGEX,
    CLI_KERNEL_EXCLUDE_REGEX,
    CLI_KERNEL_ITERATION_RANGE,
    CLI_SELECTED_REGIONS,
    CLI_SELECTED_REGIONS_REF_COUNT,
    CLI_COLLECTION_PERIOD,
    CLI_COLLECTION_PERIOD_UNIT,
    CLI_PROFILE_MPI_RANKS,
    CLI_MPI_WORLD_RANK_VARIABLE,
    CLI_MPI_WORLD_SIZE_VARIABLE,
    CLI_LIST_AVAIL,
    CLI_GROUP_BY_QUEUE,
    CLI_AGENT_INDEX,
    CLI_PRELOAD,
    CLI_SUPPRESS_MARKER_PRELOAD,
    CLI_ROCM_ROOT,
    CLI_ECHO,
    CLI_DISABLE_SIGNAL_HANDLERS,
    CLI_MINIMUM_OUTPUT_DATA,
    CLI_PERFETTO_BACKEND,
    CLI_PERFETTO_BUFFER_SIZE,
    CLI_PERFETTO_BUFFER_FILL_POLICY,
    CLI_PERFETTO_SHMEM_SIZE_HINT,
    CLI_PID,
    CLI_ATTACH_DURATION_MSEC,
    CLI_ATTACH_CHILDREN,
    CLI_SDK_VERSION,
    CLI_SDK_SOVERSION,
    CLI_READLINK,
    CLI_REALPATH,
    CLI_PROCESS_SYNC,
    CLI_DOCTOR,
    CLI_ATTACH_SYNC_OUTPUT,
    CLI_ATT,
    CLI_ATT_LIBRARY_PATH,
    CLI_ATT_TARGET_CU,
    CLI_ATT_SIMD_SELECT,
    CLI_ATT_BUFFER_SIZE,
    CLI_ATT_SHADER_ENGINE_MASK,
    CLI_ATT_GPU_INDEX,
    CLI_ATT_PERFCOUNTERS,
    CLI_ATT_PERFCOUNTER_CTRL,
    CLI_ATT_ACTIVITY,
    CLI_ATT_SERIALIZE_ALL,
    CLI_ATT_CONSECUTIVE_KERNELS,
    CLI_ATT_NO_INTERCEPT,
    CLI_ATT_RESOURCE_MODE,
    CLI_ATT_PERFCOUNTER_TARGET_ONLY,
    CLI_ATT_NO_DETAIL,
    CLI_PC_SAMPLING_BETA_ENABLED,
    CLI_PC_SAMPLING_UNIT,
    CLI_PC_SAMPLING_METHOD,
    CLI_PC_SAMPLING_INTERVAL,
    CLI_INSTRUCTION_COUNTS,
    CLI_INSTRUCTION_COUNTS_LEVEL,
    CLI_INSTRUCTION_COUNTS_BY,
    CLI_SOURCE_PATH,
    CLI_EMBED_SOURCES,
    CLI_BENCHMARK_MODE,
    CLI_PROGRESS,
    CLI_OPTION_COUNT
} cli_option_id_t;

typedef struct {
    const char *name; /* without the hyphens */
    char letter;      /* 0: none */
    cli_form_t form;
    const char *values;   /* choices, separated by blanks; or the word's name in --help */
    const char *variable; /* environment variables that get the value, separated by blanks */
    const char *implies;  /* options turned on unless they are given, separated by blanks */
    const char *group;    /* heading in --help */
    const char *help;
} cli_option_t;

/* Other names of options; the last row is NULL. */
typedef struct {
    const char *alias, *name;
} cli_alias_t;

extern const cli_alias_t cli_aliases[];

extern const cli_option_t cli_options[];
extern const size_t cli_option_rows;

typedef struct {
    /* NULL if not given; "1" or "0" for BOOL; for lists, words separated by line feeds; for groups,
     * one on each line, with words separated by blanks. */
    char *values[CLI_OPTION_COUNT];
    unsigned lines[CLI_OPTION_COUNT]; /* in the input file; 0: on the command line */
    char **program;                   /* the words after "--", or NULL */
} cli_command_t;

/* 0, or -1 with one line in `why`. Free with cli_command_free in both cases. */
int cli_parse(cli_command_t *c, int argc, char **argv, char *why, size_t why_bytes);
void cli_command_free(cli_command_t *c);

/* Row of an option for a key of an input file, which has underscores for hyphens; -1 with a line in
 * `why` if the name is unknown, refused, or not allowed in a file. */
int cli_find_key(const char *key, char *why, size_t why_bytes);

/* Sets an option to these words, with the same checks as on the command line. 0, or -1 with a line
 * in `why`. */
int cli_set(cli_command_t *c, size_t option, const char *const *words, size_t count, char *why,
            size_t why_bytes);

bool cli_is_on(const cli_command_t *c, cli_option_id_t option);

/* True if any tracing option is on. */
bool cli_traces(const cli_command_t *c);

/* True if hardware counters are wanted. */
bool cli_counts(const cli_command_t *c);

/* True if counters are to be sampled while kernels run. */
static inline bool cli_streams(const cli_command_t *c)
{
    return c->values[CLI_SPM];
}

/* True if anything is recorded: calls, counters, thread traces, samples. */
static inline bool cli_records(const cli_command_t *c)
{
    return cli_traces(c) || cli_counts(c) || cli_streams(c) || cli_is_on(c, CLI_ATT) ||
           cli_is_on(c, CLI_ATT_NO_INTERCEPT) || c->values[CLI_PC_SAMPLING_METHOD] ||
           cli_is_on(c, CLI_INSTRUCTION_COUNTS);
}

/* Turns on the options that others imply, then sets the variables of all options. 0, or the exit
 * status and a line in `why`. */
int cli_apply(cli_command_t *c, char *why, size_t why_bytes);

void cli_print_help(void);

#endif
