/* sqtt_gfx9.c - the stream of gfx9: its registers, and events as its tokens.
 *
 * The format follows AMD's register headers and decoder: little-endian tokens of 2 to 8 bytes, type
 * in bits 3:0, most with one bit of time, in units of 4 clocks. A stream begins with its time and
 * ends in zeros up to a multiple of 32 bytes. */
#include "isa/table.h"
#include "softgpu/perf/sqtt_internal.h"

#include <string.h>

enum {
    BASE = 0xc330,
    SIZE,
    MASK,
    TOKEN_MASK,
    PERF_MASK,
    CTRL,
    MODE,
    BASE2,
    TOKEN_MASK2,
    WPTR,
    STATUS,
    HIWATER,
    CNTR,
};

enum {
    MODE_CS_SHIFT = 18, /* whether compute waves are traced */
    MODE_CS = 7,
    MODE_ON_SHIFT = 21,
    MODE_ON = 3,
    MODE_WRAP_SHIFT = 31,
    TIME_UNIT = 4,
    DELTA_SHIFT = 4, /* of tokens: units of time since the one before */
    MISC_SHIFT = 13  /* the kind of a MISC token */
};

enum {
    TOKEN_MISC = 0,
    TOKEN_TIMESTAMP = 1,
    TOKEN_REG = 2,
    TOKEN_WAVE_START = 3,
    TOKEN_REG_CSPRIV = 5,
    TOKEN_WAVE_END = 6,
    TOKEN_INST = 10,
    TOKEN_INST_PC = 11,
    TOKEN_USERDATA = 12,
    TOKEN_ISSUE = 13,
    TOKEN_PERF = 14,
    TOKEN_REG_CS = 15
};

/* ---- the buffer ---- */

static bool wraps(const sg_sqtt_engine_t *e)
{
    return e->mode >> MODE_WRAP_SHIFT & 1;
}

static bool wanted(const sg_sqtt_engine_t *e, uint64_t token)
{
    return e->token_mask >> (token & 15) & 1;
}

static void append(sg_sqtt_engine_t *e, uint64_t token, unsigned bytes)
{
    if (!wanted(e, token)) return;
    memcpy(e->host + e->written, &token, bytes);
    e->written += bytes;
}

static void append_stamp(sg_sqtt_engine_t *e, uint64_t stamp)
{
    enum { RESET = 1 };
    append(e, TOKEN_MISC | RESET << MISC_SHIFT, 2);
    append(e, TOKEN_TIMESTAMP | stamp << 16, 8);
}

/* Whether the buffer has room for a token, which is never cut. If it has none, the trace ends here;
 * or, if the buffer wraps, a new stream begins at its start, with a timestamp. */
static bool make_room(sg_sqtt_engine_t *e, unsigned bytes)
{
    const uint64_t room = sg_sqtt_room(e);
    if (room >= bytes) return true;
    if (!wraps(e) || !e->written || e->full || e->error) {
        e->full = true;
        return false;
    }
    memset(e->host + e->written, 0, room);
    e->written = 0;
    append_stamp(e, e->now);
    return true;
}

static bool put(sg_sqtt_engine_t *e, uint64_t token, unsigned bytes)
{
    if (!wanted(e, token) || !make_room(e, bytes)) return false;
    append(e, token, bytes);
    return true;
}

/* ---- tokens ---- */

/* Writes tokens of time until the stream has reached `time` or is one unit behind. Returns the
 * units that remain, 0 or 1, for which the next token has a bit. */
static uint32_t advance(sg_sqtt_engine_t *e, uint64_t time)
{
    enum { TIME = 0, DELTA_MAX = 255, STEPS_MAX = 4, STAMP_BYTES = 10 };
    uint64_t units = time > e->now ? (time - e->now) / TIME_UNIT : 0;
    if (!e->begun || units > STEPS_MAX * DELTA_MAX) {
        /* decoders take the first timestamp as 4 clocks before its value, later ones as their
         * value */
        const uint64_t stamp =
            e->begun ? e->now + units * TIME_UNIT + TIME_UNIT : time & ~UINT64_C(3);
        if (make_room(e, STAMP_BYTES)) append_stamp(e, stamp);
        e->now = e->begun ? e->now + units * TIME_UNIT : stamp;
        e->begun = true;
        units = 0;
    }
    while (units > 1) {
        const uint64_t step = units < DELTA_MAX ? units : DELTA_MAX;
        if (put(e, TOKEN_MISC | TIME << MISC_SHIFT | step << DELTA_SHIFT, 2))
            e->now += step * TIME_UNIT;
        units -= step;
    }
    return (uint32_t)units;
}

