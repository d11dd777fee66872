// axpy.hip - a HIP program whose calls are easily counted: two kernels, three copies.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void scale(float *x, float a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) x[i] *= a;
}

__global__ void add(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) y[i] += x[i];
}

int main()
{
    static float x[1000], y[1000];
    float *dx, *dy;
    for (int i = 0; i < 1000; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    if (hipMalloc((void **)&dx, sizeof x) || hipMalloc((void **)&dy, sizeof y)) return 1;
    if (hipMemcpy(dx, x, sizeof x, hipMemcpyHostToDevice)) return 1;
    if (hipMemcpy(dy, y, sizeof y, hipMemcpyHostToDevice)) return 1;
    scale<<<4, 256>>>(dx, 2);
    add<<<4, 256>>>(dx, dy);
    if (hipDeviceSynchronize()) return 1;
    if (hipMemcpy(y, dy, sizeof y, hipMemcpyDeviceToHost)) return 1;
    int right = 0;
    for (int i = 0; i < 1000; i++) right += y[i] == 2.0f * (float)i + 1;
    if (hipFree(dx) || hipFree(dy)) return 1;
    std::printf("axpy: %d right\n", right);
    return right != 1000;
}
