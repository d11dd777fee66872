/* hwreg.h - where a wave is, in one word: isa_wave_t.hw_id.
 *
 * The fields of HW_ID, and above them the number of the accelerator die (XCC), which the register
 * XCC_ID shows. HW_ID itself has queue and state there, which are 0 of waves that run. */
#ifndef SOFTGPU_EXEC_HWREG_H
#define SOFTGPU_EXEC_HWREG_H

#include <stdint.h>

enum { ISA_PLACE_XCC_SHIFT = 28 };

static inline uint32_t isa_place(uint32_t hw_id, uint32_t xcc)
{
    return hw_id | xcc << ISA_PLACE_XCC_SHIFT;
}

static inline uint32_t isa_place_hw_id(uint32_t place)
{
    return place & ((1u << ISA_PLACE_XCC_SHIFT) - 1);
}

static inline uint32_t isa_place_xcc(uint32_t place)
{
    return place >> ISA_PLACE_XCC_SHIFT;
}

#endif
