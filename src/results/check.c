/* check.c - rocprofv3 check: checks whether a run keeps to a budget.
 *
 * Each rule is checked for each kernel that its expression matches. A rule that cannot be checked,
 * because there is no value or no kernel, does not count as kept. renew.c has --update. */
#include "results/check.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/file.h"
#include "results/arguments.h"
#include "results/code.h"
#include "results/commands.h"

enum { BUDGET_BYTES_MAX = 4 << 20 };

/* ---- checking rules ---- */

res_found_t res_rule_value(const res_values_t *v, size_t kernel, const res_rule_t *rule)
{
    res_found_t f = {.value = res_value_find(v, kernel, rule->quantity)};
    const res_value_t *value = f.value;
    if (!value) {
        res_value_missing(v, rule->quantity, f.why, sizeof(f.why));
        return f;
    }
    f.least = value->least;
    f.most = value->most;
    if (rule->over == RES_TOTAL) f.least = f.most = value->total;
    if (rule->over == RES_MEAN)
        f.least = f.most = value->dispatches ? value->total / (double)value->dispatches : 0;
    return f;
}

/* Writes why the rule's unit does not fit the value's; "" if it does. */
static void find_fault(const res_rule_t *rule, const res_value_t *value, char *why, size_t room)
{
    /* indexed by the rule's measure, then the value's; a counter's value has the plain measure, but
     * may count bytes, or be a percentage */
    static const bool fits[][4] = {[RES_PLAIN] = {true, true, true, true},
                                   [RES_PERCENT] = {[RES_PLAIN] = true, [RES_PERCENT] = true},
                                   [RES_BYTES] = {[RES_PLAIN] = true, [RES_BYTES] = true},
                                   [RES_TIME] = {[RES_TIME] = true}};
    why[0] = 0;
    if (!fits[rule->measure][value->measure])
        snprintf(why, room, "the unit '%s' does not fit", rule->unit);
    else if (rule->tolerance >= 0 && value->class_ == RES_EXACT)
        snprintf(why, room, "it is exact, so there is nothing to tolerate; give a range");
}

static double tolerance_of(const res_budget_t *b, const res_rule_t *rule, const res_value_t *value)
{
    if (value->class_ == RES_EXACT) return 0;
    if (rule->tolerance >= 0) return rule->tolerance;
    return b->tolerance >= 0 ? b->tolerance : 0;
}

static void name_quantity(const res_rule_t *rule, char *text, size_t room)
{
    static const char *const forms[] = {"%s", "total(%s)", "mean(%s)"}; /* ORDER: res_over_t */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, room, forms[rule->over], rule->quantity);
#pragma GCC diagnostic pop
}

static void show_range(const res_found_t *f, char *text, size_t room)
{
    char least[RES_SHOWN_BYTES], most[RES_SHOWN_BYTES];
    res_shown(f->least, f->value->measure, least);
    res_shown(f->most, f->value->measure, most);
    if (f->least == f->most)
        snprintf(text, room, "%s", most);
    else
        snprintf(text, room, "%s .. %s", least, most);
}

