// maths.cl - OpenCL C's functions of floating point numbers: those whose results are exact or
// correctly rounded, and those that may be off by a number of units in the last place. maths.hip
// knows the limits. One kernel of each kind for every precision.
// What may be changed: a function is a line here and one of the same number there.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define EXACT(T, W, as_T, as_W)                                                                    \
    /* rounded as IEEE 754 says, or exact */                                                       \
    kernel void exact_##T(global const ulong *in, global ulong *out)                               \
    {                                                                                              \
        in += 4 * get_global_id(0);                                                                \
        out += 32 * get_global_id(0);                                                              \
        const T a = as_T((W)in[0]), b = as_T((W)in[1]), c = as_T((W)in[2]);                        \
        const int n = (int)(in[3] % 300) - 150;                                                    \
        int e = 0, q = 0;                                                                          \
        T whole = 0;                                                                               \
        out[0] = as_W(a + b);                                                                      \
        out[1] = as_W(a - b);                                                                      \
        out[2] = as_W(a * b);                                                                      \
        out[3] = as_W(a / b);                                                                      \
        out[4] = as_W(sqrt(a));                                                                    \
        out[5] = as_W(fma(a, b, c));                                                               \
        out[6] = as_W(rint(a));                                                                    \
        out[7] = as_W(round(a));                                                                   \
        out[8] = as_W(trunc(a));                                                                   \
        out[9] = as_W(floor(a));                                                                   \
        out[10] = as_W(ceil(a));                                                                   \
        out[11] = as_W(fmod(a, b));                                                                \
        out[12] = as_W(remainder(a, b));                                                           \
        out[13] = as_W(fmin(a, b));                                                                \
        out[14] = as_W(fmax(a, b));                                                                \
        out[15] = as_W(copysign(a, b));                                                            \
        out[16] = as_W(fabs(a));                                                                   \
        out[17] = as_W(ldexp(a, n));                                                               \
        out[18] = as_W(logb(a));                                                                   \
        out[19] = as_W(nextafter(a, b));                                                           \
        out[20] = as_W(frexp(a, &e));                                                              \
        out[21] = isfinite(a) && a != 0 ? (uint)e : 0;                                             \
        out[22] = as_W(modf(a, &whole));                                                           \
        out[23] = as_W(whole);                                                                     \
        out[24] = as_W(fdim(a, b));                                                                \
        out[25] = isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | isnormal(a) << 3 |                 \
                  !!signbit(a) << 4 | isless(a, b) << 5 | isgreaterequal(a, b) << 6 |              \
                  islessgreater(a, b) << 7 | isunordered(a, b) << 8 | (a == b) << 9 |              \
                  (a != b) << 10;                                                                  \
        out[26] = as_W(remquo(a, b, &q));                                                          \
        out[27] = as_W(maxmag(a, b));                                                              \
        out[28] = as_W(minmag(a, b));                                                              \
        out[29] = as_W(sign(a));                                                                   \
        out[30] = as_W(step(a, b));                                                                \
        out[31] = as_W(isfinite(a) && a != 0 ? (T)ilogb(a) : (T)0);                                \
    }
#define NEAR(T, W, as_T, as_W)                                                                     \
    /* within a limit; x is of moderate size, u in [-1, 1], p positive */                          \
    kernel void near_##T(global const ulong *in, global ulong *out)                                \
    {                                                                                              \
        in += 4 * get_global_id(0);                                                                \
        out += 32 * get_global_id(0);                                                              \
        const T x = as_T((W)in[0]), u = as_T((W)in[1]), p = as_T((W)in[2]), y = as_T((W)in[3]);    \
        out[0] = as_W(exp(x));                                                                     \
        out[1] = as_W(exp2(x));                                                                    \
        out[2] = as_W(exp10(x));                                                                   \
        out[3] = as_W(expm1(x));                                                                   \
        out[4] = as_W(log(p));                                                                     \
        out[5] = as_W(log2(p));                                                                    \
        out[6] = as_W(log10(p));                                                                   \
        out[7] = as_W(log1p(p));                                                                   \
        out[8] = as_W(sin(y));                                                                     \
        out[9] = as_W(cos(y));                                                                     \
        out[10] = as_W(tan(y));                                                                    \
        out[11] = as_W(sinpi(x));                                                                  \
        out[12] = as_W(cospi(x));                                                                  \
        out[13] = as_W(asin(u));                                                                   \
        out[14] = as_W(acos(u));                                                                   \
        out[15] = as_W(atan(y));                                                                   \
        out[16] = as_W(atan2(x, y));                                                               \
        out[17] = as_W(sinh(x));                                                                   \
        out[18] = as_W(cosh(x));                                                                   \
        out[19] = as_W(tanh(x));                                                                   \
        out[20] = as_W(asinh(y));                                                                  \
        out[21] = as_W(acosh((T)1 + p));                                                           \
        out[22] = as_W(atanh(u));                                                                  \
        out[23] = as_W(cbrt(y));                                                                   \
        out[24] = as_W(rsqrt(p));                                                                  \
        out[25] = as_W(pow(p, x));                                                                 \
        out[26] = as_W(hypot(x, y));                                                               \
        out[27] = as_W(erf(x));                                                                    \
        out[28] = as_W(erfc(x));                                                                   \
        out[29] = as_W(tgamma(fabs(x) + (T)0.5));                                                  \
        out[30] = as_W(lgamma(p + (T)3));                                                          \
        out[31] = as_W(pown(x, (int)((W)in[1] % 7) - 3));                                          \
    }

EXACT(float, uint, as_float, as_uint)
EXACT(double, ulong, as_double, as_ulong)
NEAR(half, ushort, as_half, as_ushort)
NEAR(float, uint, as_float, as_uint)
NEAR(double, ulong, as_double, as_ulong)
