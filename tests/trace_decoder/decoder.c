/* decoder.c - the decoder of thread traces, by traces made token by token and records worked out by
 * hand from the rules of the format (docs/att.md). */
#include "../tool.h"
#include "records.h"

#include <stdlib.h>

/* ---- tests ---- */

static const line_t straight[] = {{0x1000, 8, "s_load_dwordx2 s[0:1], s[4:5], 0x0"},
                                  {0x1008, 4, "s_waitcnt lgkmcnt(0)"},
                                  {0x100c, 4, "v_mov_b32_e32 v0, s0"},
                                  {0x1010, 4, "s_cbranch_scc1 1"},
                                  {0x1014, 4, "s_branch 65532"},
                                  {0x1018, 8, "global_store_dword v[0:1], v2, off"},
                                  {0x1020, 4, "s_endpgm"},
                                  {0}};

/* Loaded, waited for, a branch not taken, one taken back, one taken on. By the rule an instruction
 * that is issued at t and told at u takes 4 + (u - t); an immediate one begins where the last
 * ended. */
static void straight_on(void **state)
{
    stream_t s;
    (void)state;
    code = straight;
    code_id = 0;
    header(&s);
    kernel(&s, 0x1000);
    wave_start(&s, 1, 0, 0, 64);
    wave_start(&s, 2, 1, 4, 64); /* another unit: its beginning and end alone */
    run(&s, SMEM_RD);
    pass(&s, 9);
    immediate(&s);
    run(&s, VALU_32);
    run(&s, NEXT);
    run(&s, JUMP);
    immediate(&s);
    run(&s, VALU_32);
    run(&s, JUMP);
    run(&s, FLAT_WR);
    run(&s, MESSAGE);
    wave_end(&s, 1, 0, 0);
    wave_end(&s, 2, 1, 4);
    expect(&s, "gfx9\n"
               "wave cu 1 simd 0 slot 0 contexts 0: 0 to 76\n"
               " 4 +4 -0 smem 0:1000\n"
               " 8 +40 -40 immed 0:1008\n"
               " 48 +4 -0 valu 0:100c\n"
               " 52 +4 -0 next 0:1010\n"
               " 56 +4 -0 jump 0:1014\n"
               " 60 +4 -4 immed 0:1008\n"
               " 64 +4 -0 valu 0:100c\n"
               " 68 +4 -0 jump 0:1010\n"
               " 72 +4 -0 flat 0:1018\n"
               " 76 +4 -0 message 0:1020\n"
               " idle 4, exec 4, wait 40, exec 12, wait 4, exec 12, wait 4\n"
               "start 0 cu 1 simd 0 slot 0 0:1000\n"
               "start 0 cu 2 simd 1 slot 4 0:1000\n"
               "end 76 cu 1 simd 0 slot 0 0:1000\n"
               "end 76 cu 2 simd 1 slot 4 0:1000\n");
    assert_int_equal(asked, 8); /* each place once, and what is behind the end */
    piece_size = 3;             /* the same in pieces */
    char *whole = strdup(out);
    expect(&s, whole);
    free(whole);
    piece_size = 0;
    code = NULL; /* nothing is known of the code, nor what it belongs to: that is no news */
    assert_int_equal(parse(&s), STATUS(SUCCESS));
    assert_non_null(strstr(out, " 48 +4 -0 valu 0:0\n"));
    assert_null(strstr(out, "info"));
}

static const line_t calls[] = {{0x100, 4, "s_swappc_b64 s[30:31], s[4:5]"},
                               {0x104, 4, "s_ttracedata"},
                               {0x108, 4, "s_barrier"},
                               {0x10c, 4, "s_barrier"},
                               {0x110, 8, "v_mfma_f32_32x32x1f32 a[0:31], v0, v1, a[0:31]"},
                               {0x118, 8, "buffer_load_dword v0, v1, s[0:3], 0 offen"},
                               {0x120, 8, "scratch_load_dword v0, off, s32"},
                               {0x128, 8, "ds_read_b32 v0, v1"},
                               {0x130, 4, "s_endpgm"},
                               {0x800, 4, "v_add_u32_e32 v0, v0, v1"},
                               {0x804, 4, "s_setpc_b64 s[30:31]"},
                               {0}};

