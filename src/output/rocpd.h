/* rocpd.h - what the files of the database writer share: statements, texts, the writer.
 *
 * rocpd_schema.sql defines the tables. ROCPD_INSERTS has the columns of them that are filled; the
 * others have defaults. */
#ifndef CROCPROF_OUTPUT_ROCPD_H
#define CROCPROF_OUTPUT_ROCPD_H

#include <sqlite3.h>

#include "output/format.h"
#include "output/json.h"
#include "output/live.h"
#include "output/mpi_ends.h"
#include "model/numbers.h"

/* X(id, table, columns); values are bound in the order of the columns */
#define ROCPD_INSERTS(X)                                                                           \
    X(STRING, "string", "id, string")                                                              \
    X(NODE, "info_node",                                                                           \
      "id, hash, machine_id, system_name, hostname, release, version, hardware_name, domain_name") \
    X(PROCESS, "info_process",                                                                     \
      "id, nid, ppid, pid, init, fini, start, \"end\", command, environment, extdata")             \
    X(THREAD, "info_thread", "id, nid, ppid, pid, tid, name")                                      \
    X(AGENT, "info_agent",                                                                         \
      "id, nid, pid, type, absolute_index, logical_index, type_index, uuid, name, model_name, "    \
      "vendor_name, product_name, user_name, extdata")                                             \
    X(QUEUE, "info_queue", "id, nid, pid, name")                                                   \
    X(STREAM, "info_stream", "id, nid, pid, name")                                                 \
    X(PMC, "info_pmc",                                                                             \
      "id, nid, pid, agent_id, target_arch, name, symbol, description, component, value_type, "    \
      "block, expression, is_constant, is_derived, spm_support, extdata")                          \
    X(CODE_OBJECT, "info_code_object",                                                             \
      "id, nid, pid, agent_id, uri, load_base, load_size, load_delta, extdata")                    \
    X(KERNEL, "info_kernel_symbol",                                                                \
      "id, nid, pid, code_object_id, kernel_name, display_name, kernel_object, "                   \
      "kernarg_segment_size, kernarg_segment_alignment, group_segment_size, "                      \
      "private_segment_size, sgpr_count, arch_vgpr_count, accum_vgpr_count, extdata")              \
    X(TRACK, "track", "id, nid, pid, tid, name_id")                                                \
    X(EVENT, "event", "id, category_id, stack_id, parent_stack_id, correlation_id, extdata")       \
    X(ARG, "arg", "event_id, position, type, name, value")                                         \
    X(PMC_EVENT, "pmc_event", "event_id, pmc_id, value")                                           \
    X(PMC_SAMPLE, "pmc_event", "event_id, pmc_id, value, sample_id, xcc, shader_engine, instance") \
    X(REGION, "region", "id, nid, pid, tid, start, \"end\", name_id, event_id")                    \
    X(SAMPLE, "sample", "id, track_id, timestamp, event_id")                                       \
    X(PC_EVENT, "event", "id, category_id, stack_id, line_info, extdata")                          \
    X(PC_SAMPLE, "sample", "track_id, timestamp, event_id, extdata")                               \
    X(DISPATCH, "kernel_dispatch",                                                                 \
      "id, nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id, start, \"end\", " \
      "private_segment_size, group_segment_size, workgroup_size_x, workgroup_size_y, "             \
      "workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, graph_exec_id, graph_node_id, "    \
      "region_name_id, event_id")                                                                  \
    X(COPY, "memory_copy",                                                                         \
      "nid, pid, tid, start, \"end\", name_id, dst_agent_id, dst_address, src_agent_id, "          \
      "src_address, size, stream_id, graph_exec_id, graph_node_id, region_name_id, event_id")      \
    X(ALLOCATE, "memory_allocate",                                                                 \
      "nid, pid, tid, agent_id, type, level, start, \"end\", address, size, queue_id, stream_id, " \
      "event_id, extdata")                                                                         \
    X(GRAPH, "graph_launch",                                                                       \
      "nid, pid, tid, agent_id, queue_id, start, \"end\", graph_exec_id, kernel_dispatch_count, "  \
      "event_id")                                                                                  \
    X(BARRIER, "hip_event",                                                                        \
      "nid, pid, tid, agent_id, queue_id, stream_id, start, \"end\", name_id, hip_event_handle, "  \
      "source_queue_id, event_id")

