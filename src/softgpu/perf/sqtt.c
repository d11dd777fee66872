/* sqtt.c - registers of the thread trace, and the tokens of gfx9.
 *
 * The format follows AMD's register headers and decoder: little-endian tokens of 2 to 8 bytes, type
 * in bits 3:0, most with one bit of time, in units of 4 clocks. A stream begins with its time and
 * ends in zeros up to a multiple of 32 bytes. */
#include "softgpu/perf/sqtt_internal.h"

#include <stdlib.h>
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
    USERDATA_0 = 0xc340
};

enum {
    MODE_CS_SHIFT = 18, /* whether compute waves are traced */
    MODE_CS = 7,
    MODE_ON_SHIFT = 21,
    MODE_ON = 3,
    MODE_WRAP_SHIFT = 31,
    STATUS_ERROR = 1 << 28,
    PAGE_SHIFT = 12,
    PTR_UNIT = 32,
    TIME_UNIT = 4,
    DELTA_SHIFT = 4, /* of tokens: units of time since the one before */
    MISC_SHIFT = 13  /* the kind of a MISC token */
};
#define STATUS_FULL  (1u << 31)
#define RESET_BUFFER (1u << 31)

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

/* ---- tokens ---- */

uint64_t sg_sqtt_bytes(const sg_sqtt_engine_t *e)
{
    return (uint64_t)e->size << PAGE_SHIFT;
}

uint64_t sg_sqtt_room(const sg_sqtt_engine_t *e)
{
    const uint64_t bytes = sg_sqtt_bytes(e);
    return e->written < bytes && !e->full && !e->error ? bytes - e->written : 0;
}

bool sg_sqtt_wraps(const sg_sqtt_engine_t *e)
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
    if (!sg_sqtt_wraps(e) || !e->written || e->full || e->error) {
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
    case SG_SQTT_MARK:
        return TOKEN_REG | FIRST_ME << 7 | REG_USERDATA << 10 | REG_WRITE << 15 |
               (uint64_t)(USERDATA_0 + v->type) << 16 | v->value << 32;
    }
    return TOKEN_MISC;
}

uint32_t sg_sqtt_kinds(const sg_sqtt_engine_t *e)
{
    uint32_t kinds = 0;
    for (unsigned kind = 0; kind <= SG_SQTT_MARK; kind++) {
        const sg_sqtt_event_t any = {.kind = (uint8_t)kind};
        kinds |= wanted(e, token_of(&any)) ? 1u << kind : 0;
    }
    return kinds;
}

static void put_event(sg_sqtt_engine_t *e, const sg_sqtt_event_t *v)
{
    static const uint8_t lengths[16] = {2, 8, 8, 4, 2, 6, 2, 2, 2, 2, 2, 8, 6, 4, 8, 6};
    const uint64_t token = token_of(v);
    const uint32_t units = advance(e, v->time);
    if (put(e, token | (uint64_t)units << DELTA_SHIFT, lengths[token & 15]))
        e->now += units * TIME_UNIT;
}

static uint64_t address(const sg_sqtt_engine_t *e)
{
    return (uint64_t)e->base << PAGE_SHIFT | (uint64_t)(e->base2 & 15) << 44;
}

/* Looks up the buffer's host address, each time anew: the program may have freed the memory. */
static bool reach(sg_sqtt_t *s, sg_sqtt_engine_t *e)
{
    const uint64_t bytes = sg_sqtt_bytes(e);
    e->host = bytes && s->memory ? s->memory(s->user, address(e), bytes) : NULL;
    if (bytes && !e->host) e->error = true;
    return e->host;
}

void sg_sqtt_emit(sg_sqtt_t *s, sg_sqtt_engine_t *e, const sg_sqtt_event_t *events, size_t n)
{
    if (!e->on || !n || !reach(s, e)) return;
    for (size_t i = 0; i < n && !e->full; i++)
        put_event(e, &events[i]);
}

/* ---- registers ---- */

