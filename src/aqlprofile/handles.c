/* handles.c - the table of objects (handles.h). A handle consists of a row's number and the number
 * of times that the row has been used, so that a stale handle is noticed.
 *
 * Free rows form a list through their indices, so adding and removing take the same time however
 * many objects there are. */
#include "aqlprofile/handles.h"

#include "aqlprofile/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- memory ---- */

hsa_status_t aql_memory_get(const aql_memory_t *memory, uint64_t bytes, const char *what,
                            aqlprofile_buffer_desc_flags_t flags, void **ptr)
{
    *ptr = NULL;
    hsa_status_t status = memory->alloc(ptr, bytes, flags, memory->userdata);
    if (status) {
        *ptr = NULL;
        return aql_fail(status, "the caller's allocator gave no %llu bytes for %s, status 0x%x",
                        (unsigned long long)bytes, what, status);
    }
    if (!*ptr || (uintptr_t)*ptr % 8)
        return aql_fail(HSA_STATUS_ERROR_INVALID_ALLOCATION,
                        "the caller's allocator gave %p for %s, which must be aligned to 8 bytes",
                        *ptr, what);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t aql_memory_copy(const aql_memory_t *memory, void *to, const void *from, uint64_t bytes,
                             const char *what)
{
    if (!memory->copy) {
        memcpy(to, from, bytes);
        return HSA_STATUS_SUCCESS;
    }
    hsa_status_t status = memory->copy(to, from, bytes, memory->userdata);
    return status ? aql_fail(status, "the caller's copy of %s failed, status 0x%x", what, status)
                  : status;
}

void aql_memory_free(const aql_memory_t *memory, void *ptr)
{
    if (ptr) memory->dealloc(ptr, memory->userdata);
}

/* ---- rows ---- */

typedef struct {
    aql_object_t *object;
    uint32_t uses, next_free; /* `next_free`: index + 1; 0 ends the list */
} place_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static place_t *places;
static uint32_t place_count, first_free;

/* Adds free rows to the table. */
static bool grow(void)
{
    enum { FIRST = 64, MAX = 1 << 24 };
    uint32_t count = place_count ? place_count * 2 : FIRST;
    if (count > MAX || !BASE_RESIZE(places, count)) return false;
    for (uint32_t i = count; i-- > place_count;) {
        places[i] = (place_t){.next_free = first_free};
        first_free = i + 1;
    }
    place_count = count;
    return true;
}

static hsa_status_t add(aql_object_t *object, aqlprofile_handle_t *handle)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&lock);
    if (first_free || grow()) {
        uint32_t at = first_free;
        place_t *place = &places[at - 1];
        first_free = place->next_free;
        place->object = object;
        handle->handle = (uint64_t)++place->uses << 32 | at;
    } else {
        status = aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no room for more than %u handles",
                          place_count);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* Returns the row of the object, or NULL. To be called with the lock held. */
static place_t *find(uint64_t handle, const aql_kind_t *kind)
{
    uint32_t at = (uint32_t)handle;
    if (!at || at > place_count) return NULL;
    place_t *place = &places[at - 1];
    return place->object && place->uses == handle >> 32 && place->object->kind == kind ? place
                                                                                       : NULL;
}

/* ---- objects ---- */

static void destroy(aql_object_t *object)
{
    aql_memory_free(&object->memory, object->commands);
    if (object->kind->release) object->kind->release(object);
    free(object);
}

hsa_status_t aql_object_begin(const aql_kind_t *kind, const aqlprofile_handle_t *handle,
                              const void *packets, const aql_memory_t *memory,
                              aql_object_t **object)
{
    const char *missing = !handle                         ? "handle"
                          : !packets                      ? kind->packets
                          : !memory->alloc                ? "alloc_cb"
                          : !memory->dealloc              ? "dealloc_cb"
                          : kind->copies && !memory->copy ? "memcpy_cb"
                                                          : NULL;
    if (missing) return aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "%s is NULL", missing);
    *object = calloc(1, kind->bytes);
    if (!*object)
        return aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for packets of %s",
                        kind->text);
    (*object)->kind = kind;
    (*object)->memory = *memory;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t aql_object_write(aql_object_t *object, const uint32_t *words, uint32_t count,
                              const char *what, aqlprofile_memory_hint_t hint)
{
    const aqlprofile_buffer_desc_flags_t flags = {
        .device_access = 1, .host_access = 1, .memory_hint = (uint32_t)hint & 0x3f};
    uint64_t bytes = count * UINT64_C(4);
    hsa_status_t status = aql_memory_get(&object->memory, bytes, what, flags, &object->commands);
    return status ? status : aql_memory_copy(&object->memory, object->commands, words, bytes, what);
}

hsa_status_t aql_object_end(aql_object_t *object, hsa_status_t status, aqlprofile_handle_t *handle)
{
    if (!status) status = add(object, handle);
    if (status) destroy(object);
    return status;
}

aql_object_t *aql_object_get(aqlprofile_handle_t handle, const aql_kind_t *kind)
{
    pthread_mutex_lock(&lock);
    place_t *place = find(handle.handle, kind);
    aql_object_t *object = place ? place->object : NULL;
    pthread_mutex_unlock(&lock);
    if (!object)
        aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "0x%llx is no handle of packets for %s",
                 (unsigned long long)handle.handle, kind->text);
    return object;
}

void aql_object_remove(aqlprofile_handle_t handle, const aql_kind_t *kind)
{
    aql_object_t *object = NULL;
    pthread_mutex_lock(&lock);
    place_t *place = find(handle.handle, kind);
    if (place) {
        object = place->object;
        place->object = NULL;
        place->next_free = first_free;
        first_free = (uint32_t)handle.handle;
    }
    pthread_mutex_unlock(&lock);
    if (object) destroy(object);
}
