/* gather_columns.h - the columns of records that gather_part.c reads, in the order in which rows
 * have them. */
#ifndef CROCPROF_RESULTS_GATHER_COLUMNS_H
#define CROCPROF_RESULTS_GATHER_COLUMNS_H

#include "db/db.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
/* the first columns of each record */
#define OWN {.name = "guid", .text = true}, {.name = "event_id"},

/* ---- kernels ---- */

enum {
    LAUNCH_KERNEL = DB_RECORD_REST,
    LAUNCH_AGENT,
    LAUNCH_STREAM,
    LAUNCH_LDS,
    LAUNCH_SCRATCH,
    LAUNCH_WORKGROUP,
    LAUNCH_GRID = LAUNCH_WORKGROUP + 3,
    LAUNCH_START = LAUNCH_GRID + 3,
    LAUNCH_END
};
static const db_wanted_t launch_columns[] = {OWN{.name = "kernel_id"},
                                             {.name = "agent_id"},
                                             {.name = "stream_id"},
                                             {.name = "group_segment_size"},
                                             {.name = "private_segment_size"},
                                             {.name = "workgroup_size_x"},
                                             {.name = "workgroup_size_y"},
                                             {.name = "workgroup_size_z"},
                                             {.name = "grid_size_x"},
                                             {.name = "grid_size_y"},
                                             {.name = "grid_size_z"},
                                             {.name = "start"},
                                             {.name = "end"}};
static const db_records_t gather_launches = {
    "rocpd_kernel_dispatch", launch_columns, NULL, COUNT(launch_columns), 0, .alone = true};

/* ---- copies ---- */

enum {
    MOVE_START = DB_RECORD_REST,
    MOVE_END,
    MOVE_NAME,
    MOVE_SOURCE,
    MOVE_DESTINATION,
    MOVE_SIZE,
    MOVE_STREAM
};
static const db_wanted_t copy_columns[] = {
    OWN{.name = "start"},     {.name = "end"},  {.name = "name_id"},  {.name = "src_agent_id"},
    {.name = "dst_agent_id"}, {.name = "size"}, {.name = "stream_id"}};
static const db_records_t gather_copies = {
    "rocpd_memory_copy", copy_columns, NULL, COUNT(copy_columns), 0, .alone = true};

/* ---- calls, with a category and a text of their events ---- */

enum { CALL_NAME = DB_RECORD_REST, CALL_START, CALL_END, CALL_COLUMNS };
enum { CALL_CATEGORY = CALL_COLUMNS + 1, CALL_EXTDATA };
static const db_wanted_t call_columns[] = {
    OWN{.name = "name_id"}, {.name = "start"}, {.name = "end"}};
static const db_wanted_t call_event_columns[] = {
    {.name = "guid", .text = true}, {.name = "category_id"}, {.name = "extdata", .text = true}};
static const db_records_t gather_calls_alone = {
    "rocpd_region", call_columns, call_event_columns, CALL_COLUMNS, 2, .alone = true};
static const db_records_t gather_calls_with_texts = {
    "rocpd_region", call_columns, call_event_columns, CALL_COLUMNS, 3, .alone = true};

#undef COUNT
#undef OWN

#endif