/* In a code object at 0x7f0000000000: calls, a barrier of two tokens and one of one, what has units
 * of its own. What is never in traces, as some immediate instructions, is passed over. */
static void calls_and_units(void **state)
{
    const uint64_t base = UINT64_C(0x7f0000000000);
    stream_t s;
    (void)state;
    code = calls;
    code_id = 7;
    header(&s);
    rocm(&s);
    code_object(&s, 7, base, 0x2000);
    kernel(&s, base + 0x100);
    wave_start(&s, 1, 0, 0, 64);
    run(&s, SET_PC);
    inst_pc(&s, 0, 0, base + 0x800);
    run(&s, VALU_32);
    run(&s, SET_PC);
    inst_pc(&s, 0, 0, base + 0x104);
    run(&s, MESSAGE); /* the first barrier: s_ttracedata has left nothing */
    immediate(&s);
    immediate(&s); /* the second */
    run(&s, MATRIX);
    run(&s, VMEM_RD);
    run(&s, FLAT_RD);
    run(&s, LDS);
    run(&s, MESSAGE);
    wave_end(&s, 1, 0, 0);
    expect(&s, "gfx9\n"
               "wave cu 1 simd 0 slot 0 contexts 0: 0 to 44\n"
               " 4 +4 -0 salu 7:100\n"
               " 8 +4 -0 valu 7:800\n"
               " 12 +4 -0 salu 7:804\n"
               " 16 +4 -0 message 7:108\n"
               " 20 +4 -4 immed 7:108\n"
               " 24 +4 -4 immed 7:10c\n"
               " 28 +4 -0 valu 7:110\n"
               " 32 +4 -0 vmem 7:118\n"
               " 36 +4 -0 flat 7:120\n"
               " 40 +4 -0 lds 7:128\n"
               " 44 +4 -0 message 7:130\n"
               " idle 4, exec 16, wait 8, exec 16, wait 4\n"
               "start 0 cu 1 simd 0 slot 0 7:100\n"
               "end 44 cu 1 simd 0 slot 0 7:100\n");
    code_id = 8; /* the object is told of, its code is not known */
    assert_int_equal(parse(&s), STATUS(SUCCESS));
    assert_non_null(strstr(out, " 8 +4 -0 valu 0:0\n"));
    assert_non_null(strstr(out, "info 2\n"));
}

/* An instruction that could not be issued at once; two that wait for their kinds at a time; memory
 * that is asked again. */
static void stalls(void **state)
{
    static const line_t lines[] = {{0x100, 4, "v_nop"},
                                   {0x104, 8, "global_load_dword v0, v[0:1], off"},
                                   {0x10c, 4, "s_add_u32 s0, s0, s1"},
                                   {0x110, 4, "s_endpgm"},
                                   {0}};
    stream_t s;
    (void)state;
    code = lines;
    code_id = 0;
    header(&s);
    kernel(&s, 0x100);
    wave_start(&s, 1, 0, 0, 64);
    pass(&s, 1);
    issue(&s, 0, 0, STALLED); /* 4 */
    pass(&s, 3);
    issue(&s, 0, 0, STALLED); /* 16 */
    pass(&s, 2);
    issue(&s, 0, 0, ISSUED); /* 24: stalled since it said so last */
    pass(&s, 2);
    inst(&s, 0, 0, VALU_32); /* 32 */
    issue(&s, 0, 0, ISSUED); /* 32 */
    pass(&s, 1);
    issue(&s, 0, 0, ISSUED); /* 36 */
    pass(&s, 1);
    inst(&s, 0, 0, FLAT_RD); /* 40, of the one at 32, which the one at 36 cuts short */
    pass(&s, 1);
    inst(&s, 0, 0, SALU_32); /* 44 */
    pass(&s, 5);
    issue(&s, 0, 0, ISSUED);
    inst(&s, 0, 0, REPLAY_FLAT_RD); /* 64: the load took until then */
    run(&s, MESSAGE);
    wave_end(&s, 1, 0, 0);
    expect(&s, "gfx9\n"
               "wave cu 1 simd 0 slot 0 contexts 0: 0 to 68\n"
               " 16 +16 -8 valu 0:100\n"
               " 32 +36 -32 flat 0:104\n"
               " 36 +8 -0 salu 0:10c\n"
               " 44 +28 -0 message 0:110\n" /* what it waits for the replay, too */
               " idle 4, stall 20, exec 20, wait 28\n"
               "start 0 cu 1 simd 0 slot 0 0:100\n"
               "end 68 cu 1 simd 0 slot 0 0:100\n");
}

