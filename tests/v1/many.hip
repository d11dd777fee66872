// many.hip - many small kernels, and how much memory the process gained over the last nine tenths.
// Each tenth is waited for: HIP 5.7 keeps some 600 bytes of a kernel until then.
// usage: many [COUNT [KIB-THAT-MAY-BE-GAINED]]
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

__global__ void nothing() {}

static long resident_kib()
{
    long pages = 0, resident = 0;
    FILE *file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) return 0;
    std::fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? std::atol(argv[1]) : 1000, before = 0; // ten at least
    long limit = argc > 2 ? std::atol(argv[2]) : 4096;
    for (long i = 0; i < count; i++) {
        nothing<<<1, 64>>>();
        if (i % (count / 10)) continue;
        if (hipDeviceSynchronize()) return 1;
        if (i == count / 10) before = resident_kib();
    }
    if (hipDeviceSynchronize()) return 1;
    long gained = resident_kib() - before;
    if (gained > limit) std::printf("memory grew by %ld KiB\n", gained);
    std::printf("%ld kernels\n", count);
    return gained > limit;
}
