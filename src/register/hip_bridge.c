/* hip_bridge.c - registers HIP's dispatch tables for a HIP that does not register them itself.
 *
 * HIP before 6.1 has no tables, and newer HIP may be built without registration. Preloaded, this
 * library defines the hip* symbols (generated trampolines that jump through a table), fills the
 * tables from the real library at the first call, and registers them as "hip" and "hip_compiler".
 * If HIP registers its tables itself, those are used and calls only pass through. The functions and
 * their positions are rows of hip-table.tsv. */
#include "register/hip_bridge.h"

#include "base/hide.h"
#include "base/log.h"
#include "register/stand_in.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* The reference is weak because AMD's librocprofiler-register lacks this function. */
#pragma weak rocprofiler_register_stand_in

static const struct {
    bridge_table_t table;
    unsigned position, step;
    const char *name;
} rows[] = {
#define BRIDGE_ROW(id, table, position, name, step) {BRIDGE_##table, position, step, name},
#define BRIDGE_TABLE(table, all)
#define BRIDGE_SYMBOLS(count)
#include "hip_bridge_rows.inc"
#undef BRIDGE_ROW
#undef BRIDGE_TABLE
#undef BRIDGE_SYMBOLS
};

void *bridge_real[BRIDGE_ROWS], *bridge_native[BRIDGE_ROWS];

/* Element 0 is the size in bytes, the others are functions; an element is null if HIP lacks the
 * function. */
static void *runtime_table[BRIDGE_SIZE_runtime], *compiler_table[BRIDGE_SIZE_compiler];
static void **const tables[BRIDGE_TABLES] = {runtime_table, compiler_table};
static const char *const names[BRIDGE_TABLES] = {"hip", "hip_compiler"};
extern void *const bridge_lazy_runtime[], *const bridge_lazy_compiler[];

/* The tables through which the trampolines jump: lazy stubs until the real table is registered. */
void *_Atomic bridge_runtime = (void *)bridge_lazy_runtime;
void *_Atomic bridge_compiler = (void *)bridge_lazy_compiler;

int bridge_missing(void);
void *bridge_resolve(unsigned id);

enum { HIP_ERROR_NOT_SUPPORTED = 801 };

