// convert.cl - OpenCL C's conversions between all scalar types, in every rounding mode, saturated
// and not. One kernel for each pair of types; convert.hip on the host computes the same from the
// exact value. Words of a result: as found, rte, rtz, rtp, rtn, and for integers the same
// saturated. What may be changed: another type is a line in both files.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define TAKE_char(w)   (char)(w)
#define TAKE_uchar(w)  (uchar)(w)
#define TAKE_short(w)  (short)(w)
#define TAKE_ushort(w) (ushort)(w)
#define TAKE_int(w)    (int)(w)
#define TAKE_uint(w)   (uint)(w)
#define TAKE_long(w)   (long)(w)
#define TAKE_ulong(w)  (w)
#define TAKE_half(w)   as_half((ushort)(w))
#define TAKE_float(w)  as_float((uint)(w))
#define TAKE_double(w) as_double(w)

#define GIVE_char(x)   as_uchar(x)
#define GIVE_uchar(x)  (x)
#define GIVE_short(x)  as_ushort(x)
#define GIVE_ushort(x) (x)
#define GIVE_int(x)    as_uint(x)
#define GIVE_uint(x)   (x)
#define GIVE_long(x)   as_ulong(x)
#define GIVE_ulong(x)  (x)
#define GIVE_half(x)   as_ushort(x)
#define GIVE_float(x)  as_uint(x)
#define GIVE_double(x) as_ulong(x)

#define BEGIN(S, D, words)                                                                         \
    kernel void convert_##S##_##D(global const ulong *in, global ulong *out)                       \
    {                                                                                              \
        S x = TAKE_##S(in[get_global_id(0)]);                                                      \
        out += words * get_global_id(0);
#define FIVE(D, at, kind)                                                                          \
    out[at + 0] = GIVE_##D(convert_##D##kind(x));                                                  \
    out[at + 1] = GIVE_##D(convert_##D##kind##_rte(x));                                            \
    out[at + 2] = GIVE_##D(convert_##D##kind##_rtz(x));                                            \
    out[at + 3] = GIVE_##D(convert_##D##kind##_rtp(x));                                            \
    out[at + 4] = GIVE_##D(convert_##D##kind##_rtn(x));
#define TO_INTEGER(S, D)                                                                           \
    BEGIN(S, D, 10) FIVE(D, 0, ) FIVE(D, 5, _sat)                                                  \
    }
#define TO_FLOAT(S, D)                                                                             \
    BEGIN(S, D, 5) FIVE(D, 0, )                                                                    \
    }

#define FROM(S)                                                                                    \
    TO_INTEGER(S, char)                                                                            \
    TO_INTEGER(S, uchar)                                                                           \
    TO_INTEGER(S, short)                                                                           \
    TO_INTEGER(S, ushort)                                                                          \
    TO_INTEGER(S, int)                                                                             \
    TO_INTEGER(S, uint)                                                                            \
    TO_INTEGER(S, long)                                                                            \
    TO_INTEGER(S, ulong)                                                                           \
    TO_FLOAT(S, half)                                                                              \
    TO_FLOAT(S, float)                                                                             \
    TO_FLOAT(S, double)

FROM(char)
FROM(uchar)
FROM(short)
FROM(ushort)
FROM(int)
FROM(uint)
FROM(long)
FROM(ulong)
FROM(half)
FROM(float)
FROM(double)

// Half precision in memory has functions of its own.
kernel void store_half_float(global const ulong *in, global ulong *out)
{
    size_t item = get_global_id(0);
    float x = as_float((uint)in[item]);
    half stored[5];
    vstore_half(x, 0, stored);
    vstore_half_rte(x, 1, stored);
    vstore_half_rtz(x, 2, stored);
    vstore_half_rtp(x, 3, stored);
    vstore_half_rtn(x, 4, stored);
    for (int i = 0; i < 5; i++)
        out[5 * item + i] = as_ushort(stored[i]);
}

kernel void store_half_double(global const ulong *in, global ulong *out)
{
    size_t item = get_global_id(0);
    double4 x = as_double(in[item]);
    ushort4 stored[5];
    vstore_half4(x, 0, (half *)stored);
    vstore_half4_rte(x, 1, (half *)stored);
    vstore_half4_rtz(x, 2, (half *)stored);
    vstore_half4_rtp(x, 3, (half *)stored);
    vstore_half4_rtn(x, 4, (half *)stored);
    for (int i = 0; i < 5; i++)
        out[5 * item + i] = stored[i].s3;
}

kernel void load_half(global const ulong *in, global ulong *out)
{
    size_t item = get_global_id(0);
    ushort4 stored = (ushort4)((ushort)in[item], 0, 0, (ushort)in[item]);
    float4 x = vload_half4(0, (const half *)&stored);
    out[item] = as_uint(x.s3);
}
