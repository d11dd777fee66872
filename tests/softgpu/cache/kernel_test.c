/* kernel_test.c - cache counters of whole kernels, programmed and read by packets.
 *
 * Every kernel finds a buffer in s[2:3] and its byte offset per lane in v0; expected numbers follow
 * from docs/counter-model.md and are worked out beside each. The kernel's own code and arguments go
 * through the scalar caches: they are in TCC's requests, and only there. */
#include "asm.h"
#include "cache_events.h"
#include "counting.h"

#include <hsa/hsa.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ENGINES = 4, CUS = 2, CHANNELS = 32, BUFFER = 1 << 20, MAX_EVENTS = 12 };

typedef struct {
    counting_block_t block;
    unsigned event;
    uint64_t value;
} expected_t;

#define TCP_(name) TCP, EVENT(TCP_##name)
#define TCC_(name) TCC, EVENT(TCC_##name)
#define SQ_(name)  SQ, EVENT(name)

/* v0 = 4 * global id, s[2:3] = the buffer. */
#define HEAD                                                                                       \
    "s_load_dwordx2 s[6:7], s[0:1], 0x0\n v_lshlrev_b32 v0, 2, v0\n s_lshl_b32 s5, s2, 8\n"        \
    " v_add_u32 v0, s5, v0\n s_waitcnt lgkmcnt(0)\n s_mov_b64 s[2:3], s[6:7]\n"
#define TAIL "s_waitcnt vmcnt(0) lgkmcnt(0)\n s_endpgm\n"

static rig_dispatch_t dispatch_of(counting_t *c, const char *text, uint32_t items, uint32_t group)
{
    const uint64_t args = rig_alloc(c->rig, 64), buffer = rig_alloc(c->rig, BUFFER + 4096);
    const uint64_t aligned = (buffer + 4095) / 4096 * 4096;
    memcpy(rig_ptr(c->rig, args), &aligned, 8);
    const rig_kernel_t how = {.id_axes = 1};
    return (rig_dispatch_t){.kernel = rig_kernel(c->rig, text, &how),
                            .args = args,
                            .grid = {items},
                            .group = {group},
                            .lds = 32768};
}

/* The fences of a packet that programs use: system scope at both ends, or none. */
static void run(counting_t *c, const rig_dispatch_t *d, bool fenced)
{
    enum { SYSTEM = HSA_FENCE_SCOPE_SYSTEM };
    amd_signal_t *signal = rig_signal_at(c->rig, c->done);
    hsa_kernel_dispatch_packet_t p = {.header = HSA_PACKET_TYPE_KERNEL_DISPATCH |
                                                1 << HSA_PACKET_HEADER_BARRIER,
                                      .setup = 1,
                                      .workgroup_size_x = (uint16_t)d->group[0],
                                      .workgroup_size_y = 1,
                                      .workgroup_size_z = 1,
                                      .grid_size_x = d->grid[0],
                                      .grid_size_y = 1,
                                      .grid_size_z = 1,
                                      .group_segment_size = d->lds,
                                      .kernel_object = d->kernel,
                                      .kernarg_address = (void *)(uintptr_t)d->args,
                                      .completion_signal = {c->done}};
    if (fenced)
        p.header |= SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                    SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    __atomic_store_n((int64_t *)&signal->value, 1, __ATOMIC_RELEASE);
    rig_submit(&c->queue, &p);
    assert_true(rig_wait(c->rig, c->done, 0));
}

/* Sums over all engines and instances. */
static void values(counting_t *c, const rig_dispatch_t *d, const expected_t *e, unsigned n,
                   bool fenced, uint64_t *out)
{
    counting_clear(c);
    for (unsigned k = 0; k < n; k++)
        counting_want(c, e[k].block, e[k].event);
    counting_start(c);
    run(c, d, fenced);
    counting_stop(c);
    for (unsigned k = 0; k < n; k++) {
        const bool l2 = e[k].block == TCC;
        const uint32_t of_each = l2 ? CHANNELS : e[k].block == SQ ? 1 : CUS;
        out[k] = counting_sum(c, k, l2 ? 1 : ENGINES, of_each);
    }
}