typedef enum {
#define X(id, table, columns) ROCPD_##id,
    ROCPD_INSERTS(X)
#undef X
        ROCPD_INSERT_COUNT
} rocpd_insert_t;

typedef struct {
    out_job_t *job;
    sqlite3 *db;
    char guid[40], uuid[sizeof("_") + 40];
    sqlite3_stmt *inserts[ROCPD_INSERT_COUNT];
    sqlite3_stmt *find_text, *find_launch;
    char *schema; /* of this run; `views`: the place in it from which on it has views alone */
    const char *views;
    sqlite3_stmt *at; /* `at`: the statement whose values are being bound; `place`: index of the
                       * next value */
    int place;
    out_file_t *text; /* a file in memory for objects that become a column's text */
    out_numbers_t texts, tracks, queues, streams, unknown, driver_counters;
    uint64_t text_count;
    int64_t nid, pid, ppid;
    uint64_t events;
    uint64_t pc_track; /* track of PC samples, 0: none yet */
    out_live_t live;
    mpi_ends_t mpi_ends;
    bool failed; /* the reason is in `why` */
} rocpd_t;

/* In rocpd.c. To write a row, call begin, bind a value for each column, and call end. */
void rocpd_begin(rocpd_t *r, rocpd_insert_t which);
void rocpd_begin_with(rocpd_t *r, sqlite3_stmt *insert); /* for a table that is not in the list;
                                                          * `insert` is NULL after a failure */
void rocpd_int(rocpd_t *r, uint64_t value);
void rocpd_real(rocpd_t *r, double value);
/* Binds a text, or NULL for NULL; it must be valid until the row's end. */
void rocpd_text(rocpd_t *r, const char *value);
void rocpd_null(rocpd_t *r);
void rocpd_int_if(rocpd_t *r, bool has, uint64_t value); /* NULL if not `has` */
void rocpd_end(rocpd_t *r);
/* Ends a row whose id may be in use. Returns false if it is, and then there is no new row. */
bool rocpd_end_unless_taken(rocpd_t *r);
/* For a column with a JSON object: write the members, then get the text, which is valid until the
 * next object. */
out_json_t rocpd_object(rocpd_t *r);
const char *rocpd_object_text(rocpd_t *r, out_json_t *j);
out_json_t rocpd_list(rocpd_t *r); /* the same for an array */
const char *rocpd_list_text(rocpd_t *r, out_json_t *j);
/* Returns the id of a text, which must live as long as the model. */
uint64_t rocpd_string(rocpd_t *r, const char *text);
void rocpd_no_memory(rocpd_t *r);
/* Run SQL, and prepare a statement that is used more than once. `sql` is NULL if there was no
 * memory for it. */
void rocpd_run_sql(rocpd_t *r, const char *sql);
void rocpd_prepare(rocpd_t *r, const char *sql, sqlite3_stmt **statement);

/* In rocpd_info.c: rows about the machine, the process, agents, code, counters. */
void rocpd_write_info(rocpd_t *r);
/* Returns the id of an agent's row; makes sure that a kernel has a row. If the store has lost the
 * description, a row is made nevertheless, because readers join these tables. Not to be called
 * inside a row. */
uint64_t rocpd_agent(rocpd_t *r, uint64_t agent);
void rocpd_kernel(rocpd_t *r, uint64_t kernel);
/* In rocpd_rows.c: rows of the records. */
void rocpd_write_records(rocpd_t *r);
/* In rocpd_code.c: the cost of each instruction, if instructions were counted. */
void rocpd_write_code(rocpd_t *r);

#endif
