/* settings.c - see settings.h. Each key is a row, which names the setting that it shows; the
 * functions below write each form of value. */
#include "output/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/words.h"
#include "output/format.h"
#include "trace/ranks.h"
#include "trace/reader.h"
#include "trace/store.h"

typedef enum {
    SETTING, /* according to the setting's own form: text, number or truth value */
    LIST,    /* a list, split at the characters of `more` */
    GROUPS,  /* a list, split at the separator of --summary-groups */
    NAMES,   /* names of counters, each after "pmc:", of --pmc and pmc_groups */
    IS,      /* true if the value is `more` */
    PLACE,   /* index of the value among the setting's words */
    FORMAT,  /* true if the format `more` is written */
    FACT,    /* information on the process, with the key `more` */
    RANK,    /* rank in a parallel program, from its launcher's variables */
    SIZE     /* number of ranks, from the same variables */
} form_t;

typedef struct {
    const char *key;
    form_t form;
    trace_setting_id_t id; /* 0: the form does not refer to a setting */
    const char *more;
} row_t;

/* clang-format off */
#define SHOW(key, id) {key, SETTING, TRACE_SET_##id, NULL}
/* clang-format on */

/* ORDER: as in AMD's tool, its own settings first. */
static const row_t own[] = {
    SHOW("benchmark_mode", BENCHMARK_MODE),
    SHOW("kernel_trace", KERNEL_TRACE),
    SHOW("hsa_core_api_trace", HSA_CORE_TRACE),
    SHOW("hsa_amd_ext_api_trace", HSA_AMD_TRACE),
    SHOW("hsa_image_ext_api_trace", HSA_IMAGE_TRACE),
    SHOW("hsa_finalizer_ext_api_trace", HSA_FINALIZER_TRACE),
    SHOW("marker_api_trace", MARKER_TRACE),
    SHOW("memory_copy_trace", MEMORY_COPY_TRACE),
    SHOW("memory_allocation_trace", MEMORY_ALLOCATION_TRACE),
    SHOW("scratch_memory_trace", SCRATCH_MEMORY_TRACE),
    SHOW("counter_collection", COUNTER_COLLECTION),
    SHOW("spm_counter_collection", SPM_COUNTER_COLLECTION),
    SHOW("hip_runtime_api_trace", HIP_RUNTIME_TRACE),
    SHOW("hip_compiler_api_trace", HIP_COMPILER_TRACE),
    SHOW("rccl_api_trace", RCCL_TRACE),
    SHOW("rocdecode_api_trace", ROCDECODE_TRACE),
    SHOW("rocjpeg_api_trace", ROCJPEG_TRACE),
    SHOW("rocshmem_api_trace", ROCSHMEM_TRACE),
    SHOW("hipfile_api_trace", HIPFILE_TRACE),
    SHOW("hip_graph_trace", HIP_GRAPH_TRACE),
    SHOW("hip_event_trace", HIP_EVENT_TRACE),
    {"mpi_rank", RANK, 0, NULL},
    {"mpi_size", SIZE, 0, NULL},
    {"collection_periods", LIST, TRACE_SET_COLLECTION_PERIOD, ";"},
    {"counters", NAMES, TRACE_SET_PMC, NULL},
    SHOW("extra_counters_contents", EXTRA_COUNTERS_CONTENTS),
    SHOW("kernel_filter_include", KERNEL_INCLUDE_REGEX),
    SHOW("kernel_filter_exclude", KERNEL_EXCLUDE_REGEX),
    {"kernel_filter_range", LIST, TRACE_SET_KERNEL_ITERATION_RANGE, " ,[]"},
    SHOW("demangle", MANGLED_KERNELS),
    SHOW("truncate", TRUNCATE_KERNELS),
    SHOW("minimum_output_bytes", MINIMUM_OUTPUT_DATA),
    SHOW("enable_signal_handlers", DISABLE_SIGNAL_HANDLERS),
    SHOW("selected_regions", SELECTED_REGIONS),
    SHOW("counter_groups_random_seed", COUNTER_GROUPS_RANDOM_SEED),
    SHOW("counter_groups_interval", PMC_GROUP_INTERVAL),
    {"pc_sampling_host_trap", IS, TRACE_SET_PC_SAMPLING_METHOD, "host_trap"},
    {"pc_sampling_stochastic", IS, TRACE_SET_PC_SAMPLING_METHOD, "stochastic"},
    SHOW("pc_sampling_method", PC_SAMPLING_METHOD),
    SHOW("pc_sampling_unit", PC_SAMPLING_UNIT),
    SHOW("pc_sampling_interval", PC_SAMPLING_INTERVAL),
    {"pc_sampling_method_value", PLACE, TRACE_SET_PC_SAMPLING_METHOD, NULL},
    {"pc_sampling_unit_value", PLACE, TRACE_SET_PC_SAMPLING_UNIT, NULL},
    SHOW("advanced_thread_trace", ATT),
    SHOW("att_serialize_all", ATT_SERIALIZE_ALL),
    SHOW("att_param_shader_engine_mask", ATT_SHADER_ENGINE_MASK),
    SHOW("att_param_buffer_size", ATT_BUFFER_SIZE),
    SHOW("att_param_simd_select", ATT_SIMD_SELECT),
    SHOW("att_param_target_cu", ATT_TARGET_CU),
    {"att_library_path", LIST, TRACE_SET_ATT_LIBRARY_PATH, ":"},
    {"att_param_perfcounters", LIST, TRACE_SET_ATT_PERFCOUNTERS, " ,"},
    SHOW("att_param_perf_ctrl", ATT_PERFCOUNTER_CTRL),
};

