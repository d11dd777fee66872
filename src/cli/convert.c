/* convert.c - converts the stores of a run to files, and prints messages about that. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/program.h"
#include "base/words.h"
#include "cli/defaults.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/session.h"
#include "output/convert.h"
#include "output/file.h"
#include "report/report.h"
#include "trace/process.h"
#include "trace/reader.h"
#include "trace/run.h"
#include "trace/store.h"

typedef unsigned long long count_t;

/* Prints one line per process: the number of records, and where they were written. */
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
    if (r->model_time && base_log_level >= BASE_LOG_WARNING)
        fprintf(stderr, "rocprofv3: process %u: times of kernels are model time\n", r->pid);
    if (n->dropped)
        base_warning("process %u LOST %llu of %llu records%s%s", r->pid, (count_t)n->dropped,
                     (count_t)n->received, r->failure[0] ? ": " : "", r->failure);
    if (r->lost_names)
        base_warning("process %u LOST %llu names (of kernels, agents, operations, texts)%s%s: "
                     "numbers or 'unknown' stand for them",
                     r->pid, (count_t)r->lost_names, r->failure[0] ? ": " : "", r->failure);
    if (r->cut_texts)
        base_warning("process %u: %llu texts are too long for the trace: what is left of them ends "
                     "with '%s'",
                     r->pid, (count_t)r->cut_texts, TRACE_CUT);
    if (r->uncounted)
        base_warning(
            "process %u LOST the counts of its instructions: it was killed before they were "
            "written",
            r->pid);
    if (r->counts_with_gaps)
        base_warning("process %u LOST counts of instructions of %llu dispatches: out of memory",
                     r->pid, (count_t)r->counts_with_gaps);
    if (r->blank)
        base_warning("process %u was killed while it began %u of its files: nothing is in them",
                     r->pid, r->blank);
    if (r->renamed)
        base_warning("process %u: the name it has for its files leads elsewhere: they are named %s",
                     r->pid, r->prefix);
    if (r->cut)
        base_warning("process %u: %llu bytes of its records are damaged and were left out", r->pid,
                     (count_t)r->cut);
}

/* ---- the HTML page of a run ---- */

/* The page is made from the run's databases; if the user has not chosen databases, they are removed
 * afterwards. */
typedef struct {
    bool wanted, keeps;
    char **databases;
    size_t count;
    char path[PATH_MAX + 64];
} page_t;

static void begin_page(page_t *p, out_config_t *config)
{
    p->wanted = config->formats & 1u << OUT_FORMAT_html;
    p->keeps = config->formats & 1u << OUT_FORMAT_rocpd;
    if (p->wanted) config->formats |= 1u << OUT_FORMAT_rocpd;
}

static int add_to_page(page_t *p, const char *prefix)
{
    if (!p->wanted) return 0;
    if (!BASE_GROW_BY_ONE(p->databases, p->count) ||
        asprintf(&p->databases[p->count], "%s_results.db", prefix) < 0) {
        base_error("%s: %s", prefix, strerror(ENOMEM));
        return -1;
    }
    if (!p->count++) snprintf(p->path, sizeof(p->path), "%s_report.html", prefix);
    return 0;
}

/* Ends the page. Returns 0, or -1 with a message: then the databases are kept. */
static int end_page(page_t *p)
{
    rep_request_t q = {.run_count = 1, .events = REP_EVENTS_MOST};
    q.runs[0] = (rep_input_t){
        .label = p->path, .paths = p->databases, .count = p->count, .passing = !p->keeps};
    int result = p->count ? rep_write(&q, p->path) : 0;
    if (p->count && result == 0 && base_log_level >= BASE_LOG_WARNING)
        fprintf(stderr, "rocprofv3: %s opens in any browser\n", p->path);
    for (size_t i = 0; i < p->count; i++) {
        if (result == 0 && !p->keeps) unlink(p->databases[i]);
        free(p->databases[i]);
    }
    free(p->databases);
    return result;
}

/* Handles a store after its conversion; `converted` is the result of out_convert(). Returns 1 if
 * the store was converted and removed; 0 if it was left alone, with a message; -1 if its conversion
 * failed. */
