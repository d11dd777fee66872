/* The records into which a decoder turns a thread trace, and the values in them. Times are in
 * cycles of the shader clock, from the beginning of the trace unless said otherwise. This is
 * version 2 of the interface; comments say where version 1 has less. */
#ifndef ROCPROF_TRACE_DECODER_TRACE_DECODER_TYPES_H_
#define ROCPROF_TRACE_DECODER_TRACE_DECODER_TYPES_H_

#include <stdint.h>

/* Older definitions of the same names are in
 * <rocprofiler-sdk/experimental/thread-trace/trace_decoder_types.h>: a source file can include only
 * one of the two. */

#ifdef __cplusplus
extern "C" {
#endif

/** Where rocprofiler_thread_trace_decoder_occupancy_t::cu has array and unit. The unit is a compute
 * unit on gfx9, a workgroup processor on gfx10 and later. */
#define ROCPROFILER_TRACE_DECODER_CU_SA_SHIFT  7
#define ROCPROFILER_TRACE_DECODER_CU_SA_MASK   128
#define ROCPROFILER_TRACE_DECODER_CU_WGP_SHIFT 0
#define ROCPROFILER_TRACE_DECODER_CU_WGP_MASK  127

/** Results of functions and callbacks. A callback that returns anything but SUCCESS ends the
 * parse. */
typedef enum rocprofiler_thread_trace_decoder_status_t {
    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_OUT_OF_RESOURCES = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_INVALID_ARGUMENT = 3,
    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_INVALID_SHADER_DATA = 4,
    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_LAST = 6,
    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_NOT_IMPLEMENTED = 5
} rocprofiler_thread_trace_decoder_status_t;

/** Information on a trace as a whole. */
typedef enum rocprofiler_thread_trace_decoder_info_t {
    ROCPROFILER_THREAD_TRACE_DECODER_INFO_NONE = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_INFO_DATA_LOST = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_INFO_STITCH_INCOMPLETE = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_INFO_WAVE_INCOMPLETE = 3,
    ROCPROFILER_THREAD_TRACE_DECODER_INFO_LAST = 4,
    /** Only this implementation emits it: the meaning of some tokens, or kinds of instructions, is
     * unknown. */
    ROCPROFILER_THREAD_TRACE_DECODER_INFO_TOKENS_UNKNOWN = 24
} rocprofiler_thread_trace_decoder_info_t;

/** What a wave does during a period. */
typedef enum rocprofiler_thread_trace_decoder_wstate_type_t {
    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_EMPTY = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_IDLE = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_EXEC = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_WAIT = 3,
    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_STALL = 4,
    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_LAST = 5
} rocprofiler_thread_trace_decoder_wstate_type_t;

/** Kinds of instructions. */
typedef enum rocprofiler_thread_trace_decoder_inst_category_t {
    ROCPROFILER_THREAD_TRACE_DECODER_INST_NONE = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_SMEM = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_SALU = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_VMEM = 3,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_FLAT = 4,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_LDS = 5,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_VALU = 6,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_JUMP = 7,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_NEXT = 8,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_IMMED = 9,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_CONTEXT = 10,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_MESSAGE = 11,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_BVH = 12,
    ROCPROFILER_THREAD_TRACE_DECODER_INST_LAST = 13
} rocprofiler_thread_trace_decoder_inst_category_t;

/** Bits of shader data's flags: IMM if it has eight bits, an immediate of the instruction; PRIV if
 * a trap handler wrote it. */
typedef enum rocprofiler_thread_trace_decoder_shaderdata_flags_t {
    ROCPROFILER_THREAD_TRACE_DECODER_SHADERDATA_FLAGS_IMM = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_SHADERDATA_FLAGS_PRIV = 1
} rocprofiler_thread_trace_decoder_shaderdata_flags_t;

/** What an array of records contains. Readers should ignore unknown types. 5 was DEBUG in version
 * 1, which nothing emits. */
typedef enum rocprofiler_thread_trace_decoder_record_type_t {
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_GFXIP = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_OCCUPANCY = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_PERFEVENT = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_WAVE = 3,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_INFO = 4,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_SHADERDATA = 6,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_REALTIME = 7,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_RT_FREQUENCY = 8,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_INST_OTHER_SIMD = 9,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_LAST = 12,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_EVENT = 5,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_DISPATCH = 10,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_MARKER = 11
} rocprofiler_thread_trace_decoder_record_type_t;

/** Parts of a marker. */
typedef enum rocprofiler_thread_trace_decoder_marker_record_kind_t {
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_RECORD_HEADER = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_RECORD_PAYLOAD = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_RECORD_LAST = 2
} rocprofiler_thread_trace_decoder_marker_record_kind_t;

/** What a marker of an instrumented program stands for. */
typedef enum rocprofiler_thread_trace_decoder_marker_kind_t {
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_KIND_UNKNOWN = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_KIND_FUNCTION = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_KIND_USER_SCOPE = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_KIND_POINT = 3,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_KIND_LAST = 4
} rocprofiler_thread_trace_decoder_marker_kind_t;

/** Events of a shader engine. */
typedef enum rocprofiler_thread_trace_decoder_event_type_t {
    ROCPROF_TRACE_DECODER_EVENT_NONE = 0,
    ROCPROF_TRACE_DECODER_EVENT_CS_PARTIAL_FLUSH = 1,
    ROCPROF_TRACE_DECODER_EVENT_BOTTOM_OF_PIPE_TS = 2,
    ROCPROF_TRACE_DECODER_EVENT_SAVE_CONTEXT = 3,
    ROCPROF_TRACE_DECODER_EVENT_DISPATCH_END = 4,
    ROCPROF_TRACE_DECODER_EVENT_CACHE_FLUSH = 5,
    ROCPROF_TRACE_DECODER_EVENT_PACKET_LOSS = 6,
    ROCPROF_TRACE_DECODER_EVENT_CODE_OBJECT_LOAD = 7,
    ROCPROF_TRACE_DECODER_EVENT_CODE_OBJECT_UNLOAD = 8,
    ROCPROF_TRACE_DECODER_EVENT_TT_STALL_BEGIN = 9,
    ROCPROF_TRACE_DECODER_EVENT_TT_STALL_END = 10,
    ROCPROF_TRACE_DECODER_EVENT_TT_FLUSH = 11,
    ROCPROF_TRACE_DECODER_EVENT_DIDT_STALL_BEGIN = 12,
    ROCPROF_TRACE_DECODER_EVENT_DIDT_STALL_END = 13,
    ROCPROF_TRACE_DECODER_EVENT_CLUSTER_BARRIER = 14,
    ROCPROF_TRACE_DECODER_EVENT_RESERVED = 15,
    ROCPROF_TRACE_DECODER_EVENT_GC_RINSE = 16,
    ROCPROF_TRACE_DECODER_EVENT_SPM_SAMPLE = 17,
    ROCPROF_TRACE_DECODER_EVENT_LAST = 18
} rocprofiler_thread_trace_decoder_event_type_t;

/** What a marker does. */
typedef enum rocprofiler_thread_trace_decoder_marker_flags_t {
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_FLAGS_NONE = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_FLAGS_EXIT_PREVIOUS = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_FLAGS_ENTER = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_FLAGS_NEW_WAVE = 4,
    ROCPROFILER_THREAD_TRACE_DECODER_MARKER_FLAGS_LAST = 4
} rocprofiler_thread_trace_decoder_marker_flags_t;

/** Where an event comes from. */
typedef enum rocprofiler_thread_trace_decoder_event_flags_t {
    ROCPROF_TRACE_DECODER_EVENT_FLAGS_NONE = 0,
    ROCPROF_TRACE_DECODER_EVENT_FLAGS_PER_PIPE = 1,
    ROCPROF_TRACE_DECODER_EVENT_FLAGS_BOP = 2,
    ROCPROF_TRACE_DECODER_EVENT_FLAGS_LAST = 2
} rocprofiler_thread_trace_decoder_event_flags_t;

/** Properties of a dispatch. */
typedef enum rocprofiler_thread_trace_decoder_dispatch_flags_t {
    ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_NONE = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_SCALAR_CACHE_INVALIDATE = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_VECTOR_CACHE_INVALIDATE = 2,
    ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_IS_CTX_RESTORE = 4,
    ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_SCRATCH_ENABLED = 8,
    ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_REALTIME_TS = 16,
    ROCPROFILER_THREAD_TRACE_DECODER_DISPATCH_FLAGS_LAST = 16
} rocprofiler_thread_trace_decoder_dispatch_flags_t;

/** How records are to be delivered. */
typedef enum rocprofiler_thread_trace_decoder_record_request_flags_t {
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_REQUEST_FLAGS_NONE = 0,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_REQUEST_FLAGS_IMMEDIATE = 1,
    ROCPROFILER_THREAD_TRACE_DECODER_RECORD_REQUEST_FLAGS_LAST = 1
} rocprofiler_thread_trace_decoder_record_request_flags_t;

/** An address: an offset in the code object with this id, or an address in memory if the id is 0.
 */
typedef struct rocprofiler_thread_trace_decoder_pc_t {
    uint64_t address;
    uint64_t code_object_id;
} rocprofiler_thread_trace_decoder_pc_t;

/** Values of counters that a compute unit has sampled into the trace. Bank b has the counters 4b to
 * 4b+3. */
typedef struct rocprofiler_thread_trace_decoder_perfevent_t {
    int64_t time;
    uint16_t events0;
    uint16_t events1;
    uint16_t events2;
    uint16_t events3;
    uint8_t CU;
    uint8_t bank;
} rocprofiler_thread_trace_decoder_perfevent_t;

/** A wave begins or ends, on any compute unit of the shader engine. The members behind `start`
 * exist in version 2; except for workgroup_id they are set only when a wave begins. */
typedef struct rocprofiler_thread_trace_decoder_occupancy_t {
    rocprofiler_thread_trace_decoder_pc_t pc; /**< where the wave's kernel begins */
    uint64_t time;
    uint8_t reserved;
    uint8_t cu;
    uint8_t simd;
    uint8_t wave_id; /**< slot of the SIMD */
    uint32_t start : 1;
    uint32_t me_id : 3;
    uint32_t pipe_id : 4;
    uint32_t is_ext : 1; /**< workgroup_id is set */
    uint32_t workgroup_id : 7;
    uint32_t cluster_id : 5;
    uint32_t _rsvd : 11;
} rocprofiler_thread_trace_decoder_occupancy_t;

/** A period of a wave's life. The periods follow one another from the wave's beginning. */
typedef struct rocprofiler_thread_trace_decoder_wave_state_t {
    int32_t type; /**< rocprofiler_thread_trace_decoder_wstate_type_t */
    int32_t duration;
} rocprofiler_thread_trace_decoder_wave_state_t;

/** An instruction that a wave executed. If pc is all zeros, its address is unknown. */
typedef struct rocprofiler_thread_trace_decoder_inst_t {
    uint32_t category : 8; /**< rocprofiler_thread_trace_decoder_inst_category_t */
    uint32_t stall : 24;   /**< cycles at its beginning in which it could not be issued */
    int32_t duration;      /**< includes the stall */
    int64_t time;
    rocprofiler_thread_trace_decoder_pc_t pc;
} rocprofiler_thread_trace_decoder_inst_t;

/** A wave of the compute unit whose instructions are traced. The arrays belong to the decoder and
 * are valid during the callback. In version 1 the members from dispatcher to size are zero. */
typedef struct rocprofiler_thread_trace_decoder_wave_t {
    uint8_t cu;
    uint8_t simd;
    uint8_t wave_id;    /**< slot of the SIMD */
    uint8_t contexts;   /**< how often its context was saved and restored */
    uint8_t dispatcher; /**< bits 0 to 3: pipe, 4 to 6: micro engine */
    uint8_t workgroup_id;
    uint8_t cluster_id;
    uint8_t reserved;
    uint64_t size; /**< of this structure */
    int64_t begin_time;
    int64_t end_time;
    uint64_t timeline_size;
    uint64_t instructions_size;
    rocprofiler_thread_trace_decoder_wave_state_t *timeline_array;
    rocprofiler_thread_trace_decoder_inst_t *instructions_array;
} rocprofiler_thread_trace_decoder_wave_t;

/** The clock of the GPU's timestamps at a moment of the trace. */
typedef struct rocprofiler_thread_trace_decoder_realtime_t {
    int64_t shader_clock;
    uint64_t realtime_clock;
    uint64_t reserved;
} rocprofiler_thread_trace_decoder_realtime_t;

/** What a wave has written into the trace by s_ttracedata. */
typedef struct rocprofiler_thread_trace_decoder_shaderdata_t {
    int64_t time;
    uint64_t value;
    uint8_t cu;
    uint8_t simd;
    uint8_t wave_id;
    uint8_t flags; /**< 1 << rocprofiler_thread_trace_decoder_shaderdata_flags_t, or'ed */
    uint32_t reserved;
} rocprofiler_thread_trace_decoder_shaderdata_t;

/** An instruction of another SIMD than the traced one; GPUs from gfx11 on. */
typedef struct rocprofiler_thread_trace_decoder_inst_other_simd_t {
    uint64_t size;
    int64_t time;
    uint16_t cycles;
    uint8_t wgp;
    uint8_t category;
} rocprofiler_thread_trace_decoder_inst_other_simd_t;

/** A marker of an instrumented program. */
typedef struct rocprofiler_thread_trace_decoder_marker_t {
    uint64_t size;
    rocprofiler_thread_trace_decoder_shaderdata_t shaderdata;
    rocprofiler_thread_trace_decoder_pc_t kernel_entry;
    uint64_t code_object_id;
    const char *name;
    const char *source_location;
    uint32_t marker_id;
    uint32_t record_kind;
    uint32_t marker_kind;
    uint32_t marker_flags;
    uint32_t payload_index;
    uint32_t payload_count;
    int32_t delay;
    uint32_t reserved;
} rocprofiler_thread_trace_decoder_marker_t;

/** Additional data of an event; which member is valid follows from its type. */
typedef union rocprofiler_thread_trace_decoder_event_payload_t {
    uint64_t raw;
    uint64_t code_object_id;
    struct {
        int32_t cluster_id;
        int32_t barrier_id;
    } cluster_barrier;
} rocprofiler_thread_trace_decoder_event_payload_t;

/** An event of the shader engine. Quick scans set byte_offset and leave `time` 0; a parse sets
 * both. */
typedef struct rocprofiler_thread_trace_decoder_event_t {
    uint64_t size; /**< of this structure */
    int64_t time;
    rocprofiler_thread_trace_decoder_event_type_t type;
    uint8_t me_id;
    uint8_t pipe_id;
    uint16_t flags; /**< rocprofiler_thread_trace_decoder_event_flags_t */
    rocprofiler_thread_trace_decoder_event_payload_t payload;
    uint64_t byte_offset; /**< offset of its first byte in the data */
} rocprofiler_thread_trace_decoder_event_t;

/** The dispatch of a kernel, from the registers written for it. */
typedef struct rocprofiler_thread_trace_decoder_dispatch_t {
    uint64_t size; /**< of this structure */
    int64_t time;
    uint8_t me_id;
    uint8_t pipe_id;
    uint16_t user_sgprs;
    int flags; /**< rocprofiler_thread_trace_decoder_dispatch_flags_t */
    uint32_t vgprs;
    uint32_t sgprs;
    uint32_t lds_size; /**< bytes of a workgroup */
    uint32_t thread_dim_x;
    uint32_t thread_dim_y;
    uint32_t thread_dim_z;
    uint64_t dispatch_pkt_addr;
    uint64_t byte_offset;
    rocprofiler_thread_trace_decoder_pc_t entry_point;
} rocprofiler_thread_trace_decoder_dispatch_t;

/** Which records are wanted, and how. No function of this version has such a parameter. */
typedef struct rocprofiler_thread_trace_decoder_record_request_t {
    uint64_t size;
    rocprofiler_thread_trace_decoder_record_type_t type;
    uint32_t flags;
} rocprofiler_thread_trace_decoder_record_request_t;

typedef struct rocprofiler_thread_trace_decoder_record_filter_t {
    uint64_t size;
    const rocprofiler_thread_trace_decoder_record_request_t *records;
    uint64_t record_count;
} rocprofiler_thread_trace_decoder_record_filter_t;

#ifdef __cplusplus
}
#endif

#endif
