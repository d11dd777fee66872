/* base.h - opens the databases that a command reads, either as one or one after another.
 *
 * No connection has more than one file. A single database is read where it is. Of several, each is
 * opened by itself: code that sums records opens the files in turn (rocpd_each()), or goes from
 * process to process (rocpd_narrow()). For statements about all files at once there is a temporary
 * database, whose tables have the rows of all files: a table is filled, from one file after
 * another, when a statement first reads it. Temporary views, named as in AMD's schema, show only
 * the rows of a window; the schema's own views, taken from the first file, read these. So databases
 * of all versions of the schema can be read. */
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
    bool made;  /* false: it was refused with a warning */
} rocpd_view_t;

/* A process, and the file that contains it. */
typedef struct {
    char *guid;
    size_t file;
    bool alone; /* there is no other process in that file */
    uint32_t pid;
    uint64_t begin, end; /* in ns */
    trace_clock_facts_t clock;
} rocpd_place_t;

typedef struct {
    db_t db; /* all files */
    const rocpd_files_t *files;
    rocpd_window_t window;
    rocpd_view_t *views;
    size_t view_count;
    rocpd_columns_t own[OUT_OWN_COUNT];
    char *version;    /* version of the first file's schema */
    bool any_version; /* rocpd_use() returns ROCPD_OTHER_VERSION without a message */
    const char *time; /* SQL function that converts times, or NULL */
    /* The following members are used only for several files. */
    db_late_t late;
    rocpd_place_t *places; /* sorted by guid; NULL until they are needed */
    size_t place_count;
    bool placed;
    db_t one; /* the file of the process that rocpd_narrow() has chosen; its handle may be NULL */
    size_t one_file;
    bool one_whole; /* that file has the views above those of single tables, too */
} rocpd_base_t;

/* Opens all databases as one, whose views show only the window of the options. The files' names
 * must stay valid, and `b` must not move, until it is closed. Returns 0, or -1 after reporting the
 * reason, and then there is nothing to close. */
int rocpd_open(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o);
/* The same if it is known that `alike`, some of the files of which the first is the first of all,
 * have all tables and columns that any file has, and that all files have the same version of the
 * schema. */
int rocpd_open_alike(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_files_t *alike,
                     const rocpd_options_t *o);
void rocpd_close(rocpd_base_t *b);

/* For commands that read one file after another, or by several processes, and never all at once:
 * opens only the first file. Of the functions below only rocpd_use() may be called for such a
 * base. */
int rocpd_open_apart(rocpd_base_t *b, const rocpd_files_t *f, const rocpd_options_t *o);

/* Opens one of the files alone, with the views of the first file, and calls `use`. If the file has
 * the tables of several processes (rocpd merge), it calls `use` for one process after the other,
 * since a join of united tables takes as many steps for each row as there are tables. Returns the
 * first result of `use` that is not 0; -1 after reporting the reason if the file cannot be opened
 * or has another version of the schema. With `bare`, temporary views may be missing if the file's
 * own views have the same text, since making them takes longer than reading a small file. */
enum { ROCPD_OTHER_VERSION = 2 };
int rocpd_use(const rocpd_base_t *b, size_t file, bool bare, int (*use)(const db_t *db, void *data),
              void *data);

/* What rocpd_each() opens: files in the order of the command line, with the views of single tables,
 * or also with those above them; or files in the order of the guids of their processes. If the
 * guids of several files interleave, each process is opened by itself. */
typedef enum { ROCPD_TABLES, ROCPD_VIEWS, ROCPD_VIEWS_BY_GUID, ROCPD_TABLES_BY_GUID } rocpd_kind_t;

/* Calls `use` for each of the files, opened alone, until a call returns something else than 0, and
 * returns that; returns -1 after reporting the reason if a file cannot be opened. With several
 * files, no other function of this file may be called meanwhile, except for statements on b->db. */
int rocpd_each(rocpd_base_t *b, rocpd_kind_t kind, int (*use)(const db_t *db, void *data),
               void *data);

/* Returns the database whose views of single tables show only the rows of one process, so that
 * statements about it take no longer if there are many processes. It is valid until the next call;
 * no statement may be running on the one before. Returns NULL after reporting the reason. */
const db_t *rocpd_narrow(rocpd_base_t *b, const char *guid);

/* Opens one of several files by itself, with the views of single tables. Any thread may call this.
 * Returns 0, or -1 after reporting the reason. */
int rocpd_open_one(const rocpd_base_t *b, size_t file, db_t *db);

/* For commands that read all of several files anyway: between begin and end the small tables (not
 * those of records) are filled from each file in turn, so that no statement has to open the files
 * for them. Each returns 0, or -1 after reporting the reason; `good` says that all files were
 * added. */
int rocpd_begin_small(rocpd_base_t *b);
int rocpd_add_small(rocpd_base_t *b, const db_t *from);
int rocpd_end_small(rocpd_base_t *b, bool good);

/* For processes on several nodes: makes the tables show the times of one clock. To be called before
 * any statement has run. `time` is the SQL function that converts a time, and takes a guid before
 * it. Returns 0, or -1 after reporting the reason. */
int rocpd_change_times(rocpd_base_t *b, const char *time);

/* Closes the file that rocpd_narrow() has opened. If there are several files, this has to be called
 * before a fork if the child is to call rocpd_narrow(), too. */
void rocpd_let_go(rocpd_base_t *b);

/* Finds the processes of several files, sorted by guid: b->places. Returns 0, or -1 after reporting
 * the reason. */
int rocpd_find_places(rocpd_base_t *b);

/* Returns the first entry of the guid; NULL if there is none. To be called after
 * rocpd_find_places(). */
const rocpd_place_t *rocpd_find_place(const rocpd_base_t *b, const char *guid);

/* Returns the path of the file that contains a process. */
const char *rocpd_file_of(const rocpd_base_t *b, const char *guid);

/* Writes the path of an output, --output-path/<name>, to `path`: keys are replaced and the
 * directory is made. Returns 0, or -1 after reporting the reason. */
int rocpd_output(const rocpd_options_t *o, const char *name, char *path, size_t bytes);

#endif
