/* image_address.c - the parts of an image instruction's address, see image_address.h.
 *
 * The parts come in this order: offset, bias and reference, a dword each; gradients to the right,
 * then below; coordinates; the level or the least level. Parts of 16 bits lie two in a dword. An
 * encoding with the image's type says how many coordinates there are; otherwise the descriptor
 * does. */
#include "softgpu/exec/image_address.h"

#include "isa/table.h"

#include <string.h>

/* Sets the coordinates' numbers, and returns how many there are. With DA set, a volume's third
 * coordinate is in the place of the slice: the runtime's copy kernels access all images as arrays.
 */
static unsigned coordinates(const isa_image_t *m, const isa_inst_t *i, isa_image_parts_t *p)
{
    if (i->image & ISA_IMAGE_HAS_DIM) {
        p->y = isa_image_dim(i)->y;
        p->third = isa_image_dim(i)->third;
        return isa_image_dim(i)->coordinates;
    }
    const bool slice =
        (i->image & ISA_IMAGE_DA && m->axes < ISA_IMAGE_AXES) || m->type == ISA_IMAGE_CUBE;
    p->y = m->axes > 1 ? 1 : ISA_IMAGE_ABSENT;
    p->third = m->axes == ISA_IMAGE_AXES ? 2 : slice ? (uint8_t)m->axes : ISA_IMAGE_ABSENT;
    return m->axes + (slice ? 1 : 0);
}

isa_image_parts_t isa_image_parts(const isa_image_t *m, const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    isa_image_parts_t p;
    unsigned at = 0;
    memset(&p, ISA_IMAGE_ABSENT, sizeof p);
    if (row->marks & ISA_IS_OFFSET) p.offset = (uint8_t)at++;
    if (row->marks & ISA_IS_BIAS) p.bias = (uint8_t)at++;
    if (row->marks & ISA_IS_COMPARE) p.compare = (uint8_t)at++;
    if (row->marks & ISA_IS_GRADIENTS) {
        p.slopes = isa_image_dim(i)->slopes;
        p.gradients = (uint8_t)at;
        at += 2 * isa_image_gradient_dwords(i);
    }
    p.first = (uint8_t)at;
    unsigned n = row->marks & ISA_IS_SIZE ? 0 : coordinates(m, i, &p);
    if (row->marks & (ISA_IS_LEVEL | ISA_IS_LOD_CLAMP | ISA_IS_SIZE)) p.level = (uint8_t)n++;
    at += isa_image_parts_dwords(i, n);
    p.dwords = (uint8_t)(at ? at : 1);
    return p;
}

uint32_t isa_image_dword(const isa_wave_t *w, const isa_inst_t *i, unsigned dword, unsigned lane)
{
    return w->vgpr[isa_image_vgpr(i, dword)][lane];
}

static uint32_t half_of(uint32_t dword, unsigned n)
{
    return dword >> 16 * (n & 1) & 0xffff;
}

uint32_t isa_image_part(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                        unsigned n, unsigned lane)
{
    if (!(i->image & ISA_IMAGE_A16)) return isa_image_dword(w, i, p->first + n, lane);
    return half_of(isa_image_dword(w, i, p->first + n / 2, lane), n);
}

static float as_float(uint32_t bits, bool half)
{
    float f;
    if (half) bits = isa_texel_from_d16(&(isa_format_t){.num = ISA_NUM_FLOAT}, bits);
    memcpy(&f, &bits, sizeof f);
    return f;
}

float isa_image_float_part(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                           unsigned n, unsigned lane)
{
    return as_float(isa_image_part(w, i, p, n, lane), i->image & ISA_IMAGE_A16);
}

float isa_image_float(const isa_wave_t *w, const isa_inst_t *i, unsigned dword, unsigned lane)
{
    const uint32_t bits = isa_image_dword(w, i, dword, lane);
    const bool half = i->image & ISA_IMAGE_A16;
    return as_float(half ? half_of(bits, 0) : bits, half);
}

float isa_image_gradient(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                         unsigned side, unsigned axis, unsigned lane)
{
    const unsigned first = p->gradients + side * isa_image_gradient_dwords(i);
    if (!(isa_table[i->op].mods & ISA_M_G16))
        return as_float(isa_image_dword(w, i, first + axis, lane), false);
    return as_float(half_of(isa_image_dword(w, i, first + axis / 2, lane), axis), true);
}
