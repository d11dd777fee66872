/* samples.c - makes records from what the runtime's trap handler has written.
 *
 * A raw sample identifies its dispatch by the queue's doorbell and the packet's place in the ring.
 * The dispatch at each place is noted before the packet is submitted (sdk_pcs_placed). Before the
 * ring wraps and a place is used again, all samples of the earlier dispatch are fetched from the
 * runtime. The lock guards tables that are read for each sample and written for each dispatch; no
 * tool code and no function of the runtime is called under it. */
#include "sdk/pc_sampling/sampling.h"

#include "base/log.h"
#include "hsa/lane.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A raw sample of host traps or of stochastic sampling, each version 1
 * (hsa_ven_amd_pc_sampling.h). Host traps leave the snapshot empty. */
typedef struct {
    uint64_t pc, exec_mask;
    uint32_t group[3];
    uint32_t wave; /* bits 5:0: wave in the workgroup; from bit 8 on: chiplet */
    uint32_t hw_id, snapshot[3];
    uint64_t timestamp;
    uint32_t packet, doorbell; /* packet: place in the ring; doorbell: id of the queue */
} raw_t;
_Static_assert(sizeof(raw_t) == 64, "of the extension's interface");

enum { CHUNK = 256 /* how many samples are looked up while the lock is held once */ };

typedef struct {
    uint64_t dispatch_id, internal, external;
} place_t;

struct sdk_pcs_queue {
    const hsa_queue_t *hsa;
    uint32_t size;
    uint64_t drained; /* all samples of packets below this number have been fetched */
    place_t places[];
};

/* A loaded code object; `end` is exclusive. */
typedef struct {
    uint64_t begin, end, id, agent;
} object_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static object_t *objects;
static size_t object_count;

/* ---- dispatches ---- */

enum { MARK_SESSION, MARK_DISPATCH, MARK_INTERNAL, MARK_EXTERNAL };

void *sdk_pcs_begin(void *data, sdk_dispatch_t *d, const sdk_operation_t *operation)
{
    sdk_pcs_session_t *session = data;
    d->mark = (hsax_mark_t){
        .words = {[MARK_SESSION] = (uintptr_t)session,
                  [MARK_DISPATCH] = d->data.dispatch_info.dispatch_id,
                  [MARK_INTERNAL] = operation->internal,
                  [MARK_EXTERNAL] = sdk_dispatch_external(session->context, operation)}};
    d->item->special = true;
    d->item->mark = &d->mark;
    return session;
}

static uint32_t doorbell_of(const hsa_queue_t *queue)
{
    const amd_signal_t *signal = hsax_signal_block(queue->doorbell_signal);
    return (uint32_t)((uintptr_t)signal->hardware_doorbell_ptr >> 3) % SDK_PCS_DOORBELLS;
}

/* Makes the entry of a queue that is seen for the first time; its doorbell may have belonged to
 * another queue before. */
static sdk_pcs_queue_t *new_queue(const hsa_queue_t *queue, uint64_t packet)
{
    static atomic_bool told;
    sdk_pcs_queue_t *made = calloc(1, sizeof *made + queue->size * sizeof(place_t));
    if (made) {
        made->hsa = queue;
        made->size = queue->size;
        made->drained = packet;
    } else if (!atomic_exchange(&told, true)) {
        base_warning("samples of one queue have no dispatch: no memory");
    }
    return made;
}

/* Fetches all samples from the runtime. After that there are no more samples of packets that had
 * been executed before. */
static void drain(sdk_pcs_session_t *session, sdk_pcs_queue_t *queue)
{
    const uint64_t executed = hsax.core.hsa_queue_load_read_index_scacquire_fn(queue->hsa);
    sdk_pcs_flush_session(session);
    queue->drained = executed;
}

/* Reading the session's queues needs no lock: calls for one queue are made one at a time, and no
 * other thread changes the queue's places. */
