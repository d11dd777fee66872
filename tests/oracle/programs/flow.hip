// flow - divergent branches and loops, switches, calls: recursion, function and virtual pointers,
// structs by value, arrays on the stack.
#include "twin.h"

#pragma clang force_cuda_host_device begin
APART uint32_t gcd(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

APART int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

APART uint64_t odd_steps(uint64_t n, int depth);
APART uint64_t even_steps(uint64_t n, int depth)
{
    if (depth > 40 || n < 2) return depth;
    return n & 1 ? odd_steps(n, depth) : even_steps(n / 2, depth + 1) + 1;
}
APART uint64_t odd_steps(uint64_t n, int depth)
{
    if (depth > 40 || n < 2) return n;
    return n & 1 ? even_steps(3 * n + 1, depth + 1) ^ n : odd_steps(n / 2, depth + 1);
}

// Quicksort of bytes, recursing into both halves: the depth differs between lanes.
APART void quicksort(uint8_t *data, int low, int high)
{
    if (low >= high) return;
    uint8_t pivot = data[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (data[i] < pivot) i++;
        while (data[j] > pivot) j--;
        if (i <= j) {
            uint8_t t = data[i];
            data[i++] = data[j];
            data[j--] = t;
        }
    }
    quicksort(data, low, j);
    quicksort(data, i, high);
}

struct point {
    int32_t x, y;
};
struct record {
    uint8_t tag;
    uint16_t count;
    uint64_t values[5];
    point corner;
    double weight;
};
struct tiny {
    uint8_t a, b, c;
};

APART record grow(record r, point by, tiny t)
{
    r.tag ^= t.a;
    r.count += t.b * t.c;
    for (int i = 0; i < 5; i++) r.values[i] = scramble(r.values[(i + t.a) % 5] + by.x);
    r.corner.x += by.y;
    r.corner.y -= by.x;
    r.weight = r.weight * 2 + t.b;
    return r;
}
APART tiny shrink(const record &r)
{
    return tiny{(uint8_t)(r.tag + r.count), (uint8_t)r.values[r.count % 5], (uint8_t)r.weight};
}
APART point swapped(point p) { return point{p.y, p.x}; }

typedef uint32_t (*operation)(uint32_t, uint32_t);
APART uint32_t op_add(uint32_t a, uint32_t b) { return a + b; }
APART uint32_t op_xor(uint32_t a, uint32_t b) { return a ^ b; }
APART uint32_t op_mul(uint32_t a, uint32_t b) { return a * b + 1; }
APART uint32_t op_turn(uint32_t a, uint32_t b) { return a << (b & 31) | a >> ((32 - b) & 31); }
APART uint32_t op_gcd(uint32_t a, uint32_t b) { return gcd(a, b); }

struct shape {
    uint32_t a, b;
    shape(uint32_t a_, uint32_t b_) : a(a_), b(b_) {}
    virtual uint32_t area() const = 0;
    virtual uint32_t edge(int i) const { return i & 1 ? a : b; }
};
struct box : shape {
    using shape::shape;
    uint32_t area() const override { return a * b; }
};
struct corner : shape {
    using shape::shape;
    uint32_t area() const override { return a * b / 2; }
    uint32_t edge(int i) const override { return i == 2 ? a + b : shape::edge(i); }
};
APART uint32_t measure(const shape &s, int n)
{
    uint32_t sum = s.area();
    for (int i = 0; i < n; i++) sum = sum * 31 + s.edge(i % 3);
    return sum;
}

// Sixteen dense cases with fall-through, and sparse ones.
APART uint32_t machine(uint64_t program, uint32_t x)
{
    uint32_t y = 1;
    for (int i = 0; i < 16; i++, program >>= 4) {
        switch (program & 15) {
        case 0: x++; break;
        case 1: x--; // fall through
        case 2: y += x; break;
        case 3: y = x * 3; break;
        case 4:
            if (y > x) continue;
            x ^= y;
            break;
        case 5: x >>= 1; // fall through
        case 6: y ^= 0x55; // fall through
        case 7: x += y; break;
        case 8:
            while (x > 100) x = x / 3 - 1;
            break;
        case 9: return x ^ y << 16;
        case 10: x = y - x; break;
        case 11: y = ~y; break;
        case 12: x *= y | 1; break;
        case 13:
            for (uint32_t k = 0; k < (x & 7); k++) y = y * 5 + k;
            break;
        default: x = x << 7 | x >> 25;
        }
    }
    return x + y;
}
APART int sparse(uint32_t x)
{
    switch (x) {
    case 0: return 4;
    case 3: return 11;
    case 1000: return -7;
    case 0x7fffffff: return 1;
    case 0x80000000: return 2;
    case 0xffffffff: return 3;
    case 99: return x / 3;
    }
    return x % 17;
}
#pragma clang force_cuda_host_device end

TWIN(branches, 3, 4)
{
    int a = pick<int>(in[0]), b = pick<int>(in[1]), r = 0;
    if (a > b) {
        r = a & 0xff;
        if (a & 1) {
            r += b & 0xf;
            if (b & 4) r *= 3;
            else if (b & 8) r -= 100;
        } else if (a < 0) r ^= 0x1234;
    } else if (a == b || (a & 7 && b & 7)) {
        r = (b > 0 && a % 3 == 0) || (a < -5 && !(b & 1)) ? 17 : 23;
    } else {
        r = a ? 5 : 6;
    }
    out[0] = (uint64_t)r;
    uint64_t n = in[2] >> 40, steps = 0;
    while (n > 1 && steps < 200) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (n % 91 == 0) break;
        if (n % 7 == 3) continue;
        steps++;
    }
    out[1] = steps << 32 | n;
    uint64_t found = 0;
    for (unsigned i = 2; i < 60; i++) {
        for (unsigned k = 2; k * k <= i; k++)
            if (i % k == 0) goto composite;
        if (in[2] % i == 0) found |= 1ull << i;
    composite:;
    }
    out[2] = found;
    out[3] = gcd(pick<uint32_t>(in[0]), pick<uint32_t>(in[1]));
}

