// floatatomics - what floating-point atomic instructions do to each kind of memory: on an MI200 those on
// fine-grained memory, which the host sees at once, change nothing and return 0. Integer ones work.
#include "check.h"

#include <cstdlib>

enum { VALUE = 5, ADDED = 10 };

struct place {
    float f32, f32_old;
    double f64, f64_old, least, least_old, most, most_old, flat, flat_old;
    _Float16 half[2], half_old[2];
    unsigned number, number_old, swapped, swapped_old;
    float looped, looped_old;
};

typedef _Float16 half2_t __attribute__((ext_vector_type(2)));

// the bit by which an atomic instruction returns what was there
#if defined(__gfx942__) || defined(__gfx950__)
#define RETURNS "sc0"
#else
#define RETURNS "glc"
#endif
#define GLOBAL_ATOMIC(name, at, value, old) \
    asm volatile(name " %0, %1, %2, off " RETURNS "\n\ts_waitcnt vmcnt(0)" : "=&v"(old) : "v"(at), "v"(value) : "memory")
#define FLAT_ATOMIC(name, at, value, old) \
    asm volatile(name " %0, %1, %2 " RETURNS "\n\ts_waitcnt vmcnt(0) lgkmcnt(0)" \
                 : "=&v"(old) : "v"(at), "v"(value) : "memory")

__global__ void add(place *p)
{
    half2_t tens = {ADDED, ADDED}, old;
    GLOBAL_ATOMIC("global_atomic_add_f32", &p->f32, (float)ADDED, p->f32_old);
    GLOBAL_ATOMIC("global_atomic_add_f64", &p->f64, (double)ADDED, p->f64_old);
    GLOBAL_ATOMIC("global_atomic_min_f64", &p->least, (double)-ADDED, p->least_old);
    GLOBAL_ATOMIC("global_atomic_max_f64", &p->most, (double)ADDED, p->most_old);
    FLAT_ATOMIC("flat_atomic_add_f64", &p->flat, (double)ADDED, p->flat_old);
    GLOBAL_ATOMIC("global_atomic_pk_add_f16", p->half, tens, old);
    p->half_old[0] = old.x;
    p->half_old[1] = old.y;
    p->number_old = atomicAdd(&p->number, (unsigned)ADDED);
    p->swapped_old = atomicExch(&p->swapped, (unsigned)ADDED);
    p->looped_old = atomicAdd(&p->looped, (float)ADDED); // compares and swaps
}

// The same of LDS by a flat address: it is no memory.
__global__ void add_lds(place *p)
{
    __shared__ double sum;
    double *volatile flat = &sum;
    sum = VALUE;
    __syncthreads();
    FLAT_ATOMIC("flat_atomic_add_f64", flat, (double)ADDED, p->flat_old);
    p->flat = sum;
}

static void show(const char *name, place *p, bool lds)
{
    place now;
    const place five = {VALUE, -1, VALUE, -1, VALUE, -1, VALUE, -1, VALUE, -1, {VALUE, VALUE}, {-1, -1},
                        VALUE, 99, VALUE, 99, VALUE, -1};
    HIP(hipMemcpy(p, &five, sizeof five, hipMemcpyDefault));
    if (lds)
        add_lds<<<1, 1>>>(p);
    else
        add<<<1, 1>>>(p);
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(&now, p, sizeof now, hipMemcpyDefault));
    std::printf("%s:\n", name);
    if (lds) {
        std::printf("  flat f64 %g, was %g\n", now.flat, now.flat_old);
        return;
    }
    std::printf("  f32 %g, was %g; f64 %g, was %g; min %g, was %g; max %g, was %g; flat f64 %g, was %g\n", now.f32,
                now.f32_old, now.f64, now.f64_old, now.least, now.least_old, now.most, now.most_old, now.flat,
                now.flat_old);
    std::printf("  f16 %g and %g, were %g and %g; number %u, was %u; exchanged %u, was %u; in a loop %g, was %g\n",
                (double)now.half[0], (double)now.half[1], (double)now.half_old[0], (double)now.half_old[1], now.number,
                now.number_old, now.swapped, now.swapped_old, now.looped, now.looped_old);
}

int main()
{
    place *p;
    setenv("HSA_FORCE_FINE_GRAIN_PCIE", "1", 1); // ROCr offers no fine-grained device memory without
    HIP(hipMalloc(&p, sizeof *p));
    show("device memory", p, false);
    show("LDS", p, true);
    HIP(hipFree(p));
    HIP(hipExtMallocWithFlags((void **)&p, sizeof *p, hipDeviceMallocFinegrained));
    show("fine-grained device memory", p, false);
    HIP(hipFree(p));
    HIP(hipHostMalloc(&p, sizeof *p, hipHostMallocNonCoherent));
    show("non-coherent host memory", p, false);
    HIP(hipHostFree(p));
    HIP(hipHostMalloc(&p, sizeof *p, hipHostMallocCoherent));
    show("coherent host memory", p, false);
    HIP(hipHostFree(p));
    HIP(hipMallocManaged(&p, sizeof *p));
    show("managed memory", p, false);
    HIP(hipMemAdvise(p, sizeof *p, hipMemAdviseSetCoarseGrain, 0));
    show("managed memory, coarse-grained", p, false);
    HIP(hipFree(p));
    return 0;
}
