/* rocprofiler/rocprofiler.h - ROC Profiler, first generation: counters of GPU kernels, for each
 * kernel or sampled, through librocprofiler64.so.1.
 *
 * Names and layouts are those of AMD's version 8.0. Where AMD's written specification has another
 * spelling, that works as well; docs/v1.md lists these.
 *
 * Every function returns HSA_STATUS_SUCCESS, or another status and sets a message that
 * rocprofiler_error_string() returns to the same thread. All functions may be called from any
 * thread unless their text says otherwise; one context is used by one thread at a time. */
#ifndef ROCPROFILER_ROCPROFILER_H
#define ROCPROFILER_ROCPROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsa/amd_hsa_kernel_code.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <aqlprofile-sdk/hsa_ven_amd_aqlprofile.h>

#define ROCPROFILER_VERSION_MAJOR 8
#define ROCPROFILER_VERSION_MINOR 0

#pragma GCC visibility push(default) /* for the functions of the library and of tools */
#ifdef __cplusplus
extern "C" {
#define ROCPROFILER_DEFAULT(value) = value /* arguments that C++ programs may leave out */
#else
#define ROCPROFILER_DEFAULT(value)
#endif

/* ---- versions and errors ---- */

/* Return the version of the library. A program can use the library if the major version with which
 * it was compiled is not older than the library's. */
uint32_t rocprofiler_version_major(void);
uint32_t rocprofiler_version_minor(void);

/* The same functions by the specification's spelling. */
uint32_t rocprofiler_major_version(void);
uint32_t rocprofiler_minor_version(void);

/* Sets *str to the message of this thread's last failed call; empty if none failed. The text stays
 * until the thread's next failure or end. */
hsa_status_t rocprofiler_error_string(const char **str);

/* ---- tool libraries ----
 *
 * The library named by ROCP_TOOL_LIB defines OnUnloadTool and one of the other two. They run inside
 * hsa_init, and before HSA shuts down or the process ends. */

/* Settings; OnLoadToolProp gets the present ones and may change them. */
typedef struct {
    uint32_t intercept_mode;    /* kernel dispatches are intercepted */
    uint32_t code_obj_tracking; /* code objects are reported (codeobj callback) */
    uint32_t memcopy_tracking;  /* asynchronous copies are reported (memcopy callback) */
    uint32_t trace_size;        /* bytes of a thread trace buffer */
    uint32_t trace_local;       /* trace buffers are in the GPU's memory */
    uint64_t timeout;           /* ns to wait for data; UINT64_MAX: no limit */
    uint32_t timestamp_on;      /* dispatch records are made */
    uint32_t hsa_intercepting;  /* HSA callbacks are enabled */
    uint32_t k_concurrent;      /* kernels that are counted may run at the same time */
    uint32_t opt_mode;          /* accepted for compatibility, changes nothing */
    uint32_t obj_dumping;       /* loaded code objects are written to files */
} rocprofiler_settings_t;

void OnLoadTool(void);
void OnLoadToolProp(rocprofiler_settings_t *settings);
void OnUnloadTool(void);

/* ---- features ---- */

typedef enum {
    ROCPROFILER_FEATURE_KIND_METRIC = 0, /* a counter or an expression over counters */
    ROCPROFILER_FEATURE_KIND_TRACE = 1,  /* the thread trace */
    ROCPROFILER_FEATURE_KIND_SPM_MOD = 2,
    ROCPROFILER_FEATURE_KIND_PCSMP_MOD = 4
} rocprofiler_feature_kind_t;

#define ROCPROFILER_METRIC ROCPROFILER_FEATURE_KIND_METRIC
#define ROCPROFILER_TRACE  ROCPROFILER_FEATURE_KIND_TRACE

typedef hsa_ven_amd_aqlprofile_parameter_t rocprofiler_parameter_t;
typedef rocprofiler_parameter_t rocprofiler_feature_parameter_t;

typedef enum {
    ROCPROFILER_DATA_KIND_UNINIT = 0,
    ROCPROFILER_DATA_KIND_INT32 = 1,
    ROCPROFILER_DATA_KIND_INT64 = 2, /* hardware counters */
    ROCPROFILER_DATA_KIND_FLOAT = 3,
    ROCPROFILER_DATA_KIND_DOUBLE = 4, /* derived metrics */
    ROCPROFILER_DATA_KIND_BYTES = 5   /* traces */
} rocprofiler_data_kind_t;

typedef struct {
    void *ptr;
    uint32_t size; /* bytes */
    __extension__ union {
        uint32_t instance_count; /* one instance for each shader engine traced */
        uint32_t instances;
    };
    bool copy; /* ptr is a copy in host memory and not the trace buffer */
} rocprofiler_bytes_t;

typedef struct {
    rocprofiler_data_kind_t kind;
    __extension__ union {
        uint32_t result_int32;
        uint64_t result_int64;
        float result_float;
        double result_double;
        rocprofiler_bytes_t result_bytes;
    };
} rocprofiler_data_t;

typedef struct {
    const char *block; /* "SQ", "TCC[3]" */
    uint32_t event;
} rocprofiler_counter_event_t;

/* What to collect, and the memory for its result. It belongs to the program and must stay valid
 * until the context is closed, and so must its texts. Several contexts may have the same features:
 * each call of get_data and get_metrics writes results to them, an open does not. A counter is
 * specified by its name, or by block and event. If the name is that of a block, with or without an
 * instance, it is taken as the block. */
typedef struct {
    __extension__ union {
        rocprofiler_feature_kind_t kind;
        rocprofiler_feature_kind_t type;
    };
    __extension__ union {
        const char *name;
        rocprofiler_counter_event_t counter;
    };
    const rocprofiler_parameter_t *parameters; /* of a trace */
    uint32_t parameter_count;
    rocprofiler_data_t data; /* set by rocprofiler_get_metrics(); traces: get_data */
} rocprofiler_feature_t;

typedef void rocprofiler_feature_set_t;

/* ---- contexts ---- */

typedef void rocprofiler_t;

/* Features that are collected in the same run. */
typedef struct {
    unsigned int index;
    rocprofiler_feature_t **features; /* with the counters that derived metrics use */
    uint32_t feature_count;
    rocprofiler_t *context;
} rocprofiler_group_t;

typedef rocprofiler_group_t profiler_group_t;

/* Called when the data of a group is ready, on a thread of the library. It may use and close the
 * context. The returned value is ignored. */
typedef bool (*rocprofiler_handler_t)(rocprofiler_group_t group, void *arg);
typedef void (*rocprofiler_context_callback_t)(rocprofiler_group_t group, void *arg);

typedef struct {
    hsa_queue_t *queue;   /* STANDALONE: a queue of the program; CREATEQUEUE: set by the open */
    uint32_t queue_depth; /* CREATEQUEUE: the queue's size in packets, a power of two */
    __extension__ union {
        rocprofiler_handler_t handler;
        rocprofiler_context_callback_t callback;
    };
    __extension__ union {
        void *handler_arg;
        void *callback_arg;
    };
} rocprofiler_properties_t;

typedef enum {
    ROCPROFILER_MODE_STANDALONE = 1,  /* started, read and stopped by a queue of the context */
    ROCPROFILER_MODE_CREATEQUEUE = 2, /* with STANDALONE: the open creates the queue */
    ROCPROFILER_MODE_SINGLEGROUP = 4  /* the open fails if one run is not enough */
} rocprofiler_mode_t;

/* Opens a context for `features` on a GPU and finds its groups. `properties` may be NULL unless the
 * mode has STANDALONE. A queue that the open creates belongs to the program, which gives it to
 * hsa_queue_destroy() after the close. Fails for an unknown agent, feature or mode, and in mode
 * SINGLEGROUP when more groups are needed; the message states the feature, or the block and its
 * limit. */
hsa_status_t rocprofiler_open(hsa_agent_t agent, rocprofiler_feature_t *features,
                              uint32_t feature_count, rocprofiler_t **context, uint32_t mode,
                              rocprofiler_properties_t *properties);

/* Appends a copy of `feature` to the set. A set is zeroed memory of the program, of
 * ROCPROFILER_FEATURE_SET_BYTES; further memory that it refers to is freed when the context that
 * was opened with the set is closed. Results are in the features of that context's groups. */
#define ROCPROFILER_FEATURE_SET_BYTES 32
hsa_status_t rocprofiler_add_feature(const rocprofiler_feature_t *feature,
                                     rocprofiler_feature_set_t *features_set);

/* Opens a context as rocprofiler_open() does, with the features of a set, which is empty
 * afterwards. */
hsa_status_t rocprofiler_features_set_open(hsa_agent_t agent,
                                           rocprofiler_feature_set_t *features_set,
                                           rocprofiler_t **context, uint32_t mode,
                                           rocprofiler_properties_t *properties);

/* Frees the context and all its resources. Waits for a kernel that is being counted for it. Fails
 * for NULL and for anything else that is not an open context. */
hsa_status_t rocprofiler_close(rocprofiler_t *context);

/* Makes a group ready to be collected again; its data is discarded. */
hsa_status_t rocprofiler_reset(rocprofiler_t *context, uint32_t group_index);

/* Returns the agent of the context. */
hsa_status_t rocprofiler_get_agent(rocprofiler_t *context, hsa_agent_t *agent);

/* Returns how many groups, and thus runs, the features need. */
hsa_status_t rocprofiler_group_count(const rocprofiler_t *context, uint32_t *group_count);

/* Returns the group with that index. Its arrays are valid until the context is closed. */
hsa_status_t rocprofiler_get_group(rocprofiler_t *context, uint32_t group_index,
                                   rocprofiler_group_t *group);

/* Sampling in mode STANDALONE. Start programs the group's counters and sets them to zero; read
 * stores their values while they run; stop stores them and ends counting. Each returns when the GPU
 * has executed it. Only one group of an agent can count at a time. */
hsa_status_t rocprofiler_start(rocprofiler_t *context, uint32_t group_index ROCPROFILER_DEFAULT(0));
hsa_status_t rocprofiler_read(rocprofiler_t *context, uint32_t group_index ROCPROFILER_DEFAULT(0));
hsa_status_t rocprofiler_stop(rocprofiler_t *context, uint32_t group_index ROCPROFILER_DEFAULT(0));

/* Waits for the group's data (of the last read or stop, or of the kernel that it was given for) and
 * sets the features of the group, including the counters that derived metrics use. Waits no longer
 * than the settings' timeout, and then returns HSA_STATUS_ERROR. */
hsa_status_t rocprofiler_get_data(rocprofiler_t *context,
                                  uint32_t group_index ROCPROFILER_DEFAULT(0));

/* The same functions for a group. */
hsa_status_t rocprofiler_group_start(rocprofiler_group_t *group);
hsa_status_t rocprofiler_group_read(rocprofiler_group_t *group);
hsa_status_t rocprofiler_group_stop(rocprofiler_group_t *group);
hsa_status_t rocprofiler_group_get_data(rocprofiler_group_t *group);

/* Calculates the derived metrics from the data of all groups. Fails if a group has no data yet. */
hsa_status_t rocprofiler_get_metrics(const rocprofiler_t *context);

typedef hsa_ven_amd_aqlprofile_data_callback_t rocprofiler_trace_data_callback_t;

/* Calls `callback` for each trace buffer of the context, one for each shader engine traced. */
hsa_status_t rocprofiler_iterate_trace_data(rocprofiler_t *context,
                                            rocprofiler_trace_data_callback_t callback, void *data);

/* ---- time ---- */

typedef enum {
    ROCPROFILER_TIME_ID_CLOCK_REALTIME = 0,
    ROCPROFILER_TIME_ID_CLOCK_REALTIME_COARSE = 1,
    ROCPROFILER_TIME_ID_CLOCK_MONOTONIC = 2,
    ROCPROFILER_TIME_ID_CLOCK_MONOTONIC_COARSE = 3,
    ROCPROFILER_TIME_ID_CLOCK_MONOTONIC_RAW = 4
} rocprofiler_time_id_t;

/* Converts a time of a dispatch record to the clock `time_id`, in ns. *error_ns is the error of the
 * conversion. Either pointer may be NULL. The last argument may be omitted. */
hsa_status_t rocprofiler_get_time(rocprofiler_time_id_t time_id, uint64_t timestamp,
                                  uint64_t *value_ns, uint64_t *error_ns ROCPROFILER_DEFAULT(NULL));

/* ---- interception of kernel dispatches ---- */

/* Times of a dispatch in ns. `complete` is set last; it is 0 until then. */
typedef struct {
    uint64_t dispatch; /* the packet was written to the queue */
    uint64_t begin, end;
    uint64_t complete; /* the library noticed the completion */
} rocprofiler_dispatch_record_t;

typedef struct {
    hsa_agent_t agent;
} rocprofiler_dispatch_agent_t;

typedef struct {
    __extension__ union {
        hsa_agent_t agent;
        rocprofiler_dispatch_agent_t dispatch; /* the name in the specification's example */
    };
    uint32_t agent_index; /* position among the GPUs */
    const hsa_queue_t *queue;
    uint64_t queue_index; /* index of the packet */
    uint32_t queue_id;
    hsa_signal_t completion_signal; /* the program's signal; handle 0: none */
    const hsa_kernel_dispatch_packet_t *packet;
    const char *kernel_name; /* demangled */
    uint64_t kernel_object;
    const amd_kernel_code_t *kernel_code;
    uint32_t thread_id;
    /* NULL unless timestamps are on. The program that set the callback owns it, and frees it by
     * free() or C++'s delete after `complete` is set. */
    const rocprofiler_dispatch_record_t *record;
} rocprofiler_callback_data_t;

/* Called for each dispatch before the GPU gets it. If the callback sets *group to a group of an
 * open context that is not in use for another kernel, the group's features are collected for this
 * kernel. `record`, `queue` and `kernel_name` stay valid after the callback, the other pointers
 * only until it returns. It must not dispatch kernels. */
typedef hsa_status_t (*rocprofiler_callback_t)(const rocprofiler_callback_data_t *callback_data,
                                               void *user_data, rocprofiler_group_t *group);

typedef struct {
    rocprofiler_callback_t dispatch;                         /* may be NULL, as may the others */
    hsa_status_t (*create)(hsa_queue_t *queue, void *data);  /* after a queue was created */
    hsa_status_t (*destroy)(hsa_queue_t *queue, void *data); /* before a queue is destroyed */
} rocprofiler_queue_callbacks_t;

typedef rocprofiler_queue_callbacks_t rocprofiler_intercepting_t;

/* Sets the callbacks, which are active at once. Fails if callbacks have been set already.
 * Dispatches are seen on queues that are created with interception on: ROCP_HSA_INTERCEPT, the
 * settings' intercept_mode, or this call before HSA is initialised. */
hsa_status_t rocprofiler_set_queue_callbacks(rocprofiler_queue_callbacks_t callbacks, void *data);

/* Removes the callbacks. When it returns, none of them is running or will be called, unless it was
 * called by one of them. Handlers of contexts in use are still called. */
hsa_status_t rocprofiler_remove_queue_callbacks(void);

/* Enable and disable the dispatch callbacks. */
hsa_status_t rocprofiler_start_queue_callbacks(void);
hsa_status_t rocprofiler_stop_queue_callbacks(void);

/* The same functions by the specification's spelling. */
hsa_status_t rocprofiler_set_intercepting(rocprofiler_intercepting_t callbacks, void *data);
hsa_status_t rocprofiler_remove_intercepting(void);
hsa_status_t rocprofiler_add_dispatch_callback(rocprofiler_callback_t callback, void *data);
hsa_status_t rocprofiler_set_dispatch_callback(rocprofiler_callback_t callback, void *data);
hsa_status_t rocprofiler_remove_dispatch_callback(void);

/* Creates a queue as hsa_queue_create() does; its dispatches are intercepted in every interception
 * mode. HSA must have loaded the library. The queue is destroyed by hsa_queue_destroy(). */
hsa_status_t rocprofiler_queue_create_profiled(
    hsa_agent_t agent_handle, uint32_t size, hsa_queue_type32_t type,
    void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data), void *data,
    uint32_t private_segment_size, uint32_t group_segment_size, hsa_queue_t **queue);

