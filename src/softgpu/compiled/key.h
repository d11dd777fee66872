/* key.h - hashes of the cache of compiled code: the key of a result, and checksums.
 *
 * The only file that knows the hash function. A key is a hash of 128 bits of everything on which
 * the result depends; whoever makes one begins it, adds each input, and ends it. */
#ifndef SOFTGPU_COMPILED_KEY_H
#define SOFTGPU_COMPILED_KEY_H

#include "softgpu/compiled/compiled.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef XXH3_state_t sg_key_hash_t;

static inline void sg_key_add(sg_key_hash_t *hash, const void *bytes, size_t size)
{
    XXH3_128bits_update(hash, bytes, size);
}

/* Begins the key of a result of this compiler. */
static inline void sg_key_begin(sg_key_hash_t *hash, sg_compiled_key_t compiler)
{
    XXH3_128bits_reset(hash);
    sg_key_add(hash, &compiler, sizeof compiler);
}

static inline sg_compiled_key_t sg_key_end(const sg_key_hash_t *hash)
{
    const XXH128_hash_t key = XXH3_128bits_digest(hash);
    return (sg_compiled_key_t){key.low64, key.high64};
}

/* The key of these bytes alone. */
static inline sg_compiled_key_t sg_key_of(const void *bytes, size_t size)
{
    const XXH128_hash_t key = XXH3_128bits(bytes, size);
    return (sg_compiled_key_t){key.low64, key.high64};
}

static inline uint64_t sg_checksum(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

static inline bool sg_key_equal(sg_compiled_key_t a, sg_compiled_key_t b)
{
    return a.low == b.low && a.high == b.high;
}

#endif
