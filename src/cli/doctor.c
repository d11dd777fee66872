/* doctor.c - rocprofv3-doctor: checks that everything is there that profiling needs, and says what
 * to do if it is not.
 *
 * Options, exit status, texts and the JSON form are those of AMD's rocprofv3-doctor. The checks are
 * in doctor-table.c. */
#include "cli/doctor.h"

#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/program.h"
#include "cli/gpu.h"

enum { EXIT_FINE, EXIT_FAILED, EXIT_CANNOT, PATTERNS_MAX = 64, CHECKS_MAX = 128 };

typedef struct {
    const char *only[PATTERNS_MAX + 1], *skip[PATTERNS_MAX + 1];
    const char *root, *output;
    bool json, list, verbose, quiet, no_color, smoke, version;
} options_t;

typedef struct {
    doctor_t doctor;
    bool chosen[CHECKS_MAX];
    doctor_result_t results[CHECKS_MAX];
    unsigned count[DOCTOR_ERROR + 1], total;
} report_t;

/* ORDER: doctor_status_t. */
static const struct {
    const char *word, *label, *color;
} statuses[] = {{"pass", "PASS", "32"},
                {"warn", "WARN", "33"},
                {"fail", "FAIL", "31"},
                {"skip", "SKIP", "36"},
                {"error", " ERR", "35"}};

/* ---- The command line ---- */

static bool add(const char **patterns, const char *word)
{
    size_t count = 0;
    while (patterns[count])
        count++;
    if (count == PATTERNS_MAX) return false;
    patterns[count] = word;
    return true;
}

enum {
    KEY_FORMAT = 0x100,
    KEY_ONLY,
    KEY_SKIP,
    KEY_LIST,
    KEY_NO_COLOR,
    KEY_ROOT,
    KEY_SMOKE,
    KEY_OUTPUT,
    KEY_VERSION
};

static const struct argp_option arguments[] = {
    {.name = "format",
     .key = KEY_FORMAT,
     .arg = "text|json",
     .doc = "Form of the report (default text)"},
    {.name = "only",
     .key = KEY_ONLY,
     .arg = "PATTERN",
     .doc = "Only checks whose id or group matches, and what they depend on"},
    {.name = "skip",
     .key = KEY_SKIP,
     .arg = "PATTERN",
     .doc = "Not the checks whose id or group matches"},
    {.name = "list-checks", .key = KEY_LIST, .doc = "Ids and groups"},
    {.name = "verbose", .key = 'v', .doc = "Details of passing checks too"},
    {.name = "quiet", .key = 'q', .doc = "Only failures and warnings"},
    {.name = "no-color", .key = KEY_NO_COLOR, .doc = "No colours (also NO_COLOR, or no terminal)"},
    {.name = "rocm-root",
     .key = KEY_ROOT,
     .arg = "PATH",
     .doc = "Installation to check (default: that of this program)"},
    {.name = "run-smoke-test", .key = KEY_SMOKE, .doc = "Also run programs under the profiler"},
    {.name = "output",
     .key = KEY_OUTPUT,
     .arg = "FILE",
     .doc = "Write the report to a file as well"},
    {.name = "version", .key = KEY_VERSION, .doc = "Print versions"},
    {.key = 'h', .flags = OPTION_HIDDEN, .doc = ""},
    {0}};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    options_t *o = state->input;
    switch (key) {
    case KEY_FORMAT:
        o->json = strcmp(word, "json") == 0;
        if (!o->json && strcmp(word, "text") != 0)
            argp_error(state, "--format: '%s' is neither text nor json", word);
        return 0;
    case KEY_ONLY:
    case KEY_SKIP:
        if (!add(key == KEY_ONLY ? o->only : o->skip, word))
            argp_error(state, "--only and --skip: more than %d patterns", PATTERNS_MAX);
        return 0;
    case KEY_LIST: o->list = true; return 0;
    case KEY_NO_COLOR: o->no_color = true; return 0;
    case KEY_ROOT: o->root = word; return 0;
    case KEY_SMOKE: o->smoke = true; return 0;
    case KEY_OUTPUT: o->output = word; return 0;
    case KEY_VERSION: o->version = true; return 0;
    case 'v': o->verbose = true; return 0;
    case 'q': o->quiet = true; return 0;
    case 'h': argp_state_help(state, stdout, ARGP_HELP_STD_HELP); return 0;
    case ARGP_KEY_ARG: argp_error(state, "'%s' is no option", word); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- The selection of checks, and their results ---- */

static bool matches(const doctor_check_t *c, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, c->id, 0) == 0 || fnmatch(*patterns, c->group, 0) == 0) return true;
    return false;
}

