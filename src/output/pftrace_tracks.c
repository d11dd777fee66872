/* pftrace_tracks.c - the tracks of a Perfetto trace and their contents.
 *
 * It is apart from pftrace.c, which encodes packets. Names of tracks are those that rocprofv3 uses.
 * Only records that overlap in time are kept in memory: the open slice of each track, copies,
 * allocated memory, and kernels of one start. */
#include "base/text.h"
#include "output/ends.h"
#include "output/launches.h"
#include "output/live.h"
#include "output/pftrace_calls.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "trace/store.h"

typedef struct {
    pf_track_kind_t kind;
    uint64_t a, b, uuid;
    proto_fields_t field; /* PF_EVENT_TRACK, for events */
    bool open;            /* on device tracks: there is a slice, which ends at `end` or when the
                           * next one begins */
    uint64_t end;
    uint64_t bytes;  /* on counter tracks: the present value */
    out_ends_t ends; /* copies in flight: their ends and their bytes */
} track_t;

typedef struct {
    pf_t *p;
    out_model_t *model;
    out_pieces_t calls; /* by operation: the packets that pftrace_calls.c has prepared */
    pf_threads_t threads;
    track_t *tracks; /* a hash table whose size is a power of two; uuid 0: unused */
    size_t track_count, track_room;
    unsigned queues; /* number of queues so far */
    out_live_t live;
    out_launches_t launches;
    bool by_queue;
    bool over; /* all records have been read */
    bool failed;
} state_t;

/* ---- tracks ---- */

static size_t describe(state_t *s, uint64_t uuid, uint64_t parent, const char *name, size_t *packet)
{
    proto_t *out = &s->p->out;
    *packet = pf_packet(s->p);
    size_t track = proto_begin(out, PF_PACKET_TRACK);
    proto_number(out, PF_TRACK_UUID, uuid);
    if (parent) proto_number(out, PF_TRACK_PARENT, parent);
    if (name) proto_text(out, PF_TRACK_NAME, name);
    return track;
}

static void described(state_t *s, size_t track, size_t packet)
{
    proto_end(&s->p->out, track);
    pf_packet_end(s->p, packet);
}

static void describe_process(state_t *s)
{
    size_t packet, track = describe(s, s->p->process_track, 0, NULL, &packet);
    proto_t *out = &s->p->out;
    size_t process = proto_begin(out, PF_TRACK_PROCESS);
    const char *command = out_model_info(s->model, TRACE_INFO_COMMAND);
    const char *blank = strchr(command, ' ');
    size_t bytes = blank ? (size_t)(blank - command) : strlen(command);
    char *program = strndup(command, bytes);
    proto_number(out, PF_PROCESS_PID, s->p->pid);
    proto_text(out, PF_PROCESS_COMMAND, command);
    if (program) proto_text(out, PF_PROCESS_NAME, base_last_part(program));
    if (s->p->job->clock) proto_text(out, PF_PROCESS_LABELS, s->p->job->clock);
    proto_end(out, process);
    described(s, track, packet);
    free(program);
}

static void describe_thread(state_t *s, uint32_t tid, unsigned number)
{
    char name[64];
    size_t packet,
        track = describe(s, pf_thread_uuid(s->p, tid), s->p->process_track, NULL, &packet);
    size_t thread = proto_begin(&s->p->out, PF_TRACK_THREAD);
    const char *own = out_model_thread(s->model, tid),
               *main = out_model_thread(s->model, s->p->pid);
    /* the thread has a name that differs from the process's */
    if (own && main && strcmp(own, main) != 0)
        snprintf(name, sizeof(name), "%s (%u)", own, tid);
    else
        snprintf(name, sizeof(name), "THREAD %u (%u)", number, tid);
    proto_number(&s->p->out, PF_THREAD_PID, s->p->pid);
    proto_number(&s->p->out, PF_THREAD_TID, tid);
    if (tid != s->p->pid) proto_text(&s->p->out, PF_THREAD_NAME, name);
    proto_end(&s->p->out, thread);
    described(s, track, packet);
}

