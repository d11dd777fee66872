/* decoded_test.c - softgpu's thread traces through the decoder: what kernels known line by line
 * come out as, of one engine and of several, across long times, from buffers that are too small.
 *
 * Apart from tokens_test.c, which reads the tokens by itself: here the two ends of the format are
 * held against each other. */
#include "counting.h"

#include "asm.h"

#include <rocprof_trace_decoder/rocprof_trace_decoder.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define RECORD(x) ROCPROFILER_THREAD_TRACE_DECODER_RECORD_##x
#define STATUS(x) ROCPROFILER_THREAD_TRACE_DECODER_STATUS_##x

enum {
    ENGINES = 2,
    CUS = 2,
    PAGES = 32,
    EVERY_TOKEN = 0xbc6f,
    OCCUPANCY = 0x906f,
    OFF = 0x02040000,
    ON = 0x02240000,
    ENTRY = 256, /* of a kernel, behind its descriptor */
    WAVES = 4096
};
#define WRAP (1u << 31)
#define FULL (1u << 31)

/* ---- a trace ---- */

typedef struct {
    counting_t *c;
    uint64_t buffer[ENGINES];
    uint32_t size[ENGINES], status[ENGINES]; /* bytes written; its register */
    uint32_t pages;
    uint64_t version; /* of the stream */
} traced_t;

/* GPUs by the driver's numbers, and the versions of their streams. */
static const struct {
    uint32_t gpu;
    uint64_t version;
} gpus[] = {{90010, 4}, {90402, 5}, {90500, 6}};

static void create_of(traced_t *t, unsigned gpu, uint32_t pages)
{
    *t = (traced_t){.c = counting_on(rig_create_gpu(gpus[gpu].gpu, ENGINES, CUS)),
                    .pages = pages,
                    .version = gpus[gpu].version};
    for (unsigned e = 0; e < ENGINES; e++)
        t->buffer[e] = (rig_alloc(t->c->rig, (pages + 1) * 4096) + 4095) & ~UINT64_C(4095);
}

static void create(traced_t *t, uint32_t pages)
{
    create_of(t, 0, pages);
}

/* Unit 1 of each engine, while `d` runs. */
static void trace(traced_t *t, const rig_dispatch_t *d, uint32_t tokens, uint32_t mode)
{
    counting_t *c = t->c;
    for (uint32_t e = 0; e < ENGINES; e++) {
        const uint32_t registers[][2] = {{0xc200, 0x40000000 | e << 16},
                                         {0xc332, 0xcf81},
                                         {0xc333, tokens},
                                         {0xc336, OFF},
                                         {0xc33a, 0},
                                         {0xc330, (uint32_t)(t->buffer[e] >> 12)},
                                         {0xc337, (uint32_t)(t->buffer[e] >> 44)},
                                         {0xc331, t->pages},
                                         {0xc335, 1u << 31},
                                         {0xc336, ON | mode}};
        for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
            counting_set(c, registers[i][0], registers[i][1]);
    }
    counting_set(c, 0xc200, EVERYWHERE);
    counting_send(c);
    counting_dispatch(c, d);
    counting_flush_waves(c);
    counting_set(c, 0xc336, OFF);
    counting_send(c);
    for (uint32_t e = 0; e < ENGINES; e++) {
        t->status[e] = counting_read(c, 0x40000000 | e << 16, 0xc33a);
        t->size[e] = counting_read(c, 0x40000000 | e << 16, 0xc339) * 32;
    }
}

/* ---- what the decoder makes of it ---- */

typedef struct {
    char text[256]; /* instructions: category and offset from the entry */
    int64_t begin, end, longest;
    bool over; /* its last is s_endpgm */
} wave_t;

typedef struct {
    const uint8_t *data;
    uint64_t size, given, entry;
    wave_t wave[WAVES];
    unsigned waves, starts, ends, infos; /* infos: by bits */
} decoded_t;

static uint64_t give(uint8_t **buffer, uint64_t *size, void *user)
{
    decoded_t *d = user;
    *buffer = (uint8_t *)d->data + d->given;
    *size = d->size - d->given;
    d->given = d->size;
    return *size;
}

/* The kernels here in words, by their offset. */
static const char *listing[64];