/* ---- what can be collected ---- */

typedef enum {
    ROCPROFILER_INFO_KIND_METRIC = 0,
    ROCPROFILER_INFO_KIND_METRIC_COUNT = 1, /* data: uint32_t */
    ROCPROFILER_INFO_KIND_TRACE = 2,
    ROCPROFILER_INFO_KIND_TRACE_COUNT = 3, /* data: uint32_t */
    ROCPROFILER_INFO_KIND_TRACE_PARAMETER = 4,
    ROCPROFILER_INFO_KIND_TRACE_PARAMETER_COUNT = 5 /* data: uint32_t */
} rocprofiler_info_kind_t;

typedef struct {
    const char *trace_name;
} rocprofiler_trace_parameter_query_t;

typedef union {
    rocprofiler_info_kind_t info_kind;
    rocprofiler_trace_parameter_query_t trace_parameter; /* NULL: parameters of all traces */
} rocprofiler_info_query_t;

typedef struct {
    const char *name;
    uint32_t instances;
    const char *expr; /* NULL for hardware counters */
    const char *description;
    const char *block_name;  /* NULL for derived metrics */
    uint32_t block_counters; /* number of the block's counters that can count at the same time */
} rocprofiler_metric_info_t;

typedef struct {
    const char *name;
    const char *description;
    uint32_t parameter_count;
} rocprofiler_trace_info_t;

