/* lanes_test.c - the rows of a timeline and their levels of detail: nothing is lost on the way, and
 * a level has no more than it may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/lanes.h"

static uint64_t state = 7;
static uint64_t random_below(uint64_t most)
{
    state = out_mix(state);
    return state % most;
}

static void add(rep_run_t *run, uint32_t track, uint64_t start, uint64_t end, uint32_t link)
{
    rep_event_t *e = REP_NEXT(&run->events);
    assert_non_null(e);
    e->track = track;
    e->start = start;
    e->end = end;
    e->link = link;
    e->name = (uint32_t)run->events.count; /* tells it apart wherever it goes */
}

/* Calls inside calls stand below them, whatever the order that they came in. */
static void nested(void **unused)
{
    rep_run_t run = {0};
    rep_lanes_t lanes = {0};
    (void)unused;
    add(&run, 1, 500, 600, 3);
    add(&run, 0, 20, 30, 0);
    add(&run, 0, 10, 100, 0);
    add(&run, 0, 30, 40, 0);
    add(&run, 0, 10, 15, 0);
    add(&run, 0, 100, 110, 0);
    assert_true(rep_lanes_make(&lanes, &run));
    static const uint32_t names[] = {3, 6, 5, 2, 4, 1};
    static const uint16_t at[] = {0, 0, 1, 1, 1, 0};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(run.events.rows[i].name, names[i]);
        assert_int_equal(run.events.rows[i].lane, at[i]);
    }
    assert_int_equal(lanes.count, 3);
    assert_int_equal(run.events.rows[5].link, 1); /* still that of the call from 10 to 100 */
    rep_lanes_free(&lanes);
    rep_run_free(&run);
}

static void check_level(const rep_lane_t *lane, const rep_level_t *level, const rep_event_t *e)
{
    uint64_t bin = UINT64_C(1) << level->shift, count = 0;
    for (size_t i = 0; i < level->rects.count; i++) {
        const rep_rect_t *r = &level->rects.rows[i];
        uint64_t last = 0, longest = 0;
        assert_int_equal(r->start, e[count].start);
        for (size_t k = count; k < count + r->count; k++) {
            if (e[k].end > last) last = e[k].end;
            if (e[k].end - e[k].start > longest) longest = e[k].end - e[k].start;
        }
        assert_int_equal(r->end, last);
        assert_int_equal(e[r->event].end - e[r->event].start, longest);
        assert_true(r->event >= count && r->event < count + r->count);
        if (r->count > 1) assert_true(longest < bin && r->end - r->start < 2 * bin);
        count += r->count;
    }
    assert_int_equal(count, lane->count);
}

/* A level is made of all events of its lane, and four bins further up there are far fewer. */
static void levels(void **unused)
{
    enum { EVENTS = 60000 };
    rep_run_t run = {0};
    rep_lanes_t lanes = {0};
    (void)unused;
    for (uint64_t i = 0, at = 0; i < EVENTS; i++) {
        uint64_t length = random_below(50) ? random_below(900) : random_below(2000000);
        add(&run, (uint32_t)random_below(3), at, at + length, 0);
        at += random_below(4000);
    }
    assert_true(rep_lanes_make(&lanes, &run));
    size_t events = 0;
    for (size_t i = 0; i < lanes.count; i++) {
        const rep_lane_t *lane = &lanes.rows[i];
        size_t before = lane->count;
        assert_int_equal(lane->first, events);
        for (unsigned l = 0; l < lane->level_count; l++) {
            check_level(lane, &lane->levels[l], run.events.rows + lane->first);
            assert_true(lane->levels[l].rects.count <= before - before / 4);
            before = lane->levels[l].rects.count;
        }
        if (lane->count > 5000) assert_true(lane->level_count >= 2);
        events += lane->count;
    }
    assert_int_equal(events, EVENTS);
    rep_lanes_free(&lanes);
    rep_run_free(&run);
}

static void percentiles(void **unused)
{
    uint64_t values[] = {50, 10, 40, 20, 30}, spans[] = {100, 200, 10, 50, 150, 260, 20, 30};
    rep_list_t list = {.rows = values, .count = 5}, covered = {.rows = spans, .count = 8};
    (void)unused;
    rep_sort(&list);
    assert_int_equal(rep_percentile(&list, 50), 30);
    assert_int_equal(rep_percentile(&list, 95), 50);
    assert_int_equal(rep_percentile(&list, 20), 10);
    assert_int_equal(rep_covered(&covered), 40 + 160);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nested), cmocka_unit_test(levels),
                                       cmocka_unit_test(percentiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
