/* base.h - opens the databases that a command reads, as one or one after another.
 *
 * No connection has more than one file. A single database is read where it is. Of several, each is
 * opened by itself, and whoever sums up records visits them in turn (rocpd_each()), or goes from
 * process to process (rocpd_narrow()). For statements about all of them at once there is a
 * temporary database, whose tables have the rows of all files: a table is filled, from one file
 * after another, when a statement first reads it.
 * Temporary views, named as in AMD's schema, show the rows of a window alone; above them are the
 * schema's own views, taken from the first file. So databases of all versions of the schema can be
 * read. */
#ifndef CROCPROF_ROCPD_BASE_H
#define CROCPROF_ROCPD_BASE_H

#include "db/db.h"
#include "db/schema.h"
#include "rocpd/files.h"
#include "rocpd/own.h"
#include "rocpd/window.h"
#include "trace/clocks.h"

/* A view of the first file. */
typedef struct {
    char *name, *sql;
    bool plain; /* it shows a single table */
    bool made;  /* if not, it was left out with a warning */
} rocpd_view_t;

/* A process, and the file that it is in. */
typedef struct {
    char *guid;
    size_t file;
    bool alone; /* there is no other process in that file */
    uint32_t pid;
    uint64_t begin, end; /* ns */
    trace_clock_facts_t clock;
} rocpd_place_t;

typedef struct {
    db_t db; /* all files */
    const rocpd_files_t *files;
    rocpd_window_t window;
    rocpd_view_t *views;
    size_t view_count;
    rocpd_columns_t own[OUT_OWN_COUNT];
    char *version;    /* of the schema, of the first file */
    bool any_version; /* rocpd_use() returns ROCPD_OTHER_VERSION without a word */
    const char *time; /* SQL function by which times are changed, or NULL */
    /* The following are only of several files. */
    db_late_t late;
    rocpd_place_t *places; /* sorted by guid, once they are needed */
    size_t place_count;
    bool placed;
    db_t one; /* the file of the process that rocpd_narrow() has chosen; its handle may be NULL */
    size_t one_file;
    bool one_whole; /* it has the views above those of single tables, too */
} rocpd_base_t;

/* Opens all databases as one, whose views show only the window of the options. The files' names
 * must stay, and `b` where it is, until it is closed. 0, or -1 with the reason told and nothing to
 * close. */
int rocpd_open(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o);
/* The same if it is known that some of the files, the first of all first, have all tables and
 * columns that any file has, and that all have one version of the schema. */
int rocpd_open_alike(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_files_t *alike,
                     const rocpd_options_t *o);
void rocpd_close(rocpd_base_t *b);

/* For those who read one file after another, or by several processes, and never ask about all at
 * once: opens the first file alone, and looks into no other. Of the functions below only
 * rocpd_use() is for such a base. */
int rocpd_open_apart(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o);

/* Calls back with one of the files, opened alone, whose views are those of the first file; of a
 * file with the tables of several processes (rocpd merge) with one process after the other, since
 * joins of tables that are united take as many steps for each row as there are tables. Returns what
 * the callback returns, the first time that this is not 0; -1 with the reason told if it cannot be
 * opened or has another version of the schema. `bare`: the temporary views, which take longer to
 * make than a small file to read, may be missing where the file's own views have the same text. */
enum { ROCPD_OTHER_VERSION = 2 };
int rocpd_use(const rocpd_base_t *b, size_t file, bool bare, int (*use)(const db_t *db, void *data),
              void *data);

/* What rocpd_each() opens: files in the order of the command line, with the views of single tables
 * and also with those above them; or in the order of the guids of their processes: where files
 * share processes of a guid in between, each process by itself. */
typedef enum { ROCPD_TABLES, ROCPD_VIEWS, ROCPD_VIEWS_BY_GUID, ROCPD_TABLES_BY_GUID } rocpd_kind_t;

/* Calls back with each of the files, opened alone, until a callback returns something else than 0;
 * returns that. -1 with the reason told if a file cannot be opened. Of several files, no other
 * function of this file may be called meanwhile but for statements on b->db. */
int rocpd_each(rocpd_base_t *b, rocpd_kind_t kind, int (*use)(const db_t *db, void *data),
               void *data);

/* The database whose views of single tables show only the rows of one process, so that statements
 * about it take no longer if there are many processes. It is valid until the next call; no
 * statement may be running on the one before. NULL with the reason told. */
const db_t *rocpd_narrow(rocpd_base_t *b, const char *guid);

/* Opens one of several files by itself, with the views of single tables. Any thread may. 0, or -1
 * with the reason told. */
int rocpd_open_one(const rocpd_base_t *b, size_t file, db_t *db);

/* For whoever visits all of several files anyway: between begin and end the small tables (of
 * things, not of records) are filled from each file in turn, so that no statement has to visit the
 * files for them. Each says 0, or -1 with the reason told; `good`: all files were added. */
int rocpd_begin_small(rocpd_base_t *b);
int rocpd_add_small(rocpd_base_t *b, const db_t *from);
int rocpd_end_small(rocpd_base_t *b, bool good);

/* Of processes on several nodes: makes the tables that statements see show one clock, before any
 * statement has run. `time`: the SQL function that changes a time, after a guid. 0, or -1 with the
 * reason told. */
int rocpd_change_times(rocpd_base_t *b, const char *time);

/* Closes what rocpd_narrow() has opened. To be called before a fork: then a child may call it, too,
 * if there are several files. */
void rocpd_let_go(rocpd_base_t *b);

/* Finds the processes of several files, sorted by guid: b->places. 0, or -1 with the reason told.
 */
int rocpd_find_places(rocpd_base_t *b);

/* The first place of the guid; NULL: there is none. After rocpd_find_places(). */
const rocpd_place_t *rocpd_find_place(const rocpd_base_t *b, const char *guid);

/* The path of the file that a process is in. */
const char *rocpd_file_of(const rocpd_base_t *b, const char *guid);

/* Writes the path of an output, --output-path/<name>, to `path`: keys are replaced and the
 * directory is made. 0, or -1 with the reason told. */
int rocpd_output(const rocpd_options_t *o, const char *name, char *path, size_t bytes);

#endif
