/* pftrace_calls.c - see pftrace_calls.h. Field numbers and their order are those of pf_slice.
 *
 * The packets of one operation's calls differ in a few numbers only. So they are made once, with
 * each number as wide as it can become (a varint may have more bytes than it needs), and then
 * copied and filled in. A call with a number that is too large, or of another form, is written
 * field by field. */
#include "output/pftrace_calls.h"

#include "trace/reader.h"

/* Widths in bytes of seven bits. They suffice for 2.2 years of uptime, calls of a quarter of a
 * second, 2 * 10^8 ids, the bits that a record's head has for a thread, and 2 * 10^6 names. */
enum { TIME = 8, DELTA = 4, ID = 4, THREAD = 4, NAME = 3, SMALL = 2, LENGTH = 2 };
enum { TRACK = PF_UUID_BITS / 7, SEQUENCE = PF_SEQUENCE_BITS / 7 };

/* An annotation with a number. All members are bytes, in the order in which they are in the
 * file. */
#define NOTE(value_bytes)                                                                          \
    struct {                                                                                       \
        uint8_t tag, length, name_tag, name, value_tag, value[value_bytes];                        \
    }

/* The packet that begins a slice. */
typedef struct {
    uint8_t packet_tag, packet_length[LENGTH];
    uint8_t sequence_tag, sequence[SEQUENCE];
    uint8_t flags_tag, flags;
    uint8_t time_tag, time[TIME];
    uint8_t event_tag, event_length[LENGTH];
    uint8_t type_tag, type;
    uint8_t track_tag, track[TRACK];
    uint8_t category_tag, category;
    uint8_t name_tag, name[NAME];
    uint8_t flow_tag[2], flow[8];
    NOTE(TIME) begin, end;
    NOTE(DELTA) delta;
    NOTE(THREAD) tid;
    NOTE(SMALL) kind, operation;
    NOTE(ID) correlation; /* the ancestor's id and the arguments follow */
} begin_t;

/* The packet that ends a slice. It refers to no interned data, so it needs no flags. */
typedef struct {
    uint8_t packet_tag, packet_length;
    uint8_t sequence_tag, sequence[SEQUENCE];
    uint8_t time_tag, time[TIME];
    uint8_t event_tag, event_length;
    uint8_t type_tag, type;
    uint8_t track_tag, track[TRACK];
} end_t;

/* The packets that are made once for an operation. */
typedef struct {
    proto_fields_t name;
    bool fits;
    begin_t begin;
    end_t end;
} call_t;

_Static_assert(sizeof(((pf_thread_t *)NULL)->track) == TRACK, "pf_thread_t");
_Static_assert(sizeof(((pf_thread_t *)NULL)->id) == THREAD, "pf_thread_t");
_Static_assert(PF_UUID_BITS % 7 == 0 && PF_SEQUENCE_BITS % 7 == 0, "widths");
_Static_assert(TRACE_THREAD_BITS <= 7 * THREAD && TRACE_KIND_BITS <= 7 * SMALL &&
                   TRACE_OPERATION_BITS <= 7 * SMALL,
               "widths");
_Static_assert(OUT_DOMAIN_COUNT < 0x80 && PF_ANNOTATION_COUNT < 0x80, "in one byte");

/* ---- the part that is the same for all calls of an operation ---- */

#define PUT_WIDE(to, value) proto_put_wide(to, sizeof(to), value)
#define TAG(field, type)    ((uint8_t)((field) << 3 | (type)))
#define MAKE_NOTE(note, which)                                                                     \
    do {                                                                                           \
        (note).tag = TAG(PF_EVENT_ANNOTATION, PROTO_BYTES);                                        \
        (note).length = sizeof(note) - offsetof(__typeof__(note), name_tag);                       \
        (note).name_tag = TAG(PF_ANNOTATION_NAME_IID, PROTO_VARINT);                               \
        (note).name = (which) + 1u;                                                                \
        (note).value_tag = TAG(PF_ANNOTATION_UINT, PROTO_VARINT);                                  \
    } while (0)

/* Length of the ancestor's annotation if the ancestor is 0; in most calls only this follows
 * begin_t. */
enum { NO_ANCESTOR_BYTES = 6 };

/* Fills in lengths for a packet with `bytes_behind` bytes after begin_t. Returns false if these are
 * too many for the width of a length. */
static bool put_lengths(begin_t *b, size_t bytes_behind)
{
    const size_t bytes = sizeof(*b) + bytes_behind - offsetof(begin_t, sequence_tag);
    PUT_WIDE(b->packet_length, bytes);
    PUT_WIDE(b->event_length,
             bytes - offsetof(begin_t, type_tag) + offsetof(begin_t, sequence_tag));
    return bytes >> 7 * LENGTH == 0;
}

