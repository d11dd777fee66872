/* annotate_rules.c - problems of an instruction that its counts show.
 *
 * A rule is a row of a table: a function that returns what the problem costs, or 0 if the rule does
 * not apply, and one that writes the sentence. Each rule is based on a count. waste.c has the
 * conditions that findings use, too. */
#include <string.h>

#include "base/text.h"
#include "gpus/gpus.h"
#include "results/annotate.h"
#include "results/waste.h"

typedef struct {
    uint64_t (*cost)(const ann_kernel_t *k, const ins_instruction_t *i);
    void (*say)(const ann_kernel_t *k, const ins_instruction_t *i, char text[ANN_SENTENCE_BYTES]);
} rule_t;

/* Returns whether the instruction uses lanes at all; scalar instructions do not. */
static bool is_vector(const ins_instruction_t *i)
{
    return !base_begins_with(i->text, "s_");
}

static double each(uint64_t sum, const ins_instruction_t *i)
{
    return i->counts.issued ? (double)sum / (double)i->counts.issued : 0;
}

/* Writes a number as "4" or "3.5". */
static const char *number(double value, char text[32])
{
    const bool whole = value >= 1e15 || value - (double)(uint64_t)value < 0.05;
    snprintf(text, 32, whole ? "%.0f" : "%.1f", value);
    return text;
}

/* ---- rules ---- */

static uint64_t cost_spread(const ann_kernel_t *k, const ins_instruction_t *i)
{
    (void)k;
    return res_waste_lines(i->counts.issued, i->counts.lines, i->counts.lines_needed);
}

static void say_spread(const ann_kernel_t *k, const ins_instruction_t *i,
                       char text[ANN_SENTENCE_BYTES])
{
    (void)k;
    char touched[32], needed[32];
    snprintf(text, ANN_SENTENCE_BYTES, "uncoalesced: %s lines touched, %s needed",
             number(each(i->counts.lines, i), touched),
             number(each(i->counts.lines_needed, i), needed));
}

static uint64_t cost_conflict(const ann_kernel_t *k, const ins_instruction_t *i)
{
    (void)k;
    return res_waste_clocks(i->counts.lds_clocks, i->counts.lds_clocks_needed);
}

static void say_conflict(const ann_kernel_t *k, const ins_instruction_t *i,
                         char text[ANN_SENTENCE_BYTES])
{
    (void)k;
    const softgpu_instruction_counts_t *n = &i->counts;
    char ways[32], clocks[32], needed[32];
    snprintf(text, ANN_SENTENCE_BYTES, "%s-way LDS conflict: %s clocks, %s needed",
             number((double)n->lds_clocks / (double)n->lds_clocks_needed, ways),
             number(each(n->lds_clocks, i), clocks), number(each(n->lds_clocks_needed, i), needed));
}

static uint64_t cost_spill(const ann_kernel_t *k, const ins_instruction_t *i)
{
    const uint64_t spills = k->facts && k->facts->noted ? k->facts->notes.vgpr_spills : 0;
    return res_waste_spill(spills, i->depth, i->text) ? i->counts.issued + i->counts.lines : 0;
}

static void say_spill(const ann_kernel_t *k, const ins_instruction_t *i,
                      char text[ANN_SENTENCE_BYTES])
{
    (void)k;
    snprintf(text, ANN_SENTENCE_BYTES, "spill inside a loop, %u deep: scratch is %s %llu times",
             i->depth, strstr(i->text, "_load") ? "read" : "written",
             (unsigned long long)i->counts.issued);
}

/* Work-items of the kernel's waves: as its code says, or else as its descriptor does, or else as
 * compilers take for its GPU. */
static unsigned wave_of(const ann_kernel_t *k)
{
    enum { USUAL = 64 };
    const gpus_arch_t *arch = gpus_find(k->gpu);
    if (k->facts && k->facts->notes.wave_items) return k->facts->notes.wave_items;
    if (k->waves.items) return k->waves.items;
    return arch ? arch->wave : USUAL;
}

/* Cost of idle lanes, if half of them or more are idle. An instruction that no lane executed is no
 * problem: mostly it is skipped. */
static uint64_t cost_idle(const ann_kernel_t *k, const ins_instruction_t *i)
{
    const softgpu_instruction_counts_t *n = &i->counts;
    const unsigned wave = wave_of(k);
    if (!is_vector(i) || !n->lanes || n->lanes / (wave / 2) >= n->issued) return 0;
    return n->issued - n->lanes / wave;
}