/* Time: a reset takes the stamp behind it, the first of them as 4 clocks ago; what stands between
 * is timed after the correction. */
static void resets(void **state)
{
    stream_t s;
    (void)state;
    header(&s);
    misc(&s, 1);
    stamp(&s, 1000000);
    pass(&s, 255); /* 1020 */
    wave_start(&s, 3, 0, 0, 64);
    misc(&s, 1);
    put(&s, 4, 2); /* WAVE_ALLOC, nothing to say */
    stamp(&s, 1000000 + 4 + 50001);
    wave_end(&s, 3, 0, 0);
    stamp(&s, 5000000); /* not asked for */
    wave_start(&s, 3, 0, 0, 64);
    misc(&s, 1);
    misc(&s, 1); /* one without a stamp */
    stamp(&s, 1000000 + 4 + 50100);
    wave_end(&s, 3, 0, 0);
    expect(&s, "gfx9\n"
               "start 1020 cu 3 simd 0 slot 0 0:0\n"
               "end 50000 cu 3 simd 0 slot 0 0:0\n"
               "start 50000 cu 3 simd 0 slot 0 0:0\n"
               "end 50100 cu 3 simd 0 slot 0 0:0\n");
}

/* Clocks, counters, data, code objects that go; nothing before the word that says whose marks they
 * are. */
static void marks(void **state)
{
    const uint64_t base = 0x10000;
    stream_t s;
    (void)state;
    header(&s);
    user_data(&s, 3, 5); /* ignored */
    code_object(&s, 9, base, 0x100);
    rocm(&s);
    user_data(&s, 2, 6 | 100000u << 12);
    user_data(&s, 2, 6 | 1u << 8 | 64u << 12);
    pass(&s, 2);
    user_data(&s, 3, 5);
    user_data(&s, 3, 0xfffffff0); /* low */
    user_data(&s, 3, 0x12);       /* high */
    user_data(&s, 3, 0x10);       /* low, a little later: it has gone over */
    mark(&s, 2, (uint32_t)base);
    mark(&s, 1, 0x100);
    mark(&s, 5, 0x89abcdef);
    mark(&s, 6, 0x1);
    mark(&s, 0, 0); /* the id is in the words before */
    kernel(&s, base + 0x100 - 0x100);
    wave_start(&s, 0, 2, 9, 64);
    wave_end(&s, 0, 2, 9);
    mark(&s, 5, 0x89abcdef);
    mark(&s, 6, 0x1);
    mark(&s, 0, 1);
    code_object(&s, 3, base, 0x100);
    wave_start(&s, 0, 2, 9, 64);
    wave_end(&s, 0, 2, 9);
    pass(&s, 100);
    put(&s,
        14 | 2u << 6 | 1u << 10 | 5u << 12 | UINT64_C(8191) << 25 | UINT64_C(7) << 38 |
            UINT64_C(6) << 51,
        8);
    pass(&s, 20);
    put(&s, 14 | 2u << 6 | 1u << 10 | 1u << 12, 8); /* 80 clocks later: one of zeros between */
    put(&s, 14 | 2u << 6 | 1u << 5, 8);             /* the other array's */
    put(&s, 12 | 1u << 6 | 3u << 10 | 2u << 14 | UINT64_C(0xcafe0001) << 16, 6);
    expect(&s, "gfx9\n"
               "start 8 cu 0 simd 2 slot 9 3:0\n"
               "end 8 cu 0 simd 2 slot 9 3:0\n"
               "start 8 cu 0 simd 2 slot 9 3:0\n"
               "end 8 cu 0 simd 2 slot 9 3:0\n"
               "clock 8 is 1300000010\n"
               "100000000 Hz\n"
               "data 488: cafe0001 of cu 1 simd 2 slot 3\n"
               "counters 400 cu 2 bank 1: 5 8191 7 6\n"
               "counters 480 cu 2 bank 1: 0 0 0 0\n"
               "counters 480 cu 2 bank 1: 1 0 0 0\n");
}

