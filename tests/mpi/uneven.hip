/* uneven.hip - steps of two kernels and a sum over all ranks, for waits.py: in one rank the kernel
 * `forces` does several times the work of the other ranks' (`uneven RANK`); -1: in none. */
#include <hip/hip_runtime.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

enum { STEPS = 10, THREADS = 256, ROUNDS = 4000, MORE = 10 };

__global__ void forces(float *f, int rounds)
{
    float x = f[threadIdx.x];
    for (int i = 0; i < rounds; i++)
        x = x * 0.9999f + 0.5f;
    f[threadIdx.x] = x;
}

__global__ void integrate(float *f)
{
    f[threadIdx.x] *= 0.5f;
}

int main(int argc, char **argv)
{
    const int uneven = argc > 1 ? atoi(argv[1]) : -1;
    int me;
    float *f, host[THREADS] = {0}, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (hipMalloc(&f, sizeof(host)) != hipSuccess ||
        hipMemcpy(f, host, sizeof(host), hipMemcpyHostToDevice) != hipSuccess)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        forces<<<1, THREADS>>>(f, me == uneven ? MORE * ROUNDS : ROUNDS);
        integrate<<<1, THREADS>>>(f);
        if (hipMemcpy(host, f, sizeof(host), hipMemcpyDeviceToHost) != hipSuccess)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Allreduce(host, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    printf("%g\n", sum);
    return 0;
}
