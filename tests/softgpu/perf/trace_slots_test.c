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
    t->run->busy = calloc(UNITS, sizeof *t->run->busy);
    t->run->list[0] = (list_t){.kinds = UINT32_MAX, .least = 1, .bytes_max = EVENTS};
    return t;
}

static void trace_free(trace_t *t)
{
    free(t->run->list[0].events);
    free(t->run->busy);
    free(t->run);
    free(t->s);
    free(t);
}

/* A workgroup of one wave runs from `start` on for 10 clocks. Its one instruction, issued `issued`
 * clocks later, lasts for `lasts` clocks. */
static void run_wave(trace_t *t, uint64_t start, uint64_t issued, uint32_t lasts)
{
    sg_sqtt_group_t *g = calloc(1, sizeof *g);
    const sg_sqtt_times_t times = {.start = start, .alone = {10}, .end = {start + 10}};
    g->n_waves = 1;
    g->list = t->run->list[0];
    g->list.events = NULL;
    g->list.n = g->list.room = 0;
    assert_true(note(g, 0, issued, SG_SQTT_INST, 0, 0));
    g->wave[0].last = issued;
    g->wave[0].lasts = lasts;
    sg_sqtt_place(t->run, g, &times);
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

/* The wave before lasts longer in the trace than the next one altogether. */
static void is_over_when_it_begins(void **state)
{
    static const expected_t expected[] = {
        {100, SG_SQTT_WAVE_START, 0}, {109, SG_SQTT_INST, 0}, {130, SG_SQTT_WAVE_END, 0},
        {130, SG_SQTT_WAVE_START, 0}, {130, SG_SQTT_INST, 0}, {130, SG_SQTT_WAVE_END, 0}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows_in_its_slot),
                                       cmocka_unit_test(is_over_when_it_begins),
                                       cmocka_unit_test(takes_a_free_slot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
