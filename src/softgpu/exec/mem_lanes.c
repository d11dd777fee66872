/* mem_lanes.c - loads, stores and atomics of 64 lanes at once.
 *
 * Each operation tries, in this order: all lanes side by side in one extent (a block copy between
 * memory and register rows), all lanes in one extent (a loop without look-ups), lane by lane. The
 * three differ only in speed. Templates are always inlined so that sizes are constants in them. */
#include "softgpu/exec/address.h"
#include "softgpu/exec/mem_block.h"
#include "softgpu/exec/mem_lanes.h"

#include <string.h>

#define FOR_ACTIVE(exec, l)                                                                        \
    for (uint64_t left_ = (exec); left_; left_ &= left_ - 1)                                       \
        for (unsigned l = (unsigned)__builtin_ctzll(left_), once_ = 1; once_; once_ = 0)

#define BITS4(n) 1u << (n), 2u << (n), 4u << (n), 8u << (n)
const uint32_t isa_lane_bit[32] = {BITS4(0),  BITS4(4),  BITS4(8),  BITS4(12),
                                   BITS4(16), BITS4(20), BITS4(24), BITS4(28)};
#undef BITS4

/* Contiguous host memory of a range of addresses. */
typedef struct {
    uint64_t begin, size;
    uint8_t *host;
} window_t;

/* The window around one lane's address; false if there is none or it may not be written. */
ISA_BLOCK bool window_at(isa_wave_t *w, const isa_lanes_t *a, uint64_t va, bool write,
                         window_t *out)
{
    if (a->lds) {
        *out = (window_t){0, w->group->lds_bytes, w->group->lds};
        return true;
    }
    const sg_extent_t *e = isa_mem_extent(w, va);
    if (!e || (write && !(e->flags & SG_MEM_WRITABLE))) return false;
    *out = (window_t){e->begin, e->end - e->begin, e->host};
    return true;
}

/* Whether every active lane has `need` bytes in the window. */
ISA_BLOCK bool all_inside(const isa_lanes_t *a, const window_t *win, uint64_t need)
{
    if (need > win->size) return false;
    const uint64_t limit = win->size - need;
    bool outside = false;
    if (a->exec == ISA_ALL_LANES)
        for (unsigned l = 0; l < ISA_LANES; l++)
            outside |= a->va[l] - win->begin > limit;
    else
        FOR_ACTIVE(a->exec, l) outside |= a->va[l] - win->begin > limit;
    return !outside;
}

ISA_BLOCK bool one_inside(uint64_t va, const window_t *win, uint64_t need)
{
    return need <= win->size && va - win->begin <= win->size - need;
}

ISA_BLOCK bool dword_aligned(const isa_lanes_t *a)
{
    uint64_t low = 0;
    FOR_ACTIVE(a->exec, l) low |= a->va[l];
    return !(low & 3);
}

/* ---- one lane ---- */

/* Moves a lane's element from memory to its registers, or (`write`) back. `step`: bytes from one
 * dword of the element to the next, 4 unless memory is swizzled. */
ISA_BLOCK void lane_move(isa_row_t *rows, unsigned l, uint8_t *p, unsigned n, uint32_t step,
                         const bool write)
{
    if (step == 4) {
        if (write)
            isa_lane_store(p, rows, l, n);
        else
            isa_lane_load(p, rows, l, n);
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        isa_u32_any_t *const dword = (isa_u32_any_t *)(p + k * step);
        if (write)
            *dword = rows[k][l];
        else
            rows[k][l] = *dword;
    }
}

/* Address of byte k of a lane's element: in swizzled memory the dwords are not adjacent. */
static uint64_t byte_address(const isa_lanes_t *a, unsigned l, unsigned k)
{
    const uint64_t in_dword = (a->va[l] & 3) + k;
    if (a->dword_step == 4) return a->va[l] + k;
    return (a->va[l] & ~UINT64_C(3)) + in_dword / 4 * a->dword_step + in_dword % 4;
}

/* See mem_lanes.h. Swizzled memory is accessed byte by byte, since any byte may be the last of its
 * dword. */
bool isa_lane_bytes(isa_wave_t *w, const isa_lanes_t *a, unsigned l, uint8_t *buf, unsigned bytes,
                    bool write)
{
    const unsigned piece = a->dword_step == 4 ? bytes : 1;
    for (unsigned k = 0; k < bytes; k += piece) {
        const uint64_t va = byte_address(a, l, k);
        if (write ? !isa_mem_store(w, va, buf + k, piece) : !isa_mem_load(w, va, buf + k, piece))
            return false;
    }
    return true;
}