static size_t find_check(const char *id, size_t bytes)
{
    size_t i = 0;
    while (strncmp(doctor_checks[i].id, id, bytes) != 0 || doctor_checks[i].id[bytes])
        i++;
    return i;
}

static void choose(report_t *r, size_t i)
{
    r->chosen[i] = true;
    for (const char *id = doctor_checks[i].depends; id && *id; id += strspn(id, " ")) {
        size_t bytes = strcspn(id, " ");
        choose(r, find_check(id, bytes));
        id += bytes;
    }
}

static unsigned choose_all(report_t *r, const options_t *o)
{
    unsigned chosen = 0;
    for (size_t i = 0; i < doctor_check_count; i++) {
        const doctor_check_t *c = &doctor_checks[i];
        bool wanted = *o->only ? matches(c, o->only) : strcmp(c->group, "smoke") != 0 || o->smoke;
        if (!wanted) continue;
        choose(r, i);
        chosen++;
    }
    return chosen;
}

/* Returns a check on which `c` depends and that has not passed; NULL if there is none. */
static const doctor_check_t *obstacle(const report_t *r, const doctor_check_t *c)
{
    for (const char *id = c->depends; id && *id; id += strspn(id, " ")) {
        size_t bytes = strcspn(id, " "), i = find_check(id, bytes);
        doctor_status_t status = r->results[i].status;
        if (status != DOCTOR_PASS && status != DOCTOR_WARN) return &doctor_checks[i];
        id += bytes;
    }
    return NULL;
}

static void run_checks(report_t *r, const options_t *o)
{
    for (size_t i = 0; i < doctor_check_count; i++) {
        const doctor_check_t *c = &doctor_checks[i];
        doctor_result_t *result = &r->results[i];
        if (!r->chosen[i]) continue;
        const doctor_check_t *before = obstacle(r, c);
        if (matches(c, o->skip))
            doctor_say(result, DOCTOR_SKIP, "left out");
        else if (before)
            doctor_say(result, DOCTOR_SKIP, "needs %s", before->id);
        else
            c->run(&r->doctor, c, result);
        r->count[result->status]++;
        r->total++;
    }
}

/* ---- The report ---- */

static const char *rocm_version(const doctor_t *d)
{
    static char version[64];
    char path[PATH_MAX + 32];
    snprintf(path, sizeof(path), "%s/.info/version", d->root);
    return *base_file_line(path, version, sizeof(version)) ? version : "unknown";
}

static void print_group(FILE *f, const char *group)
{
    fprintf(f, "\n%s\n", group);
    for (const char *at = group; *at; at++)
        fputc('=', f);
    fputc('\n', f);
}

static void print_line(FILE *f, const doctor_check_t *c, const doctor_result_t *r, bool detail,
                       bool colored)
{
    const char *on = colored ? statuses[r->status].color : NULL;
    fprintf(f, " [%s%s%s%s%s]  %s  %s\n", on ? "\033[" : "", on ? on : "", on ? "m" : "",
            statuses[r->status].label, on ? "\033[0m" : "", c->id, c->title);
    if (detail && r->detail[0]) fprintf(f, "         %s\n", r->detail);
}

