/* format.h - the bytes of a trace store on disk.
 *
 * A store is one directory per process: `meta.seg` (names, agents, kernels, facts about the
 * process) and `records-<n>.seg`. This file alone defines their layout, for writer and reader.
 * Change a layout only together with TRACE_VERSION; readers refuse other versions.
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
 * rocprofiler-sdk. A later version may append fields to a record: a reader gets past them by
 * `words`.
 *
 * The header's `committed` says how many bytes behind the header hold whole records. It is stored
 * after the records (release), in a shared mapping of the file: however the process dies, the file
 * holds every record below `committed`. */
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

/* Room for the text in a segment's header that says why records were dropped. */
enum { TRACE_FAILURE_BYTES = 160 };
/* Replaces the end of a text that was cut to fit into a record. */
#define TRACE_CUT " [cut]"

enum { TRACE_CONTENTS_META = 1, TRACE_CONTENTS_RECORDS = 2 };

typedef struct {
    uint64_t received; /* records handed to the tool, plus those that the SDK reports as dropped */
    uint64_t written;  /* records in the segment */
    uint64_t dropped;  /* records lost: by a full buffer or a full disk, for example */
    uint64_t filtered; /* records left out because an option asked for that */
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
    uint64_t process_start; /* in clock ticks since boot: distinguishes processes that had the same
                             * id */
    uint64_t committed;     /* bytes of whole records behind the header */
    trace_counts_t counts;
    uint64_t closed_ns; /* CLOCK_BOOTTIME of the orderly end; 0 while open or after a kill */
    uint64_t cut_texts; /* number of texts that were too long for a record; each ends with
                         * TRACE_CUT */
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

/* Type, kind and words together: two records with the same shape are checked and read in the same
 * way. */
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

/* X(type, number, struct that each record of the type begins with). A record shorter than its
 * struct is damaged. The texts of a meta record follow the struct, each ended by a zero byte. */
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
    X(THREAD, 9, trace_head_t)         /* text: name of the thread; the last record is valid */    \
    X(CALLBACK_KIND, 10, trace_head_t) /* as KIND and OPERATION, of callback tracing */            \
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
    X(INSTRUCTIONS, 28, trace_table_t) /* number 25 had other columns, in earlier stores */        \
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

/* The beginning of every record that has times. */
typedef struct {
    trace_head_t head;
    uint64_t start, end; /* ns, CLOCK_BOOTTIME */
    uint64_t correlation;
} trace_timed_t;

typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t ancestor; /* if this and the next field are 0, the record ends before them */
    uint64_t external;
} trace_api_full_t;

typedef trace_timed_t trace_api_t;

/* A call with its arguments. The values of the arguments follow the record as texts, each ended by
 * a zero byte: as many as the SIGNATURE of the operation has, or fewer. */
typedef struct {
    trace_api_full_t call;
    uint64_t result;
    uint32_t count;      /* number of values */
    uint32_t has_result; /* 0 in records made from a database, which has no results of calls */
} trace_call_t;

/* Returns the first of the values, or NULL if the call has none; `end` becomes the end of the
 * record. */
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
    uint64_t source, destination; /* ids of agents */
    uint64_t bytes, source_address, destination_address, stream;
} trace_copy_t;

/* Follows the record of a kernel or a copy, if a graph has launched it: names the executable graph,
 * and the kernel's or copy's number within one launch of the graph. */
typedef struct {
    uint64_t graph, node; /* both count from 1 */
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

/* A launch of a graph; start and end are those of the call that launched it. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t ancestor, external;
    uint64_t agent, queue, graph;
    uint64_t kernels; /* number of kernels that the launch has dispatched */
} trace_graph_t;

/* A barrier packet that HIP has put into a queue for one of its events. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t agent, queue, stream;
    uint64_t event, source; /* address of the event; queue in which the event was recorded */
} trace_barrier_t;

/* A call of MPI; mpi.h describes it. If the call has made a communicator (`made`), the ranks of the
 * members in MPI_COMM_WORLD follow the record (uint32_t each), else the requests that the call has
 * completed. */
typedef struct {
    trace_api_full_t call;
    uint64_t communicator, made; /* ids of communicators; 0: none */
    uint64_t sent, received;     /* bytes in the buffers of this process */
    uint64_t request;            /* number of the request that the call has begun, from 1 in each
                                  * process; 0: none */
    int32_t rank, size;          /* this process's rank in the communicator, and the communicator's
                                  * size */
    int32_t destination, send_tag, source, receive_tag, root;
    uint32_t count; /* number of ranks or requests that follow the record */
} trace_mpi_t;

/* A request that a call has completed. */
typedef struct {
    uint64_t request, communicator, bytes;
    int32_t peer, tag;
    uint32_t kind; /* trace_mpi_request_t */
    uint32_t reserved;
} trace_mpi_done_t;

/* Memory that a call has allocated or freed. */
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

