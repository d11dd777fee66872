/* texel.h - elements of typed memory: how components are packed, and what numbers they are.
 *
 * Apart because buffers with a format and images have the same elements. A data format is a row of
 * the table of layouts; an image's formats go on where a buffer's end. What a format means is said
 * here, which address an element has in address.h and image.h. */
#ifndef SOFTGPU_ISA_TEXEL_H
#define SOFTGPU_ISA_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

/* As descriptors count them. */
typedef enum {
    ISA_NUM_UNORM,
    ISA_NUM_SNORM,
    ISA_NUM_USCALED,
    ISA_NUM_SSCALED,
    ISA_NUM_UINT,
    ISA_NUM_SINT,
    ISA_NUM_RESERVED,
    ISA_NUM_FLOAT,
    ISA_NUM_RESERVED_8,
    ISA_NUM_SRGB /* images only: the first three components are not linear */
} isa_num_format_t;

/* What a component of a loaded element is taken from; COMPONENT and up: the element's. */
enum { ISA_SELECT_ZERO, ISA_SELECT_ONE, ISA_SELECT_COMPONENT = 4 };

typedef struct {
    uint8_t n; /* components; 0: no such format */
    uint8_t
        bits[4]; /* of each, from the low end of the element; behind the last one: unused bits */
    bool small;  /* floats of 11 and 10 bits */
} isa_layout_t;

typedef struct {
    isa_layout_t layout;
    isa_num_format_t num;
    uint8_t select[4]; /* ISA_SELECT_* of each loaded component */
    uint32_t bytes;    /* of an element */
} isa_format_t;

/* `data` is the number of the data format. False: hardware does not define the combination. */
bool isa_format_find(isa_format_t *f, unsigned data, unsigned num, const uint8_t select[4]);

static inline bool isa_format_is_integer(const isa_format_t *f)
{
    return f->num == ISA_NUM_UINT || f->num == ISA_NUM_SINT;
}

/* 1 as a component of this format: an integer or a float. */
uint32_t isa_format_one(const isa_format_t *f);

/* The four components of an element as 32-bit registers hold them, before they are selected. `raw`
 * is its bytes, low end first; those it does not have are 0, and 1 the last. */
void isa_texel_components(const isa_format_t *f, const uint32_t raw[4], uint32_t have[4]);
void isa_texel_select(const isa_format_t *f, const uint32_t have[4], uint32_t out[4]);
/* What a load out of range delivers: nothing, but the ones that the descriptor asks for. */
void isa_texel_missing(const isa_format_t *f, uint32_t out[4]);

/* What selecting undoes, for stores: the element's component c is the first one of the registers'
 * that a load would take from it. Where the descriptor selects none of the element, all go as they
 * are. */
void isa_texel_unselect(const isa_format_t *f, const uint32_t value[4], uint32_t have[4]);
/* What unpacking undoes: components of the element, in its own order, to its bytes. */
void isa_texel_pack(const isa_format_t *f, const uint32_t in[4], uint32_t raw[4]);

/* 16-bit components of the d16 instructions: f16 for everything but integers. */
uint32_t isa_texel_to_d16(const isa_format_t *f, uint32_t value);
uint32_t isa_texel_from_d16(const isa_format_t *f, uint32_t half);

#endif