static const row_t output[] = {
    {"output_path", FACT, 0, TRACE_INFO_DIRECTORY},
    {"output_file", FACT, 0, TRACE_INFO_NAME},
    SHOW("tmp_directory", TMPDIR),
    SHOW("raw_output_path", OUTPUT_DIRECTORY),
    SHOW("raw_output_file", OUTPUT_FILE),
    SHOW("raw_tmp_directory", TMPDIR),
    SHOW("perfetto_shmem_size_hint", PERFETTO_SHMEM_SIZE_HINT),
    SHOW("perfetto_buffer_size", PERFETTO_BUFFER_SIZE),
    SHOW("perfetto_buffer_fill_policy", PERFETTO_BUFFER_FILL_POLICY),
    SHOW("perfetto_backend", PERFETTO_BACKEND),
    SHOW("summary", SUMMARY),
    SHOW("summary_per_domain", SUMMARY_PER_DOMAIN),
    {"summary_groups", GROUPS, TRACE_SET_SUMMARY_GROUPS, NULL},
    SHOW("summary_unit", SUMMARY_UNITS),
    SHOW("summary_file", SUMMARY_OUTPUT_FILE),
    {"csv_output", FORMAT, 0, "csv"},
    {"json_output", FORMAT, 0, "json"},
    {"pftrace_output", FORMAT, 0, "pftrace"},
    {"otf2_output", FORMAT, 0, "otf2"},
    SHOW("summary_output", SUMMARY),
    {"rocpd_output", FORMAT, 0, "rocpd"},
    SHOW("kernel_rename", KERNEL_RENAME),
    SHOW("group_by_queue", GROUP_BY_QUEUE),
};

typedef struct {
    out_json_t *j;
    const out_config_t *c;
    const out_model_t *m;
} writer_t;

static void put_word(out_json_t *j, const char *at, size_t bytes)
{
    char *word = strndup(at, bytes);
    if (word) out_json_text(j, NULL, word);
    free(word);
}

static void put_words(out_json_t *j, const char *text, const char *gaps, const char *without)
{
    for (size_t bytes; *(text += strspn(text, gaps)); text += bytes) {
        bytes = strcspn(text, gaps);
        if (!without || strlen(without) != bytes || memcmp(text, without, bytes) != 0)
            put_word(j, text, bytes);
    }
}

