/* attach.h - the tool in a program that runs already: attached, detached, attached again.
 *
 * A program that was started by rocprofv3 needs none of this. Each attachment has a
 * store of its own, in a run directory that the attaching rocprofv3 has made. That rocprofv3 holds
 * a lock there as long as it lives, so that the tool notices if it is killed, and detaches. The
 * tool's messages go to a file there, too, since the program's output streams belong to the
 * program. */
#ifndef CROCPROF_TOOL_ATTACH_H
#define CROCPROF_TOOL_ATTACH_H

#include <stdbool.h>

#include <rocprofiler-sdk/experimental/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* Returns whether the tool was loaded by an attachment; valid already while the tool is
 * configured. */
bool tool_attach_is(void);

/* From this call on, messages go to a file in the run directory. */
void tool_attach_begin(const rocprofiler_client_id_t *id);

/* The objects that the tool has made at its first attachment. */
typedef struct {
    rocprofiler_context_id_t always, traced; /* `always` is started first; both may be the same
                                              * context */
    rocprofiler_buffer_id_t buffer;
    bool selected;        /* the program starts `traced` by its marked regions */
    void (*agents)(void); /* puts the agents into the sink's new store */
} tool_attach_parts_t;

void tool_attach_ready(const tool_attach_parts_t *parts);

/* To be passed to tool_flush_start(), which calls it regularly: detaches when the attached
 * rocprofv3 has ended. */
void tool_attach_look(void);

#endif
