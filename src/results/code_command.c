/* code_command.c - rocprofv3 code: shows kernels as compilers have made them, without running them.
 *
 * The command line and the texts of source lines are here. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/program.h"
#include "base/words.h"
#include "gpus/gpus.h"
#include "insight/sources.h"
#include "results/code.h"
#include "results/commands.h"
#include "results/verdicts.h"

/* ---- source lines ---- */

typedef struct {
    char *path, *text; /* `text`: lines, each ended by a zero; NULL: the file cannot be read */
    size_t bytes;
} file_t;

typedef struct {
    file_t *files;
    size_t count;
} sources_t;

static const file_t *file_of(sources_t *s, const char *path)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->files[i].path, path) == 0) return &s->files[i];
    char *copy = BASE_GROW_BY_ONE(s->files, s->count) ? strdup(path) : NULL;
    if (!copy) return NULL;
    file_t *f = &s->files[s->count++];
    *f = (file_t){.path = copy, .text = ins_source_read(path, NULL)};
    if (f->text) f->bytes = strlen(f->text);
    for (size_t i = 0; i < f->bytes; i++)
        if (f->text[i] == '\n') f->text[i] = '\0';
    return f;
}

static const char *source_line(void *from, const char *path, uint32_t line)
{
    const file_t *f = file_of(from, path);
    size_t at = 0;
    if (!f || !f->text || !line) return "";
    while (--line && at < f->bytes)
        at += strlen(f->text + at) + 1;
    return at < f->bytes ? f->text + at : "";
}

static void forget(sources_t *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->files[i].path);
        free(s->files[i].text);
    }
    free(s->files);
}

/* ---- the command line ---- */

typedef enum { TEXT, CSV, JSON, HTML } format_t; /* ORDER: writers */

typedef struct {
    code_request_t request;
    trace_pattern_t *kernel;
    format_t format;
    bool details, lines, each;
    const char *output;
    char **words;
    size_t count;
} arguments_t;

enum { OPTION_GPU = 256, OPTION_SOURCE, OPTION_DETAILS, OPTION_GROUP, OPTION_EACH };

static const struct argp_option options[] = {
    {"kernel", 'k', "REGEX", 0, "kernels whose names match, with what their code is made of", 0},
    {"gpu", OPTION_GPU, "GPU", 0, "code for this architecture or product alone: gfx942, mi300x", 0},
    {"details", OPTION_DETAILS, NULL, 0,
     "of each kernel what its code is made of: classes of instructions, loops, spills", 0},
    {"source", OPTION_SOURCE, NULL, 0, "the same, and each source line that code was made of", 0},
    {"workgroup", OPTION_GROUP, "N", 0,
     "work-items for which the occupancy is (default what the kernel was compiled for, or 256)", 0},
    {"each", OPTION_EACH, NULL, 0, "two inputs, too, are shown each by itself", 0},
    {"format", 'f', "FORMAT", 0, "text, csv, json or html (default text)", 0},
    {"output", 'o', "FILE", 0, "write there, not to standard output", 0},
    {0}};

static void take_kernel(arguments_t *a, const char *word, struct argp_state *state)
{
    char why[512];
    trace_pattern_free(a->kernel);
    a->kernel = trace_pattern_make(word, strlen(word), false, why, sizeof(why));
    if (!a->kernel) argp_error(state, "--kernel: %s", why);
    a->request.kernel = a->kernel;
    a->details = true;
}

/* A code object may be for an architecture that no product of the table has. */
static void take_gpu(arguments_t *a, const char *word)
{
    const gpus_product_t *product = gpus_product(word);
    a->request.gpu = product ? product->arch->name : word;
}

static void take_format(arguments_t *a, const char *word, struct argp_state *state)
{
    static const char *const formats[] = {"text", "csv", "json", "html"}; /* ORDER: format_t */
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        if (strcmp(word, formats[i]) != 0) continue;
        a->format = (format_t)i;
        return;
    }
    argp_error(state, "--format %s: known are text, csv, json, html", word);
}

static void take_group(arguments_t *a, const char *word, struct argp_state *state)
{
    enum { GROUP_MOST = 1024 }; /* the limit of all GPUs */
    uint64_t value = 0;
    if (!base_number(word, 1, GROUP_MOST, &value))
        argp_error(state, "--workgroup %s: a number from 1 to %d is expected", word, GROUP_MOST);
    a->request.group_size = (uint32_t)value;
}