TWIN(switches, 3, 3)
{
    out[0] = machine(in[0], pick<uint32_t>(in[1]));
    out[1] = machine(in[2] >> 20, (uint32_t)in[0] & 0xff);
    const uint32_t keys[8] = {0, 3, 1000, 0x7fffffff, 0x80000000, 0xffffffff, 99, (uint32_t)in[2]};
    out[2] = (uint64_t)sparse(keys[in[1] & 7]);
}

// A loop entered in its middle, which structured control flow has to copy or flag.
TWIN(crossed, 2, 1)
{
    uint32_t x = (uint32_t)in[0], y = (uint32_t)in[1], n = 0;
    if (x & 1) goto second;
first:
    x = x * 5 + 1;
    if (++n > 40) goto done;
    if (x & 64) goto first;
second:
    y ^= x >> 3;
    if (++n > 40) goto done;
    if (y & 3) goto first;
    if (y & 32) goto second;
done:
    out[0] = (uint64_t)x << 32 | (y ^ n);
}

TWIN(recursion, 6, 7)
{
    out[0] = ackermann(in[0] % 3, in[0] / 3 % 4);
    out[1] = even_steps(in[1] >> 44, 0);
    uint8_t data[40];
    for (int i = 0; i < 40; i++) data[i] = (uint8_t)(in[1 + i / 8] >> i % 8 * 8);
    int n = (int)(in[0] >> 32) % 41;
    quicksort(data, 0, n - 1);
    for (int i = 0; i < 5; i++) {
        uint64_t word = 0;
        for (int k = 0; k < 8; k++) word |= (uint64_t)data[8 * i + k] << 8 * k;
        out[2 + i] = word;
    }
}

TWIN(structs, 6, 6)
{
    record r = {(uint8_t)in[0], (uint16_t)in[1], {in[1], in[2], in[3], in[4], in[5]}, {(int)(in[0] >> 8 & 0xffff), 7}, 1.5};
    tiny t = {(uint8_t)in[2], (uint8_t)in[3], (uint8_t)in[4]};
    int n = in[5] % 5;
    for (int i = 0; i < n; i++) {
        r = grow(r, swapped(point{r.corner.y & 0xffff, i}), t);
        t = shrink(r);
    }
    out[0] = r.tag | r.count << 8 | (uint64_t)t.a << 32 | (uint64_t)t.b << 40 | (uint64_t)t.c << 48;
    out[1] = r.values[0] ^ r.values[1];
    out[2] = r.values[2];
    out[3] = r.values[3] ^ r.values[4];
    out[4] = (uint32_t)r.corner.x | (uint64_t)(uint32_t)r.corner.y << 32;
    out[5] = bits(r.weight);
}