static rocprofiler_thread_trace_decoder_status_t isa(char *text, uint64_t *bytes, uint64_t *size,
                                                     rocprofiler_thread_trace_decoder_pc_t pc,
                                                     void *user)
{
    const decoded_t *d = user;
    const uint64_t at = (pc.address - d->entry) / 4;
    if (at >= sizeof listing / sizeof *listing || !listing[at]) return STATUS(ERROR);
    *bytes = strstr(listing[at], "fma") || strstr(listing[at], "ds_") ? 8 : 4;
    if (strlen(listing[at]) > *size) return STATUS(ERROR_OUT_OF_RESOURCES);
    *size = strlen(listing[at]);
    memcpy(text, listing[at], *size);
    return STATUS(SUCCESS);
}

static void add_wave(decoded_t *d, const rocprofiler_thread_trace_decoder_wave_t *w)
{
    assert_true(d->waves < WAVES);
    wave_t *to = &d->wave[d->waves++];
    *to = (wave_t){.begin = w->begin_time, .end = w->end_time};
    for (uint64_t i = 0; i < w->instructions_size; i++) {
        const rocprofiler_thread_trace_decoder_inst_t *n = &w->instructions_array[i];
        const size_t used = strlen(to->text);
        snprintf(to->text + used, sizeof to->text - used, "%u:%d ", n->category,
                 n->pc.address ? (int)(n->pc.address - d->entry) / 4 : -1);
        if (n->duration > to->longest) to->longest = n->duration;
        to->over = n->category == ROCPROFILER_THREAD_TRACE_DECODER_INST_MESSAGE;
    }
}

static rocprofiler_thread_trace_decoder_status_t
take(rocprofiler_thread_trace_decoder_record_type_t type, void *records, uint64_t count, void *user)
{
    decoded_t *d = user;
    for (uint64_t i = 0; i < count; i++) {
        if (type == RECORD(WAVE))
            add_wave(d, (rocprofiler_thread_trace_decoder_wave_t *)records + i);
        if (type == RECORD(OCCUPANCY))
            *(((rocprofiler_thread_trace_decoder_occupancy_t *)records)[i].start ? &d->starts
                                                                                 : &d->ends) += 1;
        if (type == RECORD(INFO))
            d->infos |= 1u << ((rocprofiler_thread_trace_decoder_info_t *)records)[i];
    }
    return STATUS(SUCCESS);
}

static const decoded_t *decode(const traced_t *t, uint32_t engine, uint64_t kernel)
{
    static decoded_t d;
    static uint8_t bytes[PAGES * 4096 + 8];
    const uint64_t header = 0x11 | t->version << 13 | 15u << 16 | 1u << 20 | (uint64_t)engine << 26;
    memcpy(bytes, &header, 8);
    memcpy(bytes + 8, rig_ptr(t->c->rig, t->buffer[engine]), t->size[engine]);
    memset(&d, 0, sizeof d);
    d.data = bytes;
    d.size = t->size[engine] + 8;
    d.entry = kernel + ENTRY;
    assert_int_equal(rocprof_trace_decoder_parse_data(give, take, isa, &d), STATUS(SUCCESS));
    return &d;
}

/* ---- kernels ---- */

enum { SALU = 2, VALU = 6, JUMP = 7, NEXT = 8, IMMEDIATE = 9, MESSAGE = 11 };

/* A loop of three rounds, a sleep, the end. */
static const char *const lines[] = {"s_movk_i32 s10, 3",
                                    "s_sub_u32 s10, s10, 1",
                                    "s_cmp_lg_u32 s10, 0",
                                    "s_cbranch_scc1 65533",
                                    "s_sleep 127",
                                    "v_nop",
                                    "s_endpgm"};
static const char every_line[] = "2:0 2:1 2:2 7:3 2:1 2:2 7:3 2:1 2:2 8:3 9:4 6:5 11:6 ";

static uint64_t kernel_of(traced_t *t)
{
    char text[512] = "";
    memset(listing, 0, sizeof listing);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        listing[i] = lines[i];
        strcat(strcat(text, lines[i]), "\n");
    }
    return rig_kernel(t->c->rig, text, NULL);
}

/* Two workgroups for each engine's traced unit: each engine has its waves, all of each. The sleep
 * is longer than tokens of time say: the stream has a second time in between. */
