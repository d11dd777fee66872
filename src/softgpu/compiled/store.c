/* store.c - the folder of cached results of the compiler, see compiled.h.
 *
 * A file is written under a name of its own and then renamed to the name of its key, so that a
 * reader finds the whole file or none (base/cache.h). It begins with a header that has the key, the
 * size and a checksum of the rest: a file that was cut off by a crash of the machine is not used.
 */
#include "softgpu/compiled/key.h"

#include "base/cache.h"
#include "base/env.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/words.h"
#include "softgpu/profile/options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char folder[PATH_MAX - NAME_MAX - 2]; /* leaves room for the name of a file in it */
static atomic_bool is_open;

typedef struct {
    char magic[8];
    sg_compiled_key_t key;
    uint64_t size, checksum;
} header_t;

static const char magic[8] = "SGCOMP1";
#define SUFFIX ".comgr" /* of the files' names */

/* ---- bytes ---- */

char *sg_compiled_more(sg_compiled_bytes_t *b, size_t size)
{
    b->bad =
        b->bad || size > SIZE_MAX - b->size || !BASE_RESERVE(b->bytes, b->size + size, &b->room);
    if (b->bad) return NULL;
    b->size += size;
    return b->bytes + b->size - size;
}

void sg_compiled_add(sg_compiled_bytes_t *b, const void *from, size_t size)
{
    char *to = sg_compiled_more(b, size);
    if (to && size) memcpy(to, from, size);
}

/* ---- the folder ---- */

/* Sets `folder` to the value of SOFTGPU_COMPILED, or to the folder for caches by the XDG rules. */
static bool choose_folder(void)
{
    const char *given = base_env(sg_options[SG_OPTION_COMPILED].variable);
    const int truth = given && *given ? base_truth(given) : 1;
    if (truth == 0) return false;
    if (truth > 0) return base_cache_path(folder, sizeof folder, "softgpu");
    if (*given != '/') {
        base_warning("SOFTGPU_COMPILED is \"%s\", which is neither off nor an absolute path: "
                     "nothing is kept",
                     given);
        return false;
    }
    const int n = snprintf(folder, sizeof folder, "%s", given);
    return n > 0 && (size_t)n < sizeof folder;
}

bool sg_compiled_open(void)
{
    is_open = choose_folder() && base_cache_open(folder, S_IWGRP | S_IWOTH);
    return is_open;
}

void sg_compiled_close(void)
{
    is_open = false;
}

static void name_of(sg_compiled_key_t key, char name[NAME_MAX])
{
    snprintf(name, NAME_MAX, "%016" PRIx64 "%016" PRIx64 SUFFIX, key.high, key.low);
}

char *sg_compiled_read(sg_compiled_key_t key, size_t *size)
{
    char name[NAME_MAX];
    if (!is_open) return NULL;
    name_of(key, name);
    char *bytes = base_cache_read(folder, name, SG_COMPILED_MOST, size);
    if (!bytes) return NULL;
    header_t h;
    bool good = *size >= sizeof h;
    if (good) {
        memcpy(&h, bytes, sizeof h);
        *size -= sizeof h;
        good = memcmp(h.magic, magic, sizeof magic) == 0 && sg_key_equal(h.key, key) &&
               h.size == *size && h.checksum == sg_checksum(bytes + sizeof h, *size);
    }
    if (good) {
        memmove(bytes, bytes + sizeof h, *size);
        return bytes;
    }
    free(bytes);
    return NULL;
}

void sg_compiled_write(sg_compiled_key_t key, const void *bytes, size_t size)
{
    char name[NAME_MAX];
    if (!is_open) return;
    header_t h = {.key = key, .size = size, .checksum = sg_checksum(bytes, size)};
    memcpy(h.magic, magic, sizeof magic);
    const struct iovec parts[] = {{&h, sizeof h}, {(void *)(uintptr_t)bytes, size}};
    name_of(key, name);
    base_cache_write(folder, name, parts, 2);
    base_cache_trim(folder, SUFFIX, SG_COMPILED_MOST, SG_COMPILED_MOST / 2);
}
