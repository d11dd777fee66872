/* attach.h - the tool in a program that runs already: attached, detached, attached again.
 *
 * Apart because a program that was started by rocprofv3 has none of this. Each attachment has a
 * store of its own, which the rocprofv3 that attaches has made a directory for; as long as that
 * lives it holds a lock there, so the tool leaves by itself when it is killed. What the tool has to
 * say goes there too: the program's streams are not ours. */
#ifndef CROCPROF_TOOL_ATTACH_H
#define CROCPROF_TOOL_ATTACH_H

#include <stdbool.h>

#include <rocprofiler-sdk/experimental/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

/* True if the tool was brought in by attaching, from its configuration on. */
bool tool_attach_is(void);

/* Messages go to the run directory from here on. */
void tool_attach_begin(const rocprofiler_client_id_t *id);

/* What the tool has made at its first attach. `agents` tells the sink of them again. */
typedef struct {
    rocprofiler_context_id_t always, traced; /* the same one, or started in this order */
    rocprofiler_buffer_id_t buffer;
    bool selected; /* the program starts the second */
    void (*agents)(void);
} tool_attach_parts_t;

void tool_attach_ready(const tool_attach_parts_t *parts);

/* For tool_flush_start: leaves when nobody is attached any more. */
void tool_attach_look(void);

#endif
