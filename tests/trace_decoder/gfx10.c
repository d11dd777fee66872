/* gfx10.c - the decoder of thread traces of gfx10, gfx11 and gfx12, by traces made token by token
 * and records worked out by hand from the rules of the formats (docs/att.md). */
#include "../tool.h"
#include "packed.h"
#include "records.h"

#include <inttypes.h>
#include <stdlib.h>

/* Most traces here are of this SIMD and these waves. */
static const where_t traced = {1, 2, 1, 3}, elsewhere = {0, 2, 1, 3};

static void expect_of(packed_t *p, const char *generation, const char *records)
{
    assert_int_equal(parse(&p->s), STATUS(SUCCESS));
    assert_memory_equal(out, generation, strlen(generation));
    assert_string_equal(out + strlen(generation), records);
}

/* ---- instructions ---- */

static const line_t straight[] = {{0x1000, 8, "s_load_b64 s[0:1], s[4:5], null"},
                                  {0x1008, 4, "s_waitcnt lgkmcnt(0)"},
                                  {0x100c, 4, "v_mov_b32_e32 v0, s0"},
                                  {0x1010, 4, "s_delay_alu instid0(VALU_DEP_1)"},
                                  {0x1014, 4, "s_cbranch_scc1 1"},
                                  {0x1018, 4, "s_branch 65531"},
                                  {0x101c, 8, "global_store_b32 v0, v1, s[0:1]"},
                                  {0x1024, 4, "s_endpgm"},
                                  {0}};

/* A load that could not be issued at once: ready in the clock before, which the token behind it
 * says; a wait; branches not taken, taken back, taken on; a store of two cycles; s_endpgm, which
 * has no token. */
static void straight_of(unsigned generation, unsigned store, const char *name)
{
    packed_t p;
    code = straight;
    code_id = 0;
    begin(&p, generation, traced, 0);
    entry(&p, 1, 0x1000);
    passed(&p, 1000, 0);
    starts(&p, 2, traced, 1, LANES_32); /* 1002 */
    starts(&p, 0, elsewhere, 1, LANES_32);
    inst_kind(&p, 3, 3, 1); /* 1005: loads */
    readies(&p, 0, 1 << 3 | 1 << 5);
    immed(&p, 7, 3);        /* 1012 */
    valu(&p, 1, 3);         /* 1013 */
    inst_kind(&p, 2, 3, 4); /* 1015: goes on */
    pad(&p);
    inst_kind(&p, 1, 3, 3);     /* 1016: goes back */
    immeds(&p, 1, 1 << 3 | 1);  /* 1017 */
    valu(&p, 1, 3);             /* 1018 */
    inst_kind(&p, 1, 3, 3);     /* 1019 */
    inst_kind(&p, 2, 3, store); /* 1021 */
    ends(&p, 7, traced);        /* 1028 */
    wait_for(&p, 12);
    ends(&p, 0, elsewhere); /* 1040 */
    expect_of(&p, name,
              "wave cu 130 simd 1 slot 3 contexts 0: 1002 to 1028\n"
              " 1004 +2 -1 smem 0:1000\n"
              " 1006 +7 -6 immed 0:1008\n"
              " 1013 +1 -0 valu 0:100c\n"
              " 1015 +1 -0 next 0:1014\n"
              " 1016 +1 -0 jump 0:1018\n"
              " 1017 +1 -0 immed 0:1008\n"
              " 1018 +1 -0 valu 0:100c\n"
              " 1019 +1 -0 jump 0:1014\n"
              " 1021 +2 -0 vmem 0:101c\n"
              " 1023 +5 -0 message 0:1024\n"
              " idle 2, stall 1, exec 1, wait 7, exec 4, wait 1, exec 10\n"
              "start 1002 cu 130 simd 1 slot 3 0:1000\n"
              "start 1002 cu 2 simd 1 slot 3 0:1000\n"
              "end 1028 cu 130 simd 1 slot 3 0:1000\n"
              "end 1040 cu 2 simd 1 slot 3 0:1000\n");
    piece_size = 5; /* the same in pieces */
    char *whole = strdup(out);
    expect(&p.s, whole);
    free(whole);
    piece_size = 0;
}

static void straight_on(void **state)
{
    (void)state;
    straight_of(10, 37, "gfx10\n");
    straight_of(11, 36, "gfx11\n");
}

static const line_t of_gfx12[] = {
    {0x100, 8, "s_load_b64 s[0:1], s[4:5], 0x0"},
    {0x108, 4, "s_wait_kmcnt 0x0"},
    {0x10c, 4, "s_wait_alu 0xfffe"},
    {0x110, 4, "s_barrier_signal -1"},
    {0x114, 4, "s_barrier_wait -1"},
    {0x118, 8, "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]"},
    {0x120, 8, "v_add_f64 v[0:1], v[0:1], v[2:3]"},
    {0x128, 8, "buffer_store_b128 v[0:3], v4, s[0:3], null offen"},
    {0x130, 4, "s_mul_f32 s0, s0, s1"},
    {0x134, 4, "s_endpgm"},
    {0}};