static uint64_t element_span(const isa_lanes_t *a, unsigned dwords)
{
    return (uint64_t)(dwords - 1) * a->dword_step + 4;
}

static void slow_move(isa_wave_t *w, const isa_lanes_t *a, isa_row_t *rows, unsigned n, bool write)
{
    const uint64_t span = element_span(a, n);
    FOR_ACTIVE(a->exec, l)
    {
        window_t win;
        uint32_t buf[4];
        const bool whole = a->dword_step == 4 || !(a->va[l] & 3);
        if (whole && window_at(w, a, a->va[l], write, &win) && one_inside(a->va[l], &win, span)) {
            lane_move(rows, l, win.host + (a->va[l] - win.begin), n, a->dword_step, write);
            continue;
        }
        for (unsigned k = 0; k < n; k++)
            buf[k] = rows[k][l];
        if (!isa_lane_bytes(w, a, l, (uint8_t *)buf, 4 * n, write)) return;
        for (unsigned k = 0; k < n && !write; k++)
            rows[k][l] = buf[k];
    }
}

/* ---- the method for an access ---- */

typedef enum { ONE_BY_ONE, INSIDE, BLOCK } way_t;

/* The fastest method for an access whose elements take `span` bytes; *win is its window, unless the
 * result is ONE_BY_ONE. `stride`: the distance of neighbouring lanes that BLOCK requires, 0: never
 * BLOCK. `aligned`: elements have to begin at a dword. */
ISA_BLOCK way_t way_of(isa_wave_t *w, const isa_lanes_t *a, uint64_t stride, uint64_t span,
                       bool aligned, const bool write, window_t *win)
{
    const uint64_t first = a->va[__builtin_ctzll(a->exec)];
    if (!window_at(w, a, first, write, win)) return ONE_BY_ONE;
    if (stride && isa_address_side_by_side(a->va, a->exec, stride) &&
        one_inside(a->va[0], win, span) && one_inside(a->va[ISA_LANES - 1], win, span) &&
        !(aligned && first & 3))
        return BLOCK;
    return all_inside(a, win, span) && (!aligned || dword_aligned(a)) ? INSIDE : ONE_BY_ONE;
}

/* ---- dwords ---- */

ISA_BLOCK void block_move(isa_row_t *rows, uint8_t *p, unsigned n, const bool write)
{
    if (write)
        isa_block_store(rows, p, n);
    else
        isa_block_load(rows, p, n);
}

ISA_BLOCK void move_n(isa_wave_t *w, isa_lanes_t *a, isa_row_t *rows, unsigned n, const bool write)
{
    window_t win;
    const uint32_t step = a->dword_step;
    const bool swizzled = step != 4;
    const way_t way = way_of(w, a, swizzled ? 4 : 4 * n, element_span(a, n), swizzled, write, &win);
    if (way == ONE_BY_ONE) {
        slow_move(w, a, rows, n, write);
    } else if (way == BLOCK && swizzled) {
        for (unsigned k = 0; k < n; k++)
            block_move(rows + k, win.host + (a->va[0] - win.begin) + k * step, 1, write);
    } else if (way == BLOCK) {
        block_move(rows, win.host + (a->va[0] - win.begin), n, write);
    } else if (swizzled) {
        FOR_ACTIVE(a->exec, l)
        lane_move(rows, l, win.host + (a->va[l] - win.begin), n, step, write);
    } else if (a->exec == ISA_ALL_LANES && !write) {
        for (unsigned l = 0; l < ISA_LANES; l++)
            lane_move(rows, l, win.host + (a->va[l] - win.begin), n, 4, false);
    } else {
        FOR_ACTIVE(a->exec, l)
        lane_move(rows, l, win.host + (a->va[l] - win.begin), n, 4, write);
    }
}

ISA_BLOCK void move(isa_wave_t *w, isa_lanes_t *a, isa_row_t *rows, unsigned dwords,
                    const bool write)
{
    if (!a->exec) return;
    switch (dwords) {
    case 1: move_n(w, a, rows, 1, write); break;
    case 2: move_n(w, a, rows, 2, write); break;
    case 3: move_n(w, a, rows, 3, write); break;
    default: move_n(w, a, rows, 4, write); break;
    }
}

ISA_NO_TSAN void isa_lanes_load(isa_wave_t *w, isa_lanes_t *a, isa_row_t *rows, unsigned dwords)
{
    move(w, a, rows, dwords, false);
}

ISA_NO_TSAN void isa_lanes_store(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *rows,
                                 unsigned dwords)
{
    move(w, a, (isa_row_t *)rows, dwords, true);
}

/* ---- bytes and words ---- */

