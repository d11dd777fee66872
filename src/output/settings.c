/* settings.c - see settings.h. A setting is a row of the table; how each form of value is read is
 * below it. */
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
    TEXT,
    NUMBER,
    TRUTH,
    LIST,   /* split at the characters of `more` */
    GROUPS, /* split at OUT_GROUP_SEPARATOR */
    NAMES,  /* names of counters, each after "pmc:" */
    IS,     /* true if the value is `more` */
    PLACE,  /* index of the value among the words of `more`; 0 if it is none of them */
    FORMAT, /* true if the format `more` is written */
    FACT,   /* information on the process, with the key `more` */
    RANK,   /* rank in a parallel program, from its launcher's variables */
    SIZE    /* number of ranks, likewise */
} form_t;

typedef struct {
    const char *key;
    form_t form;
    const char *variable, *otherwise, *more;
} row_t;

/* ORDER: as in AMD's tool, its own settings first. */
static const row_t own[] = {
    {"benchmark_mode", TEXT, "ROCPROF_BENCHMARK_MODE", "none", NULL},
    {"kernel_trace", TRUTH, "ROCPROF_KERNEL_TRACE", "0", NULL},
    {"hsa_core_api_trace", TRUTH, "ROCPROF_HSA_CORE_API_TRACE", "0", NULL},
    {"hsa_amd_ext_api_trace", TRUTH, "ROCPROF_HSA_AMD_EXT_API_TRACE", "0", NULL},
    {"hsa_image_ext_api_trace", TRUTH, "ROCPROF_HSA_IMAGE_EXT_API_TRACE", "0", NULL},
    {"hsa_finalizer_ext_api_trace", TRUTH, "ROCPROF_HSA_FINALIZER_EXT_API_TRACE", "0", NULL},
    {"marker_api_trace", TRUTH, "ROCPROF_MARKER_API_TRACE", "0", NULL},
    {"memory_copy_trace", TRUTH, "ROCPROF_MEMORY_COPY_TRACE", "0", NULL},
    {"memory_allocation_trace", TRUTH, "ROCPROF_MEMORY_ALLOCATION_TRACE", "0", NULL},
    {"scratch_memory_trace", TRUTH, "ROCPROF_SCRATCH_MEMORY_TRACE", "0", NULL},
    {"counter_collection", TRUTH, "ROCPROF_COUNTER_COLLECTION", "0", NULL},
    {"spm_counter_collection", TRUTH, "ROCPROF_SPM_COUNTER_COLLECTION", "0", NULL},
    {"hip_runtime_api_trace", TRUTH, "ROCPROF_HIP_RUNTIME_API_TRACE", "0", NULL},
    {"hip_compiler_api_trace", TRUTH, "ROCPROF_HIP_COMPILER_API_TRACE", "0", NULL},
    {"rccl_api_trace", TRUTH, "ROCPROF_RCCL_API_TRACE", "0", NULL},
    {"rocdecode_api_trace", TRUTH, "ROCPROF_ROCDECODE_API_TRACE", "0", NULL},
    {"rocjpeg_api_trace", TRUTH, "ROCPROF_ROCJPEG_API_TRACE", "0", NULL},
    {"rocshmem_api_trace", TRUTH, "ROCPROF_ROCSHMEM_API_TRACE", "0", NULL},
    {"hipfile_api_trace", TRUTH, "ROCPROF_HIPFILE_API_TRACE", "0", NULL},
    {"hip_graph_trace", TRUTH, "ROCPROF_HIP_GRAPH_TRACE", "0", NULL},
    {"hip_event_trace", TRUTH, "ROCPROF_HIP_EVENT_TRACE", "0", NULL},
    {"mpi_rank", RANK, NULL, "0", NULL},
    {"mpi_size", SIZE, NULL, "1", NULL},
    {"collection_periods", LIST, "ROCPROF_COLLECTION_PERIOD", "", ";"},
    {"counters", NAMES, "ROCPROF_COUNTERS ROCPROF_COUNTER_GROUPS", "", NULL},
    {"extra_counters_contents", TEXT, "ROCPROF_EXTRA_COUNTERS_CONTENTS", "", NULL},
    {"kernel_filter_include", TEXT, "ROCPROF_KERNEL_FILTER_INCLUDE_REGEX", ".*", NULL},
    {"kernel_filter_exclude", TEXT, "ROCPROF_KERNEL_FILTER_EXCLUDE_REGEX", "", NULL},
    {"kernel_filter_range", LIST, "ROCPROF_KERNEL_FILTER_RANGE", "", " ,[]"},
    {"demangle", TRUTH, "ROCPROF_DEMANGLE_KERNELS", "1", NULL},
    {"truncate", TRUTH, "ROCPROF_TRUNCATE_KERNELS", "0", NULL},
    {"minimum_output_bytes", NUMBER, "ROCPROF_MINIMUM_OUTPUT_BYTES", "0", NULL},
    {"enable_signal_handlers", TRUTH, "ROCPROF_SIGNAL_HANDLERS", "1", NULL},
    {"selected_regions", TRUTH, "ROCPROF_SELECTED_REGIONS", "0", NULL},
    {"counter_groups_random_seed", NUMBER, "ROCPROF_COUNTER_GROUPS_RANDOM_SEED", "0", NULL},
    {"counter_groups_interval", NUMBER, "ROCPROF_COUNTER_GROUPS_INTERVAL", "1", NULL},
    {"pc_sampling_host_trap", IS, "ROCPROF_PC_SAMPLING_METHOD", "", "host_trap"},
    {"pc_sampling_stochastic", IS, "ROCPROF_PC_SAMPLING_METHOD", "", "stochastic"},
    {"pc_sampling_method", TEXT, "ROCPROF_PC_SAMPLING_METHOD", "none", NULL},
    {"pc_sampling_unit", TEXT, "ROCPROF_PC_SAMPLING_UNIT", "none", NULL},
    {"pc_sampling_interval", NUMBER, "ROCPROF_PC_SAMPLING_INTERVAL", "1", NULL},
    {"pc_sampling_method_value", PLACE, "ROCPROF_PC_SAMPLING_METHOD", "none",
     "none stochastic host_trap"},
    {"pc_sampling_unit_value", PLACE, "ROCPROF_PC_SAMPLING_UNIT", "none",
     "none instructions cycles time"},
    {"advanced_thread_trace", TRUTH, "ROCPROF_ADVANCED_THREAD_TRACE", "0", NULL},
    {"att_serialize_all", TRUTH, "ROCPROF_ATT_PARAM_SERIALIZE_ALL", "0", NULL},
    {"att_param_shader_engine_mask", NUMBER, "ROCPROF_ATT_PARAM_SHADER_ENGINE_MASK", "1", NULL},
    {"att_param_buffer_size", NUMBER, "ROCPROF_ATT_PARAM_BUFFER_SIZE", "268435456", NULL},
    {"att_param_simd_select", NUMBER, "ROCPROF_ATT_PARAM_SIMD_SELECT", "15", NULL},
    {"att_param_target_cu", NUMBER, "ROCPROF_ATT_PARAM_TARGET_CU", "1", NULL},
    {"att_library_path", LIST, "ROCPROF_ATT_LIBRARY_PATH", "", ":"},
    {"att_param_perfcounters", LIST, "ROCPROF_ATT_PARAM_PERFCOUNTERS", "", " ,"},
    {"att_param_perf_ctrl", NUMBER, "ROCPROF_ATT_PARAM_PERFCOUNTER_CTRL", "0", NULL},
};

