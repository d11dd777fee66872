/* l2.h - one request to L2 (TCC): channels of lines, and the transactions below them (EA).
 *
 * A line has one or two halves (l2.wide) of 64 bytes, each of which is read and written back on its
 * own. A read that misses fills the line; a write does not. The functions are inline because the
 * vector L1 makes its requests in loops. The loops pass a copy of what does not change of L2 (`v`):
 * a compiler knows that stores to lines do not change a local variable, and keeps its fields in
 * registers. */
#ifndef SOFTGPU_CACHE_L2_H
#define SOFTGPU_CACHE_L2_H

#include "softgpu/cache/mall.h"
#include "softgpu/cache/model.h"

#define L2_INLINE static inline __attribute__((always_inline))

/* ---- transactions below L2 ---- */

L2_INLINE uint32_t l2_memory_latency(const sgc_t *t, bool local)
{
    return local ? t->profile.vram_latency : t->profile.host_latency;
}

/* The latency of a transaction that reads `line64`, the line of 64 bytes behind it, or both, by the
 * bits of `lines`. What is read from the GPU's own memory is in the MALL then. */
L2_INLINE uint32_t l2_read_latency(sgc_t *t, sgc_tcc_counts_t *c, bool local, uint32_t line64,
                                   unsigned lines)
{
    if (!sgc_has_mall(t) || !local || !sgc_mall_read(t, line64, lines))
        return l2_memory_latency(t, local);
    c->ea_mall++;
    return t->profile.mall_latency;
}

/* Writes a half of a line. `pieces`: bit n for its n-th 32 bytes; one transaction takes both. */
L2_INLINE void l2_memory_write(sgc_t *t, sgc_tcc_counts_t *c, bool local, uint32_t line64,
                               unsigned pieces)
{
    if (sgc_has_mall(t) && local && pieces) sgc_mall_write(t, line64);
    c->ea_wrreq[local] += pieces != 0;
    c->ea_wrreq_64b[local] += pieces == 3;
    t->tallies.below += pieces != 0;
    t->tallies.written += pieces != 0;
}

L2_INLINE unsigned l2_pieces_of(uint64_t bytes)
{
    return ((uint32_t)bytes ? 1u : 0) | (bytes >> 32 ? 2u : 0);
}

/* Writes the dirty bytes of the line with this tag back. */
static inline void l2_clean(sgc_t *t, sgc_channel_t *c, sgc_l2_line_t *line, uint32_t tag)
{
    const uint32_t line64 = tag << t->l2.wide;
    const unsigned dirty = (*line & SGC_L2_DIRTY) >> SGC_L2_DIRTY_SHIFT;
    const bool local = *line & SGC_L2_LOCAL;
    l2_memory_write(t, &c->count, local, line64, dirty & 3);
    l2_memory_write(t, &c->count, local, line64 + 1, dirty >> 2);
    *line &= (sgc_l2_line_t)~SGC_L2_DIRTY;
    t->l2.n_dirty--;
    c->count.writeback++;
}

/* The host's uncached memory answers reads of the same line one at a time. Returns the clocks until
 * it is this read's turn. */
static inline uint32_t l2_await_turn(sgc_t *t, uint32_t line64)
{
    sgc_arriving_t *u = &t->uncached;
    const uint64_t turn = u->line == line64 && u->at > t->now ? u->at : t->now;
    *u = (sgc_arriving_t){line64, turn + t->profile.uncached_turn};
    return (uint32_t)(turn - t->now);
}