/* Replaces a function that the real library lacks. */
__attribute__((visibility("hidden"))) int bridge_missing(void)
{
    return HIP_ERROR_NOT_SUPPORTED;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t owner;
static _Atomic bool owned;
static bool filled;
static bridge_library_t hip;
static _Atomic bool native_seen;

/* beginnings of the names of HIP's functions */
static const char *const prefixes[] = {"hip", "__hip", "_Z", NULL};

static void after_fork_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

/* This must not take `lock`: if another library's constructor calls HIP first, bridge_resolve holds
 * the lock while it loads the tool, and the dynamic loader may run this constructor then. */
__attribute__((constructor)) static void initialise(void)
{
    base_log_init("rocprofiler-hip-bridge", "ROCPROFILER_REGISTER_LOG_LEVEL");
    pthread_atfork(NULL, NULL, after_fork_in_child);
    base_hide_at_start(bridge_hip_file, prefixes);
}

void bridge_hide(void)
{
    static _Atomic bool hidden;
    if (!atomic_exchange(&hidden, true)) base_hide(bridge_hip_file, prefixes);
}

bool bridge_has_native(void)
{
    return atomic_load(&native_seen);
}

/* Sets the table's size as a HIP of that version would have it: each version adds its functions at
 * the end, so the table ends with the last function of the newest version of which the library has
 * any function. */
static void set_size(bridge_table_t table)
{
    unsigned newest = 0, last = 0;
    for (size_t i = 0; i < BRIDGE_ROWS; i++)
        if (rows[i].table == table && bridge_real[i] && rows[i].step > newest)
            newest = rows[i].step;
    for (size_t i = 0; i < BRIDGE_ROWS; i++)
        if (rows[i].table == table && rows[i].step <= newest && rows[i].position > last)
            last = rows[i].position;
    tables[table][0] = (void *)((last + 1) * sizeof(void *));
}

static bool fill(void)
{
    hip = bridge_find_hip();
    if (!hip.handle) return false;
    uint32_t preference[BRIDGE_ROWS];
    for (size_t i = 0; i < BRIDGE_SYMBOL_COUNT; i++) {
        const bridge_symbol_t *symbol = &bridge_symbols[i];
        void *function = bridge_dlsym_real(hip.handle, symbol->name);
        if (!function) continue;
        if (bridge_real[symbol->row] && preference[symbol->row] < symbol->preference) continue;
        bridge_real[symbol->row] = function;
        preference[symbol->row] = symbol->preference;
    }
    for (size_t i = 0; i < BRIDGE_ROWS && !hip.registers; i++)
        bridge_real[i] = bridge_wrap_lookup(rows[i].name, bridge_real[i]);
    set_size(BRIDGE_runtime);
    set_size(BRIDGE_compiler);
    bridge_hide();
    return true;
}

/* HIP registers its own table `native` although the bridge's table stands in for it, perhaps during
 * a call that came through the bridge's table. Each entry of `native` is replaced by a generated
 * gate, so that a call is seen once: a call that came through the bridge's table passes, another
 * call goes to the bridge's table first. The gate distinguishes them by a thread-local note of the
 * function that the thread entered last through the bridge's table. A note that is older than this
 * call can hide one call that does not come through the trampolines. */
static void take_native(bridge_table_t kind, void *native)
{
    atomic_store(&native_seen, true);
    size_t size;
    memcpy(&size, native, sizeof size);
    base_info("%s registers a table of its own: calls are seen in the one that stood in for it",
              names[kind]);
    for (size_t i = 0; i < BRIDGE_ROWS; i++) {
        if (rows[i].table != kind || (rows[i].position + 1) * sizeof(void *) > size) continue;
        void **entry = (void **)native + rows[i].position;
        if (!*entry || !tables[kind][rows[i].position]) continue;
        bridge_native[i] = *entry;
        __atomic_store_n(entry, bridge_late_entries[i], __ATOMIC_RELEASE);
    }
}

static void take_native_runtime(void *table)
{
    take_native(BRIDGE_runtime, table);
}

static void take_native_compiler(void *table)
{
    take_native(BRIDGE_compiler, table);
}

static int note_native(rocprofiler_register_registration_info_t *info, void *name)
{
    if (strcmp(info->common_name, name) == 0) atomic_store(&native_seen, true);
    return 0;
}

static void put_entries(bridge_table_t kind, bool stand_in)
{
    for (size_t i = 0; i < BRIDGE_ROWS; i++)
        if (rows[i].table == kind)
            tables[kind][rows[i].position] = !bridge_real[i] ? NULL
                                             : stand_in      ? bridge_pass_entries[i]
                                                             : bridge_real[i];
}

/* Registers the bridge's table. Returns false if HIP's own table is registered already: then the
 * bridge's only leads to HIP's functions. */
static bool stand_in(bridge_table_t kind)
{
    static const rocprofiler_register_native_func_t take[] = {take_native_runtime,
                                                              take_native_compiler};
    if (rocprofiler_register_stand_in)
        return rocprofiler_register_stand_in(names[kind], hip.version, tables[kind], take[kind]) !=
               ROCP_REG_EXCESS_API_INSTANCES;
    rocprofiler_register_iterate_registration_info(note_native, (void *)names[kind]);
    if (bridge_has_native()) return false;
    rocprofiler_register_library_indentifier_t id;
    void *table = tables[kind];
    rocprofiler_register_library_api_table(names[kind], NULL, hip.version, &table, 1, &id);
    return true;
}

static void offer(bridge_table_t kind)
{
    void *_Atomic *active = kind == BRIDGE_runtime ? &bridge_runtime : &bridge_compiler;
    if (atomic_load(active) == tables[kind]) return;
    put_entries(kind, !hip.registers);
    if (!hip.registers && !stand_in(kind)) {
        atomic_store(&native_seen, true);
        put_entries(kind, false);
    }
    atomic_store_explicit(active, tables[kind], memory_order_release);
}

/* Returns the function to which trampoline `id` jumps. The first call fills and registers the
 * tables; other threads wait. If the tool calls HIP on this thread meanwhile, which tools must not
 * do, the calls reach the real functions. */
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
    void *function = inside ? bridge_real[id] : tables[rows[id].table][rows[id].position];
    if (!inside) {
        atomic_store(&owned, false);
        pthread_mutex_unlock(&lock);
    }
    return function ? function : (void *)bridge_missing;
}
