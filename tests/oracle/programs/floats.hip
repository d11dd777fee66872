// floats - f16, f32 and f64 arithmetic without contraction, conversions, and the library functions
// whose results are exact or correctly rounded on both sides.
#include "twin.h"

#pragma clang force_cuda_host_device begin
// For functions whose device versions are free with the sign of zero: round, nextafter, fmin, fmax.
template <typename F> inline F positive_zero(F x) { return x == 0 ? (F)0 : x; }
template <typename F> inline F dabs(F x) { return x < 0 ? -x : x; }

// Operations of the language alone.
template <typename F> void language(const uint64_t *in, uint64_t *out)
{
    F a = pick<F>(in[0]), b = pick<F>(in[1]), c = pick<F>(in[2]);
    int k = 0;
    out[k++] = bits(a + b);
    out[k++] = bits(a - b);
    out[k++] = bits(a * b);
    out[k++] = bits(a / b);
    out[k++] = bits(a * b + c);
    out[k++] = bits(c - a * b);
    out[k++] = bits((F)1 / a);
    out[k++] = bits(-a * b - (a + c) / 3);
    out[k++] = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5 |
               !(a < c) << 6 | !(a >= c) << 7 | (a != a) << 8 | (a < b || b < a) << 9;
    out[k++] = bits(a < b ? a : b);
    out[k++] = bits(a > c ? b : c);
    out[k++] = bits(a < 0 ? -a : a);
    F low = b < c ? b : c, high = b < c ? c : b;
    out[k++] = bits(a < low ? low : a > high ? high : a);
    out[k++] = bits(2 * a + b * (F)0.5);
    out[k++] = bits(((a + b) + c) - (a + (b + c)));
}

// Conversions to and from every integer; a value out of range is undefined and left out.
template <typename F> void conversions(const uint64_t *in, uint64_t *out)
{
    F a = pick<F>(in[0]);
    double x = (double)a;
    int k = 0;
    out[k++] = x > -129 && x < 128 ? (uint64_t)(int8_t)a : 1;
    out[k++] = x > -1 && x < 256 ? (uint64_t)(uint8_t)a : 1;
    out[k++] = x > -32769 && x < 32768 ? (uint64_t)(int16_t)a : 1;
    out[k++] = x > -1 && x < 65536 ? (uint64_t)(uint16_t)a : 1;
    out[k++] = x > -2147483649.0 && x < 2147483648.0 ? (uint64_t)(int32_t)a : 1;
    out[k++] = x > -1 && x < 4294967296.0 ? (uint64_t)(uint32_t)a : 1;
    out[k++] = x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (uint64_t)(int64_t)a : 1;
    out[k++] = x > -1 && x < 18446744073709551616.0 ? (uint64_t)a : 1;
    out[k++] = bits((F)pick<int8_t>(in[1]));
    out[k++] = bits((F)pick<uint8_t>(in[1]));
    out[k++] = bits((F)pick<int16_t>(in[2]));
    out[k++] = bits((F)pick<uint16_t>(in[2]));
    out[k++] = bits((F)pick<int32_t>(in[3]));
    out[k++] = bits((F)pick<uint32_t>(in[3]));
    out[k++] = bits((F)pick<int64_t>(in[4]));
    out[k++] = bits((F)pick<uint64_t>(in[4]));
    out[k++] = bits((float)a);
    out[k++] = bits((double)a);
    out[k++] = bits((_Float16)(float)a);
    out[k++] = bits((_Float16)a);
}
#pragma clang force_cuda_host_device end

TWIN(f32_language, 3, 15) { language<float>(in, out); }
TWIN(f64_language, 3, 15) { language<double>(in, out); }
TWIN(f16_language, 3, 15) { language<_Float16>(in, out); }
TWIN(f32_conversions, 5, 20) { conversions<float>(in, out); }
TWIN(f64_conversions, 5, 20) { conversions<double>(in, out); }
TWIN(f16_conversions, 5, 20) { conversions<_Float16>(in, out); }