static void make_begin(const pf_t *p, begin_t *b, trace_head_t head, pf_name_t name)
{
    b->packet_tag = TAG(PF_TRACE_PACKET, PROTO_BYTES);
    b->sequence_tag = TAG(PF_PACKET_SEQUENCE, PROTO_VARINT);
    PUT_WIDE(b->sequence, p->sequence);
    b->flags_tag = TAG(PF_PACKET_FLAGS, PROTO_VARINT);
    b->flags = PF_NEEDS_STATE;
    b->time_tag = TAG(PF_PACKET_TIME, PROTO_VARINT);
    b->event_tag = TAG(PF_PACKET_EVENT, PROTO_BYTES);
    b->type_tag = TAG(PF_EVENT_TYPE, PROTO_VARINT);
    b->type = PF_SLICE_BEGIN;
    b->track_tag = TAG(PF_EVENT_TRACK, PROTO_VARINT);
    b->category_tag = TAG(PF_EVENT_CATEGORY_IID, PROTO_VARINT);
    b->category = (uint8_t)name.category;
    b->name_tag = TAG(PF_EVENT_NAME_IID, PROTO_VARINT);
    PUT_WIDE(b->name, name.name);
    b->flow_tag[0] = TAG(PF_EVENT_FLOW, PROTO_FIXED64) | 0x80;
    b->flow_tag[1] = PF_EVENT_FLOW >> 4;
    MAKE_NOTE(b->begin, PF_begin_ns);
    MAKE_NOTE(b->end, PF_end_ns);
    MAKE_NOTE(b->delta, PF_delta_ns);
    MAKE_NOTE(b->tid, PF_tid);
    MAKE_NOTE(b->kind, PF_kind);
    PUT_WIDE(b->kind.value, trace_kind(head));
    MAKE_NOTE(b->operation, PF_operation);
    PUT_WIDE(b->operation.value, trace_operation(head));
    MAKE_NOTE(b->correlation, PF_corr_id);
    put_lengths(b, NO_ANCESTOR_BYTES);
}

static void make_end(const pf_t *p, end_t *e)
{
    e->packet_tag = TAG(PF_TRACE_PACKET, PROTO_BYTES);
    e->packet_length = sizeof(*e) - offsetof(end_t, sequence_tag);
    e->sequence_tag = TAG(PF_PACKET_SEQUENCE, PROTO_VARINT);
    PUT_WIDE(e->sequence, p->sequence);
    e->time_tag = TAG(PF_PACKET_TIME, PROTO_VARINT);
    e->event_tag = TAG(PF_PACKET_EVENT, PROTO_BYTES);
    e->event_length = sizeof(*e) - offsetof(end_t, type_tag);
    e->type_tag = TAG(PF_EVENT_TYPE, PROTO_VARINT);
    e->type = PF_SLICE_END;
    e->track_tag = TAG(PF_EVENT_TRACK, PROTO_VARINT);
}

static const call_t *kept_call(const out_pieces_t *calls, const trace_timed_t *r)
{
    const out_piece_t *piece = out_piece_find(calls, r->head);
    return piece ? (const call_t *)piece->bytes : NULL;
}

static const call_t *need_call(pf_t *p, out_pieces_t *calls, out_domain_t domain,
                               const trace_timed_t *r)
{
    const call_t *kept = kept_call(calls, r);
    if (kept) return kept;
    const char *text =
        out_model_operation(p->job->model, trace_kind(r->head), trace_operation(r->head));
    const pf_name_t name = pf_name(p, domain, text);
    call_t call = {.name = pf_name_fields(name), .fits = name.name >> 7 * NAME == 0};
    make_begin(p, &call.begin, r->head, name);
    make_end(p, &call.end);
    if (!name.name || !out_piece_keep(calls, r->head, &call, sizeof(call))) return NULL;
    return kept_call(calls, r);
}

const proto_fields_t *pf_call_name(pf_t *p, out_pieces_t *calls, out_domain_t domain,
                                   const trace_timed_t *r)
{
    const call_t *call = need_call(p, calls, domain, r);
    return call ? &call->name : NULL;
}

/* Returns the text of a marker, which is its name, if it has one; NULL for other calls. */
static const char *own_name(const pf_t *p, out_domain_t domain, const trace_timed_t *r)
{
    if (domain != OUT_MARKER_API || !((const trace_marker_t *)r)->text) return NULL;
    return out_model_text(p->job->model, ((const trace_marker_t *)r)->text);
}

bool pf_call_prepare(pf_t *p, out_pieces_t *calls, out_domain_t domain, const trace_timed_t *r)
{
    return own_name(p, domain, r) || need_call(p, calls, domain, r);
}

/* ---- threads ---- */

uint64_t pf_thread_uuid(const pf_t *p, uint32_t tid)
{
    return pf_uuid(p, TRACK_THREAD, tid, 0);
}

