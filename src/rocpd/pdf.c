/* pdf.c - see pdf.h.
 *
 * It lays out the cells on pages. Pages are A4, or wider if the columns need it. Cells that are
 * longer than their column continue in further lines, and rows that are longer than a page continue
 * on the next page. */
#include "rocpd/pdf.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/symbol.h"
#include "base/utf8.h"

/* ---- declarations of the functions of cairo that are used, whose interface is stable ---- */

typedef struct cairo cairo_t;
typedef struct cairo_surface surface_t;
typedef struct {
    double ascent, descent, height, advance, vertical_advance;
} font_extents_t;
typedef struct {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
} text_extents_t;

enum { CAIRO_GOOD = 0, SLANT_NORMAL = 0, WEIGHT_NORMAL = 0, WEIGHT_BOLD = 1 };

typedef int write_t(void *file, const unsigned char *data, unsigned bytes);

/* X(type, name, parameters) */
#define CAIRO(X)                                                                                   \
    X(surface_t *, cairo_pdf_surface_create_for_stream, (write_t *, void *, double, double))       \
    X(cairo_t *, cairo_create, (surface_t *))                                                      \
    X(int, cairo_status, (cairo_t *))                                                              \
    X(int, cairo_surface_status, (surface_t *))                                                    \
    X(const char *, cairo_status_to_string, (int))                                                 \
    X(void, cairo_select_font_face, (cairo_t *, const char *, int, int))                           \
    X(void, cairo_set_font_size, (cairo_t *, double))                                              \
    X(void, cairo_font_extents, (cairo_t *, font_extents_t *))                                     \
    X(void, cairo_text_extents, (cairo_t *, const char *, text_extents_t *))                       \
    X(void, cairo_pdf_surface_set_size, (surface_t *, double, double))                             \
    X(void, cairo_move_to, (cairo_t *, double, double))                                            \
    X(void, cairo_line_to, (cairo_t *, double, double))                                            \
    X(void, cairo_set_line_width, (cairo_t *, double))                                             \
    X(void, cairo_stroke, (cairo_t *))                                                             \
    X(void, cairo_show_text, (cairo_t *, const char *))                                            \
    X(void, cairo_show_page, (cairo_t *))                                                          \
    X(void, cairo_surface_finish, (surface_t *))                                                   \
    X(void, cairo_destroy, (cairo_t *))                                                            \
    X(void, cairo_surface_destroy, (surface_t *))

static struct {
#define X(type, name, parameters) type(*name) parameters;
    CAIRO(X)
#undef X
    bool there;
} cairo;

static void load(void)
{
    void *library = dlopen("libcairo.so.2", RTLD_LAZY | RTLD_LOCAL);
#define X(type, name, parameters) &&base_symbol(library, #name, &cairo.name)
    cairo.there = library CAIRO(X);
#undef X
}

/* ---- texts ---- */

enum { WIDEST = 100, LINE_BYTES = 4 * WIDEST + 1 }; /* WIDEST: most characters of a column */

/* Copies the next line of a text, of at most `most` characters; *shown becomes their number.
 * Returns the rest of the text. */
static const char *next_line(const char *text, int most, char line[LINE_BYTES], int *shown)
{
    /* U+FFFD, for bytes that are not a valid character */
    static const char none[] = "\xef\xbf\xbd";
    const unsigned char *at = (const unsigned char *)text;
    size_t bytes = 0;
    int n = 0;
    for (; *at && *at != '\n' && n < most; n++) {
        const size_t whole = base_utf8_bytes((const char *)at);
        const bool control = *at < ' ' || *at == 0x7f;
        const void *from = control ? (const void *)" " : whole ? (const void *)at : none;
        const size_t size = control ? 1 : whole ? whole : sizeof(none) - 1;
        memcpy(line + bytes, from, size);
        bytes += size;
        at += whole ? whole : 1;
    }
    line[bytes] = 0;
    *shown = n;
    return (const char *)at + (*at == '\n');
}

/* ---- the document ---- */

enum { GAP = 2 }; /* characters between columns */
/* In points: A4 in landscape; the widest page is one that every PDF reader accepts. */
static const double page_width = 842, page_height = 595, widest_page = 14400, margin = 36;
static const double text_size = 8, thin = 0.5;

struct rocpd_pdf {
    out_file_t *f;
    surface_t *surface;
    cairo_t *to;
    int columns;
    const base_column_t *shape;
    char **head, **cells; /* the heading; the row that is being filled */
    bool no_memory;
    double advance, height; /* width of a character, height of a line */
    double size, width, y;  /* of the text; of a page; position of the next line */
    unsigned page, rows;    /* number of pages begun; number of rows, the heading included */
};

static int write_out(void *file, const unsigned char *data, unsigned bytes)
{
    out_bytes(file, data, bytes); /* a failure is reported when the file is closed */
    return CAIRO_GOOD;
}

static int width_of(const rocpd_pdf_t *p, int column)
{
    const size_t width = p->shape[column].width < WIDEST ? p->shape[column].width : WIDEST;
    return width > 0 ? (int)width : 1;
}

static void set_font(rocpd_pdf_t *p, int weight)
{
    font_extents_t font;
    text_extents_t text;
    cairo.cairo_select_font_face(p->to, "monospace", SLANT_NORMAL, weight);
    cairo.cairo_set_font_size(p->to, p->size);
    cairo.cairo_font_extents(p->to, &font);
    cairo.cairo_text_extents(p->to, "M", &text);
    p->advance = text.x_advance;
    p->height = font.height;
}

/* Chooses the width of pages, which are as wide as the columns; if that is more than widest_page,
 * the letters are made smaller. */
