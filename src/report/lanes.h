/* lanes.h - events as rows of a timeline, and those rows in less detail.
 *
 * What happens at one time on one track stands in lanes below each other: calls below those that
 * they are made in, kernels of one queue that run at once. Of each lane there are levels: events
 * shorter than a bin, a power of two of nanoseconds, become one rectangle with those beside them,
 * so whoever draws a lane never looks at more than a few rectangles a pixel. */
#ifndef CROCPROF_REPORT_LANES_H
#define CROCPROF_REPORT_LANES_H

#include "report/model.h"

typedef struct {
    uint64_t start, end;
    uint32_t count; /* events in it */
    uint32_t event; /* the longest of them: its place in the lane */
} rep_rect_t;

typedef struct {
    unsigned shift; /* bins of 2^shift ns */
    REP_ARRAY(rep_rect_t) rects;
} rep_level_t;

enum { REP_LEVELS_MAX = 32 };

typedef struct {
    uint32_t track;
    uint16_t lane;
    size_t first, count; /* events of the run */
    rep_level_t levels[REP_LEVELS_MAX];
    unsigned level_count;
} rep_lane_t;

typedef REP_ARRAY(rep_lane_t) rep_lanes_t;

/* Sorts the events of the run by track, lane and start, mends their links, and makes the lanes.
 * False when out of memory; free either way. */
bool rep_lanes_make(rep_lanes_t *lanes, rep_run_t *run);
void rep_lanes_free(rep_lanes_t *lanes);

#endif
