/* diff.c - rocprofv3 diff: the differences between two runs.
 *
 * Kernels are matched by name. Exact values that differ are a difference, however small; modelled
 * and measured values only if they differ by more than the tolerance, and measured times only on
 * request, since they differ from run to run. */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "results/arguments.h"
#include "results/commands.h"

typedef struct {
    const res_subject_t *kernel;
    const res_value_t *a,
        *b; /* both NULL: only one run has the kernel; one NULL: only one run has the value */
    const char *name;
    bool in_a;     /* if only one run has the kernel: it is the first run */
    double weight; /* relative difference times the kernel's share of the time */
} difference_t;

typedef struct {
    const res_arguments_t *arguments;
    const res_values_t *runs[2];
    difference_t *rows;
    size_t count;
    size_t *same; /* kernels of the first run without differences */
    size_t same_count;
    bool failed;
} comparison_t;

static double mean(const res_value_t *v)
{
    return v->dispatches ? v->total / (double)v->dispatches : 0;
}

/* Returns the difference as a share of the larger number. */
static double distance(double a, double b)
{
    const double larger = fmax(fabs(a), fabs(b));
    return larger > 0 ? fabs(a - b) / larger : 0;
}

static double value_distance(const res_value_t *a, const res_value_t *b)
{
    const double pairs[][2] = {
        {mean(a), mean(b)}, {a->total, b->total}, {a->least, b->least}, {a->most, b->most}};
    double most = 0;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        most = fmax(most, distance(pairs[i][0], pairs[i][1]));
    return most;
}

static void add(comparison_t *c, difference_t d)
{
    const bool room = BASE_GROW_BY_ONE(c->rows, c->count);
    c->failed |= !room;
    if (room) c->rows[c->count++] = d;
}

static bool is_told(const comparison_t *c, const res_value_t *v)
{
    return c->arguments->times || v->measure != RES_TIME || v->class_ != RES_MEASURED;
}

static void compare_value(comparison_t *c, const res_subject_t *kernel, const res_value_t *a,
                          const res_value_t *b, double share)
{
    if (!is_told(c, a)) return;
    const double apart = value_distance(a, b);
    const bool exact = a->class_ == RES_EXACT && b->class_ == RES_EXACT;
    if (apart == 0 || (!exact && apart <= c->arguments->tolerance)) return;
    add(c,
        (difference_t){.kernel = kernel, .a = a, .b = b, .name = a->name, .weight = apart * share});
}

/* Compares two kernels of the same name. */
static void compare_kernels(comparison_t *c, size_t ka, size_t kb)
{
    const res_values_t *va = c->runs[0], *vb = c->runs[1];
    const res_subject_t *a = &va->kernels[ka], *b = &vb->kernels[kb];
    const double share = fmax(a->share, b->share);
    const size_t before = c->count;
    for (size_t i = a->first; i < a->first + a->count; i++) {
        const res_value_t *other = res_value_find(vb, kb, va->rows[i].name);
        if (other)
            compare_value(c, a, &va->rows[i], other, share);
        else if (is_told(c, &va->rows[i]))
            add(c, (difference_t){
                       .kernel = a, .a = &va->rows[i], .name = va->rows[i].name, .weight = -1});
    }
    for (size_t i = b->first; i < b->first + b->count; i++)
        if (!res_value_find(va, ka, vb->rows[i].name) && is_told(c, &vb->rows[i]))
            add(c, (difference_t){
                       .kernel = a, .b = &vb->rows[i], .name = vb->rows[i].name, .weight = -1});
    if (c->count == before) c->same[c->same_count++] = ka;
}

/* Sorts by weight. The weight of a kernel that only one run has is the kernel's own; a value that
 * one run lacks has no weight and comes last. */
static int heavier(const void *left, const void *right)
{
    const difference_t *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    const int names = strcmp(a->kernel->name, b->kernel->name);
    return names ? names : strcmp(a->name, b->name);
}

static void compare(comparison_t *c)
{
    const res_values_t *va = c->runs[0], *vb = c->runs[1];
    for (size_t k = 0; k < va->kernel_count; k++) {
        const res_subject_t *kernel = &va->kernels[k];
        const size_t other = res_kernel_place(vb, kernel->name);
        if (other < vb->kernel_count)
            compare_kernels(c, k, other);
        else
            add(c, (difference_t){
                       .kernel = kernel, .name = "kernel", .in_a = true, .weight = kernel->share});
    }
    for (size_t k = 0; k < vb->kernel_count; k++)
        if (res_kernel_place(va, vb->kernels[k].name) == va->kernel_count)
            add(c, (difference_t){.kernel = &vb->kernels[k],
                                  .name = "kernel",
                                  .weight = vb->kernels[k].share});
    if (c->count) qsort(c->rows, c->count, sizeof(*c->rows), heavier);
}

/* ---- showing ---- */

/* Shows a value of a run: the mean, and the least and the most if dispatches differ. */
static void show(const res_value_t *v, char *text, size_t room)
{
    char least[RES_SHOWN_BYTES], most[RES_SHOWN_BYTES], middle[RES_SHOWN_BYTES];
    if (!v)
        snprintf(text, room, "not collected");
    else if (v->least == v->most)
        snprintf(text, room, "%s", res_shown(v->most, v->measure, most));
    else
        snprintf(text, room, "%s (%s .. %s)", res_shown(mean(v), v->measure, middle),
                 res_shown(v->least, v->measure, least), res_shown(v->most, v->measure, most));
}

