/* sqtt_counters.c - SQ's counters of single compute units, sampled into thread traces.
 *
 * Separate from sqtt_waves.c because it reads sums, not instructions. The counts of a workgroup are
 * spread evenly over the time for which it ran. Each compute unit in the mask writes a token for
 * every sample in which it has counted something. The unit of the register's rate is not
 * documented: here it is 32 clocks. */
#include "softgpu/perf/sqtt_counters.h"

#include "base/grow.h"
#include "softgpu/perf/sqtt_internal.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTERS = 8, IN_BANK = 4, RATE_CLOCKS = 32, RATE_SHIFT = 8, RATE = 31, TOKEN_PERF = 14 };

struct sg_sqtt_counters {
    sg_perf_t *perf;
    uint32_t select[COUNTERS], count; /* count: number of the last selected counter + 1 */
    uint64_t period;
    uint64_t *last; /* [unit][counter]: total at the last read */
    uint64_t *bins; /* [sample][unit][counter] */
    size_t samples;
};

static void take_samples(sg_sqtt_counters_t *c, uint64_t from, uint64_t to, bool first);

sg_sqtt_counters_t *sg_sqtt_counters_begin(sg_perf_t *p, uint32_t tokens)
{
    if (!(tokens >> TOKEN_PERF & 1)) return NULL;
    const sg_bank_t *bank = &p->bank[SG_BLOCK_SQ];
    sg_sqtt_counters_t *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->perf = p;
    for (uint32_t i = 0; i < COUNTERS && i < bank->n_slots; i++) {
        c->select[i] = sg_slot_at(bank, 0, 0, i)->select;
        if (c->select[i]) c->count = i + 1;
    }
    c->period = ((p->sq_control[0] >> RATE_SHIFT & RATE) + 1) * (uint64_t)RATE_CLOCKS;
    c->last = c->count ? calloc((size_t)p->n_units * c->count, sizeof *c->last) : NULL;
    if (!c->last) {
        free(c);
        return NULL;
    }
    take_samples(c, 0, 0, true);
    return c;
}

/* Makes room for the samples up to a clock. False: out of memory, so that counts are lost. */
static bool reserve(sg_sqtt_counters_t *c, uint64_t end)
{
    const size_t row = (size_t)c->perf->n_units * c->count, want = (size_t)(end / c->period) + 1;
    if (want <= c->samples) return true;
    if (!base_resize(&c->bins, want, row * sizeof *c->bins)) return false;
    memset(c->bins + c->samples * row, 0, (want - c->samples) * row * sizeof *c->bins);
    c->samples = want;
    return true;
}

/* Spreads `n` evenly over the samples from clock `from` to `to`; the parts add up to `n`. */
static void spread(sg_sqtt_counters_t *c, size_t cell, uint64_t n, uint64_t from, uint64_t to)
{
    const size_t row = (size_t)c->perf->n_units * c->count;
    uint64_t given = 0;
    for (uint64_t k = from / c->period; given < n; k++) {
        const uint64_t upto = sg_spread_upto(n, from, to, (k + 1) * c->period);
        c->bins[k * row + cell] += upto - given;
        given = upto;
    }
}

static void take_samples(sg_sqtt_counters_t *c, uint64_t from, uint64_t to, bool first)
{
    const uint32_t units = c->perf->units_per_engine;
    if (!first && !reserve(c, to)) return;
    for (uint32_t u = 0; u < c->perf->n_units; u++)
        for (uint32_t i = 0; i < c->count; i++) {
            const size_t cell = (size_t)u * c->count + i;
            const uint64_t total = sg_perf_unit_total(c->perf, u / units, u % units, c->select[i]);
            if (!first && total > c->last[cell]) spread(c, cell, total - c->last[cell], from, to);
            c->last[cell] = total;
        }
}

void sg_sqtt_counters_add(sg_sqtt_counters_t *c, uint64_t from, uint64_t to)
{
    take_samples(c, from, to, false);
}

/* Packs up to four counts into a token's 4 fields of 13 bits; 0: all counts are 0. */
static uint64_t pack(const uint64_t *counts, uint32_t n)
{
    enum { BITS = 13, MOST = (1 << BITS) - 1 };
    uint64_t word = 0;
    for (uint32_t i = 0; i < n && i < IN_BANK; i++)
        word |= (counts[i] > MOST ? MOST : counts[i]) << BITS * i;
    return word;
}

void sg_sqtt_counters_end(sg_sqtt_counters_t *c, uint32_t units_per_array, const uint32_t *masks,
                          void (*put)(void *user, uint32_t engine, const sg_sqtt_event_t *event),
                          void *user)
{
    enum { LATE = 4 /* clocks by which each unit writes after the one before */, ARRAY_SHIFT = 16 };
    const uint32_t units = c->perf->units_per_engine;
    for (size_t k = 0; k < c->samples; k++)
        for (uint32_t u = 0; u < c->perf->n_units; u++) {
            const uint32_t engine = u / units, array = u % units / units_per_array,
                           place = u % units % units_per_array;
            if (!(masks[engine] >> (array * ARRAY_SHIFT + place) & 1)) continue;
            const uint64_t *counts = c->bins + (k * c->perf->n_units + u) * c->count;
            for (uint32_t bank = 0; bank * IN_BANK < c->count; bank++) {
                const uint64_t word = pack(counts + bank * IN_BANK, c->count - bank * IN_BANK);
                const sg_sqtt_event_t event = {.time = (k + 1) * c->period + LATE * place,
                                               .value = word,
                                               .kind = SG_SQTT_COUNTERS,
                                               .type = (uint8_t)(bank | array << 2),
                                               .place = (uint8_t)place};
                if (word) put(user, engine, &event);
            }
        }
    free(c->bins);
    free(c->last);
    free(c);
}
