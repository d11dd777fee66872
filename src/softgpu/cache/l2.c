/* l2.c - L2 (TCC): channels of 128-byte lines, and the transactions below them (EA).
 *
 * A line has two halves, read from memory and written back on their own. Reads that miss fill the
 * line; writes never do. */
#include "softgpu/cache/model.h"

#include <stdlib.h>

enum { HALVES = 2, ALL_VALID = 3, ALL_DIRTY = 15 };

static bool power_of_two(unsigned n)
{
    return n && !(n & (n - 1));
}

bool sgc_l2_init(sgc_t *t)
{
    const sg_profile_t *p = &t->profile;
    const uint64_t lines = (uint64_t)p->l2_kb * 1024 / SGC_L2_LINE / p->l2_channels;
    const uint32_t sets = lines / p->l2_ways ? (uint32_t)(lines / p->l2_ways) : 1;
    t->channels = p->l2_channels;
    sgc_l2_t *l2 = &t->l2;
    l2->sets = sets;
    l2->interleave = p->l2_interleave / SGC_L2_LINE;
    /* with fewer sets than a channel holds in a row, channels would share sets */
    l2->interleave_bits = power_of_two(t->channels) && power_of_two(sets) &&
                                  power_of_two(l2->interleave) && l2->interleave <= sets
                              ? __builtin_ctz(l2->interleave)
                              : -1;
    t->channel = calloc(t->channels, sizeof *t->channel);
    if (!t->channel || !ways_init(&l2->ways, t->channels * sets, p->l2_ways)) return false;
    l2->line = calloc(ways_slots(&l2->ways), sizeof *l2->line);
    return l2->line != NULL;
}

void sgc_l2_free(sgc_t *t)
{
    ways_free(&t->l2.ways);
    free(t->l2.line);
    free(t->channel);
}

static uint32_t memory_latency(const sgc_t *t, sgc_page_t page)
{
    return page.local ? t->profile.vram_latency : t->profile.host_latency;
}

uint32_t sgc_below_l2(const sgc_t *t, bool local)
{
    const uint32_t all = local ? t->profile.vram_latency : t->profile.host_latency;
    return all > t->profile.l2_latency ? all - t->profile.l2_latency : 0;
}

/* ---- transactions below L2 ---- */

/* `pieces`: which 32 bytes of a half; one transaction for both. */
static void memory_write(sgc_tcc_counts_t *c, bool local, unsigned pieces)
{
    c->ea_wrreq[local] += pieces != 0;
    c->ea_wrreq_64b += pieces == 3;
}

/* ---- lines ---- */

static unsigned pieces_of(uint64_t bytes)
{
    return ((uint32_t)bytes ? 1u : 0) | (bytes >> 32 ? 2u : 0);
}

static void clean_line(sgc_l2_t *l2, sgc_channel_t *c, sgc_l2_line_t *line)
{
    memory_write(&c->count, line->local, line->dirty & 3);
    memory_write(&c->count, line->local, line->dirty >> 2);
    line->dirty = 0;
    l2->n_dirty--;
    c->count.writeback++;
}

static sgc_l2_line_t *take_line(sgc_l2_t *l2, sgc_channel_t *c, uint32_t set, uint32_t tag,
                                sgc_page_t page)
{
    uint32_t old;
    sgc_l2_line_t *line = &l2->line[ways_insert(&l2->ways, set, tag, &old)];
    if (old != WAYS_EMPTY) {
        c->count.normal_evict++;
        l2->n_shared -= line->type != SGC_RW;
        if (line->dirty) {
            clean_line(l2, c, line);
            c->count.normal_writeback++;
        }
    }
    *line = (sgc_l2_line_t){.local = page.local, .type = page.type};
    l2->n_shared += page.type != SGC_RW;
    return line;
}

static void fill(sgc_channel_t *c, sgc_l2_line_t *line)
{
    c->count.ea_rdreq[line->local] += HALVES - (line->valid & 1u) - (line->valid >> 1);
    line->valid = ALL_VALID;
}

/* ---- requests ---- */

static uint32_t uncached(const sgc_t *t, sgc_tcc_counts_t *c, sgc_page_t page, sgc_access_t access,
                         uint64_t bytes)
{
    const unsigned pieces = pieces_of(bytes);
    if (access == SGC_READ) {
        c->ea_rdreq[page.local]++;
        c->ea_rd_uncached_32b += 2;
        return memory_latency(t, page);
    }
    memory_write(c, page.local, pieces);
    c->ea_wr_uncached_32b += (unsigned)__builtin_popcount(pieces);
    c->writeback++;
    if (access == SGC_ATOMIC) c->ea_atomic[page.local]++;
    return memory_latency(t, page);
}

/* Where a line of L2 is kept: its channel, and its set. */
static inline sgc_channel_t *channel_of(const sgc_t *t, uint32_t tag, uint32_t *set)
{
    const sgc_l2_t *l2 = &t->l2;
    if (__builtin_expect(l2->interleave_bits >= 0, 1)) {
        *set = tag & l2->ways.mask;
        return &t->channel[tag >> l2->interleave_bits & (t->channels - 1)];
    }
    const uint32_t lines = l2->interleave, block = tag / lines, channel = block % t->channels;
    const uint32_t index = block / t->channels * lines + tag % lines; /* among the channel's own */
    *set = channel * l2->sets + index % l2->sets;
    return &t->channel[channel];
}

