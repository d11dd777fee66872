/* markers.h - marks and ranges of the program: recorded, followed for kernel names, obeyed.
 *
 * Apart because markers come by callbacks, on the program's threads: a record of the SDK's buffer
 * has no room for a message. */
#ifndef CROCPROF_TOOL_MARKERS_H
#define CROCPROF_TOOL_MARKERS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* What the environment asks of markers. */
typedef struct {
    bool trace;    /* record marks and ranges */
    bool rename;   /* name kernels after the range that they are launched in */
    bool ranges;   /* follow them, for that or for counts by range */
    bool selected; /* collect only between resume and pause */
} tool_markers_t;

tool_markers_t tool_markers_wanted(void);

/* Asks for the services. `traced` is paused and resumed by the program; `always` runs from begin to
 * end. */
rocprofiler_status_t tool_markers_configure(tool_markers_t wanted, rocprofiler_context_id_t traced,
                                            rocprofiler_context_id_t always);

#endif
