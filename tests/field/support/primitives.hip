// primitives.hip - rocPRIM's device functions, whose workgroups wait for each other without barriers of the whole
// dispatch: each result is compared with the host's.
#include "primitives.h"

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