static void name_track(state_t *s, const track_t *t, char *name, size_t room)
{
    const out_agent_t *a = t->kind >= TRACK_QUEUE ? out_model_find_agent(s->model, t->a) : NULL;
    const char *word = a ? a->word : "UNK", *type = out_agent_type(a);
    long long number = a ? a->number : 0;
    switch (t->kind) {
    case TRACK_STREAM: snprintf(name, room, "STREAM [%llu]", (unsigned long long)t->a); break;
    case TRACK_EVENTS: snprintf(name, room, "%s", out_kind_text(s->model, (uint32_t)t->a)); break;
    case TRACK_QUEUE:
        snprintf(name, room, "COMPUTE %s [%lld] QUEUE [%u] %s", word, number, s->queues++, type);
        break;
    case TRACK_COPY:
        snprintf(name, room, "COPY to %s [%lld] THREAD [%llu] (%s)", word, number,
                 (unsigned long long)t->b, type);
        break;
    case TRACK_BARRIER:
        snprintf(name, room, "EVENTS of %s [%lld] QUEUE [%llu] (%s)", word, number,
                 (unsigned long long)t->b, type);
        break;
    case TRACK_COPIED:
        snprintf(name, room, "COPY BYTES to %s [%lld] (%s)", word, number, type);
        break;
    case TRACK_GIVEN:
        snprintf(name, room, "ALLOCATE BYTES on %s [%lld] (%s)", word, number, type);
        break;
    case TRACK_SCRATCH:
        snprintf(name, room, "SCRATCH MEMORY on %s [%lld] (%s)", word, number, type);
        break;
    case TRACK_PMC:
        snprintf(name, room, "%s [%lld] PMC %s", word, number, out_model_counter(s->model, t->b));
        break;
    case TRACK_THREAD: name[0] = 0; break;
    }
}

static void describe_track(state_t *s, const track_t *t)
{
    char name[512];
    size_t packet;
    name_track(s, t, name, sizeof(name));
    size_t track = describe(s, t->uuid, s->p->process_track, name, &packet);
    if (t->kind >= TRACK_COPIED) {
        size_t counter = proto_begin(&s->p->out, PF_TRACK_COUNTER);
        if (t->kind != TRACK_PMC) proto_number(&s->p->out, PF_COUNTER_UNIT, PF_UNIT_BYTES);
        proto_end(&s->p->out, counter);
    }
    described(s, track, packet);
}

static track_t *track_place(track_t *tracks, size_t room, uint64_t uuid)
{
    size_t at = (size_t)uuid & (room - 1);
    while (tracks[at].uuid && tracks[at].uuid != uuid)
        at = (at + 1) & (room - 1);
    return &tracks[at];
}

/* Returns the track, which is made if necessary; it is valid until the next call. Returns NULL when
 * out of memory. */
static track_t *find_track(state_t *s, pf_track_kind_t kind, uint64_t a, uint64_t b)
{
    const uint64_t uuid = pf_uuid(s->p, kind, a, b);
    if (2 * s->track_count >= s->track_room) {
        size_t room = s->track_room ? 2 * s->track_room : 64;
        track_t *tracks = calloc(room, sizeof(*tracks));
        s->failed |= !tracks;
        if (!tracks) return NULL;
        for (size_t i = 0; i < s->track_room; i++)
            if (s->tracks[i].uuid) *track_place(tracks, room, s->tracks[i].uuid) = s->tracks[i];
        free(s->tracks);
        s->tracks = tracks;
        s->track_room = room;
    }
    track_t *t = track_place(s->tracks, s->track_room, uuid);
    if (t->uuid) return t;
    *t = (track_t){.kind = kind, .a = a, .b = b, .uuid = uuid};
    proto_add_field(&t->field, PF_EVENT_TRACK, uuid);
    s->track_count++;
    describe_track(s, t);
    return t;
}

/* Begins a slice on a device's track. Slices there must not overlap: an open one ends at the latest
 * when the next one begins. */
static void begin_on(state_t *s, track_t *t, const trace_timed_t *r)
{
    if (t->open) pf_slice_end(s->p, &t->field, t->end < r->start ? t->end : r->start);
    t->open = true;
    t->end = r->end;
}

/* ---- counters ---- */

static void set_bytes(state_t *s, track_t *t, uint64_t ns, uint64_t bytes)
{
    t->bytes = bytes;
    pf_counter(s->p, &t->field, ns, (double)bytes);
}

/* Subtracts copies that have ended by `ns` from the number of bytes in flight. */
static void copies_until(state_t *s, track_t *t, uint64_t ns)
{
    out_end_t done;
    while (out_ends_take(&t->ends, ns, &done))
        set_bytes(s, t, done.ns, t->bytes - done.value);
}

