/* command.c - rocprofv3 report: its options. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/program.h"
#include "base/words.h"
#include "report/report.h"

enum { EXIT_USAGE = 2, EXIT_REPORT = 1, KEY_ROOF = 256, KEY_EVENTS, KEY_TOGETHER };

typedef struct {
    rep_request_t request;
    const char *output, *roofs;
    char *const *paths;
    size_t count;
    bool together;
} asked_t;

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "the page (report.html)", 0},
    {"together", KEY_TOGETHER, NULL, 0, "two inputs are one run, as of ranks, not two to compare",
     0},
    {"roof", KEY_ROOF, "FILE", 0,
     "measured peaks for the roofline: a name and GB/s or GFLOP/s a line", 0},
    {"events", KEY_EVENTS, "N", 0, "most events of the timeline (5000000)", 0},
    {0}};

/* Reads a line NAME VALUE; # begins a comment. */
static int read_roof(rep_request_t *q, char *line, const char *path, unsigned number)
{
    static const char *const names[] = {
#define X(name) [REP_ROOF_##name] = #name,
        REP_ROOFS(X)
#undef X
    };
    char *rest = line, *name, *end = NULL;
    line[strcspn(line, "#\n")] = 0;
    while ((name = strsep(&rest, " \t")) && !*name) {
    }
    if (!name) return 0;
    for (int i = 0; i < REP_ROOF_COUNT; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        q->roofs[i] = rest ? strtod(rest, &end) : 0;
        if (end && !end[strspn(end, " \t")] && q->roofs[i] > 0) return 0;
        base_error("%s:%u: %s: '%s' is no rate above 0", path, number, name, rest ? rest : "");
        return -1;
    }
    base_error("%s:%u: no roof is called '%s'", path, number, name);
    return -1;
}

static int read_roofs(rep_request_t *q, const char *path)
{
    int result = 0;
    char *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    FILE *in = base_file_stream(path, "r");
    if (!in) {
        base_error("%s: %s", path, strerror(errno));
        return -1;
    }
    while (result == 0 && getline(&line, &room, in) >= 0)
        result = read_roof(q, line, path, ++number);
    free(line);
    fclose(in);
    return result;
}

static error_t read_events(asked_t *a, const char *word)
{
    if (base_number(word, 1, UINT64_MAX, &a->request.events)) return 0;
    base_error("--events: '%s' is no number above 0", word);
    return EINVAL;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
    asked_t *a = state->input;
    switch (key) {
    case 'o': a->output = word; return 0;
    case KEY_TOGETHER: a->together = true; return 0;
    case KEY_ROOF: a->roofs = word; return 0;
    case KEY_EVENTS: return read_events(a, word);
    case ARGP_KEY_ARGS:
        a->paths = state->argv + state->next;
        a->count = (size_t)(state->argc - state->next);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Chooses the runs: two paths without --together are two runs to be compared; else all paths are
 * one run. */
static void choose_runs(asked_t *a)
{
    rep_request_t *q = &a->request;
    if (a->count == 2 && !a->together) {
        q->run_count = 2;
        for (int i = 0; i < 2; i++)
            q->runs[i] = (rep_input_t){.label = a->paths[i], .paths = &a->paths[i], .count = 1};
        return;
    }
    q->run_count = 1;
    q->runs[0] =
        (rep_input_t){.label = a->count ? a->paths[0] : ".", .paths = a->paths, .count = a->count};
}

int rep_command(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "[DIR|DB...]",
        "One page of databases that rocprofv3 or AMD's tools wrote: what the program did and where "
        "its time went. It opens in any browser, without a network.\vOf two inputs it shows the "
        "differences. Directories are searched for *.db.",
        NULL,
        NULL,
        NULL};
    static char name[] = "rocprofv3 report"; /* for help texts */
    asked_t a = {.output = "report.html", .request = {.events = REP_EVENTS_MOST}};
    argp_err_exit_status = EXIT_USAGE;
    argv[0] = name;
    if (base_program_options(&argp, argc, argv, &a) != 0) return EXIT_USAGE;
    if (a.roofs && read_roofs(&a.request, a.roofs) != 0) return EXIT_USAGE;
    choose_runs(&a);
    if (rep_write(&a.request, a.output) != 0) return EXIT_REPORT;
    printf("%s\n", a.output);
    return 0;
}
