/* sqtt_internal.h - what the files of the thread trace share: events and the engines' streams.
 *
 * sqtt.c has the registers and encodes events as tokens, sqtt_waves.c records the instructions of
 * waves, and sqtt_counters.c samples counters. */
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
    SG_SQTT_MARK      /* type: number of USERDATA register, value: written */
} sg_sqtt_kind_t;

/* Codes of an issue token. */
enum { SG_ISSUE_STALLED = 1, SG_ISSUE_INST = 2, SG_ISSUE_IMMEDIATE = 3 };

/* Kinds of instructions by their numbers in tokens; _64: its encoding has two dwords. */
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
    uint8_t simd, slot, place; /* place: compute unit in its array */
} sg_sqtt_event_t;

/* A shader engine's trace. */
typedef struct {
    uint32_t base, base2, size, mask, token_mask, token_mask2, perf_mask, mode, hiwater, cntr;
    uint32_t userdata[4];
    bool on, full, error;
    bool begun;       /* the stream has a first timestamp */
    uint64_t now;     /* time of the stream's last token, in clocks */
    uint64_t written; /* bytes */
    uint8_t *host;    /* of the buffer, while tokens are written */
} sg_sqtt_engine_t;

struct sg_sqtt {
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
/* Whether a full buffer is overwritten from its beginning. */
bool sg_sqtt_wraps(const sg_sqtt_engine_t *e);
/* Size of its buffer. */
uint64_t sg_sqtt_bytes(const sg_sqtt_engine_t *e);
/* Bit k is set if the masks in the engine's registers include the tokens that events of kind k
 * become. */
uint32_t sg_sqtt_kinds(const sg_sqtt_engine_t *e);

#endif
