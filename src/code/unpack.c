/* unpack.c - unpacks compressed offload bundles: by zlib, or by zstd.
 *
 * libzstd is loaded by name at the first use and not linked, since it is not needed without such
 * bundles. The unpacked size in a bundle is untrusted, and is limited before memory is
 * allocated. */
#include "code/containers.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/installation.h"
#include "base/symbol.h"

/* Largest ratio of unpacked to packed size: no real code reaches it, so a bundle with a larger one
 * would only exhaust memory. */
enum { DENSITY_MOST = 1024 };
#define UNPACKED_MOST (UINT64_C(8) << 30)

static size_t (*zstd_unpack)(void *to, size_t room, const void *from, size_t size);
static unsigned (*zstd_failed)(size_t result);

static void load(void)
{
    void *library = base_outside("libzstd.so.1");
    if (!library || !base_symbol(library, "ZSTD_isError", &zstd_failed)) return;
    base_symbol(library, "ZSTD_decompress", &zstd_unpack);
}

static const char *unpack_zstd(uint8_t *to, const uint8_t *from, uint64_t size, uint64_t unpacked)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (!zstd_unpack) return "libzstd.so.1, by which it is unpacked, cannot be loaded";
    const size_t got = zstd_unpack(to, unpacked, from, size);
    return zstd_failed(got) || got != unpacked ? "its zstd data is damaged" : NULL;
}

static const char *unpack_zlib(uint8_t *to, const uint8_t *from, uint64_t size, uint64_t unpacked)
{
    uLongf got = unpacked;
    const int result = uncompress(to, &got, from, size);
    return result != Z_OK || got != unpacked ? "its zlib data is damaged" : NULL;
}

uint8_t *code_unpack(code_packing_t packing, const uint8_t *data, uint64_t size, uint64_t unpacked,
                     char *why, size_t why_bytes)
{
    if (unpacked > UNPACKED_MOST || unpacked / DENSITY_MOST > size) {
        snprintf(why, why_bytes, "%" PRIu64 " bytes cannot unpack to %" PRIu64, size, unpacked);
        return NULL;
    }
    uint8_t *to = malloc(unpacked ? unpacked : 1);
    const char *wrong = !to                    ? "no memory"
                        : packing == CODE_ZSTD ? unpack_zstd(to, data, size, unpacked)
                                               : unpack_zlib(to, data, size, unpacked);
    if (!wrong) return to;
    snprintf(why, why_bytes, "%s", wrong);
    free(to);
    return NULL;
}
