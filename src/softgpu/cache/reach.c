/* reach.c - the addresses of a vector memory instruction's lanes, in memory, scratch and LDS.
 *
 * A file of its own because the census and the checker use the addresses, too, without the model.
 * The rules are in exec/address.h and image.h, which the executor uses as well. */
#include "softgpu/cache/reach.h"

#include "softgpu/exec/address.h"
#include "softgpu/exec/bvh.h"
#include "softgpu/exec/image.h"

#include <string.h>

/* The value of a scalar source. Special registers (ISA_OPK_SPECIAL) count as 0: none holds an
 * address. */
static uint64_t scalar(const isa_wave_t *w, const isa_operand_t *o)
{
    if (o->kind == ISA_OPK_SGPR) return w->sgpr[o->reg] | (uint64_t)w->sgpr[o->reg + 1] << 32;
    return o->kind == ISA_OPK_CONST ? o->k : 0;
}

/* If EXEC is full and the lanes' addresses, base + row[l], rise evenly, sets a->even and returns
 * true: the caller need not compute each address. */
static bool even_lanes(sgc_lanes_t *a, uint64_t base, const uint32_t *row)
{
    if (a->exec != ISA_ALL_LANES || !sgc_row_even(row, SGC_LINE, &a->step)) return false;
    a->even = true;
    a->va[0] = base + row[0];
    return true;
}

static bool row_same(const uint32_t *row)
{
    uint32_t step;
    return sgc_row_even(row, 0, &step);
}

static void global_lanes(const isa_wave_t *w, const isa_inst_t *i, sgc_lanes_t *a)
{
    const isa_row_t *v = isa_row_of(w, &i->src[0]);
    const uint64_t offset = (uint64_t)(int64_t)i->imm;
    if (i->src[0].kind == ISA_OPK_NONE) {
        isa_address_of_lanes(a->va, w, i);
    } else if (i->flags & ISA_F_SADDR) {
        const uint64_t base = scalar(w, &i->src[2]) + offset;
        if (!even_lanes(a, base, v[0])) isa_address_based(a->va, base, v[0]);
    } else if (!row_same(v[1]) || !even_lanes(a, ((uint64_t)v[1][0] << 32) + offset, v[0])) {
        isa_address_pairs(a->va, v, offset);
    }
}

static void scratch_lanes(const isa_wave_t *w, const isa_inst_t *i, sgc_lanes_t *a)
{
    a->dword_step = isa_scratch_dword_step(w);
    isa_address_scratch_lanes(a->va, w, i);
}

/* Computes the addresses; returns the bytes from one dword of an element to the next. */
static uint32_t buffer_addresses(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                                 uint64_t *va, isa_buffer_range_t *range)
{
    isa_buffer_t b;
    const bool indexed = i->flags & (ISA_F_IDXEN | ISA_F_OFFEN);
    isa_address_descriptor(w, &w->sgpr[i->src[2].reg], op->formatted, &b);
    isa_address_buffer(va, range, &b, i, indexed ? isa_row_of(w, &i->src[0]) : NULL,
                       (uint32_t)scalar(w, &i->src[3]));
    return isa_buffer_dword_step(&b);
}

/* Leaves in *a the lanes of whose element at least one byte is in range. An element with a format
 * is in range as a whole or not at all; an element whose format is undefined has no addresses: the
 * executor reports it. */
static void buffer_lanes(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                         sgc_lanes_t *a)
{
    isa_buffer_range_t range;
    isa_format_t format = {.bytes = 0};
    const isa_arch_t *arch = w->group->dispatch->arch;
    if (op->formatted && isa_format_of_buffer(&format, arch, i, w->sgpr[i->src[2].reg + 3]))
        a->bytes = format.bytes;
    else if (op->formatted)
        a->exec = 0;
    a->dword_step = buffer_addresses(w, i, op, a->va, &range);
    a->exec = isa_address_inside(&range, a->exec, 0, op->formatted || a->bytes < 4 ? a->bytes : 4);
}

uint64_t sgc_buffer_inside(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
                           uint64_t lanes, uint32_t from, uint32_t bytes)
{
    _Alignas(64) uint64_t va[ISA_LANES];
    isa_buffer_range_t range;
    buffer_addresses(w, i, op, va, &range);
    return isa_address_inside(&range, lanes, from, bytes);
}

_Static_assert(SGC_TEXELS_MORE + 1 == ISA_TEXELS_MAX, "a filter's texels");

static void texel_lanes(const isa_texels_t *t, uint32_t bytes, sgc_lanes_t *a)
{
    *a = (sgc_lanes_t){.exec = t->lanes, .bytes = bytes, .dword_step = 4};
    for (uint64_t lanes = t->lanes; lanes; lanes &= lanes - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(lanes);
        a->va[l] = t->va[l];
    }
}

