/* kernels.c - the kernels and code objects that are loaded: names for dispatches, reports, dumps.
 *
 * src/hsa reports code objects; ids of kernels are dense, so names are in an array. */
#include "v1/v1.h"

#include "base/intern.h"
#include "base/kernel_name.h"
#include "base/log.h"
#include "hsa/kernel_map.h"
#include "base/env.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"

static const char **names;
static uint64_t name_room;

/* Keeps the demangled name. It is not freed when the kernel is unloaded, since contexts and records
 * point to it. */
static void set_name(uint64_t id, const char *symbol)
{
    char *name = base_kernel_name(symbol);
    pthread_mutex_lock(&v1_lock);
    if (id >= name_room) {
        uint64_t room = 2 * id + 64;
        if (base_resize(&names, room, sizeof *names)) {
            memset(names + name_room, 0, (room - name_room) * sizeof *names);
            name_room = room;
        }
    }
    if (id < name_room) names[id] = base_intern(name);
    bool kept = id < name_room && names[id];
    pthread_mutex_unlock(&v1_lock);
    if (!kept) base_warning("the kernel %s will be unknown: no memory", symbol);
    free(name);
}

const char *v1_kernel_name(uint64_t kernel_object)
{
    uint64_t id = hsax_kernel_id(kernel_object);
    pthread_mutex_lock(&v1_lock);
    const char *name = id && id < name_room ? names[id] : NULL;
    pthread_mutex_unlock(&v1_lock);
    return name ? name : "unknown kernel";
}

static void dump(const hsax_code_object_t *object)
{
    char path[256];
    const char *folder = base_env("TMPDIR");
    if (object->storage != HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY) return;
    snprintf(path, sizeof path, "%s/rocprofiler-%d-%llu.co", folder ? folder : "/tmp", getpid(),
             (unsigned long long)object->id);
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    FILE *file = base_file_stream(path, "wxe");
    const void *bytes = (const void *)(uintptr_t)object->memory_base;
    bool ok = file && fwrite(bytes, 1, object->memory_size, file) == object->memory_size;
    if (file && fclose(file)) ok = false;
    base_file_limit_end(&limit);
    if (!ok) base_warning("code object %s is not written to %s", object->uri, path);
}

static void loaded(hsax_code_object_t *object)
{
    for (unsigned i = 0; i < object->kernel_count; i++)
        set_name(object->kernels[i].id, object->kernels[i].name);
    if (v1_settings.obj_dumping) dump(object);
    v1_report_code_object(object, false);
    for (unsigned i = 0; i < object->kernel_count; i++)
        v1_report_kernel(&object->kernels[i], false);
}

static void unloaded(hsax_code_object_t *object)
{
    for (unsigned i = 0; i < object->kernel_count; i++)
        v1_report_kernel(&object->kernels[i], true);
    v1_report_code_object(object, true);
}

void v1_kernels_hook(const hsax_api_table_t *table)
{
    static const hsax_code_object_client_t client = {loaded, unloaded};
    hsax_code_objects_hook(table, &client);
}
