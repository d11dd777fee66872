/* code_objects.c - the list of loaded code objects (code_objects.h), which AMD's loader extension
 * gives after each freeze of an executable.
 *
 * One lock guards the list. It does not depend on the active services. */
#include "hsa/code_objects.h"

#include "base/intern.h"
#include "base/log.h"
#include "gpus/gpus.h"
#include "hsa/agents.h"
#include "hsa/collect.h"
#include "hsa/kernel_map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const hsax_code_object_client_t *client;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hsax_code_object_t *objects; /* newest first */
static uint64_t last_object_id, last_kernel_id;
static atomic_uint_fast64_t told_all; /* number of calls of hsax_code_objects_tell() */

/* ---- kernels ---- */

typedef struct {
    uint32_t group_size, private_size, kernarg_size, reserved0;
    int64_t entry_offset;
    uint8_t reserved1[20];
    uint32_t rsrc3, rsrc1, rsrc2;
    uint16_t properties;
    uint8_t reserved2[6];
} descriptor_t;
_Static_assert(sizeof(descriptor_t) == 64, "kernel descriptor");

void hsax_kernel_registers(const char *gfx, const void *data, hsax_kernel_t *kernel)
{
    descriptor_t d;
    memcpy(&d, data, sizeof d);
    const gpus_arch_t *arch = gpus_find(gfx);
    kernel->entry_offset = d.entry_offset;
    kernel->sgprs = kernel->arch_vgprs = kernel->accum_vgprs = kernel->wave = 0;
    kernel->whole_wgp = false;
    if (!arch) {
        base_info("register counts of kernels are not known for %s", gfx);
        return;
    }
    const gpus_kernel_t found = gpus_kernel(arch, d.rsrc1, d.rsrc3, d.properties);
    kernel->sgprs = found.sgprs;
    kernel->arch_vgprs = found.vgprs;
    kernel->accum_vgprs = found.agprs;
    kernel->wave = found.wave;
    kernel->whole_wgp = found.whole_wgp;
}

static void read_registers(hsa_agent_t agent, hsax_kernel_t *kernel)
{
    const hsax_agent_t *a = hsax_agent_find(agent);
    const void *host = NULL;
    const void *device = (const void *)(uintptr_t)kernel->object;
    if (a && hsax.loader.hsa_ven_amd_loader_query_host_address(device, &host) == 0 && host)
        hsax_kernel_registers(a->name, host, kernel);
    else
        base_info("no host copy of the descriptor of kernel %s: register counts unknown",
                  kernel->name);
}

static hsa_status_t symbol_info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t what,
                                void *value)
{
    return hsax.core.hsa_executable_symbol_get_info_fn(symbol, what, value);
}

static bool read_kernel(hsa_executable_symbol_t symbol, hsax_kernel_t *kernel)
{
    uint32_t length = 0;
    if (symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length)) return false;
    char *name = calloc(1, (size_t)length + 1);
    if (name && !symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name))
        kernel->name = base_intern(name);
    free(name);
    return kernel->name &&
           !symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &kernel->object) &&
           !symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                        &kernel->kernarg_size) &&
           !symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT,
                        &kernel->kernarg_alignment) &&
           !symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
                        &kernel->group_size) &&
           !symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
                        &kernel->private_size);
}

static hsa_status_t add_symbol(hsa_executable_t executable, hsa_agent_t agent,
                               hsa_executable_symbol_t symbol, void *data)
{
    (void)executable;
    hsax_code_object_t *object = data;
    hsa_symbol_kind_t kind;
    if (symbol_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind) ||
        kind != HSA_SYMBOL_KIND_KERNEL)
        return HSA_STATUS_SUCCESS;
    hsax_kernel_t kernel = {0};
    if (!read_kernel(symbol, &kernel)) goto fail;
    /* the executable's symbols on this agent may belong to another of its code objects */
    if (object->load_size && kernel.object - object->load_base >= object->load_size)
        return HSA_STATUS_SUCCESS;
    if (!BASE_GROW_BY_ONE(object->kernels, object->kernel_count)) goto fail;
    read_registers(agent, &kernel);
    kernel.id = ++last_kernel_id;
    if (!hsax_kernel_map_set(kernel.object, kernel.id)) goto fail;
    object->kernels[object->kernel_count++] = kernel;
    return HSA_STATUS_SUCCESS;
fail:
    base_warning("kernel %s will be unknown: no memory, or the runtime does not describe it",
                 kernel.name ? kernel.name : "without name");
    return HSA_STATUS_SUCCESS;
}

/* ---- code objects ---- */

static hsa_status_t object_info(hsa_loaded_code_object_t loaded, unsigned what, void *value)
{
    return hsax.loader.hsa_ven_amd_loader_loaded_code_object_get_info(
        loaded, (hsa_ven_amd_loader_loaded_code_object_info_t)what, value);
}