/* A trap is one instruction until the program goes on; a wave that is saved comes back where the
 * trace says. */
static void traps(void **state)
{
    static const line_t lines[] = {
        {0x100, 4, "s_trap 3"}, {0x104, 4, "v_nop"}, {0x108, 4, "s_endpgm"}, {0}};
    stream_t s;
    (void)state;
    code = lines;
    code_id = 0;
    header(&s);
    kernel(&s, 0x100);
    wave_start(&s, 1, 0, 0, 64);
    immediate(&s);    /* 4: s_trap */
    run(&s, TO_TRAP); /* 8 */
    run(&s, SALU_32); /* the handler's are its own */
    run(&s, SET_PC);  /* 16: and back */
    inst_pc(&s, 0, 0, 0x104);
    run(&s, VALU_32);
    misc(&s, 6); /* saved */
    wave_start(&s, 1, 0, 0, 65);
    run(&s, SALU_32);
    wave_start(&s, 1, 0, 0, 65);
    run(&s, SET_PC);
    inst_pc(&s, 0, 0, 0x108);
    run(&s, MESSAGE);
    wave_end(&s, 1, 0, 0);
    expect(&s, "gfx9\n"
               "wave cu 1 simd 0 slot 0 contexts 1: 0 to 32\n"
               " 4 +4 -4 immed 0:100\n"
               " 8 +12 -0 context 0:0\n"
               " 20 +4 -0 valu 0:104\n"
               " 20 +12 -0 context 0:0\n"
               " 32 +4 -0 message 0:108\n"
               " idle 4, wait 4, exec 24, wait 4\n"
               "start 0 cu 1 simd 0 slot 0 0:100\n"
               "end 32 cu 1 simd 0 slot 0 0:100\n");
}

/* A trace that lost packets, whose waves began before it or end after it. */
static void losses(void **state)
{
    stream_t s;
    (void)state;
    code = straight;
    code_id = 0;
    header(&s);
    pass(&s, 5);
    wave_end(&s, 2, 0, 0); /* ran when the trace began */
    misc(&s, 2);
    wave_end(&s, 2, 0, 1);
    run(&s, VALU_32); /* of a wave whose start was lost: its place is not known */
    kernel(&s, 0x1000);
    wave_start(&s, 1, 1, 0, 64);
    pass(&s, 1);
    issue(&s, 1, 0, ISSUED);
    inst(&s, 1, 0, SMEM_RD);
    issue(&s, 1, 9, ISSUED); /* of no wave */
    put(&s, 11, 3);          /* cut */
    expect(&s, "gfx9\n"
               "wave cu 1 simd 0 slot 0 contexts 0: 24 to 24\n"
               "wave cu 1 simd 1 slot 0 contexts 0: 24 to 36\n"
               " 28 +4 -0 smem 0:1000\n"
               " idle 4\n"
               "start 0 cu 2 simd 0 slot 0 0:0\n"
               "end 20 cu 2 simd 0 slot 0 0:0\n"
               "start 24 cu 1 simd 1 slot 0 0:1000\n"
               "info 1\n"
               "info 3\n");
}

/* What comes last: the waiting before an s_endpgm is part of it, when its kind is told makes no
 * difference, and the rest of the wave is idle. Both versions of the interface say so. */
