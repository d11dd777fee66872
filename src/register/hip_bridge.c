/* hip_bridge.c - gives HIP before 6.1 the dispatch tables that newer HIP has.
 *
 * Preloaded, this library defines the hip* symbols (generated trampolines that jump through a
 * table), fills the tables from the real library at the first call and registers them as "hip" and
 * "hip_compiler". Where HIP registers itself the tables are filled but not offered. The functions
 * and their positions are rows of hip-table.tsv. */
#include "base/log.h"

#include <rocprofiler-register/rocprofiler-register.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { TABLE_runtime, TABLE_compiler, TABLE_COUNT } table_kind_t;

/* rows of the tables and of their first published version, whose size is what we claim: entries
 * that came later exist in no library that needs this bridge */
enum {
#define BRIDGE_ROW(id, table, position, name, symbol)
#define BRIDGE_TABLE(table, all, first) ROWS_##table = all, FIRST_ROWS_##table = first,
#include "hip_bridge_rows.inc"
#undef BRIDGE_ROW
#undef BRIDGE_TABLE
};

static const struct {
    table_kind_t table;
    unsigned position;
    const char *symbol;
} rows[] = {
#define BRIDGE_ROW(id, table, position, name, symbol) {TABLE_##table, position, symbol},
#define BRIDGE_TABLE(table, all, first)
#include "hip_bridge_rows.inc"
#undef BRIDGE_ROW
#undef BRIDGE_TABLE
};

/* Element 0 is the size in bytes, the others are functions; null where HIP lacks the function. */
static void *runtime_table[ROWS_runtime], *compiler_table[ROWS_compiler];
extern void *const bridge_lazy_runtime[], *const bridge_lazy_compiler[];

/* The tables the trampolines jump through: lazy stubs until the real table is registered. */
void *_Atomic bridge_runtime = (void *)bridge_lazy_runtime;
void *_Atomic bridge_compiler = (void *)bridge_lazy_compiler;

int bridge_missing(void);
void *bridge_resolve(unsigned id);

enum { HIP_ERROR_NOT_SUPPORTED = 801 };

/* What a function does that the real library lacks (reached only through dlsym). */
__attribute__((visibility("hidden"))) int bridge_missing(void)
{
    return HIP_ERROR_NOT_SUPPORTED;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t owner;
static _Atomic bool owned;
static bool filled, self_registering;
static uint32_t hip_version;

static void after_fork_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void initialise(void)
{
    base_log_init("rocprofiler-hip-bridge", "ROCPROFILER_REGISTER_LOG_LEVEL");
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

static int note_hip(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(base, "libamdhip64.so", strlen("libamdhip64.so")) != 0) return 0;
    snprintf(path, 4096, "%s", info->dlpi_name);
    return 1;
}

/* major.minor.patch stand at the end of the real file's name; a missing part counts 0. */
static uint32_t version_of(const char *path)
{
    char *real = realpath(path, NULL);
    const char *at = real ? strstr(real, "libamdhip64.so.") : NULL;
    unsigned major = 0, minor = 0, patch = 0;
    if (at) sscanf(at, "libamdhip64.so.%u.%u.%u", &major, &minor, &patch);
    free(real);
    return 10000 * major + 100 * minor + (patch < 100 ? patch : 0);
}

static bool fill(void)
{
    char path[4096] = "";
    if (!dl_iterate_phdr(note_hip, path)) return false;
    void *hip = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (!hip) return false;
    self_registering = dlsym(hip, "rocprofiler_register_import_hip") != NULL;
    hip_version = version_of(path);
    runtime_table[0] = (void *)(FIRST_ROWS_runtime * sizeof(void *));
    compiler_table[0] = (void *)(FIRST_ROWS_compiler * sizeof(void *));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void **table = rows[i].table == TABLE_runtime ? runtime_table : compiler_table;
        table[rows[i].position] = dlsym(hip, rows[i].symbol);
    }
    return true;
}

static void offer(table_kind_t kind)
{
    void *_Atomic *active = kind == TABLE_runtime ? &bridge_runtime : &bridge_compiler;
    void *table = kind == TABLE_runtime ? runtime_table : compiler_table;
    if (atomic_load(active) == table) return;
    if (!self_registering) {
        rocprofiler_register_library_indentifier_t id;
        rocprofiler_register_library_api_table(kind == TABLE_runtime ? "hip" : "hip_compiler", NULL,
                                               hip_version, &table, 1, &id);
    }
    atomic_store_explicit(active, table, memory_order_release);
}

/* The function to go on in. Calls that the registering thread makes meanwhile (a tool's, against
 * the rules) reach the real functions; other threads wait. */
__attribute__((visibility("hidden"))) void *bridge_resolve(unsigned id)
{
    bool inside = atomic_load(&owned) && pthread_equal(owner, pthread_self());
    if (!inside) {
        pthread_mutex_lock(&lock);
        owner = pthread_self();
        atomic_store(&owned, true);
        if (!filled) filled = fill();
        if (filled) offer(rows[id].table);
    }
    void *function =
        (rows[id].table == TABLE_runtime ? runtime_table : compiler_table)[rows[id].position];
    if (!inside) {
        atomic_store(&owned, false);
        pthread_mutex_unlock(&lock);
    }
    return function ? function : (void *)bridge_missing;
}
