/* block.c - packets and buffers of traces, and markers of code objects.
 *
 * A trace's buffer is large and in the GPU's own memory, so there are few blocks. If all are in
 * use, a new trace waits until an earlier one is over. Markers are made once for each code
 * object. */
#include "sdk/thread_trace/trace.h"

#include "base/log.h"
#include "hsa/code_objects.h"
#include "hsa/host_memory.h"
#include "hsa/lane.h"
#include "hsa/pm4.h"
#include "sdk/core/registration.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"

enum {
    BLOCKS_MAX = 8,         /* most blocks per unit */
    PATIENCE_MS = 1000,     /* how long to wait for a block in use before another is made */
    BUFFER_LEAST = 1 << 20, /* in bytes: a smaller allocation is not a trace's buffer */
};

static void complete_packet(hsa_ext_amd_aql_pm4_packet_t *packet)
{
    packet->header = HSA_PM4_FENCED;
    packet->completion_signal.handle = 0;
}

/* ---- memory ---- */

static hsa_status_t allocate(void **memory, size_t size, aqlprofile_buffer_desc_flags_t flags,
                             void *userdata)
{
    sdk_trace_block_t *block = userdata;
    if (!flags.host_access && size >= BUFFER_LEAST &&
        !hsax_device_allocate(block->agent, size, memory)) {
        block->data = *memory;
        block->data_size = size;
        return HSA_STATUS_SUCCESS;
    }
    return sdk_gpu_allocate(memory, size, flags, &block->agent);
}

static hsa_status_t copy(void *to, const void *from, size_t size, void *userdata)
{
    const sdk_trace_block_t *block = userdata;
    const uintptr_t at = (uintptr_t)from - (uintptr_t)block->data;
    if (block->data && at < block->data_size)
        return size ? hsax.core.hsa_memory_copy_fn(to, from, size) : HSA_STATUS_SUCCESS;
    memcpy(to, from, size);
    return HSA_STATUS_SUCCESS;
}

/* ---- markers ---- */

typedef struct marker {
    struct marker *next;
    sdk_trace_object_t object;
    uint64_t life;
    bool unload, from_start;
    hsa_ext_amd_aql_pm4_packet_t packet;
} marker_t;

static pthread_mutex_t markers_lock = PTHREAD_MUTEX_INITIALIZER;
static marker_t *markers; /* their HSA memory is freed when HSA shuts down */

static const marker_t *find_marker(const sdk_trace_object_t *object, bool unload, bool from_start)
{
    for (const marker_t *m = markers; m; m = m->next)
        if (m->object.id == object->id && m->object.agent.handle == object->agent.handle &&
            m->unload == unload && m->from_start == from_start && m->life == sdk_gpu_life())
            return m;
    return NULL;
}

static const marker_t *make_marker(const sdk_trace_object_t *object, bool unload, bool from_start)
{
    const aqlprofile_att_codeobj_data_t data = {.id = object->id,
                                                .addr = object->address,
                                                .size = object->size,
                                                .agent = object->agent,
                                                .isUnload = unload,
                                                .fromStart = from_start};
    aqlprofile_handle_t handle;
    marker_t *m = calloc(1, sizeof *m);
    if (!m) {
        base_warning("a code object is not marked in thread traces: no memory");
        return NULL;
    }
    *m = (marker_t){
        .object = *object, .life = sdk_gpu_life(), .unload = unload, .from_start = from_start};
    if (aqlprofile_att_codeobj_marker(&m->packet, &handle, data, sdk_gpu_allocate, sdk_gpu_free,
                                      &m->object.agent)) {
        base_error("no packet that marks a code object: %s", sdk_gpu_aql_message());
        free(m);
        return NULL;
    }
    complete_packet(&m->packet);
    m->next = markers;
    markers = m;
    return m;
}

bool sdk_trace_marker(const sdk_trace_object_t *object, bool unload, bool from_start,
                      hsa_ext_amd_aql_pm4_packet_t *packet)
{
    pthread_mutex_lock(&markers_lock);
    const marker_t *m = find_marker(object, unload, from_start);
    if (!m) m = make_marker(object, unload, from_start);
    if (m) *packet = m->packet;
    pthread_mutex_unlock(&markers_lock);
    return m;
}

/* Describes a code object for a marker: by the memory address that corresponds to address 0 of the
 * file, and by the size from there. */
sdk_trace_object_t sdk_trace_object(const hsax_code_object_t *object)
{
    const uint64_t delta = (uint64_t)object->load_delta;
    return (sdk_trace_object_t){.id = object->id,
                                .address = delta,
                                .size = object->load_base + object->load_size - delta,
                                .agent = object->agent};
}

typedef struct {
    hsa_agent_t agent;
    sdk_trace_object_t *objects;
    size_t count;
    bool no_memory;
} loaded_t;

static void collect(const hsax_code_object_t *object, void *data)
{
    loaded_t *l = data;
    if (object->agent.handle != l->agent.handle) return;
    const bool room = BASE_GROW_BY_ONE(l->objects, l->count);
    l->no_memory |= !room;
    if (room) l->objects[l->count++] = sdk_trace_object(object);
}

