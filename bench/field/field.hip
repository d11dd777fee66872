// field - runs one of the kernels that stand for real programs and measures it: rounds on the
// device between synchronisations, and the same work by one host thread. Prints one JSON object; of
// a case for which the GPU lacks something, with nothing but its name and what that is.
// Usage: field LIST-NUMBER [ROUNDS]. With 0 rounds the work is done once, unmeasured, for counting.
#include "field.h"

#include <cstring>
#include <ctime>

static const field_case *const cases[] = {
    &field_fft,       &field_nbody, &field_polygon, &field_stencil, &field_spmv,   &field_join,
    &field_histogram, &field_dot,   &field_gemm,    &field_quant,   &field_matrix, &field_stream};
enum { CASES = sizeof cases / sizeof *cases };

static const struct {
    unsigned need;
    const char *text;
} needs[] = {{FIELD_MFMA, "matrix instructions of 32x32x8 f16"},
             {FIELD_MATRIX, "matrix instructions of 16x16x16 f16"}};

struct compiled {
    unsigned wave, reach, has;
};

// What only the GPU's part of the program knows.
extern "C" __global__ void tell_compiled(compiled *to)
{
#ifdef FIELD_HAS
    *to = {(unsigned)warpSize, FIELD_REACH, FIELD_HAS};
#else
    (void)to;
#endif
}

static const compiled &as_compiled()
{
    static compiled told;
    if (told.wave) return told;
    compiled *device = field_room<compiled>(1);
    tell_compiled<<<1, 1>>>(device);
    told = field_download(device, 1)[0];
    return told;
}

unsigned field_wave()
{
    return as_compiled().wave;
}

unsigned field_reach()
{
    return as_compiled().reach;
}

// What the GPU lacks for a case, or NULL.
static const char *lacking(const field_case &c)
{
    for (const auto &row : needs)
        if (c.needs & row.need & ~as_compiled().has) return row.text;
    return nullptr;
}

static double read_clock(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Of the process without this thread: what the device's threads have used.
static double device_cpu()
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID) - read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static void run(const field_case &c)
{
    c.launch();
    field_demand(hipDeviceSynchronize(), c.name);
    field_demand(hipGetLastError(), c.name);
}

int main(int argc, char **argv)
{
    const int which = argc > 1 ? atoi(argv[1]) : -1, rounds = argc > 2 ? atoi(argv[2]) : 5;
    if (which < 0 || which >= CASES) {
        printf("%d\n", (int)CASES);
        return argc > 1;
    }
    const field_case &c = *cases[which];
    double wall = 1e9, cpu = 1e9, host = 1e9;
    // the waiting thread must not take a core from the kernel
    field_demand(hipSetDeviceFlags(hipDeviceScheduleBlockingSync), "hipSetDeviceFlags");
    if (const char *what = lacking(c)) {
        printf("{\"name\": \"%s\", \"lacking\": \"%s\"}\n", c.name, what);
        return 0;
    }
    c.prepare();
    run(c);
    for (int round = 0; round < rounds; round++) {
        const double from = read_clock(CLOCK_MONOTONIC), cpu_from = device_cpu();
        run(c);
        wall = std::min(wall, read_clock(CLOCK_MONOTONIC) - from);
        cpu = std::min(cpu, device_cpu() - cpu_from);
    }
    for (int round = 0; round < std::max(1, rounds); round++) {
        const double from = read_clock(CLOCK_THREAD_CPUTIME_ID);
        c.host();
        host = std::min(host, read_clock(CLOCK_THREAD_CPUTIME_ID) - from);
    }
    const double apart = c.error();
    printf("{\"name\": \"%s\", \"what\": \"%s\", \"wave\": %u, \"wall\": %.6f, \"cpu\": %.6f, "
           "\"host\": %.6f, "
           "\"error\": %.3g}\n",
           c.name, c.what, field_wave(), wall, cpu, host, apart);
    if (!(apart <= c.limit)) {
        fprintf(stderr, "bench_field: %s: error %g is above %g\n", c.name, apart, c.limit);
        return 1;
    }
    return 0;
}
