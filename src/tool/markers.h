/* markers.h - ROCTx marks and ranges of the program: they are recorded, used to name kernels, and
 * followed where they pause and resume collection.
 *
 * Markers are reported by callbacks, on the program's threads, since a record of the SDK's buffer
 * has no room for their text. */
#ifndef CROCPROF_TOOL_MARKERS_H
#define CROCPROF_TOOL_MARKERS_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

/* For which purposes the settings need markers. */
typedef struct {
    bool trace;    /* record marks and ranges */
    bool rename;   /* name kernels after the range in which they are launched */
    bool marks;    /* name kernels after marks, too */
    bool ranges;   /* follow ranges, to rename kernels or to sum counts by range */
    bool selected; /* collect only between resume and pause */
} tool_markers_t;

tool_markers_t tool_markers_wanted(void);

/* Configures the services. The program pauses and resumes `traced`; `always` is never stopped. */
rocprofiler_status_t tool_markers_configure(tool_markers_t wanted, rocprofiler_context_id_t traced,
                                            rocprofiler_context_id_t always);

#endif
