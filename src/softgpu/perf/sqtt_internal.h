/* sqtt_internal.h - what the files of the thread trace share: events and the engines' streams.
 *
 * sqtt.c has the registers, sqtt_waves.c records the instructions of waves, and sqtt_counters.c
 * samples counters. What differs between GPUs is a sg_sqtt_format_t: sqtt_gfx9.c and sqtt_gfx10.c
 * encode events as tokens. */
#ifndef SOFTGPU_PERF_SQTT_INTERNAL_H
#define SOFTGPU_PERF_SQTT_INTERNAL_H

#include "softgpu/perf/sqtt.h"

#include <pthread.h>

/* Kinds of events; each event becomes one token. */
typedef enum {
    SG_SQTT_WAVE_START, /* value: lanes */
    SG_SQTT_WAVE_END,
    SG_SQTT_ISSUE,    /* type: code */
    SG_SQTT_INST,     /* type: kind of instruction */
    SG_SQTT_PC,       /* value: target of a jump through a register */
    SG_SQTT_DATA,     /* value: s_ttracedata's */
    SG_SQTT_REGISTER, /* type: compute register - 0x2e00, value: written */
    SG_SQTT_EVENT,    /* value: number */
    SG_SQTT_COUNTERS, /* type: bank, array << 2; value: four counts */
    SG_SQTT_SYNC,     /* a packet has invalidated or written back caches */
    /* gfx10 and later: the dispatch's initiator; the wave has an instruction that could be issued;
     * vector instructions without a kind, and instructions that are complete when issued */
    SG_SQTT_LAUNCH,
    SG_SQTT_READY,
    SG_SQTT_VALU,
    SG_SQTT_IMMEDIATE,
    SG_SQTT_DATA_SHORT, /* value: s_ttracedata_imm's, of 8 bits */
    SG_SQTT_MARK        /* type: number of USERDATA register, value: written */
} sg_sqtt_kind_t;

/* Codes of an issue token. */
enum { SG_ISSUE_STALLED = 1, SG_ISSUE_INST = 2, SG_ISSUE_IMMEDIATE = 3 };

/* Kinds of instructions by their numbers in tokens of gfx9; _64: its encoding has two dwords. */
enum {
    SG_INST_SMEM_RD = 0,
    SG_INST_SALU_32 = 1,
    SG_INST_VMEM_RD = 2,
    SG_INST_VMEM_WR = 3,
    SG_INST_FLAT_WR = 4,
    SG_INST_VALU_32 = 5,
    SG_INST_LDS = 6,
    SG_INST_PC = 7,
    SG_INST_GDS = 8,
    SG_INST_JUMP = 12,
    SG_INST_NEXT = 13,
    SG_INST_FLAT_RD = 14,
    SG_INST_MESSAGE = 15,
    SG_INST_SMEM_WR = 16,
    SG_INST_SALU_64 = 17,
    SG_INST_VALU_64 = 18,
    SG_INST_MATRIX = 28,
    SG_INST_TO_TRAP = 29
};

typedef struct {
    uint64_t time; /* clocks */
    uint64_t value;
    uint32_t order; /* orders events of the same time */
    uint8_t kind, type;
    uint8_t simd, slot, place; /* place: what takes workgroups in its array */
    uint8_t array;
} sg_sqtt_event_t;

/* A shader engine's trace. */
typedef struct {
    uint32_t base, base_high, size; /* in pages: of the buffer's first, and how many there are */
    uint32_t mask, token_mask, perf_mask, mode;
    uint32_t kept[3]; /* registers without effect */
    uint32_t userdata[4];
    bool on, full, error;
    bool begun;       /* the stream has a first timestamp */
    uint64_t now;     /* time of the stream's last token, in clocks */
    uint64_t written; /* bytes */
    bool half;        /* of the last of these bytes only the lower half is written */
    uint8_t *host;    /* of the buffer, while tokens are written */
} sg_sqtt_engine_t;

/* ---- formats ---- */

/* Registers that each write is in the trace of; all GPUs have them. */
enum { SG_SQTT_USERDATA_0 = 0xc340, SG_SQTT_USERDATA_3 = 0xc343 };

/* What a register of the trace is for. From KEPT on they have no effect. SIZE_AND_HIGH: the number
 * of pages, and the upper bits of the first one's number in the lowest 8. */