static inline uint32_t l2_uncached(sgc_t *t, sgc_tcc_counts_t *c, sgc_page_t page, uint32_t line64,
                                   sgc_access_t access, uint64_t bytes)
{
    const unsigned pieces = l2_pieces_of(bytes);
    if (access == SGC_READ) {
        t->tallies.below++;
        c->ea_rdreq[page.local]++;
        c->ea_rd_uncached_32b += 2;
        return l2_read_latency(t, c, page.local, line64, 1) +
               (page.local ? 0 : l2_await_turn(t, line64));
    }
    l2_memory_write(t, c, page.local, line64, pieces);
    c->ea_wr_uncached_32b += (unsigned)__builtin_popcount(pieces);
    c->writeback++;
    if (access == SGC_ATOMIC) {
        c->ea_atomic[page.local]++;
        c->at_pieces[page.local] += (unsigned)__builtin_popcount(pieces);
    }
    return l2_memory_latency(t, page.local);
}

/* ---- lines ---- */

/* The L2 of an XCC, as far as it stays as it is. */
typedef struct {
    ways_t ways;            /* of all XCCs */
    uint32_t wide;          /* as in sgc_l2_t */
    uint32_t before;        /* sets of the XCCs before it */
    sgc_channel_t *channel; /* its first one */
    uint32_t channel_mask, set_mask;
    int interleave_bits;
    bool hash;
} l2_view_t;

L2_INLINE l2_view_t l2_view_of(const sgc_t *t, uint32_t xcc)
{
    return (l2_view_t){.ways = t->l2.ways,
                       .wide = t->l2.wide,
                       .before = xcc * t->l2.all_sets,
                       .channel = &t->channel[xcc * t->channels],
                       .channel_mask = t->channels - 1,
                       .set_mask = t->l2.all_sets - 1,
                       .interleave_bits = t->l2.interleave_bits,
                       .hash = t->l2.hash};
}

/* The place of a line in L2. */
typedef struct {
    sgc_channel_t *channel;
    uint32_t set;
} l2_place_t;

/* A word with the bit of a tag that is bit `n` of the address; lines have 128 bytes. */
#define L2_BIT(n) (UINT32_C(1) << ((n)-7))

/* The number whose low bits select channel and set: the tag, of which higher bits change lower ones
 * if the L2 hashes addresses. The table is that of MI300's memory channels in Linux's translation
 * of addresses for memory errors (drivers/ras/amd/atl); that the channels and sets of L2 follow it
 * is an assumption. Bits 8 to 11 select one of 16 channels, and bits 12 to 14 the stack and the
 * die. Each of these bits is changed by a series of higher bits, 7 apart: the first of the series
 * is 7 above a bit of the channel, 5 above bit 14, and 8 above bits 12 and 13. Bits 12 to 14 change
 * bits 8 to 10 as well. */
L2_INLINE uint32_t l2_index(bool hash, uint32_t tag)
{
    enum {
        PAGE = L2_BIT(8) | L2_BIT(9) | L2_BIT(10), /* changed by bits 12, 13, 14 */
        CHANNEL = PAGE | L2_BIT(11),               /* 15 to 18, 22 to 25, 29 to 32 */
        STACK = L2_BIT(14),                        /* 19, 26, 33 */
        DIE = L2_BIT(12) | L2_BIT(13)              /* 20 and 21, 27 and 28, 34 and 35 */
    };
    if (__builtin_expect(!hash, 1)) return tag;
    return tag ^ (tag >> 4 & PAGE) ^ ((tag >> 7 ^ tag >> 14 ^ tag >> 21) & CHANNEL) ^
           ((tag >> 5 ^ tag >> 12 ^ tag >> 19) & STACK) ^
           ((tag >> 8 ^ tag >> 15 ^ tag >> 22) & DIE);
}

L2_INLINE l2_place_t l2_place(const sgc_t *t, const l2_view_t *v, uint32_t line64)
{
    const uint32_t tag = line64 >> v->wide;
    const sgc_l2_t *l2 = &t->l2;
    if (__builtin_expect(v->interleave_bits >= 0, 1)) {
        const uint32_t index = l2_index(v->hash, tag);
        return (l2_place_t){&v->channel[index >> v->interleave_bits & v->channel_mask],
                            v->before + (index & v->set_mask)};
    }
    const uint32_t lines = l2->interleave, block = tag / lines, channel = block % t->channels;
    const uint32_t index =
        block / t->channels * lines + tag % lines; /* number among the channel's lines */
    return (l2_place_t){&v->channel[channel], v->before + channel * l2->sets + index % l2->sets};
}