static void put_groups(out_json_t *j, const char *text)
{
    const char *gap = trace_settings[TRACE_SET_SUMMARY_GROUPS].joined;
    while (*text) {
        const char *end = strstr(text, gap);
        size_t bytes = end ? (size_t)(end - text) : strlen(text);
        if (bytes) put_word(j, text, bytes);
        text += end ? bytes + strlen(gap) : bytes;
    }
}

/* Returns the value of a variable in the process's environment. */
static const char *variable_value(const void *model, const char *name)
{
    const out_model_t *m = model;
    const size_t bytes = strlen(name);
    for (size_t i = 0; i < m->variable_count; i++)
        if (strncmp(m->variables[i], name, bytes) == 0 && m->variables[i][bytes] == '=')
            return m->variables[i] + bytes + 1;
    return NULL;
}

/* Returns rank and number of ranks, as in the names of the process's files. */
static trace_rank_t rank_of(const out_model_t *m)
{
    return trace_rank_told(&(trace_variables_t){variable_value, m});
}

static void put_known(const writer_t *w, const row_t *row, long number, uint64_t otherwise)
{
    out_json_unsigned(w->j, row->key, number >= 0 ? (uint64_t)number : otherwise);
}

static void put_list(const writer_t *w, const row_t *row, const char *value)
{
    out_json_begin(w->j, row->key, '[');
    if (row->form == GROUPS) put_groups(w->j, value);
    if (row->form == LIST) put_words(w->j, value, row->more, NULL);
    if (row->form == NAMES) {
        put_words(w->j, value, " \t,;:\n", "pmc");
        put_words(w->j, trace_setting_in(&w->c->variables, TRACE_SET_PMC_GROUPS), " \t,;:\n",
                  "pmc");
    }
    out_json_end(w->j, ']');
}

static void put_value(const writer_t *w, const row_t *row, const char *value)
{
    const trace_form_t form = trace_settings[row->id].form;
    uint64_t number = 0;
    if (form == TRACE_FORM_BOOL || form == TRACE_FORM_NOT) {
        out_json_bool(w->j, row->key, base_truth(value) != 0);
    } else if (form == TRACE_FORM_NUMBER || form == TRACE_FORM_INTEGER) {
        base_number(value, 0, UINT64_MAX, &number);
        out_json_unsigned(w->j, row->key, number);
    } else {
        out_json_text(w->j, row->key, value);
    }
}

/* Returns the index, from 1, of the value among the setting's words; 0 if it is none of them. */
static unsigned place_of(const row_t *row, const char *value)
{
    const char *words = trace_settings[row->id].words;
    return (unsigned)(trace_word_among(words, value, strlen(value), NULL) + 1);
}

static void put_row(const writer_t *w, const row_t *row)
{
    const char *value = trace_setting_in(&w->c->variables, row->id);
    switch (row->form) {
    case SETTING: put_value(w, row, value); return;
    case PLACE: out_json_unsigned(w->j, row->key, place_of(row, value)); return;
    case IS: out_json_bool(w->j, row->key, strcmp(value, row->more) == 0); return;
    case FORMAT: out_json_bool(w->j, row->key, out_config_writes(w->c, row->more)); return;
    case FACT: out_json_text(w->j, row->key, out_model_info(w->m, row->more)); return;
    case RANK: put_known(w, row, rank_of(w->m).rank, 0); return;
    case SIZE: put_known(w, row, rank_of(w->m).size, 1); return;
    case LIST:
    case GROUPS:
    case NAMES: put_list(w, row, value); return;
    }
}

void out_settings_members(out_json_t *j, const out_config_t *c, const out_model_t *m,
                          out_settings_t which)
{
    writer_t w = {j, c, m};
    for (size_t i = 0; which == OUT_SETTINGS_ALL && i < sizeof(own) / sizeof(*own); i++)
        put_row(&w, &own[i]);
    for (size_t i = 0; i < sizeof(output) / sizeof(*output); i++)
        put_row(&w, &output[i]);
}