TWIN(pointers, 4, 3)
{
    const operation table[5] = {op_add, op_xor, op_mul, op_turn, op_gcd};
    uint32_t x = (uint32_t)in[0];
    uint64_t choice = in[1];
    for (int i = 0; i < 12; i++, choice /= 5) x = table[choice % 5](x, (uint32_t)(in[2] >> i) | 1);
    out[0] = x;
    operation f = in[3] & 1 ? op_turn : op_mul, g = in[3] & 2 ? f : op_gcd;
    out[1] = (f == g) << 1 | (table[in[1] % 5] == op_xor);
    box b((uint32_t)in[0] & 0xfff, (uint32_t)in[2] & 0xfff);
    corner c((uint32_t)in[3] & 0xfff, (uint32_t)in[0] & 0xff);
    const shape *either = in[3] & 4 ? (const shape *)&b : (const shape *)&c;
    out[2] = measure(*either, in[3] >> 60);
}

TWIN(arrays, 5, 6)
{
    uint32_t board[8][9] = {};
    uint64_t state = in[0];
    for (int i = 0; i < 50; i++) {
        state = scramble(state);
        board[state >> 8 & 7][(state >> 16) % 9] += (uint32_t)state;
        if (state & 1) board[(state >> 24) % 8][8] ^= board[state >> 32 & 7][state >> 40 & 7];
    }
    uint64_t sum = 0;
    for (auto &row : board)
        for (uint32_t x : row) sum = sum * 31 + x;
    out[0] = sum;

    char text[64];
    memset(text, 'a' + (int)(in[1] % 26), sizeof text);
    memcpy(text + in[1] / 26 % 30, &in[2], 8);
    __builtin_memmove(text + 3 + in[1] % 7, text + in[3] % 9, 20 + in[3] / 9 % 20);
    uint32_t crc = ~0u;
    for (int i = 0; i < 64; i++) {
        crc ^= (uint8_t)text[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    out[1] = ~crc;
    int common = 0;
    while (common < 63 && text[common] == text[common + 1]) common++;
    out[2] = (uint64_t)common;

    uint16_t heap[17];
    int used = 0;
    for (int i = 0; i < 16; i++) {
        int at = used++;
        uint16_t value = (uint16_t)(in[4 - i / 4] >> i % 4 * 16);
        for (; at > 0 && heap[(at - 1) / 2] > value; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
        heap[at] = value;
    }
    out[3] = heap[0] | (uint64_t)heap[1] << 16 | (uint64_t)heap[7] << 32 | (uint64_t)heap[15] << 48;

    uint64_t big[6] = {1}, base = in[1] | 1; // a long product, then its remainder
    int length = 1;
    for (int i = 0; i < (int)(in[2] % 6); i++) {
        uint64_t carry = 0;
        for (int k = 0; k < length; k++) {
            unsigned __int128 p = (unsigned __int128)big[k] * base + carry;
            big[k] = (uint64_t)p;
            carry = (uint64_t)(p >> 64);
        }
        if (carry && length < 6) big[length++] = carry;
    }
    uint64_t rest = 0;
    for (int k = 12; k-- > 0;) rest = (rest << 32 | (uint32_t)(big[k / 2] >> k % 2 * 32)) % 1000000007u;
    out[4] = rest;
    uint64_t *slot[3] = {&big[0], &big[1], &big[2]};
    for (int i = 0; i < 3; i++) *slot[in[3] >> 2 * i & 1] += *slot[2 - (in[4] >> i & 1)] + i;
    out[5] = big[0] ^ big[1] * 3 ^ big[2] * 5;
}

int main(int argc, char **argv) { return twin_main(argc, argv); }
