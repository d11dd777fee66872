// hot.hip - kernels that are in one loop nearly all of the time: five instructions of four bytes each.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

enum { THREADS = 1024, KERNELS = 3, HOT_LOOPS = 150000 };

__global__ void hot(unsigned *sums, unsigned loops)
{
    unsigned sum = 0, left = loops;
    // every turn adds 3; both results of the loop hang on SCC
    asm volatile("1:\n"
                 "s_add_u32 %0, %0, 3\n"
                 "s_addc_u32 %0, %0, 0\n"
                 "s_sub_u32 %1, %1, 1\n"
                 "s_cmp_lg_u32 %1, 0\n"
                 "s_cbranch_scc1 1b\n"
                 : "+s"(sum), "+s"(left)
                 :
                 : "scc");
    sums[blockIdx.x * blockDim.x + threadIdx.x] += sum;
}

int main()
{
    unsigned *sums;
    std::vector<unsigned> out(THREADS);
    if (hipMalloc(&sums, THREADS * sizeof *sums) != hipSuccess) return 1;
    if (hipMemset(sums, 0, THREADS * sizeof *sums) != hipSuccess) return 1;
    for (int i = 0; i < KERNELS; i++)
        hot<<<THREADS / 256, 256>>>(sums, HOT_LOOPS);
    if (hipMemcpy(out.data(), sums, THREADS * sizeof *sums, hipMemcpyDeviceToHost) != hipSuccess)
        return 1;
    int right = 0;
    for (unsigned sum : out)
        right += sum == 3u * KERNELS * HOT_LOOPS;
    printf("hot: %d right\n", right);
    return hipFree(sums) != hipSuccess || right != THREADS;
}
