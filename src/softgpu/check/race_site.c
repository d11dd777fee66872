/* race_site.c - code sites: numbers the instructions that have accessed memory, and infers which of
 * them synchronise.
 *
 * On gfx9 a relaxed atomic load or store is the same instruction as a plain one; the instructions
 * around it show which it is. Each site is analysed once. */
#include "softgpu/check/race.h"

#include "base/golden.h"
#include "softgpu/check/fork.h"
#include "softgpu/memory/memory.h"
#include "softgpu/exec/code.h"

#include <pthread.h>
#include <string.h>

enum {
    INDEX_BITS = 16, /* of the hash table: a few times as many entries as there are sites */
    AHEAD = 64,      /* how many instructions after a load are analysed, */
    FAR_AHEAD = 512, /* and how many are searched for a compare of its value: an inlined division
                        has over 100 instructions */
    REGISTERS = 3 * 1024
};

static struct {
    pthread_mutex_t lock;
    race_site_t site[RACE_SITES];
    uint32_t n;
    _Atomic uint16_t at[1 << INDEX_BITS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .n = 1};

void race_site_fork(chk_fork_t when)
{
    chk_fork_mutex(&all.lock, when);
}

/* ---- code ---- */

/* The registers of an operand, numbered in one space; n 0: it has none that can change. */
typedef struct {
    uint32_t first, n;
} registers_t;

static registers_t registers(const isa_operand_t *o)
{
    const uint32_t n = isa_operand_dwords(o);
    switch (o->kind) {
    case ISA_OPK_SGPR: return (registers_t){o->reg, n};
    case ISA_OPK_VGPR: return (registers_t){REGISTERS / 3 + o->reg, n};
    case ISA_OPK_AGPR: return (registers_t){REGISTERS / 3 * 2 + o->reg, n};
    default: return (registers_t){0, 0};
    }
}

static bool overlap(const isa_operand_t *written, const isa_operand_t *read)
{
    const registers_t a = registers(written), b = registers(read);
    return a.n && b.n && a.first < b.first + b.n && b.first < a.first + a.n;
}

/* Whether src[n] is part of the address: src[0] is, and except in LDS instructions so are the
 * sources after the data. */
static bool is_address(const isa_inst_t *i, unsigned n)
{
    if (n == 0) return true;
    if (i->fmt == ISA_FMT_DS || n == 1) return false;
    if (i->fmt == ISA_FMT_MUBUF || i->fmt == ISA_FMT_MTBUF || i->fmt == ISA_FMT_MIMG) return n <= 3;
    return n == 2 && i->flags & ISA_F_SADDR;
}

static bool changes_operand(const isa_inst_t *by, const isa_operand_t *o)
{
    return overlap(&by->dst, o) || overlap(&by->dst2, o);
}

/* The registers of an image's address need not follow one another. */
static bool changes_image_address(const isa_inst_t *by, const isa_inst_t *of)
{
    isa_operand_t one = of->src[0];
    one.bits = 32;
    for (unsigned k = 0; k < isa_operand_dwords(&of->src[0]); k++) {
        one.reg = (uint16_t)isa_image_vgpr(of, k);
        if (changes_operand(by, &one)) return true;
    }
    return false;
}

static bool changes_address(const isa_inst_t *by, const isa_inst_t *of)
{
    const bool image = of->fmt == ISA_FMT_MIMG;
    if (image && changes_image_address(by, of)) return true;
    for (unsigned n = image; n < 4; n++)
        if (is_address(of, n) && changes_operand(by, &of->src[n])) return true;
    return false;
}

static bool same_operand(const isa_operand_t *a, const isa_operand_t *b)
{
    return a->kind == b->kind && a->reg == b->reg && a->k == b->k;
}

static bool same_image_address(const isa_inst_t *a, const isa_inst_t *b)
{
    const unsigned of_a = isa_operand_dwords(&a->src[0]), of_b = isa_operand_dwords(&b->src[0]);
    for (unsigned k = 0; k < of_a && k < of_b; k++)
        if (isa_image_vgpr(a, k) != isa_image_vgpr(b, k)) return false;
    return true;
}

static bool same_address(const isa_inst_t *a, const isa_inst_t *b)
{
    const bool image = a->fmt == ISA_FMT_MIMG;
    const uint32_t matters = ISA_F_SADDR | ISA_F_IDXEN | ISA_F_OFFEN;
    if (a->fmt != b->fmt || (a->flags ^ b->flags) & matters || a->imm != b->imm) return false;
    if (a->fmt == ISA_FMT_DS && (a->offset0 != b->offset0 || a->offset1 != b->offset1))
        return false;
    if (image && !same_image_address(a, b)) return false;
    for (unsigned n = image; n < 4; n++)
        if (is_address(a, n) && !same_operand(&a->src[n], &b->src[n])) return false;
    return true;
}

/* Whether the instruction is an atomic access to the address of the load `of`. A compare-and-swap
 * in the same memory counts as one: the load in front of its loop often has the address in other
 * registers. */
static bool is_atomic_there(const isa_inst_t *i, const isa_inst_t *of)
{
    const isa_unit_t to = (isa_unit_t)sgc_ops_table[i->op].unit,
                     from = (isa_unit_t)sgc_ops_table[of->op].unit;
    const bool same_space = (to == ISA_UNIT_LDS) == (from == ISA_UNIT_LDS);
    if (sgc_ops_table[i->op].access != SGC_ATOMIC || to == ISA_UNIT_NONE) return false;
    return same_address(i, of) || (isa_table[i->op].mods & ISA_M_CAS && same_space);
}

/* The registers that hold the value of a load. */
typedef struct {
    uint64_t bits[REGISTERS / 64];
} held_t;

static bool holds(const held_t *h, const isa_operand_t *o)
{
    const registers_t r = registers(o);
    for (uint32_t k = r.first; k < r.first + r.n; k++)
        if (h->bits[k / 64] >> k % 64 & 1) return true;
    return false;
}

static void hold(held_t *h, const isa_operand_t *o, bool held)
{
    const registers_t r = registers(o);
    for (uint32_t k = r.first; k < r.first + r.n; k++) {
        const uint64_t bit = UINT64_C(1) << k % 64;
        h->bits[k / 64] = held ? h->bits[k / 64] | bit : h->bits[k / 64] & ~bit;
    }
}

static bool moves(unsigned op)
{
    switch (op) {
    case ISA_OP_s_mov_b32:
    case ISA_OP_s_mov_b64:
    case ISA_OP_v_mov_b32:
    case ISA_OP_v_pk_mov_b32:
    case ISA_OP_v_accvgpr_read_b32:
    case ISA_OP_v_accvgpr_write_b32:
    case ISA_OP_v_accvgpr_mov_b32: return true;
    default: return false;
    }
}

/* Updates the set of registers that hold the value, for the effect of an instruction. */
static void pass_on(held_t *h, const isa_inst_t *i)
{
    const bool moved = moves(i->op) && (holds(h, &i->src[0]) || holds(h, &i->src[1]));
    hold(h, &i->dst, moved);
    hold(h, &i->dst2, false);
}

/* Whether the value of the load is the expected value of a compare-and-swap, whatever registers
 * have its address. */
static bool expects(const isa_inst_t *i, const held_t *h)
{
    if (!(isa_table[i->op].mods & ISA_M_CAS)) return false;
    for (unsigned n = 0; n < 4; n++)
        if (!is_address(i, n) && holds(h, &i->src[n])) return true;
    return false;
}

/* Whether the analysis ends at the instruction, since control leaves the code, also for a call by
 * s_swappc_b64, or waits for other waves. It goes on behind s_call_b64, and may go on at a branch,
 * whose target is known. */
static bool ends_analysis(unsigned op)
{
    return (isa_table[op].marks & ISA_IS_LEAVES && op != ISA_OP_s_branch) ||
           op == ISA_OP_s_swappc_b64 || op == ISA_OP_s_barrier || op == ISA_OP_s_barrier_wait;
}

static bool stores(unsigned op)
{
    const sgc_op_t *o = &sgc_ops_table[op];
    return o->unit != ISA_UNIT_NONE && o->access == SGC_WRITE;
}

/* The code around an instruction, in memory. */
typedef struct {
    const isa_arch_t *arch;
    const uint32_t *words;
    uint32_t n, own; /* own: index of the instruction itself */
} code_t;

static code_t code_around(const isa_wave_t *w, uint64_t pc)
{
    enum { BEFORE = 4 * AHEAD * 3, AFTER = 4 * FAR_AHEAD * 3 }; /* bytes, at 3 dwords each */
    const isa_arch_t *arch = w->group->dispatch->arch;
    const sg_extent_t *e = sg_memory_find(w->group->dispatch->memory, pc);
    if (!e) return (code_t){arch, NULL, 0, 0};
    const uint64_t begin = pc - e->begin > BEFORE ? pc - BEFORE : e->begin;
    const uint64_t end = e->end - pc > AFTER ? pc + AFTER : e->end;
    return (code_t){arch, (const uint32_t *)(const void *)(e->host + (begin - e->begin)),
                    (uint32_t)(end - begin) / 4, (uint32_t)(pc - begin) / 4};
}

/* The size of the instruction in dwords; 0: there is none. */
static unsigned decode(const code_t *c, unsigned at, isa_inst_t *i)
{
    if (at >= c->n) return 0;
    const int n = isa_decode(c->arch, &c->words[at], c->n - at, i);
    return n > 0 ? (unsigned)n : 0;
}

/* Whether the loop from `first` to the branch after the access only waits: it has no store and
 * does not change the address. */
static bool only_waits(const code_t *c, unsigned first, unsigned end, const isa_inst_t *of)
{
    isa_inst_t i;
    for (unsigned at = first, n; at < end; at += n) {
        if (!(n = decode(c, at, &i))) return false;
        if (ends_analysis(i.op) || stores(i.op) || changes_address(&i, of)) return false;
    }
    return true;
}

/* Analyses the code after a load or an atomic access until control leaves it. A compiler may have
 * put the first round of a loop in front of the loop: then the load is repeated inside, and `again`
 * is that copy. */
static void look_ahead(race_site_t *s, const code_t *c, const isa_inst_t *of)
{
    isa_inst_t i, again = *of;
    int64_t again_at = c->own;
    bool kept = !changes_address(of, of), moved = !kept;
    held_t held = {{0}};
    hold(&held, &of->dst, true);
    unsigned at = c->own + of->dwords;
    for (unsigned k = 0, n; k < FAR_AHEAD && (n = decode(c, at, &i)); k++, at += n) {
        const sgc_op_t *op = &sgc_ops_table[i.op];
        const bool near = k < AHEAD;
        if (ends_analysis(i.op)) return;
        if (isa_is_branch(&i)) {
            const int64_t target = (int64_t)at + n + i.imm;
            if (target >= 0 && target <= again_at) {
                s->waits =
                    near && of->fmt != ISA_FMT_SMEM && only_waits(c, (unsigned)target, at, &again);
                /* a loop that does not wait: the analysis continues if the address is unchanged */
                if (s->waits || moved || i.op == ISA_OP_s_branch) return;
            }
            kept &= i.op != ISA_OP_s_branch;
        }
        if (op->unit != ISA_UNIT_NONE && op->access == SGC_WRITE && same_address(&i, of))
            kept = false;
        s->tries |= near && (kept || isa_table[i.op].mods & ISA_M_CAS) && is_atomic_there(&i, of);
        s->tries |= expects(&i, &held);
        pass_on(&held, &i);
        if (i.op == of->op && same_address(&i, of)) {
            again = i;
            again_at = at;
        }
        moved |= changes_address(&i, of);
        kept &= !moved;
    }
}

/* ---- sites ---- */

/* Whether a load goes past the caches that other units do not see, as an atomic one does. */
static bool goes_past(const isa_arch_t *arch, const isa_inst_t *i)
{
    if (arch->formats->scopes) return isa_scope(i) != ISA_SCOPE_CU;
    return i->flags & (ISA_F_GLC | ISA_F_SC1) && !(i->flags & ISA_F_SLC);
}

static void fill(race_site_t *s, const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                 uint64_t pc)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const bool bypasses = goes_past(w->group->dispatch->arch, i);
    *s = (race_site_t){.pc = pc, .n_words = i->dwords};
    s->page = w->page->serial;
    memcpy(s->words, isa_inst_words(w, i), i->dwords * sizeof *s->words);
    s->data_shift = op->access == SGC_WRITE && row->marks & ISA_IS_HIGH ? 16 : 0;
    s->rmw = op->access == SGC_ATOMIC;
    if (op->access == SGC_WRITE) return;
    const code_t code = code_around(w, pc);
    look_ahead(s, &code, i);
    s->atomic = s->rmw || s->waits || (op->unit == ISA_UNIT_VECTOR && bypasses);
}

