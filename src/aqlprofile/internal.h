/* internal.h - what the files of the AQL profile library share.
 *
 * Apart from the public headers, which are AMD's. From the bottom up: messages, agents and blocks
 * (agent.c, topology.c), PM4 packets (pm4.c), plans that give counters their slots (pmc.c),
 * streaming counters (spm.c), thread traces (trace.c), the two public interfaces (v1.c; v2.c,
 * v2_spm.c, v2_trace.c). A function that returns hsa_status_t has set the message if it fails. */
#ifndef CROCPROF_AQLPROFILE_INTERNAL_H
#define CROCPROF_AQLPROFILE_INTERNAL_H

#include <aqlprofile-sdk/aql_profile_v2.h>

#define AQL_EXPORT __attribute__((visibility("default")))

/* ---- messages (error.c) ---- */

/* Keeps the message for this thread and returns the status. */
hsa_status_t aql_fail(hsa_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
const char *aql_message(void);

/* ---- agents and their blocks (agent.c) ---- */

/* Counters beyond those of the product, which the software GPU has; 0 slots: there are none. */
typedef struct {
    uint32_t slots;     /* of each block */
    uint32_t registers; /* number of the first; those of a slot follow from it (topology.c) */
} aql_wide_t;

typedef struct {
    char name[16];
    uint32_t engines, units, arrays; /* shader engines, compute units of all, arrays per engine */
    aql_wide_t wide;
    uint32_t clock_khz; /* of its timestamps; 0: the runtime does not tell */
} aql_agent_t;

typedef struct {
    uint32_t select, low, high,
        select1; /* register numbers, in dwords; select1 for streaming, or 0 */
} aql_registers_t;

/* What programming a block takes besides its select register. */
enum {
    AQL_BLOCK_SQ = 1,      /* SQ_PERFCOUNTER_MASK and _CTRL */
    AQL_BLOCK_TEXTURE = 2, /* counts for those waves only that SQ_PERFCOUNTER_CTRL names */
    AQL_BLOCK_CLEARED = 4  /* its counters are not reset with the others */
};

typedef struct {
    const char *name;
    uint32_t id, instances;
    bool per_engine;
    uint32_t slots, max_event, kind;
    uint32_t streamed;                /* its number in a multiplexer table; 0: cannot be streamed */
    const aql_registers_t *registers; /* one per slot */
} aql_block_t;

/* Sets *function to a function of the HSA runtime, or of the thunk below it where that is a library
 * of its own. NULL: the library is not loaded, or has no such function. */
void aql_runtime_function(const char *name, void **function);
void aql_thunk_function(const char *name, void **function);

hsa_status_t aql_agent_from_hsa(hsa_agent_t handle, aql_agent_t *agent);
/* `located`: the longer form of `info`, which has the agent's place on the bus; NULL: `info` is the
 * shorter form. */
hsa_status_t aql_agent_register(const aqlprofile_agent_info_t *info,
                                const aqlprofile_agent_info_v1_t *located,
                                aqlprofile_agent_handle_t *handle);
hsa_status_t aql_agent_get(aqlprofile_agent_handle_t handle, aql_agent_t *agent);

/* NULL where the agent has no counters in the block. */
const aql_block_t *aql_block(const aql_agent_t *agent, uint32_t id);
const aql_block_t *aql_block_named(const aql_agent_t *agent, const char *name);
/* How many results an event of the block has: as many as there are shader engines, or one. */
uint32_t aql_block_samples(const aql_agent_t *agent, const aql_block_t *block);
/* How many instances of the block the agent has: its compute units may be fewer than the block's
 * numbers allow. */
uint32_t aql_block_instances(const aql_agent_t *agent, const aql_block_t *block);

/* topology.c: what a node of the driver's topology, in the folder `root`, says of its counters. */
aql_wide_t aql_wide_of_node(const char *root, uint32_t number);
aql_wide_t aql_wide_at(const char *root, uint32_t domain, uint32_t location);
/* How many events an instance of the block can count at once, and the registers of one counter. */
uint32_t aql_block_slots(const aql_agent_t *agent, const aql_block_t *block);
aql_registers_t aql_slot_registers(const aql_agent_t *agent, const aql_block_t *block,
                                   uint32_t slot);

/* Dimensions in the order of their ids. */
enum { AQL_XCD, AQL_AID, AQL_SE, AQL_SA, AQL_WGP, AQL_INSTANCE, AQL_DIMENSIONS };
extern const char *const aql_dimension_names[AQL_DIMENSIONS];

/* Tells where the sample of one of the block's instances was counted. `at` counts instances, and
 * within them shader engines. */
hsa_status_t aql_coordinates(const aql_agent_t *agent, const aql_block_t *block, uint64_t at,
                             aqlprofile_coordinate_callback_t callback, void *userdata);

/* Fails unless the agent can count the event. */
hsa_status_t aql_event_check(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event);

/* ---- PM4 (pm4.c) ---- */

/* A growing list of dwords; what does not fit is counted but not kept. */
typedef struct {
    uint32_t *words;
    uint32_t capacity, count;
} aql_pm4_t;

#define AQL_BROADCAST 0xe0000000u /* GRBM_GFX_INDEX: all engines, arrays and instances */

enum {
    AQL_GRBM_GFX_INDEX = 0xc200,
    AQL_COMPUTE_PERFCOUNT_ENABLE = 0x2e0b,
    AQL_CP_PERFMON_CNTL = 0xd808,
    AQL_SQ_PERFCOUNTER0_SELECT = 0xd9c0,
    AQL_SQ_PERFCOUNTER_CTRL = 0xd9e0,
    AQL_SQ_PERFCOUNTER_MASK = 0xd9e1,
    AQL_RLC_PERFMON_CLK_CNTL = 0xdcbf,
    AQL_RLC_SPM_PERFMON_CNTL = 0xdc80,
    AQL_RLC_SPM_SEGMENT_SIZE = 0xdc84,
    AQL_RLC_SPM_SE_MUXSEL_ADDR = 0xdc85, /* the next is the data */
    AQL_RLC_SPM_GLOBAL_MUXSEL_ADDR = 0xdc9b,
    AQL_RLC_SPM_SEGMENT_SIZE_CORE1 = 0xdcaf,
    AQL_REGISTERS_END = 0x10000 /* no product has registers from here on */
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
/* Sets a register, by the kind of packet that is for registers with such numbers. */
void aql_pm4_set(aql_pm4_t *pm4, uint32_t reg, uint32_t value);
void aql_pm4_store_register(aql_pm4_t *pm4, uint32_t reg, uint64_t address, bool confirm);
/* Writes several words to one register, one after the other. */
void aql_pm4_write_register(aql_pm4_t *pm4, uint32_t reg, const uint32_t *words, uint32_t count);
/* Set a register by COPY_DATA: for registers that other packets cannot set, or values in memory. */
void aql_pm4_copy_value(aql_pm4_t *pm4, uint32_t reg, uint32_t value);
void aql_pm4_copy_memory(aql_pm4_t *pm4, uint32_t reg, uint64_t address);
/* Write the GPU's clock: 64 bits to memory, or its lower half to a register. */
void aql_pm4_store_clock(aql_pm4_t *pm4, uint64_t address);
void aql_pm4_copy_clock(aql_pm4_t *pm4, uint32_t reg);
/* Waits until no bit of the mask is set in the register. */
void aql_pm4_wait_clear(aql_pm4_t *pm4, uint32_t reg, uint32_t mask);
/* Writes back and invalidates the caches over the range. */
void aql_pm4_flush(aql_pm4_t *pm4, uint64_t address, uint64_t bytes);
/* Fails if one packet cannot execute so many bytes of commands. */
hsa_status_t aql_pm4_check(uint32_t bytes);
/* Makes the packet execute the commands. */
void aql_pm4_packet(const void *commands, uint32_t bytes, hsa_ext_amd_aql_pm4_packet_t *packet);

/* ---- counters (pmc.c) ---- */

typedef struct {
    const aql_block_t *block;
    uint32_t instance, event, slot;
} aql_slot_t;

typedef struct {
    aql_slot_t *slots; /* in the order of programming */
    uint32_t *of;      /* of each event: its slot */
    uint32_t slot_count, event_count, samples, kinds;
} aql_plan_t;

enum { AQL_EVENTS_MAX = 65536 }; /* of a profile; no GPU has so many events and instances */

/* Gives each event a slot. To be freed with aql_plan_free() in any case. */
hsa_status_t aql_plan_make(const aql_agent_t *agent, const aqlprofile_pmc_event_t *events,
                           uint32_t count, aql_plan_t *plan);
void aql_plan_free(aql_plan_t *plan);

/* GRBM_GFX_INDEX for one instance of a block in one engine or in all (engine < 0). */
uint32_t aql_index_of(const aql_block_t *block, uint32_t instance, int engine);

#define AQL_SQ_CTRL_ALL     0xffff007fu /* all shader stages, all VMIDs */
#define AQL_SQ_SELECT_MASKS 0x0f0ff000u /* all SIMDs, clients and banks */

void aql_pmc_start(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                   bool concurrent);
void aql_pmc_read(aql_pm4_t *pm4, const aql_agent_t *agent, const aql_plan_t *plan,
                  uint64_t output);
void aql_pmc_stop(aql_pm4_t *pm4);

/* ---- streaming counters (spm.c) ---- */

enum {
    AQL_SPM_LINES = 31, /* at most, of the whole GPU, and of each engine */
    /* where a sample has the counter of an event */
    AQL_SPM_GLOBAL = 0x8000,  /* in the lines of the whole GPU */
    AQL_SPM_32_BITS = 0x1000, /* the upper half is in the same place of the next line */
    AQL_SPM_PLACE = 0x0fff    /* number of the 16-bit value */
};

typedef struct {
    aql_plan_t plan;
    uint32_t interval, engines;
    uint32_t lines[2]; /* [0]: of the whole GPU, [1]: of each engine; so in `table` */
    uint16_t table[2][AQL_SPM_LINES * 16];
    uint16_t *place; /* of each event */
} aql_spm_t;

bool aql_spm_counts(const aql_agent_t *agent, const aqlprofile_pmc_event_t *event);
/* Fills *spm, which must be zeroed. It is to be freed with aql_spm_free() in any case. */
hsa_status_t aql_spm_make(const aql_agent_t *agent, const aqlprofile_pmc_event_t *events,
                          uint32_t count, uint64_t interval, aql_spm_t *spm);
void aql_spm_free(aql_spm_t *spm);
void aql_spm_start(aql_pm4_t *pm4, const aql_spm_t *spm);
void aql_spm_stop(aql_pm4_t *pm4);

/* ---- thread traces (trace.c) ---- */

enum { AQL_TRACE_COUNTERS = 8, AQL_TRACE_ENGINES = 32 };

typedef struct {
    uint32_t engines, engine_mask, unit, simds;
    uint32_t mask, token_mask, token_mask2; /* register values */
    bool concurrent, timestamps;
    uint32_t clock_khz; /* as in aql_agent_t */
    uint32_t counters[AQL_TRACE_COUNTERS], counter_count, counter_mask, counter_control;
    uint64_t bytes, control; /* size of the data, address of the control */
    uint64_t begin[AQL_TRACE_ENGINES], size[AQL_TRACE_ENGINES]; /* addresses; 0 bytes: not traced */
} aql_trace_t;

/* What the stop packet stores of one shader engine; the clocks only in the row of the first. */
typedef struct {
    uint32_t status, counter, written, unused;
    uint64_t clock_begin, clock_end;
} aql_trace_control_t;

/* Sets up the trace that the parameters ask for. `second`: they are of the second interface, which
 * has others than the first. aql_trace_place() sets sizes and addresses. */
hsa_status_t aql_trace_make(const aql_agent_t *agent, const aqlprofile_att_parameter_t *parameters,
                            uint32_t count, bool second, aql_trace_t *trace);
/* Divides the data among the engines. */
hsa_status_t aql_trace_place(aql_trace_t *trace, uint64_t data, uint64_t bytes, uint64_t control);
void aql_trace_begin(aql_pm4_t *pm4, const aql_trace_t *trace);
void aql_trace_end(aql_pm4_t *pm4, const aql_trace_t *trace);
/* Writes a marker about a code object into the running trace: its header, then the word. */
void aql_trace_mark(aql_pm4_t *pm4, uint32_t type, uint32_t word);
/* How many bytes the engine has written. */
uint64_t aql_trace_bytes(const aql_trace_t *trace, const aql_trace_control_t *control,
                         uint32_t engine);
/* Fails if an engine could not write all of its trace, with the worst error of all engines. */
hsa_status_t aql_trace_check(const aql_trace_t *trace, const aql_trace_control_t *control);

#endif