void sdk_pcs_placed(const hsax_mark_t *mark, const hsa_queue_t *hsa, uint64_t packet)
{
    sdk_pcs_session_t *session = (sdk_pcs_session_t *)(uintptr_t)mark->words[MARK_SESSION];
    sdk_pcs_queue_t **slot = &session->queues[doorbell_of(hsa)], *queue = *slot, *old = NULL;
    if (!queue || queue->hsa != hsa || queue->size != hsa->size || packet < queue->drained) {
        if (queue) sdk_pcs_flush_session(session);
        old = queue;
        queue = new_queue(hsa, packet);
    } else if (packet >= queue->drained + queue->size) {
        drain(session, queue);
    }
    pthread_mutex_lock(&lock);
    *slot = queue;
    if (queue)
        queue->places[packet % queue->size] = (place_t){
            mark->words[MARK_DISPATCH], mark->words[MARK_INTERNAL], mark->words[MARK_EXTERNAL]};
    pthread_mutex_unlock(&lock);
    free(old);
}

/* ---- dispatches that are over ---- */

void sdk_pcs_over(void *data, sdk_dispatch_t *d)
{
    sdk_pcs_session_t *session = data;
    sdk_pcs_overs_t *o = &session->overs;
    if (!d->reference) return;
    pthread_mutex_lock(&lock);
    /* if the agent is not sampled any more, all of its samples have been fetched */
    if (atomic_load(&session->hsa) && BASE_GROW_BY_ONE(o->items, o->count)) {
        o->items[o->count++] = (sdk_pcs_ended_t){d->reference, d->data.end_timestamp};
        d->reference = NULL;
    }
    pthread_mutex_unlock(&lock);
}

sdk_pcs_overs_t sdk_pcs_take_overs(sdk_pcs_session_t *session)
{
    pthread_mutex_lock(&lock);
    const sdk_pcs_overs_t taken = session->overs;
    session->overs = (sdk_pcs_overs_t){0};
    pthread_mutex_unlock(&lock);
    return taken;
}

void sdk_pcs_retire(sdk_pcs_overs_t overs)
{
    for (size_t i = 0; i < overs.count; i++)
        sdk_retirement_release(overs.items[i].reference, overs.items[i].end);
    free(overs.items);
}

/* ---- code objects ---- */

void sdk_pcs_code_object(const hsax_code_object_t *object, bool unload)
{
    if (!sdk_pcs_configured() && !sdk_attachable()) return;
    if (unload) sdk_pcs_flush();
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < object_count && objects[i].id != object->id)
        i++;
    if (unload) {
        if (i < object_count) objects[i] = objects[--object_count];
    } else if (i == object_count) {
        if (BASE_GROW_BY_ONE(objects, object_count))
            objects[object_count++] =
                (object_t){object->load_base, object->load_base + object->load_size, object->id,
                           object->agent.handle};
        else
            base_warning("samples of a code object are addresses: no memory");
    }
    pthread_mutex_unlock(&lock);
}

/* ---- samples ---- */

static rocprofiler_pc_t locate(uint64_t agent, uint64_t pc)
{
    for (size_t i = 0; i < object_count; i++)
        if (objects[i].agent == agent && pc >= objects[i].begin && pc < objects[i].end)
            return (rocprofiler_pc_t){objects[i].id, pc - objects[i].begin};
    return (rocprofiler_pc_t){0, pc};
}

static place_t dispatch_of(const sdk_pcs_session_t *session, const raw_t *raw)
{
    const sdk_pcs_queue_t *queue = session->queues[raw->doorbell % SDK_PCS_DOORBELLS];
    return queue ? queue->places[raw->packet % queue->size] : (place_t){0};
}

/* The kinds of records that can be made from a raw sample. */
typedef union {
    rocprofiler_pc_sampling_record_host_trap_v0_t host_trap;
    rocprofiler_pc_sampling_record_stochastic_v0_t stochastic;
    rocprofiler_pc_sampling_record_invalid_t invalid;
} record_t;

static const size_t sizes[] = {
    [ROCPROFILER_PC_SAMPLING_RECORD_INVALID_SAMPLE] =
        sizeof(rocprofiler_pc_sampling_record_invalid_t),
    [ROCPROFILER_PC_SAMPLING_RECORD_HOST_TRAP_V0_SAMPLE] =
        sizeof(rocprofiler_pc_sampling_record_host_trap_v0_t),
    [ROCPROFILER_PC_SAMPLING_RECORD_STOCHASTIC_V0_SAMPLE] =
        sizeof(rocprofiler_pc_sampling_record_stochastic_v0_t),
};

