/* finding_groups.c - groups findings, so that one is shown for each cause.
 *
 * The same finding about several instances of a kernel becomes one; a finding that follows from
 * another one is put beneath it, according to a table. */
#include "results/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"

/* A rule whose finding can be the cause of others, and the rules whose findings follow from it if
 * both are about the same kernel, or one of the two about none. The cause must have at least
 * `hundredths` hundredths of the consequence's weight. Of two findings that could each be the
 * other's cause, the one with the larger weight is the cause. */
static const struct {
    const char *cause;
    int hundredths;
    const char *consequences; /* names of rules, separated by blanks */
} causes[] = {
    {"launch-bound", 25,
     " few-waves tail warm-up far-from-roofs code-misses scalar-misses tlb-misses l2-reuse "},
    {"launch-bound", 100, " idle-gpu "},
    {"sync-in-loop", 100, " idle-gpu launch-bound "},
    {"alloc-in-loop", 100, " idle-gpu sync-in-loop launch-bound "},
    {"code-loading", 100, " idle-gpu warm-up "},
    {"idle-gpu", 100, " sync-in-loop launch-bound "},
    {"small-copies", 25, " sync-copies one-stream pageable-copies idle-gpu "},
    {"sync-copies", 25, " one-stream pageable-copies idle-gpu sync-in-loop "},
    {"one-stream", 25, " pageable-copies "},
    {"few-waves", 25, " tail far-from-roofs occupancy-registers occupancy-lds occupancy-scratch "},
    {"partial-waves", 25, " divergence line-divergence occupancy-workgroups far-from-roofs "},
    {"spill-in-loop", 25,
     " scratch occupancy-scratch occupancy-registers line-uncoalesced uncoalesced tlb-misses "
     "l2-reuse far-from-roofs "},
    {"scratch", 25,
     " occupancy-scratch line-uncoalesced uncoalesced tlb-misses l2-reuse far-from-roofs "},
    {"line-atomics", 10,
     " atomics uncoalesced line-uncoalesced divergence line-divergence tlb-misses l2-reuse "
     "far-from-roofs "},
    {"atomics", 25,
     " uncoalesced line-uncoalesced divergence line-divergence tlb-misses l2-reuse "
     "far-from-roofs "},
    {"line-uncoalesced", 10, " uncoalesced tlb-misses l2-reuse far-from-roofs "},
    {"uncoalesced", 25, " tlb-misses l2-reuse far-from-roofs "},
    {"line-conflicts", 10, " lds-conflicts far-from-roofs "},
    {"lds-conflicts", 25, " far-from-roofs "},
    {"line-divergence", 10, " divergence uncoalesced far-from-roofs "},
    {"divergence", 25, " uncoalesced far-from-roofs "},
    {"occupancy-registers", 25, " far-from-roofs "},
    {"occupancy-lds", 25, " far-from-roofs "},
    {"occupancy-scratch", 25, " far-from-roofs "},
    {"tlb-misses", 25, " far-from-roofs "},
    {"l2-reuse", 25, " tlb-misses far-from-roofs "},
    {"code-misses", 25, " far-from-roofs "},
    {"scalar-misses", 25, " far-from-roofs "},
};

static int weightier(const void *left, const void *right)
{
    const res_finding_t *a = left, *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    const res_rule_row_t *x = res_finding_rule(a->rule), *y = res_finding_rule(b->rule);
    return x != y ? (x > y) - (x < y) : strcmp(a->subject, b->subject);
}

/* Appends a finding to a list. Returns false without memory; then nothing has changed. */
static bool take(res_finding_t **list, size_t *count, const res_finding_t *f)
{
    const bool room = BASE_GROW_BY_ONE(*list, *count);
    if (room) (*list)[(*count)++] = *f;
    return room;
}

/* ---- instances ---- */

/* Returns the length of a kernel's name without template arguments and parameters. */
static size_t base_length(const char *name)
{
    return strcspn(name, "<(");
}

static const char *base_name(const char *name)
{
    return base_begins_with(name, "void ") ? name + strlen("void ") : name;
}