static void judge(res_verdicts_t *to, const res_budget_t *b, const res_values_t *v, size_t kernel,
                  const res_rule_t *rule)
{
    char quantity[256], range[2 * RES_SHOWN_BYTES + 8] = "", message[1024] = "";
    res_found_t f = res_rule_value(v, kernel, rule);
    const char *label = v->kernels[kernel].label, *kind = "", *result = "not checked";
    name_quantity(rule, quantity, sizeof(quantity));
    if (f.value) find_fault(rule, f.value, f.why, sizeof(f.why));
    res_outcome_t outcome = RES_UNCHECKED;
    if (f.value) {
        kind = res_class_names[f.value->class_];
        show_range(&f, range, sizeof(range));
    }
    if (!f.why[0]) {
        const double tolerance = tolerance_of(b, rule, f.value);
        const bool kept =
            res_rule_holds(rule, f.least, tolerance) && res_rule_holds(rule, f.most, tolerance);
        outcome = kept ? RES_KEPT : RES_BROKEN;
        result = kept ? "ok" : "BROKEN";
        if (!kept)
            snprintf(message, sizeof(message), "%s:%u:%u: %s is %s, the budget says %s", b->name,
                     rule->line, rule->column, quantity, range, rule->text);
    } else {
        snprintf(message, sizeof(message), "%s:%u:%u: %s: %s", b->name, rule->line, rule->column,
                 quantity, f.why);
    }
    res_grid_cell(&to->grid, "%s", label);
    res_grid_cell(&to->grid, "%s", quantity);
    res_grid_cell(&to->grid, "%s", kind);
    res_grid_cell(&to->grid, "%s", rule->text);
    res_grid_cell(&to->grid, "%s", range);
    res_grid_cell(&to->grid, "%s%s%s", result, f.why[0] ? ": " : "", f.why);
    res_verdict(to, outcome, v->kernels[kernel].name, message, "%s %s", quantity, rule->text);
}

static void judge_all(res_verdicts_t *to, const res_budget_t *b, const res_values_t *v)
{
    for (size_t i = 0; i < b->count; i++) {
        const res_entry_t *e = &b->kernels[i];
        char message[512];
        size_t matched = 0;
        for (size_t k = 0; k < v->kernel_count; k++) {
            if (!res_entry_matches(e, v->kernels[k].name, v->kernels[k].brief)) continue;
            matched++;
            for (size_t j = 0; j < e->count; j++)
                judge(to, b, v, k, &e->rules[j]);
        }
        if (matched) continue;
        snprintf(message, sizeof(message), "%s:%u:%u: no kernel of the run is called so", b->name,
                 e->line, e->column);
        res_grid_cell(&to->grid, "%s", e->expression);
        for (size_t c = 2; c < to->grid.columns; c++)
            res_grid_cell(&to->grid, "%s", "");
        res_grid_cell(&to->grid, "not checked: no kernel of the run is called so");
        res_verdict(to, RES_UNCHECKED, e->expression, message, "kernels");
    }
}

static int check(const res_budget_t *b, const res_values_t *v, res_format_t format,
                 const char *output)
{
    static const char *const heads[] = {"Kernel", "Quantity", "Class", "Limit", ">Value", "Result"};
    char losses[256];
    res_verdicts_t to = {.title = b->name, .words = {"kept", "broken", "not checked"}};
    res_grid_begin(&to.grid, heads, sizeof(heads) / sizeof(*heads));
    judge_all(&to, b, v);
    res_losses_text(v, losses, sizeof(losses));
    if (losses[0]) {
        base_error("%s: what is missing from it cannot be judged", losses);
        res_verdict(&to, RES_UNCHECKED, "run", losses, "losses");
    }
    int status =
        res_verdicts_write(&to, format, output) == 0 ? res_verdicts_status(&to) : RES_EXIT_TROUBLE;
    for (size_t i = 0; i < to.count; i++)
        if (to.rows[i].outcome != RES_KEPT && to.rows[i].message[0] && output)
            base_warning("%s", to.rows[i].message);
    res_verdicts_free(&to);
    return status;
}

/* ---- the command ---- */

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "text, md or junit (default text)", 0},
    {"output", 'o', "FILE", 0, "write there; the text goes to standard output all the same", 0},
    {"update", 'u', NULL, 0,
     "write the run's values into BUDGET.yaml, comments stay; a file that is not there is made", 0},
    {"code", 'c', NULL, 0,
     "the budget is for code as compilers made it, which is not run: all words behind it are files "
     "and folders as rocprofv3 code takes them",
     0},
    {0}};

typedef struct {
    const res_arguments_t *arguments;
    const res_budget_t *budget; /* NULL: there is no file yet */
    const char *text;
    size_t bytes;
} job_t;