typedef struct {
    uint32_t code;
    const char *trace_name;
    const char *parameter_name;
    const char *description;
} rocprofiler_trace_parameter_info_t;

typedef struct {
    uint32_t agent_index;
    rocprofiler_info_kind_t kind;
    __extension__ union {
        rocprofiler_metric_info_t metric;
        rocprofiler_trace_info_t trace;
        rocprofiler_trace_parameter_info_t trace_parameter;
    };
} rocprofiler_info_data_t;

/* Writes a count to *data, for one GPU or, if agent is NULL, for all GPUs together. Accepts only
 * the kinds that end in _COUNT. */
hsa_status_t rocprofiler_get_info(const hsa_agent_t *agent, rocprofiler_info_kind_t kind,
                                  void *data);

/* Calls `callback` for each metric, trace or trace parameter of one GPU or, if agent is NULL, of
 * all GPUs. Texts are valid until the library is unloaded. HSA_STATUS_INFO_BREAK from the callback
 * ends the iteration with success; any other status but success ends it and is returned. */
hsa_status_t rocprofiler_iterate_info(const hsa_agent_t *agent, rocprofiler_info_kind_t kind,
                                      hsa_status_t (*callback)(const rocprofiler_info_data_t info,
                                                               void *data),
                                      void *data);