static uint64_t where(const sg_sqtt_event_t *v)
{
    return (uint64_t)v->place << 6 | (uint64_t)v->slot << 10 | (uint64_t)v->simd << 14;
}

/* The token of an event, with 0 in its bit of time. */
static uint64_t token_of(const sg_sqtt_event_t *v)
{
    enum { REG_USERDATA = 3, REG_WRITE = 1, FIRST_ME = 1, EVENTS = 0x7f, SYNC = 3 };
    const uint64_t wave = (uint64_t)v->slot << 5 | (uint64_t)v->simd << 9;
    const uint64_t word = v->value & 0xffffffff;
    switch ((sg_sqtt_kind_t)v->kind) {
    case SG_SQTT_WAVE_START: return TOKEN_WAVE_START | where(v) | v->value << 22;
    case SG_SQTT_WAVE_END: return TOKEN_WAVE_END | where(v);
    case SG_SQTT_ISSUE:
        return TOKEN_ISSUE | (uint64_t)v->simd << 5 | (uint64_t)v->type << (8 + 2 * v->slot);
    case SG_SQTT_INST: return TOKEN_INST | wave | (uint64_t)v->type << 11;
    case SG_SQTT_PC: return TOKEN_INST_PC | wave | v->value / 4 << 16;
    case SG_SQTT_DATA: return TOKEN_USERDATA | where(v) | word << 16;
    case SG_SQTT_REGISTER:
        return TOKEN_REG_CS | FIRST_ME << 7 | (uint64_t)v->type << 9 | word << 16;
    case SG_SQTT_EVENT: return TOKEN_REG_CSPRIV | FIRST_ME << 7 | EVENTS << 9 | word << 16;
    case SG_SQTT_COUNTERS:
        return TOKEN_PERF | (uint64_t)(v->type >> 2) << 5 | (uint64_t)v->place << 6 |
               (uint64_t)(v->type & 3) << 10 | v->value << 12;
    case SG_SQTT_SYNC: return TOKEN_MISC | SYNC << MISC_SHIFT;
    case SG_SQTT_LAUNCH:
    case SG_SQTT_READY:
    case SG_SQTT_VALU:
    case SG_SQTT_DATA_SHORT:
    case SG_SQTT_IMMEDIATE: break; /* of gfx10 and later */
    case SG_SQTT_MARK:
        return TOKEN_REG | FIRST_ME << 7 | REG_USERDATA << 10 | REG_WRITE << 15 |
               (uint64_t)(SG_SQTT_USERDATA_0 + v->type) << 16 | v->value << 32;
    }
    return TOKEN_MISC;
}

static uint32_t kinds_of(const sg_sqtt_engine_t *e)
{
    enum {
        OTHERS = 1 << SG_SQTT_LAUNCH | 1 << SG_SQTT_READY | 1 << SG_SQTT_VALU |
                 1 << SG_SQTT_IMMEDIATE | 1 << SG_SQTT_DATA_SHORT /* of gfx10 and later */
    };
    uint32_t kinds = 0;
    for (unsigned kind = 0; kind <= SG_SQTT_MARK; kind++) {
        const sg_sqtt_event_t any = {.kind = (uint8_t)kind};
        if (OTHERS >> kind & 1) continue;
        kinds |= wanted(e, token_of(&any)) ? 1u << kind : 0;
    }
    return kinds;
}

static void put_event(const sg_sqtt_t *s, sg_sqtt_engine_t *e, const sg_sqtt_event_t *v)
{
    (void)s;
    static const uint8_t lengths[16] = {2, 8, 8, 4, 2, 6, 2, 2, 2, 2, 2, 8, 6, 4, 8, 6};
    const uint64_t token = token_of(v);
    const uint32_t units = advance(e, v->time);
    if (put(e, token | (uint64_t)units << DELTA_SHIFT, lengths[token & 15]))
        e->now += units * TIME_UNIT;
}

/* ---- instructions ---- */