/* Ready in the clock that its token is of; what a signal and a wait at a barrier leave; kinds that
 * gfx12 alone has; double precision at a quarter of the rate; a start with a workgroup, and
 * words behind it that mean something else. */
static void of_gfx12_alone(void **state)
{
    packed_t p;
    (void)state;
    code = of_gfx12;
    code_id = 0;
    begin(&p, 12, traced, UINT64_C(3) << 28);
    entry(&p, 0, 0x100);
    starts(&p, 0, traced, 0, LANES_32);
    /* another wave, in the long form: workgroup 19 of pipe 2 */
    bits(&p,
         0x1c | 1u << 5 | 1u << 8 | 9u << 10 | 4u << 15 | 2u << 20 | UINT64_C(63) << 25 |
             UINT64_C(19) << 33,
         40);
    bits(&p, 0xe1, 8);      /* more about it */
    readies(&p, 4, 1 << 3); /* 5 */
    inst_kind(&p, 3, 3, 1); /* 8 */
    immed(&p, 6, 3);        /* 14: the wait; s_wait_alu leaves nothing */
    inst_kind(&p, 1, 3, 122);
    inst_kind(&p, 7, 3, 19); /* 22: at the barrier */
    inst_kind(&p, 2, 3, 140);
    wait_for(&p, 10);
    inst_kind(&p, 0, 3, 146); /* 34 */
    inst_kind(&p, 6, 3, 52);  /* 40: 4 cycles */
    inst_kind(&p, 5, 3, 152); /* 45 */
    inst_kind(&p, 1, 0, 190); /* of another SIMD */
    ends(&p, 4, traced);      /* 50 */
    expect_of(&p, "gfx12\n",
              "wave cu 130 simd 1 slot 3 contexts 0: 0 to 50\n"
              " 5 +4 -3 smem 0:100\n"
              " 9 +6 -5 immed 0:108\n"
              " 15 +1 -0 message 0:110\n"
              " 16 +7 -6 immed 0:114\n"
              " 24 +8 -0 valu 0:118\n"
              " 34 +4 -0 valu 0:120\n"
              " 40 +4 -0 vmem 0:128\n"
              " 45 +3 -0 salu 0:130\n"
              " 48 +2 -0 message 0:134\n"
              " idle 5, stall 3, exec 1, wait 6, exec 1, wait 7, exec 27\n"
              "start 0 cu 130 simd 1 slot 3 0:100\n"
              "start 1 cu 9 simd 1 slot 4 0:0\n"
              "end 50 cu 130 simd 1 slot 3 0:100\n"
              "other 46: vmem of 3 cycles, unit 130\n");
}

static const line_t meeting[] = {{0x100, 4, "s_barrier_signal -1"},
                                 {0x104, 4, "s_barrier_wait -1"},
                                 {0x108, 4, "s_wait_dscnt 0x0"},
                                 {0x10c, 4, "v_nop"},
                                 {0x110, 4, "s_barrier_signal -1"},
                                 {0x114, 4, "s_barrier_wait -1"},
                                 {0x118, 4, "s_wait_dscnt 0x0"},
                                 {0x11c, 4, "v_nop"},
                                 {0x120, 4, "s_endpgm"},
                                 {0}};

/* The header says that waits at barriers are left out. Of two immediate instructions one token is
 * the second's; two tokens are of both. */
static void barriers_left_out(void **state)
{
    packed_t p;
    (void)state;
    code = meeting;
    code_id = 0;
    begin(&p, 12, traced, UINT64_C(1) << 59);
    entry(&p, 0, 0x100);
    starts(&p, 0, traced, 0, LANES_32);
    inst_kind(&p, 1, 3, 122);
    immed(&p, 5, 3);
    valu(&p, 1, 3);
    inst_kind(&p, 1, 3, 122);
    immed(&p, 5, 3);
    immed(&p, 1, 3);
    valu(&p, 1, 3);
    ends(&p, 1, traced);
    expect_of(&p, "gfx12\n",
              "wave cu 130 simd 1 slot 3 contexts 0: 0 to 16\n"
              " 1 +1 -0 message 0:100\n"
              " 2 +5 -4 immed 0:108\n"
              " 7 +1 -0 valu 0:10c\n"
              " 8 +1 -0 message 0:110\n"
              " 9 +5 -4 immed 0:114\n"
              " 14 +1 -0 immed 0:118\n"
              " 15 +1 -0 valu 0:11c\n"
              " idle 1, exec 1, wait 5, exec 2, wait 6, exec 1\n"
              "start 0 cu 130 simd 1 slot 3 0:100\n"
              "end 16 cu 130 simd 1 slot 3 0:100\n");
}

