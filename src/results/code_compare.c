/* code_compare.c - rocprofv3 code A B: the differences between two builds.
 *
 * Kernels are matched by name, GPU and the GPU's settings; if a build has several kernels of one
 * name for one GPU, they are matched in their order. Kernels that spill more are shown first, then
 * those that lose occupancy, then those that grew. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "results/code.h"
#include "results/grid.h"
#include "results/verdicts.h"

typedef struct {
    const code_kernel_t *before, *after; /* NULL: the build does not have the kernel */
    double spills, occupancy, bytes;     /* how much more of each the second build has */
    bool differs;
} pair_t;

static int by_key(const code_kernel_t *x, const code_kernel_t *y)
{
    const int names = strcmp(x->name, y->name);
    return names ? names : strcmp(x->target, y->target);
}

static int by_key_and_place(const void *a, const void *b)
{
    const code_kernel_t *x = *(const code_kernel_t *const *)a;
    const code_kernel_t *y = *(const code_kernel_t *const *)b;
    const int keys = by_key(x, y);
    return keys ? keys : (x > y) - (x < y);
}

static const code_kernel_t **sorted_kernels(const code_set_t *set)
{
    const code_kernel_t **sorted = calloc(set->count + 1, sizeof(*sorted));
    for (size_t i = 0; sorted && i < set->count; i++)
        sorted[i] = &set->kernels[i];
    if (sorted && set->count) qsort(sorted, set->count, sizeof(*sorted), by_key_and_place);
    return sorted;
}

/* Returns whether the number is compared; numbers of classes are compared only with details. */
static bool is_compared(const res_code_number_t *n, bool details)
{
    return details || !n->of_class;
}

/* Returns whether the number differs; false if it is not known for one of the two. */
static bool differs(const pair_t *p, const res_code_number_t *n, double *before, double *after)
{
    return res_code_number(p->before, n, before) && res_code_number(p->after, n, after) &&
           *before != *after;
}

static void weigh(pair_t *p, bool details)
{
    double before, after;
    if (!p->before || !p->after) return;
    for (size_t i = 0; i < res_code_number_count; i++) {
        const res_code_number_t *n = &res_code_numbers[i];
        if (!is_compared(n, details) || !differs(p, n, &before, &after)) continue;
        p->differs = true;
        if (strcmp(n->name, "spills") == 0) p->spills = after - before;
        if (strcmp(n->name, "occupancy") == 0) p->occupancy = after - before;
        if (strcmp(n->name, "code_bytes") == 0) p->bytes = after - before;
    }
}

/* Matches the kernels of two sorted lists. Returns false without memory. */
static bool match(pair_t **pairs, size_t *count, const code_kernel_t **a, const code_kernel_t **b)
{
    while (*a || *b) {
        const int order = !*a ? 1 : !*b ? -1 : by_key(*a, *b);
        if (!BASE_GROW_BY_ONE(*pairs, *count)) return false;
        pair_t *p = &(*pairs)[(*count)++];
        *p = (pair_t){0};
        if (order <= 0) p->before = *a++;
        if (order >= 0) p->after = *b++;
    }
    return true;
}

static int by_weight(const void *a, const void *b)
{
    const pair_t *x = a, *y = b;
    if (x->spills != y->spills) return x->spills < y->spills ? 1 : -1;
    if (x->occupancy != y->occupancy) return x->occupancy > y->occupancy ? 1 : -1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return by_key(x->after ? x->after : x->before, y->after ? y->after : y->before);
}

static void put_difference(res_grid_t *g, const pair_t *p, const res_code_number_t *n,
                           double before, double after)
{
    char texts[3][RES_SHOWN_BYTES];
    const bool better = n->better == RES_LESS ? after < before : after > before;
    res_grid_cell(g, "%s", p->after->name);
    res_grid_cell(g, "%s", p->after->target);
    res_grid_cell(g, "%s", n->name);
    res_grid_cell(g, "%s", res_shown(before, n->measure, texts[0]));
    res_grid_cell(g, "%s", res_shown(after, n->measure, texts[1]));
    res_grid_cell(g, "%s%s", after > before ? "+" : "",
                  res_shown(after - before, n->measure, texts[2]));
    res_grid_cell(g, "%s", n->better == RES_NEITHER ? "" : better ? "better" : "worse");
}

static void put_pair(res_grid_t *g, const pair_t *p, bool details)
{
    double before, after;
    if (!p->before || !p->after) {
        const code_kernel_t *k = p->after ? p->after : p->before;
        res_grid_cell(g, "%s", k->name);
        res_grid_cell(g, "%s", k->target);
        res_grid_cell(g, "%s", p->after ? "only in the second" : "only in the first");
        for (size_t i = 3; i < g->columns; i++)
            res_grid_cell(g, "%s", "");
        return;
    }
    for (size_t i = 0; i < res_code_number_count; i++) {
        const res_code_number_t *n = &res_code_numbers[i];
        if (is_compared(n, details) && differs(p, n, &before, &after))
            put_difference(g, p, n, before, after);
    }
}

typedef struct {
    size_t same, changed, spill, first, second;
} totals_t;

static totals_t count_pairs(const pair_t *pairs, size_t count)
{
    totals_t t = {0};
    for (size_t i = 0; i < count; i++) {
        const pair_t *p = &pairs[i];
        t.first += !p->after;
        t.second += !p->before;
        t.changed += p->differs;
        t.spill += p->spills > 0;
        t.same += p->before && p->after && !p->differs;
    }
    return t;
}

static int show(FILE *f, const pair_t *pairs, size_t count, bool details)
{
    static const char *const heads[] = {"Kernel", "GPU",     "Quantity", ">Before",
                                        ">After", ">Change", "Verdict"};
    const totals_t t = count_pairs(pairs, count);
    res_grid_t g;
    res_grid_begin(&g, heads, sizeof(heads) / sizeof(*heads));
    for (size_t i = 0; i < count; i++)
        if (pairs[i].differs || !pairs[i].before || !pairs[i].after)
            put_pair(&g, &pairs[i], details);
    const bool good = !g.failed;
    if (good) res_grid_text(&g, f);
    res_grid_free(&g);
    if (!good) {
        base_error("%s", strerror(ENOMEM));
        return RES_EXIT_TROUBLE;
    }
    fprintf(f,
            "%zu the same, %zu differ, of these %zu spill more; %zu only in the first, %zu only in "
            "the second\n",
            t.same, t.changed, t.spill, t.first, t.second);
    return t.changed || t.first || t.second ? RES_EXIT_BROKEN : RES_EXIT_KEPT;
}

int res_code_compare(FILE *f, const code_set_t *before, const code_set_t *after, bool details)
{
    const code_kernel_t **a = sorted_kernels(before), **b = sorted_kernels(after);
    pair_t *pairs = NULL;
    size_t count = 0;
    int status = RES_EXIT_TROUBLE;
    if (a && b && match(&pairs, &count, a, b)) {
        for (size_t i = 0; i < count; i++)
            weigh(&pairs[i], details);
        if (count) qsort(pairs, count, sizeof(*pairs), by_weight);
        status = show(f, pairs, count, details);
    } else {
        base_error("%s", strerror(ENOMEM));
    }
    free(pairs);
    free(a);
    free(b);
    return status;
}
