/* spm.c - streaming counters (spm.h): registers of the RLC's streaming monitor, samples, the ring.
 *
 * A sample is a segment: lines of 16 values of 16 bits, first those of the whole GPU, then those of
 * each engine. Two multiplexer tables, which packets fill, name the counter of each value; even
 * lines have the even counters of a block, odd lines the odd ones. The formats and the counters'
 * modes follow AMD's register headers and its public library. */
#include "softgpu/perf/spm.h"

#include "softgpu/perf/internal.h"

#include "base/grow.h"
#include "base/round.h"

#include <stdlib.h>
#include <string.h>

enum {
    PERFMON_CNTL = 0xdc80,
    SEGMENT_SIZE = 0xdc84,
    SE_MUXSEL_ADDR = 0xdc85,
    SE_MUXSEL_DATA = 0xdc86,
    GLOBAL_MUXSEL_ADDR = 0xdc9b,
    GLOBAL_MUXSEL_DATA = 0xdc9c,
    SEGMENT_SIZE_CORE1 = 0xdcaf
};

enum {
    STATE_SHIFT = 4, /* of SPM in CP_PERFMON_CNTL */
    STATE = 15,
    STATE_START = 1,
    INTERVAL_SHIFT = 16,
    LINE = 16, /* places */
    LINES = 31,
    ENGINES = 8,
    STAMPS = 4, /* places of the clock */
    MUX_STAMP = 0xf0f0,
    MUX_NONE = 0xffff,
    RING_BYTES = (4 << 20) - 0x420 /* 4 MiB without the part that the driver uses */
};

/* How wide a block's counters are, and whether they stop at their largest value or wrap. ORDER: as
 * in the register. */
typedef enum { MODE_OFF, MODE_16_STOPS, MODE_16, MODE_32_STOPS, MODE_32 } width_t;

/* A place of the segment that shows a counter. */
typedef struct {
    uint8_t block, mode;
    bool upper; /* the upper half of a counter of 32 bits */
    uint16_t at;
    uint32_t engine, instance, select, previous;
    uint64_t last; /* the event's total at the last sample */
} stream_t;

enum { OF_GPU, OF_ENGINE, TABLES };

struct sg_spm {
    uint32_t xcc;
    uint32_t cntl, size, size_core1;
    uint32_t address[TABLES]; /* of the next word */
    uint32_t table[TABLES][LINES * LINE / 2];
    /* under the model's lock */
    bool on;
    uint32_t in_flight; /* dispatches */
    uint32_t interval;
    uint64_t origin, reached; /* clocks: when streaming began; up to which counts are complete */
    uint64_t given;           /* samples so far */
    stream_t *streams;
    size_t n_streams;
    uint16_t stamp[STAMPS];
    size_t places;  /* of a segment */
    uint64_t *bins; /* [sample - given][stream]: counts of samples that are not in the ring yet */
    size_t n_bins;
    /* the ring, under its lock */
    pthread_mutex_t lock;
    uint8_t *ring;
    size_t first, waiting;
    bool lost;
};

