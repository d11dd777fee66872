/* values.c - every counter of a product, computed from made raw values: values FILE PRODUCT.
 *
 * For oracle.py, which reads the same file of definitions and computes the same by other means. The
 * raw value of an event at a place follows from the event's number and the place alone. Prints a
 * line for each counter: its name, its dimensions, its values. */
#include "counters/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ORDER: ctr_dim_t. Primes, so that places have values that tell them apart. */
static const unsigned weights[CTR_DIM_COUNT] = {0, 101, 211, 307, 401, 503, 601, 701};

static double made_value(const ctr_event_t *event, size_t index)
{
    uint32_t at[CTR_DIM_COUNT];
    ctr_shape_position(&event->shape, index, at);
    unsigned sum = 17 * event->counter->event + 1009 * event->counter->block_id +
                   4001 * (unsigned)event->accumulate;
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
        sum += weights[dim] * at[dim];
    return (double)(sum % 8191 + 1);
}

static void print(const ctr_pass_t *pass, const double *values)
{
    const ctr_result_t *result = &pass->results[0];
    printf("%s\t", result->counter->name);
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
        if (result->shape.extent[dim])
            printf("%s=%u ", ctr_dim_name((ctr_dim_t)dim), result->shape.extent[dim]);
    putchar('\t');
    for (size_t i = 0; i < pass->value_count; i++)
        printf("%.17g ", values[i]);
    putchar('\n');
}

static int compute(const ctr_catalogue_t *catalogue, const ctr_agent_t *agent,
                   const ctr_counter_t *counter)
{
    ctr_error_t error;
    ctr_plan_t *plan;
    if (ctr_plan_create(catalogue, agent, &counter, 1, 1, &plan, &error) != CTR_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    const ctr_pass_t *pass = ctr_plan_pass(plan, 0);
    double *raw =
        calloc(pass->raw_count + pass->scratch_count + pass->value_count + 1, sizeof *raw);
    double *scratch = raw + pass->raw_count, *values = scratch + pass->scratch_count;
    for (size_t e = 0; raw && e < pass->event_count; e++)
        for (size_t i = 0; i < ctr_shape_size(&pass->events[e].shape); i++)
            raw[pass->events[e].first + i] = made_value(&pass->events[e], i);
    if (raw) ctr_evaluate(pass, raw, scratch, values);
    if (raw) print(pass, values);
    free(raw);
    ctr_plan_destroy(plan);
    return !raw;
}

static void complain(const ctr_error_t *error, void *user)
{
    fprintf(stderr, "%s\n", error->text);
    ++*(int *)user;
}

int main(int argc, char **argv)
{
    ctr_error_t error;
    ctr_catalogue_t *catalogue;
    int wrong = 0;
    const gpus_product_t *product = argc == 3 ? gpus_product(argv[2]) : NULL;
    if (!product) {
        fprintf(stderr, "usage: values FILE PRODUCT\n");
        return 2;
    }
    const ctr_agent_t agent = ctr_agent_of_product(product);
    ctr_definitions_t *definitions = ctr_definitions_create();
    if (ctr_definitions_add_file(definitions, CTR_FORMAT_YAML, argv[1], complain, &wrong, &error) ||
        ctr_catalogue_create(definitions, product->arch->name, CTR_GENERATION_SDK, 0, complain,
                             &wrong, &catalogue, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (size_t i = 0; i < ctr_catalogue_count(catalogue); i++)
        wrong += compute(catalogue, &agent, ctr_catalogue_at(catalogue, i));
    ctr_catalogue_destroy(catalogue);
    ctr_definitions_destroy(definitions);
    return wrong != 0;
}