static const struct {
    unsigned before, stall, told, end; /* in units of 4 clocks */
    const char *text;
} ends[] = {
    {1, 0, 0, 0, " 8 +4 -0 message 0:104\n idle 4, exec 4, wait 4\n"},
    {5, 0, 0, 1, " 8 +20 -0 message 0:104\n idle 4, exec 4, wait 20\n"},
    {5, 0, 2, 1, " 8 +20 -0 message 0:104\n idle 4, exec 4, wait 20, idle 8\n"},
    {3, 2, 0, 2, " 16 +12 -8 message 0:104\n idle 4, exec 12, stall 12, idle 4\n"},
};

static status_t parse_second(const stream_t *s)
{
    rocprof_trace_decoder_handle_t handle;
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_create_handle(&handle), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_set_isa_callback(handle, isa, NULL), STATUS(SUCCESS));
    const status_t status = rocprof_trace_decoder_parse(handle, s->bytes, s->size, take, NULL);
    assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(SUCCESS));
    return status;
}

static void last_message(void **state)
{
    static const line_t two[] = {{0x100, 4, "v_nop"}, {0x104, 4, "s_endpgm"}, {0}};
    stream_t s;
    char text[256];
    (void)state;
    code = two;
    code_id = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        header(&s);
        kernel(&s, 0x100);
        wave_start(&s, 1, 0, 0, 64);
        run(&s, VALU_32);
        pass(&s, ends[i].before);
        if (ends[i].stall) {
            issue(&s, 0, 0, STALLED);
            pass(&s, ends[i].stall);
        }
        issue(&s, 0, 0, ISSUED);
        pass(&s, ends[i].told);
        inst(&s, 0, 0, MESSAGE);
        pass(&s, ends[i].end);
        wave_end(&s, 1, 0, 0);
        snprintf(text, sizeof text, "contexts 0: 0 to %u\n 4 +4 -0 valu 0:100\n%s",
                 4 * (1 + ends[i].before + ends[i].stall + ends[i].told + ends[i].end),
                 ends[i].text);
        assert_int_equal(parse(&s), STATUS(SUCCESS));
        if (!strstr(out, text)) fail_msg("%zu: %s and not %s", i, out, text);
        assert_int_equal(parse_second(&s), STATUS(SUCCESS));
        if (!strstr(out, text)) fail_msg("%zu, second version: %s and not %s", i, out, text);
    }
}

/* Of several stalls before an instruction it counts from the last. */
static void last_stall(void **state)
{
    static const line_t three[] = {
        {0x100, 4, "v_nop"}, {0x104, 4, "v_nop"}, {0x108, 4, "s_endpgm"}, {0}};
    stream_t s;
    (void)state;
    code = three;
    code_id = 0;
    header(&s);
    kernel(&s, 0x100);
    wave_start(&s, 1, 0, 0, 64);
    run(&s, VALU_32);
    pass(&s, 3);
    issue(&s, 0, 0, STALLED); /* 16 */
    pass(&s, 2);
    issue(&s, 0, 0, STALLED); /* 24 */
    pass(&s, 4);
    issue(&s, 0, 0, ISSUED); /* 40 */
    inst(&s, 0, 0, VALU_32);
    run(&s, MESSAGE);
    wave_end(&s, 1, 0, 0);
    expect(&s, "gfx9\n"
               "wave cu 1 simd 0 slot 0 contexts 0: 0 to 44\n"
               " 4 +4 -0 valu 0:100\n"
               " 24 +20 -16 valu 0:104\n"
               " 44 +4 -0 message 0:108\n"
               " idle 4, exec 12, stall 24, exec 4, wait 4\n"
               "start 0 cu 1 simd 0 slot 0 0:100\n"
               "end 44 cu 1 simd 0 slot 0 0:100\n");
}

