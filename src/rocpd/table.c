/* table.c - see table.h. */
#include "rocpd/table.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/table.h"
#include "output/json.h"
#include "rocpd/pdf.h"

/* the largest number has 309 digits before the point and 6 after it */
enum { REAL_BYTES_MAX = 320 };

typedef struct {
    out_file_t *f;
    db_cursor_t *rows;
    int columns;
    base_column_t *shape;          /* widths of the columns; for aligned forms */
    const char **cells;            /* the line that is being written */
    char (*reals)[REAL_BYTES_MAX]; /* its numbers, one for each column */
    rocpd_pdf_t *pdf;
    bool failed; /* the reason has been reported */
} table_t;

static const char *name_of(const table_t *t, int column)
{
    return sqlite3_column_name(t->rows->s, column);
}

static int type_of(const table_t *t, int column)
{
    return sqlite3_column_type(t->rows->s, column);
}

static bool is_number(const table_t *t, int column)
{
    return type_of(t, column) == SQLITE_INTEGER || type_of(t, column) == SQLITE_FLOAT;
}

static void put_value(out_file_t *f, const table_t *t, int column)
{
    if (type_of(t, column) == SQLITE_FLOAT)
        out_format(f, "%.6f", db_real(t->rows, column));
    else
        out_text(f, db_text(t->rows, column));
}

/* ---- aligned: console and Markdown ---- */

static const char *cell_text(table_t *t, int column)
{
    if (type_of(t, column) != SQLITE_FLOAT) return db_text(t->rows, column);
    snprintf(t->reals[column], REAL_BYTES_MAX, "%.6f", db_real(t->rows, column));
    return t->reals[column];
}

static void measure(table_t *t)
{
    for (int i = 0; i < t->columns; i++) {
        base_column_fit(&t->shape[i], name_of(t, i));
        t->shape[i].align = BASE_RIGHT;
    }
    while (db_next(t->rows))
        for (int i = 0; i < t->columns; i++) {
            base_column_fit(&t->shape[i], cell_text(t, i));
            if (!is_number(t, i) && type_of(t, i) != SQLITE_NULL) t->shape[i].align = BASE_LEFT;
        }
    db_again(t->rows, "");
}

static void put_text(void *f, const char *text)
{
    out_text(f, text);
}

static void put_line(table_t *t, bool head, const base_frame_t *frame)
{
    for (int i = 0; i < t->columns; i++)
        t->cells[i] = head ? name_of(t, i) : cell_text(t, i);
    base_table_line(t->shape, (size_t)t->columns, t->cells, frame, put_text, t->f);
    out_char(t->f, '\n');
}

static void fill(out_file_t *f, size_t count, char c)
{
    while (count--)
        out_char(f, c);
}

static const base_frame_t console = {"", "  ", ""}, md = {"| ", " | ", " |"};

static void console_head(table_t *t)
{
    put_line(t, true, &console);
    for (int i = 0; i < t->columns; i++) {
        if (i) out_text(t->f, "  ");
        fill(t->f, t->shape[i].width, '-');
    }
    out_char(t->f, '\n');
}

static void console_cells(table_t *t, long long row)
{
    (void)row;
    put_line(t, false, &console);
}

static void md_head(table_t *t)
{
    put_line(t, true, &md);
    out_char(t->f, '|');
    for (int i = 0; i < t->columns; i++) {
        const bool right = t->shape[i].align == BASE_RIGHT;
        out_char(t->f, right ? '-' : ':');
        fill(t->f, t->shape[i].width, '-');
        out_text(t->f, right ? ":|" : "-|");
    }
    out_char(t->f, '\n');
}

static void md_cells(table_t *t, long long row)
{
    (void)row;
    put_line(t, false, &md);
}

/* ---- CSV ---- */

/* Writes a name as Python's str.title() does: a letter after a character that is not a letter
 * becomes a capital, other letters become small. */
static void put_title(out_file_t *f, const char *name)
{
    bool inside = false;
    for (; *name; name++) {
        out_char(f, (char)(inside ? tolower((unsigned char)*name) : toupper((unsigned char)*name)));
        inside = isalpha((unsigned char)*name);
    }
}

static void csv_head(table_t *t)
{
    for (int i = 0; i < t->columns; i++) {
        if (i) out_char(t->f, ',');
        out_char(t->f, '"');
        put_title(t->f, name_of(t, i));
        out_char(t->f, '"');
    }
    out_char(t->f, '\n');
}

static void csv_cells(table_t *t, long long row)
{
    (void)row;
    for (int i = 0; i < t->columns; i++) {
        if (i) out_char(t->f, ',');
        if (is_number(t, i))
            put_value(t->f, t, i);
        else
            out_quoted(t->f, db_text(t->rows, i));
    }
    out_char(t->f, '\n');
}

/* ---- HTML ---- */

static void html_head(table_t *t)
{
    out_text(t->f, "<table border=\"1\">\n<thead><tr>");
    for (int i = 0; i < t->columns; i++) {
        out_text(t->f, "<th>");
        out_escaped(t->f, BASE_HTML, name_of(t, i));
        out_text(t->f, "</th>");
    }
    out_text(t->f, "</tr></thead>\n<tbody>\n");
}

