/* memory.c - address unit, vector L1 and data return (TA, TCP, TD): lanes become accesses, accesses
 * look-ups, look-ups requests to L2.
 *
 * The rules are docs/counter-model.md, "Vector memory". Two ways lead through them: lanes in a
 * row, where a quarter's lines follow from its first address, and everything else, lane by lane.
 */
#include "softgpu/cache/model.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* One instruction on its way. */
typedef struct {
    sgc_t *t;
    sgc_cu_t *cu;
    const sgc_op_t *op;
    bool fresh, returns, stream; /* a load past L1; an atomic that returns; SLC */
    uint32_t accesses, quads, quarters, lookups, conflicts;
    uint32_t latency;
    bool waits; /* for L2 */
    /* the write request that is being put together */
    uint64_t line, bytes; /* line number by virtual address + 1, 0: none */
    sgc_frame_t to;
} pass_t;

static void slower(pass_t *p, uint32_t latency)
{
    latency += p->lookups;
    if (latency > p->latency) p->latency = latency;
}

static void send_write(pass_t *p)
{
    if (!p->line) return;
    sgc_tcp_counts_t *c = &p->cu->tcp;
    const uint32_t line = sgc_line_of(p->to, (p->line - 1) * SGC_LINE);
    const uint32_t latency = sgc_l2_request(p->t, line, p->to.page, SGC_WRITE, p->bytes, p->stream);
    c->by_type[p->to.page.type][SGC_WRITE]++;
    c->write_latency += latency;
    slower(p, latency);
    p->line = 0;
}

static void read_line(pass_t *p, sgc_frame_t f, uint32_t line, uint32_t extra)
{
    sgc_cu_t *cu = p->cu;
    ways_t *l1 = &cu->l1;
    const uint32_t set = ways_set(l1, line);
    int32_t slot = ways_find(l1, set, line);
    if (slot >= 0 && !p->fresh) {
        slower(p, p->t->profile.l1_vector_latency + extra);
        return;
    }
    if (slot >= 0) ways_remove(l1, (uint32_t)slot);
    uint32_t old;
    const uint32_t latency = sgc_l2_request(p->t, line, f.page, SGC_READ, 0, p->stream);
    if (!p->fresh) ways_insert(l1, set, line, &old);
    cu->tcp.by_type[f.page.type][SGC_READ]++;
    cu->tcp.read_latency += latency;
    p->waits = true;
    slower(p, latency + extra);
}

static void change_line(pass_t *p, sgc_frame_t f, uint32_t line, uint64_t bytes, uint32_t extra)
{
    sgc_cu_t *cu = p->cu;
    sgc_tcp_counts_t *c = &cu->tcp;
    const int32_t slot = ways_find(&cu->l1, ways_set(&cu->l1, line), line);
    if (slot >= 0) ways_remove(&cu->l1, (uint32_t)slot);
    const uint32_t latency = sgc_l2_request(p->t, line, f.page, SGC_ATOMIC, bytes, p->stream);
    c->tcc_atomic_ret += p->returns;
    c->by_type[f.page.type][SGC_ATOMIC]++;
    *(p->returns ? &c->read_latency : &c->write_latency) += latency;
    p->waits |= p->returns;
    slower(p, latency + extra);
}

/* A look-up's translation, and the clocks it adds. */
INLINE sgc_frame_t translate(pass_t *p, uint64_t line, uint32_t *extra)
{
    sgc_cu_t *cu = p->cu;
    bool hit;
    const sgc_frame_t f = sgc_tlb_find(&cu->tlb, &p->t->pages, line / SGC_PAGE_LINES, &hit);
    *extra = hit ? 0 : p->t->profile.utcl1_miss_latency;
    cu->tcp.utcl1_miss += !hit;
    return f;
}

