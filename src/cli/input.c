/* input.c - see input.h.
 *
 * It reads files into jobs; options.c interprets the words of an option. JSON is first checked by
 * jansson, whose messages are clearer, and then read as YAML, of which it is a subset. So there is
 * one reader, which has the line of every value. */
#include "cli/input.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/yaml_load.h"

/* Limits; an input file beyond them is a mistake. */
enum { INPUT_BYTES_MAX = 1 << 20, JOBS_MAX = 1000, WORDS_MAX = 1024, NESTING_MAX = 4 };

typedef struct {
    cli_jobs_t *jobs;
    const char *name;
    yaml_document_t *document;
    char *why;
    size_t why_bytes;
} input_t;

/* Reports an error. Lines and columns count from 1. */
#define REFUSE(in, line, column, ...)                                                              \
    (place((in), (line), (column)), add_text((in), __VA_ARGS__), -1)

static void place(const input_t *in, size_t line, size_t column)
{
    if (column)
        snprintf(in->why, in->why_bytes, "%s:%zu:%zu: ", in->name, line, column);
    else
        snprintf(in->why, in->why_bytes, "%s:%zu: ", in->name, line);
}

__attribute__((format(printf, 2, 3))) static void add_text(const input_t *in, const char *format,
                                                           ...)
{
    size_t used = strlen(in->why);
    va_list args;
    va_start(args, format);
    vsnprintf(in->why + used, in->why_bytes - used, format, args);
    va_end(args);
}

#define REFUSE_NODE(in, node, ...)                                                                 \
    REFUSE(in, (node)->start_mark.line + 1, (node)->start_mark.column + 1, __VA_ARGS__)

static cli_command_t *add_job(input_t *in)
{
    cli_jobs_t *j = in->jobs;
    if (j->count >= JOBS_MAX || !BASE_GROW_BY_ONE(j->jobs, j->count)) {
        if (j->count < JOBS_MAX)
            snprintf(in->why, in->why_bytes, "%s", strerror(ENOMEM));
        else
            snprintf(in->why, in->why_bytes, "%s: more than %d jobs", in->name, JOBS_MAX);
        return NULL;
    }
    memset(&j->jobs[j->count], 0, sizeof(*j->jobs));
    return &j->jobs[j->count++];
}

/* Reads the words after "pmc:" in the line, up to a comment. */
static int read_pmc(input_t *in, char *at, size_t line)
{
    char why[512];
    const char *words[WORDS_MAX];
    size_t count = 0;
    at[strcspn(at, "#")] = 0;
    for (char *word; (word = strsep(&at, " \t\r,"));) {
        if (!*word) continue;
        if (count == WORDS_MAX) return REFUSE(in, line, 0, "more than %d counters", WORDS_MAX);
        words[count++] = word;
    }
    if (!count) return REFUSE(in, line, 0, "pmc: needs the names of counters");
    cli_command_t *job = add_job(in);
    if (!job) return -1;
    job->lines[CLI_PMC] = (unsigned)line;
    if (cli_set(job, CLI_PMC, words, count, why, sizeof(why)) == 0) return 0;
    return REFUSE(in, line, 0, "%s", why);
}

/* Returns the text after "key:", with blanks allowed before the colon; NULL if the line has another
 * key. */
static char *behind_key(char *line, const char *key)
{
    size_t bytes = strlen(key);
    if (strncmp(line, key, bytes) != 0) return NULL;
    line += bytes + strspn(line + bytes, " \t");
    return *line == ':' ? line + 1 : NULL;
}

/* Other lines are ignored, as AMD's rocprofv3 does. Lines by which rocprof selected what to count
 * are reported, unless they are empty, since rocprof-compute writes empty ones. */
static void tell_unused(const input_t *in, char *line, size_t number)
{
    static const char *const uses[][2] = {{"range", "--kernel-iteration-range"},
                                          {"gpu", "NAME:device=N"},
                                          {"kernel", "--kernel-include-regex"}};
    for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
        const char *value = behind_key(line, uses[i][0]);
        if (value && value[strspn(value, " \t\r")])
            base_warning("%s:%zu: '%s:' has no effect here: see %s", in->name, number, uses[i][0],
                         uses[i][1]);
    }
}

