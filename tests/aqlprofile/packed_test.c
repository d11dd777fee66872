/* packed_test.c - softgpu's thread traces of gfx10, gfx11 and gfx12 through the decoder: a kernel
 * that is known line by line, of each SIMD, from buffers that are too small, and with few tokens.
 *
 * Apart from decoded_test.c because registers and tokens of these GPUs are others. The lines that a
 * wave executes are written here by hand. */
#include "counting.h"

#include "asm.h"
#include "softgpu/device/internal.h"
#include "softgpu/perf/internal.h"
#include "softgpu/perf/sqtt.h"

#include <rocprof_trace_decoder/rocprof_trace_decoder.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define RECORD(x) ROCPROFILER_THREAD_TRACE_DECODER_RECORD_##x
#define STATUS(x) ROCPROFILER_THREAD_TRACE_DECODER_STATUS_##x

enum { ENGINES = 2, CUS = 4, PAGES = 32, ENTRY = 256, WAVES_OF_32 = 1 << 10, WAVES = 4096 };

/* ---- GPUs ---- */

typedef struct {
    uint32_t number;
    const char *name, *assembler; /* the GPU for whose assembler the kernel is written */
    uint32_t size, base, base_high /* 0: in the register of the size */, mask, tokens, control,
        status, written;                /* registers */
    uint32_t every, occupancy, on, off; /* values of AMD's library */
    bool from_zero;                     /* the register of what was written counts from address 0 */
} gpu_t;

static const gpu_t gpus[] = {
    {100300, "gfx1030", "gfx1030", 0x2341, 0x2340, 0, 0x2345, 0x2346, 0x2347, 0x2348, 0x2344,
     0x00080683, 0x030807cf, 0xa0423f41, 0xa0423f40, false},
    {110000, "gfx1100", "gfx1100", 0xd9e9, 0xd9e8, 0, 0xd9ed, 0xd9ee, 0xd9ec, 0xd9f4, 0xd9ef,
     0x0c080683, 0x030807cf, 0xa0423941, 0xa0423940, true},
    {120001, "gfx1201", "gfx1100", 0xd9e6, 0xd9e7, 0xd9e8, 0xd9ed, 0xd9ee, 0xd9ec, 0xd9f4, 0xd9ef,
     0x8c1f4003, 0x030807ff, 0xa0405941, 0xa0405940, false},
};
enum { GPUS = sizeof gpus / sizeof *gpus, GFX12 = 2, NO_TOKENS = 0x0f0007ff };

/* ---- the kernel ---- */