TWIN(f32_library, 3, 28)
{
    float a = pick<float>(in[0]), b = pick<float>(in[1]), c = pick<float>(in[2]), whole;
    int e = 0, k = 0, n = (int)(in[2] % 400) - 200;
    out[k++] = bits(fmaf(a, b, c));
    out[k++] = bits(sqrtf(a));
    out[k++] = bits(sqrtf(dabs(b)));
    out[k++] = bits(floorf(a)), out[k++] = bits(ceilf(a)), out[k++] = bits(truncf(a));
    out[k++] = bits(rintf(a)), out[k++] = bits(nearbyintf(b)), out[k++] = bits(positive_zero(roundf(a)));
    out[k++] = bits(positive_zero(fminf(a, b))), out[k++] = bits(positive_zero(fmaxf(a, b)));
    out[k++] = bits(fabsf(a)), out[k++] = bits(copysignf(a, b)), out[k++] = bits(fdimf(a, b));
    out[k++] = bits(ldexpf(a, n)), out[k++] = bits(scalbnf(b, n / 8));
    bool finite = dabs(a) <= std::numeric_limits<float>::max() && a != 0;
    out[k++] = bits(finite ? frexpf(a, &e) : 0), out[k++] = (uint64_t)e;
    out[k++] = (uint64_t)(finite ? ilogbf(a) : 0), out[k++] = bits(logbf(a));
    out[k++] = bits(modff(a, &whole)), out[k++] = bits(whole);
    out[k++] = bits(fmodf(a, b)), out[k++] = bits(remainderf(a, b)), out[k++] = bits(positive_zero(nextafterf(a, b)));
    out[k++] = (uint64_t)(dabs(a) < 1e9f ? lrintf(a) + 3 * lroundf(a) : 0);
    out[k++] = std::signbit(a) | std::isnan(a) << 1 | std::isinf(b) << 2 | std::isfinite(c) << 3;
    out[k++] = bits(fmaxf(a, fminf(b, 1.0f)) + 0.0f);
}

TWIN(f64_library, 3, 28)
{
    double a = pick<double>(in[0]), b = pick<double>(in[1]), c = pick<double>(in[2]), whole;
    int e = 0, k = 0, n = (int)(in[2] % 3000) - 1500;
    out[k++] = bits(fma(a, b, c));
    out[k++] = bits(sqrt(a));
    out[k++] = bits(sqrt(dabs(b)));
    out[k++] = bits(floor(a)), out[k++] = bits(ceil(a)), out[k++] = bits(trunc(a));
    out[k++] = bits(rint(a)), out[k++] = bits(nearbyint(b)), out[k++] = bits(positive_zero(round(a)));
    out[k++] = bits(positive_zero(fmin(a, b))), out[k++] = bits(positive_zero(fmax(a, b)));
    out[k++] = bits(fabs(a)), out[k++] = bits(copysign(a, b)), out[k++] = bits(fdim(a, b));
    out[k++] = bits(ldexp(a, n)), out[k++] = bits(scalbn(b, n / 8));
    bool finite = dabs(a) <= std::numeric_limits<double>::max() && a != 0;
    out[k++] = bits(finite ? frexp(a, &e) : 0), out[k++] = (uint64_t)e;
    out[k++] = (uint64_t)(finite ? ilogb(a) : 0), out[k++] = bits(logb(a));
    out[k++] = bits(modf(a, &whole)), out[k++] = bits(whole);
    out[k++] = bits(fmod(a, b)), out[k++] = bits(remainder(a, b)), out[k++] = bits(positive_zero(nextafter(a, b)));
    out[k++] = (uint64_t)(dabs(a) < 1e9 ? lrint(a) + 3 * lround(a) : 0);
    out[k++] = std::signbit(a) | std::isnan(a) << 1 | std::isinf(b) << 2 | std::isfinite(c) << 3;
    out[k++] = bits(fmax(a, fmin(b, 1.0)) + 0.0);
}

#pragma clang force_cuda_host_device begin
inline uint16_t to_bf16(float x) // to nearest, ties to even
{
    uint32_t word = as<uint32_t>(x);
    if (x != x) return 0x7fc0;
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}
inline float from_bf16(uint16_t x) { return as<float>((uint32_t)x << 16); }
#pragma clang force_cuda_host_device end