/* Version 2 has dispatches, events and what waves are of; a scan has them without times. */
static void second_version(void **state)
{
    stream_t s;
    rocprof_trace_decoder_handle_t handle, none = {12345};
    (void)state;
    header(&s);
    rocm(&s);
    code_object(&s, 4, 0x8000, 0x1000);
    compute_register(&s, 0x07, 256);
    compute_register(&s, 0x08, 2);
    compute_register(&s, 0x09, 1 | 9 << 16);
    compute_register(&s, 0x0e, 0xabcd0000);
    compute_register(&s, 0x12, 3 | 2 << 7);
    compute_register(&s, 0x13, 6 << 1 | 5 << 15);
    pass(&s, 10);
    const uint64_t dispatch = s.size;
    kernel(&s, 0x8200);
    wave_start(&s, 2, 0, 0, 64);
    wave_end(&s, 2, 0, 0);
    compute_register(&s, 0x7f, 7);
    misc(&s, 4);
    misc(&s, 5);
    mark(&s, 0, 4 << 2 | 1);
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_create_handle(NULL), STATUS(ERROR_INVALID_ARGUMENT));
    assert_int_equal(rocprof_trace_decoder_create_handle(&handle), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_parse(none, s.bytes, s.size, take, NULL),
                     STATUS(ERROR_INVALID_ARGUMENT));
    assert_int_equal(rocprof_trace_decoder_parse(handle, s.bytes, s.size, NULL, NULL),
                     STATUS(ERROR_INVALID_ARGUMENT));
    assert_int_equal(rocprof_trace_decoder_parse(handle, s.bytes, s.size, take, NULL),
                     STATUS(SUCCESS));
    assert_string_equal(out,
                        "gfx9\n"
                        "event 0: 7 pipe 0 payload 4 at 96\n"
                        "dispatch 40: 256x2x1 vgprs 32 sgprs 48 user 6 lds 2560 packet abcd0000 "
                        "4:200 at 154\n"
                        "event 40: 1 pipe 0 payload 0 at 166\n"
                        "event 40: 9 pipe 0 payload 0 at 172\n"
                        "event 40: 10 pipe 0 payload 0 at 174\n"
                        "event 40: 8 pipe 0 payload 4 at 184\n"
                        "start 40 cu 2 simd 0 slot 0 4:200 ext\n"
                        "end 40 cu 2 simd 0 slot 0 4:200\n");
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_quick_scan(handle, 1, s.bytes, s.size, take, NULL),
                     STATUS(ERROR_INVALID_ARGUMENT)); /* 0 has not been */
    assert_int_equal(rocprof_trace_decoder_quick_scan(handle, 0, s.bytes, dispatch, take, NULL),
                     STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_quick_scan(handle, 1, s.bytes + dispatch,
                                                      s.size - dispatch, take, NULL),
                     STATUS(SUCCESS));
    assert_string_equal(out,
                        "gfx9\n"
                        "event 0: 7 pipe 0 payload 4 at 96\n"
                        "dispatch 0: 256x2x1 vgprs 32 sgprs 48 user 6 lds 2560 packet abcd0000 "
                        "4:200 at 12\n"
                        "event 0: 1 pipe 0 payload 0 at 24\n"
                        "event 0: 8 pipe 0 payload 4 at 42\n");
    /* what is behind the dispatch, as a trace of its own */
    uint8_t cut[1024];
    uint64_t size = 10;
    assert_int_equal(rocprof_trace_decoder_build_standalone(handle, 1, s.bytes + dispatch,
                                                            s.size - dispatch, 12, 24, cut, &size),
                     STATUS(ERROR_OUT_OF_RESOURCES));
    assert_true(size > 100 && size < sizeof cut);
    assert_int_equal(rocprof_trace_decoder_build_standalone(handle, 1, s.bytes + dispatch,
                                                            s.size - dispatch, 12, 24, cut, &size),
                     STATUS(SUCCESS));
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_parse(handle, cut, size, take, NULL), STATUS(SUCCESS));
    assert_non_null(strstr(out, "start 0 cu 2 simd 0 slot 0 4:200 ext\n"));
    assert_int_equal(rocprof_trace_decoder_build_standalone(handle, 1, s.bytes + dispatch,
                                                            s.size - dispatch, 13, 24, cut, &size),
                     STATUS(ERROR_INVALID_ARGUMENT)); /* inside a token */
    assert_int_equal(rocprof_trace_decoder_flush_chunk(handle, 0), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_flush_chunk(handle, 0), STATUS(ERROR_INVALID_ARGUMENT));
    assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(ERROR_INVALID_ARGUMENT));
}

