/* runtime.c - how the library gets at HSA, and the life of the tool library.
 *
 * Either HSA loads us (HSA_TOOLS_LIB) and hands over its table, or a program linked to us called
 * first: then the runtime's exported functions are used and nothing is intercepted. */
#include "v1/v1.h"

#include "base/env.h"
#include "base/log.h"
#include "hsa/agents.h"
#include "hsa/code_objects.h"
#include "hsa/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIBRARY     "librocprofiler64.so.1"
#define PATIENCE_MS 2000 /* without any completion, at the end */

pthread_mutex_t v1_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t v1_changed;
rocprofiler_settings_t v1_settings = {.trace_size = 0x2000000, .trace_local = 1,
                                      .timeout = UINT64_MAX};
bool v1_wants_dispatches, v1_wants_hsa;

static void *tool;
static void (*unload_tool)(void);
static bool hooked, linked, asked;
static char *tools_before; /* HSA_TOOLS_LIB before we added ourselves */

__attribute__((constructor)) static void begin(void)
{
    base_log_init("rocprofiler", "ROCPROFILER_LOG_LEVEL");
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&v1_changed, &monotonic);
}

/* ---- waiting ---- */

uint64_t v1_deadline(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    uint64_t timeout = v1_settings.timeout;
    return timeout > UINT64_MAX - ns ? UINT64_MAX : ns + timeout;
}

bool v1_wait(uint64_t deadline)
{
    if (deadline == UINT64_MAX) return !pthread_cond_wait(&v1_changed, &v1_lock);
    struct timespec end = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    return pthread_cond_timedwait(&v1_changed, &v1_lock, &end) != ETIMEDOUT;
}

bool v1_signal_create(hsa_signal_t *signal)
{
    hsa_status_t status =
        hsax.amd_ext.hsa_amd_signal_create_fn(1, 0, NULL, HSA_AMD_SIGNAL_AMD_GPU_ONLY, signal);
    if (status == HSA_STATUS_SUCCESS) return true;
    signal->handle = 0;
    v1_error(status, "no signal can be created (HSA status 0x%x)", status);
    return false;
}

/* ---- a runtime that did not load us ---- */

/* What this library and src/hsa use of HSA. */
#define CORE(X)                                                                                    \
    X(iterate_agents)                                                                              \
    X(agent_get_info) X(system_get_info) X(queue_create) X(queue_destroy) X(signal_destroy)        \
    X(signal_store_screlease) X(signal_store_relaxed) X(signal_load_scacquire)                     \
    X(signal_wait_scacquire) X(signal_subtract_screlease) X(queue_add_write_index_scacq_screl)     \
    X(queue_load_read_index_scacquire) X(system_get_major_extension_table)
#define AMD_EXT(X)                                                                                 \
    X(agent_iterate_memory_pools)                                                                  \
    X(memory_pool_get_info) X(memory_pool_allocate) X(memory_pool_free) X(agents_allow_access)     \
    X(signal_create) X(profiling_set_profiler_enabled) X(profiling_get_dispatch_time)

static bool link_functions(void)
{
    void *library = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_LOCAL);
    bool ok = library;
    if (!library) v1_error(HSA_STATUS_ERROR, "libhsa-runtime64.so.1 cannot be loaded");
#define FIND(part, prefix, name)                                                                   \
    if (ok) {                                                                                      \
        *(void **)&hsax.part.prefix##name##_fn = dlsym(library, #prefix #name);                    \
        if (!hsax.part.prefix##name##_fn) {                                                        \
            ok = false;                                                                            \
            v1_error(HSA_STATUS_ERROR, "the HSA runtime has no " #prefix #name);                   \
        }                                                                                          \
    }
#define FIND_CORE(name)    FIND(core, hsa_, name)
#define FIND_AMD_EXT(name) FIND(amd_ext, hsa_amd_, name)
    CORE(FIND_CORE)
    AMD_EXT(FIND_AMD_EXT)
    return ok;
}

bool v1_hooked(void)
{
    return hooked;
}

