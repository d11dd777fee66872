/* stray.c - see stray.h: recognises the mistakes that lead to an address far from all
 * allocations. */
#include "softgpu/check/stray.h"

#include "base/file.h"
#include "softgpu/check/check.h"

#include <stdio.h>
#include <string.h>

/* Linux maps nothing below this address (/proc/sys/vm/mmap_min_addr): an address below it is an
 * element or a member of an object at a null pointer. */
enum { NEAR_NULL = 65536 };

/* Whether the address is in private memory of the process, as /proc/self/maps says. `name`:
 * "[heap]", or the file that is mapped. */
static bool is_own_memory(uint64_t va, char name[64])
{
    char line[512];
    bool found = false;
    FILE *maps = base_file_stream("/proc/self/maps", "re");
    while (maps && !found && fgets(line, sizeof line, maps)) {
        unsigned long long begin, end;
        char access[5];
        *name = 0;
        found =
            sscanf(line, "%llx-%llx %4s %*x %*x:%*x %*u %63s", &begin, &end, access, name) >= 3 &&
            va - begin < end - begin && access[0] == 'r' && access[3] == 'p';
    }
    if (maps) fclose(maps);
    return found;
}

typedef struct {
    uint64_t va, on_gpu; /* 0: not found */
    const char *call;
} own_t;

static void match_host_address(const chk_place_t *p, void *to)
{
    own_t *o = to;
    if (!p->live || !p->host || p->host == p->begin || o->va - p->host >= p->end - p->begin) return;
    o->on_gpu = p->begin + (o->va - p->host);
    o->call = p->call;
}

/* Whether `va` is the host address of memory that the GPU has at another address, as on ROCm 5. */
static bool is_host_address(uint64_t va, char **words)
{
    own_t o = {.va = va};
    chk_places_each(match_host_address, &o);
    return o.on_gpu &&
           asprintf(words,
                    "that is the program's own address of memory that %s was told of, which the "
                    "GPU has at %#llx: hipHostGetDevicePointer gives the address for kernels",
                    o.call, (unsigned long long)o.on_gpu) >= 0;
}

char *chk_stray(uint64_t va)
{
    char name[64], *words = NULL;
    if (va < NEAR_NULL) return strdup("that is a null pointer, or a little behind it");
    if (is_host_address(va, &words)) return words;
    if (!is_own_memory(va, name) ||
        asprintf(&words,
                 "it is memory of the program's own%s%s: the GPU has what hipHostMalloc gives out "
                 "or hipHostRegister is told of",
                 *name ? ", " : "", name) < 0)
        return NULL;
    return words;
}

typedef struct {
    uint64_t va, distance;
    chk_place_t *place;
} nearest_t;

static void take_nearer(const chk_place_t *p, void *to)
{
    nearest_t *n = to;
    const uint64_t distance = n->va < p->begin ? p->begin - n->va : n->va - p->end;
    if (!p->live || distance >= n->distance || !chk_made_by_program(p)) return;
    n->distance = distance;
    *n->place = *p;
}

bool chk_stray_place(uint64_t va, chk_place_t *out)
{
    nearest_t n = {.va = va, .distance = UINT64_MAX, .place = out};
    chk_places_each(take_nearer, &n);
    return n.distance != UINT64_MAX;
}
