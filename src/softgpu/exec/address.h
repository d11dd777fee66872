/* address.h - the addresses that a memory instruction accesses: one function per addressing mode.
 *
 * A file of its own because the executor, the cache model and the checker have to agree on
 * addresses. No function here reads memory. Scalar operands that need not be SGPRs are passed as
 * values: only the executor's files read them. A new addressing mode belongs here. */
#ifndef SOFTGPU_EXEC_ADDRESS_H
#define SOFTGPU_EXEC_ADDRESS_H

#include "softgpu/exec/wave.h"

#define ISA_ADDRESS static inline __attribute__((always_inline))

/* Whether all lanes are active and the address of each is `stride` bytes above that of the lane
 * before. */
ISA_ADDRESS bool isa_address_side_by_side(const uint64_t *va, uint64_t exec, uint64_t stride)
{
    if (exec != ISA_ALL_LANES) return false;
    uint64_t differ = 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        differ |= (va[l] - l * stride) ^ va[0];
    return !differ;
}

/* ---- flat, global, scratch ---- */

/* Scratch of a wave: dword k of lane l is at (k * lanes + l) * 4. Returns the bytes from one dword
 * of a lane to its next. */
ISA_ADDRESS uint32_t isa_scratch_dword_step(const isa_wave_t *w)
{
    return 4 * (ISA_LANES == 32 ? 32 : isa_dispatch_lanes(w->group->dispatch));
}

/* Addresses from a scalar base, which includes the instruction's offset, and an offset of 32 bits
 * per lane. */
ISA_ADDRESS void isa_address_based(uint64_t *restrict va, uint64_t base, const isa_row_t low)
{
    for (unsigned l = 0; l < ISA_LANES; l++)
        va[l] = base + low[l];
}

/* Addresses of 64 bits per lane, in two rows, plus the instruction's offset. */
ISA_ADDRESS void isa_address_pairs(uint64_t *restrict va, const isa_row_t *rows, uint64_t offset)
{
    for (unsigned l = 0; l < ISA_LANES; l++)
        va[l] = (rows[0][l] | (uint64_t)rows[1][l] << 32) + offset;
}

/* Address of byte `offset` of lane l's scratch. `base`: the register FLAT_SCRATCH, in which the
 * kernel's prologue stores the address of the wave's scratch. */
ISA_ADDRESS uint64_t isa_scratch_address(uint64_t base, uint32_t step, uint32_t offset, unsigned l)
{
    return base + (uint64_t)(offset >> 2) * step + 4 * l + (offset & 3);
}

/* Addresses in scratch at the same offset for all lanes; if `row` is not NULL, each lane's element
 * of it is added. */
ISA_ADDRESS void isa_address_scratch(uint64_t *restrict va, uint64_t base, uint32_t step,
                                     const uint32_t *row, uint32_t offset)
{
    if (row)
        for (unsigned l = 0; l < ISA_LANES; l++)
            va[l] = isa_scratch_address(base, step, row[l] + offset, l);
    else
        for (unsigned l = 0; l < ISA_LANES; l++)
            va[l] = isa_scratch_address(base, step, offset, l);
}

/* Addresses of a SCRATCH instruction: the sum of its offset and those in its VGPR and SGPR, if it
 * names these. */
ISA_ADDRESS void isa_address_scratch_lanes(uint64_t *va, const isa_wave_t *w, const isa_inst_t *i)
{
    const uint32_t *row = i->src[0].kind == ISA_OPK_NONE ? NULL : isa_row_of(w, &i->src[0])[0];
    const uint32_t scalar = i->flags & ISA_F_SADDR ? w->sgpr[i->src[2].reg] : 0;
    isa_address_scratch(va, isa_flat_scratch(w), isa_scratch_dword_step(w), row,
                        scalar + (uint32_t)i->imm);
}

/* Addresses of a GLOBAL instruction without a VGPR for addresses: adjacent dwords, one for each
 * lane. */
ISA_ADDRESS void isa_address_of_lanes(uint64_t *va, const isa_wave_t *w, const isa_inst_t *i)
{
    const uint32_t *s = &w->sgpr[i->src[2].reg];
    const uint64_t scalar = i->flags & ISA_F_SADDR ? s[0] | (uint64_t)s[1] << 32 : 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        va[l] = scalar + (uint64_t)(int64_t)i->imm + 4 * l;
}