/* Fills in the packets before the dispatch: the start, and a marker for each loaded code object. */
static bool fill_before(sdk_trace_block_t *block)
{
    loaded_t loaded = {.agent = block->agent};
    hsax_code_objects_each(collect, &loaded);
    bool good = !loaded.no_memory;
    if (good && loaded.count + 1 > block->before_room) {
        good = base_resize(&block->before, loaded.count + 1, sizeof *block->before);
        if (good) block->before_room = loaded.count + 1;
    }
    block->before_count = 1;
    for (size_t i = 0; good && i < loaded.count; i++)
        good = sdk_trace_marker(&loaded.objects[i], false, true,
                                &block->before[block->before_count++]);
    free(loaded.objects);
    block->wrap.before = block->before;
    block->wrap.before_count = block->before_count;
    return good;
}

/* ---- blocks ---- */

static void free_block(sdk_trace_block_t *block)
{
    if (block->handle.handle) aqlprofile_att_delete_packets(block->handle);
    if (block->wrap.done.handle) hsax.core.hsa_signal_destroy_fn(block->wrap.done);
    free(block->before);
    free(block);
}

static sdk_trace_block_t *make_block(sdk_trace_unit_t *unit, hsa_agent_t agent)
{
    const aqlprofile_att_profile_t profile = {agent, unit->parameters, unit->parameter_count};
    aqlprofile_att_control_aql_packets_t packets;
    memset(&packets, 0, sizeof packets);
    sdk_trace_block_t *block = calloc(1, sizeof *block);
    if (!block) return NULL;
    block->unit = unit;
    block->agent = agent;
    block->life = sdk_gpu_life();
    block->before = malloc(sizeof *block->before);
    block->before_room = 1;
    bool made = block->before;
    if (made && aqlprofile_att_create_packets(&block->handle, &packets, profile, allocate,
                                              sdk_gpu_free, copy, block)) {
        base_error("no packets that trace: %s", sdk_gpu_aql_message());
        block->handle.handle = 0;
        made = false;
    }
    if (made && hsax_make_signal(&block->wrap.done)) {
        block->before[0] = packets.start_packet;
        block->stop = packets.stop_packet;
        complete_packet(&block->before[0]);
        complete_packet(&block->stop);
        block->wrap.after = &block->stop;
        block->wrap.after_count = 1;
        return block;
    }
    free_block(block);
    return NULL;
}

static sdk_trace_block_t *take_free(sdk_trace_unit_t *unit, hsa_agent_t agent)
{
    for (sdk_trace_block_t **link = &unit->free; *link; link = &(*link)->next) {
        sdk_trace_block_t *block = *link;
        if (block->agent.handle != agent.handle || block->life != sdk_gpu_life()) continue;
        *link = block->next;
        return block;
    }
    return NULL;
}

/* Takes a free block, or makes a new one. The first block is made at once, others only after
 * waiting for a free one. */
static sdk_trace_block_t *take(sdk_trace_unit_t *unit, hsa_agent_t agent)
{
    sdk_trace_block_t *block = NULL;
    bool make = false;
    for (int ms = 0; ms <= PATIENCE_MS && !block && !make; ms++) {
        if (ms) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        pthread_mutex_lock(&unit->lock);
        block = take_free(unit, agent);
        make =
            !block && (!unit->block_count || (ms == PATIENCE_MS && unit->block_count < BLOCKS_MAX));
        unit->block_count += make;
        pthread_mutex_unlock(&unit->lock);
    }
    if (block || !make) return block;
    block = make_block(unit, agent);
    if (!block) {
        pthread_mutex_lock(&unit->lock);
        unit->block_count--;
        pthread_mutex_unlock(&unit->lock);
    }
    return block;
}

sdk_trace_block_t *sdk_trace_block_take(sdk_trace_unit_t *unit, hsa_agent_t agent)
{
    sdk_trace_block_t *block = take(unit, agent);
    if (!block) return NULL;
    if (fill_before(block)) return block;
    sdk_trace_block_give(block, true);
    return NULL;
}

void sdk_trace_block_give(sdk_trace_block_t *block, bool used)
{
    sdk_trace_unit_t *unit = block->unit;
    if (!used) return; /* it is not used again, since the GPU may still write to it */
    if (block->life == sdk_gpu_life())
        __atomic_store_n(&hsax_signal_block(block->wrap.done)->value, 1, __ATOMIC_RELEASE);
    pthread_mutex_lock(&unit->lock);
    block->next = unit->free;
    unit->free = block;
    pthread_mutex_unlock(&unit->lock);
}

void sdk_trace_blocks_hsa_down(sdk_trace_unit_t *unit)
{
    pthread_mutex_lock(&unit->lock);
    while (unit->free) {
        sdk_trace_block_t *block = unit->free;
        unit->free = block->next;
        free_block(block);
    }
    unit->block_count = 0;
    pthread_mutex_unlock(&unit->lock);
}

/* ---- results ---- */

static hsa_status_t give_engine(uint32_t engine, void *data, uint64_t size, void *user)
{
    sdk_trace_block_t *block = user;
    const sdk_trace_unit_t *unit = block->unit;
    sdk_thread_t *self = sdk_thread_needed("a thread trace is lost");
    if (!self) return HSA_STATUS_SUCCESS;
    sdk_emit_begin(self);
    if (sdk_context_accepts(unit->service->context))
        unit->shader(unit->agent, engine, data, size, block->user);
    sdk_emit_end(self);
    return HSA_STATUS_SUCCESS;
}

void sdk_trace_block_deliver(sdk_trace_block_t *block)
{
    const hsa_status_t status = aqlprofile_att_iterate_data(block->handle, give_engine, block);
    if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES)
        base_warning("a thread trace is cut: %s", sdk_gpu_aql_message());
    else if (status)
        base_error("a thread trace is lost: %s", sdk_gpu_aql_message());
}