/* The kind in the instruction's token; -1: it is complete when issued and has no token. */
static int kind_of(const isa_inst_t *i)
{
    const bool two = i->dwords > 1;
    /* the kind of token follows from the encoding; the class, as for counters, from the memory */
    const bool flat =
        i->fmt == ISA_FMT_FLAT || i->fmt == ISA_FMT_GLOBAL || i->fmt == ISA_FMT_SCRATCH;
    switch ((isa_class_t)isa_table[i->op].klass) {
    case ISA_CLASS_SALU: return two ? SG_INST_SALU_64 : SG_INST_SALU_32;
    case ISA_CLASS_BRANCH: return i->fmt == ISA_FMT_SOPP ? SG_INST_NEXT : SG_INST_PC;
    case ISA_CLASS_MSG: return SG_INST_MESSAGE;
    case ISA_CLASS_INTERNAL: return -1;
    case ISA_CLASS_SMEM:
    case ISA_CLASS_SMEM_RD: return SG_INST_SMEM_RD;
    case ISA_CLASS_SMEM_WR:
    case ISA_CLASS_SMEM_AT: return SG_INST_SMEM_WR;
    case ISA_CLASS_VALU: return two ? SG_INST_VALU_64 : SG_INST_VALU_32;
    case ISA_CLASS_MFMA: return SG_INST_MATRIX;
    case ISA_CLASS_GWS: return SG_INST_GDS;
    case ISA_CLASS_FLAT:
    case ISA_CLASS_FLAT_RD:
    case ISA_CLASS_VMEM:
    case ISA_CLASS_VMEM_RD: return flat ? SG_INST_FLAT_RD : SG_INST_VMEM_RD;
    case ISA_CLASS_FLAT_WR:
    case ISA_CLASS_FLAT_AT:
    case ISA_CLASS_VMEM_WR:
    case ISA_CLASS_VMEM_AT: return flat ? SG_INST_FLAT_WR : SG_INST_VMEM_WR;
    default: return SG_INST_LDS;
    }
}

static void tell(sg_sqtt_told_t *told, const sg_sqtt_format_t *f, const isa_wave_t *w,
                 const isa_inst_t *i, uint64_t begin, uint64_t issued, uint64_t end)
{
    enum { QUAD = 4 };
    const int kind = kind_of(i);
    const uint64_t done = end > issued + QUAD ? end - QUAD : issued;
    (void)f;
    (void)w;
    if (issued >= begin + QUAD)
        sg_sqtt_tell(told, begin, SG_SQTT_ISSUE, SG_ISSUE_STALLED, SG_TELLS_TIME);
    sg_sqtt_tell(told, issued, SG_SQTT_ISSUE, kind < 0 ? SG_ISSUE_IMMEDIATE : SG_ISSUE_INST,
                 SG_TELLS_TIME);
    if (i->op == ISA_OP_s_ttracedata) sg_sqtt_tell(told, issued, SG_SQTT_DATA, 0, SG_TELLS_DATA);
    if (kind < 0) return;
    sg_sqtt_tell(told, done, SG_SQTT_INST, kind,
                 kind == SG_INST_NEXT ? SG_TELLS_BRANCH : SG_TELLS_TIME);
    if (kind == SG_INST_PC) sg_sqtt_tell(told, done, SG_SQTT_PC, 0, SG_TELLS_TARGET);
}

static void tell_trap(sg_sqtt_told_t *told, uint64_t begin)
{
    sg_sqtt_tell(told, begin, SG_SQTT_ISSUE, SG_ISSUE_INST, SG_TELLS_TIME);
    sg_sqtt_tell(told, begin, SG_SQTT_INST, SG_INST_TO_TRAP, SG_TELLS_TIME);
}

/* ---- the format ---- */

static bool is_on(const sg_sqtt_engine_t *e)
{
    return (e->mode >> MODE_ON_SHIFT & MODE_ON) == 1 && e->mode >> MODE_CS_SHIFT & MODE_CS;
}

static sg_sqtt_target_t target(const sg_sqtt_engine_t *e)
{
    enum { UNIT = 15, SIMDS_SHIFT = 8, SIMDS_ALL = 15 };
    return (sg_sqtt_target_t){e->mask & UNIT, e->mask >> SIMDS_SHIFT & SIMDS_ALL};
}

const sg_sqtt_format_t sg_sqtt_gfx9 = {
    .registers = {{BASE, SG_TRACE_BASE},
                  {SIZE, SG_TRACE_SIZE},
                  {MASK, SG_TRACE_MASK},
                  {TOKEN_MASK, SG_TRACE_TOKENS},
                  {PERF_MASK, SG_TRACE_COUNTERS},
                  {CTRL, SG_TRACE_RESET},
                  {MODE, SG_TRACE_MODE},
                  {BASE2, SG_TRACE_BASE_HIGH},
                  {TOKEN_MASK2, SG_TRACE_KEPT},
                  {WPTR, SG_TRACE_WRITTEN},
                  {STATUS, SG_TRACE_STATUS},
                  {HIWATER, SG_TRACE_KEPT + 1},
                  {CNTR, SG_TRACE_KEPT + 2}},
    .status_full = UINT32_C(1) << 31,
    .status_error = 1 << 28,
    .slots = 10, /* for which an issue token has codes */
    .least = 2,
    .taken = SG_INST_JUMP,
    .counters = true,
    .is_on = is_on,
    .wraps = wraps,
    .target = target,
    .kinds = kinds_of,
    .put = put_event,
    .tell = tell,
    .tell_trap = tell_trap,
};
