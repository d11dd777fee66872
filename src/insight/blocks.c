/* blocks.c - see blocks.h. Dominators are found as by Cooper, Harvey and Kennedy ("A Simple, Fast
 * Dominance Algorithm"). A loop has a header, which dominates the blocks that branch back to it,
 * and all blocks from which these are reached without passing the header. */
#include "insight/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "isa/isa.h"
#include "isa/table.h"

/* Functions with more blocks are not analysed; compilers make none. The work grows with the square
 * of the number at worst. */
enum { BLOCKS_MAX = 20000, NONE = UINT32_MAX };

typedef struct {
    size_t first, count;  /* indices of its instructions */
    uint32_t next[2];     /* successors, or NONE */
    uint32_t order;       /* in reverse postorder; NONE: not visited yet */
    uint32_t dominator;   /* a block; an entry is its own */
    uint32_t into, leads; /* edges[into .. into + leads): the predecessors */
    uint32_t loop, mark;  /* header of the smallest loop around it; the loop that was visited
                           * last */
    size_t loop_size;
} block_t;

typedef struct {
    ins_step_t *steps;
    size_t step_count;
    block_t *blocks;
    uint32_t block_count;
    uint32_t *edges, *sorted, *stack; /* `sorted`: blocks in reverse postorder */
    uint32_t sorted_count;
} graph_t;

void ins_step_decode(ins_step_t *s, const isa_arch_t *arch, const uint32_t *words, uint32_t n_words)
{
    isa_inst_t decoded;
    const int size = arch ? isa_decode(arch, words, n_words, &decoded) : 0;
    const isa_row_desc_t *row = size > 0 ? &isa_table[decoded.op] : &isa_table[ISA_OP_NONE];
    s->bytes = 4 * (size > 0 ? (uint32_t)size : 1);
    s->branches = row->klass == ISA_CLASS_BRANCH && row->fmt == ISA_FMT_SOPP;
    s->falls = !(row->marks & ISA_IS_LEAVES);
    if (s->branches) s->target = s->address + 4 + (uint64_t)((int64_t)(int16_t)decoded.imm * 4);
}

static size_t find_step(const graph_t *g, uint64_t address)
{
    size_t i;
    BASE_SEARCH(i, g->step_count, g->steps[i].address < address);
    return i < g->step_count && g->steps[i].address == address ? i : SIZE_MAX;
}

/* Returns whether execution can continue with the next instruction of the list. */
static bool runs_on(const ins_step_t *s)
{
    return s->falls && s[1].address == s->address + s->bytes;
}

/* Sets each instruction's `block`: first the leaders, which begin blocks, get their own address,
 * then the others that of their leader. */
static void find_leaders(graph_t *g)
{
    uint64_t block = 0;
    for (size_t i = 0; i < g->step_count; i++)
        g->steps[i].block = UINT64_MAX;
    for (size_t i = 0; i < g->step_count; i++) {
        const ins_step_t *s = &g->steps[i];
        const size_t target = s->branches ? find_step(g, s->target) : SIZE_MAX;
        if (target != SIZE_MAX) g->steps[target].block = g->steps[target].address;
        if (!i || s[-1].branches || !runs_on(&s[-1])) g->steps[i].block = s->address;
    }
    for (size_t i = 0; i < g->step_count; i++) {
        ins_step_t *s = &g->steps[i];
        if (s->block == s->address) {
            block = s->block;
            g->block_count++;
        }
        s->block = block;
    }
}

static uint32_t block_at(const graph_t *g, size_t step)
{
    uint32_t first = 0, end = g->block_count;
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        if (g->blocks[middle].first <= step)
            first = middle;
        else
            end = middle;
    }
    return first;
}

