/* select.c - chooses the executor core for this host.
 *
 * All cores give the same results; SOFTGPU_CORE exists to test that and to compare their speed. */
#include "softgpu/exec/exec.h"

#include <stdlib.h>
#include <string.h>

extern const isa_core_t isa_core_base, isa_core_avx2, isa_core_avx512;
extern const isa_core_t isa_core_base_32, isa_core_avx2_32;

static bool host_runs(const char *name)
{
    __builtin_cpu_init();
    if (!strcmp(name, "avx512"))
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2") &&
               __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (!strcmp(name, "avx2"))
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    return true;
}

/* The cores, best first. */
static const isa_core_t *const cores[] = {
#ifdef ISA_HAVE_AVX512
    &isa_core_avx512,
#endif
#ifdef ISA_HAVE_AVX2
    &isa_core_avx2,
#endif
#ifdef ISA_HAVE_BASE
    &isa_core_base,
#endif
    NULL};

/* AVX-512 has no core of its own here: a wave of 32 lanes is only two of its vectors, or four of
 * AVX2, and the core would take as long to compile as any other. */
static const isa_core_t *const narrow[] = {
#ifdef ISA_HAVE_AVX2
    &isa_core_avx2_32,
#endif
#ifdef ISA_HAVE_BASE
    &isa_core_base_32,
#endif
    NULL};

const isa_core_t *isa_core_narrow(const isa_core_t *core)
{
    const bool base = !strcmp(core->name, "base");
    for (unsigned k = 0; narrow[k]; k++)
        if (!narrow[k + 1] || !base) return narrow[k];
    return NULL;
}

const isa_core_t *isa_core_by_name(const char *name)
{
    for (unsigned k = 0; cores[k]; k++)
        if (!strcmp(cores[k]->name, name) && host_runs(name)) return cores[k];
    return NULL;
}

const isa_core_t *isa_core_select(void)
{
    const char *wanted = secure_getenv("SOFTGPU_CORE");
    if (wanted && *wanted) return isa_core_by_name(wanted);
    const isa_core_t *core = NULL;
    for (unsigned k = 0; !core && cores[k]; k++)
        if (host_runs(cores[k]->name)) core = cores[k];
    return core;
}
