/* format.h - the bytes of a trace store on disk.
 *
 * A store is one directory per process: `meta.seg` (names, agents, kernels, facts about the
 * process) and `records-<n>.seg`. Only this file says what is in them; writer and reader both
 * follow it. Change a layout only together with TRACE_VERSION; readers refuse other versions.
 *
 * Segment: one header page, then windows of TRACE_WINDOW_BYTES. A record never crosses a window;
 * what is left at a window's end is a PAD record or, if smaller than a head, nothing. Every record
 * is a whole number of 8-byte words and begins with a head:
 *
 *   63            40 39        28 27           14 13       6 5       0
 *  +----------------+------------+---------------+----------+---------+
 *  |   thread id    | operation  |     words     |   kind   |  type   |
 *  +----------------+------------+---------------+----------+---------+
 *       24 bits        12 bits        14 bits       8 bits     6 bits
 *
 * `words` counts the head. Linux thread ids fit in 22 bits; kind and operation are the numbers of
 * rocprofiler-sdk. Fields behind the ones a reader knows are skipped by `words`.
 *
 * The header's `committed` says how many bytes behind the header hold whole records. It is
 * stored after the records (release), in a shared mapping of the file: when the process dies,
 * whatever the way, the file holds everything up to it. */
#ifndef CROCPROF_TRACE_FORMAT_H
#define CROCPROF_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define TRACE_MAGIC        "CROCTRC\n"
#define TRACE_VERSION      1u
#define TRACE_HEADER_BYTES 4096u
#define TRACE_WINDOW_BYTES (256u * 1024u)

#define TRACE_META_FILE      "meta.seg"
#define TRACE_RECORDS_FORMAT "records-%u.seg"

/* Room for the line in a segment's header that says why records were dropped. */
enum { TRACE_FAILURE_BYTES = 160 };
/* The end of a text that was cut. */
#define TRACE_CUT " [cut]"

enum { TRACE_CONTENTS_META = 1, TRACE_CONTENTS_RECORDS = 2 };

typedef struct {
    uint64_t received; /* handed to the tool, plus those that the SDK reports as dropped */
    uint64_t written;  /* in the segment */
    uint64_t dropped;  /* lost: a full buffer, a full disk */
    uint64_t filtered; /* left out on purpose */
} trace_counts_t;

typedef struct {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint32_t window_bytes;
    uint32_t contents; /* TRACE_CONTENTS_* */
    uint32_t pid;
    uint32_t segment;      /* number in the file name */
    uint64_t boottime_ns;  /* clock anchors, read one after the other when the segment is made; */
    uint64_t monotonic_ns; /* record timestamps are on CLOCK_BOOTTIME */
    uint64_t realtime_ns;
    uint64_t process_start; /* start time in clock ticks since boot: tells a reused pid apart */
    uint64_t committed;     /* bytes of whole records behind the header */
    trace_counts_t counts;
    uint64_t closed_ns; /* CLOCK_BOOTTIME of the orderly end; 0 while open or after a kill */
    uint64_t cut_texts; /* texts too long for a record: what is left of each ends with TRACE_CUT */
    char failure[TRACE_FAILURE_BYTES]; /* why the first dropped record was dropped, or "" */
} trace_segment_header_t;

_Static_assert(sizeof(trace_segment_header_t) <= TRACE_HEADER_BYTES, "header page");

#define TRACE_TYPE_BITS      6
#define TRACE_KIND_BITS      8
#define TRACE_WORDS_BITS     14
#define TRACE_OPERATION_BITS 12
#define TRACE_THREAD_BITS    24

#define TRACE_KIND_POS      TRACE_TYPE_BITS
#define TRACE_WORDS_POS     (TRACE_KIND_POS + TRACE_KIND_BITS)
#define TRACE_OPERATION_POS (TRACE_WORDS_POS + TRACE_WORDS_BITS)
#define TRACE_THREAD_POS    (TRACE_OPERATION_POS + TRACE_OPERATION_BITS)

#define TRACE_WORDS_MAX     ((1u << TRACE_WORDS_BITS) - 1)
#define TRACE_KIND_MAX      ((1u << TRACE_KIND_BITS) - 1)
#define TRACE_OPERATION_MAX ((1u << TRACE_OPERATION_BITS) - 1)

typedef uint64_t trace_head_t;

static inline trace_head_t trace_head(uint32_t type, uint32_t kind, uint32_t operation,
                                      uint64_t thread, size_t bytes)
{
    return (uint64_t)type | (uint64_t)kind << TRACE_KIND_POS |
           (uint64_t)((bytes + 7) / 8) << TRACE_WORDS_POS |
           (uint64_t)(operation & TRACE_OPERATION_MAX) << TRACE_OPERATION_POS |
           thread << TRACE_THREAD_POS;
}

