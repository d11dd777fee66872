/* census.c - the census: its lines, the cache lines that memory instructions touch, and sums over
 * threads.
 *
 * Each instruction has an isa_census_line_t, to which the run loop adds (exec/census.h). This file
 * makes these, adds them up for all threads, and counts the cache lines and LDS conflicts of
 * instructions. */
#include "softgpu/perf/census.h"

#include "base/golden.h"
#include "base/grow.h"
#include "softgpu/cache/reach.h"
#include "isa/table.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE_CHAINS = 32,
    TOUCHED = 512, /* twice the lines that the dwords of one instruction can be in */
    FEW_SLOTS = 256
};

struct sg_census {
    isa_census_t isa;
    isa_census_page_t *chain[PAGE_CHAINS], *spare;
    uint32_t n_lines;
    size_t room;
    bool lost;
    /* indexed by a hash of a cache line: the last instruction (by `round`) that touched it */
    uint32_t round, round_of[TOUCHED];
    uint64_t line_of[TOUCHED];
};

static isa_census_page_t no_page;

/* ---- cache lines that are touched ---- */

static uint32_t touch(sg_census_t *c, uint64_t line)
{
    unsigned k = (unsigned)(line * BASE_GOLDEN >> 40) % TOUCHED;
    for (; c->round_of[k] == c->round; k = (k + 1) % TOUCHED)
        if (c->line_of[k] == line) return 0;
    c->round_of[k] = c->round;
    c->line_of[k] = line;
    return 1;
}

static uint32_t touch_bytes(sg_census_t *c, uint64_t va, uint32_t bytes)
{
    uint32_t n = 0;
    for (uint64_t line = va / SGC_LINE; line <= (va + bytes - 1) / SGC_LINE; line++)
        n += touch(c, line);
    return n;
}

static uint64_t lines_of(sg_census_t *c, const sgc_lanes_t *a)
{
    uint64_t n = 0;
    if (a->even) /* steps are at most a line: every line from the first to the last is touched */
        return (a->va[0] + (ISA_LANES - 1) * (uint64_t)a->step + a->bytes - 1) / SGC_LINE -
               a->va[0] / SGC_LINE + 1;
    if (!++c->round) {
        memset(c->round_of, 0, sizeof c->round_of);
        c->round = 1;
    }
    const uint32_t piece = a->dword_step == 4 || a->bytes < 4 ? a->bytes : 4;
    for (uint64_t lanes = a->exec; lanes; lanes &= lanes - 1) {
        uint64_t va = a->va[__builtin_ctzll(lanes)];
        for (uint32_t done = 0; done < a->bytes; done += piece, va += a->dword_step)
            n += touch_bytes(c, va, piece);
    }
    return n;
}

static void memory(sg_census_t *c, softgpu_instruction_counts_t *n, const sgc_lanes_t *a,
                   const sgc_op_t *op)
{
    const unsigned lanes = isa_lane_count(a->exec);
    if (!lanes) return;
    const uint64_t bytes = (uint64_t)lanes * a->bytes, lines = lines_of(c, a);
    const uint64_t needed = (bytes + SGC_LINE - 1) / SGC_LINE;
    n->bytes += bytes;
    n->lines += lines;
    n->lines_needed += needed < lines ? needed : lines;
    if (op->access == SGC_ATOMIC) n->atomics += lanes;
}

static void lds(softgpu_instruction_counts_t *n, const sgc_lds_use_t *use, const sgc_op_t *op,
                uint64_t exec)
{
    const unsigned lanes = isa_lane_count(exec) - use->outside;
    n->lds_clocks += use->clocks;
    n->lds_clocks_needed += use->phases;
    if (op->kind == ISA_ACCESS_CROSS || op->kind == ISA_ACCESS_WAVE ||
        op->kind == ISA_ACCESS_DIRECT)
        return;
    n->lds_accesses++;
    n->lds_bytes += (uint64_t)lanes * op->bytes;
    if (op->access == SGC_ATOMIC) n->atomics += lanes;
}

