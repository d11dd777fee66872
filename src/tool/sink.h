/* sink.h - the store of this process: it is opened once, gets the records of the SDK's callbacks,
 * and is closed at the end.
 *
 * Records go to a segment of their thread, without a lock (segments.h); metadata, counters and the
 * records of threads for which no segment can be had are written under the sink's lock. A forked
 * child leaves the parent's store alone; the child's first record opens a store of its own, which
 * begins with the parent's metadata. */
#ifndef CROCPROF_TOOL_SINK_H
#define CROCPROF_TOOL_SINK_H

#include <limits.h>
#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "tool/records.h"
#include "trace/format.h"

/* Makes the directory and the segments. Returns false, with the reason logged, if that fails:
 * nothing is traced then. */
bool tool_sink_open(void);

/* Records that begin before this time (ns of the SDK's clock) are left out: they belong to no
 * store, or to one that is closed. To be called before the first record of the store. */
void tool_sink_from(uint64_t ns);

/* Takes records that the SDK delivers, on the thread that made them, and the number of records that
 * it lost before. When this returns, the records are in the mapping of a segment, or counted as
 * dropped. Any thread may call this. */
void tool_sink_records(rocprofiler_record_header_t **headers, size_t count, uint64_t lost);

/* Takes a marker, as tool_sink_records() takes records. */
void tool_sink_marker(const trace_marker_t *marker);
/* Takes a call of MPI and the data that follows its record, in whole words of 8 bytes. */
void tool_sink_mpi(const trace_mpi_t *call, const void *rest, size_t bytes);
/* Takes a call with the values of its arguments; `texts` are their types and names. */
void tool_sink_call(const trace_call_t *call, const tool_values_t *values,
                    const char *const *texts);

/* Take a record of metadata with its texts, and a table of numbers: `rows` of `columns`. Any thread
 * may call these. */
void tool_sink_fact(const void *record, size_t bytes, const char *const *texts, size_t count);
void tool_sink_rows(const trace_table_t *table, const uint64_t *numbers);

/* Returns the number of a text, which is put into the store if it is new. Any thread may call
 * this. */
uint32_t tool_sink_text(const char *text);

/* Puts all texts that have a number into a store that was opened later. */
void tool_sink_texts_again(void);

/* Takes the counters of a dispatch, `record->count` values. Any thread may call this. */
void tool_sink_counters(const trace_counters_t *record, const trace_value_t *values);
/* Takes the samples of a dispatch, `record->count` of them. Any thread may call this. */
void tool_sink_readings(const trace_readings_t *record, const trace_reading_t *samples);

/* Count in the store: dispatches whose counters are left out on purpose, and records of any kind
 * that are lost. */
void tool_sink_filtered(uint64_t count);
void tool_sink_lost(uint64_t count);

/* Closes the store in order; later records are not written. `ends` says that the program ends. If
 * rocprofv3 has not started the run, the output files are made now if the program ends, else a
 * message says how to make them. */
void tool_sink_close(bool ends);

/* Writes the path of a file in the store to `path`; returns false if there is no store. Any thread
 * may call this. */
bool tool_sink_path(const char *name, char path[PATH_MAX]);

/* Returns whether this process has opened the store. */
bool tool_sink_is_mine(void);

#endif
