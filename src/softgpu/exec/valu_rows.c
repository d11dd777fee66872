/* valu_rows.c - row helpers of the vector instructions: broadcast, masks, NaN results.
 *
 * Apart from the instructions because all of their files use these helpers. */
#include "softgpu/exec/valu.h"

#include <immintrin.h>

const uint32_t *valu_scalar_rows(isa_wave_t *w, const isa_inst_t *i, const isa_operand_t *o,
                                 uint32_t *tmp, unsigned rows)
{
    if (o->kind == ISA_OPK_AGPR) return *isa_row_of(w, o);
    if (o->kind == ISA_OPK_NONE || rows > 2) {
        isa_stop_unsupported(w, i, "operand of this kind");
        return NULL;
    }
    const uint64_t value = rows == 2 ? isa_read64(w, o) : isa_read32(w, o);
    if (w->stop) return NULL;
    valu_fill(tmp, (uint32_t)value);
    if (rows == 2) valu_fill(tmp + ISA_ROW, (uint32_t)(value >> 32));
    return tmp;
}

uint64_t valu_bits(const uint8_t *bytes)
{
#if defined(__AVX512BW__)
    const __m512i x = ISA_LANES == 64
                          ? _mm512_loadu_si512(bytes)
                          : _mm512_zextsi256_si512(_mm256_loadu_si256((const __m256i_u *)bytes));
    return _mm512_test_epi8_mask(x, x);
#else
    uint64_t mask = 0;
    for (int n = 0; n < ISA_LANES / 16; n++) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * n));
        const int zero = _mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_setzero_si128()));
        mask |= (uint64_t)(~(unsigned)zero & 0xffff) << (16 * n);
    }
    return mask;
#endif
}

/* ---- NaN results: cold, so one lane at a time ---- */

static uint32_t nan_of32(const valu_t *v, unsigned n, unsigned at)
{
    for (unsigned k = 0; k < n; k++)
        if (fpu_nan32(v->s[k][at])) return v->s[k][at] | 0x400000;
    return FPU_NAN32;
}

static __attribute__((noinline, cold)) void fix_rows32(valu_t *v, unsigned n, unsigned rows)
{
    for (unsigned at = 0; at < rows * ISA_ROW; at += ISA_ROW)
        for (unsigned l = at; l < at + ISA_LANES; l++)
            if (fpu_nan32(v->d[l])) v->d[l] = nan_of32(v, n, l);
}

void valu_fix_nan_f32(valu_t *v, unsigned n)
{
    fix_rows32(v, n, 1);
}

void valu_fix_nan_pf32(valu_t *v, unsigned n)
{
    fix_rows32(v, n, 2);
}

void valu_fix_nan_f64(valu_t *v, unsigned n)
{
    uint32_t *d = v->d;
    for (int l = 0; l < ISA_LANES; l++) {
        if (!fpu_nan64(VALU_LD_u64(d))) continue;
        uint64_t nan = FPU_NAN64;
        for (unsigned k = n; k-- > 0;)
            if (fpu_nan64(VALU_LD_u64(v->s[k]))) nan = VALU_LD_u64(v->s[k]) | FPU_QUIET64;
        VALU_ST_u64(nan);
    }
}

static uint32_t nan_of16(const valu_t *v, unsigned n, int lane, unsigned shift)
{
    for (unsigned k = 0; k < n; k++)
        if (fpu_nan16(v->s[k][lane] >> shift)) return (v->s[k][lane] >> shift & 0xffff) | 0x200;
    return 0x7e00;
}

static __attribute__((noinline, cold)) void fix_halves(valu_t *v, unsigned n, unsigned shift)
{
    for (int l = 0; l < ISA_LANES; l++)
        if (fpu_nan16(v->d[l] >> shift))
            v->d[l] = (v->d[l] & ~(0xffffu << shift)) | nan_of16(v, n, l, shift) << shift;
}

void valu_fix_nan_f16(valu_t *v, unsigned n)
{
    fix_halves(v, n, 0);
}

void valu_fix_nan_pf16(valu_t *v, unsigned n)
{
    fix_halves(v, n, 0);
    fix_halves(v, n, 16);
}
