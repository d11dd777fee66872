// integers - arithmetic of all widths, bit operations, vectors and bit-fields.
#include "twin.h"

#pragma clang force_cuda_host_device begin
template <typename T> struct ops {
    using U = typename std::make_unsigned<T>::type;
    static const int width = 8 * sizeof(T);

    static void run(const uint64_t *in, uint64_t *out)
    {
        T a = pick<T>(in[0]), b = pick<T>(in[1]), c = pick<T>(in[2]);
        int n = in[3] % width, k = 0;
        out[k++] = (T)((U)a + (U)b);
        out[k++] = (T)((U)a - (U)b);
        out[k++] = (T)((uint64_t)a * (uint64_t)b);
        out[k++] = (T)((uint64_t)a * (uint64_t)b + (uint64_t)c);
        bool fine = b != 0 && !(std::is_signed<T>::value && b == (T)-1);
        out[k++] = fine ? (T)(a / b) : 0;
        out[k++] = fine ? (T)(a % b) : 0;
        out[k++] = (T)((uint64_t)a << n);
        out[k++] = (T)(a >> n);
        out[k++] = (T)((U)((uint64_t)(U)a >> n) | (U)((uint64_t)(U)a << ((width - n) % width)));
        out[k++] = (T)(a & b) ^ (T)(b | c) ^ (T)~c;
        out[k++] = (T)((a & b) | (~a & c));
        out[k++] = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a > c) << 3 | (b >= c) << 4 | (a != c) << 5;
        out[k++] = a < b ? a : b;
        out[k++] = a > b ? a : b;
        T low = b < c ? b : c, high = b < c ? c : b;
        out[k++] = a < low ? low : a > high ? high : a;
        out[k++] = a < 0 ? (T)(0 - (U)a) : a;
        T r = 0;
        out[k++] = __builtin_add_overflow(a, b, &r);
        out[k++] = r;
        out[k++] = __builtin_sub_overflow(a, b, &r);
        out[k++] = r;
        out[k++] = r ? (uint64_t)__builtin_ctzll((U)r | (uint64_t)1 << 63) : 99;
        out[k++] = (T)((uint64_t)(a > b ? a - b : b - a) + c);
        out[k++] = (T)(a / 7) + (T)(b % 10) + (T)(c / (T)-5) * 3;
        out[k++] = (T)((((uint64_t)a << 3) + b) ^ (((uint64_t)a + b) << 2));
    }
};
#pragma clang force_cuda_host_device end

TWIN(i8, 4, 24) { ops<int8_t>::run(in, out); }
TWIN(u8, 4, 24) { ops<uint8_t>::run(in, out); }
TWIN(i16, 4, 24) { ops<int16_t>::run(in, out); }
TWIN(u16, 4, 24) { ops<uint16_t>::run(in, out); }
TWIN(i32, 4, 24) { ops<int32_t>::run(in, out); }
TWIN(u32, 4, 24) { ops<uint32_t>::run(in, out); }
TWIN(i64, 4, 24) { ops<int64_t>::run(in, out); }
TWIN(u64, 4, 24) { ops<uint64_t>::run(in, out); }

TWIN(wide128, 4, 16)
{
    typedef unsigned __int128 u128;
    typedef __int128 i128;
    u128 a = (u128)pick<uint64_t>(in[0]) << 64 | pick<uint64_t>(in[1]);
    u128 b = (u128)pick<uint64_t>(in[2]) << 64 | pick<uint64_t>(in[3]);
    int n = in[3] & 127;
    u128 r[7] = {a + b, a - b, a * b, a << n, a >> n, (u128)((i128)a >> n), a ^ (b << 1)};
    for (int i = 0; i < 7; i++) {
        out[2 * i] = (uint64_t)r[i];
        out[2 * i + 1] = (uint64_t)(r[i] >> 64);
    }
    out[14] = (a < b) | ((i128)a < (i128)b) << 1 | (a == b) << 2;
    out[15] = (uint64_t)((i128)(int64_t)in[0] * (int64_t)in[1] >> 64) ^ (uint64_t)((u128)in[2] * in[3] >> 64);
}