static sgc_channel_t *channel_of_slot(const sgc_t *t, uint32_t slot)
{
    const sgc_l2_t *l2 = &t->l2;
    const uint32_t set = slot / l2->ways.padded;
    if (l2->interleave_bits < 0) return &t->channel[set / l2->sets];
    return &t->channel[set >> l2->interleave_bits & (t->channels - 1)];
}

uint32_t sgc_l2_request(sgc_t *t, uint32_t line64, sgc_page_t page, sgc_access_t access,
                        uint64_t bytes, bool stream)
{
    const uint32_t tag = line64 / (SGC_L2_LINE / SGC_LINE), half = line64 & 1;
    uint32_t set;
    sgc_l2_t *l2 = &t->l2;
    sgc_channel_t *c = channel_of(t, tag, &set);

    c->count.by_type[page.type][access]++;
    if (__builtin_expect(stream, 0)) c->count.streaming++;
    if (__builtin_expect(page.type == SGC_UC, 0))
        return uncached(t, &c->count, page, access, bytes);

    const int32_t slot = ways_find(&l2->ways, set, tag);
    const bool there = slot >= 0;
    sgc_l2_line_t *line = there ? &l2->line[slot] : take_line(l2, c, set, tag, page);
    const bool hit = there && (access == SGC_WRITE || line->valid >> half & 1);
    c->count.hit += hit;
    if (access != SGC_WRITE && !hit) fill(c, line);
    if (access != SGC_READ) {
        l2->n_dirty += !line->dirty;
        line->dirty = (line->dirty | pieces_of(bytes) << 2 * half) & ALL_DIRTY;
        if (!~bytes) line->valid = (line->valid | 1u << half) & ALL_VALID;
    }
    return hit || access == SGC_WRITE ? t->profile.l2_latency : memory_latency(t, page);
}

uint32_t sgc_l2_read_both(sgc_t *t, uint32_t line64, sgc_page_t page, bool stream, uint32_t *second)
{
    const uint32_t tag = line64 / (SGC_L2_LINE / SGC_LINE);
    uint32_t set;
    sgc_l2_t *l2 = &t->l2;
    sgc_channel_t *c = channel_of(t, tag, &set);

    *second = t->profile.l2_latency;
    c->count.by_type[page.type][SGC_READ] += 2;
    c->count.streaming += stream ? 2 : 0;
    const int32_t slot = ways_find(&l2->ways, set, tag);
    sgc_l2_line_t *line = slot >= 0 ? &l2->line[slot] : take_line(l2, c, set, tag, page);
    if (line->valid == ALL_VALID) {
        c->count.hit += 2;
        return t->profile.l2_latency;
    }
    /* the half that is not there makes the miss, after which both are */
    const bool first = line->valid & 1;
    c->count.hit++;
    fill(c, line);
    if (!first) return memory_latency(t, page);
    *second = memory_latency(t, page);
    return t->profile.l2_latency;
}

void sgc_l2_write_both(sgc_t *t, uint32_t line64, sgc_page_t page, bool stream)
{
    const uint32_t tag = line64 / (SGC_L2_LINE / SGC_LINE);
    uint32_t set;
    sgc_l2_t *l2 = &t->l2;
    sgc_channel_t *c = channel_of(t, tag, &set);

    c->count.by_type[page.type][SGC_WRITE] += 2;
    c->count.streaming += stream ? 2 : 0;
    const int32_t slot = ways_find(&l2->ways, set, tag);
    sgc_l2_line_t *line = slot >= 0 ? &l2->line[slot] : take_line(l2, c, set, tag, page);
    c->count.hit += slot >= 0 ? 2 : 1;
    l2->n_dirty += !line->dirty;
    line->dirty = ALL_DIRTY;
    line->valid = ALL_VALID;
}

void sgc_l2_prefetch(const sgc_t *t, uint32_t line64)
{
    uint32_t set;
    const ways_t *w = &t->l2.ways;
    channel_of(t, line64 / (SGC_L2_LINE / SGC_LINE), &set);
    __builtin_prefetch(&w->tag[set * w->padded], 1);
    __builtin_prefetch(&t->l2.line[set * w->padded], 1);
    if (w->order) __builtin_prefetch(&w->order[set], 1);
}

/* ---- the whole cache ---- */

void sgc_l2_write_back(sgc_t *t)
{
    sgc_l2_t *l2 = &t->l2;
    const uint32_t slots = ways_slots(&l2->ways);
    for (uint32_t slot = 0; l2->n_dirty && slot < slots; slot++) {
        if (!l2->line[slot].dirty) continue;
        sgc_channel_t *c = channel_of_slot(t, slot);
        clean_line(l2, c, &l2->line[slot]);
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
        if (!all && line->type == SGC_RW) continue;
        sgc_channel_t *c = channel_of_slot(t, slot);
        if (line->dirty) {
            clean_line(l2, c, line);
            c->count.op_writeback++;
        }
        l2->n_shared -= line->type != SGC_RW;
        c->count.op_evict++;
        if (!all) ways_remove(&l2->ways, slot);
    }
    if (all) ways_clear(&l2->ways);
}
