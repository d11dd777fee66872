/* pftrace.h - what the files of the Perfetto writer share: field numbers, names, the writer.
 *
 * Field numbers are defined by Perfetto's protocol and are only here. Names of categories and
 * annotations are those that rocprofv3 uses. */
#ifndef CROCPROF_OUTPUT_PFTRACE_H
#define CROCPROF_OUTPUT_PFTRACE_H

#include "output/crew.h"
#include "output/format.h"
#include "model/numbers.h"
#include "output/proto.h"

enum {
    PF_TRACE_PACKET = 1, /* Trace */

    PF_PACKET_CLOCKS = 6, /* TracePacket */
    PF_PACKET_TIME = 8,
    PF_PACKET_SEQUENCE = 10,
    PF_PACKET_EVENT = 11,
    PF_PACKET_INTERNED = 12,
    PF_PACKET_FLAGS = 13,
    PF_PACKET_TRACK = 60,
    PF_CLEARS_STATE = 1,
    PF_NEEDS_STATE = 2,

    PF_CLOCKS_CLOCK = 1, /* ClockSnapshot, its Clock */
    PF_CLOCK_ID = 1,
    PF_CLOCK_TIME = 2,
    PF_CLOCK_REALTIME = 1,
    PF_CLOCK_MONOTONIC = 3,
    PF_CLOCK_BOOTTIME = 6,

    PF_INTERNED_CATEGORIES = 1, /* InternedData, its entries */
    PF_INTERNED_NAMES = 2,
    PF_INTERNED_ANNOTATIONS = 3,
    PF_INTERNED_IID = 1,
    PF_INTERNED_NAME = 2,

    PF_TRACK_UUID = 1, /* TrackDescriptor */
    PF_TRACK_NAME = 2,
    PF_TRACK_PROCESS = 3,
    PF_TRACK_THREAD = 4,
    PF_TRACK_PARENT = 5,
    PF_TRACK_COUNTER = 8,
    PF_PROCESS_PID = 1, /* ProcessDescriptor */
    PF_PROCESS_COMMAND = 2,
    PF_PROCESS_NAME = 6,
    PF_PROCESS_LABELS = 8,
    PF_THREAD_PID = 1, /* ThreadDescriptor */
    PF_THREAD_TID = 2,
    PF_THREAD_NAME = 5,
    PF_COUNTER_UNIT = 3, /* CounterDescriptor */
    PF_UNIT_BYTES = 3,

    PF_EVENT_CATEGORY_IID = 3, /* TrackEvent */
    PF_EVENT_ANNOTATION = 4,
    PF_EVENT_TYPE = 9,
    PF_EVENT_NAME_IID = 10,
    PF_EVENT_TRACK = 11,
    PF_EVENT_NAME = 23,
    PF_EVENT_DOUBLE_VALUE = 44,
    PF_EVENT_FLOW = 47,
    PF_SLICE_BEGIN = 1,
    PF_SLICE_END = 2,
    PF_INSTANT = 3,
    PF_COUNTER = 4,

    PF_ANNOTATION_NAME_IID = 1, /* DebugAnnotation */
    PF_ANNOTATION_UINT = 3,
    PF_ANNOTATION_DOUBLE = 5,
    PF_ANNOTATION_STRING = 6,
    PF_ANNOTATION_NAME = 10,

    PF_FLUSH_BYTES = 1 << 18,
    /* bits of ids of tracks and sequences: enough for unique ids, which become varints of seven and
     * four bytes */
    PF_UUID_BITS = 49,
    PF_SEQUENCE_BITS = 28
};

typedef enum {
    TRACK_THREAD,  /* by thread */
    TRACK_STREAM,  /* by stream */
    TRACK_EVENTS,  /* by kind */
    TRACK_QUEUE,   /* by agent and queue */
    TRACK_COPY,    /* by agent and thread */
    TRACK_BARRIER, /* by agent and queue */
    TRACK_COPIED,  /* by agent; from here on tracks of counters */
    TRACK_GIVEN,   /* by agent */
    TRACK_SCRATCH, /* by agent */
    TRACK_PMC      /* by agent and counter */
} pf_track_kind_t;