static bool same_site(const race_site_t *a, const race_site_t *b)
{
    return a->pc == b->pc && memcmp(a->words, b->words, sizeof a->words) == 0 &&
           a->atomic == b->atomic && a->waits == b->waits && a->tries == b->tries;
}

/* A page with the same code around the instruction gets the same site. The site that is returned
 * stays valid; only where the table is full it is the thread's own, until the next call. */
static const race_site_t *add(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                              uint64_t pc, unsigned hash)
{
    static _Thread_local race_site_t new; /* the result where the table is full */
    race_site_t *s = NULL;
    pthread_mutex_lock(&all.lock);
    fill(&new, w, i, op, pc);
    for (unsigned id; !s && (id = atomic_load_explicit(&all.at[hash], memory_order_relaxed));
         hash = (hash + 1) & ((1 << INDEX_BITS) - 1))
        if (same_site(&all.site[id], &new)) s = &all.site[id];
    if (s) {
        s->page = new.page;
    } else if (all.n < RACE_SITES) {
        s = &all.site[all.n];
        new.id = (uint16_t)all.n;
        *s = new;
        atomic_store_explicit(&all.at[hash], (uint16_t)all.n++, memory_order_release);
    }
    pthread_mutex_unlock(&all.lock);
    return s ? s : &new;
}

const race_site_t *race_site(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op)
{
    const uint64_t pc = i->pc;
    const unsigned first = (unsigned)((pc >> 2) * BASE_GOLDEN >> (64 - INDEX_BITS));
    unsigned hash = first;
    for (unsigned id; (id = atomic_load_explicit(&all.at[hash], memory_order_acquire));
         hash = (hash + 1) & ((1 << INDEX_BITS) - 1)) {
        const race_site_t *s = &all.site[id];
        if (s->pc == pc && atomic_load_explicit(&s->page, memory_order_relaxed) == w->page->serial)
            return s;
    }
    return add(w, i, op, pc, first);
}

const race_site_t *race_site_of(uint64_t word)
{
    const unsigned id = word >> RACE_SITE_SHIFT & (RACE_SITES - 1);
    return id ? &all.site[id] : NULL;
}
