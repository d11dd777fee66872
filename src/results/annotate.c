/* annotate.c - rocprofv3 annotate: the cost of each line, instruction, block or function of a
 * kernel.
 *
 * Databases, options and sources are here; rows, rules and output have files of their own. */
#include "results/annotate.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/program.h"
#include "base/words.h"
#include "db/schema.h"
#include "insight/sources.h"
#include "results/commands.h"
#include "results/run.h"
#include "rocpd/counted.h"
#include "trace/pattern.h"

enum { SAVED_FILES = 256, LIMIT_HOT = 20 };

/* ---- sources ---- */

typedef struct {
    char *path, *text; /* `text`: lines, each ended by a zero; NULL: the file cannot be read */
    size_t bytes;
    uint32_t last_line; /* the last line that was requested, and its position */
    size_t last_at;
} file_t;

typedef struct {
    const db_t *db; /* narrowed to the process that is being shown */
    const char *guid;
    char *moved; /* OLD=NEW replacements of paths, see ins_source_read() */
    file_t files[SAVED_FILES];
    size_t count;
} sources_t;

static char *embedded(const sources_t *s, const char *path)
{
    char *text = NULL;
    db_cursor_t c;
    if (!db_holds(s->db, DB_SOURCES)) return NULL;
    db_rows(&c, s->db, "SELECT text FROM crocprof_source WHERE guid = ? AND path = ?", "tt",
            s->guid, path);
    if (db_next(&c) && !db_null(&c, 0)) text = strdup(db_text(&c, 0));
    if (db_end(&c, "sources") == 0) return text;
    free(text);
    return NULL;
}

static void end_lines(char *text)
{
    for (; *text; text++)
        if (*text == '\n') *text = '\0';
}

/* Returns the file of a path; NULL if there are too many files, or no memory. */
static file_t *file_of(sources_t *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->files[i].path, path) == 0) return &s->files[i];
    char *copy = s->count < SAVED_FILES ? strdup(path) : NULL;
    if (!copy) return NULL;
    file_t *f = &s->files[s->count++];
    *f = (file_t){.path = copy, .text = embedded(s, path)};
    if (!f->text) f->text = ins_source_read(path, s->moved);
    if (f->text) f->bytes = strlen(f->text);
    if (f->text) end_lines(f->text);
    return f;
}

static const char *source_line(void *from, const char *path, uint32_t line)
{
    file_t *f = file_of(from, path);
    if (!f || !f->text || !line) return "";
    if (!f->last_line || line < f->last_line) {
        f->last_line = 1;
        f->last_at = 0;
    }
    for (; f->last_line < line; f->last_line++) {
        const size_t next = f->last_at + strlen(f->text + f->last_at) + 1;
        if (next > f->bytes) return "";
        f->last_at = next;
    }
    return f->text + f->last_at;
}

static void forget_sources(sources_t *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->files[i].path);
        free(s->files[i].text);
    }
    s->count = 0;
}

/* ---- kernels ---- */

typedef struct {
    ann_by_t by;
    ann_sort_t sort;
    uint64_t limit;
    bool has_limit, isa, no_pager;
    ann_lines_t lines;
    const char *colour;
    trace_pattern_t *kernel;
    char *moved;
    char **words;
    size_t count;
} arguments_t;

typedef struct {
    const arguments_t *arguments;
    ann_view_t view;
    res_run_t *run;
    sources_t sources;
    uint64_t found, shown; /* number of kernels that were counted; number of those that were
                            * requested */
    bool failed;           /* the reason has been reported */
} work_t;

/* Finds the kernel's name and sizes; if its dispatches differ, the greatest. Returns false after
 * reporting the reason. */