#define PF_SAME(X, name) X(name, #name)
#define PF_ANNOTATIONS(X)                                                                          \
    PF_SAME(X, begin_ns)                                                                           \
    PF_SAME(X, end_ns)                                                                             \
    PF_SAME(X, delta_ns)                                                                           \
    PF_SAME(X, tid)                                                                                \
    PF_SAME(X, kind)                                                                               \
    PF_SAME(X, operation)                                                                          \
    PF_SAME(X, corr_id)                                                                            \
    PF_SAME(X, ancestor_id)                                                                        \
    PF_SAME(X, stream_ID)                                                                          \
    PF_SAME(X, src_agent)                                                                          \
    PF_SAME(X, dst_agent)                                                                          \
    PF_SAME(X, copy_bytes)                                                                         \
    PF_SAME(X, agent)                                                                              \
    PF_SAME(X, agent_type)                                                                         \
    PF_SAME(X, queue)                                                                              \
    PF_SAME(X, kernel_id)                                                                          \
    PF_SAME(X, dispatch_id)                                                                        \
    PF_SAME(X, Scratch_Size)                                                                       \
    PF_SAME(X, LDS_Block_Size)                                                                     \
    PF_SAME(X, VGPR_Count)                                                                         \
    PF_SAME(X, Accum_VGPR_Count)                                                                   \
    PF_SAME(X, SGPR_Count)                                                                         \
    PF_SAME(X, workgroup_size)                                                                     \
    PF_SAME(X, grid_size)                                                                          \
    PF_SAME(X, workgroup_size_x)                                                                   \
    PF_SAME(X, workgroup_size_y)                                                                   \
    PF_SAME(X, workgroup_size_z)                                                                   \
    PF_SAME(X, grid_size_x)                                                                        \
    PF_SAME(X, grid_size_y)                                                                        \
    PF_SAME(X, grid_size_z)                                                                        \
    PF_SAME(X, graph_exec_id)                                                                      \
    PF_SAME(X, graph_node_id)                                                                      \
    PF_SAME(X, kernel_dispatch_count)                                                              \
    PF_SAME(X, hip_event_handle)                                                                   \
    PF_SAME(X, source_queue)

typedef enum {
#define X(id, text) PF_##id,
    PF_ANNOTATIONS(X)
#undef X
        PF_ANNOTATION_COUNT
} pf_annotation_t;

typedef struct pf {
    out_job_t *job;
    out_file_t *file;
    void (*flush)(struct pf *p); /* passes on the contents of `out` */
    proto_t out;
    uint32_t pid, sequence;
    uint64_t process_track;
    proto_fields_t head;  /* the first fields of every packet */
    proto_fields_t begin; /* the first fields of a packet with a time, up to the time's value */
    out_numbers_t names;  /* numbers of events' names, by address */
} pf_t;

static inline uint64_t pf_uuid(const pf_t *p, pf_track_kind_t kind, uint64_t a, uint64_t b)
{
    const uint64_t uuid = out_mix(out_mix(p->process_track ^ out_mix(kind) ^ a) ^ b);
    return (uuid & ((UINT64_C(1) << PF_UUID_BITS) - 1)) | 1;
}

/* Returns the id of a flow, unique in the whole trace: correlation ids are only unique in a
 * process. */
static inline uint64_t pf_flow(const pf_t *p, const trace_timed_t *r)
{
    return out_mix(p->process_track ^ r->correlation);
}

/* The result of a _begin function or of pf_packet is to be passed to its _end function, after the
 * fields. */
static inline size_t pf_packet(pf_t *p)
{
    size_t begun = proto_begin(&p->out, PF_TRACE_PACKET);
    proto_copy(&p->out, &p->head);
    return begun;
}

static inline void pf_packet_end(pf_t *p, size_t begun)
{
    proto_end(&p->out, begun);
    if (p->out.used >= PF_FLUSH_BYTES) p->flush(p);
}