static int end_store(int converted, const out_result_t *result, const char *why, const char *store,
                     page_t *page)
{
    if (converted != 0) {
        base_error("%s; the records are kept: rocprofv3 convert -d DIR %s", why, store);
        return -1;
    }
    if (result->running) {
        base_warning("process %u is still running; for its records, when it has ended: "
                     "rocprofv3 convert %s",
                     result->pid, store);
        return 0;
    }
    tell_result(result);
    if (add_to_page(page, result->prefix) != 0) return -1;
    if (trace_retire(store) != 0)
        base_warning("%s: %s: what has been converted is still there", store, strerror(errno));
    return 1;
}

/* Returns true if the process ended while it was making the store: the store is empty, or has one
 * empty file. */
static bool never_begun(const char *store)
{
    char path[PATH_MAX];
    pid_t pid = (pid_t)atol(strrchr(store, '/') + 1);
    uint64_t start;
    if (pid <= 0 || trace_process_start(pid, &start) != 0 || start) return false;
    char **names = trace_list(store);
    bool never = names && !names[0];
    if (names && names[0] && !names[1] && trace_join(path, sizeof(path), store, names[0]) == 0)
        never = !trace_segment_begun(path);
    trace_list_free(names);
    if (never) base_warning("process %d ended before its trace began: it has no records", (int)pid);
    return never;
}

/* Returns true if the store was converted and not removed, or was never begun. Then removes it. */
static bool is_over(const char *store)
{
    if (!trace_is_retired(store) && !never_begun(store)) return false;
    if (trace_remove(store) != 0) base_warning("%s: %s", store, strerror(errno));
    return true;
}

/* ---- the stores of a run ---- */

typedef struct {
    char *path;
    char *prefix; /* prefix of its files; NULL: not known, and its conversion will report why */
    uint32_t pid;
    bool running;
} store_t;

typedef struct {
    out_conversion_t c;
    page_t page;
    bool awaits; /* wait for the end of processes that are still running */
    store_t *stores;
    size_t count, ended; /* number of stores, and of those that have been handled */
    size_t first;        /* index of the store that is the first piece for the workers */
    unsigned workers, threads;
    int converted, result;
} stores_t;

typedef int convert_t(out_conversion_t *, const char *, out_result_t *, char *, size_t);

/* Calls `convert` until the process is not running any more, if that is to be awaited. */
static int await(stores_t *s, convert_t *convert, const char *store, out_result_t *result,
                 char *why, size_t why_bytes)
{
    int status;
    while ((status = convert(&s->c, store, result, why, why_bytes)) == 0 && result->running &&
           s->awaits && !cli_interrupted)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return status;
}

static void end_next(stores_t *s, int converted, const out_result_t *result, const char *why)
{
    const int done = end_store(converted, result, why, s->stores[s->ended++].path, &s->page);
    if (done < 0) s->result = -1;
    if (done > 0) s->converted++;
}

static void convert_in_turn(stores_t *s)
{
    char why[PATH_MAX + 256];
    out_result_t result;
    while (s->ended < s->count && !cli_interrupted) {
        const char *store = s->stores[s->ended].path;
        *why = 0;
        end_next(s, await(s, out_convert, store, &result, why, sizeof(why)), &result, why);
    }
}

/* ---- in parallel: several processes convert a store each ---- */

/* Gives names to the files of each store, store by store: the same names that they would have if
 * one store were converted after the other. */
static void name_stores(stores_t *s)
{
    char why[PATH_MAX + 256];
    out_result_t result;
    for (size_t i = 0; i < s->count && !cli_interrupted; i++) {
        store_t *store = &s->stores[i];
        if (await(s, out_convert_name, store->path, &result, why, sizeof(why)) != 0) continue;
        store->pid = result.pid;
        store->running = result.running;
        if (!result.running) store->prefix = strdup(result.prefix);
    }
}

typedef struct {
    bool left; /* not begun, because of an interrupt */
    int converted;
    out_result_t result;
    char why[PATH_MAX + 256];
} outcome_t;

