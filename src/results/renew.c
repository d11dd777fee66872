/* renew.c - rocprofv3 check --update: makes or renews a budget's file from a run.
 *
 * An existing file keeps its comments and its order: only the texts of rules are replaced, in
 * place. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "results/check.h"
#include "results/verdicts.h"

static bool is_whole(const res_values_t *v)
{
    char losses[256];
    res_losses_text(v, losses, sizeof(losses));
    if (losses[0]) base_error("%s: no budget is made of it", losses);
    return !losses[0];
}

/* Finds the least and the most of a rule's values over all kernels to which it applies. Returns 0,
 * or -1 after reporting the reason. */
static int span(const res_budget_t *b, const res_entry_t *e, const res_rule_t *rule,
                const res_values_t *v, double *least, double *most)
{
    bool any = false;
    for (size_t k = 0; k < v->kernel_count; k++) {
        if (!res_entry_matches(e, v->kernels[k].name, v->kernels[k].brief)) continue;
        const res_found_t f = res_rule_value(v, k, rule);
        if (!f.value) {
            base_error("%s:%u:%u: %s of %s: %s", b->name, rule->line, rule->column, rule->quantity,
                       v->kernels[k].label, f.why);
            return -1;
        }
        *least = any ? fmin(*least, f.least) : f.least;
        *most = any ? fmax(*most, f.most) : f.most;
        any = true;
    }
    if (any) return 0;
    base_error("%s:%u:%u: no kernel of the run is called so", b->name, e->line, e->column);
    return -1;
}

/* Writes a rule as YAML: a number without quotes, other texts in quotes. */
static void put_rule(FILE *f, const char *text)
{
    const bool plain = text[strspn(text, "0123456789.")] == 0;
    fprintf(f, plain ? "%s" : "\"%s\"", text);
}

int res_budget_renew(const res_budget_t *b, const res_values_t *v, const char *text, size_t bytes)
{
    char *renewed = NULL;
    size_t size = 0, at = 0, changed = 0, rules = 0;
    int result = 0;
    if (!is_whole(v)) return -1;
    FILE *f = open_memstream(&renewed, &size);
    for (size_t i = 0; f && i < b->count; i++) {
        for (size_t j = 0; j < b->kernels[i].count; j++) {
            const res_rule_t *rule = &b->kernels[i].rules[j];
            double least = 0, most = 0;
            rules++;
            if (span(b, &b->kernels[i], rule, v, &least, &most) != 0) {
                result = -1;
                continue;
            }
            char *now = res_rule_renew(rule, least, most);
            fwrite(text + at, 1, rule->begin - at, f);
            at = rule->begin;
            if (now && strcmp(now, rule->text) != 0) {
                put_rule(f, now);
                at = rule->end;
                changed++;
            }
            if (!now) result = -1;
            free(now);
        }
    }
    if (f) fwrite(text + at, 1, bytes - at, f);
    if (!f || fclose(f) != 0) {
        base_error("%s", strerror(ENOMEM));
        result = -1;
    }
    if (result == 0) result = res_save(b->name, renewed, size);
    if (result == 0)
        printf("%s: %zu of %zu rules changed\n", b->name, changed, rules);
    else
        base_error("%s is left as it was", b->name);
    free(renewed);
    return result;
}

/* Writes a name as an expression that matches only this name, in double quotes. */
static void put_expression(FILE *f, const char *name)
{
    char *text = NULL;
    size_t bytes;
    FILE *escaped = open_memstream(&text, &bytes);
    if (!escaped) return;
    for (; *name; name++) {
        if (strchr("*?[\\", *name)) fputc('\\', escaped);
        fputc(*name, escaped);
    }
    /* YAML's double quotes allow all of JSON's escapes */
    if (fclose(escaped) == 0) base_put_json(f, text);
    free(text);
}

/* Returns whether it is one of the runtime's own kernels, which differ from version to version. */
static bool is_runtimes(const char *name)
{
    return strncmp(name, "__amd_rocclr_", strlen("__amd_rocclr_")) == 0;
}

/* Returns whether high values of the quantity are better. A new budget then allows at least today's
 * value, else at most. */
static bool is_better_high(const char *name)
{
    static const char *const words[] = {"Hit", "HIT", "_hits", "occupancy", "Util", "Coalesce"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strstr(name, words[i])) return true;
    return false;
}

static void put_value(FILE *f, const res_value_t *value)
{
    static const char *const same[] = {"dispatches", "workgroup", "grid"};
    const char *unit = value->measure == RES_PERCENT ? " %" : "";
    const char *tolerance = value->class_ == RES_EXACT ? "" : " \302\261 10 %";
    char least[RES_NUMBER_BYTES], most[RES_NUMBER_BYTES];
    if (value->class_ == RES_EXACT) {
        res_number_text(value->least, least);
        res_number_text(value->most, most);
    } else { /* with a tolerance of a tenth, six digits are enough */
        snprintf(least, sizeof(least), "%.6g", value->least);
        snprintf(most, sizeof(most), "%.6g", value->most);
    }
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        if (strcmp(value->name, same[i]) != 0) continue;
        if (value->least == value->most)
            fprintf(f, "  %s: %s\n", value->name, most);
        else
            fprintf(f, "  %s: %s .. %s\n", value->name, least, most);
        return;
    }
    const bool high = is_better_high(value->name);
    fprintf(f, "  %s: \"%s %s%s%s\"\n", value->name, high ? ">=" : "<=", high ? least : most, unit,
            tolerance);
}

int res_budget_make(const char *path, const res_values_t *v)
{
    char *text = NULL;
    size_t bytes = 0;
    bool any = false;
    if (!is_whole(v)) return -1;
    FILE *f = open_memstream(&text, &bytes);
    if (f) fputs("# A budget: rocprofv3 check. What is exact is kept to strictly.\n", f);
    for (size_t k = 0; f && k < v->kernel_count; k++) {
        const res_subject_t *kernel = &v->kernels[k];
        if (is_runtimes(kernel->name)) continue;
        put_expression(f, kernel->label);
        fputs(":\n", f);
        for (size_t i = kernel->first; i < kernel->first + kernel->count; i++)
            if (v->rows[i].measure != RES_TIME || v->rows[i].class_ != RES_MEASURED)
                put_value(f, &v->rows[i]);
        any = true;
    }
    int result = f && fclose(f) == 0 && any ? res_save(path, text, bytes) : -1;
    if (!any) base_error("%s: the run has no kernels", path);
    if (result == 0) printf("%s: made\n", path);
    free(text);
    return result;
}
