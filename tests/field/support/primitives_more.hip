// primitives_more.hip - more of rocPRIM's device functions than primitives.hip has, and of its functions for workgroups:
// each result is compared with the host's.
#include "primitives.h"

static const unsigned SEGMENTS = 37, RUN = 5, BINS = 64, GROUP = 256, EACH = 4;

template <typename T> static std::vector<T> numbers(unsigned factor, unsigned shift)
{
    std::vector<T> to(N);
    for (unsigned i = 0; i < N; i++)
        to[i] = static_cast<T>((i * factor) >> shift);
    return to;
}

// Sorts each workgroup's part, and sums it up as it goes.
__global__ __launch_bounds__(GROUP) void sort_and_scan(const int *from, int *sorted, int *sums)
{
    using sort_t = rocprim::block_radix_sort<int, GROUP, EACH>;
    using scan_t = rocprim::block_scan<int, GROUP>;
    __shared__ union {
        typename sort_t::storage_type sort;
        typename scan_t::storage_type scan;
    } storage;
    int mine[EACH];
    rocprim::block_load_direct_blocked(threadIdx.x, from + blockIdx.x * GROUP * EACH, mine);
    sort_t().sort(mine, storage.sort);
    rocprim::block_store_direct_blocked(threadIdx.x, sorted + blockIdx.x * GROUP * EACH, mine);
    rocprim::syncthreads();
    scan_t().inclusive_scan(mine, mine, storage.scan);
    rocprim::block_store_direct_blocked(threadIdx.x, sums + blockIdx.x * GROUP * EACH, mine);
}

static void workgroups(const std::vector<int> &from)
{
    const unsigned part = GROUP * EACH, parts = N / part;
    buffer<int> in(from), sorted(N), sums(N);
    sort_and_scan<<<parts, GROUP>>>(in.at, sorted.at, sums.at);
    std::vector<int> all(from), sum(parts * part);
    for (unsigned k = 0; k < parts; k++) {
        std::sort(all.begin() + k * part, all.begin() + (k + 1) * part);
        std::partial_sum(all.begin() + k * part, all.begin() + (k + 1) * part, sum.begin() + k * part);
    }
    all.resize(parts * part);
    expect("block_radix_sort", sorted.get(all.size()) == all);
    expect("block_scan", sums.get(sum.size()) == sum);
}

static void sorts(const std::vector<int> &from)
{
    std::vector<unsigned> place(N), expected(N);
    std::iota(place.begin(), place.end(), 0u);
    expected = place;
    std::stable_sort(expected.begin(), expected.end(), [&](unsigned a, unsigned b) { return from[a] < from[b]; });
    buffer<int> keys(from), keys_out(N);
    buffer<unsigned> values(place), values_out(N);
    call("radix_sort_pairs", [&](void *t, size_t &b) { return rocprim::radix_sort_pairs(t, b, keys.at, keys_out.at, values.at, values_out.at, N); });
    expect("radix_sort_pairs", values_out.get(N) == expected);

    call("merge_sort", [&](void *t, size_t &b) { return rocprim::merge_sort(t, b, keys.at, keys_out.at, N, rocprim::less<int>()); });
    std::vector<int> sorted(from);
    std::sort(sorted.begin(), sorted.end());
    expect("merge_sort", keys_out.get(N) == sorted);

    buffer<int> merged(2 * N), first(sorted);
    call("merge", [&](void *t, size_t &b) { return rocprim::merge(t, b, first.at, keys_out.at, merged.at, N, N, rocprim::less<int>()); });
    std::vector<int> both(2 * N);
    std::merge(sorted.begin(), sorted.end(), sorted.begin(), sorted.end(), both.begin());
    expect("merge", merged.get(2 * N) == both);
}

