/* runtime.c - access to HSA, and the life of the tool library.
 *
 * Either HSA loads this library (HSA_TOOLS_LIB) and passes its table, or a program that is linked
 * to this library has called first: then the runtime's exported functions are used and nothing is
 * intercepted. */
#include "v1/v1.h"

#include "base/clock.h"
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

#define LIBRARY     "librocprofiler64.so.1"
#define RUNTIME     "libhsa-runtime64.so.1"
#define PATIENCE_MS 2000 /* at the end: how long to wait from one completion to the next */

pthread_mutex_t v1_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t v1_changed;
rocprofiler_settings_t v1_settings = {
    .trace_size = 0x2000000,
    .trace_local = 1,
    .timeout = UINT64_MAX,
};
bool v1_wants_dispatches, v1_wants_hsa;

static void *tool;
static void (*unload_tool)(void);
static bool hooked, linked, asked;
static unsigned life;      /* number of starts of the runtime */
static char *tools_before; /* HSA_TOOLS_LIB before this library was added */

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
    uint64_t now = base_clock_ns(CLOCK_MONOTONIC), timeout = v1_settings.timeout;
    return timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
}

bool v1_wait(uint64_t deadline)
{
    if (hsax_forked()) return false;
    if (deadline == UINT64_MAX) return !pthread_cond_wait(&v1_changed, &v1_lock);
    struct timespec end = {(time_t)(deadline / 1000000000u), (long)(deadline % 1000000000u)};
    return pthread_cond_timedwait(&v1_changed, &v1_lock, &end) != ETIMEDOUT;
}

/* ---- a runtime that did not load this library ---- */

static bool link_functions(void)
{
    static const struct {
        const char *name;
        void *entry;
    } all[] = {
#define CORE(function, offset, old_offset)    {#function, &hsax.core.function##_fn},
#define AMD_EXT(function, offset, old_offset) {#function, &hsax.amd_ext.function##_fn},
        HSAX_CORE_SLOTS(CORE) HSAX_AMD_EXT_SLOTS(AMD_EXT)};
    void *library = dlopen(RUNTIME, RTLD_LAZY | RTLD_LOCAL);
    for (size_t i = 0; library && i < sizeof all / sizeof *all; i++) {
        void *function = dlsym(library, all[i].name);
        memcpy(all[i].entry, &function, sizeof function);
    }
    bool ok = hsax.amd_ext.hsa_amd_signal_create_fn; /* the newest function that is needed */
    if (!library)
        v1_failed(RUNTIME " cannot be loaded");
    else if (!ok)
        v1_failed("the HSA runtime has no hsa_amd_signal_create");
    return ok;
}

bool v1_hooked(void)
{
    return hooked;
}

static bool initialised(hsa_status_t (*get_info)(hsa_system_info_t, void *))
{
    uint64_t ticks;
    return get_info(HSA_SYSTEM_INFO_TIMESTAMP, &ticks) == HSA_STATUS_SUCCESS;
}

unsigned v1_life(void)
{
    bool up = hooked ? hsax_runtime_up() : linked && initialised(hsax.core.hsa_system_get_info_fn);
    return up ? life : 0;
}

/* Called when HSA has started and hsa/agents.h has its agents. */
static void begin_life(void)
{
    v1_memory_forget();
    v1_agents_list();
    life++;
}

static hsa_status_t look_for_unknown(hsa_agent_t agent, void *unknown)
{
    hsa_device_type_t type;
    if (!hsax.core.hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &type) &&
        type == HSA_DEVICE_TYPE_GPU && !hsax_agent_find(agent))
        *(bool *)unknown = true;
    return HSA_STATUS_SUCCESS;
}

/* Returns whether HSA was shut down and started again. If HSA has not loaded this library, that is
 * not reported; but after a new start the GPUs' handles are unknown. */
static bool started_anew(void)
{
    bool unknown = !linked;
    hsax.core.hsa_iterate_agents_fn(look_for_unknown, &unknown);
    return unknown;
}

