/* internal.h - what the files of the AQL profile library share.
 *
 * The public headers are AMD's. From the bottom up, the files have: messages, GPUs and their blocks
 * (gpu.c), agents (agent.c, topology.c), PM4 packets (pm4.c, family.c), plans that give counters
 * their slots (plan.c), counters' commands (pmc.c), streaming counters (spm.c), thread traces
 * (trace.c, trace_gfx9.c, trace_gfx10.c), the two public interfaces (v1.c; v2.c, v2_spm.c,
 * v2_trace.c). A function that returns hsa_status_t has set the message if it fails. */
#ifndef CROCPROF_AQLPROFILE_INTERNAL_H
#define CROCPROF_AQLPROFILE_INTERNAL_H

#include <aqlprofile-sdk/aql_profile_v2.h>

#define AQL_EXPORT __attribute__((visibility("default")))

/* ---- messages (error.c) ---- */

/* Keeps the message for this thread and returns the status. */
hsa_status_t aql_fail(hsa_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *aql_message(void);

/* ---- GPUs and their blocks (gpu.c, from the tables of share/aqlprofile) ---- */

/* Register numbers, in dwords. `control`, `high` and `select1` are 0 if there is no such
 * register. */
typedef struct {
    uint32_t select, control, low, high, select1; /* `high` 0: the counter has 32 bits */
} aql_registers_t;

/* The unit that has one set of a block's instances. ORDER: each unit is part of the one before
 * it. */
enum { AQL_OF_GPU, AQL_OF_ENGINE, AQL_OF_ARRAY, AQL_OF_WGP };

/* What programming a block needs besides its select register. */
enum {
    AQL_BLOCK_SQ = 1,      /* the SQ's masks, and its control register */
    AQL_BLOCK_TEXTURE = 2, /* counts only for waves that the SQ's control register selects */
    AQL_BLOCK_CLEARED = 4, /* its counters are not reset with the others */
    AQL_BLOCK_MC = 8,      /* its control register selects the slot that the result registers
                            * show */
    AQL_BLOCK_AID = 0x10,  /* as MC, and the block is outside the XCCs */
    AQL_BLOCK_OWN = 0x20,  /* each instance has registers of its own */
    AQL_BLOCK_CU = 0x40,   /* there is an instance for each compute unit of an array */
    AQL_BLOCK_GRBM = 0x80, /* the block is GRBM */
    AQL_BLOCK_CP = 0x100   /* counts only while enabled by the command processor's control
                            * register */
};

typedef struct {
    const char *name;
    uint32_t id, scope, instances, slots, max_event, kind;
    uint32_t select;                  /* further bits of the select register, besides the event */
    uint32_t streamed;                /* number of the block in a multiplexer table; 0: it cannot be
                                       * streamed */
    const aql_registers_t *registers; /* one row per slot; the registers of instance 1 follow those
                                       * of instance 0 */
} aql_block_t;

typedef struct aql_family aql_family_t;

/* The delay, in clocks, of each instance of a block with its streamed counters. */
typedef struct {
    uint32_t block, reg, engines, instances; /* `reg`: register that takes the delay of an
                                              * instance */
    const uint8_t *clocks;                   /* [engines][instances] */
} aql_delay_t;

/* The parameters of streaming on a GPU. */
typedef struct {
    uint32_t engines;   /* most engines of an XCC */
    uint32_t sq_bits;   /* how many bits of SQ's counters a sample has: the lower 16, or all 32 */
    uint32_t delay_max; /* how long the RLC waits for the block with the largest delay; 0: no delays
                         * are programmed */
    uint32_t delay_count;
    const aql_delay_t *delays;
} aql_streaming_t;

typedef struct {
    const char *name;
    const aql_family_t *family;
    const aql_block_t *blocks;
    uint32_t block_count;
    uint32_t xccs;       /* most XCCs */
    uint32_t accumulate; /* event of SQ that accumulates, each clock, the level counted in the slot
                          * before; 0: there is none */
    uint32_t
        trace; /* version in the word before a thread trace; 0: the GPU writes that word itself */
    const aql_streaming_t *streaming; /* NULL: no counter can be streamed */
} aql_gpu_t;

/* Finds the GPU of that name, which may be followed by a colon and features. Fails if it is not
 * supported. */
hsa_status_t aql_gpu_named(const char *name, const aql_gpu_t **gpu);
/* Fails unless the GPU supports streaming counters. */
hsa_status_t aql_gpu_streams(const aql_gpu_t *gpu);

/* ---- agents (agent.c) ---- */

/* Additional counters, which only the software GPU has; 0 slots: there are none. */
typedef struct {
    uint32_t slots;     /* slots of each block */
    uint32_t registers; /* number of the first register; those of a slot follow from it
                         * (topology.c) */
} aql_wide_t;

typedef struct {
    const aql_gpu_t *gpu;
    uint32_t xccs, engines, units,
        arrays; /* engines and compute units of all XCCs, arrays per engine */
    aql_wide_t wide;
    uint32_t clock_khz; /* frequency of its timestamps; 0: the runtime does not report it */
} aql_agent_t;

/* Sets *function to a function of the HSA runtime, or of the thunk below it if that is a library of
 * its own. It becomes NULL if the library is not loaded, or has no such function. */
void aql_runtime_function(const char *name, void **function);
void aql_thunk_function(const char *name, void **function);

hsa_status_t aql_agent_from_hsa(hsa_agent_t handle, aql_agent_t *agent);
/* Registers an agent. `located` is the longer form of `info`, which includes the agent's position
 * on the bus; NULL: there is only `info`. */
hsa_status_t aql_agent_register(const aqlprofile_agent_info_t *info,
                                const aqlprofile_agent_info_v1_t *located,
                                aqlprofile_agent_handle_t *handle);
hsa_status_t aql_agent_get(aqlprofile_agent_handle_t handle, aql_agent_t *agent);

/* Returns the block; NULL if the agent has no counters in it. */
const aql_block_t *aql_block(const aql_agent_t *agent, uint32_t id);
const aql_block_t *aql_block_named(const aql_agent_t *agent, const char *name);
/* How many XCCs, shader engines of an XCC, arrays of an engine and workgroup processors of an array
 * contain the block; 1 for units that are part of the block's unit. */
typedef struct {
    uint32_t xccs, engines, arrays, wgps;
} aql_places_t;
aql_places_t aql_block_places(const aql_agent_t *agent, const aql_block_t *block);
/* Returns how many results an event of the block has: one for each place. */
uint32_t aql_block_samples(const aql_agent_t *agent, const aql_block_t *block);
/* Returns how many instances of the block an event can name, and how many the agent has: its
 * compute units may be fewer than the block's numbers allow. */
uint32_t aql_block_indexes(const aql_agent_t *agent, const aql_block_t *block);
uint32_t aql_block_instances(const aql_agent_t *agent, const aql_block_t *block);

/* topology.c: reads the additional counters of a node of the driver's topology, in the folder
 * `root`. */
aql_wide_t aql_wide_of_node(const char *root, uint32_t number);
aql_wide_t aql_wide_at(const char *root, uint32_t domain, uint32_t location);
/* Return how many events an instance of the block can count at once, and the registers of one
 * counter. */
uint32_t aql_block_slots(const aql_agent_t *agent, const aql_block_t *block);
aql_registers_t aql_slot_registers(const aql_agent_t *agent, const aql_block_t *block,
                                   uint32_t instance, uint32_t slot);

/* Dimensions. ORDER: their ids. */
enum { AQL_XCD, AQL_AID, AQL_SE, AQL_SA, AQL_WGP, AQL_INSTANCE, AQL_DIMENSIONS };
extern const char *const aql_dimension_names[AQL_DIMENSIONS];

/* Determines where the sample of one of the block's instances was counted. `at` is its number in
 * the order of XCCs, then instances, then engines, arrays and workgroup processors. */
hsa_status_t aql_coordinates(const aql_agent_t *agent, const aql_block_t *block, uint64_t at,
                             aqlprofile_coordinate_callback_t callback, void *userdata);

/* Fails unless the agent can count the event. */
hsa_status_t aql_event_check(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event);
/* Fails if the event's results would have the numbers of another instance of the next XCC, in the
 * second interface, whose numbers leave no room for instances that the agent does not have. */
hsa_status_t aql_event_numbered(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event);

/* ---- PM4 (pm4.c) ---- */

/* How the packets of one family of GPUs are laid out, and what they write (family.c). */
typedef struct aql_trace_family aql_trace_family_t;
struct aql_family {
    uint32_t copy_value;     /* first word of COPY_DATA that copies a value in the packet to a
                              * register */
    uint32_t copy_register;  /* first word of COPY_DATA that copies a register to memory */
    uint32_t flushed_caches; /* second word of ACQUIRE_MEM */
    uint32_t flush_control;  /* the eighth word; 0: the packet has seven */
    uint32_t command_policy; /* cache policy of commands: bits of INDIRECT_BUFFER */
    uint32_t clock_control;  /* register that keeps the counters' clocks on; 0: there is none */
    uint32_t perfmon_stop;   /* value of CP_PERFMON_CNTL */
    uint32_t sq_mask;        /* register that selects the arrays whose waves count; 0: there is
                              * none */
    uint32_t sq_waves;       /* value of SQ's control register while SQ itself counts */
    uint32_t sq_texture;     /* the same while texture units and caches count */
    uint32_t sq_control2, sq_control2_value; /* a second control register; 0: there is none */
    bool reads_grbm; /* a counter of GRBM is read first, and so is always programmed */
    const aql_trace_family_t *trace;
};
extern const aql_family_t aql_family_gfx9, aql_family_gfx10, aql_family_gfx11, aql_family_gfx12;

/* A list of dwords for an agent; dwords that do not fit are counted but not stored. */
typedef struct {
    uint32_t *words;
    uint32_t capacity, count;
    const aql_family_t *family;
    uint32_t xccs;
} aql_pm4_t;

aql_pm4_t aql_pm4_list(const aql_agent_t *agent, uint32_t *words, uint32_t capacity);

#define AQL_BROADCAST 0xe0000000u /* GRBM_GFX_INDEX for all engines, arrays and instances */

enum {
    AQL_GRBM_GFX_INDEX = 0xc200,
    AQL_COMPUTE_PERFCOUNT_ENABLE = 0x2e0b,
    AQL_CP_PERFMON_CNTL = 0xd808,
    AQL_SQ_PERFCOUNTER0_SELECT = 0xd9c0,
    AQL_SQ_PERFCOUNTER_CTRL = 0xd9e0,
    AQL_RLC_PERFMON_CLK_CNTL = 0xdcbf,
    AQL_SQ_PERFCOUNTER_MASK = 0xd9e1,
    AQL_RLC_SPM_PERFMON_CNTL = 0xdc80,
    AQL_RLC_SPM_SEGMENT_SIZE = 0xdc84,
    AQL_RLC_SPM_SE_MUXSEL_ADDR = 0xdc85, /* the next register is the data */
    AQL_RLC_SPM_GLOBAL_MUXSEL_ADDR = 0xdc9b,
    AQL_RLC_SPM_SAMPLE_DELAY_MAX = 0xdca4,
    AQL_RLC_SPM_SEGMENT_SIZE_CORE1 = 0xdcaf,
    AQL_REGISTERS_END = 0x10000 /* no product has registers from this number on */
};

/* CP_PERFMON_CNTL */
enum {
    AQL_PERFMON_RESET = 0,
    AQL_PERFMON_START = 1,
    AQL_PERFMON_STOP = 2,
    AQL_PERFMON_READ = 0x401,
    AQL_SPM_START = 0x10,
    AQL_SPM_STOP = 0x20
};

void aql_pm4_wait_idle(aql_pm4_t *pm4);
/* Makes the units that write a thread trace finish it. */
void aql_pm4_finish_trace(aql_pm4_t *pm4);
/* Sets a register, by the kind of packet for registers with such numbers. */
void aql_pm4_set(aql_pm4_t *pm4, uint32_t reg, uint32_t value);
void aql_pm4_store_register(aql_pm4_t *pm4, uint64_t reg, uint64_t address, bool confirm);
/* Writes several words to one register, one after the other. */
void aql_pm4_write_register(aql_pm4_t *pm4, uint32_t reg, const uint32_t *words, uint32_t count);
/* Set a register by COPY_DATA, for registers that other packets cannot set, and for values in
 * memory. */
void aql_pm4_copy_value(aql_pm4_t *pm4, uint64_t reg, uint32_t value);
void aql_pm4_copy_memory(aql_pm4_t *pm4, uint32_t reg, uint64_t address);
/* Write the GPU's clock: 64 bits to memory, or the lower half to a register. */
void aql_pm4_store_clock(aql_pm4_t *pm4, uint64_t address);
void aql_pm4_copy_clock(aql_pm4_t *pm4, uint32_t reg);
/* Adds a packet that waits until no bit of the mask is set in the register. The GPU reads the
 * register every 16 x `interval` clocks. */
void aql_pm4_wait_clear(aql_pm4_t *pm4, uint32_t reg, uint32_t mask, uint32_t interval);
/* The same until the register's bits under the mask are not 1. */
void aql_pm4_wait_not_one(aql_pm4_t *pm4, uint32_t reg, uint32_t mask, uint32_t interval);
/* Writes back and invalidates the caches over the range. */
void aql_pm4_flush(aql_pm4_t *pm4, uint64_t address, uint64_t bytes);
/* Packets between the two are executed by one XCC alone. On a GPU with one XCC the functions do
 * nothing. */
enum { AQL_XCC_WORDS_MAX = 0x3fff }; /* most words between the two */
uint32_t aql_pm4_begin_xcc(aql_pm4_t *pm4, uint32_t xcc);
void aql_pm4_end_xcc(aql_pm4_t *pm4, uint32_t begin);
/* Fails if one packet cannot execute this many bytes of commands. */
hsa_status_t aql_pm4_check(uint32_t bytes);
/* Makes the packet execute the commands. */
void aql_pm4_packet(const aql_agent_t *agent, const void *commands, uint32_t bytes,
                    hsa_ext_amd_aql_pm4_packet_t *packet);

/* ---- plans (plan.c) ---- */

typedef struct {
    const aql_block_t *block;
    uint32_t instance, event, slot;
} aql_slot_t;

/* Results are 64-bit words: first those of blocks outside the XCCs, then those of each XCC, event
 * by event; those of an event are ordered by engines, within them by arrays, within them by
 * workgroup processors. */
typedef struct {
    aql_slot_t *slots; /* in the order of programming */
    uint32_t *of;      /* slot of each event */
    uint32_t *first; /* first result of each event, among those of an XCC or among those outside */
    uint32_t slot_count, event_count, kinds;
    uint32_t outside, per_xcc; /* number of results outside the XCCs, and of each XCC */
    uint32_t results; /* number of all results, including those of the counter that is read although
                       * no event needs it */
    bool added;       /* there is such a counter, in the last slot */
} aql_plan_t;

enum { AQL_EVENTS_MAX = 65536 }; /* limit of a profile; no GPU has as many events and instances */

/* Assigns a slot to each event. To be freed with aql_plan_free() in any case. */
hsa_status_t aql_plan_make(const aql_agent_t *agent, const aqlprofile_pmc_event_t *events,
                           uint32_t count, aql_plan_t *plan);
void aql_plan_free(aql_plan_t *plan);

/* Calls `give` for each result, event by event: `sample` counts XCCs and within them the event's
 * results; `at` is the argument of aql_coordinates(). Ends early if `give` does not return
 * success. */
typedef hsa_status_t (*aql_give_t)(uint32_t event, uint32_t sample, uint64_t at, uint64_t value,
                                   void *data);
hsa_status_t aql_plan_results(const aql_agent_t *agent, const aql_plan_t *plan,
                              const uint64_t *output, aql_give_t give, void *data);

/* ---- counters (pmc.c) ---- */

/* Returns GRBM_GFX_INDEX for one instance of a block in all units that contain the block. */
uint32_t aql_index_of(const aql_block_t *block, uint32_t instance);
/* Returns the same for an instance in all arrays of one engine. */
uint32_t aql_index_in(uint32_t engine, uint32_t instance);

#define AQL_SQ_SELECT_MASKS 0x0f0ff000u /* all SIMDs, clients and banks */

void aql_pmc_start(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                   bool concurrent);
void aql_pmc_read(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                  uint64_t output);
void aql_pmc_stop(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan);

/* ---- streaming counters (spm.c) ---- */

enum {
    AQL_SPM_LINES = 31, /* most lines of the whole GPU, and of each engine */
    /* position of an event's counter in a sample */
    AQL_SPM_GLOBAL = 0x8000,  /* it is in the lines of the whole GPU */
    AQL_SPM_32_BITS = 0x1000, /* the upper half is at the same place of the next line */
    AQL_SPM_PLACE = 0x0fff    /* number of the 16-bit value */
};

typedef struct {
    const aql_streaming_t *streaming;
    aql_plan_t plan;
    uint32_t interval, engines; /* `engines`: of an XCC */
    uint32_t lines[2];          /* [0]: of the whole GPU, [1]: of each engine; also in `table` */
    uint16_t table[2][AQL_SPM_LINES * 16];
    uint16_t *place; /* place of each event */
} aql_spm_t;

bool aql_spm_counts(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event);
/* Fills in *spm, which must be zeroed. It is to be freed with aql_spm_free() in any case. */
hsa_status_t aql_spm_make(const aql_agent_t *agent, const aqlprofile_pmc_event_t *events,
                          uint32_t count, uint64_t interval, aql_spm_t *spm);
void aql_spm_free(aql_spm_t *spm);
void aql_spm_start(aql_pm4_t *pm4, const aql_spm_t *spm);
void aql_spm_stop(aql_pm4_t *pm4);

/* ---- thread traces (trace.c, trace_gfx9.c, trace_gfx10.c) ---- */

enum { AQL_TRACE_COUNTERS = 8, AQL_TRACE_ENGINES = 32, AQL_TRACE_PAGE = 4096 };

typedef struct {
    const aql_trace_family_t *family;
    uint32_t xccs, engines; /* `engines`: of all XCCs */
    uint32_t version;       /* as aql_gpu_t::trace */
    uint32_t engine_mask, unit, simds;
    bool concurrent, timestamps, occupancy;
    uint32_t mask, token_mask, token_mask2; /* register values of gfx9 */
    uint32_t clock_khz;                     /* as in aql_agent_t */
    uint32_t counters[AQL_TRACE_COUNTERS], counter_count, counter_mask;
    uint32_t counter_control; /* value of SQ_PERFCOUNTER_CTRL */
    uint64_t bytes, control;  /* size of the data; address of the control rows */
    /* begin: address; size 0: the engine is not traced */
    uint64_t begin[AQL_TRACE_ENGINES], size[AQL_TRACE_ENGINES];
} aql_trace_t;

/* The values that the stop packet stores for one shader engine; the clocks of an XCC are in the row
 * with the XCC's number. */
typedef struct {
    uint32_t status, counter, written, unused;
    uint64_t clock_begin, clock_end;
} aql_trace_control_t;

/* How one family of GPUs traces. A bit or register that is 0 does not exist in the family. */
struct aql_trace_family {
    void (*begin)(aql_pm4_t *pm4, const aql_trace_t *trace);
    void (*end)(aql_pm4_t *pm4, const aql_trace_t *trace);
    uint64_t engine_bytes; /* the buffer of an engine must be smaller than this */
    uint32_t error,
        full; /* bits of the status: an address had no translation; the buffer was too small */
    uint32_t written; /* bits with the amount written, in units of 32 bytes */
    uint64_t wraps;   /* the amount counts from address 0 on, modulo this; 0: from the begin of the
                       * buffer on */
    const struct aql_trace_registers *registers; /* used for gfx10 and later */
};
extern const aql_trace_family_t aql_trace_gfx9, aql_trace_gfx10, aql_trace_gfx11, aql_trace_gfx12;

/* Registers and bits that traces before gfx10 and later ones have in common. */
enum { AQL_TRACE_USERDATA_2 = 0xc342, AQL_TRACE_USERDATA_3 = 0xc343 };
#define AQL_TRACE_BEGIN   0x434f5200u /* decoders ignore all markers before this one */
#define AQL_TRACE_VERSION 524801u

/* Sets up the trace that the parameters describe. `second`: they belong to the second interface,
 * which has other parameters than the first. aql_trace_place() sets sizes and addresses. */
hsa_status_t aql_trace_make(const aql_agent_t *agent, const aqlprofile_att_parameter_t *parameters,
                            uint32_t count, bool second, aql_trace_t *trace);
/* Divides the data buffer among the engines. */
hsa_status_t aql_trace_place(aql_trace_t *trace, uint64_t data, uint64_t bytes, uint64_t control);
void aql_trace_begin(aql_pm4_t *pm4, const aql_trace_t *trace);
void aql_trace_end(aql_pm4_t *pm4, const aql_trace_t *trace);
bool aql_trace_wants(const aql_trace_t *trace, uint32_t engine);
/* Return GRBM_GFX_INDEX for the trace of an engine of an XCC, and the row of its results. */
uint32_t aql_trace_index(uint32_t engine);
uint64_t aql_trace_slot(const aql_trace_t *trace, uint32_t engine);
/* Writes a marker about a code object into the running trace: its header, then the word. */
void aql_trace_mark(aql_pm4_t *pm4, uint32_t type, uint32_t word);
/* Returns how many bytes the engine has written. */
uint64_t aql_trace_bytes(const aql_trace_t *trace, const aql_trace_control_t *control,
                         uint32_t engine);
/* Fails if an engine could not write all of its trace, with the worst error of all engines. */
hsa_status_t aql_trace_check(const aql_trace_t *trace, const aql_trace_control_t *control);

#endif
