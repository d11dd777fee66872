/* fake_hsa.c - see fake_hsa.h. The GPU is a thread that takes work from one list.
 *
 * Only what src/hsa calls is filled in: a call of anything else crashes, which is wanted. */
#include "fake_hsa.h"

#include <hsa/hsa_ven_amd_loader.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    hsa_queue_t hsa;
    hsax_intercept_handler_t handler;
    void *data;
    bool profiling;
    unsigned char *received;
    _Atomic uint64_t count;
    uint64_t room;
    bool over_agents; /* an intercept queue over the agent's for cooperative launches */
    bool dead;
} fake_queue_t;

typedef struct work {
    struct work *next;
    hsa_signal_t signal;
    fake_queue_t *queue;
} work_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static work_t *first, **last = &first;
static bool held, copies_enabled;
static uint64_t serial;
static atomic_long signals_alive;
bool fake_real_time;
hsa_status_t fake_copy_status;
hsa_signal_t fake_copy_signal;
unsigned fake_kernels = 3;
_Thread_local unsigned fake_writes;
hsax_api_table_t *fake_current;

/* ---- signals ---- */

hsa_signal_t fake_signal(hsa_signal_value_t value)
{
    amd_signal_t *block = aligned_alloc(64, sizeof *block);
    memset(block, 0, sizeof *block);
    block->kind = AMD_SIGNAL_KIND_USER;
    block->value = value;
    atomic_fetch_add(&signals_alive, 1);
    return (hsa_signal_t){(uintptr_t)block};
}

int64_t fake_signal_value(hsa_signal_t signal)
{
    return __atomic_load_n(&fake_block(signal)->value, __ATOMIC_ACQUIRE);
}

long fake_signals_alive(void)
{
    return atomic_load(&signals_alive);
}

static hsa_status_t amd_signal_create(hsa_signal_value_t value, uint32_t count,
                                      const hsa_agent_t *agents, uint64_t attributes,
                                      hsa_signal_t *signal)
{
    (void)count;
    (void)agents;
    (void)attributes;
    *signal = fake_signal(value);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t signal_destroy(hsa_signal_t signal)
{
    atomic_fetch_sub(&signals_alive, 1);
    free(fake_block(signal));
    return HSA_STATUS_SUCCESS;
}

static void signal_subtract(hsa_signal_t signal, hsa_signal_value_t value)
{
    __atomic_fetch_sub(&fake_block(signal)->value, value, __ATOMIC_ACQ_REL);
}

void fake_complete(hsa_signal_t signal, uint64_t start, uint64_t end)
{
    fake_block(signal)->start_ts = start;
    fake_block(signal)->end_ts = end;
    __atomic_fetch_sub(&fake_block(signal)->value, 1, __ATOMIC_ACQ_REL);
}

/* ---- the GPU ---- */

static void *gpu(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!first || held)
            pthread_cond_wait(&changed, &lock);
        work_t *work = first;
        first = work->next;
        if (!first) last = &first;
        uint64_t start = 1000 * ++serial, end = start + 500;
        if (fake_real_time) {
            struct timespec t;
            clock_gettime(CLOCK_BOOTTIME, &t);
            end = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
            start = end - 1000;
        }
        if (!work->queue || !work->queue->dead) fake_complete(work->signal, start, end);
        free(work);
    }
    return NULL;
}

