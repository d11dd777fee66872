/* sqtt.c - registers of the thread trace, and the engines' buffers.
 *
 * The numbers of registers and the tokens are those of the GPU's sg_sqtt_format_t. */
#include "softgpu/perf/sqtt_internal.h"

#include "isa/arch.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_SHIFT = 12, PTR_UNIT = 32, WRITTEN = 0x1fffffff };

/* ---- buffers ---- */

uint64_t sg_sqtt_bytes(const sg_sqtt_engine_t *e)
{
    return (uint64_t)e->size << PAGE_SHIFT;
}

uint64_t sg_sqtt_room(const sg_sqtt_engine_t *e)
{
    const uint64_t bytes = sg_sqtt_bytes(e);
    return e->written < bytes && !e->full && !e->error ? bytes - e->written : 0;
}

static uint64_t address(const sg_sqtt_engine_t *e)
{
    return ((uint64_t)(e->base_high & 15) << 32 | e->base) << PAGE_SHIFT;
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
        s->format->put(s, e, &events[i]);
}

/* ---- registers ---- */

/* A GPU of which softgpu writes no traces has none of their registers but USERDATA. */
static const sg_sqtt_format_t *format_of(const isa_arch_t *arch)
{
    static const sg_sqtt_format_t none = {.slots = 1};
    switch (arch ? arch->trace : ISA_TRACE_NONE) {
    case ISA_TRACE_GFX9: return &sg_sqtt_gfx9;
    case ISA_TRACE_GFX10: return &sg_sqtt_gfx10;
    case ISA_TRACE_GFX11: return &sg_sqtt_gfx11;
    case ISA_TRACE_GFX12: return &sg_sqtt_gfx12;
    default: return &none;
    }
}