static void copy_in_flight(state_t *s, const trace_copy_t *c)
{
    track_t *t = find_track(s, TRACK_COPIED, c->destination, 0);
    if (!t) return;
    copies_until(s, t, c->start);
    if (!out_ends_add(&t->ends, c->end, c->bytes)) {
        s->failed = true;
        return;
    }
    set_bytes(s, t, c->start, t->bytes + c->bytes);
}

/* ---- memory that is allocated and freed ---- */

static void write_allocation(state_t *s, const trace_allocation_t *a)
{
    out_block_t block = {a->address, a->bytes, a->agent};
    bool given = a->agent;
    if (given)
        s->failed |= !out_live_add(&s->live, block);
    else if (!out_live_take(&s->live, a->address, &block))
        return; /* it was allocated before the trace began */
    track_t *t = find_track(s, TRACK_GIVEN, block.agent, 0);
    if (!t) return;
    uint64_t less = block.bytes < t->bytes ? block.bytes : t->bytes;
    set_bytes(s, t, a->start, given ? t->bytes + block.bytes : t->bytes - less);
}

static void write_scratch(state_t *s, const trace_scratch_t *x)
{
    track_t *t = find_track(s, TRACK_SCRATCH, x->agent, 0);
    if (t) set_bytes(s, t, x->start, x->bytes);
}

/* ---- events of no thread ---- */

static const char *operation_of(state_t *s, trace_head_t head)
{
    return out_model_operation(s->model, trace_kind(head), trace_operation(head));
}

/* Writes the event to the track of its kind. */
static void write_event(state_t *s, out_domain_t domain, const trace_timed_t *r)
{
    track_t *t = find_track(s, TRACK_EVENTS, trace_kind(r->head), 0);
    const proto_fields_t *name = pf_call_name(s->p, &s->calls, domain, r);
    bool point = out_is_point(domain, r);
    s->failed |= !name;
    if (!t || !name) return;
    if (!point) begin_on(s, t, r);
    size_t event,
        packet = pf_slice(s->p, &t->field, point ? PF_INSTANT : PF_SLICE_BEGIN, name, r, &event);
    pf_annotate_call(s->p, pf_find_thread(&s->threads, trace_thread(r->head)), r);
    pf_event_end(s->p, packet, event);
}

/* ---- slices of devices ---- */

static void annotate_node(pf_t *p, trace_node_t node)
{
    if (!node.graph || !proto_room(&p->out, 2 * PF_ANNOTATION_MAX)) return;
    uint8_t *at = pf_put_annotation(p->out.data + p->out.used, PF_graph_exec_id, node.graph);
    pf_put_end(p, pf_put_annotation(at, PF_graph_node_id, node.node));
}

static const char *agent_label(const out_agent_t *a)
{
    return a ? a->tag : "UNK-0";
}

static const char *label_of(const state_t *s, uint64_t agent)
{
    return agent_label(out_model_find_agent(s->model, agent));
}

/* Room for the annotations of one record, so that it has to be reserved only once. */
enum { ANNOTATIONS_MAX = 24 * PF_ANNOTATION_MAX + 2 * PF_SHORT_TEXT };

static void annotate_copy(state_t *s, const trace_copy_t *c)
{
    proto_t *out = &s->p->out;
    if (!proto_room(out, ANNOTATIONS_MAX)) return;
    uint8_t *at = out->data + out->used;
    at = pf_put_annotation(at, PF_kind, trace_kind(c->head));
    at = pf_put_annotation(at, PF_operation, trace_operation(c->head));
    at = pf_put_short_text(at, PF_src_agent, label_of(s, c->source));
    at = pf_put_short_text(at, PF_dst_agent, label_of(s, c->destination));
    at = pf_put_annotation(at, PF_copy_bytes, c->bytes);
    at = pf_put_annotation(at, PF_corr_id, c->correlation);
    at = pf_put_annotation(at, PF_tid, trace_thread(c->head));
    pf_put_end(s->p, pf_put_annotation(at, PF_stream_ID, c->stream));
}

static void write_copy(state_t *s, const trace_copy_t *c)
{
    pf_t *p = s->p;
    const trace_timed_t *r = (const trace_timed_t *)c;
    uint32_t tid = trace_thread(c->head);
    track_t *t = s->by_queue ? find_track(s, TRACK_COPY, c->destination, tid)
                             : find_track(s, TRACK_STREAM, c->stream, 0);
    if (!t) return;
    begin_on(s, t, r);
    proto_fields_t name = pf_name_fields(pf_name(p, OUT_MEMORY_COPY, operation_of(s, c->head)));
    size_t event, packet = pf_slice(p, &t->field, PF_SLICE_BEGIN, &name, r, &event);
    annotate_copy(s, c);
    annotate_node(p, trace_node(r));
    pf_event_end(p, packet, event);
    copy_in_flight(s, c);
}

