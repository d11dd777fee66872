/* handles.c - see handles.h. A table of places; a handle is a place and how often it was used.
 *
 * Free places form a list through their indices, so adding and removing take the same time however
 * many objects there are. */
#include "aqlprofile/handles.h"

#include "aqlprofile/internal.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct {
    aql_handle_t *object;
    uint32_t uses, next_free; /* index + 1, 0 ends the list */
} place_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static place_t *places;
static uint32_t place_count, first_free;

/* More places, all free. */
static bool grow(void)
{
    enum { FIRST = 64, MAX = 1 << 24 };
    uint32_t count = place_count ? place_count * 2 : FIRST;
    place_t *more = count <= MAX ? realloc(places, count * sizeof *more) : NULL;
    if (!more) return false;
    places = more;
    for (uint32_t i = count; i-- > place_count;) {
        places[i] = (place_t){.next_free = first_free};
        first_free = i + 1;
    }
    place_count = count;
    return true;
}

hsa_status_t aql_handle_add(aql_handle_t *object, uint64_t *handle)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&lock);
    if (first_free || grow()) {
        uint32_t at = first_free;
        place_t *place = &places[at - 1];
        first_free = place->next_free;
        place->object = object;
        *handle = (uint64_t)++place->uses << 32 | at;
    } else {
        status = aql_fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no room for more than %u handles",
                          place_count);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* With the lock held: the place of the object, or NULL. */
static place_t *find(uint64_t handle, aql_handle_kind_t kind)
{
    uint32_t at = (uint32_t)handle;
    if (!at || at > place_count) return NULL;
    place_t *place = &places[at - 1];
    return place->object && place->uses == handle >> 32 && place->object->kind == kind ? place
                                                                                       : NULL;
}

aql_handle_t *aql_handle_get(uint64_t handle, aql_handle_kind_t kind)
{
    static const char *const names[] = {"", "counters", "a trace", "a marker"};
    pthread_mutex_lock(&lock);
    place_t *place = find(handle, kind);
    aql_handle_t *object = place ? place->object : NULL;
    pthread_mutex_unlock(&lock);
    if (!object)
        aql_fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "0x%llx is no handle of packets for %s",
                 (unsigned long long)handle, names[kind]);
    return object;
}

void aql_handle_remove(uint64_t handle, aql_handle_kind_t kind)
{
    aql_handle_t *object = NULL;
    pthread_mutex_lock(&lock);
    place_t *place = find(handle, kind);
    if (place) {
        object = place->object;
        place->object = NULL;
        place->next_free = first_free;
        first_free = (uint32_t)handle;
    }
    pthread_mutex_unlock(&lock);
    if (object) object->destroy(object);
}
