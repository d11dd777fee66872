/* guard.h - protection against databases from others, whose schema may contain any SQL.
 *
 * Every connection to such a file needs this. No SQL text from a file is executed, except its
 * views, and of each only the one statement that makes the view. */
#ifndef CROCPROF_ROCPD_GUARD_H
#define CROCPROF_ROCPD_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

/* "file:<path>?<query>", with every byte of the path that is special in a URI encoded; to be freed
 * with sqlite3_free(). NULL: no memory. */
char *rocpd_uri(const char *path, const char *query);

/* Attaches the file read-only, under the name. 0, or -1 with the reason told. */
int rocpd_attach(sqlite3 *db, const char *path, const char *name);

/* Prepares a connection for such files: SQLite does not trust their schemas, and limits are low. */
void rocpd_guard(sqlite3 *db);

/* From now on statements of the connection can attach and detach nothing, and change only its own
 * database, main, and its temporary one. */
void rocpd_guard_reading(sqlite3 *db);

/* Makes a view from a file's text, "CREATE VIEW …", in temp or (if not `temporary`) in main. The
 * text must be a single statement that makes a view of this name and does nothing else. Returns
 * whether the view was made; if not, a warning says why. */
bool rocpd_guard_view(sqlite3 *db, const char *name, const char *sql, bool temporary);

/* A text from a file as error messages show it: without control characters, and cut. */
void rocpd_guard_shown(const char *text, char shown[64]);

#endif