static void annotate_dispatch(state_t *s, const trace_dispatch_t *d)
{
    proto_t *out = &s->p->out;
    const out_agent_t *agent = out_model_find_agent(s->model, d->agent);
    const trace_kernel_t *k = out_model_kernel(s->model, d->kernel)->record;
    uint64_t group = 1, grid = 1;
    for (int i = 0; i < 3; i++) {
        group *= d->workgroup[i];
        grid *= d->grid[i];
    }
    if (!proto_room(out, ANNOTATIONS_MAX)) return;
    uint8_t *at = out->data + out->used;
    at = pf_put_annotation(at, PF_kind, trace_kind(d->head));
    at = pf_put_short_text(at, PF_agent, agent_label(agent));
    at = pf_put_short_text(at, PF_agent_type, out_agent_type(agent));
    at = pf_put_annotation(at, PF_corr_id, d->correlation);
    at = pf_put_annotation(at, PF_queue, d->queue);
    at = pf_put_annotation(at, PF_tid, trace_thread(d->head));
    at = pf_put_annotation(at, PF_kernel_id, d->kernel);
    at = pf_put_annotation(at, PF_dispatch_id, d->dispatch);
    at = pf_put_annotation(at, PF_Scratch_Size, d->private_bytes);
    at = pf_put_annotation(at, PF_LDS_Block_Size, d->group_bytes);
    at = pf_put_annotation(at, PF_VGPR_Count, k->vgprs);
    at = pf_put_annotation(at, PF_Accum_VGPR_Count, k->agprs);
    at = pf_put_annotation(at, PF_SGPR_Count, k->sgprs);
    at = pf_put_annotation(at, PF_workgroup_size, group);
    at = pf_put_annotation(at, PF_grid_size, grid);
    for (int i = 0; i < 3; i++)
        at = pf_put_annotation(at, PF_workgroup_size_x + (unsigned)i, d->workgroup[i]);
    for (int i = 0; i < 3; i++)
        at = pf_put_annotation(at, PF_grid_size_x + (unsigned)i, d->grid[i]);
    pf_put_end(s->p, pf_put_annotation(at, PF_stream_ID, d->stream));
}

static void write_dispatch(void *to, out_launch_t *h)
{
    state_t *s = to;
    pf_t *p = s->p;
    const trace_dispatch_t *d = &h->dispatch;
    const trace_timed_t *r = (const trace_timed_t *)d;
    track_t *t = s->by_queue ? find_track(s, TRACK_QUEUE, d->agent, d->queue)
                             : find_track(s, TRACK_STREAM, d->stream, 0);
    if (!t) return;
    begin_on(s, t, r);
    out_launch_sum(h);
    proto_fields_t name = pf_name_fields(
        pf_name(p, OUT_KERNEL_DISPATCH, out_domains[OUT_KERNEL_DISPATCH].key(s->model, r)));
    size_t event, packet = pf_slice(p, &t->field, PF_SLICE_BEGIN, &name, r, &event);
    annotate_dispatch(s, d);
    annotate_node(p, h->node);
    for (size_t i = 0; i < h->count; i++)
        pf_annotate_double(p, out_model_counter(s->model, h->values[i].counter),
                           h->values[i].value);
    pf_event_end(p, packet, event);
    for (size_t i = 0; i < h->count; i++) {
        t = find_track(s, TRACK_PMC, d->agent, h->values[i].counter);
        if (!t) return;
        pf_counter(p, &t->field, d->start, h->values[i].value);
        pf_counter(p, &t->field, d->end, 0);
    }
}

/* Writes the slice of a graph's launch, which is inside that of the call. */
static void write_graph(state_t *s, const trace_graph_t *g)
{
    pf_t *p = s->p;
    const trace_timed_t *r = (const trace_timed_t *)g;
    const pf_thread_t *thread = pf_find_thread(&s->threads, trace_thread(g->head));
    proto_fields_t name = pf_name_fields(pf_name(p, OUT_HIP_GRAPH, OUT_GRAPH_NAME));
    size_t event, packet = pf_slice(p, &thread->field, PF_SLICE_BEGIN, &name, r, &event);
    if (!proto_room(&p->out, ANNOTATIONS_MAX)) return;
    uint8_t *at = p->out.data + p->out.used;
    at = pf_put_short_text(at, PF_agent, label_of(s, g->agent));
    at = pf_put_annotation(at, PF_corr_id, g->correlation);
    at = pf_put_annotation(at, PF_graph_exec_id, g->graph);
    pf_put_end(p, pf_put_annotation(at, PF_kernel_dispatch_count, g->kernels));
    pf_event_end(p, packet, event);
    pf_slice_ends(p, &thread->end, r->end);
}

