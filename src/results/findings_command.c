/* findings_command.c - rocprofv3 findings: the findings of a run as text, Markdown or JSON. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "results/arguments.h"
#include "results/commands.h"
#include "results/findings.h"

enum { NAMES_SHOWN = 5 }; /* most names of other instances that are shown */

static void put_heading(FILE *f, const res_finding_t *row, base_escape_t form)
{
    fputs(row->title, f);
    if (row->subject[0]) fputs(": ", f);
    base_put(f, form, row->subject);
    fprintf(f, " (%s", res_class_names[row->class_]);
    if (row->weight > 0) fprintf(f, ", up to %.1f %% of the run's time", 100 * row->weight);
    fputc(')', f);
}

/* Writes "The same of 3 more: a, b, c." */
static void put_also(FILE *f, const res_finding_t *row, base_escape_t form)
{
    if (!row->also_count) return;
    fprintf(f, " The same of %zu more", row->also_count);
    for (size_t i = 0; i < row->also_count && i < NAMES_SHOWN; i++) {
        fputs(i ? ", " : ": ", f);
        base_put(f, form, row->also[i].subject);
    }
    fputs(row->also_count > NAMES_SHOWN ? " and so on." : ".", f);
}

/* The texts around the parts of a finding. */
typedef struct {
    base_escape_t escape;
    const char *before, *between; /* before the first finding; between two of them */
    bool numbered;
    const char *text, *beneath, *advice, *check, *more;
    const char *nothing;
    bool tells_rest; /* says how many findings --limit has left out */
} form_t;

static const form_t text_form = {.escape = BASE_TERMINAL,
                                 .before = "",
                                 .between = "\n",
                                 .numbered = true,
                                 .text = "\n   ",
                                 .beneath = "\n   So, too: ",
                                 .advice = "\n   Change: ",
                                 .check = "\n   Check: ",
                                 .more = "\n   More: ",
                                 .nothing = "nothing found\n",
                                 .tells_rest = true};
static const form_t markdown_form = {.escape = BASE_MARKDOWN,
                                     .before = "### ",
                                     .between = "\n### ",
                                     .text = "\n\n",
                                     .beneath = "\n\n- ",
                                     .advice = "\n\n",
                                     .check = " ",
                                     .more = "\n\n    ",
                                     .nothing = "Nothing found.\n"};

static void put_finding(FILE *f, const res_finding_t *row, const form_t *form)
{
    put_heading(f, row, form->escape);
    fputs(form->text, f);
    base_put(f, form->escape, row->text);
    put_also(f, row, form->escape);
    for (size_t k = 0; k < row->beneath_count; k++) {
        fputs(form->beneath, f);
        base_put(f, form->escape, row->beneath[k].text);
    }
    fprintf(f, "%s%s%s%s%s", form->advice, row->advice, form->check, row->check, form->more);
    base_put(f, BASE_TERMINAL, row->more);
    fputc('\n', f);
}

static void put_findings(FILE *f, const res_findings_t *list, size_t count, const form_t *form)
{
    for (size_t i = 0; i < count; i++) {
        fputs(i ? form->between : form->before, f);
        if (form->numbered) fprintf(f, "%zu. ", i + 1);
        put_finding(f, &list->rows[i], form);
    }
    if (!list->count) fputs(form->nothing, f);
    if (form->tells_rest && count < list->count)
        fprintf(f, "\n%zu more: --limit\n", list->count - count);
}

void res_finding_json(FILE *f, const res_finding_t *row)
{
    fputs("{\"rule\": ", f);
    base_put_json(f, row->rule);
    fputs(", \"title\": ", f);
    base_put_json(f, row->title);
    fprintf(f, ", \"class\": \"%s\", \"weight\": %.6g, \"subject\": ", res_class_names[row->class_],
            row->weight);
    base_put_json(f, row->subject);
    fputs(", \"text\": ", f);
    base_put_json(f, row->text);
    fputs(", \"advice\": ", f);
    base_put_json(f, row->advice);
    fputs(", \"check\": ", f);
    base_put_json(f, row->check);
    fputs(", \"evidence\": [", f);
    for (size_t i = 0; i < row->evidence_count; i++) {
        const res_evidence_t *e = &row->evidence[i];
        fputs(i ? ", {\"name\": " : "{\"name\": ", f);
        base_put_json(f, e->name);
        fputs(", \"value\": ", f);
        if (e->text)
            base_put_json(f, e->text);
        else
            fprintf(f, "%.15g", e->value);
        fprintf(f, ", \"unit\": \"%s\", \"class\": \"%s\"}", res_own_unit(e->measure),
                res_class_names[row->class_]);
    }
    fputs("], \"more\": ", f);
    base_put_json(f, row->more);
    fputs(", \"also\": [", f);
    for (size_t i = 0; i < row->also_count; i++) {
        if (i) fputs(", ", f);
        base_put_json(f, row->also[i].subject);
    }
    fputs("], \"consequences\": [", f);
    for (size_t i = 0; i < row->beneath_count; i++) {
        if (i) fputs(", ", f);
        res_finding_json(f, &row->beneath[i]);
    }
    fputs("]}", f);
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

static int show(res_run_t *r, const res_values_t *v, void *data)
{
    const res_arguments_t *a = data;
    res_findings_t list;
    if (res_findings(r, v, &list) != 0) return RES_EXIT_TROUBLE;
    const size_t count = list.count < a->limit ? list.count : a->limit;
    if (a->format == RES_JSON)
        put_json(stdout, &list, count);
    else
        put_findings(stdout, &list, count, a->format == RES_TEXT ? &text_form : &markdown_form);
    res_findings_free(&list);
    return RES_EXIT_KEPT;
}

int res_findings_command(int argc, char **argv)
{
    static char name[] = "rocprofv3 findings";
    res_arguments_t a = {.limit = SIZE_MAX,
                         .formats = 1u << RES_TEXT | 1u << RES_MARKDOWN | 1u << RES_JSON,
                         .words_most = SIZE_MAX};
    res_arguments(&a, argc, argv, name, options, "[DIR|DB...]",
                  "What a run shows that is worth a look: launches, copies, memory, registers, "
                  "divergence, with the numbers that it rests on and what to do.");
    return res_read_whole(a.words, a.count, show, &a);
}
