// launchers - many threads launch at once, each on the null stream and on one of its own.
#include "check.h"

#include <thread>

__global__ void add(int *x, int v) { atomicAdd(x, v); }

int main()
{
    const int threads = 8, launches = 100;
    device_array<int> shared(std::vector<int>(1));
    size_t wrong = 0;
    std::vector<std::thread> all;
    std::vector<size_t> bad(threads);
    for (int t = 0; t < threads; t++)
        all.emplace_back([&, t] {
            hipStream_t stream;
            HIP(hipStreamCreate(&stream));
            int *own;
            HIP(hipMalloc(&own, sizeof(int)));
            HIP(hipMemsetAsync(own, 0, sizeof(int), stream));
            for (int i = 0; i < launches; i++) {
                add<<<1, 64, 0, stream>>>(own, 1);
                add<<<1, 1>>>(shared.data, t + 1);
            }
            int got = 0;
            HIP(hipMemcpyAsync(&got, own, sizeof(int), hipMemcpyDeviceToHost, stream));
            HIP(hipStreamSynchronize(stream));
            bad[t] = got != 64 * launches;
            HIP(hipFree(own));
            HIP(hipStreamDestroy(stream));
        });
    for (auto &t : all) t.join();
    HIP(hipDeviceSynchronize());
    for (size_t b : bad) wrong += b;
    wrong += shared.host()[0] != launches * threads * (threads + 1) / 2;
    report("launchers", threads + 1, wrong);
    return wrong_total;
}