#define TRACE_FIELD(head, FIELD)                                                                   \
    ((uint32_t)((head) >> TRACE_##FIELD##_POS) & ((1u << TRACE_##FIELD##_BITS) - 1))

/* Type, kind and words together, which decide how a record is read. */
static inline uint32_t trace_shape(trace_head_t h)
{
    return (uint32_t)h & ((1u << TRACE_OPERATION_POS) - 1);
}

static inline uint32_t trace_type(trace_head_t h)
{
    return (uint32_t)h & ((1u << TRACE_TYPE_BITS) - 1);
}
static inline uint32_t trace_kind(trace_head_t h)
{
    return TRACE_FIELD(h, KIND);
}
static inline uint32_t trace_words(trace_head_t h)
{
    return TRACE_FIELD(h, WORDS);
}
static inline uint32_t trace_operation(trace_head_t h)
{
    return TRACE_FIELD(h, OPERATION);
}
static inline uint32_t trace_thread(trace_head_t h)
{
    return TRACE_FIELD(h, THREAD);
}

/* X(type, number, what a record of it begins with). A record with fewer bytes than that is damaged.
 * A meta record's texts stand behind its fixed part, each ended by a zero byte. */
#define TRACE_TYPES(X)                                                                             \
    X(PAD, 0, trace_head_t)                                                                        \
    X(INFO, 1, trace_head_t)               /* texts: key, value */                                 \
    X(KIND, 2, trace_head_t)               /* text: name of the head's kind */                     \
    X(OPERATION, 3, trace_head_t)          /* text: name of the head's operation */                \
    X(AGENT, 4, trace_agent_t)             /* texts: name, vendor, product, model */               \
    X(CODE_OBJECT, 5, trace_code_object_t) /* text: uri */                                         \
    X(KERNEL, 6, trace_kernel_t)           /* text: name as in the code object */                  \
    X(COUNTER, 7, trace_counter_t)         /* texts: name, description, block, expression */       \
    X(SIGNATURE, 8, trace_signature_t)     /* texts: type and name of each argument */             \
    X(THREAD, 9, trace_head_t)             /* text: name of the thread; the last record counts */  \
    X(CALLBACK_KIND, 10, trace_head_t)     /* as KIND and OPERATION, of callback tracing */        \
    X(CALLBACK_OPERATION, 11, trace_head_t)                                                        \
    X(TEXT, 12, trace_text_t)           /* text: what the number stands for */                     \
    X(DIMENSION, 13, trace_dimension_t) /* text: name */                                           \
    X(INSTANCES, 14, trace_table_t)                                                                \
    X(AGENT_PARTS, 15, trace_table_t)                                                              \
    X(API, 16, trace_api_t)                                                                        \
    X(DISPATCH, 17, trace_dispatch_t)                                                              \
    X(COPY, 18, trace_copy_t)                                                                      \
    X(ALLOCATION, 19, trace_allocation_t)                                                          \
    X(SCRATCH, 20, trace_scratch_t)                                                                \
    X(COUNTERS, 21, trace_counters_t)                                                              \
    X(SAMPLE, 22, trace_sample_t)                                                                  \
    X(MARKER, 24, trace_marker_t)                                                                  \
    X(COUNTED_KERNELS, 26, trace_table_t)                                                          \
    X(READINGS, 27, trace_readings_t)                                                              \
    X(INSTRUCTIONS, 28, trace_table_t) /* number 25 had other columns */                           \
    X(GRAPH, 29, trace_graph_t)                                                                    \
    X(BARRIER, 30, trace_barrier_t)                                                                \
    X(HOST_FUNCTION, 31, trace_host_function_t) /* text: name of its kernel's device function */   \
    X(SNAPSHOT, 32, trace_snapshot_t)                                                              \
    X(MPI, 33, trace_mpi_t)

enum {
#define X(name, number, type) TRACE_##name = number,
    TRACE_TYPES(X)
#undef X
        TRACE_TYPE_COUNT = 1 << TRACE_TYPE_BITS
};

/* Every timed record begins like this. */
typedef struct {
    trace_head_t head;
    uint64_t start, end; /* ns, CLOCK_BOOTTIME */
    uint64_t correlation;
} trace_timed_t;

typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t ancestor; /* if this and the next are 0, the record ends before them */
    uint64_t external;
} trace_api_full_t;

typedef trace_timed_t trace_api_t;

/* A call with its arguments. Their values stand behind the record as texts, each ended by a zero
 * byte: as many as the SIGNATURE of its operation has, or fewer. */
typedef struct {
    trace_api_full_t call;
    uint64_t result;
    uint32_t count;      /* of values */
    uint32_t has_result; /* 0 in records made from a database, which has no results */
} trace_call_t;

/* The values, or NULL if the call has none; `end` is behind the last byte of the record. */
static inline const char *trace_call_values(const trace_timed_t *r, const char **end)
{
    size_t bytes = trace_words(r->head) * 8u;
    *end = (const char *)r + bytes;
    return trace_type(r->head) == TRACE_API && bytes >= sizeof(trace_call_t)
               ? (const char *)r + sizeof(trace_call_t)
               : NULL;
}

typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t agent, queue, kernel, dispatch, stream;
    uint32_t private_bytes, group_bytes;
    uint32_t workgroup[3], grid[3];
} trace_dispatch_t;

typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t source, destination; /* agents */
    uint64_t bytes, source_address, destination_address, stream;
} trace_copy_t;

/* Stands behind the record of a kernel or copy that a graph has launched, and only there: the
 * executable graph, and the place among the kernels and copies of one launch. */
typedef struct {
    uint64_t graph, node; /* from 1 */
} trace_node_t;

static inline trace_node_t trace_node(const trace_timed_t *r)
{
    const uint32_t type = trace_type(r->head);
    const size_t fixed = type == TRACE_COPY ? sizeof(trace_copy_t) : sizeof(trace_dispatch_t);
    trace_node_t node = {0, 0};
    if ((type == TRACE_COPY || type == TRACE_DISPATCH) &&
        trace_words(r->head) * 8u >= fixed + sizeof(node))
        __builtin_memcpy(&node, (const char *)r + fixed, sizeof(node));
    return node;
}

/* A launch of a graph, with the times of the call. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t ancestor, external;
    uint64_t agent, queue, graph;
    uint64_t kernels; /* number of kernels that it has dispatched */
} trace_graph_t;

/* A barrier of the GPU for an event of HIP. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t agent, queue, stream;
    uint64_t event, source; /* address of the event, and the queue in which it was recorded */
} trace_barrier_t;

/* A call of MPI; mpi.h says more. Behind it: the members' ranks in MPI_COMM_WORLD (uint32_t), if
 * the call has made a communicator
 * (`made`), else the requests that it has completed. */
typedef struct {
    trace_api_full_t call;
    uint64_t communicator, made; /* ids, 0: none */
    uint64_t sent, received;     /* bytes of this process's buffers */
    uint64_t request;            /* that it has begun, counted from 1 in each process; 0: none */
    int32_t rank, size;          /* of this process in the communicator, and of that */
    int32_t destination, send_tag, source, receive_tag, root;
    uint32_t count; /* of what is behind the record */
} trace_mpi_t;

/* A request that is complete. */
typedef struct {
    uint64_t request, communicator, bytes;
    int32_t peer, tag;
    uint32_t kind; /* trace_mpi_request_t */
    uint32_t reserved;
} trace_mpi_done_t;

/* Memory that was allocated or freed. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t agent; /* 0: not known, as for memory that is freed */
    uint64_t address, bytes;
} trace_allocation_t;

typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t agent, queue, flags, bytes;
} trace_scratch_t;

/* A PC sample: the instruction that a wave was about to execute. Start and end are the same. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t dispatch;
    uint64_t code_object, offset; /* code_object 0: `offset` is an address in no code object */
    uint64_t exec;                /* the wave's active lanes */
    uint64_t place;               /* rocprofiler_pc_sampling_hw_id_v0_t */
    uint32_t workgroup[3], wave;
} trace_sample_t;

/* A stochastic PC sample, which says also what the wave did in that clock. */
typedef struct {
    trace_sample_t sample;
    uint32_t snapshot;    /* rocprofiler_pc_sampling_snapshot_v0_t */
    uint32_t waves;       /* that the compute unit held */
    uint32_t issued;      /* 1: the wave issued the instruction; 0: it waited in front of it */
    uint32_t instruction; /* rocprofiler_pc_sampling_instruction_type_t of what was issued */
} trace_snapshot_t;

/* Counters of one dispatch; the values follow the fixed part. Values of one counter stand one
 * after the other, in one record. */
typedef struct {
    trace_dispatch_t dispatch;
    uint64_t count; /* of values */
} trace_counters_t;

typedef struct {
    uint64_t counter;  /* id of a COUNTER record */
    uint64_t instance; /* rocprofiler_counter_instance_id_t: place in the counter's dimensions */
    double value;
} trace_value_t;

static inline const trace_value_t *trace_values(const trace_counters_t *c)
{
    return (const trace_value_t *)(c + 1);
}

