/* hwreg.h - isa_wave_t.hw_id: the place of a wave on the GPU, packed into one word.
 *
 * The low bits are the fields of the register HW_ID, the four bits above them the number of the
 * accelerator die (XCC), which waves read in the register XCC_ID. In HW_ID those four bits belong
 * to fields that are 0 while the wave runs. */
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
