/* evaluate.c - computes the results of a pass from its raw values.
 *
 * It is apart because it runs for every kernel that is counted: it allocates nothing, takes no
 * lock, and makes no decision that bind.c can make beforehand. Division by zero gives 0
 * (rocprofiler-sdk's rule). */
#include "counters/internal.h"

#include <math.h>
#include <string.h>

static double divide(double a, double b)
{
    return b == 0 ? 0 : a / b;
}

static void arithmetic(const ctr_step_t *step, const double *a, const double *b, double *to)
{
    size_t stride_a = step->a_count > 1, stride_b = step->b_count > 1;
    for (size_t i = 0; i < step->count; i++) {
        double x = a[step->map ? step->map[2 * i] : i * stride_a];
        double y = b[step->map ? step->map[2 * i + 1] : i * stride_b];
        switch (step->code) {
        case CTR_OP_ADD: to[i] = x + y; break;
        case CTR_OP_SUB: to[i] = x - y; break;
        case CTR_OP_MUL: to[i] = x * y; break;
        default: to[i] = divide(x, y); break;
        }
    }
}

static void reduce(const ctr_step_t *step, const double *a, double *to)
{
    double start = step->fold == CTR_FOLD_MIN   ? INFINITY
                   : step->fold == CTR_FOLD_MAX ? -INFINITY
                                                : 0;
    for (size_t i = 0; i < step->count; i++)
        to[i] = start;
    for (size_t i = 0; i < step->a_count; i++) {
        double *out = &to[step->map ? step->map[i] : 0];
        if (step->fold == CTR_FOLD_MIN)
            *out = a[i] < *out ? a[i] : *out;
        else if (step->fold == CTR_FOLD_MAX)
            *out = a[i] > *out ? a[i] : *out;
        else
            *out += a[i];
    }
    if (step->fold != CTR_FOLD_AVR) return;
    double parts = (double)(step->a_count / step->count);
    for (size_t i = 0; i < step->count; i++)
        to[i] /= parts;
}

static void run(const ctr_step_t *step, const double *raw, double *scratch)
{
    const double *a = (step->a_space == CTR_IN_RAW ? raw : scratch) + step->a;
    const double *b = (step->b_space == CTR_IN_RAW ? raw : scratch) + step->b;
    double *to = scratch + step->to;
    switch ((ctr_opcode_t)step->code) {
    case CTR_OP_NUMBER: *to = step->number; break;
    case CTR_OP_REDUCE: reduce(step, a, to); break;
    case CTR_OP_SELECT:
        for (size_t i = 0; i < step->count; i++)
            to[i] = a[step->map[i]];
        break;
    default: arithmetic(step, a, b, to);
    }
}

void ctr_evaluate(const ctr_pass_t *pass, const double *raw, double *scratch, double *values)
{
    const ctr_bound_pass_t *bound = (const ctr_bound_pass_t *)pass;
    for (size_t i = 0; i < bound->step_count; i++)
        run(&bound->steps[i], raw, scratch);
    for (size_t i = 0; i < pass->result_count; i++) {
        const ctr_place_t *source = &bound->sources[i];
        memcpy(values + pass->results[i].first,
               (source->space == CTR_IN_RAW ? raw : scratch) + source->first,
               ctr_shape_size(&pass->results[i].shape) * sizeof(*values));
    }
}
