// integers.cl - the integer functions that OpenCL C has beyond C, for all eight types, and its
// vectors: widths, swizzles, shuffles, relational results, memory. integers.hip computes the same
// without any of it. Every word of `out` holds one or more results, zero-extended and shifted.
// What may be changed: a new result is a word more here and there.

#define TAKE(S, words)                                                                             \
    in += 4 * get_global_id(0);                                                                    \
    out += words * get_global_id(0);                                                               \
    S a = (S)in[0], b = (S)in[1], c = (S)in[2];                                                    \
    int n = 0;

// S: the type, U: its unsigned form
#define FUNCTIONS(S, U)                                                                            \
    kernel void integers_##S(global const ulong *in, global ulong *out)                            \
    {                                                                                              \
        TAKE(S, 20)                                                                                \
        out[n++] = (U)add_sat(a, b);                                                               \
        out[n++] = (U)sub_sat(a, b);                                                               \
        out[n++] = (U)hadd(a, b);                                                                  \
        out[n++] = (U)rhadd(a, b);                                                                 \
        out[n++] = (U)mul_hi(a, b);                                                                \
        out[n++] = (U)mad_hi(a, b, c);                                                             \
        out[n++] = (U)mad_sat(a, b, c);                                                            \
        out[n++] = (U)rotate(a, b);                                                                \
        out[n++] = (U)clz(a);                                                                      \
        out[n++] = (U)popcount(a);                                                                 \
        out[n++] = (U)abs(a);                                                                      \
        out[n++] = (U)abs_diff(a, b);                                                              \
        out[n++] = (U)min(a, b);                                                                   \
        out[n++] = (U)max(a, b);                                                                   \
        out[n++] = (U)clamp(a, min(b, c), max(b, c));                                              \
        out[n++] = (U)bitselect(a, b, c);                                                          \
        out[n++] = (U)select(a, b, c);                                                             \
        out[n++] = (U)ctz((U)a);                                                                   \
        out[n++] = (U)(a * b + c);                                                                 \
        out[n++] = b ? (U)(b == (S)-1 ? a : a / b) : (U)c;                                         \
    }
FUNCTIONS(char, uchar)
FUNCTIONS(uchar, uchar)
FUNCTIONS(short, ushort)
FUNCTIONS(ushort, ushort)
FUNCTIONS(int, uint)
FUNCTIONS(uint, uint)
FUNCTIONS(long, ulong)
FUNCTIONS(ulong, ulong)

// The functions that exist for some types only.
kernel void integers_other(global const ulong *in, global ulong *out)
{
    in += 4 * get_global_id(0);
    out += 10 * get_global_id(0);
    int a = (int)in[0] << 8 >> 8, b = (int)in[1] << 8 >> 8, c = (int)in[2];
    uint ua = (uint)in[0] & 0xffffff, ub = (uint)in[1] & 0xffffff, uc = (uint)in[2];
    out[0] = (uint)mul24(a, b);
    out[1] = mul24(ua, ub);
    out[2] = (uint)mad24(a, b, c);
    out[3] = mad24(ua, ub, uc);
    out[4] = (ushort)upsample((char)in[0], (uchar)in[1]);
    out[5] = upsample((uchar)in[0], (uchar)in[1]);
    out[6] = (uint)upsample((short)in[0], (ushort)in[1]);
    out[7] = upsample((ushort)in[0], (ushort)in[1]);
    out[8] = (ulong)upsample((int)in[0], (uint)in[1]);
    out[9] = upsample((uint)in[0], (uint)in[1]);
}

// The same function on every element, in all widths; the elements are summed with odd factors.
ulong sum2(ulong2 v)
{
    return v.x + 3 * v.y;
}
ulong sum3(ulong3 v)
{
    return sum2(v.xy) + 5 * v.z;
}
ulong sum4(ulong4 v)
{
    return sum3(v.xyz) + 7 * v.w;
}
ulong sum8(ulong8 v)
{
    return sum4(v.lo) + 9 * sum4(v.hi);
}
ulong sum16(ulong16 v)
{
    return sum8(v.lo) + 11 * sum8(v.hi);
}