/* A FLAT instruction becomes up to three accesses, one in each address space. ORDER: that of the
 * accesses. */
typedef enum { ISA_SPACE_MEMORY, ISA_SPACE_LDS, ISA_SPACE_SCRATCH, ISA_SPACES } isa_space_t;

typedef struct {
    uint64_t in[ISA_SPACES];
} isa_flat_lanes_t;

/* The active lanes of a FLAT instruction by address space. Only the high dword of the address
 * register decides: hardware tests it before it adds the instruction's offset. Compilers fold an
 * offset into a flat access only if the register itself points into the object. */
ISA_ADDRESS isa_flat_lanes_t isa_address_flat_lanes(const isa_wave_t *w, const isa_inst_t *i)
{
    const isa_dispatch_t *d = w->group->dispatch;
    const uint32_t *high = isa_row_of(w, &i->src[0])[1];
    const uint32_t shared_hi = (uint32_t)(d->shared_base >> 32);
    const uint32_t private_hi = (uint32_t)(d->private_base >> 32);
    uint64_t lds = 0, scratch = 0;
    uint32_t special = 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        special |= (uint32_t)(high[l] == shared_hi) | (uint32_t)(high[l] == private_hi);
    if (__builtin_expect(!special, 1)) return (isa_flat_lanes_t){{[ISA_SPACE_MEMORY] = w->exec}};
    for (unsigned l = 0; l < ISA_LANES; l++) {
        lds |= (uint64_t)(high[l] == shared_hi) << l;
        scratch |= (uint64_t)(high[l] == private_hi) << l;
    }
    return (isa_flat_lanes_t){{[ISA_SPACE_MEMORY] = w->exec & ~(lds | scratch),
                               [ISA_SPACE_LDS] = w->exec & lds,
                               [ISA_SPACE_SCRATCH] = w->exec & scratch}};
}

/* Converts the addresses of a FLAT instruction, for the lanes that access `space`, to LDS offsets
 * or to the addresses of the lanes' dwords in scratch. Addresses of memory are unchanged. Returns
 * the bytes from one dword of a lane's element to the next. */
ISA_ADDRESS uint32_t isa_address_flat_part(uint64_t *va, isa_space_t space, const isa_wave_t *w)
{
    const uint64_t base = isa_flat_scratch(w);
    const uint32_t step = isa_scratch_dword_step(w);
    if (space == ISA_SPACE_LDS)
        for (unsigned l = 0; l < ISA_LANES; l++)
            va[l] &= UINT32_MAX;
    if (space == ISA_SPACE_SCRATCH)
        for (unsigned l = 0; l < ISA_LANES; l++)
            va[l] = isa_scratch_address(base, step, (uint32_t)va[l], l);
    return space == ISA_SPACE_SCRATCH ? step : 4;
}

/* ---- buffers ---- */

/* How a buffer's limits are checked. Descriptors of GPUs after gfx9 have a field for that, whose
 * values are the first four; on gfx9 the check follows from the instruction and other fields of the
 * descriptor. */
typedef enum {
    ISA_BOUNDS_RECORD, /* the index has to be below num_records, the element within the record */
    ISA_BOUNDS_INDEX,
    ISA_BOUNDS_NONE, /* every access is in range, unless the buffer has no records */
    ISA_BOUNDS_BYTES,
    ISA_BOUNDS_GFX9
} isa_bounds_t;

typedef struct {
    uint64_t base;
    uint32_t stride; /* bytes of a record */
    uint32_t num_records;
    uint32_t index_stride; /* records that a swizzled buffer interleaves: 8, 16, 32, 64 */
    bool swizzle;
    bool add_tid;   /* the lane number is added to the index */
    uint8_t bounds; /* isa_bounds_t */
    uint32_t word3; /* formats and component selects */
} isa_buffer_t;

/* The range check of a buffer access: `bytes` bytes of lane l's element are in range if
 * end[l] + step * bytes <= limit. */
typedef struct {
    _Alignas(64) uint64_t end[ISA_LANES];
    uint64_t limit;
    uint32_t step; /* 1: the limit counts bytes; 0: it counts records, whatever their size */
} isa_buffer_range_t;

ISA_ADDRESS uint32_t isa_buffer_field(uint32_t word, unsigned high, unsigned low)
{
    return word >> low & (uint32_t)((UINT64_C(1) << (high - low + 1)) - 1);
}