/* Room for the parts of an event whose size is limited, so that it has to be reserved only once. */
enum { PF_EVENT_MAX = 8 * PROTO_NUMBER_MAX + 4 * (int)sizeof(proto_fields_t) };

/* Writes the beginning of a packet, and its time, into reserved room. */
static inline uint8_t *pf_put_begin(const pf_t *p, uint8_t *at, uint64_t ns, size_t *packet)
{
    enum { TAG_BYTES = 1 }; /* size of the tag of PF_TRACE_PACKET */
    *packet = (size_t)(at + TAG_BYTES + PROTO_LENGTH_BYTES - p->out.data);
    return proto_put_varint(proto_put_fields(at, &p->begin), ns);
}

/* Writes an event up to its own fields, into reserved room. */
static inline uint8_t *pf_put_event(pf_t *p, uint8_t *at, const proto_fields_t *track,
                                    unsigned type, uint64_t ns, size_t *packet, size_t *event)
{
    at = proto_put_begin(pf_put_begin(p, at, ns, packet), PF_PACKET_EVENT);
    *event = (size_t)(at - p->out.data);
    return proto_put_fields(proto_put_number(at, PF_EVENT_TYPE, type), track);
}

static inline void pf_put_end(pf_t *p, const uint8_t *at)
{
    p->out.used = (size_t)(at - p->out.data);
}

/* Begins an event; `track` is the field PF_EVENT_TRACK. */
static inline size_t pf_event(pf_t *p, const proto_fields_t *track, unsigned type, uint64_t ns,
                              size_t *event)
{
    size_t packet = *event = 0;
    if (!proto_room(&p->out, PF_EVENT_MAX)) return 0;
    pf_put_end(p, pf_put_event(p, p->out.data + p->out.used, track, type, ns, &packet, event));
    return packet;
}

static inline void pf_event_end(pf_t *p, size_t packet, size_t event)
{
    proto_end(&p->out, event);
    pf_packet_end(p, packet);
}

enum { PF_ANNOTATION_MAX = 2 + 2 * PROTO_NUMBER_MAX };

static inline uint8_t *pf_put_annotation(uint8_t *at, pf_annotation_t which, uint64_t value)
{
    /* Writes two small fields: one byte is enough for their length and for the number of the name.
     * The bytes before the value are stored at once, together with a small value. */
    enum { LENGTH_POS = 8, VALUE_POS = 40, BEFORE_VALUE = VALUE_POS / 8, IN_LENGTH = 3 };
    uint64_t bytes = PF_EVENT_ANNOTATION << 3 | PROTO_BYTES |
                     (PF_ANNOTATION_NAME_IID << 3 | PROTO_VARINT) << 16 | (which + 1u) << 24 |
                     (uint64_t)(PF_ANNOTATION_UINT << 3 | PROTO_VARINT) << 32;
    if (value < 0x80) {
        bytes |= (IN_LENGTH + 1) << LENGTH_POS | value << VALUE_POS;
        memcpy(at, &bytes, sizeof(bytes)); /* the host is little-endian */
        return at + BEFORE_VALUE + 1;
    }
    uint8_t *end = proto_put_varint(at + BEFORE_VALUE, value);
    bytes |= (uint64_t)(end - at - BEFORE_VALUE + IN_LENGTH) << LENGTH_POS;
    memcpy(at, &bytes, BEFORE_VALUE);
    return end;
}

_Static_assert(PF_ANNOTATION_COUNT < 0x80, "pf_put_annotation");

/* The same for a short text, such as an agent's name, whose length also fits into one byte. */
enum { PF_SHORT_TEXT = 31 };
static inline uint8_t *pf_put_short_text(uint8_t *at, pf_annotation_t which, const char *text)
{
    enum { TEXT_POS = 6, IN_LENGTH = 4 };
    const size_t bytes = strnlen(text, PF_SHORT_TEXT);
    const uint8_t begin[TEXT_POS] = {
        PF_EVENT_ANNOTATION << 3 | PROTO_BYTES,     (uint8_t)(bytes + IN_LENGTH),
        PF_ANNOTATION_NAME_IID << 3 | PROTO_VARINT, (uint8_t)(which + 1u),
        PF_ANNOTATION_STRING << 3 | PROTO_BYTES,    (uint8_t)bytes};
    memcpy(at, begin, sizeof(begin));
    memcpy(at + TEXT_POS, text, bytes);
    return at + TEXT_POS + bytes;
}

