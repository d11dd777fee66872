/* trace_slots_test.c - thread traces: a wave that ends in the trace later than for the scheduler
 * keeps its slot until then, and the slot's next wave begins behind it with all its instructions.
 *
 * The events of a dispatch are static in sqtt_waves.c, which is therefore included here. */
#include "softgpu/perf/sqtt_waves.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { UNITS = 2, EVENTS = 16 };

typedef struct {
    sg_sqtt_t *s;
    sg_sqtt_run_t *run;
} trace_t;

static trace_t *trace_new(uint32_t slots)
{
    trace_t *t = calloc(1, sizeof *t);
    t->s = calloc(1, sizeof *t->s);
    t->s->engines = 1;
    t->s->unit_cus = t->s->units_per_array = t->s->units_per_engine = UNITS;
    t->s->slots_per_simd = slots;
    t->run = calloc(1, sizeof *t->run + sizeof t->run->list[0]);
    t->run->s = t->s;
    t->run->slots = calloc(UNITS, sizeof *t->run->slots);
    t->run->list[0] = (list_t){.kinds = UINT32_MAX, .least = 1, .bytes_max = EVENTS};
    return t;
}

static void trace_free(trace_t *t)
{
    free(t->run->list[0].events);
    free(t->run->slots);
    free(t->run);
    free(t->s);
    free(t);
}

/* A workgroup of waves on one SIMD runs from `start` on for `clocks` clocks. The one instruction of
 * each wave, issued `issued` clocks later, lasts for `lasts` clocks. */
static void run_group(trace_t *t, uint32_t n_waves, uint64_t start, uint64_t clocks,
                      uint64_t issued, uint32_t lasts)
{
    sg_sqtt_group_t *g = calloc(1, sizeof *g);
    sg_sqtt_times_t times = {.start = start};
    g->n_waves = n_waves;
    g->list = t->run->list[0];
    g->list.events = NULL;
    g->list.n = g->list.room = 0;
    for (uint32_t i = 0; i < n_waves; i++) {
        times.alone[i] = clocks;
        times.end[i] = start + clocks;
        assert_true(note(g, i, issued, SG_SQTT_INST, 0, 0));
        g->wave[i].last = issued;
        g->wave[i].lasts = lasts;
    }
    sg_sqtt_place(t->run, g, &times);
}

static void run_wave(trace_t *t, uint64_t start, uint64_t issued, uint32_t lasts)
{
    run_group(t, 1, start, 10, issued, lasts);
}

typedef struct {
    uint64_t time;
    uint8_t kind, slot;
} expected_t;

static void check_events(trace_t *t, const expected_t *expected, size_t n)
{
    const list_t *l = &t->run->list[0];
    qsort(l->events, l->n, sizeof *l->events, by_time);
    assert_int_equal(l->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(l->events[i].time, expected[i].time);
        assert_int_equal(l->events[i].kind, expected[i].kind);
        assert_int_equal(l->events[i].slot, expected[i].slot);
    }
}

static void follows_in_its_slot(void **state)
{
    static const expected_t expected[] = {
        {100, SG_SQTT_WAVE_START, 0}, {109, SG_SQTT_INST, 0}, {114, SG_SQTT_WAVE_END, 0},
        {114, SG_SQTT_WAVE_START, 0}, {114, SG_SQTT_INST, 0}, {120, SG_SQTT_WAVE_END, 0},
        {120, SG_SQTT_WAVE_START, 0}, {125, SG_SQTT_INST, 0}, {130, SG_SQTT_WAVE_END, 0}};
    trace_t *t = trace_new(1);
    (void)state;
    run_wave(t, 100, 9, 4);
    run_wave(t, 110, 1, 0);
    run_wave(t, 120, 5, 0);
    check_events(t, expected, sizeof expected / sizeof expected[0]);
    trace_free(t);
}

/* The wave before lasts longer in the trace than the next one altogether, which is there for the
 * clock of its instruction and one more. */
static void ends_behind_its_instruction(void **state)
{
    static const expected_t expected[] = {
        {100, SG_SQTT_WAVE_START, 0}, {109, SG_SQTT_INST, 0}, {130, SG_SQTT_WAVE_END, 0},
        {130, SG_SQTT_WAVE_START, 0}, {130, SG_SQTT_INST, 0}, {132, SG_SQTT_WAVE_END, 0}};
    trace_t *t = trace_new(1);
    (void)state;
    run_wave(t, 100, 9, 20);
    run_wave(t, 110, 1, 0);
    check_events(t, expected, sizeof expected / sizeof expected[0]);
    trace_free(t);
}