/* Converts a store whose name is known, or reports again why it has none. */
static void convert_named(const stores_t *s, const store_t *store, outcome_t *o)
{
    out_conversion_t own = s->c;
    own.prefixes = NULL;
    own.prefix_count = 0;
    own.chosen = store->prefix;
    own.threads = s->threads;
    o->converted = (store->prefix ? out_convert : out_convert_name)(&own, store->path, &o->result,
                                                                    o->why, sizeof(o->why));
    if (!store->prefix && o->converted == 0) {
        snprintf(o->why, sizeof(o->why), "%s", strerror(ENOMEM));
        o->converted = -1;
    }
    out_conversion_free(&own);
}

static int convert_piece(void *data, size_t number, FILE *to)
{
    const stores_t *s = data;
    const store_t *store = &s->stores[s->first + number];
    outcome_t o = {.left = cli_interrupted,
                   .result = {.pid = store->pid, .running = store->running}};
    if (!o.left && !store->running) convert_named(s, store, &o);
    return fwrite(&o, sizeof(o), 1, to) == 1 ? 0 : -1;
}

/* Takes the result of a piece. After an interrupt all pieces are still taken: each worker completes
 * its current piece, and begins no other. */
static int take_piece(void *data, size_t number, const char *result, size_t bytes)
{
    stores_t *s = data;
    outcome_t o;
    (void)number, (void)bytes;
    memcpy(&o, result, sizeof(o));
    if (o.left)
        s->ended++;
    else
        end_next(s, o.converted, &o.result, o.why);
    return 0;
}

static const char *name_piece(const void *data, size_t number)
{
    const stores_t *s = data;
    return s->stores[s->first + number].path;
}

/* Converts stores in parallel. If a worker dies, its store is left unchanged, and the stores after
 * it are still converted. */
static void convert_side_by_side(stores_t *s)
{
    name_stores(s);
    while (s->ended < s->count && !cli_interrupted) {
        s->first = s->ended;
        const base_pool_t pool = {.count = s->count - s->first,
                                  .workers = s->workers,
                                  .work = convert_piece,
                                  .take = take_piece,
                                  .name = name_piece,
                                  .data = s,
                                  .stop = &cli_interrupted};
        if (base_pool_run(&pool) == 0 || cli_interrupted) continue;
        s->ended++;
        s->result = -1;
    }
}

/* Returns whether stores can be converted in parallel: not if the conversions of several processes
 * write to one stream, and not with thread traces, whose folders have names that depend on those of
 * earlier processes. */
static bool can_be_side_by_side(const stores_t *s, const trace_variables_t *v)
{
    const out_config_t *config = s->c.config;
    const char *directory = s->c.directory;
    if (!directory) directory = trace_setting_given_in(v, TRACE_SET_OUTPUT_DIRECTORY);
    return s->workers > 1 && !(directory && out_is_stream(directory)) &&
           !trace_setting_on_in(v, TRACE_SET_ATT) &&
           !(out_config_summaries(config) && strcmp(config->summary_output, "stdout") == 0);
}

/* Lists the stores that are to be converted, and removes those for which is_over() returns true.
 * Returns 0, or -1 with a message. */
static int list_stores(stores_t *s, const char *run, char **names)
{
    for (char **name = names; *name && !cli_interrupted; name++) {
        char store[PATH_MAX];
        struct stat st;
        trace_join(store, sizeof(store), run, *name);
        if (stat(store, &st) != 0 || !S_ISDIR(st.st_mode) || is_over(store)) continue;
        char *path = BASE_GROW_BY_ONE(s->stores, s->count) ? strdup(store) : NULL;
        if (!path) {
            base_error("%s: %s", run, strerror(ENOMEM));
            return -1;
        }
        s->stores[s->count++] = (store_t){.path = path};
    }
    return 0;
}

static void free_stores(stores_t *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->stores[i].path);
        free(s->stores[i].prefix);
    }
    free(s->stores);
}

static void convert_all(stores_t *s, const trace_variables_t *v)
{
    s->workers = base_pool_size(0, s->count);
    s->threads = base_pool_size(0, BASE_POOL_MAX) / s->workers;
    if (can_be_side_by_side(s, v))
        convert_side_by_side(s);
    else
        convert_in_turn(s);
}

/* Reads the run's settings, then converts all its stores, that of the first process first. If one
 * fails, the others are still converted. `directory`: as in out_conversion_t. */