static error_t take_option(int key, char *word, struct argp_state *state)
{
    arguments_t *a = state->input;
    switch (key) {
    case 'k': take_kernel(a, word, state); return 0;
    case 'f': take_format(a, word, state); return 0;
    case 'o': a->output = word; return 0;
    case OPTION_GPU: take_gpu(a, word); return 0;
    case OPTION_GROUP: take_group(a, word, state); return 0;
    case OPTION_EACH: a->each = true; return 0;
    case OPTION_SOURCE: a->lines = a->details = true; return 0;
    case OPTION_DETAILS: a->details = true; return 0;
    case ARGP_KEY_ARGS:
        a->words = state->argv + state->next;
        a->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (!a->count) argp_usage(state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp command = {
    options,
    take_option,
    "FILE|DIR...",
    "What compilers made of kernels, without running them: registers, LDS, scratch, spills, "
    "occupancy, instructions. Of two inputs the differences. Status 0: all was read (of two "
    "inputs: "
    "nothing differs), 1: two inputs differ, 2: something could not be read."
    "\vFILE is a code object, an executable, a library, an object file, an archive or an offload "
    "bundle, DIR a folder with some at any depth: a cache of Triton or PyTorch, a store of "
    "rocprofv3. Instructions of GPUs that this program has no table of are read by libamd_comgr or "
    "libLLVM.",
    NULL,
    NULL,
    NULL};

/* ---- the command ---- */

/* Writes the output that `a` selects. Returns the exit status. */
static int write_all(const arguments_t *a, FILE *f, const code_set_t *sets, size_t count)
{
    static res_code_write_t *const writers[] = {res_code_text, res_code_csv, res_code_json,
                                                res_code_html}; /* ORDER: format_t */
    sources_t sources = {0};
    const res_code_view_t view = {
        .f = f, .details = a->details, .lines = a->lines, .source = source_line, .from = &sources};
    int status = RES_EXIT_KEPT;
    if (count == 2) {
        status = res_code_compare(f, &sets[0], &sets[1], a->details);
    } else if (!writers[a->format](&view, &sets[0])) {
        base_error("%s", strerror(ENOMEM));
        status = RES_EXIT_TROUBLE;
    }
    forget(&sources);
    return status;
}

/* Returns whether nothing can be shown; then it reports why. */
static bool is_empty(const arguments_t *a, const code_set_t *set)
{
    if (set->count) return false;
    if (set->troubles) return true; /* it was reported */
    if (set->left_out)
        base_error("none of %zu kernels is called so", set->left_out);
    else if (a->request.gpu && set->objects)
        base_error("no kernel of %s is in %zu code object%s", a->request.gpu, set->objects,
                   set->objects == 1 ? "" : "s");
    else
        base_error("no kernel was found");
    return true;
}

static int show(const arguments_t *a, const code_set_t *sets, size_t count)
{
    char *text = NULL;
    size_t bytes = 0;
    int status;
    for (size_t i = 0; i < count; i++)
        if (is_empty(a, &sets[i])) return RES_EXIT_TROUBLE;
    FILE *f = a->output ? open_memstream(&text, &bytes) : stdout;
    status = f ? write_all(a, f, sets, count) : RES_EXIT_TROUBLE;
    if (!f || (a->output && fclose(f) != 0)) {
        base_error("%s", strerror(ENOMEM));
        status = RES_EXIT_TROUBLE;
    } else if (a->output && status != RES_EXIT_TROUBLE && res_save(a->output, text, bytes) != 0) {
        status = RES_EXIT_TROUBLE;
    }
    free(text);
    for (size_t i = 0; i < count; i++)
        if (sets[i].troubles) status = RES_EXIT_TROUBLE;
    return status;
}

static int run(arguments_t *a)
{
    code_set_t sets[2] = {0};
    const bool two = a->count == 2 && !a->each && a->format == TEXT;
    int status = RES_EXIT_TROUBLE;
    a->request.bodies = two || a->details || a->format != TEXT;
    a->request.lines = !two && a->request.bodies && a->format != CSV;
    bool good = true;
    if (two)
        for (size_t i = 0; good && i < 2; i++)
            good = code_read(&sets[i], a->words + i, 1, &a->request);
    else
        good = code_read(&sets[0], a->words, a->count, &a->request);
    if (good) status = show(a, sets, two ? 2 : 1);
    for (size_t i = 0; i < 2; i++)
        code_free(&sets[i]);
    return status;
}

int res_code_command(int argc, char **argv)
{
    static char name[] = "rocprofv3 code"; /* for help texts */
    arguments_t a = {0};
    int status = RES_EXIT_TROUBLE;
    argp_err_exit_status = RES_EXIT_TROUBLE;
    argv[0] = name;
    if (base_program_options(&command, argc, argv, &a) == 0) status = run(&a);
    trace_pattern_free(a.kernel);
    return status;
}
