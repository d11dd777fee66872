/* sink.h - the store of this process: opened once, fed by the SDK's callbacks, closed at the end.
 *
 * Records go to a segment of their thread, without a lock (segments.h); metadata, counters and the
 * records of threads for which no segment can be had are written under the sink's lock. A forked
 * child leaves the parent's store alone; the child's first record opens a store of its own,
 * which begins with the parent's metadata. */
#ifndef CROCPROF_TOOL_SINK_H
#define CROCPROF_TOOL_SINK_H

#include <limits.h>
#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "tool/records.h"
#include "trace/format.h"

/* Makes the directory and the segments. False, with the reason logged, if that fails: nothing is
 * traced then. */
bool tool_sink_open(void);

/* Records of what began before this time (ns of the SDK's clock) are left out: they belong to no
 * store, or to one that is closed. To be called before anything is recorded into the store. */
void tool_sink_from(uint64_t ns);

/* Takes records that the SDK delivers, on the thread that made them, and the number of records that
 * it lost before. When this returns, they are in the mapping of a segment, or counted as dropped.
 * Any thread. */
void tool_sink_records(rocprofiler_record_header_t **headers, size_t count, uint64_t lost);

/* Takes a marker, as tool_sink_records() takes records. */
void tool_sink_marker(const trace_marker_t *marker);
/* A call of MPI with what stands behind its record, whole words. */
void tool_sink_mpi(const trace_mpi_t *call, const void *rest, size_t bytes);
/* A call with the values of its arguments; `texts` are their types and names. */
void tool_sink_call(const trace_call_t *call, const tool_values_t *values,
                    const char *const *texts);

/* A record of metadata with its texts, and a table of numbers: `rows` of `columns`. Any thread. */
void tool_sink_fact(const void *record, size_t bytes, const char *const *texts, size_t count);
void tool_sink_rows(const trace_table_t *table, const uint64_t *numbers);

/* The number of a text, which is put into the store if it is new. Any thread. */
uint32_t tool_sink_text(const char *text);

/* Puts all texts into a store that was opened after they had got their numbers. */
void tool_sink_texts_again(void);

/* The counters of a dispatch, `record->count` values. Any thread. */
void tool_sink_counters(const trace_counters_t *record, const trace_value_t *values);
/* The samples of a dispatch, `record->count` of them. Any thread. */
void tool_sink_readings(const trace_readings_t *record, const trace_reading_t *samples);

/* Count in the store: dispatches whose counters are left out on purpose; records of any kind that
 * are lost. */
void tool_sink_filtered(uint64_t count);
void tool_sink_lost(uint64_t count);

/* Closes the store in order. Records that come later are not written. `ends`: the program ends.
 * Then, if the run was not begun by rocprofv3, its files are made now; without `ends`, a message
 * says how to make them. */
void tool_sink_close(bool ends);

/* Path of a file in the store; false if there is none to write to. Any thread. */
bool tool_sink_path(const char *name, char path[PATH_MAX]);

/* True in the process that opened the store. */
bool tool_sink_is_mine(void);

#endif