/* One look-up of a tag: `line` is an address / 64, `bytes` what a store or an atomic changes. */
INLINE void look_up(pass_t *p, uint64_t line, sgc_frame_t f, uint32_t extra, uint64_t bytes,
                    sgc_access_t access)
{
    if (access == SGC_READ) {
        read_line(p, f, sgc_line_of(f, line * SGC_LINE), extra);
    } else if (access == SGC_ATOMIC) {
        change_line(p, f, sgc_line_of(f, line * SGC_LINE), bytes, extra);
    } else {
        if (p->line != line + 1) {
            send_write(p);
            p->line = line + 1;
            p->bytes = 0;
            p->to = f;
        }
        p->bytes |= bytes;
        slower(p, p->t->profile.l2_latency + extra);
    }
    p->lookups++;
}

/* Bits [from, to) of a line's bytes. */
INLINE uint64_t byte_mask(uint32_t from, uint32_t to)
{
    return (to - from == SGC_LINE ? ~UINT64_C(0) : (UINT64_C(1) << (to - from)) - 1) << from;
}

/* ---- lanes in a row ---- */

INLINE bool side_by_side(const sgc_lanes_t *a, uint32_t stride)
{
    if (a->exec != ~UINT64_C(0)) return false;
    uint64_t differ = 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        differ |= (a->va[l] - l * (uint64_t)stride) ^ a->va[0];
    return !differ;
}

static uint32_t lines_in(uint64_t from, uint32_t bytes)
{
    return (uint32_t)((from + bytes - 1) / SGC_LINE - from / SGC_LINE) + 1;
}

/* Reads of both halves of an L2 line that are not in L1, together. False, with nothing done, where
 * that is not so. */
INLINE bool read_both(pass_t *p, uint64_t line, sgc_frame_t f, uint32_t extra)
{
    sgc_cu_t *cu = p->cu;
    ways_t *l1 = &cu->l1;
    const uint32_t phys = sgc_line_of(f, line * SGC_LINE);
    const uint32_t set = ways_set(l1, phys), set2 = ways_set(l1, phys + 1);
    if (p->fresh || f.page.type == SGC_UC || ways_has(l1, set2, phys + 1) ||
        ways_has(l1, set, phys))
        return false;
    uint32_t old, second;
    const uint32_t first = sgc_l2_read_both(p->t, phys, f.page, p->stream, &second);
    ways_insert(l1, set, phys, &old);
    ways_insert(l1, set2, phys + 1, &old);
    cu->tcp.by_type[f.page.type][SGC_READ] += 2;
    cu->tcp.read_latency += first + second;
    p->waits = true;
    slower(p, first + extra);
    p->lookups++;
    slower(p, second);
    p->lookups++;
    return true;
}

/* The same for writes of both halves. */
INLINE bool write_both(pass_t *p, uint64_t line, sgc_frame_t f, uint32_t extra)
{
    const uint32_t latency = p->t->profile.l2_latency;
    if (p->line == line + 1 || f.page.type == SGC_UC) return false;
    send_write(p);
    sgc_l2_write_both(p->t, sgc_line_of(f, line * SGC_LINE), f.page, p->stream);
    p->cu->tcp.by_type[f.page.type][SGC_WRITE] += 2;
    p->cu->tcp.write_latency += 2 * latency;
    p->lookups += 2;
    slower(p, latency + extra);
    return true;
}

/* The look-ups of all lines from `at` to `end`. */
INLINE void look_up_row(pass_t *p, uint64_t at, uint64_t end, sgc_access_t access)
{
    for (uint64_t line = at / SGC_LINE; line * SGC_LINE < end; line++) {
        const uint64_t begin = line * SGC_LINE;
        uint32_t extra;
        const sgc_frame_t f = translate(p, line, &extra);
        const bool both = !(line & 1) && at <= begin && begin + SGC_L2_LINE <= end;
        if (both && ((access == SGC_READ && read_both(p, line, f, extra)) ||
                     (access == SGC_WRITE && write_both(p, line, f, extra)))) {
            line++;
            continue;
        }
        const uint32_t from = at > begin ? (uint32_t)(at - begin) : 0;
        const uint32_t to = end - begin < SGC_LINE ? (uint32_t)(end - begin) : SGC_LINE;
        look_up(p, line, f, extra, access == SGC_READ ? 0 : byte_mask(from, to), access);
    }
}

