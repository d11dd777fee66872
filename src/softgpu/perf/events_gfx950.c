/* events_gfx950.c - the events of gfx950.
 *
 * No event has a row: what the cache model counts by itself is counted, all other counters read 0.
 * events_gfx90a.c shows what rows look like. */
#include "softgpu/perf/events.h"

const sg_events_t sg_events_gfx950 = {.arch = &isa_archs[ISA_ARCH_gfx950]};
