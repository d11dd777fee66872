/* lanes.h - arranges events as rows of a timeline, and makes versions of those rows with less
 * detail.
 *
 * Events that overlap on one track are in several lanes, one below the other: calls below the calls
 * that make them, kernels of one queue that run at once. Each lane has levels of detail: events
 * that are shorter than a bin (a power of two of nanoseconds) are merged with their neighbours to
 * one rectangle, so that drawing a lane never takes more than a few rectangles per pixel. */
#ifndef CROCPROF_REPORT_LANES_H
#define CROCPROF_REPORT_LANES_H

#include "report/model.h"

typedef struct {
    uint64_t start, end;
    uint32_t count; /* number of events in the rectangle */
    uint32_t event; /* the longest of them: its index in the lane */
} rep_rect_t;

typedef struct {
    unsigned shift; /* bins are 2^shift ns long */
    REP_ARRAY(rep_rect_t) rects;
} rep_level_t;

enum { REP_LEVELS_MAX = 32 };

typedef struct {
    uint32_t track;
    uint16_t lane;
    size_t first, count; /* its events in the run */
    rep_level_t levels[REP_LEVELS_MAX];
    unsigned level_count;
} rep_lane_t;

typedef REP_ARRAY(rep_lane_t) rep_lanes_t;

/* Sorts the events of the run by track, lane and start, adapts their links, and makes the lanes.
 * Returns false when out of memory; to be freed in both cases. */
bool rep_lanes_make(rep_lanes_t *lanes, rep_run_t *run);
void rep_lanes_free(rep_lanes_t *lanes);

#endif
