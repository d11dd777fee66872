/* install.c - puts the wrappers into the tables of runtimes.
 *
 * It is apart because tables differ with the runtime's version: members beyond the size that a
 * table states do not exist, and the AMD extension table of ROCr 1.5 has its members at other
 * offsets. */
#include "base/log.h"
#include "sdk/api/api.h"

#include <string.h>

/* The heads of HSA's tables: a version whose minor number is the table's size. Tables of other
 * runtimes begin with their size. */
typedef struct {
    uint32_t major, size, step, reserved;
} hsa_head_t;

typedef struct {
    hsa_head_t head;
    hsa_head_t *core, *amd_ext, *finalizer_ext, *image_ext;
} hsa_container_t;

static void *wrapped_tables[SDK_DOMAIN_COUNT][SDK_INSTANCES];

int sdk_api_place(void *wrapped[SDK_INSTANCES], void *table, const char *what)
{
    for (int i = 0; i < SDK_INSTANCES; i++) {
        if (wrapped[i] && wrapped[i] != table) continue;
        wrapped[i] = table;
        return i;
    }
    base_warning("more than %d copies of a runtime: %s of one more is not traced", SDK_INSTANCES,
                 what);
    return -1;
}

void sdk_api_wrap(const sdk_api_row_t *row, uint32_t offset, void *table, size_t size, int instance)
{
    if (!offset || offset + sizeof(void *) > size) return;
    void **entry = (void **)(void *)((char *)table + offset);
    if (!*entry) return; /* the runtime lacks this function, and programs test the entry for NULL */
    /* A table that is registered a second time still has the wrapper, perhaps below hooks that
     * tools have set since. But a runtime that was shut down and starts again has restored its own
     * functions. */
    if (row->saved[instance] && *entry != row->saved[instance]) return;
    memcpy(&row->saved[instance], entry, sizeof *entry);
    /* other threads may call through the table: the saved function must be there first */
    __atomic_store_n(entry, row->wrappers[instance], __ATOMIC_RELEASE);
}

void sdk_api_wrap_hip(const sdk_api_row_t *rows, unsigned count, void *table, int instance)
{
    size_t size;
    memcpy(&size, table, sizeof size);
    for (unsigned i = 0; i < count; i++)
        for (uint32_t o = 0; o < sdk_domains[SDK_DOMAIN_HIP_RUNTIME].operations; o++)
            if (strcmp(sdk_api_hip_runtime[o].name, rows[i].name) == 0)
                sdk_api_wrap(&rows[i], sdk_api_hip_runtime[o].offset, table, size, instance);
}

void sdk_api_hip_function(const void *table, uint32_t operation, void *function)
{
    size_t size;
    void *before;
    memcpy(&size, table, sizeof size);
    memcpy(&before, function, sizeof before);
    const uint32_t offset = sdk_api_hip_runtime[operation].offset;
    if (!before && offset + sizeof(void *) <= size)
        memcpy(function, (const char *)table + offset, sizeof(void *));
}

static void install(sdk_domain_t domain, const sdk_api_row_t *rows, void *table, size_t size,
                    bool old)
{
    if (!sdk_domain_configured(domain)) return;
    int instance = sdk_api_place(wrapped_tables[domain], table, rows[0].name);
    if (instance < 0) return;
    for (uint32_t operation = 0; operation < sdk_domains[domain].operations; operation++) {
        const sdk_api_row_t *row = &rows[operation];
        if (sdk_operation_configured(domain, (int32_t)operation))
            sdk_api_wrap(row, old ? row->old_offset : row->offset, table, size, instance);
    }
}

void sdk_api_install_sized(sdk_domain_t domain, void *table)
{
    static const sdk_api_row_t *const rows[SDK_DOMAIN_COUNT] = {
        [SDK_DOMAIN_HIP_RUNTIME] = sdk_api_hip_runtime,
        [SDK_DOMAIN_HIP_COMPILER] = sdk_api_hip_compiler,
        [SDK_DOMAIN_MARKER_CORE] = sdk_api_marker_core,
        [SDK_DOMAIN_MARKER_CONTROL] = sdk_api_marker_control,
        [SDK_DOMAIN_MARKER_NAME] = sdk_api_marker_name,
        [SDK_DOMAIN_RCCL_API] = sdk_api_rccl_api,
        [SDK_DOMAIN_ROCDECODE_API] = sdk_api_rocdecode_api,
        [SDK_DOMAIN_ROCJPEG_API] = sdk_api_rocjpeg_api,
        [SDK_DOMAIN_ROCSHMEM_API] = sdk_api_rocshmem_api,
        [SDK_DOMAIN_HIPFILE_API] = sdk_api_hipfile_api,
    };
    size_t size;
    memcpy(&size, table, sizeof size);
    install(domain, rows[domain], table, size, false);
}

void sdk_api_install_hsa(void *table)
{
    const hsa_container_t *container = table;
    /* major version 1 of the AMD table is that of ROCr 5 */
    bool old = container->amd_ext && container->amd_ext->major < 2;
    if (container->core)
        install(SDK_DOMAIN_HSA_CORE, sdk_api_hsa_core, container->core, container->core->size,
                false);
    if (container->amd_ext)
        install(SDK_DOMAIN_HSA_AMD_EXT, sdk_api_hsa_amd_ext, container->amd_ext,
                container->amd_ext->size, old);
    if (container->image_ext)
        install(SDK_DOMAIN_HSA_IMAGE_EXT, sdk_api_hsa_image_ext, container->image_ext,
                container->image_ext->size, false);
    if (container->finalizer_ext)
        install(SDK_DOMAIN_HSA_FINALIZE_EXT, sdk_api_hsa_finalize_ext, container->finalizer_ext,
                container->finalizer_ext->size, false);
}
