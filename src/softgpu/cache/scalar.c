/* scalar.c - the scalar data cache and the instruction cache (SQC), each shared by a few
 * neighbouring compute units.
 *
 * The data cache writes back: a store reads its line if the cache does not have it, and makes the
 * line dirty. */
#include "softgpu/cache/gl1.h"

#include "softgpu/exec/address.h"

#include <stdlib.h>

enum { TLB_ENTRIES = 32 };

/* Index of sgc_sqc_counts_t.tc. */
enum { TC_INST, TC_READ, TC_WRITE, TC_ATOMIC };

static uint32_t sets_of(uint32_t kb, uint32_t ways)
{
    const uint32_t sets = kb * 1024 / SGC_LINE / ways;
    return sets ? sets : 1;
}

bool sgc_scalar_init(sgc_t *t)
{
    const sg_profile_t *p = &t->profile;
    t->sqc = calloc(t->sqcs, sizeof *t->sqc);
    if (!t->sqc) return false;
    for (unsigned n = 0; n < t->sqcs; n++) {
        sgc_sqc_t *q = &t->sqc[n];
        if (!ways_init(&q->data, sets_of(p->l1_scalar_kb, p->l1_scalar_ways), p->l1_scalar_ways) ||
            !ways_init(&q->code, sets_of(p->l1_instruction_kb, p->l1_instruction_ways),
                       p->l1_instruction_ways) ||
            !sgc_tlb_init(&q->data_tlb, TLB_ENTRIES) || !sgc_tlb_init(&q->code_tlb, TLB_ENTRIES))
            return false;
        q->dirty = calloc(ways_slots(&q->data), sizeof *q->dirty);
        q->code_coming = calloc(ways_slots(&q->code), sizeof *q->code_coming);
        q->data_page = calloc(ways_slots(&q->data), sizeof *q->data_page);
        q->last_mask = q->code.sets % SGC_LAST_CODE ? 0 : SGC_LAST_CODE - 1;
        if (!q->dirty || !q->data_page || !q->code_coming) return false;
    }
    return true;
}

void sgc_scalar_free(sgc_t *t)
{
    for (unsigned n = 0; t->sqc && n < t->sqcs; n++) {
        sgc_sqc_t *q = &t->sqc[n];
        ways_free(&q->data);
        ways_free(&q->code);
        sgc_tlb_free(&q->data_tlb);
        sgc_tlb_free(&q->code_tlb);
        free(q->dirty);
        free(q->code_coming);
        free(q->data_page);
    }
    free(t->sqc);
}

static sgc_frame_t frame_of(sgc_t *t, const sgc_sqc_t *q, sgc_tlb_t *b, uint64_t va)
{
    bool hit;
    const sgc_frame_t f = sgc_tlb_find(b, &t->pages, va / SGC_PAGE, &hit);
    if (!hit) sgc_translate(t, q->xcc, f);
    return f;
}

/* Writes a slot's dirty bytes to L2. */
static void clean_slot(sgc_t *t, sgc_sqc_t *q, uint32_t slot, uint32_t line)
{
    if (!q->dirty[slot]) return;
    if (t->gl1) gl1_drop(t, gl1_of(t, q->array), line);
    sgc_l2_request(t, q->xcc, line, q->data_page[slot].page, SGC_WRITE, q->dirty[slot], false);
    q->count.tc[TC_WRITE]++;
    q->dirty[slot] = 0;
    q->n_dirty--;
}

void sgc_scalar_write_back(sgc_t *t, sgc_sqc_t *q)
{
    const uint32_t slots = ways_slots(&q->data);
    for (uint32_t slot = 0; q->n_dirty && slot < slots; slot++)
        clean_slot(t, q, slot, ways_tag(&q->data, slot));
}

static bool is_arriving(const sgc_t *t, const sgc_arriving_t *a, uint32_t line)
{
    return a->line == line && t->now < a->at;
}

/* Clocks until a line that has been requested arrives; 0: the line has arrived, or was not
 * requested. */
static uint32_t still_to_come(const sgc_t *t, const sgc_sqc_t *q, uint32_t line)
{
    const sgc_arriving_t *a = &q->data_arriving[line % SGC_ARRIVING];
    return is_arriving(t, a, line) ? (uint32_t)(a->at - t->now) : 0;
}

/* A further request for a line that is being fetched. After the last one that the cache accepts, it
 * accepts no requests until the line has arrived. */
static uint32_t duplicate(sgc_t *t, sgc_sqc_t *q, uint32_t line, uint32_t rest)
{
    q->count.dcache_duplicate++;
    t->tallies.scalar_late++;
    if (!--q->data_room[line % SGC_ARRIVING]) q->count.dcache_shut += rest;
    return rest;
}