/* A line of it, by its name and its length in words on each GPU; 0: that one does not have it. */
typedef struct {
    const char *text[GPUS];
    uint8_t words[GPUS];
} line_t;
static const line_t lines[] = {
    {{"s_load_dwordx2 s[6:7], s[0:1], 0x0", "s_load_b64 s[6:7], s[0:1], 0x0",
      "s_load_b64 s[6:7], s[0:1], 0x0"},
     {2, 2, 2}},
    {{"v_lshlrev_b32 v1, 2, v0", "v_lshlrev_b32 v1, 2, v0", "v_lshlrev_b32 v1, 2, v0"}, {1, 1, 1}},
    {{"s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0"}, {1, 1, 1}},
    {{"global_load_dword v2, v1, s[6:7]", "global_load_b32 v2, v1, s[6:7]",
      "global_load_b32 v2, v1, s[6:7]"},
     {2, 2, 3}},
    {{"s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0"}, {1, 1, 1}},
    {{"ds_write_b32 v1, v2", "ds_store_b32 v1, v2", "ds_store_b32 v1, v2"}, {2, 2, 2}},
    {{"ds_read_b32 v3, v1", "ds_load_b32 v3, v1", "ds_load_b32 v3, v1"}, {2, 2, 2}},
    {{"s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_wait_dscnt 0x0"}, {1, 1, 1}},
    {{"s_barrier", "s_barrier", "s_barrier_signal -1"}, {1, 1, 1}},
    {{NULL, NULL, "s_barrier_wait -1"}, {0, 0, 1}},
    {{"v_rcp_f32 v4, v3", "v_rcp_f32 v4, v3", "v_rcp_f32 v4, v3"}, {1, 1, 1}},
    {{"v_add_f64 v[4:5], v[4:5], v[4:5]", "v_add_f64 v[4:5], v[4:5], v[4:5]",
      "v_add_f64 v[4:5], v[4:5], v[4:5]"},
     {2, 2, 1}},
    {{"global_store_dword v1, v3, s[6:7] offset:1024",
      "global_store_b32 v1, v3, s[6:7] offset:1024", "global_store_b32 v1, v3, s[6:7] offset:1024"},
     {2, 2, 3}},
    {{"s_waitcnt_vscnt null, 0x0", "s_waitcnt_vscnt null, 0x0", "s_wait_storecnt 0x0"}, {1, 1, 1}},
    {{"s_ttracedata_imm 0x21", "s_ttracedata_imm 0x21", "s_ttracedata_imm 0x21"}, {1, 1, 1}},
    {{"s_mov_b32 exec_lo, 0", "s_mov_b32 exec_lo, 0", "s_mov_b32 exec_lo, 0"}, {1, 1, 1}},
    {{"v_mov_b32 v6, v3", "v_mov_b32 v6, v3", "v_mov_b32 v6, v3"}, {1, 1, 1}},
    {{"ds_read_b32 v6, v1", "ds_load_b32 v6, v1", "ds_load_b32 v6, v1"}, {2, 2, 2}},
    {{"v_readfirstlane_b32 s11, v3", "v_readfirstlane_b32 s11, v3", "v_readfirstlane_b32 s11, v3"},
     {1, 1, 1}},
    {{"s_mov_b32 exec_lo, -1", "s_mov_b32 exec_lo, -1", "s_mov_b32 exec_lo, -1"}, {1, 1, 1}},
    {{"s_movk_i32 s10, 2", "s_movk_i32 s10, 2", "s_movk_i32 s10, 2"}, {1, 1, 1}},
    {{"s_sub_u32 s10, s10, 1", "s_sub_u32 s10, s10, 1", "s_sub_co_u32 s10, s10, 1"}, {1, 1, 1}},
    {{"s_cmp_lg_u32 s10, 0", "s_cmp_lg_u32 s10, 0", "s_cmp_lg_u32 s10, 0"}, {1, 1, 1}},
    {{"s_cbranch_scc1 65533", "s_cbranch_scc1 65533", "s_cbranch_scc1 65533"}, {1, 1, 1}},
    {{"s_getpc_b64 s[8:9]", "s_getpc_b64 s[8:9]", "s_getpc_b64 s[8:9]"}, {1, 1, 1}},
    {{"s_add_u32 s8, s8, 12", "s_add_u32 s8, s8, 12", "s_add_co_u32 s8, s8, 12"}, {1, 1, 1}},
    {{"s_setpc_b64 s[8:9]", "s_setpc_b64 s[8:9]", "s_setpc_b64 s[8:9]"}, {1, 1, 1}},
    {{"s_nop 0", "s_nop 0", "s_nop 0"}, {1, 1, 1}},
    {{"s_sleep 2", "s_sleep 2", "s_sleep 2"}, {1, 1, 1}},
    {{NULL, NULL, "v_wmma_f32_16x16x16_f16 v[8:15], v[0:3], v[4:7], v[8:15]"}, {0, 0, 2}},
    {{"s_endpgm", "s_endpgm", "s_endpgm"}, {1, 1, 1}},
};
/* gfx12's in words, which are llvm-mc 21's, since not every assembler knows the GPU. */
static const uint32_t words_gfx12[] = {
    0xf4002180, 0xf8000000, 0x30020082, 0xbfc70000, 0xee050006, 0x00000002, 0x00000001, 0xbfc00000,
    0xd8340000, 0x00000201, 0xd8d80000, 0x03000001, 0xbfc60000, 0xbe804ec1, 0xbf94ffff, 0x7e085503,
    0x04080904, 0xee068006, 0x01800000, 0x00040001, 0xbfc10000, 0xbfbb0021, 0xbefe0080, 0x7e0c0303,
    0xd8d80000, 0x06000001, 0x7e160503, 0xbefe00c1, 0xb00a0002, 0x808a810a, 0xbf07800a, 0xbfa2fffd,
    0xbe884700, 0x80088c08, 0xbe804808, 0xbf800000, 0xbf830002, 0xcc404008, 0x1c220900, 0xbfb00000};
enum { LINES = sizeof lines / sizeof *lines, SLEEP = 2 * 64, MATRIX = 16, COLD = 800 };

/* Categories and lines as a wave goes: instructions without active lanes, two rounds of the loop, a
 * jump over s_nop. The wait at gfx12's barrier is in no trace. The matrix instruction's clocks are
 * behind its token: the wave ends after them. */