static void say_idle(const ann_kernel_t *k, const ins_instruction_t *i,
                     char text[ANN_SENTENCE_BYTES])
{
    char lanes[32];
    snprintf(text, ANN_SENTENCE_BYTES, "%s of %u lanes active",
             number(each(i->counts.lanes, i), lanes), wave_of(k));
}

static uint64_t cost_split(const ann_kernel_t *k, const ins_instruction_t *i)
{
    (void)k;
    return i->counts.divergent && i->counts.divergent >= (i->counts.issued + 1) / 2
               ? i->counts.divergent
               : 0;
}

static void say_split(const ann_kernel_t *k, const ins_instruction_t *i,
                      char text[ANN_SENTENCE_BYTES])
{
    (void)k;
    snprintf(text, ANN_SENTENCE_BYTES, "waves part here: %llu of %llu went on with some lanes only",
             (unsigned long long)i->counts.divergent, (unsigned long long)i->counts.issued);
}

/* The reasons for which waves wait in the model. */
#define WAITS(X)                                                                                   \
    X(wait_code, "its code")                                                                       \
    X(wait_vector, "vector memory")                                                                \
    X(wait_scalar, "scalar memory")                                                                \
    X(wait_lds, "LDS")                                                                             \
    X(wait_barrier, "the other waves of the workgroup")                                            \
    X(wait_matrix, "the matrix unit")                                                              \
    X(wait_bandwidth, "memory's bandwidth")                                                        \
    X(stall_valu, "the vector pipe, which others had")                                             \
    X(stall_lds, "LDS, which others had")                                                          \
    X(stall_vector, "vector memory's pipe, which others had")

static uint64_t longest_wait(const softgpu_instruction_counts_t *n, const char **what)
{
    uint64_t longest = 0;
#define X(member, name)                                                                            \
    if (n->member > longest) {                                                                     \
        longest = n->member;                                                                       \
        *what = name;                                                                              \
    }
    WAITS(X)
#undef X
    return longest;
}

/* Cost of waits, if they are three quarters of the instruction's clocks, and longer than usual. */
static uint64_t cost_wait(const ann_kernel_t *k, const ins_instruction_t *i)
{
    const char *what = "";
    const uint64_t wait = longest_wait(&i->counts, &what);
    if (!k->modelled || wait < 100 * i->counts.issued) return 0;
    return wait / 3 >= ins_clocks(&i->counts) / 4 ? wait : 0;
}

static void say_wait(const ann_kernel_t *k, const ins_instruction_t *i,
                     char text[ANN_SENTENCE_BYTES])
{
    (void)k;
    const char *what = "";
    const uint64_t wait = longest_wait(&i->counts, &what);
    snprintf(text, ANN_SENTENCE_BYTES, "%.0f clocks of waiting for %s (model)", each(wait, i),
             what);
}

static const rule_t rules[] = {
    {cost_spill, say_spill}, {cost_spread, say_spread}, {cost_conflict, say_conflict},
    {cost_idle, say_idle},   {cost_split, say_split},   {cost_wait, say_wait},
};

enum { RULES = sizeof(rules) / sizeof(*rules) };

typedef struct {
    uint64_t cost;
    const ins_instruction_t *where;
    bool told;
} verdict_t;

bool ann_finding(const ann_kernel_t *k, const ann_row_t *row, unsigned nth,
                 char text[ANN_SENTENCE_BYTES], const ins_instruction_t **where)
{
    verdict_t verdicts[RULES] = {0}, *worst = NULL;
    for (size_t i = 0; i < row->count; i++)
        for (size_t n = 0; n < RULES; n++) {
            const uint64_t cost = rules[n].cost(k, row->items[i]);
            if (cost > verdicts[n].cost) verdicts[n] = (verdict_t){cost, row->items[i], false};
        }
    for (unsigned told = 0; told <= nth; told++) {
        worst = NULL;
        for (size_t n = 0; n < RULES; n++)
            if (verdicts[n].cost && !verdicts[n].told && (!worst || verdicts[n].cost > worst->cost))
                worst = &verdicts[n];
        if (!worst) return false;
        worst->told = true;
    }
    *where = worst->where;
    rules[worst - verdicts].say(k, worst->where, text);
    return true;
}