static void write_barrier(state_t *s, const trace_barrier_t *b)
{
    pf_t *p = s->p;
    const trace_timed_t *r = (const trace_timed_t *)b;
    track_t *t = find_track(s, TRACK_BARRIER, b->agent, b->queue);
    if (!t) return;
    begin_on(s, t, r);
    proto_fields_t name = pf_name_fields(pf_name(p, OUT_HIP_EVENT, operation_of(s, b->head)));
    size_t event, packet = pf_slice(p, &t->field, PF_SLICE_BEGIN, &name, r, &event);
    if (!proto_room(&p->out, ANNOTATIONS_MAX)) return;
    uint8_t *at = p->out.data + p->out.used;
    at = pf_put_annotation(at, PF_corr_id, b->correlation);
    at = pf_put_annotation(at, PF_queue, b->queue);
    at = pf_put_annotation(at, PF_source_queue, b->source);
    at = pf_put_annotation(at, PF_hip_event_handle, b->event);
    at = pf_put_annotation(at, PF_tid, trace_thread(b->head));
    pf_put_end(p, pf_put_annotation(at, PF_stream_ID, b->stream));
    pf_event_end(p, packet, event);
}

/* ---- all records, one thread at a time ---- */

static void write_record(state_t *s, out_domain_t domain, const trace_timed_t *r)
{
    switch (out_domains[domain].shape) {
    case OUT_CALL:
    case OUT_RANGE: s->failed |= !pf_call_prepare(s->p, &s->calls, domain, r); return;
    case OUT_EVENT: write_event(s, domain, r); return;
    case OUT_LAUNCH: s->failed |= !out_launches_add(&s->launches, domain, r); return;
    case OUT_COPY: write_copy(s, (const trace_copy_t *)r); return;
    case OUT_ALLOCATION: write_allocation(s, (const trace_allocation_t *)r); return;
    case OUT_SCRATCH: write_scratch(s, (const trace_scratch_t *)r); return;
    case OUT_GRAPH: write_graph(s, (const trace_graph_t *)r); return;
    case OUT_BARRIER: write_barrier(s, (const trace_barrier_t *)r); return;
    case OUT_SAMPLE: return;
    case OUT_READINGS: return; /* rocprofv3 does not show them in slices either */
    }
}

static void end_tracks(state_t *s)
{
    out_launches_use(&s->launches, NULL, write_dispatch, s);
    for (size_t i = 0; i < s->track_room; i++) {
        track_t *t = &s->tracks[i];
        if (t->open) pf_slice_end(s->p, &t->field, t->end);
        copies_until(s, t, UINT64_MAX);
    }
}

/* ---- rendering by several threads ---- */

/* Packets to be inserted before a record of the batch, or, at its end, after all of them. */
typedef struct {
    size_t at, packets; /* `at`: offset of the record; `packets`: end of these packets */
} insertion_t;

typedef struct {
    pf_t p; /* has the packets that are rendered */
    pf_threads_t threads;
    state_t *all; /* the state of the whole file */
    out_file_t *file;
    out_batch_t batch;
    proto_t packets; /* the packets made by take_records */
    insertion_t *insertions;
    size_t count, room;
} parcel_t;

static void keep_packets(pf_t *p)
{
    (void)p;
}

static void *begin_parcel(void *to)
{
    state_t *all = to;
    parcel_t *parcel = calloc(1, sizeof(*parcel));
    if (!parcel) return NULL;
    parcel->all = all;
    parcel->file = all->p->file;
    parcel->p = (pf_t){.job = all->p->job,
                       .pid = all->p->pid,
                       .sequence = all->p->sequence,
                       .process_track = all->p->process_track,
                       .head = all->p->head,
                       .begin = all->p->begin,
                       .flush = keep_packets};
    parcel->threads.p = &parcel->p;
    return parcel;
}

static void end_parcel(void *argument)
{
    parcel_t *parcel = argument;
    free(parcel->p.out.data);
    free(parcel->batch.records);
    free(parcel->packets.data);
    free(parcel->insertions);
    free(parcel);
}

