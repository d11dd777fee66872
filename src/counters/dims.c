/* dims.c - dimensions of counter values: names, order, and the instance id that packs them.
 *
 * They are apart because the numbers are part of AMD's interface: they are in the records that
 * tools get. They may only change together with that interface. */
#include "counters/internal.h"

static const struct {
    const char *name;
    uint8_t bits, shift;
} dims[CTR_DIM_COUNT] = {
#define CTR_X(name, bits, shift) [CTR_DIM_##name] = {"DIMENSION_" #name, bits, shift},
    CTR_DIMENSIONS(CTR_X)
#undef CTR_X
};

enum { COUNTER_SHIFT = 48 };

const char *ctr_dim_name(ctr_dim_t dim)
{
    return (unsigned)dim < CTR_DIM_COUNT ? dims[dim].name : NULL;
}

size_t ctr_shape_size(const ctr_shape_t *shape)
{
    size_t size = 1;
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
        if (shape->extent[dim]) size *= shape->extent[dim];
    return size;
}

size_t ctr_shape_index(const ctr_shape_t *shape, const uint32_t position[CTR_DIM_COUNT])
{
    size_t index = 0;
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++) {
        if (!shape->extent[dim]) continue;
        if (position[dim] >= shape->extent[dim]) return SIZE_MAX;
        index = index * shape->extent[dim] + position[dim];
    }
    return index;
}

void ctr_shape_position(const ctr_shape_t *shape, size_t index, uint32_t position[CTR_DIM_COUNT])
{
    position[CTR_DIM_NONE] = 0;
    for (int dim = CTR_DIM_COUNT - 1; dim >= CTR_DIM_XCC; dim--) {
        size_t extent = shape->extent[dim] ? shape->extent[dim] : 1;
        position[dim] = (uint32_t)(index % extent);
        index /= extent;
    }
}

uint64_t ctr_instance_pack(uint32_t counter_id, const uint32_t position[CTR_DIM_COUNT])
{
    uint64_t id = (uint64_t)(counter_id & 0xffff) << COUNTER_SHIFT;
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
        id |= (position[dim] & (((uint64_t)1 << dims[dim].bits) - 1)) << dims[dim].shift;
    return id;
}

uint64_t ctr_instance_id(uint32_t counter_id, const ctr_shape_t *shape, size_t index)
{
    uint32_t position[CTR_DIM_COUNT];
    ctr_shape_position(shape, index, position);
    return ctr_instance_pack(counter_id, position);
}

uint32_t ctr_instance_counter(uint64_t instance)
{
    return (uint32_t)(instance >> COUNTER_SHIFT);
}

uint64_t ctr_instance_position(uint64_t instance, ctr_dim_t dim)
{
    if ((unsigned)dim >= CTR_DIM_COUNT) return 0;
    return instance >> dims[dim].shift & (((uint64_t)1 << dims[dim].bits) - 1);
}
