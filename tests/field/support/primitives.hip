// primitives.hip - rocPRIM's device functions, whose workgroups wait for each other without barriers of the whole
// dispatch: each result is compared with the host's.
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static const unsigned N = 50021; // many workgroups, the last of them not full

static int failed;

static void must(hipError_t status, const char *what)
{
    if (status == hipSuccess) return;
    std::printf("%s: %s\n", what, hipGetErrorString(status));
    std::exit(1);
}

template <typename T> struct buffer {
    T *at = nullptr;
    explicit buffer(size_t count) { must(hipMalloc(&at, count * sizeof(T)), "hipMalloc"); }
    explicit buffer(const std::vector<T> &from) : buffer(from.size())
    {
        must(hipMemcpy(at, from.data(), from.size() * sizeof(T), hipMemcpyHostToDevice), "hipMemcpy");
    }
    ~buffer() { (void)hipFree(at); }
    std::vector<T> get(size_t count) const
    {
        std::vector<T> to(count);
        must(hipMemcpy(to.data(), at, count * sizeof(T), hipMemcpyDeviceToHost), "hipMemcpy");
        return to;
    }
};

// Asks how much memory the function wants, and calls it with as much.
template <typename F> static void call(const char *name, F f)
{
    size_t bytes = 0;
    must(f(nullptr, bytes), name);
    buffer<char> temporary(bytes);
    must(f(temporary.at, bytes), name);
    must(hipDeviceSynchronize(), name);
}

static void expect(const char *name, bool right)
{
    std::printf("%s %s\n", name, right ? "right" : "wrong");
    failed |= !right;
}

int main()
{
    std::vector<unsigned> from(N);
    for (unsigned i = 0; i < N; i++)
        from[i] = (i * 2654435761u) >> 12;
    buffer<unsigned> in(from), out(N), count(1);

    call("reduce", [&](void *t, size_t &b) { return rocprim::reduce(t, b, in.at, out.at, 0u, N, rocprim::plus<unsigned>()); });
    expect("reduce", out.get(1)[0] == std::accumulate(from.begin(), from.end(), 0u));

    call("inclusive_scan", [&](void *t, size_t &b) { return rocprim::inclusive_scan(t, b, in.at, out.at, N, rocprim::plus<unsigned>()); });
    std::vector<unsigned> sums(N);
    std::partial_sum(from.begin(), from.end(), sums.begin());
    expect("inclusive_scan", out.get(N) == sums);

    call("radix_sort_keys", [&](void *t, size_t &b) { return rocprim::radix_sort_keys(t, b, in.at, out.at, N); });
    std::vector<unsigned> sorted = from;
    std::sort(sorted.begin(), sorted.end());
    expect("radix_sort_keys", out.get(N) == sorted);

    auto odd = [] __host__ __device__(unsigned x) { return (x & 1) != 0; };
    call("select", [&](void *t, size_t &b) { return rocprim::select(t, b, in.at, out.at, count.at, N, odd); });
    std::vector<unsigned> chosen;
    std::copy_if(from.begin(), from.end(), std::back_inserter(chosen), odd);
    expect("select", count.get(1)[0] == chosen.size() && out.get(chosen.size()) == chosen);
    return failed;
}