static void vector(sg_census_t *c, isa_census_line_t *l, const isa_wave_t *w, const isa_inst_t *i,
                   const sgc_op_t *op)
{
    if (!w->exec) return;
    sgc_reach_t *r = sgc_seen_reach(c->isa.watch, w, i);
    for (unsigned k = 0; k < sgc_reach_parts(r); k++)
        memory(c, &l->n, sgc_reach_part(r, k), op);
    if (r->own.exec) memory(c, &l->n, &r->own, op);
    if (!r->lds.exec) return;
    const sgc_lds_use_t use = sgc_lds_lanes(w, &r->lds, op, op->flat);
    lds(&l->n, &use, op, r->lds.exec);
}

static void more(isa_census_t *isa, isa_census_line_t *l, const isa_wave_t *w, const isa_inst_t *i)
{
    const sgc_op_t *op = &sgc_ops_table[i->op];
    if (op->unit == ISA_UNIT_VECTOR) {
        vector((sg_census_t *)isa, l, w, i, op);
    } else if (op->unit == ISA_UNIT_SCALAR) {
        l->n.bytes += op->bytes;
    } else {
        unsigned n;
        const sgc_lds_use_t *use = sgc_seen_lds_use(isa->watch, w, i, &n);
        for (unsigned k = 0; k < n; k++)
            lds(&l->n, &use[k], op, w->exec);
    }
}

/* ---- lines ---- */

static bool writes_exec(const isa_operand_t *o)
{
    return o->kind == ISA_OPK_SGPR && (o->reg | 1) == (ISA_CODE_EXEC | 1);
}

static isa_census_kind_t kind_of(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const sgc_op_t *op = &sgc_ops_table[i->op];
    if (op->unit != ISA_UNIT_NONE)
        return isa_is_cache_operation(op->kind) ? ISA_CENSUS_PLAIN : ISA_CENSUS_MORE;
    if (row->writes & ISA_REG_EXEC || writes_exec(&i->dst) || writes_exec(&i->dst2))
        return ISA_CENSUS_MASK;
    return row->klass == ISA_CLASS_BRANCH && isa_field(row, ISA_ROLE_SIMM16) ? ISA_CENSUS_BRANCH
                                                                             : ISA_CENSUS_PLAIN;
}

static bool room_for_line(sg_census_t *c)
{
    return BASE_GROW(c->isa.line, c->n_lines, &c->room);
}

static isa_census_page_t *page_of(sg_census_t *c, const isa_page_t *page)
{
    isa_census_page_t **chain = &c->chain[page->va / ISA_PAGE_BYTES % PAGE_CHAINS], *p = *chain;
    while (p && p->page != page)
        p = p->next;
    if (p) return p;
    p = c->spare;
    if (p)
        c->spare = p->next;
    else
        p = malloc(sizeof *p);
    if (!p) return NULL;
    memset(p, 0, sizeof *p);
    p->page = page;
    p->next = *chain;
    return *chain = p;
}

static uint32_t new_line(sg_census_t *c, const isa_wave_t *w, const isa_inst_t *i)
{
    const unsigned at = (unsigned)(i - w->page->slots);
    if (!room_for_line(c)) return 0;
    isa_census_line_t *l = &c->isa.line[c->n_lines];
    memset(l, 0, sizeof *l);
    l->pc = i->pc;
    l->n_words = i->dwords;
    l->kind = (uint8_t)kind_of(i);
    memcpy(l->words, &w->page->words[at], i->dwords * sizeof *l->words);
    return c->n_lines++;
}

static uint32_t find_line(isa_census_t *isa, const isa_wave_t *w, const isa_inst_t *i)
{
    sg_census_t *c = (sg_census_t *)isa;
    isa_census_page_t *p = page_of(c, w->page);
    if (p) {
        uint32_t *at = &p->at[i - w->page->slots];
        isa->page = p;
        if (*at || (*at = new_line(c, w, i))) return *at;
    }
    c->lost = true;
    return 0;
}

sg_census_t *sg_census_create(void)
{
    sg_census_t *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    sgc_ops();
    c->isa.page = &no_page;
    c->isa.meet = find_line;
    c->isa.more = more;
    c->isa.lanes = ISA_LANES;
    c->n_lines = 1;
    if (!room_for_line(c)) {
        free(c);
        return NULL;
    }
    memset(c->isa.line, 0, sizeof *c->isa.line);
    return c;
}