// S: element, s: of its shift counts and masks, signed; n: elements
#define VECTORS(S, s, U, n)                                                                        \
    kernel void vectors_##S##n(global const ulong *in, global ulong *out)                          \
    {                                                                                              \
        in += 32 * get_global_id(0);                                                               \
        out += 12 * get_global_id(0);                                                              \
        S##n a = vload##n(0, (global const S *)in), b = vload##n(1, (global const S *)(in + 8));   \
        S c = (S)in[31];                                                                           \
        s##n less = a < b, same = (a & (S)3) == (b & (S)3);                                        \
        out[0] = sum##n(convert_ulong##n(convert_##U##n(a + b * c)));                              \
        out[1] = sum##n(convert_ulong##n(convert_##U##n(less)));                                   \
        out[2] = sum##n(convert_ulong##n(convert_##U##n(same & less | a > c)));                    \
        out[3] = sum##n(convert_ulong##n(convert_##U##n(a << b)));                                 \
        out[4] = sum##n(convert_ulong##n(convert_##U##n(a >> b)));                                 \
        out[5] = sum##n(convert_ulong##n(convert_##U##n(select(a, b, less))));                     \
        out[6] = sum##n(convert_ulong##n(convert_##U##n(less ? a : (S##n)c)));                     \
        out[7] = any(less) | all(same) << 1 | any(same) << 2 | all(a == a) << 3;                   \
        out[8] = sum##n(convert_ulong##n(convert_##U##n(add_sat(a, b) ^ mul_hi(a, b))));           \
        out[9] = sum##n(convert_ulong##n(convert_##U##n(a && (b & (S)1)))) + !a.x;                 \
        a.x = c;                                                                                   \
        a.s1 ^= b.s0;                                                                              \
        vstore##n(a, 0, (global S *)(out + 10));                                                   \
        out[10] =                                                                                  \
            sum##n(convert_ulong##n(convert_##U##n(vload##n(0, (global const S *)(out + 10)))));   \
        out[11] = sum##n(convert_ulong##n(convert_##U##n(-a - ~b)));                               \
    }
#define WIDTHS(S, s, U) VECTORS(S, s, U, 2) VECTORS(S, s, U, 3) VECTORS(S, s, U, 4)
WIDTHS(char, char, uchar)
WIDTHS(uchar, char, uchar)
WIDTHS(short, short, ushort)
WIDTHS(ushort, short, ushort)
WIDTHS(int, int, uint)
WIDTHS(uint, int, uint)
VECTORS(char, char, uchar, 16)
VECTORS(ushort, short, ushort, 8)
VECTORS(long, long, ulong, 2)
VECTORS(ulong, long, ulong, 2)

// Elements moved: the bytes of `out` are those of `in` in another order.
kernel void moves_uchar16(global const ulong *in, global ulong *out)
{
    in += 4 * get_global_id(0);
    global uchar16 *to = (global uchar16 *)(out + 16 * get_global_id(0));
    uchar16 a = ((global const uchar16 *)in)[0], b = ((global const uchar16 *)in)[1], mixed;
    mixed.even = a.odd;
    mixed.odd = b.even;
    to[0] = mixed;
    mixed.lo = b.hi;
    mixed.hi = a.lo;
    to[1] = mixed;
    to[2] = a.sfedcba9876543210;
    to[3] = (uchar16)(a.even, b.s08, 7, b.s2, a.s1234);
    to[4] = shuffle(a, b);
    to[5] = shuffle2(a, b, b ^ a);
    mixed = b;
    mixed.s0369 = a.sfa50;
    mixed.sC++;
    to[6] = mixed;
    to[7] = as_uchar16(as_uint4(a).wzxy);
}

kernel void moves_ushort4(global const ulong *in, global ulong *out)
{
    in += 4 * get_global_id(0);
    global ushort4 *to = (global ushort4 *)(out + 8 * get_global_id(0));
    ushort4 a = ((global const ushort4 *)in)[0], b = ((global const ushort4 *)in)[1];
    to[0] = (ushort4)(a.odd, b.even);
    to[1] = (ushort4)(b.hi, a.lo);
    to[2] = a.wzyx;
    to[3] = (ushort4)(a.yyy, b.z);
    to[4] = shuffle(a, b);
    to[5] = shuffle2(a, b, b ^ a);
    to[6] = as_ushort4(as_uchar8(a).s10325476);
    b.xw = a.zz;
    to[7] = b;
}

kernel void moves_uint4(global const ulong *in, global ulong *out)
{
    in += 4 * get_global_id(0);
    global uint4 *to = (global uint4 *)(out + 16 * get_global_id(0));
    uint4 a = ((global const uint4 *)in)[0], b = ((global const uint4 *)in)[1];
    to[0] = (uint4)(a.odd, b.even);
    to[1] = (uint4)(b.hi, a.lo);
    to[2] = a.wzyx;
    to[3] = (uint4)(a.yyy, b.z);
    to[4] = shuffle(a, b);
    to[5] = shuffle2(a, b, b ^ a);
    uint array[4] = {a.x, b.y, a.z, b.w};
    array[b.x & 3] ^= a.y; // a private array with a changing index
    to[6] = vload4(0, array);
    b.xw = a.zz;
    to[7] = b;
}
