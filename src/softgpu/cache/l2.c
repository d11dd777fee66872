/* l2.c - L2 (TCC) as a whole: makes it, writes it back, invalidates it.
 *
 * Single requests are in l2.h. */
#include "softgpu/cache/l2.h"

#include <stdlib.h>

static bool power_of_two(unsigned n)
{
    return n && !(n & (n - 1));
}

bool sgc_l2_init(sgc_t *t)
{
    const sg_profile_t *p = &t->profile;
    const uint64_t lines = (uint64_t)p->l2_kb * 1024 / t->arch->l2_line / p->l2_channels;
    const uint32_t sets = lines / p->l2_ways ? (uint32_t)(lines / p->l2_ways) : 1;
    t->channels = p->l2_channels;
    sgc_l2_t *l2 = &t->l2;
    l2->sets = sets;
    l2->wide = t->arch->l2_line > SGC_LINE;
    l2->interleave = p->l2_interleave / t->arch->l2_line;
    /* at least one line, whatever the profile says: the line that is being written is the newest */
    l2->young = p->l2_writeback_ways < p->l2_ways ? p->l2_ways - p->l2_writeback_ways : 1;
    /* with fewer sets than consecutive lines of a channel, channels would share sets */
    l2->interleave_bits = power_of_two(t->channels) && power_of_two(sets) &&
                                  power_of_two(l2->interleave) && l2->interleave <= sets
                              ? __builtin_ctz(l2->interleave)
                              : -1;
    l2->hash = p->l2_hash; /* sg_profile_read() has refused what l2_index() has no table for */
    l2->all_sets = t->channels * sets;
    t->channel = calloc((size_t)t->xccs * t->channels, sizeof *t->channel);
    if (!t->channel || !ways_init(&l2->ways, t->xccs * l2->all_sets, p->l2_ways)) return false;
    l2->line = calloc(ways_slots(&l2->ways), sizeof *l2->line);
    return l2->line != NULL;
}

void sgc_l2_free(sgc_t *t)
{
    ways_free(&t->l2.ways);
    free(t->l2.line);
    free(t->channel);
}

uint32_t sgc_below_l2(const sgc_t *t, uint32_t all)
{
    return all > t->profile.l2_latency ? all - t->profile.l2_latency : 0;
}

uint64_t sgc_in_flight(const sgc_t *t, const uint64_t n[2], bool writes)
{
    const sg_profile_t *p = &t->profile;
    return n[0] * sgc_below_l2(t, p->host_latency) +
           n[1] * sgc_below_l2(t, writes ? p->vram_write_latency : p->vram_latency);
}

uint64_t sgc_reads_in_flight(const sgc_t *t, const sgc_tcc_counts_t *c)
{
    const sg_profile_t *p = &t->profile;
    const uint32_t sooner = sgc_below_l2(t, p->vram_latency) - sgc_below_l2(t, p->mall_latency);
    return sgc_in_flight(t, c->ea_rdreq, false) - c->ea_mall * sooner;
}

uint32_t sgc_l2_request(sgc_t *t, uint32_t xcc, uint32_t line, sgc_page_t page, sgc_access_t access,
                        uint64_t bytes, bool stream)
{
    const l2_view_t v = l2_view_of(t, xcc);
    return l2_request(t, &v, line, page, access, bytes, stream);
}

/* ---- the whole cache ---- */

static sgc_channel_t *channel_of_slot(const sgc_t *t, uint32_t slot)
{
    const sgc_l2_t *l2 = &t->l2;
    const uint32_t set = slot / l2->ways.padded, in_xcc = set % l2->all_sets;
    sgc_channel_t *first = &t->channel[set / l2->all_sets * t->channels];
    if (l2->interleave_bits < 0) return &first[in_xcc / l2->sets];
    return &first[in_xcc >> l2->interleave_bits & (t->channels - 1)];
}

void sgc_l2_write_back(sgc_t *t)
{
    sgc_l2_t *l2 = &t->l2;
    const uint32_t slots = ways_slots(&l2->ways);
    for (uint32_t slot = 0; l2->n_dirty && slot < slots; slot++) {
        if (!(l2->line[slot] & SGC_L2_DIRTY)) continue;
        sgc_channel_t *c = channel_of_slot(t, slot);
        l2_clean(t, c, &l2->line[slot], ways_tag(&l2->ways, slot));
        c->count.op_writeback++;
    }
}

void sgc_l2_invalidate(sgc_t *t, bool all)
{
    sgc_l2_t *l2 = &t->l2;
    const uint32_t slots = ways_slots(&l2->ways);
    for (uint32_t slot = 0; (all || l2->n_shared) && slot < slots; slot++) {
        sgc_l2_line_t *line = &l2->line[slot];
        if (ways_tag(&l2->ways, slot) == WAYS_EMPTY) continue;
        if (!all && !(*line & SGC_L2_SHARED)) continue;
        sgc_channel_t *c = channel_of_slot(t, slot);
        if (*line & SGC_L2_DIRTY) {
            l2_clean(t, c, line, ways_tag(&l2->ways, slot));
            c->count.op_writeback++;
        }
        l2->n_shared -= *line & SGC_L2_SHARED ? 1 : 0;
        c->count.op_evict++;
        if (!all) ways_remove(&l2->ways, slot);
    }
    if (all) ways_clear(&l2->ways);
}