typedef enum {
    SG_TRACE_NONE,
    SG_TRACE_BASE,
    SG_TRACE_BASE_HIGH,
    SG_TRACE_SIZE,
    SG_TRACE_SIZE_AND_HIGH,
    SG_TRACE_MASK,
    SG_TRACE_TOKENS,
    SG_TRACE_COUNTERS,
    SG_TRACE_RESET,
    SG_TRACE_MODE,
    SG_TRACE_WRITTEN,
    SG_TRACE_STATUS,
    SG_TRACE_USERDATA,
    SG_TRACE_KEPT
} sg_trace_role_t;

/* Whose instructions are traced: what takes workgroups, by its number in the engine's first array,
 * and its SIMDs. */
typedef struct {
    uint32_t place, simds;
} sg_sqtt_target_t;

/* What an event of an instruction says besides its time. BRANCH: whether it was taken, and TARGET
 * its address, are known only with the wave's next instruction. DATA: its value is M0, CONSTANT:
 * its own constant. */
typedef enum {
    SG_TELLS_TIME,
    SG_TELLS_BRANCH,
    SG_TELLS_TARGET,
    SG_TELLS_DATA,
    SG_TELLS_CONSTANT
} sg_sqtt_tells_t;

typedef struct sg_sqtt_told sg_sqtt_told_t; /* where events of an instruction go */
void sg_sqtt_tell(sg_sqtt_told_t *told, uint64_t time, sg_sqtt_kind_t kind, int type,
                  sg_sqtt_tells_t tells);
/* In the trace the instruction lasts for `clocks` from `issued` on, and its wave ends no earlier.
 */
void sg_sqtt_tell_clocks(sg_sqtt_told_t *told, uint64_t issued, uint32_t clocks);

struct sg_sqtt;
typedef struct sg_sqtt_format {
    struct {
        uint16_t number;
        uint8_t role; /* sg_trace_role_t */
    } registers[14];
    uint32_t status_full, status_error; /* bits of the status; 0: it does not tell */
    bool restarts;                      /* a stream begins whenever the trace is turned on */
    bool written_from_zero;             /* the register of what was written counts from address 0 */
    uint8_t version;                    /* in the header of the stream */
    uint8_t stamp;                      /* the kind of a stamp that tells clocks */
    uint8_t slots;                      /* of a SIMD, for which there are tokens */
    uint8_t least;                      /* fewest bytes of a token */
    uint8_t taken;                      /* the kind of a branch that is taken */
    bool counters;                      /* samples of counters can be in the stream */
    bool launches;                      /* a token of its own for the dispatch's initiator */
    const struct sg_sqtt_row *rows;
    const struct sg_sqtt_numbers *numbers;
    bool (*is_on)(const sg_sqtt_engine_t *e);
    bool (*wraps)(const sg_sqtt_engine_t *e);
    sg_sqtt_target_t (*target)(const sg_sqtt_engine_t *e);
    /* Bit k is set if the masks in the engine's registers include the tokens that events of kind k
     * become. */
    uint32_t (*kinds)(const sg_sqtt_engine_t *e);
    void (*put)(const struct sg_sqtt *s, sg_sqtt_engine_t *e, const sg_sqtt_event_t *v);
    /* The events of an instruction, which waited from `begin` on, was issued and ended. */
    void (*tell)(sg_sqtt_told_t *told, const struct sg_sqtt_format *f, const isa_wave_t *w,
                 const isa_inst_t *i, uint64_t begin, uint64_t issued, uint64_t end);
    void (*tell_trap)(sg_sqtt_told_t *told, uint64_t begin);
} sg_sqtt_format_t;

extern const sg_sqtt_format_t sg_sqtt_gfx9, sg_sqtt_gfx10, sg_sqtt_gfx11, sg_sqtt_gfx12;

struct sg_sqtt {
    const sg_sqtt_format_t *format;
    uint32_t unit_cus; /* compute units of what takes workgroups */
    uint32_t
        f64_rate; /* operations of double precision take so many times as long, as a power of 2 */
    uint32_t engines, engines_of_xcc, units_per_engine, units_per_array, slots_per_simd;
    pthread_mutex_t lock; /* guards the engines; taken after all other locks */
    sg_sqtt_memory_fn_t *memory;
    void *user;
    uint32_t on; /* engines that are traced */
    sg_sqtt_engine_t engine[];
};

/* Under the lock. Appends events; one whose time is before that of the stream's last token gets
 * that token's time. */
void sg_sqtt_emit(sg_sqtt_t *s, sg_sqtt_engine_t *e, const sg_sqtt_event_t *events, size_t n);
uint64_t sg_sqtt_room(const sg_sqtt_engine_t *e);
/* Size of its buffer. */
uint64_t sg_sqtt_bytes(const sg_sqtt_engine_t *e);

#endif