static int read_text(input_t *in, const char *text)
{
    int result = 0;
    size_t number = 0;
    char *copy = strdup(text);
    if (!copy) {
        snprintf(in->why, in->why_bytes, "%s", strerror(ENOMEM));
        return -1;
    }
    in->jobs->directory = "pmc_";
    for (char *rest = copy, *line; result == 0 && (line = strsep(&rest, "\n"));) {
        number++;
        line += strspn(line, " \t\r");
        char *counters = behind_key(line, "pmc");
        if (counters)
            result = read_pmc(in, counters, number);
        else
            tell_unused(in, line, number);
    }
    free(copy);
    if (result != 0 || in->jobs->count) return result;
    snprintf(in->why, in->why_bytes, "%s: no line begins with 'pmc:'", in->name);
    return -1;
}

static const char *scalar(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

static bool is_null(const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    if (node->type != YAML_SCALAR_NODE) return false;
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return !*scalar(node);
    for (size_t i = 0; i < sizeof(nulls) / sizeof(*nulls); i++)
        if (strcmp(scalar(node), nulls[i]) == 0) return true;
    return false;
}

/* Lists all scalars of a node: nested lists become one, as in ranges [[1-3], 5]. */
static int collect(input_t *in, const yaml_node_t *node, const char **words, size_t *count,
                   int nesting)
{
    if (node->type == YAML_SCALAR_NODE) {
        if (*count == WORDS_MAX) return REFUSE_NODE(in, node, "more than %d values", WORDS_MAX);
        if (strlen(scalar(node)) != node->data.scalar.length)
            return REFUSE_NODE(in, node, "a zero byte in a text");
        words[(*count)++] = scalar(node);
        return 0;
    }
    if (node->type != YAML_SEQUENCE_NODE || nesting == NESTING_MAX)
        return REFUSE_NODE(in, node, "a text, a number or a list of them is expected");
    for (yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++)
        if (collect(in, yaml_document_get_node(in->document, *item), words, count, nesting + 1) !=
            0)
            return -1;
    return 0;
}

static int set_from_node(input_t *in, cli_command_t *job, size_t option, const yaml_node_t *node)
{
    char why[512];
    const char *words[WORDS_MAX];
    size_t count = 0;
    if (collect(in, node, words, &count, 0) != 0) return -1;
    if (!count) return 0; /* an empty list is like a missing key */
    if (cli_set(job, option, words, count, why, sizeof(why)) != 0)
        return REFUSE_NODE(in, node, "%s", why);
    job->lines[option] = (unsigned)node->start_mark.line + 1;
    return 0;
}

static int read_value(input_t *in, cli_command_t *job, const yaml_node_t *key,
                      const yaml_node_t *value)
{
    char why[256];
    if (key->type != YAML_SCALAR_NODE) return REFUSE_NODE(in, key, "a key has to be a text");
    int option = cli_find_key(scalar(key), why, sizeof(why));
    if (option < 0) return REFUSE_NODE(in, key, "%s", why);
    if (job->lines[option])
        return REFUSE_NODE(in, key, "'%s' stands here for the second time (line %u)", scalar(key),
                           job->lines[option]);
    if (is_null(value)) return 0;
    if (option != CLI_PMC_GROUPS) return set_from_node(in, job, (size_t)option, value);
    if (value->type != YAML_SEQUENCE_NODE)
        return REFUSE_NODE(in, value, "pmc_groups is a list of lists of counters");
    for (yaml_node_item_t *item = value->data.sequence.items.start;
         item < value->data.sequence.items.top; item++) {
        const yaml_node_t *group = yaml_document_get_node(in->document, *item);
        if (set_from_node(in, job, (size_t)option, group) != 0) return -1;
    }
    return 0;
}

static int read_job(input_t *in, const yaml_node_t *node)
{
    if (node->type != YAML_MAPPING_NODE)
        return REFUSE_NODE(in, node, "a job is a set of keys and values");
    cli_command_t *job = add_job(in);
    if (!job) return -1;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (read_value(in, job, yaml_document_get_node(in->document, pair->key),
                       yaml_document_get_node(in->document, pair->value)) != 0)
            return -1;
    if (job->values[CLI_PMC] && job->values[CLI_PMC_GROUPS])
        return REFUSE(in, job->lines[CLI_PMC_GROUPS], 0, "pmc and pmc_groups exclude each other");
    return 0;
}

static int read_jobs(input_t *in, const yaml_node_t *root)
{
    const yaml_node_t *jobs = NULL;
    if (!root || root->type != YAML_MAPPING_NODE) {
        snprintf(in->why, in->why_bytes, "%s: 'jobs:' with a list of jobs is expected", in->name);
        return -1;
    }
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(in->document, pair->key);
        if (key->type != YAML_SCALAR_NODE || strcmp(scalar(key), "jobs") != 0)
            return REFUSE_NODE(in, key, "only 'jobs' may stand here");
        if (jobs) return REFUSE_NODE(in, key, "'jobs' stands here for the second time");
        jobs = yaml_document_get_node(in->document, pair->value);
    }
    if (!jobs) return REFUSE_NODE(in, root, "'jobs' is missing");
    if (jobs->type != YAML_SEQUENCE_NODE) return REFUSE_NODE(in, jobs, "'jobs' has to be a list");
    for (yaml_node_item_t *item = jobs->data.sequence.items.start;
         item < jobs->data.sequence.items.top; item++)
        if (read_job(in, yaml_document_get_node(in->document, *item)) != 0) return -1;
    return in->jobs->count ? 0 : REFUSE_NODE(in, jobs, "the list of jobs is empty");
}