#define UNTIL_SLEEP                                                                                \
    "1:0 6:1 9:2 3:3 9:4 5:5 5:6 9:7 11:8 6:10 6:11 3:12 9:13 9:14 2:15 9:16 9:17 6:18 2:19 2:20 " \
    "2:21 2:22 7:23 2:21 2:22 8:23 2:24 2:25 2:26 9:28 "
static const char *const every_line[GPUS] = {UNTIL_SLEEP "11:30 ", UNTIL_SLEEP "11:30 ",
                                             UNTIL_SLEEP "6:29 11:30 "};
enum {
    EXECUTED = 31 /* without gfx12's matrix instruction */,
    WORD = 0x21 /* of s_ttracedata_imm */
};

static unsigned executed(unsigned gpu)
{
    return EXECUTED + (gpu == GFX12);
}

static unsigned line_at(unsigned gpu, uint64_t words)
{
    uint64_t at = 0;
    for (unsigned k = 0; k < LINES; k++) {
        if (at == words && lines[k].words[gpu]) return k;
        at += lines[k].words[gpu];
    }
    return LINES;
}

/* ---- a trace ---- */

typedef struct {
    counting_t *c;
    const gpu_t *gpu;
    unsigned index;
    uint64_t buffer[ENGINES], kernel;
    uint32_t size[ENGINES]; /* bytes written */
    uint32_t pages;
} traced_t;

static sg_profile_t profile_of(uint32_t gpu, uint32_t arrays)
{
    sg_profile_t p = {.name = "test"};
#define SET_DEFAULT(key, def, lo, hi) p.key = def;
    SG_PROFILE_KEYS(SET_DEFAULT)
#undef SET_DEFAULT
    p.gfx_target_version = gpu;
    p.shader_engines = ENGINES;
    p.arrays_per_engine = arrays;
    p.cus_per_array = CUS;
    p.simds_per_cu = 2;
    p.waves_per_simd = 16;
    return p;
}

static void create_arrays(traced_t *t, unsigned gpu, uint32_t pages, uint32_t arrays)
{
    const sg_profile_t profile = profile_of(gpus[gpu].number, arrays);
    char text[2048] = "";
    *t = (traced_t){.c = counting_on(rig_create_profile(&profile)),
                    .gpu = &gpus[gpu],
                    .index = gpu,
                    .pages = pages};
    asm_set_gpu(t->gpu->assembler);
    for (unsigned e = 0; e < ENGINES; e++)
        t->buffer[e] = (rig_alloc(t->c->rig, (pages + 1) * 4096) + 4095) & ~UINT64_C(4095);
    for (unsigned k = 0; gpu != GFX12 && k < LINES; k++)
        if (lines[k].words[gpu]) strcat(strcat(text, lines[k].text[gpu]), "\n");
    for (unsigned k = 0; gpu == GFX12 && k < sizeof words_gfx12 / sizeof *words_gfx12; k++)
        sprintf(text + strlen(text), ".long 0x%08x\n", words_gfx12[k]);
    t->kernel = rig_kernel(t->c->rig, text, &(rig_kernel_t){.properties = WAVES_OF_32});
}

static void create(traced_t *t, unsigned gpu, uint32_t pages)
{
    create_arrays(t, gpu, pages, 1);
}