TWIN(bit_builtins, 3, 26)
{
    uint32_t a = pick<uint32_t>(in[0]);
    uint64_t b = pick<uint64_t>(in[1]);
    unsigned n = in[2] % 64;
    int k = 0;
    out[k++] = __builtin_popcount(a);
    out[k++] = __builtin_popcountll(b);
    out[k++] = __builtin_parity(a) | __builtin_parityll(b) << 1;
    out[k++] = a ? __builtin_clz(a) : 32;
    out[k++] = b ? __builtin_clzll(b) : 64;
    out[k++] = a ? __builtin_ctz(a) : 32;
    out[k++] = b ? __builtin_ctzll(b) : 64;
    out[k++] = __builtin_ffs(a);
    out[k++] = __builtin_ffsll(b);
    out[k++] = __builtin_clrsb((int)a);
    out[k++] = __builtin_clrsbll((long long)b);
    out[k++] = __builtin_bswap16((uint16_t)a);
    out[k++] = __builtin_bswap32(a);
    out[k++] = __builtin_bswap64(b);
    out[k++] = __builtin_bitreverse8((uint8_t)a);
    out[k++] = __builtin_bitreverse16((uint16_t)a);
    out[k++] = __builtin_bitreverse32(a);
    out[k++] = __builtin_bitreverse64(b);
    out[k++] = __builtin_rotateleft8((uint8_t)a, n);
    out[k++] = __builtin_rotateleft16((uint16_t)a, n);
    out[k++] = __builtin_rotateleft32(a, n);
    out[k++] = __builtin_rotateright32(a, n);
    out[k++] = __builtin_rotateleft64(b, n);
    out[k++] = (a >> (n & 31)) & ((1u << (in[2] >> 8 & 15)) - 1);             // bit-field, unsigned
    out[k++] = (uint64_t)((int64_t)(b << (63 - n)) >> (63 - n));               // bit-field, signed
    out[k++] = (a & 0xff00ffu) | (uint32_t)(b & ~0xff00ffull);                 // bit-field, inserted
}

TWIN(multiply_high, 4, 10)
{
    uint32_t a = pick<uint32_t>(in[0]), b = pick<uint32_t>(in[1]);
    uint64_t c = pick<uint64_t>(in[2]), d = pick<uint64_t>(in[3]);
    out[0] = (uint64_t)a * b >> 32;
    out[1] = (uint64_t)((int64_t)(int32_t)a * (int32_t)b >> 32);
    out[2] = (uint64_t)a * b + c;
    out[3] = (uint64_t)((int64_t)(int32_t)a * (int32_t)b + (int64_t)c);
    out[4] = (uint64_t)((unsigned __int128)c * d >> 64);
    out[5] = (uint64_t)((__int128)(int64_t)c * (int64_t)d >> 64);
    out[6] = (a & 0xffffff) * (b & 0xffffff) + (uint32_t)c;
    out[7] = (uint32_t)(((int32_t)(a << 8) >> 8) * (int64_t)((int32_t)(b << 8) >> 8));
    out[8] = (uint32_t)((uint16_t)a * (uint32_t)(uint16_t)b + (uint32_t)c);
    out[9] = (uint32_t)((int16_t)a * (int16_t)b) + (uint32_t)d;
}

typedef char char4v __attribute__((ext_vector_type(4)));
typedef unsigned char uchar8v __attribute__((ext_vector_type(8)));
typedef short short2v __attribute__((ext_vector_type(2)));
typedef unsigned short ushort4v __attribute__((ext_vector_type(4)));
typedef int int4v __attribute__((ext_vector_type(4)));
typedef unsigned uint3v __attribute__((ext_vector_type(3)));
typedef unsigned long long ulong2v __attribute__((ext_vector_type(2)));