static void expect_on(counting_t *c, const rig_dispatch_t *d, const expected_t *e, unsigned n)
{
    uint64_t out[MAX_EVENTS];
    values(c, d, e, n, true, out);
    for (unsigned k = 0; k < n; k++)
        if (out[k] != e[k].value)
            fail_msg("block %d event %u is %llu, not %llu", (int)e[k].block, e[k].event,
                     (unsigned long long)out[k], (unsigned long long)e[k].value);
}

static void expect(const char *text, uint32_t items, uint32_t group, const expected_t *e,
                   unsigned n)
{
    counting_t *c = counting_create(ENGINES, CUS);
    const rig_dispatch_t d = dispatch_of(c, text, items, group);
    expect_on(c, &d, e, n);
}
#define EXPECT_KERNEL(text, items, group, ...)                                                     \
    do {                                                                                           \
        const expected_t e_[] = {__VA_ARGS__};                                                     \
        expect(text, items, group, e_, sizeof e_ / sizeof *e_);                                    \
    } while (0)

/* 64 workgroups of one wave, 256 bytes each. */
static void unit_stride(void **state)
{
    (void)state;
    EXPECT_KERNEL(HEAD "global_load_dword v2, v0, s[2:3]\n" TAIL, 64 * 64, 64,
                  {TCP_(TOTAL_READ), 64 * 16},          /* quads */
                  {TCP_(TOTAL_CACHE_ACCESSES), 64 * 4}, /* quarters of one line */
                  {TCP_(TCC_READ_REQ), 64 * 4},         /* nobody reads what another has read */
                  {TCP_(TCC_WRITE_REQ), 0});
    /* 16 KiB of one fragment, which each of 8 compute units misses once: with one look-up, on which
     * ten more wait, of this wave and of two others */
    EXPECT_KERNEL(HEAD "global_load_dword v2, v0, s[2:3]\n" TAIL, 64 * 64, 64,
                  {TCP_(UTCL1_REQUEST), 64 * 4}, {TCP_(UTCL1_TRANSLATION_MISS), 8},
                  {TCP_(UTCL1_TRANSLATION_HIT), 64 * 4 - 8 * 11});
}

/* A workgroup of 100: waves of 64 and 36 lanes: 16 + 9 quads, 4 + 3 quarters. */
static void partial_waves(void **state)
{
    (void)state;
    EXPECT_KERNEL(HEAD
                  "global_load_dword v2, v0, s[2:3]\n global_store_dword v0, v2, s[2:3]\n" TAIL,
                  100, 100, {TCP_(TOTAL_READ), 25}, {TCP_(TOTAL_WRITE), 25},
                  {TCP_(TOTAL_CACHE_ACCESSES), 2 * 7}, {TCP_(TCC_WRITE_REQ), 7});
}

static void strides(void **state)
{
    (void)state;
    /* every second dword: a quarter spans 2 lines */
    EXPECT_KERNEL(HEAD "v_lshlrev_b32 v0, 1, v0\n global_load_dword v2, v0, s[2:3]\n" TAIL, 1024,
                  64, {TCP_(TOTAL_READ), 16 * 16}, {TCP_(TOTAL_CACHE_ACCESSES), 16 * 8},
                  {TCP_(TCC_READ_REQ), 16 * 8});
    /* a line for each lane */
    EXPECT_KERNEL(HEAD "v_lshlrev_b32 v0, 4, v0\n global_load_dword v2, v0, s[2:3]\n" TAIL, 1024,
                  64, {TCP_(TOTAL_READ), 16 * 64}, {TCP_(TOTAL_CACHE_ACCESSES), 16 * 64},
                  {TCP_(READ_TAGCONFLICT_STALL_CYCLES), 0});
    /* one dword for all waves: each of 8 compute units misses it once */
    EXPECT_KERNEL(HEAD "v_mov_b32 v0, 0\n global_load_dword v2, v0, s[2:3]\n" TAIL, 1024, 64,
                  {TCP_(TOTAL_READ), 16 * 16}, {TCP_(TOTAL_CACHE_ACCESSES), 16 * 4},
                  {TCP_(TCC_READ_REQ), 8});
    /* 16 bytes per lane: an access for each, a line for each quad */
    EXPECT_KERNEL(HEAD "v_lshlrev_b32 v0, 2, v0\n global_load_dwordx4 v[4:7], v0, s[2:3]\n"
                       " s_waitcnt vmcnt(0)\n global_store_dwordx4 v0, v[4:7], s[2:3]\n" TAIL,
                  1024, 64, {TCP_(TOTAL_READ), 16 * 64}, {TCP_(TOTAL_WRITE), 16 * 64},
                  {TCP_(TCC_READ_REQ), 16 * 16}, {TCP_(TCC_WRITE_REQ), 16 * 16});
}