sg_sqtt_t *sg_sqtt_create(const sg_profile_t *profile)
{
    enum { SLOTS_MAX = 10 /* slots for which an issue token has codes */ };
    const uint32_t n = sg_profile_engines(profile);
    sg_sqtt_t *s = calloc(1, sizeof *s + n * sizeof s->engine[0]);
    if (!s) return NULL;
    s->engines = n;
    s->engines_of_xcc = profile->shader_engines;
    s->units_per_array = profile->cus_per_array;
    s->units_per_engine = profile->cus_per_array * profile->arrays_per_engine;
    s->slots_per_simd = profile->waves_per_simd < SLOTS_MAX ? profile->waves_per_simd : SLOTS_MAX;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void sg_sqtt_destroy(sg_sqtt_t *s)
{
    if (s) pthread_mutex_destroy(&s->lock);
    free(s);
}

void sg_sqtt_set_memory(sg_sqtt_t *s, sg_sqtt_memory_fn_t *memory, void *user)
{
    s->memory = memory;
    s->user = user;
}

static void finish(sg_sqtt_t *s, sg_sqtt_engine_t *e)
{
    uint64_t rest = (PTR_UNIT - e->written % PTR_UNIT) % PTR_UNIT;
    if (!rest || !reach(s, e)) return;
    const uint64_t room = sg_sqtt_room(e); /* 0 if the size register was lowered meanwhile */
    if (rest > room) rest = room;
    memset(e->host + e->written, 0, rest);
    e->written += rest;
}

static void write_mode(sg_sqtt_t *s, sg_sqtt_engine_t *e, uint32_t value)
{
    const bool on = (value >> MODE_ON_SHIFT & MODE_ON) == 1 && value >> MODE_CS_SHIFT & MODE_CS;
    e->mode = value;
    if (on == e->on) return;
    if (!on) finish(s, e);
    if (on) reach(s, e);
    e->on = on;
    s->on += on ? 1u : -1u;
}

static uint32_t *plain(sg_sqtt_engine_t *e, uint32_t number)
{
    switch (number) {
    case BASE: return &e->base;
    case SIZE: return &e->size;
    case MASK: return &e->mask;
    case TOKEN_MASK: return &e->token_mask;
    case PERF_MASK: return &e->perf_mask;
    case BASE2: return &e->base2;
    case TOKEN_MASK2: return &e->token_mask2;
    case HIWATER: return &e->hiwater;
    case CNTR: return &e->cntr;
    default: return number >= USERDATA_0 ? &e->userdata[number - USERDATA_0] : NULL;
    }
}

static void write_one(sg_sqtt_t *s, sg_sqtt_engine_t *e, uint32_t number, uint32_t value,
                      uint64_t clock)
{
    enum { SIZE_MASK = 0x3fffff };
    uint32_t *to = plain(e, number);
    if (to) *to = number == SIZE ? value & SIZE_MASK : value;
    if (number == MODE) write_mode(s, e, value);
    if (number == WPTR) e->written = (uint64_t)value * PTR_UNIT;
    if (number == STATUS) {
        e->full = value & STATUS_FULL;
        e->error = value & STATUS_ERROR;
    }
    if (number == CTRL && value & RESET_BUFFER) {
        e->written = 0;
        e->begun = false;
    }
    if (number >= USERDATA_0) {
        const sg_sqtt_event_t mark = {.time = clock,
                                      .value = value,
                                      .kind = SG_SQTT_MARK,
                                      .type = (uint8_t)(number - USERDATA_0)};
        sg_sqtt_emit(s, e, &mark, 1);
    }
}

void sg_sqtt_write(sg_sqtt_t *s, uint32_t xcc, uint32_t gfx_index, uint32_t number, uint32_t value,
                   uint64_t clock)
{
    const bool all = gfx_index >> 31;
    sg_sqtt_engine_t *first = &s->engine[xcc * s->engines_of_xcc];
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->engines_of_xcc; i++)
        if (all || i == (gfx_index >> 16 & 0xff)) write_one(s, &first[i], number, value, clock);
    pthread_mutex_unlock(&s->lock);
}

static void emit_everywhere(sg_sqtt_t *s, const sg_sqtt_event_t *event)
{
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; s->on && i < s->engines; i++)
        sg_sqtt_emit(s, &s->engine[i], event, 1);
    pthread_mutex_unlock(&s->lock);
}

void sg_sqtt_event(sg_sqtt_t *s, uint32_t number, uint64_t clock)
{
    emit_everywhere(s, &(sg_sqtt_event_t){.time = clock, .value = number, .kind = SG_SQTT_EVENT});
}

void sg_sqtt_sync(sg_sqtt_t *s, uint64_t clock)
{
    emit_everywhere(s, &(sg_sqtt_event_t){.time = clock, .kind = SG_SQTT_SYNC});
}

uint32_t sg_sqtt_read(sg_sqtt_t *s, uint32_t xcc, uint32_t gfx_index, uint32_t number)
{
    const uint32_t i = gfx_index >> 31 ? 0 : gfx_index >> 16 & 0xff;
    uint32_t value = 0;
    if (i >= s->engines_of_xcc) return 0;
    pthread_mutex_lock(&s->lock);
    sg_sqtt_engine_t *e = &s->engine[xcc * s->engines_of_xcc + i];
    const uint32_t *from = plain(e, number);
    if (from) value = *from;
    if (number == MODE) value = e->mode;
    if (number == WPTR) value = (uint32_t)((e->written + PTR_UNIT - 1) / PTR_UNIT);
    if (number == STATUS) value = (e->full ? STATUS_FULL : 0) | (e->error ? STATUS_ERROR : 0);
    pthread_mutex_unlock(&s->lock);
    return value;
}

bool sg_sqtt_on(sg_sqtt_t *s)
{
    pthread_mutex_lock(&s->lock);
    const bool on = s->on;
    pthread_mutex_unlock(&s->lock);
    return on;
}