bool v1_runtime_alive(void)
{
    return hooked ? hsax_runtime_up() : linked;
}

hsa_status_t v1_runtime(void)
{
    static pthread_mutex_t linking = PTHREAD_MUTEX_INITIALIZER;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    uint64_t ticks;
    pthread_mutex_lock(&linking);
    if (hooked && !hsax_runtime_up())
        status = v1_error(HSA_STATUS_ERROR_NOT_INITIALIZED, "HSA was shut down");
    else if (!hooked && !linked && !link_functions())
        status = HSA_STATUS_ERROR;
    else if (!hooked && hsax.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP, &ticks))
        status = v1_error(HSA_STATUS_ERROR_NOT_INITIALIZED,
                          "HSA is not initialised: hsa_init() comes first");
    else if (!hooked && !linked) {
        hsax_collect_init();
        linked = hsax_agents_load();
    }
    pthread_mutex_unlock(&linking);
    return status;
}

void v1_ask_for_table(bool *what)
{
    pthread_mutex_lock(&v1_lock);
    *what = true;
    void *running = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    uint64_t ticks;
    hsa_status_t (*get_info)(hsa_system_info_t, void *) = NULL;
    if (running) *(void **)&get_info = dlsym(running, "hsa_system_get_info");
    bool up = get_info && get_info(HSA_SYSTEM_INFO_TIMESTAMP, &ticks) == HSA_STATUS_SUCCESS;
    const char *libraries = getenv("HSA_TOOLS_LIB");
    if (!asked && !hooked && !up && !(libraries && strstr(libraries, "librocprofiler64"))) {
        asked = true;
        tools_before = libraries ? strdup(libraries) : NULL;
        char *more = NULL;
        Dl_info us;
        const char *path = dladdr(&v1_settings, &us) ? us.dli_fname : LIBRARY;
        size_t size = strlen(path) + (libraries ? strlen(libraries) : 0) + 2;
        more = malloc(size);
        if (more) {
            strcpy(more, libraries ? libraries : "");
            if (*more) strcat(more, " ");
            setenv("HSA_TOOLS_LIB", strcat(more, path), 1);
        }
        free(more);
    }
    if (running) dlclose(running);
    pthread_mutex_unlock(&v1_lock);
}

/* ---- settings ---- */

/* False, with a message, for a ROCP_HSA_INTERCEPT that is not 0, 1 or 2. */
static bool read_settings(void)
{
    const char *mode = base_env("ROCP_HSA_INTERCEPT");
    if (mode && (strlen(mode) != 1 || *mode < '0' || *mode > '2')) {
        base_error("ROCP_HSA_INTERCEPT=%s: 0, 1 or 2 is expected; the profiler is not loaded", mode);
        return false;
    }
    v1_settings.intercept_mode = v1_wants_dispatches || (mode && *mode != '0');
    v1_settings.timestamp_on = mode && *mode == '2';
    v1_settings.hsa_intercepting = v1_wants_hsa;
    v1_settings.code_obj_tracking = v1_wants_hsa;
    v1_settings.obj_dumping = base_env("ROCP_DUMP_CODEOBJ") != NULL;
    return true;
}

static void say(const char *what)
{
    if (!base_env("ROCP_ONLOAD_TRACE")) return;
    printf("rocprofiler: %s\n", what);
    fflush(stdout);
}

/* ---- the tool library ---- */

static bool load_tool(const char *path)
{
    tool = dlopen(path, RTLD_NOW);
    if (!tool) {
        base_error("ROCP_TOOL_LIB=%s cannot be loaded: %s", path, dlerror());
        return false;
    }
    void (*load)(void) = NULL;
    void (*load_with_settings)(rocprofiler_settings_t *) = NULL;
    *(void **)&load = dlsym(tool, "OnLoadTool");
    *(void **)&load_with_settings = dlsym(tool, "OnLoadToolProp");
    *(void **)&unload_tool = dlsym(tool, "OnUnloadTool");
    if ((!load && !load_with_settings) || !unload_tool) {
        base_error("ROCP_TOOL_LIB=%s is no tool: it has no %s", path,
                   unload_tool ? "OnLoadTool or OnLoadToolProp" : "OnUnloadTool");
        unload_tool = NULL;
        return false;
    }
    say("loading the tool");
    if (load)
        load();
    else
        load_with_settings(&v1_settings);
    return true;
}