hsa_status_t v1_runtime(void)
{
    static pthread_mutex_t linking = PTHREAD_MUTEX_INITIALIZER;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&linking);
    if (hooked && !hsax_runtime_up()) {
        status = v1_error(HSA_STATUS_ERROR_NOT_INITIALIZED, "HSA was shut down");
    } else if (!hooked && !linked && !link_functions()) {
        status = HSA_STATUS_ERROR;
    } else if (!hooked && !initialised(hsax.core.hsa_system_get_info_fn)) {
        linked = false;
        status = v1_error(HSA_STATUS_ERROR_NOT_INITIALIZED,
                          "HSA is not initialised: hsa_init() comes first");
    } else if (!hooked && started_anew()) {
        hsax_collect_init();
        linked = hsax_agents_load();
        if (linked) begin_life();
    }
    pthread_mutex_unlock(&linking);
    return status;
}

static void complain_of_loading(void)
{
    base_error(
        "HSA will not load this library, and no kernel is seen: no memory for HSA_TOOLS_LIB");
}

void v1_ask_for_table(bool *what)
{
    pthread_mutex_lock(&v1_lock);
    *what = true;
    void *running = dlopen(RUNTIME, RTLD_LAZY | RTLD_NOLOAD);
    hsa_status_t (*get_info)(hsa_system_info_t, void *) = NULL;
    if (running) *(void **)&get_info = dlsym(running, "hsa_system_get_info");
    bool up = get_info && initialised(get_info);
    const char *libraries = base_env("HSA_TOOLS_LIB");
    if (!asked && !hooked && !up && !(libraries && strstr(libraries, "librocprofiler64"))) {
        asked = true;
        tools_before = libraries ? strdup(libraries) : NULL;
        char *more;
        Dl_info us;
        const char *path = dladdr(&v1_settings, &us) ? us.dli_fname : LIBRARY;
        if (asprintf(&more, "%s%s%s", libraries ? libraries : "",
                     libraries && *libraries ? " " : "", path) >= 0) {
            if (setenv("HSA_TOOLS_LIB", more, 1) != 0) complain_of_loading();
            free(more);
        } else {
            complain_of_loading();
        }
    }
    if (running) dlclose(running);
    pthread_mutex_unlock(&v1_lock);
}

/* ---- settings ---- */

/* Reads the settings. Returns false, with a message, for a ROCP_HSA_INTERCEPT that is not 0, 1 or
 * 2. */
static bool read_settings(void)
{
    const char *mode = base_env("ROCP_HSA_INTERCEPT");
    if (mode && !*mode) mode = NULL;
    if (mode && (strlen(mode) != 1 || *mode < '0' || *mode > '2')) {
        base_error("ROCP_HSA_INTERCEPT=%s: 0, 1 or 2 is expected; the profiler is not loaded",
                   mode);
        return false;
    }
    const char *tool_library = base_env("ROCP_TOOL_LIB");
    bool by_default = tool_library && *tool_library; /* the tool may change it in OnLoadToolProp */
    v1_settings.intercept_mode = v1_wants_dispatches || (mode ? *mode != '0' : by_default);
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

/* Ends the tool once: at exit, before HSA shuts down, or when HSA unloads this library. */
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
    v1_dispatch_finish(hsax_collect_finish(PATIENCE_MS));
}

static void before_shut_down(void)
{
    end_tool();
    hsax_code_objects_finish();
    v1_dispatch_finish(0);
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
    begin_life();
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

hsa_status_t(rocprofiler_get_time)(rocprofiler_time_id_t time_id, uint64_t timestamp,
                                   uint64_t *value_ns, uint64_t *error_ns)
{
    static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC,
                                       CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW};
    if ((unsigned)time_id >= sizeof clocks / sizeof *clocks)
        return v1_invalid("%s: time id %u is unknown, 4 is the largest", __func__, time_id);
    /* dispatch records are on CLOCK_BOOTTIME, as HSA's clock is */
    uint64_t difference = base_clock_difference(CLOCK_BOOTTIME, clocks[time_id], error_ns);
    if (value_ns) *value_ns = timestamp + difference;
    return HSA_STATUS_SUCCESS;
}