static void add_work(hsa_signal_t signal, fake_queue_t *queue)
{
    static bool started;
    work_t *work = calloc(1, sizeof *work);
    work->signal = signal;
    work->queue = queue;
    pthread_mutex_lock(&lock);
    if (!started) {
        pthread_t thread;
        pthread_create(&thread, NULL, gpu, NULL);
        started = true;
    }
    *last = work;
    last = &work->next;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

void fake_gpu_hold(bool hold)
{
    pthread_mutex_lock(&lock);
    held = hold;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

/* ---- queues ---- */

/* As ROCr: the agent's queue for cooperative launches is shared, and goes with the last share. */
static fake_queue_t *agents_queue;
unsigned fake_agents_queue_shares, fake_agents_queue_frees, fake_agents_queue_wraps;

static fake_queue_t *new_queue(uint32_t size)
{
    fake_queue_t *q = calloc(1, sizeof *q);
    q->hsa.size = size;
    q->room = 1024;
    q->received = malloc(q->room * 64);
    return q;
}

static hsa_status_t queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                 uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    (void)agent;
    (void)callback;
    (void)data;
    (void)private_size;
    (void)group_size;
    if (type & HSA_QUEUE_TYPE_COOPERATIVE) {
        if (!fake_agents_queue_shares++) agents_queue = new_queue(size);
        *queue = &agents_queue->hsa;
    } else {
        *queue = &new_queue(size)->hsa;
    }
    return HSA_STATUS_SUCCESS;
}

/* All queues are intercept queues here; one over the agent's has a share of that, but does not know
 * what it is over. */
static hsa_status_t intercept_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                     void (*callback)(hsa_status_t, hsa_queue_t *, void *),
                                     void *data, uint32_t private_size, uint32_t group_size,
                                     hsa_queue_t **queue)
{
    hsa_status_t status =
        queue_create(agent, size, type, callback, data, private_size, group_size, queue);
    if (type & HSA_QUEUE_TYPE_COOPERATIVE) {
        fake_agents_queue_wraps++;
        *queue = &new_queue(size)->hsa;
        ((fake_queue_t *)*queue)->over_agents = true;
    }
    return status;
}

