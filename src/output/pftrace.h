/* pftrace.h - what the two files of the Perfetto writer share: field numbers, names, the writer.
 *
 * Field numbers are facts of Perfetto's protocol, kept here alone. Names of categories and
 * annotations are those that rocprofv3 uses. */
#ifndef CROCPROF_OUTPUT_PFTRACE_H
#define CROCPROF_OUTPUT_PFTRACE_H

#include "output/format.h"
#include "output/numbers.h"
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

    PF_FLUSH_BYTES = 32768
};

/* Domains with slices. */
#define PF_CATEGORIES(X)                                                                           \
    X(HSA_API)                                                                                     \
    X(HIP_API)                                                                                     \
    X(MARKER_API)                                                                                  \
    X(RCCL_API)                                                                                    \
    X(ROCDECODE_API)                                                                               \
    X(ROCJPEG_API)                                                                                 \
    X(KERNEL_DISPATCH)                                                                             \
    X(MEMORY_COPY)

typedef enum {
#define X(domain) PF_CATEGORY_##domain,
    PF_CATEGORIES(X)
#undef X
        PF_CATEGORY_COUNT
} pf_category_t;

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
    PF_SAME(X, grid_size_z)

typedef enum {
#define X(id, text) PF_##id,
    PF_ANNOTATIONS(X)
#undef X
        PF_ANNOTATION_COUNT
} pf_annotation_t;

typedef struct {
    out_job_t *job;
    out_file_t *file;
    proto_t out;
    uint32_t pid, sequence;
    uint64_t process_track;
    bool started;
    out_numbers_t names; /* of events, by address */
} pf_t;

/* pftrace.c. What a `begin` returns is for its end; between them stand fields. */
size_t pf_packet(pf_t *p);
void pf_packet_end(pf_t *p, size_t packet);
size_t pf_event(pf_t *p, uint64_t track, unsigned type, uint64_t ns, size_t *event);
void pf_event_end(pf_t *p, size_t packet, size_t event);
/* Begin of a slice, or an instant: times, flow and name are in it. `intern`: the name lasts as long
 * as the model. */
size_t pf_slice(pf_t *p, uint64_t track, unsigned type, out_domain_t domain, const char *name,
                bool intern, const trace_timed_t *r, size_t *event);
void pf_slice_end(pf_t *p, uint64_t track, uint64_t ns);
void pf_counter(pf_t *p, uint64_t track, uint64_t ns, double value);
void pf_annotate(pf_t *p, pf_annotation_t which, uint64_t value);
void pf_annotate_text(pf_t *p, pf_annotation_t which, const char *value);
void pf_annotate_named(pf_t *p, const char *name, const char *value);
void pf_annotate_double(pf_t *p, const char *name, double value);

/* pftrace_tracks.c: everything between head and end. 0, or -1: the source failed, or (with nothing
 * in `why`) memory ran out. */
int pf_write_tracks(pf_t *p);

#endif
