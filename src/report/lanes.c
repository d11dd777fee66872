/* lanes.c - see lanes.h. */
#include "report/lanes.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES_MAX = 64,    /* most lanes of a track; further events at the same time share the last
                        * one */
    FIRST_SHIFT = 10,  /* a microsecond: below it merging is not worth while */
    SHIFT_STEP = 2,    /* from level to level, so that all levels together stay small */
    LEVEL_LEAST = 256, /* so few rectangles can always be drawn, so no further level is made */
};

typedef struct {
    uint64_t start, length;
    uint32_t track, event;
} order_t;

static int by_start(const void *a, const void *b)
{
    const order_t *x = a, *y = b;
    if (x->track != y->track) return x->track < y->track ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->length != y->length) return x->length > y->length ? -1 : 1; /* the outer one first */
    return (x->event > y->event) - (x->event < y->event);
}

static order_t *sort_events(const rep_run_t *run)
{
    order_t *order = malloc((run->events.count + 1) * sizeof(*order));
    for (size_t i = 0; order && i < run->events.count; i++) {
        const rep_event_t *e = &run->events.rows[i];
        order[i] = (order_t){e->start, e->end - e->start, e->track, (uint32_t)i};
    }
    if (order) qsort(order, run->events.count, sizeof(*order), by_start);
    return order;
}

/* Puts each event into the first lane of its track that is free when the event begins. */
static void find_lanes(rep_run_t *run, const order_t *order)
{
    uint64_t busy[LANES_MAX] = {0};
    uint32_t track = UINT32_MAX;
    for (size_t i = 0; i < run->events.count; i++) {
        rep_event_t *e = &run->events.rows[order[i].event];
        if (e->track != track) memset(busy, 0, sizeof(busy));
        track = e->track;
        uint16_t lane = 0;
        while (lane + 1 < LANES_MAX && busy[lane] > e->start)
            lane++;
        e->lane = lane;
        if (e->end > busy[lane]) busy[lane] = e->end;
    }
}

/* Sorts the events of each track by lane; before that, they are sorted by start. */
static bool sort_by_lane(rep_run_t *run, order_t *order)
{
    size_t count = run->events.count;
    order_t *sorted = malloc((count + 1) * sizeof(*sorted));
    for (size_t i = 0, end; sorted && i < count; i = end) {
        size_t starts[LANES_MAX + 1] = {0};
        for (end = i; end < count && order[end].track == order[i].track; end++)
            starts[run->events.rows[order[end].event].lane + 1]++;
        for (int l = 0; l < LANES_MAX; l++)
            starts[l + 1] += starts[l];
        for (size_t at = i; at < end; at++)
            sorted[i + starts[run->events.rows[order[at].event].lane]++] = order[at];
    }
    if (sorted) memcpy(order, sorted, count * sizeof(*order));
    free(sorted);
    return sorted;
}

/* Moves the events into that order, and adapts links to the new indices. */
static bool move_events(rep_run_t *run, const order_t *order)
{
    size_t count = run->events.count;
    rep_event_t *events = malloc((count + 1) * sizeof(*events));
    uint32_t *places = malloc((count + 1) * sizeof(*places));
    bool done = events && places;
    for (size_t i = 0; done && i < count; i++) {
        events[i] = run->events.rows[order[i].event];
        places[order[i].event] = (uint32_t)i;
    }
    for (size_t i = 0; done && i < count; i++)
        if (events[i].link) events[i].link = places[events[i].link - 1] + 1;
    free(places);
    if (!done) {
        free(events);
        return false;
    }
    free(run->events.rows);
    run->events.rows = events;
    run->events.room = count + 1;
    return true;
}

/* ---- levels ---- */

static bool merge(rep_level_t *to, const rep_rect_t *r, const rep_event_t *events)
{
    uint64_t bin = UINT64_C(1) << to->shift;
    rep_rect_t *last = to->rects.count ? &to->rects.rows[to->rects.count - 1] : NULL;
    bool small = r->end - r->start < bin;
    if (last && small && last->end - last->start < bin &&
        last->start >> to->shift == r->start >> to->shift) {
        const rep_event_t *a = &events[last->event], *b = &events[r->event];
        if (b->end - b->start > a->end - a->start) last->event = r->event;
        if (r->end > last->end) last->end = r->end;
        last->count += r->count;
        return true;
    }
    rep_rect_t *next = REP_NEXT(&to->rects);
    if (next) *next = *r;
    return next;
}

/* Makes a level from the one before or, for the first, from the events. */
static bool make_level(rep_level_t *to, const rep_level_t *from, const rep_lane_t *lane,
                       const rep_event_t *events)
{
    bool done = true;
    size_t count = from ? from->rects.count : lane->count;
    for (size_t i = 0; done && i < count; i++) {
        rep_rect_t single = {events[i].start, events[i].end, 1, (uint32_t)i};
        done = merge(to, from ? &from->rects.rows[i] : &single, events);
    }
    return done;
}

static bool make_levels(rep_lane_t *lane, const rep_event_t *events)
{
    const rep_level_t *above = NULL;
    size_t count = lane->count;
    unsigned shift = FIRST_SHIFT;
    for (; shift < 64 && count > LEVEL_LEAST && lane->level_count < REP_LEVELS_MAX;
         shift += SHIFT_STEP) {
        rep_level_t *level = &lane->levels[lane->level_count];
        level->shift = shift;
        level->rects.count = 0;
        if (!make_level(level, above, lane, events)) return false;
        if (level->rects.count > count - count / 4)
            continue; /* a level that merges little is not kept */
        count = level->rects.count;
        above = level;
        lane->level_count++;
    }
    return true;
}

bool rep_lanes_make(rep_lanes_t *lanes, rep_run_t *run)
{
    order_t *order = sort_events(run);
    if (order) find_lanes(run, order);
    bool done = order && sort_by_lane(run, order) && move_events(run, order);
    free(order);
    const rep_event_t *e = run->events.rows;
    for (size_t i = 0, end; done && i < run->events.count; i = end) {
        for (end = i;
             end < run->events.count && e[end].track == e[i].track && e[end].lane == e[i].lane;)
            end++;
        rep_lane_t *lane = REP_NEXT(lanes);
        if (!lane) return false;
        lane->track = e[i].track;
        lane->lane = e[i].lane;
        lane->first = i;
        lane->count = end - i;
        done = make_levels(lane, e + i);
    }
    return done;
}

void rep_lanes_free(rep_lanes_t *lanes)
{
    for (size_t i = 0; i < lanes->count; i++)
        for (unsigned l = 0; l < REP_LEVELS_MAX; l++)
            free(lanes->rows[i].levels[l].rects.rows);
    free(lanes->rows);
}
