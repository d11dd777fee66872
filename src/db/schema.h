/* schema.h - tables and columns that some databases lack, because an older version or AMD's tools
 * have written them.
 *
 * There is one row for each; code that reads such a table or column first calls db_holds(). */
#ifndef CROCPROF_DB_SCHEMA_H
#define CROCPROF_DB_SCHEMA_H

#include "db/db.h"

/* X(id, view, column) */
#define DB_PARTS(X)                                                                                \
    /* not in the first version of the schema */                                                   \
    X(SAMPLES, "rocpd_pmc_event", "sample_id") /* NULL: a value of a dispatch */                   \
    X(GRAPHS, "rocpd_graph_launch", "guid")                                                        \
    /* crocprof's own: not in AMD's databases */                                                   \
    X(HIP_EVENTS, "rocpd_hip_event", "guid")                                                       \
    X(INSTRUCTIONS, "crocprof_instruction", "kernel_id")                                           \
    X(COUNTED, "crocprof_counted", "kernel_id")                                                    \
    X(SOURCES, "crocprof_source", "path")                                                          \
    /* nor in those of older versions of crocprof */                                               \
    X(CODE_FACTS, "crocprof_kernel_code", "vgpr_spills")                                           \
    X(WAVE_ITEMS, "crocprof_kernel_code", "wave_items")                                            \
    X(INLINED, "crocprof_instruction", "inlined")                                                  \
    X(USER_LINES, "crocprof_instruction", "user_line")                                             \
    X(LINES_NEEDED, "crocprof_instruction", "lines")

typedef enum {
#define X(id, view, column) DB_##id,
    DB_PARTS(X)
#undef X
} db_part_t;

/* Returns whether at least one of the databases has this table or column. */
bool db_holds(const db_t *db, db_part_t part);

/* SQL columns of K, a row of rocpd_info_kernel_symbol: how the kernel was compiled, as its further
 * facts say. Both are 0 or NULL in databases of AMD's tools and of older versions of crocprof; the
 * size of waves is also 0 if it is one that no wave has. */
#define DB_KERNEL_FACT(name) "iif(json_valid(K.extdata), json_extract(K.extdata, '$." name "'), 0)"
#define DB_KERNEL_WAVES                                                                            \
    "iif(" DB_KERNEL_FACT("wave_size") " IN (32, 64), " DB_KERNEL_FACT(                            \
        "wave_size") ", 0) AS wave, " DB_KERNEL_FACT("wgp_mode") " AS wgp "

/* Returns an SQL condition that is true for the rows of rocpd_pmc_event that are values of
 * dispatches. */
const char *db_values_of_dispatches(const db_t *db);

/* The view of a merged database whose runs share one set of tables: rocpd_metadata with the guid of
 * the process that each row is of. */
#define DB_SHARED_METADATA "crocprof_metadata"

/* Returns whether the file is such a database. */
bool db_shares_tables(const db_t *db);

/* Begins the rows of a process's metadata: tag and value. There are none if the file does not say
 * of which process they are. */
void db_metadata(db_cursor_t *c, const db_t *db, const char *guid);

/* Writes the name by which statements can read a process's own table for this view. Returns false
 * if it is too long. */
enum { DB_TABLE_BYTES = 256 };
bool db_own_table(const db_t *db, const char *view, const char *guid, char table[DB_TABLE_BYTES]);
/* Returns whether the file has a table with this process's metadata alone, and writes its name. */
bool db_own_metadata(const db_t *db, const char *guid, char table[DB_TABLE_BYTES]);

#endif