void out_environment_members(out_json_t *j, const out_model_t *m)
{
    for (size_t i = 0; i < m->variable_count; i++) {
        const char *variable = m->variables[i], *is = strchr(variable, '=');
        char *name = is ? strndup(variable, (size_t)(is - variable)) : NULL;
        if (name) out_json_pair(j, name, is + 1);
        free(name);
    }
}

void out_command_array(out_json_t *j, const char *key, const out_model_t *m)
{
    out_json_begin(j, key, '[');
    char *command = strdup(out_model_info(m, TRACE_INFO_COMMAND));
    for (char *rest = command, *word; (word = strsep(&rest, " "));)
        out_json_text(j, NULL, word);
    free(command);
    out_json_end(j, ']');
}

static void put_build(out_json_t *j)
{
    struct utsname u = {0};
    unsigned major = 0, minor = 0, patch = 0;
    uname(&u);
    sscanf(CROCPROF_VERSION, "%u.%u.%u", &major, &minor, &patch);
    out_json_begin(j, "build_spec", '{');
    out_json_unsigned(j, "version_major", major);
    out_json_unsigned(j, "version_minor", minor);
    out_json_unsigned(j, "version_patch", patch);
    out_json_text(j, "soversion", "1");
#ifdef __clang__
    out_json_text(j, "compiler_id", "Clang");
#else
    out_json_text(j, "compiler_id", "GNU");
#endif
    out_json_text(j, "compiler_version", __VERSION__);
    out_json_text(j, "git_describe", "");
    out_json_text(j, "git_revision", "");
    out_json_text(j, "library_arch", "x86_64-linux-gnu");
    out_json_text(j, "system_name", u.sysname);
    out_json_text(j, "system_processor", u.machine);
    out_json_text(j, "system_version", u.release);
    out_json_end(j, '}');
}

/* Writes the counts of a run that has only counted its program's operations. */
static void put_profile(out_json_t *j, const out_model_t *m)
{
    bool begun = false;
    for (size_t i = 0; i < m->record_count; i++) {
        unsigned long long first, second;
        char kind[64] = "";
        if (trace_type(*m->records[i]) != TRACE_INFO ||
            strcmp(trace_record_text(m->records[i], 0), TRACE_INFO_PROFILE) != 0 ||
            sscanf(trace_record_text(m->records[i], 1), "%llu %llu %63s", &first, &second, kind) <
                2)
            continue;
        if (!begun) out_json_begin(j, "profile", '{');
        begun = true;
        for (char *at = kind; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        if (*kind) out_json_begin(j, kind, '{');
        out_json_unsigned(j, *kind ? "count" : "threads", first);
        out_json_unsigned(j, *kind ? "unique" : "contexts", second);
        if (*kind) out_json_end(j, '}');
    }
    if (begun) out_json_end(j, '}');
}

void out_settings_file(out_file_t *f, const out_config_t *c, const out_model_t *m)
{
    out_json_t j = {.f = f};
    out_json_begin(&j, NULL, '{');
    out_json_begin(&j, "rocprofiler-sdk-tool", '[');
    out_json_begin(&j, NULL, '{');
    out_json_begin(&j, "metadata", '{');
    out_json_unsigned(&j, "pid", m->header.pid);
    out_json_unsigned(&j, "init_time", m->header.boottime_ns);
    out_json_unsigned(&j, "fini_time", m->header.closed_ns);
    out_json_begin(&j, "config", '{');
    out_settings_members(&j, c, m, OUT_SETTINGS_ALL);
    out_json_end(&j, '}');
    out_command_array(&j, "command", m);
    put_build(&j);
    put_profile(&j, m);
    out_json_begin(&j, "environment", '{');
    out_environment_members(&j, m);
    out_json_end(&j, '}');
    out_json_end(&j, '}');
    out_json_end(&j, '}');
    out_json_end(&j, ']');
    out_json_end(&j, '}');
    out_char(f, '\n');
}