static uint32_t accesses_in_a_row(const sgc_lanes_t *a)
{
    const uint32_t n = ISA_LANES / SGC_QUAD, pitch = SGC_QUAD * a->step;
    const uint32_t quad = (SGC_QUAD - 1) * a->step + a->bytes;
    uint32_t accesses = 0;
    if (pitch && a->va[0] % pitch == 0 && SGC_LINE % pitch == 0 && a->bytes <= a->step) return n;
    for (unsigned k = 0; k < n; k++)
        accesses += lines_in(a->va[0] + k * pitch, quad);
    return accesses;
}

/* Even lanes at most a line apart touch every line from a quarter's first byte to its last; those
 * fall on the banks in turn and never conflict. What is written, is written without gaps. */
INLINE void in_a_row(pass_t *p, const sgc_lanes_t *a, sgc_access_t access)
{
    const uint32_t pitch = SGC_QUARTER * a->step;
    const uint64_t first = a->va[0];
    p->quads = ISA_LANES / SGC_QUAD;
    p->quarters = ISA_LANES / SGC_QUARTER;
    p->accesses = accesses_in_a_row(a);
    if (a->step == a->bytes && pitch % SGC_LINE == 0 && first % SGC_LINE == 0) {
        /* no two quarters share a line */
        look_up_row(p, first, first + p->quarters * pitch, access);
        return;
    }
    for (uint64_t at = first, q = 0; q < p->quarters; q++, at += pitch)
        look_up_row(p, at, at + pitch - a->step + a->bytes, access);
}

/* Swizzled memory at one offset in all lanes: each dword of the elements is such a row, and a line
 * holds a quarter's. */
INLINE void spilled(pass_t *p, const sgc_lanes_t *a, sgc_access_t access)
{
    const uint32_t dwords = (a->bytes + 3) / 4;
    p->quads = ISA_LANES / SGC_QUAD;
    p->quarters = ISA_LANES / SGC_QUARTER;
    p->accesses = p->quads * dwords;
    for (unsigned q = 0; q < p->quarters; q++) {
        uint32_t bank[SGC_TAG_BANKS] = {0}, most = 0;
        for (unsigned k = 0; k < dwords; k++) {
            const uint64_t line = (a->va[SGC_QUARTER * q] + (uint64_t)k * a->dword_step) / SGC_LINE;
            if (++bank[line % SGC_TAG_BANKS] > most) most = bank[line % SGC_TAG_BANKS];
            uint32_t extra;
            const sgc_frame_t f = translate(p, line, &extra);
            look_up(p, line, f, extra, ~UINT64_C(0), access);
        }
        p->conflicts += most - (dwords + SGC_TAG_BANKS - 1) / SGC_TAG_BANKS;
    }
}

/* ---- everything else ---- */

enum { QUARTER_LINES = 5 * SGC_QUARTER }; /* a lane touches at most 4 dwords, or 5 unaligned */

/* The distinct lines of a quarter in the order of its lanes. */
typedef struct {
    uint64_t line[QUARTER_LINES], bytes[QUARTER_LINES];
    sgc_frame_t to[QUARTER_LINES];
    uint32_t extra[QUARTER_LINES]; /* clocks of the translation */
    uint64_t filter;               /* bit line % 64 of those that are there */
    uint64_t seen[2];              /* of the quad at work, by index */
    unsigned n;
    uint32_t accesses; /* the lines of each quad, added up */
} quarter_t;