/* Extracts the fields of a buffer's descriptor, which has four words. `formatted`: the instruction
 * converts by a format. */
ISA_ADDRESS void isa_address_descriptor(const isa_wave_t *w, const uint32_t d[4], bool formatted,
                                        isa_buffer_t *b)
{
    const bool unified = w->group->dispatch->arch->formats->element_formats;
    b->base = d[0] | (uint64_t)isa_buffer_field(d[1], 15, 0) << 32;
    b->stride = isa_buffer_field(d[1], 29, 16);
    b->swizzle = d[1] >> 31;
    b->num_records = d[2];
    b->index_stride = 8u << isa_buffer_field(d[3], 22, 21);
    b->add_tid = d[3] >> 23 & 1;
    b->word3 = d[3];
    b->bounds = unified ? (uint8_t)isa_buffer_field(d[3], 29, 28) : ISA_BOUNDS_GFX9;
    /* If the lane number is added to the index and the instruction needs no format, the field of
     * the data format (if the GPU has one) holds high bits of the stride. */
    if (b->add_tid && !formatted && !unified) b->stride |= isa_buffer_field(d[3], 18, 15) << 14;
}

/* Bytes from one dword of a lane's element to the next. */
ISA_ADDRESS uint32_t isa_buffer_dword_step(const isa_buffer_t *b)
{
    return b->swizzle ? 4 * b->index_stride : 4;
}

/* The unit of a buffer's limit (num_records): records if an index selects them, else bytes. An
 * access to the lanes' own records without an index, as to scratch, has no limit. */
typedef enum {
    ISA_BUFFER_BYTES,
    ISA_BUFFER_RECORDS,
    ISA_BUFFER_PRIVATE,
    ISA_BUFFER_ELEMENTS /* both: records, and bytes within one */
} isa_buffer_kind_t;

ISA_ADDRESS isa_buffer_kind_t isa_buffer_kind(const isa_buffer_t *b, const isa_inst_t *i)
{
    static const uint8_t said[] = {[ISA_BOUNDS_RECORD] = ISA_BUFFER_ELEMENTS,
                                   [ISA_BOUNDS_INDEX] = ISA_BUFFER_RECORDS,
                                   [ISA_BOUNDS_NONE] = ISA_BUFFER_PRIVATE,
                                   [ISA_BOUNDS_BYTES] = ISA_BUFFER_BYTES};
    if (b->bounds != ISA_BOUNDS_GFX9) return (isa_buffer_kind_t)said[b->bounds];
    if (i->flags & ISA_F_IDXEN) return b->stride ? ISA_BUFFER_RECORDS : ISA_BUFFER_BYTES;
    return b->add_tid ? ISA_BUFFER_PRIVATE : ISA_BUFFER_BYTES;
}

/* Offset of a lane in its record: a sum of 32 bits, which wraps. Compilers rely on that: for `a[20
 * - s]` of a private array they use a register with -4 * s and an offset of 80. */
ISA_ADDRESS uint32_t isa_buffer_offset(uint32_t row, const isa_inst_t *i)
{
    return row + (uint32_t)i->imm;
}

/* `rows` are the VGPRs of the address operand, or NULL with neither OFFEN nor IDXEN. SOFFSET is
 * added to the base and is not swizzled. A limit in bytes includes it: kernels of Tensile step
 * through a matrix by SOFFSET and rely on the limit to stop them at its end. */