/* A PC sample: the instruction that a wave was about to execute. `start` and `end` are the same. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t external;
    uint64_t dispatch;
    uint64_t code_object, offset; /* if code_object is 0, `offset` is an address outside of all code
                                   * objects */
    uint64_t exec;                /* mask of the wave's active lanes */
    uint64_t place;               /* where the wave ran: rocprofiler_pc_sampling_hw_id_v0_t */
    uint32_t workgroup[3], wave;
} trace_sample_t;

/* A stochastic PC sample, which also says whether the wave issued an instruction in the clock of
 * the sample. */
typedef struct {
    trace_sample_t sample;
    uint32_t snapshot;    /* rocprofiler_pc_sampling_snapshot_v0_t */
    uint32_t waves;       /* number of waves on the compute unit */
    uint32_t issued;      /* 1: the wave issued the instruction; 0: the wave waited */
    uint32_t instruction; /* rocprofiler_pc_sampling_instruction_type_t of what was issued */
} trace_snapshot_t;

/* Values of counters for one dispatch, which follow the fixed part. All values of a counter are
 * adjacent and in the same record. */
typedef struct {
    trace_dispatch_t dispatch;
    uint64_t count; /* number of values */
} trace_counters_t;

typedef struct {
    uint64_t counter;  /* id of a COUNTER record */
    uint64_t instance; /* rocprofiler_counter_instance_id_t: the instance's position in the
                        * counter's dimensions */
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

/* Samples of counters during one dispatch, in the order of time; they follow the fixed part. If the
 * samples do not fit into one record, further records follow. `start` and `end` are the times at
 * which the samples arrived; the times of the kernel are in its DISPATCH record. */
typedef struct {
    trace_dispatch_t dispatch;
    uint64_t count; /* number of samples */
} trace_readings_t;

/* The value of one instance of a counter in one sampling interval. */
typedef struct {
    uint64_t counter;  /* id of a COUNTER record */
    uint64_t instance; /* as in trace_value_t; 0 if it is not known */
    uint64_t clock;    /* the GPU's clock at the end of the interval */
    double value;
    uint32_t xcc, engine, place, reserved; /* where the instance is: compute die, shader engine,
                                            * number within it */
} trace_reading_t;

static inline const trace_reading_t *trace_readings(const trace_readings_t *s)
{
    return (const trace_reading_t *)(s + 1);
}

enum {
    TRACE_READINGS_MAX =
        (TRACE_WORDS_MAX * sizeof(uint64_t) - sizeof(trace_readings_t)) / sizeof(trace_reading_t)
};

/* A mark (`start` and `end` are the same) or a range that the program has set by ROCTx. */
typedef struct {
    trace_head_t head;
    uint64_t start, end;
    uint64_t correlation;
    uint64_t ancestor, external;
    uint64_t text; /* number of a TEXT record, 0 if the operation has none */
} trace_marker_t;

/* A counter of one agent, as the counter definitions describe it. */
typedef struct {
    trace_head_t head;
    uint64_t id, agent;
    uint32_t derived;
    uint16_t constant, streams; /* `streams`: the counter can be sampled (--spm) */
} trace_counter_t;

typedef struct {
    trace_head_t head;
    uint64_t count; /* number of arguments */
} trace_signature_t;

/* Most arguments of a call that the tool records; no function has more. */
enum { TRACE_ARGUMENTS_MAX = 32 };

/* A dimension of a counter: over which parts of the GPU the counter has instances. */
typedef struct {
    trace_head_t head;
    uint64_t counter, id, size;
} trace_dimension_t;

/* A table of numbers about one counter, agent or code object, the owner: `rows` times `columns`
 * numbers follow the fixed part. INSTANCES: the owner is a counter; the columns are the id of an
 * instance, as in trace_value_t, and the position of the instance in each dimension, in the order
 * of the DIMENSION records; `part` is 0. AGENT_PARTS: the owner is an agent, `part` is one of
 * agent-fields.h, and so are the columns. INSTRUCTIONS and COUNTED_KERNELS are in
 * instructions.h. */
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
    uint64_t id; /* counts from 1; an external id of a dispatch that is not 0 is one of these */
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
    uint64_t memory_base, memory_size; /* where the code object was in memory when it was loaded; 0
                                        * if it came from a file */
} trace_code_object_t;

typedef struct {
    trace_head_t head;
    uint64_t id, code_object, object, address;
    int64_t entry_offset;
    uint32_t kernarg_bytes, kernarg_alignment;
    uint32_t group_bytes, private_bytes;
    uint32_t sgprs, vgprs, agprs;
    uint16_t wave_items; /* 0: not known, as in stores of older versions */
    uint16_t whole_wgp;  /* 1: a workgroup may be on both compute units of a WGP */
} trace_kernel_t;

/* A host function that the program has registered with HIP for a kernel. Launches name the kernel
 * by this function's address. */
typedef struct {
    trace_head_t head;
    uint64_t id, kernel, code_object; /* `id` counts from 1 */
    uint64_t function, modules;       /* addresses: of the function, and of the fat binary with
                                       * which it was registered */
    uint64_t workgroup_size;
    uint32_t thread_limit;
    uint32_t thread_ids[3], block_ids[3], block_dims[3], grid_dims[3];
    uint32_t reserved;
} trace_host_function_t;

#endif
