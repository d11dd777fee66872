/* names.h - the names to which records refer by numbers: of kinds, operations and threads, and the
 * signatures of functions. Each is written once to the metadata of the store.
 *
 * Only sink.c uses this. Functions with a writer, and tool_names_forget(), are to be called with
 * the sink's lock held; the others may be called by any thread without it. */
#ifndef CROCPROF_TOOL_NAMES_H
#define CROCPROF_TOOL_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "trace/format.h"
#include "trace/writer.h"

/* Another store begins, which has no names. */
void tool_names_forget(void);

/* Writes the names to which a record with this head refers, unless they are in the store. */
void tool_names_put(trace_writer_t *meta, trace_head_t head);
bool tool_names_has(trace_head_t head);

/* Writes all names: JSON files list all kinds and operations, used or not, since a number in a
 * record is an index in the list. */
void tool_names_put_all(trace_writer_t *meta);

/* Writes a thread's name, which replaces an earlier one. */
void tool_names_put_thread(trace_writer_t *meta, uint32_t tid, const char *name);

/* The types and names of a function's arguments. */
typedef struct {
    const char *texts[2 * TRACE_ARGUMENTS_MAX];
    trace_signature_t record;
} tool_signature_t;

/* Returns the signature of the head's operation: without arguments, or with those of a record. */
tool_signature_t tool_signature_begin(trace_head_t head);
tool_signature_t tool_signature_of(trace_head_t head, const rocprofiler_record_header_t *from);

/* Writes a signature, unless that of its operation is in the store. */
void tool_names_put_signature(trace_writer_t *meta, const tool_signature_t *s);
bool tool_names_has_signature(trace_head_t head);

#endif
