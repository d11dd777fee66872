/* trace_units.h - of what a thread trace has the instructions: a compute unit, or from gfx10 on a
 * workgroup processor, which is two of them.
 *
 * Apart because the SDK and the tool both choose a unit. Versions are the driver's: two digits each
 * for minor version and stepping. */
#ifndef CROCPROF_BASE_TRACE_UNITS_H
#define CROCPROF_BASE_TRACE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool base_traces_wgps(uint32_t gfx_target_version)
{
    enum { GFX10 = 100000 };
    return gfx_target_version >= GFX10;
}

/* How many of them a shader array has that has so many compute units; 0, if nobody knows how many.
 */
static inline uint32_t base_trace_units(uint32_t gfx_target_version, uint32_t compute_units)
{
    enum { UNITS_OF_WGP = 2 };
    if (!base_traces_wgps(gfx_target_version)) return compute_units;
    return (compute_units + UNITS_OF_WGP - 1) / UNITS_OF_WGP;
}

static inline const char *base_trace_unit_name(uint32_t gfx_target_version)
{
    return base_traces_wgps(gfx_target_version) ? "workgroup processor" : "compute unit";
}

#endif