/* Calls `callback` for each parameter of the trace that the query names, or of all traces if it is
 * NULL. */
hsa_status_t rocprofiler_query_info(const hsa_agent_t *agent, rocprofiler_info_query_t query,
                                    hsa_status_t (*callback)(const rocprofiler_info_data_t info,
                                                             void *data),
                                    void *data);

/* Calls `callback`, as the specification defines it, for each item that agrees with those fields of
 * `query` that are neither NULL nor 0; if no field is set, for all items of the kind. A call of
 * rocprofiler_query_info() with five arguments is a call of this function. */
hsa_status_t rocprofiler_query_info_data(
    const hsa_agent_t *agent, rocprofiler_info_kind_t kind, rocprofiler_info_data_t query,
    hsa_status_t (*callback)(const rocprofiler_info_data_t info, void *data), void *data);

/* ---- pools of contexts ---- */

typedef void rocprofiler_pool_t;

typedef struct {
    rocprofiler_t *context;
    void *payload; /* payload_bytes of memory for the program, zeroed when the pool is opened */
} rocprofiler_pool_entry_t;

/* Called when the data of an entry's context is ready, on a thread of the library. When it returns,
 * the entry is released to the pool; the returned value is ignored. */
typedef bool (*rocprofiler_pool_handler_t)(const rocprofiler_pool_entry_t *entry, void *arg);

