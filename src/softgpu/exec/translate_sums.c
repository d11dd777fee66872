/* translate_sums.c - counts by buckets (watch.h) in translated code.
 *
 * The code counts how often a group of instructions has run, and with how many lanes; a table
 * beside it has how many of a group's instructions are in each bucket, and isa_counter_settle()
 * adds what that comes to. docs/translator.md says why ("Counts"). */
#include "softgpu/exec/translate_emit.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- the table: numbers of 16 bits ----
 *
 * How many groups there are; the lanes of each run, or 0 if the code counts them; for each group
 * the place in the table where its pairs begin, and where the last one's end; pairs of a bucket and
 * of how many instructions of the group are in it. */
enum { AT_N, AT_LANES, AT_PLACES };

static unsigned pairs_of(const isa_emitter_t *e, unsigned g, unsigned runs[ISA_BUCKETS])
{
    unsigned pairs = 0;
    memset(runs, 0, ISA_BUCKETS * sizeof *runs);
    for (unsigned k = 0; k < e->group[g].n; k++)
        pairs += runs[e->in_groups[e->group[g].first + k]]++ == 0;
    return pairs;
}

void isa_emit_declare_sums(const isa_emitter_t *e, isa_text_t *t)
{
    unsigned runs[ISA_BUCKETS], at = AT_PLACES + e->groups + 1, size = at;
    if (!e->plan->bucket) return;
    for (unsigned g = 0; g < e->groups; g++)
        size += 2 * pairs_of(e, g, runs);
    isa_put(t, "declare i64 @llvm.ctpop.i64(i64)\n");
    isa_put(t, "@groups = internal constant [%u x i16] [i16 %u, i16 %u", size, e->groups,
            e->plan->masked ? 0 : isa_page_lanes(e->plan->page));
    for (unsigned g = 0; g < e->groups; g++) {
        isa_put(t, ", i16 %u", at);
        at += 2 * pairs_of(e, g, runs);
    }
    isa_put(t, ", i16 %u", at);
    for (unsigned g = 0; g < e->groups; g++) {
        pairs_of(e, g, runs);
        for (unsigned b = 0; b < ISA_BUCKETS; b++)
            if (runs[b]) isa_put(t, ", i16 %u, i16 %u", b, runs[b]);
    }
    isa_put(t, "]\n");
}

/* ---- the code ---- */

void isa_emit_find_sums(const isa_emitter_t *e, isa_text_t *t)
{
    if (!e->plan->bucket) return;
    isa_put(t, "  %%wk = getelementptr i8, ptr %%w, i64 %zu\n  %%counter = load ptr, ptr %%wk\n",
            offsetof(isa_wave_t, counter));
    isa_put(t, "  %%kg = getelementptr i8, ptr %%counter, i64 %zu\n  store ptr @groups, ptr %%kg\n",
            offsetof(isa_counter_t, groups));
}

/* Adds `value`, an operand of LLVM's, to the number of `bits` bits at `offset` in the counter. */
static void add_to(isa_emitter_t *e, isa_text_t *t, unsigned bits, size_t offset, const char *value)
{
    const unsigned k = isa_emit_fresh(e);
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%counter, i64 %zu\n", k, offset);
    isa_put(t, "  %%c%u = load i%u, ptr %%p%u\n", k, bits, k);
    isa_put(t, "  %%d%u = add i%u %%c%u, %s\n", k, bits, k, value);
    isa_put(t, "  store i%u %%d%u, ptr %%p%u\n", bits, k, k);
}

/* The active lanes, or, if there is none, one in the bits above. */
static unsigned put_active(isa_emitter_t *e, isa_text_t *t)
{
    const unsigned exec = isa_emit_read_mask(e, t, ISA_CODE_EXEC), none = isa_emit_fresh(e);
    const unsigned lanes = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(t, "  %%c%u = icmp eq i64 %%t%u, 0\n  %%t%u = zext i1 %%c%u to i64\n", none, exec, none,
            none);
    isa_put(t, "  %%d%u = shl i64 %%t%u, %d\n", none, none, (int)ISA_IDLE_SHIFT);
    isa_put(t, "  %%t%u = call i64 @llvm.ctpop.i64(i64 %%t%u)\n  %%t%u = or i64 %%t%u, %%d%u\n",
            lanes, exec, v, lanes, none);
    return v;
}

/* Each step of a plan is in one group, and no group is empty. */
_Static_assert((int)ISA_GROUPS >= (int)ISA_PLAN_STEPS, "each step may be a group");

void isa_emit_sums(isa_emitter_t *e, isa_text_t *t, unsigned n)
{
    const uint8_t *bucket = e->plan->bucket;
    if (!bucket || !n) return;
    const unsigned g = e->groups++;
    const unsigned first = g ? e->group[g - 1].first + e->group[g - 1].n : 0u;
    e->group[g] = (isa_emit_group_t){(uint16_t)first, (uint16_t)n};
    for (unsigned k = 0; k < n; k++)
        e->in_groups[first + k] = bucket[e->ran[k]->op];
    add_to(e, t, 32, offsetof(isa_counter_t, times) + g * sizeof(uint32_t), "1");
    if (!e->plan->masked) return;
    char active[16];
    snprintf(active, sizeof active, "%%t%u", put_active(e, t));
    add_to(e, t, 64, offsetof(isa_counter_t, active) + g * sizeof(uint64_t), active);
}

/* ---- settling ---- */

static void settle_group(isa_counter_t *c, unsigned g)
{
    const uint16_t *table = c->groups, *first = table + table[AT_PLACES + g],
                   *behind = table + table[AT_PLACES + g + 1];
    const uint64_t idle = c->active[g] >> ISA_IDLE_SHIFT, times = c->times[g] - idle,
                   active = c->active[g] - (idle << ISA_IDLE_SHIFT),
                   lanes = table[AT_LANES] ? times * table[AT_LANES] : active;
    for (const uint16_t *pair = first; pair < behind; pair += 2) {
        c->runs[pair[0]] += times * pair[1];
        c->lanes[pair[0]] += lanes * pair[1];
    }
    for (const uint16_t *pair = first; idle && pair < behind; pair += 2) /* is rare */
        c->runs[ISA_BUCKETS + pair[0]] += idle * pair[1];
    c->times[g] = 0;
    c->active[g] = 0;
}

enum { AT_ONCE = 8 }; /* groups whose times are looked at together */
_Static_assert(ISA_GROUPS % AT_ONCE == 0, "isa_counter_settle() reads behind the times");

void isa_counter_settle(isa_counter_t *c)
{
    const unsigned n = c->code && c->groups ? c->groups[AT_N] : 0;
    for (unsigned first = 0; first < n; first += AT_ONCE) {
        uint32_t any = 0; /* most groups have not run */
        for (unsigned k = 0; k < AT_ONCE; k++)
            any |= c->times[first + k];
        for (unsigned g = first; any && g < first + AT_ONCE; g++)
            if (c->times[g]) settle_group(c, g);
    }
    c->code = NULL;
    c->groups = NULL;
    c->at_most = 0;
}
