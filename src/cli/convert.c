/* convert.c - from the stores of a run to files, and what people are told about it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/defaults.h"
#include "cli/launch.h"
#include "cli/session.h"
#include "output/convert.h"
#include "trace/run.h"
#include "trace/store.h"

typedef unsigned long long count_t;

/* One line per process: what came in and where it went. */
static void tell_result(const out_result_t *r)
{
    const trace_counts_t *n = &r->counts;
    if (base_log_level >= BASE_LOG_WARNING)
        fprintf(stderr,
                "rocprofv3: process %u: %llu records received, %llu written, %llu dropped, "
                "%llu filtered; %u file%s%s%s%s\n",
                r->pid, (count_t)n->received, (count_t)n->written, (count_t)n->dropped,
                (count_t)n->filtered, r->files, r->files == 1 ? "" : "s", r->files ? " " : "",
                r->files ? r->prefix : "", r->files ? "_*" : "");
    if (n->dropped)
        base_warning("process %u LOST %llu of %llu records%s%s", r->pid, (count_t)n->dropped,
                     (count_t)n->received, r->failure[0] ? ": " : "", r->failure);
    if (r->cut)
        base_warning("process %u: %llu bytes of its records are damaged and were left out", r->pid,
                     (count_t)r->cut);
}

/* 1: converted and removed, 0: left alone for a reason told, -1: failed. */
static int convert_store(out_conversion_t *c, const char *store)
{
    out_result_t result;
    char why[PATH_MAX + 256] = "";
    if (out_convert(c, store, &result, why, sizeof(why)) != 0) {
        base_error("%s; the records are kept: rocprofv3 convert %s", why, store);
        return -1;
    }
    if (result.running) {
        base_warning("process %u is still running; for its records, when it has ended: "
                     "rocprofv3 convert %s",
                     result.pid, store);
        return 0;
    }
    tell_result(&result);
    if (trace_remove(store) != 0) base_warning("%s: %s", store, strerror(errno));
    return 1;
}

/* Settings of the run, then all of its stores, first process first. */
static int convert_stores(const char *run, char **stores, int *converted)
{
    int result = 0;
    char why[512];
    out_config_t config = {0};
    trace_run_t *settings = trace_run_read(run);
    if (!settings) {
        base_error("%s/%s: %s", run, TRACE_RUN_FILE, strerror(errno));
        return -1;
    }
    out_conversion_t c = {.config = &config, .stop = &cli_interrupted};
    if (out_config_read(&config, trace_run_value, settings, why, sizeof(why)) != 0) {
        base_error("%s/%s: %s", run, TRACE_RUN_FILE, why);
        result = -1;
    }
    /* rocprofv3 has refused them; the tool library alone does not */
    if (result == 0 && cli_check_formats(trace_run_value(settings, "ROCPROF_OUTPUT_FORMAT"), why,
                                         sizeof(why)) != 0)
        base_warning("%s/%s: %s", run, TRACE_RUN_FILE, why);
    for (char **name = stores; result == 0 && *name && !cli_interrupted; name++) {
        char store[PATH_MAX];
        struct stat st;
        trace_join(store, sizeof(store), run, *name);
        if (stat(store, &st) != 0 || !S_ISDIR(st.st_mode)) continue;
        int done = convert_store(&c, store);
        if (done < 0) result = -1;
        if (done > 0) ++*converted;
    }
    out_conversion_free(&c);
    out_config_free(&config);
    trace_run_free(settings);
    return result;
}

int cli_convert_run(const char *run, bool expected)
{
    int converted = 0;
    char **stores = trace_list(run);
    if (!stores) {
        base_error("%s: %s", run, strerror(errno));
        return -1;
    }
    bool any = stores[0] && (stores[1] || strcmp(stores[0], TRACE_RUN_FILE) != 0);
    int result = convert_stores(run, stores, &converted);
    trace_list_free(stores);
    if (!any && expected) base_warning("no records: no process started a GPU runtime");
    return result;
}

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_MAX];
    trace_join(path, sizeof(path), directory, name);
    return access(path, F_OK) == 0;
}

/* A run directory is removed once nothing but its settings is left in it. */
static int convert_and_remove(const char *run)
{
    cli_session_t s = {0};
    int result = cli_convert_run(run, false);
    snprintf(s.run, sizeof(s.run), "%s", run);
    cli_session_end(&s);
    return result;
}

static int convert_runs(const char *runs)
{
    int result = 0;
    char **names = trace_list(runs);
    if (!names) {
        base_error("%s: %s", runs, strerror(errno));
        return -1;
    }
    for (char **name = names; *name; name++) {
        char run[PATH_MAX];
        trace_join(run, sizeof(run), runs, *name);
        if (has_file(run, TRACE_RUN_FILE) && convert_and_remove(run) != 0) result = -1;
    }
    trace_list_free(names);
    return result;
}

/* The store of one process: its run is the directory above. */
static int convert_one(const char *store)
{
    char run[PATH_MAX];
    int converted = 0;
    snprintf(run, sizeof(run), "%s", store);
    char *slash = strrchr(run, '/');
    if (!slash) return -1;
    *slash = 0;
    char *names[] = {slash + 1, NULL};
    int result = convert_stores(run, names, &converted);
    cli_session_t s = {0};
    snprintf(s.run, sizeof(s.run), "%s", run);
    cli_session_end(&s);
    return result;
}

static int convert_directory(const char *given)
{
    char directory[PATH_MAX], runs[PATH_MAX + 16];
    if (!realpath(given, directory)) {
        base_error("%s: %s", given, strerror(errno));
        return -1;
    }
    trace_join(runs, sizeof(runs), directory, TRACE_RUNS_DIRECTORY);
    if (has_file(directory, TRACE_META_FILE)) return convert_one(directory);
    if (has_file(directory, TRACE_RUN_FILE)) return convert_and_remove(directory);
    if (access(runs, F_OK) == 0) return convert_runs(runs);
    base_error("%s: holds no records (no %s in it)", given, TRACE_RUNS_DIRECTORY);
    return -1;
}

int cli_convert_command(int argc, char **argv)
{
    int result = 0;
    if (argc < 1) {
        base_error("convert needs the output directory of a run");
        return CLI_EXIT_USAGE;
    }
    for (int i = 0; i < argc; i++)
        if (convert_directory(argv[i]) != 0) result = 1;
    return result;
}