/* One wave reads n blocks of 256 bytes, twice over. */
#define TWICE(n)                                                                                   \
    HEAD "s_movk_i32 s9, 2\n"                                                                      \
         "pass:\n v_mov_b32 v1, v0\n s_movk_i32 s8, " #n "\n"                                      \
         "block:\n global_load_dword v2, v1, s[2:3]\n v_add_u32 v1, 0x100, v1\n"                   \
         " s_sub_u32 s8, s8, 1\n s_cmp_lg_u32 s8, 0\n s_cbranch_scc1 block\n"                      \
         " s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n s_cbranch_scc1 pass\n" TAIL

static void read_again(void **state)
{
    (void)state;
    /* 16 KiB fit: the second time all 256 look-ups find their line. Arguments are a line of L2,
     * of two reads; code (92 bytes) is asked for with the line that follows: three, in two lines.
     * The page table is read for the one fragment that all of it lies in */
    EXPECT_KERNEL(TWICE(64), 64, 64, {TCP_(TOTAL_CACHE_ACCESSES), 2 * 256},
                  {TCP_(TCC_READ_REQ), 256}, {TCC_(EA_RDREQ_DRAM), 256 + 2 + 4 + 1});
    /* 20 KiB do not, and least recently used finds nothing at all; L2 has it */
    EXPECT_KERNEL(TWICE(80), 64, 64, {TCP_(TOTAL_CACHE_ACCESSES), 2 * 320},
                  {TCP_(TCC_READ_REQ), 2 * 320}, {TCC_(EA_RDREQ_DRAM), 320 + 2 + 4 + 1});
}

/* What reaches L2: the wave's own lines, its arguments (one line), its code, and the page table's
 * entry of the fragment that all of these are in. */
static void l2_requests(void **state)
{
    (void)state;
    counting_t *c = counting_create(ENGINES, CUS);
    const rig_dispatch_t d =
        dispatch_of(c,
                    HEAD "global_load_dword v2, v0, s[2:3]\n s_waitcnt vmcnt(0)\n"
                         " global_store_dword v0, v2, s[2:3]\n" TAIL,
                    64, 64);
    static const expected_t wanted[] = {
        {TCC_(READ), 0},           {TCC_(WRITE), 0},        {TCC_(HIT), 0},
        {TCC_(MISS), 0},           {SQ_(SQC_TC_REQ), 0},    {SQ_(SQC_TC_DATA_READ_REQ), 0},
        {SQ_(SQC_TC_INST_REQ), 0}, {TCP_(TCC_READ_REQ), 0},
    };
    enum { N = sizeof wanted / sizeof *wanted };
    uint64_t v[N];
    values(c, &d, wanted, N, true, v);
    assert_int_equal(v[7], 4);
    assert_int_equal(v[5], 1); /* the arguments */
    assert_int_equal(v[4], v[5] + v[6]);
    assert_int_equal(v[0], v[7] / 2 + v[4] + 1); /* all reads; the wave's own come two by two */
    assert_int_equal(v[1], 4);
    assert_int_equal(v[2] + v[3], v[0] + v[1]);
    /* Again: the buffer is in L2, and so are code and arguments; the fence has emptied L1. */
    values(c, &d, wanted, N, true, v);
    assert_int_equal(v[7], 4);
    assert_int_equal(v[5], 1);
    assert_int_equal(v[3], 1);
    /* Without a fence L1 and the scalar cache have it all, and only the store goes on. */
    values(c, &d, wanted, N, false, v);
    assert_int_equal(v[7], 0);
    assert_int_equal(v[4], 0);
    assert_int_equal(v[2], 4);
}

