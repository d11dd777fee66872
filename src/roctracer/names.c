/* names.c - the numbers that HIP gives its calls, which differ from version to version.
 *
 * The name of each number is queried from the loaded HIP, and the SDK has its own numbers for the
 * same names. The query is made once, before any call of HIP is reported. */
#include "roctracer/internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <roctracer/roctracer_roctx.h>

enum { KINDS = 2 }; /* HIP_RUNTIME_API, HIP_COMPILER_API */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool known; /* read and written atomically; set after the tables */
static const char *names[RTR_OPS];
static int16_t ids[KINDS][RTR_OPS]; /* number + 1 */

static int kind_index(rocprofiler_callback_tracing_kind_t kind)
{
    return kind == ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API;
}

/* Returns HIP's number of a name, -1 if there is none. */
static int number_of(const char *name)
{
    for (int id = 0; id < RTR_OPS; id++)
        if (names[id] && strcmp(names[id], name) == 0) return id;
    return -1;
}

/* Notes the number that HIP has for the name of an operation of the SDK. */
static int take_operation(rocprofiler_callback_tracing_kind_t kind,
                          rocprofiler_tracing_operation_t operation, void *data)
{
    (void)data;
    const char *name = NULL;
    if (operation < 0 || operation >= RTR_OPS ||
        rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, NULL) !=
            ROCPROFILER_STATUS_SUCCESS)
        return 0;
    ids[kind_index(kind)][operation] = (int16_t)(number_of(name) + 1);
    return 0;
}

bool rtr_hip_names(void)
{
    if (__atomic_load_n(&known, __ATOMIC_ACQUIRE)) return true;
    const char *(*name_of)(uint32_t) =
        (const char *(*)(uint32_t))(uintptr_t)dlsym(RTLD_DEFAULT, "hipApiName");
    if (!name_of) return false;
    /* the lock is not held: the first call may start HIP, and this library's tool with it */
    name_of(0);
    pthread_mutex_lock(&lock);
    if (!known) {
        for (uint32_t id = 0; id < RTR_OPS; id++) {
            const char *name = name_of(id);
            names[id] = name && strncmp(name, "unknown", 7) != 0 ? name : NULL;
        }
        rocprofiler_iterate_callback_tracing_kind_operations(
            ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, take_operation, NULL);
        rocprofiler_iterate_callback_tracing_kind_operations(
            ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API, take_operation, NULL);
        __atomic_store_n(&known, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return true;
}

int rtr_hip_id(rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation)
{
    if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE) || operation < 0 || operation >= RTR_OPS)
        return -1;
    return ids[kind_index(kind)][operation] - 1;
}

RTR_API const char *roctracer_op_string(uint32_t domain, uint32_t op, uint32_t kind)
{
    static const char *const marks[] = {
        [ROCTX_API_ID_roctxMarkA] = "roctxMarkA",
        [ROCTX_API_ID_roctxRangePushA] = "roctxRangePushA",
        [ROCTX_API_ID_roctxRangePop] = "roctxRangePop",
        [ROCTX_API_ID_roctxRangeStartA] = "roctxRangeStartA",
        [ROCTX_API_ID_roctxRangeStop] = "roctxRangeStop",
    };
    static const struct {
        uint32_t kind;
        const char *name;
    } kinds[] = {
        {RTR_KIND_KERNEL, "KernelExecution"},
        {RTR_KIND_DEVICE_TO_HOST, "CopyDeviceToHost"},
        {RTR_KIND_HOST_TO_DEVICE, "CopyHostToDevice"},
        {RTR_KIND_DEVICE_TO_DEVICE, "CopyDeviceToDevice"},
    };
    static const char *const operations[] = {
        [HSA_OP_ID_DISPATCH] = "DISPATCH",
        [HSA_OP_ID_COPY] = "COPY",
        [HSA_OP_ID_BARRIER] = "BARRIER",
    };
    static const char *const events[] = {
        [HSA_EVT_ID_ALLOCATE] = "ALLOCATE", [HSA_EVT_ID_DEVICE] = "DEVICE",
        [HSA_EVT_ID_MEMCOPY] = "MEMCOPY",   [HSA_EVT_ID_SUBMIT] = "SUBMIT",
        [HSA_EVT_ID_KSYMBOL] = "KSYMBOL",   [HSA_EVT_ID_CODEOBJ] = "CODEOBJ",
    };
    if (domain == ACTIVITY_DOMAIN_HIP_API)
        return op < RTR_OPS && rtr_hip_names() ? names[op] : NULL;
    if (domain == ACTIVITY_DOMAIN_HSA_EVT && op < HSA_EVT_ID_NUMBER) return events[op];
    if (domain == ACTIVITY_DOMAIN_HSA_API) return rtr_hsa_name(op);
    if (domain == ACTIVITY_DOMAIN_HSA_OPS && op <= HSA_OP_ID_BARRIER) return operations[op];
    if (domain == ACTIVITY_DOMAIN_EXT_API) return "EXT_API";
    if (domain == ACTIVITY_DOMAIN_ROCTX && op < ROCTX_API_ID_NUMBER) return marks[op];
    for (size_t i = 0; domain == ACTIVITY_DOMAIN_HIP_OPS && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind) return kinds[i].name;
    return NULL;
}

RTR_API roctracer_status_t roctracer_op_code(uint32_t domain, const char *str, uint32_t *op,
                                             uint32_t *kind)
{
    bool hsa = domain == ACTIVITY_DOMAIN_HSA_API;
    if (domain != ACTIVITY_DOMAIN_HIP_API && !hsa)
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
                         "domain %u has no names of operations", domain);
    if (!str || !op) return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "a pointer is null");
    int id = hsa ? rtr_hsa_id(str) : rtr_hip_names() ? number_of(str) : -1;
    if (id < 0)
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "%s has no call %s",
                         hsa ? "HSA" : "HIP", str);
    *op = (uint32_t)id;
    if (kind) *kind = 0;
    return ROCTRACER_STATUS_SUCCESS;
}