/* Writes the flow id, and times as annotations. */
enum { PF_TIMES_MAX = PROTO_NUMBER_MAX + 3 * PF_ANNOTATION_MAX };

static inline uint8_t *pf_put_times(const pf_t *p, uint8_t *at, const trace_timed_t *r)
{
    if (r->correlation) at = proto_put_fixed64(at, PF_EVENT_FLOW, pf_flow(p, r));
    at = pf_put_annotation(at, PF_begin_ns, r->start);
    at = pf_put_annotation(at, PF_end_ns, r->end);
    return pf_put_annotation(at, PF_delta_ns, r->end - r->start);
}

/* Begins a slice, or an instant, with times, flow and name; `name` is a result of
 * pf_name_fields. */
static inline size_t pf_slice(pf_t *p, const proto_fields_t *track, unsigned type,
                              const proto_fields_t *name, const trace_timed_t *r, size_t *event)
{
    size_t packet = *event = 0;
    if (!proto_room(&p->out, PF_EVENT_MAX + PF_TIMES_MAX)) return 0;
    uint8_t *at = pf_put_event(p, p->out.data + p->out.used, track, type, r->start, &packet, event);
    pf_put_end(p, pf_put_times(p, proto_put_fields(at, name), r));
    return packet;
}

static inline void pf_slice_end(pf_t *p, const proto_fields_t *track, uint64_t ns)
{
    size_t event, packet = pf_event(p, track, PF_SLICE_END, ns, &event);
    pf_event_end(p, packet, event);
}

/* Prepares the end of a slice except for its time, for a track that has many slices. */
static inline proto_fields_t pf_make_end(const proto_fields_t *track)
{
    proto_fields_t end = {0};
    uint8_t *begun = proto_put_begin(end.data, PF_PACKET_EVENT);
    uint8_t *at = proto_put_number(begun, PF_EVENT_TYPE, PF_SLICE_END);
    memcpy(at, track->data, track->used);
    at += track->used;
    proto_put_length(begun, (size_t)(at - begun));
    end.used = (uint8_t)(at - end.data);
    return end;
}

/* As pf_slice_end, with a result of pf_make_end. */
static inline void pf_slice_ends(pf_t *p, const proto_fields_t *end, uint64_t ns)
{
    size_t packet;
    if (!proto_room(&p->out, PF_EVENT_MAX)) return;
    pf_put_end(p, proto_put_fields(pf_put_begin(p, p->out.data + p->out.used, ns, &packet), end));
    pf_packet_end(p, packet);
}

/* In pftrace.c: the numbers of an event's category and name. The name must live as long as the
 * model; its number is 0 when out of memory. pf_name must not be called inside a packet. */
typedef struct {
    uint64_t category, name;
} pf_name_t;
pf_name_t pf_name(pf_t *p, out_domain_t domain, const char *name);
/* The fields of an event for these numbers. */
proto_fields_t pf_name_fields(pf_name_t name);
/* Begins an event whose name is not interned, because it occurs once. */
size_t pf_named(pf_t *p, const proto_fields_t *track, unsigned type, out_domain_t domain,
                const char *name, const trace_timed_t *r, size_t *event);
void pf_counter(pf_t *p, const proto_fields_t *track, uint64_t ns, double value);
void pf_annotate_named(pf_t *p, const char *name, const char *value);
void pf_annotate_double(pf_t *p, const char *name, double value);

/* In pftrace_tracks.c: writes everything between the first packet and the end. Returns 0, or -1 if
 * the source has failed or, with `why` empty, if there is no memory. */
int pf_write_tracks(pf_t *p);

#endif