TWIN(vectors, 8, 20)
{
    uint64_t w[8];
    for (int i = 0; i < 8; i++) w[i] = pick<uint64_t>(in[i]);
    uchar8v a = as<uchar8v>(w[0]), b = as<uchar8v>(w[1]);
    int k = 0;
    out[k++] = as<uint64_t>((uchar8v)(a + b));
    out[k++] = as<uint64_t>((uchar8v)(a * b - a));
    out[k++] = as<uint64_t>((uchar8v)((a >> 3) | (b << 5)));
    out[k++] = as<uint64_t>((uchar8v)__builtin_shufflevector(a, b, 0, 9, 2, 11, 15, 5, 4, 14));
    char4v c = as<char4v>((uint32_t)w[2]), d = as<char4v>((uint32_t)w[3]);
    out[k++] = as<uint32_t>((char4v)(c > d ? c : d));
    out[k++] = (int)c.x * d.x + (int)c.y * d.y + (int)c.z * d.z + (int)c.w * d.w;
    short2v s = as<short2v>((uint32_t)w[4]), t = as<short2v>((uint32_t)w[5]), u = as<short2v>((uint32_t)w[6]);
    ushort4v p = as<ushort4v>(w[4]), q = as<ushort4v>(w[5]);
    out[k++] = as<uint64_t>((ushort4v)(p + q));
    out[k++] = as<uint64_t>((ushort4v)(p - q));
    out[k++] = as<uint64_t>((ushort4v)(p * q + p));
    out[k++] = as<uint64_t>((ushort4v)(p >> (q & 15)));
    out[k++] = as<uint64_t>((ushort4v)(p << (q & 15)));
    out[k++] = as<uint32_t>((short2v)(s >> (u & 15)));
    out[k++] = as<uint32_t>((short2v)(s < t ? s : t));
    out[k++] = as<uint32_t>((short2v)(s > t ? s.yx : u));
    ushort4v m = p < q ? p : q;
    out[k++] = as<uint64_t>(m);
    int4v x = {(int)w[0], (int)w[1], (int)w[2], (int)w[3]};
    int index = in[7] & 3;
    x[index] ^= (int)w[7];
    int4v y = x.wzyx & x.yxwz;
    out[k++] = (uint32_t)(y.x ^ y.y) | (uint64_t)(uint32_t)(y.z | y.w) << 32;
    out[k++] = (uint32_t)x[(index + 1) & 3];
    ulong2v l = {w[6], w[7]};
    l = l * l.yx + ulong2v{7, 9};
    out[k++] = l.x;
    out[k++] = l.y;
    uint3v v = {(unsigned)w[1], (unsigned)w[3], (unsigned)w[5]};
    v /= uint3v{3, 10, 1000};
    out[k++] = v.x + v.y * 3ull + v.z * 7ull;
}

TWIN(small_dots, 3, 6)
{
    uint32_t a = (uint32_t)in[0], b = (uint32_t)in[1];
    int sum = (int)in[2];
    unsigned total = (unsigned)in[2];
    uint32_t sad = 0;
    int16_t p = (int16_t)a, q = (int16_t)(a >> 16), r = (int16_t)b, s = (int16_t)(b >> 16);
    out[0] = (uint32_t)((unsigned)(p * r) + (unsigned)(q * s) + (unsigned)sum);
    for (int i = 0; i < 4; i++) {
        sum = (int)((unsigned)sum + (unsigned)((int8_t)(a >> 8 * i) * (int8_t)(b >> 8 * i)));
        total += (uint8_t)(a >> 8 * i) * (uint8_t)(b >> 8 * i);
        int difference = (uint8_t)(a >> 8 * i) - (uint8_t)(b >> 8 * i);
        sad += difference < 0 ? -difference : difference;
    }
    out[1] = (uint32_t)sum;
    out[2] = total;
    out[3] = sad;
    for (int i = 0; i < 8; i++) total += (a >> 4 * i & 15) * (b >> 4 * i & 15);
    out[4] = total;
    out[5] = (uint32_t)((a >> 8 & 0xff) | (b & 0xff0000) | (a << 24) | (b >> 24 << 8));
}

struct fields {
    unsigned a : 3;
    int b : 11;
    unsigned long long c : 37;
    int d : 5;
    bool e : 1;
    short f : 9;
};

TWIN(bit_fields, 4, 8)
{
    fields x = {}, y = {};
    x.a = in[0], x.b = in[1], x.c = in[2], x.d = in[3], x.e = in[0] >> 7, x.f = in[1] >> 20;
    y = x;
    y.a += x.b;
    y.b -= x.d;
    y.c = y.c * 3 + x.a;
    y.d = y.d / 3;
    y.e ^= x.a & 1;
    y.f >>= 2;
    out[0] = y.a, out[1] = y.b, out[2] = y.c, out[3] = y.d, out[4] = y.e, out[5] = y.f;
    out[6] = x.b < y.b, out[7] = x.c ^ y.c;
}

TWIN(widths, 4, 12)
{
    int8_t a = (int8_t)in[0];
    uint8_t b = (uint8_t)in[1];
    int16_t c = (int16_t)in[2];
    uint16_t d = (uint16_t)in[3];
    out[0] = (uint64_t)(a * c), out[1] = (uint64_t)(a + d), out[2] = (uint64_t)(int64_t)(int32_t)((uint32_t)b << 24);
    out[3] = (uint32_t)a, out[4] = (uint64_t)c, out[5] = (uint8_t)c, out[6] = (uint64_t)(int8_t)d;
    out[7] = (uint16_t)a, out[8] = (uint32_t)c >> 3, out[9] = (uint64_t)((int64_t)c << 40 >> 50);
    out[10] = (a < b) | (c < d) << 1 | (a < c) << 2 | (b < d) << 3, out[11] = (uint64_t)(int8_t)(a + b + c + d);
}

int main(int argc, char **argv) { return twin_main(argc, argv); }