/* The release at the end of the kernel writes back 16 KiB: 128 lines. */
static void write_back(void **state)
{
    (void)state;
    EXPECT_KERNEL(HEAD "global_store_dword v0, v0, s[2:3]\n" TAIL, 4096, 64, {TCC_(WRITEBACK), 128},
                  {TCC_(EA_WRREQ), 256}, {TCC_(EA_WRREQ_64B), 256},
                  {TCC_(ALL_TC_OP_WB_WRITEBACK), 128}, {TCP_(TCC_WRITE_REQ), 256},
                  {TCP_(TCC_RW_WRITE_REQ), 256});
}

static void atomics(void **state)
{
    (void)state;
    EXPECT_KERNEL(HEAD "global_atomic_add v0, v2, s[2:3]\n"
                       "global_atomic_add v3, v0, v2, s[2:3] glc\n" TAIL,
                  640, 64, {TCP_(TOTAL_ATOMIC_WITHOUT_RET), 160},
                  {TCP_(TOTAL_ATOMIC_WITH_RET), 160}, {TCP_(TCC_ATOMIC_WITH_RET_REQ), 40},
                  {TCP_(TCC_ATOMIC_WITHOUT_RET_REQ), 40}, {TCC_(ATOMIC), 80}, {TCC_(EA_ATOMIC), 0});
}

/* Dwords 1, 2, 4, 8, 16, 32, 33 apart; 16 waves. A phase of 32 lanes takes gcd(step, 32) clocks. */
static void lds_strides(void **state)
{
    static const struct {
        unsigned step, clocks;
    } steps[] = {{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {33, 1}};
    (void)state;
    for (unsigned k = 0; k < sizeof steps / sizeof *steps; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD "v_and_b32 v0, 0xfc, v0\n v_mul_u32_u24 v0, %u, v0\n ds_read_b32 v2, v0\n"
                      " ds_write_b32 v0, v2\n" TAIL,
                 steps[k].step);
        EXPECT_KERNEL(text, 1024, 64, {SQ_(SQ_LDS_IDX_ACTIVE), 16ull * 2 * 2 * steps[k].clocks},
                      {SQ_(SQ_LDS_BANK_CONFLICT), 16ull * 2 * 2 * (steps[k].clocks - 1)},
                      {SQ_(SQ_LDS_MEM_VIOLATIONS), 0});
    }
    EXPECT_KERNEL(HEAD "v_and_b32 v0, 0xfc, v0\n v_lshlrev_b32 v1, 1, v0\n"
                       " ds_read_b64 v[2:3], v1\n v_lshlrev_b32 v1, 2, v0\n"
                       " ds_read_b128 v[4:7], v1\n" TAIL,
                  1024, 64, {SQ_(SQ_LDS_IDX_ACTIVE), 16 * (4 + 8)}, {SQ_(SQ_LDS_BANK_CONFLICT), 0});
}

/* The sum over instances is what each compute unit's waves account for, and nothing depends on the
 * host's threads. */
static void instances(void **state)
{
    uint64_t first[ENGINES * CUS];
    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        setenv("SOFTGPU_THREADS", (const char *[]){"1", "2", "3"}[round], 1);
        counting_t *c = counting_create(ENGINES, CUS);
        const rig_dispatch_t d =
            dispatch_of(c, HEAD "global_load_dword v2, v0, s[2:3]\n" TAIL, 100 * 64, 64);
        counting_want(c, TCP_(TOTAL_READ));
        counting_want(c, TCP_(TCP_LATENCY));
        counting_start(c);
        counting_dispatch(c, &d);
        counting_stop(c);
        for (uint32_t e = 0; e < ENGINES; e++)
            for (uint32_t u = 0; u < CUS; u++) {
                /* workgroup g: engine g mod 4, unit g / 4 mod 2: 13 to the first units, 12 */
                assert_int_equal(counting_value(c, 0, e, u), 16 * (u ? 12 : 13));
                const uint64_t latency = counting_value(c, 1, e, u);
                if (round) assert_int_equal(latency, first[e * CUS + u]);
                first[e * CUS + u] = latency;
            }
    }
    unsetenv("SOFTGPU_THREADS");
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unit_stride), cmocka_unit_test(partial_waves),
        cmocka_unit_test(strides),     cmocka_unit_test(read_again),
        cmocka_unit_test(l2_requests), cmocka_unit_test(write_back),
        cmocka_unit_test(atomics),     cmocka_unit_test(lds_strides),
        cmocka_unit_test(instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
