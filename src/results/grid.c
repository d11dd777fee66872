/* grid.c - see grid.h. */
#include "results/grid.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/grow.h"
#include "base/table.h"

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

static bool is_right(const res_grid_t *g, size_t column)
{
    return g->heads[column][0] == '>';
}

static const char *head_of(const res_grid_t *g, size_t column)
{
    return g->heads[column] + is_right(g, column);
}

static void put_cell(void *f, const char *text)
{
    base_put(f, BASE_TERMINAL, text);
}

static void put_line(const res_grid_t *g, FILE *f, const base_column_t *columns,
                     const char *const *cells)
{
    static const base_frame_t frame = {"", "  ", ""};
    base_table_line(columns, g->columns, cells, &frame, put_cell, f);
    fputc('\n', f);
}

void res_grid_text(const res_grid_t *g, FILE *f)
{
    enum { COLUMNS_MAX = 16 };
    base_column_t columns[COLUMNS_MAX] = {0};
    const char *heads[COLUMNS_MAX];
    if (!res_grid_rows(g) || g->columns > COLUMNS_MAX) return;
    for (size_t c = 0; c < g->columns; c++) {
        columns[c].align = is_right(g, c) ? BASE_RIGHT : BASE_LEFT;
        heads[c] = head_of(g, c);
        base_column_fit(&columns[c], heads[c]);
    }
    for (size_t i = 0; i < g->count; i++)
        base_column_fit(&columns[i % g->columns], g->cells[i]);
    put_line(g, f, columns, heads);
    for (size_t i = 0; i < res_grid_rows(g); i++)
        put_line(g, f, columns, (const char *const *)g->cells + i * g->columns);
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
