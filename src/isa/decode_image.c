/* decode_image.c - image instructions: MIMG, with and without the image's type in the encoding,
 * and what gfx12 has in place of it, VIMAGE and VSAMPLE.
 *
 * A file of its own because the number of registers follows from the masks, the type and the form
 * of the address. */
#include "isa/decode.h"

/* Dwords of the data of an image instruction. Atomic instructions take 32 or 64 bits, a
 * compare-and-swap twice as many. */
static unsigned image_data_dwords(const isa_row_desc_t *row, unsigned image)
{
    if (isa_tests_rays(row)) return isa_field(row, ISA_ROLE_VDATA)->bits / 32u;
    const unsigned dmask = row->marks & ISA_IS_GATHER ? 15 : image & ISA_IMAGE_DMASK;
    const unsigned n = dmask ? (unsigned)__builtin_popcount(dmask) : 1;
    if (row->mods & ISA_M_CAS) return n == 4 ? 4 : 2;
    if (row->klass == ISA_CLASS_VMEM_AT) return n == 2 ? 2 : 1;
    return image & ISA_IMAGE_D16 ? (n + 1) / 2 : n;
}

const isa_image_dim_t isa_image_dims[] = {
    [ISA_DIM_1D] = {1, 1, ISA_IMAGE_ABSENT, ISA_IMAGE_ABSENT},
    [ISA_DIM_2D] = {2, 2, 1, ISA_IMAGE_ABSENT},
    [ISA_DIM_3D] = {3, 3, 1, 2},
    [ISA_DIM_CUBE] = {3, 2, 1, 2},
    [ISA_DIM_1D_ARRAY] = {2, 1, ISA_IMAGE_ABSENT, 1},
    [ISA_DIM_2D_ARRAY] = {3, 2, 1, 2},
    [ISA_DIM_2D_MSAA] = {3, 2, 1, ISA_IMAGE_ABSENT},
    [ISA_DIM_2D_MSAA_ARRAY] = {4, 2, 1, 2},
};

/* How many dwords an address has if the encoding has the image's type. First come offset, bias and
 * the value to compare with, a dword each; then gradients, coordinates, and the level or the least
 * level. */
static unsigned image_dim_dwords(const isa_inst_t *i, const isa_row_desc_t *row)
{
    const unsigned coordinates = row->marks & ISA_IS_SIZE ? 0 : isa_image_dim(i)->coordinates;
    const unsigned level = row->marks & (ISA_IS_LEVEL | ISA_IS_LOD_CLAMP | ISA_IS_SIZE) ? 1 : 0;
    const unsigned first = row->marks & (ISA_IS_OFFSET | ISA_IS_BIAS | ISA_IS_COMPARE);
    const unsigned sides = row->marks & ISA_IS_GRADIENTS ? 2 : 0;
    return (unsigned)__builtin_popcount(first) + sides * isa_image_gradient_dwords(i) +
           isa_image_parts_dwords(i, coordinates + level);
}

/* ---- rays ---- */

/* The names of nodes have the dwords that the other ten of the address leave. */
uint32_t isa_ray_groups(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const unsigned names = isa_field(row, ISA_ROLE_VADDR)->bits / 32u - 10;
    if (row->marks & ISA_IS_TREE) return 0x3322 | names << 16;
    return names | 0x3310 | (i->image & ISA_IMAGE_A16 ? 0 : 0x30000);
}

static unsigned ray_dwords(const isa_inst_t *i)
{
    unsigned n = 0;
    for (uint32_t groups = isa_ray_groups(i); groups; groups >>= 4)
        n += groups & 15;
    return n;
}

/* Fields that have but one value in these instructions. */
static bool ray_fields_are_right(const isa_decoder_t *d)
{
    const unsigned ones = ISA_IMAGE_DMASK | ISA_IMAGE_R128;
    const unsigned image = d->out->image, cache = ISA_F_GLC | ISA_F_SLC | ISA_F_SC1;
    const bool counts = d->arch->formats->vimage || image & ISA_IMAGE_UNORM;
    if (d->row->marks & ISA_IS_TREE && image & ISA_IMAGE_A16) return false;
    return (image & ones) == ones && counts && !(image & (ISA_IMAGE_D16 | ISA_IMAGE_LWE)) &&
           !(image >> ISA_IMAGE_DIM_SHIFT & 7) && !(d->out->flags & cache) && !d->out->policy;
}

/* Dwords of the address for a 1D image, the fewest that the instruction can need: the image's type
 * is in the descriptor, which the decoder does not have. */
