/* sqtt.c - registers of the thread trace, and the tokens of gfx9.
 *
 * The format is known from AMD's register headers and decoder: little-endian tokens of 2 to 8
 * bytes, type in bits 3:0, most with one bit of time, in units of 4 clocks. A stream begins with
 * its time and ends in zeros up to a multiple of 32 bytes. */
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
    STATUS_ERROR = 1 << 28,
    PAGE_SHIFT = 12,
    PTR_UNIT = 32,
    TIME_UNIT = 4
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

uint64_t sg_sqtt_room(const sg_sqtt_engine_t *e)
{
    const uint64_t bytes = (uint64_t)e->size << PAGE_SHIFT;
    return e->written < bytes && !e->full && !e->error ? bytes - e->written : 0;
}

/* Tokens are whole or not at all: the first that finds no room is the end. */
static void put(sg_sqtt_engine_t *e, uint64_t token, unsigned bytes)
{
    if (!(e->token_mask >> (token & 15) & 1)) return;
    if (sg_sqtt_room(e) < bytes) {
        e->full = true;
        return;
    }
    memcpy(e->host + e->written, &token, bytes);
    e->written += bytes;
}

/* Brings the stream to `time`, but for one unit that the next token itself can carry: *delta. */
static void advance(sg_sqtt_engine_t *e, uint64_t time, uint32_t *delta)
{
    enum { TIME = 0, RESET = 1, TYPE_SHIFT = 13, DELTA_SHIFT = 4, DELTA_MAX = 255, STEPS_MAX = 4 };
    uint64_t units = time > e->now ? (time - e->now) / TIME_UNIT : 0;
    if (!e->begun || units > STEPS_MAX * DELTA_MAX) {
        /* decoders take the first stamp for 4 clocks before it, and later ones as they are */
        const uint64_t stamp =
            e->begun ? e->now + units * TIME_UNIT + TIME_UNIT : time & ~UINT64_C(3);
        put(e, TOKEN_MISC | RESET << TYPE_SHIFT, 2);
        put(e, TOKEN_TIMESTAMP | stamp << 16, 8);
        e->now = e->begun ? e->now + units * TIME_UNIT : stamp;
        e->begun = true;
        units = 0;
    }
    e->now += units * TIME_UNIT;
    while (units > 1) {
        const uint64_t step = units < DELTA_MAX ? units : DELTA_MAX;
        put(e, TOKEN_MISC | TIME << TYPE_SHIFT | step << DELTA_SHIFT, 2);
        units -= step;
    }
    *delta = (uint32_t)units << DELTA_SHIFT;
}

static uint64_t where(const sg_sqtt_event_t *v)
{
    return (uint64_t)v->place << 6 | (uint64_t)v->slot << 10 | (uint64_t)v->simd << 14;
}

static void put_event(sg_sqtt_engine_t *e, const sg_sqtt_event_t *v)
{
    enum { REG_USERDATA = 3, REG_WRITE = 1, FIRST_ME = 1, EVENTS = 0x7f, MISC_SYNC = 3 };
    uint32_t delta;
    advance(e, v->time, &delta);
    switch ((sg_sqtt_kind_t)v->kind) {
    case SG_SQTT_WAVE_START: put(e, TOKEN_WAVE_START | delta | where(v) | v->value << 22, 4); break;
    case SG_SQTT_WAVE_END: put(e, TOKEN_WAVE_END | delta | where(v), 2); break;
    case SG_SQTT_ISSUE:
        put(e,
            TOKEN_ISSUE | delta | (uint64_t)v->simd << 5 | (uint64_t)v->type << (8 + 2 * v->slot),
            4);
        break;
    case SG_SQTT_INST:
        put(e,
            TOKEN_INST | delta | (uint64_t)v->slot << 5 | (uint64_t)v->simd << 9 |
                (uint64_t)v->type << 11,
            2);
        break;
    case SG_SQTT_PC:
        put(e,
            TOKEN_INST_PC | delta | (uint64_t)v->slot << 5 | (uint64_t)v->simd << 9 |
                v->value / 4 << 16,
            8);
        break;
    case SG_SQTT_DATA:
        put(e, TOKEN_USERDATA | delta | where(v) | (v->value & 0xffffffff) << 16, 6);
        break;
    case SG_SQTT_REGISTER:
        put(e,
            TOKEN_REG_CS | delta | FIRST_ME << 7 | (uint64_t)v->type << 9 |
                (v->value & 0xffffffff) << 16,
            6);
        break;
    case SG_SQTT_EVENT:
        put(e,
            TOKEN_REG_CSPRIV | delta | FIRST_ME << 7 | EVENTS << 9 | (v->value & 0xffffffff) << 16,
            6);
        break;
    case SG_SQTT_COUNTERS:
        put(e,
            TOKEN_PERF | delta | (uint64_t)(v->type >> 2) << 5 | (uint64_t)v->place << 6 |
                (uint64_t)(v->type & 3) << 10 | v->value << 12,
            8);
        break;
    case SG_SQTT_SYNC: put(e, TOKEN_MISC | delta | MISC_SYNC << 13, 2); break;
    case SG_SQTT_MARK:
        put(e,
            TOKEN_REG | delta | FIRST_ME << 7 | REG_USERDATA << 10 | REG_WRITE << 15 |
                (uint64_t)(USERDATA_0 + v->type) << 16 | v->value << 32,
            8);
        break;
    }
}

static uint64_t address(const sg_sqtt_engine_t *e)
{
    return (uint64_t)e->base << PAGE_SHIFT | (uint64_t)(e->base2 & 15) << 44;
}

/* Memory is looked up anew each time: the program may have freed it. */
static bool reach(sg_sqtt_t *s, sg_sqtt_engine_t *e)
{
    const uint64_t bytes = (uint64_t)e->size << PAGE_SHIFT;
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
    enum { SLOTS_MAX = 10 /* that an issue token has codes for */ };
    const uint32_t n = profile->shader_engines;
    sg_sqtt_t *s = calloc(1, sizeof *s + n * sizeof s->engine[0]);
    if (!s) return NULL;
    s->engines = n;
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
    memset(e->host + e->written, 0, rest); /* buffers are whole pages */
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

void sg_sqtt_write(sg_sqtt_t *s, uint32_t gfx_index, uint32_t number, uint32_t value,
                   uint64_t clock)
{
    const bool all = gfx_index >> 31;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < s->engines; i++)
        if (all || i == (gfx_index >> 16 & 0xff)) write_one(s, &s->engine[i], number, value, clock);
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

uint32_t sg_sqtt_read(sg_sqtt_t *s, uint32_t gfx_index, uint32_t number)
{
    const uint32_t i = gfx_index >> 31 ? 0 : gfx_index >> 16 & 0xff;
    uint32_t value = 0;
    if (i >= s->engines) return 0;
    pthread_mutex_lock(&s->lock);
    sg_sqtt_engine_t *e = &s->engine[i];
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