static int read_yaml(input_t *in, const char *text, size_t bytes)
{
    yaml_document_t document;
    base_yaml_problem_t problem;
    in->jobs->directory = "pass_";
    if (!base_yaml_load(&document, text, bytes, &problem))
        return REFUSE(in, problem.line, problem.column, "%s%s%s", problem.context,
                      *problem.context ? ": " : "", problem.text);
    in->document = &document;
    const int result = read_jobs(in, yaml_document_get_root_node(&document));
    yaml_document_delete(&document);
    return result;
}

static int read_json(input_t *in, const char *text, size_t bytes)
{
    json_error_t error;
    json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        return REFUSE(in, (size_t)(error.line > 0 ? error.line : 1),
                      (size_t)(error.column > 0 ? error.column : 1), "%s", error.text);
    json_decref(root);
    return read_yaml(in, text, bytes);
}

int cli_input_parse(cli_jobs_t *jobs, cli_input_form_t form, const char *name, const char *text,
                    size_t bytes, char *why, size_t why_bytes)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8 byte order mark, which some editors write */
    input_t in = {.jobs = jobs, .name = name, .why = why, .why_bytes = why_bytes};
    *jobs = (cli_jobs_t){0};
    if (bytes >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
        text += strlen(mark);
        bytes -= strlen(mark);
    }
    if (memchr(text, 0, bytes)) {
        snprintf(why, why_bytes, "%s: not a text: it holds a zero byte", name);
        return -1;
    }
    if (form == CLI_INPUT_TEXT) return read_text(&in, text);
    return form == CLI_INPUT_JSON ? read_json(&in, text, bytes) : read_yaml(&in, text, bytes);
}

int cli_input_read(cli_jobs_t *jobs, const char *path, char *why, size_t why_bytes)
{
    static const struct {
        const char *ending;
        cli_input_form_t form;
    } forms[] = {{".txt", CLI_INPUT_TEXT},
                 {".yaml", CLI_INPUT_YAML},
                 {".yml", CLI_INPUT_YAML},
                 {".json", CLI_INPUT_JSON}};
    size_t bytes, form = 0;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    *jobs = (cli_jobs_t){0};
    while (form < 4 && (!dot || strcasecmp(dot, forms[form].ending) != 0))
        form++;
    if (form == 4) {
        snprintf(why, why_bytes, "%s: the name of an input file ends in .txt, .yaml, .yml or .json",
                 path);
        return -1;
    }
    char *text = base_file_text(path, INPUT_BYTES_MAX, &bytes, why, why_bytes);
    if (!text) return -1;
    int result = cli_input_parse(jobs, forms[form].form, path, text, bytes, why, why_bytes);
    free(text);
    return result;
}

void cli_jobs_free(cli_jobs_t *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        cli_command_free(&jobs->jobs[i]);
    free(jobs->jobs);
    *jobs = (cli_jobs_t){0};
}
