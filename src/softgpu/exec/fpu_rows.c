/* fpu_rows.c - conversion of a row between f16 and f32.
 *
 * The host's own conversion instructions give the same bits as fpu.h's integer formulas, NaNs and
 * denormals included; tests compare all variants. */
#include "softgpu/exec/fpu.h"
#include "softgpu/exec/vector.h"
#include "softgpu/exec/wave.h"

#if defined(__AVX512F__)

void fpu_widen_row(uint32_t *out, const uint32_t *in)
{
    for (int l = 0; l < ISA_LANES; l += 16) {
        const __m256i halves = _mm512_cvtepi32_epi16(_mm512_load_si512(in + l));
        _mm512_store_ps((float *)(out + l), _mm512_cvtph_ps(halves));
    }
}

#define NARROW(mode)                                                                               \
    for (int l = 0; l < ISA_LANES; l += 16) {                                                      \
        const __m256i halves = _mm512_cvtps_ph(_mm512_load_ps((const float *)(in + l)), (mode));   \
        _mm512_store_si512(out + l, _mm512_cvtepu16_epi32(halves));                                \
    }

#elif defined(__F16C__) && defined(__AVX2__)

void fpu_widen_row(uint32_t *out, const uint32_t *in)
{
    const __m256i low = _mm256_set1_epi32(0xffff);
    for (int l = 0; l < ISA_LANES; l += 8) {
        const __m256i x =
            _mm256_and_si256(_mm256_load_si256((const __m256i *)(const void *)(in + l)), low);
        const __m128i halves =
            _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        _mm256_store_ps((float *)(out + l), _mm256_cvtph_ps(halves));
    }
}

#define NARROW(mode)                                                                               \
    for (int l = 0; l < ISA_LANES; l += 8) {                                                       \
        const __m128i halves = _mm256_cvtps_ph(_mm256_load_ps((const float *)(in + l)), (mode));   \
        _mm256_store_si256((__m256i *)(void *)(out + l), _mm256_cvtepu16_epi32(halves));           \
    }

#else

void fpu_widen_row(uint32_t *out, const uint32_t *in)
{
    for (int l = 0; l < ISA_LANES; l++)
        out[l] = fpu_f16_to_f32(in[l]);
}

#define NARROW(mode)                                                                               \
    for (int l = 0; l < ISA_LANES; l++)                                                            \
        out[l] = fpu_f32_to_f16(in[l], round);

#endif

void fpu_narrow_row(uint32_t *out, const uint32_t *in, uint32_t round)
{
    switch (round) {
    case FPU_NEAREST: NARROW(_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC) break;
    case FPU_UP: NARROW(_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC) break;
    case FPU_DOWN: NARROW(_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC) break;
    default: NARROW(_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC) break;
    }
}
