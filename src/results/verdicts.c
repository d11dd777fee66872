/* verdicts.c - see verdicts.h. */
#include "results/verdicts.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/grow.h"
#include "base/log.h"
#include "output/file.h"

/* ORDER: res_format_t. */
static const char *const formats[RES_FORMAT_COUNT] = {"text", "md", "junit", "json"};

int res_format(const char *word, unsigned allowed)
{
    char known[64] = "";
    for (int i = 0; i < RES_FORMAT_COUNT; i++) {
        if (!(allowed & 1u << i)) continue;
        if (strcmp(word, formats[i]) == 0) return i;
        strcat(strcat(known, " "), formats[i]);
    }
    base_error("--format %s: known are%s", word, known);
    return -1;
}

int res_save(const char *path, const char *text, size_t bytes)
{
    char why[PATH_MAX + 256];
    sigset_t before;
    out_signals_hold(&before);
    out_file_t *f = out_file_open(path, why, sizeof(why));
    if (f) out_bytes(f, text, bytes);
    const bool done = f && out_file_close(f, why, sizeof(why)) == 0;
    if (!done) base_error("%s", why);
    out_signals_release(&before);
    return done ? 0 : -1;
}

void res_verdict(res_verdicts_t *v, res_outcome_t outcome, const char *group, const char *message,
                 const char *name, ...)
{
    va_list list;
    v->failed |= !BASE_GROW_BY_ONE(v->rows, v->count);
    if (v->failed) return;
    res_verdict_t *row = &v->rows[v->count++];
    *row = (res_verdict_t){outcome, strdup(group), NULL, strdup(message)};
    va_start(list, name);
    if (vasprintf(&row->name, name, list) < 0) row->name = NULL;
    va_end(list);
    v->counts[outcome]++;
    v->failed = !row->group || !row->name || !row->message;
}

int res_verdicts_status(const res_verdicts_t *v)
{
    return v->counts[RES_BROKEN]      ? RES_EXIT_BROKEN
           : v->counts[RES_UNCHECKED] ? RES_EXIT_TROUBLE
                                      : RES_EXIT_KEPT;
}

static void put_counts(const res_verdicts_t *v, FILE *f)
{
    const char *before = "";
    for (int i = 0; i < RES_OUTCOME_COUNT; i++) {
        if (!v->words[i]) continue;
        fprintf(f, "%s%zu %s", before, v->counts[i], v->words[i]);
        before = ", ";
    }
    fputc('\n', f);
}

static void put_text(const res_verdicts_t *v, FILE *f)
{
    res_grid_text(&v->grid, f);
    put_counts(v, f);
}

static void put_markdown(const res_verdicts_t *v, FILE *f)
{
    fputs("## ", f);
    base_put(f, BASE_MARKDOWN, v->title);
    fputs("\n\n", f);
    res_grid_markdown(&v->grid, f);
    fputc('\n', f);
    put_counts(v, f);
}

/* One testsuite; names of elements and attributes are those that CI systems read. */
static void put_junit(const res_verdicts_t *v, FILE *f)
{
    static const char *const elements[] = {NULL, "failure", "error"}; /* ORDER: res_outcome_t */
    fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"");
    base_put(f, BASE_XML, v->title);
    fprintf(f, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\">\n",
            v->count, v->counts[RES_BROKEN], v->counts[RES_UNCHECKED]);
    for (size_t i = 0; i < v->count; i++) {
        const res_verdict_t *row = &v->rows[i];
        const char *element = elements[row->outcome];
        fputs("    <testcase classname=\"", f);
        base_put(f, BASE_XML, row->group);
        fputs("\" name=\"", f);
        base_put(f, BASE_XML, row->name);
        fputs(element ? "\" time=\"0\">\n" : "\" time=\"0\"/>\n", f);
        if (!element) continue;
        fprintf(f, "      <%s message=\"", element);
        base_put(f, BASE_XML, row->message);
        fprintf(f, "\" type=\"%s\"/>\n    </testcase>\n",
                row->outcome == RES_BROKEN ? "budget" : "unchecked");
    }
    fputs("  </testsuite>\n</testsuites>\n", f);
}

int res_verdicts_write(const res_verdicts_t *v, res_format_t format, const char *path)
{
    static void (*const writers[])(const res_verdicts_t *, FILE *) = {put_text, put_markdown,
                                                                      put_junit}; /* ORDER */
    char *text = NULL;
    size_t bytes = 0;
    int result = 0;
    FILE *f = path ? open_memstream(&text, &bytes) : stdout;
    if (f && !v->failed && !v->grid.failed) writers[format](v, f);
    if (!f || (path && fclose(f) != 0) || v->failed || v->grid.failed) {
        base_error("%s", strerror(ENOMEM));
        result = -1;
    } else if (path) {
        put_text(v, stdout);
        result = res_save(path, text, bytes);
    }
    free(text);
    return result;
}

void res_verdicts_free(res_verdicts_t *v)
{
    for (size_t i = 0; i < v->count; i++) {
        free(v->rows[i].group);
        free(v->rows[i].name);
        free(v->rows[i].message);
    }
    free(v->rows);
    res_grid_free(&v->grid);
    *v = (res_verdicts_t){0};
}