typedef struct {
    uint32_t num_entries;
    uint32_t payload_bytes;
    rocprofiler_pool_handler_t handler;
    void *handler_arg;
} rocprofiler_pool_properties_t;

/* Opens a pool of num_entries contexts with the same features; each context has its own copy of the
 * features, to which its groups refer. The data of the context that was evaluated last is also
 * written to `features`, which must stay valid until the pool is closed. Otherwise as
 * rocprofiler_open(). */
hsa_status_t rocprofiler_pool_open(hsa_agent_t agent, rocprofiler_feature_t *features,
                                   uint32_t feature_count, rocprofiler_pool_t **pool, uint32_t mode,
                                   rocprofiler_pool_properties_t *properties);

/* Flushes the pool, then closes its contexts. */
hsa_status_t rocprofiler_pool_close(rocprofiler_pool_t *pool);

/* Takes an entry that is not in use; if there is none, waits for one, no longer than the settings'
 * timeout. */
hsa_status_t rocprofiler_pool_fetch(rocprofiler_pool_t *pool, rocprofiler_pool_entry_t *entry);

/* Releases an entry that was not used for a kernel, or whose pool has no handler. */
hsa_status_t rocprofiler_pool_release(rocprofiler_pool_entry_t *entry);

/* Calls `callback` for each entry that is fetched. A status other than success ends the
 * iteration. */
