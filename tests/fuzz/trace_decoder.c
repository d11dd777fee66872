/* trace_decoder.c - fuzz target: a thread trace of any bytes is decoded or refused.
 *
 * The first byte says by which functions, and whether a word that names a GPU is put in front;
 * instructions are made of the addresses they are asked at.
 * What comes out has to hold together: waves end after they begin, states and instructions lie
 * within them. Built with -fsanitize=fuzzer,address, or with a main() that feeds it the files
 * named. */
#include <rocprof_trace_decoder/rocprof_trace_decoder.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef rocprofiler_thread_trace_decoder_status_t status_t;

typedef struct {
    const uint8_t *data;
    size_t size;
} input_t;

static const char *const texts[] = {"v_add_f32_e32 v0, v1, v2",
                                    "s_waitcnt vmcnt(0)",
                                    "s_nop 0",
                                    "s_cbranch_scc0 65535",
                                    "s_branch 2",
                                    "s_barrier",
                                    "global_load_dword v0, v[0:1], off",
                                    "",
                                    "what is this",
                                    "s_setpc_b64 s[30:31]",
                                    "ds_read_b32 v0, v0",
                                    "s_barrier_wait -1",
                                    "s_wait_loadcnt 0x0",
                                    "image_bvh_intersect_ray v[0:3], v[0:10], s[0:3]",
                                    "s_branch 70000"};

static status_t isa(char *text, uint64_t *bytes, uint64_t *size,
                    rocprofiler_thread_trace_decoder_pc_t pc, void *user)
{
    const char *line = texts[pc.address / 4 % (sizeof texts / sizeof *texts)];
    const uint64_t length = strlen(line), room = *size;
    (void)user;
    *bytes = 4 + pc.address % 2 * 4;
    *size = length;
    if (length > room) return ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR_OUT_OF_RESOURCES;
    memcpy(text, line, length);
    return ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS;
}

static status_t take(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                     uint64_t count, void *user)
{
    const rocprofiler_thread_trace_decoder_wave_t *wave = records;
    (void)user;
    if (type >= ROCPROFILER_THREAD_TRACE_DECODER_RECORD_LAST) abort();
    if (type != ROCPROFILER_THREAD_TRACE_DECODER_RECORD_WAVE)
        return ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS;
    if (count != 1 || wave->simd > 3 || wave->wave_id > 31) abort();
    for (uint64_t i = 0; i < wave->instructions_size; i++) {
        const rocprofiler_thread_trace_decoder_inst_t *n = &wave->instructions_array[i];
        if (n->category >= ROCPROFILER_THREAD_TRACE_DECODER_INST_LAST || n->duration < 0) abort();
    }
    for (uint64_t i = 0; i < wave->timeline_size; i++)
        if (wave->timeline_array[i].duration < 0) abort();
    return ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS;
}

static uint64_t give(uint8_t **buffer, uint64_t *size, void *user)
{
    input_t *in = user;
    *size = in->size;
    *buffer = (uint8_t *)(uintptr_t)in->data;
    in->size = 0;
    return *size;
}

static void ignore(int64_t time, const char *type, const char *info, void *user)
{
    (void)time, (void)user;
    if (!*type || !*info) abort();
}

static void second(const uint8_t *data, size_t size)
{
    uint8_t out[4096];
    uint64_t out_size = sizeof out;
    rocprof_trace_decoder_handle_t handle;
    if (rocprof_trace_decoder_create_handle(&handle)) return;
    rocprof_trace_decoder_set_isa_callback(handle, isa, NULL);
    rocprof_trace_decoder_parse(handle, data, size, take, NULL);
    if (!rocprof_trace_decoder_quick_scan(handle, 0, data, size, take, NULL)) {
        rocprof_trace_decoder_build_standalone(handle, 0, data, size, 8, size, out, &out_size);
        rocprof_trace_decoder_quick_scan(handle, 1, data, size, take, NULL);
        rocprof_trace_decoder_flush_chunk(handle, 0);
    }
    rocprof_trace_decoder_codeobj_load(handle, 1, 0, size, data, size);
    rocprof_trace_decoder_destroy_handle(handle);
}

/* Bytes in memory of just their size, so that a read behind them is seen. */
static uint8_t *copy_behind(uint64_t word, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(sizeof word + size);
    if (!copy) return NULL;
    memcpy(copy, &word, sizeof word);
    memcpy(copy + sizeof word, data, size);
    return copy;
}

static void decode(unsigned how, const uint8_t *data, size_t size)
{
    enum { FUNCTIONS = 3 };
    input_t in = {data, size};
    switch (how % FUNCTIONS) {
    case 0: rocprof_trace_decoder_parse_data(give, take, isa, &in); break;
    case 1: second(data, size); break;
    default: rocprof_trace_decoder_dump_data((const char *)data, size, ignore, NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* ORDER: none; gfx9 and gfx950, unit 1; gfx10, gfx11 and gfx12, the first unit and SIMD */
    static const uint64_t words[] = {0,
                                     0x11 | 4 << 13 | 15 << 16 | 1 << 20,
                                     0x11 | 6 << 13 | 15 << 16 | 1 << 20,
                                     0x11 | 1 << 7,
                                     0x11 | 2 << 7,
                                     0x11 | 3 << 7 | UINT64_C(3) << 28,
                                     0x11 | 4 << 7 | UINT64_C(3) << 28,
                                     0x11 | 4 << 7 | UINT64_C(1) << 59};
    if (!size) return 0;
    const uint64_t word = words[*data >> 5];
    uint8_t *copy = word ? copy_behind(word, data + 1, size - 1) : NULL;
    if (copy)
        decode(*data, copy, sizeof word + size - 1);
    else
        decode(*data, data + 1, size - 1);
    free(copy);
    return 0;
}