static void free_pages(isa_census_page_t *p)
{
    while (p) {
        isa_census_page_t *next = p->next;
        free(p);
        p = next;
    }
}

void sg_census_free(sg_census_t *c)
{
    if (!c) return;
    for (unsigned k = 0; k < PAGE_CHAINS; k++)
        free_pages(c->chain[k]);
    free_pages(c->spare);
    free(c->isa.line);
    free(c);
}

isa_census_t *sg_census_isa(sg_census_t *c)
{
    return &c->isa;
}

/* ---- sums ---- */

static softgpu_instruction_t *find(softgpu_instruction_t *slot, uint64_t size, uint64_t pc,
                                   const uint32_t words[3], uint32_t n_words)
{
    uint64_t k = (pc / 4 * BASE_GOLDEN >> 20) & (size - 1);
    for (; slot[k].n_words; k = (k + 1) & (size - 1))
        if (slot[k].address == pc && slot[k].n_words == n_words &&
            !memcmp(slot[k].words, words, n_words * sizeof *words))
            break;
    return &slot[k];
}

/* Moves all entries that are not in the range `without` to a table of that size. */
static bool resize(sg_census_sum_t *s, uint64_t size, const softgpu_instruction_range_t *without)
{
    softgpu_instruction_t *slot = calloc(size, sizeof *slot);
    if (!slot) return false;
    uint64_t n = 0;
    for (uint64_t k = 0; k < s->size; k++) {
        const softgpu_instruction_t *i = &s->slot[k];
        if (!i->n_words || (without && i->address >= without->first && i->address < without->end))
            continue;
        *find(slot, size, i->address, i->words, i->n_words) = *i;
        n++;
    }
    free(s->slot);
    *s = (sg_census_sum_t){slot, size, n};
    return true;
}

static softgpu_instruction_t *sum_of(sg_census_sum_t *s, const isa_census_line_t *l)
{
    if (s->n >= s->size / 2 && !resize(s, s->size ? 2 * s->size : FEW_SLOTS, NULL) &&
        s->n + 1 >= s->size)
        return NULL;
    softgpu_instruction_t *i = find(s->slot, s->size, l->pc, l->words, l->n_words);
    if (!i->n_words) {
        s->n++;
        i->size = sizeof *i;
        i->address = l->pc;
        i->n_words = l->n_words;
        memcpy(i->words, l->words, sizeof i->words);
    }
    return i;
}

/* `lanes`: number of lanes of the waves that were counted. */
static void add_line(softgpu_instruction_counts_t *to, const isa_census_line_t *l, unsigned lanes,
                     uint64_t times)
{
    const uint64_t *from = (const uint64_t *)&l->n;
    for (unsigned k = 0; k < sizeof *to / sizeof *from; k++)
        ((uint64_t *)to)[k] += times * from[k];
    to->issued += times * l->full;
    to->lanes += times * lanes * l->full;
    to->by_lanes[lanes / 8] += times * l->full;
}

bool sg_census_add(sg_census_sum_t *sum, sg_census_t *c, uint64_t times)
{
    bool whole = !c->lost;
    for (uint32_t k = 1; k < c->n_lines; k++) {
        softgpu_instruction_t *i = sum_of(sum, &c->isa.line[k]);
        if (i) add_line(&i->counts, &c->isa.line[k], c->isa.lanes, times);
        whole &= i != NULL;
    }
    for (unsigned k = 0; k < PAGE_CHAINS; k++) {
        isa_census_page_t **last = &c->chain[k];
        while (*last)
            last = &(*last)->next;
        *last = c->spare;
        c->spare = c->chain[k];
        c->chain[k] = NULL;
    }
    c->isa.page = &no_page;
    c->n_lines = 1;
    c->lost = false;
    return whole;
}

/* ---- clocks that waves waited because of each other ---- */

static void weigh(const isa_census_line_t *l, sg_perf_contention_t *to)
{
    for (unsigned k = 0; k < SG_PIPES; k++)
        to->stalls[k] += l->pipe[k];
    if (l->pipe[SG_PIPE_VMEM] | l->pipe[SG_PIPE_SMEM]) to->bandwidth += l->n.latency;
}