static bool describe(work_t *w, ann_kernel_t *k, char *name, size_t room)
{
    static const char sql[] =
        "SELECT K.display_name, K.arch_vgpr_count, K.accum_vgpr_count, K.sgpr_count, "
        "MAX(COALESCE(D.lds, 0), COALESCE(K.group_segment_size, 0)), COALESCE(D.size, 0), "
        "MAX(COALESCE(D.scratch, 0), COALESCE(K.private_segment_size, 0)), " DB_KERNEL_WAVES "FROM "
        "rocpd_info_kernel_symbol K LEFT JOIN (SELECT MAX(group_segment_size) AS lds, "
        "MAX(workgroup_size_x * workgroup_size_y * workgroup_size_z) AS size, "
        "MAX(private_segment_size) AS scratch, kernel_id FROM rocpd_kernel_dispatch WHERE guid = "
        "?1 "
        "AND kernel_id = ?2) D ON D.kernel_id = K.id WHERE K.guid = ?1 AND K.id = ?2";
    db_cursor_t c;
    db_rows(&c, w->sources.db, sql, "ti", w->sources.guid, k->counted->kernel);
    snprintf(name, room, "kernel %llu", (unsigned long long)k->counted->kernel);
    if (db_next(&c)) {
        if (*db_text(&c, 0)) snprintf(name, room, "%s", db_text(&c, 0));
        k->resources = (ins_resources_t){db_small(&c, 1), db_small(&c, 2), db_small(&c, 3),
                                         db_small(&c, 4), db_small(&c, 5)};
        k->scratch_bytes = db_small(&c, 6);
        k->waves = (ins_waves_t){db_small(&c, 7), db_small(&c, 8) == 1};
    }
    k->name = name;
    return db_end(&c, "kernels") == 0;
}

/* Shows a kernel or one of its groups, with its instructions. */
static void show_kernel(work_t *w, const ins_set_t *set, const ins_kernel_t *counted, size_t first,
                        size_t count)
{
    char name[8192];
    ann_kernel_t k = {.range = counted->range,
                      .set = set,
                      .items = set->items + first,
                      .count = count,
                      .counted = counted,
                      .facts = ins_facts_of(set, counted->kernel),
                      .modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL};
    char dispatch[48];
    k.gpu = k.facts ? k.facts->gpu : "";
    if (!*k.range && counted->group) {
        snprintf(dispatch, sizeof(dispatch), "dispatch %llu", (unsigned long long)counted->group);
        k.range = dispatch;
    }
    w->found++;
    if (!describe(w, &k, name, sizeof(name))) {
        w->failed = true;
        return;
    }
    if (w->arguments->kernel && !trace_pattern_matches(w->arguments->kernel, name)) return;
    w->shown++;
    if (ann_show(&w->view, &k)) return;
    base_error("%s", strerror(ENOMEM));
    w->failed = true;
}

typedef struct {
    const ins_kernel_t *kernel;
    size_t first, count;
    uint64_t weight;
} part_t;

