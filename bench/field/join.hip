// join - a hash join: one relation is put into a table by compare-and-swap with linear probing, the
// other looks its keys up and appends the pairs it finds at a counter.
#include "field.h"

enum { BUILD = 1 << 18, PROBE = 1 << 19, SLOTS = 1 << 19, GROUP = 256 };
static const uint32_t EMPTY = 0xffffffff;

static __host__ __device__ inline uint32_t slot_of(uint32_t key)
{
    key ^= key >> 16;
    key *= 0x7feb352d;
    key ^= key >> 15;
    return key & (SLOTS - 1);
}

extern "C" __global__ void __launch_bounds__(GROUP)
    field_join_build(uint32_t *keys, uint32_t *rows, const uint32_t *relation)
{
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    const uint32_t key = relation[i];
    uint32_t slot = slot_of(key);
    while (atomicCAS(&keys[slot], EMPTY, key) != EMPTY)
        slot = (slot + 1) & (SLOTS - 1);
    rows[slot] = i;
}

extern "C" __global__ void __launch_bounds__(GROUP)
    field_join_probe(uint2 *pairs, unsigned *count, const uint32_t *keys, const uint32_t *rows,
                     const uint32_t *relation)
{
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    const uint32_t key = relation[i];
    for (uint32_t slot = slot_of(key); keys[slot] != EMPTY; slot = (slot + 1) & (SLOTS - 1))
        if (keys[slot] == key) pairs[atomicAdd(count, 1u)] = make_uint2(rows[slot], i);
}

static std::vector<uint32_t> left, right;
static std::vector<uint64_t> result;
static uint32_t *device_left, *device_right, *device_keys, *device_rows;
static uint2 *device_pairs;
static unsigned *device_count;

// Keys of the left relation are distinct, every second one of the right finds its partner.
static void prepare()
{
    field_random random(6);
    for (unsigned k = 0; k < BUILD; k++)
        left.push_back(k * 2654435761u & 0x7fffffff);
    for (unsigned k = 0; k < PROBE; k++)
        right.push_back(left[random.below(BUILD)] | (random.below(2) ? 0x80000000 : 0));
    device_left = field_upload(left);
    device_right = field_upload(right);
    device_keys = field_room<uint32_t>(SLOTS);
    device_rows = field_room<uint32_t>(SLOTS);
    device_pairs = field_room<uint2>(PROBE);
    device_count = field_room<unsigned>(1);
}

static void launch()
{
    field_demand(hipMemsetAsync(device_keys, 0xff, SLOTS * sizeof(uint32_t), nullptr), "set");
    field_demand(hipMemsetAsync(device_count, 0, sizeof(unsigned), nullptr), "set");
    field_join_build<<<BUILD / GROUP, GROUP>>>(device_keys, device_rows, device_left);
    field_join_probe<<<PROBE / GROUP, GROUP>>>(device_pairs, device_count, device_keys, device_rows,
                                               device_right);
}

static void host()
{
    static std::vector<uint32_t> keys, rows;
    keys.assign(SLOTS, EMPTY);
    rows.resize(SLOTS);
    result.clear();
    for (unsigned k = 0; k < BUILD; k++) {
        uint32_t slot = slot_of(left[k]);
        while (keys[slot] != EMPTY)
            slot = (slot + 1) & (SLOTS - 1);
        keys[slot] = left[k], rows[slot] = k;
    }
    for (unsigned k = 0; k < PROBE; k++)
        for (uint32_t slot = slot_of(right[k]); keys[slot] != EMPTY;
             slot = (slot + 1) & (SLOTS - 1))
            if (keys[slot] == right[k]) result.push_back((uint64_t)rows[slot] << 32 | k);
}

// 1 unless the same pairs have been found, in whatever order.
static double error()
{
    const unsigned n = field_download(device_count, 1)[0];
    if (n != result.size()) return 1;
    std::vector<uint64_t> got, expected = result;
    for (const uint2 &p : field_download(device_pairs, n))
        got.push_back((uint64_t)p.x << 32 | p.y);
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    return got == expected ? 0 : 1;
}

field_case field_join = {
    "hash join", "compare-and-swap, probing, appending", prepare, launch, host, error, 0, 0};