/* Reads a line through L2. If another scalar cache has made L2 read it from memory and the data is
 * still on its way, this cache waits for it, too, though L2 already has the tag. */
static uint32_t read_scalar(sgc_t *t, const sgc_sqc_t *q, uint32_t line, sgc_page_t page)
{
    sgc_xcc_t *x = &t->xcc[q->xcc];
    const l2_view_t v = l2_view_of(t, q->xcc);
    const uint32_t latency = t->gl1 ? gl1_read(t, gl1_of(t, q->array), &v, line, page, false, false)
                                    : l2_request(t, &v, line, page, SGC_READ, 0, false);
    const uint32_t whole = line >> t->l2.wide;
    if (latency > t->profile.l2_latency) {
        x->arriving[x->arrivals++ % SGC_ARRIVING] = (sgc_arriving_t){whole, t->now + latency};
        return latency;
    }
    uint64_t there = t->now + latency;
    for (unsigned n = 0; n < SGC_ARRIVING; n++)
        if (x->arriving[n].line == whole && x->arriving[n].at > there) there = x->arriving[n].at;
    return (uint32_t)(there - t->now);
}

/* Makes one request of the scalar data cache; returns the clocks until its data. `written`: mask of
 * the bytes that a store changes. */
static uint32_t request(sgc_t *t, sgc_sqc_t *q, sgc_frame_t f, uint32_t line, sgc_access_t access,
                        uint64_t written, bool fresh)
{
    const uint32_t set = ways_set(&q->data, line);
    int32_t slot = ways_find(&q->data, set, line);
    uint32_t latency = t->profile.l1_scalar_latency, old;

    q->count.dcache_req++;
    if (slot >= 0 && (access == SGC_ATOMIC || fresh)) {
        clean_slot(t, q, (uint32_t)slot, line);
        ways_remove(&q->data, (uint32_t)slot);
        slot = WAYS_NO_SLOT;
    }
    if (slot >= 0 && access == SGC_READ) {
        const uint32_t rest = still_to_come(t, q, line);
        if (rest && q->data_room[line % SGC_ARRIVING]) return duplicate(t, q, line, rest);
        if (rest > latency)
            latency =
                rest; /* the request counts as a hit, but its data is no earlier than the line */
    }
    q->count.dcache_hits += slot >= 0;
    q->count.dcache_misses += slot < 0;
    *(slot < 0 ? &t->tallies.scalar_misses : &t->tallies.scalar_hits) += 1;
    if (access == SGC_ATOMIC) {
        q->count.dcache_atomic++;
        q->count.tc[TC_ATOMIC]++;
        return sgc_l2_request(t, q->xcc, line, f.page, access, written, false);
    }
    if (slot < 0) {
        latency = read_scalar(t, q, line, f.page);
        q->count.tc[TC_READ]++;
        slot = (int32_t)ways_insert(&q->data, set, line, &old);
        clean_slot(t, q, (uint32_t)slot, old);
        q->data_page[slot] = f;
        q->data_arriving[line % SGC_ARRIVING] = (sgc_arriving_t){line, t->now + latency};
        q->data_room[line % SGC_ARRIVING] = SGC_SCALAR_PENDING;
    }
    if (access == SGC_WRITE) {
        q->n_dirty += !q->dirty[slot];
        q->dirty[slot] |= written;
    }
    return latency;
}

static void access_lines(sgc_t *t, sgc_sqc_t *q, const isa_inst_t *i, const sgc_op_t *op,
                         const isa_scalar_place_t *p, sgc_cost_t *cost)
{
    const unsigned dwords = op->bytes / 4;
    unsigned k = 0;
    while (k < dwords) {
        /* the dwords in range that lie in one line */
        const uint64_t va = p->base + p->offset + 4 * k, line = va / SGC_LINE;
        uint64_t bytes = 0;
        for (; k < dwords && (p->base + p->offset + 4 * k) / SGC_LINE == line; k++)
            if (p->limit == UINT64_MAX || isa_scalar_inside(p, p->offset + 4 * k))
                bytes |= UINT64_C(15) << (p->base + p->offset + 4 * k) % SGC_LINE;
        if (!bytes) continue;
        const sgc_frame_t f = frame_of(t, q, &q->data_tlb, va);
        const bool fresh = sgc_is_fresh(t, i, op);
        const uint32_t latency =
            request(t, q, f, sgc_line_of(f, va), (sgc_access_t)op->access, bytes, fresh) +
            cost->smem_issue;
        q->count.inflight += latency;
        cost->smem_issue++;
        if (latency > cost->latency) cost->latency = latency;
    }
}

