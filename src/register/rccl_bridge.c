/* rccl_bridge.c - registers the table of an RCCL that does not register it itself.
 *
 * Preloaded, this library defines RCCL's functions; at the first call it finds the real ones, puts
 * them into a table and registers that as "rccl". If RCCL registers its table itself, that is used
 * and calls only pass through. The functions are generated from the rows of
 * src/sdk/tables/rccl-api.tsv. */
#include <rocprofiler-register/rocprofiler-register.h>
#include <rocprofiler-sdk/rccl/details/rccl.h>

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/hide.h"
#include "base/loaded.h"
#include "base/log.h"
#include "register/linked.h"

static void *entry_of(unsigned position);

#include "rccl_functions.inc"

enum { POSITIONS = sizeof names / sizeof *names };

/* Element 0 is the size in bytes; an element is null if RCCL lacks the function. */
static void *table[POSITIONS];
static const char library[] = "librccl.so";
/* beginnings of the names of all functions of RCCL */
static const char *const prefixes[] = {"nccl", "msccl", NULL};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill(void *rccl)
{
    size_t last = 0;
    for (size_t i = 1; i < POSITIONS; i++)
        if ((table[i] = dlsym(rccl, names[i]))) last = i;
    table[0] = (void *)((last + 1) * sizeof *table);
}

/* RCCL's own number: 10000 * major + 100 * minor + patch since 2.9. */
static uint32_t version_of(void *rccl)
{
    ncclResult_t (*get)(int *) = NULL;
    void *found = dlsym(rccl, "ncclGetVersion");
    int version = 0;
    memcpy(&get, &found, sizeof get);
    if (!get || get(&version) != ncclSuccess || version < 0) return 0;
    return (uint32_t)version;
}

static void start(void)
{
    char path[4096];
    void *rccl = base_find_loaded(library, path);
    struct link_map *map = NULL;
    if (!rccl || dlinfo(rccl, RTLD_DI_LINKMAP, &map) != 0) return;
    fill(rccl);
    base_hide(library, prefixes); /* RCCL may have been opened after this library's constructor */
    if (reg_registers_itself(map)) return;
    rocprofiler_register_library_indentifier_t id;
    void *tables[] = {table};
    rocprofiler_register_library_api_table("rccl", NULL, version_of(rccl), tables, 1, &id);
}

__attribute__((constructor)) static void initialise(void)
{
    base_log_init("rocprofiler-rccl-bridge", "ROCPROFILER_REGISTER_LOG_LEVEL");
    base_hide_at_start(library, prefixes);
}

/* Returns the present entry of the table: the real function, or a wrapper that a tool has put
 * before it. */
static void *entry_of(unsigned position)
{
    pthread_once(&once, start);
    return __atomic_load_n(&table[position], __ATOMIC_ACQUIRE);
}
