// threads.hip - kernels of several threads, each with a stream of its own; some streams wait for
// others.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <pthread.h>

enum { THREADS = 4, KERNELS = 200 };

__global__ void increment(int *x) { atomicAdd(x, 1); }

static int *counter;

static void *work(void *)
{
    hipStream_t stream, other;
    hipEvent_t event;
    if (hipStreamCreate(&stream) || hipStreamCreate(&other) || hipEventCreate(&event)) return NULL;
    for (int i = 0; i < KERNELS / 2; i++) {
        increment<<<1, 64, 0, stream>>>(counter);
        if (hipEventRecord(event, stream) || hipStreamWaitEvent(other, event, 0)) break;
        increment<<<1, 64, 0, other>>>(counter);
    }
    if (hipStreamSynchronize(stream) || hipStreamSynchronize(other)) return NULL;
    return hipStreamDestroy(stream) || hipStreamDestroy(other) ? NULL : counter;
}

int main()
{
    pthread_t threads[THREADS];
    int result = 0, zero = 0;
    if (hipMalloc((void **)&counter, sizeof *counter)) return 1;
    if (hipMemcpy(counter, &zero, sizeof zero, hipMemcpyHostToDevice)) return 1;
    for (pthread_t &t : threads) pthread_create(&t, NULL, work, NULL);
    for (pthread_t t : threads) pthread_join(t, NULL);
    if (hipMemcpy(&result, counter, sizeof result, hipMemcpyDeviceToHost)) return 1;
    std::printf("counted to %d\n", result);
    return result != THREADS * KERNELS * 64;
}
