/* table.c - see table.h. */
#include "base/table.h"

static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void base_column_fit(base_column_t *column, const char *text)
{
    const size_t width = width_of(text);
    if (width > column->width) column->width = width;
}

static void pad(size_t count, void (*put)(void *to, const char *text), void *to)
{
    static const char blanks[] = "                                ";
    const size_t most = sizeof blanks - 1;
    for (; count > most; count -= most)
        put(to, blanks);
    put(to, blanks + most - count);
}

void base_table_line(const base_column_t *columns, size_t count, const char *const *cells,
                     const base_frame_t *frame, void (*put)(void *to, const char *text), void *to)
{
    put(to, frame->before);
    for (size_t i = 0; i < count; i++) {
        const size_t width = width_of(cells[i]);
        const size_t gap = columns[i].width > width ? columns[i].width - width : 0;
        const size_t before = columns[i].align == BASE_RIGHT    ? gap
                              : columns[i].align == BASE_CENTRE ? gap / 2
                                                                : 0;
        if (i) put(to, frame->between);
        pad(before, put, to);
        put(to, cells[i]);
        if (i + 1 < count || *frame->after) pad(gap - before, put, to);
    }
    put(to, frame->after);
}