static const row_t output[] = {
    {"output_path", FACT, NULL, "", TRACE_INFO_DIRECTORY},
    {"output_file", FACT, NULL, "", TRACE_INFO_NAME},
    {"tmp_directory", TEXT, "ROCPROF_TMPDIR", "%cwd%", NULL},
    {"raw_output_path", TEXT, "ROCPROF_OUTPUT_PATH", "%cwd%", NULL},
    {"raw_output_file", TEXT, "ROCPROF_OUTPUT_FILE_NAME", "%hostname%/%pid%", NULL},
    {"raw_tmp_directory", TEXT, "ROCPROF_TMPDIR", "%cwd%", NULL},
    {"perfetto_shmem_size_hint", NUMBER, "ROCPROF_PERFETTO_SHMEM_SIZE_HINT_KB", "64", NULL},
    {"perfetto_buffer_size", NUMBER, "ROCPROF_PERFETTO_BUFFER_SIZE_KB", "1048576", NULL},
    {"perfetto_buffer_fill_policy", TEXT, "ROCPROF_PERFETTO_BUFFER_FILL_POLICY", "discard", NULL},
    {"perfetto_backend", TEXT, "ROCPROF_PERFETTO_BACKEND", "inprocess", NULL},
    {"summary", TRUTH, "ROCPROF_STATS_SUMMARY", "0", NULL},
    {"summary_per_domain", TRUTH, "ROCPROF_STATS_SUMMARY_PER_DOMAIN", "0", NULL},
    {"summary_groups", GROUPS, "ROCPROF_STATS_SUMMARY_GROUPS", "", NULL},
    {"summary_unit", TEXT, "ROCPROF_STATS_SUMMARY_UNITS", "nsec", NULL},
    {"summary_file", TEXT, "ROCPROF_STATS_SUMMARY_OUTPUT", "stderr", NULL},
    {"csv_output", FORMAT, NULL, "", "csv"},
    {"json_output", FORMAT, NULL, "", "json"},
    {"pftrace_output", FORMAT, NULL, "", "pftrace"},
    {"otf2_output", FORMAT, NULL, "", "otf2"},
    {"summary_output", TRUTH, "ROCPROF_STATS_SUMMARY", "0", NULL},
    {"rocpd_output", FORMAT, NULL, "", "rocpd"},
    {"kernel_rename", TRUTH, "ROCPROF_KERNEL_RENAME", "0", NULL},
    {"group_by_queue", TRUTH, "ROCPROF_GROUP_BY_QUEUE", "0", NULL},
};

