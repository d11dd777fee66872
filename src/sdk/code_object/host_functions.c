/* host_functions.c - see host_functions.h. It replaces __hipRegisterFunction in the HIP compiler
 * table, which programs call before main for every kernel they contain.
 *
 * It is apart because HIP registers a host function long before HSA loads the kernel's code
 * object. */
#include "sdk/code_object/host_functions.h"

#include "base/text.h"
#include "sdk/core/service.h"
#include "sdk/core/thread.h"

#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct function {
    struct function *next;
    rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t data;
    char name[];
} function_t;

enum { LISTS = 1024 };

typedef void (*host_register_t)(void **modules, const void *host, char *device, const char *name,
                                unsigned int threads, uint3 *tid, uint3 *bid, dim3 *block,
                                dim3 *grid, int *size);

/* Offset of the function in the HIP compiler table of all versions (tables/hip-api.tsv). */
enum { REGISTER_FUNCTION_OFFSET = 32 };

static host_register_t saved;
/* This lock is taken only between sdk_emit_begin and sdk_emit_end. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static function_t *lists[LISTS];
static uint64_t last_id;

/* Returns the list of host functions for a name, which is the first `length` bytes of `name`. */
static function_t **list_of(const char *name, size_t length)
{
    return &lists[base_hash(name, length) % LISTS];
}

static rocprofiler_dim3_t dims(const void *from)
{
    uint32_t values[3] = {0};
    if (from) memcpy(values, from, sizeof values);
    return (rocprofiler_dim3_t){values[0], values[1], values[2]};
}

static void keep(function_t *made)
{
    sdk_thread_t *self = sdk_thread_self();
    if (!self) {
        free(made);
        return;
    }
    sdk_emit_begin(self);
    pthread_mutex_lock(&lock);
    function_t **list = list_of(made->name, strlen(made->name));
    made->next = *list;
    *list = made;
    pthread_mutex_unlock(&lock);
    sdk_emit_end(self);
}

static void register_function(void **modules, const void *host, char *device, const char *name,
                              unsigned int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
                              int *size)
{
    saved(modules, host, device, name, threads, tid, bid, block, grid, size);
    const char *kernel = name ? name : device;
    if (!kernel) return;
    size_t bytes = strlen(kernel) + 1;
    function_t *made = malloc(sizeof *made + bytes);
    if (!made) return;
    memcpy(made->name, kernel, bytes);
    made->data = (rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t){
        .size = sizeof made->data,
        .host_function = {.ptr = (void *)(uintptr_t)host},
        .modules = {.ptr = modules},
        .device_function = made->name,
        .thread_limit = threads,
        .thread_ids = dims(tid),
        .block_ids = dims(bid),
        .block_dims = dims(block),
        .grid_dims = dims(grid),
        .workgroup_size = size ? (uint64_t)*size : 0,
    };
    keep(made);
}

bool sdk_host_function_find(
    const char *symbol,
    rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t *data)
{
    const size_t length = base_kernel_length(symbol, strlen(symbol));
    sdk_thread_t *self = sdk_thread_self();
    if (!self) return false;
    sdk_emit_begin(self);
    pthread_mutex_lock(&lock);
    const function_t *f = *list_of(symbol, length);
    while (f && (strncmp(f->name, symbol, length) || f->name[length]))
        f = f->next;
    if (f) {
        *data = f->data;
        data->host_function_id = ++last_id;
    }
    pthread_mutex_unlock(&lock);
    sdk_emit_end(self);
    return f;
}

void sdk_host_functions_install(void *table)
{
    size_t size;
    host_register_t before;
    if (!sdk_operation_configured(SDK_DOMAIN_CODE_OBJECT,
                                  ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER))
        return;
    memcpy(&size, table, sizeof size);
    if (REGISTER_FUNCTION_OFFSET + sizeof saved > size) return;
    void *entry = (char *)table + REGISTER_FUNCTION_OFFSET;
    memcpy(&before, entry, sizeof before);
    /* only one copy of HIP is followed; its table may be registered a second time, with this hook
     * in it or without */
    if (!before || (saved && before != saved)) return;
    saved = before;
    host_register_t hook = register_function;
    memcpy(entry, &hook, sizeof hook);
}
