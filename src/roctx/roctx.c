/* roctx.c - librocprofiler-sdk-roctx: the functions, their behaviour without a tool, and their
 * registration.
 *
 * A call costs two loads and a jump. It does not test whether the tables are registered: until the
 * first call, the tables in use are ones whose entries register the real tables. A new function
 * needs an entry in a table, a plain_ function for use without a tool and a first_ function that
 * registers. The library works without librocprofiler-register, too. */
#include "roctx/tables.h"

#include "base/log.h"

#include <rocprofiler-register/rocprofiler-register.h>
#include <rocprofiler-sdk-roctx/roctx.h>

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGISTER_LIBRARY "librocprofiler-register.so.0"

/* Range ids are taken from a shared counter in blocks of this size, one block per thread at a time,
 * so that the counter is written only once per block. */
enum { RANGE_BLOCK = 256 };

#define FAST_TLS _Thread_local __attribute__((tls_model("initial-exec")))

static FAST_TLS int level;
static FAST_TLS roctx_range_id_t next_range, end_of_ranges;
static FAST_TLS bool registering; /* set while a tool is loaded, since the tool may call roctx
                                   * itself */

static roctx_range_id_t next_block = 1; /* incremented atomically */

/* ---- The functions without a tool ---- */

static void plain_mark(const char *message)
{
    (void)message;
}

static int plain_push(const char *message)
{
    (void)message;
    return level++;
}

static int plain_pop(void)
{
    return level > 0 ? --level : -1;
}

static roctx_range_id_t plain_start(const char *message)
{
    (void)message;
    if (next_range == end_of_ranges) {
        next_range = __atomic_fetch_add(&next_block, RANGE_BLOCK, __ATOMIC_RELAXED);
        end_of_ranges = next_range + RANGE_BLOCK;
    }
    return next_range++;
}

static void plain_stop(roctx_range_id_t id)
{
    (void)id;
}

static int plain_get_thread_id(roctx_thread_id_t *tid)
{
    if (!tid) return -1;
    *tid = (roctx_thread_id_t)syscall(SYS_gettid);
    return 0;
}

static int plain_request(roctx_thread_id_t tid)
{
    (void)tid;
    return 0;
}

static int plain_name_thread(const char *name)
{
    (void)name;
    return 0;
}

static int plain_name_agent(const char *name, const struct hsa_agent_s *agent)
{
    (void)name, (void)agent;
    return 0;
}

static int plain_name_device(const char *name, int device)
{
    (void)name, (void)device;
    return 0;
}

static int plain_name_stream(const char *name, const struct ihipStream_t *stream)
{
    (void)name, (void)stream;
    return 0;
}

/* The tables that are registered; tools change their entries. */
static roctxCoreApiTable_t core = {
    .size = sizeof core,
    .roctxMarkA_fn = plain_mark,
    .roctxRangePushA_fn = plain_push,
    .roctxRangePop_fn = plain_pop,
    .roctxRangeStartA_fn = plain_start,
    .roctxRangeStop_fn = plain_stop,
    .roctxGetThreadId_fn = plain_get_thread_id,
};
static roctxControlApiTable_t control = {
    .size = sizeof control,
    .roctxProfilerPause_fn = plain_request,
    .roctxProfilerResume_fn = plain_request,
};
static roctxNameApiTable_t name = {
    .size = sizeof name,
    .roctxNameOsThread_fn = plain_name_thread,
    .roctxNameHsaAgent_fn = plain_name_agent,
    .roctxNameHipDevice_fn = plain_name_device,
    .roctxNameHipStream_fn = plain_name_stream,
};

/* ---- Registration, at the first call ---- */

ROCPROFILER_REGISTER_DEFINE_IMPORT(roctx, ROCTX_VERSION)

typedef rocprofiler_register_error_code_t (*register_t)(
    const char *, rocprofiler_register_import_func_t, uint32_t, void **, uint64_t,
    rocprofiler_register_library_indentifier_t *);

#pragma weak rocprofiler_register_library_api_table