static int convert_stores(const char *run, const char *directory, char **names, int *converted)
{
    char why[512];
    out_config_t config = {0};
    trace_run_t *settings = trace_run_read(run);
    if (!settings) {
        base_error("%s/%s: %s", run, TRACE_RUN_FILE, strerror(errno));
        return -1;
    }
    const trace_variables_t v = {trace_run_value, settings};
    stores_t s = {.c = {.config = &config, .stop = &cli_interrupted, .directory = directory},
                  .awaits = trace_setting_on_in(&v, TRACE_SET_PROCESS_SYNC)};
    if (out_config_read(&config, trace_run_value, settings, why, sizeof(why)) != 0) {
        base_error("%s/%s: %s", run, TRACE_RUN_FILE, why);
        s.result = -1;
    }
    /* rocprofv3 has refused wrong formats, but the tool library alone does not */
    if (s.result == 0 && cli_check_formats(trace_setting_given_in(&v, TRACE_SET_OUTPUT_FORMAT), why,
                                           sizeof(why)) != 0)
        base_warning("%s/%s: %s", run, TRACE_RUN_FILE, why);
    if (s.result == 0) {
        begin_page(&s.page, &config);
        s.result = list_stores(&s, run, names);
        convert_all(&s, &v);
    }
    if (end_page(&s.page) != 0) s.result = -1;
    *converted += s.converted;
    free_stores(&s);
    out_conversion_free(&s.c);
    out_config_free(&config);
    trace_run_free(settings);
    return s.result;
}

static int convert_run(const char *run, const char *directory, bool expected)
{
    int converted = 0;
    char **stores = trace_list(run);
    if (!stores) {
        base_error("%s: %s", run, strerror(errno));
        return -1;
    }
    bool any = stores[0] && (stores[1] || strcmp(stores[0], TRACE_RUN_FILE) != 0);
    int result = convert_stores(run, directory, stores, &converted);
    trace_list_free(stores);
    if (!any && expected)
        base_warning("no records: no process started a GPU runtime%s",
                     trace_setting_on(TRACE_SET_MPI_TRACE)
                         ? ", and none called MPI in a library (Open MPI, or one with MPICH's ABI)"
                         : "");
    return result;
}

int cli_convert_run(const char *run, bool expected)
{
    return convert_run(run, NULL, expected);
}

/* ---- the command "convert" ---- */

static struct {
    char directory[2 * PATH_MAX]; /* argument of -d; "" if not given */
    bool other_users;             /* --other-users */
} asked;

static bool has_file(const char *directory, const char *name)
{
    char path[PATH_MAX];
    trace_join(path, sizeof(path), directory, name);
    return access(path, F_OK) == 0;
}

static bool is_mine(const char *path)
{
    struct stat st;
    if (asked.other_users) return true;
    if (lstat(path, &st) != 0) {
        base_error("%s: %s", path, strerror(errno));
        return false;
    }
    if (S_ISLNK(st.st_mode)) {
        base_error("%s is a symbolic link: nothing of a trace is one", path);
        return false;
    }
    if (st.st_uid == geteuid()) return true;
    base_error("%s belongs to user %u: --other-users reads it all the same", path,
               (unsigned)st.st_uid);
    return false;
}

/* Returns true if the directory, its entries and theirs, `depth` levels down, belong to this
 * user. */
