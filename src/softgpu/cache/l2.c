/* l2.c - L2 (TCC): channels of 128-byte lines, and the transactions below them (EA).
 *
 * A line has two halves, read from memory and written back on their own. Reads that miss fill the
 * line; writes never do. */
#include "softgpu/cache/model.h"

#include <stdlib.h>

enum { HALVES = 2, ALL_VALID = 3, ALL_DIRTY = 15 };

static int bits_of(unsigned n)
{
    return n & (n - 1) ? -1 : __builtin_ctz(n);
}

bool sgc_l2_init(sgc_t *t)
{
    const sg_profile_t *p = &t->profile;
    const uint64_t lines = (uint64_t)p->l2_kb * 1024 / SGC_L2_LINE / p->l2_channels;
    const uint32_t sets = lines / p->l2_ways ? (uint32_t)(lines / p->l2_ways) : 1;
    t->channels = p->l2_channels;
    t->interleave_lines = p->l2_interleave / SGC_L2_LINE;
    t->channel_bits = bits_of(t->channels);
    t->interleave_bits = bits_of(t->interleave_lines);
    t->channel = calloc(t->channels, sizeof *t->channel);
    if (!t->channel) return false;
    for (unsigned n = 0; n < t->channels; n++) {
        sgc_channel_t *c = &t->channel[n];
        c->line = calloc((size_t)sets * p->l2_ways, sizeof *c->line);
        if (!ways_init(&c->ways, sets, p->l2_ways) || !c->line) return false;
    }
    return true;
}