/* Notes that the packets made since the last insertion belong before the record at this offset. */
static void insert(parcel_t *parcel, size_t at)
{
    const size_t packets = parcel->all->p->out.used;
    const bool room = BASE_GROW(parcel->insertions, parcel->count, &parcel->room);
    parcel->all->failed |= !room;
    if (room) parcel->insertions[parcel->count++] = (insertion_t){at, packets};
}

/* Takes a batch and makes all packets but those of calls: these packets depend on earlier records,
 * so only one thread at a time makes them. */
static bool take_records(void *argument)
{
    parcel_t *parcel = argument;
    state_t *s = parcel->all;
    size_t inserted = 0;
    if (s->over || !out_source_batch(s->p->job->source, &parcel->batch)) {
        if (s->over || s->p->job->source->failed) return false;
        s->over = true;
        parcel->batch.used = 0;
    }
    s->p->out = parcel->packets;
    s->p->out.used = parcel->count = 0;
    for (size_t at = 0; at < parcel->batch.used;) {
        const trace_timed_t *r = (const trace_timed_t *)(parcel->batch.records + at);
        if (s->launches.count) out_launches_use(&s->launches, r, write_dispatch, s);
        write_record(s, (out_domain_t)out_domain_of(r->head), r);
        if (s->p->out.used != inserted) insert(parcel, at);
        inserted = s->p->out.used;
        at += trace_words(r->head) * 8u;
    }
    if (s->over) end_tracks(s);
    if (s->p->out.used != inserted) insert(parcel, parcel->batch.used);
    s->failed |= s->p->out.failed;
    parcel->packets = s->p->out;
    s->p->out = (proto_t){0};
    return !s->failed;
}

static size_t put_inserted(parcel_t *parcel, size_t which, size_t from)
{
    const size_t bytes = parcel->insertions[which].packets - from;
    if (proto_room(&parcel->p.out, bytes)) {
        memcpy(parcel->p.out.data + parcel->p.out.used, parcel->packets.data + from, bytes);
        parcel->p.out.used += bytes;
    }
    return parcel->insertions[which].packets;
}

static void render_records(void *argument, bool first)
{
    parcel_t *parcel = argument;
    size_t which = 0, packets = 0;
    (void)first;
    for (size_t at = 0; at < parcel->batch.used;) {
        const trace_timed_t *r = (const trace_timed_t *)(parcel->batch.records + at);
        const out_domain_t domain = (out_domain_t)out_domain_of(r->head);
        if (which < parcel->count && parcel->insertions[which].at == at)
            packets = put_inserted(parcel, which++, packets);
        if (out_domains[domain].shape == OUT_CALL || out_domains[domain].shape == OUT_RANGE)
            pf_render_call(&parcel->threads, &parcel->all->calls, domain, r);
        at += trace_words(r->head) * 8u;
    }
    if (which < parcel->count) put_inserted(parcel, which, packets);
}

static void write_packets(void *argument)
{
    parcel_t *parcel = argument;
    if (parcel->p.out.failed) out_no_memory(parcel->file);
    out_bytes(parcel->file, parcel->p.out.data, parcel->p.out.used);
    parcel->p.out.used = 0;
}

int pf_write_tracks(pf_t *p)
{
    out_source_t *source = p->job->source;
    state_t s = {.p = p,
                 .model = p->job->model,
                 .threads = {.p = p},
                 .by_queue = p->job->config->group_by_queue};
    const out_crew_work_t work = {begin_parcel,   end_parcel,    take_records,
                                  render_records, write_packets, &s};
    uint64_t rows = 0;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++)
        rows += source->rows[i];
    describe_process(&s);
    for (size_t i = 0, number = 1; i < source->thread_count; i++)
        describe_thread(&s, source->threads[i],
                        source->threads[i] == p->pid ? 0 : (unsigned)number++);
    p->flush(p);
    free(p->out.data);
    p->out = (proto_t){.failed = p->out.failed};
    p->flush = keep_packets; /* from here on packets are kept in parcels */
    out_source_all(source);
    s.failed |= p->out.failed || !out_crew_run(&work, out_crew_size(p->job->threads, rows));
    for (size_t i = 0; i < s.track_room; i++)
        out_ends_free(&s.tracks[i].ends);
    free(s.tracks);
    out_pieces_free(&s.calls);
    out_live_free(&s.live);
    out_launches_free(&s.launches);
    return s.failed || source->failed ? -1 : 0;
}
