/* packets.c - rewrites packets that the program writes to its queues (packets.h): replaces their
 * signals, and adds packets around dispatches, gates for turns, and marks. */
#include "hsa/packets.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/replay.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GATE        2  /* number of packets of a gate */
#define MARKED_SIZE 64 /* rings of this size or larger get marks */
/* slots of a ring: one that stays free, and one for the runtime's retry packet */
#define RESERVE     2
#define PATIENCE_NS 1000000000u

const hsax_dispatch_client_t *hsax_queue_client;
static atomic_uint_fast64_t missed;
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

/* ---- packets ---- */

static unsigned type_of(const hsax_packet_t *packet)
{
    return packet->header >> HSA_PACKET_HEADER_TYPE & ((1u << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

static bool is_dispatch(const hsax_packet_t *packet)
{
    return type_of(packet) == HSA_PACKET_TYPE_KERNEL_DISPATCH;
}

/* Returns whether the packet only waits and decrements its signal. HIP also writes AMD's vendor
 * form of it. */
static bool is_barrier(const hsax_packet_t *packet)
{
    const unsigned type = type_of(packet);
    return type == HSA_PACKET_TYPE_BARRIER_AND || type == HSA_PACKET_TYPE_BARRIER_OR ||
           (type == HSA_PACKET_TYPE_VENDOR_SPECIFIC &&
            packet->marker.format == HSA_AMD_PACKET_TYPE_BARRIER_VALUE);
}

/* Returns whether the packet may wait for another queue. Only barriers without signals certainly do
 * not. */
static bool may_wait_for_others(const hsax_packet_t *packet)
{
    if (type_of(packet) != HSA_PACKET_TYPE_BARRIER_AND &&
        type_of(packet) != HSA_PACKET_TYPE_BARRIER_OR)
        return true;
    for (int i = 0; i < 5; i++)
        if (packet->barrier.dep_signal[i].handle) return true;
    return false;
}

/* ---- room in the ring ---- */

static void read_marks(hsax_room_t *room)
{
    while (room->count) {
        unsigned i = room->first;
        const amd_signal_t *signal = hsax_signal_block(room->marks[i].signal);
        if (__atomic_load_n(&signal->value, __ATOMIC_ACQUIRE) > 0) return;
        room->passed = room->marks[i].at;
        room->first = (i + 1) % HSAX_MARKS;
        room->count--;
        room->stuck = false;
    }
}

static void wait_for_room(hsax_room_t *room, uint32_t size, uint64_t count)
{
    uint64_t most = size - RESERVE - 1; /* one more, for a mark */
    uint64_t passed = room->passed, since = 0;
    while (room->written + count - room->passed > most) {
        read_marks(room);
        if (room->stuck || !room->count) return;
        uint64_t now = base_clock_ns(CLOCK_MONOTONIC);
        if (!since || room->passed != passed) since = now;
        passed = room->passed;
        room->stuck = now - since > PATIENCE_NS;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

/* Makes *packet a mark, which is to be written after `count` other packets. */
static bool make_mark(hsax_room_t *room, uint64_t count, hsax_packet_t *packet)
{
    unsigned i = (room->first + room->count) % HSAX_MARKS;
    hsa_signal_t *signal = &room->marks[i].signal;
    /* also if it fails, so that the next try is as far away */
    room->marked = room->written + count;
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

/* Waits until `count` packets fit. If a mark is due, makes *behind one. Returns the number of
 * packets, including the mark. */
static uint64_t take_room(hsax_queue_t *queue, uint64_t count, hsax_packet_t *behind)
{
    hsax_room_t *room = &queue->room;
    uint32_t size = queue->hsa->size;
    if (size >= MARKED_SIZE && !hsax_forked()) {
        wait_for_room(room, size, count);
        bool due = room->written + count - room->marked >= size / HSAX_MARKS;
        if (due && behind && count + RESERVE < size && room->count < HSAX_MARKS &&
            make_mark(room, count, behind))
            count++;
    }
    room->written += count;
    return count;
}

static void free_marks(const hsax_room_t *room)
{
    for (unsigned i = 0; i < HSAX_MARKS; i++)
        if (room->marks[i].signal.handle) hsax.core.hsa_signal_destroy_fn(room->marks[i].signal);
}

/* ---- dispatches ---- */

/* Replaces the packet's signal by an item's if the client wants it, or if it has to take a turn.
 * `asked`: the client's begin() may be called. */
static hsax_item_t *adopt(hsax_queue_t *queue, hsax_packet_t *packet, bool serial, bool asked)
{
    hsax_item_t *item = hsax_lane_take(queue->lane);
    if (!item) {
        if (atomic_fetch_add(&missed, 1) == 0)
            base_warning("kernel dispatches go unrecorded: no free signal for queue %llu",
                         (unsigned long long)queue->id);
        return NULL;
    }
    current.queue = queue->hsa;
    if (serial) item->special = true; /* not written if false, to use one cache line less */
    if (!asked || !hsax_queue_client->begin(item, queue->id, &packet->dispatch)) {
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

/* Returns whether every dispatch of the queue has been reported. */
static bool all_reported(const hsax_queue_t *queue)
{
    const hsax_lane_t *lane = queue->lane;
    return !queue->out.items && atomic_load_explicit(&lane->submitted, memory_order_relaxed) ==
                                    atomic_load_explicit(&lane->finished, memory_order_acquire);
}

/* Replaces a barrier's signal by the item's. */
static void adopt_signal(hsax_item_t *item, hsax_packet_t *packet)
{
    item->special = item->follows = true;
    item->program_signal = packet->barrier.completion_signal;
    packet->barrier.completion_signal = item->signal;
}

/* Replaces a barrier's signal if the client wants it reported. Else returns NULL. */
static hsax_item_t *adopt_wanted(hsax_queue_t *queue, hsax_packet_t *packet)
{
    if (!hsax_queue_client->barrier_wanted || !is_barrier(packet) ||
        !hsax_queue_client->barrier_wanted(packet))
        return NULL;
    hsax_item_t *item = hsax_lane_take(queue->lane);
    if (item && hsax_queue_client->begin_barrier(item, queue->id, packet)) {
        adopt_signal(item, packet);
        return item;
    }
    if (item) hsax_lane_untake(item);
    return NULL;
}

/* Replaces a barrier's signal if it must not complete before the dispatches before it have been
 * reported, or if the client wants it. Else returns NULL. */
static hsax_item_t *adopt_barrier(hsax_queue_t *queue, hsax_packet_t *packet)
{
    hsax_item_t *item = adopt_wanted(queue, packet);
    if (item || !hsax_queue_client->told_first || type_of(packet) != HSA_PACKET_TYPE_BARRIER_AND ||
        !(packet->header >> HSA_PACKET_HEADER_BARRIER & 1) ||
        !packet->barrier.completion_signal.handle || all_reported(queue))
        return item;
    item = hsax_lane_take(queue->lane);
    if (!item) return NULL;
    adopt_signal(item, packet);
    item->anonymous = true;
    return item;
}

/* ---- packets around dispatches ---- */

static void flush(hsax_queue_t *queue)
{
    hsax_outgoing_t *out = &queue->out;
    const unsigned real = out->count - out->markers;
    out->writer(out->packets, out->markers + take_room(queue, real, &out->packets[out->count]));
    for (hsax_item_t *item = out->items, *next; item; item = next) {
        next = item->next;
        if (!item->anonymous) hsax_queue_client->submitted(item);
        hsax_lane_submit(item);
    }
    out->count = out->markers = 0;
    out->items = NULL;
}

static bool grow(hsax_outgoing_t *out)
{
    unsigned room = out->room * 2;
    hsax_packet_t *more = malloc((room + 1) * sizeof *more);
    if (!more) return false;
    memcpy(more, out->packets, out->count * sizeof *more);
    if (out->packets != out->few) free(out->packets);
    out->packets = more;
    out->room = room;
    return true;
}

static hsax_packet_t *add(hsax_queue_t *queue)
{
    hsax_outgoing_t *out = &queue->out;
    if (out->count == out->room && !grow(out)) flush(queue);
    return &out->packets[out->count++];
}

/* To be called after the item's last packet has been added: add() may write all packets added so
 * far, and submits the items that belong to them. */
static void add_item(hsax_queue_t *queue, hsax_item_t *item)
{
    hsax_outgoing_t *out = &queue->out;
    item->next = NULL;
    if (out->items)
        out->last_item->next = item;
    else
        out->items = item;
    out->last_item = item;
}

static void on_marker(const hsax_marker_t *marker, hsa_queue_t *queue, uint64_t packet)
{
    hsax_queue_client->placed(&marker->mark, queue, packet);
}

static void add_marker(hsax_queue_t *queue, const hsax_mark_t *mark)
{
    hsax_packet_t *packet = add(queue);
    memset(packet, 0, sizeof *packet);
    packet->header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE;
    packet->marker.format = HSAX_FORMAT_MARKER;
    packet->marker.callback = on_marker;
    packet->marker.mark = *mark;
    queue->out.markers++;
}

/* Adds the program's dispatch, after its marker if it has one. */
static hsax_packet_t *add_marked(hsax_queue_t *queue, const hsax_packet_t *packet,
                                 const hsax_item_t *item)
{
    if (item->special && item->mark) add_marker(queue, item->mark);
    hsax_packet_t *dispatch = add(queue);
    *dispatch = *packet;
    return dispatch;
}

static void add_all(hsax_queue_t *queue, const void *packets, unsigned count)
{
    for (const hsax_packet_t *from = packets; count--; from++)
        *add(queue) = *from;
}

static void add_barrier(hsax_queue_t *queue, hsa_signal_t dependency, hsa_signal_t completion,
                        hsa_fence_scope_t release)
{
    hsax_packet_t *packet = add(queue);
    memset(packet, 0, sizeof *packet);
    packet->header = (uint16_t)(HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
                                1 << HSA_PACKET_HEADER_BARRIER |
                                release << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
    packet->barrier.dep_signal[0] = dependency;
    packet->barrier.completion_signal = completion;
}

/* Counts a dispatch without a turn, which runs nevertheless. `lack` names the missing resource. */
static void count_missed_turn(const char *lack)
{
    static atomic_bool told;
    if (!atomic_exchange(&told, true))
        base_warning("no %s to keep kernels of an agent apart: counters may see several", lack);
}

/* Adds the gate that holds up the following packets, if the item has to wait for its turn. */
static void add_gate(hsax_queue_t *queue, const hsax_item_t *item)
{
    const hsa_signal_t none = {0};
    if (!item->turn.gate) return;
    add_barrier(queue, none, item->turn.gate->ready, HSA_FENCE_SCOPE_NONE);
    add_barrier(queue, item->turn.gate->go, none, HSA_FENCE_SCOPE_NONE);
}

/* Adds packets with an exclusive turn of their own: they do not run at the same time as other such
 * packets of any queue of the agent. */
static void add_alone(hsax_queue_t *queue, const void *packets, unsigned count)
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

static void add_shared(hsax_queue_t *queue, const hsax_packet_t *packet, hsax_item_t *item)
{
    const hsax_wrap_t *wrap = item->wrap;
    add_alone(queue, wrap->before, wrap->before_count);
    hsax_packet_t *dispatch = add_marked(queue, packet, item);
    dispatch->header |= 1 << HSA_PACKET_HEADER_BARRIER;
    item->last = wrap->done;
    item->wrap = NULL;
    add_alone(queue, wrap->after, wrap->after_count);
    add_barrier(queue, (hsa_signal_t){0}, wrap->done, HSA_FENCE_SCOPE_SYSTEM);
    add_item(queue, item);
}

static void add_step(hsax_queue_t *queue, const hsax_replay_t *replay, unsigned run)
{
    hsax_step_t step = hsax_replay_step(replay, run);
    add_barrier(queue, (hsa_signal_t){0}, step.ready, HSA_FENCE_SCOPE_SYSTEM);
    add_barrier(queue, step.go, (hsa_signal_t){0}, HSA_FENCE_SCOPE_NONE);
}

/* Adds all runs of a dispatch except for the last; they are not reported. Returns the last one's
 * wrap. */
static const hsax_wrap_t *add_runs(hsax_queue_t *queue, const hsax_packet_t *packet,
                                   const hsax_wrap_t *wrap)
{
    const hsax_replay_t *replay = wrap->replay;
    if (!replay) return wrap;
    for (unsigned run = 0;; wrap = wrap->again) {
        add_step(queue, replay, run++);
        if (!wrap->again) return wrap;
        add_all(queue, wrap->before, wrap->before_count);
        hsax_packet_t *dispatch = add(queue);
        *dispatch = *packet;
        dispatch->header |= 1 << HSA_PACKET_HEADER_BARRIER;
        dispatch->dispatch.completion_signal.handle = 0;
        add_all(queue, wrap->after, wrap->after_count);
    }
}

static void add_dispatch(hsax_queue_t *queue, const hsax_packet_t *packet, hsax_item_t *item)
{
    const hsa_signal_t none = {0};
    const hsax_wrap_t *outer = item->wrap, *wrap = outer && outer->inner ? outer->inner : outer;
    if (wrap && wrap->shared) {
        add_shared(queue, packet, item);
        return;
    }
    if (!hsax_turn_take(item, wrap || item->alone, queue->barred)) count_missed_turn("signals");
    if (item->turn.gate) queue->barred = false;
    add_gate(queue, item);
    if (wrap) {
        const hsax_wrap_t *last = add_runs(queue, packet, wrap);
        if (outer == wrap) outer = last;
        if (outer != last) add_all(queue, outer->before, outer->before_count);
        add_all(queue, last->before, last->before_count);
        wrap = last;
    }
    hsax_packet_t *dispatch = add_marked(queue, packet, item);
    if (wrap) {
        dispatch->header |= 1 << HSA_PACKET_HEADER_BARRIER;
        item->last = outer->done;
        item->wrap = NULL;
        add_all(queue, wrap->after, wrap->after_count);
        if (outer != wrap) add_all(queue, outer->after, outer->after_count);
        add_barrier(queue, none, outer->done, HSA_FENCE_SCOPE_SYSTEM);
    }
    add_item(queue, item);
}

/* Returns whether the runtime's writer may be called more than once in one call of a handler. ROCr
 * 5 does not allow that; all runtimes with this function do. */
static bool writes_again(void)
{
    return hsax.amd_ext.hsa_amd_vmem_address_reserve_fn;
}

/* Returns whether the ring can hold `more` packets besides those added, since ROCr 5 cannot write
 * more at once. */
static bool fits(const hsax_queue_t *queue, uint64_t more)
{
    return writes_again() || queue->out.count + more + RESERVE < queue->hsa->size;
}

/* Returns whether begin() may be called for the next dispatch of a call, after which `left` packets
 * follow. With ROCr 5 it may not if begin() could wait for an earlier dispatch of the same call,
 * since that cannot be written first. There, only another tool's handler that runs before this one
 * makes such calls. */
static bool askable(hsax_queue_t *queue, uint64_t left)
{
    if (!queue->out.count && !left) return true;
    bool apart = queue->out.items && hsax_queue_client->begin_waits;
    if (apart && writes_again()) {
        flush(queue);
        return true;
    }
    if (!apart && fits(queue, left + HSAX_BATCH)) return true;
    if (atomic_fetch_add(&missed, 1) == 0)
        base_warning("kernel dispatches go unrecorded: another tool hands several to queue %llu at "
                     "once",
                     (unsigned long long)queue->id);
    return false;
}

/* Returns whether there is room for the gate of a dispatch for which begin() is not called. */
static bool gate_fits(const hsax_queue_t *queue, uint64_t left)
{
    if (fits(queue, GATE + 1 + left)) return true;
    count_missed_turn("room in the queue");
    return false;
}

/* As rewrite(), while dispatches take turns: adds gates and wraps. */
static void rewrite_serial(hsax_queue_t *queue, const hsax_packet_t *packets, uint64_t count,
                           uint64_t index)
{
    for (; count--; packets++) {
        hsax_packet_t packet = *packets;
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

static bool serial(const hsax_queue_t *queue)
{
    return hsax_queue_client->serial &&
           (hsax_queue_client->serial() || hsax_turns_busy(hsax_lane_agent(queue->lane)));
}

/* ---- rewriting ---- */

static void rewrite(hsax_queue_t *queue, const hsax_packet_t *packets, uint64_t count,
                    uint64_t index)
{
    for (; count--; packets++, index++) {
        hsax_packet_t *packet = add(queue);
        *packet = *packets;
        current.index = index;
        hsax_item_t *item =
            is_dispatch(packet) ? adopt(queue, packet, false, true) : adopt_barrier(queue, packet);
        if (item && item->special && item->mark) {
            const hsax_packet_t dispatch = *packet;
            queue->out.count--;
            add_marked(queue, &dispatch, item);
        }
        if (item) add_item(queue, item);
    }
    flush(queue);
}

static void pass(hsax_queue_t *queue, const hsax_packet_t *packets, uint64_t count,
                 hsax_packet_writer_t writer)
{
    hsax_packet_t *copy = queue->out.few;
    uint64_t total = take_room(queue, count, count <= HSAX_BATCH ? &copy[count] : NULL);
    if (total > count) packets = memcpy(copy, packets, count * sizeof *copy);
    writer(packets, total);
}

void hsax_packets_handle(const void *packets, uint64_t count, uint64_t index, void *data,
                         hsax_packet_writer_t writer)
{
    hsax_queue_t *queue = data;
    queue->out.writer = writer;
    if (hsax_collecting() && serial(queue))
        rewrite_serial(queue, packets, count, index);
    else if (hsax_collecting() && hsax_queue_client->wanted())
        rewrite(queue, packets, count, index);
    else
        pass(queue, packets, count, writer);
}

void hsax_packets_begin(hsax_queue_t *queue)
{
    queue->out.packets = queue->out.few;
    queue->out.room = HSAX_BATCH;
}

void hsax_packets_end(hsax_queue_t *queue)
{
    free_marks(&queue->room);
    if (queue->out.packets != queue->out.few) free(queue->out.packets);
}
