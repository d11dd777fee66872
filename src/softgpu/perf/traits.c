/* traits.c - derives the traits of each instruction (traits.h) from the instruction table.
 *
 * docs/counters.md has the rules for arithmetic and issue costs, and has to change with them. */
#include "softgpu/perf/traits.h"

#include "base/log.h"
#include "isa/waits.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { ISSUE = 4 }; /* clocks of most instructions */

/* Operations are counted in units of 512. */
static uint16_t matrix_operations(const isa_shape_t *s)
{
    return (uint16_t)(2u * s->m * s->n * s->k * s->blocks / 512);
}

/* DMASK says how many dwords an image's instruction sends: for a store mostly all four, for an
 * atomic operation one. */
static uint8_t image_dwords(const isa_row_desc_t *row)
{
    return row->klass == ISA_CLASS_VMEM_WR ? 4 : 1;
}

/* Dwords that a lane sends, or that a scalar load gets: as wide as the table's operand. Data from
 * LDS has no operand. */
static uint8_t dwords_of(const isa_row_desc_t *row)
{
    const bool scalar = row->klass == ISA_CLASS_SMEM_RD;
    if (row->fmt == ISA_FMT_MIMG) return image_dwords(row);
    const isa_field_t *data = isa_field(row, scalar ? ISA_ROLE_SDST : ISA_ROLE_VDATA);
    return data ? (uint8_t)((data->bits + 31) / 32) : 1;
}

static uint8_t flow_of(unsigned op)
{
    switch (op) {
    case ISA_OP_s_endpgm:
    case ISA_OP_s_endpgm_saved:
    case ISA_OP_s_endpgm_ordered_ps_done: return SG_FLOW_END;
    case ISA_OP_s_setkill: return SG_FLOW_KILL;
    case ISA_OP_s_nop: return SG_FLOW_NOP;
    case ISA_OP_s_sleep: return SG_FLOW_SLEEP;
    case ISA_OP_s_barrier_signal:
    case ISA_OP_s_barrier_signal_isfirst: return SG_FLOW_SIGNAL;
    case ISA_OP_s_barrier_wait: return SG_FLOW_PARK;
    case ISA_OP_global_wb: /* caches of gfx12 are written back as by a store */
    case ISA_OP_global_wbinv: return SG_FLOW_STORE;
    case ISA_OP_s_dcache_discard:
    case ISA_OP_s_dcache_discard_x2: return SG_FLOW_SCALAR_CACHE;
    default: return isa_is_wait(op) ? SG_FLOW_WAIT : SG_FLOW_PLAIN;
    }
}

sg_traits_t sg_traits_of(unsigned op)
{
    const isa_row_desc_t *row = &isa_table[op];
    sg_traits_t t = {
        .klass = row->klass, .issue = ISSUE, .flow = flow_of(op), .math = row->math.kind};
    switch ((isa_class_t)row->klass) {
    case ISA_CLASS_VALU:
        if (row->math.clocks) t.issue = row->math.clocks;
        if (row->fmt == ISA_FMT_VINTERP) t.flow = SG_FLOW_INTERPOLATES;
        break;
    case ISA_CLASS_MFMA:
        t.matrix = row->math.clocks;
        t.mops = matrix_operations(&row->math.shape);
        break;
    case ISA_CLASS_SMEM:
        if (row->memory.unit == ISA_UNIT_SCALAR) t.flow = SG_FLOW_SCALAR_CACHE;
        break;
    case ISA_CLASS_SMEM_RD:
        t.dwords = row->memory.unit ? dwords_of(row) : 0; /* s_memtime accesses no memory */
        break;
    case ISA_CLASS_FLAT_WR:
    case ISA_CLASS_VMEM_WR: t.flow = SG_FLOW_STORE; /* fall through */
    case ISA_CLASS_FLAT_AT:
    case ISA_CLASS_VMEM_AT: t.dwords = dwords_of(row); /* fall through */
    case ISA_CLASS_FLAT_RD:
    case ISA_CLASS_VMEM:
    case ISA_CLASS_VMEM_RD: t.format = row->fmt; break;
    default: break;
    }
    return t;
}

unsigned sg_buckets_fill(sg_buckets_t *to, unsigned room)
{
    unsigned merged = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const sg_traits_t t = sg_traits_of(op);
        unsigned b = 0;
        while (b < to->n && memcmp(&to->traits[b], &t, sizeof t))
            b++;
        if (b == room) {
            b--;
            merged++;
        }
        if (b == to->n) to->traits[to->n++] = t;
        to->bucket[op] = (uint8_t)b;
    }
    return merged;
}

static sg_buckets_t buckets;

/* Makes the buckets; a test checks that ISA_BUCKETS are enough. */
static void make(void)
{
    const unsigned merged = sg_buckets_fill(&buckets, ISA_BUCKETS);
    if (merged)
        base_error("%u instructions are counted as others are: there are more than %d kinds of "
                   "them, which is ISA_BUCKETS",
                   merged, ISA_BUCKETS);
}

const sg_buckets_t *sg_buckets(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return &buckets;
}

/* ---- the pace of a GPU ---- */

static sg_traits_t paced[ISA_ARCH_COUNT][2][ISA_BUCKETS];

static bool is_vector(const sg_traits_t *t)
{
    return t->klass == ISA_CLASS_VALU || t->klass >= ISA_CLASS_LDS;
}

/* The clocks for which an instruction occupies its SIMD on this GPU. The traits have those of
 * gfx90a, whose SIMD issues for a wave in one clock of four. A SIMD that computes more lanes in a
 * clock issues in each clock. */
static uint8_t issue_of(const sg_traits_t *t, const isa_arch_t *arch, unsigned lanes)
{
    const unsigned times = isa_is_f64(t->math) ? arch->f64_times : t->issue / ISSUE;
    const unsigned passes = is_vector(t) && lanes > arch->simd_lanes ? lanes / arch->simd_lanes : 1;
    return (uint8_t)(times * passes);
}

static void pace(void)
{
    const sg_buckets_t *all = sg_buckets();
    for (unsigned a = 0; a < ISA_ARCH_COUNT; a++)
        for (unsigned narrow = 0; narrow < 2; narrow++)
            for (unsigned b = 0; b < all->n; b++) {
                const isa_arch_t *arch = &isa_archs[a];
                sg_traits_t *t = &paced[a][narrow][b];
                *t = all->traits[b];
                if (!arch->sq_quads) t->issue = issue_of(t, arch, narrow ? 32 : 64);
            }
}

const sg_traits_t *sg_traits_paced(const isa_arch_t *arch, bool narrow)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, pace);
    return paced[arch->index][narrow];
}