static void link_blocks(graph_t *g)
{
    uint32_t n = 0;
    for (size_t i = 0; i < g->step_count; i++) {
        if (g->steps[i].block == g->steps[i].address)
            g->blocks[n++] = (block_t){.first = i, .order = NONE, .loop = NONE, .mark = NONE};
        g->blocks[n - 1].count++;
    }
    for (uint32_t b = 0; b < n; b++) {
        block_t *k = &g->blocks[b];
        const size_t last = k->first + k->count - 1;
        const ins_step_t *s = &g->steps[last];
        const size_t target = s->branches ? find_step(g, s->target) : SIZE_MAX;
        const bool on = last + 1 < g->step_count && runs_on(s);
        k->next[0] = on ? b + 1 : NONE;
        k->next[1] = target != SIZE_MAX ? block_at(g, target) : NONE;
        if (k->next[1] == k->next[0]) k->next[1] = NONE;
    }
}

/* Fills in `edges`: for each block, its predecessors. */
static void link_back(graph_t *g)
{
    uint32_t at = 0;
    for (uint32_t b = 0; b < g->block_count; b++)
        for (int e = 0; e < 2; e++)
            if (g->blocks[b].next[e] != NONE) g->blocks[g->blocks[b].next[e]].leads++;
    for (uint32_t b = 0; b < g->block_count; b++) {
        g->blocks[b].into = at;
        at += g->blocks[b].leads;
        g->blocks[b].leads = 0;
    }
    for (uint32_t b = 0; b < g->block_count; b++)
        for (int e = 0; e < 2; e++) {
            if (g->blocks[b].next[e] == NONE) continue;
            block_t *to = &g->blocks[g->blocks[b].next[e]];
            g->edges[to->into + to->leads++] = b;
        }
}

/* Visits the blocks in postorder from one entry, without recursion: `mark` counts the edges that
 * were followed. */
static void walk_from(graph_t *g, uint32_t entry)
{
    uint32_t depth = 0;
    g->blocks[entry].order = 0;
    g->blocks[entry].dominator = entry;
    g->blocks[entry].mark = 0;
    g->stack[depth++] = entry;
    while (depth) {
        block_t *k = &g->blocks[g->stack[depth - 1]];
        if (k->mark == 2) {
            g->sorted[g->sorted_count++] = g->stack[--depth];
            continue;
        }
        const uint32_t next = k->next[k->mark++];
        if (next == NONE || g->blocks[next].order != NONE) continue;
        g->blocks[next].order = 0;
        g->blocks[next].dominator = NONE;
        g->blocks[next].mark = 0;
        g->stack[depth++] = next;
    }
}

/* Visits the blocks from the first one, then from blocks without predecessors, then from those that
 * have not been reached. */
static void sort_blocks(graph_t *g)
{
    if (g->block_count) walk_from(g, 0);
    for (uint32_t b = 0; b < g->block_count; b++)
        if (!g->blocks[b].leads && g->blocks[b].order == NONE) walk_from(g, b);
    for (uint32_t b = 0; b < g->block_count; b++)
        if (g->blocks[b].order == NONE) walk_from(g, b);
    for (uint32_t i = 0; i < g->sorted_count / 2; i++) {
        const uint32_t other = g->sorted_count - 1 - i, b = g->sorted[i];
        g->sorted[i] = g->sorted[other];
        g->sorted[other] = b;
    }
    for (uint32_t i = 0; i < g->sorted_count; i++) {
        g->blocks[g->sorted[i]].order = i;
        g->blocks[g->sorted[i]].mark = NONE;
    }
}

/* Returns the nearest block that dominates both; NONE if there is none. */
static uint32_t common(const graph_t *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        uint32_t *later = g->blocks[a].order > g->blocks[b].order ? &a : &b;
        const uint32_t up = g->blocks[*later].dominator;
        if (up == *later || up == NONE) return NONE;
        *later = up;
    }
    return a;
}

/* Improves a block's dominator; returns true if it has changed. A block that is reached from two
 * entries without a common dominator counts as an entry itself. */