static int by_weight(const void *a, const void *b)
{
    const part_t *x = a, *y = b;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

static bool is_of(const ins_instruction_t *i, const ins_kernel_t *k)
{
    return i->kernel == k->kernel && i->group == k->group;
}

/* Shows the kernels of a set, those with the most work first. Both lists are sorted in the same
 * way. */
static void show_set(work_t *w, const ins_set_t *set)
{
    const bool modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
    part_t *parts = calloc(set->kernel_count + 1, sizeof(*parts));
    size_t at = 0;
    if (!parts) {
        base_error("%s", strerror(ENOMEM));
        w->failed = true;
        return;
    }
    for (size_t k = 0; k < set->kernel_count; k++) {
        while (at < set->count && set->items[at].kernel < set->kernels[k].kernel)
            at++;
        parts[k] = (part_t){.kernel = &set->kernels[k], .first = at};
        for (; at < set->count && is_of(&set->items[at], &set->kernels[k]); at++) {
            parts[k].count++;
            parts[k].weight += ann_weight(&set->items[at].counts, modelled);
        }
    }
    if (set->kernel_count) qsort(parts, set->kernel_count, sizeof(*parts), by_weight);
    for (size_t k = 0; k < set->kernel_count && !w->failed && !ferror(w->view.f); k++)
        show_kernel(w, set, parts[k].kernel, parts[k].first, parts[k].count);
    free(parts);
}

static void show_process(work_t *w, const char *guid)
{
    ins_set_t set;
    bool any;
    w->sources.guid = guid;
    w->sources.db = rocpd_narrow(&w->run->base, guid);
    if (!w->sources.db || rocpd_counted_read(w->sources.db, guid, &set, &any) != 0) {
        w->failed = true;
        return;
    }
    if (any) show_set(w, &set);
    if (any) ins_free(&set);
    forget_sources(&w->sources);
}

static void show_all(work_t *w)
{
    char **guids = NULL;
    size_t count = 0;
    db_cursor_t c;
    db_rows(&c, w->run->db,
            "SELECT guid FROM rocpd_info_process WHERE guid IS NOT NULL ORDER BY guid", "");
    while (!w->failed && db_next(&c))
        if (!base_add_text(&guids, &count, db_text(&c, 0))) {
            base_error("%s", strerror(ENOMEM));
            w->failed = true;
        }
    if (db_end(&c, "processes") != 0) w->failed = true;
    for (size_t i = 0; i < count; i++) {
        if (!w->failed) show_process(w, guids[i]);
        free(guids[i]);
    }
    free(guids);
    if (w->failed || w->shown) return;
    if (w->found)
        base_error("no kernel of this name had its instructions counted; %llu others had",
                   (unsigned long long)w->found);
    else
        base_error("no instructions were counted: rocprofv3 --instruction-counts -- PROGRAM counts "
                   "them, on the software GPU");
    w->failed = true;
}

/* ---- the command ---- */

enum {
    OPTION_BY = 256,
    OPTION_SORT,
    OPTION_LIMIT,
    OPTION_ISA,
    OPTION_HEADER_LINES,
    OPTION_MOVED,
    OPTION_COLOUR,
    OPTION_NO_PAGER
};

static const struct argp_option options[] = {
    {"kernel", 'k', "REGEX", 0,
     "kernels whose names match (default all, those with most work first)", 0},
    {"by", OPTION_BY, "WHAT", 0,
     "line, instruction, block or function (default line; block where there are no lines)", 0},
    {"sort", OPTION_SORT, "ORDER", 0,
     "hot: most work first, or order: as it stands in the code (default hot for lines and "
     "functions)",
     0},
    {"limit", OPTION_LIMIT, "N", 0, "rows of a kernel, 0 for all (default 20 where sorted hot)", 0},
    {"isa", OPTION_ISA, NULL, 0, "with each row its instructions", 0},
    {"header-lines", OPTION_HEADER_LINES, NULL, 0,
     "costs at the line that each instruction comes from, in headers of ROCm too (default: at the "
     "user's line that it was inlined into, with what was inlined beneath)",
     0},
    {"source-path", OPTION_MOVED, "OLD=NEW", 0,
     "sources that were compiled below OLD lie below NEW; may be given several times", 0},
    {"color", OPTION_COLOUR, "WHEN", 0, "auto, always or never (default auto: on a terminal)", 0},
    {"no-pager", OPTION_NO_PAGER, NULL, 0, "no $PAGER, on a terminal either", 0},
    {0}};

/* Returns the index of the word in a list that ends with NULL; a word that is not in it is an error
 * of usage. */
static int choose(struct argp_state *state, const char *option, const char *word,
                  const char *const *words)
{
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], word) == 0) return i;
    argp_error(state, "--%s: '%s' is none of those it can be", option, word);
    return 0;
}

static void take_limit(arguments_t *a, const char *word, struct argp_state *state)
{
    a->has_limit = true;
    if (!base_number(word, 0, UINT64_MAX, &a->limit))
        argp_error(state, "--limit: '%s' is no number", word);
    if (!a->limit) a->limit = UINT64_MAX;
}

static void take_kernel(arguments_t *a, const char *word, struct argp_state *state)
{
    char why[512];
    trace_pattern_free(a->kernel);
    a->kernel = trace_pattern_make(word, strlen(word), false, why, sizeof(why));
    if (!a->kernel) argp_error(state, "--kernel: %s", why);
}

static void take_moved(arguments_t *a, const char *word, struct argp_state *state)
{
    char *longer = NULL;
    if (!strchr(word, '=')) argp_error(state, "--source-path: '%s' is not OLD=NEW", word);
    if (asprintf(&longer, "%s%s\n", a->moved ? a->moved : "", word) < 0) {
        argp_failure(state, 1, ENOMEM, "--source-path");
        return;
    }
    free(a->moved);
    a->moved = longer;
}