/* Opens the library in the folder of this one; NULL if it does not exist. */
static void *open_beside(void)
{
    Dl_info self;
    char path[PATH_MAX];
    const char *slash =
        dladdr(&core, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    if (!slash) return NULL;
    int n = snprintf(path, sizeof path, "%.*s/" REGISTER_LIBRARY, (int)(slash - self.dli_fname),
                     self.dli_fname);
    return n > 0 && (size_t)n < sizeof path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
}

/* Searches the function in the process, then in the library beside this one, then where the loader
 * searches. */
static register_t find_register(void)
{
    if (rocprofiler_register_library_api_table) return rocprofiler_register_library_api_table;
    void *library = dlopen(REGISTER_LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (!library) library = open_beside();
    if (!library) library = dlopen(REGISTER_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "rocprofiler_register_library_api_table") : NULL;
    register_t function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static void register_tables(void)
{
    base_log_init("roctx", "ROCTX_LOG_LEVEL");
    register_t function = find_register();
    registering = true;
    if (function) {
        void *tables[] = {&core, &control, &name};
        rocprofiler_register_library_indentifier_t id = {0};
        rocprofiler_register_error_code_t answer =
            function("roctx", ROCPROFILER_REGISTER_IMPORT_FUNC(roctx), ROCTX_VERSION, tables,
                     sizeof tables / sizeof *tables, &id);
        if (answer != ROCP_REG_SUCCESS && answer != ROCP_REG_NO_TOOLS)
            base_warning("markers are not traced: " REGISTER_LIBRARY " answered %d", (int)answer);
    } else {
        base_info("no " REGISTER_LIBRARY ": markers are not traced");
    }
    registering = false;
    __atomic_store_n(&roctx_tables_.core, &core, __ATOMIC_RELEASE);
    __atomic_store_n(&roctx_tables_.control, &control, __ATOMIC_RELEASE);
    __atomic_store_n(&roctx_tables_.name, &name, __ATOMIC_RELEASE);
}

/* Returns when the real tables may be used: they have been registered by this or another thread, or
 * this very thread is registering them and has called roctx from the tool. */
static void ensure_registered(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!registering) pthread_once(&once, register_tables);
}

static void first_mark(const char *message)
{
    ensure_registered();
    core.roctxMarkA_fn(message);
}

static int first_push(const char *message)
{
    ensure_registered();
    return core.roctxRangePushA_fn(message);
}

static int first_pop(void)
{
    ensure_registered();
    return core.roctxRangePop_fn();
}

static roctx_range_id_t first_start(const char *message)
{
    ensure_registered();
    return core.roctxRangeStartA_fn(message);
}

static void first_stop(roctx_range_id_t id)
{
    ensure_registered();
    core.roctxRangeStop_fn(id);
}

static int first_get_thread_id(roctx_thread_id_t *tid)
{
    ensure_registered();
    return core.roctxGetThreadId_fn(tid);
}

static int first_pause(roctx_thread_id_t tid)
{
    ensure_registered();
    return control.roctxProfilerPause_fn(tid);
}

static int first_resume(roctx_thread_id_t tid)
{
    ensure_registered();
    return control.roctxProfilerResume_fn(tid);
}

static int first_name_thread(const char *text)
{
    ensure_registered();
    return name.roctxNameOsThread_fn(text);
}

static int first_name_agent(const char *text, const struct hsa_agent_s *agent)
{
    ensure_registered();
    return name.roctxNameHsaAgent_fn(text, agent);
}

static int first_name_device(const char *text, int device)
{
    ensure_registered();
    return name.roctxNameHipDevice_fn(text, device);
}

static int first_name_stream(const char *text, const struct ihipStream_t *stream)
{
    ensure_registered();
    return name.roctxNameHipStream_fn(text, stream);
}

static const roctxCoreApiTable_t first_core = {
    sizeof first_core, first_mark, first_push,          first_pop,
    first_start,       first_stop, first_get_thread_id,
};
static const roctxControlApiTable_t first_control = {sizeof first_control, first_pause,
                                                     first_resume};
static const roctxNameApiTable_t first_name = {
    sizeof first_name, first_name_thread, first_name_agent, first_name_device, first_name_stream,
};

roctx_tables_t roctx_tables_ = {&first_core, &first_control, &first_name};

/* ---- The functions ---- */

/* Relaxed order is enough: the entries are loaded through the pointer, and dependent loads are
 * ordered on all machines on which ROCm runs, so a reader of the pointer reads a complete table. */
#define TABLE(member) __atomic_load_n(&roctx_tables_.member, __ATOMIC_RELAXED)

void roctxMarkA(const char *message)
{
    TABLE(core)->roctxMarkA_fn(message);
}

int roctxRangePushA(const char *message)
{
    return TABLE(core)->roctxRangePushA_fn(message);
}

int roctxRangePop(void)
{
    return TABLE(core)->roctxRangePop_fn();
}

roctx_range_id_t roctxRangeStartA(const char *message)
{
    return TABLE(core)->roctxRangeStartA_fn(message);
}

void roctxRangeStop(roctx_range_id_t id)
{
    TABLE(core)->roctxRangeStop_fn(id);
}

int roctxGetThreadId(roctx_thread_id_t *tid)
{
    return TABLE(core)->roctxGetThreadId_fn(tid);
}

int roctxProfilerPause(roctx_thread_id_t tid)
{
    return TABLE(control)->roctxProfilerPause_fn(tid);
}

int roctxProfilerResume(roctx_thread_id_t tid)
{
    return TABLE(control)->roctxProfilerResume_fn(tid);
}

int roctxNameOsThread(const char *text)
{
    return TABLE(name)->roctxNameOsThread_fn(text);
}

int roctxNameHsaAgent(const char *text, const struct hsa_agent_s *agent)
{
    return TABLE(name)->roctxNameHsaAgent_fn(text, agent);
}

int roctxNameHipDevice(const char *text, int device_id)
{
    return TABLE(name)->roctxNameHipDevice_fn(text, device_id);
}

int roctxNameHipStream(const char *text, const struct ihipStream_t *stream)
{
    return TABLE(name)->roctxNameHipStream_fn(text, stream);
}
