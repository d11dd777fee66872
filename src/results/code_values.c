/* code_values.c - the numbers of a kernel's code: see code.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "results/code.h"
#include "results/names.h"
#include "trace/names.h"

#define NUMBERS(X)                                                                                 \
    X(vgprs, PLAIN, LESS, false, k->arch_vgprs)                                                    \
    X(agprs, PLAIN, LESS, false, k->row.agprs)                                                     \
    X(sgprs, PLAIN, LESS, false, k->row.sgprs)                                                     \
    X(spills, PLAIN, LESS, false, (double)k->row.vgpr_spills + k->row.sgpr_spills)                 \
    X(vgpr_spills, PLAIN, LESS, false, k->row.vgpr_spills)                                         \
    X(sgpr_spills, PLAIN, LESS, false, k->row.sgpr_spills)                                         \
    X(lds, BYTES, LESS, false, k->row.lds_bytes)                                                   \
    X(scratch, BYTES, LESS, false, k->row.scratch_bytes)                                           \
    X(arguments, BYTES, NEITHER, false, k->row.argument_bytes)                                     \
    X(wave, PLAIN, NEITHER, false, k->row.wave_items)                                              \
    X(workgroup, PLAIN, NEITHER, false, k->group_size)                                             \
    X(workgroup_max, PLAIN, NEITHER, false, k->row.group_size_max)                                 \
    X(occupancy, PLAIN, MORE, false, k->occupancy.waves)                                           \
    X(code_bytes, BYTES, LESS, false, k->row.code_bytes)                                           \
    X(instructions, PLAIN, LESS, true, k->body.mix.all)                                            \
    X(loops, PLAIN, NEITHER, true, k->body.loop_count)                                             \
    X(calls, PLAIN, LESS, true, k->body.calls)                                                     \
    X(spill_stores, PLAIN, LESS, true, k->body.spills.stores)                                      \
    X(spill_reloads, PLAIN, LESS, true, k->body.spills.reloads)

#define X(name, measure, better, body, value)                                                      \
    static double get_##name(const code_kernel_t *k)                                               \
    {                                                                                              \
        return (double)(value);                                                                    \
    }
NUMBERS(X)
#undef X

#define X(id, key, text)                                                                           \
    static double get_class_##id(const code_kernel_t *k)                                           \
    {                                                                                              \
        return k->body.mix.of[CODE_##id];                                                          \
    }
CODE_CLASSES(X)
#undef X

const res_code_number_t res_code_numbers[] = {
#define X(name, measure, better, body, value)                                                      \
    {#name, RES_##measure, RES_##better, body, false, get_##name},
    NUMBERS(X)
#undef X
#define X(id, key, text) {key, RES_PLAIN, RES_NEITHER, true, true, get_class_##id},
        CODE_CLASSES(X)
#undef X
};
const size_t res_code_number_count = sizeof(res_code_numbers) / sizeof(*res_code_numbers);

static bool is_known(const code_kernel_t *k, const res_code_number_t *number)
{
    if (number->of_body) return k->body.known;
    if (strcmp(number->name, "occupancy") == 0) return k->occupancy.known;
    return strcmp(number->name, "code_bytes") != 0 || k->row.code_bytes;
}

bool res_code_number(const code_kernel_t *k, const res_code_number_t *number, double *value)
{
    *value = number->get(k);
    return is_known(k, number);
}

void res_code_limiter(const code_kernel_t *k, char text[RES_CODE_TEXT_BYTES])
{
    *text = '\0';
    if (k->occupancy.known) ins_occupancy_limiter(k->gpu, &k->occupancy, text, RES_CODE_TEXT_BYTES);
}

void res_code_advice(const code_kernel_t *k, char text[RES_CODE_TEXT_BYTES])
{
    ins_occupancy_advice(&k->occupancy, text, RES_CODE_TEXT_BYTES);
}

bool res_code_needs_body(const char *name)
{
    for (size_t i = 0; i < res_code_number_count; i++)
        if (strcmp(res_code_numbers[i].name, name) == 0) return res_code_numbers[i].of_body;
    return false;
}

/* ---- as the values of a run ---- */

