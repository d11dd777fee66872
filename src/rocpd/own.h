/* own.h - views over the tables that rocprofv3 adds to AMD's schema.
 *
 * These tables may be missing in a database, and databases of other versions have other columns,
 * while AMD's views are the same in all databases that are read together. */
#ifndef CROCPROF_ROCPD_OWN_H
#define CROCPROF_ROCPD_OWN_H

#include "db/db.h"
#include "output/own_tables.h"

/* All columns that a table has in at least one of the databases, with their types. */
typedef struct {
    char **names, **types;
    size_t count, type_count;
} rocpd_columns_t;

/* Adds the columns of a table or view of the database `part`; *any says whether it exists. Returns
 * false after reporting the reason. */
bool rocpd_columns_add(const db_t *db, rocpd_columns_t *c, const char *part, const char *name,
                       bool *any);
/* Adds a column unless it is in the list. Returns false without memory. */
bool rocpd_columns_put(rocpd_columns_t *c, const char *name, const char *type);
void rocpd_columns_free(rocpd_columns_t *c);

/* Appends a column's name and type in the form for CREATE TABLE. A type with characters other than
 * letters, digits and a few more is left out, since it comes from a file and SQLite needs no
 * type. */
void rocpd_column_define(sqlite3_str *sql, const char *name, const char *type);

/* Returns whether the text of a view is that in this program's own schema. */
bool rocpd_is_own_view(const char *sql);

/* The names of the tables. ORDER: out_own_table_t. */
extern const char *const rocpd_own_names[OUT_OWN_COUNT];

/* Makes temporary views over crocprof's own tables in db0, one for each table of which `columns`
 * names some columns: the view has those columns. If db0 lacks the table, the view has no rows.
 * Returns 0, or -1 after reporting the reason. */
int rocpd_own_views(const db_t *db, const rocpd_columns_t columns[OUT_OWN_COUNT]);

/* Makes views in the main database over its tables, whose names end with their runs' ids. */
int rocpd_own_merge(const db_t *db);

/* Returns the text of such a view over the `count` tables, all of which have the columns of the
 * main database's table `like`; to be freed with sqlite3_free(). NULL after reporting the
 * reason. */
char *rocpd_own_text(const db_t *db, const char *name, const char *like, const char *const *tables,
                     size_t count);

/* Appends the text before the SELECT of part `number` of the `count` parts that a view unites; for
 * `number` equal to `count`, the text after the last part. SQLite unites a limited number of parts
 * at a time, so a large number is united in groups of some hundred parts. */
void rocpd_unite(sqlite3_str *sql, size_t number, size_t count);

/* Begins the list of the tables in the main database whose names are this name and a run's id. */
void rocpd_tables_of(const db_t *db, db_cursor_t *c, const char *name);

#endif