static const line_t calls[] = {{0x100, 4, "s_swappc_b64 s[30:31], s[4:5]"},
                               {0x104, 4, "s_barrier"},
                               {0x108, 8, "flat_load_b32 v0, v[0:1]"},
                               {0x110, 8, "ds_load_b32 v0, v1"},
                               {0x118, 8, "image_bvh_intersect_ray v[0:3], v[0:10], s[0:3]"},
                               {0x120, 8, "v_exp_f32_e64 v0, v1"},
                               {0x128, 4, "s_setpc_b64 s[6:7]"},
                               {0x800, 4, "v_add_nc_u32_e32 v0, v0, v1"},
                               {0x804, 4, "s_setpc_b64 s[30:31]"},
                               {0x900, 4, "s_endpgm"},
                               {0}};

/* In a code object at 0x7f0000000000: a call; a barrier, told when the wave arrives, which lasts
 * until the next token; units of memory; a jump whose goal is told behind the wave's end. */
static void calls_of(unsigned generation, const unsigned *kinds, int flat, const char *name)
{
    const uint64_t base = UINT64_C(0x7f0000000000);
    char records[1024];
    packed_t p;
    code = calls;
    code_id = 7;
    begin(&p, generation, traced, 0);
    mark_object(&p, 7, base, 0x2000);
    entry(&p, 0, base + 0x100);
    starts(&p, 0, traced, 0, LANES_64);
    inst_kind(&p, 1, 3, 5);
    goes_to(&p, 0, 3, base + 0x800);
    valu(&p, 1, 3);
    inst_kind(&p, 1, 3, 5);
    goes_to(&p, 0, 3, base + 0x104);
    inst_kind(&p, 3, 3, 19); /* 6 */
    wait_for(&p, 14);
    inst_kind(&p, 0, 3, kinds[0]); /* 20: flat */
    inst_kind(&p, 6, 3, kinds[1]); /* 26: LDS */
    inst_kind(&p, 1, 3, 105);      /* 27: 11 cycles */
    wait_for(&p, 11);
    inst_kind(&p, 0, 3, 11); /* 38 */
    inst_kind(&p, 4, 3, 5);  /* 42 */
    ends(&p, 3, traced);     /* 45 */
    goes_to(&p, 2, 3, base + 0x900);
    snprintf(records, sizeof records,
             "wave cu 130 simd 1 slot 3 contexts 0: 0 to 45\n"
             " 1 +1 -0 salu 7:100\n"
             " 2 +1 -0 valu 7:800\n"
             " 3 +1 -0 salu 7:804\n"
             " 4 +16 -2 message 7:104\n"
             " 20 +%d -0 flat 7:108\n"
             " 26 +1 -0 lds 7:110\n"
             " 27 +11 -0 bvh 7:118\n"
             " 38 +4 -0 valu 7:120\n"
             " 42 +1 -0 salu 7:128\n"
             " 43 +2 -0 message 7:900\n"
             " idle 1, exec 3, wait 17, exec 24\n"
             "start 0 cu 130 simd 1 slot 3 7:100\n"
             "end 45 cu 130 simd 1 slot 3 7:100\n",
             flat);
    expect_of(&p, name, records);
}

static void calls_and_units(void **state)
{
    (void)state;
    calls_of(10, (const unsigned[]){30, 41}, 1, "gfx10\n");
    calls_of(11, (const unsigned[]){28, 41}, 2, "gfx11\n");
}

/* Where no lane is on, vector and memory instructions are passed over, which an immediate token
 * tells. */
static void passed_over(void **state)
{
    static const line_t lines[] = {{0x100, 4, "s_and_saveexec_b32 s0, vcc_lo"},
                                   {0x104, 4, "v_mov_b32_e32 v0, 1"},
                                   {0x108, 8, "global_load_b32 v0, v[0:1], off"},
                                   {0x110, 4, "s_or_b32 exec_lo, exec_lo, s0"},
                                   {0x114, 4, "s_endpgm"},
                                   {0}};
    packed_t p;
    (void)state;
    code = lines;
    code_id = 0;
    begin(&p, 11, traced, 0);
    entry(&p, 0, 0x100);
    starts(&p, 0, traced, 0, LANES_32);
    inst_kind(&p, 1, 3, 114);
    immed(&p, 1, 3);
    immed(&p, 1, 3);
    inst_kind(&p, 1, 3, 0);
    ends(&p, 2, traced);
    expect_of(&p, "gfx11\n",
              "wave cu 130 simd 1 slot 3 contexts 0: 0 to 6\n"
              " 1 +1 -0 salu 0:100\n"
              " 2 +1 -0 immed 0:104\n"
              " 3 +1 -0 immed 0:108\n"
              " 4 +1 -0 salu 0:110\n"
              " 5 +1 -0 message 0:114\n"
              " idle 1, exec 1, wait 2, exec 2\n"
              "start 0 cu 130 simd 1 slot 3 0:100\n"
              "end 6 cu 130 simd 1 slot 3 0:100\n");
}