static unsigned image_address_dwords(const isa_inst_t *i, const isa_row_desc_t *row)
{
    if (isa_tests_rays(row)) return ray_dwords(i);
    if (i->image & ISA_IMAGE_HAS_DIM) return image_dim_dwords(i, row);
    const unsigned parts =
        1u + (row->marks & ISA_IS_LEVEL ? 1 : 0) + (i->image & ISA_IMAGE_DA ? 1 : 0);
    return isa_image_parts_dwords(i, parts);
}

/* The VGPRs of the address's groups, but for the first one: `named` has a byte for each. */
static void image_groups(isa_decoder_t *d, uint64_t named)
{
    isa_inst_t *i = d->out;
    i->imm = (int32_t)isa_ray_groups(i);
    i->src[0].k = named;
    for (unsigned k = 0; isa_image_group(i, k); k++)
        if (isa_image_named(i, k) + isa_image_group(i, k) > ISA_VGPRS) d->bad = true;
}

/* The VGPRs of the address. They are a tuple from `first` on, of a size that tuples can have; or,
 * if dwords with register numbers follow the instruction (NSA), `first` and the registers of these
 * numbers. If the address has more parts than registers are named, then on some GPUs the register
 * named last begins a tuple, which has the rest of the parts; on all others the words are no
 * instruction. */
static void image_address(isa_decoder_t *d, unsigned first)
{
    isa_inst_t *i = d->out;
    const unsigned n = image_address_dwords(i, d->row);
    const isa_image_fields_t *fields = &d->arch->formats->image;
    const unsigned more = isa_bits_get(fields->spread, d->words[0]);
    if (!more) {
        const bool exact = n <= 8 || isa_tests_rays(d->row); /* others as LLVM 15 has them */
        isa_decode_vgpr(d, &i->src[0], first, 32 * (exact ? n : 16), false);
        return;
    }
    isa_decode_vgpr(d, &i->src[0], first, 32, false);
    i->src[0].bits = (uint16_t)(32 * n);
    i->image |= ISA_IMAGE_NSA;
    if (isa_tests_rays(d->row) && fields->ends_in_tuple) {
        image_groups(d, isa_decode_next(d));
        return;
    }
    if (n > 1 + 4 * more && !fields->ends_in_tuple) d->bad = true; /* too few dwords */
    if (n + 3 <= 4 * more) d->bad = true;                          /* one too many */
    for (unsigned k = 0; k < more; k++) {
        const uint64_t word = isa_decode_next(d);
        const unsigned last = (unsigned)(word >> 24), rest = n > 4 * more ? n - 4 * more : 0;
        i->src[k / 2].k |= word << 32 * (k % 2);
        if (k + 1 == more && last + rest > ISA_VGPRS) d->bad = true;
    }
}

/* The ISA_IMAGE_* bits of the instruction, from the fields of its encoding besides the operands. */
static unsigned image_bits(const isa_decoder_t *d)
{
    const isa_image_fields_t *fields = &d->arch->formats->image;
    const struct {
        isa_bits_t field;
        uint16_t image;
    } bits[] = {{fields->unorm, ISA_IMAGE_UNORM}, {fields->lwe, ISA_IMAGE_LWE},
                {fields->da, ISA_IMAGE_DA},       {fields->a16, ISA_IMAGE_A16},
                {fields->r128, ISA_IMAGE_R128},   {fields->d16, ISA_IMAGE_D16}};
    unsigned image = isa_decode_field(d, fields->dmask);
    for (unsigned k = 0; k < sizeof bits / sizeof *bits; k++)
        if (isa_decode_bit(d, bits[k].field)) image |= bits[k].image;
    if (!d->arch->formats->image_dim) return image;
    const unsigned dim = isa_bits_get(fields->dim, d->words[0]);
    const bool slices = dim == ISA_DIM_CUBE || dim == ISA_DIM_1D_ARRAY || dim == ISA_DIM_2D_ARRAY ||
                        dim == ISA_DIM_2D_MSAA_ARRAY;
    return image | ISA_IMAGE_HAS_DIM | dim << ISA_IMAGE_DIM_SHIFT | (slices ? ISA_IMAGE_DA : 0);
}

/* Where an encoding names the operands, and its bits for all of them. */
typedef struct {
    unsigned data, address, srsrc, ssamp;
    bool acc, four; /* four: the address is in VGPRs that the third dword names */
} image_operands_t;

/* The VGPRs of the address where the third dword names four, of which the last begins a tuple if
 * the address has more dwords. */