hsa_status_t rocprofiler_pool_iterate(rocprofiler_pool_t *pool,
                                      hsa_status_t (*callback)(rocprofiler_pool_entry_t *entry,
                                                               void *data),
                                      void *data);

/* Waits until the handlers of all entries that are in use for a kernel have returned. */
hsa_status_t rocprofiler_pool_flush(rocprofiler_pool_t *pool);

/* ---- HSA callbacks ---- */

typedef enum {
    ROCPROFILER_HSA_CB_ID_ALLOCATE = 0, /* memory was allocated, or freed (size 0) */
    ROCPROFILER_HSA_CB_ID_DEVICE = 1,   /* memory was made accessible to an agent */
    ROCPROFILER_HSA_CB_ID_MEMCOPY = 2,  /* a copy was requested */
    ROCPROFILER_HSA_CB_ID_SUBMIT = 3,   /* a packet goes to a queue */
    ROCPROFILER_HSA_CB_ID_KSYMBOL = 4,  /* a kernel was loaded or is unloaded */
    ROCPROFILER_HSA_CB_ID_CODEOBJ = 5   /* a code object was loaded or is unloaded */
} rocprofiler_hsa_cb_id_t;

typedef struct {
    const void *ptr;
    size_t size;
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_global_flag_t global_flag;
    int is_code;
} rocprofiler_hsa_allocate_t;

typedef struct {
    hsa_device_type_t type;
    uint32_t id; /* position among the agents of the type */
    hsa_agent_t agent;
    const void *ptr;
} rocprofiler_hsa_device_t;

typedef struct {
    const void *dst;
    const void *src;
    size_t size;
} rocprofiler_hsa_memcopy_t;

typedef struct {
    const void *packet;
    const char *kernel_name; /* NULL if the packet is not a kernel dispatch */
    hsa_queue_t *queue;
    uint32_t device_type;
    uint32_t device_id;
} rocprofiler_hsa_submit_t;

typedef struct {
    uint64_t object;
    const char *name;
    uint32_t name_length;
    int unload;
} rocprofiler_hsa_ksymbol_t;

typedef struct {
    uint32_t storage_type; /* hsa_ven_amd_loader_code_object_storage_type_t */
    int storage_file;
    uint64_t memory_base, memory_size;
    uint64_t load_base, load_size, load_delta;
    uint32_t uri_length;
    char *uri;
    int unload;
} rocprofiler_hsa_codeobj_t;