/* Once: at exit, before HSA shuts down, or when HSA unloads us. */
static void end_tool(void)
{
    pthread_mutex_lock(&v1_lock);
    void (*function)(void) = unload_tool;
    unload_tool = NULL;
    pthread_mutex_unlock(&v1_lock);
    if (!function || hsax_forked()) return;
    hsax_collect_wait(PATIENCE_MS);
    say("unloading the tool");
    function();
}

static void at_exit(void)
{
    if (hsax_forked()) return;
    end_tool();
    if (!hsax_runtime_up()) return;
    uint64_t lost = hsax_collect_finish(PATIENCE_MS);
    if (lost)
        base_warning("%llu kernels had not finished at the end: not reported",
                     (unsigned long long)lost);
}

static void before_shut_down(void)
{
    end_tool();
    hsax_code_objects_finish();
    v1_memory_forget();
}

/* ---- entry points of the HSA runtime ---- */

#pragma GCC visibility push(default)
bool OnLoad(void *table, uint64_t runtime_version, uint64_t failed_tool_count,
            const char *const *failed_tool_names);
void OnUnload(void);
extern const uint32_t HSA_AMD_TOOL_PRIORITY;
#pragma GCC visibility pop

const uint32_t HSA_AMD_TOOL_PRIORITY = 25;

bool OnLoad(void *data, uint64_t runtime_version, uint64_t failed_tool_count,
            const char *const *failed_tool_names)
{
    (void)runtime_version;
    (void)failed_tool_count;
    (void)failed_tool_names;
    const hsax_api_table_t *table = data;
    if (asked && tools_before)
        setenv("HSA_TOOLS_LIB", tools_before, 1);
    else if (asked)
        unsetenv("HSA_TOOLS_LIB");
    asked = false;
    if (!table || !read_settings()) return false;
    say("loading");
    static bool again;
    if (!hsax_runtime_start(table, before_shut_down)) return hooked;
    hooked = true;
    if (!again) atexit(at_exit);
    const char *path = base_env("ROCP_TOOL_LIB");
    if (path && *path && !again) load_tool(path);
    again = true;
    const rocprofiler_settings_t *s = &v1_settings;
    if (s->intercept_mode || s->hsa_intercepting || s->code_obj_tracking || s->obj_dumping)
        v1_kernels_hook(table);
    v1_dispatch_hook(table, s->intercept_mode);
    if (s->hsa_intercepting || s->memcopy_tracking) v1_hsa_callbacks_hook(table);
    return true;
}

void OnUnload(void)
{
    end_tool();
    say("unloaded");
}

/* ---- time ---- */

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

hsa_status_t(rocprofiler_get_time)(rocprofiler_time_id_t time_id, uint64_t timestamp,
                                   uint64_t *value_ns, uint64_t *error_ns)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC,
                                       CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW};
    if ((unsigned)time_id >= sizeof clocks / sizeof *clocks)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT,
                        "rocprofiler_get_time: time id %u is unknown, 4 is the largest", time_id);
    if (!value_ns)
        return v1_error(HSA_STATUS_ERROR_INVALID_ARGUMENT, "rocprofiler_get_time: value_ns is NULL");
    /* Dispatch records are in CLOCK_BOOTTIME, as HSA's clock is. The closest of a few pairs. */
    uint64_t difference = 0, error = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = read_clock(CLOCK_BOOTTIME), there = read_clock(clocks[time_id]);
        uint64_t width = read_clock(CLOCK_BOOTTIME) - before;
        if (width >= error) continue;
        error = width;
        difference = there - (before + width / 2);
    }
    *value_ns = timestamp + difference;
    if (error_ns) *error_ns = error;
    return HSA_STATUS_SUCCESS;
}
