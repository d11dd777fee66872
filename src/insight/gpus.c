/* gpus.c - sizes of GPUs that decide how many waves they hold: one row for each architecture.
 *
 * Apart because it is a table and nothing else. Sources: LLVM's user guide for AMDGPU and what LLVM
 * and comgr compute with for each processor (granules and numbers of registers, LDS, waves), AMD's
 * manuals of the instruction sets. A new GPU is a row. */
#include <string.h>

#include "insight/occupancy.h"

/* What one compute unit has. GPUs with waves of 32 run waves of 64, too: these take two registers
 * of a SIMD for each of theirs. Such GPUs have their compute units in pairs (WGP), and a workgroup
 * is on one of the two or, if it was compiled so, on both. sgprs 0: each wave has all it can name.
 * unified: AGPRs are behind the VGPRs in one register file, from a multiple of four on. */
typedef struct {
    char name[16];
    uint32_t wave_items, simds, waves, vgprs, vgpr_granule, sgprs, sgpr_granule, lds, lds_granule;
    uint32_t barriers;
    bool unified;
} gpu_t;

static const gpu_t gpus[] = {
    {"gfx801", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx803", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx810", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx900", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx902", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx904", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx906", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx908", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx909", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx90c", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx9-generic", 64, 4, 10, 256, 4, 800, 16, 65536, 512, 16, false},
    {"gfx90a", 64, 4, 8, 512, 8, 800, 16, 65536, 512, 16, true},
    {"gfx940", 64, 4, 8, 512, 8, 800, 16, 65536, 512, 16, true},
    {"gfx941", 64, 4, 8, 512, 8, 800, 16, 65536, 512, 16, true},
    {"gfx942", 64, 4, 8, 512, 8, 800, 16, 65536, 512, 16, true},
    {"gfx950", 64, 4, 8, 512, 8, 800, 16, 163840, 1280, 16, true},
    {"gfx9-4-generic", 64, 4, 8, 512, 8, 800, 16, 65536, 512, 16, true},
    {"gfx1010", 32, 2, 20, 1024, 8, 0, 1, 65536, 512, 16, false},
    {"gfx1011", 32, 2, 20, 1024, 8, 0, 1, 65536, 512, 16, false},
    {"gfx1012", 32, 2, 20, 1024, 8, 0, 1, 65536, 512, 16, false},
    {"gfx1013", 32, 2, 20, 1024, 8, 0, 1, 65536, 512, 16, false},
    {"gfx10-1-generic", 32, 2, 20, 1024, 8, 0, 1, 65536, 512, 16, false},
    {"gfx1030", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1031", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1032", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1033", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1034", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1035", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1036", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx10-3-generic", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1100", 32, 2, 16, 1536, 24, 0, 1, 65536, 512, 16, false},
    {"gfx1101", 32, 2, 16, 1536, 24, 0, 1, 65536, 512, 16, false},
    {"gfx1102", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1103", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1150", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1151", 32, 2, 16, 1536, 24, 0, 1, 65536, 512, 16, false},
    {"gfx1152", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1153", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx11-generic", 32, 2, 16, 1024, 16, 0, 1, 65536, 512, 16, false},
    {"gfx1200", 32, 2, 16, 1536, 24, 0, 1, 65536, 512, 16, false},
    {"gfx1201", 32, 2, 16, 1536, 24, 0, 1, 65536, 512, 16, false},
    {"gfx12-generic", 32, 2, 16, 1536, 24, 0, 1, 65536, 512, 16, false},
};

/* The name may have features behind it: gfx90a:sramecc+:xnack-. */
static const gpu_t *find_gpu(const char *name)
{
    const size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof(gpus) / sizeof(*gpus); i++)
        if (strlen(gpus[i].name) == length && memcmp(gpus[i].name, name, length) == 0)
            return &gpus[i];
    return NULL;
}

bool ins_unit_find(const char *gpu, uint32_t wave_items, bool whole_wgp, ins_unit_t *unit)
{
    const gpu_t *g = find_gpu(gpu);
    const bool fits = g && (wave_items == 64 || wave_items == g->wave_items ||
                            (!wave_items && g->wave_items == 64));
    if (!fits) return false;
    const uint32_t wide = wave_items == 64 && g->wave_items == 32 ? 2 : 1;
    const uint32_t units = g->wave_items == 32 && whole_wgp ? 2 : 1;
    *unit = (ins_unit_t){.wave_items = wide * g->wave_items,
                         .simds = units * g->simds,
                         .waves = g->waves,
                         .vgprs = g->vgprs / wide,
                         .vgpr_granule = g->vgpr_granule / wide,
                         .sgprs = g->sgprs,
                         .sgpr_granule = g->sgpr_granule,
                         .lds = units * g->lds,
                         .lds_granule = g->lds_granule,
                         .barriers = units * g->barriers,
                         .unified = g->unified};
    return true;
}