INLINE void add_line(quarter_t *q, uint64_t line, uint64_t bytes)
{
    const uint64_t bit = UINT64_C(1) << line % 64;
    unsigned k = q->n;
    if (q->filter & bit)
        for (k = 0; k < q->n && q->line[k] != line; k++) {
        }
    if (k == q->n) {
        q->line[q->n] = line;
        q->bytes[q->n++] = 0;
        q->filter |= bit;
    }
    q->bytes[k] |= bytes;
    const uint64_t index = UINT64_C(1) << k % 64;
    q->accesses += !(q->seen[k / 64] & index);
    q->seen[k / 64] |= index;
}

INLINE void add_bytes(quarter_t *q, uint64_t va, uint32_t bytes)
{
    const uint32_t from = va % SGC_LINE;
    if (__builtin_expect(from + bytes <= SGC_LINE, 1)) {
        add_line(q, va / SGC_LINE, byte_mask(from, from + bytes));
        return;
    }
    add_line(q, va / SGC_LINE, byte_mask(from, SGC_LINE));
    add_line(q, va / SGC_LINE + 1, byte_mask(0, from + bytes - SGC_LINE));
}

INLINE void add_lane(quarter_t *q, const sgc_lanes_t *a, unsigned l)
{
    if (a->dword_step == 4) {
        add_bytes(q, a->va[l], a->bytes);
        return;
    }
    const uint32_t in_dword = a->va[l] & 3;
    uint64_t va = a->va[l];
    for (uint32_t left = a->bytes, part; left; left -= part) {
        part = 4 - (left == a->bytes ? in_dword : 0);
        if (part > left) part = left;
        add_bytes(q, va, part);
        va = (va & ~UINT64_C(3)) + a->dword_step;
    }
}

static void count_conflicts(pass_t *p, const quarter_t *q)
{
    uint32_t bank[SGC_TAG_BANKS] = {0}, most = 0;
    for (unsigned k = 0; k < q->n; k++)
        bank[q->line[k] % SGC_TAG_BANKS]++;
    for (unsigned b = 0; b < SGC_TAG_BANKS; b++)
        if (bank[b] > most) most = bank[b];
    p->conflicts += most - (q->n + SGC_TAG_BANKS - 1) / SGC_TAG_BANKS;
}

INLINE void collect(pass_t *p, quarter_t *q, const sgc_lanes_t *a, unsigned first)
{
    q->n = 0;
    q->filter = 0;
    q->accesses = 0;
    for (unsigned l = first; l < first + SGC_QUARTER; l += SGC_QUAD) {
        const unsigned lanes = a->exec >> l & 15;
        if (!lanes) continue;
        q->seen[0] = q->seen[1] = 0;
        for (unsigned k = 0; k < SGC_QUAD; k++)
            if (lanes >> k & 1) add_lane(q, a, l + k);
        p->quads++;
    }
    p->accesses += q->accesses;
    p->quarters++;
    if (q->n > 1) count_conflicts(p, q);
}

/* Lines far apart are far apart in the model's own memory too: what the look-ups will need is
 * fetched while others are at work. Translations know nothing of the caches behind them, so that
 * all of them may come first. */
INLINE void scattered(pass_t *p, const sgc_lanes_t *a, sgc_access_t access)
{
    enum { CLOSE = 2 }; /* lines of a quarter that are not worth the trouble */
    quarter_t quarter[ISA_LANES / SGC_QUARTER], *const end = quarter + ISA_LANES / SGC_QUARTER;
    for (quarter_t *q = quarter; q < end; q++) {
        q->n = 0;
        const unsigned first = (unsigned)(q - quarter) * SGC_QUARTER;
        if (a->exec >> first & 0xffff) collect(p, q, a, first);
        for (unsigned k = 0; q->n > CLOSE && k < q->n; k++)
            sgc_pages_prefetch(&p->t->pages, q->line[k] / SGC_PAGE_LINES);
    }
    for (quarter_t *q = quarter; q < end; q++) {
        for (unsigned k = 0; k < q->n; k++) {
            q->to[k] = translate(p, q->line[k], &q->extra[k]);
            if (q->n > CLOSE) sgc_l2_prefetch(p->t, sgc_line_of(q->to[k], q->line[k] * SGC_LINE));
        }
    }
    for (quarter_t *q = quarter; q < end; q++)
        for (unsigned k = 0; k < q->n; k++)
            look_up(p, q->line[k], q->to[k], q->extra[k], q->bytes[k], access);
}