static bool all_mine(const char *directory, int depth)
{
    if (!is_mine(directory)) return false;
    char **names = trace_list(directory);
    bool mine = names;
    if (!mine) base_error("%s: %s", directory, strerror(errno));
    for (char **name = names; mine && *name; name++) {
        char path[PATH_MAX];
        struct stat st;
        trace_join(path, sizeof(path), directory, *name);
        mine = is_mine(path);
        if (mine && depth && lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
            mine = all_mine(path, depth - 1);
    }
    trace_list_free(names);
    return mine;
}

static void to_parent(char path[PATH_MAX])
{
    char *slash = strrchr(path, '/');
    if (slash) slash[slash == path] = 0;
}

/* Returns the directory for the files of a run: that of -d, or the one that contains the run
 * directory. */
static const char *directory_for(const char *run, char beside[PATH_MAX])
{
    if (*asked.directory) return asked.directory;
    snprintf(beside, PATH_MAX, "%s", run);
    to_parent(beside);
    const char *last = strrchr(beside, '/');
    if (last && strcmp(last + 1, TRACE_RUNS_DIRECTORY) == 0) to_parent(beside);
    return beside;
}

/* Removes a run directory if only its settings are left in it. */
static void end_run(const char *run)
{
    cli_session_t s = {0};
    snprintf(s.run, sizeof(s.run), "%s", run);
    cli_session_end(&s);
}

static int convert_and_remove(const char *run)
{
    char beside[PATH_MAX];
    if (!all_mine(run, 1)) return -1;
    int result = convert_run(run, directory_for(run, beside), false);
    end_run(run);
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
    for (char **name = names; *name && !cli_interrupted; name++) {
        char run[PATH_MAX];
        trace_join(run, sizeof(run), runs, *name);
        /* it was empty, since the run was never begun, or was not removed */
        if (rmdir(run) == 0) continue;
        if (has_file(run, TRACE_RUN_FILE) && convert_and_remove(run) != 0) result = -1;
    }
    trace_list_free(names);
    rmdir(runs); /* this fails if other runs are left */
    return result;
}

/* Converts the store of one process; the directory above is its run's. */
static int convert_one(const char *store)
{
    char run[PATH_MAX], beside[PATH_MAX], settings[PATH_MAX];
    int converted = 0;
    snprintf(run, sizeof(run), "%s", store);
    char *slash = strrchr(run, '/');
    if (!slash) return -1;
    *slash = 0;
    char *names[] = {slash + 1, NULL};
    trace_join(settings, sizeof(settings), run, TRACE_RUN_FILE);
    if (!all_mine(store, 0) || !is_mine(run) || !is_mine(settings)) return -1;
    int result = convert_stores(run, directory_for(run, beside), names, &converted);
    end_run(run);
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

/* Makes `given` an absolute path. */
static int choose_directory(const char *given)
{
    char here[PATH_MAX], *path = asked.directory;
    const size_t room = sizeof(asked.directory);
    bool stream = out_is_stream(given);
    if (*given == '/' || stream) {
        snprintf(path, room, "%s", given);
    } else if (!getcwd(here, sizeof(here)) || *here != '/') {
        base_error("-d %s: the working directory has no name (was it removed?)", given);
        return -1;
    } else {
        trace_join(path, room, here, given);
    }
    return 0;
}

enum { KEY_OTHER_USERS = 0x100 };

typedef struct {
    char **paths;
    int count;
} arguments_t;

static error_t take_option(int key, char *word, struct argp_state *state)
{
    arguments_t *a = state->input;
    switch (key) {
    case 'd':
        if (choose_directory(word) != 0) exit(CLI_EXIT_SETUP);
        return 0;
    case KEY_OTHER_USERS: asked.other_users = true; return 0;
    case ARGP_KEY_ARGS:
        a->paths = state->argv + state->next;
        a->count = state->argc - state->next;
        return 0;
    case 'h': argp_state_help(state, stdout, ARGP_HELP_STD_HELP); return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "convert needs the output directory of a run");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int cli_convert_command(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {.name = "output-directory",
         .key = 'd',
         .arg = "DIRECTORY",
         .doc = "Make the files there and not where the records are"},
        {.name = "other-users", .key = KEY_OTHER_USERS, .doc = "Read records of other users, too"},
        {.key = 'h', .flags = OPTION_HIDDEN, .doc = ""},
        {0}};
    static const struct argp command = {
        .options = options,
        .parser = take_option,
        .args_doc = "DIRECTORY...",
        .doc = "Makes files of the records that runs have left in their output directories."};
    static char name[] = "rocprofv3 convert"; /* for help texts */
    arguments_t a = {0};
    int result = 0;
    argp_err_exit_status = CLI_EXIT_USAGE;
    argv[0] = name;
    if (base_program_options(&command, argc, argv, &a) != 0) return CLI_EXIT_CONVERSION;
    cli_take_signals();
    for (int i = 0; i < a.count && !cli_interrupted; i++)
        if (convert_directory(a.paths[i]) != 0) result = CLI_EXIT_CONVERSION;
    return cli_interrupted ? 128 + cli_interrupted : result;
}