static int use_run(res_run_t *r, const res_values_t *v, void *data)
{
    const job_t *j = data;
    const res_arguments_t *a = j->arguments;
    (void)r;
    if (!a->update) return check(j->budget, v, a->format, a->output);
    const int result = j->budget ? res_budget_renew(j->budget, v, j->text, j->bytes)
                                 : res_budget_make(a->words[0], v);
    return result == 0 ? RES_EXIT_KEPT : RES_EXIT_TROUBLE;
}

/* Returns whether the rules need more than the compiler's notes. */
static bool needs_bodies(const res_budget_t *b)
{
    bool needs = !b; /* a budget that is made has all numbers */
    for (size_t i = 0; b && i < b->count; i++)
        for (size_t j = 0; j < b->kernels[i].count; j++)
            needs |= res_code_needs_body(b->kernels[i].rules[j].quantity);
    return needs;
}

/* Checks code that was not run. */
static int use_code(job_t *j)
{
    const res_arguments_t *a = j->arguments;
    const code_request_t request = {.bodies = needs_bodies(j->budget)};
    code_set_t set;
    res_values_t v;
    int status = RES_EXIT_TROUBLE;
    if (a->count < 2) {
        base_error("check --code: files with the code are expected behind %s", a->words[0]);
        return status;
    }
    if (!code_read(&set, a->words + 1, a->count - 1, &request)) return status;
    if (!set.count) {
        if (!set.troubles) base_error("check --code: no kernel was found");
    } else if (res_code_values(&set, &v)) {
        status = use_run(NULL, &v, j);
        if (set.troubles && status == RES_EXIT_KEPT) status = RES_EXIT_TROUBLE;
        res_values_free(&v);
    } else {
        base_error("%s", strerror(ENOMEM));
    }
    code_free(&set);
    return status;
}

static int use_input(job_t *j)
{
    const res_arguments_t *a = j->arguments;
    return a->code ? use_code(j) : res_read(a->words + 1, a->count - 1, use_run, j);
}

/* Reads the file's text, NULL if there is no file. Returns -1 after reporting the reason on
 * failure. */
static int read_file(const char *path, char **text, size_t *bytes)
{
    *text = base_file_read(path, BUDGET_BYTES_MAX, bytes);
    if (*text || errno == ENOENT) return 0;
    if (errno == EFBIG)
        base_error("%s: longer than %d bytes", path, BUDGET_BYTES_MAX);
    else
        base_error("%s: %s", path, strerror(errno));
    return -1;
}

int res_check_command(int argc, char **argv)
{
    static char name[] = "rocprofv3 check";
    res_arguments_t a = {.formats = 1u << RES_TEXT | 1u << RES_MARKDOWN | 1u << RES_JUNIT,
                         .words_least = 1,
                         .words_most = SIZE_MAX};
    char why[1024], *text = NULL;
    size_t bytes = 0;
    int status = RES_EXIT_TROUBLE;
    res_budget_t b;
    res_arguments(&a, argc, argv, name, options,
                  "BUDGET.yaml [DIR|DB...]\n--code BUDGET.yaml FILE|DIR...",
                  "Does a run keep to a budget? Status 0: it does, 1: it does not, 2: that cannot "
                  "be told.\vDatabases are searched for in DIR, or in the working directory.");
    if (read_file(a.words[0], &text, &bytes) != 0) return status;
    job_t job = {.arguments = &a, .text = text, .bytes = bytes};
    if (!text && a.update) {
        status = use_input(&job);
    } else if (!text) {
        base_error("%s: %s (--update makes it from a run)", a.words[0], strerror(ENOENT));
    } else if (res_budget_parse(&b, a.words[0], text, bytes, why, sizeof(why)) != 0) {
        base_error("%s", why);
    } else {
        job.budget = &b;
        status = use_input(&job);
        res_budget_free(&b);
    }
    free(text);
    return status;
}