/* ---- the instruction ---- */

INLINE void walk(pass_t *p, sgc_lanes_t *a, sgc_access_t access)
{
    if (a->even && (access == SGC_READ || a->step == a->bytes)) {
        in_a_row(p, a, access);
        return;
    }
    sgc_lanes_spread(a);
    if (a->dword_step != 4 && a->bytes % 4 == 0 && a->va[0] % SGC_LINE == 0 &&
        a->dword_step % SGC_LINE == 0 && side_by_side(a, 4))
        spilled(p, a, access);
    else
        scattered(p, a, access);
}

static void count_accesses(pass_t *p)
{
    sgc_tcp_counts_t *c = &p->cu->tcp;
    c->accesses[p->op->access + (p->op->access == SGC_ATOMIC && !p->returns)] += p->accesses;
    c->cache_accesses += p->lookups;
    c->tagconflict[p->op->access] += p->conflicts;
    c->latency += p->latency;
    if (p->fresh) c->volatile_ += p->accesses;
}

static void count_pipes(pass_t *p)
{
    sgc_cu_t *cu = p->cu;
    sgc_ta_counts_t *ta = &cu->ta;
    const uint32_t issue = p->lookups;
    const bool loads = p->op->access == SGC_READ, coalesced = p->accesses == p->quads;
    ta->ta_busy += issue;
    ta->addr_stalled_by_tc_cycles += p->lookups - p->quarters;
    if (!loads) ta->data_stalled_by_tc_cycles += p->lookups - p->quarters;
    cu->td.coalescable_wavefront += coalesced;
    if (p->op->buffer) {
        ta->buffer_total_cycles += issue;
        if (coalesced && loads) ta->buffer_coalesced_read_cycles += issue;
        if (coalesced && p->op->access == SGC_WRITE) ta->buffer_coalesced_write_cycles += issue;
    }

    const uint64_t start = cu->clock > cu->free ? cu->clock : cu->free;
    const uint64_t data = start + p->t->profile.l1_vector_latency + p->lookups - 1;
    const uint64_t end = start + p->latency;
    cu->free = start + issue;
    if (loads || p->returns) {
        sgc_span_add(&cu->td_busy, start, end);
        if (p->waits) {
            sgc_span_add(&cu->td_wait, data, end);
            sgc_span_add(&cu->tcp_wait, data, end);
        }
    }
    sgc_span_add(&cu->tcp_busy, start, loads || p->returns ? end : cu->free);
}

void sgc_memory_access(sgc_t *t, sgc_cu_t *cu, const isa_inst_t *i, const sgc_op_t *op,
                       sgc_lanes_t *a, sgc_cost_t *cost)
{
    pass_t p = {.t = t, .cu = cu, .op = op, .stream = i->flags & ISA_F_SLC};
    p.fresh = op->access == SGC_READ && i->flags & ISA_F_GLC;
    p.returns = op->access == SGC_ATOMIC && i->flags & ISA_F_GLC;
    switch (op->access) {
    case SGC_READ: walk(&p, a, SGC_READ); break;
    case SGC_WRITE:
        walk(&p, a, SGC_WRITE);
        send_write(&p);
        break;
    default: walk(&p, a, SGC_ATOMIC); break;
    }
    count_accesses(&p);
    count_pipes(&p);
    cost->vmem_issue += p.lookups;
    if (p.latency > cost->latency) cost->latency = p.latency;
}