enum {
    TRACE_VALUES_MAX =
        (TRACE_WORDS_MAX * sizeof(uint64_t) - sizeof(trace_counters_t)) / sizeof(trace_value_t)
};

/* Samples of counters during one dispatch, in the order of time; they follow the fixed part. A
 * dispatch has as many of these records as its samples need. Start and end say when the samples
 * came; the kernel's own times are in its DISPATCH record. */
typedef struct {
    trace_dispatch_t dispatch;
    uint64_t count; /* of samples */
} trace_readings_t;

/* What one instance of a counter has counted in one interval. */
typedef struct {
    uint64_t counter;  /* id of a COUNTER record */
    uint64_t instance; /* as in trace_value_t; 0 if it is not known */
    uint64_t clock;    /* of the GPU, at the interval's end */
    double value;
    uint32_t xcc, engine, place, reserved; /* where the instance is */
} trace_reading_t;

static inline const trace_reading_t *trace_readings(const trace_readings_t *s)
{
    return (const trace_reading_t *)(s + 1);
}

enum {
    TRACE_READINGS_MAX =
        (TRACE_WORDS_MAX * sizeof(uint64_t) - sizeof(trace_readings_t)) / sizeof(trace_reading_t)
};

/* A mark (start and end are the same) or a range of the program. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t ancestor, external;
    uint64_t text; /* number of a TEXT record, 0 if the operation has none */
} trace_marker_t;

/* A counter of one agent. */
typedef struct {
    trace_head_t head;
    uint64_t id, agent;
    uint32_t derived;
    uint16_t constant, streams; /* streams: it can be sampled (--spm) */
} trace_counter_t;

typedef struct {
    trace_head_t head;
    uint64_t count; /* of arguments */
} trace_signature_t;

enum { TRACE_ARGUMENTS_MAX = 32 }; /* that the tool keeps of a call: no function has more */

/* A dimension of a counter. */
typedef struct {
    trace_head_t head;
    uint64_t counter, id, size;
} trace_dimension_t;

/* A table of numbers about one thing, the owner: `rows` times `columns` numbers follow the fixed
 * part. INSTANCES: the owner is a counter; columns are an instance's id, as values have it, and its
 * place in each dimension, in the order of the DIMENSION records; `part` is 0. AGENT_PARTS: the
 * owner is an agent, `part` says which part of it; columns are as in agent-fields.h. INSTRUCTIONS
 * and COUNTED_KERNELS: instructions.h. */
typedef struct {
    trace_head_t head;
    uint64_t owner;
    uint32_t part, columns;
    uint64_t rows;
} trace_table_t;

static inline const uint64_t *trace_table_row(const trace_table_t *t, uint64_t row)
{
    return (const uint64_t *)(t + 1) + row * t->columns;
}

typedef struct {
    trace_head_t head;
    uint64_t id; /* from 1; a dispatch's external id, where it is not 0, is one of these */
} trace_text_t;

typedef struct {
    trace_head_t head;
    uint64_t id;
    uint32_t type;        /* TRACE_AGENT_CPU, TRACE_AGENT_GPU */
    uint32_t fields;      /* number of values */
    int32_t type_index;   /* index among the agents of the type */
    uint32_t text_offset; /* bytes from the record's begin to its texts */
} trace_agent_t;

/* The values follow the fixed part, in the order of agent-fields.h. */
static inline const uint64_t *trace_agent_values(const trace_agent_t *a)
{
    return (const uint64_t *)(a + 1);
}

enum { TRACE_AGENT_CPU = 1, TRACE_AGENT_GPU = 2 };

typedef struct {
    trace_head_t head;
    uint64_t id, agent;
    uint64_t load_base, load_size;
    int64_t load_delta;
    uint64_t memory_base, memory_size; /* of the object in memory; 0 if it came from a file */
} trace_code_object_t;

typedef struct {
    trace_head_t head;
    uint64_t id, code_object, object, address;
    int64_t entry_offset;
    uint32_t kernarg_bytes, kernarg_alignment;
    uint32_t group_bytes, private_bytes;
    uint32_t sgprs, vgprs, agprs, reserved;
} trace_kernel_t;

/* A function of the host that a program has registered with HIP for a kernel. Launches name the
 * kernel by it. */
typedef struct {
    trace_head_t head;
    uint64_t id, kernel, code_object; /* id: from 1 */
    uint64_t function, modules;       /* addresses */
    uint64_t workgroup_size;
    uint32_t thread_limit;
    uint32_t thread_ids[3], block_ids[3], block_dims[3], grid_dims[3];
    uint32_t reserved;
} trace_host_function_t;

#endif
