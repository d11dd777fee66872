/* message.h - the text of a marker, which is in a JSON object of its event.
 *
 * Mostly there is no such text, or the object has no other member; SQLite parses only the other
 * objects. */
#ifndef CROCPROF_ROCPD_MESSAGE_H
#define CROCPROF_ROCPD_MESSAGE_H

#include "db/db.h"

/* Must be all zero at the beginning. */
typedef struct {
    db_cursor_t extract;
    char *text;
    size_t room;
} rocpd_message_t;

/* Finds the member "message" in column `column` of the row: *text, which lasts until the next call,
 * or NULL. Returns false if the column has no JSON, or without memory; rocpd_message_end() reports
 * the reason. */
bool rocpd_message(rocpd_message_t *m, const db_t *db, const db_cursor_t *row, int column,
                   const char **text);

/* Returns 0, or -1 if a text could not be found, after reporting the reason; `what` names the
 * attempt in the message. */
int rocpd_message_end(rocpd_message_t *m, const char *what);

#endif