typedef struct {
    out_json_t *j;
    const out_config_t *c;
    const out_model_t *m;
} writer_t;

/* The value of the variable, or the default. */
static const char *value_of(const writer_t *w, const char *variable, const char *otherwise)
{
    const char *v = variable ? w->c->variable(w->c->from, variable) : NULL;
    return v && *v ? v : otherwise;
}

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
    while (*text) {
        const char *end = strstr(text, OUT_GROUP_SEPARATOR);
        size_t bytes = end ? (size_t)(end - text) : strlen(text);
        if (bytes) put_word(j, text, bytes);
        text += end ? bytes + strlen(OUT_GROUP_SEPARATOR) : bytes;
    }
}

static const char *next_variable(const out_model_t *m, size_t *place)
{
    while (*place < m->record_count) {
        const trace_head_t *r = m->records[(*place)++];
        if (trace_type(*r) == TRACE_INFO &&
            strcmp(trace_record_text(r, 0), TRACE_INFO_VARIABLE) == 0)
            return trace_record_text(r, 1);
    }
    return NULL;
}

/* A variable of the process's environment. */
static const char *variable_value(const void *model, const char *name)
{
    const size_t bytes = strlen(name);
    size_t place = 0;
    for (const char *v; (v = next_variable(model, &place));)
        if (strncmp(v, name, bytes) == 0 && v[bytes] == '=') return v + bytes + 1;
    return NULL;
}

/* Rank and number of ranks, as in the names of the process's files. */
static trace_rank_t rank_of(const out_model_t *m)
{
    return trace_rank_told(&(trace_variables_t){variable_value, m});
}

static void put_known(const writer_t *w, const row_t *row, long number)
{
    out_json_unsigned(w->j, row->key,
                      number >= 0 ? (uint64_t)number : strtoull(row->otherwise, NULL, 10));
}

static void put_list(const writer_t *w, const row_t *row, const char *value)
{
    out_json_begin(w->j, row->key, '[');
    if (row->form == GROUPS) put_groups(w->j, value);
    if (row->form == LIST) put_words(w->j, value, row->more, NULL);
    if (row->form == NAMES)
        for (const char *at = row->variable; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
            char name[64];
            snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, " "), at);
            put_words(w->j, value_of(w, name, ""), " \t,;:\n", "pmc");
        }
    out_json_end(w->j, ']');
}

static unsigned place_among(const char *value, const char *words)
{
    const size_t length = strlen(value);
    unsigned place = 0;
    for (const char *at = words; at; at = strchr(at, ' '), place++) {
        at += *at == ' ';
        if (strncmp(at, value, length) == 0 && (!at[length] || at[length] == ' ')) return place;
    }
    return 0;
}

static void put_row(const writer_t *w, const row_t *row)
{
    const char *value = value_of(w, row->form == NAMES ? NULL : row->variable, row->otherwise);
    switch (row->form) {
    case TEXT: out_json_text(w->j, row->key, value); return;
    case NUMBER: out_json_unsigned(w->j, row->key, strtoull(value, NULL, 0)); return;
    case TRUTH: out_json_bool(w->j, row->key, base_truth(value) != 0); return;
    case PLACE: out_json_unsigned(w->j, row->key, place_among(value, row->more)); return;
    case IS: out_json_bool(w->j, row->key, strcmp(value, row->more) == 0); return;
    case FORMAT: out_json_bool(w->j, row->key, out_config_writes(w->c, row->more)); return;
    case FACT: out_json_text(w->j, row->key, out_model_info(w->m, row->more)); return;
    case RANK: put_known(w, row, rank_of(w->m).rank); return;
    case SIZE: put_known(w, row, rank_of(w->m).size); return;
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
    size_t place = 0;
    for (const char *variable; (variable = next_variable(m, &place));) {
        const char *is = strchr(variable, '=');
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

/* For a run that has only counted what its program does. */
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
