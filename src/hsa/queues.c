/* queues.c - see queues.h. The hooks of queue creation, and the handler that rewrites packets.
 *
 * The runtime calls the handler with one queue's lock held, so packets of a queue are handled one
 * call at a time and in order, on the thread that rang the doorbell. */
#include "hsa/queues.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/replay.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AHEAD            64   /* items ready when a queue is created */
#define LIMIT_FACTOR     4    /* items at most, in queue sizes */
#define LIMIT_LEAST      4096 /* and not fewer than this */
#define BATCH            32   /* packets of one call without asking for memory */
#define GATE             2    /* packets of a gate */
#define QUEUE_SIZE_LEAST 4    /* an intercept queue needs room for its own retry packet */
#define MARKS            4    /* of what has left a ring, see room_t */
#define MARKED_SIZE      64   /* the least ring that has them */
#define RESERVE          2 /* of a ring: a slot that stays free, and the runtime's retry packet */
#define PATIENCE_NS      1000000000u

/* What is in the ring that the runtime writes to for the program. The program sees its packets
 * leave when we were given them, so it may be far ahead of the GPU. Builds of ROCr 5 with
 * assertions end the process when packets do not fit for the second time, so we wait where a
 * program that writes to the ring itself would. Now and then a barrier that waits for nothing drops
 * a signal when the GPU has come so far. The handler's alone. */
typedef struct {
    uint64_t written, passed; /* packets ever: put into the ring, known to have left it */
    uint64_t marked;          /* written, up to the last mark */
    struct {
        hsa_signal_t signal;
        uint64_t at;
    } marks[MARKS];
    unsigned first, count;
    bool stuck; /* nothing has moved for long: the runtime's own way out is tried */
} room_t;

/* A packet that is none: before it writes the next, the runtime calls back. Of hsa_api_trace.h from
 * ROCr 5.6 on. */
enum { FORMAT_MARKER = 0xfe };

typedef struct marker {
    uint16_t header;
    uint8_t format, reserved[5];
    void (*callback)(const struct marker *marker, hsa_queue_t *queue, uint64_t packet);
    hsax_mark_t mark;
} marker_t;
_Static_assert(sizeof(marker_t) == 64, "a packet has 64 bytes");

typedef union {
    uint16_t header;
    hsa_kernel_dispatch_packet_t dispatch;
    marker_t marker;
    hsa_barrier_and_packet_t barrier;
    unsigned char bytes[64];
} packet_t;

/* Packets on their way to the writer, and the items that are in them. All packets of a call go in
 * one write: ROCr 5 crashes in a second one, and wherever the first did not fit into the ring, a
 * second that does would overtake it. The handler's alone. */
typedef struct {
    hsax_packet_writer_t writer;
    unsigned count, room;
    unsigned markers;               /* of the packets: they take no room in the ring */
    packet_t *packets;              /* `few` or memory; one more than `room`, for a mark */
    hsax_item_t *items, *last_item; /* oldest first */
    packet_t few[BATCH + 1];
} outgoing_t;

typedef struct queue {
    struct queue *next;
    hsa_queue_t *hsa;
    uint64_t id;
    hsax_lane_t *lane;
    /* Since the last gate a packet of the program has come that may wait for other queues. The
     * handler's alone. */
    bool barred;
    room_t room;
    outgoing_t out;
    void (*failed)(hsa_status_t, hsa_queue_t *, void *); /* the program's */
    void *failed_data;
} queue_t;

static const hsax_dispatch_client_t *client;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static queue_t *queues;
static atomic_uint_fast64_t last_queue_id, missed;
static bool others; /* another tool's hook is where the runtime's hsa_queue_create was */
static _Thread_local struct {
    const hsa_queue_t *queue;
    uint64_t index;
} current;

const hsa_queue_t *hsax_queues_current(uint64_t *index)
{
    *index = current.index;
    return current.queue;
}

uint64_t hsax_queues_missed(void)
{
    return atomic_load(&missed);
}

