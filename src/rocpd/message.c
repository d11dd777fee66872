/* message.c - see message.h. */
#include "rocpd/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Returns the length of the text at the beginning of `json`, if the text has no escapes; -1 if it
 * has. */
static long plain_length(const char *json)
{
    const unsigned char *at = (const unsigned char *)json;
    while (*at >= ' ' && *at != '"' && *at != '\\')
        at++;
    return strcmp((const char *)at, "\"}") == 0 ? (long)(at - (const unsigned char *)json) : -1;
}

/* Keeps a text of `bytes` bytes. Returns NULL if there is no memory. */
static const char *keep(rocpd_message_t *m, const char *text, size_t bytes)
{
    if (!BASE_RESERVE(m->text, bytes + 1, &m->room)) return NULL;
    memcpy(m->text, text, bytes);
    m->text[bytes] = 0;
    return m->text;
}

bool rocpd_message(rocpd_message_t *m, const db_t *db, const db_cursor_t *row, int column,
                   const char **text)
{
    static const char begin[] = "{\"message\":\"";
    const char *json = db_text(row, column);
    *text = NULL;
    if (db_null(row, column) || strcmp(json, "{}") == 0) return true;
    const char *inside = json + sizeof(begin) - 1;
    const long length = strncmp(json, begin, sizeof(begin) - 1) == 0 ? plain_length(inside) : -1;
    if (length >= 0) return (*text = keep(m, inside, (size_t)length)) != NULL;
    if (m->extract.s)
        db_again(&m->extract, "t", json);
    else
        db_rows(&m->extract, db, "SELECT JSON_EXTRACT(?, '$.message')", "t", json);
    if (!db_next(&m->extract)) return false;
    if (!db_null(&m->extract, 0)) *text = db_text(&m->extract, 0);
    return true;
}

int rocpd_message_end(rocpd_message_t *m, const char *what)
{
    free(m->text);
    return db_end(&m->extract, what);
}