void sgc_scalar(sgc_t *t, sgc_sqc_t *q, const isa_wave_t *w, const isa_inst_t *i,
                const sgc_op_t *op, sgc_cost_t *cost)
{
    if (op->kind == ISA_ACCESS_ARRAY_INVALIDATE) {
        if (t->gl1) sgc_gl1_invalidate(gl1_of(t, q->array));
    } else if (op->kind == ISA_ACCESS_INVALIDATE || op->kind == ISA_ACCESS_WRITEBACK) {
        sgc_scalar_write_back(t, q);
        if (op->kind == ISA_ACCESS_INVALIDATE) ways_clear(&q->data);
    } else {
        const isa_scalar_place_t p =
            op->buffer ? isa_address_scalar_buffer(w, i)
                       : isa_address_scalar(w, i, op->scratch ? ISA_SCALAR_SCRATCH_UNIT : 1);
        access_lines(t, q, i, op, &p, cost);
    }
    if (!cost->smem_issue) cost->smem_issue = 1;
    if (!cost->latency) cost->latency = t->profile.l1_scalar_latency;
}

static unsigned last_code(const sgc_sqc_t *q, uint64_t va)
{
    return (unsigned)(va / SGC_LINE & q->last_mask);
}

/* Requests the line of code at `va` from L2 if the cache does not have it, and returns whether it
 * did so. Sets *slot, and after a request *latency, the clocks that it takes. `ahead`: no wave asks
 * for the line yet, so that one that is there is not used. */
static bool code_missed(sgc_t *t, sgc_sqc_t *q, uint64_t va, bool ahead, uint32_t *slot,
                        uint32_t *latency)
{
    uint32_t old;
    const sgc_frame_t f = frame_of(t, q, &q->code_tlb, va);
    const uint32_t line = sgc_line_of(f, va), set = ways_set(&q->code, line);
    const int32_t found = ahead ? ways_look(&q->code, set, line) : ways_find(&q->code, set, line);
    *slot = (uint32_t)found;
    if (found >= 0) return false;
    const sgc_tallies_t before = t->tallies;
    q->count.tc[TC_INST]++;
    *slot = (uint32_t)ways_insert(&q->code, set, line, &old);
    q->last_code[last_code(q, va)].line = 0;
    *latency = read_scalar(t, q, line, f.page);
    const uint64_t asked = t->base + t->now;
    q->code_coming[*slot] =
        (sgc_coming_t){asked, asked + *latency, ahead ? SGC_CODE_PENDING : SGC_CODE_ALL};
    t->tallies.code_l2_misses += t->tallies.l2_hits == before.l2_hits;
    /* these tallies leave out requests for code */
    t->tallies.l2_requests = before.l2_requests;
    t->tallies.l2_hits = before.l2_hits;
    t->tallies.code_below += t->tallies.below - before.below;
    return true;
}

/* Prefetches the lines after that of `va`: code usually continues there. */
static void read_ahead(sgc_t *t, sgc_sqc_t *q, uint64_t va)
{
    uint32_t slot, latency;
    for (uint32_t k = 1; k <= t->profile.l1_code_ahead; k++)
        code_missed(t, q, va + k * SGC_LINE, true, &slot, &latency);
}

/* Waves run one after the other on the host, not in the order of their clocks. For a wave whose
 * clock is before `asked`, the line counts as present: had the waves run in the order of their
 * clocks, this wave would have requested the line, early enough for both. */
static bool on_its_way(const sgc_coming_t *c, uint64_t now)
{
    return c->asked <= now && now < c->there;
}

uint32_t sgc_fetch(sgc_t *t, unsigned cu, uint64_t now, uint64_t va)
{
    sgc_sqc_t *q = sgc_sqc_of(t, sgc_unit(t, cu));
    const unsigned last = last_code(q, va);
    const uint64_t at = t->base + now;
    uint32_t slot, latency;
    q->count.icache_req++;
    t->tallies.code_fetches++;
    if (q->last_code[last].line == va / SGC_LINE + 1 &&
        !on_its_way(&q->last_code[last].coming, at)) {
        q->count.icache_hits++;
        return t->profile.l1_instruction_latency;
    }
    t->now = now;
    if (code_missed(t, q, va, false, &slot, &latency)) {
        q->count.icache_misses++;
        t->tallies.code_misses++;
        read_ahead(t, q, va);
        return latency;
    }
    sgc_coming_t *coming = &q->code_coming[slot];
    const bool waits = on_its_way(coming, at), let_in = waits && coming->room;
    latency = waits ? (uint32_t)(coming->there - at) : t->profile.l1_instruction_latency;
    coming->room -= let_in;
    q->last_code[last].line = va / SGC_LINE + 1;
    q->last_code[last].coming = *coming;
    *(let_in ? &q->count.icache_duplicate : &q->count.icache_hits) += 1;
    read_ahead(t, q, va);
    return latency;
}
