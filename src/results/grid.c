/* grid.c - see grid.h. */
#include "results/grid.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    res_put_text(f, text);
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
        res_put_markdown(f, g->cells[i]);
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

/* ---- texts that come from databases ---- */

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

void res_put_text(FILE *f, const char *text)
{
    for (; *text; text++)
        fputc(is_control(*text) ? '?' : *text, f);
}

void res_put_markdown(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '<') {
            fputs("&lt;", f);
            continue;
        }
        if (strchr("\\|`*_[]#", *text)) fputc('\\', f);
        fputc(is_control(*text) ? '?' : *text, f);
    }
}

/* Bytes of the character that begins here, 0 if it is none of XML: U+FFFE and U+FFFF are not. */
static size_t character_bytes(const char *at)
{
    const bool none = !strncmp(at, "\357\277\276", 3) || !strncmp(at, "\357\277\277", 3);
    return none ? 0 : base_utf8_bytes(at);
}

static const char unknown[] = "\357\277\275"; /* U+FFFD */

/* Writes the text; for each ASCII character, `replace` says what to write in its place. */
static void put_replaced(FILE *f, const char *text, const char *(*replace)(char c, char room[8]))
{
    while (*text) {
        char room[8];
        const size_t bytes = character_bytes(text);
        const char *instead = bytes == 0 ? unknown : bytes == 1 ? replace(*text, room) : NULL;
        if (instead)
            fputs(instead, f);
        else
            fwrite(text, 1, bytes, f);
        text += bytes ? bytes : 1;
    }
}

static const char *replace_xml(char c, char room[8])
{
    (void)room;
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default: return is_control(c) ? unknown : NULL;
    }
}

void res_put_xml(FILE *f, const char *text)
{
    put_replaced(f, text, replace_xml);
}

static const char *replace_json(char c, char room[8])
{
    if (c == '"') return "\\\"";
    if (c == '\\') return "\\\\";
    if (!is_control(c)) return NULL;
    snprintf(room, 8, "\\u%04x", (unsigned)(unsigned char)c);
    return room;
}

void res_put_json(FILE *f, const char *text)
{
    fputc('"', f);
    put_replaced(f, text, replace_json);
    fputc('"', f);
}