static bool read_times(hsax_item_t *item)
{
    hsa_amd_profiling_dispatch_time_t time;
    hsa_status_t status = hsax.amd_ext.hsa_amd_profiling_get_dispatch_time_fn(
        hsax_lane_agent(item->lane), item->signal, &time);
    if (status != HSA_STATUS_SUCCESS) {
        base_warning("no timestamps of a kernel dispatch (HSA status 0x%x)", status);
        return false;
    }
    item->start_ns = hsax_clock_ns(time.start);
    item->end_ns = hsax_clock_ns(time.end);
    return true;
}

bool hsax_queue_find(const hsa_queue_t *hsa, uint64_t *id, hsa_agent_t *agent)
{
    pthread_mutex_lock(&lock);
    const queue_t *queue = queues;
    while (queue && queue->hsa != hsa)
        queue = queue->next;
    if (queue) {
        *id = queue->id;
        *agent = hsax_lane_agent(queue->lane);
    }
    pthread_mutex_unlock(&lock);
    return queue;
}

/* ---- packets ---- */

static unsigned type_of(const packet_t *packet)
{
    return packet->header >> HSA_PACKET_HEADER_TYPE & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

static bool is_dispatch(const packet_t *packet)
{
    return type_of(packet) == HSA_PACKET_TYPE_KERNEL_DISPATCH;
}

/* Barriers without signals wait for their own queue; of all else nothing is known. */
static bool may_wait_for_others(const packet_t *packet)
{
    if (type_of(packet) != HSA_PACKET_TYPE_BARRIER_AND &&
        type_of(packet) != HSA_PACKET_TYPE_BARRIER_OR)
        return true;
    for (int i = 0; i < 5; i++)
        if (packet->barrier.dep_signal[i].handle) return true;
    return false;
}

/* ---- room in the ring ---- */

static void look_at_marks(room_t *room)
{
    while (room->count) {
        unsigned i = room->first;
        const amd_signal_t *signal = hsax_signal_block(room->marks[i].signal);
        if (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE) > 0) return;
        room->passed = room->marks[i].at;
        room->first = (i + 1) % MARKS;
        room->count--;
        room->stuck = false;
    }
}

