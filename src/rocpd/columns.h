/* columns.h - the columns of records that store.c reads.
 *
 * Each table is an X-macro, from which both the order of a row's columns and the argument of
 * db_records() are made. */
#ifndef CROCPROF_ROCPD_COLUMNS_H
#define CROCPROF_ROCPD_COLUMNS_H

#include "db/db.h"

/* X(id, column) for columns with whole numbers */
#define ROCPD_EVENT_COLUMNS(X) X(STACK, "stack_id") X(CATEGORY, "category_id")

#define ROCPD_CALL_COLUMNS(X) X(TID, "tid") X(START, "start") X(END, "end") X(NAME, "name_id")
/* more of the event; its last column is extdata, a text */
#define ROCPD_CALL_EVENT_COLUMNS(X) X(PARENT, "parent_stack_id") X(CORRELATION, "correlation_id")

#define ROCPD_KERNEL_COLUMNS(X)                                                                    \
    X(TID, "tid")                                                                                  \
    X(START, "start")                                                                              \
    X(END, "end")                                                                                  \
    X(AGENT, "agent_id")                                                                           \
    X(QUEUE, "queue_id")                                                                           \
    X(KERNEL, "kernel_id")                                                                         \
    X(DISPATCH, "dispatch_id")                                                                     \
    X(STREAM, "stream_id")                                                                         \
    X(PRIVATE, "private_segment_size")                                                             \
    X(GROUP, "group_segment_size")                                                                 \
    X(WORKGROUP_X, "workgroup_size_x")                                                             \
    X(WORKGROUP_Y, "workgroup_size_y")                                                             \
    X(WORKGROUP_Z, "workgroup_size_z")                                                             \
    X(GRID_X, "grid_size_x")                                                                       \
    X(GRID_Y, "grid_size_y")                                                                       \
    X(GRID_Z, "grid_size_z")                                                                       \
    X(RANGE, "region_name_id")

#define ROCPD_COPY_COLUMNS(X)                                                                      \
    X(TID, "tid")                                                                                  \
    X(START, "start")                                                                              \
    X(END, "end")                                                                                  \
    X(SOURCE, "src_agent_id")                                                                      \
    X(DESTINATION, "dst_agent_id")                                                                 \
    X(SIZE, "size")                                                                                \
    X(SOURCE_ADDRESS, "src_address")                                                               \
    X(DESTINATION_ADDRESS, "dst_address")                                                          \
    X(STREAM, "stream_id")                                                                         \
    X(NAME, "name_id")

/* Older schemas do not have these. */
#define ROCPD_NODE_COLUMNS(X) X(GRAPH, "graph_exec_id") X(NODE, "graph_node_id")

/* The columns of a row: a record's own, then its event's. */
#define ROCPD_OWN(name)      name##_GUID, name##_EVENT
#define ROCPD_OF_EVENT(name) name##_EVENT_GUID

/* Calls and ranges, in the order of their events. */
enum {
#define X(id, column) CALL_##id,
    ROCPD_OWN(CALL),
    ROCPD_CALL_COLUMNS(X) ROCPD_OF_EVENT(CALL),
    ROCPD_EVENT_COLUMNS(X) ROCPD_CALL_EVENT_COLUMNS(X) CALL_EXTDATA
#undef X
};
extern const db_records_t rocpd_calls;

/* Kernels, in the order of their events. */
enum {
#define X(id, column) KERNEL_##id,
    ROCPD_OWN(KERNEL),
    ROCPD_KERNEL_COLUMNS(X) ROCPD_NODE_COLUMNS(X) ROCPD_OF_EVENT(KERNEL),
    ROCPD_EVENT_COLUMNS(X)
#undef X
};
extern const db_records_t rocpd_kernels;

enum {
#define X(id, column) COPY_##id,
    ROCPD_OWN(COPY),
    ROCPD_COPY_COLUMNS(X) ROCPD_NODE_COLUMNS(X) ROCPD_OF_EVENT(COPY),
    ROCPD_EVENT_COLUMNS(X)
#undef X
};
extern const db_records_t rocpd_copies;

#endif
