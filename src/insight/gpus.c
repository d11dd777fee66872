/* gpus.c - the unit on which a GPU places workgroups, from its row in the table of GPUs.
 *
 * It is apart from the rules of occupancy because a unit depends on how a kernel was compiled. GPUs
 * with waves of 32 run waves of 64, too, which take two registers of a SIMD for each of theirs.
 * Their compute units come in pairs (WGP): a workgroup is on one of the two or, if it was compiled
 * so, on both. */
#include "gpus/gpus.h"
#include "insight/occupancy.h"

bool ins_unit_find(const char *gpu, uint32_t wave_items, bool whole_wgp, ins_unit_t *unit)
{
    const gpus_arch_t *g = gpus_find(gpu);
    if (!g || (!wave_items && g->wave32.vgprs)) return false;
    const uint32_t wave = wave_items ? wave_items : g->wave, parts = whole_wgp ? 1 : g->cus;
    const gpus_registers_t *r = gpus_registers(g, wave);
    if (!r) return false;
    *unit = (ins_unit_t){.wave_items = wave,
                         .simds = g->simds * g->cus / parts,
                         .waves = g->slots,
                         .vgprs = r->vgprs,
                         .vgpr_granule = r->granule,
                         .sgprs = g->sgprs,
                         .sgpr_granule = g->sgpr_granule,
                         .lds = g->lds / parts,
                         .lds_granule = g->lds_granule,
                         .barriers = g->barriers / parts,
                         .unified = g->agprs == GPUS_AGPRS_UNIFIED};
    return true;
}
