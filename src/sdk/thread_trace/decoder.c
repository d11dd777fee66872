/* decoder.c - decoders of thread traces: the decoder library, and the code objects that traces
 * refer to.
 *
 * It is apart from the service because it needs neither contexts nor GPUs. It loads
 * librocprof-trace-decoder.so by name, be it AMD's or this project's, and uses only the functions
 * of version 1, which both have. */
#include "base/log.h"
#include "base/symbol.h"
#include "disasm/disasm.h"

#include <rocprofiler-sdk/experimental/thread_trace.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define LIBRARY "librocprof-trace-decoder.so"

typedef rocprofiler_thread_trace_decoder_pc_t place_t;

/* Status codes of the decoder library. */
enum { DECODER_SUCCESS, DECODER_ERROR, DECODER_NO_ROOM, DECODER_INVALID };

/* The library's own header is not included, because it defines the SDK's type names with other
 * layouts. These are the types of its callbacks. */
typedef uint32_t give_fn_t(uint32_t type, void *records, uint64_t count, void *user);
typedef uint32_t isa_fn_t(char *text, uint64_t *bytes, uint64_t *size, place_t place, void *user);
typedef uint64_t data_fn_t(uint8_t **data, uint64_t *size, void *user);
typedef uint32_t parse_fn_t(data_fn_t *data, give_fn_t *give, isa_fn_t *isa, void *user);
typedef const char *info_fn_t(uint32_t info);

typedef struct {
    uint64_t id;
    dis_object_t *object;
} object_t;

typedef struct decoder {
    struct decoder *next;
    uint64_t handle;
    void *library;
    parse_fn_t *parse;
    info_fn_t *info;
    pthread_mutex_t lock; /* guards the code objects: one thread at a time reads one */
    object_t *objects;
    size_t count;
} decoder_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static decoder_t *decoders;

static decoder_t *find(rocprofiler_thread_trace_decoder_id_t handle)
{
    pthread_mutex_lock(&lock);
    decoder_t *d = decoders;
    while (d && d->handle != handle.handle)
        d = d->next;
    pthread_mutex_unlock(&lock);
    return d;
}

/* ---- the library ---- */

/* Searches the folder, then where the dynamic loader searches, then the folder of this library. */
static void *open_library(const char *folder)
{
    char path[PATH_MAX];
    Dl_info self;
    if (*folder) {
        snprintf(path, sizeof path, "%s/" LIBRARY, folder);
        return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    }
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (library || !dladdr(&lock, &self)) return library;
    const char *slash = strrchr(self.dli_fname, '/');
    if (!slash) return NULL;
    snprintf(path, sizeof path, "%.*s/" LIBRARY, (int)(slash - self.dli_fname), self.dli_fname);
    return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_create(rocprofiler_thread_trace_decoder_id_t *handle,
                                        const char *path)
{
    static uint64_t last;
    if (!handle || !path) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    decoder_t *d = calloc(1, sizeof *d);
    if (!d) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    d->library = open_library(path);
    if (!d->library || !base_symbol(d->library, "rocprof_trace_decoder_parse_data", &d->parse) ||
        !base_symbol(d->library, "rocprof_trace_decoder_get_info_string", &d->info)) {
        base_error("no decoder of thread traces: %s", dlerror());
        if (d->library) dlclose(d->library);
        free(d);
        return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_lock(&lock);
    d->handle = ++last;
    d->next = decoders;
    decoders = d;
    pthread_mutex_unlock(&lock);
    handle->handle = d->handle;
    return ROCPROFILER_STATUS_SUCCESS;
}

void rocprofiler_thread_trace_decoder_destroy(rocprofiler_thread_trace_decoder_id_t handle)
{
    pthread_mutex_lock(&lock);
    decoder_t **link = &decoders;
    while (*link && (*link)->handle != handle.handle)
        link = &(*link)->next;
    decoder_t *d = *link;
    if (d) *link = d->next;
    pthread_mutex_unlock(&lock);
    if (!d) return;
    for (size_t i = 0; i < d->count; i++)
        dis_object_close(d->objects[i].object);
    dlclose(d->library);
    pthread_mutex_destroy(&d->lock);
    free(d->objects);
    free(d);
}

/* ---- code objects ---- */

static object_t *object_of(decoder_t *d, uint64_t id)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->objects[i].id == id) return &d->objects[i];
    return NULL;
}