static error_t take_option(int key, char *word, struct argp_state *state)
{
    static const char *const ways[] = {"line", "instruction", "block", "function", NULL};
    static const char *const orders[] = {"hot", "order", NULL};
    static const char *const whens[] = {"auto", "always", "never", NULL};
    arguments_t *a = state->input;
    switch (key) {
    case 'k': take_kernel(a, word, state); return 0;
    case OPTION_BY: a->by = (ann_by_t)choose(state, "by", word, ways); return 0;
    case OPTION_SORT: a->sort = (ann_sort_t)choose(state, "sort", word, orders); return 0;
    case OPTION_LIMIT: take_limit(a, word, state); return 0;
    case OPTION_ISA: a->isa = true; return 0;
    case OPTION_HEADER_LINES: a->lines = ANN_HEADER_LINES; return 0;
    case OPTION_MOVED: take_moved(a, word, state); return 0;
    case OPTION_COLOUR: a->colour = whens[choose(state, "color", word, whens)]; return 0;
    case OPTION_NO_PAGER: a->no_pager = true; return 0;
    case ARGP_KEY_ARGS:
        a->words = state->argv + state->next;
        a->count = (size_t)(state->argc - state->next);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp command = {
    options,
    take_option,
    "[DIR|DB...]",
    "What each line, instruction, basic block or function of a run's kernels cost, counted by "
    "rocprofv3 --instruction-counts, and what is wrong with it."
    "\vDatabases are searched for in DIR, or in the working directory. Lines are known of kernels "
    "that "
    "were compiled with -gline-tables-only (hipcc -gline-tables-only), which changes no code. "
    "Shares "
    "are of issues, lines of memory and clocks of LDS together, or of the timing model's clocks if "
    "these were counted.",
    NULL,
    NULL,
    NULL};

/* Returns standard output, or a pipe to the pager that the user has set. */
static FILE *open_pager(const arguments_t *a)
{
    const char *pager = getenv("PAGER");
    if (a->no_pager || !pager || !*pager || !isatty(STDOUT_FILENO)) return stdout;
    /* less then shows colours, and ends at once if everything fits on the screen */
    setenv("LESS", "FRX", 0);
    signal(SIGPIPE, SIG_IGN); /* the user may leave the pager early */
    fflush(stdout);
    FILE *f = popen(pager, "w");
    return f ? f : stdout;
}

static int show(const arguments_t *a, res_run_t *run)
{
    work_t w = {.arguments = a, .run = run, .sources = {.moved = a->moved}};
    const bool terminal = isatty(STDOUT_FILENO);
    FILE *f = open_pager(a);
    const bool hot =
        a->sort == ANN_SORT_HOT ||
        (a->sort == ANN_SORT_AUTO && a->by != ANN_BY_INSTRUCTION && a->by != ANN_BY_BLOCK);
    w.view = (ann_view_t){.f = f,
                          .colour = strcmp(a->colour, "always") == 0 ||
                                    (strcmp(a->colour, "auto") == 0 && terminal),
                          .isa = a->isa,
                          .lines = a->lines,
                          .by = a->by,
                          .sort = a->sort,
                          .limit = a->has_limit ? a->limit
                                   : hot        ? LIMIT_HOT
                                                : UINT64_MAX,
                          .source = source_line,
                          .from = &w.sources};
    show_all(&w);
    const bool left = f != stdout; /* if the user leaves the pager early, that is no error */
    if (left)
        pclose(f);
    else if ((fflush(f) != 0 || ferror(f)) && !w.failed) {
        base_error("standard output: %s", strerror(errno));
        w.failed = true;
    }
    return w.failed;
}

int res_annotate_command(int argc, char **argv)
{
    arguments_t a = {.by = ANN_BY_AUTO, .sort = ANN_SORT_AUTO, .colour = "auto"};
    static char name[] = "rocprofv3 annotate"; /* for help texts */
    res_run_t run;
    int status = 1;
    argp_err_exit_status = 1;
    argv[0] = name;
    if (base_program_options(&command, argc, argv, &a) == 0 &&
        res_run_open(&run, a.words, a.count) == 0) {
        status = show(&a, &run);
        res_run_close(&run);
    }
    trace_pattern_free(a.kernel);
    free(a.moved);
    return status;
}
