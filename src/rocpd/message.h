/* message.h - the text of a marker, which its event has in a JSON object.
 *
 * Mostly there is no such text, or the object has nothing else: SQLite parses the others. */
#ifndef CROCPROF_ROCPD_MESSAGE_H
#define CROCPROF_ROCPD_MESSAGE_H

#include "db/db.h"

/* Begins as zeros. */
typedef struct {
    db_cursor_t extract;
    char *text;
    size_t room;
} rocpd_message_t;

/* Finds what stands under "message" in column `column` of the row: *text, which lasts until the
 * next call, or NULL. False if the column has no JSON, or without memory; rocpd_message_end() tells
 * the reason. */
bool rocpd_message(rocpd_message_t *m, const db_t *db, const db_cursor_t *row, int column,
                   const char **text);

/* 0, or -1 if a text could not be found, with the reason told, in which `what` names what was
 * tried. */
int rocpd_message_end(rocpd_message_t *m, const char *what);

#endif