/* Prefetches, into the host's caches, the tags and lines of a set that will have a request soon. */
L2_INLINE void l2_prefetch(const sgc_t *t, const l2_view_t *v, l2_place_t place)
{
    const ways_t *w = &v->ways;
    __builtin_prefetch(&w->tag[place.set * w->padded], 1);
    __builtin_prefetch(&t->l2.line[place.set * w->padded], 1);
    if (w->order) __builtin_prefetch(&w->order[place.set], 1);
}

/* Only the `young` newest lines of a set may be dirty. A use of a line pushes at most one other
 * line out of these: that line is written back. */
L2_INLINE void l2_write_back_older(sgc_t *t, const ways_t *w, l2_place_t place)
{
    sgc_l2_t *l2 = &t->l2;
    if (l2->young == w->ways) return;
    const uint32_t slot = ways_at(w, place.set, l2->young);
    sgc_l2_line_t *line = &l2->line[slot];
    if (!(*line & SGC_L2_DIRTY)) return;
    l2_clean(t, place.channel, line, ways_tag(w, slot));
    place.channel->count.normal_writeback++;
}

/* Finds or makes the line with this tag. If the set does not have it (*there is false), the set's
 * oldest line is replaced by one without valid bytes. */
L2_INLINE sgc_l2_line_t *l2_line(sgc_t *t, const ways_t *w, l2_place_t place, uint32_t tag,
                                 sgc_page_t page, bool *there)
{
    sgc_l2_t *l2 = &t->l2;
    sgc_channel_t *c = place.channel;
    uint32_t old;
    sgc_l2_line_t *line = &l2->line[ways_use(w, place.set, tag, &old)];
    *there = old == tag;
    l2_write_back_older(t, w, place);
    if (*there) return line;
    if (old != WAYS_EMPTY) {
        c->count.normal_evict++;
        if (*line & SGC_L2_SHARED) l2->n_shared--;
        if (*line & SGC_L2_DIRTY) {
            l2_clean(t, c, line, old);
            c->count.normal_writeback++;
        }
    }
    const bool shared = page.type != SGC_RW;
    if (shared) l2->n_shared++;
    *line = (sgc_l2_line_t)((page.local ? SGC_L2_LOCAL : 0) | (shared ? SGC_L2_SHARED : 0));
    return line;
}

/* The latency of the transactions that read the halves `halves` of a line whose first one is
 * `line64`: one for all of them (`at_once`), or one for each, of which the slower one counts. */
L2_INLINE uint32_t l2_fill_latency(sgc_t *t, sgc_tcc_counts_t *c, bool local, uint32_t line64,
                                   unsigned halves, bool at_once)
{
    if (!sgc_has_mall(t)) return l2_memory_latency(t, local);
    uint32_t slower = 0;
    while (halves) {
        const unsigned read = at_once ? halves : halves & -halves;
        const uint32_t latency = l2_read_latency(t, c, local, line64, read);
        if (latency > slower) slower = latency;
        halves &= ~read;
    }
    return slower;
}

/* Reads the invalid halves of the line from memory: of two if it is `wide`. `whole`: if neither
 * half is valid, one transaction reads both. Returns the clocks until all of them are there. */
L2_INLINE uint32_t l2_fill(sgc_t *t, uint32_t wide, sgc_channel_t *c, sgc_l2_line_t *line,
                           uint32_t tag, bool whole)
{
    const unsigned all = SGC_L2_VALID >> (1 - wide), invalid = ~*line & all;
    const unsigned halves = 1 + wide - (*line & 1) - (*line >> 1 & 1);
    const unsigned local = *line / SGC_L2_LOCAL & 1;
    const bool at_once = __builtin_expect(whole, 0) && halves == 2;
    c->count.ea_rdreq[local] += at_once ? 1 : halves;
    c->count.ea_read_whole[local] += at_once;
    t->tallies.below += halves;
    *line |= (sgc_l2_line_t)all;
    return l2_fill_latency(t, &c->count, local, tag << wide, invalid, at_once);
}