static bool improve(graph_t *g, uint32_t b)
{
    block_t *k = &g->blocks[b];
    uint32_t found = NONE;
    if (k->dominator == b) return false;
    for (uint32_t e = k->into; e < k->into + k->leads; e++) {
        const uint32_t from = g->edges[e];
        if (g->blocks[from].dominator == NONE) continue;
        found = found == NONE ? from : common(g, found, from);
        if (found == NONE) break;
    }
    if (found == NONE) found = b;
    if (found == k->dominator) return false;
    k->dominator = found;
    return true;
}

static void find_dominators(graph_t *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->sorted_count; i++)
            changed |= improve(g, g->sorted[i]);
    }
}

static bool dominates(const graph_t *g, uint32_t above, uint32_t b)
{
    while (g->blocks[b].order > g->blocks[above].order) {
        if (g->blocks[b].dominator == b) return false;
        b = g->blocks[b].dominator;
    }
    return b == above;
}

/* Collects on the stack the blocks of a loop: those from which its branches back are reached
 * without passing its header. */
static uint32_t collect(graph_t *g, uint32_t header)
{
    uint32_t count = 0;
    const block_t *h = &g->blocks[header];
    for (uint32_t e = h->into; e < h->into + h->leads; e++)
        if (dominates(g, header, g->edges[e]) && g->blocks[g->edges[e]].mark != header) {
            g->blocks[g->edges[e]].mark = header;
            g->stack[count++] = g->edges[e];
        }
    if (!count) return 0;
    if (h->mark != header) g->stack[count++] = header;
    g->blocks[header].mark = header;
    for (uint32_t i = 0; i < count; i++) {
        const block_t *k = &g->blocks[g->stack[i]];
        if (g->stack[i] == header) continue;
        for (uint32_t e = k->into; e < k->into + k->leads; e++) {
            block_t *from = &g->blocks[g->edges[e]];
            if (from->mark == header) continue;
            from->mark = header;
            g->stack[count++] = g->edges[e];
        }
    }
    return count;
}

static void mark_loop(graph_t *g, uint32_t header)
{
    const uint32_t count = collect(g, header);
    for (uint32_t i = 0; i < count; i++) {
        block_t *k = &g->blocks[g->stack[i]];
        for (size_t s = k->first; s < k->first + k->count; s++)
            g->steps[s].depth++;
        if (k->loop != NONE && k->loop_size <= count) continue;
        k->loop = header;
        k->loop_size = count;
    }
}

static bool find_loops(graph_t *g)
{
    g->blocks = calloc(g->block_count + 1u, sizeof(*g->blocks));
    g->edges = calloc(2u * g->block_count + 1u, sizeof(*g->edges));
    g->sorted = calloc(g->block_count + 1u, sizeof(*g->sorted));
    g->stack = calloc(g->block_count + 1u, sizeof(*g->stack));
    const bool good = g->blocks && g->edges && g->sorted && g->stack;
    if (good) {
        link_blocks(g);
        link_back(g);
        sort_blocks(g);
        find_dominators(g);
        for (uint32_t b = 0; b < g->block_count; b++)
            mark_loop(g, b);
    }
    for (uint32_t b = 0; good && b < g->block_count; b++) {
        const block_t *k = &g->blocks[b];
        for (size_t s = k->first; k->loop != NONE && s < k->first + k->count; s++)
            g->steps[s].loop = g->steps[g->blocks[k->loop].first].address;
    }
    free(g->blocks);
    free(g->edges);
    free(g->sorted);
    free(g->stack);
    return good;
}

bool ins_blocks_find(ins_step_t *steps, size_t count)
{
    graph_t g = {.steps = steps, .step_count = count};
    for (size_t i = 0; i < count; i++)
        steps[i].loop = steps[i].depth = 0;
    find_leaders(&g);
    return g.block_count > BLOCKS_MAX || find_loops(&g);
}