static void segments(const std::vector<int> &from)
{
    std::vector<unsigned> begins(SEGMENTS + 1);
    for (unsigned k = 0; k <= SEGMENTS; k++)
        begins[k] = N * k / SEGMENTS * k / SEGMENTS;
    std::vector<int> sums(SEGMENTS), sorted(from);
    for (unsigned k = 0; k < SEGMENTS; k++) {
        sums[k] = std::accumulate(from.begin() + begins[k], from.begin() + begins[k + 1], 0);
        std::sort(sorted.begin() + begins[k], sorted.begin() + begins[k + 1]);
    }
    buffer<int> in(from), out(N);
    buffer<unsigned> at(begins);
    call("segmented_reduce", [&](void *t, size_t &b) { return rocprim::segmented_reduce(t, b, in.at, out.at, SEGMENTS, at.at, at.at + 1); });
    expect("segmented_reduce", out.get(SEGMENTS) == sums);
    call("segmented_radix_sort_keys", [&](void *t, size_t &b) { return rocprim::segmented_radix_sort_keys(t, b, in.at, out.at, N, SEGMENTS, at.at, at.at + 1); });
    expect("segmented_radix_sort_keys", out.get(N) == sorted);
}

static void runs()
{
    std::vector<int> from(N), once;
    std::vector<unsigned> lengths;
    for (unsigned i = 0; i < N; i++)
        from[i] = static_cast<int>(i / RUN % 3 + i / 1000);
    for (unsigned i = 0; i < N; i++) {
        if (!i || from[i] != from[i - 1]) {
            once.push_back(from[i]);
            lengths.push_back(0);
        }
        lengths.back()++;
    }
    buffer<int> in(from), out(N);
    buffer<unsigned> length(N), count(1);
    call("unique", [&](void *t, size_t &b) { return rocprim::unique(t, b, in.at, out.at, count.at, N); });
    expect("unique", count.get(1)[0] == once.size() && out.get(once.size()) == once);
    call("run_length_encode", [&](void *t, size_t &b) { return rocprim::run_length_encode(t, b, in.at, N, out.at, length.at, count.at); });
    expect("run_length_encode", count.get(1)[0] == once.size() && length.get(once.size()) == lengths);
    call("reduce_by_key", [&](void *t, size_t &b) { return rocprim::reduce_by_key(t, b, in.at, rocprim::constant_iterator<unsigned>(1), N, out.at, length.at, count.at); });
    expect("reduce_by_key", count.get(1)[0] == once.size() && length.get(once.size()) == lengths);
}

static void others(const std::vector<int> &from)
{
    buffer<int> in(from), out(N);
    buffer<unsigned> count(1), bins(BINS);
    auto even = [] __host__ __device__(int x) { return x % 2 == 0; };
    call("partition", [&](void *t, size_t &b) { return rocprim::partition(t, b, in.at, out.at, count.at, N, even); });
    std::vector<int> chosen;
    std::copy_if(from.begin(), from.end(), std::back_inserter(chosen), even);
    expect("partition", count.get(1)[0] == chosen.size() && out.get(chosen.size()) == chosen);

    call("adjacent_difference", [&](void *t, size_t &b) { return rocprim::adjacent_difference(t, b, in.at, out.at, N); });
    std::vector<int> differences(N);
    std::adjacent_difference(from.begin(), from.end(), differences.begin());
    expect("adjacent_difference", out.get(N) == differences);

    const int end = 1 << 20;
    call("histogram_even", [&](void *t, size_t &b) { return rocprim::histogram_even(t, b, in.at, N, bins.at, BINS + 1, 0, end); });
    std::vector<unsigned> counts(BINS);
    for (int x : from)
        counts[x / (end / BINS)]++;
    expect("histogram_even", bins.get(BINS) == counts);

    std::vector<double> halves(N), sums(N);
    for (unsigned i = 0; i < N; i++)
        halves[i] = from[i] / 2.0;
    std::exclusive_scan(halves.begin(), halves.end(), sums.begin(), 1.0);
    buffer<double> to_add(halves), added(N);
    call("exclusive_scan", [&](void *t, size_t &b) { return rocprim::exclusive_scan(t, b, to_add.at, added.at, 1.0, N, rocprim::plus<double>()); });
    expect("exclusive_scan", added.get(N) == sums);
}

int main()
{
    const std::vector<int> from = numbers<int>(2654435761u, 12);
    workgroups(from);
    sorts(from);
    segments(from);
    runs();
    others(from);
    return failed;
}