/* The registers of an engine, as AMD's library writes them. */
static void set(traced_t *t, uint32_t engine, uint32_t simd, uint32_t tokens)
{
    const gpu_t *g = t->gpu;
    const uint64_t first = t->buffer[engine] / 4096;
    const uint32_t registers[][2] = {
        {0xc200, 0x40000000 | engine << 16},
        {g->size, g->base_high ? t->pages : t->pages << 8 | (uint32_t)(first >> 32)},
        {g->base, (uint32_t)first},
        {g->base_high, (uint32_t)(first >> 32)},
        {g->mask, 1 << 16 | simd},
        {g->tokens, tokens},
        {g->control, g->on}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (registers[i][0])
            sg_perf_write(t->c->rig->device->perf, 1, registers[i][0], registers[i][1]);
}

static void stop_trace(traced_t *t)
{
    sg_perf_t *p = t->c->rig->device->perf;
    sg_perf_write(p, 1, 0xc200, EVERYWHERE);
    sg_perf_write(p, 1, t->gpu->control, t->gpu->off);
    for (uint32_t e = 0; e < ENGINES; e++) {
        sg_perf_write(p, 1, 0xc200, 0x40000000 | e << 16);
        assert_int_equal(sg_perf_read(p, 1, t->gpu->status), 0);
        t->size[e] = sg_perf_read(p, 1, t->gpu->written) * 32;
        if (t->gpu->from_zero)
            t->size[e] = (t->size[e] - (uint32_t)t->buffer[e]) & ((UINT32_C(1) << 29) - 1);
    }
    sg_perf_write(p, 1, 0xc200, EVERYWHERE);
}

/* Workgroups of four waves, one on each SIMD. `simd`: whose waves are traced, with the number of
 * its processor in bits 7:4. The trace stays on. */
static void begin(traced_t *t, uint32_t items, uint32_t simd, uint32_t tokens)
{
    const uint64_t args = rig_alloc(t->c->rig, 64), data = rig_alloc(t->c->rig, 4096);
    *(uint64_t *)rig_ptr(t->c->rig, args) = data;
    for (uint32_t e = 0; e < ENGINES; e++)
        set(t, e, simd, tokens);
    sg_perf_write(t->c->rig->device->perf, 1, 0xc200, EVERYWHERE);
    counting_dispatch(
        t->c, &(rig_dispatch_t){
                  .kernel = t->kernel, .args = args, .grid = {items}, .group = {128}, .lds = 4096});
    counting_flush_waves(t->c);
    counting_send(t->c);
}

static void trace(traced_t *t, uint32_t groups, uint32_t simd, uint32_t tokens)
{
    begin(t, 128 * groups, simd, tokens);
    stop_trace(t);
}

/* ---- what the decoder makes of it ---- */

typedef struct {
    char text[256];
    int64_t begin, end, sleep,
        matrix; /* the last two: clocks of s_sleep, and of the WMMA from its issue on */
    unsigned simd, count;
} wave_t;

typedef struct {
    const traced_t *traced;
    const uint8_t *data;
    uint64_t size, given;
    wave_t wave[WAVES];
    unsigned waves, starts, ends, words, infos, version; /* infos: by bits */
} decoded_t;

static uint64_t give(uint8_t **buffer, uint64_t *size, void *user)
{
    decoded_t *d = user;
    *buffer = (uint8_t *)d->data + d->given;
    *size = d->size - d->given;
    d->given = d->size;
    return *size;
}

static rocprofiler_thread_trace_decoder_status_t isa(char *text, uint64_t *bytes, uint64_t *size,
                                                     rocprofiler_thread_trace_decoder_pc_t pc,
                                                     void *user)
{
    const decoded_t *d = user;
    const unsigned line = line_at(d->traced->index, (pc.address - d->traced->kernel - ENTRY) / 4);
    if (line == LINES) return STATUS(ERROR);
    const char *from = lines[line].text[d->traced->index];
    *bytes = 4 * lines[line].words[d->traced->index];
    if (strlen(from) > *size) return STATUS(ERROR_OUT_OF_RESOURCES);
    *size = strlen(from);
    memcpy(text, from, *size);
    return STATUS(SUCCESS);
}

/* Whether the line is there, and is this instruction. */
static bool is_line(const decoded_t *d, unsigned line, const char *mnemonic)
{
    return line < LINES && !strncmp(lines[line].text[d->traced->index], mnemonic, strlen(mnemonic));
}

static void add_wave(decoded_t *d, const rocprofiler_thread_trace_decoder_wave_t *w)
{
    assert_true(d->waves < WAVES);
    wave_t *to = &d->wave[d->waves++];
    *to = (wave_t){.begin = w->begin_time, .end = w->end_time, .simd = w->simd};
    for (uint64_t i = 0; i < w->instructions_size && i < 2 * EXECUTED; i++) {
        const rocprofiler_thread_trace_decoder_inst_t *n = &w->instructions_array[i];
        const size_t used = strlen(to->text);
        const unsigned line =
            n->pc.address
                ? line_at(d->traced->index, (n->pc.address - d->traced->kernel - ENTRY) / 4)
                : LINES;
        snprintf(to->text + used, sizeof to->text - used, "%u:%u ", n->category, line);
        if (is_line(d, line, "s_sleep")) to->sleep = n->duration;
        if (is_line(d, line, "v_wmma")) to->matrix = n->duration - n->stall;
        to->count++;
    }
}

static rocprofiler_thread_trace_decoder_status_t
take(rocprofiler_thread_trace_decoder_record_type_t type, void *records, uint64_t count, void *user)
{
    decoded_t *d = user;
    if (type == RECORD(GFXIP)) d->version = (unsigned)count;
    for (uint64_t i = 0; i < count; i++) {
        if (type == RECORD(SHADERDATA))
            d->words += ((rocprofiler_thread_trace_decoder_shaderdata_t *)records)[i].value == WORD;
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

static const decoded_t *decode(const traced_t *t, uint32_t engine)
{
    static decoded_t d;
    memset(&d, 0, sizeof d);
    d.traced = t;
    d.data = rig_ptr(t->c->rig, t->buffer[engine]);
    d.size = t->size[engine];
    assert_int_equal(rocprof_trace_decoder_parse_data(give, take, isa, &d), STATUS(SUCCESS));
    return &d;
}

/* ---- tests ---- */

/* Of eight workgroups four are on each engine, two on each of its processors: each SIMD of the
 * traced one has two waves. */
static void every_simd(void **state)
{
    (void)state;
    for (unsigned gpu = 0; gpu < GPUS; gpu++)
        for (uint32_t simd = 0; simd < 4; simd++) {
            traced_t t;
            if (!asm_knows_gpu(gpus[gpu].assembler)) continue;
            create(&t, gpu, PAGES);
            trace(&t, 8, simd, gpus[gpu].every);
            for (uint32_t e = 0; e < ENGINES; e++) {
                const decoded_t *d = decode(&t, e);
                assert_int_equal(d->waves, 2);
                assert_int_equal(d->starts, 16);
                assert_int_equal(d->ends, 16);
                assert_int_equal(d->infos, 0);
                assert_int_equal(d->words, 2);
                for (unsigned w = 0; w < d->waves; w++) {
                    assert_int_equal(d->wave[w].simd, simd);
                    assert_string_equal(d->wave[w].text, every_line[gpu]);
                    assert_in_range(d->wave[w].sleep, SLEEP, SLEEP + 2);
                    assert_int_equal(d->wave[w].matrix, gpu == GFX12 ? MATRIX : 0);
                    assert_true(d->wave[w].end - d->wave[w].begin > SLEEP + EXECUTED);
                }
            }
        }
}

/* A trace without a buffer's room ends before the token that does not fit, and is as long as the
 * buffer, from which its reader knows. */
static void full(void **state)
{
    enum { SMALL = 2, MANY = 400 };
    (void)state;
    for (unsigned gpu = 0; gpu < GPUS; gpu++) {
        traced_t t;
        if (!asm_knows_gpu(gpus[gpu].assembler)) continue;
        create(&t, gpu, SMALL);
        trace(&t, MANY, 0, gpus[gpu].every);
        const decoded_t *d = decode(&t, 1);
        assert_int_equal(t.size[1], SMALL * 4096);
        assert_in_range(d->waves, 20, MANY / 4);
        assert_true(d->starts > d->ends);
        assert_int_equal(d->infos, 1u << ROCPROFILER_THREAD_TRACE_DECODER_INFO_WAVE_INCOMPLETE);
        unsigned whole = 0;
        for (unsigned w = 0; w < d->waves; w++) {
            whole += d->wave[w].count == executed(gpu);
            if (d->wave[w].count < executed(gpu))
                assert_memory_equal(d->wave[w].text, every_line[gpu], strlen(d->wave[w].text) / 2);
        }
        assert_true(whole >= 10);
        trace(&t, 8, 0, gpus[gpu].every); /* which begins a stream that is not full */
        d = decode(&t, 1);
        assert_int_equal(d->starts, 16);
        assert_int_equal(d->ends, 16);
    }
}

/* Without tokens of instructions there are waves alone, and without any token nothing is written.
 */
static void fewer(void **state)
{
    (void)state;
    for (unsigned gpu = 0; gpu < GPUS; gpu++) {
        traced_t t;
        if (!asm_knows_gpu(gpus[gpu].assembler)) continue;
        create(&t, gpu, PAGES);
        trace(&t, 8, 0, gpus[gpu].occupancy);
        const decoded_t *d = decode(&t, 1);
        /* AMD's value for gfx12 leaves out the waves, too */
        assert_int_equal(d->starts, gpu == GFX12 ? 0 : 16);
        assert_int_equal(d->ends, gpu == GFX12 ? 0 : 16);
        for (unsigned w = 0; w < d->waves; w++)
            assert_true(d->wave[w].count <= 1); /* the time until its end */
        create(&t, gpu, PAGES);
        trace(&t, 8, 0, NO_TOKENS);
        assert_int_equal(t.size[0], 0);
    }
}

static uint32_t written(const traced_t *t)
{
    return sg_perf_read(t->c->rig->device->perf, 1, t->gpu->written);
}

/* The register of what was written takes the trace to another place, in the middle of whatever
 * token it was: the next token is there, and nothing is before the buffer. */
static void written_again(void **state)
{
    enum { USERDATA_2 = 0xc342, MARK = 0xabcdef, UNITS = (1 << 29) - 1 };
    (void)state;
    for (unsigned gpu = 0; gpu < GPUS; gpu++)
        for (uint32_t simd = 0; simd < 4; simd++) {
            traced_t t;
            if (!asm_knows_gpu(gpus[gpu].assembler)) continue;
            create(&t, gpu, PAGES);
            begin(&t, 4 * 128 - 32, simd,
                  gpus[gpu].every); /* of one engine an odd number of waves */
            for (uint32_t e = 0; e < ENGINES; e++) {
                sg_perf_t *p = t.c->rig->device->perf;
                const uint32_t first = t.gpu->from_zero ? (uint32_t)(t.buffer[e] / 32) & UNITS : 0;
                uint8_t *host = rig_ptr(t.c->rig, t.buffer[e]);
                sg_perf_write(p, 1, 0xc200, 0x40000000 | e << 16);
                assert_true(written(&t) > first + 1);
                host[-1] = 0;
                sg_perf_write(p, 1, t.gpu->written, first);
                assert_int_equal(written(&t), first);
                sg_perf_write(p, 1, USERDATA_2, MARK);
                assert_int_equal(host[-1], 0);
                assert_int_equal(written(&t), first + 1);
            }
            stop_trace(&t);
        }
}

/* A stream that begins later than one stamp of gfx11 can tell, which has 36 bits. */
static void late(void **state)
{
    const uint64_t clocks = (UINT64_C(5) << 36) + 1000;
    (void)state;
    for (unsigned gpu = 0; gpu < GPUS; gpu++) {
        traced_t t;
        if (!asm_knows_gpu(gpus[gpu].assembler)) continue;
        create(&t, gpu, PAGES);
        atomic_fetch_add(&t.c->rig->device->perf->device[SG_D_CLOCK], clocks);
        trace(&t, 8, 0, gpus[gpu].every);
        const decoded_t *d = decode(&t, 0);
        assert_int_equal(d->waves, 2);
        assert_string_equal(d->wave[0].text, every_line[gpu]);
        assert_in_range(d->wave[0].begin, clocks, clocks + 100000);
    }
}

/* The processor that is traced is one of the first array, which has two here: there is no third. */
static void no_such_processor(void **state)
{
    (void)state;
    for (unsigned gpu = 0; gpu < GPUS; gpu++)
        for (uint32_t processor = 0, whole = 0; processor < 4; processor++) {
            traced_t t;
            if (!asm_knows_gpu(gpus[gpu].assembler)) continue;
            create_arrays(&t, gpu, PAGES, 2);
            trace(&t, 16, processor << 4, gpus[gpu].every);
            const decoded_t *d = decode(&t, 0);
            assert_int_equal(d->starts, 32);
            assert_int_equal(d->waves, processor < 2 ? 2 : 0);
            if (!processor) whole = t.size[0];
            if (processor >= 2) assert_in_range(t.size[0], 1, whole - 1);
        }
}

/* A GPU of which no traces are written has no register that gfx9 has for them. */
static void no_registers(void **state)
{
    enum { FIRST = 0xc330, LAST = 0xc33f, UNKNOWN = 100101 };
    (void)state;
    const sg_profile_t without = profile_of(UNKNOWN, 1), with = profile_of(90010, 1);
    sg_sqtt_t *none = sg_sqtt_create(&without), *some = sg_sqtt_create(&with);
    unsigned n = 0;
    for (uint32_t number = FIRST; number <= LAST; number++) {
        n += sg_sqtt_owns(some, number);
        assert_false(sg_sqtt_owns(none, number));
        sg_sqtt_write(none, 0, EVERYWHERE, number, ~0u, 0);
    }
    assert_true(n > 8);
    assert_false(sg_sqtt_on(none));
    sg_sqtt_destroy(none);
    sg_sqtt_destroy(some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_simd),   cmocka_unit_test(full),
        cmocka_unit_test(fewer),        cmocka_unit_test(written_again),
        cmocka_unit_test(late),         cmocka_unit_test(no_such_processor),
        cmocka_unit_test(no_registers),
    };
    if (!asm_available() || !asm_knows_gpu("gfx1030")) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