static void takes_a_free_slot(void **state)
{
    static const expected_t expected[] = {{100, SG_SQTT_WAVE_START, 0}, {109, SG_SQTT_INST, 0},
                                          {110, SG_SQTT_WAVE_START, 1}, {111, SG_SQTT_INST, 1},
                                          {114, SG_SQTT_WAVE_END, 0},   {120, SG_SQTT_WAVE_END, 1}};
    trace_t *t = trace_new(2);
    (void)state;
    run_wave(t, 100, 9, 4);
    run_wave(t, 110, 1, 0);
    check_events(t, expected, sizeof expected / sizeof expected[0]);
    trace_free(t);
}

/* The third wave waits for the second, whose instruction lasts from where it is shown. */
static void lasts_from_where_it_is_shown(void **state)
{
    static const expected_t expected[] = {
        {100, SG_SQTT_WAVE_START, 0}, {109, SG_SQTT_INST, 0}, {130, SG_SQTT_WAVE_END, 0},
        {130, SG_SQTT_WAVE_START, 0}, {130, SG_SQTT_INST, 0}, {135, SG_SQTT_WAVE_END, 0},
        {135, SG_SQTT_WAVE_START, 0}, {135, SG_SQTT_INST, 0}, {138, SG_SQTT_WAVE_END, 0}};
    trace_t *t = trace_new(1);
    (void)state;
    run_wave(t, 100, 9, 20);
    run_wave(t, 110, 1, 4);
    run_wave(t, 125, 9, 2);
    check_events(t, expected, sizeof expected / sizeof expected[0]);
    trace_free(t);
}

/* Both slots are free for the scheduler only: the waves of the second workgroup get one each. */
static void waves_of_a_group_have_slots_of_their_own(void **state)
{
    static const expected_t expected[] = {
        {100, SG_SQTT_WAVE_START, 0}, {100, SG_SQTT_WAVE_START, 1}, {109, SG_SQTT_INST, 0},
        {109, SG_SQTT_INST, 1},       {130, SG_SQTT_WAVE_END, 0},   {130, SG_SQTT_WAVE_END, 1},
        {130, SG_SQTT_WAVE_START, 0}, {130, SG_SQTT_WAVE_START, 1}, {130, SG_SQTT_INST, 0},
        {130, SG_SQTT_INST, 1},       {134, SG_SQTT_WAVE_END, 0},   {134, SG_SQTT_WAVE_END, 1}};
    trace_t *t = trace_new(2);
    (void)state;
    run_group(t, 2, 100, 10, 9, 20);
    run_group(t, 2, 110, 10, 1, 3);
    check_events(t, expected, sizeof expected / sizeof expected[0]);
    trace_free(t);
}

/* The first wave runs on, though the others end later in the trace: its slot is not free. */
static void waits_for_no_wave_that_runs(void **state)
{
    static const expected_t expected[] = {
        {100, SG_SQTT_WAVE_START, 0}, {100, SG_SQTT_WAVE_START, 1}, {101, SG_SQTT_INST, 0},
        {109, SG_SQTT_INST, 1},       {112, SG_SQTT_WAVE_END, 0},   {130, SG_SQTT_WAVE_END, 1},
        {130, SG_SQTT_WAVE_START, 1}, {130, SG_SQTT_INST, 1},       {133, SG_SQTT_WAVE_END, 1}};
    trace_t *t = trace_new(2);
    (void)state;
    run_group(t, 1, 100, 12, 1, 0);
    run_group(t, 1, 100, 10, 9, 20);
    run_group(t, 1, 111, 10, 1, 2);
    check_events(t, expected, sizeof expected / sizeof expected[0]);
    trace_free(t);
}

/* More waves run on the SIMD than the trace has slots: they overlap, where they have run. */
static void overlaps_where_slots_are_few(void **state)
{
    static const expected_t expected[] = {
        {100, SG_SQTT_WAVE_START, 0}, {100, SG_SQTT_WAVE_START, 0}, {105, SG_SQTT_INST, 0},
        {105, SG_SQTT_INST, 0},       {110, SG_SQTT_WAVE_END, 0},   {110, SG_SQTT_WAVE_END, 0}};
    trace_t *t = trace_new(1);
    (void)state;
    run_group(t, 2, 100, 10, 5, 0);
    check_events(t, expected, sizeof expected / sizeof expected[0]);
    trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_in_its_slot),
                                       cmocka_unit_test(ends_behind_its_instruction),
                                       cmocka_unit_test(takes_a_free_slot),
                                       cmocka_unit_test(lasts_from_where_it_is_shown),
                                       cmocka_unit_test(waves_of_a_group_have_slots_of_their_own),
                                       cmocka_unit_test(waits_for_no_wave_that_runs),
                                       cmocka_unit_test(overlaps_where_slots_are_few)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
