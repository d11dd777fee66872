/* guard.h - databases that others have made: how they are named, and what their own texts may do.
 *
 * Apart because every connection to such a file needs it. Nothing that stands in a file is executed
 * as a statement of ours, but the views that a user has made, each as the one statement that it is.
 */
#ifndef CROCPROF_ROCPD_GUARD_H
#define CROCPROF_ROCPD_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

/* "file:<path>?<query>", with every byte that means something in a URI encoded; to be freed with
 * sqlite3_free(). NULL: no memory. */
char *rocpd_uri(const char *path, const char *query);

/* Attaches the file for reading alone, under the name. 0, or -1 with the reason told. */
int rocpd_attach(sqlite3 *db, const char *path, const char *name);

/* A connection that is going to read such files: schemas are not trusted, limits are low. */
void rocpd_guard(sqlite3 *db);

/* From now on statements of the connection attach and detach nothing, change nothing but its own
 * database, main, and its temporary one, and views of a file do not recur. */
void rocpd_guard_reading(sqlite3 *db);

/* Makes the view whose text a file has: "CREATE VIEW …". `temporary`: in temp, else in main. Only
 * if the text is one statement that makes a view of this name and nothing else: whether it was;
 * what was wrong is told. */
bool rocpd_guard_view(sqlite3 *db, const char *name, const char *sql, bool temporary);

/* The name with which errors speak of a text of a file: no control characters, not too long. */
void rocpd_guard_shown(const char *text, char shown[64]);

#endif