static void image_four(isa_decoder_t *d)
{
    enum { FOUR = 4 };
    isa_inst_t *i = d->out;
    const uint32_t named = d->words[2];
    const unsigned n = image_address_dwords(i, d->row), last = named >> 24;
    isa_decode_vgpr(d, &i->src[0], isa_bits(named, 7, 0), 32, false);
    i->src[0].bits = (uint16_t)(32 * n);
    i->src[0].k = named >> 8;
    i->image |= ISA_IMAGE_NSA | ISA_IMAGE_FOUR;
    if (isa_tests_rays(d->row)) {
        image_groups(d, i->src[0].k | (uint64_t)isa_bits(d->words[1], 31, 24) << 24);
        return;
    }
    if (n > FOUR && last + n - FOUR >= ISA_VGPRS) d->bad = true;
}

static void image_operands(isa_decoder_t *d, const image_operands_t *from)
{
    isa_inst_t *i = d->out;
    const bool load = d->row->klass == ISA_CLASS_VMEM_RD;
    const unsigned data_bits = 32 * image_data_dwords(d->row, i->image);
    if (i->image & ISA_IMAGE_D16 &&
        (d->row->klass == ISA_CLASS_VMEM_AT || d->row->marks & ISA_IS_RAW))
        d->bad = true; /* D16 requests a conversion, which these instructions do not make */
    for (const isa_field_t *f = d->row->fields; f < d->row->fields + ISA_MAX_FIELDS && f->role;
         f++) {
        switch (f->role) {
        case ISA_ROLE_VDATA:
            isa_decode_vgpr(d, load ? &i->dst : &i->src[1], from->data, data_bits, from->acc);
            break;
        case ISA_ROLE_VADDR:
            if (!from->four) image_address(d, from->address);
            break;
        case ISA_ROLE_SRSRC: isa_decode_sgpr(d, &i->src[2], from->srsrc, f->bits); break;
        default: isa_decode_sgpr(d, &i->src[3], from->ssamp, f->bits); break;
        }
    }
    if (d->row->mods & ISA_M_RET && i->flags & ISA_F_GLC) {
        i->dst = i->src[1];
        i->dst.bits = (uint16_t)isa_decode_result_bits(d->row, i->src[1].bits);
    }
}

void isa_decode_mimg(isa_decoder_t *d)
{
    const isa_image_fields_t *fields = &d->arch->formats->image;
    const uint32_t x = d->words[1];
    isa_inst_t *i = d->out;
    if (!isa_decode_row(d, ISA_FMT_MIMG, isa_decode_split(d, fields->op))) return;
    if (isa_decode_bit(d, fields->glc)) i->flags |= ISA_F_GLC;
    if (isa_decode_bit(d, fields->slc)) i->flags |= ISA_F_SLC;
    if (isa_decode_bit(d, d->arch->memory_fields.image_sc1)) i->flags |= ISA_F_SC1;
    i->image = (uint16_t)image_bits(d);
    if (isa_decode_bit(d, d->arch->memory_fields.image_tfe)) d->bad = true;
    if (isa_tests_rays(d->row) && !ray_fields_are_right(d)) d->bad = true;
    image_operands(d, &(image_operands_t){
                          .data = isa_bits(x, 15, 8),
                          .address = isa_bits(x, 7, 0),
                          .srsrc = 4 * isa_bits(x, 20, 16),
                          .ssamp = 4 * isa_decode_field(d, fields->ssamp),
                          .acc = isa_decode_bit(d, d->arch->memory_fields.image_acc),
                      });
}

/* Decodes VIMAGE and VSAMPLE, which have three dwords. Bits to which the encoding gives no name are
 * ignored, as LLVM ignores them; in VIMAGE the bits that VSAMPLE calls unorm and LWE have no name,
 * either. Bits that have a name, but ask for what is not executed, are refused. */
void isa_decode_vimage(isa_decoder_t *d, bool sample)
{
    enum { SAMPLE_TFE = 1 << 3, IMAGE_TFE = 1 << 23 };
    const uint32_t w = d->words[0], x = d->words[1];
    isa_inst_t *i = d->out;
    if (!isa_decode_row(d, ISA_FMT_MIMG, isa_decode_split(d, d->arch->formats->image.op))) return;
    if (sample != isa_is_sample(d->row)) d->bad = true;
    if (sample ? w & SAMPLE_TFE : x & IMAGE_TFE) d->bad = true;
    if (!sample && x >> 24 && !isa_tests_rays(d->row))
        d->bad = true; /* a fifth VGPR of the address */
    isa_decode_policy(d);
    i->image = (uint16_t)image_bits(d);
    if (!sample) i->image &= (uint16_t) ~(ISA_IMAGE_UNORM | ISA_IMAGE_LWE);
    if (isa_tests_rays(d->row) && !ray_fields_are_right(d)) d->bad = true;
    image_four(d);
    image_operands(d, &(image_operands_t){.data = isa_bits(x, 7, 0),
                                          .srsrc = isa_bits(x, 17, 9),
                                          .ssamp = isa_bits(x, 31, 23),
                                          .four = true});
}