static rocprofiler_pc_sampling_hw_id_v0_t hardware(const sdk_pcs_session_t *session,
                                                   const raw_t *raw)
{
    rocprofiler_pc_sampling_hw_id_v0_t id = sdk_pcs_place(session->format, raw->hw_id);
    id.chiplet = (uint64_t)raw->wave >> 8 & 0x3f;
    return id;
}

static uint32_t fill_host_trap(const sdk_pcs_session_t *session, uint64_t agent, const raw_t *raw,
                               record_t *record)
{
    const place_t place = dispatch_of(session, raw);
    record->host_trap = (rocprofiler_pc_sampling_record_host_trap_v0_t){
        .size = sizeof record->host_trap,
        .hw_id = hardware(session, raw),
        .pc = locate(agent, raw->pc),
        .exec_mask = raw->exec_mask,
        .timestamp = hsax_clock_ns(raw->timestamp),
        .dispatch_id = place.dispatch_id,
        .correlation_id = {.internal = place.internal, .external = {.value = place.external}},
        .workgroup_id = {raw->group[0], raw->group[1], raw->group[2]},
        .wave_in_group = raw->wave & 63,
    };
    return ROCPROFILER_PC_SAMPLING_RECORD_HOST_TRAP_V0_SAMPLE;
}

/* Bits of a snapshot's first word; in the second word, bits 5:0 are the number of waves. */
enum {
    SNAPSHOT_VALID = 1 << 0,
    SNAPSHOT_ISSUED = 1 << 1,
    SNAPSHOT_DUAL = 1 << 2,
    SNAPSHOT_TYPE = 3,    /* 6:3 */
    SNAPSHOT_REASON = 7,  /* 9:7 */
    SNAPSHOT_ISSUES = 10, /* 17:10: the units to which the SIMD's arbiter had issued an
                           * instruction */
    SNAPSHOT_STALLS = 18, /* 25:18: the units that did not accept the instruction */
    SNAPSHOT_ERROR = 1 << 26
};
#define SNAPSHOT_MID_INSTRUCTION (1u << 31) /* bit of the second word */

/* ORDER: the hardware's numbers. */
#define TYPE(name) ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_##name
static const uint32_t types[16] = {
    TYPE(VALU),         TYPE(MATRIX), TYPE(SCALAR),  TYPE(TEX),     TYPE(LDS),
    TYPE(FLAT),         TYPE(EXPORT), TYPE(MESSAGE), TYPE(BARRIER), TYPE(BRANCH_NOT_TAKEN),
    TYPE(BRANCH_TAKEN), TYPE(JUMP),   TYPE(OTHER),   TYPE(NO_INST), TYPE(NONE),
    TYPE(NONE)};
#define REASON(name) ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_##name
static const uint32_t reasons[8] = {
    REASON(NO_INSTRUCTION_AVAILABLE), REASON(ALU_DEPENDENCY), REASON(WAITCNT),
    REASON(INTERNAL_INSTRUCTION),     REASON(BARRIER_WAIT),   REASON(ARBITER_NOT_WIN),
    REASON(ARBITER_WIN_EX_STALL),     REASON(OTHER_WAIT)};

/* X(unit, its bit within SNAPSHOT_ISSUES and within SNAPSHOT_STALLS) */
#define SNAPSHOT_UNITS(X)                                                                          \
    X(misc, 0)                                                                                     \
    X(exp, 1)                                                                                      \
    X(flat, 2)                                                                                     \
    X(lds, 3)                                                                                      \
    X(vmem_tex, 4)                                                                                 \
    X(scalar, 5)                                                                                   \
    X(matrix, 6)                                                                                   \
    X(valu, 7)

static rocprofiler_pc_sampling_snapshot_v0_t snapshot_of(uint32_t word)
{
    const uint32_t issue = word >> SNAPSHOT_ISSUES, stall = word >> SNAPSHOT_STALLS;
    rocprofiler_pc_sampling_snapshot_v0_t s = {0};
    s.reason_not_issued = reasons[word >> SNAPSHOT_REASON & 7] & 15;
    s.dual_issue_valu = (word & SNAPSHOT_DUAL) != 0;
#define X(unit, bit)                                                                               \
    s.arb_state_issue_##unit = issue >> (bit)&1;                                                   \
    s.arb_state_stall_##unit = stall >> (bit)&1;
    SNAPSHOT_UNITS(X)
#undef X
    return s;
}

