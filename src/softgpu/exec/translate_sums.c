/* translate_sums.c - LLVM's assembly of counts by buckets (watch.h).
 *
 * Instructions that follow each other under one EXEC are counted at once: for each of their buckets
 * the code adds a constant to its runs, and that times the number of active lanes to its lanes. In
 * code for a full EXEC both are constants. */
#include "softgpu/exec/translate_emit.h"

#include <stddef.h>
#include <stdio.h>

enum { VALUE = 24 /* characters of an operand of LLVM's */ };

/* Where the sums are, and how many lanes are active: numbers of values. */
typedef struct {
    unsigned base, lanes;
} place_t;

void isa_emit_declare_sums(const isa_emitter_t *e, isa_text_t *t)
{
    if (e->plan->bucket) isa_put(t, "declare i64 @llvm.ctpop.i64(i64)\n");
}

void isa_emit_find_sums(const isa_emitter_t *e, isa_text_t *t)
{
    if (!e->plan->bucket) return;
    isa_put(t, "  %%wk = getelementptr i8, ptr %%w, i64 %zu\n  %%counter = load ptr, ptr %%wk\n",
            offsetof(isa_wave_t, counter));
}

/* Instructions that run with EXEC 0 have sums of their own, ISA_BUCKETS behind the others. */
static place_t find_place(isa_emitter_t *e, isa_text_t *t)
{
    const place_t at = {isa_emit_fresh(e), isa_emit_fresh(e)};
    if (!e->plan->masked) {
        isa_put(t, "  %%t%u = getelementptr i8, ptr %%counter, i64 0\n", at.base);
        isa_put(t, "  %%t%u = add i64 0, %u\n", at.lanes, isa_page_lanes(e->plan->page));
        return at;
    }
    const unsigned exec = isa_emit_read_mask(e, t, ISA_CODE_EXEC), none = isa_emit_fresh(e);
    isa_put(t, "  %%c%u = icmp eq i64 %%t%u, 0\n  %%t%u = select i1 %%c%u, i64 %zu, i64 0\n", none,
            exec, none, none, ISA_BUCKETS * sizeof(uint64_t));
    isa_put(t, "  %%t%u = getelementptr i8, ptr %%counter, i64 %%t%u\n", at.base, none);
    isa_put(t, "  %%t%u = call i64 @llvm.ctpop.i64(i64 %%t%u)\n", at.lanes, exec);
    return at;
}

/* Adds a value to a sum. */
static void add(isa_emitter_t *e, isa_text_t *t, unsigned base, size_t offset, const char *value)
{
    const unsigned k = isa_emit_fresh(e);
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%t%u, i64 %zu\n  %%c%u = load i64, ptr %%p%u\n", k,
            base, offset, k, k);
    isa_put(t, "  %%d%u = add i64 %%c%u, %s\n  store i64 %%d%u, ptr %%p%u\n", k, k, value, k, k);
}

/* Adds so many runs, with the lanes that are active, to a bucket. */
static void add_runs(isa_emitter_t *e, isa_text_t *t, place_t at, unsigned bucket, unsigned runs)
{
    char value[VALUE];
    const size_t offset = bucket * sizeof(uint64_t);
    snprintf(value, sizeof value, "%u", runs);
    add(e, t, at.base, offsetof(isa_counter_t, runs) + offset, value);
    const unsigned lanes = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = mul i64 %%t%u, %u\n", lanes, at.lanes, runs);
    snprintf(value, sizeof value, "%%t%u", lanes);
    add(e, t, at.base, offsetof(isa_counter_t, lanes) + offset, value);
}

void isa_emit_sums(isa_emitter_t *e, isa_text_t *t, unsigned n)
{
    const uint8_t *bucket = e->plan->bucket;
    unsigned runs[UINT8_MAX + 1] = {0};
    if (!bucket || !n) return;
    const place_t at = find_place(e, t);
    for (unsigned k = 0; k < n; k++)
        runs[bucket[e->ran[k]->op]]++;
    for (unsigned b = 0; b < ISA_BUCKETS; b++)
        if (runs[b]) add_runs(e, t, at, b, runs[b]);
}