/* ---- contexts ---- */

/* A trap and the way back; a context that is saved, and restored in a slot where nobody knows its
 * wave: where that goes on is told. */
static void traps(void **state)
{
    static const line_t lines[] = {{0x100, 4, "s_nop 0"},
                                   {0x104, 4, "v_nop"},
                                   {0x108, 4, "v_nop"},
                                   {0x10c, 4, "s_endpgm"},
                                   {0}};
    const where_t next = {1, 2, 1, 4};
    packed_t p;
    (void)state;
    code = lines;
    code_id = 0;
    begin(&p, 11, traced, 0);
    entry(&p, 0, 0x100);
    starts(&p, 0, traced, 0, LANES_32);
    immed(&p, 1, 3);
    inst_kind(&p, 1, 3, 6); /* 2 */
    valu(&p, 3, 3);         /* the handler's */
    inst_kind(&p, 4, 3, 117);
    goes_to(&p, 0, 3, 0x104); /* 9 */
    valu(&p, 1, 3);           /* 10 */
    misc_bits(&p, 2, 1 << 3); /* 12: contexts are saved */
    valu(&p, 1, 3);
    starts(&p, 1, traced, 0, SAVED);
    ends(&p, 1, traced); /* 15 */
    starts(&p, 1, next, 0, RESTORED);
    inst_kind(&p, 4, 4, 117); /* 20 */
    goes_to(&p, 0, 4, 0x108);
    valu(&p, 1, 4);
    ends(&p, 2, next); /* 23 */
    expect_of(&p, "gfx11\n",
              "wave cu 130 simd 1 slot 3 contexts 1: 0 to 15\n"
              " 1 +1 -0 immed 0:100\n"
              " 2 +8 -0 context 0:0\n"
              " 10 +1 -0 valu 0:104\n"
              " 14 +1 -0 context 0:0\n"
              " idle 1, wait 1, exec 13\n"
              "wave cu 130 simd 1 slot 4 contexts 1: 16 to 23\n"
              " 21 +1 -0 valu 0:108\n"
              " 22 +1 -0 message 0:10c\n"
              " idle 5, exec 2\n"
              "start 0 cu 130 simd 1 slot 3 0:100\n"
              "end 14 cu 130 simd 1 slot 3 0:100\n"
              "start 16 cu 130 simd 1 slot 4 0:0\n"
              "end 23 cu 130 simd 1 slot 4 0:0\n");
}

/* ---- losses ---- */

/* Tokens were lost: a slot in which a wave begins twice was left between; an end without a
 * beginning tells nothing. A wave that has no end, one that ran before the trace. */
static void losses_of(unsigned generation, const char *name)
{
    packed_t p;
    code = NULL;
    begin(&p, generation, traced, 0);
    wait_for(&p, 5);
    ends(&p, 0, elsewhere); /* 5: it has run before */
    starts(&p, 1, traced, 0, LANES_32);
    valu(&p, 1, 3);
    if (generation == 10)
        misc_bits(&p, 0, 1);
    else
        passed(&p, 0, 1);
    starts(&p, 2, traced, 0, LANES_32); /* 9 */
    ends(&p, 1, elsewhere);
    valu(&p, 1, 3);
    expect_of(&p, name,
              "wave cu 130 simd 1 slot 3 contexts 0: 6 to 12\n"
              " 7 +1 -0 valu 0:0\n"
              " idle 1\n"
              "wave cu 130 simd 1 slot 3 contexts 0: 9 to 16\n"
              " 11 +1 -0 valu 0:0\n"
              " idle 2\n"
              "start 0 cu 2 simd 1 slot 3 0:0\n"
              "end 5 cu 2 simd 1 slot 3 0:0\n"
              "start 6 cu 130 simd 1 slot 3 0:0\n"
              "end 8 cu 130 simd 1 slot 3 0:0\n"
              "start 9 cu 130 simd 1 slot 3 0:0\n"
              "info 1\n"
              "info 3\n");
}

static void losses(void **state)
{
    (void)state;
    losses_of(10, "gfx10\n");
    losses_of(11, "gfx11\n");
    losses_of(12, "gfx12\n");
}

