/* texts.c - see texts.h. A text that is NULL counts as "", as in the other rooms. */
#include "rocpd/texts.h"

#include <errno.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"

int rocpd_texts_read(rocpd_texts_t *t, const db_t *db, const char *guid)
{
    bool room = true;
    db_cursor_t c;
    *t = (rocpd_texts_t){0};
    db_rows(&c, db, "SELECT id, string FROM rocpd_string WHERE guid = ?", "t", guid);
    while (room && db_next(&c)) {
        char *text = strdup(db_text(&c, 1));
        room = text && BASE_GROW(t->rows, t->count, &t->room);
        if (room)
            t->rows[t->count++] = text;
        else
            free(text);
        if (room && !out_numbers_get(&t->places, db_uint(&c, 0)))
            room = out_numbers_set(&t->places, db_uint(&c, 0), t->count);
    }
    if (!room) base_error("reading texts: %s", strerror(ENOMEM));
    return db_end(&c, "reading texts") == 0 && room ? 0 : -1;
}

void rocpd_texts_free(rocpd_texts_t *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->rows[i]);
    free(t->rows);
    free(t->places.rows);
    *t = (rocpd_texts_t){0};
}