static rocprofiler_status_t add_object(decoder_t *d, uint64_t id, const void *data, uint64_t size)
{
    dis_object_t *object;
    if (object_of(d, id)) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const dis_status_t status = dis_object_open(data, size, &object);
    if (status)
        return status == DIS_NO_MEMORY ? ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES
                                       : ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (!BASE_GROW_BY_ONE(d->objects, d->count)) {
        dis_object_close(object);
        return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    d->objects[d->count++] = (object_t){id, object};
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_load(rocprofiler_thread_trace_decoder_id_t handle,
                                              uint64_t load_id, uint64_t load_addr,
                                              uint64_t load_size, const void *data, uint64_t size)
{
    decoder_t *d = find(handle);
    (void)load_addr, (void)load_size; /* a trace itself says where the code object was loaded */
    if (!d || !data) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (!dis_available()) {
        base_error("libamd_comgr, which disassembles code objects, is not installed");
        return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    }
    pthread_mutex_lock(&d->lock);
    const rocprofiler_status_t status = add_object(d, load_id, data, size);
    pthread_mutex_unlock(&d->lock);
    return status;
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_unload(rocprofiler_thread_trace_decoder_id_t handle,
                                                uint64_t load_id)
{
    decoder_t *d = find(handle);
    if (!d) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&d->lock);
    object_t *o = object_of(d, load_id);
    if (o) {
        dis_object_close(o->object);
        *o = d->objects[--d->count];
    }
    pthread_mutex_unlock(&d->lock);
    return o ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- a trace ---- */

typedef struct {
    decoder_t *decoder;
    rocprofiler_thread_trace_decoder_callback_t callback;
    void *user, *data;
    uint64_t size;
} parse_t;

static uint64_t give_data(uint8_t **data, uint64_t *size, void *user)
{
    parse_t *p = user;
    *data = p->data;
    *size = p->size;
    p->size = 0; /* the next call returns 0, since all data was passed at once */
    return *size;
}

static uint32_t give_records(uint32_t type, void *records, uint64_t count, void *user)
{
    const parse_t *p = user;
    p->callback((rocprofiler_thread_trace_decoder_record_type_t)type, records, count, p->user);
    return DECODER_SUCCESS;
}

static uint32_t disassemble(char *text, uint64_t *bytes, uint64_t *size, place_t place, void *user)
{
    decoder_t *d = ((parse_t *)user)->decoder;
    const uint64_t room = *size;
    size_t length = 0;
    pthread_mutex_lock(&d->lock);
    object_t *o = object_of(d, place.marker_id);
    if (o) length = dis_object_text(o->object, place.addr, text, room, bytes);
    pthread_mutex_unlock(&d->lock);
    if (!o) return DECODER_INVALID;
    if (!length) return DECODER_ERROR;
    *size = length < room ? length : length + 1;
    return length < room ? DECODER_SUCCESS : DECODER_NO_ROOM;
}

rocprofiler_status_t rocprofiler_trace_decode(rocprofiler_thread_trace_decoder_id_t handle,
                                              rocprofiler_thread_trace_decoder_callback_t callback,
                                              void *data, uint64_t size, void *userdata)
{
    decoder_t *d = find(handle);
    if (!d || !callback || !data) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    parse_t parse = {d, callback, userdata, data, size};
    switch (d->parse(give_data, give_records, disassemble, &parse)) {
    case DECODER_SUCCESS: return ROCPROFILER_STATUS_SUCCESS;
    case DECODER_NO_ROOM: return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    case DECODER_ERROR: return ROCPROFILER_STATUS_ERROR;
    default: return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

const char *
rocprofiler_thread_trace_decoder_info_string(rocprofiler_thread_trace_decoder_id_t handle,
                                             rocprofiler_thread_trace_decoder_info_t info)
{
    const decoder_t *d = find(handle);
    return d ? d->info(info) : NULL;
}
