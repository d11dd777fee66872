/* helpers.h - an agent whose counter values are known, for the tests of the counter engine.
 *
 * Every raw value tells its place: base of the counter + 100 x shader engine + instance, plus
 * 1000 x XCC. Expected numbers in the tests follow from that by hand. */
#ifndef CROCPROF_TESTS_COUNTERS_HELPERS_H
#define CROCPROF_TESTS_COUNTERS_HELPERS_H

#include "counters/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two shader engines of one array of two compute units. */
static inline ctr_agent_t small_agent(void)
{
    return (ctr_agent_t){.simd_count = 16,
                         .simd_per_cu = 4,
                         .cu_count = 4,
                         .array_count = 2,
                         .simd_arrays_per_engine = 1,
                         .num_shader_banks = 2,
                         .num_xcc = 1,
                         .wave_front_size = 64};
}

/* What was reported, line after line. */
typedef struct {
    char text[8192];
    size_t count;
} reports_t;

static inline void collect(const ctr_error_t *error, void *user)
{
    reports_t *reports = user;
    size_t used = strlen(reports->text);
    snprintf(reports->text + used, sizeof(reports->text) - used, "%s\n", error->text);
    reports->count++;
}

typedef struct {
    const char *name;
    ctr_accumulate_t accumulate;
    double base;
} base_t;

static inline double base_of(const ctr_event_t *event, const base_t *bases)
{
    for (; bases->name; bases++)
        if (strcmp(bases->name, event->counter->name) == 0 &&
            bases->accumulate == event->accumulate)
            return bases->base;
    return 0;
}

/* Runs a pass; values as above if `places`, else the base alone in every place. Free the result. */
static inline double *run_pass(const ctr_pass_t *pass, const base_t *bases, bool places)
{
    double *raw = calloc(pass->raw_count + 1, sizeof(double));
    double *scratch = calloc(pass->scratch_count + 1, sizeof(double));
    double *values = calloc(pass->value_count + 1, sizeof(double));
    for (size_t e = 0; e < pass->event_count; e++) {
        const ctr_event_t *event = &pass->events[e];
        for (size_t i = 0; i < ctr_shape_size(&event->shape); i++) {
            uint32_t at[CTR_DIM_COUNT];
            ctr_shape_position(&event->shape, i, at);
            raw[event->first + i] = base_of(event, bases);
            if (places)
                raw[event->first + i] += 1000.0 * at[CTR_DIM_XCC] +
                                         100.0 * at[CTR_DIM_SHADER_ENGINE] + at[CTR_DIM_INSTANCE];
        }
    }
    ctr_evaluate(pass, raw, scratch, values);
    free(raw);
    free(scratch);
    return values;
}

static inline ctr_catalogue_t *builtin_catalogue_of(const char *gfx, ctr_generation_t generation)
{
    ctr_catalogue_t *catalogue;
    reports_t reports = {0};
    ctr_definitions_t *definitions = ctr_definitions_create();
    assert_int_equal(ctr_definitions_add_builtin(definitions), CTR_OK);
    assert_int_equal(
        ctr_catalogue_create(definitions, gfx, generation, 0, collect, &reports, &catalogue, NULL),
        CTR_OK);
    assert_string_equal(reports.text, "");
    ctr_definitions_destroy(definitions);
    return catalogue;
}

static inline ctr_catalogue_t *builtin_catalogue(ctr_generation_t generation)
{
    return builtin_catalogue_of("gfx90a", generation);
}

#endif
