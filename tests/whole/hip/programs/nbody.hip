// nbody - tiled all-pairs gravity in float; the device's rsqrt bounds the difference to the host.
#include "check.h"

constexpr int group = 128;

__global__ void step(float4 *position, float4 *velocity, int n, float dt, float4 *next)
{
    __shared__ float4 tile[group];
    int i = blockIdx.x * group + threadIdx.x;
    float4 me = position[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += group) {
        tile[threadIdx.x] = position[t + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < group; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = tile[k].w * r * r * r;
            ax += dx * f, ay += dy * f, az += dz * f;
        }
        __syncthreads();
    }
    float4 v = velocity[i];
    v.x += ax * dt, v.y += ay * dt, v.z += az * dt;
    velocity[i] = v;
    next[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

int main()
{
    const int n = 512;
    std::vector<float4> p(n), v(n, make_float4(0, 0, 0, 0));
    uint32_t seed = 41;
    auto coordinate = [&] { return (float)(next_random(seed) % 20001) / 10000.0f - 1.0f; };
    for (auto &b : p) b.x = coordinate(), b.y = coordinate(), b.z = coordinate(), b.w = 1.0f / n;
    device_array<float4> dp(p), dv(v), dn(n);
    step<<<n / group, group>>>(dp.data, dv.data, n, 0.01f, dn.data);
    auto got = dv.host();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) {
        double a[3] = {};
        for (int k = 0; k < n; k++) {
            double d[3] = {(double)p[k].x - p[i].x, (double)p[k].y - p[i].y, (double)p[k].z - p[i].z};
            double r = 1 / std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01);
            for (int c = 0; c < 3; c++) a[c] += d[c] * p[k].w * r * r * r;
        }
        const float *g = &got[i].x;
        for (int c = 0; c < 3; c++) wrong += !(std::fabs(g[c] - a[c] * 0.01) < 1e-5);
    }
    report("nbody", 3 * n, wrong);
    return wrong_total;
}