static bool same(const res_finding_t *a, const res_finding_t *b)
{
    if (strcmp(a->rule, b->rule) != 0) return false;
    if (res_finding_rule(a->rule)->together) return true;
    if (!a->kernel || !b->kernel) return false;
    const char *x = base_name(a->kernel), *y = base_name(b->kernel);
    const size_t length = base_length(x);
    return length && length == base_length(y) && strncmp(x, y, length) == 0;
}

/* Joins rows that have the same finding about several kernels: the one with the largest weight is
 * kept, and the others go into its list. Rows are sorted by weight. Weights are added, up to 1. */
static bool join_instances(res_findings_t *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        size_t at = 0;
        while (at < kept && !same(&f->rows[at], &f->rows[i]))
            at++;
        if (at == kept) {
            res_finding_t row = f->rows[i];
            memset(&f->rows[i], 0, sizeof(row));
            f->rows[kept++] = row;
            continue;
        }
        res_finding_t *to = &f->rows[at];
        if (!take(&to->also, &to->also_count, &f->rows[i])) return false;
        to->weight += f->rows[i].weight;
        if (to->weight > 1) to->weight = 1;
        memset(&f->rows[i], 0, sizeof(f->rows[i]));
    }
    f->count = kept;
    return true;
}

/* ---- causes ---- */

static bool is_about(const res_finding_t *f, const char *kernel)
{
    if (f->kernel && strcmp(f->kernel, kernel) == 0) return true;
    for (size_t i = 0; i < f->also_count; i++)
        if (f->also[i].kernel && strcmp(f->also[i].kernel, kernel) == 0) return true;
    return false;
}

static bool is_cause(const res_finding_t *cause, const res_finding_t *f)
{
    char word[64];
    if (cause == f || (cause->kernel && f->kernel && !is_about(cause, f->kernel))) return false;
    snprintf(word, sizeof(word), " %s ", f->rule);
    for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
        if (strcmp(causes[i].cause, cause->rule) == 0 && strstr(causes[i].consequences, word) &&
            100 * cause->weight >= causes[i].hundredths * f->weight &&
            !(causes[i].hundredths == 100 && cause->weight == f->weight && cause > f))
            return true;
    return false;
}

/* Returns the finding at the end of the chain of causes, which has no cause itself; rows are sorted
 * by weight. */
static size_t root_of(const res_findings_t *f, size_t at)
{
    for (size_t steps = 0; steps < f->count; steps++) {
        size_t cause = 0;
        while (cause < f->count && !is_cause(&f->rows[cause], &f->rows[at]))
            cause++;
        if (cause == f->count) break;
        at = cause;
    }
    return at;
}

static bool lay_beneath(res_findings_t *f)
{
    size_t *roots = calloc(f->count + 1, sizeof(*roots)), kept = 0;
    bool good = roots;
    for (size_t i = 0; good && i < f->count; i++)
        roots[i] = root_of(f, i);
    for (size_t i = 0; good && i < f->count; i++) {
        res_finding_t *root = &f->rows[roots[i]];
        if (root == &f->rows[i]) continue;
        good = take(&root->beneath, &root->beneath_count, &f->rows[i]);
        if (!good) break;
        if (f->rows[i].weight > root->weight) root->weight = f->rows[i].weight;
        memset(&f->rows[i], 0, sizeof(f->rows[i]));
    }
    for (size_t i = 0; i < f->count; i++)
        if (f->rows[i].rule) {
            res_finding_t row = f->rows[i];
            memset(&f->rows[i], 0, sizeof(row));
            f->rows[kept++] = row;
        }
    f->count = kept;
    free(roots);
    return good;
}

bool res_findings_group(res_findings_t *f)
{
    if (!f->count) return true;
    qsort(f->rows, f->count, sizeof(*f->rows), weightier);
    if (!join_instances(f)) return false;
    qsort(f->rows, f->count, sizeof(*f->rows), weightier);
    if (!lay_beneath(f)) return false;
    qsort(f->rows, f->count, sizeof(*f->rows), weightier);
    return true;
}