static bool read_object(hsax_code_object_t *o)
{
    uint32_t length = 0;
    if (object_info(o->loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH, &length))
        return false;
    char *uri = calloc(1, (size_t)length + 1);
    if (uri && !object_info(o->loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri))
        o->uri = base_intern(uri);
    free(uri);
    if (!o->uri ||
        object_info(o->loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT, &o->agent) ||
        object_info(o->loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE,
                    &o->load_base) ||
        object_info(o->loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE,
                    &o->load_size) ||
        object_info(o->loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA,
                    &o->load_delta) ||
        object_info(o->loaded, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE,
                    &o->storage))
        return false;
    if (o->storage == HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE)
        return !object_info(o->loaded,
                            HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE,
                            &o->file);
    return !object_info(o->loaded,
                        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE,
                        &o->memory_base) &&
           !object_info(o->loaded,
                        HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE,
                        &o->memory_size);
}

static void free_object(hsax_code_object_t *object)
{
    free(object->kernels);
    free(object);
}

static bool is_known(hsa_executable_t executable, hsa_loaded_code_object_t loaded)
{
    for (const hsax_code_object_t *o = objects; o; o = o->next)
        if (o->executable.handle == executable.handle && o->loaded.handle == loaded.handle)
            return true;
    return false;
}

/* Adds a code object. `data` is the list of new ones, oldest first. Called with the lock held. */
static hsa_status_t add_object(hsa_executable_t executable, hsa_loaded_code_object_t loaded,
                               void *data)
{
    if (is_known(executable, loaded)) return HSA_STATUS_SUCCESS;
    hsax_code_object_t *object = calloc(1, sizeof *object);
    if (!object) {
        base_warning("the kernels of a code object have no names: no memory");
        return HSA_STATUS_SUCCESS;
    }
    object->executable = executable;
    object->loaded = loaded;
    if (!read_object(object)) {
        base_warning("a code object is not profiled: the loader does not describe it");
        free_object(object);
        return HSA_STATUS_SUCCESS;
    }
    object->id = ++last_object_id;
    hsax.core.hsa_executable_iterate_agent_symbols_fn(executable, object->agent, add_symbol,
                                                      object);
    hsax_code_object_t **end = data;
    while (*end)
        end = &(*end)->next;
    *end = object;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t freeze(hsa_executable_t executable, const char *options)
{
    hsa_status_t status = hsax.core.hsa_executable_freeze_fn(executable, options);
    if (status != HSA_STATUS_SUCCESS || !hsax_collecting() || !hsax_loader_load()) return status;
    hsax_code_object_t *fresh = NULL;
    pthread_mutex_lock(&lock);
    hsax.loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(executable, add_object,
                                                                          &fresh);
    pthread_mutex_unlock(&lock);
    while (fresh) {
        hsax_code_object_t *object = fresh;
        fresh = object->next;
        uint64_t before = atomic_load(&told_all);
        client->loaded(object);
        pthread_mutex_lock(&lock);
        object->next = objects;
        objects = object;
        /* hsax_code_objects_tell() was called before the object was in the list */
        if (told_all != before) client->loaded(object);
        pthread_mutex_unlock(&lock);
    }
    return status;
}

/* Takes a code object of the executable out of the list; any object if `all`. */
static hsax_code_object_t *take_object(hsa_executable_t executable, bool all)
{
    hsax_code_object_t *found = NULL;
    pthread_mutex_lock(&lock);
    for (hsax_code_object_t **link = &objects; *link; link = &(*link)->next) {
        if (!all && (*link)->executable.handle != executable.handle) continue;
        found = *link;
        *link = found->next;
        for (unsigned i = 0; i < found->kernel_count; i++)
            hsax_kernel_map_set(found->kernels[i].object, 0);
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void unload(hsa_executable_t executable, bool all)
{
    for (hsax_code_object_t *object; (object = take_object(executable, all));) {
        client->unloaded(object);
        free_object(object);
    }
}

static hsa_status_t destroy(hsa_executable_t executable)
{
    if (!hsax_forked()) unload(executable, false);
    return hsax.core.hsa_executable_destroy_fn(executable);
}

void hsax_code_objects_each(void (*call)(const hsax_code_object_t *, void *), void *data)
{
    pthread_mutex_lock(&lock);
    for (const hsax_code_object_t *o = objects; o; o = o->next)
        call(o, data);
    pthread_mutex_unlock(&lock);
}

void hsax_code_objects_tell(bool loaded)
{
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&told_all, 1);
    for (hsax_code_object_t *o = objects; o; o = o->next)
        if (loaded)
            client->loaded(o);
        else
            client->unloaded(o);
    pthread_mutex_unlock(&lock);
}

void hsax_code_objects_finish(void)
{
    if (client && !hsax_forked()) unload((hsa_executable_t){0}, true);
}

void hsax_code_objects_hook(const hsax_api_table_t *table, const hsax_code_object_client_t *who)
{
    client = who;
    HSAX_HOOK_CORE(table, hsa_executable_freeze, freeze);
    HSAX_HOOK_CORE(table, hsa_executable_destroy, destroy);
}