/* Matrix instructions that load scales first: with time before it and behind it, with neither. */
static void scales(void **state)
{
    static const line_t lines[] = {{0x100, 4, "v_nop"},
                                   {0x104, 16, "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7]"},
                                   {0x114, 4, "v_nop"},
                                   {0x118, 16, "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7]"},
                                   {0x128, 4, "v_nop"},
                                   {0x12c, 4, "s_endpgm"},
                                   {0}};
    stream_t s;
    (void)state;
    code = lines;
    code_id = 0;
    header(&s);
    kernel(&s, 0x100);
    wave_start(&s, 1, 0, 0, 64);
    run(&s, VALU_32); /* 4 */
    pass(&s, 3);
    run(&s, MATRIX); /* 20 */
    pass(&s, 3);
    run(&s, VALU_32); /* 36 */
    run(&s, MATRIX);  /* 40 */
    run(&s, VALU_32); /* 44 */
    run(&s, MESSAGE);
    wave_end(&s, 1, 0, 0);
    assert_int_equal(parse(&s), STATUS(SUCCESS));
    assert_non_null(strstr(out, " 4 +4 -0 valu 0:100\n"
                                " 16 +12 -0 valu 0:104\n"
                                " 36 +4 -0 valu 0:114\n"
                                " 40 +4 -0 valu 0:118\n"
                                " 44 +4 -0 valu 0:128\n"));
}

static unsigned listed;

static void list(int64_t time, const char *type, const char *info, void *user)
{
    (void)time, (void)user;
    listed++;
    assert_true(*type && *info);
}

static void refusals(void **state)
{
    stream_t s = {0};
    (void)state;
    assert_int_equal(rocprof_trace_decoder_parse_data(NULL, take, isa, NULL),
                     STATUS(ERROR_INVALID_ARGUMENT));
    assert_int_equal(rocprof_trace_decoder_parse_data(give, NULL, isa, NULL),
                     STATUS(ERROR_INVALID_ARGUMENT));
    assert_int_equal(parse(&s), STATUS(ERROR_INVALID_SHADER_DATA)); /* nothing */
    put(&s, 0x11 | 2 << 13, 8);                                     /* another generation */
    assert_int_equal(parse(&s), STATUS(ERROR_INVALID_SHADER_DATA));
    assert_string_equal(out, "");
    header(&s);
    wave_start(&s, 2, 0, 0, 64);
    wave_end(&s, 2, 0, 0);
    answer = STATUS(ERROR);
    assert_int_equal(parse(&s), STATUS(ERROR)); /* the callback's */
    assert_string_equal(out, "gfx9\n");
    answer = STATUS(SUCCESS);
    assert_int_equal(rocprof_trace_decoder_dump_data((char *)s.bytes, s.size, list, NULL),
                     STATUS(SUCCESS));
    assert_int_equal(listed, 2);
    assert_int_equal(rocprof_trace_decoder_dump_data((char *)s.bytes, 4, list, NULL),
                     STATUS(ERROR_INVALID_SHADER_DATA));
    for (int i = -1; i < 8; i++) {
        assert_true(*rocprof_trace_decoder_get_status_string((status_t)i));
        assert_true(
            *rocprof_trace_decoder_get_info_string((rocprofiler_thread_trace_decoder_info_t)i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_on),  cmocka_unit_test(calls_and_units),
        cmocka_unit_test(stalls),       cmocka_unit_test(resets),
        cmocka_unit_test(marks),        cmocka_unit_test(traps),
        cmocka_unit_test(losses),       cmocka_unit_test(second_version),
        cmocka_unit_test(last_message), cmocka_unit_test(last_stall),
        cmocka_unit_test(scales),       cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