static void print_text(FILE *f, const report_t *r, const options_t *o, bool colored)
{
    const char *group = "";
    fprintf(f, "rocprofv3-doctor v%s  (ROCm %s)\nChecking: %s (%s)\n", r->doctor.version,
            rocm_version(&r->doctor), r->doctor.root, r->doctor.root_source);
    for (size_t i = 0; i < doctor_check_count; i++) {
        const doctor_result_t *result = &r->results[i];
        bool trouble = result->status == DOCTOR_WARN || result->status == DOCTOR_FAIL ||
                       result->status == DOCTOR_ERROR;
        if (!r->chosen[i] || (o->quiet && !trouble)) continue;
        if (strcmp(group, doctor_checks[i].group) != 0)
            print_group(f, group = doctor_checks[i].group);
        print_line(f, &doctor_checks[i], result, trouble || o->verbose, colored);
    }
    fprintf(f, "\nSummary: %u passed, %u warning%s, %u failed, %u skipped (%u total)\n",
            r->count[DOCTOR_PASS], r->count[DOCTOR_WARN], r->count[DOCTOR_WARN] == 1 ? "" : "s",
            r->count[DOCTOR_FAIL], r->count[DOCTOR_SKIP], r->total);
    bool begun = false;
    for (size_t i = 0; i < doctor_check_count; i++) {
        const doctor_check_t *c = &doctor_checks[i];
        doctor_status_t status = r->results[i].status;
        if (!r->chosen[i] || !c->remedy || (status != DOCTOR_WARN && status != DOCTOR_FAIL))
            continue;
        if (!begun) fputs("\nHow to Fix\n", f);
        begun = true;
        fprintf(f, "  %s: %s\n", c->id, c->remedy);
    }
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

static json_t *list_depends(const doctor_check_t *c)
{
    json_t *list = json_array();
    for (const char *id = c->depends; id && *id; id += strspn(id, " ")) {
        size_t bytes = strcspn(id, " ");
        json_array_append_new(list, json_stringn(id, bytes));
        id += bytes;
    }
    return list;
}

static void print_json(FILE *f, const report_t *r)
{
    char now[32];
    time_t seconds = time(NULL);
    struct tm utc;
    strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
    json_t *checks = json_array();
    for (size_t i = 0; i < doctor_check_count; i++) {
        const doctor_check_t *c = &doctor_checks[i];
        const doctor_result_t *result = &r->results[i];
        if (!r->chosen[i]) continue;
        json_array_append_new(
            checks,
            json_pack("{ss ss ss ss ss so ss so so s{}}", "id", c->id, "group", c->group, "title",
                      c->title, "severity", c->severity, "probe", c->probe, "depends",
                      list_depends(c), "status", statuses[result->status].word, "detail",
                      text_or_null(result->detail), "remediation",
                      text_or_null(result->status == DOCTOR_PASS ? NULL : c->remedy), "data"));
    }
    json_t *report = json_pack(
        "{si ss ss ss ss so ss s{si si si si si si} so}", "schema_version", 1, "tool_version",
        r->doctor.version, "rocm_version", rocm_version(&r->doctor), "rocm_root", r->doctor.root,
        "rocm_root_source", r->doctor.root_source, "install_kind",
        text_or_null(strstr(r->results[0].detail, "(build") ? "build tree" : "installation"),
        "timestamp_utc", now, "summary", "pass", (int)r->count[DOCTOR_PASS], "warn",
        (int)r->count[DOCTOR_WARN], "fail", (int)r->count[DOCTOR_FAIL], "skip",
        (int)r->count[DOCTOR_SKIP], "error", (int)r->count[DOCTOR_ERROR], "total", (int)r->total,
        "checks", checks);
    json_dumpf(report, f, JSON_INDENT(2));
    fputc('\n', f);
    json_decref(report);
}

static bool print_report(const report_t *r, const options_t *o)
{
    bool colored = !o->no_color && !getenv("NO_COLOR") && isatty(STDOUT_FILENO);
    FILE *also = o->output ? fopen(o->output, "we") : NULL;
    if (o->json)
        print_json(stdout, r);
    else
        print_text(stdout, r, o, colored);
    if (!o->output) return true;
    if (also && o->json)
        print_json(also, r);
    else if (also)
        print_text(also, r, o, false);
    if (also && fclose(also) == 0) return true;
    base_error("%s: %s", o->output, strerror(errno));
    return false;
}

int main(int argc, char **argv)
{
    static const struct argp command = {
        .options = arguments,
        .parser = take_option,
        .doc = "Checks the installation, the driver, the runtimes and the environment.\v"
               "Status: 0 nothing failed, 1 a check failed, 2 nothing could be checked."};
    static options_t o;
    static report_t r = {.doctor = {.version = CROCPROF_VERSION}};
    char why[PATH_MAX + 128];
    base_program_begin("rocprofv3-doctor", "ROCPROF_LOG_LEVEL", EXIT_CANNOT);
    if (argc == 3 && strcmp(argv[1], "--load") == 0) return doctor_load(argv[2]);
    argp_err_exit_status = EXIT_CANNOT;
    if (base_program_options(&command, argc, argv, &o) != 0) return EXIT_CANNOT;
    if (cli_find_root(r.doctor.root, o.root, why, sizeof(why)) != 0) {
        base_error("%s", why);
        return EXIT_CANNOT;
    }
    r.doctor.root_source = o.root ? "--rocm-root" : "that of this program";
    if (o.version) {
        printf("rocprofv3-doctor %s\nROCm %s\n", r.doctor.version, rocm_version(&r.doctor));
    } else if (o.list) {
        for (size_t i = 0; i < doctor_check_count; i++)
            printf("%-34s %s\n", doctor_checks[i].id, doctor_checks[i].group);
    } else {
        if (!choose_all(&r, &o)) {
            base_error("no check matches --only %s: see --list-checks", *o.only ? *o.only : "");
            return EXIT_CANNOT;
        }
        run_checks(&r, &o);
        if (!print_report(&r, &o)) return EXIT_CANNOT;
    }
    return r.count[DOCTOR_FAIL] ? EXIT_FAILED : r.count[DOCTOR_ERROR] ? EXIT_CANNOT : EXIT_FINE;
}