TWIN(bf16, 3, 4)
{
    float a = from_bf16(to_bf16(pick<float>(in[0]))), b = from_bf16(to_bf16(pick<float>(in[1])));
    out[0] = to_bf16(pick<float>(in[2]));
    out[1] = to_bf16(a * b), out[2] = to_bf16(a + b), out[3] = bits(a * b + from_bf16((uint16_t)in[2] & 0x3fff));
}

typedef _Float16 half2v __attribute__((ext_vector_type(2)));
typedef _Float16 half4v __attribute__((ext_vector_type(4)));
typedef float float2v __attribute__((ext_vector_type(2)));
typedef float float4v __attribute__((ext_vector_type(4)));
typedef double double2v __attribute__((ext_vector_type(2)));

TWIN(float_vectors, 8, 24)
{
    int k = 0;
    half2v p = {pick<_Float16>(in[0]), pick<_Float16>(in[1])}, q = {pick<_Float16>(in[2]), pick<_Float16>(in[3])};
    for (half2v r : {p + q, p * q, p - q.yx, (half2v)(p * q.xx + q), (half2v)(-p + q)})
        out[k++] = bits(r.x) | bits(r.y) << 16;
    half4v h = {p.x, q.y, p.y, q.x};
    h = h * h.wzyx + (half4v)(_Float16)0.25;
    out[k++] = bits(h.x) | bits(h.y) << 16 | bits(h.z) << 32 | bits(h.w) << 48;
    float2v a = {pick<float>(in[4]), pick<float>(in[5])}, b = {pick<float>(in[6]), pick<float>(in[7])};
    for (float2v r : {a + b, a * b, a.yx - b, (float2v)(a * b + a.xx), (float2v)(-a * b.yy), (float2v)(a / b)})
        out[k++] = bits(r.x) | bits(r.y) << 32;
    float4v v = {a.x, b.y, (float)p.x, (float)q.y};
    v = v * (float4v)1.5f + v.yzwx;
    out[k++] = bits(v.x) | bits(v.y) << 32, out[k++] = bits(v.z) | bits(v.w) << 32;
    double2v d = {pick<double>(in[6]), a.x}, e = {b.x, pick<double>(in[7])};
    for (double2v r : {d + e, d * e, (double2v)(d * e.yx - d), (double2v)(d / e)})
        out[k++] = bits(r.x), out[k++] = bits(r.y);
    out[k++] = bits((_Float16)(a.x + b.x)), out[k++] = bits((float)d.x);
}

// Longer calculations, in which one wrong rounding shows.
TWIN(calculations, 9, 8)
{
    float x = (int)(in[0] % 30001) / 10000.0f - 2.0f, y = (int)(in[1] % 20001) / 10000.0f - 1.0f, u = 0, v = 0;
    int n = 0;
    while (n < 200 && u * u + v * v < 4) {
        float t = u * u - v * v + x;
        v = 2 * u * v + y;
        u = t;
        n++;
    }
    out[0] = n | bits(u) << 32;

    double m[3][3], sum = 0, lost = 0;
    for (int i = 0; i < 9; i++) m[i / 3][i % 3] = (double)(int64_t)in[i] / 4611686018427387904.0;
    double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    out[1] = bits(det);
    out[2] = bits((m[1][1] * m[2][2] - m[1][2] * m[2][1]) / det);

    for (int i = 0; i < 50; i++) { // compensated sum: vanishes if reassociated
        double term = m[i % 3][i / 3 % 3] / (i + 1) - lost, next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    out[3] = bits(sum), out[4] = bits(lost);

    double root = m[0][0] < 0 ? -m[0][0] : m[0][0], guess = 1;
    for (int i = 0; i < 100; i++) {
        double better = (guess + root / guess) / 2;
        if (better == guess) break;
        guess = better;
    }
    out[5] = bits(guess);

    float series = 0, power = 1, angle = (float)m[1][0];
    for (int i = 1; i < 30; i += 2) {
        power = i == 1 ? angle : -power * angle * angle / (float)(i * (i - 1));
        series += power;
    }
    out[6] = bits(series);
    _Float16 h = 1, step = (_Float16)(float)m[2][1];
    for (int i = 0; i < 20; i++) h = h * step + (_Float16)0.5f - step / (h + (_Float16)3);
    out[7] = bits(h);
}

int main(int argc, char **argv) { return twin_main(argc, argv); }
