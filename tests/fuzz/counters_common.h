/* counters_common.h - what the fuzz targets of counter definitions do with a text once read:
 * compile it in both generations, plan every counter, evaluate. Reports must be single lines. */
#include "counters/counters.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void check_report(const ctr_error_t *error, void *user)
{
    (void)user;
    if (error->status == CTR_OK || !error->text[0] || strchr(error->text, '\n')) abort();
}

static inline void use_plan(const ctr_catalogue_t *catalogue, const ctr_counter_t *counter)
{
    static const ctr_agent_t agent = {.simd_count = 16,
                                      .simd_per_cu = 4,
                                      .cu_count = 4,
                                      .array_count = 2,
                                      .simd_arrays_per_engine = 1,
                                      .num_shader_banks = 2,
                                      .num_xcc = 1};
    ctr_plan_t *plan;
    ctr_error_t error = {0};
    ctr_status_t status = ctr_plan_create(catalogue, &agent, &counter, 1, 0, &plan, &error);
    if (status != CTR_OK) {
        check_report(&error, NULL);
        return;
    }
    for (size_t i = 0; i < ctr_plan_pass_count(plan); i++) {
        const ctr_pass_t *pass = ctr_plan_pass(plan, i);
        double *raw = calloc(pass->raw_count + 1, sizeof(double));
        double *scratch = calloc(pass->scratch_count + 1, sizeof(double));
        double *values = calloc(pass->value_count + 1, sizeof(double));
        if (raw && scratch && values) ctr_evaluate(pass, raw, scratch, values);
        free(raw);
        free(scratch);
        free(values);
    }
    ctr_plan_destroy(plan);
}

static inline int use_definitions(ctr_format_t format, const uint8_t *data, size_t size)
{
    ctr_error_t error = {0};
    ctr_definitions_t *definitions = ctr_definitions_create();
    if (ctr_definitions_add_text(definitions, format, (const char *)data, size, "fuzz",
                                 check_report, NULL, &error) != CTR_OK)
        check_report(&error, NULL);
    for (int generation = 0; generation < 2; generation++) {
        ctr_catalogue_t *catalogue;
        if (ctr_catalogue_create(definitions, "gfx90a", (ctr_generation_t)generation, 0,
                                 check_report, NULL, &catalogue, &error) != CTR_OK) {
            check_report(&error, NULL);
            continue;
        }
        for (size_t i = 0; i < ctr_catalogue_count(catalogue) && i < 200; i++)
            use_plan(catalogue, ctr_catalogue_at(catalogue, i));
        ctr_catalogue_destroy(catalogue);
    }
    ctr_definitions_destroy(definitions);
    return 0;
}