__extension__ typedef struct {
    __extension__ union {
        rocprofiler_hsa_allocate_t allocate;
        rocprofiler_hsa_device_t device;
        rocprofiler_hsa_memcopy_t memcopy;
        rocprofiler_hsa_submit_t submit;
        rocprofiler_hsa_ksymbol_t ksymbol;
        rocprofiler_hsa_codeobj_t codeobj;
    };
} rocprofiler_hsa_callback_data_t;

/* Called on the program's thread, inside its HSA call. */
typedef hsa_status_t (*rocprofiler_hsa_callback_fun_t)(rocprofiler_hsa_cb_id_t id,
                                                       const rocprofiler_hsa_callback_data_t *data,
                                                       void *arg);

typedef struct {
    rocprofiler_hsa_callback_fun_t allocate, device, memcopy, submit, ksymbol, codeobj;
} rocprofiler_hsa_callbacks_t;

/* Sets the callbacks; NULL members are not called. They are called if the settings enable
 * hsa_intercepting (for code objects and kernel symbols: code_obj_tracking), or if this function
 * was called before HSA was initialised. */
hsa_status_t rocprofiler_set_hsa_callbacks(const rocprofiler_hsa_callbacks_t callbacks, void *arg);

#ifdef __cplusplus
} /* extern "C" */

static inline hsa_status_t rocprofiler_query_info(
    const hsa_agent_t *agent, rocprofiler_info_kind_t kind, rocprofiler_info_data_t query,
    hsa_status_t (*callback)(const rocprofiler_info_data_t info, void *data), void *data)
{
    return rocprofiler_query_info_data(agent, kind, query, callback, data);
}

/* In the specification the context is const. */
static inline hsa_status_t
rocprofiler_iterate_trace_data(const rocprofiler_t *context,
                               rocprofiler_trace_data_callback_t callback, void *data)
{
    return rocprofiler_iterate_trace_data(const_cast<rocprofiler_t *>(context), callback, data);
}

/* Takes the properties by reference instead of by pointer, as in the specification's examples. */
static inline hsa_status_t rocprofiler_open(hsa_agent_t agent, rocprofiler_feature_t *features,
                                            uint32_t feature_count, rocprofiler_t **context,
                                            uint32_t mode, rocprofiler_properties_t &properties)
{
    return rocprofiler_open(agent, features, feature_count, context, mode, &properties);
}

static inline hsa_status_t rocprofiler_pool_open(hsa_agent_t agent, rocprofiler_feature_t *features,
                                                 uint32_t feature_count, rocprofiler_pool_t **pool,
                                                 uint32_t mode,
                                                 rocprofiler_pool_properties_t &properties)
{
    return rocprofiler_pool_open(agent, features, feature_count, pool, mode, &properties);
}

#elif !defined(ROCPROFILER_NO_SPECIFICATION_FORMS)
/* For C: calls may have the specification's number of arguments. */
#define ROCPROFILER_CHOOSE_(_1, _2, _3, _4, _5, name, ...) name
#define rocprofiler_query_info(...)                                                                \
    ROCPROFILER_CHOOSE_(__VA_ARGS__, rocprofiler_query_info_data, rocprofiler_query_info,          \
                        rocprofiler_query_info, rocprofiler_query_info, rocprofiler_query_info, 0) \
    (__VA_ARGS__)
#define ROCPROFILER_GET_TIME_3_(id, timestamp, value)                                              \
    rocprofiler_get_time(id, timestamp, value, NULL)
#define ROCPROFILER_GET_TIME_4_(id, timestamp, value, error)                                       \
    rocprofiler_get_time(id, timestamp, value, error)
#define rocprofiler_get_time(...)                                                                  \
    ROCPROFILER_CHOOSE_(__VA_ARGS__, 0, ROCPROFILER_GET_TIME_4_, ROCPROFILER_GET_TIME_3_, 0, 0, 0) \
    (__VA_ARGS__)
#endif
#pragma GCC visibility pop

#endif
