// rocprim - AMD's library of parallel algorithms against the standard library, on sizes around the
// limits of its waves, groups and passes. Floating point sums are of halves, so that they are exact
// in any order.
#include "twin.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <rocprim/rocprim.hpp>

template <typename T> struct buffer {
    T *data;
    size_t count;
    explicit buffer(size_t n) : count(n) { HIP(hipMalloc(&data, (n + 1) * sizeof(T))); }
    explicit buffer(const std::vector<T> &host) : buffer(host.size())
    {
        HIP(hipMemcpy(data, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    buffer(const buffer &) = delete;
    ~buffer() { (void)hipFree(data); }
    std::vector<T> host(size_t n) const
    {
        std::vector<T> out(n);
        HIP(hipMemcpy(out.data(), data, n * sizeof(T), hipMemcpyDeviceToHost));
        return out;
    }
    std::vector<T> host() const { return host(count); }
};

// Calls an algorithm as the library wants it: first for the size of its memory, then for good.
template <typename F> static void run(F algorithm)
{
    size_t bytes = 0;
    HIP(algorithm((void *)nullptr, bytes));
    buffer<char> memory(bytes);
    HIP(algorithm((void *)memory.data, bytes));
}

// Wrong results by algorithm, over all sizes and types.
static std::map<std::string, std::pair<size_t, size_t>> results;
template <typename T> static void check(const char *name, const std::vector<T> &got, const std::vector<T> &want)
{
    auto &[checked, wrong] = results[name];
    checked += want.size();
    for (size_t i = 0; i < want.size(); i++)
        if (i >= got.size() || !(got[i] == want[i])) wrong++;
}

template <typename T> static std::vector<T> random_values(size_t n, uint64_t seed, int range)
{
    std::vector<T> out(n);
    for (auto &x : out) {
        seed = scramble(seed);
        x = range ? (T)((int64_t)(seed % (unsigned)range) - (std::is_signed<T>::value ? range / 2 : 0)) : (T)(int64_t)seed;
        if (std::is_floating_point<T>::value) x /= 2;
    }
    return out;
}

template <typename T> static void reductions(size_t n)
{
    auto v = random_values<T>(n, n, 64);
    buffer<T> in(v), out(n);
    run([&](void *t, size_t &s) { return rocprim::reduce(t, s, in.data, out.data, (T)3, n, rocprim::plus<T>()); });
    check("reduce plus", out.host(1), std::vector<T>{(T)std::accumulate(v.begin(), v.end(), (T)3, [](T a, T b) { return (T)(a + b); })});
    run([&](void *t, size_t &s) { return rocprim::reduce(t, s, in.data, out.data, v[0], n, rocprim::minimum<T>()); });
    check("reduce minimum", out.host(1), std::vector<T>{*std::min_element(v.begin(), v.end())});

    std::vector<T> want(n);
    auto plus = [](T a, T b) { return (T)(a + b); };
    run([&](void *t, size_t &s) { return rocprim::inclusive_scan(t, s, in.data, out.data, n, rocprim::plus<T>()); });
    std::partial_sum(v.begin(), v.end(), want.begin(), plus);
    check("inclusive scan", out.host(), want);
    run([&](void *t, size_t &s) { return rocprim::exclusive_scan(t, s, in.data, out.data, (T)5, n, rocprim::plus<T>()); });
    T sum = 5;
    for (size_t i = 0; i < n; i++) {
        want[i] = sum;
        sum = (T)(sum + v[i]);
    }
    check("exclusive scan", out.host(), want);
    run([&](void *t, size_t &s) { return rocprim::inclusive_scan(t, s, in.data, out.data, n, rocprim::maximum<T>()); });
    std::partial_sum(v.begin(), v.end(), want.begin(), [](T a, T b) { return a < b ? b : a; });
    check("scan of maxima", out.host(), want);
}

template <typename K> [[maybe_unused]] static void sorting(size_t n)
{
    auto keys = random_values<K>(n, n + 1, sizeof(K) > 2 && !std::is_floating_point<K>::value ? 0 : 1000);
    std::vector<uint32_t> values(n), order(n);
    std::iota(values.begin(), values.end(), 0u);
    order = values;
    buffer<K> kin(keys), kout(n);
    buffer<uint32_t> vin(values), vout(n);
    auto sorted = keys;
    std::stable_sort(sorted.begin(), sorted.end());
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    run([&](void *t, size_t &s) { return rocprim::radix_sort_pairs(t, s, kin.data, kout.data, vin.data, vout.data, n); });
    check("radix sort: keys", kout.host(), sorted);
    check("radix sort: values", vout.host(), order);
    run([&](void *t, size_t &s) { return rocprim::merge_sort(t, s, kin.data, kout.data, vin.data, vout.data, n); });
    check("merge sort: keys", kout.host(), sorted);
    check("merge sort: values", vout.host(), order);
    auto falling = sorted;
    std::reverse(falling.begin(), falling.end());
    run([&](void *t, size_t &s) { return rocprim::radix_sort_keys_desc(t, s, kin.data, kout.data, n); });
    check("radix sort, falling", kout.host(), falling);
}

static void searching(size_t n)
{
    auto a = random_values<int>(n, n + 2, 5000), b = random_values<int>(n / 2 + 1, n + 3, 5000);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<int> merged(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    buffer<int> da(a), db(b), out(merged.size());
    run([&](void *t, size_t &s) { return rocprim::merge(t, s, da.data, db.data, out.data, a.size(), b.size(), rocprim::less<int>()); });
    check("merge", out.host(), merged);
    buffer<uint32_t> at(b.size());
    std::vector<uint32_t> want(b.size());
    run([&](void *t, size_t &s) { return rocprim::lower_bound(t, s, da.data, db.data, at.data, a.size(), b.size(), rocprim::less<int>()); });
    for (size_t i = 0; i < b.size(); i++) want[i] = (uint32_t)(std::lower_bound(a.begin(), a.end(), b[i]) - a.begin());
    check("lower bound", at.host(), want);
}

struct divisible {
    int by;
    BOTH bool operator()(int x) const { return x % by == 0; }
};

[[maybe_unused]] static void selecting(size_t n)
{
    auto v = random_values<int>(n, n + 4, 12);
    std::vector<uint8_t> flags(n);
    for (size_t i = 0; i < n; i++) flags[i] = scramble(i) & 1;
    buffer<int> in(v), out(n), other(n);
    buffer<uint8_t> flagged(flags);
    buffer<uint32_t> count(2);
    std::vector<int> want;
    auto counted = [&](const char *name, size_t size) {
        check(name, count.host(1), std::vector<uint32_t>{(uint32_t)size});
        check(name, out.host(size), want);
    };
    run([&](void *t, size_t &s) { return rocprim::select(t, s, in.data, flagged.data, out.data, count.data, n); });
    for (size_t i = 0; i < n; i++)
        if (flags[i]) want.push_back(v[i]);
    counted("select by flags", want.size());
    run([&](void *t, size_t &s) { return rocprim::select(t, s, in.data, out.data, count.data, n, divisible{3}); });
    want.clear();
    std::copy_if(v.begin(), v.end(), std::back_inserter(want), divisible{3});
    counted("select by a predicate", want.size());
    run([&](void *t, size_t &s) { return rocprim::unique(t, s, in.data, out.data, count.data, n, rocprim::equal_to<int>()); });
    want = v;
    want.erase(std::unique(want.begin(), want.end()), want.end());
    counted("unique", want.size());
    run([&](void *t, size_t &s) { return rocprim::partition(t, s, in.data, out.data, count.data, n, divisible{2}); });
    want = v;
    auto middle = std::stable_partition(want.begin(), want.end(), divisible{2});
    size_t first = (size_t)(middle - want.begin());
    std::reverse(middle, want.end()); // the library writes the rest from the end
    check("partition", count.host(1), std::vector<uint32_t>{(uint32_t)first});
    check("partition", out.host(n), want);

    std::vector<int> keys;
    std::vector<uint32_t> lengths;
    std::vector<int64_t> sums;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || v[i] != v[i - 1]) {
            keys.push_back(v[i]);
            lengths.push_back(0);
            sums.push_back(0);
        }
        lengths.back()++;
        sums.back() += (int64_t)i;
    }
    buffer<uint32_t> runs(n);
    run([&](void *t, size_t &s) { return rocprim::run_length_encode(t, s, in.data, (unsigned)n, out.data, runs.data, count.data); });
    want = keys;
    counted("run-length encode", keys.size());
    check("run-length encode", runs.host(keys.size()), lengths);
    buffer<int64_t> weights(n), totals(n);
    std::vector<int64_t> places(n), scanned(n);
    std::iota(places.begin(), places.end(), 0);
    HIP(hipMemcpy(weights.data, places.data(), n * 8, hipMemcpyHostToDevice));
    run([&](void *t, size_t &s) { return rocprim::reduce_by_key(t, s, in.data, weights.data, (unsigned)n, out.data, totals.data, count.data, rocprim::plus<int64_t>(), rocprim::equal_to<int>()); });
    counted("reduce by key", keys.size());
    check("reduce by key", totals.host(keys.size()), sums);
    run([&](void *t, size_t &s) { return rocprim::inclusive_scan_by_key(t, s, in.data, weights.data, totals.data, n, rocprim::plus<int64_t>()); });
    for (size_t i = 0; i < n; i++) scanned[i] = places[i] + (i && v[i] == v[i - 1] ? scanned[i - 1] : 0);
    check("scan by key", totals.host(), scanned);
    run([&](void *t, size_t &s) { return rocprim::adjacent_difference(t, s, in.data, other.data, n, rocprim::minus<int>()); });
    want.resize(n);
    std::adjacent_difference(v.begin(), v.end(), want.begin());
    check("adjacent difference", other.host(), want);
}

[[maybe_unused]] static void histograms(size_t n)
{
    auto v = random_values<float>(n, n + 5, 500); // -125 to 124.5 in halves
    enum { BINS = 37 };
    buffer<float> in(v);
    buffer<uint32_t> counts(BINS);
    std::vector<uint32_t> want(BINS);
    run([&](void *t, size_t &s) { return rocprim::histogram_even(t, s, in.data, (unsigned)n, counts.data, BINS + 1u, -74.f, 74.f); });
    for (float x : v)
        if (x >= -74 && x < 74) want[(size_t)((x + 74) / 4)]++;
    check("histogram, even bins", counts.host(), want);
    std::vector<float> limits(BINS + 1);
    for (int i = 0; i <= BINS; i++) limits[i] = (float)(i * i - 300) / 4;
    buffer<float> levels(limits);
    want.assign(BINS, 0);
    run([&](void *t, size_t &s) { return rocprim::histogram_range(t, s, in.data, (unsigned)n, counts.data, BINS + 1u, levels.data); });
    for (float x : v) {
        auto bin = std::upper_bound(limits.begin(), limits.end(), x) - limits.begin() - 1;
        if (bin >= 0 && bin < BINS) want[(size_t)bin]++;
    }
    check("histogram, given bins", counts.host(), want);
}

[[maybe_unused]] static void segments(size_t n)
{
    auto v = random_values<int>(n, n + 6, 100000);
    std::vector<unsigned> offsets{0};
    for (uint64_t seed = n; offsets.back() < n;) {
        seed = scramble(seed);
        offsets.push_back((unsigned)std::min<uint64_t>(n, offsets.back() + seed % 700));
    }
    unsigned count = (unsigned)offsets.size() - 1;
    buffer<int> in(v), out(n), sums(count);
    buffer<unsigned> begins(offsets);
    std::vector<int> totals(count), scanned(n), sorted = v;
    for (unsigned i = 0; i < count; i++) {
        auto from = v.begin() + offsets[i], to = v.begin() + offsets[i + 1];
        totals[i] = std::accumulate(from, to, 1);
        std::partial_sum(from, to, scanned.begin() + offsets[i]);
        std::sort(sorted.begin() + offsets[i], sorted.begin() + offsets[i + 1]);
    }
    run([&](void *t, size_t &s) { return rocprim::segmented_reduce(t, s, in.data, sums.data, count, begins.data, begins.data + 1, rocprim::plus<int>(), 1); });
    check("segmented reduce", sums.host(), totals);
    run([&](void *t, size_t &s) { return rocprim::segmented_inclusive_scan(t, s, in.data, out.data, count, begins.data, begins.data + 1, rocprim::plus<int>()); });
    check("segmented scan", out.host(), scanned);
    run([&](void *t, size_t &s) { return rocprim::segmented_radix_sort_keys(t, s, in.data, out.data, (unsigned)n, count, begins.data, begins.data + 1); });
    check("segmented sort", out.host(), sorted);
}

int main(int argc, char **argv) // [SIZE ...]: these instead
{
    std::vector<size_t> sizes{1, 63, 256, 1000, 4097, 70001};
    if (argc > 1) sizes.clear();
    for (int i = 1; i < argc; i++) sizes.push_back(std::stoul(argv[i]));
    for (size_t n : sizes) {
        reductions<int>(n);
        searching(n);
#ifndef SOME // each of these takes the compiler seconds
        sorting<int>(n);
        histograms(n);
        reductions<int8_t>(n);
        reductions<double>(n);
        sorting<uint64_t>(n);
        sorting<uint8_t>(n);
        sorting<float>(n);
        selecting(n);
        segments(n);
#endif
    }
    for (auto &[name, result] : results) {
        std::printf("%s: %zu checked, %zu wrong\n", name.c_str(), result.first, result.second);
        if (result.second) wrong_total = 1;
    }
    return wrong_total;
}