static void choose_size(rocpd_pdf_t *p)
{
    int characters = 0;
    for (int i = 0; i < p->columns; i++)
        characters += width_of(p, i) + GAP;
    p->size = text_size;
    set_font(p, WEIGHT_NORMAL);
    const double needed = characters * p->advance, most = widest_page - 2 * margin;
    if (needed > most) p->size *= most / needed;
    p->width = needed > most ? widest_page : needed + 2 * margin;
    if (p->width < page_width) p->width = page_width;
    cairo.cairo_pdf_surface_set_size(p->surface, p->width, page_height);
}

static const char *trouble_of(const rocpd_pdf_t *p)
{
    const int status = p->to ? cairo.cairo_status(p->to) : CAIRO_GOOD;
    const int other = p->surface ? cairo.cairo_surface_status(p->surface) : CAIRO_GOOD;
    if (p->no_memory) return "out of memory";
    return status || other ? cairo.cairo_status_to_string(status ? status : other) : NULL;
}

static void release(rocpd_pdf_t *p)
{
    if (p->to) cairo.cairo_destroy(p->to);
    if (p->surface) cairo.cairo_surface_destroy(p->surface);
    for (int i = 0; i < p->columns; i++) {
        if (p->head) free(p->head[i]);
        if (p->cells) free(p->cells[i]);
    }
    free(p->head);
    free(p->cells);
    free(p);
}

rocpd_pdf_t *rocpd_pdf_begin(out_file_t *f, int columns, const base_column_t *shape)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!cairo.there) {
        base_error("PDF is drawn by cairo, which is not there: install libcairo2 (libcairo.so.2)");
        return NULL;
    }
    rocpd_pdf_t *p = calloc(1, sizeof(*p));
    if (!p) {
        base_error("PDF: out of memory");
        return NULL;
    }
    *p = (rocpd_pdf_t){.f = f, .columns = columns, .shape = shape};
    p->head = calloc((size_t)columns + 1, sizeof(*p->head));
    p->cells = calloc((size_t)columns + 1, sizeof(*p->cells));
    p->no_memory = !p->head || !p->cells;
    p->surface = cairo.cairo_pdf_surface_create_for_stream(write_out, f, page_width, page_height);
    p->to = cairo.cairo_create(p->surface);
    const char *trouble = trouble_of(p);
    if (trouble) {
        base_error("PDF: %s", trouble);
        release(p);
        return NULL;
    }
    choose_size(p);
    return p;
}

/* ---- pages ---- */

/* Draws the next line of each cell; returns false if no cell has a further line. */
static bool put_line(rocpd_pdf_t *p, const char **texts)
{
    char line[LINE_BYTES];
    double x = margin;
    bool more = false;
    for (int i = 0; i < p->columns; i++) {
        int shown;
        texts[i] = next_line(texts[i], width_of(p, i), line, &shown);
        const double before =
            p->shape[i].align == BASE_RIGHT ? (width_of(p, i) - shown) * p->advance : 0;
        cairo.cairo_move_to(p->to, x + before, p->y);
        if (*line) cairo.cairo_show_text(p->to, line);
        x += (width_of(p, i) + GAP) * p->advance;
        more |= *texts[i];
    }
    p->y += p->height;
    return more;
}

static bool is_full(const rocpd_pdf_t *p)
{
    return p->y > page_height - margin;
}

/* Begins a page with the heading, which is cut if it leaves no room for rows. `at` is an array that
 * this function uses, with an element for each column. */
static void begin_page(rocpd_pdf_t *p, const char **at)
{
    char number[32];
    if (p->page) cairo.cairo_show_page(p->to);
    snprintf(number, sizeof(number), "%u", ++p->page);
    set_font(p, WEIGHT_NORMAL);
    cairo.cairo_move_to(p->to, margin, page_height - margin / 2.0);
    cairo.cairo_show_text(p->to, number);
    set_font(p, WEIGHT_BOLD);
    p->y = margin + p->height;
    for (int i = 0; i < p->columns; i++)
        at[i] = p->head[i] ? p->head[i] : "";
    while (put_line(p, at) && p->y < page_height / 2.0)
        ;
    cairo.cairo_set_line_width(p->to, thin);
    cairo.cairo_move_to(p->to, margin, p->y - p->height / 2);
    cairo.cairo_line_to(p->to, p->width - margin, p->y - p->height / 2);
    cairo.cairo_stroke(p->to);
    p->y += p->height / 2;
    set_font(p, WEIGHT_NORMAL);
}

static void put_row(rocpd_pdf_t *p, const char **texts, const char **of_head)
{
    for (int i = 0; i < p->columns; i++)
        texts[i] = p->cells[i] ? p->cells[i] : "";
    do {
        if (!p->page || is_full(p)) begin_page(p, of_head);
    } while (put_line(p, texts));
}

void rocpd_pdf_cell(rocpd_pdf_t *p, int column, const char *text)
{
    char **to = p->rows ? &p->cells[column] : &p->head[column];
    free(*to);
    *to = strdup(text);
    p->no_memory |= !*to;
}

void rocpd_pdf_row(rocpd_pdf_t *p)
{
    const char **texts = p->rows++ ? calloc(2 * (size_t)p->columns + 1, sizeof(*texts)) : NULL;
    if (p->rows == 1) return;
    if (texts)
        put_row(p, texts, texts + p->columns);
    else
        p->no_memory = true;
    free(texts);
}

bool rocpd_pdf_end(rocpd_pdf_t *p)
{
    if (p->page) cairo.cairo_show_page(p->to);
    cairo.cairo_surface_finish(p->surface);
    const char *trouble = trouble_of(p);
    if (trouble) base_error("PDF: %s", trouble);
    release(p);
    return !trouble;
}