/* Kinds and tokens that nobody knows are told: what is behind them has no address. */
static void unknown(void **state)
{
    static const line_t lines[] = {
        {0x100, 4, "v_nop"}, {0x104, 4, "s_nop 0"}, {0x108, 4, "v_nop"}, {0}};
    packed_t p;
    (void)state;
    code = lines;
    code_id = 0;
    begin(&p, 11, traced, 0);
    entry(&p, 0, 0x100);
    starts(&p, 0, traced, 0, LANES_32);
    valu(&p, 1, 3);
    inst_kind(&p, 1, 3, 67);
    valu(&p, 1, 3);
    ends(&p, 1, traced);
    expect_of(&p, "gfx11\n",
              "wave cu 130 simd 1 slot 3 contexts 0: 0 to 4\n"
              " 1 +1 -0 valu 0:100\n"
              " 2 +1 -0 none 0:0\n"
              " 3 +1 -0 valu 0:0\n"
              " idle 1, exec 3\n"
              "start 0 cu 130 simd 1 slot 3 0:100\n"
              "end 4 cu 130 simd 1 slot 3 0:100\n"
              "info 2\n"
              "info 24\n");
    begin(&p, 11, traced, 0);
    bits(&p, 7, 4); /* nothing begins so */
    pad(&p);
    starts(&p, 1, elsewhere, 0, LANES_32);
    expect_of(&p, "gfx11\n", "start 1 cu 2 simd 1 slot 3 0:0\ninfo 24\n");
    begin(&p, 12, traced, 0);
    bits(&p, 0x6, 4); /* with the next bits 0x26, which in five bits is a token of gfx11 */
    inst_kind(&p, 0, 0, 0);
    starts(&p, 1, elsewhere, 0, LANES_32);
    expect_of(&p, "gfx12\n", "start 1 cu 2 simd 1 slot 3 0:0\ninfo 24\n");
    begin(&p, 12, traced, 0);
    bits(&p, 0x11 | 3 << 7, 64); /* a header of another stream */
    expect_of(&p, "gfx12\n", "info 24\n");
    const char *text =
        rocprof_trace_decoder_get_info_string(ROCPROFILER_THREAD_TRACE_DECODER_INFO_TOKENS_UNKNOWN);
    assert_memory_equal(text, "unknown tokens:", strlen("unknown tokens:"));
}

/* ---- the rest ---- */

/* Shader data of both lengths, of no lane, of a trap handler; clocks. */
static void data_and_clocks(void **state)
{
    packed_t p;
    (void)state;
    code = NULL;
    begin(&p, 11, traced, 0);
    data_token(&p, 3, traced, 0x89abcdef);
    data_short(&p, 2, elsewhere, 0xa5, 0);
    data_short(&p, 1, elsewhere, 0xa6, 1); /* of no lane */
    real(&p, UINT64_C(0x987654321));
    passed(&p, 94, 0);
    real(&p, UINT64_C(0x987654399));
    expect_of(&p, "gfx11\n",
              "clock 6 is 987654321\n"
              "clock 100 is 987654399\n"
              "data 3: 89abcdef of cu 130 simd 1 slot 3\n"
              "data 5: a5 of cu 2 simd 1 slot 3 flags 1\n");
    begin(&p, 10, traced, 0);
    data_short(&p, 1, elsewhere, 0xa6, 1); /* the bit means nothing here */
    real(&p, UINT64_C(0xba9876543210));
    bits(&p, 1 | 3u << 14 | 77u << 16, 64); /* a stamp of no meaning */
    expect_of(&p, "gfx10\n",
              "clock 1 is ba9876543210\n"
              "data 1: a6 of cu 2 simd 1 slot 3 flags 1\n");
    begin(&p, 12, traced, 0);
    data_token(&p, 3, (where_t){1, 9, 1, 17}, 0x89abcdef);
    data_short(&p, 2, elsewhere, 0xa5, 2);
    real(&p, UINT64_C(0xba9876543210));
    expect_of(&p, "gfx12\n",
              "clock 5 is ba9876543210\n"
              "data 3: 89abcdef of cu 137 simd 1 slot 17\n"
              "data 5: a5 of cu 2 simd 1 slot 3 flags 3\n");
}