static void engines_of(unsigned gpu)
{
    enum { SLEEP = 127 * 64 };
    traced_t t;
    create_of(&t, gpu, PAGES);
    const uint64_t kernel = kernel_of(&t);
    trace(&t, &(rig_dispatch_t){.kernel = kernel, .grid = {64 * 8}, .group = {64}}, EVERY_TOKEN, 0);
    for (uint32_t e = 0; e < ENGINES; e++) {
        const decoded_t *d = decode(&t, e, kernel);
        assert_int_equal(t.status[e], 0);
        assert_int_equal(d->waves, 2);
        assert_int_equal(d->starts, 4); /* of both units */
        assert_int_equal(d->ends, 4);
        assert_int_equal(d->infos, 0);
        for (unsigned w = 0; w < d->waves; w++) {
            assert_string_equal(d->wave[w].text, every_line);
            assert_in_range(d->wave[w].longest, SLEEP, SLEEP + 8);
        }
        unsigned stamps = 0;
        const uint8_t *bytes = rig_ptr(t.c->rig, t.buffer[e]);
        for (uint32_t i = 0; i + 2 <= t.size[e]; i += 2)
            stamps += !bytes[i] && bytes[i + 1] == 1 << 5;
        assert_true(stamps >= 2);
    }
}

static void engines_and_times(void **state)
{
    (void)state;
    for (unsigned gpu = 0; gpu < sizeof gpus / sizeof *gpus; gpu++)
        engines_of(gpu);
}

/* No room for all: the trace has the first waves, and says that some do not end. */
static void full(void **state)
{
    traced_t t;
    (void)state;
    create(&t, 4);
    const uint64_t kernel = kernel_of(&t);
    trace(&t, &(rig_dispatch_t){.kernel = kernel, .grid = {64 * 4000}, .group = {64}}, EVERY_TOKEN,
          0);
    const decoded_t *d = decode(&t, 1, kernel);
    assert_int_equal(t.status[1], FULL);
    assert_in_range(t.size[1], 4 * 4096 - 31, 4 * 4096);
    assert_true(d->waves > 64 && d->waves < 1000);
    assert_true(d->starts > d->ends);
    assert_int_equal(d->infos, 1u << ROCPROFILER_THREAD_TRACE_DECODER_INFO_WAVE_INCOMPLETE);
    unsigned whole = 0;
    for (unsigned w = 0; w < d->waves; w++) {
        whole += d->wave[w].over;
        assert_int_equal(strncmp(d->wave[w].text, every_line, strlen(d->wave[w].text)), 0);
    }
    assert_true(whole > 32);
}

/* The same into a buffer that goes on at its beginning: the trace has the last waves, whose
 * beginnings and code it may not have any more. They took as long as in a trace with room. */
static void wrapped(void **state)
{
    static int64_t lasted[WAVES];
    traced_t small, large;
    (void)state;
    create(&large, PAGES);
    create(&small, 4);
    rig_dispatch_t dispatch = {.grid = {64 * 1200}, .group = {64}};
    dispatch.kernel = kernel_of(&large);
    trace(&large, &dispatch, EVERY_TOKEN, 0);
    const decoded_t *d = decode(&large, 1, dispatch.kernel);
    const unsigned all = d->waves;
    assert_int_equal(large.status[1], 0);
    assert_int_equal(all, 300);
    for (unsigned w = 0; w < all; w++)
        lasted[w] = d->wave[w].end - d->wave[w].begin;

    dispatch.kernel = kernel_of(&small);
    trace(&small, &dispatch, EVERY_TOKEN, WRAP);
    assert_int_equal(small.status[1], 0); /* never full */
    assert_in_range(small.size[1], 32, 4 * 4096);
    d = decode(&small, 1, dispatch.kernel);
    assert_in_range(d->waves, 1, all - 1);
    assert_true(d->wave[d->waves - 1].over);
    assert_false(d->infos >> ROCPROFILER_THREAD_TRACE_DECODER_INFO_WAVE_INCOMPLETE & 1);
    unsigned whole = 0;
    for (unsigned back = 1; back <= d->waves; back++) {
        const wave_t *w = &d->wave[d->waves - back];
        unsigned instructions = 0;
        for (const char *c = w->text; *c; c++)
            instructions += *c == ' ';
        if (instructions != 13) continue; /* it began in the pass before */
        whole++;
        assert_int_equal(w->end - w->begin, lasted[all - back]);
    }
    assert_true(whole > 0);
}

/* Instructions that nobody asks for take no room. */
static void occupancy(void **state)
{
    traced_t t;
    (void)state;
    create(&t, 8);
    const uint64_t kernel = kernel_of(&t);
    trace(&t, &(rig_dispatch_t){.kernel = kernel, .grid = {64 * 4000}, .group = {64}}, OCCUPANCY,
          0);
    const decoded_t *d = decode(&t, 1, kernel);
    assert_int_equal(t.status[1], 0);
    assert_int_equal(d->starts, 2000);
    assert_int_equal(d->ends, 2000);
    assert_int_equal(d->infos, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_and_times),
        cmocka_unit_test(full),
        cmocka_unit_test(wrapped),
        cmocka_unit_test(occupancy),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
