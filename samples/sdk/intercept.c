/* intercept.c - a tool that replaces a HIP function in the runtime's own table.
 *
 * Shows chaining: the tool keeps the entry it finds, puts its function in its place and calls the
 * kept one. At the end it says how many bytes were asked for with hipMalloc. */
#include <rocprofiler-sdk/intercept_table.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef hipError_t (*malloc_function_t)(void **pointer, size_t size);

static malloc_function_t next_malloc;
static _Atomic unsigned long long bytes, calls;

static hipError_t counting_malloc(void **pointer, size_t size)
{
    bytes += size;
    calls++;
    return next_malloc(pointer, size);
}

static void on_table(rocprofiler_intercept_table_t type, uint64_t lib_version,
                     uint64_t lib_instance, void **tables, uint64_t num_tables, void *user_data)
{
    (void)type, (void)lib_version, (void)num_tables, (void)user_data;
    if (lib_instance != 0) return;
    /* The first member is the size of the table in bytes; the functions follow in the order of
     * their operation ids. What lies beyond the size does not exist. */
    size_t size;
    memcpy(&size, tables[0], sizeof size);
    size_t entry = 1 + (size_t)ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc;
    if ((entry + 1) * sizeof(void *) > size) return;
    malloc_function_t *slot = (malloc_function_t *)tables[0] + entry;
    next_malloc = *slot;
    *slot = counting_malloc;
}

static int tool_init(rocprofiler_client_finalize_t fini_func, void *data)
{
    (void)fini_func, (void)data;
    return rocprofiler_at_intercept_table_registration(on_table, ROCPROFILER_HIP_RUNTIME_TABLE,
                                                       NULL) == ROCPROFILER_STATUS_SUCCESS
               ? 0
               : -1;
}

static void tool_fini(void *data)
{
    (void)data;
    fprintf(stderr, "intercept tool: %llu calls of hipMalloc, %llu bytes\n", calls, bytes);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
                                                           const char *runtime_version,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *client_id)
{
    (void)version, (void)runtime_version, (void)priority;
    client_id->name = "intercept";
    static rocprofiler_tool_configure_result_t result = {sizeof result, tool_init, tool_fini, NULL};
    return &result;
}