/* ---- requests ---- */

/* sgc_l2_request() for the L2 of an XCC. */
L2_INLINE uint32_t l2_request(sgc_t *t, const l2_view_t *v, uint32_t line64, sgc_page_t page,
                              sgc_access_t access, uint64_t bytes, bool stream)
{
    const uint32_t tag = line64 >> v->wide, half = line64 & v->wide;
    const l2_place_t place = l2_place(t, v, line64);
    bool there;
    sgc_channel_t *c = place.channel;

    c->count.by_type[page.type][access]++;
    t->tallies.l2_requests++;
    if (__builtin_expect(stream, 0)) c->count.streaming++;
    if (__builtin_expect(page.type == SGC_UC, 0))
        return l2_uncached(t, &c->count, page, line64, access, bytes);

    sgc_l2_line_t *line = l2_line(t, &v->ways, place, tag, page, &there);
    const bool hit = there && (access == SGC_WRITE || *line >> half & 1);
    c->count.hit += hit;
    t->tallies.l2_hits += hit;
    uint32_t latency = t->profile.l2_latency;
    if (access != SGC_WRITE && !hit) latency = l2_fill(t, v->wide, c, line, tag, false);
    if (access != SGC_READ) {
        t->l2.n_dirty += !(*line & SGC_L2_DIRTY);
        *line |= (sgc_l2_line_t)(l2_pieces_of(bytes) << (SGC_L2_DIRTY_SHIFT + 2 * half));
        if (!~bytes) *line |= (sgc_l2_line_t)(1u << half);
    }
    return latency;
}

/* One request that reads both halves of a wide L2 line. Not for UC memory. */
L2_INLINE uint32_t l2_read_both(sgc_t *t, const l2_view_t *v, uint32_t line64, sgc_page_t page,
                                bool stream)
{
    const uint32_t tag = line64 >> v->wide;
    const l2_place_t place = l2_place(t, v, line64);
    bool there;
    sgc_channel_t *c = place.channel;

    c->count.by_type[page.type][SGC_READ]++;
    c->count.both++;
    t->tallies.l2_requests++;
    c->count.streaming += stream;
    sgc_l2_line_t *line = l2_line(t, &v->ways, place, tag, page, &there);
    if ((*line & SGC_L2_VALID) == SGC_L2_VALID) {
        c->count.hit++;
        t->tallies.l2_hits++;
        return t->profile.l2_latency;
    }
    return l2_fill(t, 1, c, line, tag, t->profile.l2_reads_whole);
}

/* Has the effect of two requests that write all bytes of both halves, in less of the host's time.
 * `line64` is even, L2's lines are wide. Not for UC memory. */
L2_INLINE void l2_write_both(sgc_t *t, const l2_view_t *v, uint32_t line64, sgc_page_t page,
                             bool stream)
{
    const uint32_t tag = line64 >> v->wide;
    const l2_place_t place = l2_place(t, v, line64);
    bool there;
    sgc_channel_t *c = place.channel;

    c->count.by_type[page.type][SGC_WRITE] += 2;
    c->count.streaming += stream ? 2 : 0;
    t->tallies.l2_requests += 2;
    sgc_l2_line_t *line = l2_line(t, &v->ways, place, tag, page, &there);
    c->count.hit += 1u + there;
    t->tallies.l2_hits += 1u + there;
    t->l2.n_dirty += !(*line & SGC_L2_DIRTY);
    *line |= SGC_L2_DIRTY | SGC_L2_VALID;
}

#endif