ISA_ADDRESS void isa_address_buffer(uint64_t *restrict va, isa_buffer_range_t *restrict range,
                                    const isa_buffer_t *b, const isa_inst_t *i,
                                    const isa_row_t *rows, uint32_t soffset)
{
    static const isa_row_t no_row;
    const bool idxen = i->flags & ISA_F_IDXEN, offen = i->flags & ISA_F_OFFEN;
    const uint32_t *index_row = idxen ? rows[0] : no_row;
    const uint32_t *offset_row = offen ? rows[idxen] : no_row;
    const uint64_t base = b->base + soffset;
    const uint32_t lane_step = b->add_tid, index_stride = b->index_stride;
    const unsigned shift = (unsigned)__builtin_ctz(index_stride);
    const isa_buffer_kind_t kind = isa_buffer_kind(b, i);
    const bool bytes = kind == ISA_BUFFER_BYTES;

    range->step = bytes ? 1 : 0;
    range->limit = kind == ISA_BUFFER_PRIVATE ? UINT64_MAX : b->num_records;
    if (b->bounds == ISA_BOUNDS_NONE && !b->num_records) range->limit = 0;
    if (bytes) range->limit -= soffset < range->limit ? soffset : range->limit;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        const uint32_t index = index_row[l] + lane_step * l;
        const uint64_t offset = isa_buffer_offset(offset_row[l], i);
        range->end[l] = bytes ? offset : (uint64_t)index + 1;
        if (!b->swizzle)
            va[l] = base + (uint64_t)index * b->stride + offset;
        else
            va[l] = base +
                    (((uint64_t)(index >> shift) * b->stride + (offset & ~UINT64_C(3))) << shift) +
                    (index & (index_stride - 1)) * 4 + (offset & 3);
    }
    if (kind != ISA_BUFFER_ELEMENTS) return;
    range->step = 1;
    range->limit = b->stride;
    for (unsigned l = 0; l < ISA_LANES; l++)
        range->end[l] =
            range->end[l] <= b->num_records ? isa_buffer_offset(offset_row[l], i) : UINT64_MAX / 2;
}

/* The lanes of `exec` for which `bytes` bytes of their element, starting `from` bytes into it, are
 * in range. */
ISA_ADDRESS uint64_t isa_address_inside(const isa_buffer_range_t *range, uint64_t exec,
                                        uint32_t from, uint32_t bytes)
{
    const uint64_t need = (uint64_t)range->step * (from + bytes);
    uint64_t lanes = 0;
    bool outside = false;
    for (unsigned l = 0; l < ISA_LANES; l++)
        outside |= range->end[l] + need > range->limit;
    if (__builtin_expect(!outside, 1)) return exec;
    for (unsigned l = 0; l < ISA_LANES; l++)
        lanes |= (uint64_t)(range->end[l] + need <= range->limit) << l;
    return lanes & exec;
}

/* ---- LDS ---- */

ISA_ADDRESS uint32_t isa_ds_offset16(const isa_inst_t *i)
{
    return i->offset0 | (uint32_t)i->offset1 << 8;
}

/* The value in LDS that M0 names for LDS_DIRECT: the address is in bits 15:0 and the type in 18:16
 * (0 ubyte, 1 ushort, 2 dword, 4 sbyte, 5 sshort). */
typedef struct {
    uint32_t at;
    uint8_t bytes;
    bool is_signed;
} isa_lds_direct_t;

ISA_ADDRESS isa_lds_direct_t isa_address_lds_direct(uint32_t m0)
{
    static const uint8_t sizes[8] = {1, 2, 4, 4, 1, 2, 4, 4};
    const unsigned type = m0 >> 16 & 7;
    return (isa_lds_direct_t){.at = (m0 & 0xffff) & ~(sizes[type] - 1u),
                              .bytes = sizes[type],
                              .is_signed = type == 4 || type == 5};
}

/* All lanes of those quads of which a lane is on. */
ISA_ADDRESS uint64_t isa_whole_quads(uint64_t exec)
{
    const uint64_t pairs = exec | exec >> 1, first = (pairs | pairs >> 2) & 0x1111111111111111;
    return first * 15;
}

/* Addresses from M0 and the lane number. */
ISA_ADDRESS void isa_address_lds_lanes(uint64_t *va, const isa_wave_t *w, uint32_t offset)
{
    const uint64_t base = (w->m0 & 0xffff) + offset;
    for (unsigned l = 0; l < ISA_LANES; l++)
        va[l] = base + 4 * l;
}

/* The LDS side of a transfer between memory and LDS: from M0 + offset on, each lane has one dword,
 * or four dwords for elements of three or four. */
ISA_ADDRESS void isa_address_lds_side(uint64_t *va, const isa_wave_t *w, uint32_t offset,
                                      uint32_t bytes)
{
    const uint64_t base = isa_bits_get(w->group->dispatch->arch->m0_lds, w->m0) + offset;
    const uint32_t step = bytes <= 4 ? 4 : 16;
    for (unsigned l = 0; l < ISA_LANES; l++)
        va[l] = base + step * l;
}

/* The lanes of `lanes` whose element of `bytes` bytes is not all in a memory of `size` bytes. In
 * LDS they load 0 and store nothing. */
