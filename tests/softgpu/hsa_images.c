/* hsa_images.c - HSA's images on real ROCr: every format and geometry that it supports, in rows and
 * in the GPU's own layouts, through its own library and its kernels.
 *
 * Regions go in and out and must be the same; a second image gets a copy; a clear must put the
 * colour's bits into each texel of a region and leave the others. */
#include "hsa_rig.h"

#include <hsa/hsa_ext_image.h>

#include <stdbool.h>

enum {
    ORDERS = 20,
    TYPES = 16,
    WIDE = 37,
    HIGH = 11,
    DEEP = 7,
    PITCH_TEXELS = 64,
    BYTES = 1 << 20
};

static hsa_amd_memory_pool_t system_memory;
static uint8_t *from, *to; /* of the host and the GPU */
static unsigned images;

static const struct {
    hsa_ext_image_geometry_t geometry;
    size_t width, height, depth, array_size;
} geometries[] = {
    {HSA_EXT_IMAGE_GEOMETRY_1D, 200, 0, 0, 0},  {HSA_EXT_IMAGE_GEOMETRY_2D, 200, 90, 0, 0},
    {HSA_EXT_IMAGE_GEOMETRY_3D, 50, 40, 20, 0}, {HSA_EXT_IMAGE_GEOMETRY_1DA, 200, 0, 0, 9},
    {HSA_EXT_IMAGE_GEOMETRY_2DA, 70, 50, 0, 9}, {HSA_EXT_IMAGE_GEOMETRY_1DB, 200, 0, 0, 0},
};

/* Bytes of a texel by type and components. */
static unsigned bytes_of(hsa_ext_image_format_t f)
{
    static const uint8_t of_type[TYPES] = {1, 2, 1, 2, 0, 2, 2, 4, 1, 2, 4, 1, 2, 4, 2, 4};
    static const uint8_t components[ORDERS] = {1, 1, 1, 2, 2, 2, 1, 1, 4, 4,
                                               4, 4, 3, 3, 4, 4, 1, 1, 1, 1};
    return of_type[f.channel_type] * components[f.channel_order];
}

typedef struct {
    hsa_ext_image_t handle;
    void *memory;
} image_t;

/* False: this one does not exist. */
static bool create(const hsa_ext_image_descriptor_t *d, image_t *i)
{
    hsa_ext_image_data_info_t room = {0, 0};
    i->memory = NULL;
    if (hsa_ext_image_data_get_info(gpu, d, HSA_ACCESS_PERMISSION_RW, &room) != HSA_STATUS_SUCCESS)
        return false;
    OK(hsa_amd_memory_pool_allocate(vram, room.size, 0, &i->memory));
    CHECK((uintptr_t)i->memory % room.alignment == 0);
    OK(hsa_ext_image_create(gpu, d, i->memory, HSA_ACCESS_PERMISSION_RW, &i->handle));
    return true;
}

static void destroy(const image_t *i)
{
    OK(hsa_ext_image_destroy(gpu, i->handle));
    OK(hsa_amd_memory_pool_free(i->memory));
}

static hsa_dim3_t whole(const hsa_ext_image_descriptor_t *d)
{
    const size_t second = d->height ? d->height : 1;
    const bool lines = d->geometry == HSA_EXT_IMAGE_GEOMETRY_1DA;
    const size_t third = d->array_size ? d->array_size : d->depth ? d->depth : 1;
    return (hsa_dim3_t){(uint32_t)d->width, (uint32_t)(lines ? third : second),
                        (uint32_t)(lines ? 1 : third)};
}

static void put(const image_t *i, hsa_dim3_t at, hsa_dim3_t size, unsigned bytes)
{
    const hsa_ext_image_region_t r = {at, size};
    OK(hsa_ext_image_import(gpu, from, size.x * bytes, (size_t)size.x * size.y * bytes, i->handle,
                            &r));
}

static void get(const image_t *i, hsa_dim3_t at, hsa_dim3_t size, unsigned bytes)
{
    const hsa_ext_image_region_t r = {at, size};
    memset(to, 0xee, (size_t)size.x * size.y * size.z * bytes);
    OK(hsa_ext_image_export(gpu, i->handle, to, size.x * bytes, (size_t)size.x * size.y * bytes,
                            &r));
}

/* Floats that are no numbers need not stay as they are: their exponents are cleared of a bit. */
static void fill(const hsa_ext_image_descriptor_t *d, size_t n)
{
    static uint32_t random = 1;
    for (size_t k = 0; k < n; k++) {
        random = random * 1664525 + 1013904223;
        from[k] = (uint8_t)(random >> 24);
    }
    const unsigned half = d->format.channel_type == HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT;
    if (half || d->format.channel_type == HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT)
        for (size_t k = half ? 1 : 3; k < n; k += half ? 2 : 4)
            from[k] &= 0xbf;
}

static bool same(const char *what, const hsa_ext_image_descriptor_t *d, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (from[k] != to[k]) {
            printf("%s of geometry %u, order %u, type %u: byte %zu is 0x%02x, not 0x%02x\n", what,
                   (unsigned)d->geometry, d->format.channel_order, d->format.channel_type, k, to[k],
                   from[k]);
            failures++;
            return false;
        }
    return true;
}

