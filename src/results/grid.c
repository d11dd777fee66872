/* grid.c - see grid.h. */
#include "results/grid.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/grow.h"

void res_grid_begin(res_grid_t *g, const char *const *heads, size_t columns)
{
    *g = (res_grid_t){.heads = heads, .columns = columns};
}

void res_grid_cell(res_grid_t *g, const char *format, ...)
{
    va_list list;
    char *text = NULL;
    if (g->failed) return;
    g->failed = !BASE_GROW_BY_ONE(g->cells, g->count);
    va_start(list, format);
    if (!g->failed && vasprintf(&text, format, list) < 0) g->failed = true;
    va_end(list);
    if (!g->failed) g->cells[g->count++] = text;
}

size_t res_grid_rows(const res_grid_t *g)
{
    return g->count / g->columns;
}

/* Characters, not bytes. */
static size_t width(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static bool is_right(const res_grid_t *g, size_t column)
{
    return g->heads[column][0] == '>';
}

static const char *head_of(const res_grid_t *g, size_t column)
{
    return g->heads[column] + is_right(g, column);
}

static void pad(FILE *f, size_t from, size_t to)
{
    for (; from < to; from++)
        fputc(' ', f);
}

static void put_cell(const res_grid_t *g, FILE *f, size_t column, const char *text, size_t room)
{
    if (column) fputs("  ", f);
    if (is_right(g, column)) pad(f, width(text), room);
    base_put(f, BASE_TERMINAL, text);
    if (!is_right(g, column) && column + 1 < g->columns) pad(f, width(text), room);
}

void res_grid_text(const res_grid_t *g, FILE *f)
{
    enum { COLUMNS_MAX = 16 };
    size_t widths[COLUMNS_MAX] = {0};
    if (!res_grid_rows(g) || g->columns > COLUMNS_MAX) return;
    for (size_t c = 0; c < g->columns; c++)
        widths[c] = width(head_of(g, c));
    for (size_t i = 0; i < g->count; i++)
        if (width(g->cells[i]) > widths[i % g->columns])
            widths[i % g->columns] = width(g->cells[i]);
    for (size_t c = 0; c < g->columns; c++)
        put_cell(g, f, c, head_of(g, c), widths[c]);
    for (size_t i = 0; i < res_grid_rows(g) * g->columns; i++) {
        if (i % g->columns == 0) fputc('\n', f);
        put_cell(g, f, i % g->columns, g->cells[i], widths[i % g->columns]);
    }
    fputc('\n', f);
}

void res_grid_markdown(const res_grid_t *g, FILE *f)
{
    if (!res_grid_rows(g)) return;
    for (size_t c = 0; c < g->columns; c++)
        fprintf(f, "| %s ", head_of(g, c));
    fputs("|\n", f);
    for (size_t c = 0; c < g->columns; c++)
        fputs(is_right(g, c) ? "|---:" : "|---", f);
    fputs("|\n", f);
    for (size_t i = 0; i < res_grid_rows(g) * g->columns; i++) {
        fputs("| ", f);
        base_put(f, BASE_MARKDOWN, g->cells[i]);
        fputs(i % g->columns + 1 == g->columns ? " |\n" : " ", f);
    }
}

void res_grid_free(res_grid_t *g)
{
    for (size_t i = 0; i < g->count; i++)
        free(g->cells[i]);
    free(g->cells);
    *g = (res_grid_t){0};
}