/* Texels outside the image are left out. An instruction that hardware does not define has no
 * addresses here: the executor reports it. */
static void image_lanes(const isa_wave_t *w, const isa_inst_t *i, sgc_reach_t *r)
{
    isa_image_access_t x;
    unsigned n = 0;
    r->memory.exec = 0;
    if (isa_image_access(w, i, &x)) return;
    for (unsigned k = 0; k < x.n; k++) {
        if (!x.texel[k].lanes) continue;
        r->n_more = n;
        texel_lanes(&x.texel[k], x.image.format.bytes, sgc_reach_part(r, n++));
    }
}

_Static_assert(2 * ISA_BVH_NODES * ISA_BVH_HALF / ISA_BVH_PIECE == SGC_TEXELS_MORE + 1,
               "a ray's nodes");

/* The nodes that rays are tested against, as they are loaded: a piece at a time. */
static void node_lanes(const isa_wave_t *w, const isa_inst_t *i, sgc_reach_t *r)
{
    isa_bvh_access_t x;
    unsigned parts = 0;
    r->memory.exec = 0;
    if (isa_bvh_access(w, i, &x)) return;
    for (unsigned k = 0; k < 2 * x.n; k++) {
        const uint64_t lanes = x.node[k / 2].lanes[k % 2];
        for (unsigned at = 0; lanes && at < ISA_BVH_HALF; at += ISA_BVH_PIECE) {
            r->n_more = parts;
            sgc_lanes_t *a = sgc_reach_part(r, parts++);
            *a = (sgc_lanes_t){.exec = lanes, .bytes = ISA_BVH_PIECE, .dword_step = 4};
            for (uint64_t left = lanes; left; left &= left - 1) {
                const unsigned l = (unsigned)__builtin_ctzll(left);
                a->va[l] = x.node[k / 2].va[l] + k % 2 * ISA_BVH_HALF + at;
            }
        }
    }
}

/* The LDS side of a transfer between memory and LDS. */
static void lds_side(const isa_wave_t *w, const isa_inst_t *i, uint64_t exec, sgc_lanes_t *a)
{
    const uint32_t element = isa_table[i->op].memory.bytes, bytes = element < 4 ? 4 : element;
    *a = (sgc_lanes_t){.exec = exec, .bytes = bytes, .dword_step = 4};
    isa_address_lds_side(a->va, w, (uint32_t)i->imm, bytes);
}

/* Moves lanes whose address is in an aperture from r->memory to r->lds and r->own. */
static void flat_lanes(const isa_wave_t *w, const isa_inst_t *i, sgc_reach_t *r)
{
    sgc_lanes_t *const part[ISA_SPACES] = {&r->memory, &r->lds, &r->own}, *a = &r->memory;
    const isa_row_t *v = isa_row_of(w, &i->src[0]);
    const isa_dispatch_t *d = w->group->dispatch;
    const uint64_t high = (uint64_t)v[1][0] << 32;
    if (high != d->shared_base && high != d->private_base && row_same(v[1]) &&
        even_lanes(a, high + (uint64_t)(int64_t)i->imm, v[0]))
        return;
    const isa_flat_lanes_t lanes = isa_address_flat_lanes(w, i);
    a->even = false;
    isa_address_pairs(a->va, v, (uint64_t)(int64_t)i->imm);
    a->exec = lanes.in[ISA_SPACE_MEMORY];
    for (isa_space_t space = ISA_SPACE_LDS; space < ISA_SPACES; space++) {
        if (!lanes.in[space]) continue;
        *part[space] = *a;
        part[space]->exec = lanes.in[space];
        part[space]->dword_step = isa_address_flat_part(part[space]->va, space, w);
    }
}

void sgc_reach(const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op, sgc_reach_t *r)
{
    sgc_lanes_t *a = &r->memory;
    r->own.exec = r->lds.exec = 0;
    r->n_more = 0;
    a->exec = w->exec;
    a->bytes = op->bytes;
    a->dword_step = 4;
    a->even = false;
    if (op->image && isa_tests_rays(&isa_table[i->op]))
        node_lanes(w, i, r);
    else if (op->image)
        image_lanes(w, i, r);
    else if (op->buffer)
        buffer_lanes(w, i, op, a);
    else if (op->flat)
        flat_lanes(w, i, r);
    else if (i->fmt == ISA_FMT_SCRATCH)
        scratch_lanes(w, i, a);
    else
        global_lanes(w, i, a);
    if (i->flags & ISA_F_LDS || op->kind == ISA_ACCESS_FROM_LDS) lds_side(w, i, a->exec, &r->lds);
}