static int by_name(const void *a, const void *b)
{
    const code_kernel_t *x = *(const code_kernel_t *const *)a;
    const code_kernel_t *y = *(const code_kernel_t *const *)b;
    const int names = strcmp(x->name, y->name);
    return names ? names : (x > y) - (x < y);
}

/* For each kernel of the set: whether another kernel has the same name, and whether another one has
 * the same name for the same GPU. To be freed. */
typedef struct {
    bool name, gpu;
} common_t;

static common_t *find_common(const code_set_t *set)
{
    const code_kernel_t **sorted = calloc(set->count + 1, sizeof(*sorted));
    common_t *common = sorted ? calloc(set->count + 1, sizeof(*common)) : NULL;
    for (size_t i = 0; common && i < set->count; i++)
        sorted[i] = &set->kernels[i];
    if (common && set->count) qsort(sorted, set->count, sizeof(*sorted), by_name);
    for (size_t i = 0, end; common && i < set->count; i = end) {
        for (end = i + 1; end < set->count && strcmp(sorted[i]->name, sorted[end]->name) == 0;)
            end++;
        for (size_t k = i; end - i > 1 && k < end; k++) {
            common_t *c = &common[sorted[k] - set->kernels];
            c->name = true;
            for (size_t other = i; other < end && !c->gpu; other++)
                c->gpu = other != k && strcmp(sorted[other]->target, sorted[k]->target) == 0;
        }
    }
    free(sorted);
    return common;
}

/* Gives a kernel a name that no other kernel has, and that budgets can use. */
static bool name_subject(res_subject_t *s, const code_kernel_t *k, const common_t *common)
{
    const char *between = common->gpu ? ", " : "", *file = common->gpu ? k->file : "";
    if (!common->name)
        s->name = strdup(k->name);
    else if (asprintf(&s->name, "%s [%s%s%s]", k->name, k->target, between, file) < 0)
        s->name = NULL;
    s->symbol = strdup(k->row.symbol);
    s->brief = trace_kernel_name(k->row.symbol, TRACE_NAMES_TRUNCATED);
    s->label = s->name;
    return s->name && s->symbol && s->brief;
}

static bool add_values(res_values_t *v, const code_kernel_t *k, size_t place)
{
    res_subject_t *s = &v->kernels[place];
    s->first = v->count;
    for (size_t i = 0; i < res_code_number_count; i++) {
        const res_code_number_t *number = &res_code_numbers[i];
        double value;
        if (!res_code_number(k, number, &value)) continue;
        char *name = BASE_GROW_BY_ONE(v->rows, v->count) ? strdup(number->name) : NULL;
        if (!name) return false;
        v->rows[v->count++] = (res_value_t){.kernel = place,
                                            .name = name,
                                            .class_ = RES_EXACT,
                                            .measure = number->measure,
                                            .dispatches = 1,
                                            .total = value,
                                            .least = value,
                                            .most = value};
        s->count++;
    }
    if (!k->occupancy.known && !*v->gpu) strcpy(v->gpu, k->gpu);
    if (!k->body.known && !*v->unread) snprintf(v->unread, sizeof(v->unread), "%s", k->body.why);
    return true;
}

bool res_code_values(const code_set_t *set, res_values_t *v)
{
    common_t *common = find_common(set);
    *v = (res_values_t){0};
    v->kernels = calloc(set->count + 1, sizeof(*v->kernels));
    bool good = common && v->kernels;
    for (size_t i = 0; good && i < set->count; i++) {
        v->kernel_count++;
        good = name_subject(&v->kernels[i], &set->kernels[i], &common[i]) &&
               add_values(v, &set->kernels[i], i);
    }
    free(common);
    if (!good) res_values_free(v);
    return good;
}