void sgc_l2_free(sgc_t *t)
{
    for (unsigned n = 0; t->channel && n < t->channels; n++) {
        ways_free(&t->channel[n].ways);
        free(t->channel[n].line);
    }
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
static void memory_write(sgc_tcc_counts_t *c, sgc_page_t page, unsigned pieces)
{
    if (!pieces) return;
    c->ea_wrreq[page.local]++;
    c->ea_wrreq_64b += pieces == 3;
}

/* ---- lines ---- */

static unsigned pieces_of(uint64_t bytes)
{
    return ((uint32_t)bytes ? 1u : 0) | (bytes >> 32 ? 2u : 0);
}

static void clean(sgc_channel_t *c, sgc_l2_line_t *line)
{
    for (unsigned h = 0; h < HALVES; h++)
        memory_write(&c->count, line->page, line->dirty >> 2 * h & 3);
    line->dirty = 0;
    c->n_dirty--;
    c->count.writeback++;
}

static sgc_l2_line_t *take_line(sgc_channel_t *c, uint32_t set, uint32_t tag, sgc_page_t page)
{
    uint32_t old;
    sgc_l2_line_t *line = &c->line[ways_insert(&c->ways, set, tag, &old)];
    if (old != WAYS_EMPTY) {
        c->count.normal_evict++;
        c->n_shared -= line->page.type != SGC_RW;
        if (line->dirty) {
            clean(c, line);
            c->count.normal_writeback++;
        }
    }
    *line = (sgc_l2_line_t){.page = page};
    c->n_shared += page.type != SGC_RW;
    return line;
}

static void fill(sgc_channel_t *c, sgc_l2_line_t *line)
{
    c->count.ea_rdreq[line->page.local] += HALVES - (unsigned)__builtin_popcount(line->valid);
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
    memory_write(c, page, pieces);
    c->ea_wr_uncached_32b += (unsigned)__builtin_popcount(pieces);
    c->writeback++;
    if (access == SGC_ATOMIC) c->ea_atomic[page.local]++;
    return memory_latency(t, page);
}

/* Where a line of L2 is kept: its channel, and its number among the channel's own. */
static inline sgc_channel_t *channel_of(const sgc_t *t, uint32_t tag, uint32_t *index)
{
    const uint32_t lines = t->interleave_lines;
    if (__builtin_expect((t->channel_bits | t->interleave_bits) >= 0, 1)) {
        const uint32_t block = tag >> t->interleave_bits;
        *index = (block >> t->channel_bits) * lines + (tag & (lines - 1));
        return &t->channel[block & (t->channels - 1)];
    }
    const uint32_t block = tag / lines;
    *index = block / t->channels * lines + tag % lines;
    return &t->channel[block % t->channels];
}

uint32_t sgc_l2_request(sgc_t *t, uint32_t line64, sgc_page_t page, sgc_access_t access,
                        uint64_t bytes, bool stream)
{
    const uint32_t tag = line64 / (SGC_L2_LINE / SGC_LINE), half = line64 & 1;
    uint32_t index;
    sgc_channel_t *c = channel_of(t, tag, &index);
    const uint32_t set = ways_set(&c->ways, index);

    c->count.by_type[page.type][access]++;
    if (__builtin_expect(stream, 0)) c->count.streaming++;
    if (__builtin_expect(page.type == SGC_UC, 0))
        return uncached(t, &c->count, page, access, bytes);

    const int32_t slot = ways_find(&c->ways, set, tag);
    const bool there = slot >= 0;
    sgc_l2_line_t *line = there ? &c->line[slot] : take_line(c, set, tag, page);
    const bool hit = there && (access == SGC_WRITE || line->valid >> half & 1);
    c->count.hit += hit;
    if (access != SGC_WRITE && !hit) fill(c, line);
    if (access != SGC_READ) {
        c->n_dirty += !line->dirty;
        line->dirty |= (uint8_t)(pieces_of(bytes) << 2 * half);
        if (!~bytes) line->valid |= (uint8_t)(1 << half);
    }
    return hit || access == SGC_WRITE ? t->profile.l2_latency : memory_latency(t, page);
}

uint32_t sgc_l2_read_both(sgc_t *t, uint32_t line64, sgc_page_t page, bool stream, uint32_t *second)
{
    const uint32_t tag = line64 / (SGC_L2_LINE / SGC_LINE);
    uint32_t index;
    sgc_channel_t *c = channel_of(t, tag, &index);
    const uint32_t set = ways_set(&c->ways, index);

    *second = t->profile.l2_latency;
    c->count.by_type[page.type][SGC_READ] += 2;
    c->count.streaming += stream ? 2 : 0;
    const int32_t slot = ways_find(&c->ways, set, tag);
    sgc_l2_line_t *line = slot >= 0 ? &c->line[slot] : take_line(c, set, tag, page);
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
    uint32_t index;
    sgc_channel_t *c = channel_of(t, tag, &index);
    const uint32_t set = ways_set(&c->ways, index);

    c->count.by_type[page.type][SGC_WRITE] += 2;
    c->count.streaming += stream ? 2 : 0;
    const int32_t slot = ways_find(&c->ways, set, tag);
    sgc_l2_line_t *line = slot >= 0 ? &c->line[slot] : take_line(c, set, tag, page);
    c->count.hit += slot >= 0 ? 2 : 1;
    c->n_dirty += !line->dirty;
    line->dirty = ALL_DIRTY;
    line->valid = ALL_VALID;
}

void sgc_l2_prefetch(const sgc_t *t, uint32_t line64)
{
    uint32_t index;
    const sgc_channel_t *c = channel_of(t, line64 / (SGC_L2_LINE / SGC_LINE), &index);
    const uint32_t set = ways_set(&c->ways, index);
    __builtin_prefetch(&c->ways.tag[set * c->ways.padded], 1);
    __builtin_prefetch(&c->ways.link[set * c->ways.ways], 1);
    __builtin_prefetch(&c->line[set * c->ways.ways], 1);
}

/* ---- the whole cache ---- */

void sgc_l2_write_back(sgc_t *t)
{
    for (unsigned n = 0; n < t->channels; n++) {
        sgc_channel_t *c = &t->channel[n];
        for (uint32_t slot = 0; c->n_dirty && slot < c->ways.sets * c->ways.ways; slot++) {
            if (!c->line[slot].dirty) continue;
            clean(c, &c->line[slot]);
            c->count.op_writeback++;
        }
    }
}

void sgc_l2_invalidate(sgc_t *t, bool all)
{
    for (unsigned n = 0; n < t->channels; n++) {
        sgc_channel_t *c = &t->channel[n];
        if (!all && !c->n_shared) continue;
        for (uint32_t slot = 0; slot < c->ways.sets * c->ways.ways; slot++) {
            sgc_l2_line_t *line = &c->line[slot];
            if (ways_tag(&c->ways, slot) == WAYS_EMPTY) continue;
            if (!all && line->page.type == SGC_RW) continue;
            if (line->dirty) {
                clean(c, line);
                c->count.op_writeback++;
            }
            c->n_shared -= line->page.type != SGC_RW;
            c->count.op_evict++;
            if (!all) ways_remove(&c->ways, slot);
        }
        if (all) ways_clear(&c->ways);
    }
}
