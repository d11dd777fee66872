// vectoradd - one element per work-item, with a partial last workgroup.
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main()
{
    const int n = 100003;
    std::vector<float> a(n), b(n);
    uint32_t seed = 1;
    for (int i = 0; i < n; i++) {
        a[i] = (float)next_random(seed) * 1e-3f;
        b[i] = (float)(int32_t)next_random(seed) * 1e-5f;
    }
    device_array<float> da(a), db(b), dc(n);
    add<<<(n + 255) / 256, 256>>>(da.data, db.data, dc.data, n);
    HIP(hipGetLastError());
    auto c = dc.host();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += c[i] != a[i] + b[i];
    report("vectoradd", n, wrong);
    return wrong_total;
}
