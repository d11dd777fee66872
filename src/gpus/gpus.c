/* gpus.c - see gpus.h.
 *
 * The tables are generated from share/gpus; here are the functions that search them. No GPU's name
 * is in this file: each difference between GPUs is a column of their table. */
#include "gpus/gpus.h"

#include <string.h>
#include <strings.h>

#include "gpus/gpus.inc"

enum { ARCHS = sizeof archs / sizeof *archs, PRODUCTS = sizeof products / sizeof *products };

const gpus_arch_t *gpus_find(const char *name)
{
    const size_t length = strcspn(name, ":");
    for (size_t i = 0; i < ARCHS; i++)
        if (strlen(archs[i].name) == length && memcmp(archs[i].name, name, length) == 0)
            return &archs[i];
    return NULL;
}

size_t gpus_count(void)
{
    return ARCHS;
}

const gpus_arch_t *gpus_at(size_t index)
{
    return index < ARCHS ? &archs[index] : NULL;
}

static uint32_t cus_of(const char *gpu)
{
    const gpus_arch_t *arch = gpus_find(gpu);
    return arch ? arch->cus : 1;
}

uint32_t gpus_units(const char *gpu, uint32_t compute_units)
{
    const uint32_t cus = cus_of(gpu);
    return compute_units / cus + (compute_units % cus != 0);
}

const char *gpus_unit_name(const char *gpu)
{
    return cus_of(gpu) > 1 ? "workgroup processor" : "compute unit";
}

const gpus_registers_t *gpus_registers(const gpus_arch_t *arch, uint32_t wave)
{
    const gpus_registers_t *found = wave == 64 ? &arch->wave64 : wave == 32 ? &arch->wave32 : NULL;
    return found && found->vgprs ? found : NULL;
}

/* Limits are those of AMD's driver with interface 1.5, which softgpu's has, too. */
const gpus_sampling_t *gpus_sampling(const gpus_arch_t *arch, size_t index)
{
    static const gpus_sampling_t ways[] = {
        {GPUS_SAMPLING_HOST_TRAP, 1, UINT64_MAX, false},
        {GPUS_SAMPLING_STOCHASTIC, 256, UINT64_C(1) << 31, true},
    };
    for (size_t i = 0; arch && i < sizeof ways / sizeof *ways; i++)
        if (arch->sampling & ways[i].way && !index--) return &ways[i];
    return NULL;
}

gpus_kernel_t gpus_kernel(const gpus_arch_t *arch, uint32_t rsrc1, uint32_t rsrc3,
                          uint32_t properties)
{
    /* SGPRS_ENCODED: in granules of 8, but allocated in granules of 16. */
    enum { WAVE32 = 1 << 10, WGP_MODE = 1 << 29, SGPRS_ENCODED = 2 };
    const gpus_registers_t *narrow = properties & WAVE32 ? gpus_registers(arch, 32) : NULL;
    const gpus_registers_t *r = narrow ? narrow : &arch->wave64;
    const uint32_t vgprs = ((rsrc1 & 0x3f) + 1) * r->encoded;
    const uint32_t sgprs = ((rsrc1 >> 6 & 0xf) / SGPRS_ENCODED + 1) * arch->sgpr_granule;
    gpus_kernel_t kernel = {.wave = narrow ? 32 : 64,
                            .whole_wgp = arch->cus > 1 && rsrc1 & WGP_MODE,
                            .vgprs = vgprs,
                            .sgprs = arch->sgprs ? sgprs : arch->sgpr_granule};
    if (arch->agprs == GPUS_AGPRS_OWN) kernel.agprs = vgprs;
    if (arch->agprs == GPUS_AGPRS_UNIFIED) {
        const uint32_t offset = ((rsrc3 & 0x3f) + 1) * 4; /* offset of the AGPRs */
        kernel.vgprs = offset;
        kernel.agprs = vgprs > offset ? vgprs - offset : 0;
    }
    return kernel;
}

const gpus_product_t *gpus_product(const char *name)
{
    for (size_t i = 0; i < PRODUCTS; i++)
        if (strcasecmp(products[i].name, name) == 0 ||
            strcasecmp(products[i].arch->name, name) == 0)
            return &products[i];
    return NULL;
}

size_t gpus_product_count(void)
{
    return PRODUCTS;
}

const gpus_product_t *gpus_product_at(size_t index)
{
    return index < PRODUCTS ? &products[index] : NULL;
}

double gpus_peak(const gpus_product_t *product, gpus_type_t type)
{
    const double mhz = (double)product->units * product->clock_mhz;
    return (unsigned)type < GPUS_TYPE_COUNT ? mhz * product->arch->rates[type] / 1000 : 0;
}

const char *gpus_type_name(gpus_type_t type)
{
    static const char *const names[] = {
#define X(id, name) name,
        GPUS_TYPES(X)
#undef X
    };
    return (unsigned)type < GPUS_TYPE_COUNT ? names[type] : NULL;
}