/* Other kinds of one SIMD's units; double precision at the header's rates. */
static void others_and_rates(void **state)
{
    packed_t p;
    (void)state;
    code = NULL;
    begin(&p, 11, traced, UINT64_C(13) << 28); /* 16 cycles; the bit above is another */
    starts(&p, 0, traced, 0, LANES_32);
    inst_kind(&p, 1, 3, 83);
    inst_kind(&p, 1, 3, 89);
    inst_kind(&p, 1, 3, 90);
    inst_kind(&p, 1, 3, 15);
    ends(&p, 1, traced);
    expect_of(&p, "gfx11\n",
              "wave cu 130 simd 1 slot 3 contexts 0: 0 to 5\n"
              " 4 +16 -0 valu 0:0\n"
              " idle 4, exec 1\n"
              "start 0 cu 130 simd 1 slot 3 0:0\n"
              "end 5 cu 130 simd 1 slot 3 0:0\n"
              "other 1: lds of 4 cycles, unit 130\n"
              "other 2: flat of 6 cycles, unit 130\n"
              "other 3: vmem of 1 cycles, unit 130\n");
    begin(&p, 12, traced, UINT64_C(2) << 28 | UINT64_C(1) << 33); /* 2 cycles, twice as many */
    starts(&p, 0, traced, 0, LANES_32);
    inst_kind(&p, 1, 3, 147);
    expect_of(&p, "gfx12\n",
              "wave cu 130 simd 1 slot 3 contexts 0: 0 to 9\n"
              " 1 +4 -0 valu 0:0\n"
              " idle 1\n"
              "start 0 cu 130 simd 1 slot 3 0:0\n"
              "info 3\n");
    begin(&p, 10, traced, 0);
    starts(&p, 0, traced, 0, LANES_32);
    inst_kind(&p, 1, 3, 79); /* of another SIMD; no source says what */
    ends(&p, 1, traced);
    expect_of(&p, "gfx10\n",
              "wave cu 130 simd 1 slot 3 contexts 0: 0 to 2\n"
              " idle 2\n"
              "start 0 cu 130 simd 1 slot 3 0:0\n"
              "end 2 cu 130 simd 1 slot 3 0:0\n"
              "other 1: none of 0 cycles, unit 130\n");
}

/* Version 2: code objects, dispatches, events; the same by a quick scan. */
static void second_version(void **state)
{
    packed_t p;
    rocprof_trace_decoder_handle_t handle;
    (void)state;
    code = NULL;
    begin(&p, 11, traced, 0); /* to byte 8 */
    mark_object(&p, 4, 0x8000, 0x1000);
    reg(&p, 1, 2, 1, 0x07, 256); /* byte 104; the last of the code object's is at 96 */
    reg(&p, 0, 2, 1, 0x08, 2);
    reg(&p, 0, 2, 1, 0x09, 1 | 9 << 16);
    reg(&p, 0, 2, 1, 0x0e, 0xabcd0000);
    reg(&p, 0, 2, 1, 0x12, 3 | 2 << 7);
    reg(&p, 0, 2, 1, 0x13, 6 << 1 | 5 << 15);
    entry(&p, 2, 0x8200);
    reg(&p, 0, 2, 1, 0x00, 1); /* the initiator, byte 168; the dispatch has its own token: */
    dispatch(&p, 4, 2, 32);    /* byte 176 */
    event_token(&p, 1, 1, 0x28, 1);
    event_token(&p, 0, 3, 0x16, 0);
    event_token(&p, 0, 3, 0x3f, 0); /* of no interest */
    misc_bits(&p, 1, 0x32);
    dispatch(&p, 0, 2, 64); /* byte 196: half as many registers */
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_create_handle(&handle), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_parse(handle, p.s.bytes, p.s.size, take, NULL),
                     STATUS(SUCCESS));
    assert_string_equal(out,
                        "gfx11\n"
                        "event 0: 7 pipe 0 payload 4 at 96\n"
                        "dispatch 5: 256x2x1 vgprs 32 sgprs 128 user 6 lds 2560 packet abcd0000 "
                        "4:200 at 176\n"
                        "event 6: 2 pipe 1 payload 0 at 184 bottom\n"
                        "event 6: 5 pipe 3 payload 0 at 187\n"
                        "event 7: 16 pipe 0 payload 0 at 193\n"
                        "event 7: 9 pipe 0 payload 0 at 193\n"
                        "event 7: 10 pipe 0 payload 0 at 193\n"
                        "dispatch 7: 256x2x1 vgprs 16 sgprs 128 user 6 lds 2560 packet abcd0000 "
                        "4:200 at 196\n");
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_quick_scan(handle, 0, p.s.bytes, p.s.size, take, NULL),
                     STATUS(SUCCESS));
    assert_string_equal(out, "gfx11\n"
                             "event 0: 7 pipe 0 payload 4 at 96\n"
                             "dispatch 0: 256x2x1 vgprs 32 sgprs 128 user 6 lds 2560 packet "
                             "abcd0000 4:200 at 176\n"
                             "dispatch 0: 256x2x1 vgprs 16 sgprs 128 user 6 lds 2560 packet "
                             "abcd0000 4:200 at 196\n");
    /* what is in bytes 176 to 186, behind 25 tokens that say what was before */
    uint8_t cut[256];
    uint64_t size = 218;
    assert_int_equal(rocprof_trace_decoder_build_standalone(handle, 0, p.s.bytes, p.s.size, 176,
                                                            187, cut, &size),
                     STATUS(ERROR_OUT_OF_RESOURCES));
    assert_int_equal(size, 219);
    assert_int_equal(rocprof_trace_decoder_build_standalone(handle, 0, p.s.bytes, p.s.size, 176,
                                                            187, cut, &size),
                     STATUS(SUCCESS));
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_parse(handle, cut, size, take, NULL), STATUS(SUCCESS));
    assert_string_equal(out,
                        "gfx11\n"
                        "event 0: 7 pipe 0 payload 4 at 144\n"
                        "dispatch 4: 256x2x1 vgprs 32 sgprs 128 user 6 lds 2560 packet abcd0000 "
                        "4:200 at 208\n"
                        "event 5: 2 pipe 1 payload 0 at 216 bottom\n");
    assert_int_equal(rocprof_trace_decoder_build_standalone(handle, 0, p.s.bytes, p.s.size, 177,
                                                            187, cut, &size),
                     STATUS(ERROR_INVALID_ARGUMENT)); /* inside a token */
    assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(SUCCESS));
}