void sg_census_weigh(const sg_census_t *c, sg_perf_contention_t *weight)
{
    for (uint32_t k = 1; k < c->n_lines; k++)
        weigh(&c->isa.line[k], weight);
}

/* The share of `lost` for the part [from, to) of `weight`. The shares of all parts add up to `lost`
 * without rounding errors. */
static uint64_t part(uint64_t lost, uint64_t weight, uint64_t from, uint64_t to)
{
    if (from == to) return 0;
    return (uint64_t)((unsigned __int128)lost * to / weight) -
           (uint64_t)((unsigned __int128)lost * from / weight);
}

void sg_census_share(sg_census_t *c, const sg_perf_contention_t *lost,
                     const sg_perf_contention_t *weight, sg_perf_contention_t *shared)
{
    static const size_t column[SG_PIPES] = {
        [SG_PIPE_VALU] = offsetof(softgpu_instruction_counts_t, stall_valu),
        [SG_PIPE_MATRIX] = offsetof(softgpu_instruction_counts_t, stall_valu),
        [SG_PIPE_SCALAR] = offsetof(softgpu_instruction_counts_t, stall_scalar),
        [SG_PIPE_LDS] = offsetof(softgpu_instruction_counts_t, stall_lds),
        [SG_PIPE_VMEM] = offsetof(softgpu_instruction_counts_t, stall_vector),
        [SG_PIPE_SMEM] = offsetof(softgpu_instruction_counts_t, stall_scalar)};
    for (uint32_t k = 1; k < c->n_lines; k++) {
        isa_census_line_t *l = &c->isa.line[k];
        const sg_perf_contention_t before = *shared;
        weigh(l, shared);
        for (unsigned p = 0; p < SG_PIPES; p++)
            *(uint64_t *)((char *)&l->n + column[p]) +=
                part(lost->stalls[p], weight->stalls[p], before.stalls[p], shared->stalls[p]);
        l->n.wait_bandwidth +=
            part(lost->bandwidth, weight->bandwidth, before.bandwidth, shared->bandwidth);
    }
}

/* ---- reading ---- */

static bool inside(const softgpu_instruction_t *i, const softgpu_instruction_range_t *range)
{
    return i->n_words &&
           (!range || !range->end || (i->address >= range->first && i->address < range->end));
}

bool sg_census_any(const sg_census_sum_t *s, const softgpu_instruction_range_t *range)
{
    for (uint64_t k = 0; k < s->size; k++)
        if (inside(&s->slot[k], range)) return true;
    return false;
}

static int by_address(const void *a, const void *b)
{
    const softgpu_instruction_t *const *x = a, *const *y = b;
    return ((*x)->address > (*y)->address) - ((*x)->address < (*y)->address);
}

bool sg_census_visit(sg_census_sum_t *s, const softgpu_counted_kernel_t *kernel,
                     const softgpu_instruction_range_t *range,
                     const softgpu_instruction_visitor_t *visitor)
{
    uint64_t n = 0;
    const softgpu_instruction_t **sorted = malloc((s->n + 1) * sizeof(*sorted));
    if (!sorted) return false;
    for (uint64_t k = 0; k < s->size; k++)
        if (inside(&s->slot[k], range)) sorted[n++] = &s->slot[k];
    qsort(sorted, n, sizeof(*sorted), by_address);
    visitor->kernel(kernel, visitor->user);
    for (uint64_t k = 0; k < n; k++)
        visitor->instruction(sorted[k], visitor->user);
    free(sorted);
    return true;
}

void sg_census_forget(sg_census_sum_t *s, const softgpu_instruction_range_t *range)
{
    if (!range->end) {
        free(s->slot);
        *s = (sg_census_sum_t){NULL, 0, 0};
    } else if (s->size && !resize(s, s->size, range)) {
        /* out of memory for another table: the entries stay, but count nothing */
        for (uint64_t k = 0; k < s->size; k++)
            if (inside(&s->slot[k], range)) memset(&s->slot[k].counts, 0, sizeof s->slot[k].counts);
    }
}
