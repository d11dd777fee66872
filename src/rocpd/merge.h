/* merge.h - what the files of rocpd merge share: merge.c copies by SQL, merge_pages.c by pages,
 * merge_rows.c by rows, of which merge_source.c reads them, to tables that all runs share;
 * merge_views.c makes the views over tables that were copied. */
#ifndef CROCPROF_ROCPD_MERGE_H
#define CROCPROF_ROCPD_MERGE_H

#include "db/pages.h"
#include "rocpd/files.h"

/* Returns a statement that makes a table with the columns of the table in the database `part`,
 * without using the file's SQL; to be freed with sqlite3_free(). Returns NULL after reporting the
 * reason. */
char *rocpd_table_like(const db_t *db, const char *part, const char *name);

/* Returns whether this is a table whose rows are looked up by their event, too, with or without a
 * run's id in its name: if it has the column event_id, it gets an index by that. Any text
 * behind a '_' is taken for a run's id, and capital letters are equal to small ones, as in SQLite's
 * names: an index that nobody needs costs little. */
bool rocpd_is_by_event(const char *table);

/* Warns that times are copied unchanged, if there are several nodes, which have different clocks.
 */
void rocpd_merge_tell_clocks(size_t nodes);

/* Calls `each` with name and SQL of each row of the query until it returns another number than 0,
 * which is returned; -1 after reporting the reason if the query fails. */
typedef int (*rocpd_merge_each_t)(db_t *db, const char *name, const char *sql, const char *what);
int rocpd_merge_each(db_t *db, const char *query, rocpd_merge_each_t each, const char *what);

typedef enum {
    ROCPD_MERGE_FAILED = -1, /* and the reason was reported */
    ROCPD_MERGE_NOTHING,     /* one database has to be copied otherwise; the file is still empty */
    ROCPD_MERGE_TABLES,      /* indexes by event and views are missing */
    ROCPD_MERGE_ALL,         /* and the user was told of clocks */
} rocpd_merged_t;

/* Copies the tables of all databases by their pages into the empty file `path`, and makes the views
 * if all databases are as usual. *shared becomes true if in at least one of the databases several
 * runs have one set of tables; else false. */
rocpd_merged_t rocpd_merge_pages(const rocpd_files_t *f, const rocpd_options_t *o, const char *path,
                                 bool *shared);

/* A table, or an index by event, of a database whose pages are copied. */
typedef struct {
    db_tree_t from;
    uint32_t to; /* new number of the root: counted from the first page of the file's range, and
                  * later in the whole, from 1 */
    char *name, *sql;
} rocpd_tree_t;

/* Makes the views that the database `path` has over the tables of the main database, which are
 * copies of those of several databases; `shared`: the views of single tables are there. Returns 0,
 * or -1 after reporting the reason. */
int rocpd_merge_views(db_t *db, const char *path, bool shared);

typedef struct {
    char *name, *sql;
} rocpd_merge_view_t;

typedef struct {
    rocpd_merge_view_t *rows; /* in the order in which rocpd_merge_views() would make them */
    size_t count;
} rocpd_views_t;

/* Lists the same views for tables that need not be in any database yet. Of tables that differ only
 * in their names, SQLite sees one: so SQLite's time does not depend on how many there are. `tables`
 * are those of all databases, in their order. Returns 0; 1 if rocpd_merge_views() has to make the
 * views, as tables or views are unusual; -1 after reporting the reason. If not 0, some may be
 * listed that are of no use. To be freed by rocpd_views_free() in each case. */
int rocpd_views_list(rocpd_views_t *v, const char *path, const rocpd_tree_t *const *tables,
                     size_t count);
void rocpd_views_free(rocpd_views_t *v);

/* Copies the rows of all databases to tables that all of them share, in the empty main database of
 * the connection, and makes views with the tables' names without ids. Returns 0, or -1 after
 * reporting the reason. */
int rocpd_merge_rows(const rocpd_files_t *f, const rocpd_options_t *o, const db_t *db);

/* For merge_rows.c: calls `use` for each table of a database whose rows are copied, with the name
 * of the view that shows it and its rows. `use` returns 0, or -1 after reporting the reason, which
 * ends the work; it need not read all rows, and does not end them. With `tell`, warnings name the
 * views and tables that are left out. Returns 0, or -1 after reporting the reason. */
typedef int (*rocpd_merge_use_t)(void *data, const char *view, db_cursor_t *rows);
int rocpd_merge_source(const char *path, bool tell, rocpd_merge_use_t use, void *data);

#endif