/* A range that begins in the middle of a byte. */
static void half_bytes(void **state)
{
    packed_t p;
    rocprof_trace_decoder_handle_t handle;
    uint8_t cut[16];
    uint64_t size = sizeof cut;
    (void)state;
    begin(&p, 12, traced, 0);
    pad(&p);
    starts(&p, 1, elsewhere, 0, LANES_32); /* bits 68 to 99 */
    ends(&p, 2, elsewhere);                /* to 119 */
    assert_int_equal(rocprof_trace_decoder_create_handle(&handle), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_quick_scan(handle, 0, p.s.bytes, p.s.size, take, NULL),
                     STATUS(SUCCESS));
    assert_int_equal(
        rocprof_trace_decoder_build_standalone(handle, 0, p.s.bytes, p.s.size, 12, 15, cut, &size),
        STATUS(SUCCESS));
    assert_int_equal(size, 11);
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_parse(handle, cut, size, take, NULL), STATUS(SUCCESS));
    assert_string_equal(out, "gfx12\n"
                             "start 0 cu 2 simd 1 slot 3 0:0\n"
                             "end 2 cu 2 simd 1 slot 3 0:0\n");
    assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(SUCCESS));
}

static status_t take_groups(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                            uint64_t count, void *user)
{
    const rocprofiler_thread_trace_decoder_occupancy_t *o = records;
    (void)user;
    for (uint64_t i = 0; type == RECORD(OCCUPANCY) && i < count; i++)
        say("slot %d engine %d pipe %d group %d%s\n", o[i].wave_id, o[i].me_id, o[i].pipe_id,
            o[i].workgroup_id, o[i].is_ext ? " ext" : "");
    return STATUS(SUCCESS);
}

/* Version 2, gfx12: a start tells its workgroup in the long form alone, and only if a bit says so.
 */
static void workgroups(void **state)
{
    const uint64_t long_form =
        0x1c | 1u << 8 | 9u << 10 | 2u << 20 | 1u << 22 | UINT64_C(63) << 25 | UINT64_C(19) << 33;
    packed_t p;
    rocprof_trace_decoder_handle_t handle;
    (void)state;
    begin(&p, 12, traced, 0);
    bits(&p, long_form | 4u << 15, 40);
    wait_for(&p, 4);
    bits(&p, long_form | 5u << 15 | UINT64_C(1) << 32, 40);
    wait_for(&p, 4);
    starts(&p, 0, elsewhere, 0, LANES_32);
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_create_handle(&handle), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_parse(handle, p.s.bytes, p.s.size, take_groups, NULL),
                     STATUS(SUCCESS));
    assert_string_equal(out, "slot 4 engine 1 pipe 2 group 19 ext\n"
                             "slot 5 engine 1 pipe 2 group 0\n"
                             "slot 3 engine 0 pipe 0 group 0\n");
    assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(SUCCESS));
}

/* A register write that was lost before makes a marker's word mean nothing. */
static void dropped(void **state)
{
    packed_t p;
    rocprof_trace_decoder_handle_t handle;
    (void)state;
    begin(&p, 12, traced, 0);
    user_mark(&p, 0x434f5200);
    user_mark(&p, 524801);
    user_mark(&p, 4 | 2 << 8);
    bits(&p, 9 | 1u << 11 | UINT64_C(0xc342) << 16 | UINT64_C(0x8000) << 32, 64);
    mark_field(&p, 1, 0x100);
    mark_field(&p, 0, 5 << 2);
    entry(&p, 0, 0x8000);
    starts(&p, 0, elsewhere, 0, LANES_32);
    out_size = 0;
    assert_int_equal(rocprof_trace_decoder_create_handle(&handle), STATUS(SUCCESS));
    assert_int_equal(rocprof_trace_decoder_parse(handle, p.s.bytes, p.s.size, take, NULL),
                     STATUS(SUCCESS));
    assert_string_equal(out, "gfx12\n"
                             "event 0: 7 pipe 0 payload 5 at 64\n"
                             "start 0 cu 2 simd 1 slot 3 0:8000\n");
    assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(SUCCESS));
}

/* ---- all of the bits ---- */

static uint64_t told_bits, rest_bits;
static char told_names[1024];