static void html_cells(table_t *t, long long row)
{
    (void)row;
    out_text(t->f, "<tr>");
    for (int i = 0; i < t->columns; i++) {
        out_text(t->f, is_number(t, i) ? "<td align=\"right\">" : "<td>");
        if (is_number(t, i))
            put_value(t->f, t, i);
        else
            out_escaped(t->f, BASE_HTML, db_text(t->rows, i));
        out_text(t->f, "</td>");
    }
    out_text(t->f, "</tr>\n");
}

static void html_end(table_t *t)
{
    out_text(t->f, "</tbody>\n</table>\n");
}

/* ---- JSON: an array of objects, two blanks deep ---- */

static void json_head(table_t *t)
{
    out_char(t->f, '[');
}

static void json_cells(table_t *t, long long row)
{
    out_text(t->f, row ? ",\n  {" : "\n  {");
    for (int i = 0; i < t->columns; i++) {
        out_json_t j = {.f = t->f};
        out_text(t->f, i ? ",\n    " : "\n    ");
        out_json_text(&j, NULL, name_of(t, i));
        out_text(t->f, ": ");
        j.comma = false;
        switch (type_of(t, i)) {
        case SQLITE_INTEGER: out_json_signed(&j, NULL, db_int(t->rows, i)); break;
        case SQLITE_FLOAT: out_json_double(&j, NULL, db_real(t->rows, i)); break;
        case SQLITE_NULL: out_text(t->f, "null"); break;
        default: out_json_text(&j, NULL, db_text(t->rows, i)); break;
        }
    }
    out_text(t->f, "\n  }");
}

static void json_end(table_t *t)
{
    out_text(t->f, "\n]\n");
}

/* ---- pages ---- */

static void pdf_head(table_t *t)
{
    t->pdf = rocpd_pdf_begin(t->f, t->columns, t->shape);
    t->failed = !t->pdf;
    if (t->failed) return;
    for (int i = 0; i < t->columns; i++)
        rocpd_pdf_cell(t->pdf, i, name_of(t, i));
    rocpd_pdf_row(t->pdf);
}

static void pdf_cells(table_t *t, long long row)
{
    (void)row;
    for (int i = 0; i < t->columns; i++)
        rocpd_pdf_cell(t->pdf, i, cell_text(t, i));
    rocpd_pdf_row(t->pdf);
}

static void pdf_end(table_t *t)
{
    if (t->pdf) t->failed |= !rocpd_pdf_end(t->pdf);
}

/* ---- the clipboard ---- */

static void put_tabbed(out_file_t *f, const char *text)
{
    if (text[strcspn(text, "\t\n\r\"")])
        out_quoted(f, text);
    else
        out_text(f, text);
}

static void tab_head(table_t *t)
{
    for (int i = 0; i < t->columns; i++) {
        if (i) out_char(t->f, '\t');
        put_tabbed(t->f, name_of(t, i));
    }
    out_char(t->f, '\n');
}

static void tab_cells(table_t *t, long long row)
{
    (void)row;
    for (int i = 0; i < t->columns; i++) {
        if (i) out_char(t->f, '\t');
        if (is_number(t, i))
            put_value(t->f, t, i);
        else
            put_tabbed(t->f, db_text(t->rows, i));
    }
    out_char(t->f, '\n');
}

/* ORDER: rocpd_form_t. */
static const struct {
    const char *name, *end;
    bool aligned;
    void (*head)(table_t *t);
    void (*cells)(table_t *t, long long row);
    void (*tail)(table_t *t);
} forms[] = {
    {"console", "txt", true, console_head, console_cells, NULL},
    {"csv", "csv", false, csv_head, csv_cells, NULL},
    {"html", "html", false, html_head, html_cells, html_end},
    {"json", "json", false, json_head, json_cells, json_end},
    {"md", "md", true, md_head, md_cells, NULL},
    {"pdf", "pdf", true, pdf_head, pdf_cells, pdf_end},
    {"clipboard", "txt", false, tab_head, tab_cells, NULL},
};

rocpd_form_t rocpd_form(const char *name)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (strcasecmp(forms[i].name, name) == 0) return (rocpd_form_t)i;
    return ROCPD_CONSOLE;
}

const char *rocpd_form_end(rocpd_form_t form)
{
    return forms[form].end;
}

static long long write_rows(out_file_t *f, db_cursor_t *rows, rocpd_form_t form, bool head)
{
    long long count = 0;
    const int columns = sqlite3_column_count(rows->s);
    table_t t = {.f = f, .rows = rows, .columns = columns};
    t.shape = calloc((size_t)columns + 1, sizeof(*t.shape));
    t.cells = calloc((size_t)columns + 1, sizeof(*t.cells));
    t.reals = calloc((size_t)columns + 1, sizeof(*t.reals));
    t.failed = !t.shape || !t.cells || !t.reals;
    if (t.failed) base_error("out of memory");
    if (!t.failed && forms[form].aligned) measure(&t);
    while (!t.failed && db_next(rows)) {
        if (!count++ && head) forms[form].head(&t);
        if (!t.failed) forms[form].cells(&t, count - 1);
    }
    if (count && forms[form].tail) forms[form].tail(&t);
    free(t.shape);
    free(t.cells);
    free(t.reals);
    return t.failed ? -1 : count;
}

long long rocpd_table_write(out_file_t *f, db_cursor_t *rows, rocpd_form_t form)
{
    return write_rows(f, rows, form, true);
}

long long rocpd_table_go_on(out_file_t *f, db_cursor_t *rows, rocpd_form_t form)
{
    return write_rows(f, rows, form, false);
}