static void show_change(const difference_t *d, char *text, size_t room)
{
    text[0] = 0;
    if (!d->a || !d->b) return;
    const double a = mean(d->a), b = mean(d->b);
    if (a != 0 && a != b)
        snprintf(text, room, "%+.4g %%", 100 * (b - a) / fabs(a));
    else if (a != b)
        snprintf(text, room, "from 0");
    else
        snprintf(text, room, "spread");
}

static void tell(res_verdicts_t *to, const difference_t *d)
{
    char a[4 * RES_SHOWN_BYTES], b[4 * RES_SHOWN_BYTES], change[64], message[1024];
    const bool alone = !d->a && !d->b;
    const res_value_t *any = d->a ? d->a : d->b;
    show(d->a, a, sizeof(a));
    show(d->b, b, sizeof(b));
    show_change(d, change, sizeof(change));
    if (alone) {
        snprintf(a, sizeof(a), d->in_a ? "there" : "not there");
        snprintf(b, sizeof(b), d->in_a ? "not there" : "there");
    }
    res_grid_cell(&to->grid, "%s", d->kernel->label);
    res_grid_cell(&to->grid, "%s", d->name);
    res_grid_cell(&to->grid, "%s", any ? res_class_names[any->class_] : "");
    res_grid_cell(&to->grid, "%s", a);
    res_grid_cell(&to->grid, "%s", b);
    res_grid_cell(&to->grid, "%s", change);
    snprintf(message, sizeof(message), "%s: %s, then %s", d->name, a, b);
    res_verdict(to, d->weight < 0 ? RES_UNCHECKED : RES_BROKEN, d->kernel->name, message, "%s",
                d->name);
}

static int show_all(const comparison_t *c)
{
    static const char *const heads[] = {"Kernel",  "Quantity", "Class",
                                        ">Before", ">After",   ">Change"};
    const res_arguments_t *a = c->arguments;
    char title[1024];
    snprintf(title, sizeof(title), "%s and %s", a->words[0], a->words[1]);
    res_verdicts_t to = {.title = title,
                         .words = {"kernels the same", "differences", "not compared"}};
    res_grid_begin(&to.grid, heads, sizeof(heads) / sizeof(*heads));
    for (size_t i = 0; i < c->count; i++)
        tell(&to, &c->rows[i]);
    for (size_t i = 0; i < c->same_count; i++)
        res_verdict(&to, RES_KEPT, c->runs[0]->kernels[c->same[i]].name, "", "all");
    for (size_t i = 0; i < 2; i++) {
        char losses[256];
        res_losses_text(c->runs[i], losses, sizeof(losses));
        if (!losses[0]) continue;
        base_error("%s: %s", a->words[i], losses);
        res_verdict(&to, RES_UNCHECKED, a->words[i], losses, "losses");
    }
    int status = res_verdicts_write(&to, a->format, a->output) == 0 ? res_verdicts_status(&to)
                                                                    : RES_EXIT_TROUBLE;
    res_verdicts_free(&to);
    return status;
}

/* ---- the command ---- */

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "text, md or junit (default text)", 0},
    {"output", 'o', "FILE", 0, "write there; the text goes to standard output all the same", 0},
    {"tolerance", 't', "PERCENT", 0,
     "how far values of models and clocks may be apart (default 10)", 0},
    {"times", 'T', NULL, 0, "compare times that a clock has measured, too", 0},
    {0}};

static int use_second(res_run_t *r, const res_values_t *v, void *data)
{
    comparison_t *c = data;
    int status = RES_EXIT_TROUBLE;
    (void)r;
    c->runs[1] = v;
    c->same = calloc(c->runs[0]->kernel_count + 1, sizeof(*c->same));
    if (c->same) compare(c);
    if (c->same && !c->failed)
        status = show_all(c);
    else
        base_error("%s", strerror(ENOMEM));
    free(c->same);
    free(c->rows);
    return status;
}

static int use_first(res_run_t *r, const res_values_t *v, void *data)
{
    comparison_t *c = data;
    (void)r;
    c->runs[0] = v;
    return res_read(c->arguments->words + 1, 1, use_second, c);
}

int res_diff_command(int argc, char **argv)
{
    static char name[] = "rocprofv3 diff";
    res_arguments_t a = {.tolerance = 0.1,
                         .formats = 1u << RES_TEXT | 1u << RES_MARKDOWN | 1u << RES_JUNIT,
                         .words_least = 2,
                         .words_most = 2};
    res_arguments(&a, argc, argv, name, options, "BEFORE AFTER",
                  "What differs between two runs, each a database or a directory with some? Status "
                  "0: nothing, 1: something, 2: that cannot be told.\vKernels are matched by name. "
                  "Exact values are compared strictly, those of models and clocks with the "
                  "tolerance.");
    comparison_t c = {.arguments = &a};
    return res_read(a.words, 1, use_first, &c);
}