sg_sqtt_t *sg_sqtt_create(const sg_profile_t *profile)
{
    const isa_arch_t *arch = isa_arch_find(profile->gfx_target_version);
    const sg_sqtt_format_t *format = format_of(arch);
    const uint32_t n = sg_profile_engines(profile);
    sg_sqtt_t *s = calloc(1, sizeof *s + n * sizeof s->engine[0]);
    if (!s) return NULL;
    s->format = format;
    s->unit_cus = arch ? isa_arch_unit_cus(arch) : 1;
    s->f64_rate = arch ? (uint32_t)__builtin_ctz(arch->f64_times) : 0;
    s->engines = n;
    s->engines_of_xcc = profile->shader_engines;
    s->units_per_array = profile->cus_per_array;
    s->units_per_engine = profile->cus_per_array * profile->arrays_per_engine;
    s->slots_per_simd =
        profile->waves_per_simd < format->slots ? profile->waves_per_simd : format->slots;
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

/* Ends the stream in zeros, up to a multiple of 32 bytes. If the status cannot tell that the buffer
 * was too small, a buffer that is full to its last byte does. */
static void finish(sg_sqtt_t *s, sg_sqtt_engine_t *e)
{
    const uint64_t bytes = sg_sqtt_bytes(e);
    uint64_t rest = (PTR_UNIT - e->written % PTR_UNIT) % PTR_UNIT;
    if (e->full && !s->format->status_full && reach(s, e) && e->written < bytes) {
        memset(e->host + e->written, 0, bytes - e->written);
        e->written = bytes;
    }
    if (!rest || !reach(s, e)) return;
    const uint64_t room = sg_sqtt_room(e); /* 0 if the size register was lowered meanwhile */
    if (rest > room) rest = room;
    memset(e->host + e->written, 0, rest);
    e->written += rest;
}

static void reset(sg_sqtt_engine_t *e)
{
    e->written = e->now = 0;
    e->begun = e->half = false;
}

/* The first address of the buffer in the register of what was written, in units of 32 bytes. */
static uint32_t origin(const sg_sqtt_t *s, const sg_sqtt_engine_t *e)
{
    return s->format->written_from_zero ? (uint32_t)(address(e) / PTR_UNIT) : 0;
}

/* What follows begins with a whole byte. */
static void write_written(const sg_sqtt_t *s, sg_sqtt_engine_t *e, uint32_t value)
{
    const uint32_t mask = s->format->written_from_zero ? WRITTEN : ~0u;
    e->written = (uint64_t)((value - origin(s, e)) & mask) * PTR_UNIT;
    e->half = false;
}

static void write_mode(sg_sqtt_t *s, sg_sqtt_engine_t *e, uint32_t value)
{
    e->mode = value;
    const bool on = s->format->is_on(e);
    if (on == e->on) return;
    if (!on) finish(s, e);
    if (on && s->format->restarts) {
        reset(e);
        e->full = false;
    }
    if (on) reach(s, e);
    e->on = on;
    s->on += on ? 1u : -1u;
}

static sg_trace_role_t role_of(const sg_sqtt_t *s, uint32_t number)
{
    if (number >= SG_SQTT_USERDATA_0 && number <= SG_SQTT_USERDATA_3) return SG_TRACE_USERDATA;
    for (size_t i = 0; i < sizeof s->format->registers / sizeof *s->format->registers; i++)
        if (s->format->registers[i].number == number)
            return (sg_trace_role_t)s->format->registers[i].role;
    return SG_TRACE_NONE;
}

bool sg_sqtt_owns(const sg_sqtt_t *s, uint32_t number)
{
    return number && role_of(s, number);
}

/* The register, if it is one that is read as it was written. */
static uint32_t *plain(sg_sqtt_engine_t *e, sg_trace_role_t role, uint32_t number)
{
    switch (role) {
    case SG_TRACE_BASE: return &e->base;
    case SG_TRACE_BASE_HIGH: return &e->base_high;
    case SG_TRACE_SIZE: return &e->size;
    case SG_TRACE_MASK: return &e->mask;
    case SG_TRACE_TOKENS: return &e->token_mask;
    case SG_TRACE_COUNTERS: return &e->perf_mask;
    case SG_TRACE_MODE: return &e->mode;
    case SG_TRACE_USERDATA: return &e->userdata[number - SG_SQTT_USERDATA_0];
    default: return role >= SG_TRACE_KEPT ? &e->kept[role - SG_TRACE_KEPT] : NULL;
    }
}

static void mark(sg_sqtt_t *s, sg_sqtt_engine_t *e, uint32_t number, uint32_t value, uint64_t clock)
{
    const sg_sqtt_event_t mark = {.time = clock,
                                  .value = value,
                                  .kind = SG_SQTT_MARK,
                                  .type = (uint8_t)(number - SG_SQTT_USERDATA_0)};
    e->userdata[number - SG_SQTT_USERDATA_0] = value;
    sg_sqtt_emit(s, e, &mark, 1);
}

static void write_one(sg_sqtt_t *s, sg_sqtt_engine_t *e, uint32_t number, uint32_t value,
                      uint64_t clock)
{
    enum { SIZE_MASK = 0x3fffff, HIGH_BITS = 8, HIGH = 0xff, RESETS = 31 };
    const sg_trace_role_t role = role_of(s, number);
    switch (role) {
    case SG_TRACE_SIZE: e->size = value & SIZE_MASK; break;
    case SG_TRACE_SIZE_AND_HIGH:
        e->size = value >> HIGH_BITS;
        e->base_high = value & HIGH;
        break;
    case SG_TRACE_MODE: write_mode(s, e, value); break;
    case SG_TRACE_WRITTEN: write_written(s, e, value); break;
    case SG_TRACE_STATUS:
        e->full = value & s->format->status_full;
        e->error = value & s->format->status_error;
        break;
    case SG_TRACE_RESET:
        if (value >> RESETS) reset(e);
        break;
    case SG_TRACE_USERDATA: mark(s, e, number, value, clock); break;
    default: {
        uint32_t *to = plain(e, role, number);
        if (to) *to = value;
    }
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

/* What has been written, in units of 32 bytes: how much, or up to which address. */
static uint32_t written(const sg_sqtt_t *s, const sg_sqtt_engine_t *e)
{
    const uint32_t units = (uint32_t)((e->written + PTR_UNIT - 1) / PTR_UNIT) + origin(s, e);
    return s->format->written_from_zero ? units & WRITTEN : units;
}

uint32_t sg_sqtt_read(sg_sqtt_t *s, uint32_t xcc, uint32_t gfx_index, uint32_t number)
{
    const uint32_t i = gfx_index >> 31 ? 0 : gfx_index >> 16 & 0xff;
    uint32_t value = 0;
    if (i >= s->engines_of_xcc) return 0;
    pthread_mutex_lock(&s->lock);
    sg_sqtt_engine_t *e = &s->engine[xcc * s->engines_of_xcc + i];
    const sg_trace_role_t role = role_of(s, number);
    const uint32_t *from = plain(e, role, number);
    if (from) value = *from;
    if (role == SG_TRACE_SIZE_AND_HIGH) value = e->size << 8 | (e->base_high & 0xff);
    if (role == SG_TRACE_WRITTEN) value = written(s, e);
    if (role == SG_TRACE_STATUS)
        value = (e->full ? s->format->status_full : 0) | (e->error ? s->format->status_error : 0);
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
