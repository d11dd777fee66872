/* image_address.h - the parts of an image instruction's address, and the registers that hold them.
 *
 * Included by the image files alone. image_address.c says in which order the parts come. */
#ifndef SOFTGPU_EXEC_IMAGE_ADDRESS_H
#define SOFTGPU_EXEC_IMAGE_ADDRESS_H

#include "softgpu/exec/image.h"

/* Where the parts are; ISA_IMAGE_ABSENT for those that the instruction does not have. */
typedef struct {
    uint8_t offset, bias, compare; /* dwords */
    uint8_t gradients;             /* the first dword */
    uint8_t slopes;                /* coordinates of which there are gradients */
    uint8_t first;                 /* the dword in which the parts below begin */
    uint8_t y,
        third;      /* which of them is y, and which is z, the slice or the face; x is the first */
    uint8_t level;  /* which of them is the level, or the least level */
    uint8_t dwords; /* of the whole address */
} isa_image_parts_t;

isa_image_parts_t isa_image_parts(const isa_image_t *m, const isa_inst_t *i);

/* Part n of those from `first` on: 32 bits, or 16 bits in the low half. */
uint32_t isa_image_part(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                        unsigned n, unsigned lane);
float isa_image_float_part(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                           unsigned n, unsigned lane);

/* A dword of the address before `first`; a float of it, which has 16 bits if the parts have. */
uint32_t isa_image_dword(const isa_wave_t *w, const isa_inst_t *i, unsigned dword, unsigned lane);
float isa_image_float(const isa_wave_t *w, const isa_inst_t *i, unsigned dword, unsigned lane);

/* The change of coordinate `axis` to the next lane on the right (side 0) or below (side 1). */
float isa_image_gradient(const isa_wave_t *w, const isa_inst_t *i, const isa_image_parts_t *p,
                         unsigned side, unsigned axis, unsigned lane);

#endif