static hsa_status_t queue_destroy(hsa_queue_t *queue)
{
    pthread_mutex_lock(&lock);
    fake_queue_t *q = (fake_queue_t *)queue;
    fake_agents_queue_frees += q->over_agents;
    if (q != agents_queue || !--fake_agents_queue_shares)
        q->dead = true; /* its memory stays: the GPU may look at it */
    pthread_mutex_unlock(&lock);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t intercept_register(hsa_queue_t *queue, hsax_intercept_handler_t handler,
                                       void *data)
{
    fake_queue_t *q = (fake_queue_t *)queue;
    q->handler = handler;
    q->data = data;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t set_profiler_enabled(hsa_queue_t *queue, int enable)
{
    ((fake_queue_t *)queue)->profiling = enable;
    return HSA_STATUS_SUCCESS;
}

static _Thread_local fake_queue_t *writing;

/* As hsa_api_trace.h of ROCr 5.6 and later has it. */
typedef struct fake_marker {
    uint16_t header;
    uint8_t format, reserved[5];
    void (*callback)(const struct fake_marker *marker, hsa_queue_t *queue, uint64_t packet);
    uint64_t user[6];
} fake_marker_t;

static void write_packets(const void *packets, uint64_t count)
{
    fake_queue_t *q = writing;
    __atomic_fetch_add(&fake_writes, 1, __ATOMIC_RELAXED); /* of one thread, where it is read */
    if (q->count + count > q->room) {
        q->room = (q->count + count) * 2;
        q->received = realloc(q->received, q->room * 64);
    }
    for (uint64_t i = 0; i < count; i++) {
        const hsa_kernel_dispatch_packet_t *p = (const void *)((const char *)packets + 64 * i);
        const fake_marker_t *marker = (const void *)p;
        if (p->header == HSA_PACKET_TYPE_VENDOR_SPECIFIC && marker->format == 0xfe) {
            marker->callback(marker, &q->hsa, q->count); /* instead of being written */
            continue;
        }
        memcpy(q->received + q->count++ * 64, p, 64);
        if (p->completion_signal.handle) add_work(p->completion_signal, q);
    }
}

void fake_submit(hsa_queue_t *queue, const void *packets, uint64_t count)
{
    fake_queue_t *q = (fake_queue_t *)queue;
    writing = q;
    __atomic_store_n(&fake_writes, 0, __ATOMIC_RELAXED);
    if (q->handler)
        q->handler(packets, count, q->count, q->data, write_packets);
    else
        write_packets(packets, count);
}

uint64_t fake_received(hsa_queue_t *queue)
{
    return ((fake_queue_t *)queue)->count;
}

const unsigned char *fake_packet(hsa_queue_t *queue, uint64_t index)
{
    return ((fake_queue_t *)queue)->received + 64 * index;
}

static hsa_queue_t *create_of_type(uint32_t size, hsa_queue_type32_t type)
{
    hsa_queue_t *queue = NULL;
    fake_current->core->hsa_queue_create_fn(FAKE_GPU, size, type, NULL, NULL, 0, 0, &queue);
    return queue;
}

hsa_queue_t *fake_queue_create(uint32_t size)
{
    return create_of_type(size, HSA_QUEUE_TYPE_MULTI);
}

hsa_queue_t *fake_cooperative_queue_create(uint32_t size)
{
    return create_of_type(size, HSA_QUEUE_TYPE_COOPERATIVE);
}

void fake_queue_destroy(hsa_queue_t *queue)
{
    fake_current->core->hsa_queue_destroy_fn(queue);
}

/* ---- copies and times ---- */

static hsa_status_t async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
                               hsa_agent_t src_agent, size_t size, uint32_t dep_count,
                               const hsa_signal_t *deps, hsa_signal_t signal)
{
    (void)dst_agent;
    (void)src_agent;
    (void)dep_count;
    (void)deps;
    fake_copy_signal = signal;
    if (fake_copy_status) return fake_copy_status;
    memcpy(dst, src, size);
    add_work(signal, NULL);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t async_copy_enable(bool enable)
{
    copies_enabled = enable;
    return HSA_STATUS_SUCCESS;
}

/* As the real one: only the signal that the copy itself was given knows its time. */
static hsa_status_t get_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t *time)
{
    if (!copies_enabled || signal.handle != fake_copy_signal.handle) return HSA_STATUS_ERROR;
    time->start = fake_block(signal)->start_ts;
    time->end = fake_block(signal)->end_ts;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                      hsa_amd_profiling_dispatch_time_t *time)
{
    (void)agent;
    time->start = fake_block(signal)->start_ts;
    time->end = fake_block(signal)->end_ts;
    return HSA_STATUS_SUCCESS;
}

/* ---- system and agents ---- */

static hsa_status_t succeed(void)
{
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t system_get_info(hsa_system_info_t attribute, void *value)
{
    if (attribute != HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *(uint64_t *)value = 1000000000;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void *), void *data)
{
    callback(FAKE_CPU, data);
    callback(FAKE_GPU, data);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
    bool gpu_agent = agent.handle == FAKE_GPU.handle;
    if (attribute == HSA_AGENT_INFO_DEVICE)
        *(hsa_device_type_t *)value = gpu_agent ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
    else if (attribute == HSA_AGENT_INFO_NAME)
        snprintf(value, 64, "%s", gpu_agent ? "gfx90a" : "cpu");
    else
        *(uint32_t *)value = gpu_agent;
    return HSA_STATUS_SUCCESS;
}

/* ---- executables ---- */

static const unsigned char descriptor[64] = {[48] = 0x83, [49] = 0x01, [44] = 0x03};

static hsa_status_t query_host_address(const void *device, const void **host)
{
    (void)device;
    *host = descriptor;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t iterate_loaded(hsa_executable_t executable,
                                   hsa_status_t (*callback)(hsa_executable_t,
                                                            hsa_loaded_code_object_t, void *),
                                   void *data)
{
    return callback(executable, (hsa_loaded_code_object_t){executable.handle + 1}, data);
}

static const char uri[] = "memory://1#offset=0x10&size=32";

static hsa_status_t loaded_get_info(hsa_loaded_code_object_t loaded,
                                    hsa_ven_amd_loader_loaded_code_object_info_t attribute,
                                    void *value)
{
    switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
        *(uint32_t *)value = sizeof uri - 1;
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI: memcpy(value, uri, sizeof uri - 1); break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT: *(hsa_agent_t *)value = FAKE_GPU; break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
        *(uint32_t *)value = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
        *(uint64_t *)value = loaded.handle * 0x10000;
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE: *(uint64_t *)value = 0x10000; break;
    default: *(uint64_t *)value = (uint64_t)attribute; break;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t get_extension_table(uint16_t extension, uint16_t major, size_t size,
                                        void *table)
{
    (void)major;
    hsa_ven_amd_loader_1_01_pfn_t loader = {
        .hsa_ven_amd_loader_query_host_address = query_host_address,
        .hsa_ven_amd_loader_executable_iterate_loaded_code_objects = iterate_loaded,
        .hsa_ven_amd_loader_loaded_code_object_get_info = loaded_get_info,
    };
    if (extension != HSA_EXTENSION_AMD_LOADER || size > sizeof loader) return HSA_STATUS_ERROR;
    memcpy(table, &loader, size);
    return HSA_STATUS_SUCCESS;
}

/* Symbol handle: executable << 8 | index. Index `fake_kernels` is a variable, and one more kernel
 * belongs to another code object. */
static hsa_status_t iterate_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                    hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t,
                                                             hsa_executable_symbol_t, void *),
                                    void *data)
{
    for (unsigned i = 0; i < fake_kernels + 2; i++)
        callback(executable, agent, (hsa_executable_symbol_t){executable.handle << 8 | i}, data);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t symbol_get_info(hsa_executable_symbol_t symbol,
                                    hsa_executable_symbol_info_t attribute, void *value)
{
    unsigned index = symbol.handle & 0xff;
    uint64_t base = ((symbol.handle >> 8) + 1) * 0x10000;
    char name[32];
    int length = snprintf(name, sizeof name, "kernel%u.kd", index);
    switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
        *(hsa_symbol_kind_t *)value =
            index == fake_kernels ? HSA_SYMBOL_KIND_VARIABLE : HSA_SYMBOL_KIND_KERNEL;
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH: *(uint32_t *)value = (uint32_t)length; break;
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME: memcpy(value, name, (size_t)length); break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
        *(uint64_t *)value = base + (index > fake_kernels ? 0x10000 : index * 64u);
        break;
    default: *(uint32_t *)value = 100 + index; break;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t executable_freeze(hsa_executable_t executable, const char *options)
{
    (void)options;
    return executable.handle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

static hsa_status_t executable_destroy(hsa_executable_t executable)
{
    (void)executable;
    return HSA_STATUS_SUCCESS;
}

/* ---- the table ---- */

static void set(hsax_amd_ext_table_t *table, size_t offset, void (*function)(void))
{
    size_t at = hsax_amd_ext_offset(offset, table->version.minor_id);
    memcpy((char *)table + at, &function, sizeof function);
}
#define SET(name, function)                                                                        \
    set(t->amd_ext, offsetof(hsax_amd_ext_table_t, name##_fn), (void (*)(void))(function))

hsax_api_table_t *fake_table(bool old)
{
    hsax_api_table_t *t = calloc(1, sizeof *t);
    hsax_core_table_t *core = t->core = calloc(1, sizeof *t->core);
    t->amd_ext = calloc(1, sizeof *t->amd_ext);
    t->version.minor_id = old ? 48 : sizeof *t;
    core->version.minor_id = sizeof *core;
    t->amd_ext->version.minor_id = old ? HSAX_AMD_EXT_OLD_SIZE : sizeof *t->amd_ext;
    core->hsa_init_fn = succeed;
    core->hsa_shut_down_fn = succeed;
    core->hsa_system_get_info_fn = system_get_info;
    core->hsa_system_get_major_extension_table_fn = get_extension_table;
    core->hsa_iterate_agents_fn = iterate_agents;
    core->hsa_agent_get_info_fn = agent_get_info;
    core->hsa_queue_create_fn = queue_create;
    core->hsa_queue_destroy_fn = queue_destroy;
    core->hsa_signal_destroy_fn = signal_destroy;
    core->hsa_signal_subtract_screlease_fn = signal_subtract;
    core->hsa_executable_freeze_fn = executable_freeze;
    core->hsa_executable_destroy_fn = executable_destroy;
    core->hsa_executable_iterate_agent_symbols_fn = iterate_symbols;
    core->hsa_executable_symbol_get_info_fn = symbol_get_info;
    SET(hsa_amd_signal_create, amd_signal_create);
    SET(hsa_amd_queue_intercept_create, intercept_create);
    SET(hsa_amd_queue_intercept_register, intercept_register);
    SET(hsa_amd_profiling_set_profiler_enabled, set_profiler_enabled);
    SET(hsa_amd_profiling_get_dispatch_time, get_dispatch_time);
    SET(hsa_amd_profiling_async_copy_enable, async_copy_enable);
    SET(hsa_amd_profiling_get_async_copy_time, get_copy_time);
    SET(hsa_amd_memory_async_copy, async_copy);
    fake_current = t;
    return t;
}
