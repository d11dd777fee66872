/* valu_rows.c - row helpers of the vector instructions: broadcast, masks, NaN results.
 *
 * A file of its own because all files of vector instructions use these helpers. */
#include "softgpu/exec/valu.h"

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

/* ---- NaN results ---- */

ISA_VECTOR isa_vec_i32_t is_nan32(isa_vec_t x)
{
    return (isa_vec_i32_t)((x & 0x7fffffff) > FPU_INF32);
}

/* The result r, or if it is a NaN the first NaN of a, b and c. Takes values, so that translated
 * code can call it without storing a row. */
static VALU_COLD isa_vec_t with_nans(isa_vec_t r, isa_vec_t a, isa_vec_t b, isa_vec_t c)
{
    isa_vec_t nan = isa_vec_all(FPU_NAN32);
    nan = isa_vec_pick(is_nan32(c), c | 0x400000, nan);
    nan = isa_vec_pick(is_nan32(b), b | 0x400000, nan);
    nan = isa_vec_pick(is_nan32(a), a | 0x400000, nan);
    return isa_vec_pick(is_nan32(r), nan, r);
}

static VALU_COLD void fix_rows32(valu_t *v, unsigned n, unsigned rows)
{
    const isa_vec_t none = isa_vec_all(0);
    for (unsigned at = 0; at < rows * ISA_ROW; at += ISA_ROW)
        for (unsigned l = at; l < at + ISA_LANES; l += ISA_VEC)
            isa_vec_store(v->d + l, with_nans(isa_vec_load(v->d + l), isa_vec_load(v->s[0] + l),
                                              n > 1 ? isa_vec_load(v->s[1] + l) : none,
                                              n > 2 ? isa_vec_load(v->s[2] + l) : none));
}

void valu_fix_nan_f32(valu_t *v, unsigned n)
{
    fix_rows32(v, n, 1);
}

void valu_fix_nan_pf32(valu_t *v, unsigned n)
{
    fix_rows32(v, n, 2);
}

ISA_VECTOR isa_vec_i32_t is_nan64(isa_vec_t low, isa_vec_t high)
{
    const isa_vec_t magnitude = high & 0x7fffffff;
    return (isa_vec_i32_t)(magnitude > 0x7ff00000) |
           ((isa_vec_i32_t)(magnitude == 0x7ff00000) & (isa_vec_i32_t)(low != 0));
}

typedef struct {
    isa_vec_t low, high;
} double_t;

/* As with_nans(): the result r, or if it is a NaN the first one of a, b and c. */
static VALU_COLD double_t with_nans64(isa_vec_t r_low, isa_vec_t r_high, isa_vec_t a_low,
                                      isa_vec_t a_high, isa_vec_t b_low, isa_vec_t b_high,
                                      isa_vec_t c_low, isa_vec_t c_high)
{
    const double_t s[3] = {{a_low, a_high}, {b_low, b_high}, {c_low, c_high}};
    double_t nan = {isa_vec_all(0), isa_vec_all(FPU_NAN64 >> 32)};
    ISA_UNROLL for (unsigned k = 3; k-- > 0;)
    {
        const isa_vec_i32_t is = is_nan64(s[k].low, s[k].high);
        nan.low = isa_vec_pick(is, s[k].low, nan.low);
        nan.high = isa_vec_pick(is, s[k].high | 0x80000, nan.high);
    }
    const isa_vec_i32_t is = is_nan64(r_low, r_high);
    return (double_t){isa_vec_pick(is, nan.low, r_low), isa_vec_pick(is, nan.high, r_high)};
}

/* The vector of source k from dword `at` on, 0 if there is no such source. */
ISA_VECTOR isa_vec_t source_of(const valu_t *v, unsigned n, unsigned k, unsigned at)
{
    return k < n ? isa_vec_load(v->s[k] + at) : isa_vec_all(0);
}

void valu_fix_nan_f64(valu_t *v, unsigned n)
{
    uint32_t *d = v->d;
    for (unsigned l = 0; l < ISA_LANES; l += ISA_VEC) {
        const double_t r = with_nans64(isa_vec_load(d + l), isa_vec_load(d + ISA_ROW + l),
                                       source_of(v, n, 0, l), source_of(v, n, 0, ISA_ROW + l),
                                       source_of(v, n, 1, l), source_of(v, n, 1, ISA_ROW + l),
                                       source_of(v, n, 2, l), source_of(v, n, 2, ISA_ROW + l));
        isa_vec_store(d + l, r.low);
        isa_vec_store(d + ISA_ROW + l, r.high);
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