static void check_image(const hsa_ext_image_descriptor_t *d)
{
    const unsigned bytes = bytes_of(d->format);
    const hsa_dim3_t all = whole(d), none = {0, 0, 0};
    const hsa_dim3_t at = {all.x / 3, all.y / 3, all.z / 3};
    const hsa_dim3_t part = {all.x / 2, all.y > 1 ? all.y / 2 : 1, all.z > 1 ? all.z / 2 : 1};
    const size_t n = (size_t)all.x * all.y * all.z * bytes;
    const size_t some = (size_t)part.x * part.y * part.z * bytes;
    image_t one, other;
    CHECK(n <= BYTES && bytes);
    if (!create(d, &one)) return;
    if (!create(d, &other)) {
        destroy(&one);
        return;
    }
    images++;
    fill(d, n);
    put(&one, none, all, bytes);
    get(&one, none, all, bytes);
    same("the whole", d, n);
    get(&one, at, part, bytes);
    for (uint32_t z = 0; z < part.z; z++) /* what is expected stands in `from` then */
        for (uint32_t y = 0; y < part.y; y++)
            memmove(from + ((size_t)z * part.y + y) * part.x * bytes,
                    from + ((((size_t)at.z + z) * all.y + at.y + y) * all.x + at.x) * bytes,
                    (size_t)part.x * bytes);
    same("a part", d, some);
    if (d->geometry != HSA_EXT_IMAGE_GEOMETRY_1DB) { /* ROCr's kernel stores to an image there */
        OK(hsa_ext_image_copy(gpu, one.handle, &at, other.handle, &none, &part));
        get(&other, none, part, bytes);
        same("a copy", d, some);
    }
    destroy(&other);
    destroy(&one);
}

/* 1, 0.2, -0.2 and 1 as float components, in RGBA and R of some types. */
static void check_clears(void)
{
    static const struct {
        uint32_t order, type;
        unsigned bytes;
        uint8_t texel[16];
    } clears[] = {
        {HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA,
         HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
         4,
         {255, 51, 0, 255}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA,
         HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
         4,
         {0, 51, 255, 255}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB,
         HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8,
         4,
         {255, 255, 51, 0}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA,
         HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8,
         4,
         {127, 25, 0xe7, 127}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16, 2, {255, 255}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_A, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, 1, {255}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_RGB,
         HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565,
         2,
         {0xa0, 0xf9}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_RG,
         HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT,
         4,
         {0, 0x3c, 0x66, 0x32}},
        {HSA_EXT_IMAGE_CHANNEL_ORDER_R, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, 4, {0, 0, 0x80, 0x3f}},
    };
    static const float colour[4] = {1, 0.2f, -0.2f, 1};
    /* a rectangle, and a part of a buffer */
    static const struct {
        hsa_ext_image_geometry_t geometry;
        hsa_dim3_t all;
        hsa_ext_image_region_t region;
    } places[] = {
        {HSA_EXT_IMAGE_GEOMETRY_2D, {100, 40, 1}, {{20, 10, 0}, {30, 20, 1}}},
        {HSA_EXT_IMAGE_GEOMETRY_1DB, {4000, 1, 1}, {{1000, 0, 0}, {600, 1, 1}}},
    };
    for (unsigned n = 0; n < 2 * sizeof clears / sizeof *clears; n++) {
        const unsigned k = n / 2, bytes = clears[k].bytes;
        const hsa_dim3_t all = places[n % 2].all, none = {0, 0, 0};
        const hsa_ext_image_region_t *r = &places[n % 2].region;
        const hsa_ext_image_descriptor_t d = {.geometry = places[n % 2].geometry,
                                              .width = all.x,
                                              .height = all.y > 1 ? all.y : 0,
                                              .format = {clears[k].type, clears[k].order}};
        image_t i;
        if (!create(&d, &i)) continue;
        memset(from, 0x11, (size_t)all.x * all.y * bytes);
        put(&i, none, all, bytes);
        OK(hsa_ext_image_clear(gpu, i.handle, colour, r));
        get(&i, none, all, bytes);
        for (unsigned y = r->offset.y; y < r->offset.y + r->range.y; y++)
            for (unsigned x = r->offset.x; x < r->offset.x + r->range.x; x++)
                memcpy(from + (all.x * y + x) * bytes, clears[k].texel, bytes);
        same("a clear", &d, (size_t)all.x * all.y * bytes);
        destroy(&i);
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    take_gpu();
    OK(hsa_amd_agent_iterate_memory_pools(cpu, take_pool, &system_memory));
    OK(hsa_amd_memory_pool_allocate(system_memory, BYTES, 0, (void **)&from));
    OK(hsa_amd_memory_pool_allocate(system_memory, BYTES, 0, (void **)&to));
    OK(hsa_amd_agents_allow_access(1, &gpu, NULL, from));
    OK(hsa_amd_agents_allow_access(1, &gpu, NULL, to));
    if (failures) return 1;
    for (unsigned g = 0; g < sizeof geometries / sizeof *geometries; g++)
        for (uint32_t order = 0; order < ORDERS; order++)
            for (uint32_t type = 0; type < TYPES; type++) {
                const hsa_ext_image_descriptor_t d = {.geometry = geometries[g].geometry,
                                                      .width = geometries[g].width,
                                                      .height = geometries[g].height,
                                                      .depth = geometries[g].depth,
                                                      .array_size = geometries[g].array_size,
                                                      .format = {type, order}};
                uint32_t able = 0;
                if (hsa_ext_image_get_capability(gpu, d.geometry, &d.format, &able) !=
                        HSA_STATUS_SUCCESS ||
                    !(able & HSA_EXT_IMAGE_CAPABILITY_READ_WRITE))
                    continue;
                check_image(&d);
            }
    check_clears();
    printf("%u images\n", images);
    CHECK(images > 200);
    OK(hsa_shut_down());
    return failures != 0;
}