static uint32_t fill_stochastic(const sdk_pcs_session_t *session, uint64_t agent, const raw_t *raw,
                                record_t *record)
{
    const uint32_t word = raw->snapshot[0];
    const bool behind =
        session->format->mid_instruction && raw->snapshot[1] & SNAPSHOT_MID_INSTRUCTION;
    const place_t place = dispatch_of(session, raw);
    if ((word & (SNAPSHOT_VALID | SNAPSHOT_ERROR)) != SNAPSHOT_VALID) {
        record->invalid =
            (rocprofiler_pc_sampling_record_invalid_t){.size = sizeof record->invalid};
        return ROCPROFILER_PC_SAMPLING_RECORD_INVALID_SAMPLE;
    }
    record->stochastic = (rocprofiler_pc_sampling_record_stochastic_v0_t){
        .size = sizeof record->stochastic,
        .wave_in_group = raw->wave & 63,
        .wave_issued = (word & SNAPSHOT_ISSUED) != 0,
        .inst_type = types[word >> SNAPSHOT_TYPE & 15] & 31,
        .hw_id = hardware(session, raw),
        .pc = locate(agent, raw->pc - (behind ? 8 : 0)),
        .exec_mask = raw->exec_mask,
        .workgroup_id = {raw->group[0], raw->group[1], raw->group[2]},
        .wave_count = raw->snapshot[1] & 63,
        .timestamp = hsax_clock_ns(raw->timestamp),
        .dispatch_id = place.dispatch_id,
        .correlation_id = {.internal = place.internal, .external = {.value = place.external}},
        .snapshot = snapshot_of(word),
    };
    return ROCPROFILER_PC_SAMPLING_RECORD_STOCHASTIC_V0_SAMPLE;
}

/* Makes a record of a raw sample; returns the record's kind. */
typedef uint32_t (*fill_t)(const sdk_pcs_session_t *session, uint64_t agent, const raw_t *raw,
                           record_t *record);

static const fill_t fills[ROCPROFILER_PC_SAMPLING_METHOD_LAST] = {
    [ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC] = fill_stochastic,
    [ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP] = fill_host_trap,
};

static void emit(const sdk_pcs_session_t *session, const raw_t *raw, size_t count)
{
    record_t records[CHUNK];
    uint32_t kinds[CHUNK];
    const fill_t fill = fills[session->way->method];
    const uint64_t agent = atomic_load(&session->hsa);
    for (size_t n; count; raw += n, count -= n) {
        n = count < CHUNK ? count : CHUNK;
        pthread_mutex_lock(&lock);
        for (size_t i = 0; i < n; i++)
            kinds[i] = fill(session, agent, &raw[i], &records[i]);
        pthread_mutex_unlock(&lock);
        for (size_t i = 0; i < n; i++)
            sdk_buffer_emit(session->buffer, ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING, kinds[i],
                            &records[i], sizes[kinds[i]]);
    }
}

static _Thread_local bool receiving;

bool sdk_pcs_receiving(void)
{
    return receiving;
}

void sdk_pcs_receive(void *data, size_t bytes, size_t lost, sdk_pcs_copy_t *copy, void *copy_data)
{
    sdk_pcs_session_t *s = data;
    if (hsax_forked()) return;
    /* samples that the GPU had no room to store count as dropped records */
    atomic_fetch_add(&s->buffer->unringed_drops, lost);
    if (!bytes) return;
    pthread_mutex_lock(&s->receive);
    receiving = true;
    if (bytes <= SDK_PCS_BUFFER && copy(copy_data, bytes, s->received) == HSA_STATUS_SUCCESS)
        emit(s, s->received, bytes / sizeof(raw_t));
    else
        atomic_fetch_add(&s->buffer->unringed_drops, bytes / sizeof(raw_t));
    receiving = false;
    pthread_mutex_unlock(&s->receive);
}

/* ---- end ---- */

void sdk_pcs_forget(sdk_pcs_session_t *session)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < SDK_PCS_DOORBELLS; i++) {
        free(session->queues[i]);
        session->queues[i] = NULL;
    }
    object_count = 0;
    pthread_mutex_unlock(&lock);
    sdk_pcs_retire(sdk_pcs_take_overs(session));
}

void sdk_pcs_samples_forked(void)
{
    pthread_mutex_init(&lock, NULL);
}