static void add_up(int64_t time, const char *type, const char *info, void *user)
{
    uint64_t at = 0, count = 0;
    (void)time, (void)user;
    strcat(strcat(told_names, type), " ");
    assert_int_equal(strcmp(type, "REST")
                         ? sscanf(info, "bit %" SCNu64 ", %" SCNu64 " bits", &at, &count)
                         : sscanf(info, "bit %" SCNu64 ": %" SCNu64, &at, &count),
                     2);
    assert_int_equal(at, told_bits);
    told_bits += count;
    if (!strcmp(type, "REST")) rest_bits = count;
}

/* Every bit of a trace is in one of the lines: of tokens, of what nobody knows, of what is left. */
static void every_bit(void **state)
{
    packed_t p;
    (void)state;
    begin(&p, 12, traced, 0);
    inst_kind(&p, 1, 3, 1);
    goes_to(&p, 0, 3, 0x100);
    bits(&p, 0x1c, 40);
    bits(&p, 0x03, 8); /* more of it, though a VALU token begins so */
    wait_for(&p, 4);
    bits(&p, 0x7, 4);
    valu(&p, 1, 3);
    bits(&p, 0x31, 48);
    bits(&p, 0xe, 8);
    bits(&p, 0xf, 8);
    bits(&p, 0x05, 24);
    bits(&p, 0x66, 24);
    bits(&p, 0x56, 48);
    bits(&p, 0xe1, 32);
    reg(&p, 0, 0, 0, 0x1234, 5);
    bits(&p, 0x9, 12); /* a register's, cut off */
    told_bits = rest_bits = 0;
    *told_names = '\0';
    assert_int_equal(rocprof_trace_decoder_dump_data((char *)p.s.bytes, p.s.size, add_up, NULL),
                     STATUS(SUCCESS));
    assert_int_equal(told_bits, 8 * p.s.size);
    assert_true(rest_bits >= 12);
    assert_string_equal(told_names,
                        "HEADER INST NEW_PC WAVE_START_EXT WAVE_START_MORE TIME UNKNOWN VALU "
                        "UTIL_COUNTER ALU_EXEC VMEM_EXEC WAVE_ALLOC EXEC_COUNT_1 EXEC_COUNT_3 "
                        "EVENT_SYNC REG REST ");
}

/* ---- gfx9 ---- */

/* The word in front says which gfx9: on gfx950 a dispatch has LDS in larger pieces. */
static void versions_of_gfx9(void **state)
{
    static const struct {
        unsigned version, lds;
    } rows[] = {{4, 2560}, {5, 2560}, {6, 6400}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        stream_t s = {0};
        char records[256];
        rocprof_trace_decoder_handle_t handle;
        put(&s, 0x11 | rows[i].version << 13 | 15u << 16 | 1u << 20, 8);
        compute_register(&s, 0x13, 5 << 15);
        kernel(&s, 0x8200);
        snprintf(records, sizeof records,
                 "gfx9\ndispatch 0: 0x0x0 vgprs 8 sgprs 16 user 0 lds %u packet 0 0:8200 at 26\n",
                 rows[i].lds);
        out_size = 0;
        assert_int_equal(rocprof_trace_decoder_create_handle(&handle), STATUS(SUCCESS));
        assert_int_equal(rocprof_trace_decoder_parse(handle, s.bytes, s.size, take, NULL),
                         STATUS(SUCCESS));
        assert_string_equal(out, records);
        assert_int_equal(rocprof_trace_decoder_destroy_handle(handle), STATUS(SUCCESS));
    }
}

static void refusals(void **state)
{
    packed_t p;
    (void)state;
    for (unsigned version = 0; version < 64; version++) {
        memset(&p, 0, sizeof p);
        bits(&p, 0x11 | (uint64_t)version << 7, 64);
        assert_int_equal(parse(&p.s), version >= 1 && version <= 4
                                          ? STATUS(SUCCESS)
                                          : STATUS(ERROR_INVALID_SHADER_DATA));
    }
    begin(&p, 11, traced, 0);
    p.s.bytes[0] = 0x12; /* no header begins so */
    assert_int_equal(parse(&p.s), STATUS(ERROR_INVALID_SHADER_DATA));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_on),
        cmocka_unit_test(of_gfx12_alone),
        cmocka_unit_test(barriers_left_out),
        cmocka_unit_test(calls_and_units),
        cmocka_unit_test(passed_over),
        cmocka_unit_test(traps),
        cmocka_unit_test(losses),
        cmocka_unit_test(unknown),
        cmocka_unit_test(data_and_clocks),
        cmocka_unit_test(others_and_rates),
        cmocka_unit_test(second_version),
        cmocka_unit_test(workgroups),
        cmocka_unit_test(dropped),
        cmocka_unit_test(half_bytes),
        cmocka_unit_test(every_bit),
        cmocka_unit_test(versions_of_gfx9),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