static void wait_for_room(room_t *room, uint32_t size, uint64_t count)
{
    uint64_t most = size - RESERVE - 1; /* and a mark */
    uint64_t passed = room->passed, since = 0;
    while (room->written + count - room->passed > most) {
        look_at_marks(room);
        if (room->stuck || !room->count) return;
        uint64_t now = hsax_monotonic_ns();
        if (!since || room->passed != passed) since = now;
        passed = room->passed;
        room->stuck = now - since > PATIENCE_NS;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

/* A mark as the next packet but `count`. */
static bool make_mark(room_t *room, uint64_t count, packet_t *packet)
{
    unsigned i = (room->first + room->count) % MARKS;
    hsa_signal_t *signal = &room->marks[i].signal;
    room->marked = room->written + count; /* tried, if it fails */
    if (!signal->handle && !hsax_make_signal(signal)) {
        signal->handle = 0;
        return false;
    }
    __atomic_store_n(&hsax_signal_block(*signal)->value, 1, __ATOMIC_RELAXED);
    memset(packet, 0, sizeof *packet);
    packet->header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;
    packet->barrier.completion_signal = *signal;
    room->marks[i].at = room->written + count + 1;
    room->count++;
    return true;
}

/* Waits until `count` packets fit. `behind` them may become a mark. How many there are then. */
static uint64_t take_room(queue_t *queue, uint64_t count, packet_t *behind)
{
    room_t *room = &queue->room;
    uint32_t size = queue->hsa->size;
    if (size >= MARKED_SIZE && !hsax_forked()) {
        wait_for_room(room, size, count);
        bool due = room->written + count - room->marked >= size / MARKS;
        if (due && behind && count + RESERVE < size && room->count < MARKS &&
            make_mark(room, count, behind))
            count++;
    }
    room->written += count;
    return count;
}

static void free_marks(const room_t *room)
{
    for (unsigned i = 0; i < MARKS; i++)
        if (room->marks[i].signal.handle) hsax.core.hsa_signal_destroy_fn(room->marks[i].signal);
}

/* ---- dispatches ---- */

/* Gives the packet our signal if the client wants it, or if it has to take a turn. `asked`: the
 * client may be asked. */
static hsax_item_t *adopt(queue_t *queue, packet_t *packet, bool serial, bool asked)
{
    hsax_item_t *item = hsax_lane_take(queue->lane);
    if (!item) {
        if (atomic_fetch_add(&missed, 1) == 0)
            base_warning("kernel dispatches go unrecorded: no free signal for queue %llu",
                         (unsigned long long)queue->id);
        return NULL;
    }
    current.queue = queue->hsa;
    if (serial) item->special = true; /* not written otherwise: a line less to touch */
    if (!asked || !client->begin(item, queue->id, &packet->dispatch)) {
        if (!serial) {
            hsax_lane_untake(item);
            return NULL;
        }
        item->anonymous = true;
    }
    item->program_signal = packet->dispatch.completion_signal;
    packet->dispatch.completion_signal = item->signal;
    return item;
}

/* Has every dispatch been told of? */
static bool all_told(const queue_t *queue)
{
    const hsax_lane_t *lane = queue->lane;
    return !queue->out.items && atomic_load_explicit(&lane->submitted, memory_order_relaxed) ==
                                    atomic_load_explicit(&lane->finished, memory_order_acquire);
}

/* A barrier behind dispatches that have not been told of yet completes when they have. */
static hsax_item_t *adopt_barrier(queue_t *queue, packet_t *packet)
{
    if (!client->told_first || type_of(packet) != HSA_PACKET_TYPE_BARRIER_AND ||
        !(packet->header >> HSA_PACKET_HEADER_BARRIER & 1) ||
        !packet->barrier.completion_signal.handle || all_told(queue))
        return NULL;
    hsax_item_t *item = hsax_lane_take(queue->lane);
    if (!item) return NULL;
    item->special = item->anonymous = item->follows = true;
    item->program_signal = packet->barrier.completion_signal;
    packet->barrier.completion_signal = item->signal;
    return item;
}

/* ---- packets around dispatches ---- */

static void flush(queue_t *queue)
{
    outgoing_t *out = &queue->out;
    const unsigned real = out->count - out->markers;
    out->writer(out->packets, out->markers + take_room(queue, real, &out->packets[out->count]));
    for (hsax_item_t *item = out->items, *next; item; item = next) {
        next = item->next;
        if (!item->anonymous) client->submitted(item);
        hsax_lane_submit(item);
    }
    out->count = out->markers = 0;
    out->items = NULL;
}

static bool grow(outgoing_t *out)
{
    unsigned room = out->room * 2;
    packet_t *more = malloc((room + 1) * sizeof *more);
    if (!more) return false;
    memcpy(more, out->packets, out->count * sizeof *more);
    if (out->packets != out->few) free(out->packets);
    out->packets = more;
    out->room = room;
    return true;
}

static packet_t *add(queue_t *queue)
{
    outgoing_t *out = &queue->out;
    if (out->count == out->room && !grow(out)) flush(queue);
    return &out->packets[out->count++];
}

/* Only after all its packets: they may be written at any time. */
static void add_item(queue_t *queue, hsax_item_t *item)
{
    outgoing_t *out = &queue->out;
    item->next = NULL;
    if (out->items)
        out->last_item->next = item;
    else
        out->items = item;
    out->last_item = item;
}

static void on_marker(const marker_t *marker, hsa_queue_t *queue, uint64_t packet)
{
    client->placed(&marker->mark, queue, packet);
}

static void add_marker(queue_t *queue, const hsax_mark_t *mark)
{
    packet_t *packet = add(queue);
    memset(packet, 0, sizeof *packet);
    packet->header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE;
    packet->marker.format = FORMAT_MARKER;
    packet->marker.callback = on_marker;
    packet->marker.mark = *mark;
    queue->out.markers++;
}

/* The program's dispatch, behind its marker if it has one. */
static packet_t *add_marked(queue_t *queue, const packet_t *packet, const hsax_item_t *item)
{
    if (item->special && item->mark) add_marker(queue, item->mark);
    packet_t *dispatch = add(queue);
    *dispatch = *packet;
    return dispatch;
}

static void add_all(queue_t *queue, const void *packets, unsigned count)
{
    for (const packet_t *from = packets; count--; from++)
        *add(queue) = *from;
}

static void add_barrier(queue_t *queue, hsa_signal_t dependency, hsa_signal_t completion,
                        hsa_fence_scope_t release)
{
    packet_t *packet = add(queue);
    memset(packet, 0, sizeof *packet);
    packet->header = (uint16_t)(HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                                1 << HSA_PACKET_HEADER_BARRIER |
                                release << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
    packet->barrier.dep_signal[0] = dependency;
    packet->barrier.completion_signal = completion;
}

/* The turn is lost to a lack of something: the dispatch passes uncounted rather than not at all. */
static void count_missed_turn(const char *lack)
{
    static atomic_bool told;
    if (!atomic_exchange(&told, true))
        base_warning("no %s to keep kernels of an agent apart: counters may see several", lack);
}

/* Keeps what comes next until the turn has come, if it has not. */
static void add_gate(queue_t *queue, const hsax_item_t *item)
{
    const hsa_signal_t none = {0};
    if (!item->turn.gate) return;
    add_barrier(queue, none, item->turn.gate->ready, HSA_FENCE_SCOPE_NONE);
    add_barrier(queue, item->turn.gate->go, none, HSA_FENCE_SCOPE_NONE);
}

/* Packets that only keep each other out, of whatever queue: they take a turn of their own when the
 * queue has come to them. */
static void add_alone(queue_t *queue, const void *packets, unsigned count)
{
    const hsa_signal_t none = {0};
    hsax_item_t *item = hsax_lane_take(queue->lane);
    if (item) {
        item->special = item->anonymous = true;
        if (!hsax_turn_take(item, true, true)) count_missed_turn("signals");
        add_gate(queue, item);
    } else {
        count_missed_turn("signals");
    }
    add_all(queue, packets, count);
    if (!item) return;
    add_barrier(queue, none, item->signal, HSA_FENCE_SCOPE_SYSTEM);
    add_item(queue, item);
}

static void add_shared(queue_t *queue, const packet_t *packet, hsax_item_t *item)
{
    const hsax_wrap_t *wrap = item->wrap;
    add_alone(queue, wrap->before, wrap->before_count);
    packet_t *dispatch = add_marked(queue, packet, item);
    dispatch->header |= 1 << HSA_PACKET_HEADER_BARRIER;
    item->last = wrap->done;
    item->wrap = NULL;
    add_alone(queue, wrap->after, wrap->after_count);
    add_barrier(queue, (hsa_signal_t){0}, wrap->done, HSA_FENCE_SCOPE_SYSTEM);
    add_item(queue, item);
}

static void add_step(queue_t *queue, const hsax_replay_t *replay, unsigned run)
{
    hsax_step_t step = hsax_replay_step(replay, run);
    add_barrier(queue, (hsa_signal_t){0}, step.ready, HSA_FENCE_SCOPE_SYSTEM);
    add_barrier(queue, step.go, (hsa_signal_t){0}, HSA_FENCE_SCOPE_NONE);
}

/* All runs but the last, of which nobody else sees anything. The wrap of the last. */
static const hsax_wrap_t *add_runs(queue_t *queue, const packet_t *packet, const hsax_wrap_t *wrap)
{
    const hsax_replay_t *replay = wrap->replay;
    if (!replay) return wrap;
    for (unsigned run = 0;; wrap = wrap->again) {
        add_step(queue, replay, run++);
        if (!wrap->again) return wrap;
        add_all(queue, wrap->before, wrap->before_count);
        packet_t *dispatch = add(queue);
        *dispatch = *packet;
        dispatch->header |= 1 << HSA_PACKET_HEADER_BARRIER;
        dispatch->dispatch.completion_signal.handle = 0;
        add_all(queue, wrap->after, wrap->after_count);
    }
}

static void add_dispatch(queue_t *queue, const packet_t *packet, hsax_item_t *item)
{
    const hsa_signal_t none = {0};
    const hsax_wrap_t *wrap = item->wrap;
    if (wrap && wrap->shared) {
        add_shared(queue, packet, item);
        return;
    }
    if (!hsax_turn_take(item, wrap || item->alone, queue->barred)) count_missed_turn("signals");
    if (item->turn.gate) queue->barred = false;
    add_gate(queue, item);
    if (wrap) {
        wrap = add_runs(queue, packet, wrap);
        add_all(queue, wrap->before, wrap->before_count);
    }
    packet_t *dispatch = add_marked(queue, packet, item);
    if (wrap) {
        dispatch->header |= 1 << HSA_PACKET_HEADER_BARRIER;
        item->last = wrap->done;
        item->wrap = NULL;
        add_all(queue, wrap->after, wrap->after_count);
        add_barrier(queue, none, wrap->done, HSA_FENCE_SCOPE_SYSTEM);
    }
    add_item(queue, item);
}

/* Runtimes whose writer may be called again in one call of a handler. Not ROCr 5; the first that
 * have this function are all newer than the change. */
static bool writes_again(void)
{
    return hsax.amd_ext.hsa_amd_vmem_address_reserve_fn;
}

/* Can the ring hold `more` packets besides those added? ROCr 5 never writes what it cannot. */
static bool fits(const queue_t *queue, uint64_t more)
{
    return writes_again() || queue->out.count + more + RESERVE < queue->hsa->size;
}

/* May the client be asked about the next dispatch of a call, with `left` packets behind it? In ROCr
 * 5 not if it may wait for one before, which cannot be written apart. Only another tool's handler
 * before ours hands over several there. */
static bool askable(queue_t *queue, uint64_t left)
{
    if (!queue->out.count && !left) return true;
    bool apart = queue->out.items && client->begin_waits;
    if (apart && writes_again()) {
        flush(queue);
        return true;
    }
    if (!apart && fits(queue, left + BATCH)) return true;
    if (atomic_fetch_add(&missed, 1) == 0)
        base_warning("kernel dispatches go unrecorded: another tool hands several to queue %llu at "
                     "once",
                     (unsigned long long)queue->id);
    return false;
}

/* Is there a place for the gate of a dispatch that the client is not asked about? */
static bool gate_fits(const queue_t *queue, uint64_t left)
{
    if (fits(queue, GATE + 1 + left)) return true;
    count_missed_turn("room in the queue");
    return false;
}

/* While dispatches take turns: what rewrite() does, with more packets than came. */
static void rewrite_serial(queue_t *queue, const packet_t *packets, uint64_t count, uint64_t index)
{
    for (; count--; packets++) {
        packet_t packet = *packets;
        current.index = index++;
        hsax_item_t *item = NULL;
        if (is_dispatch(&packet)) {
            bool asked = askable(queue, count);
            if (asked || gate_fits(queue, count)) item = adopt(queue, &packet, true, asked);
        }
        if (item) {
            add_dispatch(queue, &packet, item);
            continue;
        }
        if (!is_dispatch(&packet) && may_wait_for_others(&packet)) queue->barred = true;
        item = adopt_barrier(queue, &packet);
        *add(queue) = packet;
        if (item) add_item(queue, item);
    }
    flush(queue);
}

static bool serial(const queue_t *queue)
{
    return client->serial && (client->serial() || hsax_turns_busy(hsax_lane_agent(queue->lane)));
}

/* ---- packets as they came ---- */

static void rewrite(queue_t *queue, const packet_t *packets, uint64_t count, uint64_t index)
{
    for (; count--; packets++, index++) {
        packet_t *packet = add(queue);
        *packet = *packets;
        current.index = index;
        hsax_item_t *item =
            is_dispatch(packet) ? adopt(queue, packet, false, true) : adopt_barrier(queue, packet);
        if (item && item->special && item->mark) {
            const packet_t dispatch = *packet;
            queue->out.count--;
            add_marked(queue, &dispatch, item);
        }
        if (item) add_item(queue, item);
    }
    flush(queue);
}

static void pass(queue_t *queue, const packet_t *packets, uint64_t count,
                 hsax_packet_writer_t writer)
{
    packet_t *copy = queue->out.few;
    uint64_t total = take_room(queue, count, count <= BATCH ? &copy[count] : NULL);
    if (total > count) packets = memcpy(copy, packets, count * sizeof *copy);
    writer(packets, total);
}

static void handle_packets(const void *packets, uint64_t count, uint64_t index, void *data,
                           hsax_packet_writer_t writer)
{
    queue_t *queue = data;
    queue->out.writer = writer;
    if (hsax_collecting() && serial(queue))
        rewrite_serial(queue, packets, count, index);
    else if (hsax_collecting() && client->wanted())
        rewrite(queue, packets, count, index);
    else
        pass(queue, packets, count, writer);
}

/* ---- queues ---- */

static void remember(queue_t *queue)
{
    pthread_mutex_lock(&lock);
    queue->next = queues;
    queues = queue;
    pthread_mutex_unlock(&lock);
}

static queue_t *forget(const hsa_queue_t *hsa)
{
    queue_t *found = NULL;
    pthread_mutex_lock(&lock);
    for (queue_t **link = &queues; *link && !found; link = &(*link)->next) {
        if ((*link)->hsa != hsa) continue;
        found = *link;
        *link = found->next;
        break;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* The runtime's word that a queue has failed: the program is told, and nobody waits for it. */
static void on_failure(hsa_status_t status, hsa_queue_t *hsa, void *data)
{
    queue_t *queue = data;
    hsax_lane_t *lane = __atomic_load_n(&queue->lane, __ATOMIC_ACQUIRE);
    if (status != HSA_STATUS_SUCCESS && lane && !hsax_forked()) hsax_lane_fail(lane);
    queue->failed(status, hsa, queue->failed_data);
}

/* Makes a queue just created ours; on failure it stays an ordinary one that is not traced. */
static bool attach(queue_t *queue, hsa_agent_t agent, hsa_queue_t *hsa)
{
    hsax_lane_ops_t ops = {client->client_size, read_times, client->complete, client->lost};
    unsigned limit = hsa->size * LIMIT_FACTOR;
    queue->hsa = hsa;
    queue->out.packets = queue->out.few;
    queue->out.room = BATCH;
    queue->id = atomic_fetch_add(&last_queue_id, 1) + 1;
    hsax_lane_t *lane =
        hsax_lane_open(&ops, agent, AHEAD, limit < LIMIT_LEAST ? LIMIT_LEAST : limit);
    if (!lane) return false;
    __atomic_store_n(&queue->lane, lane, __ATOMIC_RELEASE);
    if (hsax.amd_ext.hsa_amd_profiling_set_profiler_enabled_fn(hsa, 1) ||
        hsax.amd_ext.hsa_amd_queue_intercept_register_fn(hsa, handle_packets, queue))
        goto fail;
    remember(queue);
    return true;
fail:
    __atomic_store_n(&queue->lane, NULL, __ATOMIC_RELEASE);
    hsax_lane_close(lane);
    return false;
}

/* The queue that another tool's hook makes becomes ours too, if it is an intercept queue. */
static hsa_status_t share_queue(queue_t *made, hsa_agent_t agent, uint32_t size,
                                hsa_queue_type32_t type, uint32_t private_size, uint32_t group_size,
                                hsa_queue_t **queue)
{
    hsa_status_t status = hsax.core.hsa_queue_create_fn(
        agent, size, type, made->failed ? on_failure : NULL, made, private_size, group_size, queue);
    if (status != HSA_STATUS_SUCCESS || attach(made, agent, *queue)) return status;
    hsax.core.hsa_queue_destroy_fn(*queue);
    return HSA_STATUS_ERROR;
}

static queue_t *new_queue(void)
{
    queue_t *made = calloc(1, sizeof *made);
    if (!made) base_warning("dispatches of one queue are not recorded: no memory");
    return made;
}

static hsa_status_t make_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                               void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                               uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    queue_t *made = hsax_collecting() && queue && size >= QUEUE_SIZE_LEAST ? new_queue() : NULL;
    if (made) {
        made->failed = callback; /* without one the runtime has its own, which ends the process */
        made->failed_data = data;
        if (others && share_queue(made, agent, size, type, private_size, group_size, queue) ==
                          HSA_STATUS_SUCCESS)
            return HSA_STATUS_SUCCESS;
        hsa_status_t status = hsax.amd_ext.hsa_amd_queue_intercept_create_fn(
            agent, size, type, callback ? on_failure : NULL, made, private_size, group_size, queue);
        if (status == HSA_STATUS_SUCCESS) {
            if (!attach(made, agent, *queue)) /* it stays for the callback */
                base_warning("dispatches of one queue are not recorded: it cannot be intercepted");
            return status;
        }
        free(made);
        base_info("no intercept queue of size %u (HSA status 0x%x)", size, status);
    }
    return hsax.core.hsa_queue_create_fn(agent, size, type, callback, data, private_size,
                                         group_size, queue);
}

/* ---- queues for cooperative launches ----
 *
 * The runtime has one for each agent, which everyone who asks gets, and which goes when nobody has
 * it any more. Its intercept queue over that one does not know: destroyed, it frees the agent's,
 * which the runtime frees again at its end (ROCr 6); kept, it keeps the agent's until the end, too
 * late for ROCr 7. So ours, which all get, is never destroyed, but its share in the agent's is
 * given back with the last user's, by the agent's queue's own name. */

typedef struct shared {
    struct shared *next;
    hsa_agent_t agent;
    hsa_queue_t *hsa;
    hsa_queue_t *agents; /* under our queue, of which this is a second share; NULL: not known */
    unsigned users;
} shared_t;

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER; /* also while one is made */
static shared_t *shared;

/* One user less of a shared queue. Whether it is one; *last if that was the last user. */
static bool let_go_of_shared(const hsa_queue_t *hsa, shared_t *last)
{
    last->agents = NULL;
    pthread_mutex_lock(&shared_lock);
    shared_t **at = &shared, *s;
    while ((s = *at) && s->hsa != hsa)
        at = &s->next;
    const bool found = s != NULL;
    if (found && --s->users == 0 && s->agents) {
        *last = *s;
        *at = s->next;
        free(s);
    }
    pthread_mutex_unlock(&shared_lock);
    return found;
}

static void forget_shared(void)
{
    pthread_mutex_lock(&shared_lock);
    while (shared) {
        shared_t *s = shared;
        shared = s->next;
        free(s);
    }
    pthread_mutex_unlock(&shared_lock);
}

static hsa_status_t get_shared(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                               void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                               uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&shared_lock);
    shared_t *s = shared;
    while (s && s->agent.handle != agent.handle)
        s = s->next;
    if (s) {
        *queue = s->hsa;
        s->users++;
    } else if ((s = calloc(1, sizeof *s)) == NULL) { /* the program gets its queue */
        base_warning("cooperative launches of one agent are not recorded: no memory");
        status = hsax.core.hsa_queue_create_fn(agent, size, type, callback, data, private_size,
                                               group_size, queue);
    } else {
        status = make_queue(agent, size, type, callback, data, private_size, group_size, queue);
        if (status == HSA_STATUS_SUCCESS) {
            *s = (shared_t){.next = shared, .agent = agent, .hsa = *queue, .users = 1};
            shared = s;
            /* where others make the queues, what is under ours is theirs */
            if (!others &&
                hsax.core.hsa_queue_create_fn(agent, size, type, NULL, NULL, private_size,
                                              group_size, &s->agents) != HSA_STATUS_SUCCESS)
                s->agents = NULL;
        } else {
            free(s);
        }
    }
    pthread_mutex_unlock(&shared_lock);
    return status;
}

static hsa_status_t create_queue(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                 void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                                 uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    if (type & HSA_QUEUE_TYPE_COOPERATIVE && hsax_collecting() && queue)
        return get_shared(agent, size, type, callback, data, private_size, group_size, queue);
    return make_queue(agent, size, type, callback, data, private_size, group_size, queue);
}

/* The program's own intercept queue, or that of a tool whose hooks came after ours. */
static hsa_status_t create_intercepted(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                       void (*callback)(hsa_status_t, hsa_queue_t *, void *),
                                       void *data, uint32_t private_size, uint32_t group_size,
                                       hsa_queue_t **queue)
{
    queue_t *made = hsax_collecting() && queue ? new_queue() : NULL;
    if (!made)
        return hsax.amd_ext.hsa_amd_queue_intercept_create_fn(agent, size, type, callback, data,
                                                              private_size, group_size, queue);
    made->failed = callback;
    made->failed_data = data;
    hsa_status_t status = hsax.amd_ext.hsa_amd_queue_intercept_create_fn(
        agent, size, type, callback ? on_failure : NULL, made, private_size, group_size, queue);
    if (status != HSA_STATUS_SUCCESS)
        free(made);
    else if (!attach(made, agent, *queue))
        base_warning("dispatches of one queue are not recorded: it cannot be intercepted");
    return status;
}

/* Functions of one library lie in one file. */
static bool is_of(void (*function)(void), void (*other)(void))
{
    Dl_info a, b;
    return dladdr((void *)function, &a) && dladdr((void *)other, &b) && a.dli_fbase == b.dli_fbase;
}

static void free_queue(queue_t *queue)
{
    hsax_lane_close(queue->lane);
    free_marks(&queue->room);
    if (queue->out.packets != queue->out.few) free(queue->out.packets);
    free(queue);
}

/* The GPU stops first; then nothing of the queue can be in the making. */
static hsa_status_t destroy_queue(hsa_queue_t *hsa)
{
    shared_t last;
    const bool is_shared = !hsax_forked() && let_go_of_shared(hsa, &last);
    if (is_shared && !last.agents) return HSA_STATUS_SUCCESS;
    queue_t *queue = hsax_forked() ? NULL : forget(hsa);
    hsa_status_t status = hsax.core.hsa_queue_destroy_fn(is_shared ? last.agents : hsa);
    if (is_shared && status == HSA_STATUS_SUCCESS)
        status = hsax.core.hsa_queue_destroy_fn(last.agents);
    if (!queue) return status;
    if (status != HSA_STATUS_SUCCESS)
        remember(queue);
    else
        free_queue(queue);
    return status;
}

/* Our times need the queue's profiling: it stays on whatever the program asks. */
static hsa_status_t set_profiler_enabled(hsa_queue_t *hsa, int enable)
{
    uint64_t id;
    hsa_agent_t agent;
    if (!enable && !hsax_forked() && hsax_queue_find(hsa, &id, &agent)) return HSA_STATUS_SUCCESS;
    return hsax.amd_ext.hsa_amd_profiling_set_profiler_enabled_fn(hsa, enable);
}

bool hsax_queues_hook(const hsax_api_table_t *table, const hsax_dispatch_client_t *who)
{
    if (!hsax.amd_ext.hsa_amd_queue_intercept_create_fn ||
        !hsax.amd_ext.hsa_amd_queue_intercept_register_fn) {
        base_error("the HSA runtime has no intercept queues: kernel dispatches cannot be traced");
        return false;
    }
    client = who;
    others = !is_of((void (*)(void))hsax.core.hsa_queue_create_fn,
                    (void (*)(void))hsax.amd_ext.hsa_amd_queue_intercept_register_fn);
    queues = NULL; /* of a runtime that was shut down, with its lanes */
    forget_shared();
    HSAX_HOOK_CORE(table, hsa_queue_create, create_queue);
    HSAX_HOOK_CORE(table, hsa_queue_destroy, destroy_queue);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_queue_intercept_create, create_intercepted);
    HSAX_HOOK_AMD_EXT(table, hsa_amd_profiling_set_profiler_enabled, set_profiler_enabled);
    return true;
}
