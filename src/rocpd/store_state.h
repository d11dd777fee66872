/* store_state.h - the state while a process's rows are written as a store, and the functions that
 * store.c and store_work.c share.
 *
 * Only these two files include it; other files include store.h. */
#ifndef CROCPROF_ROCPD_STORE_STATE_H
#define CROCPROF_ROCPD_STORE_STATE_H

#include <stdbool.h>

#include "model/numbers.h"
#include "rocpd/message.h"
#include "rocpd/store.h"
#include "rocpd/texts.h"
#include "trace/format.h"
#include "trace/writer.h"

typedef struct {
    const db_t *db;
    rocpd_process_t *p;
    trace_writer_t *meta, *records;
    rocpd_texts_t names;
    rocpd_message_t message;
    out_numbers_t agents;     /* by id: handle + 1 */
    out_numbers_t operations; /* by kind and id of the name: number of the operation + 1 */
    uint32_t operation_counts[TRACE_KIND_MAX + 1];
    bool too_many; /* it was reported that a kind has more operations than a record can
                    * distinguish */
    bool kind_written[TRACE_KIND_MAX + 1];
    uint32_t last; /* kind of the last row, since the next row mostly has the same */
    uint64_t texts;
    out_numbers_t ranges; /* texts of ranges, by their ids */
    bool rename, failed;
} rocpd_store_t;

/* ---- rows ---- */

/* Begins a statement about the process, whose only parameter is the process's guid; after a failure
 * it has no rows. */
void rocpd_store_begin(rocpd_store_t *s, db_cursor_t *rows, const char *sql);
/* The same for records. */
void rocpd_store_begin_records(rocpd_store_t *s, db_cursor_t *rows, const db_records_t *which);
bool rocpd_store_next(const rocpd_store_t *s, db_cursor_t *rows);
void rocpd_store_finish(rocpd_store_t *s, db_cursor_t *rows);

/* Rows that are read in parallel with those of another statement. The rows of both are in the order
 * of events. */
typedef struct {
    db_cursor_t rows;
    bool more;
} rocpd_beside_t;

void rocpd_store_begin_beside(rocpd_store_t *s, rocpd_beside_t *b, const char *sql);
/* Returns true while the next row, whose column 0 is the id of an event, belongs to this event. */
bool rocpd_store_belongs(rocpd_store_t *s, rocpd_beside_t *b, uint64_t event);

/* SQL that joins a row with its event, E, and with the name of the event's category. Rows for which
 * one of the two is missing are left out, as in the schema's own views. */
#define ROCPD_EVENT_OF(row)                                                                        \
    "JOIN rocpd_event E ON E.id = " row ".event_id AND E.guid = " row ".guid JOIN rocpd_string C " \
    "ON C.id = E.category_id AND C.guid = E.guid "

/* ---- records ---- */

/* Puts the record after converting its times to the clock that all processes of the conversion
 * share. */
void rocpd_store_put(rocpd_store_t *s, const void *record, size_t bytes, const void *rest,
                     size_t more);
void rocpd_store_put_name(rocpd_store_t *s, trace_head_t head, const char *name);
/* Puts the name of a kind when it is needed for the first time. */
void rocpd_store_put_kind(rocpd_store_t *s, uint32_t kind);

/* Returns the number of an operation, by the id of its name, which is put when it is needed for the
 * first time. Operations of each kind are numbered in this order, except for functions of MPI,
 * which have fixed numbers. */
enum { ROCPD_NO_OPERATION = UINT32_MAX };
uint32_t rocpd_store_operation(rocpd_store_t *s, uint32_t kind, uint64_t name_id, const char *name,
                               bool *first);

/* Returns the number of the range after which a kernel is named; 0 if kernels keep their names. */
uint64_t rocpd_store_range(rocpd_store_t *s, uint64_t text_id, const char *value);
/* Returns the handle of the agent whose id is in the column; the id plus 1 if no agent has the id;
 * 0 for NULL. */
uint64_t rocpd_store_agent(const rocpd_store_t *s, const db_cursor_t *rows, int column);

/* ---- in store_work.c ---- */

/* Writes kernels, copies, memory, graphs and events. */
void rocpd_store_write_work(rocpd_store_t *s);

#endif
