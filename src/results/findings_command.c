/* findings_command.c - rocprofv3 findings: what a run shows, as text, Markdown or JSON. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "results/commands.h"
#include "results/findings.h"
#include "results/verdicts.h"

typedef struct {
    const char *format;
    size_t limit;
    char **words;
    size_t count;
} arguments_t;

static void put_heading(FILE *f, const res_finding_t *row, void (*put)(FILE *, const char *))
{
    fputs(row->title, f);
    if (row->subject[0]) fputs(": ", f);
    put(f, row->subject);
    fprintf(f, " (%s", res_class_names[row->class_]);
    if (row->weight > 0) fprintf(f, ", %.1f %% of the time", 100 * row->weight);
    fputc(')', f);
}

static void put_text(FILE *f, const res_findings_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(f, "%s%zu. ", i ? "\n" : "", i + 1);
        put_heading(f, &list->rows[i], res_put_text);
        fputs("\n   ", f);
        res_put_text(f, list->rows[i].text);
        fprintf(f, "\n   %s\n   More: %s\n", list->rows[i].advice, list->rows[i].more);
    }
    if (!list->count) fputs("nothing found\n", f);
    if (count < list->count) fprintf(f, "\n%zu more: --limit\n", list->count - count);
}

static void put_markdown(FILE *f, const res_findings_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "\n### " : "### ", f);
        put_heading(f, &list->rows[i], res_put_markdown);
        fputs("\n\n", f);
        res_put_markdown(f, list->rows[i].text);
        fprintf(f, "\n\n%s More: `%s`\n", list->rows[i].advice, list->rows[i].more);
    }
    if (!list->count) fputs("Nothing found.\n", f);
}

void res_finding_json(FILE *f, const res_finding_t *row)
{
    static const char *const units[] = {"", "%", "bytes", "ns"}; /* ORDER: res_measure_t */
    fputs("{\"rule\": ", f);
    res_put_json(f, row->rule);
    fputs(", \"title\": ", f);
    res_put_json(f, row->title);
    fprintf(f, ", \"class\": \"%s\", \"weight\": %.6g, \"subject\": ", res_class_names[row->class_],
            row->weight);
    res_put_json(f, row->subject);
    fputs(", \"text\": ", f);
    res_put_json(f, row->text);
    fputs(", \"advice\": ", f);
    res_put_json(f, row->advice);
    fputs(", \"evidence\": [", f);
    for (size_t i = 0; i < row->evidence_count; i++) {
        const res_evidence_t *e = &row->evidence[i];
        fputs(i ? ", {\"name\": " : "{\"name\": ", f);
        res_put_json(f, e->name);
        fputs(", \"value\": ", f);
        if (e->text)
            res_put_json(f, e->text);
        else
            fprintf(f, "%.15g", e->value);
        fprintf(f, ", \"unit\": \"%s\", \"class\": \"%s\"}", units[e->measure],
                res_class_names[row->class_]);
    }
    fputs("], \"more\": ", f);
    res_put_json(f, row->more);
    fputc('}', f);
}

static void put_json(FILE *f, const res_findings_t *list, size_t count)
{
    fprintf(f, "{\"schema\": \"crocprof-findings-1\", \"found\": %zu, \"findings\": [",
            list->count);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n  " : "\n  ", f);
        res_finding_json(f, &list->rows[i]);
    }
    fputs(count ? "\n]}\n" : "]}\n", f);
}

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "text, md or json (default text)", 0},
    {"limit", 'n', "N", 0, "the N weightiest (default: all)", 0},
    {0}};

static error_t take_option(int key, char *word, struct argp_state *state)
{
    arguments_t *a = state->input;
    char *end;
    switch (key) {
    case 'f': a->format = word; return 0;
    case 'n':
        a->limit = strtoul(word, &end, 10);
        if (end == word || *end || *word == '-')
            argp_error(state, "--limit %s: a number is expected", word);
        return 0;
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
    "What a run shows that is worth a look: launches, copies, memory, registers, divergence, with "
    "the numbers that it rests on and what to do.",
    NULL,
    NULL,
    NULL};

int res_findings_command(int argc, char **argv)
{
    static char name[] = "rocprofv3 findings"; /* as help shows it */
    arguments_t a = {.format = "text", .limit = SIZE_MAX};
    res_run_t r;
    res_values_t v;
    res_findings_t list;
    int status = RES_EXIT_TROUBLE;
    argp_err_exit_status = RES_EXIT_TROUBLE;
    argv[0] = name;
    argp_parse(&command, argc, argv, 0, NULL, &a);
    const int format = res_format(a.format, 1u << RES_TEXT | 1u << RES_MARKDOWN | 1u << RES_JSON);
    if (format < 0 || res_run_open(&r, a.words, a.count) != 0) return status;
    if (res_values(&r, &v) == 0) {
        if (res_findings(&r, &v, &list) == 0) {
            const size_t count = list.count < a.limit ? list.count : a.limit;
            (format == RES_TEXT       ? put_text
             : format == RES_MARKDOWN ? put_markdown
                                      : put_json)(stdout, &list, count);
            res_findings_free(&list);
            status = RES_EXIT_KEPT;
        }
        res_values_free(&v);
    }
    res_run_close(&r);
    return status;
}