const pf_thread_t *pf_find_thread(pf_threads_t *threads, uint32_t tid)
{
    pf_thread_t *t = &threads->rows[tid % PF_THREADS];
    if (t->tid == tid && t->field.used) return t;
    const uint64_t uuid = pf_thread_uuid(threads->p, tid);
    *t = (pf_thread_t){.tid = tid};
    proto_add_field(&t->field, PF_EVENT_TRACK, uuid);
    uint8_t *at = t->annotation.data;
    t->annotation.used = (uint8_t)(pf_put_annotation(at, PF_tid, tid) - at);
    t->end = pf_make_end(&t->field);
    PUT_WIDE(t->track, uuid);
    PUT_WIDE(t->id, tid);
    return t;
}

/* ---- a call ---- */

static uint64_t ancestor_of(const trace_timed_t *r)
{
    bool full = trace_words(r->head) * 8u >= sizeof(trace_api_full_t);
    return full ? ((const trace_api_full_t *)r)->ancestor : 0;
}

static void annotate_arguments(pf_t *p, const trace_timed_t *r)
{
    out_arguments_t a = out_model_arguments(p->job->model, r);
    while (out_arguments_next(&a))
        pf_annotate_named(p, a.name, a.value);
}

void pf_annotate_call(pf_t *p, const pf_thread_t *thread, const trace_timed_t *r)
{
    if (!proto_room(&p->out, 4 * PF_ANNOTATION_MAX + sizeof(proto_fields_t))) return;
    uint8_t *at = p->out.data + p->out.used;
    at = proto_put_fields(at, &thread->annotation);
    at = pf_put_annotation(at, PF_kind, trace_kind(r->head));
    at = pf_put_annotation(at, PF_operation, trace_operation(r->head));
    at = pf_put_annotation(at, PF_corr_id, r->correlation);
    pf_put_end(p, pf_put_annotation(at, PF_ancestor_id, ancestor_of(r)));
    annotate_arguments(p, r);
}

/* Writes a call field by field. */
static void put_any_call(pf_t *p, const pf_thread_t *thread, const proto_fields_t *name,
                         out_domain_t domain, const trace_timed_t *r)
{
    const bool point = out_is_point(domain, r);
    const unsigned type = point ? PF_INSTANT : PF_SLICE_BEGIN;
    const char *own = own_name(p, domain, r);
    size_t event, packet = own ? pf_named(p, &thread->field, type, domain, own, r, &event)
                               : pf_slice(p, &thread->field, type, name, r, &event);
    pf_annotate_call(p, thread, r);
    pf_event_end(p, packet, event);
    if (!point) pf_slice_ends(p, &thread->end, r->end);
}

static bool fits(const call_t *call, const trace_timed_t *r)
{
    return ((r->start | r->end) >> 7 * TIME | (r->end - r->start) >> 7 * DELTA |
            r->correlation >> 7 * ID) == 0 &&
           r->correlation && call->fits;
}

/* Writes a call by copying the prepared packets. Returns false if its arguments are too long for
 * that: then nothing was written. */
static bool put_call(pf_t *p, const pf_thread_t *thread, const call_t *call, const trace_timed_t *r)
{
    if (!proto_room(&p->out, sizeof(begin_t) + sizeof(end_t) + PF_ANNOTATION_MAX)) return true;
    const size_t begun = p->out.used;
    begin_t *b = (begin_t *)(p->out.data + begun);
    *b = call->begin;
    PUT_WIDE(b->time, r->start);
    memcpy(b->begin.value, b->time, TIME);
    PUT_WIDE(b->end.value, r->end);
    PUT_WIDE(b->delta.value, r->end - r->start);
    PUT_WIDE(b->correlation.value, r->correlation);
    memcpy(b->track, thread->track, TRACK);
    memcpy(b->tid.value, thread->id, THREAD);
    const uint64_t flow = pf_flow(p, r);
    memcpy(b->flow, &flow, sizeof(flow)); /* the host is little-endian */
    pf_put_end(p, pf_put_annotation((uint8_t *)(b + 1), PF_ancestor_id, ancestor_of(r)));
    /* a call of this size has the prepared lengths */
    if (trace_words(r->head) * 8u != sizeof(trace_api_t)) {
        annotate_arguments(p, r);
        b = (begin_t *)(p->out.data + begun);
        if (!put_lengths(b, p->out.used - begun - sizeof(*b))) {
            p->out.used = begun;
            return false;
        }
        if (!proto_room(&p->out, sizeof(end_t))) return true;
    }
    end_t *e = (end_t *)(p->out.data + p->out.used);
    *e = call->end;
    PUT_WIDE(e->time, r->end);
    memcpy(e->track, thread->track, TRACK);
    p->out.used += sizeof(*e);
    return true;
}

void pf_render_call(pf_threads_t *t, const out_pieces_t *calls, out_domain_t domain,
                    const trace_timed_t *r)
{
    const pf_thread_t *thread = pf_find_thread(t, trace_thread(r->head));
    const call_t *call = kept_call(calls, r);
    /* Ranges may have names of their own, or be points in time. */
    if (out_domains[domain].shape == OUT_RANGE || !fits(call, r) ||
        !put_call(t->p, thread, call, r))
        put_any_call(t->p, thread, call ? &call->name : NULL, domain, r);
}