ISA_BLOCK uint32_t sub_at(const uint8_t *p, isa_sub_t kind)
{
    return isa_sub_value(isa_sub_bytes(kind) == 1 ? *p : *(const isa_u16_any_t *)p, kind);
}

ISA_BLOCK void put_sub(uint8_t *p, uint32_t value, unsigned bytes)
{
    if (bytes == 1)
        *p = (uint8_t)value;
    else
        *(isa_u16_any_t *)p = (uint16_t)value;
}

/* In swizzled memory a word may be split, and bytes of different lanes are not adjacent. */
ISA_BLOCK way_t sub_way(isa_wave_t *w, const isa_lanes_t *a, uint32_t bytes, const bool write,
                        window_t *win)
{
    const bool swizzled = a->dword_step != 4;
    if (swizzled && bytes > 1) return ONE_BY_ONE;
    return way_of(w, a, swizzled ? 0 : bytes, bytes, false, write, win);
}

ISA_BLOCK void load_sub_as(isa_wave_t *w, isa_lanes_t *a, uint32_t *restrict row, isa_sub_t kind)
{
    window_t win;
    const uint32_t bytes = isa_sub_bytes(kind);
    const way_t way = sub_way(w, a, bytes, false, &win);
    if (way == BLOCK) {
        const uint8_t *restrict p = win.host + (a->va[0] - win.begin);
        for (unsigned l = 0; l < ISA_LANES; l++)
            row[l] = sub_at(p + bytes * l, kind);
    } else if (way == INSIDE) {
        FOR_ACTIVE(a->exec, l) row[l] = sub_at(win.host + (a->va[l] - win.begin), kind);
    } else {
        FOR_ACTIVE(a->exec, l)
        {
            uint8_t buf[2] = {0, 0};
            if (!isa_lane_bytes(w, a, l, buf, bytes, false)) return;
            row[l] = sub_at(buf, kind);
        }
    }
}

ISA_NO_TSAN void isa_lanes_load_sub(isa_wave_t *w, isa_lanes_t *a, isa_row_t *row, isa_sub_t kind)
{
    if (!a->exec) return;
    switch (kind) {
    case ISA_SUB_U8:
    case ISA_SUB_U8_D16: load_sub_as(w, a, *row, ISA_SUB_U8); break;
    case ISA_SUB_U16:
    case ISA_SUB_B16_D16: load_sub_as(w, a, *row, ISA_SUB_U16); break;
    case ISA_SUB_I8: load_sub_as(w, a, *row, ISA_SUB_I8); break;
    case ISA_SUB_I16: load_sub_as(w, a, *row, ISA_SUB_I16); break;
    case ISA_SUB_I8_D16: load_sub_as(w, a, *row, ISA_SUB_I8_D16); break;
    case ISA_SUB_U8_D16_HI: load_sub_as(w, a, *row, ISA_SUB_U8_D16_HI); break;
    case ISA_SUB_I8_D16_HI: load_sub_as(w, a, *row, ISA_SUB_I8_D16_HI); break;
    case ISA_SUB_B16_D16_HI: load_sub_as(w, a, *row, ISA_SUB_B16_D16_HI); break;
    }
}

ISA_BLOCK void store_sub_as(isa_wave_t *w, isa_lanes_t *a, const uint32_t *restrict row,
                            unsigned bytes, unsigned shift)
{
    window_t win;
    const way_t way = sub_way(w, a, bytes, true, &win);
    if (way == BLOCK) {
        uint8_t *restrict p = win.host + (a->va[0] - win.begin);
        for (unsigned l = 0; l < ISA_LANES; l++)
            put_sub(p + bytes * l, row[l] >> shift, bytes);
    } else if (way == INSIDE) {
        FOR_ACTIVE(a->exec, l)
        put_sub(win.host + (a->va[l] - win.begin), row[l] >> shift, bytes);
    } else {
        FOR_ACTIVE(a->exec, l)
        {
            uint16_t v = (uint16_t)(row[l] >> shift);
            if (!isa_lane_bytes(w, a, l, (uint8_t *)&v, bytes, true)) return;
        }
    }
}

ISA_NO_TSAN void isa_lanes_store_sub(isa_wave_t *w, isa_lanes_t *a, const isa_row_t *row,
                                     unsigned bytes, unsigned shift)
{
    if (!a->exec) return;
    if (bytes == 1)
        store_sub_as(w, a, *row, 1, shift);
    else
        store_sub_as(w, a, *row, 2, shift);
}

void isa_lanes_zero(isa_row_t *rows, unsigned dwords, uint64_t mask)
{
    for (unsigned k = 0; mask && k < dwords; k++)
        FOR_ACTIVE(mask, l) rows[k][l] = 0;
}
