/* table.c - see table.h. */
#include "rocpd/table.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "output/json.h"
#include "rocpd/pdf.h"

typedef struct {
    out_file_t *f;
    db_cursor_t *rows;
    int columns;
    int *widths; /* of columns, in characters; for aligned forms */
    bool *numbers;
    rocpd_pdf_t *pdf;
    bool failed; /* the reason has been told */
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

/* Characters, not bytes: UTF-8's following bytes do not count. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static int cell_width(const table_t *t, int column)
{
    char number[64];
    if (type_of(t, column) != SQLITE_FLOAT) return width_of(db_text(t->rows, column));
    return snprintf(number, sizeof(number), "%.6f", db_real(t->rows, column));
}

static void fill(out_file_t *f, int count, char c)
{
    for (; count > 0; count--)
        out_char(f, c);
}

/* ---- aligned: console and Markdown ---- */

static void measure(table_t *t)
{
    for (int i = 0; i < t->columns; i++) {
        t->widths[i] = width_of(name_of(t, i));
        t->numbers[i] = true;
    }
    while (db_next(t->rows))
        for (int i = 0; i < t->columns; i++) {
            int width = cell_width(t, i);
            if (width > t->widths[i]) t->widths[i] = width;
            t->numbers[i] &= is_number(t, i) || type_of(t, i) == SQLITE_NULL;
        }
    db_again(t->rows, "");
}

static void put_aligned(table_t *t, int column, bool head, bool last)
{
    const char *name = name_of(t, column);
    int gap = t->widths[column] - (head ? width_of(name) : cell_width(t, column));
    if (t->numbers[column]) fill(t->f, gap, ' ');
    if (head)
        out_text(t->f, name);
    else
        put_value(t->f, t, column);
    if (!t->numbers[column] && !last) fill(t->f, gap, ' ');
}

static void console_row(table_t *t, bool head)
{
    for (int i = 0; i < t->columns; i++) {
        if (i) out_text(t->f, "  ");
        put_aligned(t, i, head, i + 1 == t->columns);
    }
    out_char(t->f, '\n');
}

static void console_head(table_t *t)
{
    console_row(t, true);
    for (int i = 0; i < t->columns; i++) {
        if (i) out_text(t->f, "  ");
        fill(t->f, t->widths[i], '-');
    }
    out_char(t->f, '\n');
}

static void console_cells(table_t *t, long long row)
{
    (void)row;
    console_row(t, false);
}

static void md_row(table_t *t, bool head)
{
    out_char(t->f, '|');
    for (int i = 0; i < t->columns; i++) {
        out_char(t->f, ' ');
        put_aligned(t, i, head, false);
        out_text(t->f, " |");
    }
    out_char(t->f, '\n');
}

static void md_head(table_t *t)
{
    md_row(t, true);
    out_char(t->f, '|');
    for (int i = 0; i < t->columns; i++) {
        out_char(t->f, t->numbers[i] ? '-' : ':');
        fill(t->f, t->widths[i], '-');
        out_text(t->f, t->numbers[i] ? ":|" : "-|");
    }
    out_char(t->f, '\n');
}

static void md_cells(table_t *t, long long row)
{
    (void)row;
    md_row(t, false);
}

/* ---- CSV ---- */

/* Writes a name as Python's str.title() does: a letter behind a character that is no letter is a
 * capital, others are small. */
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
    t->pdf = rocpd_pdf_begin(t->f, t->columns, t->widths, t->numbers);
    t->failed = !t->pdf;
    if (t->failed) return;
    for (int i = 0; i < t->columns; i++)
        rocpd_pdf_cell(t->pdf, i, name_of(t, i));
    rocpd_pdf_row(t->pdf);
}

static void pdf_cells(table_t *t, long long row)
{
    char number[64];
    (void)row;
    for (int i = 0; i < t->columns; i++) {
        const bool real = type_of(t, i) == SQLITE_FLOAT;
        if (real) snprintf(number, sizeof(number), "%.6f", db_real(t->rows, i));
        rocpd_pdf_cell(t->pdf, i, real ? number : db_text(t->rows, i));
    }
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

long long rocpd_table_write(out_file_t *f, db_cursor_t *rows, rocpd_form_t form)
{
    long long count = 0;
    const int columns = sqlite3_column_count(rows->s);
    table_t t = {.f = f, .rows = rows, .columns = columns};
    t.widths = calloc((size_t)columns + 1, sizeof(*t.widths));
    t.numbers = calloc((size_t)columns + 1, sizeof(*t.numbers));
    t.failed = !t.widths || !t.numbers;
    if (t.failed) base_error("out of memory");
    if (!t.failed && forms[form].aligned) measure(&t);
    while (!t.failed && db_next(rows)) {
        if (!count++) forms[form].head(&t);
        if (!t.failed) forms[form].cells(&t, count - 1);
    }
    if (count && forms[form].tail) forms[form].tail(&t);
    free(t.widths);
    free(t.numbers);
    return t.failed ? -1 : count;
}