ISA_ADDRESS uint64_t isa_lanes_outside(const uint64_t *va, uint64_t lanes, uint32_t bytes,
                                       uint32_t size)
{
    const uint64_t most = size - bytes;
    uint64_t outside = 0;
    bool any = false;
    if (bytes > size) return lanes;
    for (unsigned l = 0; l < ISA_LANES; l++)
        any |= va[l] > most;
    if (__builtin_expect(!any, 1)) return 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        outside |= (uint64_t)(va[l] > most) << l;
    return outside & lanes;
}

/* ---- scalar memory ---- */

/* A scalar access begins at base + offset. For buffers, `limit` bytes from `base` are in range;
 * other accesses have no limit. */
typedef struct {
    uint64_t base;
    uint64_t limit;
    uint64_t offset;
} isa_scalar_place_t;

/* Bytes for each 1 in the offset register of s_scratch_*. */
enum { ISA_SCALAR_SCRATCH_UNIT = 64 };

/* Scalar accesses ignore the low two bits of an address, and of each part of the sum that makes
 * it. */
ISA_ADDRESS uint64_t isa_scalar_dwords(uint64_t bytes)
{
    return bytes & ~UINT64_C(3);
}

ISA_ADDRESS uint64_t isa_scalar_register_offset(const isa_wave_t *w, const isa_inst_t *i)
{
    return i->flags & ISA_F_SOE ? w->sgpr[i->src[1].reg] : 0;
}

/* `unit`: 1, or ISA_SCALAR_SCRATCH_UNIT for s_scratch_*. */
ISA_ADDRESS isa_scalar_place_t isa_address_scalar(const isa_wave_t *w, const isa_inst_t *i,
                                                  uint32_t unit)
{
    const uint32_t *s = &w->sgpr[i->src[0].reg];
    const uint64_t base = s[0] | (uint64_t)s[1] << 32;
    const uint64_t at = isa_scalar_dwords(base) + isa_scalar_dwords((uint64_t)(int64_t)i->imm) +
                        isa_scalar_dwords(isa_scalar_register_offset(w, i) * unit);
    return (isa_scalar_place_t){at, UINT64_MAX, 0};
}

/* The descriptor has the base in bits 47:0, the stride in 61:48 and num_records in 95:64, in bytes
 * if the stride is 0. For buffers, only the sum of the offset's parts is rounded down to dwords. */
ISA_ADDRESS isa_scalar_place_t isa_address_scalar_buffer(const isa_wave_t *w, const isa_inst_t *i)
{
    const uint32_t *v = &w->sgpr[i->src[0].reg];
    const uint64_t base = v[0] | (uint64_t)(v[1] & 0xffff) << 32, stride = v[1] >> 16 & 0x3fff;
    const uint64_t limit = stride ? stride * v[2] : v[2];
    const uint64_t offset = (uint64_t)(int64_t)i->imm + isa_scalar_register_offset(w, i);
    return (isa_scalar_place_t){isa_scalar_dwords(base), limit, isa_scalar_dwords(offset)};
}

/* The place of a scalar load of less than a dword, of which no part is rounded down. */
typedef struct {
    uint64_t base, offset, limit; /* limit: UINT64_MAX without a descriptor */
} isa_scalar_bytes_t;

ISA_ADDRESS isa_scalar_bytes_t isa_address_scalar_bytes(const isa_wave_t *w, const isa_inst_t *i,
                                                        bool is_buffer)
{
    const uint32_t *v = &w->sgpr[i->src[0].reg];
    const uint64_t offset = (uint64_t)(int64_t)i->imm + isa_scalar_register_offset(w, i);
    if (!is_buffer)
        return (isa_scalar_bytes_t){(v[0] | (uint64_t)v[1] << 32) + offset, 0, UINT64_MAX};
    const uint64_t stride = v[1] >> 16 & 0x3fff;
    return (isa_scalar_bytes_t){v[0] | (uint64_t)(v[1] & 0xffff) << 32, offset,
                                stride ? stride * v[2] : v[2]};
}

/* Whether the dword at `offset` is in range; only whole dwords are. */
ISA_ADDRESS bool isa_scalar_inside(const isa_scalar_place_t *p, uint64_t offset)
{
    return offset < p->limit && p->limit - offset >= 4;
}

#endif