sg_spm_t *sg_spm_create(uint32_t xcc)
{
    sg_spm_t *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->xcc = xcc;
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void sg_spm_destroy(sg_spm_t *s)
{
    if (!s) return;
    pthread_mutex_destroy(&s->lock);
    free(s->streams);
    free(s->bins);
    free(s->ring);
    free(s);
}

/* ---- the ring ---- */

bool sg_spm_open(sg_spm_t *s)
{
    pthread_mutex_lock(&s->lock);
    if (!s->ring) s->ring = malloc(RING_BYTES);
    s->first = s->waiting = 0;
    s->lost = false;
    const bool open = s->ring;
    pthread_mutex_unlock(&s->lock);
    return open;
}

void sg_spm_close(sg_spm_t *s)
{
    pthread_mutex_lock(&s->lock);
    free(s->ring);
    s->ring = NULL;
    s->waiting = 0;
    pthread_mutex_unlock(&s->lock);
}

size_t sg_spm_waiting(sg_spm_t *s)
{
    pthread_mutex_lock(&s->lock);
    const size_t waiting = s->waiting;
    pthread_mutex_unlock(&s->lock);
    return waiting;
}

/* How many of `bytes` bytes from `at` on lie before the end of the ring. */
static size_t straight(size_t at, size_t bytes)
{
    return bytes < RING_BYTES - at ? bytes : RING_BYTES - at;
}

size_t sg_spm_take(sg_spm_t *s, void *to, size_t bytes, bool *lost)
{
    pthread_mutex_lock(&s->lock);
    if (bytes > s->waiting) bytes = s->waiting;
    const size_t one = straight(s->first, bytes);
    if (bytes) {
        memcpy(to, s->ring + s->first, one);
        memcpy((uint8_t *)to + one, s->ring, bytes - one);
    }
    s->first = (s->first + bytes) % RING_BYTES;
    s->waiting -= bytes;
    *lost = s->lost;
    s->lost = false;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}

/* With the ring's lock held. Appends a whole segment, or nothing if it does not fit. */
static bool put(sg_spm_t *s, const void *segment, size_t bytes)
{
    if (!s->ring || bytes > RING_BYTES - s->waiting) return false;
    const size_t at = (s->first + s->waiting) % RING_BYTES, one = straight(at, bytes);
    memcpy(s->ring + at, segment, one);
    memcpy(s->ring, (const uint8_t *)segment + one, bytes - one);
    s->waiting += bytes;
    return true;
}

static void lose(sg_spm_t *s)
{
    pthread_mutex_lock(&s->lock);
    s->lost = true;
    pthread_mutex_unlock(&s->lock);
}

/* ---- samples ---- */

static uint64_t limit_of(const stream_t *t, uint64_t value)
{
    const uint64_t most = t->mode >= MODE_32_STOPS ? UINT32_MAX : UINT16_MAX;
    const bool stops = t->mode == MODE_16_STOPS || t->mode == MODE_32_STOPS;
    return stops && value > most ? most : value;
}

static void make_segment(const sg_spm_t *s, uint64_t clock, const uint64_t *bin, uint16_t *out)
{
    memset(out, 0, s->places * sizeof *out);
    for (unsigned i = 0; i < STAMPS; i++)
        out[s->stamp[i]] = (uint16_t)(clock >> 16 * i);
    for (size_t i = 0; bin && i < s->n_streams; i++)
        out[s->streams[i].at] =
            (uint16_t)(limit_of(&s->streams[i], bin[i]) >> (s->streams[i].upper ? 16 : 0));
}

/* Writes the complete samples up to `end` to the ring, and if `last` is set one more with the
 * rest. */
static void give(sg_spm_t *s, uint64_t end, bool last)
{
    const uint64_t whole = (end - s->origin) / s->interval;
    const bool rest = last && s->origin + whole * s->interval < end;
    const uint64_t upto = whole + rest;
    uint16_t segment[(ENGINES + 1) * LINES * LINE];
    size_t used = 0;
    pthread_mutex_lock(&s->lock);
    for (uint64_t k = s->given; k < upto; k++, used++) {
        const uint64_t clock = s->origin + (k + 1) * s->interval;
        const uint64_t *bin = used < s->n_bins ? s->bins + used * s->n_streams : NULL;
        make_segment(s, clock < end ? clock : end, bin, segment);
        if (put(s, segment, s->places * sizeof *segment)) continue;
        s->lost = true;
        used = (size_t)(upto - s->given);
        break;
    }
    pthread_mutex_unlock(&s->lock);
    if (used > s->n_bins) used = s->n_bins;
    s->n_bins -= used;
    if (used)
        memmove(s->bins, s->bins + used * s->n_streams, s->n_bins * s->n_streams * sizeof *s->bins);
    if (upto > s->given) s->given = upto;
}

/* The sums of a sample that is not in the ring yet; NULL if memory runs out, or if the sample is
 * farther ahead than the ring could hold. */
static uint64_t *bin_of(sg_spm_t *s, uint64_t sample)
{
    const size_t most = RING_BYTES / (s->places * sizeof(uint16_t));
    const uint64_t at = sample > s->given ? sample - s->given : 0;
    if (at >= most) return NULL;
    if (at >= s->n_bins) {
        const size_t n = (size_t)at + 1;
        /* grows by 256 samples, since a dispatch adds many, one after the other */
        const size_t room = base_round_up(n, 256), had = base_round_up(s->n_bins, 256);
        if (room > had && !base_resize(&s->bins, room, s->n_streams * sizeof *s->bins)) return NULL;
        memset(s->bins + s->n_bins * s->n_streams, 0,
               (n - s->n_bins) * s->n_streams * sizeof *s->bins);
        s->n_bins = n;
    }
    return s->bins + at * s->n_streams;
}

/* Spreads `value` evenly over the samples between the clocks `from` and `to`. */
static void spread(sg_spm_t *s, size_t stream, uint64_t value, uint64_t from, uint64_t to)
{
    uint64_t told = 0;
    for (uint64_t k = (from - s->origin) / s->interval; told < value; k++) {
        const uint64_t edge = s->origin + (k + 1) * s->interval;
        const uint64_t upto = sg_spread_upto(value, from, to, edge);
        uint64_t *bin = upto > told ? bin_of(s, k) : NULL;
        if (upto > told && !bin) {
            lose(s);
            return;
        }
        if (bin) bin[stream] += upto - told;
        told = upto;
    }
}

static void count(sg_perf_t *p, sg_spm_t *s, uint64_t from, uint64_t to)
{
    if (!s->on) return;
    if (from < s->origin) from = s->origin;
    if (to > s->reached) s->reached = to;
    if (to <= s->origin) to = s->origin + 1;
    if (to <= from) from = to - 1; /* the counts took no time: they get one clock */
    for (size_t i = 0; i < s->n_streams; i++) {
        stream_t *t = &s->streams[i];
        const uint64_t total =
            sg_perf_total_held(p, t->block, t->engine, t->instance, t->select, t->previous);
        const uint64_t value = total - t->last;
        t->last = total;
        if (value) spread(s, i, value, from, to);
    }
}

void sg_spm_count(sg_perf_t *p, uint64_t from, uint64_t to)
{
    for (uint32_t x = 0; x < p->xccs; x++)
        count(p, p->xcc[x].spm, from, to);
}

uint64_t sg_spm_enter(sg_perf_t *p)
{
    const uint64_t clock = atomic_load(&p->device[SG_D_CLOCK]);
    for (uint32_t x = 0; x < p->xccs; x++) {
        sg_spm_t *s = p->xcc[x].spm;
        count(p, s, s->reached, clock);
        s->in_flight++;
    }
    return clock;
}

void sg_spm_leave(sg_perf_t *p, uint64_t end)
{
    for (uint32_t x = 0; x < p->xccs; x++) {
        sg_spm_t *s = p->xcc[x].spm;
        s->in_flight--;
        if (end > s->reached) s->reached = end;
        if (s->on && !s->in_flight) give(s, s->reached, false);
    }
}

/* ---- the multiplexer tables ---- */

static unsigned lines_of(const sg_spm_t *s, uint32_t engine)
{
    enum {
        LINES_MASK = 31,
        TOTAL = 0xff,
        GPU_SHIFT = 11,
        SE0_SHIFT = 16,
        SE4_SHIFT = 12,
        STEP = 5
    };
    const uint32_t in_core = engine % 4;
    if (engine >= 4) return s->size_core1 >> (SE4_SHIFT + STEP * in_core) & LINES_MASK;
    if (in_core < 3) return s->size >> (SE0_SHIFT + STEP * in_core) & LINES_MASK;
    /* engine 3 has no field: it has the lines of the total that the GPU and engines 0 to 2 do not
     * have */
    unsigned left = s->size & TOTAL, others = s->size >> GPU_SHIFT & LINES_MASK;
    for (uint32_t k = 0; k < 3; k++)
        others += lines_of(s, k);
    left = left > others ? left - others : 0;
    return left < LINES ? left : LINES;
}

static unsigned lines_of_gpu(const sg_spm_t *s)
{
    return s->size >> 11 & 31;
}

/* Finds the block that has this number in the multiplexer table. */
static bool block_of(const sg_blocks_t *b, unsigned table, unsigned number, uint8_t *block)
{
    for (const struct sg_streamed *s = b->streamed; s < b->streamed + b->n_streamed; s++)
        if ((s->per_se ? OF_ENGINE : OF_GPU) == table && s->number == number) {
            *block = s->block;
            return true;
        }
    return false;
}

/* Sets the counter of a stream. In SQ each select has one counter of 32 bits, which fills two
 * places. In other blocks select and select1 of a slot have two counters of 16 bits each. */
static bool program(const sg_perf_t *p, stream_t *t, unsigned counter)
{
    enum { MODE_SHIFT = 20, SECOND_SHIFT = 10, SELECT = 0x3ff, SQ_HALVES = 2, IN_PAIR = 4 };
    const sg_bank_t *bank = &p->bank[t->block];
    const bool sq = t->block == SG_BLOCK_SQ;
    const unsigned at = counter / (sq ? SQ_HALVES : IN_PAIR);
    if (at >= bank->n_slots || t->engine >= bank->engines || t->instance >= bank->instances)
        return false;
    const sg_slot_t *slot = sg_slot_at(bank, t->engine, t->instance, at);
    const uint32_t pair = counter % IN_PAIR < 2 ? slot->select : slot->select1;
    t->mode = slot->select >> MODE_SHIFT & 15;
    t->upper = sq && counter & 1;
    t->select = sq ? slot->select : pair >> (counter & 1 ? SECOND_SHIFT : 0) & SELECT;
    t->previous = sq && at ? sg_slot_at(bank, t->engine, t->instance, at - 1)->select : 0;
    return slot->selected && t->mode != MODE_OFF;
}

/* `engine`: of all XCCs; of blocks that an XCC has once, the XCC. */
static void add_places(sg_perf_t *p, sg_spm_t *s, unsigned table, uint32_t engine, size_t at,
                       size_t places)
{
    enum { COUNTER = 63, BLOCK_SHIFT = 6, BLOCK = 31, INSTANCE_SHIFT = 11 };
    unsigned stamps = 0;
    for (size_t i = 0; i < places; i++) {
        const uint32_t mux = s->table[table][i / 2] >> (i % 2 ? 16 : 0) & 0xffff;
        stream_t t = {
            .at = (uint16_t)(at + i), .engine = engine, .instance = mux >> INSTANCE_SHIFT};
        if (mux == MUX_STAMP && table == OF_GPU && stamps < STAMPS) s->stamp[stamps++] = t.at;
        if (mux == MUX_STAMP || mux == MUX_NONE ||
            !block_of(p->blocks, table, mux >> BLOCK_SHIFT & BLOCK, &t.block) ||
            !program(p, &t, mux & COUNTER))
            continue;
        t.last = sg_perf_total_held(p, t.block, t.engine, t.instance, t.select, t.previous);
        s->streams[s->n_streams++] = t;
    }
}

static void start(sg_perf_t *p, sg_spm_t *s)
{
    const uint32_t of_xcc = p->profile.shader_engines,
                   engines = of_xcc < ENGINES ? of_xcc : ENGINES;
    s->places = lines_of_gpu(s) * (size_t)LINE;
    for (uint32_t e = 0; e < engines; e++)
        s->places += lines_of(s, e) * (size_t)LINE;
    s->interval = s->cntl >> INTERVAL_SHIFT;
    if (!s->interval || !s->places || !BASE_RESIZE(s->streams, s->places)) {
        lose(s);
        return;
    }
    s->n_streams = s->n_bins = 0;
    memset(s->stamp, 0, sizeof s->stamp);
    size_t at = lines_of_gpu(s) * (size_t)LINE;
    add_places(p, s, OF_GPU, s->xcc, 0, at);
    for (uint32_t e = 0; e < engines; at += lines_of(s, e++) * (size_t)LINE)
        add_places(p, s, OF_ENGINE, s->xcc * of_xcc + e, at, lines_of(s, e) * (size_t)LINE);
    s->origin = s->reached = atomic_load(&p->device[SG_D_CLOCK]);
    s->given = 0;
    free(s->bins); /* their rows are as long as the number of streams, which may have changed */
    s->bins = NULL;
    s->on = true;
}

static void stop(sg_perf_t *p, sg_spm_t *s)
{
    count(p, s, s->reached, atomic_load(&p->device[SG_D_CLOCK]));
    give(s, s->reached, true);
    s->on = false;
}

void sg_spm_control(sg_perf_t *p, sg_spm_t *s, uint32_t value)
{
    const bool on = (value >> STATE_SHIFT & STATE) == STATE_START;
    if (on == s->on) return;
    sg_perf_model_lock(p);
    if (on)
        start(p, s);
    else
        stop(p, s);
    sg_perf_model_unlock(p);
}

bool sg_spm_on(const sg_spm_t *s)
{
    return s->on;
}

/* ---- registers ---- */

static uint32_t *plain(sg_spm_t *s, uint32_t number)
{
    switch (number) {
    case PERFMON_CNTL: return &s->cntl;
    case SEGMENT_SIZE: return &s->size;
    case SEGMENT_SIZE_CORE1: return &s->size_core1;
    case SE_MUXSEL_ADDR: return &s->address[OF_ENGINE];
    case GLOBAL_MUXSEL_ADDR: return &s->address[OF_GPU];
    default: return NULL;
    }
}

bool sg_spm_owns(uint32_t number)
{
    static const uint16_t numbers[] = {PERFMON_CNTL,      SEGMENT_SIZE,       SE_MUXSEL_ADDR,
                                       SE_MUXSEL_DATA,    GLOBAL_MUXSEL_ADDR, GLOBAL_MUXSEL_DATA,
                                       SEGMENT_SIZE_CORE1};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] == number) return true;
    return false;
}

void sg_spm_write(sg_spm_t *s, uint32_t number, uint32_t value)
{
    uint32_t *to = plain(s, number);
    const unsigned table = number == SE_MUXSEL_DATA ? OF_ENGINE : OF_GPU;
    if (to) {
        *to = value;
        return;
    }
    if (s->address[table] < sizeof s->table[table] / sizeof s->table[table][0])
        s->table[table][s->address[table]++] = value;
}

uint32_t sg_spm_read(const sg_spm_t *s, uint32_t number)
{
    const uint32_t *from = plain((sg_spm_t *)(uintptr_t)s, number);
    return from ? *from : 0;
}
